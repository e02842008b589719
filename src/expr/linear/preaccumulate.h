// SPDX-License-Identifier: Apache-2.0
// Linear functions along several directions: products of partial derivatives are made once for all directions
// where that saves more in these than it costs.
#ifndef JEXPR_PREACCUMULATE_H
#define JEXPR_PREACCUMULATE_H

#include "expr/graph.h"

// How an input takes part: not at all, its value is fixed; zero along all directions; its own value along each of
// them. Or, from 0 on, the only direction along which it is not zero: it is one there.
enum { JEXPR_ALONG_FIXED = -3, JEXPR_ALONG_NONE, JEXPR_ALONG_ALL };

typedef struct jexpr_directions {
  int n;         // directions that operations are saved in
  int nwritten;  // of them; others would be computed in the same way, and to the same bits
  void* user;
  int (*along)(void* user, const jexpr_graph* g, jexpr_ref input);
  // what stands for an input that is not fixed, along direction d of those that are written
  jexpr_ref (*seed)(void* user, jexpr_graph* g, jexpr_ref input, int d);
} jexpr_directions;

// y[i], i < n, are linear in the inputs that are not fixed; all[d * n + i] are their values along direction d. Operations
// of all directions are written side by side.
jo_status jexpr_preaccumulate(jexpr_graph* g, const jexpr_directions* by, const jexpr_ref* y, int n,
                              jexpr_ref* all);

#endif
