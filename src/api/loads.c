// SPDX-License-Identifier: Apache-2.0
// The public face of load prediction: runs, and what elements went through in them.
#include "jounce/loads.h"

#include <math.h>
#include <string.h>

#include "api/loads_handle.h"
#include "base/require.h"
#include "loads/surface.h"
#include "model/element.h"

#define DEGREES (180.0 / 3.14159265358979323846)

#define CONVERGED_TOLERANCE 1e-8
#define LEAST_TOLERANCE     1e-15
#define DEFAULT_RATE        500.0
#define BREAKDOWN           5.0    // loads this many times all before ...
#define BREAKDOWN_TIME      0.5    // ... this long before the end [s] mean nothing
#define ADAPTIVE_RATE       100.0  // longest step of the published adaptive runs: 0.01 s

// ---- preparation ---------------------------------------------------------------------------------

const char* jo_loads_driver_name(int i) {
  bool exists = i >= 0 && i < JSOLVE_LOAD_DRIVER_COUNT;
  return exists ? jsolve_load_driver_name((jsolve_load_driver)i) : NULL;
}

const char* jo_loads_driver_description(int i) {
  static const char* const text[] = {
#define X(id, name, about) about,
      JSOLVE_LOAD_DRIVER_LIST(X)
#undef X
  };
  return i >= 0 && i < JSOLVE_LOAD_DRIVER_COUNT ? text[i] : NULL;
}

static jo_status describe_elements(jo_loads* l) {
  const jmodel* m = l->model->model;
  int n = l->loads->ne;
  l->unit = JARENA_ARRAY(&l->arena, n + 1, const char*);
  l->coordinate = JARENA_ARRAY(&l->arena, n + 1, int);
  if (!l->unit || !l->coordinate) return jerr_memory(l->ctx);
  for (int e = 0; e < n; e++) {
    const jmodel_element* element = jmodel_element_of(m, e);
    l->unit[e] = element->class->unit(m, element, e - element->first_component);
    l->coordinate[e] = jloads_coordinate(l->loads, e);
  }
  return JO_OK;
}

jo_status jo_loads_create(jo_context* ctx, const jo_model* model, const jo_system_options* opt,
                          jo_loads** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jo_loads* l = jmem_resize(ctx, NULL, sizeof *l);
  if (!l) return jerr_memory(ctx);
  *l = (jo_loads){.ctx = ctx, .model = model};
  jarena_init(&l->arena, ctx);
  jkernel_options kernel = jkernel_options_default();
  if (opt && opt->interpreter) kernel.backend = JKERNEL_INTERP;
  jo_status status = jloads_create(ctx, model->model, &kernel, &l->loads);
  if (status >= 0) status = describe_elements(l);
  if (status < 0) {
    jo_loads_destroy(l);
    return status;
  }
  *out = l;
  return JO_OK;
}

void jo_loads_destroy(jo_loads* loads) {
  if (!loads) return;
  jloads_destroy(loads->loads);
  jarena_free(&loads->arena);
  jmem_free(loads->ctx, loads);
}

const char* japi_loads_coordinate(const jo_loads* l, int i) {
  const jgen_dynamics* d = l->loads->plant->dynamics;
  return i >= 0 && i < d->part.nu ? d->model->coordinate[d->part.u[i]].name : "";
}

// ---- options -------------------------------------------------------------------------------------

jo_loads_options jo_loads_options_default(void) {
  return (jo_loads_options){.driver = "subcycle",
                            .rate = NAN,
                            .t_end = NAN,
                            .tolerance = NAN,
                            .restitution = NAN,
                            .slope = 5.0,
                            .reference = 1.0};
}

static jo_status fail_option(jo_context* ctx, const char* what, double value) {
  return jerr_set(ctx, JO_ERR_ARGUMENT, "load prediction: %s %g is out of range", what, value);
}

