// SPDX-License-Identifier: Apache-2.0
// What the files of gen/ share while they write the equations of one model.
#ifndef JGEN_BUILD_H
#define JGEN_BUILD_H

#include "gen/gen.h"

typedef enum jgen_stage {
  JGEN_AT_POSITION,     // positions known
  JGEN_AT_VELOCITY,     // and velocities: forces may be written
  JGEN_AT_ACCELERATION  // and accelerations: sensors and objectives may be written
} jgen_stage;

// Motion of links relative to one that carries them, the base, components in its frame. docs/theory/dynamics.md (D1)-(D4)
typedef struct jgen_relative {
  bool has_position, has_velocity;
  jexpr_m3 R;        // components in base = R components in link
  jexpr_v3 o;        // link origin
  jexpr_v3 axis;     // of the link's motion
  jexpr_v3 w, od;    // angular velocity, velocity of the origin
  jexpr_v3 al, odd;  // the same accelerations without the terms in qdd (bias)
} jgen_relative;

// Absolute motion of a link, components in its own frame. (D5)-(D8)
typedef struct jgen_absolute {
  bool done;
  jexpr_v3 w;     // angular velocity [rad/s]
  jexpr_v3 al;    // angular acceleration [rad/s^2]
  jexpr_v3 a;     // acceleration of the origin (minus gravity in the dynamics pass) [m/s^2]
  jexpr_m3 beta;  // [al]x + [w]x[w]x
} jgen_absolute;

// How a link stands and moves in the ground's frame. (D23)
typedef struct jgen_stand {
  bool has_position, has_velocity;
  jexpr_m3 R;      // components in ground = R components in link
  jexpr_v3 o, od;  // origin and its velocity, components in ground
  jexpr_v3 v;      // that velocity, components in link
} jgen_stand;

// A wrench on a link, link frame, moment about the link origin.
typedef struct jgen_wrench {
  jexpr_v3 f, n;
} jgen_wrench;

#define JGEN_MAX_SIGNALS 24  // of one element
#define JGEN_MAX_OWN     12  // states of one element
#define JGEN_MAX_FED     3   // sums that other elements add to

// Where the equations of an element do not hold (gen/switch/guard.h).
typedef struct jgen_guard {
  jexpr_ref applies;   // > 0: the pair is looked at
  jexpr_ref value[2];  // the pair ...
  double
      least;  // ... whose length must not be less, nor its first value alone where it begins to apply
  jgen_guard_text text;
} jgen_guard;

// An element in the equations: what it makes known to expressions, and what it is watched for.
typedef struct jgen_element {
  enum { JGEN_UNTOUCHED, JGEN_BEING_WRITTEN, JGEN_WRITTEN, JGEN_FINISHED } progress;
  jexpr_ref signal[JGEN_MAX_SIGNALS];  // by the list of its class; poison: it has none such
  jexpr_ref rate[JGEN_MAX_OWN];        // of its states
  jexpr_ref fed[JGEN_MAX_FED];         // sums of what other elements gave it, jgen_feed()
  jexpr_ref apart;                     // distance that must not vanish [m]; poison: none
  const jmodel_point* end[2];          // of it
  jexpr_ref delta;                     // of wheels: > 0 in contact [m]
  const jgen_guard* guard;             // gen/switch/guard.h; NULL: its equations hold everywhere
} jgen_element;

typedef struct jgen_memo {
  int busy;
  jexpr_ref value;
} jgen_memo;

// An event (gen/switch/events.h): its condition, and what it gives another value.
typedef struct jgen_set {
  jmodel_target target;
  int index;  // state or coordinate of the model
  jexpr_ref value;
} jgen_set;

// A floor, or another operator that chooses, of an expression of the file.
typedef struct jgen_floor {
  jexpr_ref ref;
  const jmodel_scalar* text;
} jgen_floor;

typedef struct jgen_event {
  const char* name;
  jexpr_ref when;
  jexpr_ref watch;  // switching function of one that nobody is told of; poison: as all others
  int nset;
  jgen_set* set;
  bool
      at_start;  // where its condition holds at the start, it happens there; what it sets is constant
} jgen_event;

// Dry friction (gen/force/friction.h).
typedef struct jgen_friction {
  const jmodel_element* element;
  int state;                            // of the model: which way it slips
  jexpr_ref speed, slip, stick, force;  // speed; its limits; the force, a placeholder
  jexpr_ref gain;                       // what its force does to it
} jgen_friction;

// Mass, first and second moments of a link, in its frame about its origin.
typedef struct jgen_inertia {
  jexpr_ref m;
  jexpr_v3 s;
  jexpr_m3 I;
} jgen_inertia;

