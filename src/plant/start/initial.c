// SPDX-License-Identifier: Apache-2.0
// Sensitivity of the assembly. With r(q, p) = 0 its equations and R(q, qd, p) = 0 those of the
// velocities, docs/theory/sensitivity.md eq. (S9):
//   A dq = -(r_s ds + r_p dp)      A dqd = -(R_q dq + R_p dp)
// A = dr/dq by the coordinates that move; those that stay go with their guesses, those that rest not
// at all.
#include "plant/start/initial.h"

#include <math.h>
#include <string.h>

#include "expr/tape/tape.h"
#include "plant/start/directions.h"
#include "solve/algebra/linear.h"

#define RANK_TOLERANCE 1e-12

// A of the coordinates that move, or of their rates.
typedef struct matrix {
  const bool* fixed;  // that do not
  int n;
  double* A;  // nr x n
} matrix;

typedef struct problem {
  const jplant* plant;
  const jmodel* m;
  const jgen_position* p;
  const double* values;  // of the live numbers
  double t;
  const jmachine_assembly* at;
  jplant_directions along;
  matrix position, velocity;
  double *A, *B, *X;  // of least squares, a side for each lane
  int nr;
  jplant_unmet unmet[JPLANT_LANES];
} problem;

static bool is_fixed(const problem* b, const bool* fixed, int coordinate) {
  return b->m->coordinate[coordinate].is_driven || fixed[coordinate];
}

// Rows of quantities without the given value are zero.
static void fill_matrix(const problem* b, bool rates, const double* J, const double* Jq,
                        matrix* out) {
  int nh = b->p->nh, ni = b->p->ninitial;
  for (int c = 0; c < b->p->nq; c++) {
    if (is_fixed(b, out->fixed, c)) continue;
    for (int i = 0; i < b->nr; i++) {
      const jmodel_initial* q = i < nh ? NULL : &b->m->initial[i - nh];
      bool given = !q || (rates ? q->has_rate : q->has_value);
      out->A[i + out->n * b->nr] = !given ? 0.0 : i < nh ? J[i + c * nh] : Jq[i - nh + c * ni];
    }
    out->n++;
  }
}

// Both by one pass over the equations' Jacobians; there is no position where nothing stays.
static jo_status fill_matrices(jo_context* ctx, jarena* a, problem* b) {
  const jgen_position* p = b->p;
  int nh = p->nh, ni = p->ninitial, nq = p->nq;
  double *closure_work, *initial_work;
  JO_TRY(jexpr_tape_make_work(ctx, a, &p->tapes.closure, &closure_work));
  JO_TRY(jexpr_tape_make_work(ctx, a, &p->tapes.initial, &initial_work));
  double* h = JARENA_ARRAY(a, nh, double);
  double* J = JARENA_ARRAY(a, nh * nq, double);
  double* v = JARENA_ARRAY(a, 3 * ni + nq, double);
  double* Jq = JARENA_ARRAY(a, ni * nq, double);
  if (!h || !J || !v || !Jq) return jerr_memory(ctx);
  const double* in[8] = {b->values, &b->t, b->at->q};
  jexpr_tape_eval(&p->tapes.closure, 1, in, (double* const[]){h, J}, closure_work);
  jexpr_tape_eval(&p->tapes.initial, 1, in,
                  (double* const[]){v, v + ni, v + 2 * ni, Jq, v + 3 * ni}, initial_work);
  b->position.fixed = b->at->stays;
  b->velocity.fixed = b->at->rests;
  if (b->position.fixed) fill_matrix(b, false, J, Jq, &b->position);
  fill_matrix(b, true, J, Jq, &b->velocity);
  return JO_OK;
}

static jo_status begin(jo_context* ctx, jarena* a, problem* b, int nw) {
  int nq = b->p->nq;
  double** array[] = {&b->position.A, &b->velocity.A, &b->A, &b->B, &b->X};
  int size[] = {b->nr * nq, b->nr * nq, b->nr * nq, b->nr * JPLANT_LANES, nq * JPLANT_LANES};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  JO_TRY(jplant_directions_begin(ctx, a, b->plant, b->values, nw, b->t, &b->along));
  jplant_directions_place(&b->along, b->at->q, b->at->qd);
  // whether the position is singular shows with any number
  if (nw > 0) b->along.is_used[0] = true;
  return fill_matrices(ctx, a, b);
}

