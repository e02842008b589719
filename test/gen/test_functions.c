// SPDX-License-Identifier: Apache-2.0
// Generated functions are what gen/functions.def says of them, and have the derivatives it names.
#include "gen/functions.h"

#include "support/check.h"
#include "support/rig.h"

static int outputs_of(jgen_fn f) {
  int n = 0;
  while (jgen_fn_about(f)->out[n]) {
    n++;
  }
  return n;
}

static void test_functions_have_names_of_their_own(void** state) {
  (void)state;
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    assert_in_range(outputs_of(f), 1, JGEN_MAX_OUT);
    for (jgen_fn g = 0; g < f; g++) {
      assert_string_not_equal(jgen_fn_about(f)->name, jgen_fn_about(g)->name);
    }
  }
}

static void check_function(const jexpr_fn* fn, const char* name, bool is_there) {
  if (!is_there) {
    assert_null(fn->name);
    return;
  }
  assert_string_equal(fn->name, name);
  assert_non_null(fn->graph);
}

// A part of the list is there where it was asked for, and nothing else is.
static void check_dynamics(const jgen_dynamics* d, bool extra, bool loads, bool derivatives) {
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    const jgen_fn_info* about = jgen_fn_about(f);
    bool is_there = about->part == JGEN_PART_EXTRA     ? extra && f == JGEN_FN_JACOBIAN
                    : about->part == JGEN_PART_LOADS   ? loads
                    : about->part == JGEN_PART_IMPLIED ? derivatives
                                                       : true;
    check_function(&d->fn[f], about->name, is_there);
    if (is_there) assert_int_equal(d->fn[f].nout, outputs_of(f));
    for (int o = 0; is_there && o < d->fn[f].nout; o++) {
      assert_string_equal(d->fn[f].out[o].name, about->out[o]);
    }
    check_function(&d->sens.tangent[f], about->tangent_name,
                   derivatives && is_there && about->tangent != JGEN_RULE_NONE);
    check_function(&d->sens.adjoint[f], about->adjoint_name,
                   derivatives && is_there && about->adjoint != JGEN_RULE_NONE);
  }
}

#define PATH "models/mechanisms/four_bar.yaml"

static int number_of(const char* name) {
  fixture* f = fixture_load(PATH, NULL, 0);
  int number = jmodel_find_number(f->m, name);
  assert_true(number >= 0);
  fixture_close(f);
  return number;
}

static void test_functions_are_made_where_they_are_asked_for(void** state) {
  (void)state;
  int wrt[] = {number_of("m_crank")};
  for (int k = 0; k < 4; k++) {
    jplant_options opt = fixture_interpreted();
    opt.gen.jacobian = k == 1;
    opt.gen.loads = k == 2;
    opt.gen.modes = !opt.gen.loads;
    if (k == 3) {
      opt.gen.wrt = wrt;
      opt.gen.nwrt = 1;
    }
    rig l;
    rig_open(&l, PATH, NULL, 0, &opt);
    check_dynamics(l.plant->dynamics, k == 1, k == 2, k == 3);
    for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
      jgen_fn_part part = jgen_fn_about(f)->part;
      bool is_compiled = part == JGEN_PART_PLANT || (f == JGEN_FN_JACOBIAN && k == 1);
      const jkernel* kernel = l.plant->kernels->of[f];
      assert_int_equal(kernel != NULL, is_compiled);
      if (kernel) assert_string_equal(kernel->name, jgen_fn_about(f)->name);
    }
    rig_close(&l);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_have_names_of_their_own),
      cmocka_unit_test(test_functions_are_made_where_they_are_asked_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
