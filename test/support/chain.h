// SPDX-License-Identifier: Apache-2.0
// A chain of n revolute joints, the smallest model with everything that makes recursive formalisms
// pay: inverse dynamics and energies as graph functions. Joint axes cycle x, y, z; link offsets,
// centres of mass and inertias have no zero entries that would flatter operation counts.
#ifndef JTEST_CHAIN_H
#define JTEST_CHAIN_H

#include "expr/vec.h"

typedef struct chain_options {
  int n;                  // joints
  int mass_inputs;        // the first so many masses are inputs, the others constants
  bool inertia_is_input;  // six inputs per body instead of constants
} chain_options;

// Body i hangs on joint i; index 0 is the ground. Vectors are in the frame of their body.
typedef struct chain {
  jexpr_graph* g;
  jarena arena;
  int n;
  int* axis;       // of joint i: 0, 1, 2                                      (n + 1)
  jexpr_m3* R;     // of joint i: components in h = R components in i         (n + 1)
  jexpr_ref* q;    // joint coordinates      [rad]                             (n + 1)
  jexpr_ref* qd;   // joint velocities       [rad/s]
  jexpr_ref* qdd;  // joint accelerations    [rad/s^2]
  jexpr_ref* m;    // masses                 [kg]
  jexpr_v3* d;     // from joint i to joint i + 1        [m]
  jexpr_v3* l;     // from joint i to centre of mass i   [m]
  jexpr_m3* J;     // inertia about the centre of mass   [kg m^2]
} chain;

// Groups: q, qd, qdd, m, I (the last two may be empty). chain_free() also after a failure.
jo_status chain_init(chain* c, jo_context* ctx, chain_options opt);
void chain_free(chain* c);

// Joint torques [N m] that give the accelerations qdd under gravity, tau[1 ... n].
jo_status chain_inverse_dynamics(chain* c, jexpr_ref* tau);

jexpr_ref chain_kinetic_energy(chain* c);    // [J]
jexpr_ref chain_potential_energy(chain* c);  // [J]

// Values for the inputs of group `group`, of a size that suits what it stands for.
void chain_sample(const chain* c, int group, double* value);

#endif
