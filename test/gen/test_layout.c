// SPDX-License-Identifier: Apache-2.0
// The layout of y: blocks without gaps, names that tell states apart, and the way from y to coordinates
// and back.
#include "gen/layout.h"

#include <string.h>

#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/rig.h"

// Driven, dependent and independent coordinates, states, filters of both kinds, objectives of all; one
// objective has the name of a coordinate, which is allowed.
static const char text[] =
    "jounce: 1\nname: l\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [1, 1, 1]}\n"
    "  rod: {mass: 1, inertia: [1, 1, 1]}\n"
    "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
    "  table: {mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  turn: {type: revolute, parent: ground, child: crank, axis: y}\n"
    "  swing: {type: revolute, parent: crank, child: rod, axis: y}\n"
    "  slide: {type: prismatic, parent: ground, child: cart, axis: x}\n"
    "  shake: {type: prismatic, parent: ground, child: table, axis: z, drive: sin(t)}\n"
    "states:\n"
    "  pressure: {initial: 2e5, derivative: 1e5 - pressure, nominal: 1e5, unit: Pa, hold: true}\n"
    "  valve: {initial: 0.5, derivative: -valve}\n"
    "objectives:\n"
    "  work: {integral: slide.rate, unit: m}\n"
    "  slide: {rms: slide.rate, unit: m/s, filter: Wk}\n"
    "  worst: {peak: slide.rate, unit: m/s, filter: lowpass, frequency: 3, power: 8}\n"
    "  average: {mean: slide, unit: m}\n"
    "  last: {final: slide, unit: m}\n";

// By hand: the partition is that of the position, which is not needed here.
static int u[] = {0, 2}, v[] = {1}, d[] = {3};
static const jgen_partition partition = {.nu = 2, .nv = 1, .nd = 1, .u = u, .v = v, .d = d};

static fixture* open_layout(jgen_layout* l) {
  fixture* f = fixture_parse("l.yaml", text);
  assert_ok(f->ctx, jgen_layout_build(&f->a, f->m, &partition, l));
  return f;
}

static void assert_covers(const jgen_layout* l) {
  int next = 0;
  for (int b = 0; b < JGEN_BLOCK_COUNT; b++) {
    assert_int_equal(l->block[b].first, next);
    next += l->block[b].n;
  }
  assert_int_equal(next, l->ny);
}

static void assert_described(const jgen_layout* l) {
  for (int i = 0; i < l->ny; i++) {
    assert_non_null(l->unit[i]);
    assert_true(l->nominal[i] > 0.0);
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(l->name[i], l->name[k]);
    }
  }
}

static void test_layout_blocks_cover_y_without_gaps(void** state) {
  (void)state;
  static const int n[JGEN_BLOCK_COUNT] = {2, 1, 2, 2, 8 + 2, 5};
  jgen_layout l;
  fixture* f = open_layout(&l);
  assert_covers(&l);
  for (int b = 0; b < JGEN_BLOCK_COUNT; b++) {
    assert_int_equal(l.block[b].n, n[b]);
  }
  fixture_close(f);
}

static void test_layout_describes_every_state(void** state) {
  (void)state;
  static const struct {
    const char *name, *unit;
    double nominal;
    bool is_held, is_followed;
  } expected[] = {{"turn", "rad", 1.0, false, true},
                  {"slide", "m", 1.0, false, true},
                  {"swing", "rad", 1.0, false, false},
                  {"turn.rate", "rad/s", 1.0, false, true},
                  {"slide.rate", "m/s", 1.0, false, true},
                  {"pressure", "Pa", 1e5, true, true},
                  {"valve", "", 1.0, false, true},
                  {"slide.filter.1", "m/s", 1.0, false, true},
                  {"slide.filter.2", "m/s", 1.0, false, true},
                  {"worst.filter.2", "m/s", 1.0, false, true},
                  {"work", "m", 1.0, false, false},
                  {"slide.integral", "(m/s)^2 s", 1.0, false, false},
                  {"worst", "(m/s)^8 s", 1.0, false, false},
                  {"average", "m s", 1.0, false, false},
                  {"last", "m", 1.0, false, false}};
  jgen_layout l;
  fixture* f = open_layout(&l);
  assert_described(&l);
  int i = 0;
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    while (i < l.ny && strcmp(l.name[i], expected[k].name) != 0) {
      i++;
    }
    assert_true(i < l.ny);
    assert_string_equal(l.unit[i], expected[k].unit);
    assert_true(l.nominal[i] == expected[k].nominal);
    assert_int_equal(l.is_held[i], expected[k].is_held);
    assert_int_equal(l.is_followed[i], expected[k].is_followed);
  }
  fixture_close(f);
}

