// SPDX-License-Identifier: Apache-2.0
// Tables as results make them: as text, as JSON and as files, by their style alone.
#include "report/table/build.h"

#include "base/system/file.h"
#include "base/text/text.h"
#include "report/table/put.h"
#include "report/table/save.h"
#include "support/fixture.h"

static const jreport_field mode_fields[] = {
    {"name", .kind = JREPORT_WORDS, .label = "mode", .width = -JREPORT_WIDEST},
    {"frequency", "Hz", .description = "im / 2 pi", .label = "f [Hz]", .width = 8, .digits = 3},
    {"n", .kind = JREPORT_WHOLE},
    {"rigid", .kind = JREPORT_TRUTH, .skip = JREPORT_SKIP_SET},
    {"load", "N", .label = "load", .width = 6, .digits = 1, .as = 'f', .behind = "k"},
    {"remark", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style modes_style = {"modes", "all modes", JREPORT_FIELDS(mode_fields),
                                           .form = JREPORT_ROWS};
static const jreport_field shape_fields[] = {
    {"coordinate", .kind = JREPORT_WORDS},
    {.name = "re"},
    {.name = "im"},
};
static const jo_table_style shape_style = {"shape",
                                           JREPORT_FIELDS(shape_fields),
                                           .form = JREPORT_MAP,
                                           .nkey = 1,
                                           .is_flat = true,
                                           .is_list = true,
                                           .parent = "modes"};
static const jreport_field slope_fields[] = {
    {"of", .kind = JREPORT_WORDS, .width = -4},
    {"by", .kind = JREPORT_WORDS, .width = -2},
    {"value", .width = 5, .digits = 3, .skip = JREPORT_SKIP_ZERO},
};
static const jo_table_style slope_style = {"slopes", "slopes", JREPORT_FIELDS(slope_fields),
                                           .form = JREPORT_MAP, .nkey = 2};
static const jo_table_style curves_style = {"curves", JREPORT_FIELDS(slope_fields),
                                            .form = JREPORT_COLUMNS, .nkey = 2};
static const jo_table_style fact_style = {"fact", JREPORT_FIELDS(slope_fields), .form = JREPORT_ONE,
                                          .is_inline = true};
static const jo_table_style flow_style = {"flow", "flow", JREPORT_FIELDS(slope_fields),
                                          .flows = true};
static const jreport_field curve_fields[] = {
    {"x", "m", .no_json = true, .label = "x mm", .width = 6, .digits = 1, .as = 'f', .scale = 1e3},
    {"toe", "deg", .label = "toe", .width = 4, .digits = 3},
    {"d toe / d k", .group = "toe", .key = "k"},
    {"d toe / d c", .group = "toe", .key = "c"},
    {"camber", "deg", .label = "camber", .width = 6, .digits = 3},
    {"caster", "deg", .label = "caster", .width = 6, .digits = 3},
};
static const jo_table_style panels_style = {"panels", .form = JREPORT_COLUMNS, .panel = 2};

static void put_modes(jreport_builder* b) {
  jreport_begin(b, &modes_style, NULL, 3);
  const char* const name[] = {"bounce \"A\"", "free", "q\u00fcr"};
  const double f[] = {1.25, 0.0, NAN};
  for (int i = 0; i < 3; i++) {
    jreport_say(b, name[i]);
    jreport_put(b, f[i]);
    jreport_put(b, i);
    jreport_put(b, i == 1);
    jreport_put(b, -0.0 * i + 12.34 * i);
    jreport_say(b, i == 0 ? "a, remark" : "");
  }
  jreport_begin(b, &shape_style, NULL, 6);
  for (int i = 0; i < 6; i++) {
    jreport_say(b, i % 2 ? "z" : "x");
    jreport_put(b, i);
    jreport_put(b, 0.5);
  }
}

static void put_slopes(jreport_builder* b, const jo_table_style* style, int n) {
  static const char *const of[] = {"z", "z", "psi"}, *const by[] = {"k", "c", "k"};
  static const double value[] = {0.1, 0.0, INFINITY};
  jreport_begin(b, style, NULL, n);
  for (int i = 0; i < n; i++) {
    jreport_say(b, of[i]);
    jreport_say(b, by[i]);
    jreport_put(b, value[i]);
  }
}

static const jo_tables* make_tables(fixture* f) {
  jreport_builder b = jreport_build(&f->a, 7);
  jreport_add_note(&b, "model", "car");
  jreport_add_note(&b, "t", "a, b");
  put_modes(&b);
  put_slopes(&b, &slope_style, 3);
  put_slopes(&b, &curves_style, 3);
  put_slopes(&b, &fact_style, 1);
  put_slopes(&b, &flow_style, 3);
  static const double row[2][6] = {{0.01, 1, 2, 3, 4, 5}, {-0.02, 6, 7, 8, 9, 10}};
  jreport_begin_columns(&b, &panels_style, "panels", 6, 2);
  for (int i = 0; i < 6; i++) {
    jreport_view(&b, &curve_fields[i], &row[0][i], 6);
  }
  return jreport_built(&b);
}

static void add(void* user, const char* text, size_t n) {
  jtext_write(user, text, n);
}

static void expect(jtext* t, const char* text) {
  assert_false(t->failed);
  assert_string_equal(t->data, text);
  jtext_free(t);
}

// Labels stand as cells do, zero has no sign, what is not known is a dash, widths count characters.
static void test_table_as_text(void** state) {
  fixture* f = *state;
  const jo_tables* all = make_tables(f);
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_print(jo_tables_find(all, "modes"), 80, &(jreport_out){add, &t});
  expect(&t,
         "  mode         f [Hz]   load  \n"
         "  bounce \"A\"     1.25    0.0k a, remark\n"
         "  q\u00fcr               -   24.7k \n");
  jreport_print(jo_tables_find(all, "slopes"), 80, &(jreport_out){add, &t});
  expect(&t, "  z    k    0.1\n  psi  k    inf\n");
}

static void test_table_flows_into_as_many_columns_as_fit(void** state) {
  fixture* f = *state;
  const jo_table* flow = jo_tables_find(make_tables(f), "flow");
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_print(flow, 2 + 13 + 4 + 13, &(jreport_out){add, &t});
  expect(&t, "  z    k    0.1    psi  k    inf\n  z    c      0\n");
  jreport_print(flow, 2 + 13 + 4 + 12, &(jreport_out){add, &t});
  expect(&t, "  z    k    0.1\n  z    c      0\n  psi  k    inf\n");
}

// Columns side by side in panels, each with the first one; of all others nothing is printed.
static void test_table_in_panels(void** state) {
  fixture* f = *state;
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_print(jo_tables_find(make_tables(f), "panels"), 80, &(jreport_out){add, &t});
  expect(&t,
         "    x mm  toe camber\n    10.0    1      4\n   -20.0    6      9\n"
         "\n"
         "    x mm caster\n    10.0      5\n   -20.0     10\n");
}

static const jreport_field size_fields[] = {
    {"name", .kind = JREPORT_WORDS, .width = -2},
    {"load", "N", .key = "value", .width = 4, .digits = 3, .missing = "none"},
    {"rest", .kind = JREPORT_TRUTH, .skip = JREPORT_SKIP_SET},
};

static const jo_table* put_sizes(fixture* f, const jo_table_style* style, const jo_tables** all) {
  static const char* const name[] = {"a", "b", "a", "c", "d", "e"};
  static const double load[] = {1, -7, NAN, 7, 3, -0.0}, rest[] = {0, 0, 0, 0, 1, 0};
  jreport_builder b = jreport_build(&f->a, 1);
  jreport_begin(&b, style, NULL, 6);
  for (int i = 0; i < 6; i++) {
    jreport_say(&b, name[i]);
    jreport_put(&b, load[i]);
    jreport_put(&b, rest[i]);
  }
  *all = jreport_built(&b);
  return (*all)->table;
}

// By size, equal ones in their order; what is left out is counted, rows that are never shown are not.
static void test_table_shows_the_largest_and_says_how_many_are_left(void** state) {
  fixture* f = *state;
  const jo_tables* all;
  const jo_table_style largest = {"sizes", JREPORT_FIELDS(size_fields), .by = 1, .most = 2,
                                  .more = ", with --json"};
  const jo_table_style sorted = {"sizes", .field = size_fields, .nfield = 3, .by = 1};
  const jo_table_style thin = {"sizes", JREPORT_FIELDS(size_fields), .thin = 2};
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_print(put_sizes(f, &largest, &all), 80, &(jreport_out){add, &t});
  expect(&t, "  b    -7\n  c     7\n  ... and 3 more, with --json\n");
  jreport_print(put_sizes(f, &sorted, &all), 80, &(jreport_out){add, &t});
  expect(&t, "  b    -7\n  c     7\n  a     1\n  e     0\n  a  none\n");
  jreport_print(put_sizes(f, &thin, &all), 80, &(jreport_out){add, &t});
  expect(&t, "  a     1\n  c     7\n  e     0\n  (one row in 3 of 6; --json has all)\n");
}

static void test_keys_of_json_are_unique_where_they_must_be(void** state) {
  fixture* f = *state;
  const jo_tables* all;
  const jo_table_style map = {"sizes",   .field = size_fields, .nfield = 2, .form = JREPORT_MAP,
                              .nkey = 1, .is_unique = true};
  const jo_table_style one = {"sizes", .field = size_fields, .nfield = 3, .form = JREPORT_ONE,
                              .is_flat = true};
  jreport_builder b = jreport_build(&f->a, 1);
  jreport_begin(&b, &map, NULL, 3);
  for (int i = 0; i < 3; i++) {
    jreport_say(&b, i == 1 ? "b" : "a");
    jreport_put(&b, i);
  }
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_json(jreport_built(&b), 0, &(jreport_out){add, &t});
  expect(&t, "\n\"sizes\": {\n  \"a\": 0,\n  \"b\": 1\n}");
  put_sizes(f, &one, &all);
  jreport_json(all, 0, &(jreport_out){add, &t});
  expect(&t, "\n\"sizes\": {\"name\": \"a\", \"value\": 1, \"rest\": false}");
}

// What is not a number has a text of its own, where one is given.
static void test_missing_numbers_have_their_text(void** state) {
  fixture* f = *state;
  const jo_tables* all;
  const jo_table_style plain = {"sizes", JREPORT_FIELDS(size_fields)};
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_print(put_sizes(f, &plain, &all), 80, &(jreport_out){add, &t});
  expect(&t, "  a     1\n  b    -7\n  a  none\n  c     7\n  e     0\n");
}

static void test_tables_as_json(void** state) {
  fixture* f = *state;
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_json(make_tables(f), 1, &(jreport_out){add, &t});
  expect(
      &t,
      "\n  \"modes\": [\n"
      "    {\n      \"name\": \"bounce \\\"A\\\"\",\n      \"frequency\": 1.25,\n      \"n\": 0,\n"
      "      \"rigid\": false,\n      \"load\": 0,\n"
      "      \"shape\": {\n        \"x\": [0, 0.5],\n        \"z\": [1, 0.5]\n      }\n    },\n"
      "    {\n      \"name\": \"free\",\n      \"frequency\": 0,\n      \"n\": 1,\n"
      "      \"rigid\": true,\n      \"load\": 12.34,\n"
      "      \"shape\": {\n        \"x\": [2, 0.5],\n        \"z\": [3, 0.5]\n      }\n    },\n"
      "    {\n      \"name\": \"q\u00fcr\",\n      \"frequency\": null,\n      \"n\": 2,\n"
      "      \"rigid\": false,\n      \"load\": 24.68,\n"
      "      \"shape\": {\n        \"x\": [4, 0.5],\n        \"z\": [5, 0.5]\n      }\n    }\n  "
      "],\n"
      "  \"slopes\": {\n    \"z\": {\n      \"k\": 0.10000000000000001,\n      \"c\": 0\n    },\n"
      "    \"psi\": {\n      \"k\": null\n    }\n  },\n"
      "  \"curves\": {\n    \"value\": [0.10000000000000001, 0, null]\n  },\n"
      "  \"of\": \"z\",\n  \"by\": \"k\",\n  \"value\": 0.10000000000000001,\n"
      "  \"panels\": {\n    \"toe\": [1, 6],\n"
      "    \"toe\": {\n      \"k\": [2, 7],\n      \"c\": [3, 8]\n    },\n"
      "    \"camber\": [4, 9],\n    \"caster\": [5, 10]\n  }");
}

static void test_strings_of_json_are_quoted(void** state) {
  fixture* f = *state;
  jtext t;
  jtext_init(&t, f->ctx);
  jreport_out_quoted(&(jreport_out){add, &t}, "a\"\\\n\x7f\xff\u00e9");
  expect(&t, "\"a\\\"\\\\\\u000a\\u007f\\ufffd\u00e9\"");
}

// Texts come first, numbers behind.
static void test_table_with_texts_as_csv(void** state) {
  fixture* f = *state;
  char* text;
  size_t size;
  const char* path = fixture_below(f, "modes.csv");
  assert_ok(f->ctx, jreport_table_save(f->ctx, jo_tables_find(make_tables(f), "modes"), path));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, 1 << 20, &text, &size));
  assert_string_equal(text,
                      "# model: car\n# t: a, b\n"
                      "name,remark,frequency,n,rigid,load\n"
                      ",,Hz,,,N\n"
                      "\"bounce \"\"A\"\"\",\"a, remark\",1.25,0,0,0\n"
                      "free,,0,1,1,12.34\n"
                      "q\u00fcr,,nan,2,0,24.68\n");
  assert_int_equal(jreport_table_save(f->ctx, jo_tables_find(make_tables(f), "modes"), "modes.xls"),
                   JO_ERR_ARGUMENT);
  jo_context_clear(f->ctx);
}

