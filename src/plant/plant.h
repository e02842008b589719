// SPDX-License-Identifier: Apache-2.0
// A plant: a model with its equations generated, compiled and assembled, ready to be simulated.
#ifndef JPLANT_PLANT_H
#define JPLANT_PLANT_H

#include "expr/tape/tape.h"
#include "gen/gen.h"
#include "machine/equilibrium.h"
#include "machine/machine.h"
#include "plant/extra.h"
#include "plant/kernels.h"

typedef struct jplant_options {
  jkernel_options kernel;
  jgen_options gen;
  bool seldom_outputs;  // outputs are asked for now and then: they are interpreted
  bool is_on_rig;       // its wheels do not stand on the road at the start: that is not looked at
} jplant_options;

jplant_options jplant_options_default(void);

// Plants of one model with other partitions than the first, made when a run comes to need one.
typedef struct jplant_family jplant_family;

// What looks at wheels at starts (plant/start/wheels.h).
typedef struct jplant_wheels jplant_wheels;

typedef struct jplant {
  jo_context* ctx;
  const jmodel* model;
  jplant_options made_with;
  const struct jplant* first;  // whose partition was changed to make this one; NULL: none was
  jarena arena;
  jgen_position* position;  // of a first plant; others have the same
  jgen_dynamics* dynamics;
  jplant_kernels* kernels;
  jexpr_counts before;       // operations written down for the right-hand side, all equations
  double* q0;                // assembled position, by coordinate
  double* qd0;               // consistent velocities
  const char** switch_name;  // (nswitch)
  double* y0;                // initial state (ny)
  double* rest;              // static equilibrium that it starts at (ny); NULL: it starts elsewhere
  jmachine_equilibrium rested;  // how that was found
  bool is_judged;               // and warned of, where it is unstable
  double closure_residual;      // largest at the assembled position [m]
  double lever;                 // of angles there [m/rad]
  jgen_footing footing;         // of the partition there
  double* row_limit;     // closure equations may be off by this much, were they redundant [m] (nh)
  jmachine_about about;  // what runs need of all this
  jplant_extra_shelf* shelf;  // of functions that are made when they are needed
  jplant_family* family;      // of plants with other partitions; NULL: this is one of them
  jplant_wheels* wheels;      // NULL: there are none, or this plant is not the first
} jplant;

// Generate, assemble, choose the partition, compile. The model must outlive the plant.
// Ownership: caller, release with jplant_destroy(). Read-only afterwards, shared by threads.
jo_status jplant_create(jo_context* ctx, const jmodel* m, const jplant_options* opt, jplant** out);
void jplant_destroy(jplant* p);

// Discrete states of y as a run from (t, y) begins with them: which way friction slips. values: of the numbers, NULL: the
// model's.
jo_status jplant_begin(jo_context* ctx, const jplant* p, const double* values, double t, double* y);

// A friction that sticks holds whatever it is asked to while a static start is sought: where it could not, that is an error.
jo_status jplant_check_held(jo_context* ctx, const jplant* p, const double* values,
                            const double* y);

// The same equations with another partition, which has as many coordinates of each kind; `first` must outlive it.
jo_status jplant_create_sibling(jo_context* ctx, const jplant* first, const jgen_partition* part,
                                jplant** out);

// family.c
// NULL: out of memory. Ownership: caller, release with jplant_family_destroy().
jplant_family* jplant_family_create(jo_context* ctx);
void jplant_family_destroy(jplant_family* f);

// The sibling of `first` with this partition. Runs in the family's own context leave what they made there; runs in other
// contexts (threads of a sweep) use it when it is there, and make their own when it is not.
// *own is what the caller must destroy, NULL: the family's.
jo_status jplant_family_get(jo_context* ctx, const jplant* first, const jgen_partition* part,
                            const jplant** out, jplant** own);

// Static equilibrium at time t, searched for from y (ny), which becomes it; velocities zero.
// On failure the context names the coordinate that is not at rest.
jo_status jplant_find_equilibrium(jo_context* ctx, const jplant* p, double t, double* y,
                                  jmachine_equilibrium* out);

