// SPDX-License-Identifier: Apache-2.0
// jounce generate: a model as C sources that need nothing of Jounce.
#include <stdio.h>

#include "cli.h"
#include "json.h"

static void print(const cli* c, const char* dir, const jo_generated* g) {
  if (c->json) {
    cli_json j = {0};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "folder", dir);
    cli_json_count(&j, "files", g->files);
    cli_json_count(&j, "operations", g->operations);
    cli_json_end(&j);
  } else if (!c->quiet) {
    printf("%d files written to %s, %d operations per evaluation; build them: make -C %s\n",
           g->files, dir, g->operations, dir);
  }
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* dir = NULL;
  const cli_option option[] = {
      {"-o", "DIR", "the folder to write, made where missing", .text = &dir}};
  cli_exit code = cli_parse(c, &cli_generate, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  if (!dir || !*dir) return cli_misuse("generate", "-o DIR is missing");
  jo_model* model = NULL;
  jo_generated generated;
  code = cli_load(c, &model);
  if (code == CLI_OK && jo_generate(c->ctx, model, dir, &generated) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (code == CLI_OK) print(c, dir, &generated);
  jo_model_destroy(model);
  return code;
}

const cli_command cli_generate = {"generate", "FILE", 1, "write a model as stand-alone C", run};
