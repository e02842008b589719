// SPDX-License-Identifier: Apache-2.0
// Derivatives of the dynamics: tangents and adjoints of every function a run is made of.
// docs/theory/sensitivity.md.
#ifndef JGEN_SENS_H
#define JGEN_SENS_H

#include "gen/gen.h"

// Write d->sens for the live numbers named by d->sens.wrt (indices into d->p). Afterwards live numbers
// that are not parameters of the model are replaced by their values, in all functions: they were
// wanted for differentiation only, and most of what they made symbolic folds again.
jo_status jgen_sens_write(jgen_dynamics* d);

#endif
