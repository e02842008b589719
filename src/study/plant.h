// SPDX-License-Identifier: Apache-2.0
// A plant: a model with its equations generated, compiled and assembled, ready to be simulated.
#ifndef JSTUDY_PLANT_H
#define JSTUDY_PLANT_H

#include "gen/gen.h"
#include "solve/ode.h"
#include "study/equilibrium.h"
#include "study/jacobian.h"
#include "study/kernels.h"

typedef struct jstudy_plant_options {
  jkernel_options kernel;
  jgen_options gen;
  bool seldom_outputs;  // outputs are asked for now and then: they are interpreted
} jstudy_plant_options;

jstudy_plant_options jstudy_plant_options_default(void);

typedef struct jstudy_plant {
  jo_context* ctx;
  const jmodel* model;
  jarena arena;
  jgen_position* position;
  jgen_dynamics* dynamics;
  jstudy_kernels* kernels;
  jexpr_counts before;           // operations written down for the right-hand side, all equations
  double* q0;                    // assembled position, by coordinate
  double* qd0;                   // consistent velocities
  const char** switch_name;      // (nswitch)
  double* y0;                    // initial state (ny)
  double closure_residual;       // largest at the assembled position [m]
  double* closure_limit;         // redundant equations may be off by this much [m]
  jstudy_jacobian_shelf* shelf;  // of the Jacobian, made when it is needed
} jstudy_plant;

// Generate, assemble, choose the partition, compile. The model must outlive the plant.
// Ownership: caller, release with jstudy_plant_destroy(). Read-only afterwards, shared by threads.
jo_status jstudy_plant_create(jo_context* ctx, const jmodel* m, const jstudy_plant_options* opt,
                              jstudy_plant** out);
void jstudy_plant_destroy(jstudy_plant* p);

// Static equilibrium at time t, searched for from y (ny), which becomes it; velocities zero.
// On failure the context names the coordinate that is not at rest.
jo_status jstudy_plant_equilibrium(jo_context* ctx, const jstudy_plant* p, double t, double* y,
                                   jstudy_equilibrium* out);

// The same for other values of the live numbers (NULL: the model's), telling which states stay because
// nothing holds them (ny).
jo_status jstudy_plant_settle(jo_context* ctx, const jstudy_plant* p, const double* values,
                              double t, double* y, bool* stays, jstudy_equilibrium* out);

// All coordinates at a state, driven ones included; qd may be NULL.
jo_status jstudy_plant_coordinates(jo_context* ctx, const jstudy_plant* p, double t,
                                   const double* y, double* q, double* qd);

#define JSTUDY_HINT 512

// A run's own storage: work space of the kernels, modes, parameters. One thread at a time.
typedef struct jstudy_run {
  const jstudy_plant* plant;
  jo_context* ctx;
  jarena arena;
  jsolve_system system;
  double* p;      // live numbers (np)
  double* mode;   // (nswitch)
  double* g;      // scratch of the switching functions (nswitch)
  double** work;  // of each kernel
  double* dv;     // scratch
  double *h, *drive_old, *drive_new, *momentum, *dqd, *before;
  double *redundant, *rolling, *windows;  // scratch of the guards
  double* inverse;         // reciprocal pivots of the loops at the last projection (nv)
  int side;                // sign of their product where the run began; 0: not yet
  char hint[JSTUDY_HINT];  // why the last projection failed
  int64_t projections;
  const jkernel* jacobian;  // NULL: not needed so far
  double* jacobian_work;
  jstudy_jacobian* own_jacobian;
  // told of every event: states before and after, modes after; may be NULL
  void (*on_event)(void* user, double t, const double* before, const double* after,
                   const double* mode, const int* flipped, int n);
  void* on_event_user;
} jstudy_run;

jo_status jstudy_run_create(jo_context* ctx, const jstudy_plant* plant, jstudy_run** out);
void jstudy_run_destroy(jstudy_run* r);

// Put y on the closures as the driver does after a step, and report it where that cannot be done.
jo_status jstudy_run_close(jstudy_run* r, double t, double* y);

// Whether a run may go on from the state that was closed last, and report it where it may not.
jo_status jstudy_run_admit(jstudy_run* r, double t, const double* y);

// A function of the plant at (t, y) with the numbers and modes of the run.
void jstudy_run_call(jstudy_run* r, jgen_fn f, double t, const double* y, double* const* out);

// How the model's simulation block wants it integrated.
jsolve_options jstudy_solve_options(const jmodel* m);

// Integrals of squares and of powers that rounding made negative become zero: they have roots taken.
void jstudy_plant_clamp(const jstudy_plant* p, double* y);

// Values of the objectives from the state at the end of a run, or as if it ended at t.
void jstudy_run_objectives(jstudy_run* r, double t, const double* y, double* psi);

// Values of all outputs at (t, y) with the modes of the run.
void jstudy_run_outputs(jstudy_run* r, double t, const double* y, double* out);

// Tyres at (t, y): contact, vx and vy of all of them, in this order (3 nwheel).
void jstudy_run_rolling(jstudy_run* r, double t, const double* y, double* rolling);

// Largest closure residual at (t, y), redundant equations included [m].
double jstudy_run_closure(jstudy_run* r, double t, const double* y);

#endif
