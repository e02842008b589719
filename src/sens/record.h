// SPDX-License-Identifier: Apache-2.0
// A run as it was taken: steps, events and enough states to take every step again. What derivatives
// of a run are computed along.
//
// Of every step its end is kept and which kind it is; states and slopes as far as the room goes. What is in between is
// taken again, bit by bit as it was, from the stored state before it (replay.h).
#ifndef JSENS_RECORD_H
#define JSENS_RECORD_H

#include <stdint.h>

#include "plant/plant.h"

// An event, or a change of the partition: each ends an epoch.
typedef struct jsens_happening {
  int before, after;  // in record->event_state
  int flip, nflip;    // event: switches that flip, in record->flip
  int reset, nreset;  // event: those that are reset, in record->reset
  bool follows;       // event: caused by the one before, at the same instant
  bool is_impulse;    // event: driven coordinates jump
  bool ends;          // event: the run
  bool is_change;     // no event: the partition changes, to that of the next epoch
} jsens_happening;

// One entry of a record as it is looked at.
typedef struct jsens_entry {
  int index;
  double t, t1;         // step: from t to t1; event, change: at t
  const double* y;      // at the start of the step, before the event; NULL: not stored
  const double* after;  // event, change: behind it; NULL: a step
  const double*
      first;       // step: its first slope; NULL: not stored, and that of y unless it is drifted
  double* slopes;  // step: of its stages, one after another; NULL: not stored
  int epoch;  // modes and partition in force: of the step, before the event (the next epoch after it)
  bool is_implicit;  // step: taken by the implicit method
  bool is_drifted;   // step: its first slope is that of the end before, not yet projected
  bool is_located;   // step: ends at an event, its stages were solved for with more care
  const jsens_happening* what;  // event, change; NULL: a step
} jsens_entry;

// A step across a singular position.
typedef struct jsens_across {
  int entry;
  double t;  // where the position lies [s]
} jsens_across;

// Vectors of states, of some of the steps, in their order.
typedef struct jsens_store {
  int n, cap, of_cap, width;  // width: of one vector
  double* data;               // n x width
  int* of;                    // entries that they belong to
} jsens_store;

typedef struct jsens_record {
  jo_context* ctx;
  int ny, nswitch;
  int nentry, time_cap, mark_cap, error_cap;
  double* time;        // ends of entries
  uint32_t* mark;      // their epochs and kinds
  float* error;        // of steps: estimated local error, in tolerances
  bool has_loops;      // first slopes of stored steps are stored, too
  jsens_store state;   // of steps: y, and their first slopes where there are loops
  jsens_store slopes;  // of the first steps, as far as the room goes
  int stages;          // of the method; 0: slopes are not stored
  bool implicit_only;  // slopes of implicit steps alone: those of explicit ones are had for nothing
  int nepoch, epoch_cap;
  double* mode;          // nepoch x nswitch
  const jplant** plant;  // whose partition is in force (nepoch)
  int plant_cap;
  jplant_charts charts;        // all of them, but the first
  jsens_happening* happening;  // at the end of each epoch but the last
  int happening_cap;
  int nevent_state, event_state_cap;
  double* event_state;  // before and behind events
  int nflip, flip_cap;
  int* flip;
  int nreset, reset_cap;
  int* reset;
  int nacross, across_cap;
  jsens_across* across;  // in their order
  int stride;            // every stride-th step has its state stored, and the first after an event
  int max_states;        // more than these that may be dropped, and the stride doubles
  const jmodel* model;
  double max_bytes;        // of all that is recorded
  int nspare;              // states that may be dropped: of steps, not the first after an event
  int nfixed, last_fixed;  // states behind implicit steps that are kept, and the last of them
  int nimplicit;           // implicit steps whose slopes are stored
  int step_count;
  double t_begin, t_end;
  double* y_end;  // final state
  jo_status status;
} jsens_record;

// Slopes take about as much room as states.
jo_status jsens_record_create(jo_context* ctx, const jplant* p, int stages, int max_states,
                              jsens_record** out);
void jsens_record_destroy(jsens_record* r);

// Begin with the modes of the start; then called by the run.
void jsens_record_begin(jsens_record* r, const double* mode, const jplant* plant);
void jsens_record_step(jsens_record* r, const jsolve_step* step);
// The last step went across a singular position at t.
void jsens_record_across(jsens_record* r, double t);
void jsens_record_event(jsens_record* r, const jmachine_happening* what);
void jsens_record_change(jsens_record* r, double t, const double* before, const double* after,
                         const double* mode, const jplant* to);
void jsens_record_end(jsens_record* r, double t, const double* y);

jsens_entry jsens_record_entry(const jsens_record* r, int i);
bool jsens_record_is_step(const jsens_record* r, int i);
bool jsens_record_is_implicit(const jsens_record* r, int i);
int jsens_record_epoch(const jsens_record* r, int i);
// From where entry i begins to where it ends [s].
double jsens_record_length(const jsens_record* r, int i);
double jsens_record_start(const jsens_record* r, int i);

// The entry behind the last that is no step; 0: there is none.
int jsens_record_behind_events(const jsens_record* r);

// Memory that is taken by it and by a walk along it [bytes].
double jsens_record_bytes(const jsens_record* r);

static inline const double* jsens_record_mode(const jsens_record* r, int epoch) {
  return r->mode ? r->mode + (int64_t)epoch * r->nswitch : NULL;  // NULL: no switches
}

#endif
