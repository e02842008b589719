// SPDX-License-Identifier: Apache-2.0
// Stiff events computed again: the same numbers give the same peaks, other numbers those of a run with
// them, and a surface interpolates what integration gives. Files of events read back exactly.
#include "loads/surface.h"

#include <unistd.h>

#include "report/load_events.h"
#include "support/fixture.h"

#define MODEL  "test/models/bouncer.yaml"
#define WINDOW 0.06  // [s]

typedef struct bench {
  fixture* base;
  jo_context* ctx;
  jmodel* m;
  jloads* l;
  jloads_result* r;
  double peak[4], t_peak[4];
} bench;

static void open_bench(bench* b) {
  *b = (bench){0};
  jkernel_options kernel = jkernel_options_default();
  kernel.backend = JKERNEL_INTERP;
  b->base = fixture_load(MODEL, NULL, 0);
  b->ctx = b->base->ctx;
  b->m = b->base->m;
  assert_ok(b->ctx, jloads_create(b->ctx, b->m, &kernel, &b->l));
  assert_int_equal(b->l->ne, 2);
  jloads_options opt = jloads_options_default(b->m);
  opt.solve.step = 1.0 / 200.0;
  assert_ok(b->ctx, jloads_run(b->ctx, b->l, &opt, &b->r));
}

static void close_bench(bench* b) {
  jloads_result_destroy(b->r);
  jloads_destroy(b->l);
  fixture_close(b->base);
}

static double again(bench* b, const double* p, int i) {
  const jloads_event* v = &b->r->event[i];
  double window = 1.25 * (v->event.t1 - v->event.t0);
  assert_ok(b->ctx,
            jloads_reconstruct(b->ctx, b->l, p, v->event.t0, v->y0, window, b->peak, b->t_peak));
  return b->peak[v->element];
}

static void test_events_again_give_their_peaks(void** state) {
  (void)state;
  bench b;
  open_bench(&b);
  assert_true(b.r->nevent > 30);
  for (int i = 0; i < b.r->nevent; i++) {
    const jsolve_load_event* v = &b.r->event[i].event;
    if (fabs(v->peak) < 1000.0) continue;
    // on line in substeps of 0.5 ms, off line of 0.1 ms
    assert_near(again(&b, NULL, i) / v->peak, 1.0, 0.01);
  }
  close_bench(&b);
}

// A softer stop: the first impact is that of a run with it.
static void test_redesign_without_a_run(void** state) {
  (void)state;
  bench b;
  open_bench(&b);
  const jgen_dynamics* d = b.l->plant->dynamics;
  double* p = malloc((size_t)d->np * sizeof *p);
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  for (int i = 0; i < d->np; i++) {
    if (strcmp(b.m->number[d->live[i]].path, "hardness") == 0) p[i] = 40.0;
  }
  jloads_options opt = jloads_options_default(b.m);
  opt.solve.driver = JSOLVE_LOAD_ADAPTIVE;
  opt.solve.tolerance = 1e-8;
  opt.p = p;
  jloads_result* softer;
  assert_ok(b.ctx, jloads_run(b.ctx, b.l, &opt, &softer));
  int first = 0;
  while (fabs(b.r->event[first].event.peak) < 1000.0) {
    first++;
  }
  const jsolve_load_event* v = &b.r->event[first].event;
  double expected = 0.0;
  for (int i = 0; i < softer->nsample; i++) {
    const double* s = softer->sample + (size_t)i * (size_t)(1 + softer->ne);
    bool inside = s[0] >= v->t0 && s[0] <= v->t0 + 1.25 * (v->t1 - v->t0);
    if (inside && fabs(s[1]) > fabs(expected)) expected = s[1];
  }
  double found = again(&b, p, first);
  assert_near(found / expected, 1.0, 0.01);
  assert_true(fabs(found) < 0.95 * fabs(v->peak));
  jloads_result_destroy(softer);
  free(p);
  close_bench(&b);
}

