// SPDX-License-Identifier: Apache-2.0
// Time integration of y' = f(t, y) with invariants, switches and events. Knows no mechanics: it sees
// states, a right-hand side whose switches are held fixed, and what to do when one of them flips.
#ifndef JSOLVE_ODE_H
#define JSOLVE_ODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "solve/event/enclose.h"
#include "solve/method.h"

// States that mixed methods solve for with all others given (local.h). n = 0: there are none.
typedef struct jsolve_local_system {
  int n, nentry;
  const int* state;      // where they stand in y (n)
  const int *row, *col;  // entries of the Jacobian of their rates, among themselves (nentry)
  // take what the rates have of everything else at (t, y), for all calls of `rates` until the next
  void (*feed)(void* user, double t, const double* y);
  // their rates (n) and the entries (nentry) with the local states of y
  void (*rates)(void* user, double t, const double* y, double* f, double* entry);
} jsolve_local_system;

// The system to integrate. Callbacks get `user`; none may allocate.
// A step that may be accepted: from (t0, y0) to (t, y).
typedef struct jsolve_stretch {
  double t0, t;
  const double *y0, *y;  // y0 NULL: not known
  double rel_tol;        // of the run
  double error;          // estimate of the local error, in tolerances; 0: not known
  const double* stage;   // parts of the step at which slopes were taken (nstage)
  int nstage;            // 0: not known
  double* again;         // with JO_ERR_SINGULAR: the part of the step to be tried next
} jsolve_stretch;

typedef struct jsolve_system {
  int n;  // states
  void* user;
  // ydot = f(t, y) with all modes as they are
  void (*rhs)(void* user, double t, const double* y, double* ydot);
  // put y back on its invariants (loop closure) after a step; NULL: none. It reports nothing: a failure
  // makes adaptive methods try a smaller step, and whoever gives up reports it, with the hint.
  jo_status (*project)(void* user, double t, double* y);
  // whether a run may go on from a state that was just projected; NULL: from all. A failure ends it: a
  // smaller step would not help, but might hide it; but for JO_ERR_CONVERGENCE, where it may help, and JO_ERR_SINGULAR, where
  // any other length may. It may allocate.
  jo_status (*admit)(void* user, const jsolve_stretch* step);
  // describe the state y, one that the run goes on from, in other coordinates where those are better: y changes, and what
  // all callbacks mean by it, but neither numbers nor scales of states and switches. is_stuck: there is no step from
  // here, and projection_hint tells why where that is known then. NULL: there are no others. It may allocate.
  jo_status (*change_chart)(void* user, double t, double* y, bool is_stuck, bool* changed);
  // what the last failed projection found and what to do about it; NULL or "": nothing is known
  const char* projection_hint;
  // scale of the error of each state relative to the tolerances; 0: state not controlled; NULL: ones.
  // A step is accepted when the root mean square over the controlled states of
  //   error_i / (abs_tol error_scale_i + rel_tol |y_i|)   is at most one
  const double* error_scale;
  // switches: g[k] > 0 belongs to mode[k] = 1, g[k] < 0 to mode[k] = 0. Values below 1e-12 of the
  // largest so far, or below 1e-14, count as zero for a switch that starts there.
  int nswitch;
  void (*switches)(void* user, double t, const double* y, double* g);
  double* mode;  // 1.0 or 0.0, read by rhs; written by jsolve_* at events (nswitch)
  // bounds of some switching functions, and the values of their parameters; NULL: none are known, and all are looked at
  const jsolve_enclosure* enclosure;
  const double* p;
  // sizes of g below which its sign says nothing, written by jsolve_integrate, for `event`; NULL: not wanted (nswitch)
  double* floor;
  // called at an event, after the modes flipped: may change y (impulses); NULL: y is continuous.
  // flipped[i], i < n: the switches concerned, in order
  jo_status (*event)(void* user, double t, double* y, const int* flipped, int n);
  // set by `event` where several flip: whether what each of them changed sent it back to where it came from, before the others
  // changed more; NULL: not known (nswitch)
  const bool* sent;
  // Applies to `probe`, a state near y, what the events of this instant reset, once more. False: switch k does not
  // make one of them happen again when it leaves its mode and comes back, or none happened at t. NULL: there are no resets.
  bool (*repeat)(void* user, double t, const double* y, int k, double* probe);
  const bool* has_ended;  // set by an event that ends the run; NULL: none does
  // J[i + n j] = d ydot_i / d y_j, column-major; NULL: not available. CVODE then takes differences,
  // esdirk5 needs it
  void (*jacobian)(void* user, double t, const double* y, double* J);
  // called once before the first Jacobian, where that is costly to have; NULL: nothing to do
  jo_status (*prepare_jacobian)(void* user);
  // called once before a mixed method begins: fills `local`; NULL: there is nothing to do
  jo_status (*prepare_local)(void* user);
  jsolve_local_system local;
  // y = [ q | v | w | rest ] for implicit methods: q' is the beginning of w, v follows from q and t by
  // `project`, and nothing depends on the rest. has_parts: the numbers say how y is divided, and any of
  // them may be zero (all that moves is driven: no q, no w); otherwise w is everything.
  bool has_parts;
  int nq, nv, nw;
  // states that change at events only: they have no rate, and no rounding inside of steps
  int nconstant;
  const int* constant;
  // switches at which nothing happens but to the description: not counted; NULL: none (nswitch)
  const bool* is_quiet;
  // names for messages, NULL: numbers (n, nswitch)
  const char* const* state_name;
  const char* const* switch_name;
} jsolve_system;

