// SPDX-License-Identifier: Apache-2.0
// Inside of a load prediction: what the drivers share. The rule is that of solve/third_order.h.
#ifndef JLOADS_DRIVER_RUN_H
#define JLOADS_DRIVER_RUN_H

#include "loads/driver/driver.h"
#include "solve/third_order.h"

enum { JLOADS_DRIVER_MAX_ROUNDS = 2 };  // of elements joining in one step

typedef struct jloads_driver_work {
  jo_context* ctx;
  jarena arena;
  const jloads_driver_system* s;
  const jloads_driver_options* opt;
  const jloads_driver_observer* obs;
  jloads_driver_statistics stats;
  double cost;          // of the step so far
  double t, *y, h;      // where the step begins; its length
  double *k[3], *F[3];  // nodes of the step: ydot and element forces
  double *arg, *y_new, *error;
  // subcycle
  double *W, *reach;  // directions; largest of each (ne)
  bool* stiff;        // elements in substeps
  double* r[3];       // accelerations without the stiff elements at the nodes (nu)
  double *ys, *ks[3], *ya, *Fs, *y_mid, *y_end;
  jloads_driver_event* open;  // events under way (ne or nu)
  double** open_y;
  // impulsive
  bool* reversed;
  double *M, *c, *x, *qdd, *prescribed, *push[3];
  int* others;            // coordinates that are not reversed
  double *system, *rest;  // their equations, row-major, and after that their factors
  int* pivot;
  jo_status solved;  // whether those of all nodes of a step had a solution
} jloads_driver_work;

double* jloads_driver_vector(jloads_driver_work* u, int n);
bool jloads_driver_allocate(jloads_driver_work* u);
void jloads_driver_evaluate(jloads_driver_work* u, double t, const double* y, double* ydot,
                            double* F);
// Second and third node, and the end of the step; the first node is there already.
void jloads_driver_third_order(jloads_driver_work* u, double h);
jo_status jloads_driver_sample(jloads_driver_work* u, double t, const double* y, const double* F);
jo_status jloads_driver_accept(jloads_driver_work* u, double h);
jo_status jloads_driver_fail_singular(jo_context* ctx, jo_status status, double t);

// subcycle.c
jo_status jloads_driver_subcycle_step(jloads_driver_work* u, double h);
int jloads_driver_substep_count(const jloads_driver_work* u, double h);
jo_status jloads_driver_close_event(jloads_driver_work* u, int i);

// impulsive.c
jo_status jloads_driver_impulsive_step(jloads_driver_work* u, double h);

#endif
