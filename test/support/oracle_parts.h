// SPDX-License-Identifier: Apache-2.0
// What the files of the oracle share: model data as numbers, poses, constraints.
#ifndef JTEST_ORACLE_PARTS_H
#define JTEST_ORACLE_PARTS_H

#include "expr/graph.h"
#include "support/jet.h"
#include "support/oracle.h"

#undef I  // of complex.h

typedef struct body {
  double m, com[3], I[3][3];  // inertia about the centre of mass, body axes
  jet33 C;                    // design orientation
  jet3 origin;                // design position of the frame
} body;

typedef struct pose {
  jet33 R;  // body axes -> ground
  jet3 o;   // origin of the body frame
} pose;

struct oracle {
  jo_context* ctx;
  const jmodel* m;
  body* body;
  int n;                                        // absolute coordinates: 6 per moving body
  int njoint, nclosure, ndrive, ncoupling, nc;  // constraint equations
};

typedef struct names {
  const oracle* o;
  const double *q, *qd;
  int nlocal;
  const char* name[3];
  double value[3];
} names;

// Expressions: the order-th derivative by time of a node, of a scalar; a table called at x.
double oracle_node(const oracle* o, jexpr_graph* g, jexpr_ref r, double t, int order);
double oracle_evaluate(const oracle* o, const jmodel_scalar* x, const names* w, double t,
                       int order);
jet3 oracle_vector(const oracle* o, const jmodel_v3* x);
jexpr_ref oracle_table(const oracle* o, jexpr_graph* g, const jmodel_table* t, jexpr_ref x);

// Points and directions of the model, in axes of their body.
jet3 oracle_point(const oracle* o, const jmodel_point* p);
jet3 oracle_direction(const oracle* o, const jmodel_vector* v);

static inline jet3 at(const pose* p, jet3 r) {
  return add(p->o, apply(&p->R, r));
}

// Poses at joint coordinates (qd, qdd: NULL for zeros), and absolute velocities (k = 1) or
// accelerations (k = 2) that go with them: centre of mass, then rotation, per body.
void oracle_place(const oracle* o, const double* q, const double* qd, const double* qdd, pose* P);
void oracle_absolute(const oracle* o, const pose* P, int k, double* x);

// All residuals of joints and closures. only >= 0: those that touch this body, others zero.
void oracle_residuals(const oracle* o, const pose* P, int only, jet* out);

// Relations of the couplings for values x of all coordinates, less their offsets (ncoupling).
void oracle_relations(const oracle* o, const double* x, bool offsets, double* out);

#endif
