// SPDX-License-Identifier: Apache-2.0
// jounce loads --compare: several drivers and rates against the converged run, in one table.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "loads.h"
#include "terminal.h"

#define MAX_RUNS     24
#define MAX_ELEMENTS 10  // compared where none are chosen
#define MAX_LINE     256

static const char all_runs[] =
    "fixed@200,fixed@500,fixed@1000,adaptive,impulsive@200,impulsive@500,impulsive@1000,"
    "subcycle@200,subcycle@500,subcycle@1000";

typedef struct compared {
  char label[40];
  jo_loads_result* result;  // NULL: could not begin
  jo_loads_statistics s;
  const jo_table* pose;  // NULL: there is none
} compared;

// What a paper printed: a file `reference/published_loads.csv` beside the model.
typedef struct published {
  char element[40], run[40];
  double peak;
} published;

typedef struct comparison {
  compared run[MAX_RUNS + 1];  // 0: converged
  int n;
  int element[MAX_ELEMENTS], nelement;
  bool is_chosen;  // by the user
  published paper[MAX_RUNS];
  int npaper;
  char note[8][MAX_LINE];
  int nnote;
} comparison;

// ---- runs ----------------------------------------------------------------------------------------

// "driver@rate", "driver@rate:tolerance"
static bool read_run(const char* text, char* driver, size_t size, jo_loads_options* opt) {
  size_t n = strcspn(text, "@:");
  if (n == 0 || n >= size) return false;
  memcpy(driver, text, n);
  driver[n] = 0;
  const char* at = text + n;
  while (*at) {
    double* target = *at == '@' ? &opt->rate_hz : *at == ':' ? &opt->tolerance : NULL;
    char* end;
    if (!target) return false;
    *target = strtod(at + 1, &end);
    if (end == at + 1 || !isfinite(*target)) return false;
    at = end;
  }
  return true;
}

static cli_exit take_run(cli* c, comparison* k, const jo_system* l, const char* text,
                         jo_loads_options opt) {
  char driver[32];
  compared* r = &k->run[k->n];
  if (!read_run(text, driver, sizeof driver, &opt)) {
    return cli_misuse("loads", "--compare needs DRIVER@RATE, not '%s'", text);
  }
  int which = jo_loads_driver_find(driver);
  if (which < 0) return cli_misuse("loads", "--compare: there is no driver '%s'", driver);
  opt.driver = (jo_loads_driver)which;
  snprintf(r->label, sizeof r->label, "%s", text);
  jo_status status = jo_loads_run(c->ctx, l, &opt, &r->result);
  if (!r->result) {
    cli_tell(c);
    return CLI_FAIL;
  }
  // a run that breaks down is part of the comparison: the table says where
  (void)status;
  if (k->n > 0) c->ntold = jo_context_diagnostic_count(c->ctx);
  r->s = jo_loads_result_statistics(r->result);
  r->pose = jo_tables_find(jo_loads_tables(r->result), "hull");
  k->n++;
  return CLI_OK;
}

static int element_named(const jo_loads_result* r, const char* name) {
  jo_loads_element e;
  for (int i = 0; jo_loads_element_at(r, i, &e) >= 0; i++) {
    if (strcmp(e.name, name) == 0) return i;
  }
  return -1;
}

static bool is_listed(const comparison* k, int element) {
  for (int i = 0; i < k->nelement; i++) {
    if (k->element[i] == element) return true;
  }
  return false;
}

// The chosen ones, else the published one and the most loaded.
static cli_exit choose_elements(comparison* k, const cli_loads_job* j) {
  const jo_loads_result* truth = k->run[0].result;
  jo_loads_element e, best;
  for (int i = 0; i < j->chosen.n && k->nelement < MAX_ELEMENTS; i++) {
    int at = element_named(truth, j->chosen.word[i]);
    if (at < 0) {
      cli_complain("jounce loads: --elements: no element is named '%s'", j->chosen.word[i]);
      return CLI_FAIL;
    }
    k->element[k->nelement++] = at;
  }
  k->is_chosen = j->chosen.n > 0;
  if (k->is_chosen) return CLI_OK;
  int at = k->npaper > 0 ? element_named(truth, k->paper[0].element) : -1;
  if (at >= 0) k->element[k->nelement++] = at;
  while (k->nelement < MAX_ELEMENTS && k->nelement < jo_loads_element_count(truth)) {
    at = -1;
    for (int i = 0; jo_loads_element_at(truth, i, &e) >= 0; i++) {
      bool larger = at < 0 || fabs(e.peak) > fabs(best.peak);
      if (is_listed(k, i) || !larger) continue;
      at = i;
      best = e;
    }
    k->element[k->nelement++] = at;
  }
  return CLI_OK;
}

