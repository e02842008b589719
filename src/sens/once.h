// SPDX-License-Identifier: Apache-2.0
// One run with its derivatives: simulated, recorded and walked once.
#ifndef JSENS_ONCE_H
#define JSENS_ONCE_H

#include "sens/sens.h"

// A result with nothing in it yet.
jo_status jsens_result_create(jo_context* ctx, const jsens* s, jsens_method method,
                              const jsens_options* opt, jsens_result** out);

// Walk the run recorded in `of`, which may be r itself.
jo_status jsens_walk_record(const jsens* s, const jsens_result* of, const jsens_options* opt,
                            jsens_result* r);

jo_status jsens_run_once(jo_context* ctx, const jsens* s, jsens_method method,
                         const jsens_options* opt, jsens_result** out);

#endif
