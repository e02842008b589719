// SPDX-License-Identifier: Apache-2.0
// Conditions of time, found by bounds of their switching functions (enclose.h) in place of looks at single instants. A
// proposed step is divided into pieces, short as it takes, until each of them is proved to hold no event, or to hold one
// that can be located. docs/theory/integration.md, "Conditions of time".
#ifndef JSOLVE_CLOCKS_H
#define JSOLVE_CLOCKS_H

#include "solve/event/margins.h"

// What the pieces of a step hold.
typedef enum jsolve_clocks_kind {
  JSOLVE_CLOCKS_NONE,  // no event up to t
  JSOLVE_CLOCKS_EVENT,  // the first one, before or at t, where its margin has crossed and had not before
  JSOLVE_CLOCKS_LONG  // no event up to t, and too much work to look on
} jsolve_clocks_kind;

typedef struct jsolve_clocks_finding {
  jsolve_clocks_kind kind;
  double t;
  int which;  // the switch of the event, or the one that makes the work
} jsolve_clocks_finding;

// False: out of memory.
bool jsolve_clocks_init(jsolve_clocks* c, jarena* a, const jsolve_system* sys);

// The same in other coordinates, which have other programs.
bool jsolve_clocks_again(jsolve_clocks* c, jarena* a, const jsolve_system* sys);

// The run goes on from an event or another state: what was proved before does not hold there.
void jsolve_clocks_begin(jsolve_clocks* c);

// Looks into the proposed step from `from` to `to`; up to `from` there is no event. Fails where the stated amount of work
// decides nothing.
jo_status jsolve_clocks_find(jsolve_events* ev, jsolve_run* run, double from, double to,
                             jsolve_clocks_finding* f);

// Whether the margin of the switch that was found stays crossed from its event up to t.
bool jsolve_clocks_stays(jsolve_events* ev, jsolve_run* run, const jsolve_clocks_finding* f,
                         double t);

#endif
