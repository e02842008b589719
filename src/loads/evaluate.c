// SPDX-License-Identifier: Apache-2.0
#include "loads/evaluate.h"

#include <math.h>
#include <string.h>

#define BREAKDOWN      5.0  // loads this many times all before ...
#define BREAKDOWN_TIME 0.5  // ... this long before the end [s] mean nothing

// ---- how far a run means something ---------------------------------------------------------------

static const double* row_at(const jloads_result* r, int i) {
  return r->sample + (size_t)i * (size_t)(1 + r->ne);
}

static double largest_at(const jloads_result* r, int i) {
  const double* F = row_at(r, i) + 1;
  double largest = 0.0;
  for (int e = 0; e < r->ne; e++) {
    largest = isfinite(F[e]) ? fmax(largest, fabs(F[e])) : INFINITY;
  }
  return largest;
}

// A run that breaks down ends in loads that mean nothing. They count until they exceed by far all that
// were there a while before.
static int count_meaningful(const jloads_result* r) {
  if (r->is_complete) return r->nsample;
  double limit = 0.0;
  for (int i = 0; i < r->nsample; i++) {
    double t = row_at(r, i)[0], F = largest_at(r, i);
    if (t < r->t_end - BREAKDOWN_TIME) {
      limit = fmax(limit, F);
    } else if (F > BREAKDOWN * limit) {
      return i;
    }
  }
  return r->nsample;
}

static bool is_plain(jloads_driver d) {
  return d == JLOADS_DRIVER_FIXED || d == JLOADS_DRIVER_ADAPTIVE;
}

// ---- elements ------------------------------------------------------------------------------------

static jloads_history history(const jloads_evaluation* v, int e) {
  const jloads_result* r = v->result;
  int width = 1 + r->ne;
  return (jloads_history){.value = r->nsample > 0 ? r->sample + 1 + e : NULL,
                          .n = v->nmeaningful,
                          .stride = width,
                          .t = v->is_plain ? NULL : r->sample,
                          .t_stride = width};
}

// Largest |load| outside of the element's events, which come in order of time.
static double smooth_peak(const jloads_evaluation* v, int e) {
  const jloads_result* r = v->result;
  double peak = 0.0;
  for (int i = 0, k = 0; i < v->nmeaningful; i++) {
    double t = row_at(r, i)[0], F = row_at(r, i)[1 + e];
    while (k < r->nevent && (r->event[k].element != e || r->event[k].event.t1 < t)) {
      k++;
    }
    bool inside = k < r->nevent && t >= r->event[k].event.t0;
    if (!inside && fabs(F) > fabs(peak)) peak = F;
  }
  return peak;
}

static void find_extremes(const jloads_history* h, jloads_summary* out) {
  out->smallest = out->largest = h->value[0];
  for (int i = 0; i < h->n; i++) {
    double F = h->value[(size_t)i * (size_t)h->stride];
    out->smallest = fmin(out->smallest, F);
    out->largest = fmax(out->largest, F);
  }
}

static double largest_range(const jloads_rainflow* c) {
  double largest = 0.0;
  for (int i = 0; i < c->ncycle; i++) {
    largest = fmax(largest, c->cycle[i].range);
  }
  return largest;
}

static jo_status summarise(jo_context* ctx, const jloads_evaluation* v, int e, double slope,
                           double reference, jloads_summary* out) {
  const jloads_result* r = v->result;
  jloads_history h = history(v, e);
  *out = (jloads_summary){.peak = r->peak[e].value, .t_peak = r->peak[e].t};
  if (h.n == 0) return JO_OK;
  // the peaks of the run are those between samples, to its very end
  if (v->is_plain || !r->is_complete) {
    jloads_turning p = jloads_history_peak(&h);
    out->peak = p.value;
    out->t_peak = row_at(r, p.sample)[0];
  }
  out->smooth_peak = smooth_peak(v, e);
  find_extremes(&h, out);
  jloads_rainflow c;
  JO_TRY(jloads_rainflow_count(ctx, &h, JLOADS_COUNT_RAINFLOW, &c));
  for (int i = 0; i < c.ncycle; i++) {
    out->cycles += c.cycle[i].count;
  }
  out->largest_range = largest_range(&c);
  out->damage = jloads_rainflow_damage(&c, slope, reference);
  jloads_rainflow_free(&c);
  return JO_OK;
}

