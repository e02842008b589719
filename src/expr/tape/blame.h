// SPDX-License-Identifier: Apache-2.0
// Why a value is not finite: the operation that made something not finite of finite operands.
#ifndef JEXPR_BLAME_H
#define JEXPR_BLAME_H

#include "expr/graph.h"

#define JEXPR_BLAME_SIZE 128

// Evaluate r with the arrays of the groups it depends on (one lane) and write the operation at fault
// with its operands' values, "log(-99.2)" or "1 / 0"; "" when the value is finite, when it is not finite
// in an input already, or when there is no memory to find out.
void jexpr_blame(jo_context* ctx, const jexpr_graph* g, jexpr_ref r, const double* const* in,
                 char text[JEXPR_BLAME_SIZE]);

// Value of r, evaluated in the same way.
jo_status jexpr_blame_value(jo_context* ctx, const jexpr_graph* g, jexpr_ref r,
                            const double* const* in, double* out);

#endif
