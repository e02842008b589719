// SPDX-License-Identifier: Apache-2.0
// Slips of a contact patch, which follow those of the wheel with a relaxation length, down to standstill: there
// the patch sticks. docs/theory/magic_formula.md eqs. (M39)-(M42).
#ifndef JELEMENT_PATCH_H
#define JELEMENT_PATCH_H

#include "gen/force/element.h"
#include "model/read/reader.h"

// States of a tyre: slips of its patch, the second as a tangent. They stay while equilibrium is sought.
enum { JELEMENT_SX, JELEMENT_SY };
void jelement_patch_states(const jmodel_at* at, jmodel_element* e);

// (M39) How near to standstill a wheel is.
typedef struct jelement_slow {
  jexpr_ref vx, low_speed;  // [m/s]
  jexpr_ref low, root;      // 1 at standstill, 0 at speed, and its root
} jelement_slow;

jelement_slow jelement_slow_at(jgen* s, jexpr_ref vx, jexpr_ref low_speed);

// A patch in one direction.
typedef struct jelement_patch {
  jexpr_ref slip;    // its state [-]
  jexpr_ref slide;   // speed it is dragged by [m/s] ...
  bool is_against;   // ... the other way
  jexpr_ref sigma;   // relaxation length without slip [m] ...
  jexpr_ref part;    // ... and the part that is left of it (M40)
  jexpr_ref moving;  // speed by which the slip follows (M41)
} jelement_patch;

// (M40) bent: square of the slip over that where forces bend.
jexpr_ref jelement_patch_part(jgen* s, jexpr_ref bent);
// (M41) sliding: square of the speed of sliding over the slip where forces bend.
jexpr_ref jelement_patch_moving(jgen* s, const jelement_slow* at, jexpr_ref sliding);
// (M42) The slip that forces see; time: damping over stiffness at standstill [s].
jexpr_ref jelement_patch_slip(jgen* s, const jelement_slow* at, const jelement_patch* p,
                              jexpr_ref time);
// (M41) The rate of the slip; in the air it vanishes.
jexpr_ref jelement_patch_rate(jgen* s, const jelement_patch* p, jexpr_ref is_down);

jexpr_ref jelement_square(jgen* s, jexpr_ref x);

#endif