// ---- what was published --------------------------------------------------------------------------

static void read_published(comparison* k, const jo_model* m) {
  char path[1024], line[MAX_LINE];
  const char *model = jo_model_path(m), *slash = strrchr(model, '/');
  int n = slash ? (int)(slash - model) + 1 : 0;
  snprintf(path, sizeof path, "%.*sreference/published_loads.csv", n, model);
  FILE* f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    line[strcspn(line, "\r\n")] = 0;
    published* p = &k->paper[k->npaper];
    if (line[0] == '#' && k->nnote < 8) {
      snprintf(k->note[k->nnote++], MAX_LINE, "%s", line + 1 + (line[1] == ' '));
    } else if (k->npaper < MAX_RUNS &&
               sscanf(line, "%39[^,],%39[^,],%lf", p->element, p->run, &p->peak) == 3) {
      k->npaper++;
    }
  }
  if (f) fclose(f);
}

static double published_peak(const comparison* k, const char* element, const char* run) {
  for (int i = 0; i < k->npaper; i++) {
    if (strcmp(k->paper[i].element, element) == 0 && strcmp(k->paper[i].run, run) == 0) {
      return k->paper[i].peak;
    }
  }
  return NAN;
}

// ---- text ----------------------------------------------------------------------------------------

static double fixed_evaluations(const jo_loads_statistics* s) {
  return 3.0 * s->rate * (s->t_reached - s->t_start);
}

static double worst_error(const comparison* k, const compared* r) {
  jo_loads_element a, b;
  double worst = 0.0;
  for (int i = 0; jo_loads_element_at(k->run[0].result, i, &a) >= 0; i++) {
    jo_loads_element_at(r->result, i, &b);
    worst = fmax(worst, fabs(b.peak / a.peak - 1.0));
  }
  return worst;
}

// By how much the vehicle ends elsewhere; 0 where there is none.
static double moved(const compared* r, const compared* truth, const char* column) {
  if (!r->pose || !truth->pose) return 0.0;
  return jo_table_number(r->pose, column, 0) - jo_table_number(truth->pose, column, 0);
}

static void print_runs(const comparison* k) {
  const compared* truth = &k->run[0];
  cli_heading("\nruns");
  printf("  %-16s %11s %8s %8s %8s %10s %10s %10s %10s\n", "run", "evaluations", "/ fixed", "worst",
         "bound", "x real", "peaks [%]", "hull [mm]", "yaw [deg]");
  for (int i = 0; i < k->n; i++) {
    const compared* r = &k->run[i];
    double dx = moved(r, truth, "x"), dy = moved(r, truth, "y"), dz = moved(r, truth, "z");
    bool adaptive = r->s.guaranteed_step_evaluations == 0.0;
    printf("  %-16s %11.0f", r->label, r->s.evaluations);
    if (adaptive) {
      printf(" %8s %8.1f %8s", "", r->s.worst_step_evaluations, "none");
    } else {
      printf(" %8.3f %8.1f %8.1f", r->s.evaluations / fixed_evaluations(&r->s),
             r->s.worst_step_evaluations, r->s.guaranteed_step_evaluations);
    }
    printf(" %10.0f", r->s.real_time_factor);
    if (!r->s.is_complete) {
      printf("   broke down at %.3f s; peaks until %.3f s\n", r->s.t_reached, r->s.t_meaningful);
      continue;
    }
    printf(" %10.3f %10.2f %10.4f\n", 100.0 * worst_error(k, r),
           1e3 * sqrt(dx * dx + dy * dy + dz * dz), moved(r, truth, "yaw"));
  }
}