static jo_status read_options(jo_context* ctx, jo_loads_result* r) {
  jo_loads_options* o = &r->opt;
  jloads_options* u = &r->used;
  if (!o->driver) o->driver = "subcycle";
  bool converged = strcmp(o->driver, JO_LOADS_CONVERGED) == 0;
  int driver = converged ? JSOLVE_LOAD_ADAPTIVE : jsolve_load_driver_find(o->driver);
  if (driver < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "load prediction: no driver '%.40s'; there are fixed, adaptive, impulsive, "
                    "subcycle",
                    o->driver);
  }
  // a name that outlives the caller's
  o->driver = converged ? JO_LOADS_CONVERGED : jsolve_load_driver_name((jsolve_load_driver)driver);
  *u = jloads_options_default(r->loads->model->model);
  u->solve.driver = (jsolve_load_driver)driver;
  if (isnan(o->rate)) o->rate = driver == JSOLVE_LOAD_ADAPTIVE ? ADAPTIVE_RATE : DEFAULT_RATE;
  if (isnan(o->tolerance)) o->tolerance = converged ? CONVERGED_TOLERANCE : u->solve.tolerance;
  if (isnan(o->t_end)) o->t_end = u->t_end;
  if (isnan(o->restitution)) o->restitution = u->solve.restitution;
  if (!(o->rate > 0.0) || !isfinite(o->rate)) return fail_option(ctx, "rate", o->rate);
  if (!(o->tolerance >= LEAST_TOLERANCE)) return fail_option(ctx, "tolerance", o->tolerance);
  if (!(o->slope > 0.0)) return fail_option(ctx, "slope", o->slope);
  if (!(o->reference > 0.0)) return fail_option(ctx, "reference", o->reference);
  if (!(o->t_end > u->t_start)) return fail_option(ctx, "end time", o->t_end);
  u->solve.step = 1.0 / o->rate;
  u->solve.tolerance = o->tolerance;
  u->solve.restitution = o->restitution;
  u->t_end = o->t_end;
  u->realtime = o->realtime != 0;
  return JO_OK;
}

// ---- runs ----------------------------------------------------------------------------------------

static bool is_plain(const jo_loads_result* r) {
  jsolve_load_driver d = r->used.solve.driver;
  return d == JSOLVE_LOAD_FIXED || d == JSOLVE_LOAD_ADAPTIVE;
}

static double largest_at(const jloads_result* s, int i) {
  const double* row = s->sample + (size_t)i * (size_t)(1 + s->ne);
  double F = 0.0;
  for (int e = 0; e < s->ne; e++) {
    F = isfinite(row[1 + e]) ? fmax(F, fabs(row[1 + e])) : INFINITY;
  }
  return F;
}

// A run that breaks down ends in loads that mean nothing. They count until they exceed by far all that
// were there a while before.
static int count_meaningful(const jloads_result* s) {
  if (s->is_complete) return s->nsample;
  double limit = 0.0;
  for (int i = 0; i < s->nsample; i++) {
    double t = s->sample[(size_t)i * (size_t)(1 + s->ne)], F = largest_at(s, i);
    if (t < s->t_end - BREAKDOWN_TIME) {
      limit = fmax(limit, F);
    } else if (F > BREAKDOWN * limit) {
      return i;
    }
  }
  return s->nsample;
}

// Plain drivers know their loads at the steps; the others between them too.
static jloads_history history(const jo_loads_result* r, int e) {
  const jloads_result* s = r->result;
  int width = 1 + s->ne, n = r->nmeaningful;
  return (jloads_history){.value = s->sample + 1 + e,
                          .n = n,
                          .stride = width,
                          .t = is_plain(r) ? NULL : s->sample,
                          .t_stride = width};
}

// Largest |load| outside of the element's events, which come in order of time.
static double smooth_peak(const jo_loads_result* r, int e, const jloads_history* h) {
  const jloads_result* s = r->result;
  double peak = 0.0;
  for (int i = 0, k = 0; i < h->n; i++) {
    double t = s->sample[(size_t)i * (size_t)h->stride];
    double F = h->value[(size_t)i * (size_t)h->stride];
    while (k < s->nevent && (s->event[k].element != e || s->event[k].event.t1 < t)) {
      k++;
    }
    bool inside = k < s->nevent && t >= s->event[k].event.t0;
    if (!inside && fabs(F) > fabs(peak)) peak = F;
  }
  return peak;
}

static jo_status describe(jo_context* ctx, jo_loads_result* r, int e) {
  jo_loads_element* out = &r->element[e];
  jloads_history h = history(r, e);
  *out = (jo_loads_element){.name = r->loads->loads->name[e], .unit = r->loads->unit[e]};
  out->peak = r->result->peak[e].value;
  out->t_peak = r->result->peak[e].t;
  if (h.n == 0) return JO_OK;
  if (is_plain(r) || !r->result->is_complete) {
    jloads_turning p = jloads_history_peak(&h);
    out->peak = p.value;
    out->t_peak = r->result->sample[(size_t)p.sample * (size_t)h.stride];
  }
  out->smooth_peak = smooth_peak(r, e, &h);
  out->smallest = out->largest = h.value[0];
  for (int i = 0; i < h.n; i++) {
    out->smallest = fmin(out->smallest, h.value[(size_t)i * (size_t)h.stride]);
    out->largest = fmax(out->largest, h.value[(size_t)i * (size_t)h.stride]);
  }
  jloads_rainflow c;
  JO_TRY(jloads_rainflow_count(ctx, &h, JLOADS_COUNT_RAINFLOW, &c));
  for (int i = 0; i < c.ncycle; i++) {
    out->cycles += c.cycle[i].count;
    out->largest_range = fmax(out->largest_range, c.cycle[i].range);
  }
  out->damage = jloads_rainflow_damage(&c, r->opt.slope, r->opt.reference);
  jloads_rainflow_free(&c);
  return JO_OK;
}

