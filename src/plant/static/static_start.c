// SPDX-License-Identifier: Apache-2.0
// Static equilibrium r(x, p) = 0 in the unknowns x = [q_u z] that move, the others f staying as assembled,
// moves with a number by docs/theory/sensitivity.md eq. (S10):
//   r_x dx = -(r_f df + r_p dp)      q_v closed along: (S2)
// Derivatives of r are the tangents written with the dynamics, before numbers become constants.
#include "plant/static/static_start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "machine/descent.h"
#include "plant/start/initial.h"
#include "plant/tape_tangent.h"
#include "solve/algebra/linear.h"

#define RCOND  1e-12
#define BESIDE 1e-3  // displacement of what nothing holds [m, rad]
#define TIPS   1e-7  // acceleration there that counts, by a number as large as it is: 1e-4 1/s^2
#define NEWTON 2     // steps

typedef struct problem {
  const jplant* plant;
  const jgen_dynamics* d;
  jplant_work* run;   // values of numbers, modes
  const bool* stays;  // by state
  int nw, n;          // numbers, unknowns that move
  int *at, *of;       // unknowns in y, their rates in ydot
  double* size;       // of both: 1, or the nominal size of a state
  double t;
  const double* y;
  jplant_tape_tangent rhs, close;
  double *ydot, *dydot, *dy, *dp;
  double *beside, *along;  // another equilibrium, and a column of S there
  double* push;            // accelerations at y by number, of q_u (nw each)
  double* modes;           // at y
  double *A, *copy, *b, *x;
} problem;

static jo_status allocate(problem* b, jo_context* ctx, jarena* a) {
  const jgen_dynamics* d = b->d;
  int most = jgen_own_count(&d->layout);
  double** array[] = {&b->ydot, &b->dydot, &b->dy,     &b->dp,    &b->A,     &b->copy, &b->b,
                      &b->x,    &b->size,  &b->beside, &b->along, &b->modes, &b->push};
  int size[] = {d->ny, d->ny, d->ny, b->nw, most * most, most * most,       most,
                most,  most,  d->ny, d->ny, d->nswitch,  b->nw * d->part.nu};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  b->at = JARENA_ARRAY(a, most, int);
  b->of = JARENA_ARRAY(a, most, int);
  if (!b->at || !b->of) return jerr_memory(ctx);
  JO_TRY(jplant_tape_tangent_build(ctx, a, &d->sens.tangent[JGEN_FN_RHS], &b->rhs));
  return jplant_tape_tangent_build(ctx, a, &d->sens.tangent[JGEN_FN_PROJECT], &b->close);
}

// Unknowns: coordinates that do not stay and states that are not held, with their accelerations and rates.
static void list_unknowns(problem* b, const bool* stays) {
  const jgen_layout* l = &b->d->layout;
  for (int i = 0; i < l->ny; i++) {
    bool is_unknown = jgen_is_in(l, JGEN_QU, i) || jgen_is_in(l, JGEN_Z, i);
    if (!is_unknown || stays[i]) continue;
    b->size[b->n] = l->nominal[i];
    b->of[b->n] = jgen_balance(l, i);
    b->at[b->n++] = i;
  }
}

static void evaluate(problem* b, const jplant_tape_tangent* f, double* const* out) {
  jplant_tape_tangent_eval(f, b->run, b->t, b->y, b->dy, b->dp, out);
}

static void close_loops(problem* b) {
  double* dv = b->dy + jgen_first(&b->d->layout, JGEN_QV);
  if (b->d->part.nv > 0) evaluate(b, &b->close, (double* const[]){dv});
}

// dr along (dy, dp), loops closed
static void residual_slope(problem* b, double* out) {
  close_loops(b);
  evaluate(b, &b->rhs, (double* const[]){b->ydot, b->dydot});
  for (int i = 0; i < b->n; i++) {
    out[i] = b->dydot[b->of[i]] / b->size[i];
  }
}

