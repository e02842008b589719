// SPDX-License-Identifier: Apache-2.0
// jounce export: a model for other programs. A kind of export is a function and a line in the table.
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"

typedef struct export_options {
  const char *path, *fmi, *vary;
  bool sources_only, no_derivatives;
} export_options;

typedef struct export_kind {
  const char *name, *ends;
  cli_exit (*write)(cli* c, const jo_model* model, const export_options* o);
} export_kind;

// ---- FMUs ------------------------------------------------------------------------------------------

static const char* fmi_version(int i) {
  static const char* const version[] = {"3", "2"};
  return i >= 0 && i < 2 ? version[i] : NULL;
}

static void print_fmu(const cli* c, const export_options* o, const jo_fmu* f) {
  if (c->json) {
    cli_json j = {0};
    cli_json_object(&j, NULL);
    cli_json_text(&j, "file", o->path);
    cli_json_count(&j, "bytes", f->bytes);
    cli_json_count(&j, "files", f->files);
    cli_json_count(&j, "variables", f->variables);
    cli_json_count(&j, "parameters", f->parameters);
    cli_json_count(&j, "inputs", f->inputs);
    cli_json_count(&j, "outputs", f->outputs);
    cli_json_count(&j, "states", f->states);
    cli_json_count(&j, "event_indicators", f->event_indicators);
    cli_json_count(&j, "operations", f->operations);
    cli_json_end(&j);
  } else if (!c->quiet) {
    printf(
        "FMI %s FMU of %lld kB written to %s: %d parameters, %d inputs, %d outputs, %d states, "
        "%d event indicators\n",
        o->fmi, (long long)(f->bytes + 999) / 1000, o->path, f->parameters, f->inputs, f->outputs,
        f->states, f->event_indicators);
  }
}

static cli_exit write_fmu(cli* c, const jo_model* model, const export_options* o) {
  cli_list vary;
  cli_exit code = cli_words("export", "--vary", o->vary, &vary);
  jo_fmu_options opt = jo_fmu_options_default();
  jo_fmu made;
  opt.version = o->fmi[0] - '0';
  opt.sources_only = o->sources_only;
  opt.no_derivatives = o->no_derivatives;
  opt.vary = vary.word;
  opt.nvary = vary.n;
  if (code == CLI_OK && jo_export_fmu(c->ctx, model, &opt, o->path, &made) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (code == CLI_OK) print_fmu(c, o, &made);
  cli_list_free(&vary);
  return code;
}

// ---- the command -----------------------------------------------------------------------------------

static const export_kind kinds[] = {{"fmu", ".fmu", write_fmu}};
enum { NKIND = sizeof kinds / sizeof *kinds };

static const export_kind* find_kind(const char* name) {
  for (int i = 0; i < NKIND; i++) {
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  }
  return NULL;
}

static cli_exit write_kind(cli* c, const export_kind* kind, const export_options* o) {
  if (!cli_ends_in(o->path, kind->ends)) {
    return cli_misuse("export", "-o %s: a name that ends in %s is needed", o->path, kind->ends);
  }
  jo_model* model = NULL;
  cli_exit code = cli_load(c, &model);
  if (code == CLI_OK) code = kind->write(c, model, o);
  jo_model_destroy(model);
  return code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  export_options o = {.fmi = "3"};
  const cli_option option[] = {
      {"-o", "FILE", "the file to write, a name that ends in .fmu", .file = &o.path},
      {"--fmi", "VERSION", "of the standard, 3 (default) or 2", .text = &o.fmi,
       .choice = fmi_version},
      {"--vary", "NAMES", "numbers that can be set too, separated by commas: hardpoints.*",
       .text = &o.vary},
      {"--no-derivatives", NULL, "without directional and adjoint derivatives",
       .flag = &o.no_derivatives},
      {"--sources-only", NULL, "without a binary", .flag = &o.sources_only},
  };
  cli_exit code = cli_parse(c, &cli_export, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  const export_kind* kind = find_kind(c->argument[0]);
  if (!kind) {
    return cli_misuse("export", "there is no kind of export '%s': fmu", c->argument[0]);
  }
  if (!o.path) return cli_misuse("export", "-o FILE%s is missing", kind->ends);
  c->argument[0] = c->argument[1];  // the file, where commands look for it
  c->nargument = 1;
  return write_kind(c, kind, &o);
}

const cli_command cli_export = {"export", "fmu FILE", 2, "write a model for other programs: an FMU",
                                run};
