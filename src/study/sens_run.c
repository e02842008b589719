// SPDX-License-Identifier: Apache-2.0
// Sensitivities of a run: simulate and record, then walk the record.
#include <string.h>

#include "base/clock.h"
#include "study/walk.h"

#define DEFAULT_MAX_STATES 65536

jstudy_sens_options jstudy_sens_options_default(const jmodel* m) {
  jstudy_sens_options o = {.solve = jstudy_solve_options(m)};
  o.t_start = m->simulation.t_start;
  o.t_end = m->simulation.t_end;
  o.max_states = DEFAULT_MAX_STATES;
  o.estimate = true;
  return o;
}

static jo_status on_step(void* user, const jsolve_step* step) {
  jstudy_record* r = user;
  jstudy_record_step(r, step);
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

static void list_events(jstudy_sens_result* out, const jstudy_record* record) {
  for (int i = 0; i < record->nentry; i++) {
    const jstudy_entry* e = &record->entry[i];
    for (int k = 0; e->after >= 0 && k < e->nflip; k++) {
      int which = record->flip[e->flip + k];
      bool on = jstudy_record_mode(record, e->epoch + 1)[which] > 0.5;
      out->event[out->nevent++] =
          (jstudy_sens_event){.t = e->t, .which = which, .on = on, .follows = e->follows};
    }
  }
}

static jo_status run_all(const jstudy_sens* s, jstudy_sens_method method,
                         const jstudy_sens_options* opt, jstudy_run* run, jstudy_record* record,
                         jstudy_sens_result* out) {
  double *y0 = s->plant->y0, *S0 = s->S0;
  double t0 = jclock_cpu();
  int nw = method == JSTUDY_VALUE ? 0 : s->nw;
  if (opt->p) JO_TRY(jstudy_sens_start(out->ctx, &out->arena, s, nw, opt->p, &y0, &S0));
  JO_TRY(simulate(run, s, opt, y0, record, out));
  double t1 = jclock_cpu();
  out->cpu_dynamics = t1 - t0;
  JO_TRY(make_events(out, record, method == JSTUDY_DIRECT));
  if (method == JSTUDY_VALUE) {
    list_events(out, record);
    return JO_OK;
  }
  out->rough = JARENA_ARRAY(&out->arena, record->nentry + 1, double);
  if (!out->rough) return jerr_memory(out->ctx);
  jstudy_walk w;
  jo_status status = jstudy_walk_begin(&w, out->ctx, s, run, record, opt, out);
  w.S0 = S0;
  if (status >= 0) {
    status = method == JSTUDY_DIRECT ? jstudy_walk_direct(&w) : jstudy_walk_adjoint(&w);
  }
  jstudy_walk_end(&w);
  out->cpu_sensitivity = jclock_cpu() - t1;
  return status;
}

jo_status jstudy_sens_run(jo_context* ctx, const jstudy_sens* s, jstudy_sens_method method,
                          const jstudy_sens_options* opt, jstudy_sens_result** out) {
  *out = NULL;
  const jgen_dynamics* d = s->plant->dynamics;
  if ((method == JSTUDY_DIRECT && !s->tangents) || (method == JSTUDY_ADJOINT && !s->adjoints)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "this method was not prepared");
  }
  jstudy_sens_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jstudy_sens_result){.ctx = ctx, .nobjective = d->nobjective, .nw = s->nw};
  jarena_init(&r->arena, ctx);
  r->value = JARENA_ARRAY(&r->arena, r->nobjective + 1, double);
  r->gradient = JARENA_ARRAY(&r->arena, r->nobjective * r->nw + 1, double);
  r->gradient_error = JARENA_ARRAY(&r->arena, r->nobjective * r->nw + 1, double);
  jstudy_run* run = NULL;
  jstudy_record* record = NULL;
  jo_status status = r->value && r->gradient && r->gradient_error ? JO_OK : jerr_memory(ctx);
  if (status >= 0) status = jstudy_run_create(ctx, s->plant, &run);
  if (status >= 0) {
    // the adjoint method needs the arguments of all stages before it begins with the last
    const jsolve_tableau* tab = jsolve_tableau_find(opt->solve.method);
    int stages = tab && method != JSTUDY_VALUE ? tab->stages : 0;
    status = jstudy_record_create(ctx, s->plant, stages, opt->max_states, &record);
    if (status >= 0) record->implicit_only = method == JSTUDY_DIRECT;
  }
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
