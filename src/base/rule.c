// SPDX-License-Identifier: Apache-2.0
#include "base/rule.h"

#include <math.h>

static bool is_within(jrule_limit limit, double x) {
  if (limit == JRULE_NOT_ZERO) return isfinite(x) && x != 0.0;
  if (limit == JRULE_RESOLVED) return isfinite(x) && x >= 1e-9;
  double least = limit == JRULE_ABOVE_ONE ? 1.0 : 0.0;
  return isfinite(x) &&
         (limit == JRULE_FINITE || x > least || (limit == JRULE_NOT_NEGATIVE && x == 0.0));
}

static bool increases(const double* x, int n) {
  for (int i = 1; i < n; i++) {
    if (!(x[i - 1] < x[i])) return false;
  }
  return true;
}

// All principal minors of a positive semidefinite tensor are at least zero. I: xx yy zz xy xz yz.
static bool is_semidefinite(const double I[6]) {
  double size = fabs(I[0]) + fabs(I[1]) + fabs(I[2]);
  double e = 1e-9 * size;
  double det = I[0] * (I[1] * I[2] - I[5] * I[5]) - I[3] * (I[3] * I[2] - I[5] * I[4]) +
               I[4] * (I[3] * I[5] - I[1] * I[4]);
  return I[0] >= -e && I[1] >= -e && I[2] >= -e && I[0] * I[1] - I[3] * I[3] >= -e * size &&
         I[0] * I[2] - I[4] * I[4] >= -e * size && I[1] * I[2] - I[5] * I[5] >= -e * size &&
         det >= -e * size * size;
}

static double length(const double v[3]) {
  return hypot(hypot(v[0], v[1]), v[2]);
}

static bool has_direction(const double v[3]) {
  double size = length(v);
  return size > 0.0 && isfinite(size);
}

// Two axes must span a plane.
static bool spans_plane(const double* u) {
  const double* v = u + 3;
  double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double size = length(u) * length(v);
  return size > 0.0 && length(c) > 1e-6 * size;
}

bool jrule_holds(jrule_kind kind, jrule_limit limit, const double* value, int n) {
  switch (kind) {
    case JRULE_LIMIT: return is_within(limit, value[0]);
    case JRULE_INCREASES: return increases(value, n);
    case JRULE_TENSOR: return is_semidefinite(value);
    case JRULE_DIRECTION: return has_direction(value);
    case JRULE_PLANE: return spans_plane(value);
    case JRULE_LESS: return value[0] < value[1];
  }
  return true;
}

const char* jrule_limit_text(jrule_limit limit) {
  static const char* const text[] = {
      [JRULE_FINITE] = "finite",
      [JRULE_NOT_NEGATIVE] = "at least 0",
      [JRULE_POSITIVE] = "more than 0",
      [JRULE_RESOLVED] = "at least 1e-9 (times are resolved to 1e-13)",
      [JRULE_ABOVE_ONE] = "more than 1",
      [JRULE_NOT_ZERO] = "other than 0",
      [JRULE_RIGHT_WAY] = "more than 0, or forces point the wrong way; correct the signs"};
  return text[limit];
}
