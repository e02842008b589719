// SPDX-License-Identifier: Apache-2.0
// With x the states that move, N the numbers sought and c the outputs that vanish, equilibrium is, by
// docs/theory/kinematics.md,
//   (K8)  r(x, N, p) = 0      c(x, N, p) = 0
// r: accelerations and rates at rest, loops closed; it moves with a number by
//   (K9)  [r_x r_N; c_x c_N] (dx, dN) = -(r_p, c_p) dp
#include "plant/static/balance.h"

#include <math.h>
#include <string.h>

#include "solve/algebra/linear.h"

#define LENGTH_STEP 0.02  // longest step [m]
#define ANGLE_STEP  0.05  // [rad]
#define FORCE       1e4   // scale of numbers sought [N]
#define MOST_STEPS  60
#define MOST_HALVES 14
#define NEARLY      1e-8   // part of the longest step: one more step takes it to rounding
#define COUPLED     1e-9   // part of the largest slope
#define SMALLEST    1e-13  // pivot by the largest

static jo_status allocate(jplant_balance* b, jarena* a) {
  const jgen_dynamics* d = b->plant->dynamics;
  int most = jgen_own_count(&d->layout) + JPLANT_BALANCE_MOST;
  double** array[] = {&b->ydot, &b->dydot, &b->dy, &b->keep, &b->dp,   &b->out,   &b->dout,
                      &b->A,    &b->row,   &b->r,  &b->x,    &b->next, &b->trial, &b->scale};
  int size[] = {d->ny,       d->ny, d->ny, d->ny, d->sens.nw, d->noutput, d->noutput,
                most * most, most,  most,  most,  most,       most,       most};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], double);
    if (!*array[i]) return jerr_memory(b->ctx);
  }
  b->at = JARENA_ARRAY(a, most, int);
  b->of = JARENA_ARRAY(a, most, int);
  b->pivot = JARENA_ARRAY(a, most, int);
  if (!b->at || !b->of || !b->pivot) return jerr_memory(b->ctx);
  JO_TRY(jplant_tape_tangent_build(b->ctx, a, &d->sens.tangent[JGEN_FN_RHS], &b->rhs));
  JO_TRY(jplant_tape_tangent_build(b->ctx, a, &d->sens.tangent[JGEN_FN_OUTPUTS], &b->outputs));
  return jplant_tape_tangent_build(b->ctx, a, &d->sens.tangent[JGEN_FN_PROJECT], &b->close);
}

jo_status jplant_balance_open(jo_context* ctx, jarena* a, const jplant* p, int m, const int* number,
                              const int* output, jplant_balance* out) {
  *out = (jplant_balance){.ctx = ctx, .plant = p, .m = m, .t = p->model->simulation.t_start};
  for (int i = 0; i < m; i++) {
    out->number[i] = number[i];
    out->output[i] = output[i];
  }
  JO_TRY(jplant_work_create(ctx, p, NULL, &out->run));
  return allocate(out, a);
}

void jplant_balance_close(jplant_balance* b) {
  jplant_work_destroy(b->run);
  b->run = NULL;
}

// ---- slopes --------------------------------------------------------------------------------------

static double* value_of(const jplant_balance* b, int i) {
  return &b->run->p[b->plant->dynamics->sens.wrt[b->number[i]]];
}

// Along (dy, dp), loops closed: dydot and dout.
static void move(jplant_balance* b, const double* y) {
  const jgen_dynamics* d = b->plant->dynamics;
  double* dv = b->dy + jgen_first(&d->layout, JGEN_QV);
  double* const close[] = {dv};
  double *const rhs[] = {b->ydot, b->dydot}, *const outputs[] = {b->dout};
  if (d->part.nv > 0) {
    jplant_tape_tangent_eval(&b->close, b->run, b->t, y, b->dy, b->dp, close);
  }
  jplant_tape_tangent_eval(&b->rhs, b->run, b->t, y, b->dy, b->dp, rhs);
  jplant_tape_tangent_eval(&b->outputs, b->run, b->t, y, b->dy, b->dp, outputs);
}

static void rest(jplant_balance* b) {
  const jgen_dynamics* d = b->plant->dynamics;
  memset(b->dy, 0, (size_t)d->ny * sizeof *b->dy);
  memset(b->dp, 0, (size_t)d->sens.nw * sizeof *b->dp);
}

static void take(const jplant_balance* b, double* column) {
  for (int i = 0; i < b->n; i++) {
    column[i] = b->dydot[b->of[i]];
  }
  for (int i = 0; i < b->m; i++) {
    column[b->n + i] = b->dout[b->output[i]];
  }
}

