// SPDX-License-Identifier: Apache-2.0
// jounce report: a run as one HTML page, or its replay as a scene.
#include <stdio.h>

#include "cli.h"
#include "json.h"

static void print_summary(const cli* c, const jo_model* m, const char* path, int64_t bytes) {
  if (!c->json) {
    const char* what = cli_ends_in(path, ".glb") ? "scene" : "report";
    printf("%s: %s of %lld kB written to %s\n", jo_model_name(m), what,
           (long long)(bytes + 999) / 1000, path);
    return;
  }
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_text(&j, "file", path);
  cli_json_count(&j, "bytes", bytes);
  cli_json_end(&j);
}

static cli_exit write_report(cli* c, const jo_system_options* use, const jo_report_options* opt,
                             const char* path) {
  jo_model* model = NULL;
  jo_system* system = NULL;
  cli_exit code = cli_load(c, &model);
  if (code == CLI_OK) code = cli_prepare(c, model, use, &system);
  int64_t bytes = 0;
  if (code == CLI_OK && jo_report_write(c->ctx, system, opt, path, &bytes) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (code == CLI_OK) print_summary(c, model, path, bytes);
  jo_system_destroy(system);
  jo_model_destroy(model);
  return code;
}

static cli_exit report(cli* c, int argc, char** argv) {
  jo_report_options opt = jo_report_options_default();
  const char *path = NULL, *wrt = NULL, *objective = NULL;
  bool no_replay = false;
  const cli_option option[] = {
      {"-o", "FILE", "the page to write (.html), or the replay alone as a scene (.glb, glTF)",
       .file = &path, .ends = ".html .glb"},
      {"--wrt", "NAMES", "derivatives with respect to these, separated by commas", .text = &wrt},
      {"--objective", "LIST", CLI_ABOUT_OBJECTIVES, .text = &objective},
      {"--tol", "X", "relative and absolute tolerance of adaptive methods",
       .number = &opt.tolerance},
      {"--no-replay", NULL, "without the replay", .flag = &no_replay},
  };
  cli_exit code = cli_parse(c, &cli_report, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  if (!path) return cli_misuse("report", "-o PAGE.html is missing");
  if (cli_ends_in(path, ".glb") && (wrt || objective || no_replay)) {
    return cli_misuse("report", "%s is of pages, not of a scene: -o PAGE.html",
                      wrt         ? "--wrt"
                      : objective ? "--objective"
                                  : "--no-replay");
  }
  cli_list list, wanted = {0};
  code = cli_words("report", "--wrt", wrt, &list);
  if (code == CLI_OK) code = cli_words("report", "--objective", objective, &wanted);
  opt.no_replay = no_replay;
  jo_system_options use = {
      .wrt = list.word, .nwrt = list.n, .objective = wanted.word, .nobjective = wanted.n};
  if (code == CLI_OK) code = write_report(c, &use, &opt, path);
  cli_list_free(&list);
  cli_list_free(&wanted);
  return code;
}

const cli_command cli_report = {"report", "FILE", 1, "a run as one HTML page with a replay",
                                report};