// Local names of the expression being read: length, rate, x, y ...
typedef struct jgen_locals {
  int n;
  const char* name[8];
  jexpr_ref value[8];
} jgen_locals;

typedef struct jgen {
  jo_context* ctx;
  const jmodel* m;
  jexpr_graph* g;
  jarena* a;
  jgen_stage stage;
  jexpr_ref t;
  jexpr_ref zero, one;
  jexpr_ref* number;  // node of each literal number
  jgen_memo* parameter;
  jgen_memo* signal;
  jexpr_ref *q, *qd, *qdd;  // by coordinate; what is not known yet is poison
  jexpr_ref* z;             // additional states
  int nlink;
  jgen_link* link;        // 0: ground; parents first
  jgen_body_frame* body;  // by model body
  int nhub;               // bodies that move freely in the ground's frame ...
  struct jgen_hub* hub;   // ... (nhub) ...
  int* hub_of;  // ... and the link of the one whose freedoms a link is of; 0: none (nlink)
  jgen_relative**
      from;   // by the base they are relative to (nlink), by link (nlink); NULL: not asked for yet
  int* path;  // (nlink), from a link to an ancestor
  int* carrier;        // nearest link, itself included, that several hang on; 0: ground (nlink)
  jgen_stand* stand;   // of carriers (nlink)
  bool* has_turning;   // (nlink) ...
  jexpr_v3* turning;   // ... angular velocity, link frame
  jgen_absolute* dyn;  // with qdd of the bias pass
  jgen_absolute* abs;  // with the true accelerations
  jgen_inertia* base;  // base parameters (nlink); NULL: not made yet
  jgen_inertia* composite;  // of a link and all it carries (nlink); NULL: not made yet
  jgen_wrench* wrench;      // applied forces (nlink)
  jexpr_ref* applied;       // generalised forces of joint elements (ncoordinate)
  jexpr_ref* drive_force;   // of driven coordinates, known with the accelerations (ncoordinate)
  jgen_element* element;
  int nfloor;
  jgen_floor* floor;  // floors in expressions of the file
  int nchoice;
  jgen_floor* choice;  // comparisons, min, max, abs and sign there
  int nevent;
  jgen_event* event;
  int nfriction;
  jgen_friction* friction;
  jgen_locals local;
  int depth;             // levels of nesting of what is being read, expr/tape/order.h
  const char* where;     // place of the expression being read
  const char* caller;    // inside of functions: that of what calls the first of them; NULL: outside
  const char* rule;      // what it may depend on, where that is less than usual; NULL: as usual
  bool placeholders;     // what elements exert are inputs while the equations are written ...
  jexpr_ref* component;  // ... and these are what they stand for (ncomponent)
  bool has_read_road;
  struct jgen_row* row;  // closures, known with the accelerations ...
  int nrow;
  jexpr_ref* lambda;      // ... and their multipliers (nrow)
  jgen_wrench* reaction;  // by link: what its parent exerts on it; NULL: not asked for yet
  bool accelerates;       // biases have the terms in qdd, too (implied.c)
  bool retry_follow;      // an off-axis point of a free-spinning body is wanted
  bool* follow;           // bodies whose spin must be followed
  int number_p;           // live numbers
  int nsection, section_cap;
  jgen_section* section;  // what has been written for what
} jgen;

// begin.c: from now on nodes are written for this part of the equations; what they were before, to go back to.
const char* jgen_write_for(jgen* s, const char* part);

// scope.c: scalars, parameters, names in expressions
jo_status jgen_inputs(jgen* s, const bool* live, int group_p, int* live_index, double* values);
jexpr_ref jgen_scalar(jgen* s, const jmodel_scalar* x, const char* what);

// choices.c: names for conditions of the file that are part of no element or event, before these become modes.
jo_status jgen_name_choices(jgen* s);

jexpr_v3 jgen_vector(jgen* s, const jmodel_v3* x, const char* what);
jexpr_ref jgen_table_at(jgen* s, int table, jexpr_ref x);
void jgen_push_local(jgen* s, const char* name, jexpr_ref value);
void jgen_pop_local(jgen* s, int n);
// The name of something that is not known yet; poison.
jexpr_ref jgen_not_yet(jgen* s, const char* name, size_t n, const char* what);
// The frame of a body that spins freely is not the body's own: turn back and follow it.
void jgen_want_follow(jgen* s, int body);
bool jgen_body_point(jgen* s, int body, const char* name, size_t n, jexpr_v3* r);  // link frame
double jgen_value(jgen* s, jexpr_ref r);  // number of a node that depends on live numbers only

