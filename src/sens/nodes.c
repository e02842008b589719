// SPDX-License-Identifier: Apache-2.0
#include "sens/nodes.h"

bool jsens_nodes_begin(jarena* a, int n, jsens_nodes* s) {
  *s = (jsens_nodes){.n = n};
  for (int i = 0; i < JSENS_NODES; i++) {
    s->x[i] = JARENA_ARRAY(a, n, double);
    s->slope[i] = JARENA_ARRAY(a, n, double);
    if (!s->x[i] || !s->slope[i]) return false;
  }
  return true;
}

void jsens_nodes_next(jsens_nodes* s, double t, double** x, double** slope) {
  double *first = s->x[0], *first_slope = s->slope[0];
  for (int i = 0; i + 1 < JSENS_NODES; i++) {
    s->t[i] = s->t[i + 1];
    s->x[i] = s->x[i + 1];
    s->slope[i] = s->slope[i + 1];
  }
  s->t[JSENS_NODES - 1] = t;
  s->x[JSENS_NODES - 1] = *x = first;
  s->slope[JSENS_NODES - 1] = *slope = first_slope;
  s->count++;
}

// Weights of the divided difference over nodes t, each of them twice, in units of the mean step h:
//   a_j = prod_i≠j (τ_j - τ_i)^-2,   b_j = -2 a_j sum_i≠j 1/(τ_j - τ_i)
// A jump by e between nodes m and m + 1 has e sum_j>m b_j in it; equal jumps everywhere e times the sum of those.
static bool find_weights(const double* t, int n, double* b, double* a) {
  double h = (t[n - 1] - t[0]) / (n - 1), all = 0.0;
  for (int j = 0; j < n; j++) {
    double product = 1.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
      if (i == j) continue;
      double apart = (t[j] - t[i]) / h;
      if (!(apart != 0.0)) return false;
      product *= apart;
      sum += 1.0 / apart;
    }
    a[j] = 1.0 / (product * product);
    b[j] = -2.0 * a[j] * sum;
    all += j * b[j];
  }
  for (int j = 0; j < n; j++) {
    a[j] *= h / all;
    b[j] /= all;
  }
  return true;
}

bool jsens_nodes_error(const jsens_nodes* s, const jsens_lanes* lanes, double* error) {
  if (s->count < JSENS_LEAST_NODES) return false;
  int n = s->count < JSENS_NODES ? s->count : JSENS_NODES, first = JSENS_NODES - n;
  double weight[2 * JSENS_NODES];
  const double* vector[2 * JSENS_NODES];
  if (!find_weights(s->t + first, n, weight, weight + n)) return false;
  for (int j = 0; j < n; j++) {
    vector[j] = s->x[first + j];
    vector[n + j] = s->slope[first + j];
  }
  lanes->blend(s->n, 2 * n, weight, vector, error);
  return true;
}

int jsens_nodes_steps(const jsens_nodes* s) {
  return s->count < JSENS_NODES ? 0 : s->count == JSENS_NODES ? 2 : 1;
}

int jsens_nodes_steps_left(const jsens_nodes* s) {
  return s->count >= JSENS_NODES ? 2 : s->count == JSENS_LEAST_NODES ? JSENS_LEAST_NODES - 1 : 0;
}
