// SPDX-License-Identifier: Apache-2.0
// The public face of sensitivities: names become numbers of the model, a method is chosen, and what
// events contribute is put together from a direct and an adjoint run.
#include "jounce/sens.h"

#include <math.h>
#include <string.h>

#include "api/select.h"
#include "api/sens_handle.h"
#include "base/require.h"
#include "base/system/clock.h"
#include "plant/check/finite.h"
#include "plant/check/guard.h"
#include "plant/check/halved.h"
#include "plant/check/limits.h"
#include "plant/check/reference.h"
#include "plant/options.h"
#include "plant/start/start.h"
#include "sens/error/doubt.h"
#include "sens/error/metric.h"

const char* jo_sens_method_name(jo_sens_method method) {
  static const char* const name[] = {"auto", "direct", "adjoint"};
  return method <= JO_SENS_ADJOINT ? name[method] : "unknown";
}

const char* jo_sens_integrator_name(int i) {
  const jsolve_method_info* method = jsolve_method_at(i, true);
  return method ? method->name : NULL;
}

jo_sens_options jo_sens_options_default(void) {
  return (jo_sens_options){.contributions = 1,
                           .integrator = JO_METHOD_OF_MODEL,
                           .tolerance = NAN,
                           .step_s = NAN,
                           .derivative_tol = NAN};
}

// ---- numbers -------------------------------------------------------------------------------------

static int count_numbers(const jo_system* s) {
  return s->motion ? s->motion->nw : 0;
}

int jo_sens_parameter_count(const jo_system* system) {
  JO_REQUIRE_OR(0, system);
  return count_numbers(system);
}

jo_status jo_sens_parameter_at(const jo_system* system, int i, jo_sens_parameter* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, system, out);
  if (i < 0 || i >= count_numbers(system)) return JO_ERR_ARGUMENT;
  *out = system->parameter[i];
  if (system->value) out->value = system->value[system->motion->wrt[i]];
  return JO_OK;
}

int jo_sens_parameter_find(const jo_system* system, const char* name) {
  JO_REQUIRE_OR(-1, system, name);
  for (int i = 0; i < count_numbers(system); i++) {
    if (strcmp(system->parameter[i].name, name) == 0) return i;
  }
  return -1;
}

// ---- options -------------------------------------------------------------------------------------

jo_status japi_sens_options(jo_context* ctx, const jo_system* s, const jo_sens_options* opt,
                            jsens_options* out) {
  if (count_numbers(s) == 0) return japi_system_fail(ctx, s, JO_USE_DERIVATIVES);
  *out = jsens_options_default(s->variable);
  out->p = s->p;
  out->frozen = opt->frozen != 0;
  out->compare = !opt->quick;
  jplant_simulate_options o = jplant_simulate_options_default();
  jplant_simulate_used used;
  o.method = opt->integrator;
  o.rel_tol = o.abs_tol = opt->tolerance;
  o.step = opt->step_s;
  if (opt->nhistory > 0) o.output_step = opt->history_step_s;
  if (!isnan(opt->derivative_tol)) out->derivative_tol = opt->derivative_tol;
  if (!(out->derivative_tol >= 0.0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "tolerance of derivatives %g: must be 0 or more",
                    out->derivative_tol);
  }
  return jplant_options_choose(ctx, s->variable, &o, true, &used, &out->solve);
}

static jsens_method choose_method(const jsens* s, const jo_sens_options* opt) {
  jo_sens_method m = opt->method;
  if (m == JO_SENS_AUTO) {
    m = jsens_cheaper(s->plant->model->nintegrated, s->nw) == JSENS_DIRECT ? JO_SENS_DIRECT
                                                                           : JO_SENS_ADJOINT;
    if (!s->tangents) m = JO_SENS_ADJOINT;
    if (!s->adjoints) m = JO_SENS_DIRECT;
  }
  return m == JO_SENS_DIRECT ? JSENS_DIRECT : JSENS_ADJOINT;
}

// ---- histories -----------------------------------------------------------------------------------

