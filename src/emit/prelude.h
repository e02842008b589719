// SPDX-License-Identifier: Apache-2.0
// The head of the header shared by emitted sources: types and helpers, printed from the operator
// table so that a lane computes what a single evaluation computes.
#ifndef JEMIT_PRELUDE_H
#define JEMIT_PRELUDE_H

#include "base/text.h"

// has_unknowns: with what solves equations (expr/body.h); reads_data: with what reads tables (base/data.h).
void jemit_put_prelude(jtext* t, int lanes, bool has_unknowns, bool reads_data);

#endif
