// SPDX-License-Identifier: Apache-2.0
// jounce static: where a model comes to rest, and what its sensors say there.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

static void print_text(const jo_model* m, const jo_static* s) {
  jo_static_info info = jo_static_inspect(s);
  jo_coordinate q;
  jo_quantity x;
  int width = 4;
  cli_heading("%s: static equilibrium", jo_model_name(m));
  printf("  %d of %d degrees of freedom held by forces, %d steps, accelerations below %.1e\n",
         info.held, info.dof, info.iterations, info.residual);
  for (int i = 0; jo_static_coordinate(s, i, &q) >= 0; i++) {
    int n = (int)strlen(q.name);
    if (n > width) width = n;
  }
  cli_cells cells = {0};
  for (int i = 0; jo_static_coordinate(s, i, &q) >= 0; i++) {
    cli_cells_add(&cells, "%-*s %13.7g %-3s", width, q.name, q.value + 0.0, q.unit);
  }
  cli_heading("\ncoordinates");
  cli_cells_print(&cells);
  int nsensor = jo_static_sensor_count(s);
  if (nsensor == 0) return;
  cli_heading("\nsensors");
  for (int i = 0; i < nsensor && jo_static_output(s, i, &x) >= 0; i++) {
    printf("  %-20s %14.8g %-6s %s\n", x.name, x.value + 0.0, x.unit, x.description);
  }
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
  cli_json_object(&j, "coordinates");
  for (int i = 0; jo_static_coordinate(s, i, &q) >= 0; i++) {
    cli_json_number(&j, q.name, q.value);
  }
  cli_json_end(&j);
  cli_json_object(&j, "sensors");
  for (int i = 0; i < jo_static_sensor_count(s) && jo_static_output(s, i, &x) >= 0; i++) {
    cli_json_number(&j, x.name, x.value);
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

static cli_exit run(cli* c, int argc, char** argv) {
  cli_exit code = cli_parse(c, &cli_static, NULL, 0, argc, argv);
  if (code != CLI_OK) return code;
  jo_model* model = NULL;
  jo_static* s = NULL;
  code = cli_load(c, &model);
  if (code == CLI_OK) {
    jo_status status = jo_static_create(c->ctx, model, &s);
    cli_tell(c);
    if (status < 0) code = CLI_FAIL;
  }
  if (code == CLI_OK) (c->json ? print_json : print_text)(model, s);
  jo_static_destroy(s);
  jo_model_destroy(model);
  return code;
}

const cli_command cli_static = {"static", "FILE", 1, "find the static equilibrium of a model", run};
