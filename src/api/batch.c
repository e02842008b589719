// SPDX-License-Identifier: Apache-2.0
// The public face of batches.
#include "batch/batch.h"

#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "batch/doubt.h"
#include "jounce/batch.h"
#include "plant/check/caution.h"
#include "plant/options.h"

enum { SAMPLE = 3 };  // points of the first run whose values are checked

struct jo_batch {
  jo_context* ctx;
  jarena arena;
  const jmodel* model;
  jbatch* batch;
  int* number;   // parameters that vary (of the options)
  int* history;  // outputs that have one (of the options)
  const jmodel** road;
  bool is_checked;
  int (*progress)(void* user, int done);
  void* user;
};

jo_batch_options jo_batch_options_default(void) {
  return (jo_batch_options){.method = JO_METHOD_OF_MODEL,
                            .t_end_s = NAN,
                            .tolerance = NAN,
                            .step_s = NAN,
                            .history_step_s = NAN};
}

jo_status japi_check_device(jo_context* ctx, jo_batch_device device) {
  if ((unsigned)device <= JO_BATCH_AUTO) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no such device of batches");
}

jbatch_device japi_device(jo_batch_device device) {
  static const jbatch_device of[] = {[JO_BATCH_CPU] = JBATCH_DEVICE_CPU,
                                     [JO_BATCH_CUDA] = JBATCH_DEVICE_CUDA,
                                     [JO_BATCH_AUTO] = JBATCH_DEVICE_AUTO};
  return of[device];
}

static bool tell(void* user, int done) {
  const jo_batch* b = user;
  return b->progress(b->user, done) != 0;
}

static jo_status find_parameters(jo_batch* b, const jo_batch_options* opt) {
  JO_REQUIRE_LIST(b->ctx, opt->parameter, opt->nparameter);
  b->number = JARENA_ARRAY(&b->arena, opt->nparameter, int);
  if (!b->number) return jerr_memory(b->ctx);
  for (int i = 0; i < opt->nparameter; i++) {
    if (!opt->parameter[i]) {
      return jerr_set(b->ctx, JO_ERR_ARGUMENT, "parameter %d has no name", i + 1);
    }
    JO_TRY(jmodel_number_named(b->ctx, b->model, opt->parameter[i], &b->number[i]));
    for (int k = 0; k < i; k++) {
      if (b->number[k] != b->number[i]) continue;
      return jerr_set(b->ctx, JO_ERR_ARGUMENT, "parameter '%s' is given twice", opt->parameter[i]);
    }
  }
  return JO_OK;
}

static jo_status find_outputs(jo_batch* b, const jo_system* system, const jo_batch_options* opt) {
  const jgen_dynamics* d = system->motion->plant->dynamics;
  JO_REQUIRE_TEXTS(b->ctx, opt->history, opt->nhistory);
  b->history = JARENA_ARRAY(&b->arena, opt->nhistory, int);
  if (!b->history) return jerr_memory(b->ctx);
  for (int i = 0; i < opt->nhistory; i++) {
    int* at = &b->history[i];
    while (*at < d->noutput && strcmp(d->output_name[*at], opt->history[i]) != 0)
      (*at)++;
    if (*at < d->noutput) continue;
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "no output is named '%.80s'", opt->history[i]);
  }
  return JO_OK;
}

static jo_status find_roads(jo_batch* b, const jo_batch_options* opt) {
  JO_REQUIRE_LIST(b->ctx, opt->road, opt->nroad);
  b->road = JARENA_ARRAY(&b->arena, opt->nroad, const jmodel*);
  if (!b->road) return jerr_memory(b->ctx);
  for (int i = 0; i < opt->nroad; i++) {
    if (!opt->road[i]) return jerr_set(b->ctx, JO_ERR_ARGUMENT, "road %d is NULL", i);
    b->road[i] = opt->road[i]->model;
  }
  return JO_OK;
}

