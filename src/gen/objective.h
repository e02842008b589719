// SPDX-License-Identifier: Apache-2.0
// Objectives: what is integrated along a run and what is made of it at the end.
#ifndef JGEN_OBJECTIVE_H
#define JGEN_OBJECTIVE_H

#include "gen/build.h"

// States its filter needs.
int jgen_objective_states(const jmodel_objective* o);

// Is its value a root of its integral?
bool jgen_objective_has_root(const jmodel_objective* o);

// Integrand of the objective's own state. z: filter states; zd: receives their derivatives.
jexpr_ref jgen_objective_integrand(jgen* s, const jmodel_objective* o, const jexpr_ref* z,
                                   jexpr_ref* zd);

// Value at the end of the run from the integrated state.
jexpr_ref jgen_objective_value(jgen* s, const jmodel_objective* o, jexpr_ref integral);

#endif
