// SPDX-License-Identifier: Apache-2.0
// Numbers behind the scalars of a model that depend on parameters only: masses, parameters.
#ifndef JPLANT_VALUES_H
#define JPLANT_VALUES_H

#include "expr/parse/parse.h"
#include "model/model.h"

// Parameters met while texts are read into a graph, each once.
typedef struct jplant_folder {
  const jmodel* m;
  jexpr_ref* parameter;      // nparameter; 0: not met yet
  const jexpr_scope* names;  // of all texts; its `find` asks jplant_fold_parameter for parameters
  int depth;                 // expr/tape/order.h
} jplant_folder;

// Poison where there is no parameter of this name, or where it cannot be read.
jexpr_ref jplant_fold_parameter(jplant_folder* f, jexpr_graph* g, const char* name, size_t n);
// Tables and functions of the model, for the `call` of those names.
jexpr_ref jplant_fold_call(jplant_folder* f, jexpr_graph* g, const char* name, size_t n,
                           const jexpr_ref* x, int nargs, int* expected);
jexpr_ref jplant_fold(jplant_folder* f, jexpr_graph* g, const jmodel_scalar* s);

// Values of all parameters (nparameter) and masses of all bodies (nbody, ground 0), in the arena.
// What cannot be evaluated is NaN.
typedef struct jplant_values {
  double* parameter;
  double* mass;  // [kg]
} jplant_values;

jo_status jplant_values_build(jo_context* ctx, jarena* a, const jmodel* m, jplant_values* out);

#endif