// How a message calls a state or a switch: its name in quotes, or "state 3". Written to `buffer`.
#define JSOLVE_LABEL 96
const char* jsolve_label(const char* const* name, const char* kind, int i,
                         char buffer[JSOLVE_LABEL]);

// What fixed steps in a row made of a motion that does not grow by itself (stability.h).
typedef struct jsolve_growth {
  double logarithm;
  int nstep;
} jsolve_growth;

#define JSOLVE_PARTS 8

typedef struct jsolve_options {
  jsolve_method method;
  double rel_tol, abs_tol;  // adaptive methods, local error
  double step;              // fixed step, or first step of an adaptive method (0: chosen) [s]
  double max_step;          // 0: none [s]
  double shortest_pulse;  // inputs that last at least so long are not stepped over; 0: 20 ms, or a
                          // 25th of the run where that is less [s]
  int64_t max_steps;      // 0: none
  bool locate_events;     // false: modes are never touched (f evaluates its own conditions)
  int max_events;         // in one run; more is an error that names the switch. 0: 10000 and 5000
                          // for every second
  double event_delay;  // events are taken so much later than they are found, in tolerances of their
                       // location: for comparisons that show what the location does
  double
      newton_share;  // of the error that Newton's iterations of implicit stages may leave; 0: all of
                     // it. Less is for comparisons that show what the iterations leave
  bool is_whole;     // a run of few fixed steps is all there is: it is judged at its end
  jsolve_growth*
      growth;  // kept from one run to the next, where a motion is made in parts; NULL: it is not
  // longest step from t on, on top of max_step; NULL: none
  double (*step_limit)(void* user, double t);
  // local error, in tolerances, that a step of length h from t on has where the motion is smooth; INFINITY: not known. Explicit
  // steps with a much larger error are taken in JSOLVE_PARTS. NULL: none are
  double (*expected_error)(void* user, double t, double h);
  void* step_limit_user;  // of both
} jsolve_options;

jsolve_options jsolve_options_default(void);

// What these options mean by the shortest pulse in a run of this length [s]: for runs that are made in parts.
double jsolve_shortest_pulse(const jsolve_options* opt, double span);

