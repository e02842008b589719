// SPDX-License-Identifier: Apache-2.0
// Levels of values: a full one is sorted, and every other value goes to the next with twice the weight, in turn the
// first and the second of each pair.
#include "sweep/quantile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"

#define SIZE JSWEEP_QUANTILE_EXACT

void jsweep_quantile_begin(jsweep_quantile* q, jo_context* ctx) {
  *q = (jsweep_quantile){.ctx = ctx};
}

void jsweep_quantile_end(jsweep_quantile* q) {
  for (int h = 0; h < JSWEEP_QUANTILE_LEVELS; h++) {
    jmem_free(q->ctx, q->level[h]);
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Level h full: half of its values go up, which may fill the next one, as deep as there are levels.
static jo_status put(jsweep_quantile* q, int h, double y) {
  if (h >= JSWEEP_QUANTILE_LEVELS) return jerr_set(q->ctx, JO_ERR_LIMIT, "too many values");
  if (!q->level[h]) q->level[h] = jmem_resize(q->ctx, NULL, SIZE * sizeof(double));
  if (!q->level[h]) return jerr_memory(q->ctx);
  if (q->count[h] == SIZE) {
    qsort(q->level[h], SIZE, sizeof(double), compare);
    for (int i = (int)(q->halved[h] % 2); i < SIZE; i += 2) {
      JO_TRY(put(q, h + 1, q->level[h][i]));
    }
    q->halved[h]++;
    q->count[h] = 0;
  }
  q->level[h][q->count[h]++] = y;
  return JO_OK;
}

jo_status jsweep_quantile_add(jsweep_quantile* q, double y) {
  JO_TRY(put(q, 0, y));
  q->n++;
  return JO_OK;
}

jo_status jsweep_quantile_merge(jsweep_quantile* q, const jsweep_quantile* other) {
  for (int h = 0; h < JSWEEP_QUANTILE_LEVELS; h++) {
    for (int i = 0; i < other->count[h]; i++) {
      JO_TRY(put(q, h, other->level[h][i]));
    }
    q->halved[h] += other->halved[h];
  }
  q->n += other->n;
  return JO_OK;
}

// (W6) Two of a level move ranks by its weight, in one direction or the other.
double jsweep_quantile_error(const jsweep_quantile* q) {
  double ranks = 0.0;
  for (int h = 0; h < JSWEEP_QUANTILE_LEVELS; h++) {
    ranks += ldexp((double)((q->halved[h] + 1) / 2), h);
  }
  return q->n > 0 ? ranks / (double)q->n : 0.0;
}

typedef struct weighted {
  double y, weight;
} weighted;

static int compare_weighted(const void* a, const void* b) {
  return compare(&((const weighted*)a)->y, &((const weighted*)b)->y);
}

// Value i of n has the rank i, from 0; of a weight w the ranks from the one below on.
static double at_rank(const weighted* v, int n, double rank, bool is_exact) {
  if (is_exact) {
    int i = (int)floor(rank);
    double part = rank - i;
    return i + 1 < n ? v[i].y + part * (v[i + 1].y - v[i].y) : v[n - 1].y;
  }
  double below = 0.0;
  for (int i = 0; i < n; i++) {
    below += v[i].weight;
    if (below > rank) return v[i].y;
  }
  return v[n - 1].y;
}

jo_status jsweep_quantile_find(const jsweep_quantile* q, const double* p, int n, double* out) {
  int held = 0, k = 0;
  for (int h = 0; h < JSWEEP_QUANTILE_LEVELS; h++) {
    held += q->count[h];
  }
  weighted* v = jmem_resize(q->ctx, NULL, ((size_t)held + 1) * sizeof *v);
  if (!v) return jerr_memory(q->ctx);
  for (int h = 0; h < JSWEEP_QUANTILE_LEVELS; h++) {
    for (int i = 0; i < q->count[h]; i++) {
      v[k++] = (weighted){q->level[h][i], ldexp(1.0, h)};
    }
  }
  qsort(v, (size_t)held, sizeof *v, compare_weighted);
  for (int i = 0; i < n; i++) {
    out[i] = at_rank(v, held, p[i] * (double)(q->n - 1), q->n == held);
  }
  jmem_free(q->ctx, v);
  return JO_OK;
}