static void test_layout_gather_and_scatter_are_inverse(void** state) {
  (void)state;
  jgen_layout l;
  fixture* f = open_layout(&l);
  double *y = JARENA_ARRAY(&f->a, l.ny, double), *back = JARENA_ARRAY(&f->a, l.ny, double);
  double q[4] = {-1.0, -2.0, -3.0, -4.0}, qd[4] = {-5.0, -6.0, -7.0, -8.0};
  for (int i = 0; i < l.ny; i++) {
    y[i] = i + 1.0;
  }
  jgen_gather(&l, y, q, qd);
  // turn, slide | swing | their rates; the drive, and what is no state, are left alone
  assert_true(q[0] == 1.0 && q[2] == 2.0 && q[1] == 3.0 && q[3] == -4.0);
  assert_true(qd[0] == 4.0 && qd[2] == 5.0 && qd[1] == -6.0 && qd[3] == -8.0);
  jgen_scatter(&l, q, qd, y + jgen_first(&l, JGEN_Z), back);
  assert_memory_equal(back, y, (size_t)jgen_first(&l, JGEN_FILTER) * sizeof *y);
  for (int i = jgen_first(&l, JGEN_FILTER); i < l.ny; i++) {
    assert_true(back[i] == 0.0);
  }
  jgen_scatter(&l, NULL, (double[]){9.0, 9.0, 9.0, 9.0}, NULL, back);
  for (int i = 0; i < l.ny; i++) {
    double expected = jgen_is_in(&l, JGEN_QDU, i)       ? 9.0
                      : i < jgen_first(&l, JGEN_FILTER) ? y[i]
                                                        : 0.0;
    assert_true(back[i] == expected);
  }
  fixture_close(f);
}

static void test_layout_lists_what_moves_by_itself(void** state) {
  (void)state;
  static const char* const name[] = {"turn",       "slide",    "turn.rate",
                                     "slide.rate", "pressure", "valve"};
  jgen_layout l;
  fixture* f = open_layout(&l);
  assert_int_equal(jgen_own_count(&l), 6);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(l.name[jgen_own(&l, i)], name[i]);
  }
  assert_string_equal(l.name[jgen_balance(&l, 1)], "slide.rate");
  assert_string_equal(l.name[jgen_balance(&l, jgen_own(&l, 5))], "valve");
  fixture_close(f);
}

// Models that are shipped, with the partition that is chosen for them.
static void test_layout_of_whole_models(void** state) {
  (void)state;
  static const char* const path[] = {"models/buggy/step_descent.yaml", "models/tracked/bump.yaml",
                                     "models/mechanisms/four_bar.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    jplant_options opt = fixture_interpreted();
    rig lab;
    rig_open(&lab, path[i], NULL, 0, &opt);
    const jgen_layout* l = &lab.plant->dynamics->layout;
    assert_covers(l);
    assert_described(l);
    for (int c = 0; c < l->nq; c++) {
      bool is_driven = lab.m->coordinate[c].is_driven;
      assert_int_equal(l->q[c] >= 0, !is_driven);
      if (!is_driven) assert_string_equal(l->name[l->q[c]], lab.m->coordinate[c].name);
    }
    rig_close(&lab);
  }
}

static void test_layout_survives_the_end_of_memory(void** state) {
  (void)state;
  jgen_layout l;
  fixture* f = open_layout(&l);
  for (long n = 0;; n++) {
    failing_alloc memory;
    failing_alloc_init(&memory, n);
    jo_context* ctx = NULL;
    jo_status status = jo_context_create(&memory.allocator, &ctx);
    jarena a;
    jgen_layout other;
    jarena_init(&a, ctx);
    if (status >= 0) status = jgen_layout_build(&a, f->m, &partition, &other);
    if (ctx) jarena_free(&a);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layout_blocks_cover_y_without_gaps),
      cmocka_unit_test(test_layout_describes_every_state),
      cmocka_unit_test(test_layout_gather_and_scatter_are_inverse),
      cmocka_unit_test(test_layout_lists_what_moves_by_itself),
      cmocka_unit_test(test_layout_of_whole_models),
      cmocka_unit_test(test_layout_survives_the_end_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
