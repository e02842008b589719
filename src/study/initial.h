// SPDX-License-Identifier: Apache-2.0
// How the assembled position and velocity depend on the numbers of the model.
#ifndef JSTUDY_INITIAL_H
#define JSTUDY_INITIAL_H

#include "gen/gen.h"

// Derivatives by each of the nw numbers the position stage was built for: dq, dqd (nq x nw), dz
// (nstate x nw), column after column, at the assembled q, qd and time t;
// `values`: of the live numbers, NULL: the model's.
jo_status jstudy_initial_sensitivity(jo_context* ctx, jarena* a, const jmodel* m,
                                     const jgen_position* p, const double* values, int nw, double t,
                                     const double* q, const double* qd, double* dq, double* dqd,
                                     double* dz);

#endif
