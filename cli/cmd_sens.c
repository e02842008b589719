// SPDX-License-Identifier: Apache-2.0
// jounce sens: derivatives of the objectives by parameters, what matters and what does not, what
// events contribute, and checks.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "sens.h"
#include "terminal.h"

// ---- the command line ----------------------------------------------------------------------------

static cli_exit read_lists(cli_sens_job* j) {
  const char* wrt = j->wrt ? j->wrt : j->vcurve ? j->vcurve : "parameters";
  cli_exit code = cli_words("sens", "--wrt", wrt, &j->name);
  if (code == CLI_OK) code = cli_words("sens", "--history", j->history, &j->sensor);
  if (code == CLI_OK) code = cli_words("sens", "--objective", j->objective, &j->wanted);
  // the list has room for one more
  if (code == CLI_OK && j->wrt && j->vcurve) j->name.word[j->name.n++] = j->vcurve;
  return code;
}

static cli_exit check_options(cli_sens_job* j) {
  int method = 0;
  while (strcmp(j->method, cli_sens_method(method)) != 0) {
    method++;
  }
  j->opt.method = (jo_sens_method)method;
  j->opt.quick = j->quick;
  if (j->integrator) j->opt.integrator = jo_method_find(j->integrator);
  j->opt.frozen = strcmp(j->events, "frozen") == 0;
  const char* ends = j->vcurve ? ".csv .svg" : j->history ? JO_HISTORY_ENDINGS : JO_TABLE_ENDINGS;
  if (j->path && !cli_ends_in(j->path, ends)) {
    int n = (int)strlen(ends);
    while (ends[n - 1] == ' ') {
      n--;
    }
    const char* what = j->vcurve ? "a V-curve" : j->history ? "a history" : "derivatives";
    return cli_misuse("sens", "-o of %s needs a name that ends in one of %.*s, not '%s'", what, n,
                      ends, j->path);
  }
  if (j->history && j->opt.method == JO_SENS_ADJOINT) {
    return cli_misuse("sens", "--history needs the direct method");
  }
  return CLI_OK;
}

// "0.1" for all, "name=0.1" for one
static cli_exit read_increments(cli_sens_job* j) {
  int n = jo_sens_parameter_count(j->system);
  for (int i = 0; i < n; i++) {
    j->increment[i] = NAN;
  }
  char* copy = j->per ? malloc(strlen(j->per) + 1) : NULL;
  if (!copy) return j->per ? cli_no_memory() : CLI_OK;
  strcpy(copy, j->per);
  cli_exit code = CLI_OK;
  for (char* word = strtok(copy, ","); word && code == CLI_OK; word = strtok(NULL, ",")) {
    char *equals = strchr(word, '='), *number = equals ? equals + 1 : word, *end;
    double dp = strtod(number, &end);
    if (equals) *equals = 0;
    int which = equals ? jo_sens_parameter_find(j->system, word) : -1;
    if (end == number || *end || !isfinite(dp)) {
      code = cli_misuse("sens", "--per needs NUMBER or NAME=NUMBER, not '%s'", number);
    } else if (equals && which < 0) {
      cli_complain("jounce sens: --per: '%s' is not among the parameters of --wrt; add it", word);
      code = CLI_FAIL;
    }
    for (int i = 0; i < n && code == CLI_OK; i++) {
      if (!equals || i == which) j->increment[i] = dp;
    }
  }
  free(copy);
  return code;
}

// ---- what came out -------------------------------------------------------------------------------

const char* cli_sens_name(const cli_sens_job* j, int i) {
  jo_sens_parameter p = {"", "", "", NAN};
  jo_sens_parameter_at(j->system, i, &p);
  return p.name;
}

static void complain(const cli_sens_job* j) {
  if (j->worst == JO_DISAGREES) {
    cli_complain("%s: derivatives that were checked disagree", jo_model_path(j->model));
  } else {
    cli_complain(
        "%s: the check decides nothing about some derivatives: errors of theirs, or of the "
        "differences, are larger than they are; hint: a smaller --derivative-tol",
        jo_model_path(j->model));
  }
}

// ---- the command ---------------------------------------------------------------------------------

static int on_progress(void* user, double fraction) {
  cli_progress_show(user, fraction);
  return 1;
}

static bool run_check(cli* c, cli_sens_job* j) {
  int n = jo_sens_parameter_count(j->system) * jo_sens_objective_count(j->result);
  j->checked = calloc((size_t)n + 1, sizeof *j->checked);
  j->agreement = calloc((size_t)n + 1, sizeof *j->agreement);
  if (!j->checked || !j->agreement) return cli_no_memory() == CLI_OK;
  cli_progress bar = cli_progress_begin(!c->quiet);
  jo_status status = jo_sens_check(c->ctx, j->result, on_progress, &bar, j->checked);
  cli_progress_end(&bar);
  if (status >= 0) status = jo_sens_judge(c->ctx, j->result, j->checked, j->agreement, &j->worst);
  return status >= 0;
}

static bool run_vcurve(cli* c, cli_sens_job* j) {
  j->point = calloc(CLI_VCURVE_POINTS, sizeof *j->point);
  if (!j->point) return cli_no_memory() == CLI_OK;
  int parameter = jo_sens_parameter_find(j->system, j->vcurve);
  return jo_sens_vcurve(c->ctx, j->system, &j->opt, 0, parameter, CLI_VCURVE_POINTS, j->point,
                        &j->exact) >= 0;
}