static jo_status evaluate_run(jo_context* ctx, jo_loads_result* r) {
  r->element = JARENA_ARRAY(&r->arena, r->result->ne + 1, jo_loads_element);
  r->doubt = JARENA_ARRAY(&r->arena, r->result->nevent + 1, unsigned);
  if (!r->element || !r->doubt) return jerr_memory(ctx);
  r->nmeaningful = count_meaningful(r->result);
  for (int e = 0; e < r->result->ne; e++) {
    JO_TRY(describe(ctx, r, e));
  }
  return jloads_doubts(ctx, r->loads->loads, &r->used, r->result, r->doubt);
}

jo_status jo_loads_run(jo_context* ctx, const jo_loads* loads, const jo_loads_options* opt,
                       jo_loads_result** out) {
  JO_REQUIRE_OUT(out, ctx, loads);
  jo_loads_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jo_loads_result){.ctx = ctx, .loads = loads, .opt = jo_loads_options_default()};
  jarena_init(&r->arena, ctx);
  if (opt) r->opt = *opt;
  jo_status found = JO_OK, status = read_options(ctx, r);
  if (status >= 0) status = jloads_run(ctx, loads->loads, &r->used, &r->result);
  if (r->result) found = evaluate_run(ctx, r);
  if (!r->result || found < 0) {
    jo_loads_result_destroy(r);
    return found < 0 ? found : status;
  }
  *out = r;
  return status;
}

void jo_loads_result_destroy(jo_loads_result* result) {
  if (!result) return;
  jloads_result_destroy(result->result);
  jarena_free(&result->arena);
  jmem_free(result->ctx, result);
}

// ---- what came out -------------------------------------------------------------------------------

static double t_meaningful(const jo_loads_result* result) {
  const jloads_result* r = result->result;
  int i = result->nmeaningful - 1;
  return i >= 0 ? r->sample[(size_t)i * (size_t)(1 + r->ne)] : result->used.t_start;
}

jo_loads_statistics jo_loads_result_statistics(const jo_loads_result* result) {
  JO_REQUIRE_OR((jo_loads_statistics){0}, result);
  const jloads_result* r = result->result;
  const jsolve_load_statistics* s = &r->statistics;
  const jloads* l = result->loads->loads;
  double span = r->t_end - result->used.t_start, cost = 0.0;
  for (int e = 0; e < l->ne; e++) {
    cost = fmax(cost, l->element_cost[e]);
  }
  return (jo_loads_statistics){.driver = result->opt.driver,
                               .rate = result->opt.rate,
                               .tolerance = result->opt.tolerance,
                               .is_complete = r->is_complete,
                               .t_start = result->used.t_start,
                               .t_end = result->used.t_end,
                               .t_reached = r->t_end,
                               .t_meaningful = t_meaningful(result),
                               .steps = s->steps,
                               .rejected = s->rejected,
                               .stiff_steps = s->stiff_steps,
                               .evaluations = s->evaluations,
                               .worst_step_evaluations = s->worst_step,
                               .guaranteed_step_evaluations = s->guaranteed,
                               .smallest_step = s->smallest_step,
                               .t_smallest_step = s->t_smallest,
                               .cpu_s = r->cpu,
                               .real_time_factor = r->cpu > 0.0 ? span / r->cpu : 0.0,
                               .missed_deadlines = r->deadlines_missed,
                               .worst_delay = r->missed,
                               .element_cost = cost,
                               .directions_cost = l->directions_cost};
}

int jo_loads_element_count(const jo_loads_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->result->ne;
}

jo_status jo_loads_element_at(const jo_loads_result* result, int i, jo_loads_element* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  if (i < 0 || i >= result->result->ne) return JO_ERR_ARGUMENT;
  *out = result->element[i];
  return JO_OK;
}