// That of the plant at its start time: where it starts, or the one found from there. A second search would not keep what
// nothing holds where the first one left it.
jo_status jplant_find_rest(jo_context* ctx, const jplant* p, double* y, jmachine_equilibrium* out);

// The same for other values of the live numbers (NULL: the model's), telling which states stay because
// nothing holds them (ny).
jo_status jplant_settle(jo_context* ctx, const jplant* p, const double* values, double t, double* y,
                        bool* stays, jmachine_equilibrium* out);

// Judges the equilibrium y at time t, with values of the live numbers (NULL: the model's), by the eigenvalues of the equations of
// motion to first order about it, conditions as they hold there: docs/theory/equilibrium.md eq. (N5). Free motions, as rolling
// along the road, are not unstable. `out` is what the search found; growth, turning and growing become the verdict. They stay as
// the search left them where the equations have no slopes. JO_ERR_MEMORY.
jo_status jplant_judge_rest(jo_context* ctx, const jplant* p, const double* values, double t,
                            const double* y, jmachine_equilibrium* out);

// Warns of an equilibrium that was judged unstable.
void jplant_warn_unstable(jo_context* ctx, const jplant* p, const jmachine_equilibrium* found);

// Of one whose instability is too slow for that, or does not show to first order.
void jplant_warn_creep(jo_context* ctx, const jplant* p, const jmachine_equilibrium* found);

// All coordinates at a state, driven ones included; qd may be NULL.
jo_status jplant_coordinates(jo_context* ctx, const jplant* p, double t, const double* y, double* q,
                             double* qd);

// Partitions that a run came to, in this order, but for the one it began with.
typedef struct jplant_charts {
  jo_context* ctx;
  int n, cap;
  struct jplant_chart {
    const jplant* plant;
    jplant* own;           // NULL: the family's
    jgen_footing footing;  // where the run came to it first
  } * at;
} jplant_charts;

// What a run watches its partition with.
typedef struct jplant_chart_watch {
  double look;  // spread of the machine beyond which the partition is looked at
  double
      closer;  // spread of the machine beyond which it may have come closer to a singular position
  double nearest;    // the run came to a singular position; 1: far from all
  double closer_by;  // part of the usual distance that steps may come as near as; 0: 1
  double miss;       // by which lengths miss those of the singular mechanism passed last [m]
  double lever;      // of angles, the longest seen so far [m/rad]
  double across
      [3];  // the last step across a singular position: its ends and where that lies [s]; 0: none
  double t_stuck;   // last change for want of a step [s]
  jexpr_tape tape;  // closures by all coordinates; work NULL: not needed so far
  double *work, *q, *h, *J, *y, *ydot, *slope, *g, *drive, *pivot;
  // told of every change, may be NULL: states before and after, plants in force then
  jo_status (*on_change)(void* user, double t, const double* before, const double* after,
                         const jplant* was, const jplant* is);
  void* user;
  bool
      needs_slopes;  // the run is differentiated: close to singular positions slopes have few digits
  bool
      moves_loops;  // ... by what closures have: through singular positions there are no derivatives
} jplant_chart_watch;

// What a run has of its own for one partition.
typedef struct jplant_face {
  const jplant* plant;
  double** work;            // of each kernel
  const jkernel* jacobian;  // NULL: not needed so far
  double* jacobian_work;
  const jplant_extra* local;  // NULL: not needed so far
  double *feed, *feed_work, *local_work;
  jsolve_local_system local_system;
  const jplant_extra* gains;  // likewise
  double* gains_work;
  jplant_extra* own[JPLANT_EXTRA_COUNT];
  struct jplant_face* next;
} jplant_face;

