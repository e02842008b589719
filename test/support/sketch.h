// SPDX-License-Identifier: Apache-2.0
// Equations of a model while they are written, for tests of the parts of gen/: coordinates, velocities and
// accelerations are inputs, and whatever a part writes is evaluated at the numbers the sketch holds.
#ifndef JTEST_SKETCH_H
#define JTEST_SKETCH_H

#include "gen/begin.h"
#include "support/fixture.h"
#include "support/random_graph.h"

// the first two stand where jgen_drive_rates() wants them
enum {
  SKETCH_P,
  SKETCH_T,
  SKETCH_Q,
  SKETCH_QD,
  SKETCH_QDD,
  SKETCH_Z,
  SKETCH_ROAD,
  SKETCH_MODE,
  SKETCH_MORE,  // for what a test needs besides
  SKETCH_GROUPS
};

enum { SKETCH_MAX = 128, SKETCH_NUMBERS = 1024 };

typedef struct sketch {
  fixture* f;
  jgen s;
  jexpr_graph* g;
  int nq, np, nz;
  double p[SKETCH_NUMBERS];
  double t, q[SKETCH_MAX], qd[SKETCH_MAX], qdd[SKETCH_MAX], z[SKETCH_MAX];
  double road[2], mode[SKETCH_MAX], more[SKETCH_MAX];
} sketch;

// Links of the fixture's model with positions and velocities known, accelerations zero. With `hub` a body on
// a free joint is one. The sketch has the fixture from now on.
void sketch_open(sketch* k, fixture* f, bool hub);
void sketch_close(sketch* k);

// Accelerations are inputs from now on: what was written before does not know them.
void sketch_accelerate(sketch* k);

// Numbers for all coordinates, velocities and accelerations, up to `size`.
void sketch_randomise(sketch* k, random_source* source, double size);

// Accelerations by coordinate of a tree, those of hubs in their axes, by articulated bodies: branches of up to `merged` unknowns
// as one of them.
void sketch_articulate(sketch* k, int merged, jexpr_ref* x);

// Values at the numbers of the sketch. The graph must be without a fault.
void sketch_eval(sketch* k, const jexpr_ref* ref, int n, double* out);
double sketch_value(sketch* k, jexpr_ref ref);
void sketch_v3(sketch* k, jexpr_v3 v, double out[3]);
void sketch_m3(sketch* k, const jexpr_m3* A, double out[9]);  // row-major

// d/dt of ref (n), along q' = qd and, with accelerations known, qd' = qdd, t' = 1.
void sketch_rate(sketch* k, const jexpr_ref* ref, int n, jexpr_ref* rate);

// A generated function of any graph, by the interpreter.
void sketch_call(jo_context* ctx, const jexpr_fn* fn, const double* const* in, double* const* out);

#endif
