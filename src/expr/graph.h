// SPDX-License-Identifier: Apache-2.0
// The expression graph: where recursive formalisms write their equations.
//
//   node   an operator and the refs of its operands; immutable; operands precede users
//   ref    32-bit index of a node; 0 is poison: any operation on it gives poison, so a pass asks
//          jexpr_graph_status() once, at its end
//   group  a named block of inputs (q, qd, p, t ...); a kernel gets one array per group
//   mark   a name given to a node by a formalism ("wheel_fl: w.2"): an auxiliary variable, the left
//          side of a recursive equation; counted and printed, without meaning for the value
//
// Equal expressions are one node (hash-consing), and builders return simplified, canonical nodes:
// no pass has to look for common sub-expressions. See docs/theory/expressions.md.
#ifndef JEXPR_GRAPH_H
#define JEXPR_GRAPH_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/err.h"
#include "base/mem.h"

typedef uint32_t jexpr_ref;
#define JEXPR_POISON 0u

typedef enum jexpr_op {
  JEXPR_NIL,  // the poison node
#define OP(id, name, arity, class, text, value, da, db) JEXPR_##id,
#include "expr/ops.def"
  JEXPR_OP_COUNT
} jexpr_op;

typedef enum jexpr_class {
  JEXPR_CLASS_LEAF,
  JEXPR_CLASS_ARITH,
  JEXPR_CLASS_FUNC,
  JEXPR_CLASS_STEP,
  JEXPR_CLASS_CHOICE
} jexpr_class;

typedef struct jexpr_op_info {
  const char* name;  // as written in model files
  int arity;         // -1: list
  jexpr_class class_;
  const char* c_text;
} jexpr_op_info;

extern const jexpr_op_info jexpr_ops[JEXPR_OP_COUNT];

//  op              a                 b                 c
//  CONST                             low half          high half of the double
//  INPUT           group             index in group
//  unary..ternary  operand           operand           operand
//  list            first in list[]   count
typedef struct jexpr_node {
  uint32_t op;
  uint32_t a, b, c;
} jexpr_node;

// How the inputs of a group vary.
typedef enum jexpr_vary {
  JEXPR_PER_LANE,  // an own value in every lane of a batch
  JEXPR_UNIFORM    // one value for all lanes
} jexpr_vary;

typedef struct jexpr_group_info {
  const char* name;
  int size;
  jexpr_vary vary;
  bool keeps_order;  // what depends on them is computed in the order in which it was written
} jexpr_group_info;

// The equation of an unknown (expr/body.h).
typedef struct jexpr_body {
  struct jexpr_graph* graph;
  int n;               // values c
  jexpr_ref eq[2];     // F, dF/dx
  jexpr_ref* partial;  // dF/dc (n)
} jexpr_body;

typedef struct jexpr_mark_info {
  jexpr_ref ref;
  const char* text;
} jexpr_mark_info;

// A slot of the index. The hash is compared before the node, which is likely not in the processor's cache.
typedef struct jexpr_slot {
  uint32_t ref;  // 0: empty
  uint32_t hash;
} jexpr_slot;

typedef struct jexpr_graph {
  jo_context* ctx;
  jarena names;  // group names and marks
  jexpr_node* node;
  int nnode, node_cap;
  uint32_t* list;
  int nlist, list_cap;
  jexpr_slot* table;  // open-addressing hash index of nodes
  int table_size;     // power of two
  jexpr_group_info* group;
  int ngroup, group_cap;
  jexpr_mark_info* mark;  // in order of marking
  int nmark, mark_cap;
  jexpr_body* body;
  int nbody, body_cap;
  int ncall;               // functions written out, expr/parse/parse.h
  int max_nodes;           // more are an error, told with ...
  const char* limit_hint;  // ... how to raise it
  jo_status status;        // first failure
} jexpr_graph;

// Life. create returns NULL when memory is exhausted (reported in ctx).
jexpr_graph* jexpr_graph_create(jo_context* ctx);
void jexpr_graph_destroy(jexpr_graph* g);
jo_status jexpr_graph_status(const jexpr_graph* g);

// Leaves.
jexpr_ref jexpr_const(jexpr_graph* g, double value);
int jexpr_group(jexpr_graph* g, const char* name, int size, jexpr_vary vary);  // -1 on failure
jexpr_ref jexpr_input(jexpr_graph* g, int group, int index);

