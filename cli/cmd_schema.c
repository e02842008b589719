// SPDX-License-Identifier: Apache-2.0
// jounce schema: the keys of model and study files for editors, as a JSON schema.
#include "cli.h"
#include "json.h"

static void print_json(const cli* c, const char* path) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "of", c->argument[0]);
  cli_json_text(&j, "file", path);
  cli_json_end(&j);
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* path = NULL;
  const cli_option option[] = {{"-o", "FILE", "the file to write, a name that ends in .json",
                                .file = &path, .ends = ".json"}};
  cli_exit code = cli_parse(c, &cli_schema, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  if (!path) return cli_misuse("schema", "-o FILE.json is missing");
  jo_status status = jo_schema_write(c->ctx, c->argument[0], path);
  cli_tell(c);
  if (status < 0) return status == JO_ERR_ARGUMENT ? CLI_USAGE : CLI_FAIL;
  if (c->json) print_json(c, path);
  return CLI_OK;
}

const cli_command cli_schema = {"schema", "model|study", 1,
                                "write a JSON schema, by which editors complete and check files",
                                run};