static jo_status add_sample(void* user, double t, const double* out, const double* dout,
                            const double* error) {
  (void)error;
  jo_sens_result* r = user;
  japi_history* h = &r->history;
  size_t size = (size_t)h->ncolumn * sizeof *h->row;
  const jmodel* m = r->system->variable;
  if ((double)h->nrow * (double)size > jplant_memory_limit(m)) {
    return jplant_fail_memory(r->ctx, m, "rows of the history", t);
  }
  if (!jmem_grow(r->ctx, &h->row, &h->row_cap, h->nrow + 1, size)) return jerr_memory(r->ctx);
  double* row = h->row + (size_t)h->nrow++ * (size_t)h->ncolumn;
  *row++ = t;
  for (int i = 0; i < h->nout; i++) {
    *row++ = out[h->out[i]];
    for (int k = 0; k < h->nw; k++) {
      *row++ = r->system->motion->why[k] ? NAN : dout[(int64_t)h->out[i] * h->nw + k];
    }
  }
  return JO_OK;
}

// Report the first entry of the history that is not finite though it exists.
static jo_status check_history(const jo_sens_result* r) {
  const japi_history* h = &r->history;
  for (int64_t i = 0; i < (int64_t)h->nrow * h->ncolumn; i++) {
    int column = (int)(i % h->ncolumn), k = column > 0 ? (column - 1) % (1 + h->nw) - 1 : -1;
    if (isfinite(h->row[i]) || (k >= 0 && r->system->motion->why[k])) continue;
    return jerr_set(r->ctx, JO_ERR_NUMERIC,
                    "%s: history of %s: %s at t = %.9g s; hint: keep its expression where it is "
                    "defined and smooth",
                    r->system->variable->path, h->column[column].name,
                    jplant_finite_text(h->row[i]), h->row[i - column]);
  }
  return JO_OK;
}

static bool put_columns(jo_sens_result* r) {
  japi_history* h = &r->history;
  const jgen_dynamics* d = r->system->motion->plant->dynamics;
  jplant_quantity* c = h->column;
  *c++ = (jplant_quantity){"t", "s", "time", NAN};
  for (int i = 0; i < h->nout; i++) {
    const char *name = d->output_name[h->out[i]], *unit = d->output_unit[h->out[i]];
    *c++ = (jplant_quantity){name, unit, "", NAN};
    for (int k = 0; k < h->nw; k++, c++) {
      const jo_sens_parameter* p = &r->system->parameter[k];
      *c = (jplant_quantity){jarena_printf(&r->arena, "d %s / d %s", name, p->name),
                             jarena_printf(&r->arena, "%s/(%s)", unit, p->unit), "", NAN};
      if (!c->name || !c->unit) return false;
    }
  }
  return true;
}

static jo_status prepare_history(jo_sens_result* r, const jo_sens_options* opt) {
  const jgen_dynamics* d = r->system->motion->plant->dynamics;
  japi_history* h = &r->history;
  h->nout = opt->nhistory;
  h->nw = r->system->motion->nw;
  h->ncolumn = 1 + h->nout * (1 + h->nw);
  int* out = JARENA_ARRAY(&r->arena, h->nout, int);
  h->column = JARENA_ARRAY(&r->arena, h->ncolumn, jplant_quantity);
  if (!out || !h->column) return jerr_memory(r->ctx);
  h->out = out;
  for (int i = 0; i < h->nout; i++) {
    while (out[i] < d->noutput && strcmp(d->output_name[out[i]], opt->history[i]) != 0) {
      out[i]++;
    }
    if (out[i] == d->noutput) {
      return jerr_set(r->ctx, JO_ERR_ARGUMENT, "no output is named '%.80s'", opt->history[i]);
    }
  }
  if (!r->system->motion->tangents) return japi_system_fail(r->ctx, r->system, JO_USE_HISTORIES);
  return put_columns(r) ? JO_OK : jerr_memory(r->ctx);
}

// ---- runs ----------------------------------------------------------------------------------------

