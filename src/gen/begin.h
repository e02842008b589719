// SPDX-License-Identifier: Apache-2.0
// What both stages begin with.
#ifndef JGEN_BEGIN_H
#define JGEN_BEGIN_H

#include "gen/build.h"

// Storage and constants. s->follow on entry (may be NULL) lists bodies whose spin is to be followed.
jo_status jgen_begin(jgen* s, jo_context* ctx, const jmodel* m, jexpr_graph* g, jarena* a);

// drive.c. A driven coordinate: its position; velocity, with the positions of all known where it depends on states;
// acceleration, with their velocities known. What depends on too much is reported.
jo_status jgen_drive_position(jgen* s, int coordinate, jexpr_ref* out);
bool jgen_drive_has_states(jgen* s, jexpr_ref position);
jo_status jgen_drive_velocity(jgen* s, int coordinate, jexpr_ref position, jexpr_ref* out);
jo_status jgen_drive_acceleration(jgen* s, jexpr_ref velocity, jexpr_ref* out);
// Of one that does not depend on states: rate[0] is its position, the others follow.
jo_status jgen_drive_rates(jgen* s, jexpr_ref rate[3]);

// A copy of refs as a named output, and a function of such outputs.
jexpr_outputs jgen_outputs(jarena* a, const char* name, const jexpr_ref* ref, int n);
jo_status jgen_function(jexpr_graph* g, jarena* a, const char* name, const jexpr_outputs* out,
                        int nout, jexpr_fn* fn);

#endif
