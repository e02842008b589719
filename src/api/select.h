// SPDX-License-Identifier: Apache-2.0
// What a user names to be differentiated for.
#ifndef JAPI_SELECT_H
#define JAPI_SELECT_H

#include "api/handles.h"

typedef struct japi_selection {
  const jmodel* m;
  bool* taken;  // by number
  bool* named;  // by number: by its own name, not by a pattern
  int* wrt;     // numbers, in the order they were named
  int n;
} japi_selection;

// Parameters, paths, patterns "path.*", "parameters" or "all"; none: all parameters. On failure the
// context says which name is not known, and what comes closest.
jo_status japi_select(jo_context* ctx, jarena* a, const jmodel* m, const char* const* name, int n,
                      japi_selection* s);

jo_quantity japi_describe(const jmodel* m, int number);

// The same model with all chosen numbers as parameters: others become constants of the code, and another
// value, or a derivative of a derivative, would not see them. NULL: no memory. The arena holds it.
const jmodel* japi_make_variable(jarena* a, const jmodel* m, const japi_selection* k);

// An interpreted plant with tangents by the chosen numbers, none of them a constant.
jo_status japi_plant_create(jo_context* ctx, jarena* a, const jmodel* m, const japi_selection* k,
                            bool jacobian, jplant** out);

#endif