void japi_sens_clear(const jsens* s, jsens_result* r) {
  for (int k = 0; k < r->nw; k++) {
    if (!s->why[k]) continue;
    for (int o = 0; o < r->nobjective; o++) {
      r->gradient[(int64_t)o * r->nw + k] = NAN;
      r->gradient_error[(int64_t)o * r->nw + k] = NAN;
    }
    for (int e = 0; e < r->nevent; e++) {
      if (r->event[e].dt) r->event[e].dt[k] = NAN;
    }
  }
}

static jo_status choose_events(jo_sens_result* r) {
  const jgen_switch* sw = r->system->motion->plant->dynamics->sw;
  r->told = JARENA_ARRAY(&r->arena, r->main->nevent, int);
  if (!r->told) return jerr_memory(r->ctx);
  for (int i = 0; i < r->main->nevent; i++) {
    if (!sw[r->main->event[i].which].is_quiet) r->told[r->ntold++] = i;
  }
  return JO_OK;
}

// Whether an event adds to a derivative: its time moves, and the motion is not the same on both sides of it.
static bool adds(const jsens* s, const jsens_event* e) {
  for (int k = 0; e->jumps && k < s->nw; k++) {
    if (e->dt[k] != 0.0 && !s->why[k]) return true;
  }
  return false;
}

static bool add_nothing(const jsens* s, const jsens_result* shifted) {
  for (int i = 0; i < shifted->nevent; i++) {
    if (adds(s, &shifted->event[i])) return false;
  }
  return true;
}

// Contributions: exact times of the direct method, weights of the frozen adjoint, along the same run.
static jo_status walk_contributions(jo_sens_result* r) {
  const jsens* s = r->system->motion;
  double begin = jclock_cpu();
  if (r->main->method == JSENS_DIRECT) r->shifted = r->main;
  if (!r->shifted) {
    JO_TRY(jsens_walk_events(r->ctx, s, r->main, JSENS_DIRECT, false, &r->shifted));
    japi_sens_clear(s, r->shifted);
    r->statistics.cpu_contributions = jclock_cpu() - begin;
  }
  r->adds_nothing = add_nothing(s, r->shifted);
  if (r->adds_nothing) return JO_OK;
  JO_TRY(jsens_walk_events(r->ctx, s, r->main, JSENS_ADJOINT, true, &r->frozen));
  japi_sens_clear(s, r->frozen);
  r->statistics.cpu_contributions = jclock_cpu() - begin;
  return JO_OK;
}

static void fill_statistics(jo_sens_result* r, const jsens_options* o, jsens_method method) {
  const jsens_result* m = r->main;
  r->statistics = (jo_sens_statistics){
      .method = method == JSENS_DIRECT ? JO_SENS_DIRECT : JO_SENS_ADJOINT,
      .is_frozen = o->frozen,
      .integrator = jsolve_method_name(o->solve.method),
      .is_fixed_step = jsolve_method_about(o->solve.method)->is_fixed,
      .rel_tol = o->solve.rel_tol,
      .step = o->solve.step,
      .steps = m->statistics.steps,
      .rejected = m->statistics.rejected,
      .evaluations = m->statistics.evaluations,
      .derivative_evaluations = m->derivative_evaluations,
      .derivative_tol = m->derivative_tol,
      .is_within = m->is_within,
      .passes = m->passes,
      .implicit_steps = m->statistics.implicit,
      .checkpoint_steps = m->stride,
      .memory_mb = 1e-6 * m->record_bytes,
  };
}

// (I17)
static void warn_of_reference(const jo_sens_result* r, int o) {
  const jsens_result* m = r->main;
  const jmodel_objective* about = &r->system->variable->objective[o];
  double value = m->value[o], other = m->reference[o];
  double scale = fmax(m->largest[o], fabs(other));
  if (jplant_halved_counts(fabs(other - value), value, scale, about->nominal))
    jplant_reference_warn(r->ctx, about, value, other, &m->used.solve);
}