static bool is_adjoint(const jo_system* system, const jo_batch_options* opt) {
  if (opt->gradient_method != JO_SENS_AUTO) return opt->gradient_method == JO_SENS_ADJOINT;
  return !system->motion->tangents;
}

// What the options and the model come to.
static jo_status choose(jo_batch* b, const jo_system* system, const jo_batch_options* opt,
                        jbatch_options* out) {
  jplant_simulate_options o = jplant_simulate_options_default();
  jplant_simulate_used used;
  o.method = opt->method;
  o.t_end = opt->t_end_s;
  o.rel_tol = o.abs_tol = opt->tolerance;
  o.step = opt->step_s;
  o.output_step = opt->history_step_s;
  *out = jbatch_options_default(b->model);
  out->gradient = opt->gradient != 0;
  JO_TRY(jplant_options_choose(b->ctx, b->model, &o, out->gradient, &used, &out->run.solve));
  out->run.t_end = used.t_end;
  out->run.p = system->p;
  out->number = b->number;
  out->nnumber = opt->nparameter;
  out->adjoint = opt->gradient && is_adjoint(system, opt);
  out->outputs = opt->outputs != 0;
  out->history = b->history;
  out->nhistory = opt->nhistory;
  out->history_step = used.output_step;
  out->road = b->road;
  out->nroad = opt->nroad;
  out->lanes = opt->lanes;
  out->workers = opt->workers;
  out->device = japi_device(opt->device);
  out->fused = opt->fused != 0;
  out->single = opt->single != 0;
  if (opt->progress) out->progress = tell;
  out->user = b;
  return JO_OK;
}

static jo_status build(jo_batch* b, const jo_system* system, const jo_batch_options* opt) {
  if (opt->nparameter < 0 || opt->nhistory < 0 || opt->nroad < 0 || opt->lanes < 0 ||
      opt->workers < 0) {
    return jerr_set(
        b->ctx, JO_ERR_ARGUMENT,
        "the numbers of parameters, histories, roads, lanes and workers cannot be negative");
  }
  JO_TRY(japi_check_device(b->ctx, opt->device));
  if (!system->motion) return japi_system_fail(b->ctx, system, JO_USE_RUNS);
  if ((unsigned)opt->gradient_method > JO_SENS_ADJOINT) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "there is no such method of derivatives");
  }
  if (opt->gradient && !system->motion->tangents && !system->motion->adjoints) {
    return japi_system_fail(b->ctx, system, JO_USE_DERIVATIVES);
  }
  b->model = system->motion->plant->model;
  jbatch_options o;
  JO_TRY(find_parameters(b, opt));
  JO_TRY(find_outputs(b, system, opt));
  JO_TRY(find_roads(b, opt));
  JO_TRY(choose(b, system, opt, &o));
  return jbatch_create(b->ctx, system->motion, &o, &b->batch);
}

jo_status jo_batch_create(jo_context* ctx, const jo_system* system, const jo_batch_options* opt,
                          jo_batch** out) {
  JO_REQUIRE_OUT(out, ctx, system, opt);
  jo_batch* b = jmem_resize(ctx, NULL, sizeof *b);
  if (!b) return jerr_memory(ctx);
  *b = (jo_batch){.ctx = ctx, .progress = opt->progress, .user = opt->user};
  jarena_init(&b->arena, ctx);
  jo_status status = build(b, system, opt);
  if (status < 0) {
    jo_batch_destroy(b);
    return status;
  }
  *out = b;
  return status;
}

void jo_batch_destroy(jo_batch* batch) {
  if (!batch) return;
  jbatch_destroy(batch->batch);
  jarena_free(&batch->arena);
  jmem_free(batch->ctx, batch);
}