jo_status jo_loads_cycles(jo_context* ctx, const jo_loads_result* result, int element,
                          jo_counting counting, int nbin, double* width, double* count) {
  JO_REQUIRE(ctx, result, width, count);
  if (element < 0 || element >= result->result->ne) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no element %d", element);
  }
  if (nbin < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "%d bins: must be 1 or more", nbin);
  if (counting != JO_RAINFLOW && counting != JO_RANGE_PAIR) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no way %d to count", (int)counting);
  }
  jloads_history h = history(result, element);
  jloads_rainflow c;
  JO_TRY(jloads_rainflow_count(ctx, &h, (jloads_counting)counting, &c));
  double largest = 0.0;
  for (int i = 0; i < c.ncycle; i++) {
    largest = fmax(largest, c.cycle[i].range);
  }
  *width = largest > 0.0 ? largest / nbin : 1.0;
  jloads_rainflow_bins(&c, *width, nbin, count);
  jloads_rainflow_free(&c);
  return JO_OK;
}

int jo_loads_sample_count(const jo_loads_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->result->nsample;
}

jo_status jo_loads_sample(const jo_loads_result* result, int element, int i, double* t,
                          double* load) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, t, load);
  const jloads_result* r = result->result;
  if (element < 0 || element >= r->ne || i < 0 || i >= r->nsample) return JO_ERR_ARGUMENT;
  const double* row = r->sample + (size_t)i * (size_t)(1 + r->ne);
  *t = row[0];
  *load = row[1 + element];
  return JO_OK;
}

int jo_loads_sensor_count(const jo_loads_result* result) {
  JO_REQUIRE_OR(0, result);
  const jmodel* m = result->loads->model->model;
  int n = 0;
  for (int i = 0; i < m->nsignal; i++) {
    n += m->signal[i].is_output;
  }
  return n;
}

jo_status jo_loads_output(const jo_loads_result* result, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  const jgen_dynamics* d = result->loads->loads->plant->dynamics;
  if (i < 0 || i >= d->noutput) return JO_ERR_ARGUMENT;
  *out = (jo_quantity){d->output_name[i], d->output_unit[i], "", result->result->out_end[i]};
  return JO_OK;
}

static double output_named(const jo_loads_result* r, const char* name) {
  const jgen_dynamics* d = r->loads->loads->plant->dynamics;
  for (int i = 0; i < d->noutput; i++) {
    if (strcmp(d->output_name[i], name) == 0) return r->result->out_end[i];
  }
  return NAN;
}

jo_status jo_loads_pose(const jo_loads_result* result, jo_pose* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  const jmodel* m = result->loads->model->model;
  for (int j = 0; j < m->njoint; j++) {
    if (m->joint[j].type != JMODEL_JOINT_FREE) continue;
    double q[6];
    for (int k = 0; k < 6; k++) {
      q[k] = output_named(result, m->coordinate[m->joint[j].first_coordinate + k].name);
    }
    *out = (jo_pose){m->body[m->joint[j].child].name,
                     q[0],
                     q[1],
                     q[2],
                     q[3] * DEGREES,
                     q[4] * DEGREES,
                     q[5] * DEGREES};
    return JO_OK;
  }
  return JO_ERR_ARGUMENT;
}

int jo_loads_event_count(const jo_loads_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->result->nevent;
}

jo_status jo_loads_event_at(const jo_loads_result* result, int i, jo_loads_event* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  const jloads_result* r = result->result;
  const jgen_layout* y = &result->loads->loads->plant->dynamics->layout;
  if (i < 0 || i >= r->nevent) return JO_ERR_ARGUMENT;
  const jloads_event* v = &r->event[i];
  bool impulsive = result->used.solve.driver == JSOLVE_LOAD_IMPULSIVE;
  bool reconstructed = !impulsive || (v->element >= 0 && !v->continues);
  int c = impulsive ? v->event.which : result->loads->coordinate[v->element];
  *out = (jo_loads_event){.t0 = v->event.t0,
                          .t1 = v->event.t1,
                          .element = v->element >= 0 ? result->loads->loads->name[v->element] : "",
                          .coordinate = japi_loads_coordinate(result->loads, c),
                          .position = c >= 0 ? v->y0[jgen_first(y, JGEN_QU) + c] : NAN,
                          .speed = c >= 0 ? v->y0[jgen_first(y, JGEN_QDU) + c] : NAN,
                          .impulse = v->event.impulse,
                          .peak = reconstructed ? v->reconstructed : NAN,
                          .t_peak = reconstructed ? v->event.t_peak : NAN,
                          .doubt = result->doubt[i]};
  return JO_OK;
}
