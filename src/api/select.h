// SPDX-License-Identifier: Apache-2.0
// Chosen numbers as users see them, and a plant that is differentiated for them.
#ifndef JAPI_SELECT_H
#define JAPI_SELECT_H

#include "api/handles.h"
#include "model/select.h"

jo_quantity japi_describe(const jmodel* m, int number);

// An interpreted plant with tangents by the chosen numbers, none of them a constant.
jo_status japi_plant_create(jo_context* ctx, jarena* a, const jmodel* m, const jmodel_selection* k,
                            bool jacobian, jplant** out);

#endif
