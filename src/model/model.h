// SPDX-License-Identifier: Apache-2.0
// A model as read from a file: checked, resolved, immutable. Expressions are kept as text with their
// place in the file; gen/ turns them into graph nodes. docs/format.md is the user's view of this.
//
//   number     every literal number of the file, with the path that names it ("bodies.chassis.mass",
//              "hardpoints.P12.y", a parameter: its name): what --set and sensitivities address
//   scalar     a number or an expression of parameters, time and signals; the reader itself writes
//              expressions that name numbers by their path ("hardpoints.P2.x - hardpoints.P1.x")
//   body       0 is the ground; its frame is the vehicle frame of the design position
//   frame      where the body's own frame stands in the design position, in vehicle coordinates;
//              for joints given by body coordinates only a first guess
//   joint      connects child to parent in the tree: every body but the ground is child of one joint
//   closure    closes a loop between two bodies of the tree
//   coordinate one joint coordinate; a joint has 0 ... 6 of them
#ifndef JMODEL_MODEL_H
#define JMODEL_MODEL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/index.h"
#include "base/mem.h"
#include "expr/parse/parse.h"
#include "expr/table.h"
#include "model/closure.h"
#include "model/joint.h"
#include "model/objective.h"
#include "road/surface.h"

typedef struct jmodel_place {
  const char* file;
  int line;  // from 1
} jmodel_place;

typedef struct jmodel_number {
  const char* path;
  double value;
  jmodel_place place;
  bool is_parameter;  // declared under `parameters:` or `inputs:`
  bool is_input;      // the latter
  const char* unit;   // that the file gives it in; the value is in SI. NULL: none
  const char* also;   // where it is written, if its path is another one; NULL: it is not
} jmodel_number;

typedef struct jmodel_scalar {
  const char* text;  // expression; NULL: a literal number
  int number;        // index of the literal in model->number; -1: an expression
  const char* path;
  jmodel_place place;
} jmodel_scalar;

typedef struct jmodel_v3 {
  jmodel_scalar e[3];
} jmodel_v3;

typedef struct jmodel_parameter {
  const char* name;
  jmodel_scalar value;      // literal, or an expression of parameters declared anywhere (no cycles)
  const char* unit;         // of the value; "" when not given
  const char* shown;        // in which the file gives it, "": as `unit` says
  const char* description;  // "" when not given
  bool is_input;            // may change during a run, from outside; the value is where it begins
} jmodel_parameter;

typedef struct jmodel_named_v3 {
  const char* name;
  jmodel_v3 value;
  jmodel_place place;
} jmodel_named_v3;

typedef struct jmodel_body {
  const char* name;
  jmodel_place place;
  bool has_mass;             // false: massless, mass and inertia are literal zeros
  jmodel_scalar mass;        // [kg]
  jmodel_v3 com;             // centre of mass, body frame [m] ...
  bool com_in_vehicle;       // ... or vehicle coordinates at the design position: a hardpoint
  jmodel_scalar inertia[6];  // xx yy zz xy xz yz about the centre of mass, body axes [kg m^2];
                             // entries of the tensor (off-diagonals are not negated)
  bool has_frame;            // false: frame = vehicle frame
  jmodel_v3 origin;          // of the body frame, vehicle coordinates [m]
  int axis_given[2];         // which two axes (0 x, 1 y, 2 z) are given ...
  jmodel_v3 axis[2];  // ... in vehicle coordinates; the second is made orthogonal to the first
  bool
      is_placed;  // the frame is that of an instance which is shifted or turned; the file gives none
  int npoint, nvector;
  jmodel_named_v3* point;   // body coordinates
  jmodel_named_v3* vector;  // body coordinates
} jmodel_body;

// A point fixed to a body.
typedef struct jmodel_point {
  const char* name;  // as written: "chassis.P12"
  int body;
  bool in_vehicle;  // coordinates are vehicle coordinates at the design position, else body's
  jmodel_v3 r;
} jmodel_point;

