// SPDX-License-Identifier: Apache-2.0
// Objectives and their derivatives over a range of parameters, point by point on all processors, of this
// machine or of many. What comes out does not depend on the number of workers and processes, nor on how often
// the work was killed and went on.
#ifndef JSWEEP_SWEEP_H
#define JSWEEP_SWEEP_H

#include "base/system/journal.h"
#include "batch/batch.h"
#include "sens/error/verdict.h"
#include "sens/sens.h"
#include "sweep/design.h"
#include "sweep/statistics.h"

typedef enum jsweep_method {
  JSWEEP_AUTO,  // what should be faster
  JSWEEP_DIRECT,
  JSWEEP_ADJOINT
} jsweep_method;

// Processes that share the work. Rank 0 hands out points and keeps what comes back; the others compute. Functions are
// called on the thread of jsweep_run().
typedef struct jsweep_team {
  int rank, size, neighbours;  // neighbours: of them on this machine, this one included
  void* user;
  jo_status (*send)(void* user, int to, const void* data, size_t size);
  bool (*poll)(void* user, int* from, size_t* size);  // whether a message waits
  jo_status (*receive)(void* user, int from, void* data, size_t size);
} jsweep_team;

struct jsweep;
typedef struct jsweep_point jsweep_point;

// Of single precision: points that were run in double too, and the largest differences of objectives and derivatives there
// (batch/single.h).
typedef struct jsweep_precision {
  bool is_single;
  int checked;
  double value_error, gradient_error;
} jsweep_precision;

#define JSWEEP_CHUNK 4096

// Who computes points, a chunk of them at a time. Failures of runs are the points'; an error ends the sweep.
typedef struct jsweep_evaluator {
  int chunk;  // points at once; in a team at most JSWEEP_CHUNK
  void* user;
  // Points to fill in, by index; their numbers are NaN and have their places. Threads: several at once.
  jo_status (*evaluate)(void* user, jo_context* ctx, const struct jsweep* s, const int* index,
                        int n, jsweep_point* point);
} jsweep_evaluator;

typedef struct jsweep_options {
  const jsweep_range* range;  // parameters to vary
  int nrange;
  int nsample;  // points of a sample; 0: a grid
  jsweep_sampling sampling;
  uint64_t seed;  // of the sample
  const jsweep_correlation* correlation;
  int ncorrelation;
  bool has_indices;  // the design for Sobol indices (sweep/design.h)
  jsweep_method method;
  bool frozen;                    // switches stay at their times
  double t_end, tolerance, step;  // NaN: the model's
  int workers;                    // 0: one per processor
  const char* journal;            // file to go on from after a kill; NULL: none
  bool restart;                   // begin anew whatever the journal says
  const char* settings;           // what the model was changed by; part of what the work is
  bool stream;  // results stay in the journal, which must be there; 8 bytes a point in memory
  const jsweep_team* team;            // NULL: this process alone
  const jsweep_evaluator* evaluator;  // NULL: a run after the other, or ...
  bool side_by_side;                  // ... in lanes of a batch
  jbatch_device device;
  bool fused;   // CUDA: products and sums at once
  bool single;  // CUDA: slopes in single precision, checked at a sample of the points
  // Called while points are computed, on the thread of the caller: points done so far, earlier runs
  // included. False: stop. May be NULL; must leave the context alone.
  bool (*progress)(void* user, int done);
  void* user;
} jsweep_options;

jsweep_options jsweep_options_default(void);

struct jsweep_point {
  bool is_done;
  jo_status status;  // of the run; < 0: failed, values are NaN
  int events;
  int64_t evaluations;
  double* value;     // (nobjective)
  double* gradient;  // nobjective x nw, row by row
  // of the gradient, estimated; likewise. Single precision: found by double precision at a sample of the points
  double* error;
  jsens_verdict verdict;  // whether its values are in doubt
  // Why it failed, lacks derivatives (NaN) or is in doubt; NULL: none of it. Memory of the context that it was computed with.
  char* message;
};

typedef struct jsweep {
  jo_context* ctx;
  jarena arena;
  const jmodel* model;
  const jsens* sens;
  const double* p;  // values of the live numbers that do not vary; NULL: the model's
  jsens_method method;
  jsens_options run;
  bool is_sample, has_indices;
  jsweep_sampling sampling;
  uint64_t seed;
  jsweep_design* design;
  const jsweep_correlation* correlation;
  int ncorrelation;
  const char* settings;
  int nrange, nw, nobjective;
  jsweep_range* range;
  int* parameter;  // numbers that vary (nrange)
  const int* wrt;  // numbers differentiated for (nw)
  int npoint, ndone, nfailed, nresumed;
  int ncomputed;        // by this process
  double waited_s;      // rank 0: for the others, at the end
  double* x;            // npoint x nrange; NULL: streamed, or another process has them
  jsweep_point* point;  // (npoint); likewise
  int64_t* at;        // of a streamed sweep: where the record of a point lies, 0: not done (npoint)
  jjournal* journal;  // NULL: none
  uint8_t key[JJOURNAL_KEY];  // what the work is
  const jsweep_team* team;
  jsweep_evaluator evaluator;
  jbatch* batch;                // that computes points side by side; NULL: none
  jsweep_precision single;      // what single precision costs
  jsweep_statistic* statistic;  // by objective, once they were asked for; NULL: not yet
  int workers;
  bool (*progress)(void* user, int done);
  void* user;
} jsweep;

// Check the options, lay out the design and read the journal. Only parameters whose value is a plain number
// can vary. Derivatives are by the numbers of `sens`, at the values p (NULL: the model's) of what does not vary;
// both must outlive the sweep.
jo_status jsweep_create(jo_context* ctx, const jsens* sens, const double* p,
                        const jsweep_options* opt, jsweep** out);
// Values of the live numbers where the parameters are x.
void jsweep_values(const jsweep* s, const double* x, double* values);
// Size of the j-th number differentiated for where the parameters are x.
double jsweep_unit(const jsweep* s, const double* x, int j);

void jsweep_destroy(jsweep* s);  // the journal stays where it is

// Compute the points that are not done. A point that fails says so and does not stop the others. An
// error is reported in the context of the sweep: no memory, no room for the journal.
jo_status jsweep_run(jsweep* s);

// What is known of points, one after the other, wherever it is kept.
typedef struct jsweep_cursor {
  jo_context* ctx;
  const jsweep* s;
  jsweep_point point;
  double* x;
  char* record;
  char message[1025];
} jsweep_cursor;

// Its memory is the arena's.
jo_status jsweep_look(jo_context* ctx, jarena* a, const jsweep* s, jsweep_cursor* c);
// Point i and its parameters: they stay until the next call.
jo_status jsweep_at(jsweep_cursor* c, int i, const jsweep_point** p, const double** x);

// Statistics of the points that are done, over all of them in their order (sweep/statistics.h).
jo_status jsweep_statistics(jsweep* s);

// The results are safe elsewhere: the journal is not needed any more. What is in it can be looked at all the same.
void jsweep_forget(jsweep* s);

#endif
