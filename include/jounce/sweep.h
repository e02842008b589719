// SPDX-License-Identifier: Apache-2.0
// Sweeps: objectives and their derivatives over a range of parameters, on all processors.
#ifndef JOUNCE_SWEEP_H
#define JOUNCE_SWEEP_H

#include <stdint.h>

#include "jounce/batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_sweep jo_sweep;

/// How the values of a parameter are distributed in a sample.
typedef enum jo_law {
  JO_LAW_UNIFORM,   // between the ends
  JO_LAW_NORMAL,    // by mean and deviation, cut off at the ends
  JO_LAW_LOGNORMAL  // likewise; mean and deviation are those of the value, not of its logarithm
} jo_law;

/// A parameter whose value is a plain number, and what it goes through.
typedef struct jo_range {
  const char* name;
  double from, to;  // both are met on a grid; -INFINITY, INFINITY: a normal law is not cut off
  int n;            // values on a grid; a sample does not look at it
  jo_law law;       // of a sample
  double mean, deviation;  // of a normal law, before it is cut off
} jo_range;

/// Sequences of samples. All follow from their seed, byte by byte.
typedef enum jo_sampling {
  JO_SAMPLING_HALTON,  // fills the box evenly; a longer one contains the shorter
  JO_SAMPLING_SOBOL,  // likewise, scrambled, best at powers of two; up to 128 parameters (64 for indices)
  JO_SAMPLING_LHS,    // Latin hypercube: one point in each of n slices of every parameter
  JO_SAMPLING_RANDOM  // independent points; a longer one contains the shorter
} jo_sampling;

/// Of the normal variables behind two parameters (Gaussian copula): the correlation itself of normal ones, that of
/// the logarithms of lognormal ones.
typedef struct jo_correlation {
  const char *first, *second;  // names of ranges
  double value;
} jo_correlation;

/// Processes that share the work of a sweep, each with the same model and options: rank 0 hands out points and keeps what
/// comes back, the others compute. Messages of one process to another arrive in their order. Functions are called on
/// the thread of jo_sweep_run(); a negative status ends the sweep.
typedef struct jo_team {
  int rank, size;
  int neighbours;  // processes of the team on this machine, this one included: they share its processors
  void* user;
  jo_status (*send)(void* user, int to, const void* data, size_t size);
  int (*poll)(void* user, int* from, size_t* size);  // nonzero: a message waits, of this size
  jo_status (*receive)(void* user, int from, void* data,
                       size_t size);  // the next message of `from`
} jo_team;

typedef struct jo_sweep_options {
  const jo_range* range;
  int nrange;
  int nsample;    // points of a sample of the ranges; 0: all of a grid
  uint64_t seed;  // of the sample
  jo_sens_method method;
  int frozen;      // nonzero: events stay at their times while parameters change
  double t_end_s;  // these three: NaN, what the model says
  double tolerance;
  double step_s;
  int workers;  // threads; 0: one per processor. Results do not depend on it
  /// A file every finished point is appended to at once, from which a sweep that was killed goes
  /// on; NULL: none. It belongs to this sweep: the model's text and settings, ranges, options,
  /// version of Jounce.
  const char* journal;
  int restart;  // throw away what the journal holds, of this sweep or of another
  /// Called several times per second on the thread of jo_sweep_run() with the points done so far,
  /// those of the journal included; zero stops the sweep. Must not use the context. May be NULL.
  int (*progress)(void* user, int done);
  void* user;
  jo_sampling sampling;
  const jo_correlation* correlation;
  int ncorrelation;
  /// Nonzero: the points that Sobol indices need: for each of the sample as many as parameters and two more, one after
  /// the other. Parameters must not be correlated.
  int indices;
  /// Nonzero: results stay in the journal, which must be given, with 8 bytes a point in memory. What
  /// jo_sweep_point_at() gives stays until the next call then, and jo_sweep_rows() and jo_sweep_parameters() are NULL.
  int stream;
  /// Processes to share the work with; NULL: this one alone. Copied; what its functions use must outlive the sweep. Ranks above
  /// 0 leave the journal alone and have no points to look at or to save.
  const jo_team* team;
  /// Nonzero: points are computed side by side, as jo_batch does it: several times as many in the same time, derivatives by
  /// the direct method, without estimates of errors; evaluations are not counted. Results do not depend on the device unless
  /// it is allowed to fuse operations.
  int batch;
  jo_batch_device device;  // of these
  int fused;               // CUDA: nonzero, products and sums at once, of other roundings
  /// CUDA: nonzero, slopes in single precision, as jo_batch has it. Every 64th point, at least 8 and at most 64 of the sweep, is
  /// computed in double precision too: jo_sweep_inspect() tells how far off they are, and they alone have errors of derivatives.
  int single;
} jo_sweep_options;

JO_API jo_sweep_options jo_sweep_options_default(void);

