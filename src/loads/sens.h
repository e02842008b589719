// SPDX-License-Identifier: Apache-2.0
// How peak loads and pseudo-damage move with the numbers of the model. docs/theory/loads.md.
#ifndef JLOADS_SENS_H
#define JLOADS_SENS_H

#include "loads/rainflow.h"
#include "sens/sens.h"

typedef struct jloads_sens_options {
  jsens_options run;
  double step;  // spacing of the samples [s]; 0: at every step of the integrator
  jloads_counting counting;
  double slope, reference;  // of the pseudo-damage
} jloads_sens_options;

jloads_sens_options jloads_sens_options_default(const jmodel* m);

// Sets when the run ends and its tolerance (NaN: the model's end, the default's tolerance), and checks that it has derivatives.
jo_status jloads_sens_choose(jo_context* ctx, const jmodel* m, double t_end, double tolerance,
                             jloads_sens_options* opt);

typedef struct jloads_gradient {
  const char *name, *unit;  // of the element
  double peak, t_peak;      // largest |F|, with its sign
  double damage;
  double *dpeak, *ddamage;              // by the numbers of jsens (nw)
  double *dpeak_error, *ddamage_error;  // of these, estimated
} jloads_gradient;

typedef struct jloads_sens {
  jo_context* ctx;
  jarena arena;
  int n, nw, nsample, sample_cap;
  jloads_gradient* element;  // forces, tyres, soils of the model
  int* output;               // where their forces stand in the outputs of the plant
  // nsample x (1 + n (1 + 2 nw)): t, then F, dF and the error of dF of each element
  double* sample;
  jsens_result* run;
} jloads_sens;

// Needs a direct method prepared in `s`. On failure *out is NULL.
// Ownership: caller, release with jloads_sens_destroy() before `s`.
jo_status jloads_sens_run(jo_context* ctx, const jsens* s, const jloads_sens_options* opt,
                          jloads_sens** out);
void jloads_sens_destroy(jloads_sens* l);

// A warning of derivatives that are not as accurate as they were wanted.
void jloads_sens_warn(jo_context* ctx, const jloads_sens* l, const jsens* s);

#endif
