// SPDX-License-Identifier: Apache-2.0
// Numbers behind the scalars of a model that depend on parameters only: masses, parameters.
#ifndef JSTUDY_VALUES_H
#define JSTUDY_VALUES_H

#include "expr/parse.h"
#include "model/model.h"

// Parameters met while texts are read into a graph, each once.
typedef struct jstudy_folder {
  const jmodel* m;
  jexpr_ref* parameter;      // nparameter; 0: not met yet
  const jexpr_scope* names;  // of all texts; its `find` asks jstudy_fold_parameter for parameters
} jstudy_folder;

// Poison where there is no parameter of this name, or where it cannot be read.
jexpr_ref jstudy_fold_parameter(jstudy_folder* f, jexpr_graph* g, const char* name, size_t n);
jexpr_ref jstudy_fold(jstudy_folder* f, jexpr_graph* g, const jmodel_scalar* s);

// Values of all parameters (nparameter) and masses of all bodies (nbody, ground 0), in the arena.
// What cannot be evaluated is NaN.
typedef struct jstudy_values {
  double* parameter;
  double* mass;  // [kg]
} jstudy_values;

jo_status jstudy_values_build(jo_context* ctx, jarena* a, const jmodel* m, jstudy_values* out);

#endif
