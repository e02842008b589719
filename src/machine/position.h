// SPDX-License-Identifier: Apache-2.0
// Assembly: positions that close all loops and meet the initial conditions, then velocities. Functions and tables,
// as machines are.
#ifndef JMACHINE_POSITION_H
#define JMACHINE_POSITION_H

#include "machine/machine.h"

// Functions of (numbers, t, q), q all coordinates:
//   closure   h (nh), J = dh/dq (nh x nq, column after column)
//   drives    s, sd, sdd of the driven coordinates (nd)
//   initial   quantity, its value (quantity itself: not given), its rate, d quantity / dq (ninitial x nq), guesses (nq)
//   states    initial values of the additional states (nz)
typedef enum jmachine_position_fn {
  JMACHINE_CLOSURE,
  JMACHINE_DRIVES,
  JMACHINE_INITIAL,
  JMACHINE_STATES,
  JMACHINE_POSITION_FN_COUNT
} jmachine_position_fn;

typedef struct jmachine_coordinate {
  bool is_driven, is_angle;
  const char* name;
  jmachine_place
      drive_place;  // where the drive stands in the model, and what it says; NULL: nothing
  const char* drive_text;
} jmachine_coordinate;

typedef struct jmachine_initial {
  bool has_value, has_rate;
  jmachine_place place;
  const char* text;  // of the quantity; may be NULL
} jmachine_initial;

typedef struct jmachine_position {
  const char* path;  // of the model, for messages
  int nq, nz, nh, ninitial, nd;
  const jmachine_coordinate* coordinate;  // (nq)
  const jmachine_initial* initial;        // (ninitial)
  const char* const* row_name;            // of each closure equation (nh)
  int ncoupling;                          // the last of them are relations of couplings
  void* host;
  void (*eval)(void* host, jmachine_position_fn f, const double* values, double t, const double* q,
               double* const* out);
  // Coordinates that neither the closures, the first nh rows of A (nh + ninitial, by nq), nor the conditions below
  // them determine: of positions, or of rates. inner: where there is a choice, inner coordinates move.
  jo_status (*undetermined)(void* host, jo_context* ctx, jarena* a, const double* A, bool rates,
                            bool inner, bool* stays);
} jmachine_position;

// Coordinates that nothing determines stay at their guesses, and their rates are zero: which ones, the
// same pivoting decides that chooses independent coordinates. docs/theory/sensitivity.md, the start
typedef struct jmachine_assembly {
  double *q, *qd;   // by coordinate, driven ones included (nq)
  double* J;        // closure Jacobian there (nh x nq)
  double* z;        // initial additional states
  double residual;  // largest closure residual
  bool* stays;      // coordinates left at their guess (nq)
  bool* rests;      // coordinates whose rate nothing determines: it is zero (nq)
  bool* arbitrary;  // of those that stay: might have moved to meet a condition in place of others
  bool* idle;       // of those that rest: might move to meet a rate in place of others
  int beside;       // starts beside the guesses that it took to close the loops; 0: they do
  bool is_moved;    // loops or conditions cannot be met with them at their guesses: they are where
                    // the search came to, and the rest depends on the way there
} jmachine_assembly;

// `values`: of the live numbers. `from`: coordinates the search begins at (nq), NULL: the guesses. Results are in the
// arena.
jo_status jmachine_assemble(jo_context* ctx, jarena* a, const jmachine_position* p,
                            const double* values, const double* from, double t,
                            jmachine_assembly* out);

// Velocities at another position q that closes the loops: as the initial conditions say, consistent.
// qd, rests: as in an assembly (nq). Driven coordinates in q are set.
jo_status jmachine_assemble_velocity(jo_context* ctx, jarena* a, const jmachine_position* p,
                                     const double* values, double t, double* q, double* qd,
                                     bool* rests);

#endif
