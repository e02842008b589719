// SPDX-License-Identifier: Apache-2.0
// jounce run: simulate a manoeuvre, print what came out, write time histories.
#include <stdio.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

// ---- text ----------------------------------------------------------------------------------------

static void print_statistics(const jo_result* r) {
  jo_statistics s = jo_result_statistics(r);
  printf("\n%s, ", s.method);
  if (s.is_fixed_step) {
    printf("step %.4g s: ", s.step);
  } else {
    printf("tolerance %.3g", s.rel_tol);
    if (s.abs_tol != s.rel_tol) printf(" (absolute %.3g)", s.abs_tol);
    printf(": ");
  }
  printf("%lld steps, %lld rejected, %lld evaluations", (long long)s.steps, (long long)s.rejected,
         (long long)s.evaluations);
  if (s.projections > 0) {
    printf(", %lld projections; loops closed to %.1e m", (long long)s.projections,
           s.closure_residual);
  }
  printf("\n%.9g s of motion in %.3g ms of CPU time: %.*f times real time\n",
         s.t_reached - s.t_start, 1e3 * s.cpu_s, s.real_time_factor < 10.0 ? 2 : 0,
         s.real_time_factor);
}

static void print_text(const jo_model* m, const jo_result* r) {
  cli_heading("%s", jo_model_name(m));
  if (*jo_model_description(m)) printf("%s\n", jo_model_description(m));
  if (*jo_model_settings(m)) printf("with %s\n", jo_model_settings(m));
  jo_statistics s = jo_result_statistics(r);
  cli_tables(jo_result_tables(r));
  print_statistics(r);
  if (s.is_complete && s.t_reached < s.t_end) {
    printf("ended by its condition (end_when) at %.9g s, before %.9g s\n", s.t_reached, s.t_end);
  }
  if (!s.is_complete) printf("incomplete: %.9g s of %.9g s\n", s.t_reached, s.t_end);
}

// ---- JSON ----------------------------------------------------------------------------------------

static void print_json(const jo_model* m, const jo_result* r) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_tables(&j, jo_result_tables(r));
  cli_json_end(&j);
}

// ---- the command ---------------------------------------------------------------------------------

static int on_progress(void* user, double fraction) {
  cli_progress_show(user, fraction);
  return 1;
}

static cli_exit report(cli* c, const jo_model* model, const jo_result* result, const char* path) {
  cli_exit code = CLI_OK;
  if (path && jo_result_save(c->ctx, result, path) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (c->json) {
    print_json(model, result);
    return code;
  }
  print_text(model, result);
  if (path && code == CLI_OK) {
    const jo_table* history = jo_tables_find(jo_result_tables(result), "history");
    printf("%d rows of %d columns written to %s\n", history->nrow, history->ncolumn, path);
  }
  return code;
}

static cli_exit simulate(cli* c, const jo_model* model, const jo_system* system,
                         jo_simulate_options* opt, const char* path) {
  jo_result* result = NULL;
  cli_progress bar = cli_progress_begin(!c->quiet);
  opt->progress = on_progress;
  opt->user = &bar;
  jo_status status = jo_simulate(c->ctx, system, opt, &result);
  cli_progress_end(&bar);
  cli_tell(c);
  cli_exit code = result ? report(c, model, result, path) : CLI_FAIL;
  jo_result_destroy(result);
  return status < 0 ? CLI_FAIL : code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  jo_simulate_options opt = jo_simulate_options_default();
  const char *path = NULL, *method = NULL, *objective = NULL;
  const cli_option option[] = {
      {"-o", "FILE", "write time histories to FILE", .file = &path, .ends = JO_HISTORY_ENDINGS},
      {"--objective", "LIST", CLI_ABOUT_OBJECTIVES, .text = &objective},
      {"--end", "T", "stop at time T [s]", .number = &opt.t_end_s},
      {"--method", "NAME", .text = &method, .choice = jo_method_name},
      {"--tol", "X", "relative and absolute tolerance of adaptive methods",
       .number = &opt.tolerance},
      {"--step", "H", "step of rk2, rk3, rk4; first step of the others [s]", .number = &opt.step_s},
      {"--max-step", "H", "longest step of adaptive methods [s]", .number = &opt.max_step_s},
      {"--output-step", "H", "spacing of the written rows [s]; 0: every step",
       .number = &opt.output_step_s},
  };
  cli_exit code = cli_parse(c, &cli_run, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  if (method) opt.method = jo_method_find(method);
  cli_list wanted;
  code = cli_words("run", "--objective", objective, &wanted);
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_system_options use = {.objective = wanted.word, .nobjective = wanted.n};
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) code = cli_prepare(c, model, &use, &system);
  if (code == CLI_OK) code = simulate(c, model, system, &opt, path);
  jo_system_destroy(system);
  jo_model_destroy(model);
  cli_list_free(&wanted);
  return code;
}

const cli_command cli_run = {"run", "FILE", 1, "simulate the manoeuvre of a model", run};
