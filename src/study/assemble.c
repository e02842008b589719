// SPDX-License-Identifier: Apache-2.0
// Assembly by Gauss-Newton on closures and initial conditions together; velocities follow from one
// linear least-squares problem. Directions nobody asked for stay as close to the guess as they can.
#include "study/assemble.h"

#include <math.h>
#include <string.h>

#include "expr/tape.h"
#include "solve/linear.h"
#include "solve/newton.h"

#define CLOSURE_TOLERANCE 1e-12  // [m] and [-]
#define RATE_TOLERANCE    1e-8   // of prescribed rates, relative to the largest
#define MAX_ITERATIONS    200

typedef struct evaluator {
  jexpr_tape tape;
  double* work;
} evaluator;

typedef struct problem {
  const jmodel* m;
  const jgen_position* p;
  const double* values;  // of the live numbers
  evaluator closure, drive, initial, states;
  int nfree, *free;  // coordinates to find
  double t, *q;      // all coordinates
  double *h, *J, *s, *sd, *sdd, *quantity, *value, *rate, *Jq, *guess;
} problem;

static jo_status prepare(jo_context* ctx, jarena* a, const jexpr_fn* fn, evaluator* e) {
  JO_TRY(jexpr_tape_build(ctx, a, fn, &e->tape));
  e->work = JARENA_ARRAY(a, jexpr_tape_work(&e->tape, 1) + 1, double);
  if (!e->work) return jerr_memory(ctx);
  jexpr_tape_init(&e->tape, 1, e->work);
  return JO_OK;
}

static void evaluate(problem* b, const evaluator* e, double* const* out) {
  const double* in[4] = {b->values, &b->t, b->q, NULL};
  jexpr_tape_eval(&e->tape, 1, in, out, e->work);
}

static void evaluate_all(problem* b) {
  evaluate(b, &b->closure, (double* const[]){b->h, b->J});
  evaluate(b, &b->initial, (double* const[]){b->quantity, b->value, b->rate, b->Jq, b->guess});
}

static jo_status allocate(jo_context* ctx, jarena* a, problem* b) {
  const jgen_position* p = b->p;
  int nq = p->nq, nh = p->nh, ni = p->ninitial;
  b->free = JARENA_ARRAY(a, nq + 1, int);
  b->q = JARENA_ARRAY(a, nq + 1, double);
  b->guess = JARENA_ARRAY(a, nq + 1, double);
  b->h = JARENA_ARRAY(a, nh + 1, double);
  b->J = JARENA_ARRAY(a, nh * nq + 1, double);
  b->s = JARENA_ARRAY(a, 3 * p->nd + 1, double);
  b->quantity = JARENA_ARRAY(a, 3 * ni + 1, double);
  b->Jq = JARENA_ARRAY(a, ni * nq + 1, double);
  if (!b->free || !b->q || !b->guess || !b->h || !b->J || !b->s || !b->quantity || !b->Jq) {
    return jerr_memory(ctx);
  }
  b->sd = b->s + p->nd;
  b->sdd = b->sd + p->nd;
  b->value = b->quantity + ni;
  b->rate = b->value + ni;
  JO_TRY(prepare(ctx, a, &p->closure, &b->closure));
  JO_TRY(prepare(ctx, a, &p->drive, &b->drive));
  JO_TRY(prepare(ctx, a, &p->states, &b->states));
  return prepare(ctx, a, &p->initial, &b->initial);
}

// r = [ h ; quantity - value ],  x = free coordinates
static void residual(void* user, const double* x, double* r, double* Jx) {
  problem* b = user;
  int nh = b->p->nh, ni = b->p->ninitial, nr = nh + ni;
  for (int i = 0; i < b->nfree; i++) {
    b->q[b->free[i]] = x[i];
  }
  evaluate_all(b);
  for (int i = 0; i < nh; i++) {
    r[i] = b->h[i];
  }
  for (int i = 0; i < ni; i++) {
    r[nh + i] = b->m->initial[i].has_value ? b->quantity[i] - b->value[i] : 0.0;
  }
  for (int k = 0; Jx && k < b->nfree; k++) {
    int c = b->free[k];
    for (int i = 0; i < nh; i++) {
      Jx[i + k * nr] = b->J[i + c * nh];
    }
    for (int i = 0; i < ni; i++) {
      Jx[nh + i + k * nr] = b->m->initial[i].has_value ? b->Jq[i + c * ni] : 0.0;
    }
  }
}

static jo_status find_position(jo_context* ctx, jarena* a, problem* b) {
  const jgen_position* p = b->p;
  const jmodel* m = b->m;
  double* x = JARENA_ARRAY(a, p->nq + 1, double);
  if (!x) return jerr_memory(ctx);
  evaluate(b, &b->drive, (double* const[]){b->s, b->sd, b->sdd});
  evaluate_all(b);
  for (int i = 0, d = 0; i < p->nq; i++) {
    if (m->coordinate[i].is_driven) {
      b->q[i] = b->s[d++];
    } else {
      x[b->nfree] = b->guess[i];
      b->free[b->nfree++] = i;
    }
  }
  jsolve_residual f = {b->nfree, p->nh + p->ninitial, b, residual, NULL};
  jsolve_newton_options opt = {CLOSURE_TOLERANCE, MAX_ITERATIONS};
  jsolve_newton_result result = {0};
  jo_status status = jsolve_newton(ctx, &f, &opt, x, &result);
  double* r = JARENA_ARRAY(a, f.nr + 1, double);
  if (!r) return jerr_memory(ctx);
  residual(b, x, r, NULL);
  // rounding may keep the last digit of a residual alive
  if (status == JO_ERR_CONVERGENCE && result.residual > 100.0 * CLOSURE_TOLERANCE) {
    bool closure = result.worst < p->nh;
    const char* what =
        closure ? p->row_name[result.worst] : m->initial[result.worst - p->nh].quantity.text;
    return jerr_set(
        ctx, JO_ERR_CONVERGENCE,
        "%s: %s '%s' cannot be met: residual %.3g after %d iterations; check the points, "
        "or give guesses nearer to the assembled position",
        m->path, closure ? "closure" : "initial condition on", what, result.residual,
        result.iterations);
  }
  return status == JO_ERR_CONVERGENCE ? JO_OK : status;
}

