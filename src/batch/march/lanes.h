// SPDX-License-Identifier: Apache-2.0
// Lanes that are vehicles: what all of them share, and what each has of its own while it runs (march.inc).
//
// Plain data, and includes of plain constants alone: also for compilers of other machines. Arrays have the lanes innermost,
// x[i * L + l].
#ifndef JBATCH_LANES_H
#define JBATCH_LANES_H

#include "gen/group.h"

#ifndef JBATCH_MOST_LANES
#define JBATCH_MOST_LANES 8
#endif

enum { JBATCH_STAGES = 6 };   // of a method, most
enum { JBATCH_LOOKS = 4 };    // margins that tell how fast conditions change
enum { JBATCH_SAMPLES = 2 };  // stages whose switches tell of events inside of a step, most

// Functions of (p, t, y, mode), of all lanes at once. Inputs are by jgen_group.
enum {
  JBATCH_RHS,        // ydot, g
  JBATCH_PROJECT,    // dv, h, inverse
  JBATCH_SWITCHES,   // g
  JBATCH_OBJECTIVE,  // psi
  JBATCH_OUTPUTS,    // sensor
  JBATCH_REDUNDANT,  // h
  JBATCH_GUARDS,     // applies, first, second
  JBATCH_DRIVE,      // s, sd, sdd
  // along all numbers, one after another; or along one direction, by what they have in common
  JBATCH_RHS_ALONG,        // ydot, dydot, g
  JBATCH_PROJECT_ALONG,    // dv
  JBATCH_SWITCHES_ALONG,   // dg; behind those of the numbers that of the motion
  JBATCH_OBJECTIVE_ALONG,  // dpsi
  // weighted by lambda: ybar, tbar, pbar
  JBATCH_RHS_BACK,
  JBATCH_PROJECT_BACK,  // lambda: of dependent coordinates
  JBATCH_SWITCHES_BACK,
  JBATCH_OBJECTIVE_BACK,
  // where directions go one after another: what they have in common, before those along one of them
  JBATCH_RHS_COMMON,        // ydot, common, g
  JBATCH_PROJECT_COMMON,    // common
  JBATCH_SWITCHES_COMMON,   // common
  JBATCH_OBJECTIVE_COMMON,  // common
  JBATCH_FUNCTIONS
};

// A model and how it is integrated: the same for all lanes.
typedef struct jbatch_rule {
  int np, ny, nw, nv, nswitch, nobjective, nintegral, noutput, nredundant, nguard;
  int nhistory, nrow;      // of histories: outputs, times
  const int* history;      // outputs that have one, of those that are computed (nhistory)
  const double* row_time;  // rising, the first one t_begin [s] (nrow)
  int ndrive;              // driven coordinates, where they depend on modes; else 0
  int weighs;              // nonzero: what lanes do is kept, and walked back along (back.inc)
  int ncommon;  // room for what directions have in common; 0: functions go along all of them at once
  int first_v, first_integral, first_guard;
  const double* nominal;        // of the error of states; 0: it has none (ny)
  const double* closure_limit;  // of redundant equations [m] (nredundant)
  const int* has_root;          // an objective takes a root of this integral (nintegral)
  const int* is_quiet;          // switches that nobody is told of (nswitch)
  const int* drives;    // switches of driven coordinates, where derivatives are asked for (nswitch)
  const double* least;  // of the pairs of guards (nguard)
  double widest;        // spread of the loops, reciprocal of |det J_v|, that lanes go to
  int ncontrolled;      // states with an error
  // derivatives in the control of steps: error in a step, relative, and what is nothing, in scales of the states (nw)
  double along_tol;
  const double* along_least;
  // explicit method; docs/theory/integration.md
  int stages, order, is_fixed, has_quartic;
  int nsample, sample[JBATCH_SAMPLES];  // stages between start and end, in the order of their times
  double c[JBATCH_STAGES], a[JBATCH_STAGES][JBATCH_STAGES], b[JBATCH_STAGES];
  double e[JBATCH_STAGES + 1], d[JBATCH_STAGES + 1];
  double factor[JBATCH_STAGES + 1];                         // of its stability polynomial
  double t_begin, t_end, step, max_step, rel_tol, abs_tol;  // step 0 of adaptive ones: they find it
  double max_steps, max_flips;
} jbatch_rule;

// What a lane is about. RUN: a step of its own length; LOCATE: one to where an event may be; AGAIN: one that is known to
// hold none. DONE: it is at the end. LEFT: it met what lanes cannot do, and is taken anew by other means, which also
// tell why it fails, where it does.
enum { JBATCH_RUN, JBATCH_LOCATE, JBATCH_AGAIN, JBATCH_DONE, JBATCH_LEFT };

