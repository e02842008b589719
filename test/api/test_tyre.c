// SPDX-License-Identifier: Apache-2.0
// Tyres by themselves: whatever value a coefficient or an input has, results are finite or the value is rejected, and no
// scale factor turns a force round.
#include "jounce/tyre.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/fixture.h"

static const char* const files[] = {"test/data/tyres/Sedan_Pac02Tire.tir",
                                    "test/data/tyres/MagicFormula61_Parameters.tir",
                                    "test/data/tyres/MagicFormula62_Parameters.tir"};
static const char* const values[] = {"0",     "-1",     "nan",    "inf",     "-inf",
                                     "1e300", "-1e300", "1e-300", "-1e-300", "5e-324"};
enum { NFILE = 3, NVALUE = sizeof values / sizeof *values, KXK = 10, KYA = 11 };

// Whether all results are finite; an error must have a cause, and no result.
static bool is_honest(fixture* f, jo_tyre_function* fn, const double* in, double* out) {
  int n = jo_tyre_output_count(fn);
  for (int i = 0; i < n; i++) {
    out[i] = 12345.0;
  }
  jo_status status = jo_tyre_evaluate(fn, in, out);
  bool is_said = jo_context_message(f->ctx)[0] != '\0';
  jo_context_clear(f->ctx);
  for (int i = 0; i < n; i++) {
    if (status < 0 ? out[i] != 12345.0 : !isfinite(out[i])) return false;
  }
  return (status < 0) == is_said;
}

static void try_functions(fixture* f, const jo_tyre* tyre, const char* what) {
  double out[64];
  for (int vertical = 0; vertical < 2; vertical++) {
    jo_tyre_options opt = {.vertical = vertical};
    jo_tyre_function* fn = NULL;
    if (jo_tyre_function_create(f->ctx, tyre, &opt, &fn) < 0) fail_msg("%s", what);
    for (int k = 0; k < 4; k++) {
      double in[JO_TYRE_INPUTS] = {0};
      for (int i = 0; i < JO_TYRE_INPUTS; i++) {
        in[i] = jo_tyre_input_default(fn, i);
      }
      if (k > 0) in[1] = vertical ? 1000.0 : 0.05 * k, in[2] = vertical ? 500.0 : -0.03 * k;
      if (k > 1) in[3] = 0.04;
      if (!is_honest(f, fn, in, out)) fail_msg("%s, vertical %d, point %d", what, vertical, k);
    }
    jo_tyre_function_destroy(fn);
  }
}

static void test_every_coefficient_is_used_or_rejected(void** state) {
  fixture* f = *state;
  for (int file = 0; file < NFILE; file++) {
    jo_tyre* as_is = NULL;
    assert_ok(f->ctx, jo_tyre_load(f->ctx, files[file], NULL, 0, &as_is));
    jo_tyre_coefficient k;
    for (int i = 0; jo_tyre_coefficient_at(as_is, i, &k) >= 0; i++) {
      for (int v = 0; v < NVALUE; v++) {
        jo_setting set = {k.name, values[v]};
        jo_tyre* tyre = NULL;
        char what[200];
        snprintf(what, sizeof what, "%s: %s=%s", files[file], k.name, values[v]);
        jo_status status = jo_tyre_load(f->ctx, files[file], &set, 1, &tyre);
        const char* said = jo_context_message(f->ctx);
        if (status < 0 && !strstr(said, k.name)) fail_msg("%s: '%s'", what, said);
        jo_context_clear(f->ctx);
        if (status >= 0) try_functions(f, tyre, what);
        jo_tyre_destroy(tyre);
      }
    }
    jo_tyre_destroy(as_is);
  }
}

static void test_scales_do_not_turn_forces_round(void** state) {
  fixture* f = *state;
  static const char* const scales[] = {"LKX", "LKY", "LMUX", "LMUY", "LCX", "LCY", "LFZO"};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
    for (int v = 0; v < 2; v++) {
      jo_setting set = {scales[i], values[v]};
      jo_tyre* tyre = NULL;
      assert_int_equal(jo_tyre_load(f->ctx, files[0], &set, 1, &tyre), JO_ERR_MODEL);
      assert_non_null(strstr(jo_context_message(f->ctx), "it must be positive"));
      jo_context_clear(f->ctx);
    }
  }
}

// Slopes of Fx over slip and of Fy over slip angle, from forces alone.
static void slopes_of(fixture* f, const jo_tyre* tyre, double slope[2]) {
  jo_tyre_function* fn = NULL;
  const double h = 1e-4;
  assert_ok(f->ctx, jo_tyre_function_create(f->ctx, tyre, NULL, &fn));
  for (int i = 0; i < 2; i++) {
    double in[JO_TYRE_INPUTS], out[2][64];
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      in[k] = jo_tyre_input_default(fn, k);
    }
    for (int side = 0; side < 2; side++) {
      in[1 + i] = side ? h : -h;
      assert_ok(f->ctx, jo_tyre_evaluate(fn, in, out[side]));
    }
    slope[i] = (out[1][i] - out[0][i]) / (2.0 * h);
  }
  jo_tyre_function_destroy(fn);
}