static void warn_of_errors(const jo_sens_result* r) {
  const jsens_result* m = r->main;
  const jmodel* model = r->system->variable;
  jsens_doubt doubt = {.wanted = m->derivative_tol,
                       .is_asked_for = !(m->used.derivative_tol > 0.0),
                       .is_fixed = jsolve_method_about(m->used.solve.method)->is_fixed,
                       .singular_tol = m->nearest < 1.0 ? m->used.solve.rel_tol : 0.0};
  for (int i = 0; i < m->nobjective * m->nw; i++) {
    int o = i / m->nw, j = i % m->nw;
    if (m->why[o]) continue;
    double error = m->gradient_error[i] - jsens_rounding(m, o, j);
    jsens_doubt_add(&doubt, m->value[o], m->gradient[i], error, m->unit[j],
                    model->objective[o].name, r->system->parameter[j].name);
    jsens_doubt_side(&doubt, m, r->system->motion->plant, j);
  }
  jsens_doubt_warn(r->ctx, &doubt, model->path);
  if (m->unreferred)
    jplant_reference_warn_missing(r->ctx, r->system->motion->plant, &m->used.solve, &m->statistics,
                                  m->unreferred);
  for (int o = 0; o < m->nobjective; o++) {
    if (m->is_lost[o]) {
      jplant_warn_lost(r->ctx, &model->objective[o], m->value[o], doubt.is_fixed);
      continue;
    }
    jplant_doubt d = m->doubt[o];
    d.error = jsens_doubt_value(m, o);
    if (d.error > 0.0) {
      jplant_warn_doubt(r->ctx, &model->objective[o], m->value[o], &d);
    } else if (isfinite(m->reference[o])) {
      warn_of_reference(r, o);
    }
  }
}

// Whether the direct method, where it is free to be chosen, may have more derivatives: going back, an objective without a
// slope can spoil others.
static bool is_spoilt(const jsens* s, const jo_sens_options* opt, const jsens_result* r) {
  if (r->method != JSENS_ADJOINT || opt->method != JO_SENS_AUTO || !s->tangents) return false;
  for (int o = 0; o < r->nobjective; o++) {
    if (r->why[o] && !r->is_own[o]) return true;
  }
  return false;
}

static jo_status differentiate(jo_sens_result* r, const jo_sens_options* opt, jsens_method method,
                               const jsens_options* o) {
  const jsens* s = r->system->motion;
  double dynamics = 0.0, errors = 0.0;  // of a run that is replaced
  JO_TRY(jsens_run(r->ctx, s, method, o, &r->main));
  if (is_spoilt(s, opt, r->main)) {
    dynamics = r->main->cpu_dynamics;
    errors = r->main->cpu_errors;
    jsens_result_destroy(r->main);
    r->main = NULL;
    JO_TRY(jsens_run(r->ctx, s, JSENS_DIRECT, o, &r->main));
  }
  JO_TRY(jsens_check_objectives(r->ctx, r->system->motion, r->main));
  JO_TRY(jplant_start_warn(r->ctx, s->plant, o->p, r->main->y0, &r->main->rested));
  JO_TRY(check_history(r));
  japi_sens_clear(s, r->main);
  fill_statistics(r, o, r->main->method);
  r->statistics.cpu_dynamics = dynamics + r->main->cpu_dynamics;
  r->statistics.cpu_errors = errors + r->main->cpu_errors;
  if (!r->main->is_within) warn_of_errors(r);
  for (int i = 0; i < r->main->nobjective; i++) {
    const jsens_result* m = r->main;
    const jmodel_objective* about = &r->system->variable->objective[i];
    if (m->cut[i] > 0.0) jplant_warn_cut(r->ctx, about, m->value[i], m->cut[i]);
  }
  return choose_events(r);
}

// Somebody who said stop has said it for all that follows.
typedef struct listener {
  const jo_sens_options* opt;
  bool has_stopped;
} listener;

static bool tell(void* user, double fraction) {
  listener* l = user;
  l->has_stopped = l->has_stopped || !l->opt->progress(l->opt->user, fraction);
  return !l->has_stopped;
}

// What no other part takes is the derivatives', so that parts add up to the total.
static void finish_clock(jo_sens_statistics* s, double begin) {
  s->cpu_total = jclock_cpu() - begin;
  s->cpu_sensitivity = s->cpu_total - s->cpu_dynamics - s->cpu_errors - s->cpu_contributions;
}

