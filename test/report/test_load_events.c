// SPDX-License-Identifier: Apache-2.0
// Files of load events read back exactly, settings included; what is broken is told by its line; files of
// version 1 are read.
#include "report/load_events.h"

#include <unistd.h>

#include "support/check.h"

typedef struct bench {
  jo_context* ctx;
  jarena arena;
  char path[64];
} bench;

static int open_bench(void** state) {
  bench* b = calloc(1, sizeof *b);
  *state = b;
  assert_int_equal(jo_context_create(NULL, &b->ctx), JO_OK);
  jarena_init(&b->arena, b->ctx);
  snprintf(b->path, sizeof b->path, "/tmp/jounce_%ld.events", (long)getpid());
  return 0;
}

static int close_bench(void** state) {
  bench* b = *state;
  remove(b->path);
  jarena_free(&b->arena);
  jo_context_destroy(b->ctx);
  free(b);
  return 0;
}

static void write_text(const char* path, const char* text) {
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void test_files_read_back_exactly(void** state) {
  bench* b = *state;
  double y[2][3] = {{1.0 / 3.0, -1e-300, 7.0}, {NAN, 2.5, -INFINITY}};
  const char* const name[] = {"q", "q.rate", "z"};
  jreport_load_event event[] = {{"stop", "slide", 0.1, 0.2, 3.0, -1e5 / 3.0, 0.15, 0, y[0]},
                                {"", "other", 1.0, 1.1, -4.0, NAN, NAN, 5, y[1]}};
  jreport_load_events out = {.model = "a/b.yaml",
                             .sha256 = "abc",
                             .driver = "subcycle",
                             .rate = 200.0,
                             .ny = 3,
                             .n = 2,
                             .state = name,
                             .event = event},
                      in;
  assert_ok(b->ctx, jreport_load_events_write(b->ctx, &out, b->path));
  assert_ok(b->ctx, jreport_load_events_read(b->ctx, &b->arena, b->path, &in));
  assert_string_equal(in.model, out.model);
  assert_string_equal(in.sha256, out.sha256);
  assert_string_equal(in.driver, out.driver);
  assert_true(in.rate == 200.0 && in.ny == 3 && in.n == 2 && in.nset == 0);
  for (int i = 0; i < 2; i++) {
    assert_string_equal(in.event[i].element, event[i].element);
    assert_string_equal(in.event[i].coordinate, event[i].coordinate);
    assert_int_equal(in.event[i].doubt, event[i].doubt);
    assert_memory_equal(&in.event[i].t0, &event[i].t0, sizeof(double));
    assert_true(in.event[i].peak == event[i].peak || (isnan(in.event[i].peak) && i == 1));
    for (int k = 0; k < 3; k++) {
      assert_string_equal(in.state[k], name[k]);
      assert_true(in.event[i].y[k] == y[i][k] || (isnan(in.event[i].y[k]) && isnan(y[i][k])));
    }
  }
}

// ---- settings ------------------------------------------------------------------------------------

static void expect_settings(const jreport_load_events* in, const jmodel_setting* set, int n) {
  assert_int_equal(in->nset, n);
  for (int i = 0; i < n; i++) {
    assert_string_equal(in->set[i].name, set[i].name);
    assert_string_equal(in->set[i].value, set[i].value);
  }
}

static void test_settings_read_back_whatever_is_in_them(void** state) {
  bench* b = *state;
  const jmodel_setting set[] = {{"k", "1"},
                                {"k", "max(1, 2)"},
                                {"m", "1, k=2"},
                                {"a=b", "c=d=e"},
                                {"=", "="},
                                {"a, b", ", "},
                                {"100%", "%3D%"},
                                {" blanks ", "  at both ends  "},
                                {"# set: x", "# settings: y=1"},
                                {"line\nend", "\r\n\t\x01"},
                                {"L\xc3\xa4nge", "\xff not a text"},
                                {"", ""}};
  enum { N = sizeof set / sizeof *set };
  jreport_load_events out = {.model = "", .sha256 = "", .driver = "", .set = set, .nset = N}, in;
  assert_ok(b->ctx, jreport_load_events_write(b->ctx, &out, b->path));
  assert_ok(b->ctx, jreport_load_events_read(b->ctx, &b->arena, b->path, &in));
  expect_settings(&in, set, N);
}

#define COLUMNS "element,coordinate,t0,t1,impulse,peak,t_peak,doubt"

static void test_settings_of_version_1_are_read(void** state) {
  bench* b = *state;
  static const struct {
    const char* text;
    jmodel_setting set[3];
    int n;
  } old[] = {
      {"", {{0}}, 0},
      {"k=1", {{"k", "1"}}, 1},
      {"k=1, bodies.cart.mass=2, P[3].x=-1",
       {{"k", "1"}, {"bodies.cart.mass", "2"}, {"P[3].x", "-1"}},
       3},
      {"k=max(1, 2), m=if(a == 1, b==2, 3)", {{"k", "max(1, 2)"}, {"m", "if(a == 1, b==2, 3)"}}, 2},
  };
  for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
    char text[256];
    jreport_load_events in;
    snprintf(text, sizeof text, "# jounce load events: 1\n# settings: %s\n" COLUMNS "\n",
             old[i].text);
    write_text(b->path, text);
    assert_ok(b->ctx, jreport_load_events_read(b->ctx, &b->arena, b->path, &in));
    expect_settings(&in, old[i].set, old[i].n);
  }
}

// ---- mistakes ------------------------------------------------------------------------------------

#define HEAD "# jounce load events: 2\n# rate: 5\n" COLUMNS ",q\n"

static void test_broken_files_are_told_by_line(void** state) {
  bench* b = *state;
  static const struct {
    const char *text, *expected;
  } bad[] = {{"", ":1: no file of load events"},
             {"hello\n", ":1: no file of load events"},
             {"# jounce load events: 3\n", ":1: no file of load events of version 1 or 2"},
             {"# jounce load events: 1\n# rate: fast\n", ":2: the rate is no number"},
             {"# jounce load events: 1\nelement,t0\n", ":2: columns are missing"},
             {"# jounce load events: 2\n# set: k\n", ":2: a setting has no value"},
             {"# jounce load events: 2\n# set: k=%\n", ":2: a setting has a % without digits"},
             {"# jounce load events: 2\n# set: k=%4\n", ":2: a setting has a % without digits"},
             {"# jounce load events: 2\n# set: %zz=1\n", ":2: a setting has a % without digits"},
             {"# jounce load events: 2\n# set: k=%00\n", ":2: a setting has a % without digits"},
             {HEAD "a,b,1,2,3,4,5,0\n", ":4: a number is missing or wrong"},
             {HEAD "a,b,1,2,3,4,5,0,x\n", ":4: a number is missing or wrong"},
             {HEAD "a,b,1,2,3,4,5,0,1\na,b,1,2,3,4,5,0,1,2\n", ":5: too many cells"},
             {HEAD "a,b,1,2,3,4,5,-1,1\n", ":4: doubt is no small number"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    jreport_load_events in;
    write_text(b->path, bad[i].text);
    assert_int_equal(jreport_load_events_read(b->ctx, &b->arena, b->path, &in), JO_ERR_SYNTAX);
    assert_string_equal(jo_context_message(b->ctx) + strlen(b->path), bad[i].expected);
    jo_context_clear(b->ctx);
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_files_read_back_exactly),
      TEST(test_settings_read_back_whatever_is_in_them),
      TEST(test_settings_of_version_1_are_read),
      TEST(test_broken_files_are_told_by_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
