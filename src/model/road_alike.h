// SPDX-License-Identifier: Apache-2.0
// Roads that equations cannot tell apart but by their tables.
#ifndef JMODEL_ROAD_ALIKE_H
#define JMODEL_ROAD_ALIKE_H

#include "model/model.h"

// Whether the equations of `m` can read the tables of `other` in place of their own: the same parts, with the same numbers and
// expressions, and tables of the same kinds, whatever their heights and lengths. Else the context says what differs.
jo_status jmodel_road_alike(jo_context* ctx, const jmodel* m, const jmodel* other);

#endif
