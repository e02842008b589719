// SPDX-License-Identifier: Apache-2.0
// jounce import: a file of another program as a model file, and the list of what was not taken over.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "failure.h"
#include "json.h"
#include "terminal.h"

static const struct {
  jo_import_kind kind;
  const char *key, *title;
} kinds[] = {{JO_IMPORT_LOST, "not_taken_over", "not taken over"},
             {JO_IMPORT_TO_FILL, "to_fill_in", "to be filled in"},
             {JO_IMPORT_CHANGED, "changed", "something else than in the source"}};
enum { NKIND = sizeof kinds / sizeof *kinds };

static void print_json(cli* c, const jo_imported* taken, const char* out) {
  jo_imported_info info = jo_imported_inspect(taken);
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "file", c->argument[0]);
  cli_json_text(&j, "format", info.format);
  if (out) cli_json_text(&j, "output", out);
  cli_json_count(&j, "bodies", info.bodies);
  cli_json_count(&j, "joints", info.joints);
  cli_json_count(&j, "closures", info.closures);
  for (int k = 0; k < NKIND; k++) {
    cli_json_list(&j, kinds[k].key);
    for (int i = 0; i < info.remarks; i++) {
      jo_import_remark r;
      if (jo_imported_remark_at(taken, i, &r) < 0 || r.kind != kinds[k].kind) continue;
      cli_json_flat_object(&j, NULL);
      cli_json_count(&j, "line", r.line);
      cli_json_text(&j, "text", r.text);
      cli_json_end(&j);
    }
    cli_json_end(&j);
  }
  cli_json_end(&j);
}

static void print_kind(const jo_imported* taken, int k) {
  bool is_first = true;
  for (int i = 0; i < jo_imported_inspect(taken).remarks; i++) {
    jo_import_remark r;
    if (jo_imported_remark_at(taken, i, &r) < 0 || r.kind != kinds[k].kind) continue;
    if (is_first) cli_heading("\n%s", kinds[k].title);
    is_first = false;
    cli_print(stdout, "  line %d: %s\n", r.line, r.text);
  }
  if (is_first && kinds[k].kind == JO_IMPORT_LOST) {
    cli_heading("\n%s", kinds[k].title);
    printf("  nothing: all of the file is there\n");
  }
}

static void print_text(cli* c, const jo_imported* taken, const char* out) {
  jo_imported_info info = jo_imported_inspect(taken);
  cli_print(stdout, "%s: %s, %d bodies, %d joints, %d closures\n", c->argument[0], info.format,
            info.bodies, info.joints, info.closures);
  for (int k = 0; k < NKIND; k++) {
    print_kind(taken, k);
  }
  if (out) {
    cli_print(stdout, "\n%s is written. Next: jounce check %s\n", out, out);
  } else {
    printf("\nNo file is written: -o MODEL.yaml writes one.\n");
  }
}

// What is written is a model: checked before, so that no file is there that is none.
static cli_exit write_model(cli* c, const jo_imported* taken, const char* out) {
  const char* text = jo_imported_text(taken);
  jo_model* model = NULL;
  bool is_model = jo_model_parse(c->ctx, text, strlen(text), out, NULL, 0, &model) >= 0;
  jo_model_destroy(model);
  if (!is_model) {
    cli_complain("%s: what was imported is not a valid model; %s is not written", c->argument[0],
                 out);
    return CLI_FAIL;
  }
  return jo_output_write(c->ctx, out, text, strlen(text)) >= 0 ? CLI_OK : CLI_FAIL;
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* out = NULL;
  const cli_option option[] = {{"-o", "MODEL.yaml", "write the model file; without it, tell only",
                                .file = &out, .ends = ".yaml .yml"}};
  cli_exit code = cli_parse(c, &cli_import, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  jo_imported* taken = NULL;
  if (jo_import(c->ctx, c->argument[0], &taken) < 0) code = CLI_FAIL;
  if (code == CLI_OK && out) code = write_model(c, taken, out);
  cli_tell(c);
  if (code == CLI_OK && c->json) print_json(c, taken, out);
  if (code == CLI_OK && !c->json && !c->quiet) print_text(c, taken, out);
  jo_imported_destroy(taken);
  return code;
}

const cli_command cli_import = {"import", "FILE.mbs|.urdf|.xml", 1,
                                "take over a model of ROBOTRAN, URDF or MuJoCo", run};
