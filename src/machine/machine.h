// SPDX-License-Identifier: Apache-2.0
// Equations of motion as functions and tables, and how they are run: loops closed after every step, impulses and
// guards at events, and the system the integrators see. Knows no model and no generator: a plant makes one of its
// kernels, exported code of its own.
#ifndef JMACHINE_MACHINE_H
#define JMACHINE_MACHINE_H

#include "solve/ode.h"

// Functions of (t, y) with the numbers and modes of the machine; gen/functions.def says what each gives.
#define JMACHINE_FN_LIST(X) \
  X(RHS)                    \
  X(PROJECT)                \
  X(SWITCHES)               \
  X(DRIVE)                  \
  X(VELOCITY)               \
  X(MOMENTUM) X(IMPULSE) X(OBJECTIVE) X(OUTPUTS) X(REDUNDANT) X(GUARDS) X(CONDITIONS) X(RESET)

typedef enum jmachine_fn {
#define X(id) JMACHINE_##id,
  JMACHINE_FN_LIST(X)
#undef X
      JMACHINE_FN_COUNT
} jmachine_fn;

typedef struct jmachine_place {
  const char* file;
  int line;
} jmachine_place;

// Where equations of an element do not hold: where the guard applies a pair of values must not be shorter than `least`, and
// where it begins to, its first value alone must not be less. Messages are "kind 'name': <what> at t = ... s<why>".
typedef struct jmachine_guard {
  const char *kind, *name;  // of the element
  jmachine_place place;
  double least;
  const char *is_short, *why_short;  // what and why, of pairs that are too short ...
  const char *begins, *why_begins;   // ... and of first values too small
} jmachine_guard;

// y = [ q_u | q_v | qd_u | z | filters | integrals ]
typedef struct jmachine_about {
  const char* path;  // of the model, for messages
  int ny, np, nu, nv, nd, nz, nswitch, nobjective, nintegral, noutput, nredundant, nguard, nevent,
      nreset;
  int first_v, first_rate, first_z, first_integral;  // in y
  const double* nominal;  // scale of the error of each state; 0: it is discrete, and has none (ny)
  const bool* is_held;    // keeps its value while equilibrium is sought (ny)
  const bool* is_angle;   // of the independent coordinates (nu)
  const char* const* state_name;      // (ny)
  const char* const* switch_name;     // (nswitch)
  const char* const* redundant_name;  // (nredundant)
  const double* closure_limit;  // redundant equations may be off by this much [m] (nredundant)
  const jmachine_guard* guard;  // (nguard)
  int first_guard;              // the last switches, from here on: the pair of a guard is too short
  const bool* has_root;         // an objective takes a root of this integral (nintegral)
  const bool* is_quiet;  // switches at which nothing happens but to the description (nswitch)
  const char* const* event_name;  // events with resets (nevent)
  const bool* event_at_start;  // where its condition holds at the start, it happens there (nevent)
  const int* reset_state;      // states that they may set, in y (nreset)
  bool has_end;                // the last event ends the run
  int nconstant;
  const int* constant;                // discrete states, in y (nconstant)
  const jsolve_enclosure* enclosure;  // bounds of switching functions; NULL: there are none
} jmachine_about;

// An event as it was handled: one switch or, where nothing is reset, several that flip together.
typedef struct jmachine_happening {
  double t;
  const double *before, *after;  // states
  const double* mode;            // after
  const int* flipped;            // switches (n)
  int n;
  bool is_next;      // the switch flips with that of the happening before, not because of it
  bool is_impulse;   // driven coordinates jumped
  bool ends;         // the run
  const int* fired;  // events whose resets were applied, one after another (nfired)
  int nfired;
} jmachine_happening;

// Evaluate a function. Momenta to be restored by an impulse are those of the machine.
typedef void (*jmachine_call)(void* host, jmachine_fn f, double t, const double* y,
                              double* const* out);

#define JMACHINE_HINT 512