static void test_columns_are_found_by_name(void** state) {
  fixture* f = *state;
  const jo_tables* all = make_tables(f);
  const jo_table* t = jo_tables_find(all, "modes");
  assert_null(jo_tables_find(all, "mode"));
  assert_int_equal(jo_table_column(t, "load"), 4);
  assert_int_equal(jo_table_column(t, "loads"), -1);
  assert_near(jo_table_number(t, "load", 1), 12.34, 0.0);
  assert_true(isnan(jo_table_number(t, "load", 3)));
  assert_true(isnan(jo_table_number(t, "name", 0)));
  assert_string_equal(t->column[1].unit, "Hz");
  assert_string_equal(t->column[0].description, "");
}

static int set_up(void** state) {
  *state = fixture_open();
  return 0;
}

static int tear_down(void** state) {
  fixture_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table_as_text),
      cmocka_unit_test(test_table_flows_into_as_many_columns_as_fit),
      cmocka_unit_test(test_table_in_panels),
      cmocka_unit_test(test_table_shows_the_largest_and_says_how_many_are_left),
      cmocka_unit_test(test_keys_of_json_are_unique_where_they_must_be),
      cmocka_unit_test(test_missing_numbers_have_their_text),
      cmocka_unit_test(test_tables_as_json),
      cmocka_unit_test(test_strings_of_json_are_quoted),
      cmocka_unit_test(test_table_with_texts_as_csv),
      cmocka_unit_test(test_columns_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
