// SPDX-License-Identifier: Apache-2.0
// Load prediction: a manoeuvre run by one of the load drivers, with the force histories of all
// elements, their peaks and the stiff events.
#ifndef JLOADS_LOADS_H
#define JLOADS_LOADS_H

#include "loads/driver/driver.h"
#include "plant/plant.h"

// A plant whose element forces can be evaluated apart. Read-only once made.
typedef struct jloads {
  jo_context* ctx;
  jarena arena;
  jplant* plant;
  jplant_kernels* kernels;  // functions of load prediction, then one per element
  int ne;
  const char* const* name;  // of the elements
  const char** unit;        // of their loads
  int* coordinate;          // independent, that an element of a joint acts on; -1: none
  double* element_cost;     // in evaluations of rhs, by operations
  double directions_cost, reduced_cost;
  bool* irreversible;  // coordinates the impulsive driver may not reverse
} jloads;

jo_status jloads_create(jo_context* ctx, const jmodel* m, const jkernel_options* kernel,
                        jloads** out);
void jloads_destroy(jloads* l);

// Index by name, -1 when there is none; coordinates: independent ones.
int jloads_find_element(const jloads* l, const char* name);
int jloads_find_coordinate(const jloads* l, const char* name);
const char* jloads_coordinate_name(const jloads* l, int coordinate);  // "": there is none

// Of an independent coordinate in a state; NaN: there is no such coordinate.
double jloads_position(const jloads* l, const double* y, int coordinate);
double jloads_speed(const jloads* l, const double* y, int coordinate);

double jloads_largest_element_cost(const jloads* l);

typedef struct jloads_peak {
  double value, t;  // of the largest |F|, between samples by a parabola
} jloads_peak;

// A stiff event with the state it began from.
typedef struct jloads_event {
  jloads_driver_event event;
  double* y0;  // ny
  double
      reconstructed;  // impulsive: peak of the element on that coordinate, from y0; else the peak
  int element;        // whose load it is; -1: none found
  bool continues;     // impulsive: the step before was flagged too; not reconstructed
} jloads_event;

typedef struct jloads_result {
  jo_context* ctx;
  jarena arena;
  int ne, ny, nevent;
  jloads_driver_statistics statistics;
  jloads_peak* peak;  // (ne)
  int nsample, sample_cap;
  double* sample;  // nsample x (1 + ne): time, forces
  int event_cap;
  jloads_event* event;
  double* y_end;
  double* out_end;    // outputs of the plant at the end
  bool is_complete;   // reached the end
  double t_end, cpu;  // [s]
  double missed;      // real time: largest delay behind the clock [s]
  int64_t deadlines_missed;
} jloads_result;

typedef struct jloads_options {
  jloads_driver_options solve;
  double t_start, t_end;
  bool realtime;    // pace the run against the clock
  double t_window;  // reconstruction of an impulsive event [s]
  const double* p;  // values of the live numbers, NULL: the model's
} jloads_options;

jloads_options jloads_options_default(const jmodel* m);

// A failed run keeps what was computed until then: *out is NULL only when nothing could begin.
// Ownership: caller, release with jloads_result_destroy().
jo_status jloads_run(jo_context* ctx, const jloads* l, const jloads_options* opt,
                     jloads_result** out);
void jloads_result_destroy(jloads_result* r);

// Peaks of all elements from the recorded beginning of an event, with other parameter values (p,
// NULL: the model's): an element may be redesigned without running the vehicle again.
jo_status jloads_reconstruct(jo_context* ctx, const jloads* l, const double* p, double t0,
                             const double* y0, double duration, double* peak, double* t_peak);

#endif
