// SPDX-License-Identifier: Apache-2.0
// A copy of a model for looking at an axle: its initial conditions hold the vehicle at its design position and put the
// wheels and the rack where numbers say, and its sensors are the curves.
#ifndef JAXLE_AXLE_MODEL_H
#define JAXLE_AXLE_MODEL_H

#include "axle/copy.h"

// `axle`: its name, NULL: the only one. `side`: of the wheel looked at. Everything of it is in the arena; the model must
// outlive it.
jo_status jaxle_model_make(jo_context* ctx, jarena* a, const jmodel* m, const char* axle,
                           jaxle_motion motion, int side, bool on_rig, jaxle_model* out);

#endif