static void print_peaks(const comparison* k) {
  jo_loads_element a, b;
  int fit = (cli_width() - 18) / 19,
      n_shown = k->nelement < fit || k->is_chosen ? k->nelement : fit;
  cli_heading("\npeaks [kN, kN m] and their error against the converged run");
  printf("  %-16s", "run");
  for (int i = 0; i < n_shown; i++) {
    jo_loads_element_at(k->run[0].result, k->element[i], &a);
    printf(" %18s", a.name);
  }
  printf("\n");
  for (int n = 0; n < k->n; n++) {
    printf("  %-16s", k->run[n].label);
    for (int i = 0; i < n_shown; i++) {
      jo_loads_element_at(k->run[0].result, k->element[i], &a);
      jo_loads_element_at(k->run[n].result, k->element[i], &b);
      double error = 100.0 * (b.peak / a.peak - 1.0);
      if (n == 0) {
        printf(" %10.3f %6.3fs", 1e-3 * b.peak, b.t_peak);
      } else if (fabs(error) < 1e4) {
        printf(" %10.3f %6.2f%%", 1e-3 * b.peak, error);
      } else {
        printf(" %10.3g %7s", 1e-3 * b.peak, "-");
      }
    }
    printf("\n");
  }
  int rest = jo_loads_element_count(k->run[0].result) - n_shown;
  if (rest > 0) printf("  (%d more elements: --elements A,B or --json)\n", rest);
}

// The largest load of the converged run in the window of a reconstruction.
static double peak_within(const jo_loads_result* r, int element, double t0, double t1) {
  const jo_table* history = jo_tables_find(jo_loads_tables(r), "history");
  const double* sample = history->column[0].value;
  int n = history->nrow, width = history->ncolumn;
  double peak = 0.0;
  for (int i = 0; i < n && sample[0] <= t1; i++, sample += width) {
    double F = sample[1 + element];
    if (sample[0] >= t0 && fabs(F) > fabs(peak)) peak = F;
  }
  return peak;
}

// The impulsive driver is right about the first impact of a coordinate; the rest is in doubt.
static void print_first_impacts(const comparison* k) {
  const jo_loads_result* truth = k->run[0].result;
  bool told = false;
  for (int n = 1; n < k->n; n++) {
    const jo_loads_result* r = k->run[n].result;
    const jo_table* v = jo_tables_find(jo_loads_tables(r), "events");
    int e = k->element[0], doubtful = 0, on = jo_table_column(v, "element");
    double peak = NAN, t = 0.0;
    jo_loads_element a;
    jo_loads_element_at(truth, e, &a);
    for (int i = 0; i < v->nrow; i++) {
      bool in_doubt = jo_table_number(v, "doubt", i) != 0.0;
      doubtful += in_doubt;
      if (!isnan(peak) || in_doubt || strcmp(v->column[on].text[i], a.name) != 0) continue;
      peak = jo_table_number(v, "peak", i);
      t = jo_table_number(v, "t0", i);
    }
    if (strncmp(k->run[n].label, "impulsive", 9) != 0) continue;
    if (!told) cli_heading("\nthe impulsive driver: first impacts are right, what follows is not");
    told = true;
    double expected = peak_within(truth, e, t, t + 0.1);
    printf(
        "  %-16s first impact of %s at %.3f s: %.3f, converged %.3f (%+.2f %%);"
        " %d of %d flags in doubt\n",
        k->run[n].label, a.name, t, 1e-3 * peak, 1e-3 * expected, 100.0 * (peak / expected - 1.0),
        doubtful, v->nrow);
  }
}

static void print_published(const comparison* k) {
  if (k->npaper == 0) return;
  cli_heading("\npublished");
  for (int i = 0; i < k->npaper; i++) {
    const published* p = &k->paper[i];
    int e = element_named(k->run[0].result, p->element);
    jo_loads_element truth, ours;
    if (jo_loads_element_at(k->run[0].result, e, &truth) < 0) continue;
    printf("  %-16s %-12s %10.1f", p->run, p->element, 1e-3 * p->peak);
    for (int n = 1; n < k->n; n++) {
      if (strcmp(k->run[n].label, p->run) != 0) continue;
      jo_loads_element_at(k->run[n].result, e, &ours);
      printf("   here %10.3f", 1e-3 * ours.peak);
    }
    printf("   (%+.1f %% from the converged run)\n", 100.0 * (p->peak / truth.peak - 1.0));
  }
  for (int i = 0; i < k->nnote; i++) {
    printf("  %s\n", k->note[i]);
  }
}

// ---- JSON ----------------------------------------------------------------------------------------

