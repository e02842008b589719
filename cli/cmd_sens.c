// SPDX-License-Identifier: Apache-2.0
// jounce sens: derivatives of the objectives by parameters, what matters and what does not, what
// events contribute, and checks.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

#define MAX_ROWS       40  // of a table printed as text; JSON and files have all
#define MAX_EVENTS     24
#define EVENT_COLUMNS  5     // parameters in the table of events
#define VCURVE_POINTS  23    // two per decade
#define DIRECT_ADJOINT 1e-9  // agreement asked for, relative
#define DIFFERENCES    1e-6

typedef struct job {
  jo_context* ctx;
  const char *wrt, *method, *events, *vcurve, *objective, *history, *per, *path;
  double threshold;
  bool check;
  jo_sens_options opt;
  char* text;  // copies of lists, cut at commas
  const char** name;
  int nname;
  const char** sensor;
  int nsensor;
  jo_model* model;
  jo_sens* sens;
  jo_sens_result* result;
  double* increment;  // per parameter, NaN: none
  jo_sens_row* row;
  jo_sens_check_row* checked;
  jo_sens_vcurve_point* point;
  double exact;  // derivative of the V-curve
  int of;        // objective of the V-curve
} job;

// ---- the command line ----------------------------------------------------------------------------

// Cut `text` at commas; *room is where copies go.
static const char** cut(const char* text, char** room, int* n) {
  size_t length = strlen(text);
  const char** list = calloc(length + 2, sizeof *list);
  if (!list) return NULL;
  memcpy(*room, text, length + 1);
  for (char* word = strtok(*room, ","); word; word = strtok(NULL, ",")) {
    list[(*n)++] = word;
  }
  *room += length + 1;
  return list;
}

static bool read_lists(job* j) {
  const char* wrt = j->wrt ? j->wrt : j->vcurve ? "" : "parameters";
  const char* history = j->history ? j->history : "";
  j->text = malloc(strlen(wrt) + strlen(history) + 2);
  char* room = j->text;
  if (!room) return false;
  j->name = cut(wrt, &room, &j->nname);
  j->sensor = cut(history, &room, &j->nsensor);
  if (!j->name || !j->sensor) return false;
  // the list has room for one more
  if (j->vcurve) j->name[j->nname++] = j->vcurve;
  return true;
}

static bool ends_in(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n > k && strcmp(text + n - k, end) == 0;
}

static cli_exit check_options(job* j) {
  static const char* const methods[] = {"auto", "direct", "adjoint"};
  int method = 0;
  while (method < 3 && strcmp(j->method, methods[method]) != 0) {
    method++;
  }
  if (method == 3) {
    return cli_misuse("sens", "--method needs direct, adjoint or auto, not '%s'", j->method);
  }
  j->opt.method = (jo_sens_method)method;
  j->opt.frozen = strcmp(j->events, "frozen") == 0;
  if (!j->opt.frozen && strcmp(j->events, "exact") != 0) {
    return cli_misuse("sens", "--events needs exact or frozen, not '%s'", j->events);
  }
  if (j->path && !ends_in(j->path, ".csv") && !(j->vcurve && ends_in(j->path, ".svg"))) {
    return cli_misuse("sens", "-o needs a name that ends in .csv%s, not '%s'",
                      j->vcurve ? " or .svg" : "", j->path);
  }
  if (j->history && j->vcurve)
    return cli_misuse("sens", "--history and --vcurve exclude each other");
  if (j->history && j->opt.method == JO_SENS_ADJOINT) {
    return cli_misuse("sens", "--history needs the direct method");
  }
  return CLI_OK;
}

// "0.1" for all, "name=0.1" for one
static cli_exit read_increments(job* j) {
  int n = jo_sens_parameter_count(j->sens);
  for (int i = 0; i < n; i++) {
    j->increment[i] = NAN;
  }
  char* copy = j->per ? malloc(strlen(j->per) + 1) : NULL;
  if (!copy) return j->per ? CLI_FAIL : CLI_OK;
  strcpy(copy, j->per);
  cli_exit code = CLI_OK;
  for (char* word = strtok(copy, ","); word && code == CLI_OK; word = strtok(NULL, ",")) {
    char *equals = strchr(word, '='), *number = equals ? equals + 1 : word, *end;
    double dp = strtod(number, &end);
    if (equals) *equals = 0;
    int which = equals ? jo_sens_parameter_find(j->sens, word) : -1;
    if (end == number || *end || !isfinite(dp)) {
      code = cli_misuse("sens", "--per needs NUMBER or NAME=NUMBER, not '%s'", number);
    } else if (equals && which < 0) {
      code = cli_misuse("sens", "--per: derivatives are not taken by '%s'", word);
    }
    for (int i = 0; i < n && code == CLI_OK; i++) {
      if (!equals || i == which) j->increment[i] = dp;
    }
  }
  free(copy);
  return code;
}

