// SPDX-License-Identifier: Apache-2.0
// Tables of results as files.
#ifndef JREPORT_SAVE_H
#define JREPORT_SAVE_H

#include "jounce/table.h"

// In the format the name ends in (jounce/formats.h).
jo_status jreport_table_save(jo_context* ctx, const jo_table* table, const char* path);

#endif
