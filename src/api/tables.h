// SPDX-License-Identifier: Apache-2.0
// What tables of several results have in common.
#ifndef JAPI_TABLES_H
#define JAPI_TABLES_H

#include "api/handles.h"
#include "model/select.h"
#include "report/table/build.h"

// Room for n tables, with notes of the model they come from: its name, hash, settings, and the version of Jounce.
jreport_builder japi_build(jarena* a, int n, const jo_model* model);

// Outputs of a model begin with the sensors of its file: how many these are.
int japi_sensor_count(const jmodel* m);

// "parameters": what was differentiated with respect to.
void japi_put_parameters(jreport_builder* b, const jmodel* m, const jmodel_selection* by);

// The next table, with a column "d/d NAME" for each of them behind its own.
void japi_begin_slopes(jreport_builder* b, const jo_table_style* style, const jmodel* m,
                       const jmodel_selection* by, int nrow);

// Of a run; without memory there are none.
extern const jo_tables japi_no_tables;
const jo_tables* japi_result_tables(const jo_system* system, jplant_result* r);

// "N/(m)": unit of a derivative.
const char* japi_slope_unit(jreport_builder* b, const char* of, const char* by);

#endif
