// SPDX-License-Identifier: Apache-2.0
// Derivatives of the objectives of a run by the numbers of its model: exact, through events, by the
// direct method (forward with the motion) or the adjoint one (backward along it).
#ifndef JOUNCE_SENS_H
#define JOUNCE_SENS_H

#include <stdint.h>

#include "jounce/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What came out of a run with derivatives.
typedef struct jo_sens_result jo_sens_result;

JO_API const char* jo_sens_method_name(jo_sens_method method);

/// A number the derivatives of a system are taken by. Texts are owned by the system and never NULL.
typedef struct jo_sens_parameter {
  const char *name, *unit, *description;
  double value;  // now
} jo_sens_parameter;

JO_API int jo_sens_parameter_count(const jo_system* system);
JO_API jo_status jo_sens_parameter_at(const jo_system* system, int i, jo_sens_parameter* out);

/// Index by name, -1 where derivatives are not taken by it.
JO_API int jo_sens_parameter_find(const jo_system* system, const char* name);

/// Numbers that are NaN and JO_METHOD_OF_MODEL, as in the defaults: what the model says.
typedef struct jo_sens_options {
  jo_sens_method method;
  int frozen;             // every switch stays at its nominal time; else times move as they do
  int contributions;      // also what each event adds, where the system is prepared for it
  jo_method integrator;   // one whose runs can be differentiated
  double tolerance;       // relative and absolute, of adaptive integrators
  double step_s;          // of fixed-step integrators
  double derivative_tol;  // relative error wanted of derivatives; runs are repeated until it is met
  int quick;  // error estimates from the steps of the run alone: no second run with halved steps, a third of the cost,
              // and estimates that are larger by orders of magnitude
  /// Outputs whose derivatives are wanted along the run (direct method; needs it prepared).
  const char* const* history;
  int nhistory;
  double history_step_s;  // 0: at every step and after every event
  /// Called again and again with the place in the run, 0 ... 1, while it is simulated and while derivatives
  /// walk along it, forward or backward; zero stops. Not while contributions are computed. May be NULL.
  int (*progress)(void* user, double fraction);
  void* user;
} jo_sens_options;

/// Methods of jo_method_name() whose runs can be differentiated; NULL where there is no i-th.
JO_API const char* jo_sens_integrator_name(int i);

/// Exact, with contributions.
JO_API jo_sens_options jo_sens_options_default(void);

/// Run the manoeuvre with the values the system has now, and differentiate it. `opt` NULL: defaults. The system
/// must be prepared for derivatives. The run is simulated and recorded once; contributions and histories walk
/// along the record.
/// On failure `*out` is NULL and the context says why: an event that only grazes has no derivative, an
/// objective is not finite, or none has derivatives. Where some have, the others are warned of (jo_sens_objective_reason())
/// unless the system was asked for them by name.
/// Ownership: caller, release with jo_sens_result_destroy() before the system.
/// Threads: any, one context per thread.
JO_API jo_status jo_sens_run(jo_context* ctx, const jo_system* system, const jo_sens_options* opt,
                             jo_sens_result** out);

/// NULL is fine.
JO_API void jo_sens_result_destroy(jo_sens_result* result);

typedef struct jo_sens_statistics {
  jo_sens_method method;  // used
  int is_frozen;
  const char* integrator;
  int is_fixed_step;
  double rel_tol, step;
  int64_t steps, rejected;
  int64_t evaluations;             // of the accelerations by the simulation
  int64_t derivative_evaluations;  // tangents and adjoints; several lanes count once
  double derivative_tol;           // relative error that was wanted of derivatives
  int is_within;                   // all derivatives are within it, as far as is known
  int passes;                      // runs it took
  int64_t implicit_steps;          // of the last run
  // CPU times [s]. The simulation; 0: it is integrated together with the derivatives, whose time is that of both
  double cpu_dynamics;
  double cpu_sensitivity;    // of the derivatives [s]
  double cpu_contributions;  // of the contributions of events [s]
  int64_t checkpoint_steps;  // steps from one stored state to the next; 1: all were stored
  double memory_mb;          // of the recorded run and of the derivatives along it [MB]
  double cpu_errors;         // of second runs for error estimates [s]
  double cpu_total;          // of jo_sens_run(), the sum of the four parts [s]
} jo_sens_statistics;