// A direction fixed to a body.
typedef struct jmodel_vector {
  const char* name;
  int body;
  bool in_vehicle;
  jmodel_v3 v;
} jmodel_vector;

// Coordinates of a joint, in this order:
//   revolute      angle about axis
//   prismatic     displacement along axis
//   cylindrical   displacement along axis, angle about it            .s .a
//   universal     angle about axis (fixed in parent), about axis2 (fixed in child)   .a .b
//   spherical     angles about x, then y, then z, the vehicle's axes in the design position .a .b .c
//                 (other orders: `turn`)
//   planar        displacements along axis2 and axis x axis2, angle about axis (the normal) .s .t .a
//   free          x y z of the child's joint point in the parent frame, then angles about z y x
//                 (yaw pitch roll), zero at the design orientation  .x .y .z .yaw .pitch .roll
//                 (other orders: `turn`; names are by axis then, or a b c where an axis comes twice)
// All angles and displacements are zero at the design position, but free x y z, which are the position.
typedef struct jmodel_joint {
  const char* name;
  jmodel_place place;
  jmodel_joint_type type;
  int parent, child;
  jmodel_point at_parent, at_child;       // the joint point on either side
  jmodel_vector axis_parent, axis_child;  // the axis on either side (equal directions)
  jmodel_vector axis2;                    // universal: fixed in child; planar: fixed in parent
  bool has_frame;      // spherical: the angles are about other axes than the vehicle's ...
  jmodel_v3 frame[2];  // ... x and y of them, vehicle coordinates in the design position
  int sign[6];  // -1: the coordinate counts the other way round, in mirror images; else 0 or 1
  int turn[3];  // spherical, free: axes of the three turns, 0 x, 1 y, 2 z, first to last
  // Any attitude (docs/theory/attitude.md): coordinates count from an orientation that is a state, and begin anew ...
  bool is_any;
  const char* angle[3];    // ... names of the angles, which are no coordinates then
  jmodel_scalar start[3];  // their values where a run begins, if nothing moves them
  int first_state;         // of JMODEL_ATTITUDE_STATES
  int first_coordinate, ncoordinate;
} jmodel_joint;

// States of a joint of any attitude: unit quaternion of where its angles count from, and its first and third angle.
#define JMODEL_ATTITUDE_STATES 6

typedef struct jmodel_coordinate {
  const char* name;  // "rack" for one coordinate, else "chassis.x" (joint name + suffix)
  int joint;
  int k;  // which of the joint's coordinates
  bool is_angle;
  bool has_guess;
  jmodel_scalar guess;  // starting value of the assembly
  bool is_driven;
  jmodel_scalar driven;  // value as an expression of time, parameters and states
  bool is_velocity;      // its velocity is given: a state of its own drives it
  int want_independent;  // 1: user wants it independent, -1: dependent, 0: no wish
} jmodel_coordinate;

// Equations are those of its class (model/closure.def). A line or a plane is that of a and u, both on one body; of two
// directions u and v, a and b are the origins of their bodies.
typedef struct jmodel_closure {
  const char* name;
  jmodel_place place;
  jmodel_closure_type type;
  jmodel_point a, b;
  jmodel_vector u, v;
  bool has_length;
  jmodel_scalar length;  // [m]
} jmodel_closure;

// coefficient times coordinate; the coefficient is factor * scale
typedef struct jmodel_term {
  int coordinate;
  double factor;
  bool has_scale;
  jmodel_scalar scale;
  const char* label;  // what the file calls the scale ...
  const char* unit;   // ... and what it is in; NULL: any
} jmodel_term;

// sum of the terms = offset
typedef struct jmodel_relation {
  int nterm;
  jmodel_term* term;
  jmodel_scalar offset;
} jmodel_relation;

