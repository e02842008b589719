// SPDX-License-Identifier: Apache-2.0
// The tables and functions that are generated for an exported model.
#ifndef JRUNTIME_MODEL_H
#define JRUNTIME_MODEL_H

#include "base/rule.h"
#include "machine/machine.h"
#include "machine/position.h"
#include "road/surface.h"

// Groups of inputs of the functions, in the order they get them; those of positions get numbers, time and
// coordinates.
typedef enum jvehicle_group {
  JVEHICLE_NUMBERS,
  JVEHICLE_TIME,
  JVEHICLE_STATE,
  JVEHICLE_MODES,
  JVEHICLE_MOMENTUM,
  JVEHICLE_ROAD,  // its data (base/data.h)
  JVEHICLE_STATE_DIRECTION,
  JVEHICLE_TIME_DIRECTION,
  JVEHICLE_NUMBER_DIRECTION,
  JVEHICLE_MOMENTUM_DIRECTION,
  JVEHICLE_WEIGHTS,
  JVEHICLE_FEEDS = 15,
  JVEHICLE_FIRED,
  JVEHICLE_HOLD,  // never an input
  JVEHICLE_GROUP_COUNT
} jvehicle_group;

// Arrays in, arrays out, work space of the caller.
typedef struct jvehicle_function {
  void (*eval)(const double* const* in, double* const* out, double* work);  // NULL: there is none
  size_t work;                                                              // doubles
} jvehicle_function;

typedef struct jvehicle_quantity {
  const char *name, *unit, *description;
} jvehicle_quantity;

typedef struct jvehicle_number {
  jvehicle_quantity quantity;
  double value;     // the model's
  double min, max;  // where it must lie as far as it is bounded by itself; infinite: it is not
  bool is_input;    // may change during a run; else a parameter
} jvehicle_number;

// What values of the model that follow from its numbers must fulfil.
typedef struct jvehicle_rule {
  jrule_kind kind;
  jrule_limit limit;
  int first, n;  // of the values of `limits`
  const char *subject, *name, *label;
  jmachine_place place;
} jvehicle_rule;

// States that mixed methods solve for, see jsolve_local_system.
typedef struct jvehicle_local {
  int n, nfeed, nentry;
  const int *state, *row, *col;
} jvehicle_local;

// What is differentiated: functions of (t, y), and which of the values a vehicle gives they are.
typedef enum jvehicle_slope_kind {
  JVEHICLE_RATES,
  JVEHICLE_INDICATORS,
  JVEHICLE_OUTPUTS,
  JVEHICLE_OBJECTIVES,
  JVEHICLE_SLOPE_COUNT
} jvehicle_slope_kind;

typedef struct jvehicle_model {
  const char *name, *description;
  const char*
      token;  // of the model and all that was generated for it: the same bytes, the same token
  int nnumber, nstate, nindicator, noutput, nobjective;
  const jvehicle_number* number;       // (nnumber)
  const jvehicle_quantity* state;      // (nstate)
  const double* state_nominal;         // typical sizes, scales of errors (nstate); NULL: ones
  const int* state_rate_of;            // of which state it is the rate; -1: of none (nstate)
  const jvehicle_quantity* indicator;  // (nindicator)
  const jvehicle_quantity* output;     // (noutput); the first nsensor are those the file asks for
  const jvehicle_quantity* objective;  // (nobjective)
  int nsensor;
  double t_start, t_end;   // of the manoeuvre [s]
  jsolve_options options;  // how the model wants it integrated

  // ---- how it runs
  jmachine_about about;
  const int* state_at;  // where a state stands in y (nstate)
  const double* y0;     // the start with the model's numbers at t_start (ny)
  bool starts_static;
  jmachine_position position;  // without its functions
  const bool *stays, *rests;   // coordinates that nothing determines, see jmachine_assembly (nq)
  const int *position_at, *rate_at;  // where a coordinate and its rate stand in y; -1: nowhere (nq)
  int nrule, nlimit;                 // rules, and values of the function `limits`
  const jvehicle_rule* rule;         // (nrule)
  jvehicle_local local;
  int nroad;                 // tables of the road
  const jroad_source* road;  // (nroad)
  jvehicle_function limits;  // of the numbers alone
  jvehicle_function fn[JMACHINE_FN_COUNT];
  jvehicle_function position_fn[JMACHINE_POSITION_FN_COUNT];
  jvehicle_function jacobian, feeds, local_rates;
  // none: exported without derivatives. Tangents of rates give the rates first
  jvehicle_function tangent[JVEHICLE_SLOPE_COUNT], adjoint[JVEHICLE_SLOPE_COUNT];
  jvehicle_function closure_tangent, closure_adjoint;
} jvehicle_model;

// What a unit of generated code is about.
extern const jvehicle_model jvehicle_exported;

#endif
