// SPDX-License-Identifier: Apache-2.0
// Redundant closure equations follow from the others at the values the model has; at others they need
// not. Along a number p the assembly r(q, p) = 0, R(q, qd, p) = 0 stays if (S9) of
// docs/theory/sensitivity.md is met and not only approached, and the mechanism stays as movable as it
// is if every motion v that the closures allow, J v = 0, can be kept:
//   (S12)  r_q dq + r_p = 0       R_q dq + R_qd dqd + R_p = 0       J dv = -(J v)_q dq - (J v)_p
// One v with a part of every independent velocity stands for all of them.
#include "plant/consistent.h"

#include <math.h>
#include <string.h>

#include "expr/tape.h"
#include "solve/linear.h"

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
  double *work, *closure_work;
  int nr, nfree, *free;
  double *dp, *zero, *motion;                // number, zeros, v
  double *r1, *r2, *dz, *ds, *dsd, *dguess;  // outputs of the tangent
  double *h, *J, *A, *b, *x;
} problem;

static jo_status allocate(jo_context* ctx, jarena* a, problem* b, int nw) {
  const jgen_position* p = b->p;
  int nq = p->nq, nh = p->nh, most = nh > nq ? nh : nq;
  double** array[] = {&b->dp,  &b->zero, &b->motion, &b->r1, &b->r2, &b->dz, &b->ds,
                      &b->dsd, &b->h,    &b->J,      &b->A,  &b->b,  &b->x,  &b->dguess};
  int size[] = {nw, nq, nq, b->nr, b->nr, p->nz, p->nd, p->nd, nh, nh * nq, nh * nq, most, nq, nq};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  b->free = JARENA_ARRAY(a, nq, int);
  if (!b->free) return jerr_memory(ctx);
  for (int i = 0; i < nq; i++) {
    if (!b->m->coordinate[i].is_driven) b->free[b->nfree++] = i;
  }
  JO_TRY(jexpr_tape_make_work(ctx, a, &p->tapes.tangent, &b->work));
  return jexpr_tape_make_work(ctx, a, &p->tapes.closure, &b->closure_work);
}

// v: independent velocities of 1, 1/2, 1/3 ..., dependent ones as the closures say, driven ones zero
static void find_motion(problem* b, jplant_work* run, double* y) {
  const jgen_dynamics* d = b->plant->dynamics;
  const jgen_partition* part = &d->part;
  jsolve_set_modes(&run->system, b->t, y, run->g);
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

static void evaluate(problem* b, const double* q, const double* qd, const double* dq,
                     const double* dqd) {
  const double* in[8] = {b->values, &b->t, q, NULL, qd, dq, dqd, b->dp};
  double* out[6] = {b->r1, b->r2, b->dz, b->ds, b->dsd, b->dguess};
  jexpr_tape_eval(&b->p->tapes.tangent, 1, in, out, b->work);
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

// What is left of r when all terms are there, against the terms that do not depend on the solution.
static bool is_left(const double* r, int n, double terms, int* worst) {
  double left;
  *worst = worst_of(r, n, &left);
  return left > NOTHING + TOLERANCE * terms;
}

static jo_status check_assembly(jo_context* ctx, problem* b, const double* q, const double* qd,
                                const double* dq, const double* dqd, const char** why) {
  double terms[2];
  int worst;
  evaluate(b, q, qd, b->zero, b->zero);
  worst_of(b->r1, b->nr, &terms[0]);
  worst_of(b->r2, b->nr, &terms[1]);
  evaluate(b, q, qd, dq, dqd);
  if (is_left(b->r1, b->nr, terms[0], &worst)) {
    return note(ctx, b, worst, "cannot be met", why);
  }
  if (is_left(b->r2, b->nr, fmax(terms[0], terms[1]), &worst)) {
    return note(ctx, b, worst, "cannot be kept in motion", why);
  }
  return JO_OK;
}

// J dv = -(J v)_q dq - (J v)_p  by the coordinates that are free
static jo_status check_mobility(jo_context* ctx, problem* b, const double* q, const double* dq,
                                const char** why) {
  int nh = b->p->nh, n = b->nfree, worst;
  double terms;
  if (b->plant->dynamics->part.nredundant == 0 || n == 0) return JO_OK;
  evaluate(b, q, b->motion, dq, b->zero);
  worst_of(b->r2, nh, &terms);
  for (int i = 0; i < nh; i++) {
    b->b[i] = -b->r2[i];
    for (int k = 0; k < n; k++) {
      b->A[i + k * nh] = b->J[i + b->free[k] * nh];
    }
  }
  int rank = jsolve_least_squares(ctx, nh, n, b->A, b->b, RANK_TOLERANCE, b->x);
  if (rank == JO_ERR_MEMORY) return jerr_memory(ctx);
  if (rank < 0) {
    return jerr_set(ctx, JO_ERR_NUMERIC, "%s: derivatives of the loops are not finite at the start",
                    b->plant->model->path);
  }
  for (int i = 0; i < nh; i++) {
    for (int k = 0; k < n; k++) {
      b->r2[i] += b->J[i + b->free[k] * nh] * b->x[k];
    }
  }
  if (!is_left(b->r2, nh, terms, &worst)) return JO_OK;
  return note(ctx, b, worst, "locks the mechanism", why);
}

static jo_status check_all(jo_context* ctx, problem* b, const double* q, const double* qd, int nw,
                           const double* dq, const double* dqd, const char** why) {
  const double* in[8] = {b->values, &b->t, q};
  jexpr_tape_eval(&b->p->tapes.closure, 1, in, (double* const[]){b->h, b->J}, b->closure_work);
  for (int k = 0; k < nw; k++) {
    const double *dq_k = dq + k * b->p->nq, *dqd_k = dqd + k * b->p->nq;
    memset(b->dp, 0, (size_t)nw * sizeof *b->dp);
    b->dp[k] = 1.0;
    JO_TRY(check_assembly(ctx, b, q, qd, dq_k, dqd_k, &why[k]));
    if (!why[k]) JO_TRY(check_mobility(ctx, b, q, dq_k, &why[k]));
  }
  return JO_OK;
}

jo_status jplant_check_consistent(jo_context* ctx, jarena* out, const jplant* p,
                                  const double* values, const double* y, const double* q,
                                  const double* qd, int nw, const double* dq, const double* dqd,
                                  const char** why) {
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
  if (status >= 0) status = jplant_work_create(ctx, p, &run);
  if (status >= 0) {
    if (values) memcpy(run->p, values, (size_t)d->np * sizeof *values);
    memcpy(at, y, (size_t)d->ny * sizeof *y);
    find_motion(&b, run, at);
    status = check_all(ctx, &b, q, qd, nw, dq, dqd, why);
  }
  jplant_work_destroy(run);
  jarena_free(&a);
  return status;
}
