// SPDX-License-Identifier: Apache-2.0
// Gradients of a model's objectives by every route a test may want: direct, adjoint, and differences
// of runs in which the numbers themselves are other ones, the assembly included.
#ifndef JTEST_GRADIENT_H
#define JTEST_GRADIENT_H

#include "sens/sens.h"
#include "support/fixture.h"

#define GRADIENT_MAX 64  // numbers, objectives

typedef struct gradient {
  fixture* f;  // holds context, model, plant and run
  jo_context* ctx;
  jmodel* m;
  int n;  // numbers
  int nobjective;
  jkernel_backend backend;
  int wrt[GRADIENT_MAX];  // the numbers
  jsens* sens;            // made when first wanted, see gradient_sens()
  jplant* plant;          // knows no derivatives; the numbers are its inputs
  jplant_work* run;
  double* p;             // values of its live numbers
  int at[GRADIENT_MAX];  // the numbers' places in p
  jsens_options opt;     // tolerances and the rest, for all routes
} gradient;

// Open a model file for derivatives by n of its numbers.
void gradient_open(gradient* g, const char* path, const jmodel_setting* set, int nset,
                   const char* const* number, int n, jkernel_backend backend);
void gradient_close(gradient* g);

const jsens* gradient_sens(gradient* g);
jsens_result* gradient_run(gradient* g, jsens_method method, bool frozen);

// State at the start and objectives at the end, with the numbers as they stand in g->p.
void gradient_start(gradient* g, double* y);
void gradient_value(gradient* g, double* psi);

// Derivative along `direction` (n) of what `f` writes (count values): central differences with
// increments step, step/2 ... step/2^(levels - 1) times the direction, extrapolated to zero.
void gradient_difference(gradient* g, void (*f)(gradient*, double*), int count,
                         const double* direction, double step, int levels, double* d);

// Along the direction of one number alone, of the objectives.
void gradient_difference_one(gradient* g, int number, double step, int levels, double* d);

// Law: the direct method is differences of runs, to `apart`, and the adjoint method the direct one, to `methods`; relative
// to the derivative, or to the objective by the size of the number. Increments are 4e-3 of the sizes, with `levels`.
void gradient_law(gradient* g, const double* size, int levels, double apart, double methods);

#endif
