// SPDX-License-Identifier: Apache-2.0
// The formalism: from a checked model to equations in a graph. docs/theory/dynamics.md.
//
// Two stages, since the partition of coordinates needs numbers:
//   position   joint coordinates are inputs: closure equations, their Jacobian, initial conditions
//   dynamics   with the partition chosen: the explicit right-hand side of the reduced equations
//
// Links. Every joint becomes a chain of links with one coordinate each (massless between); a fixed
// joint is one link without. A link's frame is its own joint's frame: constant data are turned into
// it once, so that rotations are about coordinate axes wherever the model allows.
#ifndef JGEN_GEN_H
#define JGEN_GEN_H

#include "expr/diff.h"
#include "expr/tape/schedule.h"
#include "expr/tape/tape.h"
#include "expr/vec.h"
#include "gen/functions.h"
#include "gen/group.h"
#include "gen/layout.h"
#include "model/model.h"

typedef enum jgen_motion { JGEN_FIXED, JGEN_TURN, JGEN_SLIDE } jgen_motion;

typedef struct jgen_link {
  int parent;      // link; 0: ground
  int body;        // model body this link is the frame of; -1: between
  int joint;       // model joint
  int coordinate;  // model coordinate; -1: rigid
  jgen_motion motion;
  int axis;         // 0 1 2: of the link's frame
  bool spins_free;  // turn that need not be followed: body symmetric about the axis, nothing off it
  bool turned;      // Rc is not the identity
  jexpr_m3 Rc;      // constant turn: parent frame -> frame before the motion
  jexpr_v3 d;       // joint point in the parent's frame [m]
  jexpr_m3 R;       // components in parent = R components in link
  jexpr_v3 shift;   // d + slide, in the parent's frame [m]
  bool has_mass;
  jexpr_ref m;  // [kg]
  jexpr_v3 s;   // m * centre of mass, link frame [kg m]
  jexpr_m3 I;   // inertia about the link origin, link frame [kg m^2]
} jgen_link;

// From a body's own frame (of the file) to its link's frame: x_link = E^T (x_file - o)
typedef struct jgen_body_frame {
  int link;
  jexpr_m3 E;
  jexpr_v3 o;
} jgen_body_frame;

// How accelerations are found: by whatever takes the fewest operations, or by one way wherever it can be gone.
typedef enum jgen_way { JGEN_CHEAPEST, JGEN_BY_MATRIX, JGEN_BY_ARTICULATED } jgen_way;

typedef struct jgen_options {
  const bool* live;  // by number: an input of the kernels instead of a constant; NULL: parameters
  bool modes;        // conditions become mode inputs with switching functions
  bool jacobian;     // also d ydot / d y
  bool local;        // also the functions of jgen_local, but for the gains
  bool gains;        // also the gains
  bool loads;        // also the functions of jgen_loads; not together with modes
  const int* wrt;  // numbers to differentiate for (must be live); tangents and adjoints are written
  int nwrt;
  bool weighs_outputs;  // adjoints of outputs, too
  bool times_tangents;  // tangents of all functions along time, too
  // lanes are vehicles: numbers, time, states and modes are one per lane. Tangents go along all of `wrt` at once
  // (jgen_sens.spread), adjoints are not written
  bool per_lane;
  bool weighs;  // then: adjoints in place of tangents
  // then: tangents go along one direction (dy, dt, dp), and what all directions share is apart
  bool one_direction;
  jgen_way way;
} jgen_options;

// What a guard of an element says (gen/switch/guard.h): "kind 'name': <what> at t = ... s<why>", where the pair is too short and
// where it begins to apply with its first value too small.
typedef struct jgen_guard_text {
  const char* event;                 // short, of the switch
  const char *is_short, *why_short;  // ...
  const char *begins, *why_begins;
} jgen_guard_text;

typedef struct jgen_guarded {
  const jmodel_element* element;
  double least;
  jgen_guard_text text;
} jgen_guarded;

// A switch: an input mode[k] stands for the condition `g > 0`.
typedef struct jgen_switch {
  jexpr_ref g;
  const char* text;  // what it is, for people
  jexpr_ref whole;   // g watches the whole part of this (expr/whole.h); poison: of nothing
  bool is_quiet;     // nothing happens there but to the description: nobody is told
} jgen_switch;

// A distance that must not vanish, between two points of an element.
typedef struct jgen_length {
  jexpr_ref value;  // [m]; poison: it has none
  const jmodel_point* end[2];
} jgen_length;