// Linear relations between coordinates: gears, racks, screws, differentials, belts.
typedef struct jmodel_coupling {
  const char* name;
  jmodel_place place;
  const char* kind;         // "gear"
  const char* coordinates;  // "left, right"
  const char* unit;         // of its force; "": not known
  int nrelation;
  jmodel_relation* relation;
} jmodel_coupling;

typedef struct jmodel_table {
  const char* name;
  jmodel_place place;
  jexpr_table_kind kind;
  jexpr_extrapolation rule;
  int n;
  jmodel_scalar *x, *y;
  int ny;            // 0: of one variable; else y are points of the second, and z the values ...
  jmodel_scalar* z;  // ... z[i*ny + j] at x[i], y[j]
} jmodel_table;

// What expressions may call: its text, with arguments in the place of their names.
typedef struct jmodel_function {
  const char* name;
  jmodel_place place;
  int nargs;
  const char** arg;  // (nargs), NULL behind them
  jmodel_scalar value;
} jmodel_function;

// Something that acts on bodies or coordinates, as its class describes it (model/element.h).
typedef struct jmodel_element_class jmodel_element_class;
typedef struct jmodel_element {
  const jmodel_element_class* class;
  const char* name;
  jmodel_place place;
  int first_component;      // of what it exerts, among those of all elements (ncomponent)
  int coordinate;           // the one it acts on, and nothing else; -1: it acts otherwise
  int first_state, nstate;  // that it owns
  void* data;               // of its class
} jmodel_element;

typedef struct jmodel_state {
  const char* name;
  jmodel_place place;
  jmodel_scalar initial, derivative;
  double nominal;  // typical size, in its unit: scales of errors and of the search for equilibrium
  bool is_held;    // keeps its initial value while equilibrium is sought; its rate need not vanish
  bool is_discrete;  // changes at events only; its rate is zero
  bool is_attitude;  // of a joint of any attitude, which knows its initial value
  const char* unit;
  int element;  // that owns it and knows its rate; -1: none, the derivative is given
} jmodel_state;

// What an event gives another value.
typedef enum jmodel_target {
  JMODEL_SET_STATE,     // a state, discrete or not
  JMODEL_SET_POSITION,  // a coordinate: not by files, whose coordinates do not jump
  JMODEL_SET_RATE       // the rate of an independent coordinate
} jmodel_target;

typedef struct jmodel_assignment {
  jmodel_target target;
  int index;  // state or coordinate
  jmodel_scalar value;
} jmodel_assignment;

// Something that happens where a condition becomes true: `events:`, and what samplers are made of.
typedef struct jmodel_event {
  const char* name;
  jmodel_place place;
  jmodel_scalar when;
  int nset;
  jmodel_assignment* set;  // all from the values before it
} jmodel_event;

// Every so often: `samplers:`. Its events stand among those of the model.
typedef struct jmodel_sampler {
  const char* name;
  jmodel_place place;
  jmodel_scalar delay, every;  // one after another: the first is less [s]
  jmodel_scalar offset;        // of the first sample [s]
} jmodel_sampler;

// What something was some time ago: `delays:`, a signal. States of the model hold what is under way.
typedef struct jmodel_delay {
  const char* name;
  jmodel_place place;
  jmodel_scalar of, time, initial;  // time [s]
  int order;
  const char* unit;
} jmodel_delay;

// A named expression: `signals:` and `sensors:`; sensors are written to the results.
typedef struct jmodel_signal {
  const char* name;
  jmodel_scalar value;
  const char* unit;
  const char* description;
  bool is_output;
} jmodel_signal;

typedef enum jmodel_filter {
  JMODEL_FILTER_NONE,
  JMODEL_FILTER_LOWPASS,  // second-order Butterworth at `frequency`
  JMODEL_FILTER_WK,       // ISO 2631-1 weighting, vertical
  JMODEL_FILTER_WD        // ISO 2631-1 weighting, horizontal
} jmodel_filter;

