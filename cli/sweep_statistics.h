// SPDX-License-Identifier: Apache-2.0
// Statistics of a sweep as text and as JSON.
#ifndef CLI_SWEEP_STATISTICS_H
#define CLI_SWEEP_STATISTICS_H

#include "jounce/jounce.h"
#include "json.h"

void cli_print_statistics(const jo_sweep* s);
void cli_json_statistics(cli_json* o, const jo_sweep* s);

#endif
