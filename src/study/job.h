// SPDX-License-Identifier: Apache-2.0
// What kinds of parts share as they run: labels, tables and figures, runs.
#ifndef JSTUDY_JOB_H
#define JSTUDY_JOB_H

#include "jounce/sens.h"
#include "jounce/simulate.h"
#include "study/part.h"

// ---- texts; NULL: no memory

const char* jstudy_or_empty(const char* text);
// "NAME [UNIT]"
const char* jstudy_label(const jstudy_job* k, const char* name, const char* unit);
const char* jstudy_parameter_unit(const jstudy_job* k, const char* name);
// Of a derivative: "N/m", "m/s^2/(N s/m)".
const char* jstudy_derivative_unit(const jstudy_job* k, const char* unit, const char* by);
// "y per 1 % of K"
const char* jstudy_percent_name(const jstudy_job* k, const char* of, const char* by);
// "K = 1e4 N m/rad" of a run; "" where nothing varies.
const char* jstudy_run_label(const jstudy_job* k, int i);

// ---- tables and figures

// Room for so many.
jo_status jstudy_reserve(jstudy_job* k, int nsheet, int nfigure);
// NULL: no memory. Columns are to be begun.
jreport_sheet* jstudy_add_sheet(jstudy_job* k, const char* title, int ncolumn, int nrow);
// The room for numbers, or for texts, of a new column; NULL: no memory.
double* jstudy_add_numbers(const jstudy_job* k, jreport_sheet* s, const char* name,
                           const char* unit);
const char** jstudy_add_texts(const jstudy_job* k, jreport_sheet* s, const char* name);
jreport_plot* jstudy_add_figure(jstudy_job* k, const char* title, const char* x, const char* y,
                                int nseries);
void jstudy_add_series(jreport_plot* f, const char* name, const double* x, const double* y, int n,
                       bool has_marks);
// A curve per table: column y over column x.
jo_status jstudy_plot_sheets(jstudy_job* k, const char* title, int x, int y);

// ---- runs

int jstudy_run_count(const jstudy_job* k);
// Tell how far the part is; false: stop. on_progress: the same of the run under way, the job being `user`.
bool jstudy_tell(jstudy_job* k, double fraction);
int jstudy_on_progress(void* user, double fraction);
// Give the number that runs differ by its value of the i-th run; the end gives it back its own.
jo_status jstudy_begin_run(jstudy_job* k, int i);
jo_status jstudy_end_runs(jstudy_job* k);
jo_sens_options jstudy_sens_options(const jstudy_job* k);
jo_status jstudy_simulate(jstudy_job* k, jo_result** out);
// The i-th run with derivatives of these outputs along it.
jo_status jstudy_run_history(jstudy_job* k, int i, const char* const* output, int n,
                             jo_sens_result** out);
// What a number is now.
double jstudy_value_of(const jstudy_job* k, const char* name);

// ---- objectives of the model

int jstudy_find_objective(const jmodel* m, const char* name);
// The one that the part is about.
int jstudy_objective(const jstudy_job* k);

#endif
