// SPDX-License-Identifier: Apache-2.0
// Rebuilding expressions with some nodes replaced.
#ifndef JEXPR_REWRITE_H
#define JEXPR_REWRITE_H

#include "expr/graph.h"

// Asked for every node an expression depends on, operands first. `r` is the original node, `rebuilt`
// the same with replaced operands; returns what stands for it from now on (usually `rebuilt`).
typedef jexpr_ref (*jexpr_replace)(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt);

// Replace refs[i], i < n, by their rebuilt forms. Marks move along.
jo_status jexpr_rewrite(jexpr_graph* g, jexpr_replace replace, void* user, jexpr_ref* refs, int n);

#endif
