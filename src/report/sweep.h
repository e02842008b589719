// SPDX-License-Identifier: Apache-2.0
// Sweeps as tables: a row per point with its parameters, status, objectives and derivatives.
#ifndef JREPORT_SWEEP_H
#define JREPORT_SWEEP_H

#include "sweep/sweep.h"

// In the format the name ends in (jounce/formats.h). Columns: the parameters that vary; status (0, or the error of a
// failed point, whose numbers are NaN); objectives; "d OBJECTIVE / d NUMBER"; events; evaluations.
// Arrays: objectives, gradients and their errors by point.
// The file holds nothing of how the work was done: neither workers, nor kills, nor clocks.
jo_status jreport_sweep(jo_context* ctx, const jsweep* s, const char* path);

#endif
