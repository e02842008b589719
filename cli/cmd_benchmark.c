// SPDX-License-Identifier: Apache-2.0
// jounce benchmark: problems others have published with their solutions, solved and compared.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "failure.h"
#include "json.h"
#include "terminal.h"

enum { NPARAMETER = 5 };

static const char* const parameters[NPARAMETER] = {"k_f", "c_f", "k_r", "c_r", "m_c"};

// A. Lopez Varela, F. J. Mouzo Murujosa: Benchmark: sensitivity analysis of a four-wheeled buggy
// vehicle (2023). Reference: Table 9. A solution counts as converged where
//   error = sum_i k_i |gradient_i - reference_i|     eqs. (9), (10)
// is below the tolerance.
typedef struct manoeuvre {
  const char *key, *title, *file, *results;
  double psi, reference[NPARAMETER];
  double weight, weight_mass;  // k_i, k_5
  double tolerance;
} manoeuvre;

static const manoeuvre manoeuvres[] = {
    {"std",
     "Step descent",
     "step_descent.yaml",
     "results_std.txt",
     16.4163,
     {2.06e-4, 9.34e-4, -3.90e-5, 7.53e-4, 4.06e-2},
     1e4,
     1e2,
     0.15},
    {"dlc",
     "Double lane change",
     "double_lane_change.yaml",
     "results_dlc.txt",
     5.525e-4,
     {3.96e-8, -1.28e-8, -5.11e-8, -4.12e-8, 2.56e-6},
     1e8,
     1e6,
     0.30},
};
enum { NMANOEUVRE = sizeof manoeuvres / sizeof *manoeuvres };

typedef struct solution {
  double psi, frozen[NPARAMETER], exact[NPARAMETER];
  double error, error_exact;
  double cpu_dynamics, cpu_sensitivity, cpu_total;  // of psi and the frozen gradient [s]
  double rel_tol;
  // a loose tolerance is enough for three digits
  double quick_tol, quick_cpu, quick_deviation;
} solution;

typedef struct job {
  const char *models, *folder;
  double tolerance;
  solution found[NMANOEUVRE];
} job;

// ---- solving -------------------------------------------------------------------------------------

static double measure(const manoeuvre* m, const double* gradient) {
  double error = 0.0;
  for (int i = 0; i < NPARAMETER; i++) {
    double k = i == NPARAMETER - 1 ? m->weight_mass : m->weight;
    error += k * fabs(gradient[i] - m->reference[i]);
  }
  return error;
}

static double deviation(const double* gradient, const double* from) {
  double largest = 0.0;
  for (int i = 0; i < NPARAMETER; i++) {
    largest = fmax(largest, fabs(gradient[i] - from[i]) / fabs(from[i]));
  }
  return largest;
}

// One run: psi, gradient, statistics.
static jo_status differentiate(cli* c, const jo_system* system, double tolerance, bool frozen,
                               double* psi, double* gradient, jo_sens_statistics* statistics) {
  jo_sens_options opt = jo_sens_options_default();
  opt.frozen = frozen;
  opt.contributions = 0;
  // errors are those against the reference: estimates neither repeat a run nor warn
  opt.quick = 1;
  opt.derivative_tol = 1.0;
  opt.tolerance = tolerance;
  jo_sens_result* r = NULL;
  jo_status status = jo_sens_run(c->ctx, system, &opt, &r);
  if (status < 0) return status;
  jo_quantity q;
  jo_sens_objective_at(r, 0, &q);
  *psi = q.value;
  for (int i = 0; i < NPARAMETER; i++) {
    gradient[i] = jo_sens_derivative(r, 0, i);
  }
  *statistics = jo_sens_result_statistics(r);
  jo_sens_result_destroy(r);
  return status;
}

static jo_status solve(cli* c, const manoeuvre* m, const jo_system* system, double tolerance,
                       solution* s) {
  jo_sens_statistics st;
  jo_status status = differentiate(c, system, tolerance, true, &s->psi, s->frozen, &st);
  if (status < 0) return status;
  s->cpu_dynamics = st.cpu_dynamics;
  s->cpu_sensitivity = st.cpu_sensitivity;
  s->cpu_total = st.cpu_total;
  s->rel_tol = st.rel_tol;
  s->error = measure(m, s->frozen);
  status = differentiate(c, system, tolerance, false, &s->psi, s->exact, &st);
  if (status < 0) return status;
  s->error_exact = measure(m, s->exact);
  double psi, quick[NPARAMETER];
  s->quick_tol = 1e-6;
  status = differentiate(c, system, s->quick_tol, true, &psi, quick, &st);
  s->quick_cpu = st.cpu_total;
  s->quick_deviation = deviation(quick, s->frozen);
  return status;
}

