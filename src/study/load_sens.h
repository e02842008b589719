// SPDX-License-Identifier: Apache-2.0
// How peak loads and pseudo-damage move with the numbers of the model. docs/theory/loads.md.
#ifndef JSTUDY_LOAD_SENS_H
#define JSTUDY_LOAD_SENS_H

#include "study/rainflow.h"
#include "study/sens.h"

typedef struct jstudy_load_sens_options {
  jstudy_sens_options run;
  double step;  // spacing of the samples [s]; 0: at every step of the integrator
  jstudy_counting counting;
  double slope, reference;  // of the pseudo-damage
} jstudy_load_sens_options;

jstudy_load_sens_options jstudy_load_sens_options_default(const jmodel* m);

typedef struct jstudy_load_gradient {
  const char *name, *unit;  // of the element
  double peak, t_peak;      // largest |F|, with its sign
  double damage;
  double *dpeak, *ddamage;              // by the numbers of jstudy_sens (nw)
  double *dpeak_error, *ddamage_error;  // of these, estimated
} jstudy_load_gradient;

typedef struct jstudy_load_sens {
  jo_context* ctx;
  jarena arena;
  int n, nw, nsample, sample_cap;
  jstudy_load_gradient* element;  // forces, tyres, soils of the model
  int* output;                    // where their forces stand in the outputs of the plant
  // nsample x (1 + n (1 + 2 nw)): t, then F, dF and the error of dF of each element
  double* sample;
  jstudy_sens_result* run;
} jstudy_load_sens;

// Needs a direct method prepared in `s`. On failure *out is NULL.
// Ownership: caller, release with jstudy_load_sens_destroy() before `s`.
jo_status jstudy_load_sens_run(jo_context* ctx, const jstudy_sens* s,
                               const jstudy_load_sens_options* opt, jstudy_load_sens** out);
void jstudy_load_sens_destroy(jstudy_load_sens* l);

#endif
