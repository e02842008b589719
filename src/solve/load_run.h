// SPDX-License-Identifier: Apache-2.0
// Inside of a load prediction: what the drivers share. The rule is that of solve/third_order.h.
#ifndef JSOLVE_LOAD_RUN_H
#define JSOLVE_LOAD_RUN_H

#include "solve/loads.h"
#include "solve/third_order.h"

enum { JLOAD_MAX_ROUNDS = 2 };  // of elements joining in one step

typedef struct jload_run {
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
  double *system, *rest;  // their equations
} jload_run;

double* jload_vector(jload_run* u, int n);
bool jload_allocate(jload_run* u);
void jload_evaluate(jload_run* u, double t, const double* y, double* ydot, double* F);
// Second and third node, and the end of the step; the first node is there already.
void jload_third_order(jload_run* u, double h);
jo_status jload_sample(jload_run* u, double t, const double* y, const double* F);
jo_status jload_accept(jload_run* u, double h);

// subcycle.c
jo_status jload_subcycle_step(jload_run* u, double h);
int jload_substep_count(const jload_run* u, double h);
jo_status jload_close_event(jload_run* u, int i);

// impulsive.c
jo_status jload_impulsive_step(jload_run* u, double h);
bool jload_solve_dense(double* A, double* b,
                       int m);  // m x m row-major, both destroyed; b: solution

#endif
