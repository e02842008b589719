// SPDX-License-Identifier: Apache-2.0
// Cycle counting after ASTM E1049-85: turning points of a history, then ranges that later ones
// enclose are taken out of a stack of points. docs/theory/loads.md eqs. (R1)-(R4).
#include "loads/rainflow.h"

#include <math.h>

#include "base/elementary.h"

#define MAX_SPACING 8.0  // neighbours at more unequal distances make no parabola
#define KINK        8.0  // a bend so many times those around it is a corner

// ---- turning points ------------------------------------------------------------------------------

static double value_at(const jloads_history* h, int i) {
  return h->value[(size_t)i * (size_t)h->stride];
}

static double time_at(const jloads_history* h, int i) {
  return h->t ? h->t[(size_t)i * (size_t)h->t_stride] : (double)i;
}

// Samples i ... i + n - 1 exist and are spaced evenly enough to be fitted.
static bool is_fit(const jloads_history* h, int i, int n) {
  if (!h->t || i < 0 || i + n > h->n) return false;
  double least = INFINITY, most = 0.0;
  for (int k = i; k + 1 < i + n; k++) {
    double d = time_at(h, k + 1) - time_at(h, k);
    if (!(d > 0.0)) return false;
    least = fmin(least, d);
    most = fmax(most, d);
  }
  return most <= MAX_SPACING * least;
}

static double slope_between(const jloads_history* h, int i, int k) {
  return (value_at(h, k) - value_at(h, i)) / (time_at(h, k) - time_at(h, i));
}

// Second difference at sample i.
static double bend_at(const jloads_history* h, int i) {
  double d = time_at(h, i + 1) - time_at(h, i - 1);
  return (slope_between(h, i, i + 1) - slope_between(h, i - 1, i)) / d;
}

// Lagrange weights and their slopes at time t of the parabola through samples i, i + 1, i + 2.
static void parabola(const jloads_history* h, int i, double t, double w[3], double wd[3]) {
  for (int k = 0; k < 3; k++) {
    double tk = time_at(h, i + k), ta = time_at(h, i + (k + 1) % 3),
           tb = time_at(h, i + (k + 2) % 3);
    w[k] = (t - ta) * (t - tb) / ((tk - ta) * (tk - tb));
    wd[k] = (2.0 * t - ta - tb) / ((tk - ta) * (tk - tb));
  }
}

static double weighted(const jloads_history* h, int i, const double w[3]) {
  return w[0] * value_at(h, i) + w[1] * value_at(h, i + 1) + w[2] * value_at(h, i + 2);
}

// (R1)  Vertex of the parabola through a sample and its neighbours. Its value changes with theirs by
// their Lagrange weights there: that the vertex moves does not matter to first order.
static void refine_smooth(const jloads_history* h, jloads_turning* p) {
  int i = p->sample;
  double l = slope_between(h, i - 1, i), r = slope_between(h, i, i + 1);
  if (!(l * r <= 0.0) || l == r) return;
  double bend = bend_at(h, i), slope = l + bend * (p->t - time_at(h, i - 1)), unused[3];
  p->t -= slope / (2.0 * bend);
  p->first = i - 1;
  p->nweight = 3;
  parabola(h, i - 1, p->t, p->weight, unused);
  p->value = weighted(h, i - 1, p->weight);
}

// (R2)  Corner between samples l and l + 1, where L(t) of the left three meets R(t) of the right three:
//   dv = (L' dR - R' dL) / (L' - R')
static bool refine_corner(const jloads_history* h, int l, jloads_turning* p) {
  double t = 0.5 * (time_at(h, l) + time_at(h, l + 1)), w[2][3], wd[2][3], Ld = 0.0, Rd = 0.0;
  for (int step = 0; step < 6; step++) {
    parabola(h, l - 2, t, w[0], wd[0]);
    parabola(h, l + 1, t, w[1], wd[1]);
    Ld = weighted(h, l - 2, wd[0]);
    Rd = weighted(h, l + 1, wd[1]);
    if (step < 5) t -= (weighted(h, l - 2, w[0]) - weighted(h, l + 1, w[1])) / (Ld - Rd);
    // samples may stand on the corner itself
    double slack = 0.2 * (time_at(h, l + 1) - time_at(h, l));
    if (!(t >= time_at(h, l) - slack && t <= time_at(h, l + 1) + slack)) return false;
  }
  if (!(Ld * Rd <= 0.0)) return false;
  p->t = t;
  p->value = weighted(h, l - 2, w[0]);
  p->first = l - 2;
  p->nweight = 6;
  for (int k = 0; k < 3; k++) {
    p->weight[k] = -Rd / (Ld - Rd) * w[0][k];
    p->weight[3 + k] = Ld / (Ld - Rd) * w[1][k];
  }
  return true;
}

