// SPDX-License-Identifier: Apache-2.0
// Sweeps: check what is asked for and prepare it once.
#include "sweep/sweep.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/system/process.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "plant/check/limits.h"
#include "plant/options.h"
#include "sens/error/metric.h"
#include "sweep/parts.h"

jsweep_options jsweep_options_default(void) {
  return (jsweep_options){.t_end = NAN, .tolerance = NAN, .step = NAN};
}

// ---- names ---------------------------------------------------------------------------------------

static bool is_listed(const int* list, int n, int i) {
  for (int k = 0; k < n; k++) {
    if (list[k] == i) return true;
  }
  return false;
}

static jo_status find_parameters(jsweep* s) {
  const jmodel* m = s->model;
  s->parameter = JARENA_ARRAY(&s->arena, s->nrange, int);
  if (!s->parameter) return jerr_memory(s->ctx);
  for (int i = 0; i < s->nrange; i++) {
    const char* name = s->range[i].name;
    JO_TRY(jmodel_number_named(s->ctx, m, name, &s->parameter[i]));
    const jmodel_number* number = &m->number[s->parameter[i]];
    if (!number->is_parameter) {
      return jerr_set(s->ctx, JO_ERR_ARGUMENT,
                      "%s:%d: '%s' cannot vary in a sweep, only parameters can; declare one under "
                      "'parameters:' and use it here",
                      number->place.file, number->place.line, name);
    }
    if (is_listed(s->parameter, i, s->parameter[i])) {
      return jerr_set(s->ctx, JO_ERR_ARGUMENT, "parameter '%s' is given twice", name);
    }
  }
  return JO_OK;
}

// ---- preparation ---------------------------------------------------------------------------------

static jo_status check_model(jo_context* ctx, const jmodel* m) {
  if (m->nobjective == 0) {
    return jerr_set(ctx, JO_ERR_MODEL, "%s: no objective to compute; name one under 'objectives:'",
                    m->path);
  }
  return JO_OK;
}

static jo_status set_run(jsweep* s, const jsweep_options* opt) {
  s->run = jsens_options_default(s->model);
  s->run.frozen = opt->frozen;
  jplant_simulate_options o = jplant_simulate_options_default();
  jplant_simulate_used used;
  o.t_end = opt->t_end;
  o.rel_tol = o.abs_tol = opt->tolerance;
  o.step = opt->step;
  JO_TRY(jplant_options_choose(s->ctx, s->model, &o, s->nw > 0, &used, &s->run.solve));
  s->run.t_end = used.t_end;
  return JO_OK;
}

// Before they are laid out: there may be too many to count.
static double points_asked_for(const jsweep* s, const jsweep_options* opt) {
  double points = opt->nsample;
  if (opt->nsample > 0) return opt->has_indices ? points * (s->nrange + 2) : points;
  points = 1.0;
  for (int i = 0; i < s->nrange; i++) {
    points *= s->range[i].n;
  }
  return points;
}

// All points are in memory: their places, values, derivatives and errors; or where they are in the journal.
static jo_status check_size(const jsweep* s, const jsweep_options* opt) {
  double points = points_asked_for(s, opt), objectives = s->model->nobjective;
  double numbers = s->nrange + objectives * (2.0 * s->nw + 1.0);
  double each =
      numbers * sizeof(double) + objectives * sizeof(jsens_value_doubt) + sizeof(jsweep_point);
  if (opt->stream) each = sizeof(int64_t);
  char what[64];
  jformat(what, sizeof what, "%.4g points", points);
  return jplant_check_memory(s->ctx, s->model, points * each, what);
}

static jo_status keep_correlations(jsweep* s, const jsweep_options* opt) {
  jsweep_correlation* c = JARENA_ARRAY(&s->arena, opt->ncorrelation, jsweep_correlation);
  if (!c) return jerr_memory(s->ctx);
  for (int i = 0; i < opt->ncorrelation; i++) {
    c[i] = opt->correlation[i];
    c[i].first = jarena_strdup(&s->arena, c[i].first);
    c[i].second = jarena_strdup(&s->arena, c[i].second);
    if (!c[i].first || !c[i].second) return jerr_memory(s->ctx);
  }
  s->correlation = c;
  s->ncorrelation = opt->ncorrelation;
  return JO_OK;
}

