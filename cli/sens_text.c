// SPDX-License-Identifier: Apache-2.0
// jounce sens as tables: ranking, events, checks, the V-curve, cost.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sens.h"
#include "terminal.h"

#define MAX_ROWS      40  // of a table; JSON and files have all
#define MAX_EVENTS    24
#define EVENT_COLUMNS 5  // parameters in the table of events

// ---- text: tables --------------------------------------------------------------------------------

static int names_width(const cli_sens_job* j) {
  int width = 9;
  for (int i = 0; i < jo_sens_parameter_count(j->system); i++) {
    int n = (int)strlen(cli_sens_name(j, i));
    if (n > width) width = n;
  }
  return width;
}

// What a derivative by a number in SI units is by the unit that the file gives it in.
static double by_shown(const cli_sens_job* j, int parameter, double derivative) {
  jo_sens_parameter p;
  jo_sens_parameter_at(j->system, parameter, &p);
  return derivative / jo_model_shown(j->model, p.name, 1.0);
}

static double moved_by_events(const cli_sens_job* j, int objective, int parameter) {
  return jo_sens_derivative(j->result, objective, parameter) -
         jo_sens_derivative_frozen(j->result, objective, parameter);
}

static void print_row(const cli_sens_job* j, int objective, const jo_sens_row* r, int width,
                      bool is_moved) {
  jo_sens_parameter p;
  jo_sens_parameter_at(j->system, r->parameter, &p);
  double error = jo_sens_derivative_error(j->result, objective, r->parameter);
  error = by_shown(j, r->parameter, error);
  const char* unit = jo_model_unit(j->model, p.name);
  char off[16];
  snprintf(off, sizeof off, isinf(error) ? "one side" : "%8.1e", error);
  printf("  %-*s %13.7g %-8s %14.6e %8s %11.5f", width, p.name,
         jo_model_shown(j->model, p.name, r->value), *unit ? unit : p.unit,
         by_shown(j, r->parameter, r->derivative), off, r->percent);
  double moved = moved_by_events(j, objective, r->parameter);
  if (is_moved) printf(" %13.4e", by_shown(j, r->parameter, moved));
  if (j->per && isfinite(r->change)) printf(" %13.5g", r->change);
  printf("\n");
}

// Names alone of those that do not matter, or have no derivative.
static void print_names(const cli_sens_job* j, const jo_sens_row* row, int n, jo_influence kind) {
  cli_cells cells = {0};
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (row[i].influence != kind) continue;
    if (count++ < 3 * MAX_ROWS) cli_cells_add(&cells, "%s", cli_sens_name(j, row[i].parameter));
  }
  if (count == 0) return;
  if (kind == JO_NONE) {
    printf("\n  %d have no derivative\n", count);
  } else {
    printf("\n  %d do not matter (less than %g %% per 1 %%)\n", count, j->threshold);
  }
  cli_cells_print(&cells);
  if (count > 3 * MAX_ROWS) printf("  ... and %d more\n", count - 3 * MAX_ROWS);
}

