// SPDX-License-Identifier: Apache-2.0
// What stands below everything: output files, characters that may be shown, texts of statuses, the version.
#include <sys/stat.h>
#include <unistd.h>

#include "api/objects.h"
#include "base/system/file.h"

static void test_base_output_is_written_whole_where_it_can_be(void** state) {
  fixture* f = *state;
  const char* path = fixture_below(f, "out.txt");
  char* data;
  size_t size;
  assert_ok(f->ctx, jo_output_check(f->ctx, path));
  assert_false(jfile_exists(path));  // asking makes nothing
  assert_ok(f->ctx, jo_output_write(f->ctx, path, "one\0two", 7));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, 100, &data, &size));
  assert_int_equal(size, 7);
  assert_memory_equal(data, "one\0two", 7);
  assert_ok(f->ctx, jo_output_write(f->ctx, path, "", 0));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, 100, &data, &size));
  assert_int_equal(size, 0);
}

static void test_base_output_is_refused_where_it_cannot_be(void** state) {
  fixture* f = *state;
  const char *link = fixture_below(f, "link"), *nowhere = fixture_below(f, "none/out.txt");
  assert_int_equal(symlink("elsewhere", link), 0);
  const char* const path[] = {link, nowhere, fixture_dir(f)};
  for (int i = 0; i < 3; i++) {
    jo_context_clear(f->ctx);
    assert_refused(f->ctx, jo_output_check(f->ctx, path[i]), JO_ERR_FILE, path[i]);
    jo_context_clear(f->ctx);
    assert_refused(f->ctx, jo_output_write(f->ctx, path[i], "x", 1), JO_ERR_FILE, path[i]);
  }
}

static void test_base_characters_are_told_apart(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int bytes;
  } row[] = {{"a", 1},        {"\xc3\xa9", 2}, {"\xe2\x82\xac", 3}, {"\xf0\x9f\x9a\x97", 4},
             {"\x1b[2J", -1}, {"\n", -1},      {"\x7f", -1},        {"\xc2\x9b", -2},
             {"\xff", 0},     {"\xc3", 0},     {"\xc0\xaf", 0},     {"\xed\xa0\x80", 0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    assert_int_equal(jo_text_character(row[i].text), row[i].bytes);
  }
}

static void test_base_statuses_have_texts_of_their_own(void** state) {
  (void)state;
  static const jo_status all[] = {
#define X(name, number, text) name,
      JO_STATUS_LIST(X)
#undef X
  };
  int n = sizeof all / sizeof *all;
  for (int i = 0; i < n; i++) {
    assert_true(*jo_status_text(all[i]));
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(jo_status_text(all[i]), jo_status_text(all[k]));
    }
  }
  int major, minor, patch;
  assert_int_equal(sscanf(jo_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

// Everything said is there, in order; cleared, the context is as new.
static void test_base_context_keeps_what_was_said(void** state) {
  fixture* f = *state;
  static const char text[] =
      "jounce: 1\nbodies: {a: {mass: x}, b: {mass: y}}\njoints: {a: {type: free, child: a}, b: "
      "{type: free, child: b}}\n";
  jo_model* m = NULL;
  assert_true(jo_model_parse(f->ctx, text, sizeof text - 1, "wrong.yaml", NULL, 0, &m) < 0);
  int n = jo_context_diagnostic_count(f->ctx);
  assert_true(n >= 2);
  jo_severity severity;
  assert_string_equal(jo_context_diagnostic(f->ctx, 0, &severity), jo_context_message(f->ctx));
  assert_int_equal(severity, JO_ERROR);
  assert_string_equal(jo_context_diagnostic(f->ctx, n, NULL), "");
  assert_string_equal(jo_context_diagnostic(f->ctx, -1, NULL), "");
  jo_context_clear(f->ctx);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  assert_string_equal(jo_context_message(f->ctx), "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_base_output_is_written_whole_where_it_can_be),
      fixture_test(test_base_output_is_refused_where_it_cannot_be),
      fixture_test(test_base_characters_are_told_apart),
      fixture_test(test_base_statuses_have_texts_of_their_own),
      fixture_test(test_base_context_keeps_what_was_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