static cli_exit solve_manoeuvre(cli* c, const job* j, const manoeuvre* m, solution* s) {
  char path[4096];
  int n = snprintf(path, sizeof path, "%s/buggy/%s", j->models, m->file);
  if (n < 0 || (size_t)n >= sizeof path) {
    return cli_misuse("benchmark", "--models: the name is too long");
  }
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_system_options use = {.use = JO_USE_DERIVATIVES,
                           .wrt = parameters,
                           .nwrt = NPARAMETER,
                           .method = JO_SENS_ADJOINT,
                           .interpreter = c->interpreter,
                           .compiler = c->compiler};
  jo_status status = jo_model_load(c->ctx, path, c->set, c->nset, &model);
  if (status >= 0) status = jo_system_create(c->ctx, model, &use, &system);
  if (status >= 0) status = solve(c, m, system, j->tolerance, s);
  cli_tell(c);
  jo_system_destroy(system);
  jo_model_destroy(model);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

// ---- text ----------------------------------------------------------------------------------------

static void print_values(const char* label, double psi, const double* gradient) {
  printf("  %-16s %14.8g", label, psi);
  for (int i = 0; i < NPARAMETER; i++) {
    printf(" %13.5e", gradient[i]);
  }
}

static void print_manoeuvre(const manoeuvre* m, const solution* s) {
  cli_heading("\n%s (%s)", m->title, m->file);
  printf("  %-16s %14s", "", "psi");
  for (int i = 0; i < NPARAMETER; i++) {
    printf("   d psi/d %s", parameters[i]);
  }
  printf("  error of %.2f\n", m->tolerance);
  print_values("published", m->psi, m->reference);
  printf("\n");
  print_values("events frozen", s->psi, s->frozen);
  printf("  %7.4f  %s\n", s->error, s->error < m->tolerance ? "pass" : "FAIL");
  print_values("exact", s->psi, s->exact);
  printf("  %7.4f\n", s->error_exact);
  printf("  CPU time at tolerance %.3g: %.2f ms: simulation %.2f, derivatives %.2f ms\n",
         s->rel_tol, 1e3 * s->cpu_total, 1e3 * s->cpu_dynamics, 1e3 * s->cpu_sensitivity);
  printf("  at tolerance %.3g: %.1f ms, gradient within %.1e of it\n", s->quick_tol,
         1e3 * s->quick_cpu, s->quick_deviation);
}

static void print_text(const job* j) {
  cli_heading("The buggy benchmark: derivatives with respect to spring, damper and chassis mass");
  for (int i = 0; i < NMANOEUVRE; i++) {
    print_manoeuvre(&manoeuvres[i], &j->found[i]);
  }
  printf("\nfrozen: switches stay at their nominal times, as in the published gradients. ");
  printf("exact: they move, as they do.\n");
  double excess = 100.0 * (j->found[1].psi / manoeuvres[1].psi - 1.0);
  printf(
      "psi of the lane change stays %.1f %% above the published one in every reading that passes: ",
      excess);
  printf("likely a coarse step there.\n");
}

// ---- JSON and files ------------------------------------------------------------------------------

static void json_gradient(cli_json* out, const char* key, const double* gradient) {
  cli_json_flat_object(out, key);
  for (int i = 0; i < NPARAMETER; i++) {
    cli_json_number(out, parameters[i], gradient[i]);
  }
  cli_json_end(out);
}

static void json_manoeuvre(cli_json* out, const manoeuvre* m, const solution* s) {
  cli_json_object(out, m->key);
  cli_json_number(out, "psi", s->psi);
  json_gradient(out, "gradient_frozen", s->frozen);
  json_gradient(out, "gradient_exact", s->exact);
  json_gradient(out, "reference", m->reference);
  cli_json_number(out, "psi_reference", m->psi);
  cli_json_number(out, "error", s->error);
  cli_json_number(out, "error_exact", s->error_exact);
  cli_json_number(out, "tolerance", m->tolerance);
  cli_json_bool(out, "pass", s->error < m->tolerance);
  cli_json_flat_object(out, "cpu_s");
  cli_json_number(out, "dynamics", s->cpu_dynamics);
  cli_json_number(out, "sensitivity", s->cpu_sensitivity);
  cli_json_number(out, "total", s->cpu_total);
  cli_json_end(out);
  cli_json_flat_object(out, "quick");
  cli_json_number(out, "integration_tolerance", s->quick_tol);
  cli_json_number(out, "cpu_s", s->quick_cpu);
  cli_json_number(out, "deviation", s->quick_deviation);
  cli_json_end(out);
  cli_json_number(out, "integration_tolerance", s->rel_tol);
  cli_json_end(out);
}

static void print_json(const job* j) {
  cli_json out = {0};
  cli_json_object(&out, NULL);
  for (int i = 0; i < NMANOEUVRE; i++) {
    json_manoeuvre(&out, &manoeuvres[i], &j->found[i]);
  }
  cli_json_end(&out);
}

// psi and its derivatives in the order of Table 9, a line per manoeuvre. NULL: no memory.
static char* results_text(const job* j, int first, int n, size_t* size) {
  char* text = NULL;
  FILE* f = open_memstream(&text, size);
  if (!f) return NULL;
  for (int i = first; i < first + n; i++) {
    const solution* s = &j->found[i];
    fprintf(f, "%.9e", s->psi);
    for (int k = 0; k < NPARAMETER; k++) {
      fprintf(f, " %.9e", s->frozen[k]);
    }
    fprintf(f, "\n");
  }
  if (fclose(f) == 0) return text;
  free(text);
  return NULL;
}

// Try a file of the folder before the work (no job), or write it.
static bool handle_file(cli* c, const char* folder, const char* name, const job* j, int first,
                        int n) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s", folder, name);
  if (length < 0 || (size_t)length >= sizeof path) {
    cli_print(stderr, "%s: the name of the folder is too long\n", folder);
    return false;
  }
  if (!j) return jo_output_check(c->ctx, path) >= 0;
  size_t size = 0;
  char* text = results_text(j, first, n, &size);
  if (!text) fprintf(stderr, "jounce: out of memory\n");
  bool is_written = text && jo_output_write(c->ctx, path, text, size) >= 0;
  free(text);
  return is_written;
}

