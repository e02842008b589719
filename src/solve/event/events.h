// SPDX-License-Identifier: Apache-2.0
// Events of a run: find where a switching function leaves its mode inside a proposed step, cut the
// step there, flip modes and let the system react. The same for every stepper.
#ifndef JSOLVE_EVENTS_H
#define JSOLVE_EVENTS_H

#include "solve/run.h"

typedef struct jsolve_events jsolve_events;

// NULL: out of memory. Lives in the arena of the run.
jsolve_events* jsolve_events_create(jsolve_run* run);

// Look at the switches at (t, y), where a run starts or an event was handled. True: some contradict
// their modes and must be handled before the first step.
bool jsolve_events_begin(jsolve_events* ev, jsolve_run* run);

// Whether all switching functions have values where begin looked; reports the first that has none.
jo_status jsolve_events_check(jsolve_events* ev, jsolve_run* run);

// The same state in other coordinates: switches begin from what they are there.
jo_status jsolve_events_again(jsolve_events* ev, jsolve_run* run);

// Look into the proposed step. Where an event lies inside, the step is proposed again to end just
// past it, and `*found` is true.
jo_status jsolve_events_locate(jsolve_events* ev, jsolve_run* run, bool* found);

// Handle what was found by begin or locate, at the accepted state (t, y).
jo_status jsolve_events_apply(jsolve_events* ev, jsolve_run* run);

#endif
