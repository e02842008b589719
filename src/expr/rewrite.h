// SPDX-License-Identifier: Apache-2.0
// Rebuilding expressions with some nodes replaced.
#ifndef JEXPR_REWRITE_H
#define JEXPR_REWRITE_H

#include "expr/graph.h"

// Asked for every node an expression depends on, operands first. `r` is the original node, `rebuilt`
// the same with replaced operands; returns what stands for it from now on (usually `rebuilt`).
typedef jexpr_ref (*jexpr_replace)(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt);

// The node of an operator over operands of its number.
jexpr_ref jexpr_rebuild(jexpr_graph* g, jexpr_op op, const jexpr_ref* arg, int n);

// Replace refs[i], i < n, by their rebuilt forms. Marks move along.
jo_status jexpr_rewrite(jexpr_graph* g, jexpr_replace replace, void* user, jexpr_ref* refs, int n);

// From a graph into another: what stands there for the nodes of the first.
typedef struct jexpr_copy {
  const jexpr_graph* from;
  jexpr_graph* to;
  jexpr_ref* now;   // (nnode of from); 0: not copied
  jexpr_ref* list;  // operands of the last node, as they are there
} jexpr_copy;

bool jexpr_copy_init(jexpr_copy* c, jarena* a, const jexpr_graph* from, jexpr_graph* to);
// A node whose operands are copied.
void jexpr_copy_node(jexpr_copy* c, jexpr_ref r);
// What n roots depend on, and these (nnode), or one; NULL: no memory.
bool* jexpr_needed_by(const jexpr_graph* g, jarena* a, const jexpr_ref* root, int n);
bool* jexpr_needed(const jexpr_graph* g, jarena* a, jexpr_ref root);

#endif
