// SPDX-License-Identifier: Apache-2.0
// How far the motion of a run is off, for those who go backward along it: local errors of its steps added up as they are,
// without what becomes of them. docs/theory/sensitivity.md eq. (S18).
#ifndef JSENS_DRIFT_H
#define JSENS_DRIFT_H

#include "plant/plant.h"
#include "sens/nodes.h"

typedef struct jsens_drift {
  const jsens_lanes* lanes;
  jsolve_scheme scheme[2];  // explicit, implicit
  jsens_lane_scales scales;
  jsens_nodes nodes;
  bool is_stiff;  // of the last step nodes told more than the embedded method
  double *off, *held, *local,
      *zero;  // all ny; held: errors by the embedded method while there are few nodes
} jsens_drift;

jo_status jsens_drift_begin(jo_context* ctx, jarena* a, const jgen_layout* layout,
                            jsolve_method method, jsens_drift* d);
void jsens_drift_step(jsens_drift* d, const jsolve_step* step);
// An event follows, or the end: `off` is complete.
void jsens_drift_settle(jsens_drift* d);
// Coordinates change their places.
void jsens_drift_change(jsens_drift* d, const jgen_layout* from, const jgen_layout* to);

#endif
