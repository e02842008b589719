// SPDX-License-Identifier: Apache-2.0
// What the direct and the adjoint method share: the plant's kernels, and a recorded run walked again.
#ifndef JSENS_WALK_H
#define JSENS_WALK_H

#include "sens/error/tail.h"
#include "sens/lanes.h"
#include "sens/sens.h"
#include "solve/stiff/implicit.h"
#include "solve/stiff/local.h"
#include "solve/tableau.h"

enum { JSENS_SLOPES = JSOLVE_MAX_STAGES + 1 };  // of the stages, and of the end

// What a walk has of one partition.
typedef struct jsens_side {
  const jplant* plant;
  const jplant_kernels *tangents, *adjoints;
  double **tangent_work, **adjoint_work;
  jsens_kernels* own;       // kernels to be destroyed; NULL: they are the shelf's
  const jgen_sparse* gain;  // what local states do to all other rates: where, ...
  double* G;                // ... and how much, at the stage looked at last
} jsens_side;

// Steps between two stored states that were taken again (replay.h).
typedef struct jsens_segment {
  int first, n;    // steps that are there: from entry `first` on; -1: none
  bool has_first;  // the next one has its first slope
  double* y;       // where they begin (stride x ny)
  double* k;       // slopes of their stages (stride x stages x ny)
  int stages;
} jsens_segment;

typedef struct jsens_walk {
  jo_context* ctx;
  jarena arena;
  const jsens* sens;
  const jgen_dynamics* d;
  jplant_work* run;  // kernels of the plant; its modes are set as the walk goes
  const jsens_record* record;
  jsolve_scheme scheme[2];  // explicit, implicit
  jsens_tail tail;          // of explicit steps
  const jsens_lanes* lanes;
  jsens_lane_scales scales;  // of the states
  jsolve_implicit im;        // of implicit steps
  bool is_mixed;             // explicit steps solve for local states
  jsolve_local local;        // of mixed steps
  jsolve_weights weights;    // for stages that are solved again
  const jsens_options* opt;
  jsens_result* out;
  int ny, nu, nv, nw;
  const double* S0;              // d y0 / d number (ny x nw)
  double* k[JSENS_SLOPES];       // slopes of a step (ny): our own, or those of the record
  double* own[JSENS_SLOPES];     // (ny)
  double* Y[JSOLVE_MAX_STAGES];  // arguments of its stages (ny)
  double* base;                  // scratch (ny)
  double *f_minus, *f_plus;
  double* modes;       // scratch (nswitch)
  const bool* drives;  // driven coordinates have different derivatives in both modes (nswitch)
  bool follows;        // the event at hand has the time of another one
  int* cause;  // of each flip of the event at hand, the switch whose flip has its time (nswitch)
  bool moves_in, moves_out;  // it begins, or ends, a chain of events that have one time
  int at_hand;       // first entry of those that are recorded but not passed yet, during a run
  double* fired;     // of the reset at hand (nevent)
  double *near, *g;  // scratch: the way to an event (5 ny), switches there (nswitch)
  int nside;
  jsens_segment segment;   // steps that were taken again
  jsens_side *side, *now;  // partitions of the run, the first one first, and which is in force
} jsens_walk;

// Tell where in the run the work is. Fails, and reports it, where it shall stop.
jo_status jsens_walk_tell(jo_context* ctx, const jsens_options* opt, double t);

// Arguments of a derivative kernel; what it does not read may be NULL.
typedef struct jsens_point {
  double t;
  const double *y, *mode, *momentum, *fired;
  const double *dy, *dt, *dp, *dmomentum;  // lanes
  const double* lambda;
} jsens_point;

// Tangent or adjoint of a function.
void jsens_walk_tangent(jsens_walk* w, jgen_fn f, const jsens_point* at, double* const* out);
void jsens_walk_weigh(jsens_walk* w, jgen_fn f, const jsens_point* at, double* const* out);

jo_status jsens_walk_begin(jsens_walk* w, jo_context* ctx, const jsens* s, jplant_work* run,
                           const jsens_record* record, const jsens_options* opt, jsens_result* out);
void jsens_walk_end(jsens_walk* w);

void jsens_walk_set_modes(jsens_walk* w, const double* mode);
// Modes and partition of an epoch.
void jsens_walk_set_epoch(jsens_walk* w, int epoch);
const jsolve_scheme* jsens_walk_scheme(const jsens_walk* w, const jsens_entry* e);
// Time of a stage; that of the end where i is the number of stages.
double jsens_walk_stage_time(const jsens_walk* w, const jsens_entry* e, int i);
// Stages of a recorded step from y0: Y, k. Slopes that are known serve; NULL: evaluate them, but the first where that is known.
jo_status jsens_walk_stages(jsens_walk* w, const jsens_entry* e, const double* y0);
jo_status jsens_walk_stages_from(jsens_walk* w, const jsens_entry* e, const double* y0,
                                 double* slopes, const double* first);
