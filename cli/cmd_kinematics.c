// SPDX-License-Identifier: Apache-2.0
// jounce kinematics: how the wheels of an axle stand over bump, roll and steering, with derivatives.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "json.h"
#include "terminal.h"

static const char* motion_name(int i) {
  static const char* const name[] = {"bump",    "roll",     "steer",   "lateral",
                                     "braking", "traction", "aligning"};
  return i >= 0 && i < 7 ? name[i] : NULL;
}

static const char* height_name(int i) {
  static const char* const name[] = {"free", "held"};
  return i >= 0 && i < 2 ? name[i] : NULL;
}

static bool is_load(const jo_kinematics_options* o) {
  return o->motion >= JO_LATERAL;
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

// ---- what is printed -----------------------------------------------------------------------------

static void print_text(const jo_model* m, const jo_kinematics* k, const jo_kinematics_options* o) {
  const jo_tables* all = jo_kinematics_tables(k);
  const jo_table* facts = jo_tables_find(all, "kinematics");
  cli_heading("%s: axle %s, %s%s, %s wheel", jo_model_name(m), facts->column[0].text[0],
              motion_name((int)o->motion), o->opposed ? " opposed" : "", side_name((int)o->side));
  cli_table(jo_tables_find(all, "curves"));
  cli_tables(all);
  if (is_load(o) && jo_table_number(facts, "elastic", 0) == 0.0) {
    printf(
        "  links are rigid: what gives way are the springs alone, and nothing where wheels are "
        "held\n");
  }
}

static void print_json(const jo_model* m, const jo_kinematics* k, const jo_kinematics_options* o) {
  cli_json j = {0};
  (void)o;
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_tables(&j, jo_kinematics_tables(k));
  cli_json_end(&j);
}

// ---- the command ---------------------------------------------------------------------------------

static cli_exit work(cli* c, const jo_kinematics_options* opt, const char* path) {
  jo_model* model = NULL;
  jo_kinematics* k = NULL;
  cli_exit code = cli_load(c, &model);
  if (code == CLI_OK && jo_kinematics_create(c->ctx, model, opt, &k) < 0) code = CLI_FAIL;
  if (code == CLI_OK && path) {
    size_t length = strlen(path);
    bool is_page = length > 5 && strcmp(path + length - 5, ".html") == 0;
    const jo_table* positions = k ? jo_tables_find(jo_kinematics_tables(k), "positions") : NULL;
    jo_status status = is_page ? jo_kinematics_sheet(c->ctx, model, opt, path)
                               : jo_table_save(c->ctx, positions, path);
    if (status < 0) code = CLI_FAIL;
  }
  cli_tell(c);
  if (k) (c->json ? print_json : print_text)(model, k, opt);
  if (code == CLI_OK && path && !c->json) printf("written to %s\n", path);
  jo_kinematics_destroy(k);
  jo_model_destroy(model);
  return code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  jo_kinematics_options opt = jo_kinematics_options_default();
  const char *motion = "bump", *side = "left", *wrt = NULL, *path = NULL;
  const char* height = "free";
  double n = opt.n, from = NAN, to = NAN;
  const cli_option option[] = {
      {"--axle", "NAME", "an axle of the file; the only one by default", .text = &opt.axle},
      {"--motion", "HOW",
       "bump (default), roll, steer; lateral, braking, traction, aligning: loads", .text = &motion,
       .choice = motion_name},
      {"--opposed", NULL, "loads: the right wheel is loaded the other way", .flag = &opt.opposed},
      {"--height", "HOW", "loads: wheel centres are free (default) or held", .text = &height,
       .choice = height_name},
      {"--side", "SIDE", "the wheel looked at: left (default) or right", .text = &side,
       .choice = side_name},
      {"--from", "X", "travel of the wheel centre or of the rack [m]; -0.08. Or load [N], [N m]",
       .number = &from},
      {"--to", "X", "to here; 0.08. Loads: from -2000 to 2000 N, -100 to 100 N m", .number = &to},
      {"--points", "N", "positions; 17", .number = &n},
      {"--wrt", "LIST", "also derivatives with respect to parameters, paths, path.*, or all",
       .text = &wrt},
      {"-o", "FILE", "write a row per position, or the sheet of the axle, all motions (.html)",
       .file = &path, .ends = JO_TABLE_ENDINGS ".html"},
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
  opt.hold_height = find(height_name, height) == 1;
  if (is_load(&opt)) {
    opt.to_m = opt.motion == JO_ALIGNING ? 100.0 : 2000.0;
    opt.from_m = -opt.to_m;
  } else if (opt.opposed || opt.hold_height) {
    cli_list_free(&list);
    return cli_misuse("kinematics", "--opposed and --height are for loads: --motion lateral, ...");
  }
  if (!isnan(from)) opt.from_m = from;
  if (!isnan(to)) opt.to_m = to;
  opt.wrt = list.word;
  opt.nwrt = list.n;
  if (code == CLI_OK) code = work(c, &opt, path);
  cli_list_free(&list);
  return code;
}

const cli_command cli_kinematics = {
    "kinematics", "FILE", 1, "toe, camber, ratios of an axle over bump, roll, steering, loads",
    run};
