// SPDX-License-Identifier: Apache-2.0
// The public face of sweeps.
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "jounce/sweep.h"
#include "plant/check/caution.h"
#include "report/sweep.h"
#include "sens/error/doubt.h"
#include "sens/error/plan.h"
#include "sens/error/verdict.h"

struct jo_sweep {
  jo_context* ctx;
  jsweep* sweep;
  jarena arena;          // of the cursor
  jsweep_cursor cursor;  // of those who look at points
  int (*progress)(void* user, int done);
  void* user;
  jo_team team;  // as given; the study's speaks to it
  jsweep_team within;
};

jo_sweep_options jo_sweep_options_default(void) {
  return (jo_sweep_options){.t_end_s = NAN, .tolerance = NAN, .step_s = NAN};
}

static bool tell(void* user, int done) {
  const jo_sweep* s = user;
  return s->progress(s->user, done) != 0;
}

static jo_status team_send(void* user, int to, const void* data, size_t size) {
  const jo_team* t = user;
  return t->send(t->user, to, data, size);
}

static bool team_poll(void* user, int* from, size_t* size) {
  const jo_team* t = user;
  return t->poll(t->user, from, size) != 0;
}

static jo_status team_receive(void* user, int from, void* data, size_t size) {
  const jo_team* t = user;
  return t->receive(t->user, from, data, size);
}

static jo_status join_team(jo_sweep* s, const jo_team* t) {
  if (!t) return JO_OK;
  if (!t->send || !t->poll || !t->receive || t->rank < 0 || t->rank >= t->size) {
    return jerr_set(s->ctx, JO_ERR_ARGUMENT,
                    "a team needs its three functions and a rank below its size");
  }
  s->team = *t;
  s->within = (jsweep_team){.rank = t->rank,
                            .size = t->size,
                            .neighbours = t->neighbours,
                            .user = &s->team,
                            .send = team_send,
                            .poll = team_poll,
                            .receive = team_receive};
  return JO_OK;
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
  JO_TRY(japi_check_device(ctx, opt->device));
  if ((unsigned)opt->sampling > JO_SAMPLING_RANDOM) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no such sampling");
  }
  if (opt->nsample < 0 || opt->workers < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "the numbers of points and workers cannot be negative");
  }
  return JO_OK;
}

static jo_status copy_design(jo_context* ctx, jarena* a, const jo_sweep_options* opt,
                             jsweep_options* o) {
  jsweep_range* range = JARENA_ARRAY(a, opt->nrange, jsweep_range);
  jsweep_correlation* c = JARENA_ARRAY(a, opt->ncorrelation, jsweep_correlation);
  if (!range || !c) return jerr_memory(ctx);
  for (int i = 0; i < opt->nrange; i++) {
    const jo_range* r = &opt->range[i];
    range[i] = (jsweep_range){.name = r->name,
                              .from = r->from,
                              .to = r->to,
                              .n = r->n,
                              .law = (jsweep_law_kind)r->law,
                              .mean = r->mean,
                              .deviation = r->deviation};
  }
  for (int i = 0; i < opt->ncorrelation; i++) {
    const jo_correlation* r = &opt->correlation[i];
    c[i] = (jsweep_correlation){r->first, r->second, r->value};
  }
  o->range = range;
  o->nrange = opt->nrange;
  o->nsample = opt->nsample;
  o->seed = opt->seed;
  o->sampling = (jsweep_sampling)opt->sampling;
  o->correlation = c;
  o->ncorrelation = opt->ncorrelation;
  o->has_indices = opt->indices != 0;
  return JO_OK;
}

static void copy_run(const jo_sweep_options* opt, jsweep_options* o) {
  o->method = opt->method == JO_SENS_DIRECT    ? JSWEEP_DIRECT
              : opt->method == JO_SENS_ADJOINT ? JSWEEP_ADJOINT
                                               : JSWEEP_AUTO;
  o->frozen = opt->frozen != 0;
  o->t_end = opt->t_end_s;
  o->tolerance = opt->tolerance;
  o->step = opt->step_s;
  o->workers = opt->workers;
  o->journal = opt->journal;
  o->restart = opt->restart != 0;
  o->stream = opt->stream != 0;
  o->side_by_side = opt->batch != 0;
  o->device = japi_device(opt->device);
  o->fused = opt->fused != 0;
  o->single = opt->single != 0;
}

