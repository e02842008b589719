// SPDX-License-Identifier: Apache-2.0
// Reduction by numbers, as docs/theory/dynamics.md eqs. (R2)-(R7) say: dense LU with row pivoting of the
// closure Jacobian, reduced mass matrix, Cholesky.
#include "plant/semi.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- dense linear algebra --------------------------------------------------------------------------

// Not that of solve/algebra/linear.h: this variant is here to be compared by its cost, and with LAPACK one evaluation
// of the buggy takes 9.5 us instead of 5.5. The matrices are small and half of their entries are zero.

// P A = L U in place, row-major; JO_ERR_SINGULAR also where it is not finite.
static jo_status lu_factor(int n, double* A, int* pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    }
    pivot[k] = best;
    if (!(fabs(A[best * n + k]) > 0.0)) return JO_ERR_SINGULAR;
    for (int j = 0; best != k && j < n; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = swap;
    }
    double inverse = 1.0 / A[k * n + k];
    for (int i = k + 1; i < n; i++) {
      double l = A[i * n + k] *= inverse;
      if (l == 0.0) continue;
      for (int j = k + 1; j < n; j++) {
        A[i * n + j] -= l * A[k * n + j];
      }
    }
  }
  return JO_OK;
}

// X = A^-1 X for m columns, row-major n x m.
static void lu_solve(int n, const double* A, const int* pivot, int m, double* X) {
  for (int k = 0; k < n; k++) {
    assert(pivot[k] >= k && pivot[k] < n);
    for (int j = 0; pivot[k] != k && j < m; j++) {
      double swap = X[k * m + j];
      X[k * m + j] = X[pivot[k] * m + j];
      X[pivot[k] * m + j] = swap;
    }
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      double l = A[i * n + k];
      for (int j = 0; l != 0.0 && j < m; j++) {
        X[i * m + j] -= l * X[k * m + j];
      }
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    double inverse = 1.0 / A[k * n + k];
    for (int j = 0; j < m; j++) {
      X[k * m + j] *= inverse;
    }
    for (int i = 0; i < k; i++) {
      double u = A[i * n + k];
      for (int j = 0; u != 0.0 && j < m; j++) {
        X[i * m + j] -= u * X[k * m + j];
      }
    }
  }
}

// A x = b with the lower half of a positive definite A, row-major, destroyed; b becomes x. JO_ERR_SINGULAR
// where it is not.
static jo_status cholesky_solve(int n, double* A, double* b) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) {
        sum -= A[i * n + k] * A[j * n + k];
      }
      if (i == j && !(sum > 0.0)) return JO_ERR_SINGULAR;
      A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      b[i] -= A[i * n + k] * b[k];
    }
    b[i] /= A[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    b[i] /= A[i * n + i];
    for (int k = 0; k < i; k++) {
      b[k] -= A[i * n + k] * b[i];
    }
  }
  return JO_OK;
}

// ---- evaluation ------------------------------------------------------------------------------------

static void call(jplant_semi* s, int k, const double* p, double t, const double* z,
                 double* const* out) {
  const double* in[7] = {p, &t, s->q, s->qd, z, s->x, NULL};
  jkernel_eval(&s->kernels->kernel[k], in, out, s->work[k]);
}

// (R2)  J_v [B | B_d] = -[J_u | J_d]        qd_v = B qd_u + B_d sd
static jo_status velocities(jplant_semi* s) {
  const jgen_partition* part = &s->plant->dynamics->part;
  int nu = part->nu, nv = part->nv, nd = part->nd, nq = s->pieces->nq, nb = nu + nd + 1;
  for (int i = 0; i < s->pieces->J.n; i++) {
    s->J[s->pieces->J.row[i] * nq + s->pieces->J.col[i]] = s->J_entry[i];
  }
  for (int k = 0; k < nv; k++) {
    const double* row = &s->J[k * nq];
    for (int j = 0; j < nv; j++) {
      s->lu[k * nv + j] = row[part->v[j]];
    }
    for (int j = 0; j < nu; j++) {
      s->B[k * nb + j] = -row[part->u[j]];
    }
    for (int j = 0; j < nd; j++) {
      s->B[k * nb + nu + j] = -row[part->d[j]];
    }
    s->B[k * nb + nu + nd] = 0.0;
  }
  JO_TRY(lu_factor(nv, s->lu, s->pivot));
  lu_solve(nv, s->lu, s->pivot, nb, s->B);
  for (int k = 0; k < nv; k++) {
    double sum = 0.0;
    for (int j = 0; j < nu; j++) {
      sum += s->B[k * nb + j] * s->qd[part->u[j]];
    }
    for (int j = 0; j < nd; j++) {
      sum += s->B[k * nb + nu + j] * s->qd[part->d[j]];
    }
    s->qd[part->v[k]] = sum;
  }
  return JO_OK;
}

