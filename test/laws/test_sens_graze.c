// SPDX-License-Identifier: Apache-2.0
// Events that are met slowly. Of test/models/sens_graze.yaml, with t* the event and T the end,
//   dt*/dc = -1/r      d z(T)/dc = 1 + a (T - t*)/r
// which is large and right as long as r is, and means nothing where r is lost in rounding: a displacement of
// 1e-12 would take the event away.
#include <string.h>

#include "support/gradient.h"

static const char* const number[] = {"c"};

static void open_with(double r, gradient* g) {
  char text[32];
  snprintf(text, sizeof text, "%.17g", r);
  jmodel_setting set = {"r", text};
  gradient_open(g, "test/models/sens_graze.yaml", &set, 1, number, 1, JKERNEL_INTERP);
}

static void test_slow_events_have_derivatives(void** state) {
  (void)state;
  static const double rate[] = {1e-1, 1e-2, 1e-3};
  for (int i = 0; i < 3; i++) {
    for (jsens_method method = JSENS_DIRECT; method <= JSENS_ADJOINT; method++) {
      gradient g;
      open_with(rate[i], &g);
      jsens_result* out = gradient_run(&g, method, false);
      // tolerance: a state off by 1e-12 changes the rate by 6 (t - 1) 1e-12/rate^2, at most 1e-6 of it
      assert_near(out->gradient[0], 1.0 + 0.5 / rate[i], 1e-5 / rate[i]);
      jsens_result_destroy(out);
      gradient_close(&g);
    }
  }
}

static void test_events_that_graze_are_told(void** state) {
  (void)state;
  static const double rate[] = {0.0, 1e-12, 1e-9};
  for (int i = 0; i < 3; i++) {
    gradient g;
    open_with(rate[i], &g);
    for (jsens_method method = JSENS_DIRECT; method <= JSENS_ADJOINT; method++) {
      jsens_result* out = NULL;
      g.opt.frozen = false;
      jo_context_clear(g.ctx);
      assert_int_equal(jsens_run(g.ctx, gradient_sens(&g), method, &g.opt, &out), JO_ERR_NUMERIC);
      assert_non_null(strstr(jo_context_message(g.ctx), "only grazes"));
      assert_null(out);
      // held events need no time that moves
      jo_context_clear(g.ctx);
      out = gradient_run(&g, method, true);
      assert_near(out->gradient[0], 1.0, 1e-9);
      jsens_result_destroy(out);
    }
    gradient_close(&g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slow_events_have_derivatives),
                                     cmocka_unit_test(test_events_that_graze_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
