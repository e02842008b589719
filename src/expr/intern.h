// SPDX-License-Identifier: Apache-2.0
// Hash-consing, for the builders of this folder only: no simplification happens here.
#ifndef JEXPR_INTERN_H
#define JEXPR_INTERN_H

#include "expr/graph.h"

// The one node with this operator and these operands, made where it does not exist.
jexpr_ref jexpr_intern(jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b, jexpr_ref c);
jexpr_ref jexpr_intern_list(jexpr_graph* g, jexpr_op op, const jexpr_ref* arg, int n);

// The same without making it: JEXPR_POISON when it does not exist.
jexpr_ref jexpr_lookup(const jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b, jexpr_ref c);

// Remember the first failure; returns poison.
jexpr_ref jexpr_fail(jexpr_graph* g, jo_status status);

#endif
