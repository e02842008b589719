// SPDX-License-Identifier: Apache-2.0
// Numbers read back as they were, in every locale; texts grow and remember a failure.
#include "base/text/text.h"

#include <float.h>

#include "support/comma_locale.h"
#include "support/failing_alloc.h"
#include "support/fixture.h"

static uint64_t next_random(uint64_t* s) {
  *s ^= *s << 13;
  *s ^= *s >> 7;
  *s ^= *s << 17;
  return *s;
}

static double from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// What a reader of the literal sees, sign included.
static double read_back(const char* text) {
  bool negative = text[0] == '-';
  size_t n = strlen(text + negative);
  double value = -1;
  assert_int_equal(jtext_scan_number(text + negative, n, &value), n);
  return negative ? -value : value;
}

static void assert_round_trip(double value) {
  char text[JTEXT_NUMBER_SIZE];
  jtext_format_number(text, value);
  double back = read_back(text);
  assert_memory_equal(&back, &value, sizeof value);
  // a floating literal, not an integer one
  assert_true(strchr(text, '.') || strchr(text, 'e'));
  assert_null(strchr(text, ','));
}

static void assert_round_trips(void) {
  const double special[] = {0.0,     -0.0,        1.0,    0.1,     1e22,   1e23,          DBL_MAX,
                            DBL_MIN, DBL_EPSILON, 5e-324, 2.5e-10, 1e-300, 123456789.125, -1.5};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
    assert_round_trip(special[i]);
  }
  uint64_t seed = 20240611;
  for (int i = 0; i < 50000; i++) {
    double value = from_bits(next_random(&seed));
    if (isfinite(value)) assert_round_trip(value);
  }
}

static void test_text_numbers_round_trip(void** state) {
  (void)state;
  assert_round_trips();
}

static void test_text_numbers_ignore_the_locale(void** state) {
  (void)state;
  if (!comma_locale_choose()) skip();
  assert_round_trips();
  comma_locale_leave();
}

static void test_text_numbers_are_short_and_floating(void** state) {
  (void)state;
  const struct {
    double value;
    const char* text;
  } list[] = {{2, "2.0"},       {0.1, "0.1"},      {-3, "-3.0"},
              {1e-10, "1e-10"}, {1e300, "1e+300"}, {0.1 + 0.2, "0.30000000000000004"}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char text[JTEXT_NUMBER_SIZE];
    jtext_format_number(text, list[i].value);
    assert_string_equal(text, list[i].text);
  }
}

static void test_text_numbers_that_are_not_finite_are_expressions(void** state) {
  (void)state;
  char text[JTEXT_NUMBER_SIZE];
  jtext_format_number(text, INFINITY);
  assert_string_equal(text, "(1.0/0.0)");
  jtext_format_number(text, -INFINITY);
  assert_string_equal(text, "(-1.0/0.0)");
  jtext_format_number(text, NAN);
  assert_string_equal(text, "(0.0/0.0)");
}

static void test_text_scan_takes_the_longest_number(void** state) {
  (void)state;
  const struct {
    const char* text;
    size_t used;
    double value;
  } list[] = {{"12", 2, 12},
              {"1.5e3x", 5, 1500},
              {"2.", 2, 2},
              {"2.x", 2, 2},
              {"2.e3", 4, 2000},
              {"2..5", 2, 2},
              {".5", 2, 0.5},
              {".25e1m", 5, 2.5},
              {"0.", 2, 0},
              {"2e", 1, 2},
              {"2e+", 1, 2},
              {"1E-2", 4, 0.01},
              {"0.000", 5, 0},
              {"007.50", 6, 7.5},
              {"1e999", 5, INFINITY},
              {"1e-999", 6, 0},
              {"0e99999999999999999999", 22, 0},
              {"3 4", 1, 3}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = -1;
    assert_int_equal(jtext_scan_number(list[i].text, strlen(list[i].text), &value), list[i].used);
    assert_true(value == list[i].value);
  }
  double value = 7;
  assert_int_equal(jtext_scan_number("", 0, &value), 0);
  assert_int_equal(jtext_scan_number(".", 1, &value), 0);
  assert_int_equal(jtext_scan_number(".e5", 3, &value), 0);
  assert_int_equal(jtext_scan_number("-1", 2, &value), 0);
  assert_true(value == 7);
  assert_int_equal(jtext_scan_number("12345", 2, &value), 2);
  assert_true(value == 12);
}

