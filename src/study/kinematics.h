// SPDX-License-Identifier: Apache-2.0
// Suspension kinematics: how the wheels of an axle stand when they are moved up and down, against each other or by
// the steering, the vehicle held; every curve with its exact derivatives. docs/theory/kinematics.md.
#ifndef JSTUDY_KINEMATICS_H
#define JSTUDY_KINEMATICS_H

#include "study/curves.h"

// On failure *out is NULL: there is no such axle, or a position that cannot be reached. Ownership: caller, release
// with jstudy_kinematics_destroy(); the model must outlive it.
jo_status jstudy_kinematics_create(jo_context* ctx, const jmodel* m,
                                   const jstudy_kinematics_options* opt, jstudy_kinematics** out);
void jstudy_kinematics_destroy(jstudy_kinematics* k);

#endif
