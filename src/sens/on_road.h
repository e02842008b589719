// SPDX-License-Identifier: Apache-2.0
// The same sensitivities with other tables of the road: equations and kernels are shared, since they read tables at run
// time (base/data.h).
#ifndef JSENS_ON_ROAD_H
#define JSENS_ON_ROAD_H

#include "sens/sens.h"

typedef struct jsens_on_road {
  jsens sens;  // whose plant and model are these
  jplant plant;
  jmodel model;
} jsens_on_road;

// Runs of it need values of the numbers (jsens_options.p): its start is that of the first until it is found anew. `s` must outlive it.
// Ownership: caller, release with jsens_on_road_destroy().
jo_status jsens_on_road_create(jo_context* ctx, const jsens* s, const jroad_surface* road,
                               jsens_on_road** out);
void jsens_on_road_destroy(jsens_on_road* r);

#endif
