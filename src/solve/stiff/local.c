// SPDX-License-Identifier: Apache-2.0
// Newton's method on local states, block by block, with a Jacobian of its own in every iteration: flow laws
// change their slopes a thousandfold within one step. Where a full correction does not reduce the residual of
// a block, parts of it are tried.
#include "solve/stiff/local.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

#define MAX_ITERATIONS 40
#define MAX_HALVINGS   12
#define SMALLEST_PIVOT 1e-200

// ---- blocks --------------------------------------------------------------------------------------

static int root_of(int* parent, int i) {
  while (parent[i] != i) {
    i = parent[i] = parent[parent[i]];
  }
  return i;
}

static bool order_blocks(jsolve_local* s, jarena* arena) {
  const jsolve_local_system* l = s->of;
  int n = l->n, *parent = s->pivot;
  for (int i = 0; i < n; i++) {
    parent[i] = i;
  }
  for (int e = 0; e < l->nentry; e++) {
    int a = root_of(parent, l->row[e]), b = root_of(parent, l->col[e]);
    parent[a > b ? a : b] = a > b ? b : a;
  }
  for (int i = 0, at = 0; i < n; i++) {
    if (root_of(parent, i) != i) continue;
    jsolve_local_block* k = &s->block[s->nblock++];
    k->first = at;
    for (int j = i; j < n; j++) {
      if (root_of(parent, j) != i) continue;
      s->place[j] = at;
      s->order[at++] = j;
    }
    k->n = at - k->first;
    k->M = JARENA_ARRAY(arena, (size_t)k->n * (size_t)k->n, double);
    if (!k->M) return false;
  }
  return true;
}

static void place_entries(jsolve_local* s) {
  const jsolve_local_system* l = s->of;
  for (int e = 0; e < l->nentry; e++) {
    int row = s->place[l->row[e]], col = s->place[l->col[e]], k = 0;
    while (row >= s->block[k].first + s->block[k].n) {
      k++;
    }
    s->entry_block[e] = k;
    s->entry_at[e] = (row - s->block[k].first) + (col - s->block[k].first) * s->block[k].n;
  }
}

bool jsolve_local_init(jsolve_local* s, jarena* arena, const jsolve_system* sys) {
  *s = (jsolve_local){.sys = sys, .of = &sys->local};
  const jsolve_local_system* l = s->of;
  s->block = JARENA_ARRAY(arena, l->n, jsolve_local_block);
  s->order = JARENA_ARRAY(arena, l->n, int);
  s->place = JARENA_ARRAY(arena, l->n, int);
  s->entry_at = JARENA_ARRAY(arena, l->nentry, int);
  s->entry_block = JARENA_ARRAY(arena, l->nentry, int);
  s->pivot = JARENA_ARRAY(arena, l->n, int);
  s->at = JARENA_ARRAY(arena, l->n, int);
  s->plain = JARENA_ARRAY(arena, l->n, int);
  s->f = JARENA_ARRAY(arena, l->n, double);
  s->A = JARENA_ARRAY(arena, l->nentry, double);
  s->x = JARENA_ARRAY(arena, l->n, double);
  s->z = JARENA_ARRAY(arena, l->n, double);
  s->c = JARENA_ARRAY(arena, l->n, double);
  s->guess = JARENA_ARRAY(arena, l->n, double);
  if (!s->block || !s->order || !s->place || !s->entry_at || !s->entry_block || !s->pivot ||
      !s->at || !s->plain || !s->f || !s->A || !s->x || !s->z || !s->c || !s->guess ||
      !order_blocks(s, arena)) {
    return false;
  }
  for (int i = 0; i < l->n; i++) {
    s->plain[i] = i;
  }
  place_entries(s);
  return true;
}

// ---- linear equations ------------------------------------------------------------------------------