// (R3)  x_v at x_u = 0: gamma = -J_v^-1 (bias + J_d sdd)
static void known_accelerations(jplant_semi* s, const double* sdd) {
  const jgen_partition* part = &s->plant->dynamics->part;
  int nv = part->nv, nq = s->pieces->nq;
  memset(s->x, 0, (size_t)nq * sizeof *s->x);
  for (int k = 0; k < nv; k++) {
    s->cv[k] = -s->bias[k];
    for (int j = 0; j < part->nd; j++) {
      s->cv[k] -= s->J[k * nq + part->d[j]] * sdd[j];
    }
  }
  lu_solve(nv, s->lu, s->pivot, 1, s->cv);
  for (int k = 0; k < nv; k++) {
    s->x[part->v[k]] = s->cv[k];
  }
  for (int j = 0; j < part->nd; j++) {
    s->x[part->d[j]] = sdd[j];
  }
}

// (R4)  M_r = M_uu + M_uv B + B^T (M_vu + M_vv B), lower half
static void reduced_mass(jplant_semi* s) {
  const jgen_partition* part = &s->plant->dynamics->part;
  int nu = part->nu, nv = part->nv, nq = s->pieces->nq, nb = nu + part->nd + 1;
  for (int k = 0; k < nv; k++) {
    double* W = &s->W[k * nu];
    const double* row = &s->M[part->v[k] * nq];
    for (int j = 0; j < nu; j++) {
      W[j] = row[part->u[j]];
    }
    for (int l = 0; l < nv; l++) {
      double m = row[part->v[l]];
      for (int j = 0; m != 0.0 && j < nu; j++) {
        W[j] += m * s->B[l * nb + j];
      }
    }
  }
  for (int i = 0; i < nu; i++) {
    double* Mr = &s->Mr[i * nu];
    const double* row = &s->M[part->u[i] * nq];
    for (int j = 0; j <= i; j++) {
      Mr[j] = row[part->u[j]];
    }
    for (int k = 0; k < nv; k++) {
      double m = row[part->v[k]], b = s->B[k * nb + i];
      for (int j = 0; j <= i; j++) {
        Mr[j] += m * s->B[k * nb + j] + b * s->W[k * nu + j];
      }
    }
  }
}

// (R5)  c_r = c_u + B^T c_v, with c' = c + M x of the known accelerations
static void reduced_force(jplant_semi* s) {
  const jgen_partition* part = &s->plant->dynamics->part;
  int nu = part->nu, nv = part->nv, nq = s->pieces->nq, nb = nu + part->nd + 1;
  for (int i = 0; i < nq; i++) {
    double sum = s->c[i];
    for (int j = 0; j < nq; j++) {
      sum += s->M[i * nq + j] * s->x[j];
    }
    s->c[i] = sum;
  }
  for (int i = 0; i < nu; i++) {
    s->cr[i] = -s->c[part->u[i]];
  }
  for (int k = 0; k < nv; k++) {
    double c = s->c[part->v[k]];
    for (int i = 0; i < nu; i++) {
      s->cr[i] -= s->B[k * nb + i] * c;
    }
  }
}

static void drive(jplant_semi* s, const double* p, double t, const double* y) {
  const jgen_dynamics* d = s->plant->dynamics;
  int nd = d->part.nd;
  call(s, 0, p, t, y + jgen_first(&d->layout, JGEN_Z),
       (double* const[]){s->drive_rate, s->drive_rate + nd, s->drive_rate + 2 * nd});
}

static void gather(jplant_semi* s, const double* p, double t, const double* y) {
  const jgen_dynamics* d = s->plant->dynamics;
  const jgen_partition* part = &d->part;
  int nd = part->nd;
  jgen_gather(&d->layout, y, s->q, s->qd);
  // velocities that are driven by states may depend on positions
  for (int k = 0; k < (d->drives_by_states ? 2 : 1); k++) {
    drive(s, p, t, y);
    for (int i = 0; i < nd; i++) {
      s->q[part->d[i]] = s->drive_rate[i];
      s->qd[part->d[i]] = s->drive_rate[nd + i];
    }
  }
}

