// SPDX-License-Identifier: Apache-2.0
// The local error of steps, from the values and slopes at their ends alone: what is left of a vector when all polynomials
// through five successive nodes are taken away. docs/theory/sensitivity.md eq. (S39).
#ifndef JSENS_NODES_H
#define JSENS_NODES_H

#include "base/mem.h"
#include "sens/lanes.h"

enum { JSENS_NODES = 5, JSENS_LEAST_NODES = 4 };

// So many steps in a row of which nodes tell more than the embedded method are at their limit of stability. A corner of the equations,
// which the embedded method may miss, is between few nodes.
enum { JSENS_STIFF_STEPS = 5 };

// The last nodes of a stretch of steps without an event between them.
typedef struct jsens_nodes {
  int n;      // elements of a vector
  int count;  // nodes of the stretch so far
  double t[JSENS_NODES];
  double *x[JSENS_NODES], *slope[JSENS_NODES];  // the last one last; those that are not there first
} jsens_nodes;

bool jsens_nodes_begin(jarena* a, int n, jsens_nodes* s);
static inline void jsens_nodes_restart(jsens_nodes* s) {
  s->count = 0;
}

// One more node at t: where its value and its slope are to be put (n).
void jsens_nodes_next(jsens_nodes* s, double t, double** x, double** slope);

// (S39)  The mean of the local errors of the steps between the last nodes: of five of them, or of four where there are no
// more. False where there are less, or one of them is there twice.
bool jsens_nodes_error(const jsens_nodes* s, const jsens_lanes* lanes, double* error);

// Steps of a stretch that the error above stands for when its last node came: the first one also for the steps before it.
int jsens_nodes_steps(const jsens_nodes* s);
// The same at the end of the stretch, once more: for the steps behind the last.
int jsens_nodes_steps_left(const jsens_nodes* s);

#endif