static void test_text_scan_agrees_with_the_c_library(void** state) {
  (void)state;
  uint64_t seed = 99;
  for (int i = 0; i < 20000; i++) {
    char text[64];
    snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)next_random(&seed) >> (i % 60),
             (unsigned long long)next_random(&seed), (int)(next_random(&seed) % 640) - 330);
    double value = -1;
    assert_int_equal(jtext_scan_number(text, strlen(text), &value), strlen(text));
    assert_true(value == strtod(text, NULL));
  }
}

static void test_text_scan_rounds_correctly_after_many_digits(void** state) {
  (void)state;
  // exactly half way between 1 and its successor: the digit 2000 places on decides
  char text[2100];
  snprintf(text, sizeof text, "1.00000000000000011102230246251565404236316680908203125%0*d1", 1900,
           0);
  double value = 0;
  assert_int_equal(jtext_scan_number(text, strlen(text), &value), strlen(text));
  assert_true(value == 1 + DBL_EPSILON);
  text[strlen(text) - 1] = '0';
  jtext_scan_number(text, strlen(text), &value);
  assert_true(value == 1);
  // 3000 digits before the point, brought back by the exponent
  char long_text[3100];
  snprintf(long_text, sizeof long_text, "1%0*de-3000", 3000, 0);
  jtext_scan_number(long_text, strlen(long_text), &value);
  assert_true(value == 1);
}

static void test_text_grows_piece_by_piece(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jtext t;
  jtext_init(&t, ctx);
  for (int i = 0; i < 1000; i++) {
    jtext_printf(&t, "%d,", i);
    jtext_put(&t, "ab");
    jtext_write(&t, "cdef", 1);
  }
  jtext_printf(&t, "%0*d", 3000, 0);
  jtext_number(&t, 0.5);
  assert_false(t.failed);
  assert_int_equal(t.length, 10 * 5 + 90 * 6 + 900 * 7 + 3000 + 3);
  assert_int_equal(strlen(t.data), t.length);
  assert_memory_equal(t.data, "0,abc1,abc2,abc", 15);
  jtext_clear(&t);
  jtext_put(&t, "new");
  assert_string_equal(t.data, "new");
  jtext_free(&t);
  fixture_close(f);
}

static void test_text_remembers_running_out_of_memory(void** state) {
  (void)state;
  for (long n = 1; n < 5; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
    jtext t;
    jtext_init(&t, ctx);
    for (int i = 0; i < 200; i++) {
      jtext_printf(&t, "%s", "0123456789");
      jtext_put(&t, "ab");
    }
    assert_true(t.failed);
    if (t.data) assert_int_equal(strlen(t.data), t.length);
    jtext_free(&t);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
  }
}

static int distance(const char* a, const char* b) {
  return jtext_distance(a, strlen(a), b, strlen(b));
}

static void test_text_distance_is_a_metric_on_names(void** state) {
  (void)state;
  assert_int_equal(distance("", ""), 0);
  assert_int_equal(distance("Wheel", "wheel"), 0);
  assert_int_equal(distance("wheel", "whel"), 1);
  assert_int_equal(distance("kitten", "sitting"), 3);
  assert_int_equal(distance("", "abc"), 3);
  const char* names[] = {"q", "qd", "wheel_fl", "wheel_fr", "spring", "damper", "springs", ""};
  int n = (int)(sizeof names / sizeof *names);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      assert_int_equal(distance(names[i], names[j]), distance(names[j], names[i]));
      assert_int_equal(distance(names[i], names[j]) == 0, i == j);
      for (int k = 0; k < n; k++) {
        assert_true(distance(names[i], names[k]) <=
                    distance(names[i], names[j]) + distance(names[j], names[k]));
      }
    }
  }
}