static jo_status build_in(jo_sweep* s, jarena* a, const jo_system* system,
                          const jo_sweep_options* opt) {
  jsweep_options o = jsweep_options_default();
  JO_TRY(copy_design(s->ctx, a, opt, &o));
  copy_run(opt, &o);
  o.settings = japi_system_settings(a, system);
  if (!o.settings) return jerr_memory(s->ctx);
  if (opt->progress) o.progress = tell;
  if (opt->team) o.team = &s->within;
  o.user = s;
  return jsweep_create(s->ctx, system->motion, system->p, &o, &s->sweep);
}

static jo_status build(jo_sweep* s, const jo_system* system, const jo_sweep_options* opt) {
  JO_TRY(check(s->ctx, opt));
  JO_TRY(join_team(s, opt->team));
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
  jarena_init(&s->arena, ctx);
  jo_status status = build(s, system, opt);
  if (status >= 0) status = jsweep_look(ctx, &s->arena, s->sweep, &s->cursor);
  if (status < 0) {
    jo_sweep_destroy(s);
    return status;
  }
  *out = s;
  return status;
}

void jo_sweep_destroy(jo_sweep* sweep) {
  if (!sweep) return;
  jsweep_destroy(sweep->sweep);
  jarena_free(&sweep->arena);
  jmem_free(sweep->ctx, sweep);
}

static void add_derivatives(const jsweep* s, const jsweep_point* p, const double* x,
                            jsens_doubt* d) {
  for (int k = 0; k < s->nobjective * s->nw; k++) {
    int o = k / s->nw, j = k % s->nw;
    jsens_doubt_add(d, p->value[o], p->gradient[k], p->error[k], jsweep_unit(s, x, j),
                    s->model->objective[o].name, s->model->number[s->wrt[j]].path);
  }
}

static jo_status warn_of_doubts(jo_sweep* sweep, jarena* a) {
  const jsweep* s = sweep->sweep;
  const jsolve_options* solve = &s->run.solve;
  jsens_doubt derivative = {.wanted = jsens_plan_tolerance(&s->run),
                            .is_fixed = jsolve_method_about(solve->method)->is_fixed};
  jsens_verdicts values;
  int points = 0;
  JO_TRY(jsens_verdicts_begin(a, s->sens, solve, &values));
  for (int i = 0; i < s->npoint; i++) {
    const jsweep_point* p;
    const double* x;
    JO_TRY(jsweep_at(&sweep->cursor, i, &p, &x));
    if (!p->is_done || p->status < 0) continue;
    points++;
    // what single precision costs is told by jo_sweep_inspect()
    if (!s->single.is_single) add_derivatives(s, p, x, &derivative);
    jsens_verdicts_add(&values, &p->verdict, p->value);
  }
  if (values.near > 0) derivative.singular_tol = solve->rel_tol;
  jsens_doubt_warn(sweep->ctx, &derivative, s->model->path);
  jsens_verdicts_warn(sweep->ctx, &values, points);
  return JO_OK;
}

// Of values and starts of points that a model would be warned of.
static jo_status warn_of_points(jo_sweep* sweep, jarena* a) {
  const jsweep* s = sweep->sweep;
  double* values = JARENA_ARRAY(a, s->sens->plant->dynamics->np, double);
  jplant_caution c;
  if (!values) return jerr_memory(s->ctx);
  JO_TRY(jplant_caution_begin(sweep->ctx, a, s->sens->plant, s->p, &c));
  for (int i = 0; i < s->npoint; i++) {
    const jsweep_point* p;
    const double* x;
    JO_TRY(jsweep_at(&sweep->cursor, i, &p, &x));
    if (!p->is_done || p->status < 0) continue;
    unsigned wheels = p->verdict.wheels;
    if (jplant_caution_needs_values(&c, wheels)) jsweep_values(s, x, values);
    JO_TRY(jplant_caution_add_point(&c, s->sens->plant, values, i, wheels));
  }
  return jplant_caution_end(&c);
}

// Rank 0 of the team has what came out.
static bool is_elsewhere(const jsweep* s) {
  return s->team && s->team->rank > 0;
}

jo_status jo_sweep_run(jo_sweep* sweep) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sweep);
  JO_TRY(jsweep_run(sweep->sweep));
  if (is_elsewhere(sweep->sweep)) return JO_OK;
  jarena a;
  jarena_init(&a, sweep->ctx);
  jo_status status = warn_of_points(sweep, &a);
  if (status >= 0) status = warn_of_doubts(sweep, &a);
  jarena_free(&a);
  return status;
}

// ---- what came out -------------------------------------------------------------------------------