// frames.c: links and constant data
jo_status jgen_frames(jgen* s);
jexpr_v3 jgen_design_position(jgen* s, const jmodel_joint* j);
jexpr_v3 jgen_point_in_link(jgen* s, const jmodel_point* p);
jexpr_v3 jgen_com_in_link(jgen* s, int body);
jexpr_v3 jgen_direction_in_link(jgen* s, const jmodel_vector* v);
// One of the body's vectors, or x, y, z of its frame, as a direction; link frame. False: it has none such.
bool jgen_body_direction(jgen* s, int body, const char* name, size_t n, jexpr_v3* d);
jexpr_m3 jgen_design_orientation(jgen* s, int body);  // of a body's frame
// A frame that is given at the design position and fixed to a body: columns are its axes, link components.
jexpr_m3 jgen_frame_in_link(jgen* s, int body, const int given[2], const jmodel_v3 axis[2]);
jexpr_m3 jgen_vehicle_axes_in_link(jgen* s, int body);  // the same of the vehicle's axes
bool jgen_find_point(jgen* s, int body, const char* name, size_t n, jmodel_point* out);

// motion.c
const jgen_relative* jgen_relative_of(jgen* s, int base, int link, bool velocity);
bool jgen_is_below(const jgen* s, int link, int ancestor);
int jgen_common_base(const jgen* s, int link_a, int link_b);  // the nearest link that carries both
void jgen_absolute_motion(jgen* s, jgen_absolute* motion, bool bias, int link);
jexpr_v3 jgen_ground_position(jgen* s, int link, jexpr_v3 r);
jexpr_v3 jgen_ground_velocity(jgen* s, int link, jexpr_v3 r);
jexpr_v3 jgen_ground_acceleration(jgen* s, int link, jexpr_v3 r);
jexpr_m3 jgen_ground_rotation(jgen* s, int link);
// The same in the axes of what carries the link: velocity of a point and of turning, beyond the ground's; of vectors R x
// and R^T x; and from the ground's axes.
jexpr_v3 jgen_carried_velocity(jgen* s, int link, jexpr_v3 r);
jexpr_v3 jgen_carried_turning(jgen* s, int link);
jexpr_v3 jgen_to_carrier(jgen* s, int link, jexpr_v3 x);
jexpr_v3 jgen_from_carrier(jgen* s, int link, jexpr_v3 x);
jexpr_v3 jgen_ground_to_carrier(jgen* s, int link, jexpr_v3 x);
jexpr_v3 jgen_to_ground(jgen* s, int link, jexpr_v3 x);    // R x
jexpr_v3 jgen_from_ground(jgen* s, int link, jexpr_v3 x);  // R^T x
void jgen_mark_v3(jgen* s, jexpr_v3 v, const char* what, int link);

// quantity.c: what bodies, points and directions are as others see them; poison: it is no such name, or told
jexpr_ref jgen_quantity(jgen* s, const char* name, size_t n);

// closure.c
// What one unit of a closure's multiplier does to a link: force f at r (link frame) and moment n,
// both in the frame of the closure's base.
typedef struct jgen_push {
  int link;
  jexpr_v3 r, f, n;
} jgen_push;

typedef struct jgen_row {
  jexpr_ref h;     // residual
  jexpr_ref* J;    // by coordinate (ncoordinate)
  jexpr_ref bias;  // quadratic velocity term; poison at position stage
  const char* name;
  int closure, coupling, base;  // the one it is of; -1: of none
  bool is_turn;                 // pushes are its gradient only where h = 0
  jexpr_ref scale;              // of a coupling: multiplier as the file means it / lambda
  int npush;
  jgen_push push[4];
} jgen_row;
// Rows of the closures, then those of the couplings.
jo_status jgen_closures(jgen* s, bool velocity, jgen_row** rows, int* n);

// coupling.c
int jgen_coupling_count(const jmodel* m);  // relations
// Rows of all couplings. False: no memory, or a mistake in an expression.
bool jgen_couplings(jgen* s, jgen_row* rows);
bool jgen_is_coupled(const jmodel* m, int coordinate);

// reaction.c: with the accelerations known
const jgen_wrench* jgen_reactions(
    jgen* s);  // by link, at its origin, in its frame; NULL: no memory
// Force and moment of a closure on its links by its multiplier, taken off w.
void jgen_subtract_closure(jgen* s, const jgen_row* row, jexpr_ref lambda, jgen_wrench* w);

