// SPDX-License-Identifier: Apache-2.0
// The rank of the closure Jacobian J is that of a neighbourhood, but for singular positions, where it is
// less. Positions nearby: all coordinates moved by about MOVE, driven ones too, and those that are not
// driven then back onto the closures h = 0 by Gauss-Newton. A loop that opens to second order only,
//   J dq = 0   but   dq' h_qq dq != 0,
// has no such positions beside the one it is in; there the equations that were dropped are watched by the
// run (jplant_close).
#include "plant/start/singular.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "expr/tape/tape.h"
#include "solve/algebra/newton.h"

#define MOVE       1e-3  // [m, rad]
#define TRIES      3
#define CLOSED     1e-10  // [m, -]
#define ITERATIONS 50

typedef struct problem {
  const jmodel* m;
  const jgen_position* p;
  const double* values;
  double t;
  double *work, *q, *x, *J;
  int nfree, *free;
} problem;

static jo_status allocate(jo_context* ctx, jarena* a, problem* b) {
  int nq = b->p->nq, nh = b->p->nh;
  JO_TRY(jexpr_tape_make_work(ctx, a, &b->p->tapes.closure, &b->work));
  b->q = JARENA_ARRAY(a, nq, double);
  b->x = JARENA_ARRAY(a, nq, double);
  b->J = JARENA_ARRAY(a, (size_t)nh * (size_t)nq, double);
  b->free = JARENA_ARRAY(a, nq, int);
  if (!b->q || !b->x || !b->J || !b->free) return jerr_memory(ctx);
  for (int i = 0; i < nq; i++) {
    if (!b->m->coordinate[i].is_driven) b->free[b->nfree++] = i;
  }
  return JO_OK;
}

// r = h(q), x = coordinates that are not driven
static void residual(void* user, const double* x, double* r, double* Jx) {
  problem* b = user;
  int nh = b->p->nh;
  for (int i = 0; i < b->nfree; i++) {
    b->q[b->free[i]] = x[i];
  }
  const double* in[4] = {b->values, &b->t, b->q, NULL};
  jexpr_tape_eval(&b->p->tapes.closure, 1, in, (double* const[]){r, b->J}, b->work);
  for (int k = 0; Jx && k < b->nfree; k++) {
    memcpy(Jx + k * nh, b->J + b->free[k] * nh, (size_t)nh * sizeof *Jx);
  }
}

// Some number between -1 and 1, the same on every machine.
static double wobble(int i, int try) {
  return (double)(jhash_mix((uint64_t)try + 1, (uint64_t)i) >> 11) * 0x1p-52 - 1.0;
}

// To a position nearby, with J there. JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: none was found. Reports nothing.
static jo_status go_nearby(jo_context* ctx, problem* b, const double* q, int try) {
  for (int i = 0; i < b->p->nq; i++) {
    b->q[i] = q[i] + MOVE * wobble(i, try);
  }
  for (int i = 0; i < b->nfree; i++) {
    b->x[i] = b->q[b->free[i]];
  }
  jsolve_residual f = {b->nfree, b->p->nh, b, residual, NULL};
  jsolve_newton_options opt = {CLOSED, ITERATIONS};
  return jsolve_newton(ctx, &f, &opt, b->x, NULL);
}

static bool is_in(const int* list, int n, int x) {
  for (int i = 0; i < n; i++) {
    if (list[i] == x) return true;
  }
  return false;
}

// An equation of `here` that is not redundant `there`; -1: none.
static int regained(const jgen_partition* here, const jgen_partition* there) {
  if (there->nredundant >= here->nredundant) return -1;
  for (int i = 0; i < here->nredundant; i++) {
    if (!is_in(there->redundant, there->nredundant, here->redundant[i])) return here->redundant[i];
  }
  return here->redundant[0];
}

static jo_status check_nearby(jo_context* ctx, jarena* a, problem* b, const double* q,
                              double tolerance, const jgen_partition* part) {
  JO_TRY(allocate(ctx, a, b));
  for (int i = 0; i < TRIES; i++) {
    jgen_partition there;
    jo_status status = go_nearby(ctx, b, q, i);
    if (status == JO_ERR_CONVERGENCE || status == JO_ERR_NUMERIC) continue;
    if (status < 0) return jerr_memory(ctx);
    int said = jo_context_diagnostic_count(ctx);
    JO_TRY(jgen_partition_choose(ctx, a, b->m, b->J, b->p->nh, tolerance, &there));
    jerr_forget(ctx, said);  // wishes that cannot be met were told of the start
    int row = regained(part, &there);
    if (row < 0) continue;
    return jerr_set(
        ctx, JO_ERR_MODEL,
        "%s: closure equation '%s' follows from the others at the start, but not beside "
        "it: the mechanism starts in a singular position (flat, or at a dead centre), "
        "where it may go on in several ways; hint: start a little beside it",
        b->m->path, b->p->row_name[row]);
  }
  return JO_OK;
}

jo_status jplant_check_singular(jo_context* ctx, const jmodel* m, const jgen_position* p,
                                const double* values, double t, const double* q, double tolerance,
                                const jgen_partition* part) {
  if (part->nredundant == 0) return JO_OK;
  problem b = {.m = m, .p = p, .values = values ? values : p->p, .t = t};
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = check_nearby(ctx, &a, &b, q, tolerance, part);
  jarena_free(&a);
  return status;
}
