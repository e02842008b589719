// SPDX-License-Identifier: Apache-2.0
// A = d xdot / d x on the independent states: dependent coordinates follow through d q_v = B d q_u,
// where B comes from the velocities, qd_v = B qd_u + b, which are linear in qd_u.
#include "plant/linearise.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "solve/algebra/linear.h"

#define DIFFERENCE 1e-6   // of a state, relative to its size, at least 1: cube root of rounding
#define NOISE      1e-10  // error of an entry of A, by the largest of its row
#define ZERO \
  1e-5  // part of the largest eigenvalue that rounding can make of a zero, which is double or triple
#define BALANCINGS 8  // sweeps over the states

typedef struct problem {
  const jgen_dynamics* d;
  const jsolve_system* s;
  double t;
  double *y, *f0, *f1;
} problem;

// Where the i-th state of the linear system stands in y.
static int place(const jgen_dynamics* d, int i) {
  return jgen_own(&d->layout, i);
}

static void dependence(problem* b, const double* y, jplant_linear* out) {
  const jgen_dynamics* d = b->d;
  memcpy(b->y, y, (size_t)d->ny * sizeof *y);
  double* rate = b->y + jgen_first(&d->layout, JGEN_QDU);
  int v = jgen_first(&d->layout, JGEN_QV);
  memset(rate, 0, (size_t)out->nu * sizeof *y);
  b->s->rhs(b->s->user, b->t, b->y, b->f0);
  for (int j = 0; j < out->nu && out->nv > 0; j++) {
    rate[j] = 1.0;
    b->s->rhs(b->s->user, b->t, b->y, b->f1);
    rate[j] = 0.0;
    for (int k = 0; k < out->nv; k++) {
      out->B[k * out->nu + j] = b->f1[v + k] - b->f0[v + k];
    }
  }
}

static jo_status by_jacobian(problem* b, jarena* a, const double* y, jplant_linear* out) {
  const jgen_dynamics* d = b->d;
  int ny = d->ny, v = jgen_first(&d->layout, JGEN_QV);
  double* J = JARENA_ARRAY(a, (size_t)ny * (size_t)ny, double);
  if (!J) return jerr_memory(a->ctx);
  b->s->jacobian(b->s->user, b->t, y, J);
  for (int j = 0; j < out->n; j++) {
    for (int i = 0; i < out->n; i++) {
      double sum = J[place(d, i) + place(d, j) * ny];
      for (int k = 0; j < out->nu && k < out->nv; k++) {
        sum += J[place(d, i) + (v + k) * ny] * out->B[k * out->nu + j];
      }
      out->A[i + j * out->n] = sum;
    }
  }
  return JO_OK;
}

static jo_status fail_projection(jo_context* ctx, const problem* b, jo_status status) {
  const char* hint = b->s->projection_hint;
  return jerr_set(ctx, status, "%s: at t = %g s the loops cannot be closed beside the state: %s",
                  b->d->model->path, b->t, hint && *hint ? hint : "no cause is known");
}

static jo_status by_differences(jo_context* ctx, problem* b, const double* y, jplant_linear* out) {
  const jgen_dynamics* d = b->d;
  for (int j = 0; j < out->n; j++) {
    int at = place(d, j);
    double h = DIFFERENCE * fmax(1.0, fabs(y[at]));
    for (int side = 0; side < 2; side++) {
      memcpy(b->y, y, (size_t)d->ny * sizeof *y);
      b->y[at] += side ? -h : h;
      bool moves_loops = b->s->project && j < out->nu;
      jo_status status = moves_loops ? b->s->project(b->s->user, b->t, b->y) : JO_OK;
      if (status < 0) return fail_projection(ctx, b, status);
      b->s->rhs(b->s->user, b->t, b->y, side ? b->f1 : b->f0);
    }
    for (int i = 0; i < out->n; i++) {
      out->A[i + j * out->n] = (b->f0[place(d, i)] - b->f1[place(d, i)]) / (2.0 * h);
    }
  }
  return JO_OK;
}