JO_API jo_sens_statistics jo_sens_result_statistics(const jo_sens_result* result);

JO_API int jo_sens_objective_count(const jo_sens_result* result);
JO_API jo_status jo_sens_objective_at(const jo_sens_result* result, int i, jo_quantity* out);

/// Why the i-th objective has no derivatives, or not all of them, which are NaN then; NULL: it has, or there is no i-th. Owned
/// by the result.
JO_API const char* jo_sens_objective_reason(const jo_sens_result* result, int i);

/// Derivatives of all objectives by all parameters, and their estimated errors: objectives x parameters, row by
/// row, owned by the result; NaN where there is none.
JO_API const double* jo_sens_gradient(const jo_sens_result* result);
JO_API const double* jo_sens_gradient_error(const jo_sens_result* result);

/// d objective / d parameter; NaN where there is none.
JO_API double jo_sens_derivative(const jo_sens_result* result, int objective, int parameter);

/// Estimated error of an objective by the integration, absolute; NaN where there is none.
JO_API double jo_sens_objective_error(const jo_sens_result* result, int objective);

/// Estimated error of that derivative, absolute: what the steps taken make of it. NaN where there is none.
JO_API double jo_sens_derivative_error(const jo_sens_result* result, int objective, int parameter);

/// The same with frozen events; NaN where contributions were not computed.
JO_API double jo_sens_derivative_frozen(const jo_sens_result* result, int objective, int parameter);

typedef struct jo_sens_event {
  double t;          // [s]
  const char* name;  // of the switch
  int on;            // became true
  int follows;       // caused by the one before, at the same instant
  double rate;       // of the switching function just before; NaN: frozen, or it follows
} jo_sens_event;

JO_API int jo_sens_event_count(const jo_sens_result* result);
JO_API jo_status jo_sens_event_at(const jo_sens_result* result, int i, jo_sens_event* out);

/// d time / d parameter of an event; NaN unless the direct method was used.
JO_API double jo_sens_event_shift(const jo_sens_result* result, int event, int parameter);

/// What the motion of an event adds to a derivative; NaN where contributions were not computed.
/// Added up over all events: exact less frozen.
JO_API double jo_sens_event_contribution(const jo_sens_result* result, int event, int objective,
                                         int parameter);

// ---- what matters --------------------------------------------------------------------------------

typedef enum jo_influence {
  JO_MATTERS,     // sorted by |percent|
  JO_ZERO_VALUE,  // matters, but its value is zero: sorted by derivative times natural size
  JO_IDLE,        // below the threshold
  JO_NONE         // has no derivative: it is NaN
} jo_influence;

typedef struct jo_sens_row {
  int parameter;
  jo_influence influence;
  double value, derivative;
  double percent;  // change of the objective per 1 % of the parameter, or of its natural size [%]
  double size;     // the parameter's magnitude; where it is zero, that of its kind in the model
  double change;   // of the objective per increment; NaN: none was given
} jo_sens_row;

/// Rows of an objective, most influential first, into the caller's array of as many as there are
/// parameters. `increment`: one per parameter (NaN: none), or NULL. `threshold` [% per 1 %]: what is
/// below does not matter.
JO_API jo_status jo_sens_rank(jo_context* ctx, const jo_sens_result* result, int objective,
                              const double* increment, double threshold, jo_sens_row* row);

