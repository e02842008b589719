// SPDX-License-Identifier: Apache-2.0
// Sensitivities of a run: prepare kernels, simulate and record, then walk the record.
#include "study/sens.h"

#include <string.h>

#include "base/clock.h"
#include "study/assemble.h"
#include "study/initial.h"
#include "study/walk.h"

#define MAX_LANES          8
#define DEFAULT_MAX_STATES 65536

// ---- preparation ---------------------------------------------------------------------------------

static int lanes_for(int nw) {
  int lanes = 1;
  while (lanes < nw && lanes < MAX_LANES) {
    lanes *= 2;
  }
  return lanes;
}

static jo_status build_kernels(jstudy_sens* s, const jstudy_sens_setup* setup) {
  const jgen_sens* g = &s->plant->dynamics->sens;
  if (setup->direct) {
    jexpr_fn fn[JSTUDY_T_COUNT] = {
        [JSTUDY_T_RHS] = g->rhs_tangent,         [JSTUDY_T_CLOSE] = g->close_tangent,
        [JSTUDY_T_SWITCH] = g->switch_tangent,   [JSTUDY_T_MOMENTUM] = g->momentum_tangent,
        [JSTUDY_T_IMPULSE] = g->impulse_tangent, [JSTUDY_T_OBJECTIVE] = g->objective_tangent,
        [JSTUDY_T_OUTPUT] = g->output_tangent};
    jkernel_options opt = setup->kernel;
    opt.lanes = lanes_for(s->nw);
    JO_TRY(jkernel_build(s->ctx, fn, JSTUDY_T_COUNT, &opt, &s->tangents));
  }
  if (setup->adjoint) {
    jexpr_fn fn[JSTUDY_A_COUNT] = {
        [JSTUDY_A_RHS] = g->rhs_adjoint,         [JSTUDY_A_CLOSE] = g->close_adjoint,
        [JSTUDY_A_SWITCH] = g->switch_adjoint,   [JSTUDY_A_MOMENTUM] = g->momentum_adjoint,
        [JSTUDY_A_IMPULSE] = g->impulse_adjoint, [JSTUDY_A_OBJECTIVE] = g->objective_adjoint};
    jkernel_options opt = setup->kernel;
    opt.lanes = 1;
    JO_TRY(jkernel_build(s->ctx, fn, JSTUDY_A_COUNT, &opt, &s->adjoints));
  }
  return JO_OK;
}

// Initial state and its derivatives by the numbers, from the assembly.
typedef struct start {
  double* y;  // ny
  double* S;  // ny x nw
} start;

static void place(const jgen_dynamics* d, int nstate, const double* q, const double* qd,
                  const double* z, double* y) {
  for (int i = 0; i < d->part.nu; i++) {
    y[d->at_qu + i] = q[d->part.u[i]];
    y[d->at_qdu + i] = qd[d->part.u[i]];
  }
  for (int i = 0; i < d->part.nv; i++) {
    y[d->at_qv + i] = q[d->part.v[i]];
  }
  for (int i = 0; i < nstate; i++) {
    y[d->at_z + i] = z[i];
  }
}

static jo_status find_start(jo_context* ctx, jarena* a, const jstudy_plant* p, int nw,
                            const double* values, start* out) {
  const jgen_dynamics* d = p->dynamics;
  const jmodel* m = p->model;
  int nq = m->ncoordinate;
  double t = m->simulation.t_start;
  jstudy_assembly at = {0};
  JO_TRY(jstudy_assemble(ctx, a, m, p->position, values, t, &at));
  double* dq = JARENA_ARRAY(a, (int64_t)nq * nw + 1, double);
  double* dqd = JARENA_ARRAY(a, (int64_t)nq * nw + 1, double);
  double* dz = JARENA_ARRAY(a, (int64_t)m->nstate * nw + 1, double);
  out->y = JARENA_ARRAY(a, d->ny + 1, double);
  out->S = JARENA_ARRAY(a, (int64_t)d->ny * nw + 1, double);
  if (!dq || !dqd || !dz || !out->y || !out->S) return jerr_memory(ctx);
  JO_TRY(
      jstudy_initial_sensitivity(ctx, a, m, p->position, values, nw, t, at.q, at.qd, dq, dqd, dz));
  place(d, m->nstate, at.q, at.qd, at.z, out->y);
  for (int k = 0; k < nw; k++) {
    place(d, m->nstate, dq + k * nq, dqd + k * nq, dz + k * m->nstate, out->S + (int64_t)k * d->ny);
  }
  return JO_OK;
}

