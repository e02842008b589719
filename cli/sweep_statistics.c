// SPDX-License-Identifier: Apache-2.0
// Statistics of a sweep: moments and quantiles of every objective, and what the parameters do to it.
#include "sweep_statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "terminal.h"

static int name_width(const jo_sweep* s, int parameters) {
  int width = 9;
  for (int k = 0; k < parameters; k++) {
    int n = (int)strlen(jo_sweep_parameter_name(s, k));
    if (n > width) width = n;
  }
  return width;
}

// Of few points there is no error, of one no deviation.
static void print_moment(const char* name, double value, double error) {
  printf("  %-9s ", name);
  if (isnan(value)) {
    printf("-");
  } else {
    printf("%.8g", value);
  }
  if (!isnan(error)) printf("  +- %.2g", error);
  printf("\n");
}

static void print_moments(const jo_statistic* t) {
  print_moment("mean", t->mean, t->mean_error);
  print_moment("deviation", t->deviation, t->deviation_error);
  print_moment("least", t->least, NAN);
  print_moment("most", t->most, NAN);
  printf("  quantiles");
  for (int i = 0; i < t->quantiles; i++) {
    printf("%s %g %%: %.6g", i > 0 ? "," : "", 100.0 * t->share[i], t->quantile[i]);
  }
  printf("\n");
  if (t->rank_error > 0.0)
    printf("  their ranks are off by %.2g %% at most\n", 100.0 * t->rank_error);
}

static void print_value(double value, double error) {
  if (isnan(value)) {
    printf("  %19s", "-");
  } else {
    printf("  %9.4f +- %7.1g", value, error);
  }
}

static void print_parameters(const jo_sweep* s, const jo_statistic* t, int parameters) {
  int width = name_width(s, parameters);
  if (!t->first && !t->slope) return;
  printf("  %-*s", width, "parameter");
  if (t->first) printf("  %19s  %19s", "first order index", "total index");
  if (t->slope) printf("  %19s", "total index below");
  printf("\n");
  for (int k = 0; k < parameters; k++) {
    printf("  %-*s", width, jo_sweep_parameter_name(s, k));
    if (t->first) print_value(t->first[k], t->first_error[k]);
    if (t->total) print_value(t->total[k], t->total_error[k]);
    if (t->slope) print_value(t->bound[k], t->bound_error[k]);
    printf("\n");
  }
}

void cli_print_statistics(const jo_sweep* s) {
  int parameters = jo_sweep_inspect(s).parameters;
  jo_statistic t;
  for (int o = 0; jo_sweep_statistic_at(s, o, &t) >= 0; o++) {
    cli_heading("%s, %d points", jo_sweep_objective_name(s, o), t.points);
    if (t.points == 0) continue;
    print_moments(&t);
    print_parameters(s, &t, parameters);
  }
}

static void json_by_parameter(cli_json* o, const jo_sweep* s, const char* key, const double* x) {
  if (!x) return;
  cli_json_flat_object(o, key);
  for (int k = 0; jo_sweep_parameter_name(s, k); k++) {
    cli_json_number(o, jo_sweep_parameter_name(s, k), x[k]);
  }
  cli_json_end(o);
}

static void json_quantiles(cli_json* o, const jo_statistic* t) {
  cli_json_flat_object(o, "quantiles");
  for (int i = 0; i < t->quantiles; i++) {
    char share[32];
    snprintf(share, sizeof share, "%g", t->share[i]);
    cli_json_number(o, share, t->quantile[i]);
  }
  cli_json_end(o);
  cli_json_number(o, "rank_error", t->rank_error);
}

void cli_json_statistics(cli_json* o, const jo_sweep* s) {
  jo_statistic t;
  if (jo_sweep_statistic_at(s, 0, &t) < 0) return;
  cli_json_object(o, "statistics");
  for (int i = 0; jo_sweep_statistic_at(s, i, &t) >= 0; i++) {
    cli_json_object(o, jo_sweep_objective_name(s, i));
    cli_json_count(o, "points", t.points);
    cli_json_number(o, "mean", t.mean);
    cli_json_number(o, "mean_error", t.mean_error);
    cli_json_number(o, "deviation", t.deviation);
    cli_json_number(o, "deviation_error", t.deviation_error);
    cli_json_number(o, "least", t.least);
    cli_json_number(o, "most", t.most);
    json_quantiles(o, &t);
    json_by_parameter(o, s, "first_order", t.first);
    json_by_parameter(o, s, "first_order_error", t.first_error);
    json_by_parameter(o, s, "total", t.total);
    json_by_parameter(o, s, "total_error", t.total_error);
    json_by_parameter(o, s, "mean_square_derivative", t.slope);
    json_by_parameter(o, s, "mean_square_derivative_error", t.slope_error);
    json_by_parameter(o, s, "total_bound", t.bound);
    json_by_parameter(o, s, "total_bound_error", t.bound_error);
    cli_json_end(o);
  }
  cli_json_end(o);
}
