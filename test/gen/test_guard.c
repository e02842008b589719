// SPDX-License-Identifier: Apache-2.0
// What is watched: dependence on more than is allowed, lengths that must not vanish, wheels that stand, windows,
// redundant equations, and expressions nobody uses.
#include "support/rig.h"
#include "support/sketch.h"

static const char text[] =
    "jounce: 1\nname: g\nparameters: {k: 3}\ninputs: {push: 1}\nbodies: {b: {mass: 1}}\n"
    "joints: {x: {type: prismatic, child: b, axis: x}}\nstates: {heat: {derivative: -heat}}\n";

static void test_guard_names_what_an_expression_depends_on(void** state) {
  (void)state;
  static const struct {
    const char* text;
    unsigned allowed;
    const char* told;  // NULL: it is allowed
  } row[] = {{"2*k", 1u << SKETCH_P, NULL},
             {"k + t", 1u << SKETCH_P | 1u << SKETCH_T, NULL},
             {"k + t", 1u << SKETCH_P, "'it' depends on time 't'; rule"},
             {"k*x", 1u << SKETCH_P | 1u << SKETCH_Q, NULL},
             {"k*x", 1u << SKETCH_P, "'it' depends on coordinate 'x'; rule"},
             {"k*x.rate", 1u << SKETCH_P | 1u << SKETCH_Q, "'it' depends on the rate of 'x'; rule"},
             {"sin(heat)", 1u << SKETCH_P, "'it' depends on state 'heat'; rule"},
             {"push", 1u << SKETCH_P, "'it' depends on input 'push'; rule"},
             {"0*x + 1", 1u << SKETCH_P, NULL}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sketch k;
    sketch_open(&k, fixture_parse("g.yaml", text), false);
    jmodel_scalar x = {.text = row[i].text, .number = -1, .place = {"g.yaml", 9}};
    jexpr_ref r = jgen_scalar(&k.s, &x, "it");
    assert_ok(k.f->ctx, jexpr_graph_status(k.g));
    assert_int_equal(jgen_depends_on_more(&k.s, r, row[i].allowed, "rule", "it", x.place),
                     row[i].told != NULL);
    assert_int_equal(jexpr_graph_status(k.g) < 0, row[i].told != NULL);
    if (row[i].told) {
      const char* message = jo_context_message(k.f->ctx);
      assert_int_equal(strncmp(message, "g.yaml:9: ", 10), 0);
      if (!strstr(message, row[i].told)) fail_msg("%s: %s", row[i].text, message);
    }
    sketch_close(&k);
  }
}

// Contact, and speeds along and across its plane, of a wheel; the switch is on where it stands.
static void test_guard_sees_wheels_that_stand(void** state) {
  (void)state;
  rig r;
  jplant_options opt = fixture_interpreted();
  opt.gen.modes = true;
  rig_open(&r, "test/models/rolling_wheel.yaml", NULL, 0, &opt);
  const jgen_dynamics* d = r.d;
  assert_int_equal(d->nguard, 1);
  assert_int_equal(d->first_guard, d->nswitch - 1);
  double guards[3], least = d->guard[0].least;
  jmachine_look_at_guards(&r.run->machine, r.t, r.y, guards);
  double speed = hypot(guards[1], guards[2]);
  assert_near(guards[0], 1.0, 0.0);
  assert_true(speed > 1.0);
  for (int stands = 0; stands < 2; stands++) {
    // all velocities become a part of themselves
    double part = stands ? 0.5 * least / speed : 1.5 * least / speed, g[64];
    memcpy(r.y, r.plant->y0, (size_t)d->ny * sizeof *r.y);
    for (int i = 0; i < d->part.nu; i++) {
      r.y[jgen_first(&d->layout, JGEN_QDU) + i] *= part;
    }
    assert_true(d->nswitch <= 64);
    jplant_call(r.run, JGEN_FN_SWITCHES, r.t, r.y, (double* const[]){g});
    assert_int_equal(g[d->first_guard] > 0.0, stands);
  }
  rig_close(&r);
}

static void test_guard_keeps_windows_lengths_and_redundant_equations(void** state) {
  (void)state;
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, "test/models/sens_loop.yaml", NULL, 0, &opt);
  double window[2 * 16] = {0};
  assert_true(r.d->nobjective <= 16);
  jplant_call(r.run, JGEN_FN_WINDOWS, r.t, r.y, (double* const[]){window});
  for (int i = 0; i < r.d->nobjective; i++) {
    bool has = r.m->objective[i].has_window;
    assert_near(window[2 * i], has ? 0.31 : 0.0, 0.0);
    assert_near(window[2 * i + 1], has ? 0.77 : 0.0, 0.0);
  }
  assert_true(r.d->length[0].value != JEXPR_POISON);
  assert_string_equal(r.d->length[0].end[1]->name, "crank.tip");
  rig_close(&r);
  rig_open(&r, "test/models/parallelogram.yaml", NULL, 0, &opt);
  int n = r.d->part.nredundant;
  double h[16];
  assert_true(n > 0 && n <= 16);
  // they hold where the others do, and tell where they do not follow any more
  jplant_call(r.run, JGEN_FN_REDUNDANT, r.t, r.y, (double* const[]){h});
  double worst = 0.0;
  for (int i = 0; i < n; i++) {
    assert_near(h[i], 0.0, 1e-9);
  }
  *rig_parameter(&r, "third") += 1e-2;
  assert_int_equal(r.run->system.project(r.run->system.user, r.t, r.y), JO_ERR_CONVERGENCE);
  jplant_call(r.run, JGEN_FN_REDUNDANT, r.t, r.y, (double* const[]){h});
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(h[i]));
  }
  assert_true(worst > 1e-5);
  rig_close(&r);
}

static void test_guard_reads_what_nobody_uses(void** state) {
  (void)state;
  static const char* const wrong[] = {"signals: {idle: 2*nothing}\n", "road: 2*nothing*x\n"};
  for (int i = 0; i < 2; i++) {
    char all[512];
    snprintf(all, sizeof all, "%s%s", text, wrong[i]);
    fixture* f = fixture_parse("g.yaml", all);
    jplant_options opt = fixture_interpreted();
    assert_refused(f->ctx, jplant_create(f->ctx, f->m, &opt, &f->plant), JO_ERR_MODEL,
                   "g.yaml:8: ", "unknown name 'nothing'");
    fixture_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_guard_names_what_an_expression_depends_on),
      cmocka_unit_test(test_guard_sees_wheels_that_stand),
      cmocka_unit_test(test_guard_keeps_windows_lengths_and_redundant_equations),
      cmocka_unit_test(test_guard_reads_what_nobody_uses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