// A wheel on the road: its deflection and radius [m]; poison: it is none.
typedef struct jgen_stance {
  jexpr_ref delta, radius;
} jgen_stance;

// ---- position stage ------------------------------------------------------------------------------

// Functions of this stage as they are evaluated, by many at a time, each with work space of its own.
typedef struct jgen_position_tapes {
  jexpr_tape closure, drive, initial, states;
  jexpr_tape tangent;  // empty: there is none
} jgen_position_tapes;

// A wheel at a position, in its graph.
typedef struct jgen_wheel {
  const jmodel_element* element;
  const jmodel_joint* joint;  // the revolute joint that it spins in; NULL: none
  jexpr_ref off;              // squared distance of its centre from the axis of that; poison: none
  jexpr_ref tilt;             // squared sine of the angle between both axes; likewise
  jexpr_v3 c, u;              // centre and axis, ground axes
} jgen_wheel;

// Inputs: p (live numbers), t (1), q (all coordinates; driven ones too).
// Functions over them, all evaluated with the interpreter:
//   closure   h (nh), J = dh/dq (nh x nq dense, column-major)
//   drive     s, sd, sdd of the driven coordinates
//   initial   quantity, its value (quantity itself: not given), its rate, d quantity / dq
//             (ninitial x nq), and the guesses of the coordinates: for assembly
//   states    initial values of the additional states
//   tangent   derivatives of all of these along (dq, dqd, dp); further inputs qd, dq, dqd, dp follow
//             the road's: position equations, velocity equations, dz, ds, dsd, guesses
typedef struct jgen_position {
  jexpr_graph* g;
  jarena arena;
  int np, nq, nz, nh, ninitial, nd;  // nz: states of block z
  int* live;                         // number index of each live number (np)
  double* p;                         // their values (np)
  const char** row_name;             // of each closure equation (nh)
  int ncoupling;                     // the last of them are relations of couplings
  jexpr_fn closure, drive, initial, states, tangent;
  jexpr_fn
      present;  // closures during a run: as a function of the states that joints of any attitude count from, too
  jgen_position_tapes tapes;
  bool* shapes;  // by number that is differentiated for: closures have it (nwrt)
  int nwheel;
  jgen_wheel* wheel;  // (nwheel)
} jgen_position;

jo_status jgen_position_build(jo_context* ctx, const jmodel* m, const jgen_options* opt,
                              jgen_position** out);
void jgen_position_destroy(jgen_position* p);

// Choose dependent coordinates by pivoting on J (nh x nq, column-major) at an assembled position.
// Redundant equations are found by their pivot falling below `tolerance` of the largest.
jo_status jgen_partition_choose(jo_context* ctx, jarena* a, const jmodel* m, const double* J,
                                int nh, double tolerance, jgen_partition* out);

// The same with the dependent coordinates (nq) and the equations to keep (nh) given: in which order they are eliminated.
// Where J has no full rank in them, there are fewer.
jo_status jgen_partition_order(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                               double tolerance, const bool* dependent, const bool* kept,
                               jgen_partition* out);

// How well independent coordinates determine the others at a position with Jacobian J (nh x nq). docs/theory/dynamics.md
// eq. (R11)
typedef struct jgen_footing {
  double
      steepest;  // largest |dv/du|, lengths and angles in their own scale; infinite: J_v is singular
  double volume;  // |det J_v| of the kept equations
  double rows;    // how much larger it would be with the best of all equations
  double
      least;  // pivot of J, the best of all equations and coordinates chosen: 0 where J has lost rank
  int weakest;  // equation that has it
} jgen_footing;

// The longest lever of an angle that is not driven: the largest entry of J by one; 0: there is none [m/rad]
double jgen_partition_lever(const jmodel* m, const double* J, int nh);

// Whether two partitions are one, order of elimination included.
bool jgen_partition_is_same(const jgen_partition* a, const jgen_partition* b);

jo_status jgen_partition_judge(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                               double lever, const jgen_partition* part, jgen_footing* out);

// How far a position with residuals h (nh, overwritten) and a Jacobian J that has pivots below `floor` is from one where the
// mechanism is singular: what is left of h in equations without a larger pivot, once the others are met [m].
jo_status jgen_partition_miss(jo_context* ctx, jarena* a, const jmodel* m, const double* J,
                              double* h, int nh, double lever, int nv, double floor, double* miss);