// ---- text: tables --------------------------------------------------------------------------------

static const char* parameter_name(const job* j, int i) {
  jo_sens_parameter p = {"", "", "", NAN};
  jo_sens_parameter_at(j->sens, i, &p);
  return p.name;
}

static int names_width(const job* j) {
  int width = 9;
  for (int i = 0; i < jo_sens_parameter_count(j->sens); i++) {
    int n = (int)strlen(parameter_name(j, i));
    if (n > width) width = n;
  }
  return width;
}

static double moved_by_events(const job* j, int objective, int parameter) {
  return jo_sens_derivative(j->result, objective, parameter) -
         jo_sens_derivative_frozen(j->result, objective, parameter);
}

static void print_row(const job* j, int objective, const jo_sens_row* r, int width, bool is_moved) {
  jo_sens_parameter p;
  jo_sens_parameter_at(j->sens, r->parameter, &p);
  printf("  %-*s %13.7g %-8s %14.6e %11.5f", width, p.name, r->value, p.unit, r->derivative,
         r->percent);
  if (is_moved) printf(" %13.4e", moved_by_events(j, objective, r->parameter));
  if (j->per && isfinite(r->change)) printf(" %13.5g", r->change);
  printf("\n");
}

static void print_idle(const job* j, const jo_sens_row* row, int n) {
  cli_cells cells = {0};
  int idle = 0;
  for (int i = 0; i < n; i++) {
    if (row[i].influence != JO_IDLE) continue;
    if (idle++ < 3 * MAX_ROWS) cli_cells_add(&cells, "%s", parameter_name(j, row[i].parameter));
  }
  if (idle == 0) return;
  printf("\n  %d do not matter (less than %g %% per 1 %%)\n", idle, j->threshold);
  cli_cells_print(&cells);
  if (idle > 3 * MAX_ROWS) printf("  ... and %d more\n", idle - 3 * MAX_ROWS);
}

// Rows of one kind of influence, as many as are not too many.
static void print_rows(const job* j, int objective, jo_influence kind, int most, int width,
                       bool is_moved) {
  int n = jo_sens_parameter_count(j->sens), shown = 0, left = 0;
  for (int i = 0; i < n; i++) {
    if (j->row[i].influence != kind) continue;
    if (shown == most) {
      left++;
      continue;
    }
    if (kind == JO_ZERO_VALUE && shown == 0) {
      printf("\n  zero in the model: per 1 %% of the typical size of their kind\n");
    }
    print_row(j, objective, &j->row[i], width, is_moved);
    shown++;
  }
  if (left > 0) printf("  ... and %d more, all of them with --json or -o\n", left);
}

static void print_ranking(job* j, int objective, const jo_quantity* q) {
  int n = jo_sens_parameter_count(j->sens), width = names_width(j);
  bool is_moved = isfinite(jo_sens_derivative_frozen(j->result, objective, 0)) && !j->opt.frozen;
  if (jo_sens_rank(j->ctx, j->result, objective, j->increment, j->threshold, j->row) < 0) return;
  cli_heading("\n%s = %.10g %s%s%s", q->name, q->value, q->unit, *q->description ? "   " : "",
              q->description);
  printf("  %-*s %13s %-8s %14s %11s", width, "parameter", "value", "", "derivative", "% per 1 %");
  if (is_moved) printf(" %13s", "by events");
  if (j->per) printf(" %13s", "per increment");
  printf("\n");
  print_rows(j, objective, JO_MATTERS, MAX_ROWS, width, is_moved);
  print_rows(j, objective, JO_ZERO_VALUE, MAX_ROWS / 2, width, is_moved);
  print_idle(j, j->row, n);
}

static bool contributes(const job* j, int event, int objective) {
  for (int k = 0; k < jo_sens_parameter_count(j->sens); k++) {
    if (jo_sens_event_contribution(j->result, event, objective, k) != 0.0) return true;
  }
  return false;
}