// guard.c: whether r depends on inputs of other groups than those allowed, a bit for each; it is told
// with the place and the name of what was asked for, the input it depends on, and the rule it breaks.
// beyond: inputs that are the states or positions at hand may be allowed, too.
typedef struct jgen_allowed {
  unsigned groups;
  bool states, positions;
} jgen_allowed;
bool jgen_depends_beyond(jgen* s, jexpr_ref r, jgen_allowed allowed, const char* rule,
                         const char* what, jmodel_place place);
bool jgen_depends_on_more(jgen* s, jexpr_ref r, unsigned allowed, const char* rule,
                          const char* what, jmodel_place place);

// elements.c. What a class needs stands in gen/force/element.h.
jgen_element* jgen_element_at(jgen* s, int i);
int jgen_element_find(const jgen* s, const char* name, size_t n);           // -1: none
int jgen_element_signal(const jgen* s, int i, const char* name, size_t n);  // -1: none
jexpr_ref jgen_component_value(jgen* s, int i, int k);  // k-th of what element i exerts
jexpr_ref jgen_own_rate(jgen* s, int state);            // of a state that an element owns
jo_status jgen_write_elements(jgen* s);

// wheels.c: what a start is checked for
jo_status jgen_place_wheels(jgen* s, jgen_position* out);

// hub.c: vehicle bodies whose unknown accelerations are written in their own axes
typedef struct jgen_hub {
  int link,
      first;  // its own, and the first of the six between which and the ground nothing else moves
  int coordinate[6];  // along x, y, z of the ground, then those of its turns
  int turn[3];        // axes of these, in their order
} jgen_hub;

jo_status jgen_find_hubs(jgen* s);
void jgen_hub_keep(jgen* s, const jgen_partition* part);  // or drop those where that cannot be done
const jgen_hub* jgen_hub_at(const jgen* s, int link);     // whose link it is; NULL: it is none
bool jgen_is_hub(const jgen* s, int link);
bool jgen_is_before_hub(const jgen* s, int link);  // one of the links between it and the ground
void jgen_hub_forces(jgen* s);                     // generalised forces as wrenches
// Angular accelerations of hubs whose coordinates do not accelerate, hub axes (nhub); NULL: no memory
jexpr_v3* jgen_hub_bias(jgen* s);
// Accelerations of all hubs in hub axes, which stand where those of their coordinates belong, to the latter. Of velocity
// jumps, too: these have no bias, NULL.
void jgen_hub_rates(jgen* s, const jexpr_v3* bias, jexpr_ref* by_coordinate);

// inertia.c
const jgen_inertia* jgen_base_inertia(jgen* s);  // by link; NULL: out of memory
// Axis of a link whose rotation is about a coordinate axis and nothing else; -1: any rotation.
int jgen_turn_axis(const jgen_link* l);
jexpr_m3 jgen_turn_symmetric(jgen* s, const jgen_link* l, const jexpr_m3* I);  // R I R^T
// Add what is given in a frame turned by R (about coordinate `axis` only, or -1) and shifted by r.
void jgen_inertia_add(jgen* s, jgen_inertia* to, const jgen_inertia* what, const jexpr_m3* R,
                      int axis, jexpr_v3 r);

// tree.c: equations of the tree
jgen_wrench* jgen_link_wrenches(
    jgen* s);  // of the bias, less applied forces (nlink); NULL: no memory
void jgen_bias_forces(jgen* s, jexpr_ref* c);
void jgen_forces_along(jgen* s, jgen_wrench* w,
                       jexpr_ref* c);  // of the wrenches of all links, carried towards the ground
void jgen_mass_matrix(jgen* s, jexpr_ref* M);
// Mr = K^T M K (n x n) for rates K x of the coordinates (ncoordinate x n, row-major); x of hubs are in their axes.
void jgen_reduced_matrix(jgen* s, int n, const jexpr_ref* K, jexpr_ref* Mr);
// Per unit of rate of a link's joint, of a composite body (D14).
jgen_wrench jgen_unit_wrench(jgen* s, const jgen_inertia* b, const jgen_link* l);
// Velocities v and w of a link, link frame, from those of its parent and the rate of its coordinate; of accelerations beyond
// the bias, too. Rates of hubs are in their axes.
void jgen_link_rates(jgen* s, int link, const jexpr_ref* rate, jexpr_v3* v, jexpr_v3* w);
// M times rates, both by coordinate, without M
void jgen_mass_times(jgen* s, const jexpr_ref* rate, jexpr_ref* out);
jgen_wrench jgen_inertial_wrench(jgen* s, const jgen_inertia* l, const jgen_absolute* k);
void jgen_pass_to_parent(jgen* s, jgen_wrench* w, int link);
jexpr_ref jgen_kinetic_energy(jgen* s);
jexpr_ref jgen_potential_energy(jgen* s);

#endif
