// SPDX-License-Identifier: Apache-2.0
// Batches: one compiled system run many times with other numbers, side by side in the lanes of vector registers and on all
// processors.
#ifndef JOUNCE_BATCH_H
#define JOUNCE_BATCH_H

#include <stdint.h>

#include "jounce/methods.h"
#include "jounce/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_batch jo_batch;

/// Where points are computed. CUDA: on all GPUs of the machine, by a library that nvcc compiles for them; results are those of
/// the processor, bit by bit. AUTO: there where that can be done, else on the processor.
typedef enum jo_batch_device { JO_BATCH_CPU, JO_BATCH_CUDA, JO_BATCH_AUTO } jo_batch_device;

typedef struct jo_batch_options {
  /// Numbers that differ from point to point: parameters and inputs by name, others by path as far as the system can set
  /// them (`variable` of its options), initial conditions ("initial.heave.rate") among them.
  const char* const* parameter;
  int nparameter;
  jo_method method;
  double t_end_s;  // these three: NaN, what the model says
  double tolerance;
  double step_s;
  int gradient;  // nonzero: also derivatives of objectives by the numbers of the system
  /// How: DIRECT for a few numbers; ADJOINT for many, or all of the model, not on CUDA; it keeps every step of the points under
  /// way. AUTO: as the system was prepared, direct where it was for both.
  jo_sens_method gradient_method;
  int outputs;  // nonzero: also outputs at the end
  /// Outputs whose histories are wanted, by name: at times from the start to the end, a step apart, as rows of a run are. A run
  /// of n points keeps n x times x outputs numbers; more than simulation.max_memory is refused.
  const char* const* history;
  int nhistory;
  double history_step_s;  // NaN: output_step of the model
  /// Models whose roads points may have in place of that of the system (jo_batch_run_on). Tables of their roads are taken
  /// (profile, crg, iso8608, blocks), whatever is in them, and nothing else: numbers and expressions of the roads must be the
  /// same. They must outlive the batch.
  const jo_model* const* road;
  int nroad;
  int lanes;    // 1, 2, 4 or 8 points side by side; 0: as many as registers hold
  int workers;  // threads; 0: one per processor. Results depend neither on this nor on the lanes
  jo_batch_device device;
  int fused;  // nonzero, CUDA: products and sums in one operation, faster; results differ by roundings
  /// Nonzero, CUDA: slopes in single precision, faster; states, time, events, closures, objectives and outputs stay double.
  /// Every run also computes a sample of its points in double precision on the processor, and jo_batch_inspect() tells how far off
  /// they are. Refused where there is no GPU.
  int single;
  /// Called several times per second on the thread of jo_batch_run() with the points done so far; zero stops it: points
  /// that were not begun are not done. Must not use the context. May be NULL.
  int (*progress)(void* user, int done);
  void* user;
} jo_batch_options;

JO_API jo_batch_options jo_batch_options_default(void);

/// Write the equations once more, for lanes, and compile them. Explicit methods run in lanes: rk2, rk3, rk4, dopri5; models whose
/// events set states, other methods, and points that meet a jump of driven coordinates run point by point. Values that do not vary are those the
/// system has now. On failure `*out` is NULL and the context says why: a parameter that there is not, an option out of range.
/// Ownership: caller, release with jo_batch_destroy() before the system.
JO_API jo_status jo_batch_create(jo_context* ctx, const jo_system* system,
                                 const jo_batch_options* opt, jo_batch** out);

/// NULL is fine.
JO_API void jo_batch_destroy(jo_batch* batch);

/// Run n points: `x` has the values of the parameters, n x parameters, a row per point. Points that fail say so and
/// do not stop it. What comes out of a point depends on nothing but the point, bit by bit: not on its neighbours,
/// the number of points, lanes or threads. An error (no memory) is reported in the context of the batch.
/// Results replace those of the run before. Threads: one at a time.
/// The first, middle and last point of the first run are also run alone, with half of fixed steps too: the context has warnings
/// where their values are in doubt. Other points and runs are not checked.
JO_API jo_status jo_batch_run(jo_batch* batch, int n, const double* x);

/// The same, point i on road[i] of the options, -1: that of the system.
JO_API jo_status jo_batch_run_on(jo_batch* batch, int n, const double* x, const int* road);

typedef struct jo_batch_info {
  int points, done, failed;  // of the last run; failed ones are done too
  int alone;                 // points that were not run in lanes
  int parameters, objectives, wrt, outputs;
  int histories, times;    // outputs that have a history, and its rows
  int roads;               // beside that of the system
  jo_batch_device device;  // where points are computed, CPU or CUDA: what AUTO came to
  int lanes;               // 0: points are run one by one, since ...
  const char* why_alone;   // ... ; NULL: they are run in lanes
  /// Single precision: how many points of the last run were computed in double precision too (every 64th, at least 8, at
  /// most 64), and the largest difference of an objective and of a derivative, relative to the largest of the same
  /// objective or derivative among them. Infinite: one of both runs failed. 0 points: numbers are double.
  int checked;
  double value_error, gradient_error;
} jo_batch_info;

JO_API jo_batch_info jo_batch_inspect(const jo_batch* batch);

/// Names of parameters, objectives, numbers differentiated for, outputs, and of those with a history; NULL where there is no
/// i-th. Owned by the batch.
JO_API const char* jo_batch_parameter_name(const jo_batch* batch, int i);
JO_API const char* jo_batch_objective_name(const jo_batch* batch, int i);
JO_API const char* jo_batch_wrt_name(const jo_batch* batch, int i);
JO_API const char* jo_batch_output_name(const jo_batch* batch, int i);
JO_API const char* jo_batch_history_name(const jo_batch* batch, int i);

/// Times of histories [s], rising; NULL: there are none. Owned by the batch.
JO_API const double* jo_batch_times(const jo_batch* batch);

/// Arrays and texts are owned by the batch, until the next run.
typedef struct jo_batch_point {
  int is_done;
  jo_status status;     // below zero: failed, numbers are NaN
  const char* message;  // why, or which objectives lack derivatives (NaN); "" otherwise
  const double* value;  // by objective
  const double*
      gradient;  // objectives x numbers, row by row; adjoint: NaN by numbers that have no derivative
  const double* output;   // by output
  const double* history;  // times x outputs with a history, row by row
  int in_lanes;           // nonzero: it was run side by side with others
  int events;
  int64_t steps;
} jo_batch_point;

JO_API int jo_batch_point_count(const jo_batch* batch);
/// Fills `*out`; JO_ERR_ARGUMENT where there is no i-th point, reporting nothing.
JO_API jo_status jo_batch_point_at(const jo_batch* batch, int i, jo_batch_point* out);

/// All numbers of the last run at once, owned by the batch: points x objectives, points x objectives x numbers, points x
/// outputs, points x times x outputs with a history; NULL: there are none. NaN of points that failed or are not done, and of
/// times behind the end of a run that a condition of the model ended.
JO_API const double* jo_batch_values(const jo_batch* batch);
JO_API const double* jo_batch_gradients(const jo_batch* batch);
JO_API const double* jo_batch_outputs(const jo_batch* batch);
JO_API const double* jo_batch_histories(const jo_batch* batch);

#ifdef __cplusplus
}
#endif
#endif
