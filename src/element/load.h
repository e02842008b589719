// SPDX-License-Identifier: Apache-2.0
// A force and a torque at a point of a body that no file gives.
#ifndef JELEMENT_LOAD_H
#define JELEMENT_LOAD_H

#include "model/model.h"

// In ground axes, by the class of forces at points, whose only component is the given one; false: there is no memory.
bool jelement_load_make(jarena* a, const char* name, const jmodel_point* at, const jmodel_v3* force,
                        const jmodel_v3* torque, int component, jmodel_element* out);

#endif
