// SPDX-License-Identifier: Apache-2.0
// jounce kinematics: how the wheels of an axle stand over bump, roll and steering, with derivatives.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

static const char* motion_name(int i) {
  static const char* const name[] = {"bump", "roll", "steer"};
  return i >= 0 && i < 3 ? name[i] : NULL;
}

static const char* side_name(int i) {
  static const char* const name[] = {"left", "right"};
  return i >= 0 && i < 2 ? name[i] : NULL;
}

static int find(const char* (*name)(int i), const char* text) {
  int i = 0;
  while (strcmp(name(i), text) != 0) {
    i++;
  }
  return i;
}

// ---- text ----------------------------------------------------------------------------------------

#define COLUMNS 6

static void print_curves(const jo_kinematics* k, int first, int last) {
  jo_kinematics_curve c;
  printf("  %10s", "travel mm");
  for (int i = first; i < last; i++) {
    jo_kinematics_curve_at(k, i, &c);
    char head[64];
    snprintf(head, sizeof head, "%.40s %s", c.name, strcmp(c.unit, "m") == 0 ? "mm" : c.unit);
    printf(" %*s", strlen(head) > 14 ? (int)strlen(head) : 14, head);
  }
  printf("\n");
  for (int row = 0; row < jo_kinematics_position_count(k); row++) {
    printf("  %10.3f", 1e3 * jo_kinematics_travel(k)[row] + 0.0);
    for (int i = first; i < last; i++) {
      jo_kinematics_curve_at(k, i, &c);
      size_t width = strlen(c.name) + 1 + (strcmp(c.unit, "m") == 0 ? 2 : strlen(c.unit));
      double scale = strcmp(c.unit, "m") == 0 ? 1e3 : 1.0;
      printf(" %*.5f", width > 14 ? (int)width : 14, scale * c.value[row] + 0.0);
    }
    printf("\n");
  }
}

static void print_derivatives(const jo_kinematics* k) {
  int n = jo_kinematics_parameter_count(k), middle = jo_kinematics_position_count(k) / 2;
  jo_kinematics_curve c;
  if (n == 0) return;
  cli_heading("\nderivatives at %.1f mm, but for zeros",
              1e3 * jo_kinematics_travel(k)[middle] + 0.0);
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    for (int w = 0; w < n; w++) {
      double d = c.derivative[(size_t)middle * (size_t)n + (size_t)w];
      if (d != 0.0) {
        printf("  %-22s %-32s %14.7g %s\n", c.name, jo_kinematics_parameter_name(k, w), d, c.unit);
      }
    }
  }
}

static void print_text(const jo_model* m, const jo_kinematics* k, const char* motion,
                       const char* side) {
  int n = jo_kinematics_curve_count(k);
  cli_heading("%s: axle %s, %s, %s wheel", jo_model_name(m), jo_kinematics_axle(k), motion, side);
  for (int i = 0; i < n; i += COLUMNS) {
    if (i > 0) printf("\n");
    print_curves(k, i, i + COLUMNS < n ? i + COLUMNS : n);
  }
  print_derivatives(k);
}

// ---- JSON ----------------------------------------------------------------------------------------

static void json_list(cli_json* j, const char* key, const double* x, int n, int stride) {
  cli_json_flat_list(j, key);
  for (int i = 0; i < n; i++) {
    cli_json_number(j, NULL, x[(size_t)i * (size_t)stride]);
  }
  cli_json_end(j);
}

static void json_curves(cli_json* j, const jo_kinematics* k) {
  int n = jo_kinematics_position_count(k), nw = jo_kinematics_parameter_count(k);
  jo_kinematics_curve c;
  cli_json_object(j, "units");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    cli_json_text(j, c.name, c.unit);
  }
  cli_json_end(j);
  json_list(j, "travel", jo_kinematics_travel(k), n, 1);
  cli_json_object(j, "curves");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    json_list(j, c.name, c.value, n, 1);
  }
  cli_json_end(j);
  if (nw == 0) return;
  cli_json_object(j, "derivatives");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    cli_json_object(j, c.name);
    for (int w = 0; w < nw; w++) {
      json_list(j, jo_kinematics_parameter_name(k, w), c.derivative + w, n, nw);
    }
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void print_json(const jo_model* m, const jo_kinematics* k, const char* motion,
                       const char* side) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_text(&j, "axle", jo_kinematics_axle(k));
  cli_json_text(&j, "motion", motion);
  cli_json_text(&j, "side", side);
  json_curves(&j, k);
  cli_json_end(&j);
}

// ---- the command ---------------------------------------------------------------------------------

static cli_exit work(cli* c, const jo_kinematics_options* opt, const char* motion, const char* side,
                     const char* path) {
  jo_model* model = NULL;
  jo_kinematics* k = NULL;
  cli_exit code = cli_load(c, &model);
  if (code == CLI_OK && jo_kinematics_create(c->ctx, model, opt, &k) < 0) code = CLI_FAIL;
  if (code == CLI_OK && path && jo_kinematics_save(c->ctx, k, path) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (k) (c->json ? print_json : print_text)(model, k, motion, side);
  if (code == CLI_OK && path && !c->json) printf("written to %s\n", path);
  jo_kinematics_destroy(k);
  jo_model_destroy(model);
  return code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  jo_kinematics_options opt = jo_kinematics_options_default();
  const char *motion = "bump", *side = "left", *wrt = NULL, *path = NULL;
  double n = opt.n;
  const cli_option option[] = {
      {"--axle", "NAME", "an axle of the file; the only one by default", .text = &opt.axle},
      {"--motion", "HOW", "bump (default), roll, or steer", .text = &motion, .choice = motion_name},
      {"--side", "SIDE", "the wheel looked at: left (default) or right", .text = &side,
       .choice = side_name},
      {"--from", "M", "travel of the wheel centre or of the rack [m]; -0.08",
       .number = &opt.from_m},
      {"--to", "M", "to here; 0.08", .number = &opt.to_m},
      {"--points", "N", "positions; 17", .number = &n},
      {"--wrt", "LIST", "also derivatives by parameters, paths, path.*, or all", .text = &wrt},
      {"-o", "FILE", "write a row per position: .csv", .file = &path, .ends = ".csv"},
  };
  cli_exit code = cli_parse(c, &cli_kinematics, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  if (!(n >= 1.0 && n <= 1e5 && n == floor(n))) {
    return cli_misuse("kinematics", "--points needs a number from 1 to 100000");
  }
  cli_list list;
  code = cli_words("kinematics", "--wrt", wrt, &list);
  opt.n = (int)n;
  opt.motion = (jo_kinematics_motion)find(motion_name, motion);
  opt.side = (jo_side)find(side_name, side);
  opt.wrt = list.word;
  opt.nwrt = list.n;
  if (code == CLI_OK) code = work(c, &opt, motion, side, path);
  cli_list_free(&list);
  return code;
}

const cli_command cli_kinematics = {
    "kinematics", "FILE", 1, "toe, camber, ratios of an axle over bump, roll, steering", run};
