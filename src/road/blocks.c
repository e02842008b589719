// SPDX-License-Identifier: Apache-2.0
// Belgian blocks: rows of stones, each at a height of its own and rounded towards its joints. docs/theory/road.md (R23)
#include <math.h>

#include "base/err.h"
#include "road/file.h"

#define ALONG  8  // points of a stone in both directions
#define ACROSS 8

// Along, and across with every other row half a stone further: which stone, and where in it (0 ... 1).
static double part(double x, double stone, int* which) {
  *which = (int)floor(x / stone);
  return x / stone - *which;
}

// 1 over most of a stone, level at zero in the joints
static double rounded(double t) {
  double s = 2.0 * t - 1.0, s2 = s * s, q = 1.0 - s2 * s2 * s2;
  return q * q;
}

static double height(const jroad_blocks* b, double x, double y) {
  int row, column;
  double along = part(x, b->stone_length, &row);
  double across = part(y + (row % 2 ? 0.5 * b->stone_width : 0.0), b->stone_width, &column);
  double level = 1.0 + b->scatter * (jroad_chance(b->seed, row, column) - 0.5);
  return b->height * level * rounded(along) * rounded(across);
}

jo_status jroad_make_blocks(jo_context* ctx, jarena* a, const jroad_blocks* b, jroad_source* out) {
  double du = b->stone_length / ALONG, dv = b->stone_width / ACROSS;
  int nu = (int)ceil(b->length / b->stone_length) * ALONG + 1;
  int nv = (int)ceil(b->width / b->stone_width) * ACROSS + 1;
  double* v = JARENA_ARRAY(a, nv, double);
  double* z = JARENA_ARRAY(a, (size_t)nu * (size_t)nv, double);
  if (!v || !z) return jerr_memory(ctx);
  for (int j = 0; j < nv; j++) {
    v[j] = (j - 0.5 * (nv - 1)) * dv;
  }
  for (int i = 0; i < nu; i++) {
    double x = i * du;
    for (int j = 0; j < nv; j++) {
      bool border = i == 0 || i == nu - 1 || j == 0 || j == nv - 1;
      z[(size_t)i * (size_t)nv + (size_t)j] = border ? 0.0 : height(b, x, v[j] + b->width);
    }
  }
  *out = (jroad_source){.is_level = true,
                        .degree = 3,
                        .across = JROAD_SMOOTH,
                        .nu = nu,
                        .nv = nv,
                        .du = du,
                        .v = v,
                        .value = z};
  return JO_OK;
}
