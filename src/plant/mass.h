// SPDX-License-Identifier: Apache-2.0
// Bodies without mass inside of loops: whether the reduced mass matrix is regular, which the masses of the tree do not
// tell, and what moves no mass where it is not.
#ifndef JPLANT_MASS_H
#define JPLANT_MASS_H

#include "gen/gen.h"

// A state that is closed, with the numbers and modes there.
typedef struct jplant_mass_point {
  const double *p, *mode;
  double t;
  const double* y;
} jplant_mass_point;

// Is there anything to look at? Not in models where every body that moves has or carries mass.
bool jplant_has_massless(const jgen_dynamics* d);

// JO_ERR_SINGULAR, reported: something moves without mass. start: a state whose masses tell how much is little, where a
// run has failed; NULL: the point itself.
jo_status jplant_check_mass(jo_context* ctx, const jgen_dynamics* d, const jplant_mass_point* at,
                            const double* start);

#endif