static jo_status run(jo_sens_result* r, const jo_sens_options* opt) {
  const jsens* s = r->system->motion;
  double begin = jclock_cpu();
  jsens_options o;
  JO_TRY(japi_sens_options(r->ctx, r->system, opt, &r->asked));
  JO_TRY(japi_system_keep(r->ctx, &r->arena, r->system, &r->kept));
  r->asked.p = r->kept.p;
  r->asked.some = true;
  o = r->asked;
  listener l = {.opt = opt};
  if (opt->progress) o.progress = tell;
  o.user = &l;
  jsens_method method = choose_method(s, opt);
  jsens_observer observer = {.step = opt->history_step_s, .user = r, .sample = add_sample};
  if (opt->nhistory > 0) {
    JO_TRY(prepare_history(r, opt));
    method = JSENS_DIRECT;
    o.observer = &observer;
  }
  r->value = JARENA_ARRAY(&r->arena, s->nw, double);
  if (!r->value) return jerr_memory(r->ctx);
  for (int i = 0; i < s->nw; i++) {
    jo_sens_parameter p;
    JO_TRY(jo_sens_parameter_at(r->system, i, &p));
    r->value[i] = p.value;
  }
  bool both = s->tangents && s->adjoints;
  bool wanted = opt->contributions && both && !o.frozen;
  o.keep = wanted || r->system->perturbed;
  o.keep_other = r->system->perturbed;  // checks walk them again
  JO_TRY(differentiate(r, opt, method, &o));
  if (wanted && r->ntold > 0) JO_TRY(walk_contributions(r));
  finish_clock(&r->statistics, begin);
  return JO_OK;
}

jo_status jo_sens_run(jo_context* ctx, const jo_system* system, const jo_sens_options* opt,
                      jo_sens_result** out) {
  JO_REQUIRE_OUT(out, ctx, system);
  jo_sens_options defaults = jo_sens_options_default();
  if (!opt) opt = &defaults;
  JO_REQUIRE_TEXTS(ctx, opt->history, opt->nhistory);
  jo_sens_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jo_sens_result){.ctx = ctx, .system = system};
  jarena_init(&r->arena, ctx);
  jo_status status = run(r, opt);
  if (status < 0) {
    jo_sens_result_destroy(r);
    return status;
  }
  *out = r;
  return status;
}

void jo_sens_result_destroy(jo_sens_result* result) {
  if (!result) return;
  if (result->shifted != result->main) jsens_result_destroy(result->shifted);
  jsens_result_destroy(result->main);
  jsens_result_destroy(result->frozen);
  jmem_free(result->ctx, result->history.row);
  jarena_free(&result->arena);
  jmem_free(result->ctx, result);
}

// ---- what came out -------------------------------------------------------------------------------

jo_sens_statistics jo_sens_result_statistics(const jo_sens_result* result) {
  JO_REQUIRE_OR((jo_sens_statistics){0}, result);
  return result->statistics;
}

int jo_sens_objective_count(const jo_sens_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->main->nobjective;
}

jo_status jo_sens_objective_at(const jo_sens_result* result, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  if (i < 0 || i >= result->main->nobjective) return JO_ERR_ARGUMENT;
  const jmodel_objective* o = &result->system->variable->objective[i];
  *out = (jo_quantity){o->name, o->unit ? o->unit : "", o->description ? o->description : "",
                       result->main->value[i]};
  return JO_OK;
}

const char* jo_sens_objective_reason(const jo_sens_result* result, int i) {
  JO_REQUIRE_OR(NULL, result);
  return i >= 0 && i < result->main->nobjective ? result->main->why[i] : NULL;
}

const double* jo_sens_gradient(const jo_sens_result* result) {
  JO_REQUIRE_OR(NULL, result);
  return result->main->gradient;
}

const double* jo_sens_gradient_error(const jo_sens_result* result) {
  JO_REQUIRE_OR(NULL, result);
  return result->main->gradient_error;
}

