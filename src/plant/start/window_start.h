// SPDX-License-Identifier: Apache-2.0
// Windows of objectives that begin with the run.
#ifndef JPLANT_WINDOW_START_H
#define JPLANT_WINDOW_START_H

#include "plant/plant.h"

// Add to S (ny x nw), the derivatives of the start y by the numbers wrt (indices of live numbers, with
// the given values; NULL: the model's), what beginning a window later takes from its objective.
jo_status jplant_window_start(jo_context* ctx, const jplant* p, const double* values,
                              const int* wrt, int nw, const double* y, double* S);

#endif
