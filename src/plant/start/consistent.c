// SPDX-License-Identifier: Apache-2.0
// Redundant closure equations follow from the others at the values the model has; at others they need
// not. Along a number p the assembly r(q, p) = 0, R(q, qd, p) = 0 stays if (S9) of
// docs/theory/sensitivity.md is met and not only approached, and the mechanism stays as movable as it
// is if every motion v that the closures allow, J v = 0, can be kept:
//   (S12)  r_q dq + r_p = 0       R_q dq + R_qd dqd + R_p = 0       J dv = -(J v)_q dq - (J v)_p
// One v with a part of every independent velocity stands for all of them.
#include "plant/start/consistent.h"

#include <math.h>
#include <string.h>

#include "expr/tape/tape.h"
#include "plant/start/directions.h"
#include "solve/algebra/linear.h"

#define TOLERANCE      1e-6  // of the terms that should cancel
#define NOTHING        1e-9  // terms below it [m, rad per unit of the number] are rounding
#define RANK_TOLERANCE 1e-12

typedef struct problem {
  const jplant* plant;
  const jmodel* m;
  const jgen_position* p;
  const double* values;
  jarena* out;  // of the texts
  double t;
  double* closure_work;
  int nr, nfree, *free;
  double* motion;  // v
  jplant_directions along;
  double* r;                  // residuals in a lane
  double *h, *J, *A, *B, *X;  // B, X: a side for each lane
} problem;

static jo_status allocate(jo_context* ctx, jarena* a, problem* b, int nw) {
  const jgen_position* p = b->p;
  int nq = p->nq, nh = p->nh;
  double** array[] = {&b->motion, &b->r, &b->h, &b->J, &b->A, &b->B, &b->X};
  int size[] = {nq, b->nr, nh, nh * nq, nh * nq, nh * JPLANT_LANES, nq * JPLANT_LANES};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  b->free = JARENA_ARRAY(a, nq, int);
  if (!b->free) return jerr_memory(ctx);
  for (int i = 0; i < nq; i++) {
    if (!b->m->coordinate[i].is_driven) b->free[b->nfree++] = i;
  }
  JO_TRY(jplant_directions_begin(ctx, a, b->plant, b->values, nw, b->t, &b->along));
  return jexpr_tape_make_work(ctx, a, &p->tapes.closure, &b->closure_work);
}

// v: independent velocities of 1, 1/2, 1/3 ..., dependent ones as the closures say, driven ones zero
static void find_motion(problem* b, jplant_work* run, double* y) {
  const jgen_dynamics* d = b->plant->dynamics;
  const jgen_partition* part = &d->part;
  for (int with = 0; with < 2; with++) {
    for (int i = 0; i < part->nu; i++) {
      double rate = with ? 1.0 / (i + 1) : 0.0;
      y[d->layout.qd[part->u[i]]] = b->motion[part->u[i]] = rate;
    }
    jplant_call(run, JGEN_FN_VELOCITY, b->t, y, (double* const[]){run->machine.dv});
    for (int i = 0; i < part->nv; i++) {
      b->motion[part->v[i]] = run->machine.dv[i] - b->motion[part->v[i]];
    }
  }
}

// Tangents along the numbers at hand and what they move, the rates being v.
static void evaluate(problem* b, const double* q, const double* dq) {
  jplant_directions* d = &b->along;
  int64_t nq = b->p->nq;
  jplant_directions_place(d, q, b->motion);
  for (int l = 0; l < JPLANT_LANES; l++) {
    jplant_directions_put(d->dq, l, (int)nq, l < d->n ? dq + d->number[l] * nq : NULL);
    jplant_directions_put(d->dqd, l, (int)nq, NULL);
  }
  jplant_directions_eval(d);
}

static int worst_of(const double* r, int n, double* size) {
  int worst = 0;
  *size = 0.0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(r[i]) > *size)) continue;
    *size = fabs(r[i]);
    worst = i;
  }
  return worst;
}

// Why there is no derivative: the equation and what becomes of it when the number changes.
static jo_status note(jo_context* ctx, const problem* b, int row, const char* what,
                      const char** why) {
  bool closure = row < b->p->nh, coupling = closure && row >= b->p->nh - b->p->ncoupling;
  *why = jarena_printf(b->out, "%s '%s' %s when it changes",
                       coupling  ? "coupling"
                       : closure ? "closure equation"
                                 : "the initial condition on",
                       closure ? b->p->row_name[row] : b->m->initial[row - b->p->nh].quantity.text,
                       what);
  return *why ? JO_OK : jerr_memory(ctx);
}

// The largest of the residuals in a lane, and its row.
static double size_of(problem* b, const double* residual, int lane, int n, int* row) {
  double size;
  jplant_directions_get(residual, lane, n, b->r);
  *row = worst_of(b->r, n, &size);
  return size;
}

