// SPDX-License-Identifier: Apache-2.0
// Suspension kinematics: how the wheels of an axle stand when they are moved up and down, against each other or by
// the steering, the vehicle held; every curve with its exact derivatives. docs/theory/kinematics.md.
#ifndef JAXLE_KINEMATICS_H
#define JAXLE_KINEMATICS_H

#include "axle/curves.h"

// On failure *out is NULL: there is no such axle, or a position that cannot be reached. Ownership: caller, release
// with jaxle_kinematics_destroy(); the model must outlive it.
jo_status jaxle_kinematics_create(jo_context* ctx, const jmodel* m,
                                  const jaxle_kinematics_options* opt, jaxle_kinematics** out);
void jaxle_kinematics_destroy(jaxle_kinematics* k);

#endif
