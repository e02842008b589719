// SPDX-License-Identifier: Apache-2.0
// What the parts of sweeps share: records of points, who computes them, and how they are shared out.
#ifndef JSTUDY_SWEEP_PARTS_H
#define JSTUDY_SWEEP_PARTS_H

#include "study/sweep.h"

// ---- sweep_store.c: records, the same ones in journals and between processes ------------------------

// Places of the numbers of a point, which become NaN: nobjective x (2 nw + 1), and nobjective doubts, which become none.
void jstudy_sweep_place(const jstudy_sweep* s, jstudy_sweep_point* p, double* number,
                        jsens_value_doubt* doubt);

bool jstudy_sweep_is_done(const jstudy_sweep* s, int i);

// Open the journal and take what it holds.
jo_status jstudy_sweep_recall(jstudy_sweep* s, const jstudy_sweep_options* opt);

// A point as a record: memory of `ctx`.
jo_status jstudy_sweep_write(jo_context* ctx, const jstudy_sweep* s, int i,
                             const jstudy_sweep_point* p, char** record, size_t* size);

// Keep a point that was computed, in the journal first. Records that do not fit are passed over. One thread at a time.
jo_status jstudy_sweep_keep(jo_context* ctx, jstudy_sweep* s, const void* record, size_t size);

// ---- sweep_point.c ----------------------------------------------------------------------------------

// The message of a point: what it lacks, NULL or "": nothing, and what is in doubt. Memory of `ctx`.
jo_status jstudy_sweep_tell(jo_context* ctx, const jstudy_sweep* s, const char* lacks,
                            jstudy_sweep_point* p);

extern const jstudy_evaluator jstudy_sweep_runs;  // a run after the other

// ---- sweep_lanes.c ----------------------------------------------------------------------------------

// Points are computed side by side from now on.
jo_status jstudy_sweep_use_lanes(jstudy_sweep* s, const jstudy_sweep_options* opt);

// What single precision costs, by the points that are done.
jo_status jstudy_sweep_judge_single(jstudy_sweep* s);

#endif