// The matrix of (K9), by the scales of the unknowns and of the rows.
static jo_status factor(jplant_balance* b, const double* y) {
  int n = b->n + b->m;
  for (int j = 0; j < n; j++) {
    rest(b);
    if (j < b->n) b->dy[b->at[j]] = b->scale[j];
    if (j >= b->n) b->dp[b->number[j - b->n]] = b->scale[j];
    move(b, y);
    take(b, b->A + (size_t)j * (size_t)n);
  }
  int weakest = 0;
  for (int i = 0; i < n; i++) {
    b->row[i] = 0.0;
    for (int j = 0; j < n; j++) {
      b->row[i] = fmax(b->row[i], fabs(b->A[i + j * n]));
    }
    if (!(b->row[i] > 0.0)) b->row[i] = 1.0;
    for (int j = 0; j < n; j++) {
      b->A[i + j * n] /= b->row[i];
    }
  }
  jo_status status = jsolve_lu_factor(n, b->A, b->pivot);
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    if (fabs(b->A[i + i * n]) < fabs(b->A[weakest + weakest * n])) weakest = i;
    largest = fmax(largest, fabs(b->A[i + i * n]));
  }
  bool is_weak = n > 0 && !(fabs(b->A[weakest + weakest * n]) > SMALLEST * largest);
  if (status >= 0 && !is_weak) return JO_OK;
  return jerr_set(b->ctx, JO_ERR_SINGULAR,
                  "%s: nothing holds '%s' against a small push, or it is at the edge of what does",
                  b->plant->model->path,
                  weakest < b->n ? b->plant->dynamics->layout.name[b->at[weakest]] : "the wheel");
}

static void solve(const jplant_balance* b, double* r) {
  int n = b->n + b->m;
  for (int i = 0; i < n; i++) {
    r[i] = -r[i] / b->row[i];
  }
  jsolve_lu_solve(n, b->A, b->pivot, false, r, 1);
}

// ---- states that move ----------------------------------------------------------------------------

static void list_states(jplant_balance* b, const bool* moves) {
  const jgen_dynamics* d = b->plant->dynamics;
  const jgen_layout* l = &d->layout;
  b->n = 0;
  for (int at = 0; at < l->ny; at++) {
    bool is_position = jgen_is_in(l, JGEN_QU, at);
    if (!is_position && (!jgen_is_in(l, JGEN_Z, at) || l->is_held[at])) continue;
    if (moves && !moves[at]) continue;
    int i = b->n++;
    b->at[i] = at;
    b->of[i] = jgen_balance(l, at);
    b->scale[i] = l->nominal[at];
    if (!is_position) continue;
    int c = d->part.u[at - jgen_first(l, JGEN_QU)];
    b->scale[i] = d->model->coordinate[c].is_angle ? ANGLE_STEP : LENGTH_STEP;
  }
  for (int i = 0; i < b->m; i++) {
    b->scale[b->n + i] = FORCE;
  }
}

// Marks all that push what is marked; A: slopes of all states, by their scales. What is only pushed, as the spin of a wheel
// by its carrier, may stay.
static void spread(const jplant_balance* b, int n, double least, bool* moves) {
  bool is_new = true;
  while (is_new) {
    is_new = false;
    for (int k = 0; k < n * n; k++) {
      int i = b->at[k % n], j = b->at[k / n];
      if (!moves[i] || moves[j] || fabs(b->A[k]) <= least) continue;
      moves[j] = is_new = true;
    }
  }
}

jo_status jplant_balance_choose(jplant_balance* b, int seen, const double* y) {
  jarena a;
  jarena_init(&a, b->ctx);
  bool* moves = JARENA_ARRAY(&a, b->plant->dynamics->ny, bool);
  jo_status status = moves ? JO_OK : jerr_memory(b->ctx);
  int m = b->m;
  double most = 0.0;
  if (status >= 0) {
    jplant_work_set_modes(b->run, b->t, y);
    list_states(b, NULL);
    for (int j = 0; j < b->n; j++) {
      rest(b);
      b->dy[b->at[j]] = b->scale[j];
      move(b, y);
      for (int i = 0; i < seen; i++) {
        if (fabs(b->dout[i]) > COUPLED * b->scale[j]) moves[b->at[j]] = true;
      }
      b->m = 0;
      take(b, b->A + (size_t)j * (size_t)b->n);
      b->m = m;
    }
    for (int k = 0; k < b->n * b->n; k++) {
      most = fmax(most, fabs(b->A[k]));
    }
    spread(b, b->n, COUPLED * most, moves);
    list_states(b, moves);
  }
  jarena_free(&a);
  return status;
}

// ---- equilibrium ---------------------------------------------------------------------------------

// r at y, loops closed there; NaN where they cannot be.
static void residual(jplant_balance* b, double* y, double* r) {
  jplant_work* run = b->run;
  bool is_open = jsolve_close(&run->system, b->t, y, run->g) < 0;
  if (!is_open) {
    run->system.rhs(run->system.user, b->t, y, b->ydot);
    if (b->m > 0) jplant_outputs(run, b->t, y, b->out);
  }
  for (int i = 0; i < b->n; i++) {
    r[i] = is_open ? NAN : b->ydot[b->of[i]];
  }
  for (int i = 0; i < b->m; i++) {
    r[b->n + i] = is_open ? NAN : b->out[b->output[i]];
  }
}