// Another partition there, made of `now` by as few exchanges of a dependent and an independent coordinate as make
// none steeper than `enough`, and with the equations that determine them best. *found is false where there is none: J itself has lost rank, or nothing can be exchanged.
jo_status jgen_partition_exchange(jo_context* ctx, jarena* a, const jmodel* m, const double* J,
                                  int nh, double lever, double tolerance, double enough,
                                  const jgen_partition* now, jgen_partition* out, bool* found);

// Coordinates that neither the closures, the first nh rows of J (nr x nq), nor the conditions below
// them determine, by the same pivoting: closures first, so that of the coordinates they leave
// independent each condition takes one: of equals the earliest, so that the height of a wheel is met by
// that of its vehicle. inner: closures, too, take the earliest, not the latest as in the partition. slack: factor of the thresholds
// of pivots; a choice that 1 and a number near it do not share is a tie.
jo_status jgen_undetermined(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                            int nr, double tolerance, double slack, bool inner, bool* stays);

// ---- dynamics stage ------------------------------------------------------------------------------

// What load prediction has of its own: forces of elements apart from the rest. Conditions are live.
typedef struct jgen_loads {
  int ne;             // components of what elements exert (ncomponent of the model)
  const char** name;  // (ne)
  jexpr_fn* element;  // F of one element (ne)
} jgen_loads;

// A sparse matrix whose entries a kernel writes one after another.
typedef struct jgen_sparse {
  int n;
  int *row, *col;
} jgen_sparse;

// States that can be solved for with all others given. docs/theory/integration.md eq. (I5)
typedef struct jgen_local {
  int n, nfeed;
  int* state;         // where they stand in y (n)
  jgen_sparse entry;  // of the Jacobian of their rates, rows and columns among them
  jgen_sparse gain;   // of the other rates: rows of y, columns among them
} jgen_local;

// Derivatives with respect to state, time and chosen numbers. docs/theory/sensitivity.md
typedef struct jgen_sens {
  int nw;
  bool weighs_outputs;  // outputs have an adjoint
  bool times_tangents;  // all tangents go along dt
  // tangents along nw directions one after another: dy is ny x nw, those of the numbers are units, time stands. Of
  // switches there is one more, along the motion: its dy follows the others, time goes on
  bool is_spread;
  // spread: along one direction instead, of (dy, dt, dp). What does not depend on it is computed once for all of them, by the
  // functions `common`, whose last output are the inputs JGEN_COMMON of the tangents; values stand there, too
  bool is_one;
  bool weighs_only;  // no tangents
  int* wrt;          // indices into p (nw)
  // of functions; no name: there is none
  jexpr_fn tangent[JGEN_FN_COUNT], adjoint[JGEN_FN_COUNT], common[JGEN_FN_COUNT];
} jgen_sens;

// Nodes of the graph from `first` up to the next section were written for this part of the equations.
#define JGEN_REST "rest"

typedef struct jgen_section {
  const char* name;
  int first;
} jgen_section;

// State y as in gen/layout.h. Inputs: p, t, y, mode (, momentum).
typedef struct jgen_dynamics {
  jexpr_graph* g;
  jarena arena;
  const jmodel* model;
  jgen_partition part;
  jgen_layout layout;
  int np, ny, nswitch, nobjective, nintegral, noutput;  // ny: of the layout
  int* live;
  double* p;
  jgen_switch* sw;
  int nevent, nreset;        // events with resets, and states they may set
  const char** event_name;   // (nevent)
  bool* event_at_start;      // happens at the start, where its condition holds there (nevent)
  int* reset_state;          // where they stand in y (nreset)
  int end_event;             // the one that ends the run; -1: none
  const char** output_name;  // (noutput)
  const char** output_unit;
  jexpr_fn fn[JGEN_FN_COUNT];  // no name: it was not asked for
  jgen_length* length;         // by element: distance of its ends
  jgen_stance* stance;         // by element
  bool drives_by_states;       // driven positions depend on states
  int nguard;                  // guards of elements ...
  jgen_guarded* guard;         // (nguard)
  int first_guard;             // ... the last switches, from here on: the guard fails
  jgen_sens sens;
  jgen_loads loads;
  jgen_local local;
  jexpr_equations equations;  // generated and kept for the right-hand side
  int nwritten;  // nodes of the graph once the equations of motion stood, before sensors
  int nsection;  // parts of the equations, to count them by
  jgen_section* section;
} jgen_dynamics;

jo_status jgen_dynamics_build(jo_context* ctx, const jmodel* m, const jgen_options* opt,
                              const jgen_partition* part, jgen_dynamics** out);
void jgen_dynamics_destroy(jgen_dynamics* d);

#endif