static jo_status check_finite(jo_context* ctx, const problem* b, const jplant_linear* l) {
  char of[JSOLVE_LABEL], by[JSOLVE_LABEL];
  for (int i = 0; i < l->n * l->n; i++) {
    if (isfinite(l->A[i])) continue;
    const char* const* name = b->s->state_name;
    return jerr_set(
        ctx, JO_ERR_NUMERIC,
        "%s: at t = %g s the rate of %s has no finite derivative with respect to %s; change the "
        "values there, or the start",
        b->d->model->path, b->t, jsolve_label(name, "state", place(b->d, i % l->n), of),
        jsolve_label(name, "state", place(b->d, i / l->n), by));
  }
  return JO_OK;
}

jo_status jplant_linearise(jo_context* ctx, jarena* a, const jgen_dynamics* d,
                           const jsolve_system* s, double t, const double* y, jplant_linear* out) {
  problem b = {.d = d, .s = s, .t = t};
  *out = (jplant_linear){.nu = d->part.nu, .nv = d->part.nv, .n = jgen_own_count(&d->layout)};
  out->nz = out->n - 2 * out->nu;  // but for discrete ones
  out->A = JARENA_ARRAY(a, out->n * out->n, double);
  out->B = JARENA_ARRAY(a, out->nv * out->nu, double);
  b.y = JARENA_ARRAY(a, d->ny, double);
  b.f0 = JARENA_ARRAY(a, d->ny, double);
  b.f1 = JARENA_ARRAY(a, d->ny, double);
  if (!out->A || !out->B || !b.y || !b.f0 || !b.f1) return jerr_memory(ctx);
  dependence(&b, y, out);
  JO_TRY(s->jacobian ? by_jacobian(&b, a, y, out) : by_differences(ctx, &b, y, out));
  return check_finite(ctx, &b, out);
}

// ---- modes -----------------------------------------------------------------------------------------

double jplant_mode_part(const double* v, int n, int i) {
  return hypot(v[i], v[n + i]);
}

// |w^H v|
static double overlap(const jplant_mode* m, int n) {
  const double *v = m->right, *w = m->left;
  double re = 0.0, im = 0.0;
  for (int i = 0; i < n; i++) {
    re += w[i] * v[i] + w[n + i] * v[n + i];
    im += w[i] * v[n + i] - w[n + i] * v[i];
  }
  return hypot(re, im);
}

// Scales d of the states, by which rows and columns of D^-1 A D come out alike: what an error is compared with must not depend on
// units. Those of states that nothing depends on, or that depend on nothing, stay 1.
static void balance(int n, const double* A, double* d) {
  for (int i = 0; i < n; i++) {
    d[i] = 1.0;
  }
  for (int k = 0; k < BALANCINGS * n; k++) {
    int i = k % n;
    double row = 0.0, column = 0.0;
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      row = fmax(row, fabs(A[i + j * n]) * d[j]);
      column = fmax(column, fabs(A[j + i * n]) / d[j]);
    }
    double scale = sqrt(row / column);
    if (row > 0.0 && column > 0.0 && isfinite(scale) && scale > 0.0) d[i] = scale;
  }
}

// What eigenvalues are judged by.
typedef struct scales {
  double *d, *row;  // of the states; largest entry of each row of A D
  double largest;   // eigenvalue
} scales;

// An eigenvalue lambda of A, of right and left eigenvectors v and w, moves with errors E of A by, to first order,
//   (N5)  |d lambda| <= sum_ij |w_i| |E_ij| |v_j| / |w^H v|     |E_ij| = NOISE max_k |A_ik| d_k / d_j
// Zeros of free motions are defective: w^H v vanishes there, and what rounding makes of them is within their error.
static double uncertainty(const jplant_mode* m, int n, const scales* s) {
  double moved = 0.0, along = 0.0;
  for (int i = 0; i < n; i++) {
    moved += jplant_mode_part(m->left, n, i) * NOISE * s->row[i];
    along += jplant_mode_part(m->right, n, i) / s->d[i];
  }
  return moved * along / fmax(overlap(m, n), 1e-300);
}

static void set_number(jplant_mode* m, int n, const scales* s) {
  double size = hypot(m->re, m->im);
  m->frequency = fabs(m->im) / (2.0 * 3.14159265358979323846);
  m->error = uncertainty(m, n, s);
  // others than zero may be defective, too
  m->is_zero = size <= fmin(m->error, ZERO * s->largest);
  m->damping = m->is_zero ? 0.0 : -m->re / size;
}