jo_status jplant_semi_accelerations(jplant_semi* s, const double* p, double t, const double* y,
                                    double* qdd) {
  const jgen_dynamics* d = s->plant->dynamics;
  const jgen_partition* part = &d->part;
  const double* z = y + jgen_first(&d->layout, JGEN_Z);
  int nu = part->nu, nq = s->pieces->nq, nb = nu + part->nd + 1;
  gather(s, p, t, y);
  call(s, 1, p, t, z, (double* const[]){s->J_entry, s->h});
  JO_TRY(velocities(s));
  if (d->drives_by_states) drive(s, p, t, y);  // accelerations, of velocities
  call(s, 2, p, t, z, (double* const[]){s->M_entry, s->c, s->bias});
  for (int i = 0; i < s->pieces->M.n; i++) {
    int r = s->pieces->M.row[i], c = s->pieces->M.col[i];
    s->M[r * nq + c] = s->M[c * nq + r] = s->M_entry[i];
  }
  known_accelerations(s, s->drive_rate + 2 * part->nd);
  reduced_mass(s);
  reduced_force(s);
  JO_TRY(cholesky_solve(nu, s->Mr, s->cr));
  // (R7)  x_v = B x_u + gamma
  for (int i = 0; i < nu; i++) {
    s->x[part->u[i]] = s->cr[i];
  }
  for (int k = 0; k < part->nv; k++) {
    for (int i = 0; i < nu; i++) {
      s->x[part->v[k]] += s->B[k * nb + i] * s->cr[i];
    }
  }
  call(s, 3, p, t, z, (double* const[]){qdd});
  return JO_OK;
}

// ---- life ------------------------------------------------------------------------------------------

static bool allocate(jplant_semi* s) {
  jarena* a = &s->arena;
  const jgen_partition* part = &s->plant->dynamics->part;
  int nq = s->pieces->nq, nu = part->nu, nv = part->nv, nd = part->nd;
  struct {
    double** at;
    int n;
  } want[] = {{&s->q, nq},
              {&s->qd, nq},
              {&s->qdd, nq},
              {&s->x, nq},
              {&s->drive_rate, 3 * nd},
              {&s->J_entry, s->pieces->J.n},
              {&s->h, nv},
              {&s->M_entry, s->pieces->M.n},
              {&s->c, nq},
              {&s->bias, nv},
              {&s->J, nv * nq},
              {&s->M, nq * nq},
              {&s->lu, nv * nv},
              {&s->B, nv * (nu + nd + 1)},
              {&s->W, nv * nu},
              {&s->Mr, nu * nu},
              {&s->cv, nv},
              {&s->cr, nu}};
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    *want[i].at = JARENA_ARRAY(a, want[i].n, double);
    if (!*want[i].at) return false;
  }
  for (int k = 0; k < 4; k++) {
    s->work[k] = JARENA_ARRAY(a, s->kernels->kernel[k].work, double);
    if (!s->work[k]) return false;
    jkernel_init_work(&s->kernels->kernel[k], s->work[k]);
  }
  s->pivot = JARENA_ARRAY(a, nv, int);
  return s->pivot != NULL;
}

static jo_status build(jplant_semi* s, const jkernel_options* opt) {
  const jplant* p = s->plant;
  const jgen_dynamics* d = p->dynamics;
  jgen_options gen = {0};
  bool* live = JARENA_ARRAY(&s->arena, p->model->nnumber, bool);
  if (!live) return jerr_memory(s->ctx);
  for (int i = 0; i < d->np; i++) {
    live[d->live[i]] = true;
  }
  gen.live = live;
  JO_TRY(jgen_pieces_build(s->ctx, p->model, &gen, &d->part, &s->pieces));
  const jexpr_fn fn[4] = {s->pieces->drive, s->pieces->closure, s->pieces->tree, s->pieces->finish};
  JO_TRY(jkernel_build(s->ctx, fn, 4, opt, &s->kernels));
  s->drive = &s->kernels->kernel[0];
  s->closure = &s->kernels->kernel[1];
  s->tree = &s->kernels->kernel[2];
  s->finish = &s->kernels->kernel[3];
  return allocate(s) ? JO_OK : jerr_memory(s->ctx);
}

jo_status jplant_semi_create(jo_context* ctx, const jplant* plant, const jkernel_options* opt,
                             jplant_semi** out) {
  *out = NULL;
  jkernel_options defaults = jkernel_options_default();
  jplant_semi* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jplant_semi){.ctx = ctx, .plant = plant};
  jarena_init(&s->arena, ctx);
  jo_status status = build(s, opt ? opt : &defaults);
  if (status < 0) {
    jplant_semi_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jplant_semi_destroy(jplant_semi* s) {
  if (!s) return;
  jkernel_destroy(s->kernels);
  jgen_pieces_destroy(s->pieces);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}
