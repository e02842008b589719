// SPDX-License-Identifier: Apache-2.0
// Load prediction: a manoeuvre run by one of the load drivers, with the force histories of all
// elements, their peaks and the stiff events.
#ifndef JSTUDY_LOADS_H
#define JSTUDY_LOADS_H

#include "solve/loads.h"
#include "study/plant.h"

// A plant whose element forces can be evaluated apart. Read-only once made.
typedef struct jstudy_loads {
  jo_context* ctx;
  jarena arena;
  jstudy_plant* plant;
  jstudy_kernels* kernels;  // functions of load prediction, then one per element
  int ne;
  const char* const* name;  // of the elements
  double* element_cost;     // in evaluations of rhs, by operations
  double directions_cost, reduced_cost;
  bool* rigid;  // coordinates the impulsive driver may not reverse
} jstudy_loads;

jo_status jstudy_loads_create(jo_context* ctx, const jmodel* m, const jkernel_options* kernel,
                              jstudy_loads** out);
void jstudy_loads_destroy(jstudy_loads* l);

typedef struct jstudy_load_peak {
  double value, t;  // of the largest |F|, between samples by a parabola
} jstudy_load_peak;

// A stiff event with the state it began from.
typedef struct jstudy_load_event {
  jsolve_load_event event;
  double* y0;  // ny
  double
      reconstructed;  // impulsive: peak of the element on that coordinate, from y0; else the peak
  int element;        // whose load it is; -1: none found
  bool continues;     // impulsive: the step before was flagged too; not reconstructed
} jstudy_load_event;

typedef struct jstudy_load_result {
  jo_context* ctx;
  jarena arena;
  int ne, ny, nevent;
  jsolve_load_statistics statistics;
  jstudy_load_peak* peak;  // (ne)
  int nsample, sample_cap;
  double* sample;  // nsample x (1 + ne): time, forces
  int event_cap;
  jstudy_load_event* event;
  double* y_end;
  double* out_end;    // outputs of the plant at the end
  bool is_complete;   // reached the end
  double t_end, cpu;  // [s]
  double missed;      // real time: largest delay behind the clock [s]
  int64_t deadlines_missed;
} jstudy_load_result;

typedef struct jstudy_load_options {
  jsolve_load_options solve;
  double t_start, t_end;
  bool realtime;    // pace the run against the clock
  double t_window;  // reconstruction of an impulsive event [s]
  const double* p;  // values of the live numbers, NULL: the model's
} jstudy_load_options;

jstudy_load_options jstudy_load_options_default(const jmodel* m);

// A failed run keeps what was computed until then: *out is NULL only when nothing could begin.
// Ownership: caller, release with jstudy_load_result_destroy().
jo_status jstudy_loads_run(jo_context* ctx, const jstudy_loads* l, const jstudy_load_options* opt,
                           jstudy_load_result** out);
void jstudy_load_result_destroy(jstudy_load_result* r);

// Peaks of all elements from the recorded beginning of an event, with other parameter values (p,
// NULL: the model's): an element may be redesigned without running the vehicle again.
jo_status jstudy_loads_reconstruct(jo_context* ctx, const jstudy_loads* l, const double* p,
                                   double t0, const double* y0, double duration, double* peak,
                                   double* t_peak);

#endif