// r_x, by the sizes of the unknowns
static void slopes(problem* b) {
  memset(b->dp, 0, (size_t)b->nw * sizeof *b->dp);
  for (int j = 0; j < b->n; j++) {
    memset(b->dy, 0, (size_t)b->d->ny * sizeof *b->dy);
    b->dy[b->at[j]] = b->size[j];
    residual_slope(b, b->A + j * b->n);
  }
}

// Something has no slope at rest.
static jo_status fail_slope(jo_context* ctx, const problem* b, int row, int column) {
  return jerr_set(
      ctx, JO_ERR_NUMERIC,
      "%s: the static equilibrium has no derivatives: the rate of '%s' has no derivative with "
      "respect to '%s' "
      "there; hint: roots and hypot of velocities have none at rest, sqrt(v^2 + 1e-6) has",
      b->plant->model->path, b->d->layout.name[b->of[row]], b->d->layout.name[b->at[column]]);
}

static jo_status fail_singular(jo_context* ctx, const problem* b) {
  for (int k = 0; k < b->n * b->n; k++) {
    if (!isfinite(b->A[k])) return fail_slope(ctx, b, k % b->n, k / b->n);
  }
  double least = INFINITY;
  int which = 0;
  for (int j = 0; j < b->n; j++) {
    double size = 0.0;
    for (int i = 0; i < b->n; i++) {
      size = fmax(size, fabs(b->A[i + j * b->n]));
    }
    if (size < least) which = b->at[j];
    least = fmin(least, size);
  }
  return jerr_set(
      ctx, JO_ERR_SINGULAR,
      "%s: the static equilibrium has no derivatives: nothing holds '%s' against a small "
      "push, or it is at the edge of what does",
      b->plant->model->path, b->d->layout.name[which]);
}

static jo_status solve(jo_context* ctx, problem* b) {
  memcpy(b->copy, b->A, (size_t)(b->n * b->n) * sizeof *b->A);
  int rank = jsolve_least_squares(ctx, b->n, b->n, b->copy, b->b, RCOND, b->x);
  if (rank == b->n) return JO_OK;
  return rank == JO_ERR_MEMORY ? jerr_memory(ctx) : fail_singular(ctx, b);
}

// The coordinate that stays and is pushed most along (dy, dp), by more than `least` for a change of the number by its size,
// beside what pushes it anyway (by coordinate, NULL: nothing); -1: none is.
static int find_pushed(problem* b, int number, double least, const double* anyway) {
  const jgen_dynamics* d = b->d;
  double value = b->run->p[d->sens.wrt[number]], size = value != 0.0 ? fabs(value) : 1.0;
  double most = least / size;
  int worst = -1;
  evaluate(b, &b->rhs, (double* const[]){b->ydot, b->dydot});
  const jgen_layout* l = &d->layout;
  for (int k = 0; k < l->block[JGEN_QU].n; k++) {
    int i = jgen_first(l, JGEN_QU) + k;
    double push = fabs(b->dydot[jgen_balance(l, i)] - (anyway ? anyway[k] : 0.0));
    if (!b->stays[i] || push <= most) continue;
    most = push;
    worst = i;
  }
  return worst;
}

// What the search overlooks moves nothing: a number that changes a push by no more, if it changes as much as it is, leaves
// in place what nothing holds, as the search does.
static jo_status note_push(jo_context* ctx, jarena* out, problem* b, int number, const char** why) {
  int pushed = find_pushed(b, number, JMACHINE_PUSH, NULL);
  const jgen_layout* l = &b->d->layout;
  double* push = b->push + (size_t)number * (size_t)l->block[JGEN_QU].n;
  for (int k = 0; k < l->block[JGEN_QU].n; k++) {
    push[k] = b->dydot[jgen_balance(l, jgen_first(l, JGEN_QU) + k)];
  }
  if (pushed < 0 || *why) return JO_OK;
  *why = jarena_printf(out,
                       "at static equilibrium it pushes '%s', which nothing holds; hold it, as by "
                       "a spring, or begin as the initial conditions say (start_at: initial)",
                       l->name[pushed]);
  return *why ? JO_OK : jerr_memory(ctx);
}

