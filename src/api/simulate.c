// SPDX-License-Identifier: Apache-2.0
// The public face of runs and their results.
#include <math.h>
#include <string.h>

#include "api/tables.h"
#include "base/require.h"
#include "report/format/table.h"

jo_simulate_options jo_simulate_options_default(void) {
  return (jo_simulate_options){.t_end_s = NAN,
                               .method = JO_METHOD_OF_MODEL,
                               .tolerance = NAN,
                               .step_s = NAN,
                               .output_step_s = NAN,
                               .max_step_s = NAN};
}

const char* jo_method_name(int i) {
  const jsolve_method_info* method = jsolve_method_at(i, false);
  return method ? method->name : NULL;
}

jo_method jo_method_find(const char* name) {
  JO_REQUIRE_OR(JO_METHOD_OF_MODEL, name);
  return (jo_method)jsolve_method_find(name);
}

// ---- runs ----------------------------------------------------------------------------------------

static bool report_progress(void* user, double fraction) {
  const jo_simulate_options* opt = user;
  return opt->progress(opt->user, fraction) != 0;
}

jplant_simulate_options japi_simulate_options(const jo_simulate_options* opt) {
  jplant_simulate_options o = jplant_simulate_options_default();
  o.method = opt->method;
  o.t_end = opt->t_end_s;
  o.rel_tol = o.abs_tol = opt->tolerance;
  o.step = opt->step_s;
  o.output_step = opt->output_step_s;
  o.max_step = opt->max_step_s;
  o.max_events = opt->max_events;
  if (opt->progress) {
    o.progress = report_progress;
    o.user = (void*)opt;
  }
  return o;
}

jo_status jo_simulate(jo_context* ctx, const jo_system* system, const jo_simulate_options* opt,
                      jo_result** out) {
  JO_REQUIRE_OUT(out, ctx, system);
  jo_simulate_options defaults = jo_simulate_options_default();
  if (!system->motion) return japi_system_fail(ctx, system, JO_USE_RUNS);
  jplant_simulate_options o = japi_simulate_options(opt ? opt : &defaults);
  o.p = system->p;
  o.check_steps = true;
  jo_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jo_result){0};
  jo_status status = jplant_simulate(ctx, system->plant, &o, &r->result);
  if (!r->result) {
    jmem_free(ctx, r);
    return status;
  }
  r->tables = japi_result_tables(system, r->result);
  *out = r;
  return r->tables == &japi_no_tables ? jerr_memory(ctx) : status;
}

void jo_result_destroy(jo_result* result) {
  if (!result) return;
  jo_context* ctx = result->result->ctx;
  jplant_result_destroy(result->result);
  jmem_free(ctx, result);
}

// ---- what came out -------------------------------------------------------------------------------

jo_statistics jo_result_statistics(const jo_result* result) {
  JO_REQUIRE_OR((jo_statistics){0}, result);
  const jplant_result* r = result->result;
  return (jo_statistics){.steps = r->statistics.steps,
                         .rejected = r->statistics.rejected,
                         .evaluations = r->statistics.evaluations,
                         .projections = r->projections,
                         .is_complete = r->is_complete,
                         .t_start = r->used.t_start,
                         .t_end = r->used.t_end,
                         .t_reached = r->t_reached,
                         .closure_residual = r->closure,
                         .cpu_s = r->cpu,
                         .real_time_factor = jplant_real_time_factor(r),
                         .method = r->used.method,
                         .is_fixed_step = r->used.is_fixed_step,
                         .rel_tol = r->used.rel_tol,
                         .abs_tol = r->used.abs_tol,
                         .step = r->used.step,
                         .output_step = r->used.output_step};
}

const jo_tables* jo_result_tables(const jo_result* result) {
  JO_REQUIRE_OR(NULL, result);
  return result->tables;
}

jo_status jo_result_save(jo_context* ctx, const jo_result* result, const char* path) {
  JO_REQUIRE(ctx, result, path);
  jreport_run run;
  jreport_run_table(&run, result->result);
  return jreport_save(ctx, &run.table, path);
}
