// SPDX-License-Identifier: Apache-2.0
// The arithmetic that a function is written in: double precision, or single. One text serves both.
//
// A function takes and gives doubles, and work space too. Statements in single precision round what they read; their
// constants, values and helpers are floats, and names of the helpers end in f: jk_min2f, jm_sinf. Unknowns of equations are
// still found in double precision (expr/body.h).
#ifndef JEMIT_REAL_H
#define JEMIT_REAL_H

#include "base/text/text.h"
#include "emit/plan.h"

typedef struct jemit_real {
  const char* type;
  const char* suffix;   // of names and literals
  const char* integer;  // as long as the type
  int bytes;
} jemit_real;

extern const jemit_real jemit_double, jemit_single;

// `text` for an arithmetic and a number of lanes:
//   $   number of lanes and suffix: jk_min$     %n  number of lanes alone
//   %r  type   %f  suffix   %i  integer   %b  bytes   %%  %
//   @, text;   once per lane, # being the lane; ^@text; likewise, with commas between them
void jemit_put_for(jtext* t, const jemit_real* real, int lanes, const char* text);

// A part of the C text of an operator (expr/ops.def) as this arithmetic has it: `fabsf(`, `0.0f`, `(float)`.
void jemit_put_operator_text(jtext* t, const jemit_real* real, const char* text, size_t length);

// A constant as this arithmetic has it. Those below all floats become the least of them: they stand where a sum must not be
// zero.
double jemit_constant(const jemit_real* real, double value);

// Whether no constant of a function is too large for a float.
bool jemit_is_in_single_range(const jemit_plan* plan);

// Statements that are to be in single precision, by item: all but sums with a root in them, deflections of springs, and
// those that a group of outputs (one behind the last: none) depends on. What these need is double: nothing is ever widened on the way to them.
jo_status jemit_mark_single(jo_context* ctx, jarena* a, const jemit_plan* plan, int group,
                            bool** out);

#endif
