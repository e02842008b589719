// SPDX-License-Identifier: Apache-2.0
// A run as it was taken: steps, events and enough states to take every step again. What derivatives
// of a run are computed along.
#ifndef JSENS_RECORD_H
#define JSENS_RECORD_H

#include <stdint.h>

#include "plant/plant.h"

typedef struct jsens_entry {
  double t, t1;  // step: from t to t1; event, change: at t
  int state;     // stored state: at the start of the step, before the event; -1: not stored
  int after;     // event, change: stored state after it; -1: a step
  int slopes;    // step: stored slopes of its stages; -1: not stored
  int epoch;  // modes and partition in force: of the step, before the event (the next epoch after it)
  int flip, nflip;    // event: switches that flip, in record->flip
  bool follows;       // event: caused by the one before, at the same instant
  bool is_impulse;    // event: driven coordinates jump
  bool ends;          // event: the run
  int reset, nreset;  // event: those that are reset, in record->reset
  bool is_change;     // no event: the partition changes, to that of the next epoch
  bool is_implicit;   // step: taken by the implicit method
} jsens_entry;

typedef struct jsens_record {
  jo_context* ctx;
  int ny, nswitch;
  int nentry, entry_cap;
  jsens_entry* entry;
  int nstate, state_cap;
  double* state;       // nstate x ny
  int stages;          // of the method; 0: slopes are not stored
  bool implicit_only;  // slopes of implicit steps alone: those of explicit ones are had for nothing
  int nslopes, slopes_cap;
  double* slopes;  // nslopes x stages x ny: of the first steps, as far as the room goes
  int nepoch, epoch_cap;
  double* mode;          // nepoch x nswitch
  const jplant** plant;  // whose partition is in force (nepoch)
  int plant_cap;
  jplant_charts charts;  // all of them, but the first
  int nflip, flip_cap;
  int* flip;
  int nreset, reset_cap;
  int* reset;
  int stride;      // every stride-th step has its state stored, and the first after an event
  int max_states;  // more than these that may be dropped, and the stride doubles
  const jmodel* model;
  double max_bytes;  // of all that is recorded
  int nspare;        // states that may be dropped: of steps, not the first after an event
  int step_count;
  double t_end;
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
void jsens_record_event(jsens_record* r, const jmachine_happening* what);
void jsens_record_change(jsens_record* r, double t, const double* before, const double* after,
                         const double* mode, const jplant* to);
void jsens_record_end(jsens_record* r, double t, const double* y);

static inline const double* jsens_record_state(const jsens_record* r, int i) {
  return r->state + (int64_t)i * r->ny;
}
static inline double* jsens_record_slope(const jsens_record* r, int slopes, int stage) {
  return r->slopes + ((int64_t)slopes * r->stages + stage) * r->ny;
}
static inline const double* jsens_record_mode(const jsens_record* r, int epoch) {
  return r->mode ? r->mode + (int64_t)epoch * r->nswitch : NULL;  // NULL: no switches
}

#endif
