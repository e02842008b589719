// SPDX-License-Identifier: Apache-2.0
// Results as CSV: notes, objectives and events as '# ' comment lines, a row of names, a row of units,
// then numbers that read back exactly. Fields with commas, quotes or line ends are quoted.
#ifndef JREPORT_CSV_H
#define JREPORT_CSV_H

#include "plant/simulate.h"

// Appears under `path` whole or not at all.
jo_status jreport_csv(jo_context* ctx, const jplant_result* r, const char* path);

#endif
