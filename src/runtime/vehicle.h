// SPDX-License-Identifier: Apache-2.0
// A model as exported code runs it: the tables and functions that were generated for it, and vehicles made of
// them, each with its own numbers, time, state and modes. Part of every export (generated C, FMUs), together with
// the machine and the integrators below it. Nothing is global, so that there may be any number of vehicles; one
// vehicle belongs to one thread at a time.
#ifndef JRUNTIME_VEHICLE_H
#define JRUNTIME_VEHICLE_H

#include "runtime/model.h"

typedef struct jvehicle jvehicle;

// At the model's numbers, not begun. NULL: out of memory. Release with jvehicle_destroy(); NULL is fine.
jvehicle* jvehicle_create(const jvehicle_model* model);
void jvehicle_destroy(jvehicle* v);

// The first thing that went wrong since the last call of jvehicle_forget(), "" where nothing did.
const char* jvehicle_message(const jvehicle* v);
void jvehicle_forget(jvehicle* v);

// As new: the model's numbers and options.
void jvehicle_reset(jvehicle* v);

// Numbers of the model: parameters and inputs (model->nnumber), to be read and written. What depends on them at the
// start is found by jvehicle_begin(); after that they act from the present time on. Where one was written behind
// the start, jvehicle_touch() looks at the conditions of the model anew.
double* jvehicle_numbers(jvehicle* v);
jo_status jvehicle_touch(jvehicle* v);

// How jvehicle_advance() integrates; NaN and a negative method: as the model says.
//   tolerance [-], step [s]: of fixed-step methods, first one of adaptive ones
jo_status jvehicle_set_options(jvehicle* v, int method, double tolerance, double step);

// Check the numbers, assemble, and find the static equilibrium where the model starts from it; the time becomes t,
// modes are those that hold there.
jo_status jvehicle_begin(jvehicle* v, double t);

double jvehicle_time(const jvehicle* v);

// ---- states ----------------------------------------------------------------------------------------

// Continuous states x (model->nstate): independent positions and velocities, states of elements and of the model,
// filters and integrals of objectives. Dependent positions follow from them and are none.
void jvehicle_get_states(const jvehicle* v, double* x);

// Move to (t, x): loops are closed from where the vehicle was, modes stay. NULL: x as it is. On failure it stays there.
jo_status jvehicle_set(jvehicle* v, double t, const double* x);

// Rates of x (nstate), switching functions (nindicator), outputs (noutput) and objectives as if the run ended now
// (nobjective), all at the present (t, x) with the present modes. An indicator is > 0 where its mode is on and < 0
// where it is off, but for a small hysteresis; it changes sign where an event is due.
jo_status jvehicle_rates(jvehicle* v, double* xdot);
jo_status jvehicle_indicators(jvehicle* v, double* g);
jo_status jvehicle_outputs(jvehicle* v, double* out);
jo_status jvehicle_objectives(jvehicle* v, double* psi);

// Handle events at the present (t, x): modes flip, impulses act, until all agree. *jumped: states changed.
jo_status jvehicle_update(jvehicle* v, bool* jumped);

// Whether the condition that ends the run (simulation.end_when of the model) became true: the vehicle stays where it is.
bool jvehicle_has_ended(const jvehicle* v);

// ---- going on --------------------------------------------------------------------------------------

typedef struct jvehicle_advance_result {
  double t;       // where the vehicle is now [s]
  bool is_event;  // events were handled there, and it was to stop at the first
  int events;     // handled on the way
} jvehicle_advance_result;

// Integrate to time t with the method of the options, through all events, or up to the first.
jo_status jvehicle_advance(jvehicle* v, double t, bool stop_at_event, jvehicle_advance_result* out);

// ---- derivatives -----------------------------------------------------------------------------------

// What is differentiated, and by what; arrays that are NULL are zero (directions) or not asked for (results).
typedef struct jvehicle_seed {
  double *states, *numbers, *time;  // nstate, nnumber, 1
} jvehicle_seed;

typedef struct jvehicle_slope {
  double *rates, *indicators, *outputs, *objectives;  // nstate, nindicator, noutput, nobjective
} jvehicle_slope;

// Directional: slope = d (rates ...) / d (states, numbers, time) seed, at the present modes, loops closed.
jo_status jvehicle_tangent(jvehicle* v, const jvehicle_seed* seed, const jvehicle_slope* slope);

// Adjoint: seed = (d (rates ...) / d (states, numbers, time))^T slope.
jo_status jvehicle_adjoint(jvehicle* v, const jvehicle_slope* slope, const jvehicle_seed* seed);

// ---- snapshots -------------------------------------------------------------------------------------

// Everything that determines how it goes on: time, state, modes, numbers, options. A restored vehicle goes on bit
// by bit as the saved one did.
size_t jvehicle_snapshot_size(const jvehicle* v);
void jvehicle_save(const jvehicle* v, void* snapshot);
// JO_ERR_ARGUMENT: not a snapshot of this model.
jo_status jvehicle_restore(jvehicle* v, const void* snapshot, size_t size);

#endif
