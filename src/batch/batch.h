// SPDX-License-Identifier: Apache-2.0
// Many runs of one plant with other numbers, side by side in the lanes of vector registers and on all processors.
//
// Lanes are vehicles: equations are generated with numbers, time, states and modes of each lane (gen.h, per_lane), and
// march.inc integrates a group of lanes at once. What comes out of a point depends on nothing but the point: not on its
// neighbours, the number of lanes, of points or of threads, bit by bit. What lanes cannot do, a model as a whole or a point
// on its way, is run by itself as jsens does it.
#ifndef JBATCH_BATCH_H
#define JBATCH_BATCH_H

#include "batch/device/job.h"
#include "batch/march/marches.h"
#include "sens/on_road.h"

// Where points are computed. AUTO: by CUDA where that can be done, else by this processor; which it came to stands in the
// options of the batch. HOST: by the source for CUDA, compiled for this processor, one point after another: for tests.
typedef enum jbatch_device {
  JBATCH_DEVICE_CPU,
  JBATCH_DEVICE_CUDA,
  JBATCH_DEVICE_AUTO,
  JBATCH_DEVICE_HOST
} jbatch_device;

typedef struct jbatch_options {
  jsens_options run;  // method, step or tolerances, end; `p` the values of numbers that do not vary
  const int* number;  // numbers of the model that vary, parameters (nnumber)
  int nnumber;
  bool gradient;       // also derivatives by the numbers of the jsens
  bool adjoint;        // these by the adjoint method, not by the direct one
  bool outputs;        // also outputs at the end
  const int* history;  // outputs whose histories are wanted (nhistory) ...
  int nhistory;
  double history_step;        // ... from the start to the end, so far apart [s]
  const jmodel* const* road;  // whose roads points may have in place of that of the jsens (nroad)
  int nroad;
  int lanes;    // 1, 2, 4, 8; 0: as many as the machine has
  int workers;  // threads; 0: one per processor
  jbatch_device device;
  bool fused;  // CUDA: products and sums at once, faster and of other roundings
  // CUDA and HOST: slopes in single precision; all else stays double. What that costs is measured in every run
  bool single;
  // told of the points done, on the thread of the caller; false: stop. May be NULL
  bool (*progress)(void* user, int done);
  void* user;
} jbatch_options;

jbatch_options jbatch_options_default(const jmodel* m);

// How a point was computed.
typedef enum jbatch_way { JBATCH_WAY_NONE, JBATCH_WAY_LANES, JBATCH_WAY_ALONE } jbatch_way;

typedef struct jbatch_point {
  jo_status status;  // < 0: failed, values are NaN
  jbatch_way way;    // NONE: not done
  int left;          // why it was left by its lane (lanes.h), JBATCH_FINE: it was not
  int64_t steps;     // 0: not known
  int events;
  int unresolved;               // see jsolve_statistics, of points that were run alone ...
  double resolving;             // ... [s]
  int road;                     // 0: that of the jsens, then those of the options
  char* message;                // why it failed; NULL: it did not
  jmachine_equilibrium rested;  // it begins there, see plant/start/start.h
  unsigned wheels;              // faults of wheels there, see plant/start/wheels.h
} jbatch_point;

// Read-only once made, but for what jbatch_run() writes.
typedef struct jbatch {
  jo_context* ctx;
  jarena arena;
  const jsens* sens;
  jbatch_options opt;
  jsens_on_road** road;  // (opt.nroad)
  int* slot;             // where numbers that vary stand among the live ones (nnumber)
  jgen_dynamics* dynamics;
  jexpr_fn function[JBATCH_FUNCTIONS];    // without a name: there is none
  jplant_kernels *values, *along, *back;  // NULL: none
  const jbatch_march* march;              // NULL: points are run by themselves ...
  const char* why_alone;                  // ... since
  jbatch_rule rule;
  int nobjective, nw, noutput;
  int nrow;             // of histories; 0: none
  double* row_time;     // (nrow)
  int* history_output;  // their outputs (opt.nhistory)
  void* device;         // library; NULL: none
  jbatch_device_run run_device;
  double device_seconds;  // of the last run, on devices
  struct jbatch* twin;    // single precision: the same in double; NULL: numbers are double
  // results of the last run
  int n;
  jbatch_point* point;  // (n)
  double* value;        // n x nobjective
  double*
      gradient;     // n x nobjective x nw; adjoint: NaN by numbers that nothing has a derivative by
  double* output;   // n x noutput
  double* history;  // n x nrow x nhistory
  // and of single precision: points that were run in double too, how far off these are, and the worst of all, relative to
  // the largest of its kind among them
  int* sample;                  // (nsample)
  int nsample;                  // 0: none
  double* value_difference;     // nsample x nobjective
  double* gradient_difference;  // nsample x nobjective x nw
  double value_error, gradient_error;
} jbatch;

// Generates and compiles. The jsens must outlive the batch. Ownership: caller, release with jbatch_destroy().
jo_status jbatch_create(jo_context* ctx, const jsens* sens, const jbatch_options* opt,
                        jbatch** out);
void jbatch_destroy(jbatch* b);

// Values of the live numbers at a point.
void jbatch_set_values(const jbatch* b, const double* x, double* values);

// Run n points, x having the values of the numbers that vary (n x nnumber). Points that fail say so and do not stop it.
// Results are those of the batch, until the next run.
jo_status jbatch_run(jbatch* b, int n, const double* x);
// The same, each point on one of the roads of the options, or -1: that of the jsens.
jo_status jbatch_run_on(jbatch* b, int n, const double* x, const int* road);

// Likewise, single precision being checked at these points and no others.
jo_status jbatch_run_checked(jbatch* b, int n, const double* x, const int* sample, int nsample);
// Sensitivities on a road, 0: that of the system, then those of the options.
const jsens* jbatch_sens_on(const jbatch* b, int road);

void jbatch_clear(jbatch* b);  // results of the last run are gone

#endif
