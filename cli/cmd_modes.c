// SPDX-License-Identifier: Apache-2.0
// jounce modes: eigenvalues and mode shapes of the linearised equations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

static void print_text(const jo_model* model, const jo_modes* m) {
  const jo_tables* all = jo_modes_tables(m);
  const jo_table* modes = jo_tables_find(all, "modes");
  double t = jo_table_number(jo_tables_find(all, "linearisation"), "t", 0);
  int rigid = 0;
  cli_heading("%s: modes at t = %g s", jo_model_name(model), t);
  if (modes->nrow == 0) {
    printf("  none: nothing moves by itself, there are neither degrees of freedom nor states\n");
    return;
  }
  for (int i = 0; i < modes->nrow; i++) {
    rigid += jo_table_number(modes, "rigid", i) != 0.0;
  }
  cli_table(modes);
  if (rigid > 0) printf("  and %d that are zero: free motions\n", rigid);
  cli_tables(all);
}

static void print_json(const jo_model* model, const jo_modes* m) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(model));
  cli_json_text(&j, "sha256", jo_model_sha256(model));
  cli_json_text(&j, "settings", jo_model_settings(model));
  cli_json_tables(&j, jo_modes_tables(m));
  cli_json_end(&j);
}

static bool read_place(const char* at, jo_modes_options* opt) {
  if (!at) return true;
  opt->at_static = strcmp(at, "static") == 0;
  if (opt->at_static) return true;
  char* end;
  opt->at_s = strtod(at, &end);
  return end != at && *end == '\0' && isfinite(opt->at_s);
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char *at = NULL, *wrt = NULL;
  const cli_option option[] = {
      {"--at", "T|static", "about the motion at time T [s], or about static equilibrium",
       .text = &at},
      {"--wrt", "LIST", "also derivatives with respect to parameters, paths, path.*, or all",
       .text = &wrt}};
  cli_exit code = cli_parse(c, &cli_modes, option, 2, argc, argv);
  if (code != CLI_OK) return code;
  jo_modes_options opt = jo_modes_options_default();
  if (!read_place(at, &opt)) {
    return cli_misuse("modes", "--at takes a time in seconds or 'static', not '%s'", at);
  }
  cli_list list;
  code = cli_words("modes", "--wrt", wrt, &list);
  opt.name = list.word;
  opt.nname = list.n;
  jo_model* model = NULL;
  jo_modes* m = NULL;
  if (code == CLI_OK) code = cli_load(c, &model);
  if (code == CLI_OK) {
    jo_status status = jo_modes_create(c->ctx, model, &opt, &m);
    cli_tell(c);
    if (status < 0) code = CLI_FAIL;
  }
  if (code == CLI_OK) (c->json ? print_json : print_text)(model, m);
  jo_modes_destroy(m);
  jo_model_destroy(model);
  cli_list_free(&list);
  return code;
}

const cli_command cli_modes = {"modes", "FILE", 1, "find eigenvalues and mode shapes", run};
