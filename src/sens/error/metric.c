// SPDX-License-Identifier: Apache-2.0
// The metric: change of an objective in per cent per per cent of each number, sorted.
#include "sens/error/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// "hardpoints.P12.y" is of the kind "hardpoints", "y"
static size_t section_length(const char* path) {
  return strcspn(path, ".[");
}

static const char* last_key(const char* path) {
  const char* dot = strrchr(path, '.');
  return dot ? dot + 1 : "";
}

static double typical(const jmodel* m, const char* path, bool same_key) {
  size_t n = section_length(path);
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < m->nnumber; i++) {
    const jmodel_number* k = &m->number[i];
    bool is_kin = section_length(k->path) == n && strncmp(k->path, path, n) == 0;
    if (!is_kin || k->value == 0.0) continue;
    if (same_key && strcmp(last_key(k->path), last_key(path)) != 0) continue;
    sum += k->value * k->value;
    count++;
  }
  return count > 0 ? sqrt(sum / count) : 0.0;
}

double jsens_natural_size(const jmodel* m, int number) {
  return jsens_size_at(m, number, m->number[number].value);
}

double jsens_size_at(const jmodel* m, int number, double value) {
  const jmodel_number* k = &m->number[number];
  if (value != 0.0) return fabs(value);
  if (!k->path[section_length(k->path)]) return 1.0;  // a parameter: kin to nothing
  double size = typical(m, k->path, true);
  if (size == 0.0) size = typical(m, k->path, false);
  return size > 0.0 ? size : 1.0;
}

static int by_influence(const void* a, const void* b) {
  const jsens_metric_row *x = a, *y = b;
  if (x->influence != y->influence) return x->influence < y->influence ? -1 : 1;
  double p = fabs(x->percent), q = fabs(y->percent);
  if (p != q) return p > q ? -1 : 1;
  return x->which < y->which ? -1 : x->which > y->which;
}

void jsens_metric(const jmodel* m, const int* wrt, int nw, const double* value, double objective,
                  const double* gradient, double threshold, jsens_metric_row* row) {
  for (int k = 0; k < nw; k++) {
    double size = jsens_size_at(m, wrt[k], value[k]);
    double signed_size = value[k] < 0.0 ? -size : size;
    double percent = gradient[k] * signed_size;
    // per cent of nothing means nothing: then the change by one per cent of the number
    percent = objective != 0.0 ? percent / fabs(objective) : 0.01 * percent;
    if (isnan(percent)) percent = 0.0;
    row[k] = (jsens_metric_row){.which = k, .value = value[k], .derivative = gradient[k]};
    row[k].percent = percent;
    row[k].size = size;
    bool is_idle = !(fabs(percent) >= threshold) || percent == 0.0;
    row[k].influence = is_idle ? JSENS_IDLE : value[k] == 0.0 ? JSENS_ZERO_VALUE : JSENS_MATTERS;
    if (isnan(gradient[k])) row[k].influence = JSENS_NONE;
  }
  qsort(row, (size_t)nw, sizeof *row, by_influence);
  for (int k = 0; k < nw; k++) {
    if (row[k].influence == JSENS_NONE) row[k].percent = NAN;
  }
}
