// SPDX-License-Identifier: Apache-2.0
// The public face of sweeps.
#include "study/sweep.h"

#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/format.h"
#include "base/require.h"
#include "jounce/sweep.h"
#include "report/sweep.h"
#include "sens/doubt.h"
#include "sens/plan.h"

struct jo_sweep {
  jo_context* ctx;
  jstudy_sweep* sweep;
  int (*progress)(void* user, int done);
  void* user;
};

jo_sweep_options jo_sweep_options_default(void) {
  return (jo_sweep_options){.t_end_s = NAN, .tolerance = NAN, .step_s = NAN};
}

static bool tell(void* user, int done) {
  const jo_sweep* s = user;
  return s->progress(s->user, done) != 0;
}

static jo_status check(jo_context* ctx, const jo_sweep_options* opt) {
  JO_REQUIRE_LIST(ctx, opt->range, opt->nrange);
  JO_REQUIRE_LIST(ctx, opt->correlation, opt->ncorrelation);
  for (int i = 0; i < opt->nrange; i++) {
    const jo_range* r = &opt->range[i];
    if (!r->name) return jerr_set(ctx, JO_ERR_ARGUMENT, "range %d has no name", i + 1);
    if ((unsigned)r->law > JO_LAW_LOGNORMAL) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "parameter '%s': there is no such distribution",
                      r->name);
    }
  }
  for (int i = 0; i < opt->ncorrelation; i++) {
    if (!opt->correlation[i].first || !opt->correlation[i].second) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "correlation %d has no names", i + 1);
    }
  }
  if ((unsigned)opt->sampling > JO_SAMPLING_RANDOM) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no such sampling");
  }
  if (opt->nsample < 0 || opt->workers < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "the numbers of points and workers cannot be negative");
  }
  return JO_OK;
}

static jo_status copy_design(jo_context* ctx, jarena* a, const jo_sweep_options* opt,
                             jstudy_sweep_options* o) {
  jstudy_range* range = JARENA_ARRAY(a, opt->nrange, jstudy_range);
  jstudy_correlation* c = JARENA_ARRAY(a, opt->ncorrelation, jstudy_correlation);
  if (!range || !c) return jerr_memory(ctx);
  for (int i = 0; i < opt->nrange; i++) {
    const jo_range* r = &opt->range[i];
    range[i] = (jstudy_range){.name = r->name,
                              .from = r->from,
                              .to = r->to,
                              .n = r->n,
                              .law = (jstudy_law_kind)r->law,
                              .mean = r->mean,
                              .deviation = r->deviation};
  }
  for (int i = 0; i < opt->ncorrelation; i++) {
    const jo_correlation* r = &opt->correlation[i];
    c[i] = (jstudy_correlation){r->first, r->second, r->value};
  }
  o->range = range;
  o->nrange = opt->nrange;
  o->nsample = opt->nsample;
  o->seed = opt->seed;
  o->sampling = (jstudy_sampling)opt->sampling;
  o->correlation = c;
  o->ncorrelation = opt->ncorrelation;
  o->has_indices = opt->indices != 0;
  return JO_OK;
}

static void copy_run(const jo_sweep_options* opt, jstudy_sweep_options* o) {
  o->method = opt->method == JO_SENS_DIRECT    ? JSTUDY_SWEEP_DIRECT
              : opt->method == JO_SENS_ADJOINT ? JSTUDY_SWEEP_ADJOINT
                                               : JSTUDY_SWEEP_AUTO;
  o->frozen = opt->frozen != 0;
  o->t_end = opt->t_end_s;
  o->tolerance = opt->tolerance;
  o->step = opt->step_s;
  o->workers = opt->workers;
  o->journal = opt->journal;
  o->restart = opt->restart != 0;
}

static jo_status build_in(jo_sweep* s, jarena* a, const jo_system* system,
                          const jo_sweep_options* opt) {
  jstudy_sweep_options o = jstudy_sweep_options_default();
  JO_TRY(copy_design(s->ctx, a, opt, &o));
  copy_run(opt, &o);
  o.settings = japi_system_settings(a, system);
  if (!o.settings) return jerr_memory(s->ctx);
  if (opt->progress) o.progress = tell;
  o.user = s;
  return jstudy_sweep_create(s->ctx, system->motion, system->p, &o, &s->sweep);
}

static jo_status build(jo_sweep* s, const jo_system* system, const jo_sweep_options* opt) {
  JO_TRY(check(s->ctx, opt));
  if (!system->motion) return japi_system_fail(s->ctx, system, JO_USE_RUNS);
  jarena a;
  jarena_init(&a, s->ctx);
  jo_status status = build_in(s, &a, system, opt);
  jarena_free(&a);
  return status;
}

jo_status jo_sweep_create(jo_context* ctx, const jo_system* system, const jo_sweep_options* opt,
                          jo_sweep** out) {
  JO_REQUIRE_OUT(out, ctx, system, opt);
  jo_sweep* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_sweep){.ctx = ctx, .progress = opt->progress, .user = opt->user};
  jo_status status = build(s, system, opt);
  if (status < 0) {
    jo_sweep_destroy(s);
    return status;
  }
  *out = s;
  return status;
}

void jo_sweep_destroy(jo_sweep* sweep) {
  if (!sweep) return;
  jstudy_sweep_destroy(sweep->sweep);
  jmem_free(sweep->ctx, sweep);
}

