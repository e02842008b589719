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

// Unit of what goes from one end to the other, of slopes by it, and the size of that.
typedef struct axis {
  const char *label, *unit, *per;
  double scale, step;
} axis;

static axis axis_of(const jo_kinematics_options* o) {
  if (!is_load(o)) return (axis){"travel", "mm", "", 1e3, 1.0};
  if (o->motion == JO_ALIGNING) return (axis){"load", "N m", "100 N m", 1.0, 100.0};
  return (axis){"load", "N", "kN", 1.0, 1000.0};
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

static void print_curves(const jo_kinematics* k, const axis* x, int first, int last) {
  jo_kinematics_curve c;
  char label[32];
  snprintf(label, sizeof label, "%s %s", x->label, x->unit);
  printf("  %10s", label);
  for (int i = first; i < last; i++) {
    jo_kinematics_curve_at(k, i, &c);
    char head[64];
    snprintf(head, sizeof head, "%.40s %s", c.name, strcmp(c.unit, "m") == 0 ? "mm" : c.unit);
    printf(" %*s", strlen(head) > 14 ? (int)strlen(head) : 14, head);
  }
  printf("\n");
  for (int row = 0; row < jo_kinematics_position_count(k); row++) {
    printf("  %10.3f", x->scale * jo_kinematics_travel(k)[row] + 0.0);
    for (int i = first; i < last; i++) {
      jo_kinematics_curve_at(k, i, &c);
      size_t width = strlen(c.name) + 1 + (strcmp(c.unit, "m") == 0 ? 2 : strlen(c.unit));
      double scale = strcmp(c.unit, "m") == 0 ? 1e3 : 1.0;
      printf(" %*.5f", width > 14 ? (int)width : 14, scale * c.value[row] + 0.0);
    }
    printf("\n");
  }
}

static void print_compliances(const jo_kinematics* k, const axis* x) {
  jo_kinematics_curve c;
  int nw = jo_kinematics_parameter_count(k);
  cli_heading("\ncompliances at the design position");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    bool is_length = strcmp(c.unit, "m") == 0;
    double scale = x->step * (is_length ? 1e3 : 1.0);
    printf("  %-22s %14.6f %s/%s%s%s\n", c.name, scale * c.compliance + 0.0,
           is_length ? "mm" : c.unit, *x->per == '1' ? "(" : "", x->per, *x->per == '1' ? ")" : "");
    for (int w = 0; w < nw; w++) {
      double d = scale * c.compliance_derivative[w];
      if (d != 0.0) printf("    by %-32s %14.7g\n", jo_kinematics_parameter_name(k, w), d);
    }
  }
  if (!jo_kinematics_is_elastic(k)) {
    printf(
        "  links are rigid: what gives way are the springs alone, and nothing where wheels are "
        "held\n");
  }
}

static void print_derivatives(const jo_kinematics* k, const axis* x) {
  int n = jo_kinematics_parameter_count(k), middle = jo_kinematics_position_count(k) / 2;
  jo_kinematics_curve c;
  if (n == 0) return;
  cli_heading("\nderivatives at %.1f %s, but for zeros",
              x->scale * jo_kinematics_travel(k)[middle] + 0.0, x->unit);
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    for (int w = 0; w < n; w++) {
      double d = c.derivative[(size_t)middle * (size_t)n + (size_t)w];
      if (d != 0.0) {
        printf("  %-22s %-32s %14.7g %s\n", c.name, jo_kinematics_parameter_name(k, w), d, c.unit);
      }
    }
  }
}

static void print_text(const jo_model* m, const jo_kinematics* k, const jo_kinematics_options* o) {
  int n = jo_kinematics_curve_count(k);
  axis x = axis_of(o);
  cli_heading("%s: axle %s, %s%s, %s wheel", jo_model_name(m), jo_kinematics_axle(k),
              motion_name((int)o->motion), o->opposed ? " opposed" : "", side_name((int)o->side));
  for (int i = 0; i < n; i += COLUMNS) {
    if (i > 0) printf("\n");
    print_curves(k, &x, i, i + COLUMNS < n ? i + COLUMNS : n);
  }
  if (is_load(o)) print_compliances(k, &x);
  print_derivatives(k, &x);
}

// ---- JSON ----------------------------------------------------------------------------------------

static void json_list(cli_json* j, const char* key, const double* x, int n, int stride) {
  cli_json_flat_list(j, key);
  for (int i = 0; i < n; i++) {
    cli_json_number(j, NULL, x[(size_t)i * (size_t)stride]);
  }
  cli_json_end(j);
}

// By newton or newton metre.
static void json_compliances(cli_json* j, const jo_kinematics* k) {
  int nw = jo_kinematics_parameter_count(k);
  jo_kinematics_curve c;
  cli_json_object(j, "compliances");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    cli_json_number(j, c.name, c.compliance);
  }
  cli_json_end(j);
  if (nw == 0) return;
  cli_json_object(j, "compliance_derivatives");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    cli_json_object(j, c.name);
    for (int w = 0; w < nw; w++) {
      cli_json_number(j, jo_kinematics_parameter_name(k, w), c.compliance_derivative[w]);
    }
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void json_curves(cli_json* j, const jo_kinematics* k, const char* label) {
  int n = jo_kinematics_position_count(k), nw = jo_kinematics_parameter_count(k);
  jo_kinematics_curve c;
  cli_json_object(j, "units");
  for (int i = 0; jo_kinematics_curve_at(k, i, &c) >= 0; i++) {
    cli_json_text(j, c.name, c.unit);
  }
  cli_json_end(j);
  json_list(j, label, jo_kinematics_travel(k), n, 1);
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

static void print_json(const jo_model* m, const jo_kinematics* k, const jo_kinematics_options* o) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_text(&j, "axle", jo_kinematics_axle(k));
  cli_json_text(&j, "motion", motion_name((int)o->motion));
  cli_json_text(&j, "side", side_name((int)o->side));
  if (is_load(o)) {
    cli_json_bool(&j, "opposed", o->opposed);
    cli_json_text(&j, "height", height_name(o->hold_height));
    cli_json_bool(&j, "elastic", jo_kinematics_is_elastic(k));
  }
  json_curves(&j, k, is_load(o) ? "load" : "travel");
  if (is_load(o)) json_compliances(&j, k);
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
    jo_status status = is_page ? jo_kinematics_sheet(c->ctx, model, opt, path)
                               : jo_kinematics_save(c->ctx, k, path);
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
      {"-o", "FILE",
       "write a row per position (.csv), or the sheet of the axle, all motions (.html)",
       .file = &path, .ends = ".csv .html"},
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
