// SPDX-License-Identifier: Apache-2.0
// CSV files: numbers read back exactly, names cannot break the format, no clock shows.
#include "report/format/csv.h"

#include "report/sample.h"
#include "support/failing_alloc.h"

static const char* path;

static char* write_and_read(const jplant_result* r, size_t* size) {
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_ok(ctx, jreport_csv(ctx, r, path));
  fixture_close(f);
  return sample_read(path, size);
}

// The line behind the comments; moves *text past it.
static char* next_line(char** text) {
  char* line = *text;
  char* end = strchr(line, '\n');
  assert_non_null(end);
  *end = 0;
  *text = end + 1;
  return line;
}

static void test_csv_numbers_read_back_exactly(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  size_t size;
  char *text = write_and_read(&s.result, &size), *at = text, *line;
  do {
    line = next_line(&at);
  } while (line[0] == '#');
  assert_string_equal(line, "t,\"a,b\",\"say \"\"x\"\"/y\",psi");
  assert_string_equal(next_line(&at), "s,m/s^2,,m^2/s^3");
  for (int i = 0; i < SAMPLE_ROWS; i++) {
    char* cell = next_line(&at);
    for (int k = 0; k < SAMPLE_COLUMNS; k++) {
      char* end;
      assert_true(same_number(strtod(cell, &end), s.row[i * SAMPLE_COLUMNS + k]));
      assert_true(*end == (k < SAMPLE_COLUMNS - 1 ? ',' : 0));
      cell = end + 1;
    }
  }
  assert_string_equal(at, "");
  free(text);
}

static void test_csv_notes_are_one_comment_line_each(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  size_t size;
  char* text = write_and_read(&s.result, &size);
  const char* const expected[] = {"# model: sample\n",
                                  "# description: two lines, and a comma\n",
                                  "# sha256: 0123\n",
                                  "# settings: k=3, name=\"v\"\n",
                                  "# jounce: " JO_VERSION_STRING "\n",
                                  "# method: dopri5\n",
                                  "# steps: 12\n",
                                  "# objective psi: 0.10000000000000001 m^2/s^3\n",
                                  "# event 0.10000000000000001 s: first line on\n"};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_non_null(strstr(text, expected[i]));
  }
  free(text);
}

// CPU time is all that differs between equal runs; it must not reach the file.
static void test_csv_shows_no_clock(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  size_t na, nb;
  char* a = write_and_read(&s.result, &na);
  s.result.cpu *= 2.0;
  char* b = write_and_read(&s.result, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(a, b, na);
  free(a);
  free(b);
}

static void test_csv_failure_names_the_file_and_leaves_nothing(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jreport_csv(ctx, &s.result, "no/such/folder/a.csv"), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(ctx), "no/such/folder/a.csv"));
  fixture_close(f);
}

static void test_csv_survives_the_end_of_memory(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  for (long n = 1;; n++) {
    failing_alloc memory;
    failing_alloc_init(&memory, n);
    jo_context* ctx;
    assert_int_equal(jo_context_create(&memory.allocator, &ctx), JO_OK);
    jo_status status = jreport_csv(ctx, &s.result, path);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

int main(void) {
  fixture* f = fixture_open();
  path = fixture_below(f, "test.csv");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_csv_numbers_read_back_exactly),
      cmocka_unit_test(test_csv_notes_are_one_comment_line_each),
      cmocka_unit_test(test_csv_shows_no_clock),
      cmocka_unit_test(test_csv_failure_names_the_file_and_leaves_nothing),
      cmocka_unit_test(test_csv_survives_the_end_of_memory),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fixture_close(f);
  return failed;
}
