// SPDX-License-Identifier: Apache-2.0
// How far every switch of a run is from leaving its mode, and what the search for events keeps from step to step.
#ifndef JSOLVE_MARGINS_H
#define JSOLVE_MARGINS_H

#include "solve/algebra/sums.h"
#include "solve/event/enclose.h"
#include "solve/event/looks.h"
#include "solve/event/zeno.h"
#include "solve/run.h"

// Switches of which bounds are known (clocks.h).
typedef struct jsolve_clocks {
  const jsolve_enclosure* e;  // NULL: there are none
  const bool*
      is_time_only;  // nothing that moves is in it: its looks need not show anything (nswitch)
  bool has_states;   // some have states in them
  jsolve_range *range, *point;  // over a piece, and at an instant of it
  jsolve_range* state;          // of the states, and ...
  double* y;                    // ... what they are made from
  int cap;                      // of range and point
  double until;                 // those of time alone are known to hold no event up to then
  double work;                  // pieces since the last event
  int open;                     // pieces of this step that aids to looks do not decide
} jsolve_clocks;

// What the last flips of a switch say of the next ones.
typedef struct jsolve_pulse {
  double t_flip, interval;  // time of the last flip, and since the one before; 0: there is none
  // distance of looks that meets pulses as the last ones, their period, and up to when that holds
  double distance, period, until;
} jsolve_pulse;

typedef struct jsolve_events jsolve_events;

struct jsolve_events {
  int n;
  double* g;      // last values
  double* g_end;  // at the end of the step
  double* g_max;  // largest |g| so far
  double* floor;
  double* hysteresis;  // added to the margin: 0 when armed, else the floor
  bool* is_armed;
  double *start, *lo, *hi, *probe;  // margins with hysteresis at the start of the step and others
  double* rate;                     // at which margins fall, of those that cross; else 0
  double* y;                        // n states: dense output, state before an event
  // states a span after the last event, as the slope before it and the slope after it have them (n)
  double *beyond, *after;
  double t_beyond, t_after;  // of these events
  int leaving;  // switch that goes on into the mode at whose limit its event holds it; -1: none
  int* flipped;
  int nflipped;
  bool* is_done;                  // flipped at this instant
  bool* is_pole;                  // what it compares grows without bound towards the event at ...
  double t_probed;                // ... this instant
  bool is_retaken;                // the proposed step is no longer the stepper's own
  int first_sample, last_sample;  // of the proposed step
  bool is_first;                  // the step follows an event, or the start
  jsolve_looks looks;
  jsolve_clocks clocks;
  int turn;       // of blocks: every so many are tested
  int behind;     // which of the looks of a block is taken twice
  double h_last;  // length of the last step
  double close;   // distance of looks that showed what others hide, in the last step; 0: none does
  jsolve_pulse* pulse;  // of every switch (n)
  jsolve_zeno zeno;
  double t_last;  // last instant
  int at_instant;
  int all;  // events of the run, quiet ones included
};

// What sums over margins need.
jsolve_margins jsolve_events_margins_of(const jsolve_events* ev, const jsolve_run* run);

// Margins of switching functions g, and those at a state.
void jsolve_events_margins(const jsolve_events* ev, const jsolve_run* run, const double* g,
                           double* s);
void jsolve_events_evaluate(jsolve_events* ev, jsolve_run* run, double t, const double* y,
                            double* s);
bool jsolve_events_crossed(const jsolve_events* ev, const double* s);

#endif
