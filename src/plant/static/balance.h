// SPDX-License-Identifier: Apache-2.0
// Static equilibrium of a part of a model, followed step by step by Newton's method with exact slopes: with numbers, as
// forces, sought beside the states so that outputs vanish, and with the derivatives of all of it.
// docs/theory/kinematics.md eqs. (K8), (K9).
#ifndef JPLANT_BALANCE_H
#define JPLANT_BALANCE_H

#include "plant/tape_tangent.h"

#define JPLANT_BALANCE_MOST 2  // numbers sought

typedef struct jplant_balance {
  jo_context* ctx;
  const jplant* plant;
  jplant_work* run;  // its p are the values of the live numbers, also of those that were found
  double t;
  int n;         // states that move
  int *at, *of;  // where they stand in y, and what vanishes of ydot
  double* scale;
  // numbers sought, as places in the list of numbers differentiated for, and outputs that vanish instead
  int m, number[JPLANT_BALANCE_MOST], output[JPLANT_BALANCE_MOST];
  jplant_tape_tangent rhs, close, outputs;
  double *ydot, *dydot, *out, *dout, *dy, *dp;
  double *A, *row, *r, *x, *next, *trial, *keep;
  int* pivot;
} jplant_balance;

// Of a plant made for derivatives by all of these numbers. Everything in the arena but the run: release it with
// jplant_balance_close(), also after a failure.
jo_status jplant_balance_open(jo_context* ctx, jarena* a, const jplant* p, int m, const int* number,
                              const int* output, jplant_balance* out);
void jplant_balance_close(jplant_balance* b);

// The states that move at y: those that move the first `seen` outputs, and all that push them. Others stay.
jo_status jplant_balance_choose(jplant_balance* b, int seen, const double* y);

// Numbers of the list change by this much, and an equilibrium y goes with them along its slopes.
jo_status jplant_balance_move(jplant_balance* b, int n, const int* number, const double* change,
                              double* y);

// Equilibrium near y (ny), which becomes it. With m = 0 nothing is sought but states.
// On failure the context says what nothing holds, or that there is none in reach.
jo_status jplant_balance_find(jplant_balance* b, double* y);

// At an equilibrium, derivatives by the first nw numbers: of the states (ny x nw; in: as assembled, where those that do
// not move stay), of the numbers found (nw x m), and of outputs (noutput x nw, row by row).
jo_status jplant_balance_slopes(jplant_balance* b, const double* y, int nw, double* S,
                                double* found, double* dout);

#endif
