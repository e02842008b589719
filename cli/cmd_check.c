// SPDX-License-Identifier: Apache-2.0
// jounce check: is a model valid? Reads it, generates its equations and assembles it.
#include <stdio.h>

#include "cli.h"
#include "json.h"

static void print_list(cli_json* j, cli* c, const char* key, jo_severity wanted) {
  cli_json_list(j, key);
  for (int i = 0; i < jo_context_diagnostic_count(c->ctx); i++) {
    jo_severity severity;
    const char* text = jo_context_diagnostic(c->ctx, i, &severity);
    if (severity == wanted) cli_json_text(j, NULL, text);
  }
  cli_json_end(j);
}

static void print_json(cli* c, bool is_valid) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "file", c->argument[0]);
  cli_json_bool(&j, "valid", is_valid);
  print_list(&j, c, "errors", JO_ERROR);
  print_list(&j, c, "warnings", JO_WARNING);
  cli_json_end(&j);
}

static cli_exit run(cli* c, int argc, char** argv) {
  bool syntax_only = false;
  const cli_option option[] = {{"--syntax-only", NULL,
                                "read the files only: no equations, no assembly",
                                .flag = &syntax_only}};
  cli_exit code = cli_parse(c, &cli_check, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  // a check does not need fast code
  c->interpreter = true;
  jo_model* model = NULL;
  jo_system* system = NULL;
  code = syntax_only ? cli_load(c, &model) : cli_load_system(c, &model, &system);
  if (system && jo_system_check(c->ctx, system) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (c->json) {
    print_json(c, code == CLI_OK);
  } else if (code == CLI_OK && !c->quiet) {
    printf("%s: valid", c->argument[0]);
    if (system) printf(", %d degrees of freedom", jo_system_inspect(system).dof);
    printf("\n");
  }
  jo_system_destroy(system);
  jo_model_destroy(model);
  return code;
}

const cli_command cli_check = {"check", "FILE", 1, "tell whether a model is valid", run};