static void put_run(cli_json* j, const comparison* k, const compared* r) {
  jo_loads_element a, b;
  cli_json_object(j, NULL);
  cli_json_text(j, "run", r->label);
  cli_loads_json_run(j, r->result);
  cli_json_number(j, "evaluations_over_fixed", r->s.evaluations / fixed_evaluations(&r->s));
  cli_json_flat_object(j, "errors");
  for (int i = 0; jo_loads_element_at(k->run[0].result, i, &a) >= 0; i++) {
    jo_loads_element_at(r->result, i, &b);
    cli_json_number(j, a.name, b.peak / a.peak - 1.0);
  }
  cli_json_end(j);
  cli_json_end(j);
}

static void print_json(const comparison* k, const jo_model* m) {
  cli_json j = {0};
  jo_loads_element e;
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_list(&j, "runs");
  for (int i = 0; i < k->n; i++) {
    put_run(&j, k, &k->run[i]);
  }
  cli_json_end(&j);
  cli_json_list(&j, "published");
  for (int i = 0; jo_loads_element_at(k->run[0].result, i, &e) >= 0; i++) {
    for (int n = 0; n < k->n; n++) {
      double peak = published_peak(k, e.name, k->run[n].label);
      if (isnan(peak)) continue;
      cli_json_flat_object(&j, NULL);
      cli_json_text(&j, "element", e.name);
      cli_json_text(&j, "run", k->run[n].label);
      cli_json_number(&j, "peak", peak);
      cli_json_end(&j);
    }
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

// ---- the plot ------------------------------------------------------------------------------------

static cli_exit plot(cli* c, const comparison* k, const char* path) {
  const jo_loads_result* result[MAX_RUNS + 1];
  const char* label[MAX_RUNS + 1];
  char title[128];
  jo_loads_element e;
  jo_loads_element_at(k->run[0].result, k->element[0], &e);
  int n = 0;
  for (int i = 0; i < k->n; i++) {
    // steps of the impulsive driver jump over the impact: there is no history to draw
    if (strncmp(k->run[i].label, "impulsive", 9) == 0) continue;
    result[n] = k->run[i].result;
    label[n++] = k->run[i].label;
  }
  snprintf(title, sizeof title, "load on %s around its peak", e.name);
  jo_loads_plot p = {.title = title,
                     .element = e.name,
                     .t0_s = e.t_peak - 0.03,
                     .t1_s = e.t_peak + 0.06,
                     .result = result,
                     .label = label,
                     .nresult = n};
  jo_status status = jo_loads_plot_save(c->ctx, &p, path);
  cli_tell(c);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

static void print_text(const comparison* k, const jo_model* m) {
  cli_heading("%s", jo_model_name(m));
  if (*jo_model_settings(m)) printf("with %s\n", jo_model_settings(m));
  print_runs(k);
  print_peaks(k);
  print_first_impacts(k);
  print_published(k);
}

static cli_exit take_runs(cli* c, comparison* k, cli_loads_job* j, const jo_system* l) {
  jo_loads_options plain = j->opt;
  plain.rate_hz = plain.tolerance = NAN;
  cli_exit code = take_run(c, k, l, jo_loads_driver_name(JO_LOADS_CONVERGED), plain);
  for (int i = 0; code == CLI_OK && i < j->run.n && k->n <= MAX_RUNS; i++) {
    code = take_run(c, k, l, j->run.word[i], plain);
  }
  return code;
}

cli_exit cli_loads_compare(cli* c, cli_loads_job* j, const jo_model* m, const jo_system* l) {
  cli_exit code = CLI_OK;
  comparison* k = calloc(1, sizeof *k);
  if (!k) return cli_no_memory();
  if (j->run.n == 1 && strcmp(j->run.word[0], "all") == 0) {
    cli_list_free(&j->run);
    code = cli_words("loads", "--compare", all_runs, &j->run);
  }
  read_published(k, m);
  if (code == CLI_OK) code = take_runs(c, k, j, l);
  if (code == CLI_OK) code = choose_elements(k, j);
  bool is_compared = code == CLI_OK;
  if (is_compared && j->plot) code = plot(c, k, j->plot);
  if (is_compared) (c->json ? print_json : print_text)(k, m);
  if (code == CLI_OK && j->plot && !c->json) printf("\nplot written to %s\n", j->plot);
  for (int i = 0; i < k->n; i++) {
    jo_loads_result_destroy(k->run[i].result);
  }
  free(k);
  return code;
}
