// SPDX-License-Identifier: Apache-2.0
// Derivatives of what a vehicle gives by its states, numbers and time: tangents and adjoints of the generated functions, and of
// the loops between them. docs/theory/sensitivity.md eqs. (S1), (S2), (S5), (S6)
#include <string.h>

#include "runtime/inside.h"

static jo_status check_derivatives(jvehicle* v) {
  if (v->model->tangent[JVEHICLE_RATES].eval) return JO_OK;
  return jerr_set(v->ctx, JO_ERR_ARGUMENT, "'%s' was exported without derivatives", v->model->name);
}

// Directions of time, of all of y and of the numbers: dependent positions follow from the others.
static void set_directions(jvehicle* v, const jvehicle_seed* seed) {
  const jvehicle_model* m = v->model;
  memset(v->dy, 0, (size_t)m->about.ny * sizeof *v->dy);
  memset(v->dp, 0, (size_t)m->nnumber * sizeof *v->dp);
  v->dt = seed->time ? *seed->time : 0.0;
  for (int i = 0; seed->states && i < m->nstate; i++) {
    v->dy[m->state_at[i]] = seed->states[i];
  }
  if (seed->numbers) memcpy(v->dp, seed->numbers, (size_t)m->nnumber * sizeof *v->dp);
  if (m->about.nv == 0) return;
  const double* in[JVEHICLE_GROUP_COUNT] = {
      JVEHICLE_INPUTS(v, &v->t, v->y), [JVEHICLE_STATE_DIRECTION] = v->dy,
      [JVEHICLE_TIME_DIRECTION] = &v->dt, [JVEHICLE_NUMBER_DIRECTION] = v->dp};
  jvehicle_evaluate(v, &m->closure_tangent, in, (double* const[]){v->dy + m->about.first_v});
}

static void tangent_of(jvehicle* v, jvehicle_slope_kind kind, double* out) {
  const double* in[JVEHICLE_GROUP_COUNT] = {
      JVEHICLE_INPUTS(v, &v->t, v->y), [JVEHICLE_STATE_DIRECTION] = v->dy,
      [JVEHICLE_TIME_DIRECTION] = &v->dt, [JVEHICLE_NUMBER_DIRECTION] = v->dp};
  bool is_valued = kind == JVEHICLE_RATES;
  double* both[2] = {is_valued ? v->ydot : out, out};
  jvehicle_evaluate(v, &v->model->tangent[kind], in, both);
}

jo_status jvehicle_tangent(jvehicle* v, const jvehicle_seed* seed, const jvehicle_slope* slope) {
  const jvehicle_model* m = v->model;
  JO_TRY(check_derivatives(v));
  set_directions(v, seed);
  if (slope->rates) {
    tangent_of(v, JVEHICLE_RATES, v->value);
    for (int i = 0; i < m->nstate; i++) {
      slope->rates[i] = v->value[m->state_at[i]];
    }
  }
  if (slope->indicators && m->nindicator > 0) tangent_of(v, JVEHICLE_INDICATORS, slope->indicators);
  if (slope->outputs && m->noutput > 0) tangent_of(v, JVEHICLE_OUTPUTS, slope->outputs);
  if (slope->objectives && m->nobjective > 0) tangent_of(v, JVEHICLE_OBJECTIVES, slope->objectives);
  return JO_OK;
}

static void add(int n, const double* x, double* to) {
  for (int i = 0; i < n; i++) {
    to[i] += x[i];
  }
}

// dy += ybar, dt += tbar, dp += pbar of one function weighted by `bar`
static void weigh(jvehicle* v, const jvehicle_function* f, const double* bar) {
  const double* in[JVEHICLE_GROUP_COUNT] = {
      JVEHICLE_INPUTS(v, &v->t, v->y), [JVEHICLE_WEIGHTS] = bar};
  double time_bar;
  jvehicle_evaluate(v, f, in, (double* const[]){v->ybar, &time_bar, v->pbar});
  add(v->model->about.ny, v->ybar, v->dy);
  add(v->model->nnumber, v->pbar, v->dp);
  v->dt += time_bar;
}

static void weigh_rates(jvehicle* v, const double* rates) {
  memset(v->value, 0, (size_t)v->model->about.ny * sizeof *v->value);
  for (int i = 0; i < v->model->nstate; i++) {
    v->value[v->model->state_at[i]] = rates[i];
  }
  weigh(v, &v->model->adjoint[JVEHICLE_RATES], v->value);
}

// What falls on dependent positions goes on to what they follow from.
static void weigh_closure(jvehicle* v) {
  const jvehicle_model* m = v->model;
  if (m->about.nv == 0) return;
  memcpy(v->value, v->dy + m->about.first_v, (size_t)m->about.nv * sizeof *v->value);
  weigh(v, &m->closure_adjoint, v->value);
}

jo_status jvehicle_adjoint(jvehicle* v, const jvehicle_slope* slope, const jvehicle_seed* seed) {
  const jvehicle_model* m = v->model;
  JO_TRY(check_derivatives(v));
  memset(v->dy, 0, (size_t)m->about.ny * sizeof *v->dy);
  memset(v->dp, 0, (size_t)m->nnumber * sizeof *v->dp);
  v->dt = 0.0;
  if (slope->rates) weigh_rates(v, slope->rates);
  const double* bar[JVEHICLE_SLOPE_COUNT] = {[JVEHICLE_INDICATORS] = slope->indicators,
                                             [JVEHICLE_OUTPUTS] = slope->outputs,
                                             [JVEHICLE_OBJECTIVES] = slope->objectives};
  for (int k = 0; k < JVEHICLE_SLOPE_COUNT; k++) {
    if (bar[k] && m->adjoint[k].eval) weigh(v, &m->adjoint[k], bar[k]);
  }
  weigh_closure(v);
  for (int i = 0; seed->states && i < m->nstate; i++) {
    seed->states[i] = v->dy[m->state_at[i]];
  }
  if (seed->numbers) memcpy(seed->numbers, v->dp, (size_t)m->nnumber * sizeof *v->dp);
  if (seed->time) *seed->time = v->dt;
  return JO_OK;
}
