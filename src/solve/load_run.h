// SPDX-License-Identifier: Apache-2.0
// Inside of a load prediction: what the drivers share. The rule is that of solve/third_order.h.
#ifndef JSOLVE_LOAD_RUN_H
#define JSOLVE_LOAD_RUN_H

#include "solve/loads.h"
#include "solve/third_order.h"

enum { JSOLVE_LOAD_MAX_ROUNDS = 2 };  // of elements joining in one step

typedef struct jsolve_load_work {
  jo_context* ctx;
  jarena arena;
  const jsolve_load_system* s;
  const jsolve_load_options* opt;
  const jsolve_load_observer* obs;
  jsolve_load_statistics stats;
  double cost;          // of the step so far
  double t, *y, h;      // where the step begins; its length
  double *k[3], *F[3];  // nodes of the step: ydot and element forces
  double *arg, *y_new, *error;
  // subcycle
  double *W, *reach;  // directions; largest of each (ne)
  bool* stiff;        // elements in substeps
  double* r[3];       // accelerations without the stiff elements at the nodes (nu)
  double *ys, *ks[3], *ya, *Fs, *y_mid, *y_end;
  jsolve_load_event* open;  // events under way (ne or nu)
  double** open_y;
  // impulsive
  bool* reversed;
  double *M, *c, *x, *qdd, *prescribed, *push[3];
  int* others;            // coordinates that are not reversed
  double *system, *rest;  // their equations, row-major, and after that their factors
  int* pivot;
  jo_status solved;  // whether those of all nodes of a step had a solution
} jsolve_load_work;

double* jsolve_load_vector(jsolve_load_work* u, int n);
bool jsolve_load_allocate(jsolve_load_work* u);
void jsolve_load_evaluate(jsolve_load_work* u, double t, const double* y, double* ydot, double* F);
// Second and third node, and the end of the step; the first node is there already.
void jsolve_load_third_order(jsolve_load_work* u, double h);
jo_status jsolve_load_sample(jsolve_load_work* u, double t, const double* y, const double* F);
jo_status jsolve_load_accept(jsolve_load_work* u, double h);
jo_status jsolve_load_fail_singular(jo_context* ctx, jo_status status, double t);

// subcycle.c
jo_status jsolve_load_subcycle_step(jsolve_load_work* u, double h);
int jsolve_load_substep_count(const jsolve_load_work* u, double h);
jo_status jsolve_load_close_event(jsolve_load_work* u, int i);

// impulsive.c
jo_status jsolve_load_impulsive_step(jsolve_load_work* u, double h);

#endif
