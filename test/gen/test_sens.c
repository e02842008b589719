// SPDX-License-Identifier: Apache-2.0
// Derivatives of generated functions: tangents are complex steps of the functions, adjoints the transposes of
// tangents, and those of the closure keep it closed.
#include "support/rig.h"

#include <complex.h>
#undef I

#include "expr/tape/tape.h"
#include "support/sketch.h"

#define ROUNDING 1e-10  // relative to the largest entry of an output

enum { MAX = 160 };

typedef double complex number;

typedef struct subject {
  rig r;
  int wrt[6], nwrt;
  double momentum[MAX], dy[MAX], dt, dp[MAX], dmomentum[MAX], lambda[MAX], fired[MAX];
} subject;

static void open_subject(subject* k, const char* path) {
  *k = (subject){0};
  fixture* f = fixture_load(path, NULL, 0);
  for (int i = 0; i < f->m->nnumber && k->nwrt < 6; i++) {
    if (f->m->number[i].is_parameter) k->wrt[k->nwrt++] = i;
  }
  fixture_close(f);
  jplant_options opt = fixture_interpreted();
  opt.gen.modes = true;
  opt.gen.wrt = k->wrt;
  opt.gen.nwrt = k->nwrt;
  rig_open(&k->r, path, NULL, 0, &opt);
  rig_disturb(&k->r, 5, 0.01);
  assert_true(k->r.d->ny <= MAX && k->r.d->np <= MAX && k->r.d->noutput <= MAX);
  random_source source;
  random_seed(&source, 161);
  k->dt = random_uniform(&source, -1.0, 1.0);
  for (int i = 0; i < MAX; i++) {
    k->momentum[i] = random_uniform(&source, -1.0, 1.0);
    k->dy[i] = random_uniform(&source, -1.0, 1.0);
    k->dp[i] = random_uniform(&source, -1.0, 1.0);
    k->dmomentum[i] = random_uniform(&source, -1.0, 1.0);
    k->lambda[i] = random_uniform(&source, -1.0, 1.0);
    k->fired[i] = i % 2 == 0;
  }
  // filters and integrals are positive where roots are taken of them
  for (int i = jgen_first(&k->r.d->layout, JGEN_FILTER); i < k->r.d->ny; i++) {
    k->r.y[i] = random_uniform(&source, 0.1, 1.0);
  }
}

static void call(subject* k, const jexpr_fn* fn, double* const* out) {
  const double* in[JGEN_GROUP_COUNT] = {0};
  in[JGEN_P] = k->r.run->p;
  in[JGEN_T] = &k->r.t;
  in[JGEN_Y] = k->r.y;
  in[JGEN_MODE] = k->r.run->mode;
  in[JGEN_MOMENTUM] = k->momentum;
  in[JGEN_DY] = k->dy;
  in[JGEN_DT] = &k->dt;
  in[JGEN_DP] = k->dp;
  in[JGEN_DMOMENTUM] = k->dmomentum;
  in[JGEN_LAMBDA] = k->lambda;
  in[JGEN_FIRED] = k->fired;
  sketch_call(k->r.ctx, fn, in, out);
}