// One column of S. What stays and held states are as assembled; velocities, filters and objectives zero.
static jo_status move(problem* b, jo_context* ctx, int number, double* S) {
  JASSERT(number >= 0 && number < b->nw);
  const jgen_dynamics* d = b->d;
  memcpy(b->dy, S, (size_t)d->ny * sizeof *S);
  memset(b->dy + jgen_first(&d->layout, JGEN_QDU), 0, (size_t)d->part.nu * sizeof *S);
  for (int j = 0; j < b->n; j++) {
    b->dy[b->at[j]] = 0.0;
  }
  memset(b->dp, 0, (size_t)b->nw * sizeof *b->dp);
  b->dp[number] = 1.0;
  residual_slope(b, b->b);
  for (int i = 0; i < b->n; i++) {
    b->b[i] = -b->b[i];
  }
  JO_TRY(solve(ctx, b));
  for (int j = 0; j < b->n; j++) {
    b->dy[b->at[j]] = b->x[j] * b->size[j];
  }
  close_loops(b);
  memcpy(S, b->dy, (size_t)d->ny * sizeof *S);
  return JO_OK;
}

// ---- what nothing holds, and a number does -----------------------------------------------------------

// Moves what stays a little, each by another length, and lets the others find rest there: equilibria that differ in
// nothing else, in the modes of y. False: there is none.
static bool step_beside(problem* b, jo_context* ctx) {
  const jgen_layout* l = &b->d->layout;
  jplant_work* run = b->run;
  int moved = 0;
  memcpy(b->modes, run->mode, (size_t)b->d->nswitch * sizeof *b->modes);
  memcpy(b->beside, b->y, (size_t)l->ny * sizeof *b->y);
  for (int k = 0; k < l->block[JGEN_QU].n; k++) {
    int i = jgen_first(l, JGEN_QU) + k;
    if (b->stays[i]) b->beside[i] += BESIDE * (1.0 + 0.25 * (moved++ % 4));
  }
  b->y = b->beside;
  for (int step = 0; moved > 0 && step <= NEWTON; step++) {
    if (jsolve_close(&run->system, b->t, b->beside, run->g) < 0) return false;
    memcpy(run->mode, b->modes, (size_t)b->d->nswitch * sizeof *b->modes);
    slopes(b);
    for (int i = 0; i < b->n; i++) {
      b->b[i] = -b->ydot[b->of[i]] / b->size[i];
    }
    memcpy(b->copy, b->A, (size_t)(b->n * b->n) * sizeof *b->A);
    if (jsolve_least_squares(ctx, b->n, b->n, b->copy, b->b, RCOND, b->x) != b->n) return false;
    for (int i = 0; step < NEWTON && i < b->n; i++) {
      b->beside[b->at[i]] += b->x[i] * b->size[i];
    }
  }
  return moved > 0;
}

// docs/theory/sensitivity.md eq. (S40): numbers that push beside y otherwise than at y what nothing holds give it a stiffness,
// positive or negative.
static jo_status find_tipping(problem* b, jo_context* ctx, int nw, const double* S,
                              const char* const* why, int* tips) {
  size_t bytes = (size_t)b->d->ny * sizeof *S;
  const double* y = b->y;
  jo_status status = JO_OK;
  bool is_there = step_beside(b, ctx);
  for (int k = 0; is_there && status >= 0 && k < nw; k++) {
    if (why[k]) continue;
    memcpy(b->along, S + (size_t)k * (size_t)b->d->ny, bytes);
    status = move(b, ctx, k, b->along);
    const double* push = b->push + (size_t)k * (size_t)b->d->part.nu;
    if (status >= 0) tips[k] = find_pushed(b, k, TIPS, push);
  }
  b->y = y;
  jplant_work_set_modes(b->run, b->t, y);
  return status;
}