// What follows from an event at the same instant stands below it, two blanks in.
static void print_event(const job* j, int event, int objective, int width, int columns) {
  jo_sens_event e;
  jo_sens_event_at(j->result, event, &e);
  int indent = e.follows ? 2 : 0;
  printf("  %10.6f  %*s%-*s %-3s", e.t, indent, "", width - indent, e.name, e.on ? "on" : "off");
  for (int k = 0; k < columns; k++) {
    printf(" %11.3e",
           jo_sens_event_contribution(j->result, event, objective, j->row[k].parameter) + 0.0);
  }
  printf("\n");
}

static void print_events(const job* j, int objective, const char* psi) {
  int n = jo_sens_event_count(j->result), columns = jo_sens_parameter_count(j->sens), width = 8;
  if (columns > EVENT_COLUMNS) columns = EVENT_COLUMNS;
  if (n == 0 || !isfinite(jo_sens_event_contribution(j->result, 0, objective, 0))) return;
  jo_sens_event e;
  for (int i = 0; jo_sens_event_at(j->result, i, &e) >= 0; i++) {
    int length = (int)strlen(e.name) + (e.follows ? 2 : 0);
    if (length > width) width = length;
  }
  cli_heading("\nevents: what their motion adds to the derivatives of %s", psi);
  printf("  %10s  %-*s    ", "t [s]", width, "");
  for (int k = 0; k < columns; k++) {
    printf(" %11.11s", parameter_name(j, j->row[k].parameter));
  }
  printf("\n");
  int shown = 0, idle = 0, left = 0;
  for (int i = 0; i < n; i++) {
    if (!contributes(j, i, objective)) {
      idle++;
    } else if (shown == MAX_EVENTS) {
      left++;
    } else {
      print_event(j, i, objective, width, columns);
      shown++;
    }
  }
  if (left > 0) printf("  ... and %d more, all of them with --json\n", left);
  if (idle > 0) printf("  %d more events add nothing\n", idle);
}

static void print_statistics(const job* j) {
  jo_sens_statistics s = jo_sens_result_statistics(j->result);
  printf("\n%s method, events %s; %s, ", jo_sens_method_name(s.method),
         s.is_frozen ? "frozen" : "exact", s.integrator);
  if (s.is_fixed_step) {
    printf("step %.4g s: ", s.step);
  } else {
    printf("tolerance %.3g: ", s.rel_tol);
  }
  printf("%lld steps, %lld evaluations, %lld of derivatives\n", (long long)s.steps,
         (long long)s.evaluations, (long long)s.derivative_evaluations);
  printf("CPU time: dynamics %.3g ms, %d derivatives %.3g ms", 1e3 * s.cpu_dynamics,
         jo_sens_parameter_count(j->sens) * jo_sens_objective_count(j->result),
         1e3 * s.cpu_sensitivity);
  if (s.cpu_contributions > 0.0)
    printf(", contributions of events %.3g ms", 1e3 * s.cpu_contributions);
  printf("\n");
}

// ---- text: checks --------------------------------------------------------------------------------

// Relative to the larger of the two; what is nothing against the objective agrees with zero.
static double difference(double a, double b, double noise) {
  double scale = fmax(fmax(fabs(a), fabs(b)), noise);
  return scale > 0.0 ? fabs(a - b) / scale : 0.0;
}

typedef struct agreement {
  double methods, differences;  // relative
  bool is_good;
} agreement;

// A derivative whose effect, a parameter as large as its size, is 1e-9 of the objective counts as zero.
static agreement agree(const job* j, int objective, int parameter) {
  const jo_sens_check_row* r =
      &j->checked[objective * jo_sens_parameter_count(j->sens) + parameter];
  jo_sens_parameter p;
  jo_quantity q;
  jo_sens_parameter_at(j->sens, parameter, &p);
  jo_sens_objective(j->result, objective, &q);
  double size = p.value != 0.0 ? fabs(p.value) : 1.0;
  double noise = 1e-9 * fabs(q.value) / size;
  agreement a = {difference(r->direct, r->adjoint, noise), NAN, true};
  a.is_good = !(a.methods > DIRECT_ADJOINT);
  if (isfinite(r->difference)) {
    double derivative = isfinite(r->direct) ? r->direct : r->adjoint;
    a.differences = difference(derivative, r->difference, noise);
    double scale = fmax(fabs(derivative), noise);
    double allowed = fmax(DIFFERENCES, 10.0 * r->difference_error / scale);
    a.is_good = a.is_good && a.differences <= allowed;
  }
  return a;
}

