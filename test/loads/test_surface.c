// SPDX-License-Identifier: Apache-2.0
// Stiff events computed again: the same numbers give the same peaks, other numbers those of a run with
// them, and a surface interpolates what integration gives. Files of events read back exactly.
#include "loads/surface.h"

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

static double reconstruct(bench* b, const double* p, int i) {
  const jloads_event* v = &b->r->event[i];
  double window = 1.25 * (v->event.t1 - v->event.t0);
  assert_ok(b->ctx,
            jloads_reconstruct(b->ctx, b->l, p, v->event.t0, v->y0, window, b->peak, b->t_peak));
  return b->peak[v->element];
}

static void test_reconstructed_events_give_their_peaks(void** state) {
  (void)state;
  bench b;
  open_bench(&b);
  assert_true(b.r->nevent > 30);
  for (int i = 0; i < b.r->nevent; i++) {
    const jloads_driver_event* v = &b.r->event[i].event;
    if (fabs(v->peak) < 1000.0) continue;
    // on line in substeps of 0.5 ms, off line of 0.1 ms
    assert_near(reconstruct(&b, NULL, i) / v->peak, 1.0, 0.01);
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
  opt.solve.driver = JLOADS_DRIVER_ADAPTIVE;
  opt.solve.tolerance = 1e-8;
  opt.p = p;
  jloads_result* softer;
  assert_ok(b.ctx, jloads_run(b.ctx, b.l, &opt, &softer));
  int first = 0;
  while (fabs(b.r->event[first].event.peak) < 1000.0) {
    first++;
  }
  const jloads_driver_event* v = &b.r->event[first].event;
  double expected = 0.0;
  for (int i = 0; i < softer->nsample; i++) {
    const double* s = softer->sample + (size_t)i * (size_t)(1 + softer->ne);
    bool inside = s[0] >= v->t0 && s[0] <= v->t0 + 1.25 * (v->t1 - v->t0);
    if (inside && fabs(s[1]) > fabs(expected)) expected = s[1];
  }
  double found = reconstruct(&b, p, first);
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
  int c = b.l->coordinate[0], n = 0;
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reconstructed_events_give_their_peaks),
      cmocka_unit_test(test_redesign_without_a_run),
      cmocka_unit_test(test_surface_interpolates_integration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