// Slopes of a step as they were, where they are known, and the first of them; NULL: it is that of the step's state.
double* jsens_walk_slopes(const jsens_walk* w, const jsens_entry* e);
const double* jsens_walk_first_slope(const jsens_walk* w, int i);
bool jsens_segment_has(const jsens_segment* s, int i);
// Matrices of an implicit stage with argument y, for derivatives of it.
jo_status jsens_walk_matrices(jsens_walk* w, const jsens_entry* e, double t, const double* y);
// The same for the local states of stage i > 0 of a mixed step, at its argument, and the gains there.
jo_status jsens_walk_local(jsens_walk* w, const jsens_entry* e, int i);
// x of other rates += b G x of local states, or back: of local states += b G^T x of the others. x: ny x lanes
void jsens_walk_gain(const jsens_walk* w, bool transposed, double b, double* x, int lanes);
// Its end, from the slopes k, not projected.
jo_status jsens_walk_end_stages(jsens_walk* w, const jsens_entry* e, const double* y0, double* y);
// (S27) of the motion in an explicit step from y0, whose slopes k are there with that of its end: in tolerances, the
// largest of all states.
double jsens_walk_left_out(const jsens_walk* w, const jsens_entry* e, const double* y0);
// y, off by as much as a run may be: DOUBT tolerances of each state, with signs that do not matter.
void jsens_walk_shift(const jsens_walk* w, const double* y, double* shifted);
// The end of the run, off by one tolerance, with its integrals as they are: their errors are known.
void jsens_walk_shift_end(const jsens_walk* w, double* shifted);
// States on the way through an event with resets that begins at y: after its impulse and after each of its resets
// ((nreset + 1) x ny). Modes are those after the event behind it.
jo_status jsens_walk_resets(jsens_walk* w, const jsens_entry* e, const double* y, double* stage);
// Whether an event has the time of the one before it: as its consequence, or because that leaves its switch no rate of its own, as the
// stop of one joint of a mechanism is that of all. Sets `follows`, `cause`, `moves_in` and `moves_out`; modes are those before the event
// behind it.
void jsens_walk_find_cause(jsens_walk* w, const jsens_entry* e);
// Slopes before and behind the event at hand, in f_minus and f_plus. Inside of a chain of events with one time there are none: what
// lies between them lasts for no time, and may be anything, as the force that would hold a rocker at its dead point.
void jsens_walk_slope_before(jsens_walk* w, double t, const double* y);
void jsens_walk_slope_behind(jsens_walk* w, double t, const double* y);
// Weights of resets: 1 for the i-th of an event (nevent).
void jsens_walk_fire(jsens_walk* w, const jsens_entry* e, int i);
// Whether driven coordinates jump at an event.
bool jsens_walk_jumps(jsens_walk* w, const jsens_entry* e);
// Whether driven coordinates jump at the event, or do where numbers and states are a little different.
bool jsens_walk_has_drive(const jsens_walk* w, const jsens_entry* e);

// Fails, and reports it, where switch k of an event only grazes: where its rate, with slope f at (t, y), is zero, or
// so small beside what it was on the way that rounding decides whether there is an event.
jo_status jsens_walk_check_rate(jsens_walk* w, const jsens_entry* e, const double* y,
                                const double* f, int k, double rate);

// How the error of the derivatives came about along a walk: what direct and adjoint method keep of it.
typedef struct jsens_trace {
  double* error;    // by entry: of the derivatives
  double* running;  // by entry: their largest size so far; NULL: not asked for
  int error_cap, running_cap;
  double largest;
  int last;  // entry that was noted last; -1: none
} jsens_trace;

// With room for the entries there are; later for more of them. To be freed.
bool jsens_trace_begin(jsens_walk* w, bool keeps_sizes, jsens_trace* t);
bool jsens_trace_reserve(jsens_walk* w, bool keeps_sizes, int nentry, jsens_trace* t);
void jsens_trace_free(jsens_walk* w, jsens_trace* t);
void jsens_trace_clear(jsens_walk* w, jsens_trace* t);
// One more entry, in the order of the walk; the factor by which the largest size grew over it.
double jsens_trace_note(jsens_trace* t, int entry, double size, double error);
// Errors relative to the derivatives: to the largest of all, since they build up from nothing, but no
// more than a limit beyond the present one, so that some that run away do not hide it.
double jsens_trace_part(const jsens_trace* t, int entry);
// The result knows where derivatives grew: as the walk goes, or from the sizes that were kept, the first entry first; ...
jo_status jsens_trace_grew(jsens_walk* w, int entry, double factor, double size);
jo_status jsens_trace_growth(jsens_walk* w, const jsens_trace* t);
// ... and of what was added from the `first` on only what matters at the end: what is less was still building up.
void jsens_trace_end(jsens_walk* w, const jsens_trace* t, int first);

// tangent.c, adjoint.c
jo_status jsens_walk_direct(jsens_walk* w);
jo_status jsens_walk_adjoint(jsens_walk* w);

#endif
