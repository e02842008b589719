// SPDX-License-Identifier: Apache-2.0
// What holds a vehicle and loads its wheels as a rig for kinematics and compliance does.
#ifndef JSTUDY_AXLE_RIG_H
#define JSTUDY_AXLE_RIG_H

#include "study/axle_copy.h"

// Prepares the copy: the vehicle and its rack driven, wheels locked to what carries them and loaded by numbers, no weight
// and no road.
void jstudy_axle_on_rig(jstudy_axle_model* b);

#endif