static bool print_check(const job* j) {
  int n = jo_sens_parameter_count(j->sens), width = names_width(j);
  bool is_good = true;
  jo_quantity q;
  for (int o = 0; jo_sens_objective(j->result, o, &q) >= 0; o++) {
    cli_heading("\n%s = %.10g %s", q.name, q.value, q.unit);
    printf("  %-*s %20s %20s %20s  %-9s %-9s %s\n", width, "parameter", "direct", "adjoint",
           "differences", "dir-adj", "dir-diff", "increment, error of differences");
    for (int k = 0; k < n; k++) {
      const jo_sens_check_row* r = &j->checked[o * n + k];
      agreement a = agree(j, o, k);
      printf("  %-*s % 20.13e % 20.13e % 20.13e  %-9.1e %-9.1e %.2e, %.1e%s\n", width,
             parameter_name(j, k), r->direct, r->adjoint, r->difference, a.methods, a.differences,
             r->increment, r->difference_error, a.is_good ? "" : "  DISAGREES");
      is_good = is_good && a.is_good;
    }
  }
  printf("\ndirect: S = dy/dp forward along the steps taken. adjoint: backward along them.\n");
  if (j->opt.frozen) {
    printf("differences: none, since whole runs move their events and these are frozen.\n");
  } else {
    printf(
        "differences: central, of whole runs at tolerance 1e-12 with events and loops found "
        "anew; ");
    printf(
        "increments\nhalved four times from the one shown, which keeps the order of the events, "
        "and ");
    printf("extrapolated to zero.\n");
  }
  printf("%s\n", is_good ? "all agree" : "some disagree");
  return is_good;
}

static void print_vcurve(const job* j) {
  jo_quantity q;
  jo_sens_objective(j->result, j->of, &q);
  jo_sens_statistics s = jo_sens_result_statistics(j->result);
  cli_heading("\nd %s / d %s = %.12g: error of numerical differentiation", q.name, j->vcurve,
              j->exact);
  printf("  %-12s %16s %16s %12s %12s\n", "increment", "forward", "central", "error", "error");
  int best[2] = {0, 0};
  for (int i = 0; i < VCURVE_POINTS; i++) {
    const jo_sens_vcurve_point* v = &j->point[i];
    printf("  %-12.2e % 16.9e % 16.9e %12.2e %12.2e\n", v->relative, v->forward, v->central,
           v->forward_error, v->central_error);
    if (v->forward_error < j->point[best[0]].forward_error) best[0] = i;
    if (v->central_error < j->point[best[1]].central_error) best[1] = i;
  }
  printf(
      "\nat tolerance %.3g forward differences come to %.1e at best (increment %.1e), central ones "
      "to "
      "%.1e (%.1e)\n",
      s.rel_tol, j->point[best[0]].forward_error, j->point[best[0]].relative,
      j->point[best[1]].central_error, j->point[best[1]].relative);
}

static cli_exit print_text(job* j) {
  cli_heading("%s", jo_model_name(j->model));
  if (*jo_model_description(j->model)) printf("%s\n", jo_model_description(j->model));
  if (*jo_model_settings(j->model)) printf("with %s\n", jo_model_settings(j->model));
  jo_quantity q;
  bool is_good = true;
  for (int o = 0; !j->checked && !j->point && jo_sens_objective(j->result, o, &q) >= 0; o++) {
    print_ranking(j, o, &q);
    print_events(j, o, q.name);
  }
  if (j->checked) is_good = print_check(j);
  if (j->point) print_vcurve(j);
  print_statistics(j);
  return is_good ? CLI_OK : CLI_FAIL;
}

// ---- JSON ----------------------------------------------------------------------------------------

typedef double (*derivative_of)(const jo_sens_result* r, int objective, int parameter);

static void json_gradient(cli_json* out, const job* j, const char* key, int objective,
                          derivative_of of) {
  cli_json_object(out, key);
  for (int k = 0; k < jo_sens_parameter_count(j->sens); k++) {
    cli_json_number(out, parameter_name(j, k), of(j->result, objective, k));
  }
  cli_json_end(out);
}

