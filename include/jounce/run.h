// SPDX-License-Identifier: Apache-2.0
// Runs that are driven from outside: step by step, with inputs that change between the steps; and the
// equations themselves, for who integrates them on their own.
#ifndef JOUNCE_RUN_H
#define JOUNCE_RUN_H

#include "jounce/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_run jo_run;

/// Begin a run at the start of the model, with the values that the system has now. `opt` NULL: defaults; its
/// end, output spacing and progress do not count.
/// On failure `*out` is NULL and the context says why.
/// Ownership: caller, release with jo_run_destroy() before the system. Threads: one at a time; a system may
/// have any number of runs.
JO_API jo_status jo_run_create(jo_context* ctx, const jo_system* system,
                               const jo_simulate_options* opt, jo_run** out);

/// NULL is fine.
JO_API void jo_run_destroy(jo_run* run);

/// Go on to time `t` [s], through all events on the way. Where that is not possible the run stays at the last
/// state it reached, and the context says why.
JO_API jo_status jo_run_advance(jo_context* ctx, jo_run* run, double t_s);

/// Where it is [s], and its state: as many numbers as jo_run_state_count(), owned by the run.
JO_API double jo_run_time(const jo_run* run);
JO_API int jo_run_state_count(const jo_run* run);
JO_API const double* jo_run_state(const jo_run* run);

/// Name and unit of a state, its value now. JO_ERR_ARGUMENT where there is no i-th, reporting nothing.
/// Which coordinates are states with their velocities changes where the run comes near a singular position of the others:
/// names and order are those of the state as it is now, and so is what the functions below take.
JO_API jo_status jo_run_state_at(const jo_run* run, int i, jo_quantity* out);

/// How often it changed so far.
JO_API int jo_run_change_count(const jo_run* run);

/// Move the run to time `t_s` and state `y`: loops are closed, conditions looked at anew.
JO_API jo_status jo_run_set_state(jo_context* ctx, jo_run* run, double t_s, const double* y);

/// Inputs of the model, in the order of the file: -1 where there is none of this name.
JO_API int jo_run_input_count(const jo_run* run);
JO_API int jo_run_input_find(const jo_run* run, const char* name);
JO_API jo_status jo_run_input_at(const jo_run* run, int i, jo_quantity* out);
/// From now on. Conditions of the model are looked at anew.
JO_API jo_status jo_run_set_input(jo_context* ctx, jo_run* run, int i, double value);

/// Outputs where the run is: sensors of the file, coordinates, what elements exert, energies; as many numbers
/// as jo_run_output_count(), into the caller's array.
JO_API int jo_run_output_count(const jo_run* run);
/// Name and unit of an output; its value is not computed here (NaN).
JO_API jo_status jo_run_output_at(const jo_run* run, int i, jo_quantity* out);
JO_API jo_status jo_run_outputs(jo_context* ctx, jo_run* run, double* value);

/// ydot = f(t, y) with the conditions and inputs the run has now. All arrays have jo_run_state_count() numbers.
/// The state of the run does not change.
JO_API jo_status jo_run_rhs(jo_context* ctx, jo_run* run, double t_s, const double* y,
                            double* ydot);

/// Switching functions at (t, y), as many as jo_system_inspect() counts: a condition holds where its is
/// positive. Events are where one changes its sign; what follows from one, jo_run_set_state() finds out.
JO_API jo_status jo_run_switches(jo_context* ctx, jo_run* run, double t_s, const double* y,
                                 double* g);

#ifdef __cplusplus
}
#endif
#endif