/// Write derivatives (or, where a history was asked for, the history): in the format `path` ends in
/// (jounce/formats.h), otherwise as CSV.
/// The file appears whole or not at all. On failure the context names it and the reason.
JO_API jo_status jo_sens_save(jo_context* ctx, const jo_sens_result* result, const char* path);
/// The table of histories: column 0 is the time, then every output asked for with its derivatives with respect to all parameters.
/// Rows: all numbers, row by row, owned by the result; NULL where there is none.
JO_API int jo_sens_history_column_count(const jo_sens_result* result);
JO_API jo_status jo_sens_history_column_at(const jo_sens_result* result, int i, jo_quantity* out);
JO_API int jo_sens_history_row_count(const jo_sens_result* result);
JO_API const double* jo_sens_history_rows(const jo_sens_result* result);
JO_API jo_status jo_sens_history_save(jo_context* ctx, const jo_sens_result* result,
                                      const char* path);

// ---- checks --------------------------------------------------------------------------------------

/// One derivative three ways. NaN where a method is not prepared or makes no sense.
typedef struct jo_sens_check_row {
  double direct, adjoint;
  double direct_error, adjoint_error;  // as estimated
  double difference;        // extrapolated central differences of whole runs, events located anew
  double difference_error;  // estimated
  double increment;         // the largest used
} jo_sens_check_row;

/// Check every derivative of a result, objective by objective, into the caller's array of objectives x
/// parameters rows. The system must be prepared for checks. Derivatives by the other method are those along the
/// same recorded run. Differences are of runs of a model of their own, at a tolerance of 1e-12, or that of the
/// run where it is tighter. `progress` and `user` may be NULL; a progress of zero stops.
JO_API jo_status jo_sens_check(jo_context* ctx, const jo_sens_result* result,
                               int (*progress)(void* user, double fraction), void* user,
                               jo_sens_check_row* row);

typedef enum jo_verdict {
  JO_AGREES,     // within the errors of both sides
  JO_UNDECIDED,  // errors are larger than the derivative, so that anything agrees
  JO_DISAGREES
} jo_verdict;
JO_API const char* jo_verdict_name(jo_verdict verdict);

/// How far derivatives are apart, of the larger one. NaN: no differences.
typedef struct jo_sens_agreement {
  double methods;      // direct and adjoint
  double differences;  // either of them and differences of runs
  jo_verdict verdict;
} jo_sens_agreement;

/// Judges all rows of jo_sens_check(), as `jounce sens --check` does, into the caller's array of as many. Methods must
/// agree within their error estimates and 1e-9, each with the differences within ten times the error of these. What
/// changes the objective by 1e-9 of itself, for a parameter that changes by its own size, counts as zero. The worst
/// verdict is also in `*worst`, which may be NULL.
JO_API jo_status jo_sens_judge(jo_context* ctx, const jo_sens_result* result,
                               const jo_sens_check_row* row, jo_sens_agreement* out,
                               jo_verdict* worst);

/// Error of numerical differentiation at one increment.
typedef struct jo_sens_vcurve_point {
  double relative;                      // increment over the parameter's size
  double forward, central;              // difference quotients
  double forward_error, central_error;  // relative to the derivative
} jo_sens_vcurve_point;

/// Needs a system prepared for checks.
/// Error of forward and central differences with increments from 1e-1 to 1e-12 of the parameter, n of
/// them evenly in the logarithm, into the caller's array; `*exact` is the derivative. `opt` NULL: defaults.
JO_API jo_status jo_sens_vcurve(jo_context* ctx, const jo_system* system,
                                const jo_sens_options* opt, int objective, int parameter, int n,
                                jo_sens_vcurve_point* point, double* exact);

/// Write it: a plot where `path` ends in .svg, a table where it ends in .csv.
JO_API jo_status jo_sens_vcurve_save(jo_context* ctx, const jo_system* system, int objective,
                                     int parameter, const jo_sens_vcurve_point* point, int n,
                                     double exact, const char* path);

#ifdef __cplusplus
}
#endif
#endif