// Rows of one kind of influence, as many as are not too many.
static void print_rows(const cli_sens_job* j, int objective, jo_influence kind, int most, int width,
                       bool is_moved) {
  int n = jo_sens_parameter_count(j->system), shown = 0, left = 0;
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

static bool has_derivatives(const cli_sens_job* j) {
  for (int i = 0; i < jo_sens_parameter_count(j->system); i++) {
    if (j->row[i].influence != JO_NONE) return true;
  }
  return false;
}

static void print_ranking(cli_sens_job* j, int objective, const jo_quantity* q) {
  int n = jo_sens_parameter_count(j->system), width = names_width(j);
  bool is_moved = isfinite(jo_sens_derivative_frozen(j->result, objective, 0)) && !j->opt.frozen;
  if (jo_sens_rank(j->ctx, j->result, objective, j->increment, j->threshold, j->row) < 0) return;
  double error = jo_sens_objective_error(j->result, objective);
  char known[32] = "";
  if (isfinite(error)) snprintf(known, sizeof known, " +- %.1e", error);
  cli_heading("\n%s = %.10g%s %s%s%s", q->name, q->value, known, q->unit,
              *q->description ? "   " : "", q->description);
  const char* reason = jo_sens_objective_reason(j->result, objective);
  if (reason) {
    printf("  no derivatives: %s\n", reason);
    if (!has_derivatives(j)) return;
  }
  printf("  %-*s %13s %-8s %14s %8s %11s", width, "parameter", "value", "", "derivative", "error",
         "% per 1 %");
  if (is_moved) printf(" %13s", "by events");
  if (j->per) printf(" %13s", "per increment");
  printf("\n");
  print_rows(j, objective, JO_MATTERS, MAX_ROWS, width, is_moved);
  print_rows(j, objective, JO_ZERO_VALUE, MAX_ROWS / 2, width, is_moved);
  print_names(j, j->row, n, JO_IDLE);
  print_names(j, j->row, n, JO_NONE);
}

static bool contributes(const cli_sens_job* j, int event, int objective) {
  for (int k = 0; k < jo_sens_parameter_count(j->system); k++) {
    if (jo_sens_event_contribution(j->result, event, objective, k) != 0.0) return true;
  }
  return false;
}

// What follows from an event at the same instant stands below it, two blanks in.
static void print_event(const cli_sens_job* j, int event, int objective, int width, int columns) {
  jo_sens_event e;
  jo_sens_event_at(j->result, event, &e);
  int indent = e.follows ? 2 : 0;
  printf("  %10.6f  %*s%-*s %-3s", e.t, indent, "", width - indent, e.name, e.on ? "on" : "off");
  for (int k = 0; k < columns; k++) {
    int parameter = j->row[k].parameter;
    double part = jo_sens_event_contribution(j->result, event, objective, parameter);
    printf(" %11.3e", by_shown(j, parameter, part) + 0.0);
  }
  printf("\n");
}

static void print_events(const cli_sens_job* j, int objective, const char* psi) {
  int n = jo_sens_event_count(j->result), columns = jo_sens_parameter_count(j->system), width = 8;
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
    printf(" %11.11s", cli_sens_name(j, j->row[k].parameter));
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

static void print_part(const char* name, double cpu) {
  if (cpu > 0.0) printf("%s %.2f, ", name, 1e3 * cpu);
}

// CPU time of the command so far and its parts, which add up to it.
static void print_times(const cli_sens_job* j, const jo_sens_statistics* s) {
  double total = cli_cpu(), parts = j->cpu_equations + s->cpu_total + j->cpu_checks;
  int n = jo_sens_parameter_count(j->system) * jo_sens_objective_count(j->result);
  printf("CPU time %.2f ms: ", 1e3 * total);
  print_part("equations", j->cpu_equations);
  print_part("simulation", s->cpu_dynamics);
  printf("%s%d derivative%s %.2f, ", s->cpu_dynamics > 0.0 ? "" : "run with ", n, n == 1 ? "" : "s",
         1e3 * s->cpu_sensitivity);
  print_part("error estimates", s->cpu_errors);
  print_part("contributions of events", s->cpu_contributions);
  print_part("checks", j->cpu_checks);
  printf("rest %.2f ms\n", 1e3 * (total - parts));
}

static void print_statistics(const cli_sens_job* j) {
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
  if (s.implicit_steps > 0) printf("%lld of the steps are implicit\n", (long long)s.implicit_steps);
  if (s.checkpoint_steps > 1) {
    printf("one state in %lld is stored, steps between are taken again: %.3g MB of memory\n",
           (long long)s.checkpoint_steps, s.memory_mb);
  }
  if (s.passes > 1) printf("%d runs: derivatives and their error estimates\n", s.passes);
  print_times(j, &s);
}

// ---- text: checks --------------------------------------------------------------------------------

static void print_check(const cli_sens_job* j) {
  static const char* const mark[] = {"", "  NOT DECIDED", "  DISAGREES"};
  static const char* const sum[] = {"all agree", "some are not decided", "some disagree"};
  int n = jo_sens_parameter_count(j->system), width = names_width(j);
  jo_quantity q;
  for (int o = 0; jo_sens_objective_at(j->result, o, &q) >= 0; o++) {
    cli_heading("\n%s = %.10g %s", q.name, q.value, q.unit);
    if (jo_sens_objective_reason(j->result, o)) {
      printf("  no derivatives: %s\n", jo_sens_objective_reason(j->result, o));
      continue;
    }
    printf("  %-*s %20s %20s %20s  %-9s %-9s %-9s %s\n", width, "parameter", "direct", "adjoint",
           "differences", "dir-adj", "dir-diff", "stated", "increment, error of differences");
    for (int k = 0; k < n; k++) {
      const jo_sens_check_row* r = &j->checked[o * n + k];
      const jo_sens_agreement* a = &j->agreement[o * n + k];
      double stated = isfinite(r->direct) ? r->direct_error : r->adjoint_error;
      double size = fabs(isfinite(r->direct) ? r->direct : r->adjoint);
      printf("  %-*s % 20.13e % 20.13e % 20.13e  %-9.1e %-9.1e %-9.1e %.2e, %.1e%s\n", width,
             cli_sens_name(j, k), r->direct, r->adjoint, r->difference, a->methods, a->differences,
             size > 0.0 ? stated / size : 0.0, r->increment, r->difference_error, mark[a->verdict]);
    }
  }
  printf(
      "\ndirect: S = dy/dp forward along the steps taken. adjoint: backward along them; both as "
      "without --check.\nstated: their estimated error, relative.\n");
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
  printf("%s\n", sum[j->worst]);
}

static void print_vcurve(const cli_sens_job* j) {
  jo_quantity q;
  jo_sens_objective_at(j->result, 0, &q);
  jo_sens_statistics s = jo_sens_result_statistics(j->result);
  cli_heading("\nd %s / d %s = %.12g: error of numerical differentiation", q.name, j->vcurve,
              j->exact);
  printf("  %-12s %16s %16s %12s %12s\n", "increment", "forward", "central", "error", "error");
  int best[2] = {0, 0};
  for (int i = 0; i < CLI_VCURVE_POINTS; i++) {
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

void cli_sens_text(cli_sens_job* j) {
  cli_heading("%s", jo_model_name(j->model));
  if (*jo_model_description(j->model)) printf("%s\n", jo_model_description(j->model));
  if (*jo_model_settings(j->model)) printf("with %s\n", jo_model_settings(j->model));
  jo_quantity q;
  for (int o = 0; !j->checked && !j->point && jo_sens_objective_at(j->result, o, &q) >= 0; o++) {
    print_ranking(j, o, &q);
    print_events(j, o, q.name);
  }
  if (j->checked) print_check(j);
  if (j->point) print_vcurve(j);
  print_statistics(j);
}
