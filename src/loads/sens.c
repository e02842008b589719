// SPDX-License-Identifier: Apache-2.0
// Derivatives of peaks and pseudo-damage: force histories with their derivatives from a direct run,
// then the chain rule. docs/theory/loads.md eqs. (R4), (R5):
//   d peak / dp = dF/dp at the time of the peak         (its time does not matter to first order)
//   d D / dp    = sum over turning points of dD/dF dF/dp
#include "loads/sens.h"

#include <math.h>
#include <string.h>

#include "loads/options.h"
#include "model/element.h"
#include "plant/check/finite.h"
#include "plant/options.h"
#include "sens/error/doubt.h"

#define SAMPLE_STEP 1e-4   // [s]: a hundred in a hard stop of 10 ms
#define SAFETY      2.0    // of the estimates of errors
#define TOLERANCE   1e-11  // touch-downs on soil have infinite slopes: they cost digits

// ---- options -------------------------------------------------------------------------------------

jloads_sens_options jloads_sens_options_default(const jmodel* m) {
  jloads_sens_options o = {.run = jsens_options_default(m),
                           .step = SAMPLE_STEP,
                           .slope = JLOADS_SLOPE,
                           .reference = JLOADS_REFERENCE};
  o.run.solve.rel_tol = o.run.solve.abs_tol = TOLERANCE;
  return o;
}

jo_status jloads_sens_choose(jo_context* ctx, const jmodel* m, double t_end, double tolerance,
                             jloads_sens_options* opt) {
  jplant_simulate_options o = jplant_simulate_options_default();
  jplant_simulate_used used;
  o.t_end = t_end;
  o.rel_tol = o.abs_tol = isnan(tolerance) ? TOLERANCE : tolerance;
  if (!(opt->slope >= 1.0) || !(opt->reference > 0.0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "pseudo-damage with slope %g and reference %g has no derivative", opt->slope,
                    opt->reference);
  }
  JO_TRY(jplant_options_choose(ctx, m, &o, true, &used, &opt->run.solve));
  opt->run.t_end = used.t_end;
  return JO_OK;
}

// ---- elements ------------------------------------------------------------------------------------

static int find_output(const jgen_dynamics* d, const char* name) {
  for (int i = 0; i < d->noutput; i++) {
    if (strcmp(d->output_name[i], name) == 0) return i;
  }
  return -1;
}

static jo_status add_component(jloads_sens* l, const jgen_dynamics* d,
                               const jmodel_element* element, int k) {
  const char* output =
      jarena_printf(&l->arena, "%s.%s", element->name, element->class->component[k]);
  jloads_gradient* e = &l->element[l->n];
  bool is_all = element->class->ncomponent == 1;
  e->name = is_all ? jarena_strdup(&l->arena, element->name) : output;
  e->dpeak = JARENA_ARRAY(&l->arena, l->nw, double);
  e->ddamage = JARENA_ARRAY(&l->arena, l->nw, double);
  e->dpeak_error = JARENA_ARRAY(&l->arena, l->nw, double);
  e->ddamage_error = JARENA_ARRAY(&l->arena, l->nw, double);
  bool ok = output && e->name && e->dpeak && e->ddamage && e->dpeak_error && e->ddamage_error;
  if (!ok) return jerr_memory(l->ctx);
  int at = find_output(d, output);
  if (at < 0) return JO_OK;
  l->output[l->n++] = at;
  e->unit = d->output_unit[at];
  return JO_OK;
}

static jo_status list_elements(jloads_sens* l, const jgen_dynamics* d) {
  const jmodel* m = d->model;
  l->element = JARENA_ARRAY(&l->arena, m->ncomponent, jloads_gradient);
  l->output = JARENA_ARRAY(&l->arena, m->ncomponent, int);
  if (!l->element || !l->output) return jerr_memory(l->ctx);
  for (int i = 0; i < m->nelement; i++) {
    const jmodel_element* e = &m->element[i];
    for (int k = 0; k < e->class->ncomponent; k++) {
      JO_TRY(add_component(l, d, e, k));
    }
  }
  return JO_OK;
}

// ---- histories -----------------------------------------------------------------------------------

static int element_width(const jloads_sens* l) {
  return 1 + 2 * l->nw;
}

static int row_width(const jloads_sens* l) {
  return 1 + l->n * element_width(l);
}

static jo_status keep_sample(void* user, double t, const double* out, const double* dout,
                             const double* error) {
  jloads_sens* l = user;
  size_t size = (size_t)row_width(l) * sizeof *l->sample;
  if (!jmem_grow(l->ctx, &l->sample, &l->sample_cap, l->nsample + 1, size)) {
    return jerr_memory(l->ctx);
  }
  double* row = l->sample + (size_t)l->nsample++ * (size_t)row_width(l);
  *row++ = t;
  for (int e = 0; e < l->n; e++) {
    int at = l->output[e];
    *row++ = out[at];
    memcpy(row, dout + (size_t)at * (size_t)l->nw, (size_t)l->nw * sizeof *row);
    row += l->nw;
    for (int k = 0; k < l->nw; k++) {
      *row++ = error ? error[(size_t)at * (size_t)l->nw + (size_t)k] : NAN;
    }
  }
  return JO_OK;
}

// dF of element e at sample i
static const double* slopes_at(const jloads_sens* l, int e, int i) {
  return l->sample + (size_t)i * (size_t)row_width(l) + 1 + e * element_width(l) + 1;
}

static void add_slopes(const jloads_sens* l, int e, int i, double weight, double* sum,
                       double* error) {
  if (weight == 0.0 || i < 0 || i >= l->nsample) return;
  const double* dF = slopes_at(l, e, i);
  for (int k = 0; k < l->nw; k++) {
    sum[k] += weight * dF[k];
    error[k] += SAFETY * fabs(weight) * dF[l->nw + k];
  }
}

