// SPDX-License-Identifier: Apache-2.0
// Histories of batches: their times, the outputs they are made of, and those of points that were run by themselves.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "batch/inside.h"
#include "plant/check/limits.h"
#include "plant/simulate.h"

// Rows of a grid from the start to the end.
static double row_count(const jbatch_options* o) {
  double span = o->run.t_end - o->run.t_start;
  double n = span / o->history_step;
  if (!(n < INT_MAX / 2)) return n;
  int64_t i = (int64_t)n > 0 ? (int64_t)n - 1 : 0;
  while (jplant_row_time(o->run.t_start, o->run.t_end, o->history_step, i) < o->run.t_end)
    i++;
  return (double)i + 1.0;
}

static jo_status check_memory(const jbatch* b, int n, double rows) {
  char what[80];
  double bytes = (double)n * rows * b->opt.nhistory * sizeof(double);
  jformat(what, sizeof what, "%d histories of %.4g rows of %d outputs", n, rows, b->opt.nhistory);
  return jplant_check_memory(b->ctx, b->sens->plant->model, bytes, what);
}

jo_status jbatch_history_check(const jbatch* b, int n) {
  return b->nrow > 0 ? check_memory(b, n, b->nrow) : JO_OK;
}

jo_status jbatch_history_prepare(jbatch* b) {
  const jbatch_options* o = &b->opt;
  if (o->nhistory == 0) return JO_OK;
  if (!(o->history_step > 0.0)) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT,
                    "histories of a batch are taken on a grid of times: give its step, or the "
                    "model's simulation.output_step");
  }
  double rows = row_count(o);
  JO_TRY(check_memory(b, 1, rows));
  b->nrow = (int)rows;
  b->row_time = JARENA_ARRAY(&b->arena, b->nrow, double);
  b->history_output = JARENA_ARRAY(&b->arena, o->nhistory, int);
  if (!b->row_time || !b->history_output) return jerr_memory(b->ctx);
  for (int i = 0; i < b->nrow; i++)
    b->row_time[i] = jplant_row_time(o->run.t_start, o->run.t_end, o->history_step, i);
  memcpy(b->history_output, o->history, (size_t)o->nhistory * sizeof *o->history);
  b->opt.history = b->history_output;
  return JO_OK;
}

// The function of the outputs with those alone that have histories.
static jo_status reduce(jbatch* b, jexpr_fn* fn) {
  int n = b->opt.nhistory;
  jexpr_outputs* o = JARENA_NEW(&b->arena, jexpr_outputs);
  jexpr_ref* ref = JARENA_ARRAY(&b->arena, n, jexpr_ref);
  if (!o || !ref) return jerr_memory(b->ctx);
  for (int i = 0; i < n; i++)
    ref[i] = fn->out[0].ref[b->history_output[i]];
  *o = (jexpr_outputs){fn->out[0].name, n, ref};
  fn->out = o;
  return JO_OK;
}

jo_status jbatch_history_functions(jbatch* b) {
  jbatch_rule* r = &b->rule;
  if (b->nrow == 0) return JO_OK;
  int* at = JARENA_ARRAY(&b->arena, b->opt.nhistory, int);
  if (!at) return jerr_memory(b->ctx);
  for (int i = 0; i < b->opt.nhistory; i++)
    at[i] = b->noutput > 0 ? b->history_output[i] : i;
  r->history = at;
  if (b->noutput == 0) return reduce(b, &b->function[JBATCH_OUTPUTS]);
  return JO_OK;
}

// Rows of a run that are on the grid; one that a condition ended has another one at its end.
static void take_rows(jbatch* b, const jplant_result* r, int i) {
  double* to = b->history + (int64_t)i * b->nrow * b->opt.nhistory;
  int n = 0;
  for (int k = 0; k < r->nrow && n < b->nrow; k++) {
    const double* row = r->row + (int64_t)k * r->ncolumn;
    if (row[0] != b->row_time[n]) continue;
    for (int j = 0; j < b->opt.nhistory; j++)
      to[(int64_t)n * b->opt.nhistory + j] = row[1 + b->history_output[j]];
    n++;
  }
}

jo_status jbatch_run_outputs(jo_context* ctx, jbatch* b, const double* values, int i) {
  const jsens_options* o = &b->opt.run;
  if (b->noutput == 0 && b->nrow == 0) return JO_OK;
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.method = (jo_method)o->solve.method;
  opt.t_end = o->t_end;
  opt.rel_tol = o->solve.rel_tol;
  opt.abs_tol = o->solve.abs_tol;
  opt.step = o->solve.step;
  opt.output_step = b->nrow > 0 ? b->opt.history_step : o->t_end - o->t_start;
  opt.p = values;
  jplant_result* r = NULL;
  jo_status status = jplant_simulate(ctx, jbatch_sens_on(b, b->point[i].road)->plant, &opt, &r);
  for (int k = 0; status >= 0 && k < b->noutput; k++)
    b->output[(int64_t)i * b->noutput + k] = jplant_result_outputs(r)[k].value;
  if (status >= 0 && b->nrow > 0) take_rows(b, r, i);
  jplant_result_destroy(r);
  return status;
}

// A point that fails has none.
void jbatch_history_forget(jbatch* b, int i) {
  int64_t n = (int64_t)b->nrow * b->opt.nhistory;
  for (int64_t k = 0; k < n; k++)
    b->history[i * n + k] = NAN;
}