// Builders. All simplify.
jexpr_ref jexpr_add(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_sub(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_mul(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_div(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_neg(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_pow(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_powi(jexpr_graph* g, jexpr_ref a, int n);
jexpr_ref jexpr_sqrt(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_exp(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_log(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_sin(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_cos(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_tan(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_asin(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_acos(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_atan(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_atan2(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_sinh(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_cosh(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_tanh(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_abs(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_sign(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_floor(jexpr_graph* g, jexpr_ref a);
jexpr_ref jexpr_min(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_max(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_lt(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_le(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
jexpr_ref jexpr_eq(jexpr_graph* g, jexpr_ref a, jexpr_ref b);
// Whether there is a comparison that holds where more > less and nowhere else, or fails so: less < more, more <= less.
bool jexpr_is_compared(const jexpr_graph* g, jexpr_ref more, jexpr_ref less);
jexpr_ref jexpr_select(jexpr_graph* g, jexpr_ref cond, jexpr_ref if_true, jexpr_ref if_false);
jexpr_ref jexpr_locate(jexpr_graph* g, jexpr_ref x, const jexpr_ref* X, int n);
jexpr_ref jexpr_pick(jexpr_graph* g, jexpr_ref k, const jexpr_ref* A, int m);
// The choice r as a pick: factors stay outside of it, where they would go into the branches of a select with a zero. For
// values that are finite and multiply what is finite: contact forces, slopes of roads.
jexpr_ref jexpr_settled(jexpr_graph* g, jexpr_ref r);
jexpr_ref jexpr_solve_again(jexpr_graph* g, const jexpr_ref* arg,
                            int n);  // of a body the graph has

// Table `which` of the data that stand among the inputs as `group`, at (u, v), du and dv times differentiated; with
// du = JDATA_FOOT the foot of (u, v) on a line, with JDATA_LIMIT a limit of the table (base/data.h).
jexpr_ref jexpr_data(jexpr_graph* g, int group, int which, int du, int dv, jexpr_ref u,
                     jexpr_ref v);
typedef struct jexpr_data_args {
  int group, which, du, dv;
  jexpr_ref u, v;
} jexpr_data_args;
jexpr_data_args jexpr_data_of(const jexpr_graph* g, jexpr_ref r);

// Build a node of any operator of fixed arity with simplification (parser, differentiation, tests).
jexpr_ref jexpr_apply(jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b, jexpr_ref c);

// Name a node as an auxiliary variable of a recursive formalism; returns it. Every call counts as
// one equation generated, unless the node is a leaf.
jexpr_ref jexpr_mark(jexpr_graph* g, jexpr_ref a, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Reading.
static inline const jexpr_node* jexpr_at(const jexpr_graph* g, jexpr_ref r) {
  return &g->node[r];
}
static inline bool jexpr_is_const(const jexpr_graph* g, jexpr_ref r) {
  return g->node[r].op == JEXPR_CONST;
}
static inline double jexpr_const_value(const jexpr_graph* g, jexpr_ref r) {
  uint64_t bits = (uint64_t)g->node[r].c << 32 | g->node[r].b;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
static inline bool jexpr_is_value(const jexpr_graph* g, jexpr_ref r, double v) {
  return jexpr_is_const(g, r) && jexpr_const_value(g, r) == v;
}
// Whether r is a comparison, or made of those: 1 or 0.
bool jexpr_is_flag(const jexpr_graph* g, jexpr_ref r);
// Operands of any node: their number, and the k-th.
static inline int jexpr_nargs(const jexpr_graph* g, jexpr_ref r) {
  JASSERT(r < (jexpr_ref)g->nnode);
  const jexpr_node* n = &g->node[r];
  int arity = jexpr_ops[n->op].arity;
  return arity < 0 ? (int)n->b : arity;
}
static inline jexpr_ref jexpr_arg(const jexpr_graph* g, jexpr_ref r, int k) {
  JASSERT(k >= 0 && k < jexpr_nargs(g, r));
  const jexpr_node* n = &g->node[r];
  if (jexpr_ops[n->op].arity < 0) return g->list[n->a + (uint32_t)k];
  return k == 0 ? n->a : k == 1 ? n->b : n->c;
}

// Structural check for tests: operands precede users, the hash index finds every node, no node
// stands twice, every node is what its builder returns for its operands.
bool jexpr_graph_is_valid(jexpr_graph* g);

#endif