// A signal over a window of time, of a kind of model/objective.def, and a value at the end. The signal may pass a filter
// first. Powers are those of x/nominal, times nominal.
typedef struct jmodel_objective {
  const char* name;
  jmodel_place place;
  jmodel_objective_kind kind;
  jmodel_scalar integrand;  // the signal x
  bool has_final;
  jmodel_scalar final;
  bool has_window;
  jmodel_scalar window[2];  // [s]; not given: the whole run
  jmodel_filter filter;
  jmodel_scalar frequency;  // [Hz]
  double power;             // that is integrated: of its kind, or as given
  double nominal;           // size of the signal: what errors are measured by, and powers taken of
  bool has_nominal;         // it is given; 1 otherwise
  const char* unit;
  const char* description;
  int integral;  // which of the integrals it is made of: its place among all objectives of the file
} jmodel_objective;

// An initial condition on any quantity: value of an expression of positions, and its rate.
typedef struct jmodel_initial {
  jmodel_scalar quantity;
  bool has_value, has_rate;
  jmodel_scalar value, rate;
} jmodel_initial;

// A wheel as suspension kinematics look at it.
typedef struct jmodel_axle_side {
  bool is_given, has_radius, has_kingpin;
  jmodel_place place;
  jmodel_point centre;
  jmodel_vector axis;       // of its rotation
  jmodel_scalar radius;     // of a disc whose lowest point is the contact [m]
  jmodel_point kingpin[2];  // lower and upper point of the steering axis
  int nspring, ndamper;
  int *spring, *damper;  // forces with a length, by element
} jmodel_axle_side;

typedef struct jmodel_axle {
  const char* name;
  jmodel_place place;
  jmodel_axle_side side[2];  // left, right
  int rack;                  // coordinate that steers it; -1: none
  bool has_wheelbase;
  jmodel_scalar wheelbase;  // [m]
} jmodel_axle;

typedef struct jmodel_simulation {
  double t_start, t_end;  // [s]
  const char* method;     // as in solve/ode.h
  double rel_tol, abs_tol;
  double step;         // fixed-step methods [s]; 0: not given
  double output_step;  // spacing of the results [s]; 0: every step
  bool start_static;   // begin at static equilibrium
  bool has_end_when;
  jmodel_scalar end_when;  // the run ends where this condition becomes true, or at t_end
  jmodel_place place;
  double max_step;        // 0: none [s]
  double shortest_pulse;  // inputs that last so long are not stepped over; 0: chosen [s]
  int max_events;         // 0: chosen
  double derivative_tol;  // relative error wanted of derivatives; 0: chosen
  double max_steps;       // of one run
  double max_memory;      // of results [MB]
} jmodel_simulation;

// Shapes of obstacles. docs/theory/road.md (R14)-(R18)
#define JMODEL_OBSTACLE_LIST(X) \
  X(KERB, "kerb")               \
  X(PLANK, "plank")             \
  X(POTHOLE, "pothole")         \
  X(COSINE, "cosine")           \
  X(HALF_ROUND, "half_round")   \
  X(SWEEP, "sweep")
typedef enum jmodel_obstacle {
#define X(id, name) JMODEL_OBSTACLE_##id,
  JMODEL_OBSTACLE_LIST(X)
#undef X
      JMODEL_OBSTACLE_COUNT
} jmodel_obstacle;

typedef enum jmodel_road_kind {
  JMODEL_ROAD_TABLE,  // heights over x - start and y
  JMODEL_ROAD_GRID,   // over the distance along and off a line: three tables
  JMODEL_ROAD_SINE,
  JMODEL_ROAD_OBSTACLE
} jmodel_road_kind;

