// SPDX-License-Identifier: Apache-2.0
// One run of a plant over its manoeuvre.
#ifndef JPLANT_SIMULATE_H
#define JPLANT_SIMULATE_H

#include "plant/options.h"

// Time of row i, where rows are `step` apart.
double jplant_row_time(double t_start, double t_end, double step, int64_t i);

// Run. A failed run keeps what was computed: *out is NULL only when there was nothing to begin with,
// a bad option or no memory. Ownership: caller, release with jplant_result_destroy().
jo_status jplant_simulate(jo_context* ctx, const jplant* plant, const jplant_simulate_options* opt,
                          jplant_result** out);
void jplant_result_destroy(jplant_result* r);

// Simulated over CPU time; 0 when nothing was measured.
double jplant_real_time_factor(const jplant_result* r);

#endif
