// SPDX-License-Identifier: Apache-2.0
// Pages: every tag is closed, no text of a model becomes markup or script, the same run is the same
// bytes, and running out of memory is noticed.
#include "report/html/html.h"

#include "support/fixture.h"

#define HOSTILE "</script><script>alert(\"1\")</script> & <b>'\n"

// ---- a small run by hand -------------------------------------------------------------------------

enum { NROW = 5, NCOLUMN = 4 };

static jplant_quantity columns[NCOLUMN] = {{"t", "s", "", 2.0},
                                           {"load_a" HOSTILE, HOSTILE, HOSTILE, 3.0},
                                           {"load_b", HOSTILE, "", -1.0},
                                           {HOSTILE, "m", HOSTILE, 16.4182339812}};
static double rows[NROW * NCOLUMN] = {0,   0, 5,   0, 0.5, 1, 3, 1, 1, 2,
                                      NAN, 2, 1.5, 4, 1,   3, 2, 8, 2, 16.4182339812};
static jplant_event run_events[] = {{0.75, HOSTILE, true}};

static jplant_result run_of(jo_context* ctx) {
  return (jplant_result){.ctx = ctx,
                         .model = HOSTILE,
                         .description = HOSTILE,
                         .path = HOSTILE,
                         .sha256 = "00ff",
                         .settings = HOSTILE,
                         .used = {.method = "dopri5", .rel_tol = 1e-9, .t_end = 2.0},
                         .ncolumn = NCOLUMN,
                         .nsensor = 2,
                         .noutput = 2,
                         .nobjective = 1,
                         .column = columns,
                         .nrow = NROW,
                         .row = rows,
                         .nevent = 1,
                         .event = run_events,
                         .is_complete = true,
                         .t_reached = 2.0};
}

static jreport_gradient_row gradient_rows[] = {
    {HOSTILE, HOSTILE, HOSTILE, 2.0, -0.125, 1e-6, -1.5, 0.25, 1},
    {"k", "N/m", "", 0.0, NAN, NAN, NAN, NAN, 0}};
static const jreport_gradient gradient = {2, gradient_rows, HOSTILE};
static double contributions[] = {0.0, 0.25};
static const jreport_event events[] = {{0.75, HOSTILE, true, false, contributions},
                                       {0.75, "stop", false, true, contributions}};

static int body_points[] = {0, 1}, edge[] = {0, 1};
static jscene_replay_body bodies[] = {{.name = "ground"}, {HOSTILE, 2, 1, body_points, edge}};
static jscene_replay_line lines[] = {{HOSTILE, 0, 1, true}};
static jscene_replay_wheel wheels[] = {{HOSTILE, 0.3}};
static double xyz[] = {0, 0, 0, 1, 2, 3, 0.0004, 0, 0, -1.2346, 2, INFINITY};
static double spin[18] = {0, 0, 0.3, 0, 1, 0, 1, 0, 0};
static double heights[] = {0, 0, -0.01, -0.01};

static jscene_replay replay_of(jo_context* ctx) {
  return (jscene_replay){.ctx = ctx,
                         .dt = 0.02,
                         .nframe = 2,
                         .npoint = 2,
                         .nbody = 2,
                         .nline = 1,
                         .nwheel = 1,
                         .follow = 1,
                         .xyz = xyz,
                         .spin = spin,
                         .body = bodies,
                         .line = lines,
                         .wheel = wheels,
                         .road = {2, 2, 0, 0, 1, 1, heights}};
}

static void write_page(jo_context* ctx, jtext* out) {
  jplant_result r = run_of(ctx);
  jscene_replay replay = replay_of(ctx);
  jreport_page page = {&r, &gradient, 2, "direct", 2, events, &replay};
  jreport_html(out, &page);
}

// ---- reading it back -----------------------------------------------------------------------------

static bool is_void(const char* tag, size_t n) {
  return (n == 4 && memcmp(tag, "meta", n) == 0) || (n == 5 && memcmp(tag, "input", n) == 0);
}

static bool is_raw(const char* tag, size_t n) {
  return (n == 6 && memcmp(tag, "script", n) == 0) || (n == 5 && memcmp(tag, "style", n) == 0);
}

// The end of a tag; quotes may hold anything but quotes.
static const char* tag_end(const char* s) {
  bool quoted = false;
  for (; *s && (quoted || *s != '>'); s++) {
    if (*s == '"') quoted = !quoted;
  }
  assert_true(*s == '>');
  return s;
}