// Once for all points of an objective.
static void warn_of_doubts(const jstudy_sweep* s, int objective) {
  const jmodel_objective* o = &s->model->objective[objective];
  int n = 0, worst = 0;
  double most = 0.0;
  for (int i = 0; i < s->npoint; i++) {
    const jstudy_sweep_point* p = &s->point[i];
    if (!p->is_done || p->status < 0 || p->doubt[objective] == 0.0) continue;
    n++;
    if (p->doubt[objective] <= most) continue;
    most = p->doubt[objective];
    worst = i;
  }
  if (n == 0) return;
  char off[48] = "have no true digit";
  if (most < 1.0) jformat(off, sizeof off, "be off by %.2g %%", 100.0 * most);
  jerr_warn(s->ctx,
            "%s:%d: objective '%s' is in doubt at %d of %d points: the worst came out as %.3g and "
            "may %s, its signal, or the power of it, being below what the run resolves; hint: "
            "'nominal', the size of its signal, or a smaller tolerance",
            o->place.file, o->place.line, o->name, n, s->npoint, s->point[worst].value[objective],
            off);
}

static void warn_of_errors(const jo_sweep* sweep) {
  const jstudy_sweep* s = sweep->sweep;
  jsens_doubt doubt = {.wanted = jsens_plan_tolerance(&s->run)};
  for (int i = 0; i < s->npoint; i++) {
    const jstudy_sweep_point* p = &s->point[i];
    if (!p->is_done || p->status < 0) continue;
    for (int k = 0; k < s->nobjective * s->nw; k++) {
      int o = k / s->nw, j = k % s->nw;
      jsens_doubt_add(&doubt, p->value[o], p->gradient[k], p->error[k], jstudy_sweep_unit(s, i, j),
                      s->model->objective[o].name, s->model->number[s->wrt[j]].path);
    }
  }
  jsens_doubt_warn(sweep->ctx, &doubt, s->model->path, NULL);
  for (int o = 0; o < s->nobjective; o++) {
    warn_of_doubts(s, o);
  }
}

jo_status jo_sweep_run(jo_sweep* sweep) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sweep);
  jo_status status = jstudy_sweep_run(sweep->sweep);
  if (status >= 0) warn_of_errors(sweep);
  return status;
}

// ---- what came out -------------------------------------------------------------------------------

jo_sweep_info jo_sweep_inspect(const jo_sweep* sweep) {
  JO_REQUIRE_OR((jo_sweep_info){0}, sweep);
  const jstudy_sweep* s = sweep->sweep;
  jo_sweep_info info = {.points = s->npoint,
                        .done = s->ndone,
                        .resumed = s->nresumed,
                        .parameters = s->nrange,
                        .objectives = s->nobjective,
                        .wrt = s->nw,
                        .is_sample = s->is_sample,
                        .workers = s->workers,
                        .sampling = (jo_sampling)s->sampling};
  if (s->method == JSENS_DIRECT) info.method = JO_SENS_DIRECT;
  if (s->method == JSENS_ADJOINT) info.method = JO_SENS_ADJOINT;
  for (int i = 0; i < s->npoint; i++) {
    info.failed += s->point[i].is_done && s->point[i].status < 0;
  }
  return info;
}

const char* jo_sweep_parameter_name(const jo_sweep* sweep, int i) {
  JO_REQUIRE_OR(NULL, sweep);
  const jstudy_sweep* s = sweep->sweep;
  return i >= 0 && i < s->nrange ? s->range[i].name : NULL;
}

const char* jo_sweep_objective_name(const jo_sweep* sweep, int i) {
  JO_REQUIRE_OR(NULL, sweep);
  const jstudy_sweep* s = sweep->sweep;
  return i >= 0 && i < s->nobjective ? s->model->objective[i].name : NULL;
}

const char* jo_sweep_wrt_name(const jo_sweep* sweep, int i) {
  JO_REQUIRE_OR(NULL, sweep);
  const jstudy_sweep* s = sweep->sweep;
  return i >= 0 && i < s->nw ? s->model->number[s->wrt[i]].path : NULL;
}

jo_status jo_sweep_point_at(const jo_sweep* sweep, int i, jo_sweep_point* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sweep, out);
  const jstudy_sweep* s = sweep->sweep;
  if (i < 0 || i >= s->npoint) return JO_ERR_ARGUMENT;
  const jstudy_sweep_point* p = &s->point[i];
  *out = (jo_sweep_point){.is_done = p->is_done,
                          .status = p->status,
                          .message = p->message ? p->message : "",
                          .parameter = s->x + (int64_t)i * s->nrange,
                          .value = p->value,
                          .gradient = p->gradient,
                          .gradient_error = p->error,
                          .events = p->events,
                          .evaluations = p->evaluations};
  return JO_OK;
}

const double* jo_sweep_parameters(const jo_sweep* sweep) {
  JO_REQUIRE_OR(NULL, sweep);
  return sweep->sweep->x;
}

int jo_sweep_column_count(const jo_sweep* sweep) {
  JO_REQUIRE_OR(0, sweep);
  return sweep->sweep->nobjective * (1 + 2 * sweep->sweep->nw);
}

const double* jo_sweep_rows(const jo_sweep* sweep) {
  JO_REQUIRE_OR(NULL, sweep);
  return sweep->sweep->npoint > 0 ? sweep->sweep->point[0].value : NULL;
}

jo_status jo_sweep_save(jo_context* ctx, jo_sweep* sweep, const char* path) {
  JO_REQUIRE(ctx, sweep, path);
  jstudy_sweep* s = sweep->sweep;
  JO_TRY(jreport_sweep(ctx, s, path));
  if (s->ndone == s->npoint) jstudy_sweep_forget(s);
  return JO_OK;
}