static bool handle_files(cli* c, const char* folder, const job* j) {
  bool is_fine = handle_file(c, folder, "results.txt", j, 0, NMANOEUVRE);
  for (int i = 0; i < NMANOEUVRE && is_fine; i++) {
    is_fine = handle_file(c, folder, manoeuvres[i].results, j, i, 1);
  }
  cli_tell(c);
  return is_fine;
}

// ---- the command ---------------------------------------------------------------------------------

static bool does_pass(const job* j) {
  bool passes = true;
  for (int i = 0; i < NMANOEUVRE; i++) {
    const manoeuvre* m = &manoeuvres[i];
    if (j->found[i].error < m->tolerance) continue;
    cli_complain("%s: error %.3g is not below %.3g", m->file, j->found[i].error, m->tolerance);
    passes = false;
  }
  return passes;
}

static cli_exit run(cli* c, int argc, char** argv) {
  char models[CLI_PATH];
  cli_models_folder(models);
  job j = {.models = models, .folder = ".", .tolerance = NAN};
  const cli_option option[] = {
      {"-o", "DIR", "folder for results.txt; the current one by default", .text = &j.folder},
      {"--models", "DIR", "folder of the models; those that came with the program by default",
       .text = &j.models},
      {"--tol", "X", "tolerance of the integration; the models' by default",
       .number = &j.tolerance},
  };
  cli_exit code = cli_parse(c, &cli_benchmark, option, 3, argc, argv);
  if (code != CLI_OK) return code;
  if (strcmp(c->argument[0], "buggy") != 0) {
    return cli_misuse("benchmark", "no benchmark '%s'; there is buggy", c->argument[0]);
  }
  if (!handle_files(c, j.folder, NULL)) return CLI_FAIL;
  for (int i = 0; i < NMANOEUVRE && code == CLI_OK; i++) {
    code = solve_manoeuvre(c, &j, &manoeuvres[i], &j.found[i]);
  }
  if (code != CLI_OK) return code;
  bool is_written = handle_files(c, j.folder, &j), passes = does_pass(&j);
  (c->json ? print_json : print_text)(&j);
  if (is_written && !c->json) {
    printf("written to %s: results.txt, results_std.txt, results_dlc.txt\n", j.folder);
  }
  return is_written && passes ? CLI_OK : CLI_FAIL;
}

const cli_command cli_benchmark = {"benchmark", "buggy", 1,
                                   "solve a published benchmark and compare", run};
