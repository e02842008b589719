// SPDX-License-Identifier: Apache-2.0
// jounce study: what a study file asks for, as tables, figures and one page.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

// ---- text ----------------------------------------------------------------------------------------

static void print_text(const jo_study* s) {
  jo_study_part p;
  cli_heading("%s: %s", jo_study_name(s), jo_model_name(jo_study_model(s)));
  for (int i = 0; jo_study_part_at(s, i, &p) >= 0; i++) {
    cli_heading("\n%s", p.title);
    for (int k = 0; k < p.tables; k++) {
      const jo_table* t = &jo_study_tables(s, i)->table[k];
      if (*t->title) cli_print(stdout, "  %s\n", t->title);
      cli_table(t);
    }
  }
}

// ---- JSON ----------------------------------------------------------------------------------------

static void json_table(cli_json* j, const jo_table* t) {
  cli_json_object(j, NULL);
  cli_json_text(j, "title", t->title);
  cli_json_count(j, "rows", t->nrow);
  cli_json_list(j, "columns");
  for (int k = 0; k < t->ncolumn; k++) {
    const jo_column* c = &t->column[k];
    cli_json_object(j, NULL);
    cli_json_text(j, "name", c->name);
    cli_json_text(j, "unit", c->unit);
    cli_json_flat_list(j, "values");
    for (int row = 0; row < t->nrow; row++) {
      if (c->text) {
        cli_json_text(j, NULL, c->text[row]);
      } else {
        cli_json_number(j, NULL, c->value[row * c->stride]);
      }
    }
    cli_json_end(j);
    cli_json_end(j);
  }
  cli_json_end(j);
  cli_json_end(j);
}

static void print_json(const jo_study* s, const char* path) {
  const jo_model* m = jo_study_model(s);
  jo_study_part p;
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "study", jo_study_name(s));
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  if (path) cli_json_text(&j, "file", path);
  cli_json_list(&j, "parts");
  for (int i = 0; jo_study_part_at(s, i, &p) >= 0; i++) {
    cli_json_object(&j, NULL);
    cli_json_text(&j, "kind", p.kind);
    cli_json_text(&j, "title", p.title);
    cli_json_count(&j, "figures", p.figures);
    cli_json_list(&j, "tables");
    for (int k = 0; k < p.tables; k++) {
      json_table(&j, &jo_study_tables(s, i)->table[k]);
    }
    cli_json_end(&j);
    cli_json_end(&j);
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

// ---- the command ---------------------------------------------------------------------------------

static int on_progress(void* user, double fraction) {
  cli_progress_show(user, fraction);
  return 1;
}

static bool save_figures(cli* c, const jo_study* s, const char* folder) {
  size_t size = strlen(folder) + 64;
  char* path = malloc(size);
  if (!path) return cli_no_memory() == CLI_OK;
  bool is_fine = true;
  jo_study_part p;
  for (int i = 0; is_fine && jo_study_part_at(s, i, &p) >= 0; i++) {
    for (int k = 0; is_fine && k < p.figures; k++) {
      snprintf(path, size, "%s/part%d_%d.svg", folder, i + 1, k + 1);
      is_fine = jo_study_figure_save(c->ctx, s, i, k, path) >= 0;
    }
  }
  free(path);
  return is_fine;
}

static cli_exit work(cli* c, const char* path, const char* folder) {
  jo_study* study = NULL;
  cli_progress bar = cli_progress_begin(!c->quiet);
  jo_study_options opt = {.interpreter = c->interpreter,
                          .compiler = c->compiler,
                          .progress = on_progress,
                          .user = &bar};
  jo_status status = jo_study_load(c->ctx, c->argument[0], c->set, c->nset, &study);
  if (status >= 0) status = jo_study_run(c->ctx, study, &opt);
  cli_progress_end(&bar);
  bool is_run = status >= 0;
  if (is_run && path) status = jo_study_save(c->ctx, study, path);
  bool is_fine = status >= 0 && (!folder || save_figures(c, study, folder));
  cli_tell(c);
  if (is_run && c->json) print_json(study, path);
  if (is_run && !c->json) print_text(study);
  if (is_fine && path && !c->json) printf("\nwritten to %s\n", path);
  jo_study_destroy(study);
  return is_fine ? CLI_OK : CLI_FAIL;
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char *path = NULL, *folder = NULL;
  const cli_option option[] = {
      {"-o", "FILE", "write all of it as one page, a name that ends in .html", .file = &path,
       .ends = ".html"},
      {"--figures", "DIR", "write every figure into this folder: part1_1.svg", .text = &folder},
  };
  cli_exit code = cli_parse(c, &cli_study, option, sizeof option / sizeof *option, argc, argv);
  return code == CLI_OK ? work(c, path, folder) : code;
}

const cli_command cli_study = {"study", "FILE", 1,
                               "what a study file asks for, as tables and a page", run};
