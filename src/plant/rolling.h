// SPDX-License-Identifier: Apache-2.0
// Wheels that do not roll: what is said about them.
#ifndef JPLANT_ROLLING_H
#define JPLANT_ROLLING_H

#include "gen/gen.h"

// Report that a wheel stands on the ground.
jo_status jplant_rolling_stands(jo_context* ctx, const jgen_dynamics* d, int wheel, double t);

// Tyres as the function `rolling` of the dynamics tells of them (3 nwheel), before and now; `was` NULL:
// none was in contact. Those that come to the ground move along their planes, or it is reported.
jo_status jplant_rolling_landing(jo_context* ctx, const jgen_dynamics* d, double t,
                                 const double* was, const double* is);

#endif
