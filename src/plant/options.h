// SPDX-License-Identifier: Apache-2.0
// How a run is made: what a caller gives, the model's simulation block for the rest, and one set of checks for all commands.
#ifndef JPLANT_OPTIONS_H
#define JPLANT_OPTIONS_H

#include "plant/result.h"

jplant_simulate_options jplant_simulate_options_default(void);

// derivatives: the run is to be differentiated, which takes a Runge-Kutta method. JO_ERR_ARGUMENT, JO_ERR_LIMIT.
jo_status jplant_options_choose(jo_context* ctx, const jmodel* m,
                                const jplant_simulate_options* opt, bool derivatives,
                                jplant_simulate_used* used, jsolve_options* solve);

// The part of it that runs with a driver of their own share: when they end. t_end: NaN: the model's.
jo_status jplant_options_choose_end(jo_context* ctx, const jmodel* m, double t_end, double* out);

#endif