static void test_surface_interpolates_integration(void** state) {
  (void)state;
  bench b;
  open_bench(&b);
  const jgen_dynamics* d = b.l->plant->dynamics;
  int c = jloads_coordinate(b.l, 0), n = 0;
  assert_int_equal(c, 0);
  jloads_surface s = {.coordinate = c, .q = {-0.08, -0.03}, .qd = {-2.5, -0.5}};
  const jloads_event* base = &b.r->event[b.r->nevent / 2];
  assert_ok(b.ctx, jloads_surface_build(b.ctx, b.l, NULL, base->event.t0, base->y0, WINDOW, &s));
  double largest = 0.0;
  for (int i = 0; i < JLOADS_SURFACE_SIDE * JLOADS_SURFACE_SIDE; i++) {
    largest = fmax(largest, fabs(s.peak[i]));
  }
  double* y = malloc((size_t)d->ny * sizeof *y);
  memcpy(y, base->y0, (size_t)d->ny * sizeof *y);
  for (double q = -0.078; q < -0.03; q += 0.0073) {
    for (double qd = -2.45; qd < -0.5; qd += 0.31, n++) {
      y[jgen_first(&d->layout, JGEN_QU)] = q;
      y[jgen_first(&d->layout, JGEN_QDU)] = qd;
      assert_ok(b.ctx,
                jloads_reconstruct(b.ctx, b.l, NULL, base->event.t0, y, WINDOW, b.peak, b.t_peak));
      assert_near(jloads_surface_peak(&s, q, qd, NULL) / largest, b.peak[0] / largest, 0.01);
    }
  }
  assert_true(n > 30);
  free(y);
  close_bench(&b);
}

// ---- files ---------------------------------------------------------------------------------------

static void write_text(const char* path, const char* text) {
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void test_files_read_back_exactly(void** state) {
  (void)state;
  double y[2][3] = {{1.0 / 3.0, -1e-300, 7.0}, {NAN, 2.5, -INFINITY}};
  const char* const name[] = {"q", "q.rate", "z"};
  jreport_load_event event[] = {{"stop", "slide", 0.1, 0.2, 3.0, -1e5 / 3.0, 0.15, 0, y[0]},
                                {"", "other", 1.0, 1.1, -4.0, NAN, NAN, 5, y[1]}};
  jreport_load_events out = {"a/b.yaml", "abc", "k=1, m=max(1, 2)", "subcycle", 200.0, 3, 2,
                             name,       event},
                      in;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  const char* path = fixture_below(f, "x.events");
  assert_ok(ctx, jreport_load_events_write(ctx, &out, path));
  assert_ok(ctx, jreport_load_events_read(ctx, &f->a, path, &in));
  assert_string_equal(in.model, out.model);
  assert_string_equal(in.settings, out.settings);
  assert_string_equal(in.driver, out.driver);
  assert_true(in.rate == 200.0 && in.ny == 3 && in.n == 2);
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
  fixture_close(f);
}

#define HEAD                                                                          \
  "# jounce load events: 1\n# rate: 5\nelement,coordinate,t0,t1,impulse,peak,t_peak," \
  "doubt,q\n"

static void test_broken_files_are_told_by_line(void** state) {
  (void)state;
  static const struct {
    const char *text, *expected;
  } bad[] = {{"", ":1: no file of load events"},
             {"hello\n", ":1: no file of load events"},
             {"# jounce load events: 2\n", ":1: no file of load events of version 1"},
             {"# jounce load events: 1\n# rate: fast\n", ":2: the rate is no number"},
             {"# jounce load events: 1\nelement,t0\n", ":2: columns are missing"},
             {HEAD "a,b,1,2,3,4,5,0\n", ":4: a number is missing or wrong"},
             {HEAD "a,b,1,2,3,4,5,0,x\n", ":4: a number is missing or wrong"},
             {HEAD "a,b,1,2,3,4,5,0,1\na,b,1,2,3,4,5,0,1,2\n", ":5: too many cells"},
             {HEAD "a,b,1,2,3,4,5,-1,1\n", ":4: doubt is no small number"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    const char* path = fixture_below(f, "x.events");
    jreport_load_events in;
    write_text(path, bad[i].text);
    assert_int_equal(jreport_load_events_read(ctx, &f->a, path, &in), JO_ERR_SYNTAX);
    assert_string_equal(jo_context_message(ctx) + strlen(path), bad[i].expected);
    fixture_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_events_again_give_their_peaks),
      cmocka_unit_test(test_redesign_without_a_run),
      cmocka_unit_test(test_surface_interpolates_integration),
      cmocka_unit_test(test_files_read_back_exactly),
      cmocka_unit_test(test_broken_files_are_told_by_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
