// SPDX-License-Identifier: Apache-2.0
// Step drivers for load prediction: fixed and adaptive third-order Runge-Kutta, and two that keep a
// fixed step through stiff events. docs/theory/loads.md. Knows no mechanics beyond this: states have
// positions and velocities, and some forces (elements) can be evaluated apart from the rest.
#ifndef JSOLVE_LOADS_H
#define JSOLVE_LOADS_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

typedef struct jsolve_load_system {
  int n;            // states
  int nu;           // independent positions and velocities ...
  int at_q, at_qd;  // ... and where they begin
  int ne;           // elements
  void* user;
  void (*rhs)(void* user, double t, const double* y, double* ydot, double* F);
  double (*element)(void* user, int e, double t, const double* y);
  void (*directions)(void* user, double t, const double* y, double* W);  // d qdd / dF (nu x ne)
  // M x + c = 0, and qdd from x; where x_i is not the acceleration of position i, that is irreversible
  void (*reduced)(void* user, double t, const double* y, double* M, double* c);
  void (*finish)(void* user, double t, const double* y, const double* x, double* qdd);
  const bool*
      irreversible;  // (nu), positions that the impulsive driver may not reverse; NULL: none
  jo_status (*project)(void* user, double t, double* y);  // NULL: none; reports its failure
  // cost of the others in evaluations of rhs
  const double* element_cost;  // (ne)
  double directions_cost, reduced_cost;
  const char* const* state_name;  // for messages, NULL: numbers
} jsolve_load_system;

#define JSOLVE_LOAD_DRIVER_LIST(X)                                      \
  X(FIXED, "fixed", "fixed steps, whatever happens")                    \
  X(ADAPTIVE, "adaptive", "steps controlled by the embedded error")     \
  X(IMPULSIVE, "impulsive", "stiff coordinates reversed over one step") \
  X(SUBCYCLE, "subcycle", "stiff elements in substeps, the rest as it is")

typedef enum jsolve_load_driver {
#define X(id, name, text) JSOLVE_LOAD_##id,
  JSOLVE_LOAD_DRIVER_LIST(X)
#undef X
      JSOLVE_LOAD_DRIVER_COUNT
} jsolve_load_driver;

const char* jsolve_load_driver_name(jsolve_load_driver d);
int jsolve_load_driver_find(const char* name);  // -1: none

typedef struct jsolve_load_options {
  jsolve_load_driver driver;
  double step;               // fixed step, largest step of the adaptive driver [s]
  double tolerance;          // adaptive, impulsive: largest error of any state
  double impulse_tolerance;  // subcycle: velocity error an element may cause in a step
  double substep;            // subcycle: length of a substep aimed at [s]
  int max_substeps;          // subcycle: in one step; bounds its cost
  double restitution;        // impulsive: part of the velocity that comes back
  int64_t max_steps;         // 0: none
} jsolve_load_options;

jsolve_load_options jsolve_load_options_default(void);

// A stretch of time in which an element (subcycle) or a coordinate (impulsive) was stiff.
typedef struct jsolve_load_event {
  int which;            // element; impulsive: coordinate
  double t0, t1;        // [s]
  double impulse;       // of the element's force; impulsive: of the force that reverses
  double peak, t_peak;  // subcycle: of the element's force
} jsolve_load_event;

typedef struct jsolve_load_observer {
  void* user;
  // state (NULL between steps) and all element forces, at least once a step, in order of time
  jo_status (*sample)(void* user, double t, const double* y, const double* F);
  // at the end of an event; y0: state at its beginning
  jo_status (*event)(void* user, const jsolve_load_event* e, const double* y0);
} jsolve_load_observer;

typedef struct jsolve_load_statistics {
  int64_t steps, rejected, stiff_steps;
  double evaluations;                // in evaluations of rhs
  double worst_step;                 // most in one step
  double guaranteed;                 // bound of that, known beforehand; 0: none
  double smallest_step, t_smallest;  // adaptive
} jsolve_load_statistics;

jo_status jsolve_load_run(jo_context* ctx, const jsolve_load_system* s,
                          const jsolve_load_options* opt, const jsolve_load_observer* obs,
                          double t0, double t1, double* y, double* t_reached,
                          jsolve_load_statistics* stats);

// Steps of the longest length are counted before the first is taken: more than max_steps are refused.
jo_status jsolve_load_check_steps(jo_context* ctx, const jsolve_load_options* opt, double t0,
                                  double t1);

// An event again, off line: from (t0, y0) with the mass matrix as it is there and all forces as they
// become, in steps of `dt` for `duration`. peak, t_peak: largest |F| of each element (ne).
jo_status jsolve_load_reconstruct(jo_context* ctx, const jsolve_load_system* s, double t0,
                                  const double* y0, double duration, double dt, double* peak,
                                  double* t_peak);

#endif