// The largest of residuals in a lane, and its row.
static int worst_of(const problem* b, const double* r, int lane, double* size) {
  int worst = 0;
  *size = 0.0;
  for (int i = 0; i < b->nr; i++) {
    double x = fabs(r[i * JPLANT_LANES + lane]);
    if (!(x > *size)) continue;
    *size = x;
    worst = i;
  }
  return worst;
}

// What is left of r with the solution X: r + A X
static void note_left(problem* b, const matrix* m, int which, double* r) {
  for (int l = 0; l < JPLANT_LANES; l++) {
    const double* x = b->X + l * m->n;
    for (int k = 0; k < m->n; k++) {
      for (int i = 0; i < b->nr; i++) {
        r[i * JPLANT_LANES + l] += m->A[i + k * b->nr] * x[k];
      }
    }
    b->unmet[l].row[which] = worst_of(b, r, l, &b->unmet[l].left[which]);
  }
}

static void note_terms(problem* b) {
  for (int l = 0; l < JPLANT_LANES; l++) {
    worst_of(b, b->along.r1, l, &b->unmet[l].terms[0]);
    worst_of(b, b->along.r2, l, &b->unmet[l].terms[1]);
  }
}

// entries of d that are not fixed, from A d = -r
static jo_status solve(jo_context* ctx, problem* b, const matrix* m, const double* r, double* d) {
  const int nr = b->nr, n = m->n;
  if (nr == 0 || n == 0) return JO_OK;
  memcpy(b->A, m->A, (size_t)(nr * n) * sizeof *b->A);
  for (int i = 0; i < nr * JPLANT_LANES; i++) {
    b->B[i / JPLANT_LANES + i % JPLANT_LANES * nr] = -r[i];
  }
  int rank = jsolve_least_squares_many(ctx, nr, n, b->A, JPLANT_LANES, b->B, RANK_TOLERANCE, b->X);
  if (rank == JO_ERR_MEMORY) return jerr_memory(ctx);
  if (rank < n) {
    return jerr_set(ctx, JO_ERR_SINGULAR,
                    "%s: the start has no derivatives: the loops are assembled in a singular "
                    "position; give other initial conditions or guesses",
                    b->m->path);
  }
  for (int i = 0, k = 0; i < b->p->nq; i++) {
    if (is_fixed(b, m->fixed, i)) continue;
    for (int l = 0; l < JPLANT_LANES; l++) {
      d[i * JPLANT_LANES + l] = b->X[k + l * n];
    }
    k++;
  }
  return JO_OK;
}

static void clear(const problem* b, double* d) {
  memset(d, 0, (size_t)(b->p->nq * JPLANT_LANES) * sizeof *d);
}

// v becomes x; true: it was something else
static bool becomes(double* v, double x) {
  bool is_new = *v != x;
  *v = x;
  return is_new;
}

// True: something moves that did not.
static bool set_driven(const problem* b, const double* driven, double* d) {
  bool any = false;
  for (int i = 0, n = 0; i < b->p->nq; i++) {
    if (!b->m->coordinate[i].is_driven) continue;
    for (int l = 0; l < JPLANT_LANES; l++) {
      any |= becomes(&d[i * JPLANT_LANES + l], driven[n * JPLANT_LANES + l]);
    }
    n++;
  }
  return any;
}

// r with the fixed coordinates moved, then the others
static jo_status move_position(jo_context* ctx, problem* b) {
  const jmachine_assembly* at = b->at;
  jplant_directions* d = &b->along;
  bool any = false;
  clear(b, d->dq);
  clear(b, d->dqd);
  jplant_directions_eval(d);
  for (int i = 0; i < b->p->nq * JPLANT_LANES; i++) {
    if (at->stays[i / JPLANT_LANES] && !at->is_moved) any |= becomes(&d->dq[i], d->dguess[i]);
  }
  note_terms(b);
  any |= set_driven(b, d->ds, d->dq);
  if (any) jplant_directions_eval(d);
  JO_TRY(solve(ctx, b, &b->position, d->r1, d->dq));
  note_left(b, &b->position, 0, d->r1);
  return JO_OK;
}