static jo_status lay_out(jsweep* s, const jsweep_options* opt) {
  s->is_sample = opt->nsample != 0;
  s->sampling = opt->sampling;
  s->seed = opt->seed;
  s->has_indices = opt->has_indices;
  JO_TRY(check_size(s, opt));
  JO_TRY(keep_correlations(s, opt));
  jsweep_design_options design = {.range = s->range,
                                  .nrange = s->nrange,
                                  .nsample = opt->nsample,
                                  .sampling = opt->sampling,
                                  .seed = opt->seed,
                                  .correlation = opt->correlation,
                                  .ncorrelation = opt->ncorrelation,
                                  .has_indices = opt->has_indices};
  JO_TRY(jsweep_design_create(s->ctx, &s->arena, &design, &s->design));
  s->npoint = jsweep_design_count(s->design);
  return JO_OK;
}

static jsens_method choose_method(const jsweep* s, jsweep_method wish, bool side_by_side) {
  if (s->nw == 0) return JSENS_VALUE;
  if (wish == JSWEEP_DIRECT) return JSENS_DIRECT;
  if (wish == JSWEEP_ADJOINT) return JSENS_ADJOINT;
  if (side_by_side && s->sens->tangents) return JSENS_DIRECT;
  if (!s->sens->tangents) return JSENS_ADJOINT;
  if (!s->sens->adjoints) return JSENS_DIRECT;
  return jsens_cheaper(s->model->nintegrated, s->nw);
}

static jo_status allocate_points(jsweep* s) {
  size_t n = (size_t)s->nobjective, each = n * (size_t)(2 * s->nw + 1);
  s->point = JARENA_ARRAY(&s->arena, s->npoint, jsweep_point);
  double* number = jarena_array(&s->arena, (size_t)s->npoint, each * sizeof *number);
  jsens_value_doubt* doubt = jarena_array(&s->arena, (size_t)s->npoint, n * sizeof *doubt);
  s->x = jarena_array(&s->arena, (size_t)s->npoint, (size_t)s->nrange * sizeof *s->x);
  if (!s->point || !number || !doubt || !s->x) return jerr_memory(s->ctx);
  for (int i = 0; i < s->npoint; i++) {
    jsweep_place(s, &s->point[i], number + (size_t)i * each, doubt + (size_t)i * n);
    jsweep_design_at(s->design, i, s->x + (int64_t)i * s->nrange);
  }
  return JO_OK;
}

// Points are where they are looked for: in memory, in the journal, or in another process.
static jo_status allocate(jsweep* s, const jsweep_options* opt) {
  if (s->team && s->team->rank > 0) return JO_OK;
  if (!opt->stream) return allocate_points(s);
  if (!opt->journal) {
    return jerr_set(s->ctx, JO_ERR_ARGUMENT, "results that are streamed need a journal to stay in");
  }
  s->at = JARENA_ARRAY(&s->arena, s->npoint, int64_t);
  return s->at ? JO_OK : jerr_memory(s->ctx);
}

// ---- what the work is ------------------------------------------------------------------------------

static void describe_design(const jsweep* s, jtext* t) {
  jtext_printf(t, "design %s %d %d %llu\n",
               s->is_sample ? jsweep_sampling_name(s->sampling) : "grid", s->npoint, s->has_indices,
               (unsigned long long)s->seed);
  for (int i = 0; i < s->nrange; i++) {
    const jsweep_range* r = &s->range[i];
    jtext_printf(t, "%s %a %a %d %d %a %a\n", r->name, r->from, r->to, s->is_sample ? 0 : r->n,
                 (int)r->law, r->mean, r->deviation);
  }
  for (int i = 0; i < s->ncorrelation; i++) {
    const jsweep_correlation* c = &s->correlation[i];
    jtext_printf(t, "correlation %s %s %a\n", c->first, c->second, c->value);
  }
}

// Those that are asked for, where they are not all of the model.
static void describe_objectives(const jsweep* s, jtext* t) {
  const jmodel* m = s->model;
  bool is_all = m->nobjective == m->nintegrated;
  for (int i = 0; i < m->nobjective; i++) {
    is_all = is_all && m->objective[i].integral == i;
  }
  for (int i = 0; !is_all && i < m->nobjective; i++) {
    jtext_printf(t, "objective %s\n", m->objective[i].name);
  }
}