// One accepted step, for observers. Interpolation is of the order of the method's dense output
// (cubic Hermite for fixed-step methods); it does not project.
typedef struct jsolve_step {
  double t0, t1;
  const double *y0, *y1;  // after projection
  const void* dense;
  double* const* k;  // slopes of the stages of a Runge-Kutta method; NULL: another method
  bool is_implicit;  // taken by the implicit tableau of the method
  bool
      is_drifted;  // k[0] is the slope of the end before as it was before its projection, not that of y0
  bool is_located;  // stages were solved for as where an event is located
  double error;     // estimated local error, in tolerances; 0: the method has none
  const jsolve_system* sys;
} jsolve_step;

void jsolve_interpolate(const jsolve_step* s, double t, double* y);

typedef struct jsolve_event {
  double t;
  int which;    // switch
  bool rising;  // mode became 1
} jsolve_event;

// Stage i > 0 of an explicit step from (t0, y0) towards t1, at (t, y): k has the slopes before it, k[i] is wanted.
typedef struct jsolve_stage {
  int i;
  double t0, t1, t;
  const double *y0, *y;
  double* const* k;
} jsolve_stage;

// Observers; any may be NULL. A negative status stops the run and is returned.
typedef struct jsolve_observer {
  void* user;
  jo_status (*step)(void* user, const jsolve_step* s);
  jo_status (*event)(void* user, const jsolve_event* e, const double* y_before,
                     const double* y_after);
  // goes along: gives slopes of stages in place of the right-hand side, with the same bits. Of steps as they are
  // tried, rejected ones too, but not of those that look for an event, nor of implicit and mixed ones
  void (*stage)(void* user, const jsolve_stage* s);
} jsolve_observer;

typedef struct jsolve_statistics {
  int64_t steps, rejected, evaluations, jacobians;
  int64_t scans;     // evaluations that only looked into long steps
  int64_t implicit;  // steps taken by an implicit method, of `auto`
  double h_lambda;   // of fixed steps: the largest |h lambda| that the motion showed; 0: none did
  int unresolved;  // of fixed steps: one plus the first state that they did not follow for some time; 0: none ...
  double resolving;  // ... and steps that would [s]
  double
      drift;  // sum of what errors of single steps may have made of a state, relative to its range (drift.h) ...
  int drifting;    // ... and one plus that state
  double size[3];  // largest values of positions, rates and other states, relative to nominal ones
  int events;
} jsolve_statistics;

// Integrate from t0 to t1. y: in initial, out final state. Modes must be set for t0 (see
// jsolve_set_modes). Same input, same bits. On failure y is the last accepted state, *t_reached its
// time, and the context says what happened (first state that is not finite, too many events ...).
jo_status jsolve_integrate(jo_context* ctx, const jsolve_system* s, const jsolve_options* opt,
                           const jsolve_observer* obs, double t0, double t1, double* y,
                           double* t_reached, jsolve_statistics* stats);

// For those who would rather not begin: fixed steps are counted, more than max_steps are refused.
jo_status jsolve_check_steps(jo_context* ctx, const jsolve_options* opt, double t0, double t1);

// Set every mode from the sign of its switching function at (t, y), to 0 where that is zero: as
// conditions are written (gen/switch/switches.h). Repeated until consistent since switching functions may
// depend on modes. True: one of them changed.
bool jsolve_set_modes(const jsolve_system* s, double t, const double* y, double* scratch);
// The same on the way, where an event may have left a switching function at zero: modes stay where it is within
// its floor, or zero where floor is NULL.
bool jsolve_update_modes(const jsolve_system* s, double t, const double* y, const double* floor,
                         double* scratch);

// Modes of a state whose loops are still to be closed, and loops closed as they are in these modes: what drives a
// coordinate may depend on a mode. Reports nothing; where they cannot be closed, y is spoiled.
jo_status jsolve_close(const jsolve_system* s, double t, double* y, double* scratch);

#endif