// J_f qd_f = -J_d sd,  (d quantity/dq)_f qd_f = rate - (..)_d sd
static jo_status find_velocity(jo_context* ctx, jarena* a, problem* b, double* qd) {
  const jgen_position* p = b->p;
  int nh = p->nh, ni = p->ninitial, nr = nh + ni, n = b->nfree;
  double* A = JARENA_ARRAY(a, nr * n + 1, double);
  double* rhs = JARENA_ARRAY(a, (nr > n ? nr : n) + 1, double);
  double* x = JARENA_ARRAY(a, n + 1, double);
  if (!A || !rhs || !x) return jerr_memory(ctx);
  for (int i = 0, d = 0; i < p->nq; i++) {
    qd[i] = b->m->coordinate[i].is_driven ? b->sd[d++] : 0.0;
  }
  for (int i = 0; i < nr; i++) {
    bool closure = i < nh, given = closure || b->m->initial[i - nh].has_rate;
    rhs[i] = closure || !given ? 0.0 : b->rate[i - nh];
    for (int k = 0; given && k < p->nq; k++) {
      rhs[i] -= (closure ? b->J[i + k * nh] : b->Jq[i - nh + k * ni]) * qd[k];
    }
    for (int k = 0; k < n; k++) {
      int c = b->free[k];
      A[i + k * nr] = !given ? 0.0 : closure ? b->J[i + c * nh] : b->Jq[i - nh + c * ni];
    }
  }
  if (nr > 0 && n > 0) {
    if (jsolve_least_squares(ctx, nr, n, A, rhs, 1e-12, x) < 0) return JO_ERR_NUMERIC;
    for (int k = 0; k < n; k++) {
      qd[b->free[k]] = x[k];
    }
  }
  return JO_OK;
}

// Prescribed rates that contradict each other or the closures.
static jo_status check_velocity(jo_context* ctx, const problem* b, const double* qd) {
  const jgen_position* p = b->p;
  for (int i = 0; i < p->ninitial; i++) {
    if (!b->m->initial[i].has_rate) continue;
    double rate = 0.0, size = 1.0;
    for (int k = 0; k < p->nq; k++) {
      rate += b->Jq[i + k * p->ninitial] * qd[k];
      size = fmax(size, fabs(qd[k]));
    }
    if (fabs(rate - b->rate[i]) > RATE_TOLERANCE * size) {
      const jmodel_scalar* q = &b->m->initial[i].quantity;
      return jerr_set(ctx, JO_ERR_MODEL,
                      "%s:%d: initial '%s': rate %.6g contradicts the other rates and the closures "
                      "(they give %.6g)",
                      q->place.file, q->place.line, q->text ? q->text : "", b->rate[i], rate);
    }
  }
  return JO_OK;
}

jo_status jstudy_assemble(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                          const double* values, double t, jstudy_assembly* out) {
  problem b = {.m = m, .p = p, .t = t, .values = values ? values : p->p};
  JO_TRY(allocate(ctx, a, &b));
  JO_TRY(find_position(ctx, a, &b));
  out->qd = JARENA_ARRAY(a, p->nq + 1, double);
  out->z = JARENA_ARRAY(a, m->nstate + 1, double);
  if (!out->qd || !out->z) return jerr_memory(ctx);
  JO_TRY(find_velocity(ctx, a, &b, out->qd));
  JO_TRY(check_velocity(ctx, &b, out->qd));
  evaluate(&b, &b.states, (double* const[]){out->z});
  out->q = b.q;
  out->J = b.J;
  out->residual = 0.0;
  for (int i = 0; i < p->nh; i++) {
    out->residual = fmax(out->residual, fabs(b.h[i]));
  }
  return JO_OK;
}

jo_status jstudy_assemble_velocity(jo_context* ctx, jarena* a, const jmodel* m,
                                   const jgen_position* p, double t, const double* q, double* qd) {
  problem b = {.m = m, .p = p, .t = t, .values = p->p};
  JO_TRY(allocate(ctx, a, &b));
  memcpy(b.q, q, (size_t)p->nq * sizeof *q);
  for (int i = 0; i < p->nq; i++) {
    if (!m->coordinate[i].is_driven) b.free[b.nfree++] = i;
  }
  evaluate(&b, &b.drive, (double* const[]){b.s, b.sd, b.sdd});
  evaluate_all(&b);
  JO_TRY(find_velocity(ctx, a, &b, qd));
  return check_velocity(ctx, &b, qd);
}