static void test_text_distance_takes_long_names(void** state) {
  (void)state;
  char a[500], b[300];
  memset(a, 'a', sizeof a);
  memset(b, 'a', sizeof b);
  assert_int_equal(jtext_distance(a, sizeof a, b, sizeof b), 200);
  assert_int_equal(jtext_distance(a, 3, b, sizeof b), 297);
  assert_int_equal(jtext_distance(a, sizeof a, a, sizeof a), 0);
}

static void test_text_characters_are_utf8_and_show_or_do_not(void** state) {
  (void)state;
  static const struct {
    const char* text;
    size_t length;
    bool shows;
  } c[] = {
      {"a", 1, true},
      {"\xc3\xa9", 2, true},          // e acute
      {"\xe2\x82\xac", 3, true},      // euro
      {"\xf0\x9f\x98\x80", 4, true},  // beyond the first plane
      {"\x1b", 1, false},             // escape
      {"\n", 1, false},
      {"\x7f", 1, false},
      {"\xc2\x9b", 2, false},      // control sequence introducer
      {"\xc2\xa0", 2, true},       // the first behind those
      {"\xe2\x80\xae", 3, false},  // right to left
      {"\xe2\x81\xa7", 3, false},  // isolate
      {"\xe2\x80\xaf", 3, true},   // a narrow blank
      {"\xff", 0, false},
      {"\xc3", 0, false},              // cut off
      {"\xc0\x80", 0, false},          // longer than needed
      {"\xed\xa0\x80", 0, false},      // half of a pair
      {"\xf4\x90\x80\x80", 0, false},  // beyond Unicode
      {"\x9b", 0, false},
  };
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
    bool shows = !c[i].shows;
    assert_int_equal(jtext_character(c[i].text, strlen(c[i].text), &shows), c[i].length);
    assert_int_equal(shows, c[i].shows);
  }
}

static void test_text_flaws_are_found_where_they_are(void** state) {
  (void)state;
  size_t at = 99;
  assert_null(jtext_flaw("a\t\xc3\xa9\r\n", 6, &at));
  assert_null(jtext_flaw("", 0, &at));
  assert_int_equal(at, 99);
  assert_string_equal(jtext_flaw("ab\xff", 3, &at), "not UTF-8 text");
  assert_int_equal(at, 2);
  assert_non_null(jtext_flaw("\xc3\xa9\x1b", 3, &at));
  assert_int_equal(at, 2);
  assert_non_null(jtext_flaw("a\0b", 3, &at));
  assert_int_equal(at, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_numbers_round_trip),
      cmocka_unit_test(test_text_numbers_ignore_the_locale),
      cmocka_unit_test(test_text_numbers_are_short_and_floating),
      cmocka_unit_test(test_text_numbers_that_are_not_finite_are_expressions),
      cmocka_unit_test(test_text_scan_takes_the_longest_number),
      cmocka_unit_test(test_text_scan_agrees_with_the_c_library),
      cmocka_unit_test(test_text_scan_rounds_correctly_after_many_digits),
      cmocka_unit_test(test_text_characters_are_utf8_and_show_or_do_not),
      cmocka_unit_test(test_text_flaws_are_found_where_they_are),
      cmocka_unit_test(test_text_grows_piece_by_piece),
      cmocka_unit_test(test_text_remembers_running_out_of_memory),
      cmocka_unit_test(test_text_distance_is_a_metric_on_names),
      cmocka_unit_test(test_text_distance_takes_long_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
