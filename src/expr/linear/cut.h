// SPDX-License-Identifier: Apache-2.0
// A function in two parts: what does not depend on some inputs, computed once, and the rest, for each value of these.
#ifndef JEXPR_CUT_H
#define JEXPR_CUT_H

#include "expr/graph.h"

// y[i], i < n, become functions of late inputs, of leaves and of inputs of a group, which stand for the nodes *kept
// (*nkept, in the arena), in the order in which they are read: these do not depend on late inputs. The group is made large
// enough.
jo_status jexpr_cut(jexpr_graph* g, jarena* a, bool (*is_late)(const jexpr_node* input), int group,
                    jexpr_ref* y, int n, jexpr_ref** kept, int* nkept);

#endif
