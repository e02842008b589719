// SPDX-License-Identifier: Apache-2.0
// CSV files of runs.
#include "report/format/csv.h"

#include "report/format/table.h"

jo_status jreport_csv(jo_context* ctx, const jplant_result* r, const char* path) {
  jreport_run run;
  jreport_run_table(&run, r);
  return jreport_table_csv(ctx, &run.table, path);
}
