// SPDX-License-Identifier: Apache-2.0
#include "support/subject.h"

#include <string.h>

subject subject_open(const char* path, const char* const* name, int n, bool by_all,
                     jsens_setup setup) {
  subject s = {.base = fixture_load(path, NULL, 0), .n = n};
  const jmodel* m = s.base->m;
  s.ctx = s.base->ctx;
  int* every = JARENA_ARRAY(&s.base->a, m->nnumber, int);
  assert_true(every && n <= SUBJECT_NUMBERS);
  for (int i = 0; i < n; i++) {
    s.number[i] = jmodel_find_number(m, name[i]);
    assert_true(s.number[i] >= 0);
  }
  for (int i = 0; i < m->nnumber; i++) {
    every[i] = i;
  }
  setup.wrt = by_all ? every : s.number;
  setup.nwrt = by_all ? m->nnumber : n;
  assert_ok(s.ctx, jsens_create(s.ctx, m, &setup, &s.sens));
  s.opt = jbatch_options_default(s.base->m);
  s.opt.nnumber = n;
  s.opt.gradient = true;
  s.opt.workers = 1;
  s.opt.run.solve.method = JSOLVE_RK4;
  s.opt.run.solve.step = 2e-3;
  return s;
}

void subject_close(subject* s) {
  jsens_destroy(s->sens);
  fixture_close(s->base);
}

double* subject_points(const subject* s, int n) {
  double* x = JARENA_ARRAY(&s->base->a, n * s->n, double);
  assert_non_null(x);
  for (int i = 0; i < n * s->n; i++) {
    double part = 0.9 + 0.2 * ((i * 37) % 101) / 100.0;
    x[i] = s->base->m->number[s->number[i % s->n]].value * part;
  }
  return x;
}

jbatch* subject_make(subject* s) {
  jbatch* b = NULL;
  s->opt.number = s->number;
  assert_ok(s->ctx, jbatch_create(s->ctx, s->sens, &s->opt, &b));
  return b;
}

jbatch* subject_run(subject* s, const double* x, int n) {
  jbatch* b = subject_make(s);
  assert_ok(s->ctx, jbatch_run(b, n, x));
  return b;
}

double* subject_values(const subject* s, const jbatch* b, const double* x) {
  const jgen_dynamics* d = s->sens->plant->dynamics;
  double* p = JARENA_ARRAY(&s->base->a, d->np, double);
  assert_non_null(p);
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  for (int k = 0; k < s->n; k++) {
    p[b->slot[k]] = x[k];
  }
  return p;
}

jsens_result* subject_run_alone(const subject* s, const jbatch* b, const double* x,
                                jsens_method method) {
  jsens_options opt = s->opt.run;
  opt.p = subject_values(s, b, x);
  opt.estimate = false;
  jsens_result* r = NULL;
  assert_ok(s->ctx, jsens_run(s->ctx, s->sens, method, &opt, &r));
  return r;
}

static void assert_same_row(const double* a, int i, const double* b, int k, int n) {
  if (n > 0) assert_memory_equal(a + (int64_t)i * n, b + (int64_t)k * n, (size_t)n * sizeof *a);
}

void assert_same_point(const jbatch* a, int i, const jbatch* b, int k) {
  assert_int_equal(a->nrow, b->nrow);
  assert_same_row(a->value, i, b->value, k, a->nobjective);
  assert_same_row(a->gradient, i, b->gradient, k, a->nobjective * a->nw);
  assert_same_row(a->output, i, b->output, k, a->noutput);
  assert_same_row(a->history, i, b->history, k, a->nrow * a->opt.nhistory);
  assert_int_equal(a->point[i].steps, b->point[k].steps);
  assert_int_equal(a->point[i].events, b->point[k].events);
  assert_int_equal(a->point[i].way, b->point[k].way);
}

void assert_same_subjects(subject* s, subject* other, int n) {
  double* x = subject_points(s, n);
  jbatch *a = subject_run(s, x, n), *b = subject_run(other, x, n);
  for (int i = 0; i < n; i++) {
    assert_same_point(a, i, b, i);
  }
  jbatch_destroy(a);
  jbatch_destroy(b);
}

void assert_all_went(const jbatch* b, jbatch_way way, int left) {
  for (int i = 0; i < b->n; i++) {
    assert_int_equal(b->point[i].status, JO_OK);
    assert_int_equal(b->point[i].left, left);
    assert_int_equal(b->point[i].way, way);
  }
}

void assert_itself(subject* s, int n, int each) {
  double* x = subject_points(s, n);
  s->opt.lanes = 8;
  jbatch* all = subject_run(s, x, n);
  assert_all_went(all, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int lanes = 1; lanes < 8; lanes *= 2) {
    s->opt.lanes = lanes;
    s->opt.workers = lanes;
    jbatch* b = subject_run(s, x, n);
    for (int i = 0; i < n; i++) {
      assert_same_point(b, i, all, i);
    }
    jbatch_destroy(b);
  }
  s->opt.lanes = 8;
  jbatch* alone = subject_make(s);
  for (int i = 0; i < n; i += each) {
    assert_ok(s->ctx, jbatch_run(alone, 1, x + i * s->n));
    assert_same_point(alone, 0, all, i);
  }
  jbatch_destroy(alone);
  jbatch_destroy(all);
}
