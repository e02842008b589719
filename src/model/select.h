// SPDX-License-Identifier: Apache-2.0
// Names, paths and patterns become numbers of the model.
#ifndef JMODEL_SELECT_H
#define JMODEL_SELECT_H

#include "model/model.h"

typedef struct jmodel_selection {
  const jmodel* m;
  bool* taken;  // by number
  bool* named;  // by number: by its own name, not by a pattern
  int* wrt;     // numbers, in the order they were named
  int n;
} jmodel_selection;

// Parameters, paths, patterns "path.*", "parameters" or "all"; none: all parameters. On failure the
// context says which name is not known, and what comes closest. The arena holds it.
jo_status jmodel_select(jo_context* ctx, jarena* a, const jmodel* m, const char* const* name, int n,
                        jmodel_selection* s);

// The same model with all chosen numbers as parameters: others become constants of the code, and another
// value, or a derivative of a derivative, would not see them. NULL: no memory. The arena holds it.
const jmodel* jmodel_make_variable(jarena* a, const jmodel* m, const jmodel_selection* k);

// The same model with these of its objectives alone, in this order; the others are integrated all the same. None: all. On
// failure the context says which name is not known, and what comes closest. The arena holds it.
jo_status jmodel_select_objectives(jo_context* ctx, jarena* a, const jmodel* m,
                                   const char* const* name, int n, const jmodel** out);

#endif
