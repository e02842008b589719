// SPDX-License-Identifier: Apache-2.0
// The mechanisms under models/ against their reference data, which no multibody method has made, and
// against the absolute-coordinate oracle.
#include "support/laws.h"

enum { MAX_COLUMN = 12 };

typedef struct reference {
  FILE* file;
  int ncolumn;
  char name[MAX_COLUMN][32];
} reference;

static void open_reference(reference* f, const char* name) {
  char path[128], line[512], *save = NULL;
  snprintf(path, sizeof path, "models/mechanisms/reference/%s.csv", name);
  *f = (reference){.file = fopen(path, "r")};
  assert_non_null(f->file);
  assert_non_null(fgets(line, sizeof line, f->file));
  for (char* w = strtok_r(line, ",\n", &save); w; w = strtok_r(NULL, ",\n", &save)) {
    assert_in_range(f->ncolumn, 0, MAX_COLUMN - 1);
    snprintf(f->name[f->ncolumn++], sizeof f->name[0], "%s", w);
  }
  assert_string_equal(f->name[0], "t");
}

static bool read_row(reference* f, double* x) {
  char line[512], *at = line, *end;
  if (!fgets(line, sizeof line, f->file)) return false;
  for (int i = 0; i < f->ncolumn; i++, at = end + 1) {
    x[i] = strtod(at, &end);
    assert_true(end > at);
  }
  return true;
}

// Ten digits are printed; the error of the integration, grown along the motion, comes on top.
static void compare(const char* name, double tolerance) {
  char path[128];
  snprintf(path, sizeof path, "models/mechanisms/%s.yaml", name);
  rig r;
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  rig_open(&r, path, NULL, 0, &opt);
  reference f;
  open_reference(&f, name);
  double x[MAX_COLUMN];
  int rows = 0;
  for (; read_row(&f, x); rows++) {
    if (x[0] > r.t) rig_integrate(&r, x[0], 1e-12, NULL, NULL);
    for (int i = 1; i < f.ncolumn; i++) {
      assert_near(rig_output(&r, f.name[i]), x[i], tolerance * (1.0 + fabs(x[i])));
    }
  }
  assert_true(rows > 40);
  assert_near(r.t, r.m->simulation.t_end, 1e-9);
  fclose(f.file);
  rig_close(&r);
}

static void test_pendulum_is_the_elliptic_function(void** state) {
  (void)state;
  compare("pendulum", 2e-9);
}

// small differences grow twentyfold
static void test_double_pendulum_is_that_of_the_textbook(void** state) {
  (void)state;
  compare("double_pendulum", 2e-8);
}

static void test_spinning_top_precesses_steadily(void** state) {
  (void)state;
  compare("spinning_top", 2e-9);
}

static void test_four_bar_is_its_closed_form(void** state) {
  (void)state;
  compare("four_bar", 2e-9);
}

// through fifteen changes of the independent coordinate; rates at the end move by 1600 times what a length is off by
static void test_triple_rocker_is_that_of_multipliers(void** state) {
  (void)state;
  compare("triple_rocker", 1e-7);
}

static void test_slider_crank_is_its_closed_form(void** state) {
  (void)state;
  compare("slider_crank", 2e-9);
}

static void test_spatial_four_bar_is_its_closed_form(void** state) {
  (void)state;
  compare("spatial_four_bar", 2e-9);
}

static void test_bricard_is_its_closed_form(void** state) {
  (void)state;
  compare("bricard", 2e-9);
}

static void test_accelerations_are_those_of_the_oracle(void** state) {
  (void)state;
  law_oracle("models/mechanisms/double_pendulum.yaml", 1.0, 3.0, 1e-11);
  law_oracle("models/mechanisms/spinning_top.yaml", 0.4, 3.0, 1e-11);
  law_oracle("models/mechanisms/four_bar.yaml", 0.5, 3.0, 1e-11);
  law_oracle("models/mechanisms/slider_crank.yaml", 0.5, 3.0, 1e-11);
  law_oracle("models/mechanisms/spatial_four_bar.yaml", 0.5, 3.0, 1e-11);
  law_oracle("models/mechanisms/bricard.yaml", 0.3, 3.0, 1e-11);
}

static void test_energy_stays_and_loops_stay_closed(void** state) {
  (void)state;
  static const struct {
    const char* path;
    double t_end;
  } model[] = {
      {"models/mechanisms/pendulum.yaml", 10.0},
      {"models/mechanisms/double_pendulum.yaml", 5.0},
      {"models/mechanisms/spinning_top.yaml", 2.0},
      {"models/mechanisms/four_bar.yaml", 2.0},
      {"models/mechanisms/triple_rocker.yaml", 2.0},
      {"models/mechanisms/slider_crank.yaml", 2.0},
      {"models/mechanisms/spatial_four_bar.yaml", 2.0},
      {"models/mechanisms/bricard.yaml", 10.0},
  };
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    law_run run = law_constant(model[i].path, NULL, 0, "total_energy", model[i].t_end, 1e-11);
    assert_near(run.drift, 0.0, 1e-8);
    assert_near(run.gap, 0.0, 1e-10);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum_is_the_elliptic_function),
      cmocka_unit_test(test_double_pendulum_is_that_of_the_textbook),
      cmocka_unit_test(test_spinning_top_precesses_steadily),
      cmocka_unit_test(test_four_bar_is_its_closed_form),
      cmocka_unit_test(test_triple_rocker_is_that_of_multipliers),
      cmocka_unit_test(test_slider_crank_is_its_closed_form),
      cmocka_unit_test(test_spatial_four_bar_is_its_closed_form),
      cmocka_unit_test(test_bricard_is_its_closed_form),
      cmocka_unit_test(test_accelerations_are_those_of_the_oracle),
      cmocka_unit_test(test_energy_stays_and_loops_stay_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
