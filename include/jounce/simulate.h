// SPDX-License-Identifier: Apache-2.0
// Runs of a system over its manoeuvre, and their results.
#ifndef JOUNCE_SIMULATE_H
#define JOUNCE_SIMULATE_H

#include <stdint.h>

#include "jounce/methods.h"
#include "jounce/system.h"
#include "jounce/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_result jo_result;

/// Numbers that are NaN and JO_METHOD_OF_MODEL, as in the defaults: what the model's simulation block says.
typedef struct jo_simulate_options {
  double t_end_s;
  jo_method method;
  double tolerance;      // relative and absolute, of adaptive methods
  double step_s;         // of fixed-step methods, first step of adaptive ones
  double output_step_s;  // spacing of the rows of the result; 0: a row per step
  double max_step_s;     // of adaptive methods
  int max_events;        // more end the run; 0: what the model says
  /// Called after every step with 0 ... 1; zero stops the run. May be NULL.
  int (*progress)(void* user, double fraction);
  void* user;
} jo_simulate_options;

JO_API jo_simulate_options jo_simulate_options_default(void);

/// Run the manoeuvre of the model from its initial state. `opt` NULL: defaults.
/// Same system, same options: the same result, bit by bit, but for the CPU time.
/// On failure the context says why. A run that fails on its way keeps what was computed: `*out` is
/// NULL only when it could not begin (an option that is not valid, no memory). A run to the end whose
/// objectives or outputs are not finite fails too, with JO_ERR_NUMERIC, and is kept.
/// Ownership: caller, release with jo_result_destroy(); a result does not need its system any more,
/// but the context. Threads: any, one context per thread.
JO_API jo_status jo_simulate(jo_context* ctx, const jo_system* system,
                             const jo_simulate_options* opt, jo_result** out);

/// NULL is fine.
JO_API void jo_result_destroy(jo_result* result);

typedef struct jo_statistics {
  int64_t steps, rejected, evaluations, projections;
  int is_complete;          // the end time was reached
  double t_start, t_end;    // asked for [s]
  double t_reached;         // [s]
  double closure_residual;  // largest after any step [m]
  double cpu_s;             // CPU time of the run, without generating and compiling [s]
  double real_time_factor;  // simulated over CPU time
  const char* method;       // used
  int is_fixed_step;
  double rel_tol, abs_tol, step, output_step;  // used
} jo_statistics;

JO_API jo_statistics jo_result_statistics(const jo_result* result);

/// A quantity at the end of the run. Texts are owned by the result and never NULL.
typedef struct jo_quantity {
  const char *name, *unit, *description;
  double value;
} jo_quantity;

/// Returns the tables of a run, owned by the result:
///   objectives, final, sensors   objective or output, value, unit, description. Final are all outputs: sensors of the file
///                                first, then coordinates, element forces, wheel loads, energies
///   events                       t, name of the condition, on: whether it became true, change ("on", "off")
///   partition_changes            t, independent: coordinates that are independent from then on, the motion being the same;
///                                most runs have none, and no such table
///   history                      time, then outputs, then objectives as if the run ended there. Rows lie one after the
///                                other: `ncolumn` numbers each, from `column[0].value` on; NULL where there is none
///   end, ended_by, statistics    complete, t_reached; "end_when" where the run ended early by its condition; counts and times
JO_API const jo_tables* jo_result_tables(const jo_result* result);

/// Write a result in the format `path` ends in (jounce/formats.h).
/// The file appears whole or not at all; it holds no clock, so that equal runs write equal files.
/// On failure the context names the file and the reason. Threads: HDF5 files one at a time.
JO_API jo_status jo_result_save(jo_context* ctx, const jo_result* result, const char* path);

#ifdef __cplusplus
}
#endif
#endif
