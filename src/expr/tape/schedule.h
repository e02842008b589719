// SPDX-License-Identifier: Apache-2.0
// From a graph to an ordered list of what must be computed: elimination, order, counts.
#ifndef JEXPR_SCHEDULE_H
#define JEXPR_SCHEDULE_H

#include <stdint.h>

#include "expr/graph.h"

// A function to be evaluated: named groups of outputs over one graph. Its inputs are the groups of
// the graph, in their order.
typedef struct jexpr_outputs {
  const char* name;
  int n;
  const jexpr_ref* ref;
} jexpr_outputs;

typedef struct jexpr_fn {
  const char* name;
  const jexpr_graph* graph;
  int nout;
  const jexpr_outputs* out;
} jexpr_fn;

// What survives elimination, in an order that keeps live ranges short: depth first from the
// outputs, the operand that needs more values alive first. Leaves are not listed.
typedef struct jexpr_schedule {
  int n;
  jexpr_ref* order;  // (n)
  int* last_use;     // position of the last user of order[i]; n: an output  (n)
  int max_live;      // most values alive at once
} jexpr_schedule;

jo_status jexpr_schedule_build(jarena* a, const jexpr_fn* fn, jexpr_schedule* out);

// Operations by kind. `neg` counts with the subtractions, as in the literature.
typedef struct jexpr_counts {
  int add, sub, mul, div, root, trig, func, logic, lookup;
  int total;
} jexpr_counts;

jexpr_counts jexpr_count(const jexpr_graph* g, const jexpr_schedule* s);

// Operations when every use of a shared node is written out again (in extenso), as blind
// differentiation would print it. A double: it grows exponentially.
jo_status jexpr_count_expanded(jarena* a, const jexpr_fn* fn, double* add_sub_mul);

// The formalism's equations (marked nodes): written down, and reaching a requested output.
typedef struct jexpr_equations {
  int generated;
  int kept;
} jexpr_equations;

jexpr_equations jexpr_count_equations(const jexpr_graph* g, const jexpr_schedule* s,
                                      jarena* scratch);

#endif
