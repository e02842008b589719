// SPDX-License-Identifier: Apache-2.0
// Events with resets: where a condition becomes true, states get other values. docs/theory/discrete.md.
//
// How to use it, from a class of elements or from the formalism itself:
//   - a discrete state is one of block z whose rate is zero: `is_discrete` of a jmodel_state, of the file or of an
//     element (jmodel_own_state, then set is_discrete and is_held); it is read as any state (jgen_own_state).
//   - while the equations are written, with the velocities known or later (s->stage), for each event
//         int e = jgen_event_add(s, "name for people", when);
//         jgen_event_set(s, e, JMODEL_SET_STATE, state, value);
//     `when` is a condition (a comparison, or several with jexpr_mul, jexpr_max ...; not 0: true). Comparisons of it
//     become switches that are located as all others are. Values are functions of time, state and numbers before
//     the event; all of one event are taken from the same values, several events at an instant happen one after
//     another in the order in which they were added.
//   - JMODEL_SET_POSITION and JMODEL_SET_RATE set a coordinate and its rate. Loops are closed after every event: a
//     dependent position is where that search begins, and a dependent rate cannot be set.
// Everything else follows: the driver applies resets at events (machine/machine.c), derivatives are carried through
// them by tangent and adjoint of the function `reset` (sens/tangent/tangent_event.c, sens/adjoint/adjoint_event.c), and exported code
// has the same functions and tables.
#ifndef JGEN_EVENTS_H
#define JGEN_EVENTS_H

#include "gen/build.h"

struct jgen_reduction;

// Number of the event; -1: no memory, which is remembered.
int jgen_event_add(jgen* s, const char* name, jexpr_ref when);
// What an event gives another value: a state of the model or a coordinate. Before equations are written with the
// velocities known there is nothing to set, and nothing happens.
void jgen_event_set(jgen* s, int event, jmodel_target target, int index, jexpr_ref value);

// Events of the file; then conditions and resets of all of them as functions of the dynamics (r->condition, r->reset).
jo_status jgen_write_events(struct jgen_reduction* r);

#endif