// LU with row exchanges, in place. A library call would cost more than these few operations.
static bool factor(int n, double* M, int* pivot) {
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(M[i + k * n]) > fabs(M[p + k * n])) p = i;
    }
    pivot[k] = p;
    if (!(fabs(M[p + k * n]) > SMALLEST_PIVOT)) return false;
    for (int j = 0; j < n && p != k; j++) {
      double m = M[k + j * n];
      M[k + j * n] = M[p + j * n];
      M[p + j * n] = m;
    }
    double inverse = 1.0 / M[k + k * n];
    for (int i = k + 1; i < n; i++) {
      M[i + k * n] *= inverse;
    }
    for (int j = k + 1; j < n; j++) {
      double m = M[k + j * n];
      for (int i = k + 1; m != 0.0 && i < n; i++) {
        M[i + j * n] -= M[i + k * n] * m;
      }
    }
  }
  return true;
}

// Unknowns stand at x[at[i]], each with its lanes: what is done to one is done to all.
static void swap(double* x, const int* at, int i, int j, int lanes) {
  for (int l = 0; l < lanes && i != j; l++) {
    double v = x[at[i] + l];
    x[at[i] + l] = x[at[j] + l];
    x[at[j] + l] = v;
  }
}

static void subtract(double* restrict x, double m, const double* restrict y, int lanes) {
  for (int l = 0; m != 0.0 && l < lanes; l++) {
    x[l] -= m * y[l];
  }
}

static void divide(double* x, double m, int lanes) {
  double inverse = 1.0 / m;
  for (int l = 0; l < lanes; l++) {
    x[l] *= inverse;
  }
}

static void solve(int n, const double* M, const int* pivot, const int* at, double* x, int lanes) {
  for (int k = 0; k < n; k++) {
    swap(x, at, k, pivot[k], lanes);
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      subtract(x + at[i], M[i + k * n], x + at[k], lanes);
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    divide(x + at[k], M[k + k * n], lanes);
    for (int i = 0; i < k; i++) {
      subtract(x + at[i], M[i + k * n], x + at[k], lanes);
    }
  }
}

static void solve_transposed(int n, const double* M, const int* pivot, const int* at, double* x,
                             int lanes) {
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < k; i++) {
      subtract(x + at[k], M[i + k * n], x + at[i], lanes);
    }
    divide(x + at[k], M[k + k * n], lanes);
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k + 1; i < n; i++) {
      subtract(x + at[k], M[i + k * n], x + at[i], lanes);
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    swap(x, at, k, pivot[k], lanes);
  }
}

// M = 1 - b A of all blocks from the entries, and its factors.
static jo_status factor_blocks(jsolve_local* s, double b) {
  const jsolve_local_system* l = s->of;
  for (int k = 0; k < s->nblock; k++) {
    jsolve_local_block* q = &s->block[k];
    memset(q->M, 0, (size_t)(q->n * q->n) * sizeof *q->M);
    for (int i = 0; i < q->n; i++) {
      q->M[i + i * q->n] = 1.0;
    }
  }
  for (int e = 0; e < l->nentry; e++) {
    if (!isfinite(s->A[e])) return JO_ERR_NUMERIC;
    s->block[s->entry_block[e]].M[s->entry_at[e]] -= b * s->A[e];
  }
  s->b = b;
  for (int k = 0; k < s->nblock; k++) {
    const jsolve_local_block* q = &s->block[k];
    if (!factor(q->n, q->M, s->pivot + q->first)) return JO_ERR_SINGULAR;
  }
  return JO_OK;
}

jo_status jsolve_local_factor(jsolve_local* s, double t, const double* y, double b) {
  s->of->feed(s->sys->user, t, y);
  s->of->rates(s->sys->user, t, y, s->f, s->A);
  return factor_blocks(s, b);
}

void jsolve_local_solve(jsolve_local* s, bool transposed, double* x, int lanes) {
  for (int i = 0; i < s->of->n; i++) {
    s->at[i] = s->of->state[s->order[i]] * lanes;
  }
  for (int k = 0; k < s->nblock; k++) {
    const jsolve_local_block* q = &s->block[k];
    const int *at = s->at + q->first, *pivot = s->pivot + q->first;
    if (transposed) {
      solve_transposed(q->n, q->M, pivot, at, x, lanes);
    } else {
      solve(q->n, q->M, pivot, at, x, lanes);
    }
  }
}