jo_sweep_info jo_sweep_inspect(const jo_sweep* sweep) {
  JO_REQUIRE_OR((jo_sweep_info){0}, sweep);
  const jsweep* s = sweep->sweep;
  jo_sweep_info info = {.points = s->npoint,
                        .done = s->ndone,
                        .failed = s->nfailed,
                        .resumed = s->nresumed,
                        .parameters = s->nrange,
                        .objectives = s->nobjective,
                        .wrt = s->nw,
                        .is_sample = s->is_sample,
                        .workers = s->batch ? s->batch->opt.workers : s->workers,
                        .sampling = (jo_sampling)s->sampling,
                        .is_single = s->single.is_single,
                        .checked = s->single.checked,
                        .value_error = s->single.value_error,
                        .gradient_error = s->single.gradient_error,
                        .computed = s->ncomputed,
                        .waited_s = s->waited_s};
  if (s->method == JSENS_DIRECT) info.method = JO_SENS_DIRECT;
  if (s->method == JSENS_ADJOINT) info.method = JO_SENS_ADJOINT;
  return info;
}

const char* jo_sweep_parameter_name(const jo_sweep* sweep, int i) {
  JO_REQUIRE_OR(NULL, sweep);
  const jsweep* s = sweep->sweep;
  return i >= 0 && i < s->nrange ? s->range[i].name : NULL;
}

const char* jo_sweep_objective_name(const jo_sweep* sweep, int i) {
  JO_REQUIRE_OR(NULL, sweep);
  const jsweep* s = sweep->sweep;
  return i >= 0 && i < s->nobjective ? s->model->objective[i].name : NULL;
}

const char* jo_sweep_wrt_name(const jo_sweep* sweep, int i) {
  JO_REQUIRE_OR(NULL, sweep);
  const jsweep* s = sweep->sweep;
  return i >= 0 && i < s->nw ? s->model->number[s->wrt[i]].path : NULL;
}

int jo_sweep_point_count(const jo_sweep* sweep) {
  JO_REQUIRE_OR(0, sweep);
  return is_elsewhere(sweep->sweep) ? 0 : sweep->sweep->npoint;
}

jo_status jo_sweep_point_at(const jo_sweep* sweep, int i, jo_sweep_point* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sweep, out);
  const jsweep* s = sweep->sweep;
  if (i < 0 || i >= s->npoint || is_elsewhere(s)) return JO_ERR_ARGUMENT;
  const jsweep_point* p;
  const double* x;
  JO_TRY(jsweep_at((jsweep_cursor*)&sweep->cursor, i, &p, &x));
  *out = (jo_sweep_point){.is_done = p->is_done,
                          .status = p->status,
                          .message = p->message ? p->message : "",
                          .parameter = x,
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
  return sweep->sweep->point ? sweep->sweep->point[0].value : NULL;
}

jo_status jo_sweep_statistics(jo_sweep* sweep) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sweep);
  if (is_elsewhere(sweep->sweep)) {
    return jerr_set(sweep->ctx, JO_ERR_ARGUMENT, "rank 0 of the team has what came out");
  }
  return jsweep_statistics(sweep->sweep);
}

int jo_sweep_statistic_count(const jo_sweep* sweep) {
  JO_REQUIRE_OR(0, sweep);
  return sweep->sweep->statistic ? sweep->sweep->nobjective : 0;
}

jo_status jo_sweep_statistic_at(const jo_sweep* sweep, int objective, jo_statistic* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sweep, out);
  const jsweep* s = sweep->sweep;
  if (!s->statistic || objective < 0 || objective >= s->nobjective) return JO_ERR_ARGUMENT;
  const jsweep_statistic* t = &s->statistic[objective];
  *out = (jo_statistic){.points = t->n,
                        .mean = t->mean,
                        .mean_error = t->mean_error,
                        .deviation = t->deviation,
                        .deviation_error = t->deviation_error,
                        .least = t->least,
                        .most = t->most,
                        .quantiles = JSWEEP_QUANTILES,
                        .share = jsweep_quantile_share,
                        .quantile = t->quantile,
                        .rank_error = t->rank_error,
                        .first = t->first,
                        .first_error = t->first_error,
                        .total = t->total,
                        .total_error = t->total_error,
                        .slope = t->slope,
                        .slope_error = t->slope_error,
                        .bound = t->bound,
                        .bound_error = t->bound_error};
  return JO_OK;
}

jo_status jo_sweep_save(jo_context* ctx, jo_sweep* sweep, const char* path) {
  JO_REQUIRE(ctx, sweep, path);
  jsweep* s = sweep->sweep;
  if (is_elsewhere(s)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: rank 0 of the team has what came out", path);
  }
  JO_TRY(jreport_sweep(ctx, s, path));
  if (s->ndone == s->npoint) jsweep_forget(s);
  return JO_OK;
}
