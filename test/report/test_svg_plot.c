// SPDX-License-Identifier: Apache-2.0
// Plots: every point where its axes put it, gaps where there is nothing to draw, no broken markup.
#include "report/plot/svg_plot.h"

#include "support/fixture.h"

static int occurrences(const char* text, const char* word) {
  int n = 0;
  for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) {
    n++;
  }
  return n;
}

// Centre of the i-th mark.
static void mark(const char* text, int i, double* x, double* y) {
  const char* at = text;
  for (int k = 0; k <= i; k++) {
    at = strstr(at + 1, "<circle");
    assert_non_null(at);
  }
  assert_int_equal(sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", x, y), 2);
}

static jreport_plot plot_of(const jreport_series* series, int n, bool log_x, bool log_y) {
  return (jreport_plot){.title = "a & b < c",
                        .subtitle = "",
                        .x_label = "x",
                        .y_label = "y",
                        .log_x = log_x,
                        .log_y = log_y,
                        .series = series,
                        .nseries = n};
}

static void test_svg_plot_axes_are_linear_or_logarithmic(void** state) {
  (void)state;
  const double x[] = {1.0, 10.0, 100.0}, y[] = {1.0, 2.0, 3.0};
  jreport_series series = {"line", x, y, 3, true};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (int log_x = 0; log_x < 2; log_x++) {
    jtext t;
    jtext_init(&t, ctx);
    jreport_plot plot = plot_of(&series, 1, log_x, false);
    jreport_svg_plot(&t, &plot);
    assert_false(t.failed);
    double u[3], v[3];
    for (int i = 0; i < 3; i++) {
      mark(t.data, i, &u[i], &v[i]);
    }
    // decades are equally far apart, or numbers are; paper's y points down
    assert_near((u[1] - u[0]) / (u[2] - u[0]), log_x ? 0.5 : 9.0 / 99.0, 1e-3);
    assert_near((v[1] - v[0]) / (v[2] - v[0]), 0.5, 1e-3);
    assert_true(v[2] < v[0]);
    assert_int_equal(occurrences(t.data, "<polyline"), 1);
    jtext_free(&t);
  }
  fixture_close(f);
}

static void test_svg_plot_leaves_gaps_and_escapes_text(void** state) {
  (void)state;
  const double x[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, y[] = {1.0, 0.1, 0.0, 2.0, NAN, 5.0};
  jreport_series series[] = {{"gaps", x, y, 6, true}, {"empty", x, y, 0, true}};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jtext t;
  jtext_init(&t, ctx);
  jreport_plot plot = plot_of(series, 2, false, true);
  jreport_svg_plot(&t, &plot);
  // zero has no logarithm and not-a-number no place: three stretches, four marks
  assert_int_equal(occurrences(t.data, "<polyline"), 3);
  assert_int_equal(occurrences(t.data, "<circle"), 4);
  assert_int_equal(occurrences(t.data, "a &amp; b &lt; c"), 2);
  assert_int_equal(occurrences(t.data, "nan"), 0);
  assert_int_equal(occurrences(t.data, "<text"), occurrences(t.data, "</text>"));
  jtext_free(&t);
  fixture_close(f);
}

static jtext drawn(jo_context* ctx, const double* x, const double* y, int n, bool is_log) {
  jtext t;
  jtext_init(&t, ctx);
  jreport_series series = {"line", x, y, n, true};
  jreport_plot plot = plot_of(&series, 1, false, is_log);
  jreport_svg_plot(&t, &plot);
  assert_false(t.failed);
  return t;
}

// Grid lines and labels of one axis stand within the paper, and no two labels are the same.
static void expect_sound(const char* text) {
  const char* label[64];
  int n = 0;
  assert_int_equal(occurrences(text, "nan"), 0);
  assert_int_equal(occurrences(text, "inf"), 0);
  for (const char* at = text; (at = strstr(at + 1, "text-anchor=\"end\"")) != NULL;) {
    assert_true(n < 64);
    label[n++] = strchr(at, '>') + 1;
  }
  assert_in_range(n, 2, 16);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      size_t length = strcspn(label[i], "/");
      assert_false(strcspn(label[k], "/") == length && strncmp(label[i], label[k], length) == 0);
    }
  }
}

static void test_svg_plot_has_axes_for_every_range(void** state) {
  (void)state;
  const double x[] = {0.0, 1.0};
  double ulp = nextafter(9.81, 10.0);
  const double y[][2] = {
      {9.81, ulp},  // a few ulps
      {1.0, 1.0 + 1e-15},
      {1e17, 1e17},  // 0.5 changes nothing
      {1e17, nextafter(1e17, INFINITY)},
      {-1e17, -1e17},
      {1e300, 1e300},
      {-1e300, 1e300},  // differences stay finite
      {1e16, 1e16 + 64},
      {1.0, 1.0 + 1e-11},  // little, and labels tell it
      {0.0, 5e-324},       // denormal
      {5e-324, 5e-324},
      {-5e-324, 1e-310},
      {1e-308, 3e-308},
      {0.0, 0.0},
      {1e6, 1e6},
      {123456.0, 123456.7},
      {-0.25, 7e5},
      {NAN, NAN},
      {INFINITY, -INFINITY},
      {NAN, 4.0},
      {1.0, nextafter(1.0, 0.0)},  // two sides of a decade
      {1e-320, 1e299},
  };
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
    for (int is_log = 0; is_log < 2; is_log++) {
      jtext t = drawn(ctx, x, y[i], 2, is_log);
      expect_sound(t.data);
      for (int k = 0; k < occurrences(t.data, "<circle"); k++) {
        double u, v;
        mark(t.data, k, &u, &v);
        assert_true(u >= 85.9 && u <= 736.1 && v >= 63.9 && v <= 398.1);
      }
      jtext_free(&t);
    }
  }
  fixture_close(f);
}

// Beyond that nothing has a place: a gap, not a picture of it.
static void test_svg_plot_leaves_out_what_is_beyond_all_axes(void** state) {
  (void)state;
  const double x[] = {0.0, 1.0, 2.0}, y[] = {-1.7e308, 3.0, 1.7e308};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jtext t = drawn(ctx, x, y, 3, false);
  expect_sound(t.data);
  assert_int_equal(occurrences(t.data, "<circle"), 1);
  jtext_free(&t);
  fixture_close(f);
}

static void test_svg_plot_nothing_and_no_memory(void** state) {
  (void)state;
  const double x[] = {3.0}, y[] = {3.0};
  jreport_series series = {"one", x, y, 1, true};
  for (long n = 0;; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx;
    if (jo_context_create(&f.allocator, &ctx) < 0) continue;
    jtext t;
    jtext_init(&t, ctx);
    jreport_plot one = plot_of(&series, 1, true, true), none = plot_of(NULL, 0, true, false);
    jreport_svg_plot(&t, &one);
    jreport_svg_plot(&t, &none);
    bool failed = t.failed;
    if (!failed) assert_int_equal(occurrences(t.data, "</svg>"), 2);
    jtext_free(&t);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_svg_plot_axes_are_linear_or_logarithmic),
      cmocka_unit_test(test_svg_plot_leaves_gaps_and_escapes_text),
      cmocka_unit_test(test_svg_plot_has_axes_for_every_range),
      cmocka_unit_test(test_svg_plot_leaves_out_what_is_beyond_all_axes),
      cmocka_unit_test(test_svg_plot_nothing_and_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