typedef struct jmachine {
  const jmachine_about* about;
  jo_context* ctx;
  void* host;  // whoever made the machine
  jmachine_call call;
  double* p;                     // live numbers (np)
  double* mode;                  // (nswitch)
  double* floor;                 // below which a switching function has no sign, in a run (nswitch)
  double* momentum;              // to be restored by an impulse (nu)
  double* g;                     // scratch of switching functions (nswitch)
  double* slope;                 // scratch of states (ny)
  bool* sent;                    // see jsolve_system (nswitch)
  double* fired;                 // 1 for the event that is applied (nevent)
  double* known;                 // conditions before the instant t_begun (nevent)
  double t_begun;                // when the first switches of this instant flipped, ...
  double t_event;                // ... the last ones, and ...
  double* t_located;             // ... when each of them was located last (nswitch)
  double *held, *holds, *reset;  // scratch: conditions before and now (nevent), states set (nreset)
  double* fresh;  // scratch: conditions by modes of the state as it is (nevent), and ...
  double *stale, *stays,
      *ahead;      // ... modes meanwhile, floors of those that may change, g later (nswitch)
  double t_reset;  // last instant at which an event set something
  int* firing;     // events at one happening (jmachine_most_fired)
  int* done;       // events of the instant t_reset, each once, in their order (ndone of nevent)
  int ndone;
  int* alone;       // scratch: switches of an event (nswitch)
  double t_looked;  // when conditions were last compared: in the step that fails, where a run does
  double *dv, *h, *drive_old, *drive_new, *dqd, *before, *redundant, *guards;  // scratch
  double* inverse;           // reciprocal pivots of the loops at the last projection (nv)
  int side;                  // sign of their product at the last state admitted; 0: none yet
  uint64_t signs;            // of each of them, there
  double spread;             // size of their product at the last state admitted; 0: none yet
  char hint[JMACHINE_HINT];  // why the last projection failed
  int64_t projections;
  double near;  // spread beyond which a singular position may be near: `pass` is asked, too
  // Whether a step to where loops are on the other side, or near it, follows the motion: JO_ERR_CONVERGENCE: a smaller one might, JO_ERR_SINGULAR: one that does not end there, else JO_ERR_MODEL; the hint tells
  // why. May be NULL: none does.
  jo_status (*pass)(struct jmachine* m, const jsolve_stretch* step);
  bool has_ended;  // the event that ends the run has happened
  // told of everything that happens; may be NULL
  void (*on_event)(void* user, const jmachine_happening* what);
  void* on_event_user;
} jmachine;

// False: out of memory. Everything in the arena; numbers and modes are zero.
bool jmachine_init(jmachine* m, jo_context* ctx, jarena* a, const jmachine_about* about,
                   jmachine_call call, void* host);

// What integrators see; `user` of its callbacks is the machine. Jacobian and local states are the host's to add.
jsolve_system jmachine_system(jmachine* m);

// Modes are those after the switches `flipped` did: where driven coordinates jump, the momenta stay. Modes are as they
// were behind it.
jo_status jmachine_impulse(jmachine* m, double t, double* y, const int* flipped, int n,
                           bool* jumps);
// Apply the reset of one event, and close the loops.
jo_status jmachine_reset(jmachine* m, double t, double* y, int event);
// Before a run begins at (t, y): events that happen at the start do, until none is left. Modes are set on the way.
jo_status jmachine_start(jmachine* m, double t, double* y);
// Most resets at one happening.
int jmachine_most_fired(const jmachine_about* about);

// Put y on the closures as the driver does after a step, and report it where that cannot be done.
jo_status jmachine_close(jmachine* m, double t, double* y);

// Whether a run may go on from the state that was closed last, and report it where it may not.
jo_status jmachine_admit(jmachine* m, double t, const double* y);

// Of steps that lead to the other side of a position where J_v alone is singular: the hint tells so.
jo_status jmachine_fail_side(jmachine* m);

// The reciprocal of |det J_v| at the last projection.
double jmachine_spread(const jmachine* m);

// The sign of det J_v at (t, y), 0 where it has none; its reciprocal pivots are in `inverse`.
int jmachine_side(jmachine* m, double t, const double* y);

// The state (t, y), on its closures, is one that a run goes on from: side and spread are those there.
void jmachine_measure(jmachine* m, double t, const double* y);

// Largest closure residual at (t, y), redundant equations included [m].
double jmachine_closure(jmachine* m, double t, const double* y);

// Integrals of squares and of powers that rounding made negative become zero: they have roots taken.
void jmachine_clamp(const jmachine_about* about, double* y);

// Values of the objectives from the state at the end of a run, or as if it ended at t.
void jmachine_objectives(jmachine* m, double t, const double* y, double* psi);

// Guards at (t, y): 1 where they apply, then first and second values of their pairs (3 nguard).
void jmachine_look_at_guards(jmachine* m, double t, const double* y, double* guards);

// Reports that the pair of a guard is too short.
jo_status jmachine_fail_short(const jmachine* m, int guard, double t);

// Guards before and now; `was` NULL: none applied. First values of those that begin to apply are not too small, or it is
// reported.
jo_status jmachine_check_guards(const jmachine* m, double t, const double* was, const double* is);

#endif
