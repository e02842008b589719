// SPDX-License-Identifier: Apache-2.0
// The road of a replay: its height over a grid. A road that needs more than parameters, tables and time is left out of
// the picture.
#include <math.h>

#include "scene/replay.h"
#include "scene/road.h"

#define MARGIN 2.5   // beyond the wheels [m]
#define FINEST 0.05  // of the grid along x [m]
#define MAX_X  400
#define MAX_Y  16

static void lay_out(jscene_replay* r) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < r->nframe * r->nwheel; i++) {
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], r->spin[9 * i + k]);
      high[k] = fmax(high[k], r->spin[9 * i + k]);
    }
  }
  double length = high[0] - low[0] + 2.0 * MARGIN, width = high[1] - low[1] + 2.0 * MARGIN;
  if (!isfinite(length) || !isfinite(width)) return;  // there is no road to a place that is none
  jscene_replay_road* road = &r->road;
  road->nx = (int)fmin(MAX_X, ceil(length / FINEST)) + 1;
  road->ny = MAX_Y + 1;
  road->x0 = low[0] - MARGIN;
  road->y0 = low[1] - MARGIN;
  road->dx = length / (road->nx - 1);
  road->dy = width / (road->ny - 1);
}

jo_status jscene_replay_pave(jscene_replay* r, const jmodel* m) {
  if (r->nwheel == 0 || r->nframe == 0) return JO_OK;
  lay_out(r);
  jscene_replay_road* road = &r->road;
  int n = road->nx * road->ny;
  if (n == 0) return JO_OK;
  bool known = false;
  double* xy = JARENA_ARRAY(&r->arena, 2 * (size_t)n, double);
  road->z = JARENA_ARRAY(&r->arena, n, double);
  if (!xy || !road->z) return jerr_memory(r->ctx);
  for (int i = 0; i < n; i++) {
    xy[2 * i] = road->x0 + i / road->ny * road->dx;
    xy[2 * i + 1] = road->y0 + i % road->ny * road->dy;
  }
  JO_TRY(jscene_road_heights(r->ctx, m, n, xy, road->z, &known));
  if (!known) r->road = (jscene_replay_road){0};
  for (int i = 0; known && i < n; i++) {
    if (!isfinite(road->z[i])) road->z[i] = 0.0;
  }
  return JO_OK;
}
