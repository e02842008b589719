// SPDX-License-Identifier: Apache-2.0
// Guards: states in which the equations of an element do not hold, as those of a tyre law that has no force at standstill.
//
// A class of elements registers one while its equations are written with the velocities known:
//     jgen_guard_set(s, e, &(jgen_guard){.applies = deflection, .value = {along, across}, .least = 1e-3, .text = {...}});
// It holds where `applies` > 0: the pair must be as long as `least`, and where it begins to apply, so must its first value
// alone. Everything else follows: a switch stops the run where the pair becomes shorter, starts and runs without
// switches are checked (plant/check/guard.h), lanes leave such points to a run of their own, and exported code has the same.
#ifndef JGEN_GUARD_H
#define JGEN_GUARD_H

#include "gen/build.h"

// Texts must last as long as the arena of the equations.
void jgen_guard_set(jgen* s, jgen_element* e, const jgen_guard* guard);

#endif