static bool is_unmet(double left, double terms) {
  return left > NOTHING + TOLERANCE * terms;
}

static jo_status check_assembly(jo_context* ctx, const problem* b, const jplant_unmet* u,
                                const char** why) {
  if (is_unmet(u->left[0], u->terms[0])) return note(ctx, b, u->row[0], "cannot be met", why);
  if (is_unmet(u->left[1], fmax(u->terms[0], u->terms[1]))) {
    return note(ctx, b, u->row[1], "cannot be kept in motion", why);
  }
  return JO_OK;
}

// J dv = -(J v)_q dq - (J v)_p  by the coordinates that are free: dv of each lane in X. Lanes that are known to fail have
// none.
static jo_status solve_motion(jo_context* ctx, problem* b, const char** why) {
  const jplant_directions* d = &b->along;
  int nh = b->p->nh, n = b->nfree;
  memset(b->B, 0, (size_t)(nh * JPLANT_LANES) * sizeof *b->B);
  for (int i = 0; i < nh; i++) {
    for (int l = 0; l < d->n; l++) {
      if (!why[d->number[l]]) b->B[i + l * nh] = -d->r2[i * JPLANT_LANES + l];
    }
    for (int k = 0; k < n; k++) {
      b->A[i + k * nh] = b->J[i + b->free[k] * nh];
    }
  }
  int rank = jsolve_least_squares_many(ctx, nh, n, b->A, JPLANT_LANES, b->B, RANK_TOLERANCE, b->X);
  if (rank == JO_ERR_MEMORY) return jerr_memory(ctx);
  if (rank >= 0) return JO_OK;
  return jerr_set(ctx, JO_ERR_NUMERIC, "%s: derivatives of the loops are not finite at the start",
                  b->plant->model->path);
}

// What is left of them in one lane.
static jo_status check_motion(jo_context* ctx, problem* b, int lane, const char** why) {
  int nh = b->p->nh, n = b->nfree, worst;
  double *r2 = b->along.r2, terms = size_of(b, r2, lane, nh, &worst);
  const double* dv = b->X + lane * n;
  for (int i = 0; i < nh; i++) {
    for (int k = 0; k < n; k++) {
      r2[i * JPLANT_LANES + lane] += b->J[i + b->free[k] * nh] * dv[k];
    }
  }
  if (!is_unmet(size_of(b, r2, lane, nh, &worst), terms)) return JO_OK;
  return note(ctx, b, worst, "locks the mechanism", why);
}

static jo_status check_mobility(jo_context* ctx, problem* b, const double* q, const double* dq,
                                const char** why) {
  const jplant_directions* d = &b->along;
  if (b->plant->dynamics->part.nredundant == 0 || b->nfree == 0) return JO_OK;
  evaluate(b, q, dq);
  JO_TRY(solve_motion(ctx, b, why));
  for (int l = 0; l < d->n; l++) {
    const char** of = &why[d->number[l]];
    if (!*of) JO_TRY(check_motion(ctx, b, l, of));
  }
  return JO_OK;
}

// Numbers that the equations do not have leave them as they are.
static jo_status check_all(jo_context* ctx, problem* b, const double* q, const double* dq,
                           const jplant_unmet* unmet, const char** why) {
  jplant_directions* d = &b->along;
  const double* in[8] = {b->values, &b->t, q};
  jexpr_tape_eval(&b->p->tapes.closure, 1, in, (double* const[]){b->h, b->J}, b->closure_work);
  for (int from = 0; jplant_directions_next(d, false, &from);) {
    for (int l = 0; l < d->n; l++) {
      JO_TRY(check_assembly(ctx, b, &unmet[d->number[l]], &why[d->number[l]]));
    }
    JO_TRY(check_mobility(ctx, b, q, dq, why));
  }
  return JO_OK;
}

jo_status jplant_check_consistent(jo_context* ctx, jarena* out, const jplant* p,
                                  const double* values, const double* y, const double* q, int nw,
                                  const double* dq, const jplant_unmet* unmet, const char** why) {
  const jgen_dynamics* d = p->dynamics;
  problem b = {.plant = p, .m = p->model, .p = p->position, .t = p->model->simulation.t_start};
  b.values = values ? values : p->position->p;
  b.nr = b.p->nh + b.p->ninitial;
  b.out = out;
  jarena a;
  jarena_init(&a, ctx);
  jplant_work* run = NULL;
  double* at = JARENA_ARRAY(&a, d->ny, double);
  jo_status status = at ? allocate(ctx, &a, &b, nw) : jerr_memory(ctx);
  if (status >= 0) status = jplant_work_create_at(ctx, p, values, b.t, y, &run);
  if (status >= 0) {
    memcpy(at, y, (size_t)d->ny * sizeof *y);
    find_motion(&b, run, at);
    status = check_all(ctx, &b, q, dq, unmet, why);
  }
  jplant_work_destroy(run);
  jarena_free(&a);
  return status;
}
