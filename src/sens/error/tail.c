// SPDX-License-Identifier: Apache-2.0
#include "sens/error/tail.h"

#include <math.h>

#include "base/elementary.h"

#define CANCELS  4.0   // what a probe of several stretches shows may be less than one of them by
#define SMALL    10.0  // a stretch beside which others are as small as this does not cancel
#define RESOLVED 0.12  // decay of coefficients that leaves nothing for the embedded method to miss
#define SLOWEST  0.75  // decay of coefficients, from one to the next

static int nearest_stage(const jsolve_tableau* tab, double c) {
  int best = 0;
  for (int i = 1; i < tab->stages; i++) {
    if (fabs(tab->c[i] - c) < fabs(tab->c[best] - c)) best = i;
  }
  return best;
}

// (S26)  The divided difference over some of the nodes at x, as the coefficient of a polynomial that leads with `lead`.
static void set_difference(jsens_tail* t, int part, const int* node, int n, const double* x,
                           double lead) {
  for (int i = 0; i < n; i++) {
    double w = 1.0 / lead;
    for (int j = 0; j < n; j++) {
      if (j != i) w /= x[node[i]] - x[node[j]];
    }
    t->weight[part][node[i]] = w;
  }
}

jsens_tail jsens_tail_of(const jsolve_tableau* tab) {
  // of mixed steps the slope at the end is not one of those that local states are solved with
  bool is_mixed = tab->local_gamma > 0.0;
  const int node[] = {0, is_mixed ? 3 : 4, 1, 2};
  int last = tab->stages - 1;
  jsens_tail t = {.stage = {0, nearest_stage(tab, 1.0 / 3.0), nearest_stage(tab, 2.0 / 3.0), last}};
  int a = t.stage[1], b = t.stage[2];
  t.skipped = jsolve_method_about(tab->method)->order - 3;
  t.is_there = t.skipped > 0 && tab->gamma == 0.0 && tab->c[last] == 1.0 && 0 < a && 0 < b &&
               a != b && a < last && b < last;
  if (!t.is_there) return t;
  t.stage[4] = tab->stages;
  t.end = node[1];
  double x[JSENS_TAIL_NODES] = {0.0, tab->c[a], tab->c[b], 1.0, 1.0};
  set_difference(&t, JSENS_TAIL_FIRST, node, 2, x, 2.0);
  set_difference(&t, JSENS_TAIL_SECOND, node, 3, x, 6.0);
  set_difference(&t, JSENS_TAIL_THIRD, node, 4, x, 20.0);
  t.weight[JSENS_TAIL_AGAIN][3] = is_mixed ? 0.0 : -1.0;
  t.weight[JSENS_TAIL_AGAIN][4] = is_mixed ? 0.0 : 1.0;
  return t;
}

double jsens_tail_share(const jsens_tail* t, const double size[JSENS_TAIL_PARTS]) {
  double third = size[JSENS_TAIL_THIRD], again = size[JSENS_TAIL_AGAIN];
  if (!(third > again)) return 0.0;
  double most = fmax(third, fmax(size[JSENS_TAIL_FIRST], size[JSENS_TAIL_SECOND]));
  double rho = fmin(SLOWEST, sqrt(third / most));
  if (rho < RESOLVED) return 0.0;
  return jm_pow(rho, t->skipped) / (1.0 - rho) * (1.0 - again / third);
}

void jsens_stretches_add(jsens_stretches* s, double size, bool is_new) {
  s->present = is_new ? size : s->present + size;
  s->largest = fmax(s->largest, s->present);
  s->all += size;
}

double jsens_stretches_doubt(const jsens_stretches* s) {
  if (!(s->largest > 0.0)) return 1.0;
  return 1.0 + (CANCELS - 1.0) * fmin(1.0, SMALL * (s->all / s->largest - 1.0));
}