// All that the results depend on, as text: what has the same key has the same results.
static void describe(const jsweep* s, jtext* t) {
  const jsolve_options* o = &s->run.solve;
  jtext_printf(t, "jounce %s\nmodel %s\nsettings %s\n", jo_version(), s->model->sha256,
               s->settings);
  jtext_printf(t, "solve %d %d %d %lld %a %a %a %a %a %a\n", (int)o->method, o->locate_events,
               o->max_events, (long long)o->max_steps, o->rel_tol, o->abs_tol, o->step, o->max_step,
               s->run.t_start, s->run.t_end);
  jtext_printf(t, "doubts with causes, derivatives with errors %d %d %d %a %a", (int)s->method,
               s->run.frozen, s->run.max_states, s->run.derivative_tol, o->shortest_pulse);
  for (int i = 0; i < s->nw; i++) {
    jtext_printf(t, " %s", s->model->number[s->wrt[i]].path);
  }
  jtext_printf(t, "\nkernels %d\n", (int)s->sens->plant->kernels->set->backend);
  describe_objectives(s, t);
  if (s->batch) jtext_printf(t, "side by side, fused %d\n", s->batch->opt.fused);
  if (s->single.is_single) jtext_put(t, "single precision\n");
  describe_design(s, t);
}

static jo_status find_key(jsweep* s) {
  jtext t;
  jtext_init(&t, s->ctx);
  describe(s, &t);
  jo_status status = t.failed ? jerr_memory(s->ctx) : JO_OK;
  if (status >= 0) {
    jsha256 sum;
    jsha256_init(&sum);
    jsha256_add(&sum, t.data, t.length);
    jsha256_finish(&sum, s->key);
  }
  jtext_free(&t);
  return status;
}

// ---- a sweep -------------------------------------------------------------------------------------

static jo_status prepare(jsweep* s, const jsweep_options* opt) {
  s->nrange = opt->nrange;
  s->range = JARENA_ARRAY(&s->arena, opt->nrange, jsweep_range);
  s->settings = jarena_strdup(&s->arena, opt->settings ? opt->settings : "");
  if (!s->range || !s->settings) return jerr_memory(s->ctx);
  for (int i = 0; i < opt->nrange; i++) {
    s->range[i] = opt->range[i];
    s->range[i].name = jarena_strdup(&s->arena, opt->range[i].name);
    if (!s->range[i].name) return jerr_memory(s->ctx);
  }
  JO_TRY(check_model(s->ctx, s->model));
  JO_TRY(find_parameters(s));
  JO_TRY(jsens_check_numbers(s->ctx, s->sens));
  JO_TRY(set_run(s, opt));
  JO_TRY(lay_out(s, opt));
  s->method = choose_method(s, opt->method, opt->side_by_side);
  JO_TRY(jsens_check_method(s->ctx, s->sens, s->method));
  if (opt->side_by_side) JO_TRY(jsweep_use_lanes(s, opt));
  JO_TRY(find_key(s));
  JO_TRY(allocate(s, opt));
  JO_TRY(jsweep_recall(s, opt));
  return jsweep_judge_single(s);
}

// Processes on one machine share its processors.
static int own_processors(const jsweep_team* team) {
  int n = jproc_cpu_count() / (team && team->neighbours > 0 ? team->neighbours : 1);
  return n > 0 ? n : 1;
}

jo_status jsweep_create(jo_context* ctx, const jsens* sens, const double* p,
                        const jsweep_options* opt, jsweep** out) {
  *out = NULL;
  jsweep* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jsweep){.ctx = ctx, .sens = sens, .p = p, .model = sens->plant->model};
  s->progress = opt->progress;
  s->user = opt->user;
  s->wrt = sens->wrt;
  s->nw = sens->nw;
  s->nobjective = sens->plant->dynamics->nobjective;
  s->team = opt->team;
  s->workers = opt->workers > 0 ? opt->workers : own_processors(opt->team);
  s->evaluator = opt->evaluator ? *opt->evaluator : jsweep_runs;
  jarena_init(&s->arena, ctx);
  jo_status status = prepare(s, opt);
  if (status < 0) {
    jsweep_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

double jsweep_unit(const jsweep* s, const double* x, int j) {
  for (int k = 0; k < s->nrange; k++) {
    if (s->parameter[k] == s->wrt[j]) return jsens_size_at(s->model, s->wrt[j], x[k]);
  }
  return jsens_unit(s->sens, s->p, j);
}

void jsweep_destroy(jsweep* s) {
  if (!s) return;
  for (int i = 0; s->point && i < s->npoint; i++) {
    jmem_free(s->ctx, s->point[i].message);
  }
  jbatch_destroy(s->batch);
  jjournal_close(s->journal);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}
