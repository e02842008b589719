// SPDX-License-Identifier: Apache-2.0
#include "plant/run.h"

#include <math.h>
#include <string.h>

#include "plant/check/guard.h"

static jo_status find_start(jplant_work* w, jarena* a, const jplant_run_options* opt,
                            jplant_start* out) {
  const jplant* p = w->plant;
  if (!opt->p) {
    *out = (jplant_start){.y = p->y0};
    if (p->is_judged) out->rested = p->rested;
    return JO_OK;
  }
  JO_TRY(jplant_start_find(w->ctx, a, p, opt->nw, opt->p, out));
  return opt->is_quiet ? JO_OK : jplant_start_warn(w->ctx, p, opt->p, out->y, &out->rested);
}

jo_status jplant_run_begin(jplant_work* w, jarena* a, const jplant_run_options* opt,
                           jplant_start* out) {
  const jgen_dynamics* d = w->plant->dynamics;
  double t = w->plant->model->simulation.t_start;
  if (opt->p) memcpy(w->p, opt->p, (size_t)d->np * sizeof *w->p);
  memset(w->mode, 0, (size_t)d->nswitch * sizeof *w->mode);
  if (opt->p && !opt->is_near) JO_TRY(jplant_start_check(w->ctx, w->plant, opt->p));
  if (!isnan(opt->t_end)) JO_TRY(jplant_guard_windows(w, t, opt->t_end));
  JO_TRY(find_start(w, a, opt, out));
  return jplant_guard_start(w, t, out->y);
}

static jo_status go_to(jplant_run* r, jarena* a, double t, const double* y) {
  size_t ny = (size_t)r->work->plant->dynamics->ny;
  r->t = t;
  r->y = JARENA_ARRAY(a, ny, double);
  if (!r->y) return jerr_memory(r->work->ctx);
  memcpy(r->y, y, ny * sizeof *y);
  return JO_OK;
}

jo_status jplant_run_open(jo_context* ctx, jarena* a, const jplant* p,
                          const jplant_run_options* opt, jplant_run* out) {
  *out = (jplant_run){0};
  JO_TRY(jplant_work_create(ctx, p, opt->p, &out->work));
  jo_status status = jplant_run_begin(out->work, a, opt, &out->start);
  if (status >= 0) status = go_to(out, a, p->model->simulation.t_start, out->start.y);
  if (status < 0) jplant_run_close(out);
  return status;
}

jo_status jplant_run_open_at(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                             double t, const double* y, jplant_run* out) {
  *out = (jplant_run){0};
  JO_TRY(jplant_work_create_at(ctx, p, values, t, y, &out->work));
  jo_status status = go_to(out, a, t, y);
  if (status < 0) jplant_run_close(out);
  return status;
}

jo_status jplant_run_advance(jplant_run* r, const jsolve_options* solve,
                             const jsolve_observer* observer, double t_end,
                             jsolve_statistics* statistics) {
  jplant_work* w = r->work;
  int said = jo_context_diagnostic_count(w->ctx);
  jo_status status =
      jsolve_integrate(w->ctx, &w->system, solve, observer, r->t, t_end, r->y, &r->t, statistics);
  return status < 0 ? jplant_explain_failure(w, status, said, r->t, r->y) : status;
}

void jplant_run_close(jplant_run* r) {
  jplant_work_destroy(r->work);
  r->work = NULL;
}
