// SPDX-License-Identifier: Apache-2.0
// jounce loads: peak loads, cycles and stiff events of a manoeuvre; drivers compared; sensitivities.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loads.h"
#include "terminal.h"

// ---- the command line ----------------------------------------------------------------------------

static cli_exit read_lists(cli_loads_job* j) {
  cli_exit code = cli_words("loads", "--compare", j->compare, &j->run);
  if (code == CLI_OK) code = cli_words("loads", "--elements", j->elements, &j->chosen);
  return code == CLI_OK ? cli_words("loads", "--wrt", j->wrt, &j->number) : code;
}

static void free_lists(cli_loads_job* j) {
  cli_list_free(&j->run);
  cli_list_free(&j->chosen);
  cli_list_free(&j->number);
}

// ---- one run -------------------------------------------------------------------------------------

// OUT.csv is written with OUT.events beside it: tried before the run (no result yet), or written.
static cli_exit handle_events(cli* c, const jo_loads_result* r, const char* path) {
  size_t n = strlen(path);
  if (strcmp(path + n - 4, ".csv") != 0) return CLI_OK;
  char* events = malloc(n + 8);
  if (!events) return cli_no_memory();
  memcpy(events, path, n - 4);
  memcpy(events + n - 4, ".events", 8);
  jo_status status = r ? jo_loads_save(c->ctx, r, events) : jo_output_check(c->ctx, events);
  free(events);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

static cli_exit save(cli* c, const jo_loads_result* r, const char* path) {
  if (jo_loads_save(c->ctx, r, path) < 0) return CLI_FAIL;
  return handle_events(c, r, path);
}

static cli_exit save_rainflow(cli* c, const jo_loads_result* r, const cli_loads_job* j) {
  int n = (int)j->classes;
  return jo_loads_rainflow_save(c->ctx, r, n, j->rainflow) < 0 ? CLI_FAIL : CLI_OK;
}

static cli_exit run_one(cli* c, const cli_loads_job* j, const jo_model* m, const jo_system* l) {
  jo_loads_result* r = NULL;
  jo_status status = jo_loads_run(c->ctx, l, &j->opt, &r);
  cli_exit code = status < 0 ? CLI_FAIL : CLI_OK;
  if (r && j->path && save(c, r, j->path) != CLI_OK) code = CLI_FAIL;
  if (r && j->rainflow && save_rainflow(c, r, j) != CLI_OK) code = CLI_FAIL;
  cli_tell(c);
  if (r && c->json) cli_loads_json(m, r);
  if (r && !c->json) {
    cli_loads_print(m, r, &j->opt);
    if (j->path && code == CLI_OK) printf("written to %s\n", j->path);
    if (j->rainflow && code == CLI_OK) printf("cycles written to %s\n", j->rainflow);
  }
  jo_loads_result_destroy(r);
  return code;
}

// ---- sensitivities -------------------------------------------------------------------------------

static double larger(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmax(a, b);  // what is not known stays so
}

// Largest error of the figures in a row; NaN: one of them is not known.
static double worst_error(const jo_system* system, const jo_loads_gradient* g) {
  double worst = 0.0;
  jo_sens_parameter number;
  for (int k = 0; jo_sens_parameter_at(system, k, &number) >= 0; k++) {
    double p = fabs(number.value);
    if (g->peak != 0.0) worst = larger(worst, p * g->dpeak_error[k] / fabs(g->peak));
    if (g->damage != 0.0) worst = larger(worst, p * g->ddamage_error[k] / fabs(g->damage));
  }
  return worst;
}

static void print_gradients(const cli_loads_job* j, const jo_system* system,
                            const jo_loads_sens* s) {
  jo_loads_gradient g;
  jo_sens_parameter number;
  double worst = 0.0;
  cli_heading("sensitivities: %% of peak and of pseudo-damage (slope %g) per %% of a number",
              j->opt.slope);
  printf("  %-16s %12s %9s", "element", "peak", "t [s]");
  for (int k = 0; jo_sens_parameter_at(system, k, &number) >= 0; k++) {
    printf(" %21s", number.name);
  }
  printf("\n");
  for (int i = 0; jo_loads_sens_at(s, i, &g) >= 0; i++) {
    printf("  %-16s %8.3f k%-3s %8.4f", g.name, 1e-3 * g.peak, g.unit, g.t_peak);
    for (int k = 0; jo_sens_parameter_at(system, k, &number) >= 0; k++) {
      double p = number.value;
      printf("  %9.4f %9.4f", g.peak != 0.0 ? p * g.dpeak[k] / g.peak : 0.0,
             g.damage != 0.0 ? p * g.ddamage[k] / g.damage : 0.0);
    }
    printf("\n");
    worst = larger(worst, worst_error(system, &g));
  }
  if (isnan(worst)) {
    printf("  errors of these figures are not known\n");
    return;
  }
  printf("  estimated errors of these figures: at most %.1e\n", worst);
}

static void list_numbers(cli_json* json, const char* key, const jo_system* system,
                         const double* value) {
  jo_sens_parameter number;
  cli_json_flat_object(json, key);
  for (int k = 0; jo_sens_parameter_at(system, k, &number) >= 0; k++) {
    cli_json_number(json, number.name, value[k]);
  }
  cli_json_end(json);
}

static void print_gradients_json(const jo_model* m, const jo_system* system,
                                 const jo_loads_sens* s) {
  cli_json json = {0};
  jo_sens_parameter number;
  jo_loads_gradient g;
  cli_json_object(&json, NULL);
  cli_json_text(&json, "model", jo_model_name(m));
  cli_json_text(&json, "settings", jo_model_settings(m));
  cli_json_object(&json, "parameters");
  for (int k = 0; jo_sens_parameter_at(system, k, &number) >= 0; k++) {
    cli_json_number(&json, number.name, number.value);
  }
  cli_json_end(&json);
  cli_json_object(&json, "elements");
  for (int i = 0; jo_loads_sens_at(s, i, &g) >= 0; i++) {
    cli_json_object(&json, g.name);
    cli_json_number(&json, "peak", g.peak);
    cli_json_number(&json, "time", g.t_peak);
    cli_json_number(&json, "damage", g.damage);
    list_numbers(&json, "d_peak", system, g.dpeak);
    list_numbers(&json, "d_damage", system, g.ddamage);
    list_numbers(&json, "d_peak_error", system, g.dpeak_error);
    list_numbers(&json, "d_damage_error", system, g.ddamage_error);
    cli_json_end(&json);
  }
  cli_json_end(&json);
  cli_json_end(&json);
}

cli_exit cli_loads_sensitivities(cli* c, const cli_loads_job* j, const jo_model* m) {
  jo_loads_sens_options opt = jo_loads_sens_options_default();
  opt.t_end_s = j->opt.t_end_s;
  opt.tolerance = j->opt.tolerance;
  opt.slope = j->opt.slope;
  opt.reference = j->opt.reference;
  jo_system_options use = {.use = JO_USE_HISTORIES, .wrt = j->number.word, .nwrt = j->number.n};
  jo_system* system = NULL;
  jo_loads_sens* s = NULL;
  cli_exit code = cli_prepare(c, m, &use, &system);
  if (code == CLI_OK && jo_loads_sens_run(c->ctx, system, &opt, &s) < 0) code = CLI_FAIL;
  if (s && j->gradient && jo_loads_sens_save(c->ctx, s, j->gradient) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (s && c->json) print_gradients_json(m, system, s);
  if (s && !c->json) {
    print_gradients(j, system, s);
    if (j->gradient && code == CLI_OK) printf("written to %s\n", j->gradient);
  }
  jo_loads_sens_destroy(s);
  jo_system_destroy(system);
  return code;
}

// ---- the command ---------------------------------------------------------------------------------

static cli_exit work(cli* c, cli_loads_job* j) {
  jo_model* model = NULL;
  jo_system* system = NULL;
  cli_exit code = cli_load(c, &model);
  if (code == CLI_OK && j->number.n > 0) {
    code = cli_loads_sensitivities(c, j, model);
  } else if (code == CLI_OK) {
    jo_system_options use = {.use = JO_USE_LOADS};
    code = cli_prepare(c, model, &use, &system);
    if (code == CLI_OK) {
      code = j->compare ? cli_loads_compare(c, j, model, system) : run_one(c, j, model, system);
    }
  }
  jo_system_destroy(system);
  jo_model_destroy(model);
  return code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  cli_loads_job j = {.opt = jo_loads_options_default(), .classes = 64.0};
  const char* driver = NULL;
  const cli_option option[] = {
      {"--driver", "NAME", "fixed, adaptive, impulsive, subcycle (default) or converged",
       .text = &driver, .choice = jo_loads_driver_name},
      {"--rate", "HZ", "steps per second; 500, of adaptive at least 100", .number = &j.opt.rate_hz},
      {"--tol", "X", "error of a state in a step (adaptive, impulsive); 1e-3",
       .number = &j.opt.tolerance},
      {"--end", "T", "stop at time T [s]", .number = &j.opt.t_end_s},
      {"--slope", "K", "of pseudo-damage, sum of count * (range/reference)^K; 5",
       .number = &j.opt.slope},
      {"--reference", "F", "of pseudo-damage [N, N m]; 1", .number = &j.opt.reference},
      {"--restitution", "E", "of the impulsive driver; 1", .number = &j.opt.restitution},
      {"--realtime", NULL, "pace the run against the clock, report missed deadlines",
       .flag = &j.realtime},
      {"-o", "FILE", "write histories, with events beside those of CSV, or events alone",
       .file = &j.path, .ends = JO_HISTORY_ENDINGS ".events", .excludes = "--wrt --compare"},
      {"--rainflow", "FILE", "write cycle counts as matrices, from-to and range-mean: .csv",
       .file = &j.rainflow, .ends = ".csv", .excludes = "--wrt --compare"},
      {"--classes", "N", "of these matrices; 64", .number = &j.classes, .needs = "--rainflow"},
      {"--wrt", "A,B", "derivatives of peaks and pseudo-damage with respect to these",
       .text = &j.wrt},
      {"--gradient", "FILE", "write these derivatives to FILE", .file = &j.gradient,
       .ends = JO_TABLE_ENDINGS, .needs = "--wrt"},
      {"--compare", "LIST", "several runs in one table: fixed@200,subcycle@500,... or all",
       .text = &j.compare, .excludes = "--wrt"},
      {"--elements", "A,B", "compare these elements; by default the most loaded",
       .text = &j.elements, .needs = "--compare"},
      {"--plot", "FILE", "comparison: histories around the peak of the first element, SVG",
       .file = &j.plot, .ends = ".svg", .needs = "--compare"},
  };
  cli_exit code = cli_parse(c, &cli_loads, option, sizeof option / sizeof *option, argc, argv);
  if (code == CLI_OK &&
      !(j.classes >= 1.0 && j.classes <= 1000.0 && j.classes == floor(j.classes))) {
    code = cli_misuse("loads", "--classes needs a whole number from 1 to 1000, not %g", j.classes);
  }
  if (code == CLI_OK && j.path) code = handle_events(c, NULL, j.path);
  cli_tell(c);
  if (code != CLI_OK) return code;
  if (driver) j.opt.driver = (jo_loads_driver)jo_loads_driver_find(driver);
  j.opt.realtime = j.realtime;
  code = read_lists(&j);
  if (code == CLI_OK) code = work(c, &j);
  free_lists(&j);
  return code;
}

const cli_command cli_loads = {"loads", "FILE", 1,
                               "peak loads, cycles and stiff events of a manoeuvre", run};