// ---- stages --------------------------------------------------------------------------------------

// Rates at Y, and r = z̄ + b f - z in the order of blocks, into x; its size in the norm of the weights.
static double look(jsolve_local* s, const jsolve_weights* w, double t, double b, const double* base,
                   const double* Y) {
  const jsolve_local_system* l = s->of;
  double sum = 0.0;
  s->evaluations++;
  l->rates(s->sys->user, t, Y, s->f, s->A);
  for (int i = 0; i < l->n; i++) {
    int at = l->state[i];
    double r = base[at] + b * s->f[i] - Y[at];
    double size = w->use[at] * r / (w->abs_tol[at] + w->rel_tol * fabs(Y[at]));
    s->x[s->place[i]] = r;
    sum += size * size;
  }
  return sum;
}

// Y = z + part x; the size of the whole correction.
static double move(jsolve_local* s, const jsolve_weights* w, double part, const double* z,
                   const double* x, double* Y) {
  const jsolve_local_system* l = s->of;
  double sum = 0.0;
  for (int i = 0; i < l->n; i++) {
    int at = l->state[i];
    double d = x[s->place[i]];
    Y[at] = z[i] + part * d;
    double size = w->use[at] * d / (w->abs_tol[at] + w->rel_tol * fabs(Y[at]));
    sum += size * size;
  }
  return sqrt(sum / l->n);
}

void jsolve_local_begin(jsolve_local* s, const double* y) {
  for (int i = 0; i < s->of->n; i++) {
    s->guess[i] = y[s->of->state[i]];
  }
}

// One correction of Newton's method, from Y; its size in the norm of the weights. JO_ERR_CONVERGENCE: there is none.
static jo_status correct(jsolve_local* s, const jsolve_weights* w, double b, double* Y,
                         double* size) {
  const jsolve_local_system* l = s->of;
  if (factor_blocks(s, b) < 0) return JO_ERR_CONVERGENCE;
  for (int q = 0; q < s->nblock; q++) {
    const jsolve_local_block* p = &s->block[q];
    solve(p->n, p->M, s->pivot + p->first, s->plain, s->x + p->first, 1);
  }
  memcpy(s->c, s->x, (size_t)l->n * sizeof *s->c);
  for (int i = 0; i < l->n; i++) {
    s->z[i] = Y[l->state[i]];
  }
  *size = move(s, w, 1.0, s->z, s->c, Y);
  return isfinite(*size) ? JO_OK : JO_ERR_CONVERGENCE;
}

static void take_solution(jsolve_local* s, double b, const double* base, const double* Y,
                          double* k) {
  for (int i = 0; i < s->of->n; i++) {
    int at = s->of->state[i];
    k[at] = (Y[at] - base[at]) / b;
    s->guess[i] = Y[at];
  }
}

jo_status jsolve_local_stage(jsolve_local* s, const jsolve_weights* weights, double t, double b,
                             const double* base, double accuracy, double* Y, double* k) {
  const jsolve_local_system* l = s->of;
  JASSERT(l->n > 0 && accuracy > 0);
  for (int i = 0; i < l->n; i++) {
    Y[l->state[i]] = s->guess[i];
  }
  l->feed(s->sys->user, t, Y);
  double residual = look(s, weights, t, b, base, Y), last = 0.0, size;
  for (int it = 0; it < MAX_ITERATIONS && isfinite(residual); it++) {
    JO_TRY(correct(s, weights, b, Y, &size));
    // the next correction is this one squared, once they shrink
    double rate = last > 0.0 ? size / last : 1.0, part = 1.0;
    if (size * fmin(rate, 1.0) <= accuracy) {
      take_solution(s, b, base, Y, k);
      return JO_OK;
    }
    double now = look(s, weights, t, b, base, Y);
    for (int i = 0; i < MAX_HALVINGS && !(now < residual); i++) {
      part *= 0.5;
      move(s, weights, part, s->z, s->c, Y);
      now = look(s, weights, t, b, base, Y);
    }
    residual = now;
    last = part == 1.0 ? size : 0.0;
  }
  return JO_ERR_CONVERGENCE;
}
