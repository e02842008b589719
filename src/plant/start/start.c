// SPDX-License-Identifier: Apache-2.0
// Assembly, static equilibrium and velocities one after another, each with its derivatives.
#include "plant/start/start.h"

#include <math.h>
#include <string.h>

#include "plant/check/finite.h"
#include "plant/start/consistent.h"
#include "plant/start/initial.h"
#include "plant/start/wheels.h"
#include "plant/start/window_start.h"
#include "plant/static/static_start.h"
#include "plant/tape_tangent.h"

// Where the search took what nothing determines is a function of nothing: numbers that move the
// assembly have no derivative.
static void refuse_moved(int nq, int nw, const double* dq, const char** why) {
  for (int64_t k = 0; k < nw; k++) {
    bool moves = false;
    for (int i = 0; i < nq; i++) {
      moves = moves || dq[k * nq + i] != 0.0;
    }
    if (moves && !why[k]) {
      why[k] = "the loops could be closed only after what nothing determines had moved";
    }
  }
}

static jo_status assemble(jo_context* ctx, jarena* a, const jplant* p, int nw, const double* values,
                          const double* from, jplant_start* out) {
  const jgen_dynamics* d = p->dynamics;
  const jmodel* m = p->model;
  int nq = m->ncoordinate, nz = p->position->nz;
  double t = m->simulation.t_start;
  jmachine_assembly at = {0};
  JO_TRY(jplant_assemble(ctx, a, m, p->position, values, from, t, &at, NULL));
  double* dq = JARENA_ARRAY(a, (int64_t)nq * nw, double);
  double* dqd = JARENA_ARRAY(a, (int64_t)nq * nw, double);
  double* dz = JARENA_ARRAY(a, (int64_t)nz * nw, double);
  jplant_unmet* unmet = JARENA_ARRAY(a, nw, jplant_unmet);
  out->y = JARENA_ARRAY(a, d->ny, double);
  out->S = JARENA_ARRAY(a, (int64_t)d->ny * nw, double);
  if (!dq || !dqd || !dz || !unmet || !out->y || !out->S) return jerr_memory(ctx);
  if (nw > 0) {
    JO_TRY(jplant_initial_sensitivity(ctx, a, p, values, nw, t, &at, dq, dqd, dz, unmet));
  }
  jgen_scatter(&d->layout, at.q, at.qd, at.z, out->y);
  JO_TRY(jplant_check_start_mass(ctx, p, values, out->y));
  out->why = JARENA_ARRAY(a, nw, const char*);
  out->tips = JARENA_ARRAY(a, nw, int);
  if (!out->why || !out->tips) return jerr_memory(ctx);
  for (int k = 0; k < nw; k++) {
    out->tips[k] = -1;
  }
  if (nw > 0) {
    JO_TRY(jplant_check_consistent(ctx, a, p, values, out->y, at.q, nw, dq, unmet, out->why));
  }
  if (at.is_moved) refuse_moved(nq, nw, dq, out->why);
  for (int64_t k = 0; k < nw; k++) {
    jgen_scatter(&d->layout, dq + k * nq, dqd + k * nq, dz + k * nz, out->S + k * d->ny);
  }
  return JO_OK;
}

jo_status jplant_start_at_rest(jo_context* ctx, jarena* a, const jplant* p, int nw,
                               const double* values, jplant_start* out) {
  JO_TRY(assemble(ctx, a, p, nw, values, NULL, out));
  return jplant_static_start(ctx, a, p, values, nw, out->y, out->S, out->why, out->tips,
                             &out->rested);
}

static bool are_own(const jplant* p, const double* values) {
  const jgen_dynamics* d = p->dynamics;
  return !values || memcmp(values, d->p, (size_t)d->np * sizeof *values) == 0;
}

// What moves leaves an unstable rest by its velocities, not by rounding.
static jo_status judge(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                       jplant_start* out) {
  int nq = p->model->ncoordinate;
  double t = p->model->simulation.t_start;
  double *q = JARENA_ARRAY(a, nq, double), *qd = JARENA_ARRAY(a, nq, double);
  if (!q || !qd) return jerr_memory(ctx);
  JO_TRY(jplant_coordinates(ctx, p, t, out->y, q, qd));
  bool moves = false;
  for (int i = 0; i < nq; i++) {
    moves = moves || qd[i] != 0.0;
  }
  if (moves) out->rested.growth = 0.0;
  if (!moves && p->is_judged && are_own(p, values)) out->rested = p->rested;
  bool is_new = !moves && !(p->is_judged && are_own(p, values));
  return is_new ? jplant_judge_rest(ctx, p, values, t, out->y, &out->rested) : JO_OK;
}

jo_status jplant_start_warn(jo_context* ctx, const jplant* p, const double* values, const double* y,
                            const jmachine_equilibrium* rested) {
  if (are_own(p, values)) return JO_OK;
  jplant_warn_unstable(ctx, p, rested);
  return jplant_wheels_warn_of(ctx, p, values, y);
}

jo_status jplant_start_check(jo_context* ctx, const jplant* p, const double* values) {
  const jgen_dynamics* d = p->dynamics;
  const jmodel* m = d->model;
  double* number = jmem_resize(ctx, NULL, (size_t)m->nnumber * sizeof *number);
  if (!number) return jerr_memory(ctx);
  for (int i = 0; i < m->nnumber; i++) {
    number[i] = m->number[i].value;
  }
  for (int i = 0; i < d->np; i++) {
    number[d->live[i]] = values[i];
  }
  jo_status status = jmodel_check_values(ctx, m, number);
  jmem_free(ctx, number);
  return status;
}