// Why a lane was left.
enum {
  JBATCH_FINE,
  JBATCH_NOT_FINITE,
  JBATCH_NOT_CLOSED,
  JBATCH_TURNED,     // loops come near a singular position
  JBATCH_GUARDED,    // a guard of an element fails
  JBATCH_JUMPS,      // driven coordinates do
  JBATCH_TOO_MANY,   // steps or events
  JBATCH_NOT_FOUND,  // an event could not be located
  JBATCH_GRAZES,     // the time of an event has no derivative
  JBATCH_TOO_SMALL,  // steps
  JBATCH_LOST,       // an integral of squares or powers came out negative
  JBATCH_NO_ROOM,    // for steps that are kept
  JBATCH_UNSTABLE,   // fixed steps may be too long for the motion
  JBATCH_NO_VALUE,   // a condition compares what is not a number
  JBATCH_RESTS,      // what a condition compares rests at its limit
  JBATCH_FASTER      // a condition changes faster than steps show
};

// Time of a flip: its own, the first of an instant; its own; that of the first.
enum { JBATCH_FIRST, JBATCH_OWN, JBATCH_FOLLOWS };

// The search for an event in a lane: crossings lie in (low, high], no margin has crossed at low, some have at high.
typedef struct jbatch_search {
  double low, high;                // times
  double low_weight, high_weight;  // Illinois: halved while the other end moves
  double last;                     // time of the probe before
  int same;                        // probes in a row that moved the same end, > 0: high, < 0: low
  int sample;      // of the step, that high is: 0 soon after its start, then inside, then its end
  int is_sure;     // a real step has found a crossing at high
  int is_closing;  // the probe is the event
  int probes, aims;
} jbatch_search;

// A lane.
typedef struct jbatch_lane {
  int phase, why;
  int is_new;  // it begins with the next round
  double t, t_new, t_before,
      t_step;  // of the state, the trial, the state before, the step that holds an event
  double h_next, h_proposed, error_last, error_new;
  double grid;     // fixed steps: points passed
  int side;        // of the loops where it began; 0: not yet
  unsigned signs;  // of each of their pivots there
  int row;         // of its history, the next
  int needs_slope, was_rejected, halvings;
  int unarmed;     // switches that do not count yet
  double t_event;  // last instant of events, ...
  double apart;    // ... the time from the one before it, 0: there was none, and ...
  int at_instant;  // ... flips there
  double flips, events, steps, rejected;
  // fixed steps in a row: what they made of a motion that does not grow by itself, what they may be off by, how many may be
  double growth, wrong;
  int suspects;
  jbatch_search search;
} jbatch_lane;

// A group of lanes. Arrays from y on are carved out of one by the text.
typedef struct jbatch_group {
  const jbatch_rule* rule;
  void* host;          // whoever made the group: functions are asked for there
  const double* road;  // the same for all lanes
  // directions one after another: nw zeros, a one, nw - 1 zeros, so that any unit is a part of it; else 0
  const double* unit;
  int round;     // how many there were
  double* fast;  // memory for the arrays that are used most, where a machine has some; else 0
  jbatch_lane lane[JBATCH_MOST_LANES];
  // to be set before: states with their derivatives, ny (1 + nw), modes, numbers
  double *y, *mode, *p;
  // what came out: objectives with derivatives, nobjective (1 + nw), and outputs
  double *psi, *out;
  // histories by lane, nrow x nhistory, their elements so far apart; NULL: it has none. Whoever made the group sets them
  double* history[JBATCH_MOST_LANES];
  long history_stride;
  // states with their derivatives: end of the trial, argument of a stage, slopes
  double *y_new, *arg, *k[JBATCH_STAGES + 1];
  double *dense, *quartic, *error, *zero;  // (ny)
  double *dv, *h, *inverse, *pivot, *redundant, *guards, *drive[2];
  // switches: values, the largest so far, what is added to margins, whether they count, margins
  double *g, *g_end, *g_inside[JBATCH_SAMPLES], *g_most, *off, *armed;
  double *start, *first, *inside[JBATCH_SAMPLES], *end, *low, *high, *seen, *probe, *rate, *flip,
      *is_done, *look[JBATCH_LOOKS];
  double* largest;  // |y| so far, of fixed steps (ny)
  // events with derivatives: slopes before and behind with S in front of the first, (nw + 1) ny; dg
  double *along, *slope, *dg, *dt;
  double*
      reach;  // of derivatives with respect to each parameter: the largest so far, in scales of the states (nw)
  double* common;  // of directions that go one after another (ncommon)
} jbatch_group;

#endif
