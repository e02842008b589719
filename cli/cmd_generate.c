// SPDX-License-Identifier: Apache-2.0
// jounce generate: a model as C sources that need nothing of Jounce, or a listing of its machine code.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"

// ---- stand-alone C -------------------------------------------------------------------------------

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

static cli_exit write_sources(cli* c, const jo_model* model, const char* dir) {
  jo_generated generated;
  bool is_written = jo_generate(c->ctx, model, dir, &generated) >= 0;
  cli_tell(c);
  if (is_written) print(c, dir, &generated);
  return is_written ? CLI_OK : CLI_FAIL;
}

// ---- machine code --------------------------------------------------------------------------------

// Without a file the listing itself is the output.
static void print_assembly(const cli* c, const char* path, const jo_listing* a) {
  jo_listing_info info = jo_listing_inspect(a);
  if (c->json) {
    cli_json j = {0};
    cli_json_object(&j, NULL);
    cli_json_text(&j, path ? "file" : "listing", path ? path : jo_listing_text(a));
    cli_json_count(&j, "functions", info.functions);
    cli_json_count(&j, "instructions", info.instructions);
    cli_json_count(&j, "spills", info.spills);
    cli_json_count(&j, "bytes", info.bytes);
    cli_json_end(&j);
  } else if (!path) {
    fputs(jo_listing_text(a), stdout);
  } else if (!c->quiet) {
    printf("%d functions, %d instructions, %lld bytes of code listed in %s\n", info.functions,
           info.instructions, (long long)info.bytes, path);
  }
}

static cli_exit write_assembly(cli* c, const jo_model* model, const char* path) {
  jo_listing* a = NULL;
  jo_status status = path ? jo_output_check(c->ctx, path) : JO_OK;
  if (status >= 0) status = jo_export_assembly(c->ctx, model, &a);
  if (status >= 0 && path) {
    status = jo_output_write(c->ctx, path, jo_listing_text(a), strlen(jo_listing_text(a)));
  }
  cli_tell(c);
  if (status >= 0) print_assembly(c, path, a);
  jo_listing_destroy(a);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

// ---- the command ---------------------------------------------------------------------------------

static cli_exit run(cli* c, int argc, char** argv) {
  const char* path = NULL;
  bool assembly = false;
  const cli_option option[] = {
      {"-o", "DIR", "the folder to write, made where missing; with --assembly a file",
       .text = &path},
      {"--assembly", NULL, "list the machine code instead, without -o on standard output",
       .flag = &assembly},
  };
  cli_exit code = cli_parse(c, &cli_generate, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  if (path ? !*path : !assembly) return cli_misuse("generate", "-o DIR is missing");
  if (assembly && (c->interpreter || c->compiler)) {
    return cli_misuse("generate", "--assembly and %s exclude each other",
                      c->interpreter ? "--interpreter" : "--compiler");
  }
  jo_model* model = NULL;
  code = cli_load(c, &model);
  if (code == CLI_OK) code = (assembly ? write_assembly : write_sources)(c, model, path);
  jo_model_destroy(model);
  return code;
}

const cli_command cli_generate = {"generate", "FILE", 1,
                                  "write a model as stand-alone C, or list its machine code", run};
