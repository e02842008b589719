// SPDX-License-Identifier: Apache-2.0
// A path means one value: setting it while the file is read changes the number of that path and no other, so
// that what is set by --set, by jo_system_set() and by a difference is what derivatives are taken with respect to.
// Asked of every model of the project.
#include <ftw.h>
#include <math.h>
#include <stdio.h>

#include "model/model.h"
#include "support/check.h"

#define MAX_FILES 400
// numbers of a file that are tried, beside those of instances
#define SAMPLES (CHECK_SANITIZED ? 3 : 12)

static const char* file[MAX_FILES];
static int nfile;

static bool ends_in(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && strcmp(text + n - k, end) == 0;
}

static int collect(const char* path, const struct stat* st, int type, struct FTW* where) {
  (void)st, (void)where;
  if (type == FTW_F && ends_in(path, ".yaml") && nfile < MAX_FILES) file[nfile++] = strdup(path);
  return 0;
}

static jmodel* load(const char* path, const jmodel_setting* set, int nset) {
  jo_context* ctx;
  jmodel* m = NULL;
  assert_int_equal(jo_context_create(NULL, &ctx), JO_OK);
  if (jmodel_load(ctx, path, set, nset, &m) < 0) jo_context_destroy(ctx);
  return m;
}

static void close_model(jmodel* m) {
  jo_context* ctx = m->ctx;
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

static void check_unique(const char* path, const jmodel* m) {
  for (int i = 0; i < m->nnumber; i++) {
    int first = jmodel_find_number(m, m->number[i].path);
    if (first != i) fail_msg("%s: two numbers are called '%s'", path, m->number[i].path);
  }
}

// Set number k, called `name`, a little aside. False: the model does not allow it.
static bool check_set_as(const char* path, const jmodel* m, int k, const char* name) {
  double value = m->number[k].value, to = value != 0.0 ? value * (1.0 + 1e-7) : 1e-9;
  char text[40];
  snprintf(text, sizeof text, "%.17g", to);
  jmodel_setting set = {name, text};
  jmodel* n = load(path, &set, 1);
  if (!n) return false;
  assert_int_equal(n->nnumber, m->nnumber);
  for (int i = 0; i < m->nnumber; i++) {
    const jmodel_number *a = &m->number[i], *b = &n->number[i];
    assert_string_equal(a->path, b->path);
    double expected = i == k ? to : a->value;
    if (b->value != expected) {
      fail_msg("%s: setting '%s' to %.17g makes '%s' %.17g instead of %.17g", path, name, to,
               a->path, b->value, expected);
    }
  }
  close_model(n);
  return true;
}

static bool check_set(const char* path, const jmodel* m, int k) {
  return check_set_as(path, m, k, m->number[k].path);
}

// A body without mass, or without moments of inertia, cannot have what --set would give it.
static bool may_be_rejected(const jmodel_number* k) {
  bool is_inertia =
      strstr(k->path, ".mass") || strstr(k->path, ".com.") || strstr(k->path, ".inertia.");
  return k->value == 0.0 && is_inertia;
}

static void check_file(const char* path, int* set) {
  jmodel* m = load(path, NULL, 0);
  if (!m) return;  // made to be included, or bad on purpose
  check_unique(path, m);
  int every = m->nnumber / SAMPLES + 1;
  for (int k = 0; k < m->nnumber; k++) {
    bool is_placed = strncmp(m->number[k].path, "instances.", strlen("instances.")) == 0;
    if (k % every != 0 && !is_placed) continue;
    if (check_set(path, m, k)) {
      (*set)++;
    } else if (!may_be_rejected(&m->number[k])) {
      fail_msg("%s: '%s' cannot be set to about %g", path, m->number[k].path, m->number[k].value);
    }
  }
  close_model(m);
}

static void test_setting_a_path_changes_its_number_alone(void** state) {
  (void)state;
  static const char* const folder[] = {"models", "test/models", "test/model/good"};
  int set = 0;
  for (int i = 0; i < 3; i++) {
    assert_int_equal(nftw(folder[i], collect, 16, FTW_PHYS), 0);
  }
  for (int i = 0; i < nfile; i++) {
    check_file(file[i], &set);
    free((void*)file[i]);
  }
  assert_true(set > 80 * SAMPLES);
}

// What --set takes since the file is written so, derivatives take, too, and it is the same value.
static void test_a_path_as_the_file_is_written_is_that_of_its_number(void** state) {
  (void)state;
  static const char full[] = "test/model/good/full.yaml", tyre[] = "test/model/good/tyre_file.yaml";
  static const struct {
    const char *file, *written, *path;
  } cases[] = {
      {full, "parameters.k", "k"},
      {full, "parameters.g.value", "g"},
      {full, "g.value", "g"},
      {full, "bodies.chassis.com[2]", "bodies.chassis.com.z"},
      {full, "bodies.slider.inertia[5]", "bodies.slider.inertia.yz"},
      {tyre, "tyres.w.scale.LMUX", "tyres.w.LMUX"},
      {tyre, "tyres.w.coefficients.PKY1", "tyres.w.PKY1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    jmodel* m = load(cases[i].file, NULL, 0);
    assert_non_null(m);
    int k = jmodel_find_number(m, cases[i].path);
    assert_true(k >= 0);
    assert_int_equal(jmodel_find_number(m, cases[i].written), k);
    assert_true(check_set_as(cases[i].file, m, k, cases[i].written));
    close_model(m);
  }
}

static void test_other_paths_are_none(void** state) {
  (void)state;
  static const char* const none[] = {"parameters.bodies.arm.mass",
                                     "bodies.chassis.com[3]",
                                     "bodies.chassis.com[]",
                                     "parameters.",
                                     ".value",
                                     "[0]"};
  jmodel* m = load("test/model/good/full.yaml", NULL, 0);
  assert_non_null(m);
  for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
    assert_int_equal(jmodel_find_number(m, none[i]), -1);
  }
  close_model(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_setting_a_path_changes_its_number_alone),
      cmocka_unit_test(test_a_path_as_the_file_is_written_is_that_of_its_number),
      cmocka_unit_test(test_other_paths_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