// Values of parts; which of them a kind has follows from its keys.
typedef enum jmodel_road_value {
  JMODEL_ROAD_START,   // also the place of an obstacle
  JMODEL_ROAD_SCALE,   // of tables
  JMODEL_ROAD_LENGTH,  // of obstacles; of sines the wavelength
  JMODEL_ROAD_HEIGHT,  // likewise; of sines the amplitude
  JMODEL_ROAD_EDGE,
  JMODEL_ROAD_PHASE,
  JMODEL_ROAD_FIRST_WAVE,
  JMODEL_ROAD_LAST_WAVE,
  JMODEL_ROAD_RIGHT,  // limits across
  JMODEL_ROAD_LEFT,
  JMODEL_ROAD_VALUES
} jmodel_road_value;

// A part of the road beside its expression.
typedef struct jmodel_road_part {
  jmodel_road_kind kind;
  jmodel_obstacle shape;
  const char *subject, *name;
  int table;                                // the first
  bool given[JMODEL_ROAD_VALUES];           // by the file or by default
  jmodel_scalar value[JMODEL_ROAD_VALUES];  // [m]
} jmodel_road_part;

// An instance that is the mirror image of another: it has the place of that one, and no numbers for it.
typedef struct jmodel_image {
  const char *name, *of;  // "front.right", "front.left"
} jmodel_image;

typedef struct jmodel {
  jo_context* ctx;
  jarena arena;
  const char* path;
  const char* name;
  const char* description;
  char sha256[65];      // of all text read
  jindex names;         // of what was read, in the scopes below
  int nread_hardpoint;  // those in `names`: copies of a model have more
  jmodel_v3 gravity;    // [m/s^2]
  int nnumber, nparameter, nbody, nhardpoint, njoint, ncoordinate, nclosure, ncoupling, ntable,
      nfunction, nelement, ncomponent, nstate, nevent, nsampler, ndelay, nsignal, nobjective,
      nintegrated, ninitial, naxle, nimage;
  jmodel_number* number;
  jmodel_parameter* parameter;
  jindex parameters, signals;     // their places by name
  jmodel_body* body;              // 0: ground
  jmodel_named_v3* hardpoint;     // vehicle coordinates
  jmodel_joint* joint;            // parents before children
  jmodel_coordinate* coordinate;  // by joint
  jmodel_closure* closure;
  jmodel_coupling* coupling;
  jmodel_table* table;
  jmodel_function* function;
  jmodel_element* element;  // section by section
  jmodel_state* state;
  jmodel_event* event;  // in the order in which they happen at one instant
  jmodel_sampler* sampler;
  jmodel_delay* delay;
  jmodel_signal* signal;
  jmodel_objective* objective;  // those that are asked for ...
  jmodel_objective*
      integrated;  // ... and all of the file: the steps of a run do not depend on who asks
  jmodel_initial* initial;
  jmodel_axle* axle;
  jmodel_image* image;
  bool has_road;
  jmodel_scalar road;  // ground height as an expression of x, y (and t) [m]
  int nroad_part, nroad_source;
  jmodel_road_part* road_part;        // what is added to it
  const jroad_source* road_source;    // of the tables among them
  const jroad_surface* road_surface;  // the tables; NULL: none
  jmodel_simulation simulation;
  struct jmodel_ranges* ranges;  // where values must lie
  bool has_massless;  // bodies inside of loops move without mass of their own or of what they carry
} jmodel;

// What equations read of the road while they run; NULL: nothing.
static inline const jdata* jmodel_road_data(const jmodel* m) {
  return m->road_surface ? &m->road_surface->data : NULL;
}

typedef struct jmodel_setting {  // --set name=value
  const char* name;              // parameter or path of a number
  const char* value;             // number or, for a parameter, expression
} jmodel_setting;

// Read, include, override, resolve and check a model. Reports several mistakes before giving up,
// each as "file:line: subject 'name': cause; hint". On failure *out is NULL.
// Ownership: caller, release with jmodel_destroy().
jo_status jmodel_load(jo_context* ctx, const char* path, const jmodel_setting* set, int nset,
                      jmodel** out);
