// SPDX-License-Identifier: Apache-2.0
// Starts in a singular position: a parallelogram that lies flat, a drive at a dead centre. There closure
// equations seem to follow from others that are independent of them anywhere else; to drop them would let
// the loops open.
#ifndef JPLANT_SINGULAR_H
#define JPLANT_SINGULAR_H

#include "gen/gen.h"

// Of the equations that `part` calls redundant at the position q, all are so at positions nearby, too.
// An error names the first one that is not. values: of the live numbers, NULL: the model's.
jo_status jplant_check_singular(jo_context* ctx, const jmodel* m, const jgen_position* p,
                                const double* values, double t, const double* q, double tolerance,
                                const jgen_partition* part);

#endif
