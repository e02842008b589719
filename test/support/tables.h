// SPDX-License-Identifier: Apache-2.0
// Numbers of tables of results, which must be there.
#ifndef JTEST_TABLES_H
#define JTEST_TABLES_H

#include "jounce/simulate.h"
#include "support/check.h"

static inline const jo_table* table_of(const jo_tables* all, const char* name) {
  const jo_table* t = jo_tables_find(all, name);
  assert_non_null(t);
  return t;
}

// The value of an objective of a run.
static inline double run_objective(const jo_result* r, int i) {
  const jo_table* t = table_of(jo_result_tables(r), "objectives");
  assert_in_range(i, 0, t->nrow - 1);
  return jo_table_number(t, "value", i);
}

static inline const jo_table* history_of(const jo_result* r) {
  return table_of(jo_result_tables(r), "history");
}

#endif
