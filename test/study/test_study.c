// SPDX-License-Identifier: Apache-2.0
// Studies as programs use them: parts before and after a run, stopping, running again, files.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/file.h"
#include "jounce/jounce.h"
#include "support/fixture.h"

#define STUDY "test/study/quarter_car.yaml"

static jo_study* load(fixture* f) {
  jo_study* s = NULL;
  assert_ok(f->ctx, jo_study_load(f->ctx, STUDY, NULL, 0, &s));
  return s;
}

// All numbers of a table, in order; `count` goes on.
static double sum_of(const jo_table* t, int* count) {
  double sum = 0.0;
  for (int m = 0; m < t->ncolumn; m++) {
    const jo_column* c = &t->column[m];
    assert_true((c->value != NULL) != (c->text != NULL));
    for (int row = 0; c->value && row < t->nrow; row++) {
      sum += (isfinite(c->value[row]) ? c->value[row] : 1.0) * (1.0 + 1e-3 * (*count)++);
    }
  }
  return sum;
}

// All numbers of all parts.
static double digest(const jo_study* s) {
  double sum = 0.0;
  int n = 0;
  jo_study_part p;
  for (int i = 0; jo_study_part_at(s, i, &p) >= 0; i++) {
    const jo_tables* all = jo_study_tables(s, i);
    assert_int_equal(all ? all->ntable : 0, p.tables);
    for (int k = 0; k < p.tables; k++) {
      sum += sum_of(&all->table[k], &n);
    }
  }
  return sum;
}

static void test_study_has_its_parts_before_it_is_run(void** state) {
  static const char* const kind[] = {"histories", "range",  "trajectories", "differences",
                                     "ranking",   "values", "response",     "surface"};
  jo_study* s = load(*state);
  jo_study_part p;
  assert_string_equal(jo_study_name(s), "quarter car");
  assert_string_equal(jo_model_name(jo_study_model(s)), "sweep_quarter_car");
  assert_int_equal(jo_study_part_count(s), 8);
  for (int i = 0; i < 8; i++) {
    assert_int_equal(jo_study_part_at(s, i, &p), JO_OK);
    assert_string_equal(p.kind, kind[i]);
    assert_true(*p.title && p.tables == 0 && p.figures == 0);
  }
  assert_int_equal(jo_study_part_at(s, 8, &p), JO_ERR_ARGUMENT);
  jo_study_destroy(s);
}

typedef struct counter {
  int calls, stop_at;
  double last;
} counter;

static int count(void* user, double fraction) {
  counter* c = user;
  assert_true(fraction >= c->last - 1e-12 && fraction <= 1.0);
  c->last = fraction;
  return ++c->calls != c->stop_at;
}

static void test_study_stops_and_runs_again(void** state) {
  fixture* f = *state;
  jo_study* s = load(f);
  counter c = {0};
  jo_study_options opt = {.interpreter = 1, .progress = count, .user = &c};
  assert_ok(f->ctx, jo_study_run(f->ctx, s, &opt));
  double whole = digest(s);
  int calls = c.calls;
  assert_true(calls > 20 && whole != 0.0);
  jo_study_part p;
  // places all over the study: what is stopped has nothing to show
  for (int i = 0; i < 12; i++) {
    c = (counter){.stop_at = 1 + i * calls / 13};
    assert_int_equal(jo_study_run(f->ctx, s, &opt), JO_ERR_LIMIT);
    assert_true(c.calls <= c.stop_at + 1);
    assert_int_equal(jo_study_part_at(s, 0, &p), JO_OK);
    assert_int_equal(p.tables + p.figures, 0);
    jo_context_clear(f->ctx);
  }
  c = (counter){0};
  assert_ok(f->ctx, jo_study_run(f->ctx, s, &opt));
  assert_true(digest(s) == whole);
  jo_study_destroy(s);
}

static void test_study_compiled_is_the_interpreted_one(void** state) {
  fixture* f = *state;
  jo_study* s = load(f);
  jo_study_options slow = {.interpreter = 1};
  assert_ok(f->ctx, jo_study_run(f->ctx, s, &slow));
  double one = digest(s);
  assert_ok(f->ctx, jo_study_run(f->ctx, s, NULL));
  // differences of runs have the noise of their rounding: 1e-12 of increments of 1e-12
  assert_true(fabs(digest(s) / one - 1.0) < 1e-3);
  jo_study_destroy(s);
}

static void test_study_writes_files_whole_or_not(void** state) {
  fixture* f = *state;
  jo_study* s = load(f);
  jo_study_options slow = {.interpreter = 1};
  assert_ok(f->ctx, jo_study_run(f->ctx, s, &slow));
  const char *page = fixture_below(f, "page.html"), *figure = fixture_below(f, "figure.svg");
  assert_ok(f->ctx, jo_study_save(f->ctx, s, page));
  assert_ok(f->ctx, jo_study_figure_save(f->ctx, s, 1, 3, figure));
  assert_true(jfile_exists(page) && jfile_exists(figure));
  assert_int_equal(jo_study_figure_save(f->ctx, s, 1, 4, figure), JO_ERR_ARGUMENT);
  jo_context_clear(f->ctx);
  assert_int_equal(jo_study_save(f->ctx, s, fixture_below(f, "none/page.html")), JO_ERR_FILE);
  jo_study_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_study_has_its_parts_before_it_is_run),
      fixture_test(test_study_stops_and_runs_again),
      fixture_test(test_study_compiled_is_the_interpreted_one),
      fixture_test(test_study_writes_files_whole_or_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
