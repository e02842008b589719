// SPDX-License-Identifier: Apache-2.0
// Random expressions over all operators, for laws that must hold for every graph. The same
// expression exists twice: as simplified nodes of a graph, and as a plain list of steps that is
// evaluated directly, one libm call per step, by code that shares nothing with the library.
//
// Values are kept of order one and arguments inside the domains by construction (sqrt(1 + x*x)),
// so that comparisons to a few roundings make sense. Where an expression has kinks or jumps, points
// near one are recognised and left out: no derivative exists there.
#ifndef JTEST_RANDOM_GRAPH_H
#define JTEST_RANDOM_GRAPH_H

#include "base/data.h"
#include "expr/graph.h"
#include "expr/table.h"

// xorshift64*; the same numbers on every machine
typedef struct random_source {
  uint64_t state;
} random_source;

void random_seed(random_source* s, uint64_t seed);
double random_uniform(random_source* s, double lo, double hi);
int random_below(random_source* s, int n);  // 0 ... n-1

enum {
  RANDOM_MAX_INPUT = 12,
  RANDOM_MAX_GROUP = 3,  // of numbers; data are one more
  RANDOM_MAX_OUTPUT = 4,
  RANDOM_MAX_STEP = 1500,
  RANDOM_MAX_TABLE = 16,
  RANDOM_TABLE_POINTS = 36,
};

// Steps of the plain program: an operator of ops.def, or a table.
enum { RANDOM_STEP_TABLE = JEXPR_OP_COUNT };

typedef struct random_step {
  int op;
  int a, b, c;     // steps; input number for INPUT; table number, in a, and x, in b, for a table
  double value;    // of a constant
  double bound;    // largest possible magnitude
  bool discrete;   // an integer free of rounding, so that comparing it needs no margin
  bool flat;       // may be constant around a point, so that comparing it may have no margin
  jexpr_ref node;  // the same in the graph
} random_step;

typedef struct random_table {
  jexpr_table_kind kind;
  jexpr_extrapolation rule;
  int n;
  bool varies;                                         // some data are no constants
  int X[RANDOM_TABLE_POINTS], Y[RANDOM_TABLE_POINTS];  // steps
} random_table;

typedef struct random_graph {
  jexpr_graph* g;
  random_source source;
  int ngroup, group_start[RANDOM_MAX_GROUP + 1];  // inputs are numbered through the groups
  int ninput, noutput, nstep, ntable;
  random_step step[RANDOM_MAX_STEP];
  random_table table[RANDOM_MAX_TABLE];
  jexpr_ref input[RANDOM_MAX_INPUT];
  jexpr_ref output[RANDOM_MAX_OUTPUT];
  int output_step[RANDOM_MAX_OUTPUT];
} random_graph;

// What the last group, `ngroup`, gets.
extern const jdata random_graph_data;

// Make an expression in the empty graph `g`. Ask jexpr_graph_status() afterwards.
void random_graph_build(random_graph* r, jexpr_graph* g, uint64_t seed);

// Evaluate the plain program at x (all inputs, group after group). Returns the distance to the
// nearest kink or jump, in the units of the quantity that decides.
double random_graph_eval(const random_graph* r, const double* x, double* y);

// A point away from all kinks; false when none was found.
#define RANDOM_MARGIN 1e-3
bool random_graph_point(random_graph* r, double* x);

#endif
