// SPDX-License-Identifier: Apache-2.0
// The head of the header shared by emitted sources: types and helpers, printed from the operator
// table so that a lane computes what a single evaluation computes.
#ifndef JEMIT_PRELUDE_H
#define JEMIT_PRELUDE_H

#include "base/text/text.h"
#include "expr/graph.h"

// base/elementary_text.h, embedded
extern const char jbase_elementary_text_h[];

typedef struct jemit_needs {
  bool function[JEXPR_OP_COUNT];         // elementary ones (base/elementary_text.h)
  bool functions;                        // any of them
  bool single;                           // single precision, and ...
  bool single_function[JEXPR_OP_COUNT];  // ... elementary functions of it
  bool unknowns;                         // what solves equations (expr/body.h)
  bool data;                             // what reads tables (base/data.h)
} jemit_needs;

// Whether the operator is one of the elementary functions.
bool jemit_is_function(const jexpr_op_info* op);
void jemit_put_prelude(jtext* t, int lanes, const jemit_needs* needs);

// Elementary functions of vectors of the width, after those of single values.
void jemit_put_functions(jtext* t, int width);

#endif
