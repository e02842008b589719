// SPDX-License-Identifier: Apache-2.0
// What a run may take, as the simulation block of its model says: steps, memory, and ranges of the
// numbers that options give in place of the file's.
#ifndef JPLANT_LIMITS_H
#define JPLANT_LIMITS_H

#include "model/model.h"
#include "solve/ode.h"

// A number given as an option is held to the rule of the same key in files. NaN: not given.
jo_status jplant_check_option(jo_context* ctx, const char* key, double value);

// Memory that results may take [bytes].
double jplant_memory_limit(const jmodel* m);

// Refuse before the work begins: `what` as in "1e9 rows of 12 columns".
jo_status jplant_check_memory(jo_context* ctx, const jmodel* m, double bytes, const char* what);

// The limit was met on the way, at time t.
jo_status jplant_fail_memory(jo_context* ctx, const jmodel* m, const char* what, double t);

#endif
