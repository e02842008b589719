// SPDX-License-Identifier: Apache-2.0
// Programs of switching functions for bounds over intervals of time (solve/event/enclose.h), made of the graph.
#ifndef JPLANT_ENCLOSURE_H
#define JPLANT_ENCLOSURE_H

#include "gen/gen.h"
#include "solve/event/enclose.h"

// Switches that are functions of time and of what is constant between events, and small ones of time and states that
// may change faster than the states do. *out NULL: there are none. Everything in the arena.
jo_status jplant_enclosure_build(jo_context* ctx, jarena* a, const jgen_dynamics* d,
                                 const jsolve_enclosure** out);

#endif
