// SPDX-License-Identifier: Apache-2.0
// What kinds of parts share as they run: labels, tables and figures, runs.
#ifndef JPARTS_JOB_H
#define JPARTS_JOB_H

#include "jounce/sens.h"
#include "jounce/simulate.h"
#include "parts/part.h"

// ---- texts; NULL: no memory

const char* jparts_or_empty(const char* text);
// "NAME [UNIT]"
const char* jparts_label(const jparts_job* k, const char* name, const char* unit);
const char* jparts_parameter_unit(const jparts_job* k, const char* name);
// Of a derivative: "N/m", "m/s^2/(N s/m)".
const char* jparts_derivative_unit(const jparts_job* k, const char* unit, const char* by);
// "y per 1 % of K"
const char* jparts_percent_name(const jparts_job* k, const char* of, const char* by);
// "K = 1e4 N m/rad" of a run; "" where nothing varies.
const char* jparts_run_label(const jparts_job* k, int i);

// ---- tables and figures

// Room for so many.
jo_status jparts_reserve(jparts_job* k, int nsheet, int nfigure);
// NULL: no memory. Columns are to be begun.
jreport_sheet* jparts_add_sheet(jparts_job* k, const char* title, int ncolumn, int nrow);
// The room for numbers, or for texts, of a new column; NULL: no memory.
double* jparts_add_numbers(const jparts_job* k, jreport_sheet* s, const char* name,
                           const char* unit);
const char** jparts_add_texts(const jparts_job* k, jreport_sheet* s, const char* name);
jreport_plot* jparts_add_figure(jparts_job* k, const char* title, const char* x, const char* y,
                                int nseries);
void jparts_add_series(jreport_plot* f, const char* name, const double* x, const double* y, int n,
                       bool has_marks);
// A curve per table: column y over column x.
jo_status jparts_plot_sheets(jparts_job* k, const char* title, int x, int y);

// ---- runs

int jparts_run_count(const jparts_job* k);
// Tell how far the part is; false: stop. on_progress: the same of the run under way, the job being `user`.
bool jparts_tell(jparts_job* k, double fraction);
int jparts_on_progress(void* user, double fraction);
// Give the number that runs differ by its value of the i-th run; the end gives it back its own.
jo_status jparts_begin_run(jparts_job* k, int i);
jo_status jparts_end_runs(jparts_job* k);
jo_sens_options jparts_sens_options(const jparts_job* k);
jo_status jparts_simulate(jparts_job* k, jo_result** out);
// The i-th run with derivatives of these outputs along it.
jo_status jparts_run_history(jparts_job* k, int i, const char* const* output, int n,
                             jo_sens_result** out);
// What a number is now.
double jparts_value_of(const jparts_job* k, const char* name);

// ---- objectives of the model

int jparts_find_objective(const jmodel* m, const char* name);
// The one that the part is about.
int jparts_objective(const jparts_job* k);

#endif