// How far sample i is from the parabola through the three from k on.
static double misfit(const jloads_history* h, int k, int i) {
  double w[3], wd[3];
  parabola(h, k, time_at(h, i), w, wd);
  return fabs(weighted(h, k, w) - value_at(h, i));
}

// A corner bends the samples on both sides of it, and no others; the turning sample belongs to the
// side it fits better.
static bool find_corner(const jloads_history* h, int i, int* l) {
  if (!is_fit(h, i - 3, 7)) return false;
  *l = misfit(h, i - 3, i) < misfit(h, i + 1, i) ? i : i - 1;
  double here = fabs(bend_at(h, *l)) + fabs(bend_at(h, *l + 1));
  double around = fmax(fabs(bend_at(h, *l - 1)), fabs(bend_at(h, *l + 2)));
  return here > KINK * around;
}

static void refine(const jloads_history* h, jloads_turning* p) {
  int l, i = p->sample;
  if (!is_fit(h, i - 1, 3)) return;
  if (!find_corner(h, i, &l) || !refine_corner(h, l, p)) refine_smooth(h, p);
}

static jloads_turning point(const jloads_history* h, int i) {
  return (jloads_turning){.t = time_at(h, i),
                          .value = value_at(h, i),
                          .sample = i,
                          .first = i,
                          .nweight = 1,
                          .weight = {1.0}};
}

static jo_status add_turning(jloads_rainflow* r, const jloads_history* h, int i) {
  if (!jmem_grow(r->ctx, &r->turning, &r->turning_cap, r->nturning + 1, sizeof *r->turning)) {
    return jerr_memory(r->ctx);
  }
  jloads_turning p = point(h, i);
  refine(h, &p);
  r->turning[r->nturning++] = p;
  return JO_OK;
}

// A point stands when the history has turned back from it by more than the gate.
static jo_status find_turning(jloads_rainflow* r, const jloads_history* h) {
  int candidate = 0, direction = 0;
  for (int i = 0; i < h->n; i++) {
    double v = value_at(h, i), d = v - value_at(h, candidate);
    if (!isfinite(v)) {
      return jerr_set(r->ctx, JO_ERR_NUMERIC, "cycle counting: sample %d is not finite", i);
    }
    if (direction == 0 && d != 0.0 && fabs(d) > h->gate) {
      JO_TRY(add_turning(r, h, 0));
      direction = d > 0.0 ? 1 : -1;
      candidate = i;
    } else if (direction * d > 0.0) {
      candidate = i;
    } else if (direction * d < 0.0 && fabs(d) > h->gate) {
      JO_TRY(add_turning(r, h, candidate));
      direction = -direction;
      candidate = i;
    }
  }
  return direction == 0 ? JO_OK : add_turning(r, h, candidate);
}

// ---- counting ------------------------------------------------------------------------------------

static double range_of(const jloads_rainflow* r, int from, int to) {
  return fabs(r->turning[to].value - r->turning[from].value);
}

static jo_status add_cycle(jloads_rainflow* r, int from, int to, double count) {
  if (!jmem_grow(r->ctx, &r->cycle, &r->cycle_cap, r->ncycle + 1, sizeof *r->cycle)) {
    return jerr_memory(r->ctx);
  }
  r->cycle[r->ncycle++] =
      (jloads_cycle){.from = from,
                     .to = to,
                     .range = range_of(r, from, to),
                     .mean = 0.5 * (r->turning[from].value + r->turning[to].value),
                     .count = count};
  return JO_OK;
}

// E1049 5.4.4. The stack holds points not yet discarded; its first one is the starting point S.
static jo_status count_rainflow(jloads_rainflow* r, int* stack) {
  int n = 0;
  for (int i = 0; i < r->nturning; i++) {
    stack[n++] = i;
    while (n >= 3) {
      double X = range_of(r, stack[n - 2], stack[n - 1]);
      double Y = range_of(r, stack[n - 3], stack[n - 2]);
      if (X < Y) break;
      bool has_start = n == 3;
      JO_TRY(add_cycle(r, stack[n - 3], stack[n - 2], has_start ? 0.5 : 1.0));
      // a half cycle loses its first point, a whole one both
      if (has_start) stack[n - 3] = stack[n - 2];
      stack[n - (has_start ? 2 : 3)] = stack[n - 1];
      n -= has_start ? 1 : 2;
    }
  }
  for (int i = 0; i + 1 < n; i++) {
    JO_TRY(add_cycle(r, stack[i], stack[i + 1], 0.5));
  }
  return JO_OK;
}