// The same from text; `path` names it in messages and is the base of includes.
jo_status jmodel_parse(jo_context* ctx, const char* text, size_t length, const char* path,
                       const jmodel_setting* set, int nset, jmodel** out);
void jmodel_destroy(jmodel* m);

// Do the values of the model lie where they make sense, with other values of its numbers (nnumber)? The
// first that does not is reported. Reading has asked this for the numbers of the file.
jo_status jmodel_check_values(jo_context* ctx, const jmodel* m, const double* number);
// Warns where forces of elements change their sign with values of the numbers, as reading does for those of the file, unless
// they do so with the values before (nnumber each). `where` ends the messages: "", "; the first is point 3". `told`
// (jmodel_warning_rules, 0: no element can) keeps a cause from being reported again.
int jmodel_warning_rules(const jmodel* m);
jo_status jmodel_warn_of_values(jo_context* ctx, const jmodel* m, const double* before,
                                const double* number, const char* where, bool* told);
// What a number of the simulation block must be, as "between 1 and 1e9"; NULL: it is.
const char* jmodel_simulation_rule(const char* key, double value);
// A key of the simulation block that can be set where the file does not give it.
bool jmodel_is_limit(const char* key);

// A number, with or without a unit, as a value of a parameter in SI units. False: it is none, or its unit is of another kind.
bool jmodel_parameter_value(const jmodel* m, const char* name, const char* text, double* value);

// A value of a parameter or number in the unit that the file gives it in, which is told: "" where it gives none.
double jmodel_shown(const jmodel* m, const char* name, double value, const char** unit);

// Find parameters and signals by name: to be called again where a copy gets others. False: no memory.
bool jmodel_index_parameters(jmodel* m, jarena* a);
bool jmodel_index_signals(jmodel* m, jarena* a);

// Scopes of `names`; points of body i have one each, JMODEL_NAMES_POINT + i.
enum { JMODEL_NAMES_BODY, JMODEL_NAMES_COORDINATE, JMODEL_NAMES_HARDPOINT, JMODEL_NAMES_POINT };

// Index by name, -1 when there is none.
int jmodel_find_body(const jmodel* m, const char* name);
int jmodel_find_coordinate(const jmodel* m, const char* name);
// By its path, or by where the file has it: `tyres.fl.scale.LMUX`, `parameters.k`, `initial.z.value`, `bodies.b.com[1]`.
int jmodel_find_number(const jmodel* m, const char* path);
// The image whose place this would be a path of, as "instances.right.at.z", and what follows its name; NULL: none.
const jmodel_image* jmodel_find_image(const jmodel* m, const char* path, const char** rest);
// The joint of any attitude that has an angle of this name, and which it is; -1: none.
int jmodel_find_attitude(const jmodel* m, const char* name, size_t n, int* k);
int jmodel_find_function(const jmodel* m, const char* name, size_t n);
// For `call` of a scope: the value of a function of the model, its text read with the names of that scope, which
// has a depth (read_functions.c).
jexpr_ref jmodel_call(const jmodel* m, int function, jexpr_graph* g, const jexpr_scope* scope,
                      const char* where, const jexpr_ref* args, int nargs, int* expected);
// The place of ".in." or ".from." in the name of a quantity, of [.from. whom] [.in. whose axes] . component, with something
// before it and at least two parts behind; n: there is none.
size_t jmodel_quantity_keyword(const char* name, size_t n, const char* keyword);
// The hardpoint that a body's point may be: of the instance the body belongs to, else of what that is part of.
const jmodel_named_v3* jmodel_find_hardpoint(const jmodel* m, int body, const char* name, size_t n);

// The number that a user calls `name`, a parameter or the path of any other. Reported: there is none, or
// it is a parameter that is computed and has no number of its own.
jo_status jmodel_number_named(jo_context* ctx, const jmodel* m, const char* name, int* out);

#endif