jo_status jloads_evaluate(jo_context* ctx, jarena* a, const jloads_options* opt,
                          const jloads_result* r, double slope, double reference,
                          jloads_evaluation* out) {
  jloads_evaluation v = {.result = r, .is_plain = is_plain(opt->solve.driver)};
  v.nmeaningful = count_meaningful(r);
  v.t_meaningful = v.nmeaningful > 0 ? row_at(r, v.nmeaningful - 1)[0] : opt->t_start;
  v.real_time_factor = r->cpu > 0.0 ? (r->t_end - opt->t_start) / r->cpu : 0.0;
  v.element = JARENA_ARRAY(a, r->ne, jloads_summary);
  if (!v.element) return jerr_memory(ctx);
  for (int e = 0; e < r->ne; e++) {
    JO_TRY(summarise(ctx, &v, e, slope, reference, &v.element[e]));
  }
  *out = v;
  return JO_OK;
}

jo_status jloads_evaluation_count(jo_context* ctx, const jloads_evaluation* v, int element,
                                  jloads_counting counting, jloads_rainflow* out) {
  jloads_history h = history(v, element);
  return jloads_rainflow_count(ctx, &h, counting, out);
}

jo_status jloads_evaluation_cycles(jo_context* ctx, const jloads_evaluation* v, int element,
                                   jloads_counting counting, int nbin, double* width,
                                   double* count) {
  jloads_rainflow c;
  JO_TRY(jloads_evaluation_count(ctx, v, element, counting, &c));
  double largest = largest_range(&c);
  *width = largest > 0.0 ? largest / nbin : 1.0;
  jloads_rainflow_bins(&c, *width, nbin, count);
  jloads_rainflow_free(&c);
  return JO_OK;
}

// ---- events --------------------------------------------------------------------------------------

jloads_event_summary jloads_event_summarise(const jloads* l, const jloads_options* opt,
                                            const jloads_event* v) {
  bool impulsive = opt->solve.driver == JLOADS_DRIVER_IMPULSIVE;
  bool reconstructed = !impulsive || (v->element >= 0 && !v->continues);
  int c = impulsive ? v->event.which : l->coordinate[v->element];
  return (jloads_event_summary){.coordinate = c,
                                .position = jloads_position(l, v->y0, c),
                                .speed = jloads_speed(l, v->y0, c),
                                .peak = reconstructed ? v->reconstructed : NAN,
                                .t_peak = reconstructed ? v->event.t_peak : NAN};
}

// ---- the vehicle ---------------------------------------------------------------------------------

static double output_named(const jgen_dynamics* d, const double* out, const char* name) {
  for (int i = 0; i < d->noutput; i++) {
    if (strcmp(d->output_name[i], name) == 0) return out[i];
  }
  return NAN;
}

bool jloads_pose_at_end(const jloads* l, const jloads_result* r, jloads_pose* out) {
  const jmodel* m = l->plant->model;
  for (int j = 0; j < m->njoint; j++) {
    if (!jmodel_joint_class_of(m->joint[j].type)->is_place) continue;
    double q[6];
    for (int k = 0; k < 6; k++) {
      const char* name = m->coordinate[m->joint[j].first_coordinate + k].name;
      q[k] = output_named(l->plant->dynamics, r->out_end, name);
    }
    *out = (jloads_pose){m->body[m->joint[j].child].name, q[0], q[1], q[2], q[3], q[4], q[5]};
    return true;
  }
  return false;
}