static jo_status measure(jo_context* ctx, jarena* a, const jplant_linear* l, scales* s) {
  int n = l->n;
  *s = (scales){.d = JARENA_ARRAY(a, n, double), .row = JARENA_ARRAY(a, n, double)};
  if (!s->d || !s->row) return jerr_memory(ctx);
  balance(n, l->A, s->d);
  for (int k = 0; k < n * n; k++) {
    s->row[k % n] = fmax(s->row[k % n], fabs(l->A[k]) * s->d[k / n]);
  }
  return JO_OK;
}

// v, w: real and imaginary part of the eigenvector (w NULL: real). The part of the largest coordinate is
// turned to 1.
static void set_shape(const jgen_dynamics* d, const jplant_linear* l, const double* v,
                      const double* w, jplant_mode* m) {
  int nq = d->model->ncoordinate, top = 0;
  for (int i = 0; i < l->nu; i++) {
    m->shape[d->part.u[i]] = v[i];
    m->turn[d->part.u[i]] = w ? w[i] : 0.0;
  }
  for (int k = 0; k < l->nv; k++) {
    double *re = &m->shape[d->part.v[k]], *im = &m->turn[d->part.v[k]];
    for (int i = 0; i < l->nu; i++) {
      *re += l->B[k * l->nu + i] * v[i];
      *im += w ? l->B[k * l->nu + i] * w[i] : 0.0;
    }
  }
  for (int i = 1; i < nq; i++) {
    // a clear margin, so that rounding does not decide between equals
    double size = hypot(m->shape[i], m->turn[i]);
    if (size > 1.000001 * hypot(m->shape[top], m->turn[top])) top = i;
  }
  double a = nq > 0 ? m->shape[top] : 0.0, b = nq > 0 ? m->turn[top] : 0.0, s = a * a + b * b;
  for (int i = 0; i < nq && s > 0.0; i++) {
    double re = m->shape[i], im = m->turn[i];
    m->shape[i] = (re * a + im * b) / s;
    m->turn[i] = (im * a - re * b) / s;
  }
}

// Column i of eigenvectors as packed, and the next where it is a pair: real parts, then imaginary ones.
static double* unpack(jarena* a, int n, const double* packed, int i, bool pair) {
  double* v = JARENA_ARRAY(a, 2 * n, double);
  if (v) memcpy(v, packed + i * n, (size_t)(pair ? 2 * n : n) * sizeof *v);
  return v;
}

jo_status jplant_modes(jo_context* ctx, jarena* a, const jgen_dynamics* d, jplant_linear* linear,
                       jplant_mode** out, int* n) {
  int size = linear->n, nq = d->model->ncoordinate;
  double* re = JARENA_ARRAY(a, size, double);
  double* im = JARENA_ARRAY(a, size, double);
  double* right = JARENA_ARRAY(a, size * size, double);
  double* left = JARENA_ARRAY(a, size * size, double);
  jplant_mode* mode = JARENA_ARRAY(a, size, jplant_mode);
  if (!re || !im || !right || !left || !mode) return jerr_memory(ctx);
  scales by;
  JO_TRY(measure(ctx, a, linear, &by));
  JO_TRY(jsolve_eigen(ctx, size, linear->A, re, im, right, left));
  for (int i = 0; i < size; i++) {
    by.largest = fmax(by.largest, hypot(re[i], im[i]));
  }
  int count = 0;
  for (int i = 0; i < size; i++) {
    bool pair = im[i] != 0.0 && i + 1 < size;
    jplant_mode* m = &mode[count++];
    *m = (jplant_mode){.re = re[i], .im = fabs(im[i])};
    m->shape = JARENA_ARRAY(a, nq, double);
    m->turn = JARENA_ARRAY(a, nq, double);
    m->right = unpack(a, size, right, i, pair);
    m->left = unpack(a, size, left, i, pair);
    if (!m->shape || !m->turn || !m->right || !m->left) return jerr_memory(ctx);
    set_number(m, size, &by);
    set_shape(d, linear, m->right, pair ? m->right + size : NULL, m);
    i += pair;
  }
  *out = mode;
  *n = count;
  return JO_OK;
}