// A run's own storage: work space of the kernels, modes, parameters. One thread at a time.
typedef struct jplant_work {
  const jplant* plant;  // of the partition in force
  jo_context* ctx;
  jarena arena;
  jsolve_system system;
  jmachine machine;
  const double* road;  // data of the road among the inputs; NULL: none
  double* p;           // of the machine: live numbers (np),
  double* mode;        // modes (nswitch)
  double* g;           // and scratch of the switching functions (nswitch)
  double* windows;     // scratch of the guards
  jplant_face* face;   // in force
  jplant_face* faces;
  jplant_charts own_charts;
  jplant_charts* charts;  // partitions it came to: its own list, or one that outlives it
  jplant_chart_watch watch;
  struct jplant_wheels_work* wheels;  // NULL: not needed so far
} jplant_work;

// values: of the live numbers (np), NULL: the model's. All modes are 0.
jo_status jplant_work_create(jo_context* ctx, const jplant* plant, const double* values,
                             jplant_work** out);
// The same in the modes that hold at (t, y).
jo_status jplant_work_create_at(jo_context* ctx, const jplant* plant, const double* values,
                                double t, const double* y, jplant_work** out);
void jplant_work_destroy(jplant_work* r);

// chart.c
void jplant_charts_init(jplant_charts* c, jo_context* ctx);
void jplant_charts_free(jplant_charts* c);
void jplant_chart_begin(jplant_work* r);
// jsolve_system.change_chart of runs.
jo_status jplant_change_chart(void* user, double t, double* y, bool is_stuck, bool* changed);
// jmachine.pass of runs.
jo_status jplant_chart_pass(jmachine* m, const jsolve_stretch* step);

// The modes that hold at (t, y) before any event.
void jplant_work_set_modes(jplant_work* r, double t, const double* y);

// The plant `p`, the first one or a sibling of it, is in force from now on; the state is the caller's business.
jo_status jplant_work_show(jplant_work* r, const jplant* p);

// Reports of the run go to another context from now on.
void jplant_work_use(jplant_work* r, jo_context* ctx);

// What local states (jsolve_system.local, prepared) do to all other rates: where the entries of d ydot / d z stand, made
// when first asked for, and their values at (t, y).
jo_status jplant_prepare_gains(jplant_work* r, const jgen_sparse** pattern);
void jplant_gains(jplant_work* r, double t, const double* y, double* entry);

// What every function of (t, y) is given of a run: [JGEN_...] of its inputs, to which others are added.
#define JPLANT_INPUTS(run, time, state)                                                  \
  [JGEN_P] = (run)->p, [JGEN_T] = (time), [JGEN_Y] = (state), [JGEN_MODE] = (run)->mode, \
  [JGEN_ROAD] = (run)->road

// A function of the plant at (t, y) with the numbers and modes of the run.
void jplant_call(jplant_work* r, jgen_fn f, double t, const double* y, double* const* out);

// How the model's simulation block wants it integrated.
jsolve_options jplant_solve_options(const jmodel* m);

// Values of all outputs at (t, y) with the modes of the run.
void jplant_outputs(jplant_work* r, double t, const double* y, double* out);

// mass.c: bodies without mass inside of loops
// Does anything move without mass at a state of the start, for values of the live numbers (NULL: those of the model)?
jo_status jplant_check_start_mass(jo_context* ctx, const jplant* p, const double* values,
                                  const double* y);

// spin.c: JO_ERR_SINGULAR, reported: an independent angle at the start turns bodies that have mass but no inertia, for values of
// the live numbers (NULL: those of the model).
jo_status jplant_check_spin(jo_context* ctx, const jplant* p, const double* values,
                            const double* y);

// spin.c: a coordinate without a finite acceleration turns bodies that have mass but no inertia. JO_ERR_SINGULAR, reported;
// JO_OK: that is not the reason, or there is none.
jo_status jplant_explain_spin(jplant_work* r, double t, const double* y);

// start/wheels.c: makes what looks at the wheels of a plant whose start is known, and warns about them. JO_ERR_MEMORY.
jo_status jplant_wheels_prepare(jplant* p);

// Explains a run that failed with `status` at a state: something moves all but without mass there, a wheel lies flat, or a drive
// is not finite. The reason replaces what was reported since diagnostic `said`.
jo_status jplant_explain_failure(jplant_work* r, jo_status status, int said, double t,
                                 const double* y);

#endif
