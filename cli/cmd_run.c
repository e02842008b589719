// SPDX-License-Identifier: Apache-2.0
// jounce run: simulate a manoeuvre, print what came out, write time histories.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

#define MAX_EVENTS  45  // printed as text; JSON and files have all
#define MAX_CHANGES 6

// ---- text ----------------------------------------------------------------------------------------

typedef jo_status (*quantity_at)(const jo_result* r, int i, jo_quantity* out);

static int name_width(const jo_result* r, quantity_at at, int n) {
  int width = 4;
  jo_quantity q;
  for (int i = 0; i < n && at(r, i, &q) >= 0; i++) {
    if ((int)strlen(q.name) > width) width = (int)strlen(q.name);
  }
  return width;
}

static void print_objectives(const jo_result* r) {
  int n = jo_result_objective_count(r), width = name_width(r, jo_result_objective_at, n);
  jo_quantity q;
  if (n > 0) cli_heading("\nobjectives");
  for (int i = 0; i < n && jo_result_objective_at(r, i, &q) >= 0; i++) {
    printf("  %-*s  ", width, q.name);
    if (isfinite(q.value)) {
      printf("%16.10g", q.value);
    } else {
      printf("%16s", isnan(q.value) ? "not a number" : "infinite");
    }
    printf(" %-10s %s\n", q.unit, q.description);
  }
}

static void print_sensors(const jo_result* r, double t) {
  int n = jo_result_sensor_count(r), width = name_width(r, jo_result_output_at, n);
  if (n == 0) return;
  cli_cells cells = {0};
  jo_quantity q;
  for (int i = 0; i < n && jo_result_output_at(r, i, &q) >= 0; i++) {
    cli_cells_add(&cells, "%-*s %13.6g %s", width, q.name, q.value, q.unit);
  }
  cli_heading("\nsensors at t = %.9g s", t);
  cli_cells_print(&cells);
}

static void print_events(const jo_result* r) {
  int n = jo_result_event_count(r), shown = n < MAX_EVENTS ? n : MAX_EVENTS;
  if (n == 0) return;
  cli_cells cells = {0};
  jo_event e;
  for (int i = 0; i < shown && jo_result_event_at(r, i, &e) >= 0; i++) {
    cli_cells_add(&cells, "%10.6f s  %s %s", e.t, e.name, e.on ? "on" : "off");
  }
  cli_heading("\nevents");
  cli_cells_print(&cells);
  if (n > shown)
    printf("  ... and %d more, all of them with --json or in a file (-o)\n", n - shown);
}

static void print_changes(const jo_result* r) {
  int n = jo_result_change_count(r), shown = n < MAX_CHANGES ? n : MAX_CHANGES;
  jo_change c;
  if (n == 0) return;
  cli_heading("\n%d change%s of the partition, independent from then on", n, n > 1 ? "s" : "");
  for (int i = 0; i < shown && jo_result_change_at(r, i, &c) >= 0; i++) {
    printf("  %10.6f s  %s\n", c.t, c.independent);
  }
  if (n > shown) printf("  ... and %d more, all of them with --json\n", n - shown);
}

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
  print_objectives(r);
  print_sensors(r, s.t_reached);
  print_events(r);
  print_changes(r);
  print_statistics(r);
  if (s.is_complete && s.t_reached < s.t_end) {
    printf("ended by its condition (end_when) at %.9g s, before %.9g s\n", s.t_reached, s.t_end);
  }
  if (!s.is_complete) printf("incomplete: %.9g s of %.9g s\n", s.t_reached, s.t_end);
}

// ---- JSON ----------------------------------------------------------------------------------------

// Of two outputs with one name the first counts: keys are unique.
static bool is_repeated(const jo_result* r, int i) {
  jo_quantity a, b;
  jo_result_output_at(r, i, &a);
  for (int k = 0; k < i; k++) {
    if (jo_result_output_at(r, k, &b) >= 0 && strcmp(a.name, b.name) == 0) return true;
  }
  return false;
}

// Only where there are any: most models have none, ever.
static void put_changes(cli_json* j, const jo_result* r) {
  jo_change c;
  if (jo_result_change_count(r) == 0) return;
  cli_json_list(j, "partition_changes");
  for (int i = 0; jo_result_change_at(r, i, &c) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_number(j, "t", c.t);
    cli_json_text(j, "independent", c.independent);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void print_json(const jo_model* m, const jo_result* r, const char* error) {
  cli_json j = {0};
  jo_statistics s = jo_result_statistics(r);
  jo_quantity q;
  jo_event e;
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_object(&j, "objectives");
  for (int i = 0; jo_result_objective_at(r, i, &q) >= 0; i++) {
    cli_json_number(&j, q.name, q.value);
  }
  cli_json_end(&j);
  cli_json_object(&j, "final");
  for (int i = 0; jo_result_output_at(r, i, &q) >= 0; i++) {
    if (!is_repeated(r, i)) cli_json_number(&j, q.name, q.value);
  }
  cli_json_end(&j);
  cli_json_list(&j, "events");
  for (int i = 0; jo_result_event_at(r, i, &e) >= 0; i++) {
    cli_json_flat_object(&j, NULL);
    cli_json_number(&j, "t", e.t);
    cli_json_text(&j, "name", e.name);
    cli_json_bool(&j, "on", e.on != 0);
    cli_json_end(&j);
  }
  cli_json_end(&j);
  put_changes(&j, r);
  if (*error) cli_json_text(&j, "error", error);
  cli_json_bool(&j, "complete", s.is_complete != 0);
  cli_json_number(&j, "t_reached", s.t_reached);
  if (s.is_complete && s.t_reached < s.t_end) cli_json_text(&j, "ended_by", "end_when");
  cli_json_text(&j, "method", s.method);
  cli_json_count(&j, "steps", s.steps);
  cli_json_count(&j, "rejected", s.rejected);
  cli_json_count(&j, "evaluations", s.evaluations);
  cli_json_count(&j, "projections", s.projections);
  cli_json_number(&j, "closure_residual", s.closure_residual);
  cli_json_number(&j, "cpu_s", s.cpu_s);
  cli_json_number(&j, "real_time_factor", s.real_time_factor);
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
    print_json(model, result, jo_context_message(c->ctx));
    return code;
  }
  print_text(model, result);
  if (path && code == CLI_OK) {
    printf("%d rows of %d columns written to %s\n", jo_result_row_count(result),
           jo_result_column_count(result), path);
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