static double length_of(const jplant_balance* b, const double* step) {
  double length = 0.0;
  for (int i = 0; i < b->n + b->m; i++) {
    if (!isfinite(step[i])) return INFINITY;
    length = fmax(length, fabs(step[i]));
  }
  return length;
}

// y and N go on by a part of the step, and r is what is there.
static void go(jplant_balance* b, double part, double* y, double* r) {
  for (int i = 0; i < b->n; i++) {
    y[b->at[i]] += part * b->scale[i] * b->x[i];
  }
  for (int i = 0; i < b->m; i++) {
    *value_of(b, i) += part * b->scale[b->n + i] * b->x[b->n + i];
  }
  residual(b, y, r);
}

static jo_status fail(const jplant_balance* b) {
  return jerr_set(b->ctx, JO_ERR_CONVERGENCE, "%s: no static equilibrium found near the last one",
                  b->plant->model->path);
}

// A Newton step, or the part of one behind which the next at the same slopes is shorter.
static jo_status step(jplant_balance* b, double* y, double* length) {
  size_t n = (size_t)(b->n + b->m);
  double before[JPLANT_BALANCE_MOST] = {0};
  JO_TRY(factor(b, y));
  memcpy(b->x, b->r, n * sizeof *b->x);
  solve(b, b->x);
  *length = length_of(b, b->x);
  if (!isfinite(*length)) return fail(b);
  memcpy(b->keep, y, (size_t)b->plant->dynamics->ny * sizeof *y);
  for (int i = 0; i < b->m; i++) {
    before[i] = *value_of(b, i);
  }
  double part = fmin(1.0, 1.0 / fmax(*length, 1e-300));
  for (int k = 0; k < MOST_HALVES; k++, part *= 0.5) {
    go(b, part, y, b->trial);
    memcpy(b->next, b->trial, n * sizeof *b->next);
    solve(b, b->next);
    if (*length <= NEARLY || length_of(b, b->next) <= (1.0 - 0.25 * part) * *length) {
      memcpy(b->r, b->trial, n * sizeof *b->r);
      return JO_OK;
    }
    memcpy(y, b->keep, (size_t)b->plant->dynamics->ny * sizeof *y);
    for (int i = 0; i < b->m; i++) {
      *value_of(b, i) = before[i];
    }
  }
  return fail(b);
}

jo_status jplant_balance_find(jplant_balance* b, double* y) {
  residual(b, y, b->r);
  int nearly = 0;
  for (int i = 0; i < MOST_STEPS; i++) {
    double length;
    JO_TRY(step(b, y, &length));
    if (length <= NEARLY && ++nearly > 1) return JO_OK;
  }
  return fail(b);
}

// Along (dy, dp), in which the states that move stand still, they and the numbers sought go on as equilibrium does.
static void follow(jplant_balance* b, const double* y, double* found) {
  move(b, y);
  take(b, b->x);
  solve(b, b->x);
  for (int i = 0; i < b->n; i++) {
    b->dy[b->at[i]] = b->scale[i] * b->x[i];
  }
  for (int i = 0; i < b->m; i++) {
    found[i] = b->scale[b->n + i] * b->x[b->n + i];
    b->dp[b->number[i]] += found[i];
  }
  move(b, y);
}

jo_status jplant_balance_move(jplant_balance* b, int n, const int* number, const double* change,
                              double* y) {
  const jgen_dynamics* d = b->plant->dynamics;
  double found[JPLANT_BALANCE_MOST];
  JO_TRY(factor(b, y));
  rest(b);
  for (int i = 0; i < n; i++) {
    b->dp[number[i]] = change[i];
  }
  follow(b, y, found);
  for (int i = 0; i < d->ny; i++) {
    y[i] += b->dy[i];
  }
  for (int k = 0; k < d->sens.nw; k++) {
    b->run->p[d->sens.wrt[k]] += b->dp[k];
  }
  return JO_OK;
}

static void differentiate(jplant_balance* b, const double* y, int k, double* S, double* found) {
  const jgen_dynamics* d = b->plant->dynamics;
  rest(b);
  memcpy(b->dy, S, (size_t)d->ny * sizeof *S);
  memset(b->dy + jgen_first(&d->layout, JGEN_QDU), 0, (size_t)d->part.nu * sizeof *S);
  for (int i = 0; i < b->n; i++) {
    b->dy[b->at[i]] = 0.0;
  }
  b->dp[k] = 1.0;
  follow(b, y, found);
  memcpy(S, b->dy, (size_t)d->ny * sizeof *S);
}

jo_status jplant_balance_slopes(jplant_balance* b, const double* y, int nw, double* S,
                                double* found, double* dout) {
  const jgen_dynamics* d = b->plant->dynamics;
  jplant_work_set_modes(b->run, b->t, y);
  JO_TRY(factor(b, y));
  for (int k = 0; k < nw; k++) {
    differentiate(b, y, k, S + (size_t)k * (size_t)d->ny, found + (size_t)k * (size_t)b->m);
    for (int i = 0; i < d->noutput; i++) {
      dout[(size_t)i * (size_t)nw + (size_t)k] = b->dout[i];
    }
  }
  return JO_OK;
}
