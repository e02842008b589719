// SPDX-License-Identifier: Apache-2.0
// A model file brought to life for a test: plant, run, and the state in the test's hands.
#ifndef JTEST_RIG_H
#define JTEST_RIG_H

#include "plant/plant.h"
#include "support/fixture.h"
#include "support/oracle.h"
#include "support/random_graph.h"

typedef struct rig {
  fixture* f;  // holds these four
  jo_context* ctx;
  jmodel* m;
  jplant* plant;
  jplant_work* run;
  const jgen_dynamics* d;
  double t;
  double *y, *ydot, *out, *g;
  double *q, *qd, *qdd;  // by coordinate; qdd of independent ones only
} rig;

void rig_open(rig* r, const char* path, const jmodel_setting* set, int nset,
              const jplant_options* opt);
void rig_open_text(rig* r, const char* path, const char* text, const jplant_options* opt);
void rig_close(rig* r);

// Operations of one evaluation of the right-hand side.
int rig_operations(const rig* r);

// Modes, right-hand side, outputs and coordinates at (r->t, r->y); rig_look leaves the modes alone.
void rig_evaluate(rig* r);
void rig_look(rig* r);

// A state near the initial one, loops closed: coordinates move by up to dq, rates by up to dqd.
void rig_perturb(rig* r, random_source* s, double dq, double dqd);

// The same at the start of the manoeuvre, by up to size and 10 size; states of elements move too.
void rig_disturb(rig* r, unsigned seed, double size);

// Integrate from r->t to t1 and evaluate there.
void rig_integrate(rig* r, double t1, double tolerance, const jsolve_observer* obs,
                   jsolve_statistics* stats);

double rig_output(const rig* r, const char* name);      // at the last evaluation
double* rig_parameter(const rig* r, const char* name);  // live number of the run

// Largest difference of the independent accelerations to the oracle's, relative to the largest.
double rig_against_oracle(rig* r, const oracle* o, oracle_report* report);

#endif
