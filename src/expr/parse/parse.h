// SPDX-License-Identifier: Apache-2.0
// Expressions as users write them in model files. Grammar: docs/expressions.md.
#ifndef JEXPR_PARSE_H
#define JEXPR_PARSE_H

#include "expr/graph.h"

// Where names come from. `find` returns the node of a name, or JEXPR_POISON when there is none;
// `suggest` (may be NULL) enumerates known names for "did you mean": the i-th, NULL at the end.
#define JEXPR_TOLD (-2)

typedef struct jexpr_scope {
  jexpr_ref (*find)(void* user, jexpr_graph* g, const char* name, size_t length);
  const char* (*suggest)(void* user, int i);
  void* user;
  // Calls of functions that are not operators, tables for instance: JEXPR_POISON when unknown.
  // May be NULL. `nargs` arguments are given; a wrong number is reported by setting *expected
  // to the right one (and returning poison), and JEXPR_TOLD says that a mistake was told.
  jexpr_ref (*call)(void* user, jexpr_graph* g, const char* name, size_t length,
                    const jexpr_ref* args, int nargs, int* expected);
  // Why a name without a node is no misspelling: "a table; write f(x)". NULL: it is one. May be NULL.
  const char* (*why)(void* user, const char* name, size_t length);
  // Levels of nesting at hand, kept by the parser, for those whose `find` reads other texts in turn
  // (expr/tape/order.h); may be NULL.
  int* depth;
} jexpr_scope;

// Parse `text` (length n). On a mistake reports "WHERE: column C: cause; hint" with the `where`
// given (for instance "buggy.yaml:12: spring 'front'"), returns its status and sets *out to poison.
jo_status jexpr_parse(jexpr_graph* g, const char* text, size_t n, const jexpr_scope* scope,
                      const char* where, jexpr_ref* out);

// A function given as text: its value with the arguments `value` in the place of the names `name`. The scope
// must have a depth: functions that call each other are told when they go too deep (expr/tape/order.h), or are
// written out too often.
typedef struct jexpr_call {
  const char* text;
  int nargs;
  const char* const* name;
  const jexpr_ref* value;
} jexpr_call;
jo_status jexpr_parse_call(jexpr_graph* g, const jexpr_call* call, const jexpr_scope* scope,
                           const char* where, jexpr_ref* out);

#endif
