// SPDX-License-Identifier: Apache-2.0
// Kinematics and compliance of an axle as a rig finds them: positions at static equilibrium, the vehicle held, its wheels
// lifted or loaded. docs/theory/kinematics.md.
#ifndef JAXLE_COMPLIANCE_H
#define JAXLE_COMPLIANCE_H

#include "axle/curves.h"

// The curves, with their derivatives; what is there already of k is its context and arena. No curves are made of wheels
// that travel on rigid links: those are assembled.
jo_status jaxle_compliance_walk(jo_context* ctx, const jmodel* m,
                                const jaxle_kinematics_options* opt, jaxle_kinematics* k);

#endif
