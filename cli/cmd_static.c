// SPDX-License-Identifier: Apache-2.0
// jounce static: where a model comes to rest, and what its sensors say there.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

// Derivatives of one quantity, those that are not zero. What has none was warned of.
static void print_derivatives(const jo_static* s, int i, bool is_coordinate, const char* name,
                              const char* unit) {
  jo_quantity p;
  for (int k = 0; jo_static_parameter_at(s, k, &p) >= 0; k++) {
    double d = is_coordinate ? jo_static_coordinate_derivative(s, i, k)
                             : jo_static_output_derivative(s, i, k);
    if (d == 0.0 || isnan(d)) continue;
    printf("  %-20s %-32s %14.8g %s", name, p.name, d, unit);
    if (p.unit[0]) printf("/(%s)", p.unit);
    printf("\n");
  }
}

static void print_all_derivatives(const jo_static* s) {
  jo_coordinate q;
  jo_quantity x;
  if (jo_static_parameter_count(s) == 0) return;
  cli_heading("\nderivatives, but for zeros");
  for (int i = 0; jo_static_coordinate_at(s, i, &q) >= 0; i++) {
    print_derivatives(s, i, true, q.name, q.unit);
  }
  for (int i = 0; i < jo_static_sensor_count(s) && jo_static_output_at(s, i, &x) >= 0; i++) {
    print_derivatives(s, i, false, x.name, x.unit);
  }
}

static void print_text(const jo_model* m, const jo_static* s) {
  jo_static_info info = jo_static_inspect(s);
  jo_coordinate q;
  jo_quantity x;
  int width = 4;
  jo_static_stability stability = jo_static_judge(s);
  const char* undecided = jo_static_undecided(s);
  cli_heading("%s: static equilibrium%s", jo_model_name(m),
              stability.is_unstable ? ", unstable"
              : *undecided          ? ", undecided whether stable or unstable (indifferent)"
                                    : "");
  printf("  %d of %d degrees of freedom held by forces, %d steps, accelerations below %.1e\n",
         info.held, info.dof, info.iterations, info.residual);
  if (*undecided) {
    printf("  forces about it neither hold nor drive '%s' to first order\n", undecided);
  }
  for (int i = 0; jo_static_coordinate_at(s, i, &q) >= 0; i++) {
    int n = (int)strlen(q.name);
    if (n > width) width = n;
  }
  cli_cells cells = {0};
  for (int i = 0; jo_static_coordinate_at(s, i, &q) >= 0; i++) {
    cli_cells_add(&cells, "%-*s %13.7g %-3s", width, q.name, q.value + 0.0, q.unit);
  }
  cli_heading("\ncoordinates");
  cli_cells_print(&cells);
  int nsensor = jo_static_sensor_count(s);
  if (nsensor > 0) cli_heading("\nsensors");
  for (int i = 0; i < nsensor && jo_static_output_at(s, i, &x) >= 0; i++) {
    printf("  %-20s %14.8g %-6s %s\n", x.name, x.value + 0.0, x.unit, x.description);
  }
  print_all_derivatives(s);
}

static void json_derivatives(cli_json* j, const jo_static* s) {
  jo_coordinate q;
  jo_quantity x, p;
  if (jo_static_parameter_count(s) == 0) return;
  cli_json_object(j, "derivatives");
  for (int i = 0; jo_static_coordinate_at(s, i, &q) >= 0; i++) {
    cli_json_object(j, q.name);
    for (int k = 0; jo_static_parameter_at(s, k, &p) >= 0; k++) {
      cli_json_number(j, p.name, jo_static_coordinate_derivative(s, i, k));
    }
    cli_json_end(j);
  }
  for (int i = 0; i < jo_static_sensor_count(s) && jo_static_output_at(s, i, &x) >= 0; i++) {
    cli_json_object(j, x.name);
    for (int k = 0; jo_static_parameter_at(s, k, &p) >= 0; k++) {
      cli_json_number(j, p.name, jo_static_output_derivative(s, i, k));
    }
    cli_json_end(j);
  }
  cli_json_end(j);
}

// "stability": "stable", "unstable", and what grows, or "undecided", and what may move
static void json_stability(cli_json* j, const jo_static* s) {
  jo_static_stability v = jo_static_judge(s);
  const char* undecided = jo_static_undecided(s);
  cli_json_text(j, "stability", v.is_unstable ? "unstable" : *undecided ? "undecided" : "stable");
  if (*undecided) cli_json_text(j, "undecided", undecided);
  if (!v.is_unstable) return;
  cli_json_object(j, "unstable");
  cli_json_text(j, "state", v.state);
  cli_json_number(j, "growth", v.growth);
  cli_json_number(j, "turning", v.turning);
  cli_json_end(j);
}

static void print_json(const jo_model* m, const jo_static* s) {
  jo_static_info info = jo_static_inspect(s);
  jo_coordinate q;
  jo_quantity x;
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_count(&j, "dof", info.dof);
  cli_json_count(&j, "held", info.held);
  cli_json_count(&j, "iterations", info.iterations);
  cli_json_number(&j, "residual", info.residual);
  json_stability(&j, s);
  cli_json_object(&j, "coordinates");
  for (int i = 0; jo_static_coordinate_at(s, i, &q) >= 0; i++) {
    cli_json_number(&j, q.name, q.value);
  }
  cli_json_end(&j);
  cli_json_object(&j, "sensors");
  for (int i = 0; i < jo_static_sensor_count(s) && jo_static_output_at(s, i, &x) >= 0; i++) {
    cli_json_number(&j, x.name, x.value);
  }
  cli_json_end(&j);
  json_derivatives(&j, s);
  cli_json_end(&j);
}

static cli_exit solve(cli* c, const jo_model* model, const cli_list* wrt, jo_static** s) {
  jo_status status = wrt->n == 0 ? jo_static_create(c->ctx, model, s)
                                 : jo_static_differentiate(c->ctx, model, wrt->word, wrt->n, s);
  cli_tell(c);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* wrt = NULL;
  const cli_option option[] = {
      {"--wrt", "LIST", "also derivatives with respect to parameters, paths, path.*, or all",
       .text = &wrt}};
  cli_exit code = cli_parse(c, &cli_static, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  cli_list list;
  jo_model* model = NULL;
  jo_static* s = NULL;
  code = cli_words("static", "--wrt", wrt, &list);
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) code = solve(c, model, &list, &s);
  if (code == CLI_OK) (c->json ? print_json : print_text)(model, s);
  jo_static_destroy(s);
  jo_model_destroy(model);
  cli_list_free(&list);
  return code;
}

const cli_command cli_static = {"static", "FILE", 1, "find the static equilibrium of a model", run};
