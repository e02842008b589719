// SPDX-License-Identifier: Apache-2.0
// Bounds of switching functions over an interval of time (interval arithmetic). Looks at single instants cannot show that
// nothing happens between them; bounds can. docs/theory/integration.md, "Conditions of time".
//
// A switching function is a program: instructions in the order of evaluation, one value each. Every value is an interval
// that contains all values the function takes as floating-point numbers over the interval of time, and an interval that
// contains its derivative with respect to time. Sums, products, quotients and roots are monotone even as they are
// rounded; elementary functions are widened by more than their error.
#ifndef JSOLVE_ENCLOSE_H
#define JSOLVE_ENCLOSE_H

#include <stdbool.h>

// X(id, operands); the names of operands are a, b, c. -1: a list
#define JSOLVE_ENCLOSE_LIST(X) \
  X(TIME, 0)                   \
  X(CONSTANT, 0)               \
  X(PARAMETER, 0)              \
  X(STATE, 0)                  \
  X(MODE, 0)                   \
  X(ADD, 2)                    \
  X(SUB, 2)                    \
  X(MUL, 2)                    \
  X(DIV, 2)                    \
  X(NEG, 1)                    \
  X(SQRT, 1)                   \
  X(POW, 2)                    \
  X(EXP, 1)                    \
  X(LOG, 1)                    \
  X(SIN, 1)                    \
  X(COS, 1)                    \
  X(TAN, 1)                    \
  X(ASIN, 1)                   \
  X(ACOS, 1)                   \
  X(ATAN, 1)                   \
  X(ATAN2, 2)                  \
  X(SINH, 1)                   \
  X(COSH, 1)                   \
  X(TANH, 1)                   \
  X(ABS, 1)                    \
  X(SIGN, 1)                   \
  X(FLOOR, 1) X(LT, 2) X(LE, 2) X(EQ, 2) X(MIN, 2) X(MAX, 2) X(SELECT, 3) X(LOCATE, -1) X(PICK, -1)

typedef enum jsolve_enclose_op {
#define X(id, arity) JSOLVE_ENCLOSE_##id,
  JSOLVE_ENCLOSE_LIST(X)
#undef X
      JSOLVE_ENCLOSE_COUNT
} jsolve_enclose_op;

// Programs of some switching functions, as tables.
typedef struct jsolve_enclosure {
  int n;  // instructions
  const int*
      code;  // op, a, b, c: instructions, or the index of an input; a list: first entry, length (4 n)
  int nconstant, nlist;
  const double* constant;  // (nconstant)
  const int* list;         // instructions (nlist)
  int nwatch;
  const int* which;  // switches, ascending (nwatch)
  const int*
      value;  // instructions that are their functions, or what these are whole parts of (nwatch)
  const bool*
      has_states;  // depends on states that move, not on time and what is constant between events alone (nwatch)
  const bool*
      is_whole;  // positive where the whole part of the value is odd, negative where it is even (nwatch)
  const bool* is_aid;  // what bounds do not decide soon is left to looks; NULL: of none (nwatch)
} jsolve_enclosure;

// All values over an interval of time, and their rates there. Not known: infinite.
typedef struct jsolve_range {
  double lo, hi;
  double rate_lo, rate_hi;
} jsolve_range;

// What the functions are of, beside time.
typedef struct jsolve_enclose_inputs {
  const double *p, *mode;
  const double* y;            // states, where they are constant
  const jsolve_range* state;  // ... and over the interval of time, where they move; NULL: none does
  const bool* varies;         // parameters that may have any value; NULL: none does
  bool any_state;             // states and modes may have any value
} jsolve_enclose_inputs;

// Bounds of all instructions over t0 ... t1 (n).
void jsolve_enclose(const jsolve_enclosure* e, const jsolve_enclose_inputs* in, double t0,
                    double t1, jsolve_range* out);

// Whether every two changes of sign of each function are proved to be more than `apart` from each other in t0 ... t1. `out` is
// scratch (n).
bool jsolve_enclose_is_slow(const jsolve_enclosure* e, const jsolve_enclose_inputs* in, double t0,
                            double t1, double apart, jsolve_range* out);

#endif
