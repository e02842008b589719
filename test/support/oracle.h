// SPDX-License-Identifier: Apache-2.0
// A second opinion on mechanics: Newton-Euler in absolute coordinates, six equations per body, every
// joint and closure as constraint functions of the body poses, solved as one dense system. It shares
// the reader of model files and the parser of expressions with the library, nothing else; slow, and
// as plain as it can be. Velocities and accelerations come from truncated Taylor series in time, so
// that no derivative is written by hand.
#ifndef JTEST_ORACLE_H
#define JTEST_ORACLE_H

#include "model/model.h"

typedef struct oracle oracle;

#define ORACLE_COUPLINGS 8

// Conventions are those of model/model.h. Ownership: caller, release with oracle_destroy().
oracle* oracle_create(jo_context* ctx, const jmodel* m);
void oracle_destroy(oracle* o);

typedef struct oracle_report {
  double gap;     // largest residual of a closure at q [m], [-]
  double slip;    // largest rate of a closure
  double misfit;  // absolute accelerations that no joint accelerations explain
  int rank;       // of the constraint equations
  int nconstraint;
  int nclosure;                       // how many of them are closures and couplings
  double coupling[ORACLE_COUPLINGS];  // multipliers of the couplings, relation by relation
} oracle_report;

// Accelerations of all coordinates at consistent q, qd; driven ones follow their expressions.
// drive_force: generalised forces that drive them, by coordinate, 0 elsewhere (NULL: not wanted).
void oracle_accelerations(const oracle* o, double t, const double* q, const double* qd, double* qdd,
                          double* drive_force, oracle_report* report);

// Generalised forces by coordinate that the tree needs, besides its own elements, to accelerate so.
void oracle_inverse(const oracle* o, double t, const double* q, const double* qd, const double* qdd,
                    double* Q);

// Velocities after driven coordinates have jumped to the rates in qd_after; on return all of them,
// and the impulses that did it, by coordinate (0 for those not driven).
void oracle_jump(const oracle* o, double t, const double* q, const double* qd_before,
                 double* qd_after, double* impulse);

double oracle_kinetic_energy(const oracle* o, const double* q, const double* qd);  // [J]
double oracle_gap(const oracle* o, const double* q);  // largest residual of the closures

#endif