typedef struct open_tags {
  const char* tag[64];
  size_t length[64];
  int n, most, scripts;
} open_tags;

// After an opening or closing tag at `s`; what is raw is left at its own end only.
static const char* take_tag(open_tags* k, const char* s) {
  bool closes = s[1] == '/';
  const char *name = s + 1 + closes, *end = tag_end(s);
  size_t n = strcspn(name, " />\n");
  if (closes) {
    assert_true(k->n > 0);
    k->n--;
    assert_int_equal(k->length[k->n], n);
    assert_memory_equal(k->tag[k->n], name, n);
  } else if (s[1] != '!' && !is_void(name, n) && end[-1] != '/') {
    assert_true(k->n < 64);
    k->tag[k->n] = name;
    k->length[k->n++] = n;
    k->scripts += n == 6 && memcmp(name, "script", n) == 0;
    if (is_raw(name, n)) {
      char closing[16];
      snprintf(closing, sizeof closing, "</%.*s", (int)n, name);
      end = strstr(end, closing);
      assert_non_null(end);
      return end;
    }
  }
  return end + 1;
}

static int occurrences(const char* text, const char* word) {
  int n = 0;
  for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) {
    n++;
  }
  return n;
}

// ---- tests ---------------------------------------------------------------------------------------

static void test_html_tags_are_balanced(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jtext t;
  jtext_init(&t, ctx);
  write_page(ctx, &t);
  assert_false(t.failed);
  open_tags k = {0};
  for (const char* s = strchr(t.data, '<'); s; s = strchr(s, '<')) {
    s = take_tag(&k, s);
  }
  assert_int_equal(k.n, 0);
  assert_int_equal(k.scripts, 2);  // data and program: none of the model's
  jtext_free(&t);
  fixture_close(f);
}

static void test_html_escapes_what_models_say(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jtext t;
  jtext_init(&t, ctx);
  write_page(ctx, &t);
  assert_int_equal(occurrences(t.data, "<script>alert"), 0);
  assert_int_equal(occurrences(t.data, "<b>"), 0);
  assert_true(occurrences(t.data, "&lt;script&gt;alert(&quot;1&quot;)") > 8);
  // in the data: body, line and wheel
  assert_int_equal(occurrences(t.data, "\\u003c/script\\u003e\\u003cscript\\u003e"), 3);
  // nothing from elsewhere
  assert_int_equal(occurrences(t.data, "src="), 0);
  assert_int_equal(occurrences(t.data, "href="), 0);
  assert_int_equal(occurrences(t.data, "://"), occurrences(t.data, "http://www.w3.org/2000/svg"));
  jtext_free(&t);
  fixture_close(f);
}

static void test_html_holds_the_numbers(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jtext t, again;
  jtext_init(&t, ctx);
  jtext_init(&again, ctx);
  write_page(ctx, &t);
  write_page(ctx, &again);
  assert_int_equal(t.length, again.length);
  assert_memory_equal(t.data, again.data, t.length);
  assert_non_null(strstr(t.data, "<td class=\"n\">16.41823398</td>"));
  assert_non_null(strstr(t.data, "<td class=\"n\">-1.25000e-01</td>"));
  assert_non_null(strstr(t.data, "<td class=\"n\">-1.50000</td>"));
  assert_non_null(strstr(t.data, "<td class=\"n\">2.50000e-01</td>"));
  // whole millimetres; what is not finite is at zero
  assert_non_null(strstr(t.data, "\"xyz\":[0,0,0,1000,2000,3000,0,0,0,-1235,2000,0]"));
  assert_non_null(strstr(t.data, "\"z\":[0,0,-10,-10]"));
  assert_int_equal(occurrences(t.data, "stroke-dasharray"), 1);  // one plot, one event
  assert_int_equal(occurrences(t.data, "nan"), 0);
  jtext_free(&again);
  jtext_free(&t);
  fixture_close(f);
}

static void test_html_out_of_memory(void** state) {
  (void)state;
  for (long n = 0;; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    bool failed = jo_context_create(&f.allocator, &ctx) < 0;
    if (!failed) {
      jtext t;
      jtext_init(&t, ctx);
      write_page(ctx, &t);
      failed = t.failed;
      jtext_free(&t);
      jo_context_destroy(ctx);
    }
    assert_int_equal(f.live_bytes, 0);
    if (!failed) break;
    assert_true(n < 1000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_html_tags_are_balanced),
      cmocka_unit_test(test_html_escapes_what_models_say),
      cmocka_unit_test(test_html_holds_the_numbers),
      cmocka_unit_test(test_html_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
