// SPDX-License-Identifier: Apache-2.0
// What the parts of sweeps share: records of points, who computes them, and how they are shared out.
#ifndef JSWEEP_SWEEP_PARTS_H
#define JSWEEP_SWEEP_PARTS_H

#include "sweep/sweep.h"

// ---- sweep_store.c: records, the same ones in journals and between processes ------------------------

// Places of the numbers of a point, which become NaN: nobjective x (2 nw + 1), and nobjective doubts, which become none.
void jsweep_place(const jsweep* s, jsweep_point* p, double* number, jsens_value_doubt* doubt);

bool jsweep_is_done(const jsweep* s, int i);

// Open the journal and take what it holds.
jo_status jsweep_recall(jsweep* s, const jsweep_options* opt);

// A point as a record: memory of `ctx`.
jo_status jsweep_write(jo_context* ctx, const jsweep* s, int i, const jsweep_point* p,
                       char** record, size_t* size);

// Keep a point that was computed, in the journal first. Records that do not fit are passed over. One thread at a time.
jo_status jsweep_keep(jo_context* ctx, jsweep* s, const void* record, size_t size);

// ---- sweep_point.c ----------------------------------------------------------------------------------

// The message of a point: what it lacks, NULL or "": nothing, and what is in doubt. Memory of `ctx`.
jo_status jsweep_tell(jo_context* ctx, const jsweep* s, const char* lacks, jsweep_point* p);

extern const jsweep_evaluator jsweep_runs;  // a run after the other

// ---- sweep_lanes.c ----------------------------------------------------------------------------------

// Points are computed side by side from now on.
jo_status jsweep_use_lanes(jsweep* s, const jsweep_options* opt);

// What single precision costs, by the points that are done.
jo_status jsweep_judge_single(jsweep* s);

#endif