static jo_status differentiate(jloads_sens* l, int e, const jloads_sens_options* opt,
                               double* gradient) {
  jloads_gradient* out = &l->element[e];
  int width = row_width(l);
  jloads_history h = {.value = l->sample + 1 + e * element_width(l),
                      .n = l->nsample,
                      .stride = width,
                      .t = l->sample,
                      .t_stride = width};
  jloads_turning p = jloads_history_peak(&h);
  out->peak = p.value;
  out->t_peak = p.t;
  for (int k = 0; k < p.nweight; k++) {
    add_slopes(l, e, p.first + k, p.weight[k], out->dpeak, out->dpeak_error);
  }
  jloads_rainflow r;
  JO_TRY(jloads_rainflow_count(l->ctx, &h, opt->counting, &r));
  out->damage = jloads_rainflow_damage(&r, opt->slope, opt->reference);
  memset(gradient, 0, (size_t)l->nsample * sizeof *gradient);
  jloads_rainflow_gradient(&r, opt->slope, opt->reference, l->nsample, gradient);
  for (int i = 0; i < l->nsample; i++) {
    add_slopes(l, e, i, gradient[i], out->ddamage, out->ddamage_error);
  }
  jloads_rainflow_free(&r);
  for (int k = 0; k < l->nw; k++) {
    if (jsens_is_one_sided(l->run, k)) out->dpeak_error[k] = out->ddamage_error[k] = INFINITY;
  }
  return JO_OK;
}

// Report what is not finite of an element: a power of a load may overflow where the load does not.
static jo_status check_finite(const jloads_sens* l, const jsens* s, const jloads_gradient* e) {
  const jmodel* m = s->plant->model;
  const double value[2] = {e->peak, e->damage};
  const double* slope[2] = {e->dpeak, e->ddamage};
  for (int i = 0; i < 2; i++) {
    const char* what = i == 0 ? "peak" : "pseudo-damage";
    int bad = jplant_finite_first(slope[i], l->nw);
    if (!isfinite(value[i])) {
      return jerr_set(l->ctx, JO_ERR_NUMERIC, "%s: load '%s': its %s is %s", m->path, e->name, what,
                      jplant_finite_text(value[i]));
    }
    if (bad >= 0) {
      return jerr_set(
          l->ctx, JO_ERR_NUMERIC,
          "%s: load '%s': the derivative of its %s with respect to '%s' is %s; hint: leave this "
          "parameter out",
          m->path, e->name, what, m->number[s->wrt[bad]].path, jplant_finite_text(slope[i][bad]));
    }
  }
  return JO_OK;
}

// ---- the run -------------------------------------------------------------------------------------

static jo_status run(jloads_sens* l, const jsens* s, const jloads_sens_options* opt) {
  JO_TRY(list_elements(l, s->plant->dynamics));
  jsens_observer observer = {.step = opt->step, .user = l, .sample = keep_sample};
  jsens_options o = opt->run;
  o.observer = &observer;
  o.outputs_only = true;
  JO_TRY(jsens_check_numbers(l->ctx, s));
  JO_TRY(jsens_run(l->ctx, s, JSENS_DIRECT, &o, &l->run));
  double* gradient = JARENA_ARRAY(&l->arena, l->nsample, double);
  if (!gradient) return jerr_memory(l->ctx);
  for (int e = 0; e < l->n; e++) {
    JO_TRY(differentiate(l, e, opt, gradient));
    JO_TRY(check_finite(l, s, &l->element[e]));
  }
  return JO_OK;
}

jo_status jloads_sens_run(jo_context* ctx, const jsens* s, const jloads_sens_options* opt,
                          jloads_sens** out) {
  *out = NULL;
  jloads_sens* l = jmem_resize(ctx, NULL, sizeof *l);
  if (!l) return jerr_memory(ctx);
  *l = (jloads_sens){.ctx = ctx, .nw = s->nw};
  jarena_init(&l->arena, ctx);
  jo_status status = run(l, s, opt);
  if (status < 0) {
    jloads_sens_destroy(l);
    return status;
  }
  *out = l;
  return JO_OK;
}

void jloads_sens_destroy(jloads_sens* l) {
  if (!l) return;
  jsens_result_destroy(l->run);
  jmem_free(l->ctx, l->sample);
  jarena_free(&l->arena);
  jmem_free(l->ctx, l);
}

void jloads_sens_warn(jo_context* ctx, const jloads_sens* l, const jsens* s) {
  const jmodel* m = s->plant->model;
  jsens_doubt doubt = {.wanted = l->run->derivative_tol};
  for (int e = 0; e < l->n; e++) {
    const jloads_gradient* g = &l->element[e];
    for (int k = 0; k < l->nw; k++) {
      const char* number = m->number[s->wrt[k]].path;
      jsens_doubt_add(&doubt, g->peak, g->dpeak[k], g->dpeak_error[k], l->run->unit[k], g->name,
                      number);
      jsens_doubt_add(&doubt, g->damage, g->ddamage[k], g->ddamage_error[k], l->run->unit[k],
                      g->name, number);
      jsens_doubt_side(&doubt, l->run, s->plant, k);
    }
  }
  jsens_doubt_warn(ctx, &doubt, m->path);
  const jsolve_method_info* method = jsolve_method_about(l->run->used.solve.method);
  if (l->nw > 0 && (method->is_fixed || !method->is_own)) {
    jerr_warn(ctx,
              "%s: derivatives of loads have no error estimates with method %s, and may be far off "
              "where its steps are too long; hint: another 'simulation.method', such as auto",
              m->path, method->name);
  }
}
