// SPDX-License-Identifier: Apache-2.0
// Step drivers for load prediction: fixed and adaptive third-order Runge-Kutta, and two that keep a
// fixed step through stiff events. docs/theory/loads.md. Knows no mechanics beyond this: states have
// positions and velocities, and some forces (elements) can be evaluated apart from the rest.
#ifndef JLOADS_DRIVER_H
#define JLOADS_DRIVER_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

typedef struct jloads_driver_system {
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
} jloads_driver_system;

#define JLOADS_DRIVER_LIST(X)                                           \
  X(FIXED, "fixed", "fixed steps, whatever happens")                    \
  X(ADAPTIVE, "adaptive", "steps controlled by the embedded error")     \
  X(IMPULSIVE, "impulsive", "stiff coordinates reversed over one step") \
  X(SUBCYCLE, "subcycle", "stiff elements in substeps, the rest as it is")

typedef enum jloads_driver {
#define X(id, name, text) JLOADS_DRIVER_##id,
  JLOADS_DRIVER_LIST(X)
#undef X
      JLOADS_DRIVER_COUNT
} jloads_driver;

const char* jloads_driver_name(jloads_driver d);
int jloads_driver_find(const char* name);  // -1: none

typedef struct jloads_driver_options {
  jloads_driver driver;
  double step;               // fixed step, largest step of the adaptive driver [s]
  double tolerance;          // adaptive, impulsive: largest error of any state
  double impulse_tolerance;  // subcycle: velocity error an element may cause in a step
  double substep;            // subcycle: length of a substep aimed at [s]
  int max_substeps;          // subcycle: in one step; bounds its cost
  double restitution;        // impulsive: part of the velocity that comes back
  int64_t max_steps;         // 0: none
} jloads_driver_options;

jloads_driver_options jloads_driver_options_default(void);

// A stretch of time in which an element (subcycle) or a coordinate (impulsive) was stiff.
typedef struct jloads_driver_event {
  int which;            // element; impulsive: coordinate
  double t0, t1;        // [s]
  double impulse;       // of the element's force; impulsive: of the force that reverses
  double peak, t_peak;  // subcycle: of the element's force
} jloads_driver_event;

typedef struct jloads_driver_observer {
  void* user;
  // state (NULL between steps) and all element forces, at least once a step, in order of time
  jo_status (*sample)(void* user, double t, const double* y, const double* F);
  // at the end of an event; y0: state at its beginning
  jo_status (*event)(void* user, const jloads_driver_event* e, const double* y0);
} jloads_driver_observer;

typedef struct jloads_driver_statistics {
  int64_t steps, rejected, stiff_steps;
  double evaluations;                // in evaluations of rhs
  double worst_step;                 // most in one step
  double guaranteed;                 // bound of that, known beforehand; 0: none
  double smallest_step, t_smallest;  // adaptive
} jloads_driver_statistics;

jo_status jloads_driver_run(jo_context* ctx, const jloads_driver_system* s,
                            const jloads_driver_options* opt, const jloads_driver_observer* obs,
                            double t0, double t1, double* y, double* t_reached,
                            jloads_driver_statistics* stats);

// Steps of the longest length are counted before the first is taken: more than max_steps are refused.
jo_status jloads_driver_check_steps(jo_context* ctx, const jloads_driver_options* opt, double t0,
                                    double t1);

// An event again, off line: from (t0, y0) with the mass matrix as it is there and all forces as they
// become, in steps of `dt` for `duration`. peak, t_peak: largest |F| of each element (ne).
jo_status jloads_driver_reconstruct(jo_context* ctx, const jloads_driver_system* s, double t0,
                                    const double* y0, double duration, double dt, double* peak,
                                    double* t_peak);

#endif