static bool save(cli* c, const cli_sens_job* j) {
  if (!j->path) return true;
  jo_status status;
  if (j->point) {
    status = jo_sens_vcurve_save(c->ctx, j->system, 0, jo_sens_parameter_find(j->system, j->vcurve),
                                 j->point, CLI_VCURVE_POINTS, j->exact, j->path);
  } else if (j->history) {
    status = jo_sens_history_save(c->ctx, j->result, j->path);
  } else {
    status = jo_sens_save(c->ctx, j->result, j->path);
  }
  return status >= 0;
}

static cli_exit report(cli* c, cli_sens_job* j) {
  bool is_saved = save(c, j);
  cli_tell(c);
  c->json ? cli_sens_json(j) : cli_sens_text(j);
  if (j->worst != JO_AGREES) complain(j);
  if (j->path && is_saved && !c->json) {
    if (j->history) printf("%d rows of histories ", jo_sens_history_row_count(j->result));
    printf("written to %s\n", j->path);
  }
  return is_saved && j->worst == JO_AGREES ? CLI_OK : CLI_FAIL;
}

static cli_exit work(cli* c, cli_sens_job* j) {
  jo_system_options use = {.use = JO_USE_CONTRIBUTIONS,
                           .wrt = j->name.word,
                           .nwrt = j->name.n,
                           .method = j->opt.method,
                           .objective = j->wanted.word,
                           .nobjective = j->wanted.n};
  if (j->check || j->vcurve) use.use |= JO_USE_CHECKS;
  if (j->history) use.use |= JO_USE_HISTORIES;
  if (j->history && use.method == JO_SENS_AUTO && !j->check) use.method = JO_SENS_DIRECT;
  double begin = cli_cpu();
  cli_exit code = cli_prepare(c, j->model, &use, &j->system);
  j->cpu_equations = cli_cpu() - begin;
  if (code != CLI_OK) return code;
  size_t n = (size_t)jo_sens_parameter_count(j->system) + 1;
  j->increment = calloc(n, sizeof *j->increment);
  j->row = calloc(n, sizeof *j->row);
  if (!j->increment || !j->row) return cli_no_memory();
  code = read_increments(j);
  if (code != CLI_OK) return code;
  j->opt.history = j->sensor.word;
  j->opt.nhistory = j->sensor.n;
  jo_status status = jo_sens_run(c->ctx, j->system, &j->opt, &j->result);
  begin = cli_cpu();
  bool is_fine = status >= 0 && (!j->check || run_check(c, j)) && (!j->vcurve || run_vcurve(c, j));
  if (j->check || j->vcurve) j->cpu_checks = cli_cpu() - begin;
  cli_tell(c);
  return is_fine ? report(c, j) : CLI_FAIL;
}

static void clean(cli_sens_job* j) {
  jo_sens_result_destroy(j->result);
  jo_system_destroy(j->system);
  jo_model_destroy(j->model);
  cli_list_free(&j->name);
  cli_list_free(&j->sensor);
  cli_list_free(&j->wanted);
  free(j->increment);
  free(j->row);
  free(j->checked);
  free(j->agreement);
  free(j->point);
}

static cli_exit run(cli* c, int argc, char** argv) {
  cli_sens_job j = {.ctx = c->ctx, .method = "auto", .events = "exact", .threshold = 1e-4};
  j.opt = jo_sens_options_default();
  const cli_option option[] = {
      {"--wrt", "LIST", "parameters, paths, path.*, or all; all parameters by default",
       .text = &j.wrt},
      {"--objective", "LIST", CLI_ABOUT_OBJECTIVES, .text = &j.objective},
      {"--method", "NAME", "direct, adjoint or auto", .text = &j.method, .choice = cli_sens_method},
      {"--events", "HOW", "exact (default), or frozen at their times", .text = &j.events,
       .choice = cli_events_kind},
      {"--tol", "X", "relative and absolute tolerance", .number = &j.opt.tolerance},
      {"--derivative-tol", "X", "relative error wanted of derivatives",
       .number = &j.opt.derivative_tol},
      {"--quick", NULL, "error estimates from the run alone: half the cost, much larger estimates",
       .flag = &j.quick},
      {"--integrator", "NAME", .text = &j.integrator, .choice = jo_sens_integrator_name},
      {"--step", "H", "step of rk2, rk3, rk4; first step of the others [s]",
       .number = &j.opt.step_s},
      {"--per", "LIST", "also the change per increment: 0.1, or k_f=100,m_c=1", .text = &j.per},
      {"--threshold", "X", "less than X % per 1 % does not matter; 1e-4", .number = &j.threshold},
      {"--check", NULL, "compare direct, adjoint and differences of runs", .flag = &j.check},
      {"--vcurve", "NAME",
       "error of differences by NAME, of the first objective, against their increment",
       .text = &j.vcurve},
      {"--history", "LIST", "derivatives of sensors along the run, written with -o",
       .text = &j.history, .needs = "-o", .excludes = "--vcurve"},
      {"--output-step", "H", "spacing of the history [s]; 0: every step",
       .number = &j.opt.history_step_s, .needs = "--history"},
      {"-o", "FILE", "write derivatives, a history, or the V-curve", .file = &j.path,
       .ends = JO_HISTORY_ENDINGS ".svg"},
  };
  cli_exit code = cli_parse(c, &cli_sens, option, sizeof option / sizeof *option, argc, argv);
  if (code == CLI_OK) code = check_options(&j);
  if (code != CLI_OK) return code;
  code = read_lists(&j);
  if (code == CLI_OK) code = cli_load(c, &j.model);
  if (code == CLI_OK) code = work(c, &j);
  clean(&j);
  return code;
}

const cli_command cli_sens = {"sens", "FILE", 1, "differentiate the objectives of a model exactly",
                              run};