// One output of a function along the direction of the subject, by a complex step.
static void complex_step(subject* k, jgen_fn f, int output, double dt, double* d) {
  const double h = 1e-30;
  const jgen_dynamics* dyn = k->r.d;
  const jexpr_fn* fn = &dyn->fn[f];
  number p[MAX], t = k->r.t + h * dt * _Complex_I, y[MAX], mode[MAX], momentum[MAX], fired[MAX],
                 value[JGEN_MAX_OUT][MAX];
  const number* in[JGEN_GROUP_COUNT] = {0};
  number* out[JGEN_MAX_OUT];
  for (int i = 0; i < MAX; i++) {
    p[i] = i < dyn->np ? k->r.run->p[i] : 0.0;
    y[i] = i < dyn->ny ? k->r.y[i] + h * k->dy[i] * _Complex_I : 0.0;
    mode[i] = i < dyn->nswitch ? k->r.run->mode[i] : 0.0;
    fired[i] = k->fired[i];
    momentum[i] = k->momentum[i] + h * k->dmomentum[i] * _Complex_I;
  }
  for (int i = 0; i < k->nwrt; i++) {
    p[dyn->sens.wrt[i]] += h * k->dp[i] * _Complex_I;
  }
  in[JGEN_P] = p;
  in[JGEN_T] = &t;
  in[JGEN_Y] = y;
  in[JGEN_MODE] = mode;
  in[JGEN_MOMENTUM] = momentum;
  in[JGEN_FIRED] = fired;
  for (int i = 0; i < JGEN_MAX_OUT; i++) {
    out[i] = value[i];
  }
  jexpr_tape tape;
  assert_ok(k->r.ctx, jexpr_tape_build(k->r.ctx, &k->r.f->a, fn, &tape));
  number* work = JARENA_ARRAY(&k->r.f->a, tape.nslot + 1, number);
  assert_non_null(work);
  jexpr_tape_eval_complex(&tape, in, out, work);
  for (int i = 0; i < fn->out[output].n; i++) {
    d[i] = cimag(value[output][i]) / h;
  }
}

static void assert_all_near(const double* a, const double* b, int n) {
  double scale = 1.0;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(b[i]));
  }
  for (int i = 0; i < n; i++) {
    assert_near(a[i] / scale, b[i] / scale, ROUNDING);
  }
}

static bool has_time(jgen_fn_rule rule) {
  return rule == JGEN_RULE_TIMED || rule == JGEN_RULE_IMPULSIVE;
}

static const char* const models[] = {
    "test/models/sens_loop.yaml", "test/models/sens_cart.yaml", "test/models/sens_bounce.yaml",
    "test/models/closure_driven.yaml", "test/models/sens_reset.yaml"};
enum { NMODEL = sizeof models / sizeof *models };

static void test_sens_tangents_are_complex_steps(void** state) {
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    subject k;
    open_subject(&k, models[m]);
    int compared = 0;
    for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
      jgen_fn_rule rule = jgen_fn_about(f)->tangent;
      bool is_there = k.r.d->fn[f].name && rule != JGEN_RULE_NONE;
      if (!is_there || rule == JGEN_RULE_CLOSURE) continue;
      double first[MAX], second[MAX], expected[MAX];
      const jexpr_fn* tangent = &k.r.d->sens.tangent[f];
      int n = k.r.d->fn[f].out[0].n;
      call(&k, tangent, (double* const[]){first, second});
      complex_step(&k, f, 0, has_time(rule) ? k.dt : 0.0, expected);
      assert_all_near(rule == JGEN_RULE_VALUED ? second : first, expected, n);
      if (rule == JGEN_RULE_VALUED) {
        double value[MAX];
        call(&k, &k.r.d->fn[f], (double* const[]){value});
        assert_all_near(first, value, n);
      }
      compared += n;
    }
    assert_true(compared > 10);
    rig_close(&k.r);
  }
}

// Along (du, dt, dp) and what the tangent makes of them, the closure stays closed to first order.
static void test_sens_tangent_of_the_closure_keeps_it_closed(void** state) {
  (void)state;
  static const char* const path[] = {"test/models/sens_loop.yaml",
                                     "test/models/closure_driven.yaml"};
  for (int m = 0; m < 2; m++) {
    subject k;
    open_subject(&k, path[m]);
    int nv = k.r.d->part.nv;
    double dv[MAX], dh[MAX], zero[MAX] = {0};
    assert_true(nv > 0);
    call(&k, &k.r.d->sens.tangent[JGEN_FN_PROJECT], (double* const[]){dv});
    memcpy(k.dy + jgen_first(&k.r.d->layout, JGEN_QV), dv, (size_t)nv * sizeof *dv);
    complex_step(&k, JGEN_FN_PROJECT, 1, k.dt, dh);
    assert_all_near(dh, zero, nv);
    rig_close(&k.r);
  }
}