// Of values and starts of points that a model would be warned of.
static jo_status warn_of_points(const jo_batch* batch, jarena* a, int n, const double* x) {
  const jbatch* b = batch->batch;
  const jplant* p = b->sens->plant;
  double* values = JARENA_ARRAY(a, p->dynamics->np, double);
  jplant_caution c;
  if (!values) return jerr_memory(batch->ctx);
  JO_TRY(jplant_caution_begin(batch->ctx, a, p, b->opt.run.p, &c));
  for (int i = 0; i < n; i++) {
    const jbatch_point* at = &b->point[i];
    if (at->way == JBATCH_WAY_NONE || at->status < 0) continue;
    if (jplant_caution_needs_values(&c, at->wheels)) {
      jbatch_set_values(b, x + (int64_t)i * b->opt.nnumber, values);
    }
    const jplant* on = jbatch_sens_on(b, at->road)->plant;
    JO_TRY(jplant_caution_add_point(&c, on, values, i, at->wheels));
  }
  return jplant_caution_end(&c);
}

static jo_status check_sample(jo_batch* batch, jarena* a, const int* sample, int n,
                              const double* x) {
  jbatch* b = batch->batch;
  jsens_verdict v[SAMPLE] = {{0}};
  jsens_verdicts all;
  for (int k = 0; k < n; k++) {
    v[k].value = JARENA_ARRAY(a, b->nobjective, jsens_value_doubt);
    if (!v[k].value) return jerr_memory(batch->ctx);
  }
  JO_TRY(jbatch_check(b, x, sample, n, v));
  JO_TRY(jsens_verdicts_begin(a, b->sens, &b->opt.run.solve, &all));
  for (int k = 0; k < n; k++) {
    jsens_verdicts_add(&all, &v[k], b->value + (int64_t)sample[k] * b->nobjective);
  }
  jsens_verdicts_warn(batch->ctx, &all, b->n);
  return JO_OK;
}

// Of the first run, its first, middle and last point: batches run again and again, and with the same steps.
static jo_status warn_of_values(jo_batch* batch, jarena* a, int n, const double* x) {
  int sample[SAMPLE], found = 0;
  if (batch->is_checked || n == 0) return JO_OK;
  batch->is_checked = true;
  for (int k = 0; k < SAMPLE; k++) {
    int i = (int)((int64_t)k * (n - 1) / (SAMPLE - 1));
    if (found == 0 || sample[found - 1] < i) sample[found++] = i;
  }
  return check_sample(batch, a, sample, found, x);
}

static jo_status run(jo_batch* batch, int n, const double* x, const int* road) {
  JO_TRY(jbatch_run_on(batch->batch, n, x, road));
  jarena a;
  jarena_init(&a, batch->ctx);
  jo_status status = warn_of_points(batch, &a, n, x);
  if (status >= 0) status = warn_of_values(batch, &a, n, x);
  jarena_free(&a);
  return status;
}

jo_status jo_batch_run(jo_batch* batch, int n, const double* x) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, batch, x);
  if (n < 0) {
    return jerr_set(batch->ctx, JO_ERR_ARGUMENT, "the number of points cannot be negative");
  }
  return run(batch, n, x, NULL);
}

jo_status jo_batch_run_on(jo_batch* batch, int n, const double* x, const int* road) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, batch, x, road);
  if (n < 0) {
    return jerr_set(batch->ctx, JO_ERR_ARGUMENT, "the number of points cannot be negative");
  }
  return run(batch, n, x, road);
}

// ---- what came out -------------------------------------------------------------------------------

jo_batch_info jo_batch_inspect(const jo_batch* batch) {
  JO_REQUIRE_OR((jo_batch_info){0}, batch);
  const jbatch* b = batch->batch;
  jo_batch_info info = {.points = b->n,
                        .parameters = b->opt.nnumber,
                        .objectives = b->nobjective,
                        .wrt = b->nw,
                        .outputs = b->noutput,
                        .histories = b->opt.nhistory,
                        .times = b->nrow,
                        .roads = b->opt.nroad,
                        .device = b->device ? JO_BATCH_CUDA : JO_BATCH_CPU,
                        .lanes = b->march ? b->march->lanes : 0,
                        .why_alone = b->why_alone,
                        .checked = b->nsample,
                        .value_error = b->value_error,
                        .gradient_error = b->gradient_error};
  for (int i = 0; i < b->n; i++) {
    info.done += b->point[i].way != JBATCH_WAY_NONE;
    info.alone += b->point[i].way == JBATCH_WAY_ALONE;
    info.failed += b->point[i].status < 0;
  }
  return info;
}

