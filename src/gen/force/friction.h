// SPDX-License-Identifier: Apache-2.0
// Dry friction that sticks: a speed is held at zero by a force that the equations of motion determine, until that exceeds
// what friction can bear. docs/theory/friction.md.
#ifndef JGEN_FRICTION_H
#define JGEN_FRICTION_H

#include "gen/build.h"

struct jgen_reduction;

// For classes of elements, with the velocities known. The force that acts along `speed`, which is to be applied so that its
// power is force times speed: a placeholder until the accelerations are known. `state`: the element's own discrete
// state, of the model: 1, -1 it slips that way, 0 it sticks. `slip`: the force while it slips; `stick`: the most it
// bears; neither may depend on forces of friction.
jexpr_ref jgen_friction_add(jgen* s, const jmodel_element* e, int state, jexpr_ref speed,
                            jexpr_ref slip, jexpr_ref stick);

// Forces of all of them, jointly, from the accelerations.
jo_status jgen_friction_solve(struct jgen_reduction* r);
// These in place of the placeholders.
jo_status jgen_friction_replace(struct jgen_reduction* r, jexpr_ref* all, int n);

#endif