// lambda . d(dy, dt, dp, dP) = ybar . dy + tbar dt + pbar . dp + Pbar . dP
static void test_sens_adjoints_are_transposed_tangents(void** state) {
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    subject k;
    open_subject(&k, models[m]);
    const jgen_dynamics* d = k.r.d;
    // q_v follows: neither the closure's tangent nor its adjoint counts it
    for (int i = 0; i < d->part.nv; i++) {
      k.dy[jgen_first(&d->layout, JGEN_QV) + i] = 0.0;
    }
    for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
      const jgen_fn_info* about = jgen_fn_about(f);
      if (about->tangent == JGEN_RULE_NONE || about->adjoint == JGEN_RULE_NONE) continue;
      if (!d->fn[f].name) continue;
      double first[MAX], second[MAX], ybar[MAX], tbar, pbar[MAX], Pbar[MAX];
      bool timed = has_time(about->tangent) || about->tangent == JGEN_RULE_CLOSURE;
      call(&k, &d->sens.tangent[f], (double* const[]){first, second});
      call(&k, &d->sens.adjoint[f], (double* const[]){ybar, &tbar, pbar, Pbar});
      const double* tangent = about->tangent == JGEN_RULE_VALUED ? second : first;
      double left = 0.0, right = timed ? tbar * k.dt : 0.0, size = 1.0;
      for (int i = 0; i < d->fn[f].out[0].n; i++) {
        left += k.lambda[i] * tangent[i];
        size += fabs(k.lambda[i] * tangent[i]);
      }
      for (int i = 0; i < d->ny; i++) {
        right += ybar[i] * k.dy[i];
      }
      for (int i = 0; i < k.nwrt; i++) {
        right += pbar[i] * k.dp[i];
      }
      for (int i = 0; about->adjoint == JGEN_RULE_IMPULSIVE && i < d->part.nu; i++) {
        right += Pbar[i] * k.dmomentum[i];
      }
      assert_near(left / size, right / size, ROUNDING);
    }
    rig_close(&k.r);
  }
}

// Numbers that are no parameters are wanted for derivatives only: functions do not read them.
static void test_sens_folds_numbers_that_are_no_parameters(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: f\nparameters: {m: 2}\nbodies: {b: {mass: m}}\n"
      "joints: {x: {type: prismatic, child: b, axis: x}}\nforces: {s: {on: x, stiffness: 8}}\n"
      "initial: {x: 0.5}\n";
  fixture* f = fixture_parse("fold.yaml", text);
  int wrt[] = {jmodel_find_number(f->m, "forces.s.stiffness")};
  bool live[64] = {0};
  assert_true(wrt[0] >= 0 && f->m->nnumber < 64);
  live[wrt[0]] = true;
  fixture_close(f);
  rig r;
  jplant_options opt = fixture_interpreted();
  opt.gen = (jgen_options){.live = live, .modes = true, .wrt = wrt, .nwrt = 1};
  rig_open_text(&r, "fold.yaml", text, &opt);
  double value[MAX], tangent[MAX], zero[MAX] = {0}, one = 1.0;
  const double* in[JGEN_GROUP_COUNT] = {0};
  in[JGEN_P] = r.run->p;
  in[JGEN_T] = &r.t;
  in[JGEN_Y] = r.y;
  in[JGEN_DY] = zero;
  in[JGEN_DP] = &one;
  r.run->p[0] += 1.0;
  sketch_call(r.ctx, &r.d->sens.tangent[JGEN_FN_RHS], in, (double* const[]){value, tangent});
  assert_near(value[1], -8.0 * 0.5 / 2.0, 1e-15);  // with the value of the file
  assert_near(tangent[1], -0.5 / 2.0, 1e-15);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sens_tangents_are_complex_steps),
      cmocka_unit_test(test_sens_tangent_of_the_closure_keeps_it_closed),
      cmocka_unit_test(test_sens_adjoints_are_transposed_tangents),
      cmocka_unit_test(test_sens_folds_numbers_that_are_no_parameters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