// Braking brakes, and a slip angle is resisted, at the nominal load of every tyre that is accepted; others are rejected.
// The smallest slopes of these values are some 1e4 N, so that shifts and curvature do not matter.
static void test_forces_of_accepted_tyres_are_against_slip(void** state) {
  fixture* f = *state;
  static const char* const file[] = {"test/data/tyres/HMMWV_pacejka.tir",
                                     "test/data/tyres/MagicFormula52_Parameters.tir",
                                     "test/data/tyres/MagicFormula61_Parameters.tir",
                                     "test/data/tyres/MagicFormula62_Parameters.tir"};
  static const char* const x[] = {"-30", "25"};
  static const char* const y[][3] = {{"-25", "2", "2"}, {"-25", "-2", "2"},    {"25", "2", "-1.5"},
                                     {"25", "2", "2"},  {"-25", "0.4", "4.5"}, {"-25", "2", "-3"}};
  static const char* const p[][2] = {{"0", "0"}, {"-6", "0"}, {"0", "-6"}};
  int naccepted = 0, nrejected = 0;
  for (int i = 0; i < 4 * 2 * 6 * 3; i++) {
    const char* const* k = y[i / 8 % 6];
    const char* const* pressure = p[i / 48];
    const jo_setting set[] = {{"PKX1", x[i / 4 % 2]}, {"PKY1", k[0]},        {"PKY2", k[1]},
                              {"PKY4", k[2]},         {"NOMPRES", "200000"}, {"INFLPRES", "250000"},
                              {"PPX1", pressure[0]},  {"PPX2", "0"},         {"PPY1", pressure[1]},
                              {"PPY2", "0"}};
    // what the sign must be, of K_x and -K_y
    double factor[2] = {i % 4 < 2 ? 1.0 : 1.0 + 0.25 * atof(pressure[0]),
                        i % 4 < 2 ? 1.0 : 1.0 + 0.25 * atof(pressure[1])};
    double cornering = -atof(k[0]) * sin(atof(k[2]) * atan(1.0 / atof(k[1])));
    bool is_right = atof(x[i / 4 % 2]) * factor[0] > 0.0 && cornering * factor[1] > 0.0;
    jo_tyre* tyre = NULL;
    jo_status status = jo_tyre_load(f->ctx, file[i % 4], set, 10, &tyre);
    jo_context_clear(f->ctx);
    if ((status >= 0) != is_right) fail_msg("%s, case %d", file[i % 4], i);
    (is_right ? &naccepted : &nrejected)[0]++;
    if (!is_right) continue;
    double slope[2];
    slopes_of(f, tyre, slope);
    if (!(slope[0] > 0.0 && slope[1] < 0.0)) fail_msg("%s, case %d", file[i % 4], i);
    jo_tyre_destroy(tyre);
  }
  assert_true(naccepted > 20 && nrejected > 40);
}

static void test_every_input_is_used_or_rejected(void** state) {
  fixture* f = *state;
  static const double extreme[] = {0.0,   -1.0,   NAN,    INFINITY, -INFINITY,
                                   1e300, -1e300, 1e-300, -1e-300,  1e10};
  for (int file = 0; file < NFILE; file++) {
    jo_tyre* tyre = NULL;
    assert_ok(f->ctx, jo_tyre_load(f->ctx, files[file], NULL, 0, &tyre));
    for (int vertical = 0; vertical < 2; vertical++) {
      const char* wrt[] = {"all"};
      jo_tyre_options opt = {.vertical = vertical, .wrt = wrt, .nwrt = 1};
      jo_tyre_function* fn = NULL;
      static double out[4096];
      assert_ok(f->ctx, jo_tyre_function_create(f->ctx, tyre, &opt, &fn));
      assert_true(jo_tyre_output_count(fn) < 4096);
      for (int i = 0; i < JO_TYRE_INPUTS; i++) {
        for (size_t v = 0; v < sizeof extreme / sizeof *extreme; v++) {
          double in[JO_TYRE_INPUTS];
          for (int j = 0; j < JO_TYRE_INPUTS; j++) {
            in[j] = jo_tyre_input_default(fn, j);
          }
          in[i] = extreme[v];
          if (!is_honest(f, fn, in, out)) {
            fail_msg("%s: %s = %g", files[file], jo_tyre_input_name(fn, i), extreme[v]);
          }
          // a load that is no number is no lift-off
          if (!isfinite(extreme[v])) assert_true(jo_tyre_evaluate(fn, in, out) < 0);
          jo_context_clear(f->ctx);
        }
      }
      jo_tyre_function_destroy(fn);
    }
    jo_tyre_destroy(tyre);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_every_coefficient_is_used_or_rejected),
      fixture_test(test_scales_do_not_turn_forces_round),
      fixture_test(test_forces_of_accepted_tyres_are_against_slip),
      fixture_test(test_every_input_is_used_or_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
