// SPDX-License-Identifier: Apache-2.0
// What came out of a part as tables.
#ifndef JSTUDY_TABLES_H
#define JSTUDY_TABLES_H

#include "jounce/model.h"
#include "jounce/table.h"
#include "report/study.h"

// They look into the sheets of the part. NULL: no memory.
const jo_tables* jstudy_tables(jarena* a, const jo_model* model, const jreport_part* part);

#endif
