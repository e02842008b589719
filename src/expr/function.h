// SPDX-License-Identifier: Apache-2.0
// The functions that every expression knows: operators that are written as such, and what is composed of operators.
#ifndef JEXPR_FUNCTION_H
#define JEXPR_FUNCTION_H

#include "expr/graph.h"

#define JEXPR_LIST (-1)  // one argument or more

typedef struct jexpr_function {
  const char* name;
  int nargs;    // JEXPR_LIST: functions and tables of a scope come first
  jexpr_op op;  // when it is an operator
  jexpr_ref (*build)(jexpr_graph* g, const jexpr_ref* x, int n);  // when it is not
  bool is_truth;                                                  // 0 or 1
} jexpr_function;

bool jexpr_function_find(const char* name, size_t n, jexpr_function* out);
const char* jexpr_function_name(int i);  // NULL behind the last
bool jexpr_is_function(const char* name, size_t n);

#endif
