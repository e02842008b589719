// SPDX-License-Identifier: Apache-2.0
// Objectives and their filters. docs/theory/sensitivity.md eqs. (O1)-(O5). Filters are linear
// second-order sections with two states each, so that they differentiate exactly like the model.
#include "gen/objective.h"

#include <math.h>

#define TWO_PI 6.283185307179586476925
#define SQUARE 2.0  // the power of a root mean square

// (b2 s^2 + b1 w s + b0 w^2) / (s^2 + d w s + w^2)
typedef struct section {
  jexpr_ref w;  // [rad/s]
  double b2, b1, b0, d;
} section;

int jgen_objective_states(const jmodel_objective* o) {
  switch (o->filter) {
    case JMODEL_FILTER_LOWPASS: return 2;
    case JMODEL_FILTER_WK: return 8;
    case JMODEL_FILTER_WD: return 6;
    default: return 0;
  }
}

// (O3)  Butterworth, high and low pass, at a frequency [Hz]
static section high_pass(jgen* s, double frequency) {
  return (section){jexpr_const(s->g, TWO_PI * frequency), .b2 = 1.0, .d = sqrt(2.0)};
}

static section low_pass(jgen* s, jexpr_ref frequency) {
  jexpr_ref w = jexpr_mul(s->g, jexpr_const(s->g, TWO_PI), frequency);
  return (section){w, .b0 = 1.0, .d = sqrt(2.0)};
}

// (O4)  transition from acceleration to velocity, and upward step, of ISO 2631-1
static section transition(jgen* s, double f3, double f4, double Q4) {
  return (section){jexpr_const(s->g, TWO_PI * f4), .b1 = f4 / f3, .b0 = 1.0, .d = 1.0 / Q4};
}

static section upward_step(jgen* s, double f5, double Q5, double f6, double Q6) {
  double r = f5 / f6;
  return (section){jexpr_const(s->g, TWO_PI * f6), 1.0, r / Q5, r * r, 1.0 / Q6};
}

static int filter_sections(jgen* s, const jmodel_objective* o, section* k) {
  if (o->filter == JMODEL_FILTER_LOWPASS) {
    k[0] = low_pass(s, jgen_scalar(s, &o->frequency, o->name));
    return 1;
  }
  bool vertical = o->filter == JMODEL_FILTER_WK;
  k[0] = high_pass(s, 0.4);
  k[1] = low_pass(s, jexpr_const(s->g, 100.0));
  k[2] = vertical ? transition(s, 12.5, 12.5, 0.63) : transition(s, 2.0, 2.0, 0.63);
  if (vertical) k[3] = upward_step(s, 2.37, 0.91, 3.35, 0.91);
  return vertical ? 4 : 3;
}

static jexpr_ref times(jgen* s, double factor, jexpr_ref x) {
  return jexpr_mul(s->g, jexpr_const(s->g, factor), x);
}

// (O5)  z1' = w z2,  z2' = w r,  r = u - z1 - d z2,  y = b2 r + b1 z2 + b0 z1
static jexpr_ref pass_section(jgen* s, const section* k, jexpr_ref u, const jexpr_ref* z,
                              jexpr_ref* zd) {
  jexpr_graph* g = s->g;
  jexpr_ref r = jexpr_sub(g, jexpr_sub(g, u, z[0]), times(s, k->d, z[1]));
  zd[0] = jexpr_mul(g, k->w, z[1]);
  zd[1] = jexpr_mul(g, k->w, r);
  jexpr_ref y = jexpr_add(g, times(s, k->b1, z[1]), times(s, k->b0, z[0]));
  return jexpr_add(g, times(s, k->b2, r), y);
}

// What `inside` is in the window, zero before it, `behind` after it.
static jexpr_ref by_window(jgen* s, const jmodel_objective* o, jexpr_ref inside, jexpr_ref behind) {
  jexpr_graph* g = s->g;
  jexpr_ref begin = jgen_scalar(s, &o->window[0], o->name);
  jexpr_ref end = jgen_scalar(s, &o->window[1], o->name);
  jexpr_ref before_end = jexpr_select(g, jexpr_lt(g, s->t, end), inside, behind);
  return jexpr_select(g, jexpr_lt(g, s->t, begin), s->zero, before_end);
}

bool jgen_objective_has_root(const jmodel_objective* o) {
  return o->power > 1.0;
}

// (O1)  a power of a small signal would lie below all tolerances, or below all numbers: it is that of
// x/nominal
jexpr_ref jgen_objective_integrand(jgen* s, const jmodel_objective* o, const jexpr_ref* z,
                                   jexpr_ref* zd) {
  jexpr_graph* g = s->g;
  if (o->kind == JMODEL_OBJECTIVE_FINAL) return s->zero;
  jexpr_ref x = jgen_scalar(s, &o->integrand, o->name);
  section k[4];
  int n = o->filter == JMODEL_FILTER_NONE ? 0 : filter_sections(s, o, k);
  for (int i = 0; i < n; i++) {
    x = pass_section(s, &k[i], x, z + 2 * i, zd + 2 * i);
  }
  if (jgen_objective_has_root(o)) x = jexpr_div(g, x, jexpr_const(g, o->nominal));
  if (o->power > 1.0) x = jexpr_mul(g, x, x);
  if (o->power > 1.0 && o->power != SQUARE) x = jexpr_pow(g, x, jexpr_const(g, 0.5 * o->power));
  return o->has_window ? by_window(s, o, x, s->zero) : x;
}

// (O2)  T = min(t, to) - from: what of the window, or of the run, lies behind at time t. Where that is
// nothing, w is zero; T is then one, so that the value is zero and not 0/0. That makes no switch,
// and the ends of the window are switches already.
static jexpr_ref duration(jgen* s, const jmodel_objective* o) {
  jexpr_graph* g = s->g;
  jexpr_ref seen = jexpr_sub(g, s->t, jexpr_const(g, s->m->simulation.t_start));
  if (o->has_window) {
    jexpr_ref begin = jgen_scalar(s, &o->window[0], o->name);
    jexpr_ref end = jgen_scalar(s, &o->window[1], o->name);
    seen = by_window(s, o, jexpr_sub(g, s->t, begin), jexpr_sub(g, end, begin));
  }
  return jexpr_select(g, seen, seen, s->one);
}

// (O2)
jexpr_ref jgen_objective_value(jgen* s, const jmodel_objective* o, jexpr_ref integral) {
  jexpr_graph* g = s->g;
  jexpr_ref v = integral;
  if (o->kind == JMODEL_OBJECTIVE_FINAL) v = s->zero;
  if (jmodel_objective_class_of(o->kind)->is_mean) v = jexpr_div(g, v, duration(s, o));
  if (o->power == SQUARE) v = jexpr_sqrt(g, v);
  if (o->power > SQUARE) v = jexpr_pow(g, v, jexpr_const(g, 1.0 / o->power));
  if (jgen_objective_has_root(o)) v = jexpr_mul(g, v, jexpr_const(g, o->nominal));
  if (o->has_final) v = jexpr_add(g, v, jgen_scalar(s, &o->final, o->name));
  return v;
}