static double entry(const jsens_result* r, int objective, int parameter) {
  bool is_there =
      r && objective >= 0 && objective < r->nobjective && parameter >= 0 && parameter < r->nw;
  return is_there ? r->gradient[(int64_t)objective * r->nw + parameter] : NAN;
}

double jo_sens_derivative(const jo_sens_result* result, int objective, int parameter) {
  JO_REQUIRE_OR(NAN, result);
  return entry(result->main, objective, parameter);
}

double jo_sens_objective_error(const jo_sens_result* result, int objective) {
  JO_REQUIRE_OR(NAN, result);
  const jsens_result* r = result->main;
  return objective >= 0 && objective < r->nobjective ? r->value_error[objective] : NAN;
}

double jo_sens_derivative_error(const jo_sens_result* result, int objective, int parameter) {
  JO_REQUIRE_OR(NAN, result);
  const jsens_result* r = result->main;
  bool is_there =
      objective >= 0 && objective < r->nobjective && parameter >= 0 && parameter < r->nw;
  return is_there ? r->gradient_error[(int64_t)objective * r->nw + parameter] : NAN;
}

double jo_sens_derivative_frozen(const jo_sens_result* result, int objective, int parameter) {
  JO_REQUIRE_OR(NAN, result);
  bool is_main = result->statistics.is_frozen || result->adds_nothing;
  return entry(is_main ? result->main : result->frozen, objective, parameter);
}

int jo_sens_event_count(const jo_sens_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->ntold;
}

jo_status jo_sens_event_at(const jo_sens_result* result, int i, jo_sens_event* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  const jsens_result* r = result->main;
  if (i < 0 || i >= result->ntold) return JO_ERR_ARGUMENT;
  const jsens_event* e = &r->event[result->told[i]];
  *out = (jo_sens_event){e->t, result->system->motion->plant->dynamics->sw[e->which].text, e->on,
                         e->follows, e->rate != 0.0 ? e->rate : NAN};
  return JO_OK;
}

static const jsens_event* event_of(const jo_sens_result* of, const jsens_result* r, int i) {
  return r && i >= 0 && i < of->ntold ? &r->event[of->told[i]] : NULL;
}

double jo_sens_event_shift(const jo_sens_result* result, int event, int parameter) {
  JO_REQUIRE_OR(NAN, result);
  bool is_direct = result->statistics.method == JO_SENS_DIRECT;
  const jsens_result* r = is_direct ? result->main : result->shifted;
  const jsens_event* e = event_of(result, r, event);
  return e && parameter >= 0 && parameter < r->nw ? e->dt[parameter] : NAN;
}

double jo_sens_event_contribution(const jo_sens_result* result, int event, int objective,
                                  int parameter) {
  JO_REQUIRE_OR(NAN, result);
  double shift = jo_sens_event_shift(result, event, parameter);
  if (objective < 0 || objective >= result->main->nobjective) return NAN;
  if (result->adds_nothing) return 0.0 * shift;
  const jsens_event* e = event_of(result, result->frozen, event);
  return e ? e->weight[objective] * shift : NAN;
}

jo_status jo_sens_rank(jo_context* ctx, const jo_sens_result* result, int objective,
                       const double* increment, double threshold, jo_sens_row* row) {
  JO_REQUIRE(ctx, result, row);
  const jsens_result* r = result->main;
  if (objective < 0 || objective >= r->nobjective) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no objective %d", objective);
  }
  jarena scratch;
  jarena_init(&scratch, ctx);
  jsens_metric_row* k = JARENA_ARRAY(&scratch, r->nw, jsens_metric_row);
  if (k) {
    jsens_metric(result->system->variable, result->system->motion->wrt, r->nw, result->value,
                 r->value[objective], r->gradient + (int64_t)objective * r->nw, threshold, k);
  }
  for (int i = 0; k && i < r->nw; i++) {
    double by = increment ? increment[k[i].which] : NAN;
    row[i] = (jo_sens_row){
        k[i].which, (jo_influence)k[i].influence, k[i].value, k[i].derivative, k[i].percent,
        k[i].size,  by * k[i].derivative};
  }
  jarena_free(&scratch);
  return k ? JO_OK : jerr_memory(ctx);
}
