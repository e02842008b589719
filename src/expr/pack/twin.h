// SPDX-License-Identifier: Apache-2.0
// Twins: where a graph repeats itself.
//
//   colour  nodes have the same one when they are the same tree of operators, whatever their constants and inputs, and
//           whatever signs: a sum and a difference are twins, and a negation is not a node of the tree
//   family  nodes of one colour in an order: the third of one family belongs to the third of another, as what
//           belongs to the third arm does. Found by following operands and users from family to family
//
// Nodes of one colour have the same height: no member of a family depends on another one.
#ifndef JEXPR_TWIN_H
#define JEXPR_TWIN_H

#include "expr/tape/schedule.h"

#define JEXPR_TERMS 3  // most operands of an operator with a fixed number of them

// An operand, seen through negations.
typedef struct jexpr_term {
  jexpr_ref ref;
  bool flip;
} jexpr_term;

typedef struct jexpr_twins {
  int ncolour;
  int* colour;                      // 0: a leaf, a negation, a list, or not needed      (by node)
  jexpr_term (*term)[JEXPR_TERMS];  // in an order that is the same for all twins        (by node)
  int nfamily;
  int* first;  // in member                                                       (nfamily + 1)
  jexpr_ref* member;  //
} jexpr_twins;

// All is in the arena. near: nodes that may be twins also where only the operators next to them are the same (NULL: none).
// Members of a family of these may depend on each other.
jo_status jexpr_twins_find(jarena* a, const jexpr_fn* fn, const jexpr_schedule* s, const bool* near,
                           jexpr_twins* out);

#endif