static void json_ranking(cli_json* out, job* j, int objective) {
  static const char* const influence[] = {"matters", "zero value", "idle"};
  if (jo_sens_rank(j->ctx, j->result, objective, j->increment, j->threshold, j->row) < 0) return;
  cli_json_list(out, "ranking");
  for (int i = 0; i < jo_sens_parameter_count(j->sens); i++) {
    const jo_sens_row* r = &j->row[i];
    cli_json_flat_object(out, NULL);
    cli_json_text(out, "parameter", parameter_name(j, r->parameter));
    cli_json_text(out, "influence", influence[r->influence]);
    cli_json_number(out, "percent_per_percent", r->percent);
    if (isfinite(r->change)) cli_json_number(out, "per_increment", r->change);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_objectives(cli_json* out, job* j) {
  jo_quantity q;
  cli_json_object(out, "objectives");
  for (int o = 0; jo_sens_objective(j->result, o, &q) >= 0; o++) {
    cli_json_object(out, q.name);
    cli_json_number(out, "value", q.value);
    cli_json_text(out, "unit", q.unit);
    json_gradient(out, j, "gradient", o, jo_sens_derivative);
    if (isfinite(jo_sens_derivative_frozen(j->result, o, 0))) {
      json_gradient(out, j, "gradient_frozen", o, jo_sens_derivative_frozen);
    }
    json_ranking(out, j, o);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_contributions(cli_json* out, const job* j, int event) {
  jo_quantity q;
  cli_json_object(out, "contribution");
  for (int o = 0; jo_sens_objective(j->result, o, &q) >= 0; o++) {
    cli_json_flat_object(out, q.name);
    for (int k = 0; k < jo_sens_parameter_count(j->sens); k++) {
      cli_json_number(out, parameter_name(j, k),
                      jo_sens_event_contribution(j->result, event, o, k));
    }
    cli_json_end(out);
  }
  cli_json_end(out);
}

static void json_events(cli_json* out, const job* j) {
  jo_sens_event e;
  cli_json_list(out, "events");
  for (int i = 0; jo_sens_event_at(j->result, i, &e) >= 0; i++) {
    cli_json_object(out, NULL);
    cli_json_number(out, "t", e.t);
    cli_json_text(out, "name", e.name);
    cli_json_bool(out, "on", e.on != 0);
    cli_json_bool(out, "follows", e.follows != 0);
    cli_json_number(out, "rate", e.rate);
    if (isfinite(jo_sens_event_shift(j->result, i, 0))) {
      cli_json_flat_object(out, "dt");
      for (int k = 0; k < jo_sens_parameter_count(j->sens); k++) {
        cli_json_number(out, parameter_name(j, k), jo_sens_event_shift(j->result, i, k));
      }
      cli_json_end(out);
    }
    if (isfinite(jo_sens_event_contribution(j->result, i, 0, 0))) json_contributions(out, j, i);
    cli_json_end(out);
  }
  cli_json_end(out);
}

static bool json_check(cli_json* out, const job* j) {
  int n = jo_sens_parameter_count(j->sens);
  bool is_good = true;
  jo_quantity q;
  cli_json_object(out, "check");
  for (int o = 0; jo_sens_objective(j->result, o, &q) >= 0; o++) {
    cli_json_object(out, q.name);
    for (int k = 0; k < n; k++) {
      const jo_sens_check_row* r = &j->checked[o * n + k];
      agreement a = agree(j, o, k);
      cli_json_flat_object(out, parameter_name(j, k));
      cli_json_number(out, "direct", r->direct);
      cli_json_number(out, "adjoint", r->adjoint);
      cli_json_number(out, "difference", r->difference);
      cli_json_number(out, "difference_error", r->difference_error);
      cli_json_number(out, "increment", r->increment);
      cli_json_bool(out, "agrees", a.is_good);
      cli_json_end(out);
      is_good = is_good && a.is_good;
    }
    cli_json_end(out);
  }
  cli_json_end(out);
  return is_good;
}

static void json_vcurve(cli_json* out, const job* j) {
  cli_json_object(out, "vcurve");
  cli_json_text(out, "parameter", j->vcurve);
  cli_json_number(out, "exact", j->exact);
  cli_json_list(out, "points");
  for (int i = 0; i < VCURVE_POINTS; i++) {
    const jo_sens_vcurve_point* v = &j->point[i];
    cli_json_flat_object(out, NULL);
    cli_json_number(out, "increment", v->relative);
    cli_json_number(out, "forward", v->forward);
    cli_json_number(out, "central", v->central);
    cli_json_number(out, "forward_error", v->forward_error);
    cli_json_number(out, "central_error", v->central_error);
    cli_json_end(out);
  }
  cli_json_end(out);
  cli_json_end(out);
}

static void json_cost(cli_json* out, const job* j) {
  jo_sens_statistics s = jo_sens_result_statistics(j->result);
  cli_json_text(out, "method", jo_sens_method_name(s.method));
  cli_json_bool(out, "frozen", s.is_frozen != 0);
  cli_json_text(out, "integrator", s.integrator);
  cli_json_number(out, "tolerance", s.rel_tol);
  cli_json_count(out, "steps", s.steps);
  cli_json_count(out, "evaluations", s.evaluations);
  cli_json_count(out, "derivative_evaluations", s.derivative_evaluations);
  cli_json_number(out, "cpu_s", s.cpu_dynamics + s.cpu_sensitivity);
  cli_json_number(out, "cpu_dynamics_s", s.cpu_dynamics);
  cli_json_number(out, "cpu_sensitivity_s", s.cpu_sensitivity);
  cli_json_number(out, "cpu_contributions_s", s.cpu_contributions);
}

static cli_exit print_json(job* j) {
  cli_json out = {0};
  bool is_good = true;
  jo_sens_parameter p;
  cli_json_object(&out, NULL);
  cli_json_text(&out, "model", jo_model_name(j->model));
  cli_json_text(&out, "sha256", jo_model_sha256(j->model));
  cli_json_text(&out, "settings", jo_model_settings(j->model));
  json_objectives(&out, j);
  cli_json_list(&out, "parameters");
  for (int i = 0; jo_sens_parameter_at(j->sens, i, &p) >= 0; i++) {
    cli_json_flat_object(&out, NULL);
    cli_json_text(&out, "name", p.name);
    cli_json_number(&out, "value", p.value);
    cli_json_text(&out, "unit", p.unit);
    cli_json_text(&out, "description", p.description);
    cli_json_end(&out);
  }
  cli_json_end(&out);
  json_events(&out, j);
  if (j->checked) is_good = json_check(&out, j);
  if (j->point) json_vcurve(&out, j);
  json_cost(&out, j);
  cli_json_end(&out);
  return is_good ? CLI_OK : CLI_FAIL;
}

// ---- the command ---------------------------------------------------------------------------------

static int on_progress(void* user, double fraction) {
  cli_progress_show(user, fraction);
  return 1;
}

static bool run_check(cli* c, job* j) {
  int n = jo_sens_parameter_count(j->sens) * jo_sens_objective_count(j->result);
  j->checked = calloc((size_t)n + 1, sizeof *j->checked);
  if (!j->checked) return false;
  cli_progress bar = cli_progress_begin(!c->quiet);
  jo_status status = jo_sens_check(c->ctx, j->sens, &j->opt, on_progress, &bar, j->checked);
  cli_progress_end(&bar);
  return status >= 0;
}

static bool run_vcurve(cli* c, job* j) {
  jo_quantity q;
  j->of = 0;
  while (j->objective && jo_sens_objective(j->result, j->of, &q) >= 0 &&
         strcmp(q.name, j->objective) != 0) {
    j->of++;
  }
  if (jo_sens_objective(j->result, j->of, &q) < 0) {
    cli_misuse("sens", "the model has no objective '%s'", j->objective);
    return false;
  }
  j->point = calloc(VCURVE_POINTS, sizeof *j->point);
  int parameter = jo_sens_parameter_find(j->sens, j->vcurve);
  return j->point && jo_sens_vcurve(c->ctx, j->sens, &j->opt, j->of, parameter, VCURVE_POINTS,
                                    j->point, &j->exact) >= 0;
}

static bool save(cli* c, const job* j) {
  if (!j->path) return true;
  jo_status status;
  if (j->point) {
    status = jo_sens_vcurve_save(c->ctx, j->sens, j->of, jo_sens_parameter_find(j->sens, j->vcurve),
                                 j->point, VCURVE_POINTS, j->exact, j->path);
  } else if (j->history) {
    status = jo_sens_history_save(c->ctx, j->result, j->path);
  } else {
    status = jo_sens_save(c->ctx, j->result, j->path);
  }
  return status >= 0;
}

static cli_exit report(cli* c, job* j) {
  bool is_saved = save(c, j);
  cli_tell(c);
  cli_exit code = c->json ? print_json(j) : print_text(j);
  if (j->path && is_saved && !c->json) {
    if (j->history) printf("%d rows of histories ", jo_sens_history_row_count(j->result));
    printf("written to %s\n", j->path);
  }
  return is_saved ? code : CLI_FAIL;
}

static cli_exit work(cli* c, job* j) {
  jo_sens_setup setup = {.name = j->name, .nname = j->nname, .method = j->opt.method};
  setup.check = j->check || j->vcurve;
  setup.interpreter = c->interpreter;
  if (j->history && setup.method == JO_SENS_AUTO && !j->check) setup.method = JO_SENS_DIRECT;
  jo_status status = jo_sens_create(c->ctx, j->model, &setup, &j->sens);
  cli_tell(c);
  if (status < 0) return CLI_FAIL;
  size_t n = (size_t)jo_sens_parameter_count(j->sens) + 1;
  j->increment = calloc(n, sizeof *j->increment);
  j->row = calloc(n, sizeof *j->row);
  if (!j->increment || !j->row) return CLI_FAIL;
  cli_exit code = read_increments(j);
  if (code != CLI_OK) return code;
  j->opt.history = j->sensor;
  j->opt.nhistory = j->nsensor;
  status = jo_sens_run(c->ctx, j->sens, &j->opt, &j->result);
  bool is_fine = status >= 0 && (!j->check || run_check(c, j)) && (!j->vcurve || run_vcurve(c, j));
  cli_tell(c);
  return is_fine ? report(c, j) : CLI_FAIL;
}

static void clean(job* j) {
  jo_sens_result_destroy(j->result);
  jo_sens_destroy(j->sens);
  jo_model_destroy(j->model);
  free(j->text);
  free(j->name);
  free(j->sensor);
  free(j->increment);
  free(j->row);
  free(j->checked);
  free(j->point);
}

static cli_exit run(cli* c, int argc, char** argv) {
  job j = {.ctx = c->ctx, .method = "auto", .events = "exact", .threshold = 1e-4};
  j.opt = jo_sens_options_default();
  const cli_option option[] = {
      {"--wrt", "LIST", "parameters, paths, path.*, or all; all parameters by default",
       .text = &j.wrt},
      {"--method", "NAME", "direct, adjoint or auto", .text = &j.method},
      {"--events", "HOW", "exact (default), or frozen at their times", .text = &j.events},
      {"--tol", "X", "relative and absolute tolerance", .number = &j.opt.tolerance},
      {"--integrator", "NAME", "dopri5, rk2, rk3 or rk4", .text = &j.opt.integrator},
      {"--step", "H", "step of rk2, rk3, rk4 [s]", .number = &j.opt.step},
      {"--per", "LIST", "also the change per increment: 0.1, or k_f=100,m_c=1", .text = &j.per},
      {"--threshold", "X", "less than X % per 1 % does not matter; 1e-4", .number = &j.threshold},
      {"--check", NULL, "compare direct, adjoint and differences of runs", .flag = &j.check},
      {"--vcurve", "NAME", "error of differences by NAME against their increment",
       .text = &j.vcurve},
      {"--objective", "NAME", "whose V-curve; the first by default", .text = &j.objective},
      {"--history", "LIST", "derivatives of sensors along the run, written with -o",
       .text = &j.history},
      {"--output-step", "H", "spacing of the history [s]; 0: every step",
       .number = &j.opt.history_step},
      {"-o", "FILE", "write derivatives, histories or the V-curve: .csv; a V-curve: .svg",
       .text = &j.path},
  };
  cli_exit code = cli_parse(c, &cli_sens, option, sizeof option / sizeof *option, argc, argv);
  if (code == CLI_OK) code = check_options(&j);
  if (code != CLI_OK) return code;
  if (!read_lists(&j)) {
    code = CLI_FAIL;
  } else {
    code = cli_load(c, &j.model);
  }
  if (code == CLI_OK) code = work(c, &j);
  clean(&j);
  return code;
}

const cli_command cli_sens = {"sens", "FILE", 1, "differentiate the objectives of a model exactly",
                              run};
