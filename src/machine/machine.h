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
  X(DRIVE) X(VELOCITY) X(MOMENTUM) X(IMPULSE) X(OBJECTIVE) X(OUTPUTS) X(REDUNDANT) X(ROLLING)

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

typedef struct jmachine_wheel {
  const char* name;
  jmachine_place place;
} jmachine_wheel;

// y = [ q_u | q_v | qd_u | z | filters | integrals ]
typedef struct jmachine_about {
  const char* path;  // of the model, for messages
  int ny, np, nu, nv, nd, nz, nswitch, nobjective, noutput, nredundant, nwheel;
  int first_v, first_rate, first_z, first_integral;  // in y
  const double* nominal;                             // scale of the error of each state (ny)
  const bool* is_held;                // keeps its value while equilibrium is sought (ny)
  const bool* is_angle;               // of the independent coordinates (nu)
  const char* const* state_name;      // (ny)
  const char* const* switch_name;     // (nswitch)
  const char* const* redundant_name;  // (nredundant)
  const double* closure_limit;  // redundant equations may be off by this much [m] (nredundant)
  const jmachine_wheel* wheel;  // elements that have no force at standstill ... (nwheel)
  int first_standing;    // ... the last switches, from here on: the wheel stands on the ground
  double standstill;     // slower wheels stand [m/s]
  const bool* has_root;  // an objective takes a root of its integral (nobjective)
} jmachine_about;

// Evaluate a function. Momenta to be restored by an impulse are those of the machine.
typedef void (*jmachine_call)(void* host, jmachine_fn f, double t, const double* y,
                              double* const* out);

#define JMACHINE_HINT 512

typedef struct jmachine {
  const jmachine_about* about;
  jo_context* ctx;
  void* host;  // whoever made the machine
  jmachine_call call;
  double* p;         // live numbers (np)
  double* mode;      // (nswitch)
  double* momentum;  // to be restored by an impulse (nu)
  double* g;         // scratch of switching functions (nswitch)
  double *dv, *h, *drive_old, *drive_new, *dqd, *before, *redundant, *rolling;  // scratch
  double* inverse;           // reciprocal pivots of the loops at the last projection (nv)
  int side;                  // sign of their product where the run began; 0: not yet
  double spread;             // size of their product at the last state admitted; 0: none yet
  char hint[JMACHINE_HINT];  // why the last projection failed
  int64_t projections;
  // told of every event: states before and after, modes after; may be NULL
  void (*on_event)(void* user, double t, const double* before, const double* after,
                   const double* mode, const int* flipped, int n);
  void* on_event_user;
} jmachine;

// False: out of memory. Everything in the arena; numbers and modes are zero.
bool jmachine_init(jmachine* m, jo_context* ctx, jarena* a, const jmachine_about* about,
                   jmachine_call call, void* host);

// What integrators see; `user` of its callbacks is the machine. Jacobian and local states are the host's to add.
jsolve_system jmachine_system(jmachine* m);

// Put y on the closures as the driver does after a step, and report it where that cannot be done.
jo_status jmachine_close(jmachine* m, double t, double* y);

// Whether a run may go on from the state that was closed last, and report it where it may not.
jo_status jmachine_admit(jmachine* m, double t, const double* y);

// The state (t, y), on its closures, is one that a run goes on from: side and spread are those there.
void jmachine_measure(jmachine* m, double t, const double* y);

// Largest closure residual at (t, y), redundant equations included [m].
double jmachine_closure(jmachine* m, double t, const double* y);

// Integrals of squares and of powers that rounding made negative become zero: they have roots taken.
void jmachine_clamp(const jmachine_about* about, double* y);

// Values of the objectives from the state at the end of a run, or as if it ended at t.
void jmachine_objectives(jmachine* m, double t, const double* y, double* psi);

// Wheels at (t, y): contact, speeds along and across their planes of all of them, in this order (3 nwheel).
void jmachine_roll(jmachine* m, double t, const double* y, double* rolling);

// Report that a wheel stands on the ground.
jo_status jmachine_fail_standing(const jmachine* m, int wheel, double t);

// Wheels before and now; `was` NULL: none was in contact. Those that come to the ground move along their planes, or it
// is reported.
jo_status jmachine_check_landing(const jmachine* m, double t, const double* was, const double* is);

#endif