// Pairs along a sequence of n points, which becomes what is left of it.
static jo_status take_pairs(jloads_rainflow* r, int* point_of, int* n) {
  int m = 0;
  for (int i = 0; i < *n; i++) {
    point_of[m++] = point_of[i];
    while (m >= 3) {
      double X = range_of(r, point_of[m - 2], point_of[m - 1]);
      double Y = range_of(r, point_of[m - 3], point_of[m - 2]);
      if (X < Y) break;
      JO_TRY(add_cycle(r, point_of[m - 3], point_of[m - 2], 1.0));
      point_of[m - 3] = point_of[m - 1];
      m -= 2;
    }
  }
  *n = m;
  return JO_OK;
}

// E1049 5.4.3: what is left is counted backwards; a single range that remains is half a cycle.
static jo_status count_range_pairs(jloads_rainflow* r, int* stack) {
  int n = r->nturning;
  for (int i = 0; i < n; i++) {
    stack[i] = i;
  }
  JO_TRY(take_pairs(r, stack, &n));
  for (int i = 0; i < n / 2; i++) {
    int swap = stack[i];
    stack[i] = stack[n - 1 - i];
    stack[n - 1 - i] = swap;
  }
  JO_TRY(take_pairs(r, stack, &n));
  return n == 2 ? add_cycle(r, stack[0], stack[1], 0.5) : JO_OK;
}

static jo_status count(jloads_rainflow* r, const jloads_history* h, jloads_counting method) {
  JO_TRY(find_turning(r, h));
  size_t bytes = ((size_t)r->nturning + 1) * sizeof(int);
  int* stack = jmem_resize(r->ctx, NULL, bytes);
  if (!stack) return jerr_memory(r->ctx);
  jo_status status =
      method == JLOADS_COUNT_RAINFLOW ? count_rainflow(r, stack) : count_range_pairs(r, stack);
  jmem_free(r->ctx, stack);
  return status;
}

jo_status jloads_rainflow_count(jo_context* ctx, const jloads_history* h, jloads_counting method,
                                jloads_rainflow* r) {
  *r = (jloads_rainflow){.ctx = ctx};
  jo_status status = count(r, h, method);
  if (status < 0) jloads_rainflow_free(r);
  return status;
}

void jloads_rainflow_free(jloads_rainflow* r) {
  if (!r || !r->ctx) return;
  jmem_free(r->ctx, r->turning);
  jmem_free(r->ctx, r->cycle);
  *r = (jloads_rainflow){0};
}

// ---- what follows from the counts ----------------------------------------------------------------

void jloads_rainflow_bins(const jloads_rainflow* r, double width, int nbin, double* count_in) {
  for (int i = 0; i < nbin; i++) {
    count_in[i] = 0.0;
  }
  for (int i = 0; i < r->ncycle; i++) {
    double bin = floor(r->cycle[i].range / width);
    count_in[bin < nbin - 1 ? (int)bin : nbin - 1] += r->cycle[i].count;
  }
}

double jloads_rainflow_damage(const jloads_rainflow* r, double slope, double reference) {
  double D = 0.0;
  for (int i = 0; i < r->ncycle; i++) {
    D += r->cycle[i].count * jm_pow(r->cycle[i].range / reference, slope);
  }
  return D;
}

static void spread(const jloads_turning* p, double d, int n, double* gradient) {
  for (int k = 0; k < p->nweight && p->first + k < n; k++) {
    gradient[p->first + k] += d * p->weight[k];
  }
}

// (R4)  dD/dv = +-count slope range^(slope - 1) / reference^slope at both ends of a cycle
void jloads_rainflow_gradient(const jloads_rainflow* r, double slope, double reference, int n,
                              double* gradient) {
  for (int i = 0; i < r->ncycle; i++) {
    const jloads_cycle* c = &r->cycle[i];
    const jloads_turning *a = &r->turning[c->from], *b = &r->turning[c->to];
    double d = c->count * slope * jm_pow(c->range / reference, slope - 1.0) / reference;
    if (b->value < a->value) d = -d;
    spread(b, d, n, gradient);
    spread(a, -d, n, gradient);
  }
}

jloads_turning jloads_history_peak(const jloads_history* h) {
  int at = 0;
  for (int i = 1; i < h->n; i++) {
    if (fabs(value_at(h, i)) > fabs(value_at(h, at))) at = i;
  }
  jloads_turning p = point(h, at);
  refine(h, &p);
  return p;
}