jo_status jplant_start_near(jo_context* ctx, jarena* a, const jplant* p, int nw,
                            const double* values, const double* from, jplant_start* out) {
  JO_TRY(assemble(ctx, a, p, nw, values, from, out));
  JO_TRY(jplant_begin(ctx, p, values, p->model->simulation.t_start, out->y));
  out->rested = (jmachine_equilibrium){0};
  const int* wrt = p->dynamics->sens.wrt;
  return nw > 0 ? jplant_window_start(ctx, p, values, wrt, nw, out->y, out->S) : JO_OK;
}

jo_status jplant_start_find(jo_context* ctx, jarena* a, const jplant* p, int nw,
                            const double* values, jplant_start* out) {
  if (!p->model->simulation.start_static)
    return jplant_start_near(ctx, a, p, nw, values, NULL, out);
  JO_TRY(jplant_start_at_rest(ctx, a, p, nw, values, out));
  JO_TRY(jplant_check_held(ctx, p, values, out->y));
  JO_TRY(jplant_static_velocities(ctx, p, values, nw, out->y, out->S));
  JO_TRY(judge(ctx, a, p, values, out));
  JO_TRY(jplant_begin(ctx, p, values, p->model->simulation.t_start, out->y));
  const int* wrt = p->dynamics->sens.wrt;
  return nw > 0 ? jplant_window_start(ctx, p, values, wrt, nw, out->y, out->S) : JO_OK;
}

jo_status jplant_start_refuse(jo_context* ctx, const jmodel* m, int number, const char* why) {
  bool has_hint = strchr(why, ';') != NULL;
  return jerr_set(
      ctx, JO_ERR_MODEL,
      "%s: nothing has a derivative with respect to '%s': %s%s leave this parameter out", m->path,
      m->number[number].path, why, has_hint ? ", or" : ";");
}

jo_status jplant_start_clear(jo_context* ctx, const jplant* p, const jmodel_selection* by,
                             jplant_start* start) {
  const jgen_dynamics* d = p->dynamics;
  int n = 0, first = -1;
  for (int k = 0; k < by->n; k++) {
    if (!start->why[k]) continue;
    if (by->named[by->wrt[k]]) {
      return jplant_start_refuse(ctx, p->model, by->wrt[k], start->why[k]);
    }
    if (n++ == 0) first = k;
    for (int i = 0; i < d->ny; i++) {
      start->S[(int64_t)k * d->ny + i] = NAN;
    }
  }
  if (n == 0) return JO_OK;
  jerr_warn(
      ctx,
      "%s: nothing has a derivative with respect to %d of the parameters, the first being '%s': %s",
      p->model->path, n, p->model->number[by->wrt[first]].path, start->why[first]);
  return JO_OK;
}

static jo_status differentiate_outputs(jo_context* ctx, jarena* a, const jplant_work* run, int nw,
                                       const jplant_start* start, double* dout) {
  const jgen_dynamics* d = run->plant->dynamics;
  jplant_tape_tangent f;
  double* dp = JARENA_ARRAY(a, d->sens.nw, double);
  double* column = JARENA_ARRAY(a, d->noutput, double);
  if (!dp || !column) return jerr_memory(ctx);
  JO_TRY(jplant_tape_tangent_build(ctx, a, &d->sens.tangent[JGEN_FN_OUTPUTS], &f));
  for (int k = 0; k < nw; k++) {
    memset(dp, 0, (size_t)d->sens.nw * sizeof *dp);
    dp[k] = 1.0;
    jplant_tape_tangent_eval(&f, run, d->model->simulation.t_start, start->y,
                             start->S + (int64_t)k * d->ny, dp, (double* const[]){column});
    for (int i = 0; i < d->noutput; i++) {
      dout[(int64_t)i * nw + k] = column[i];
    }
  }
  return JO_OK;
}

static int count_sensors(const jmodel* m) {
  int n = 0;
  for (int i = 0; i < m->nsignal; i++) {
    n += m->signal[i].is_output;
  }
  return n;
}

// Outputs of elements need no value at rest, as the slip of a wheel; what the file asks for does.
static jo_status check_sensors(jplant_work* run, double t, const double* y, const double* out) {
  int bad = jplant_finite_first(out, count_sensors(run->plant->model));
  return bad < 0 ? JO_OK : jplant_finite_output(run, t, y, bad, out[bad]);
}

// The same for derivatives that exist.
static jo_status check_slopes(jo_context* ctx, const jgen_dynamics* d, int nw, const char** why,
                              const double* dout) {
  const jmodel* m = d->model;
  for (int i = 0; i < count_sensors(m) * nw; i++) {
    if (isfinite(dout[i]) || why[i % nw]) continue;
    return jerr_set(ctx, JO_ERR_NUMERIC,
                    "%s: sensor '%s': its derivative with respect to '%s' is %s at rest; hint: "
                    "leave this parameter "
                    "out, or keep the expression where it is smooth",
                    m->path, d->output_name[i / nw], m->number[d->live[d->sens.wrt[i % nw]]].path,
                    jplant_finite_text(dout[i]));
  }
  return JO_OK;
}

jo_status jplant_start_outputs(jo_context* ctx, jarena* a, const jplant* p, int nw,
                               const double* values, const jplant_start* start, double* out,
                               double* dout) {
  double t = p->model->simulation.t_start;
  jplant_work* run;
  JO_TRY(jplant_work_create_at(ctx, p, values, t, start->y, &run));
  jplant_outputs(run, t, start->y, out);
  jo_status status = check_sensors(run, t, start->y, out);
  if (status >= 0 && nw > 0) status = differentiate_outputs(ctx, a, run, nw, start, dout);
  if (status >= 0 && nw > 0) status = check_slopes(ctx, p->dynamics, nw, start->why, dout);
  jplant_work_destroy(run);
  return status;
}