static jo_status prepare(jstudy_sens* s, const jmodel* m, const jstudy_sens_setup* setup) {
  bool* live = JARENA_ARRAY(&s->arena, m->nnumber + 1, bool);
  int* wrt = JARENA_ARRAY(&s->arena, setup->nwrt + 1, int);
  if (!live || !wrt) return jerr_memory(s->ctx);
  for (int i = 0; i < m->nnumber; i++) {
    live[i] = m->number[i].is_parameter;
  }
  for (int i = 0; i < setup->nwrt; i++) {
    wrt[i] = setup->wrt[i];
    live[wrt[i]] = true;
  }
  s->nw = setup->nwrt;
  s->wrt = wrt;
  jstudy_plant_options opt = {.kernel = setup->kernel};
  opt.gen = (jgen_options){.live = live, .modes = true, .wrt = wrt, .nwrt = s->nw};
  JO_TRY(jstudy_plant_create(s->ctx, m, &opt, &s->plant));
  start begin;
  JO_TRY(find_start(s->ctx, &s->arena, s->plant, s->nw, NULL, &begin));
  s->S0 = begin.S;
  return build_kernels(s, setup);
}

jo_status jstudy_sens_create(jo_context* ctx, const jmodel* m, const jstudy_sens_setup* setup,
                             jstudy_sens** out) {
  *out = NULL;
  jstudy_sens* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jstudy_sens){.ctx = ctx};
  jarena_init(&s->arena, ctx);
  jo_status status = prepare(s, m, setup);
  if (status < 0) {
    jstudy_sens_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jstudy_sens_destroy(jstudy_sens* s) {
  if (!s) return;
  jkernel_destroy(s->tangents);
  jkernel_destroy(s->adjoints);
  jstudy_plant_destroy(s->plant);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}

// ---- a run ---------------------------------------------------------------------------------------

jstudy_sens_options jstudy_sens_options_default(const jmodel* m) {
  jstudy_sens_options o = {.solve = jsolve_options_default()};
  int method = jsolve_method_find(m->simulation.method);
  if (method >= 0) o.solve.method = (jsolve_method)method;
  o.solve.rel_tol = m->simulation.rel_tol;
  o.solve.abs_tol = m->simulation.abs_tol;
  o.solve.step = m->simulation.step;
  o.t_start = m->simulation.t_start;
  o.t_end = m->simulation.t_end;
  o.max_states = DEFAULT_MAX_STATES;
  return o;
}

static jo_status on_step(void* user, const jsolve_step* step) {
  jstudy_record* r = user;
  jstudy_record_step(r, step->t0, step->t1, step->y0);
  return r->status;
}

static void on_event(void* user, double t, const double* before, const double* after,
                     const double* mode, const int* flipped, int n) {
  jstudy_record_event(user, t, before, after, mode, flipped, n);
}

static jo_status simulate(jstudy_run* run, const jstudy_sens* s, const jstudy_sens_options* opt,
                          const double* y0, jstudy_record* record, jstudy_sens_result* out) {
  const jgen_dynamics* d = s->plant->dynamics;
  double* y = JARENA_ARRAY(&out->arena, d->ny + 1, double);
  double* scratch = JARENA_ARRAY(&out->arena, d->nswitch + 1, double);
  if (!y || !scratch) return jerr_memory(out->ctx);
  memcpy(y, y0, (size_t)d->ny * sizeof *y);
  if (opt->p) memcpy(run->p, opt->p, (size_t)d->np * sizeof *run->p);
  jsolve_set_modes(&run->system, opt->t_start, y, scratch);
  jstudy_record_begin(record, run->mode);
  run->on_event = on_event;
  run->on_event_user = record;
  jsolve_observer obs = {.user = record, .step = on_step};
  double t;
  JO_TRY(jsolve_integrate(out->ctx, &run->system, &opt->solve, &obs, opt->t_start, opt->t_end, y,
                          &t, &out->statistics));
  jstudy_record_end(record, y);
  jstudy_run_objectives(run, opt->t_end, y, out->value);
  return record->status;
}

static jo_status make_events(jstudy_sens_result* out, const jstudy_record* record, bool direct) {
  out->event = JARENA_ARRAY(&out->arena, record->nflip + 1, jstudy_sens_event);
  if (!out->event) return jerr_memory(out->ctx);
  for (int i = 0; direct && i < record->nflip; i++) {
    out->event[i].dt = JARENA_ARRAY(&out->arena, out->nw + 1, double);
    if (!out->event[i].dt) return jerr_memory(out->ctx);
  }
  return JO_OK;
}

static jo_status run_all(const jstudy_sens* s, jstudy_sens_method method,
                         const jstudy_sens_options* opt, jstudy_run* run, jstudy_record* record,
                         jstudy_sens_result* out) {
  start begin = {s->plant->y0, s->S0};
  double t0 = jclock_cpu();
  if (opt->p) JO_TRY(find_start(out->ctx, &out->arena, s->plant, s->nw, opt->p, &begin));
  JO_TRY(simulate(run, s, opt, begin.y, record, out));
  double t1 = jclock_cpu();
  JO_TRY(make_events(out, record, method == JSTUDY_DIRECT));
  jstudy_walk w;
  jo_status status = jstudy_walk_begin(&w, out->ctx, s, run, record, opt, out);
  w.S0 = begin.S;
  if (status >= 0) {
    status = method == JSTUDY_DIRECT ? jstudy_walk_direct(&w) : jstudy_walk_adjoint(&w);
  }
  jstudy_walk_end(&w);
  out->cpu_dynamics = t1 - t0;
  out->cpu_sensitivity = jclock_cpu() - t1;
  return status;
}

jo_status jstudy_sens_run(jo_context* ctx, const jstudy_sens* s, jstudy_sens_method method,
                          const jstudy_sens_options* opt, jstudy_sens_result** out) {
  *out = NULL;
  const jgen_dynamics* d = s->plant->dynamics;
  if (!(method == JSTUDY_DIRECT ? s->tangents : s->adjoints)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "this method was not prepared");
  }
  jstudy_sens_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jstudy_sens_result){.ctx = ctx, .nobjective = d->nobjective, .nw = s->nw};
  jarena_init(&r->arena, ctx);
  r->value = JARENA_ARRAY(&r->arena, r->nobjective + 1, double);
  r->gradient = JARENA_ARRAY(&r->arena, r->nobjective * r->nw + 1, double);
  jstudy_run* run = NULL;
  jstudy_record* record = NULL;
  jo_status status = r->value && r->gradient ? JO_OK : jerr_memory(ctx);
  if (status >= 0) status = jstudy_run_create(ctx, s->plant, &run);
  if (status >= 0) status = jstudy_record_create(ctx, s->plant, opt->max_states, &record);
  if (status >= 0) status = run_all(s, method, opt, run, record, r);
  jstudy_record_destroy(record);
  jstudy_run_destroy(run);
  if (status < 0) {
    jstudy_sens_result_destroy(r);
    return status;
  }
  *out = r;
  return JO_OK;
}

void jstudy_sens_result_destroy(jstudy_sens_result* r) {
  if (!r) return;
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}