const char* jo_batch_parameter_name(const jo_batch* batch, int i) {
  JO_REQUIRE_OR(NULL, batch);
  bool is_there = i >= 0 && i < batch->batch->opt.nnumber;
  return is_there ? batch->model->number[batch->number[i]].path : NULL;
}

const char* jo_batch_objective_name(const jo_batch* batch, int i) {
  JO_REQUIRE_OR(NULL, batch);
  return i >= 0 && i < batch->batch->nobjective ? batch->model->objective[i].name : NULL;
}

const char* jo_batch_wrt_name(const jo_batch* batch, int i) {
  JO_REQUIRE_OR(NULL, batch);
  const jbatch* b = batch->batch;
  return i >= 0 && i < b->nw ? batch->model->number[b->sens->wrt[i]].path : NULL;
}

const char* jo_batch_output_name(const jo_batch* batch, int i) {
  JO_REQUIRE_OR(NULL, batch);
  const jbatch* b = batch->batch;
  return i >= 0 && i < b->noutput ? b->sens->plant->dynamics->output_name[i] : NULL;
}

const char* jo_batch_history_name(const jo_batch* batch, int i) {
  JO_REQUIRE_OR(NULL, batch);
  const jbatch* b = batch->batch;
  if (i < 0 || i >= b->opt.nhistory) return NULL;
  return b->sens->plant->dynamics->output_name[b->history_output[i]];
}

const double* jo_batch_times(const jo_batch* batch) {
  JO_REQUIRE_OR(NULL, batch);
  return batch->batch->row_time;
}

// Row i of an array with so many numbers a point.
static const double* row(const double* x, int i, int64_t each) {
  return each > 0 ? x + i * each : NULL;
}

static int64_t history_size(const jbatch* b) {
  return (int64_t)b->nrow * b->opt.nhistory;
}

int jo_batch_point_count(const jo_batch* batch) {
  JO_REQUIRE_OR(0, batch);
  return batch->batch->n;
}

jo_status jo_batch_point_at(const jo_batch* batch, int i, jo_batch_point* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, batch, out);
  const jbatch* b = batch->batch;
  if (i < 0 || i >= b->n) return JO_ERR_ARGUMENT;
  const jbatch_point* p = &b->point[i];
  *out = (jo_batch_point){.is_done = p->way != JBATCH_WAY_NONE,
                          .status = p->status,
                          .message = p->message ? p->message : "",
                          .value = row(b->value, i, b->nobjective),
                          .gradient = row(b->gradient, i, b->nobjective * b->nw),
                          .output = row(b->output, i, b->noutput),
                          .history = row(b->history, i, history_size(b)),
                          .in_lanes = p->way == JBATCH_WAY_LANES,
                          .events = p->events,
                          .steps = p->steps};
  return JO_OK;
}

const double* jo_batch_values(const jo_batch* batch) {
  JO_REQUIRE_OR(NULL, batch);
  return batch->batch->n > 0 ? row(batch->batch->value, 0, batch->batch->nobjective) : NULL;
}

const double* jo_batch_gradients(const jo_batch* batch) {
  JO_REQUIRE_OR(NULL, batch);
  const jbatch* b = batch->batch;
  return b->n > 0 ? row(b->gradient, 0, b->nobjective * b->nw) : NULL;
}

const double* jo_batch_outputs(const jo_batch* batch) {
  JO_REQUIRE_OR(NULL, batch);
  return batch->batch->n > 0 ? row(batch->batch->output, 0, batch->batch->noutput) : NULL;
}

const double* jo_batch_histories(const jo_batch* batch) {
  JO_REQUIRE_OR(NULL, batch);
  const jbatch* b = batch->batch;
  return b->n > 0 ? row(b->history, 0, history_size(b)) : NULL;
}
