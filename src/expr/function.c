// SPDX-License-Identifier: Apache-2.0
#include "expr/function.h"

#include <string.h>

#include "expr/whole.h"

#define PI 3.14159265358979323846

static jexpr_ref build_if(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_select(g, x[0], x[1], x[2]);
}

static jexpr_ref build_clamp(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_min(g, jexpr_max(g, x[0], x[1]), x[2]);
}

static jexpr_ref build_hypot(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_sqrt(g, jexpr_add(g, jexpr_mul(g, x[0], x[0]), jexpr_mul(g, x[1], x[1])));
}

static jexpr_ref build_step(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_le(g, jexpr_const(g, 0.0), x[0]);
}

static jexpr_ref build_ceil(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_neg(g, jexpr_floor(g, jexpr_neg(g, x[0])));
}

static jexpr_ref build_mod(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  // a product with zero would hide the quotient, which is not finite
  if (jexpr_is_value(g, x[1], 0.0)) return jexpr_div(g, jexpr_const(g, 1.0), x[1]);
  jexpr_ref turns = jexpr_floor(g, jexpr_div(g, x[0], x[1]));
  return jexpr_sub(g, x[0], jexpr_mul(g, x[1], turns));
}

static jexpr_ref build_atan2(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_angle(g, x[0], x[1]);
}

static jexpr_ref build_sum(jexpr_graph* g, const jexpr_ref* x, int n) {
  jexpr_ref sum = x[0];
  for (int i = 1; i < n; i++) {
    sum = jexpr_add(g, sum, x[i]);
  }
  return sum;
}

static jexpr_ref build_mean(jexpr_graph* g, const jexpr_ref* x, int n) {
  return jexpr_div(g, build_sum(g, x, n), jexpr_const(g, n));
}

static jexpr_ref build_deg(jexpr_graph* g, const jexpr_ref* x, int n) {
  (void)n;
  return jexpr_mul(g, x[0], jexpr_const(g, PI / 180.0));
}

// Functions composed of operators.
static const jexpr_function derived[] = {
    {"if", 3, JEXPR_NIL, build_if, false},
    {"clamp", 3, JEXPR_NIL, build_clamp, false},
    {"hypot", 2, JEXPR_NIL, build_hypot, false},
    {"step", 1, JEXPR_NIL, build_step, true},
    {"ceil", 1, JEXPR_NIL, build_ceil, false},
    {"mod", 2, JEXPR_NIL, build_mod, false},
    {"atan2", 2, JEXPR_NIL, build_atan2, false},
    {"deg", 1, JEXPR_NIL, build_deg, false},
    {"sum", JEXPR_LIST, JEXPR_NIL, build_sum, false},
    {"mean", JEXPR_LIST, JEXPR_NIL, build_mean, false},
};
#define NDERIVED ((int)(sizeof derived / sizeof derived[0]))

// Derived ones first, then operators, but those that have a sign of their own, and those that tables are made of.
static bool function_at(int i, jexpr_function* out) {
  if (i < NDERIVED) {
    *out = derived[i];
    return true;
  }
  jexpr_op op = (jexpr_op)(i - NDERIVED);
  const jexpr_op_info* info = &jexpr_ops[op];
  *out = (jexpr_function){info->name, info->arity, op, NULL, false};
  if (op == JEXPR_NIL || op == JEXPR_ATAN2) return false;
  switch (info->class_) {
    case JEXPR_CLASS_FUNC: return info->arity > 0;     // not solve
    case JEXPR_CLASS_STEP: return info->arity == 1;    // sign, floor
    case JEXPR_CLASS_CHOICE: return info->arity == 2;  // min, max
    default: return false;
  }
}

const char* jexpr_function_name(int i) {
  jexpr_function f;
  for (int k = 0; k < NDERIVED + (int)JEXPR_OP_COUNT; k++) {
    if (function_at(k, &f) && i-- == 0) return f.name;
  }
  return NULL;
}

bool jexpr_function_find(const char* name, size_t n, jexpr_function* out) {
  for (int i = 0; i < NDERIVED + (int)JEXPR_OP_COUNT; i++) {
    bool is_one = function_at(i, out) && strlen(out->name) == n;
    if (is_one && memcmp(name, out->name, n) == 0) return true;
  }
  return false;
}

bool jexpr_is_function(const char* name, size_t length) {
  jexpr_function f;
  return jexpr_function_find(name, length, &f);
}
