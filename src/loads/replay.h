// SPDX-License-Identifier: Apache-2.0
// Loads of recorded events with other numbers, without running the vehicle: each is integrated from the
// state it began with or, where an element has many, interpolated on a surface of peak loads. Some of
// those are integrated too, and a surface that does not agree with them is refused.
#ifndef JLOADS_REPLAY_H
#define JLOADS_REPLAY_H

#include "loads/loads.h"

typedef struct jloads_recorded {
  int element;      // -1: none, it is left out
  double t0, t1;    // [s]
  const double* y;  // state at t0 (ny)
  // replayed; NaN: it was left out
  double peak, t_peak;
  bool is_interpolated;
} jloads_recorded;

typedef struct jloads_replay_options {
  const char* driver;  // that recorded the events
  double window;       // longest time integrated [s]; NaN: the default
  bool surface;        // where there are many events of an element
} jloads_replay_options;

typedef struct jloads_replay_counts {
  int events;       // replayed
  int integrated;   // of these by integration, nodes of surfaces and checks not counted
  int surfaces;     // used ...
  int refused;      // ... and refused
  int nodes;        // integrated for surfaces
  int checked;      // interpolated and integrated too ...
  double mismatch;  // ... with this difference at most, relative to the largest load of the surface
} jloads_replay_counts;

jo_status jloads_replay(jo_context* ctx, const jloads* l, const jloads_replay_options* opt,
                        jloads_recorded* event, int n, jloads_replay_counts* out);

// Whether states with these names, recorded in a file, are those of the model. Reported where not.
jo_status jloads_replay_check_states(jo_context* ctx, const jloads* l, const char* path,
                                     const char* const* name, int n);

#endif
