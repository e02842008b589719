// SPDX-License-Identifier: Apache-2.0
// What both stages begin with.
#ifndef JGEN_BEGIN_H
#define JGEN_BEGIN_H

#include "gen/build.h"

// Storage and constants. s->follow on entry (may be NULL) lists bodies whose spin is to be followed.
jo_status jgen_begin(jgen* s, jo_context* ctx, const jmodel* m, jexpr_graph* g, jarena* a);

// Value, first and second time derivative of a driven coordinate.
jo_status jgen_drive_rates(jgen* s, int coordinate, jexpr_ref rate[3]);

// A copy of refs as a named output, and a function of such outputs.
jexpr_outputs jgen_outputs(jarena* a, const char* name, const jexpr_ref* ref, int n);
jo_status jgen_function(jexpr_graph* g, jarena* a, const char* name, const jexpr_outputs* out,
                        int nout, jexpr_fn* fn);

#endif