static jo_status move_velocity(jo_context* ctx, problem* b) {
  jplant_directions* d = &b->along;
  clear(b, d->dqd);
  jplant_directions_eval(d);
  bool any = set_driven(b, d->ds, d->dq);
  any |= set_driven(b, d->dsd, d->dqd);
  if (any) jplant_directions_eval(d);
  JO_TRY(solve(ctx, b, &b->velocity, d->r2, d->dqd));
  note_left(b, &b->velocity, 1, d->r2);
  return JO_OK;
}

static problem set_up(const jplant* p, const double* values, double t,
                      const jmachine_assembly* at) {
  return (problem){.plant = p,
                   .m = p->model,
                   .p = p->position,
                   .values = values ? values : p->position->p,
                   .t = t,
                   .at = at,
                   .nr = p->position->nh + p->position->ninitial};
}

// The next numbers, whose equations they are part of: all others move nothing.
static jo_status move_next(jo_context* ctx, problem* b, double* dq, double* dqd, double* dz,
                           jplant_unmet* unmet) {
  const jplant_directions* d = &b->along;
  int64_t nq = b->p->nq, nz = b->p->nz;
  JO_TRY(move_position(ctx, b));
  JO_TRY(move_velocity(ctx, b));
  for (int l = 0; l < d->n; l++) {
    jplant_directions_get(d->dq, l, (int)nq, dq + d->number[l] * nq);
    jplant_directions_get(d->dqd, l, (int)nq, dqd + d->number[l] * nq);
    jplant_directions_get(d->dz, l, (int)nz, dz + d->number[l] * nz);
    unmet[d->number[l]] = b->unmet[l];
  }
  return JO_OK;
}

jo_status jplant_initial_sensitivity(jo_context* ctx, jarena* a, const jplant* p,
                                     const double* values, int nw, double t,
                                     const jmachine_assembly* at, double* dq, double* dqd,
                                     double* dz, jplant_unmet* unmet) {
  problem b = set_up(p, values, t, at);
  jarena_mark mark = jarena_save(a);
  jo_status status = begin(ctx, a, &b, nw);
  memset(dq, 0, (size_t)nw * (size_t)b.p->nq * sizeof *dq);
  memset(dqd, 0, (size_t)nw * (size_t)b.p->nq * sizeof *dqd);
  memset(dz, 0, (size_t)nw * (size_t)b.p->nz * sizeof *dz);
  memset(unmet, 0, (size_t)nw * sizeof *unmet);
  for (int from = 0; status >= 0 && jplant_directions_next(&b.along, false, &from);) {
    status = move_next(ctx, &b, dq, dqd, dz, unmet);
  }
  jarena_restore(a, mark);
  return status;
}

// All numbers: those that the equations do not have move the position all the same.
jo_status jplant_velocity_sensitivity(jo_context* ctx, jarena* a, const jplant* p,
                                      const double* values, int nw, double t,
                                      const jmachine_assembly* at, const double* dq, double* dqd) {
  problem b = set_up(p, values, t, at);
  jplant_directions* d = &b.along;
  int nq = b.p->nq;
  jarena_mark mark = jarena_save(a);
  jo_status status = begin(ctx, a, &b, nw);
  for (int from = 0; status >= 0 && jplant_directions_next(d, true, &from);) {
    for (int l = 0; l < JPLANT_LANES; l++) {
      jplant_directions_put(d->dq, l, nq, l < d->n ? dq + (int64_t)d->number[l] * nq : NULL);
    }
    status = move_velocity(ctx, &b);
    for (int l = 0; l < d->n; l++) {
      jplant_directions_get(d->dqd, l, nq, dqd + (int64_t)d->number[l] * nq);
    }
  }
  jarena_restore(a, mark);
  return status;
}
