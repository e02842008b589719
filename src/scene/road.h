// SPDX-License-Identifier: Apache-2.0
// Heights of a road, without a vehicle on it.
#ifndef JSCENE_ROAD_H
#define JSCENE_ROAD_H

#include "model/model.h"

// At n places (x, y), with the numbers of the model and at the beginning of its run [m]. *known is false, and nothing is
// written, where the height needs the state of the vehicle.
jo_status jscene_road_heights(jo_context* ctx, const jmodel* m, int n, const double* xy, double* z,
                              bool* known);

#endif
