// SPDX-License-Identifier: Apache-2.0
// Sweeps as tables: a row per point with its parameters, status, objectives and derivatives.
#ifndef JREPORT_SWEEP_H
#define JREPORT_SWEEP_H

#include "study/sweep.h"

// CSV, or HDF5 where asked for. Columns: the parameters that vary; status (0, or the error of a
// failed point, whose numbers are NaN); objectives; "d OBJECTIVE / d NUMBER"; events; evaluations.
// The file holds nothing of how the work was done: neither workers, nor kills, nor clocks.
jo_status jreport_sweep(jo_context* ctx, const jstudy_sweep* s, bool hdf5, const char* path);

#endif
