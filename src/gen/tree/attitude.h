// SPDX-License-Identifier: Apache-2.0
// Joints of any attitude: their turns count from an orientation R0 that is a discrete state, and begin anew before they
// lock. docs/theory/attitude.md.
#ifndef JGEN_ATTITUDE_H
#define JGEN_ATTITUDE_H

#include "gen/build.h"

struct jgen_reduction;

// R0, on the parent's side: of the states, or where these are not known of the start.
jexpr_m3 jgen_attitude_base(jgen* s, const jmodel_joint* j);
// Value at the start of a state that belongs to a joint.
jexpr_ref jgen_attitude_start(jgen* s, int state);

// What expressions call by the name of an angle: itself, its rate, its acceleration. Poison: there is no such angle.
jexpr_ref jgen_attitude_angle(jgen* s, const char* name, size_t n);
jexpr_ref jgen_attitude_rate(jgen* s, const char* name, size_t n, bool acceleration);
// The angle that coordinate i of the model stands for in results; poison: none, it is one itself.
jexpr_ref jgen_attitude_output(jgen* s, int i, const char** name);

// Events that begin anew, and the switching functions they are watched by (s->watch).
jo_status jgen_attitude_events(struct jgen_reduction* r);

#endif