/// Check the options, lay out the points, compile, and read the journal where there is one. On
/// failure `*out` is NULL and the context says why: a parameter that cannot vary, a journal of
/// another sweep. Ownership: caller, release with jo_sweep_destroy() before the system,
/// whose values must not change until all points are done.
JO_API jo_status jo_sweep_create(jo_context* ctx, const jo_system* system,
                                 const jo_sweep_options* opt, jo_sweep** out);

/// The journal stays where it is. NULL is fine.
JO_API void jo_sweep_destroy(jo_sweep* sweep);

/// Compute the points that are not done. Points that fail do not stop it. JO_OK also when it was
/// stopped: ask jo_sweep_inspect(). Every point comes out the same, bit by bit, whatever the number
/// of workers and however often the work was interrupted.
/// An error (no memory, journal cannot be written) is reported in the context of the sweep; what
/// was computed stays. Threads: one at a time.
JO_API jo_status jo_sweep_run(jo_sweep* sweep);

typedef struct jo_sweep_info {
  int points, done, failed;  // failed ones are done too
  int resumed;               // done by earlier runs, from the journal
  int parameters, objectives, wrt;
  int is_sample;
  int workers;
  jo_sens_method method;  // used; AUTO: no derivatives
  jo_sampling sampling;   // of a sample
  /// Nonzero: in single precision. Then how many points were computed in double precision too, and the largest difference of
  /// an objective and of a derivative, relative to the largest of its kind among them.
  int is_single;
  int checked;
  double value_error, gradient_error;
  int computed;     // by this process, all runs together
  double waited_s;  // rank 0 of a team: for the others, at the end of the last run
} jo_sweep_info;

JO_API jo_sweep_info jo_sweep_inspect(const jo_sweep* sweep);

/// Names of the parameters that vary, of the objectives, of the numbers differentiated for; NULL
/// where there is no i-th. Owned by the sweep.
JO_API const char* jo_sweep_parameter_name(const jo_sweep* sweep, int i);
JO_API const char* jo_sweep_objective_name(const jo_sweep* sweep, int i);
JO_API const char* jo_sweep_wrt_name(const jo_sweep* sweep, int i);

/// Arrays and texts are owned by the sweep.
typedef struct jo_sweep_point {
  int is_done;
  jo_status status;  // below zero: failed, numbers are NaN
  const char*
      message;  // why, which objectives lack derivatives (NaN), which values are in doubt; "" otherwise
  const double* parameter;       // by parameter
  const double* value;           // by objective
  const double* gradient;        // objectives x numbers, row by row
  const double* gradient_error;  // estimated, absolute; likewise
  int events;
  int64_t evaluations;
} jo_sweep_point;

JO_API int jo_sweep_point_count(const jo_sweep* sweep);
/// Fills `*out`; JO_ERR_ARGUMENT where there is no i-th point, reporting nothing. On a grid the
/// last parameter runs fastest.
JO_API jo_status jo_sweep_point_at(const jo_sweep* sweep, int i, jo_sweep_point* out);

/// All numbers at once, owned by the sweep. Parameters: points x parameters. Rows: what came out, a row of
/// jo_sweep_column_count() numbers per point: value, gradient and gradient_error of jo_sweep_point one after the
/// other; NaN of points that are not done.
JO_API const double* jo_sweep_parameters(const jo_sweep* sweep);
JO_API int jo_sweep_column_count(const jo_sweep* sweep);
JO_API const double* jo_sweep_rows(const jo_sweep* sweep);

/// What a sweep says of an objective, over the points that succeeded, in their order; of a design for Sobol indices
/// over its pairs A, B. Errors are standard deviations, those of independent points. docs/theory/statistics.md. Other
/// arrays are by parameter; all are owned by the sweep.
typedef struct jo_statistic {
  int points;
  double mean, mean_error, deviation, deviation_error, least, most;
  int quantiles;
  const double *share, *quantile;  // the value that a share of all lies below (quantiles)
  double rank_error;               // of the quantiles, as a share of all points; 0: exact
  /// Sobol indices, first order and total; NULL: not of this design.
  const double *first, *first_error, *total, *total_error;
  /// Mean squares of the derivatives and bounds on the total indices that follow from them; NaN: not differentiated for, bounds
  /// also with correlations. NULL: no derivatives, or a grid.
  const double *slope, *slope_error, *bound, *bound_error;
} jo_statistic;

/// Compute them, once jo_sweep_run() is done; files that are saved then have them too.
JO_API jo_status jo_sweep_statistics(jo_sweep* sweep);

JO_API int jo_sweep_statistic_count(const jo_sweep* sweep);
/// Fills `*out`; JO_ERR_ARGUMENT where there is no such objective, or they were not computed.
JO_API jo_status jo_sweep_statistic_at(const jo_sweep* sweep, int objective, jo_statistic* out);

/// Write the points that are done, a row each, in the format `path` ends in
/// (jounce/formats.h). The file appears whole or not at all and holds nothing of how the work was done.
/// Once a complete sweep is written its journal is removed.
JO_API jo_status jo_sweep_save(jo_context* ctx, jo_sweep* sweep, const char* path);

#ifdef __cplusplus
}
#endif
#endif
