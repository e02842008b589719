// SPDX-License-Identifier: Apache-2.0
// What holds a vehicle and loads its wheels as a rig for kinematics and compliance does.
#ifndef JAXLE_AXLE_RIG_H
#define JAXLE_AXLE_RIG_H

#include "axle/copy.h"

// Prepares the copy: the vehicle and its rack driven, wheels locked to what carries them and loaded by numbers, no weight
// and no road.
void jaxle_on_rig(jaxle_model* b);

#endif