static jo_status differentiate(jo_context* ctx, jarena* a, jarena* out, jplant_work* run, double t,
                               int nw, const bool* stays, const double* y, double* S,
                               const char** why, int* tips) {
  const jgen_dynamics* d = run->plant->dynamics;
  problem b = {.plant = run->plant, .d = d, .run = run, .t = t, .y = y, .nw = d->sens.nw};
  JO_TRY(allocate(&b, ctx, a));
  b.stays = stays;
  list_unknowns(&b, stays);
  slopes(&b);
  for (int k = 0; k < nw; k++) {
    JO_TRY(move(&b, ctx, k, S + (size_t)k * (size_t)d->ny));
    JO_TRY(note_push(ctx, out, &b, k, &why[k]));
  }
  return find_tipping(&b, ctx, nw, S, why, tips);
}

jo_status jplant_static_start(jo_context* ctx, jarena* out, const jplant* p, const double* values,
                              int nw, double* y, double* S, const char** why, int* tips,
                              jmachine_equilibrium* found) {
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start;
  jarena a;
  jarena_init(&a, ctx);
  jplant_work* run = NULL;
  bool* stays = JARENA_ARRAY(&a, d->ny, bool);
  jo_status status = stays ? JO_OK : jerr_memory(ctx);
  if (status >= 0) status = jplant_settle(ctx, p, values, t, y, stays, found);
  if (status >= 0 && nw > 0) status = jplant_work_create_at(ctx, p, values, t, y, &run);
  if (run) {
    status = differentiate(ctx, &a, out, run, t, nw, stays, y, S, why, tips);
    // where the search took it to is a function of nothing
    for (int k = 0; found->is_moved && k < nw; k++) {
      if (!why[k]) why[k] = "static equilibrium was found only after what nothing holds had moved";
    }
  }
  jplant_work_destroy(run);
  jarena_free(&a);
  return status;
}

// ---- velocities ----------------------------------------------------------------------------------

static jo_status find_velocities(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                                 int nw, double* y, double* S) {
  const jgen_layout* l = &p->dynamics->layout;
  int nq = p->model->ncoordinate;
  double t = p->model->simulation.t_start;
  jmachine_assembly at = {.q = JARENA_ARRAY(a, nq, double), .qd = JARENA_ARRAY(a, nq, double)};
  at.rests = JARENA_ARRAY(a, nq, bool);
  double* dq = JARENA_ARRAY(a, (int64_t)nq * nw, double);
  double* dqd = JARENA_ARRAY(a, (int64_t)nq * nw, double);
  if (!at.q || !at.qd || !at.rests || !dq || !dqd) return jerr_memory(ctx);
  jgen_gather(l, y, at.q, NULL);
  JO_TRY(jplant_assemble_velocity(ctx, a, p->model, p->position, values, t, at.q, at.qd, at.rests));
  jgen_scatter(l, NULL, at.qd, NULL, y);
  for (int k = 0; k < nw; k++) {
    jgen_gather(l, S + (int64_t)k * l->ny, dq + (int64_t)k * nq, NULL);
  }
  if (nw > 0) {
    JO_TRY(jplant_velocity_sensitivity(ctx, a, p, values, nw, t, &at, dq, dqd));
  }
  for (int k = 0; k < nw; k++) {
    jgen_scatter(l, NULL, dqd + (int64_t)k * nq, NULL, S + (int64_t)k * l->ny);
  }
  return JO_OK;
}

jo_status jplant_static_velocities(jo_context* ctx, const jplant* p, const double* values, int nw,
                                   double* y, double* S) {
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = find_velocities(ctx, &a, p, values, nw, y, S);
  jarena_free(&a);
  return status;
}
