// SPDX-License-Identifier: Apache-2.0
// jounce tyre: a property file by itself: what it says, its curves, tables of forces.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "failure.h"
#include "json.h"
#include "terminal.h"

// ---- characteristic values -----------------------------------------------------------------------

#define MAX_VALUES 64

// At the nominal load, speed and pressure, upright, without slip unless it is a peak.
typedef struct summary {
  double input[JO_TYRE_INPUTS];  // Fz, kappa, alpha, gamma, Vx, p
  double value[MAX_VALUES];
  double peak_x, peak_x_at, peak_y, peak_y_at;
  int nradius;
  double radius[MAX_VALUES];
  const char *radius_name[MAX_VALUES], *radius_unit[MAX_VALUES];
} summary;

enum { FZ, KAPPA, ALPHA, GAMMA, VX, PRESSURE };
enum { FX, FY, MX, MY, MZ, SIGMA_KAPPA, SIGMA_ALPHA, TRAIL, MU_X, MU_Y, KXK, KYA, NVALUE };

// The largest force over one slip, and where: the best of many points, and a parabola through its neighbours.
static jo_status find_peak(jo_tyre_function* f, const double* at, int input, int output,
                           double most, double* peak, double* where) {
  enum { N = 2001 };
  double in[JO_TYRE_INPUTS], out[MAX_VALUES], v[N];
  int best = 0;
  memcpy(in, at, sizeof in);
  for (int i = 0; i < N; i++) {
    in[input] = most * i / (N - 1);
    jo_status status = jo_tyre_evaluate(f, in, out);
    if (status < 0) return status;
    v[i] = fabs(out[output]);
    if (v[i] > v[best]) best = i;
  }
  double shift = 0.0;
  *peak = v[best];
  if (best > 0 && best < N - 1) {
    double down = v[best - 1] - v[best], up = v[best + 1] - v[best];
    if (down + up < 0.0) shift = 0.5 * (down - up) / (down + up);
    *peak = v[best] - 0.25 * (down - up) * shift;
  }
  *where = most * (best + shift) / (N - 1);
  return JO_OK;
}

// Radii at the load and speed of the summary, rolling freely. A tyre without vertical stiffness has none.
static jo_status find_radii(cli* c, const jo_tyre* tyre, const jo_tyre_options* opt, summary* s) {
  jo_tyre_function* r = NULL;
  jo_tyre_options radii = {.combined = opt->combined, .vertical = 1};
  jo_status status = jo_tyre_function_create(c->ctx, tyre, &radii, &r);
  double in[JO_TYRE_INPUTS] = {s->input[FZ], 0, 0, 0, 0, s->input[PRESSURE]};
  s->nradius = status < 0 ? 0 : jo_tyre_output_count(r);
  if (status >= 0) status = jo_tyre_evaluate(r, in, s->radius);
  // omega R_e = Vx
  for (int i = 0; i < 4 && status >= 0; i++) {
    in[4] = s->input[VX] / s->radius[1];
    status = jo_tyre_evaluate(r, in, s->radius);
  }
  for (int i = 0; i < s->nradius; i++) {
    s->radius_name[i] = jo_tyre_output_name(r, i);
    s->radius_unit[i] = jo_tyre_output_unit(r, i);
  }
  jo_tyre_function_destroy(r);
  return status;
}

static bool has_vertical(const jo_tyre* tyre) {
  jo_tyre_coefficient k;
  for (int i = 0; jo_tyre_coefficient_at(tyre, i, &k) >= 0; i++) {
    if (strcmp(k.name, "VERTICAL_STIFFNESS") == 0) return k.line > 0;
  }
  return false;
}

static cli_exit summarise(cli* c, const jo_tyre* tyre, const jo_tyre_options* opt, summary* s) {
  jo_tyre_function* f = NULL;
  jo_tyre_options forces = {.combined = opt->combined};
  jo_status status = jo_tyre_function_create(c->ctx, tyre, &forces, &f);
  for (int i = 0; i < JO_TYRE_INPUTS && status >= 0; i++) {
    s->input[i] = jo_tyre_input_default(f, i);
  }
  if (status >= 0) status = jo_tyre_evaluate(f, s->input, s->value);
  if (status >= 0) {
    status = find_peak(f, s->input, KAPPA, FX, 1.0, &s->peak_x, &s->peak_x_at);
  }
  if (status >= 0) {
    status = find_peak(f, s->input, ALPHA, FY, 0.7, &s->peak_y, &s->peak_y_at);
  }
  jo_tyre_function_destroy(f);
  if (status >= 0 && has_vertical(tyre)) status = find_radii(c, tyre, opt, s);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

// Combined slip as it is computed: as asked for, else as the file has it.
static bool is_ellipse(const jo_tyre* tyre, const jo_tyre_options* opt) {
  if (opt->combined != JO_TYRE_AS_FILE) return opt->combined == JO_TYRE_ELLIPSE;
  return jo_tyre_inspect(tyre).is_ellipse != 0;
}

static void print_value(const char* text, double value, const char* unit) {
  bool has_unit = strcmp(unit, "-") != 0;
  printf("  %-34s %12.6g%s%s\n", text, value + 0.0, has_unit ? " " : "", has_unit ? unit : "");
}

// Radii are static: their names are those of the library.
static const char* radius_text(const char* name) {
  static const char* const text[][2] = {{"R_omega", "free radius R_omega"},
                                        {"R_e", "effective rolling radius R_e"},
                                        {"rho", "deflection rho"},
                                        {"R_l", "loaded radius R_l"},
                                        {"Fz_over_rho", "vertical stiffness Fz/rho"},
                                        {"a_half_length", "half contact length a"},
                                        {"b_half_width", "half contact width b"}};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    if (strcmp(text[i][0], name) == 0) return text[i][1];
  }
  return name;
}

static void print_text(const char* file, const jo_tyre* tyre, const jo_tyre_options* opt,
                       const summary* s) {
  jo_tyre_info info = jo_tyre_inspect(tyre);
  cli_heading("%s: %s%s%s", file, info.version, info.side[0] ? ", side " : "", info.side);
  printf("  %d coefficients; combined slip by %s\n", info.given,
         is_ellipse(tyre, opt) ? "friction ellipse" : "the formulas");
  printf("  at Fz = %.6g N, Vx = %.6g m/s", s->input[FZ], s->input[VX]);
  if (s->input[PRESSURE] > 0.0) printf(", p = %.6g Pa", s->input[PRESSURE]);
  printf(", no camber\n");
  cli_heading("\nforces");
  print_value("peak friction mu_x", s->value[MU_X], "-");
  print_value("peak friction mu_y", fabs(s->value[MU_Y]), "-");  // PDY1 may be negative
  print_value("largest driving force", s->peak_x, "N");
  print_value("  at slip", s->peak_x_at, "-");
  print_value("largest side force", s->peak_y, "N");
  print_value("  at slip angle", s->peak_y_at, "rad");
  print_value("slip stiffness Kxk", s->value[KXK], "N");
  print_value("cornering stiffness Kya", s->value[KYA], "N/rad");
  print_value("pneumatic trail", s->value[TRAIL], "m");
  print_value("rolling moment My", s->value[MY], "N m");
  print_value("relaxation length sigma_kappa", s->value[SIGMA_KAPPA], "m");
  print_value("relaxation length sigma_alpha", s->value[SIGMA_ALPHA], "m");
  if (s->nradius == 0) {
    printf(
        "\nno radii: the file has no VERTICAL_STIFFNESS; --set VERTICAL_STIFFNESS=... gives one\n");
    return;
  }
  cli_heading("\nradii, rolling freely");
  for (int i = 0; i < s->nradius; i++) {
    print_value(radius_text(s->radius_name[i]), s->radius[i], s->radius_unit[i]);
  }
}

static void json_head(cli_json* j, const char* file, const jo_tyre* tyre,
                      const jo_tyre_options* opt) {
  jo_tyre_info info = jo_tyre_inspect(tyre);
  cli_json_text(j, "file", file);
  cli_json_text(j, "version", info.version);
  cli_json_text(j, "side", info.side);
  cli_json_text(j, "combined", is_ellipse(tyre, opt) ? "ellipse" : "formula");
}

static void print_json(const char* file, const jo_tyre* tyre, const jo_tyre_options* opt,
                       const summary* s) {
  static const char* const input[] = {"Fz", "kappa", "alpha", "gamma", "Vx", "p"};
  static const char* const value[] = {"Fx",          "Fy",    "Mx",   "My",   "Mz",  "sigma_kappa",
                                      "sigma_alpha", "trail", "mu_x", "mu_y", "Kxk", "Kya"};
  cli_json j = {0};
  cli_json_object(&j, NULL);
  json_head(&j, file, tyre, opt);
  cli_json_object(&j, "at");
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    cli_json_number(&j, input[i], s->input[i]);
  }
  cli_json_end(&j);
  cli_json_object(&j, "values");
  for (int i = 0; i < NVALUE; i++) {
    cli_json_number(&j, value[i], s->value[i]);
  }
  cli_json_number(&j, "Fx_peak", s->peak_x);
  cli_json_number(&j, "kappa_peak", s->peak_x_at);
  cli_json_number(&j, "Fy_peak", s->peak_y);
  cli_json_number(&j, "alpha_peak", s->peak_y_at);
  for (int i = 0; i < s->nradius; i++) {
    cli_json_number(&j, s->radius_name[i], s->radius[i]);
  }
  cli_json_end(&j);
  cli_json_object(&j, "coefficients");
  jo_tyre_coefficient k;
  for (int i = 0; jo_tyre_coefficient_at(tyre, i, &k) >= 0; i++) {
    if (k.line > 0) cli_json_number(&j, k.name, k.value);
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

// ---- tables --------------------------------------------------------------------------------------

static cli_exit write_table(cli* c, const jo_tyre* tyre, const jo_tyre_options* opt,
                            const char* inputs, const char* path) {
  jo_tyre_table* table = NULL;
  jo_status status = jo_tyre_table_create(c->ctx, tyre, opt, inputs, &table);
  const char* text = jo_tyre_table_text(table);
  if (status >= 0 && path) status = jo_output_write(c->ctx, path, text, strlen(text));
  cli_tell(c);
  if (status >= 0 && c->json) {
    cli_json j = {0};
    cli_json_object(&j, NULL);
    json_head(&j, c->argument[0], tyre, opt);
    cli_json_count(&j, "rows", jo_tyre_table_rows(table));
    cli_json_text(&j, path ? "output" : "table", path ? path : text);
    cli_json_end(&j);
  } else if (status >= 0 && path) {
    printf("%s: %d rows written to %s\n", c->argument[0], jo_tyre_table_rows(table), path);
  } else if (status >= 0) {
    fputs(text, stdout);
  }
  jo_tyre_table_destroy(table);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

// ---- the command ---------------------------------------------------------------------------------

static const char* combined_name(int i) {
  static const char* const name[] = {"file", "formula", "ellipse"};
  return i < 3 ? name[i] : NULL;
}

static cli_exit show(cli* c, const jo_tyre* tyre, const jo_tyre_options* opt, const char* path) {
  summary* s = calloc(1, sizeof *s);
  if (!s) return cli_no_memory();
  cli_exit code = summarise(c, tyre, opt, s);
  if (code == CLI_OK && path && jo_tyre_plot(c->ctx, tyre, opt, path) < 0) code = CLI_FAIL;
  cli_tell(c);
  if (code == CLI_OK && c->json) print_json(c->argument[0], tyre, opt, s);
  if (code == CLI_OK && !c->json) {
    print_text(c->argument[0], tyre, opt, s);
    if (path) printf("\ncurves written to %s\n", path);
  }
  free(s);
  return code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char *inputs = NULL, *path = NULL, *wrt = NULL, *combined = NULL;
  bool vertical = false;
  const cli_option option[] = {
      {"--inputs", "CASES.csv", "evaluate rows of Fz,kappa,alpha,gamma,Vx,p", .text = &inputs},
      {"-o", "FILE", "curves (.svg, .html), or with --inputs the table (.csv)", .file = &path,
       .ends = ".svg .html .csv"},
      {"--wrt", "NAMES", "also derivatives with respect to inputs and coefficients, or all",
       .text = &wrt, .needs = "--inputs"},
      {"--vertical", NULL, "radii instead of forces, of Fz,Fx,Fy,gamma,omega,p", .flag = &vertical,
       .needs = "--inputs"},
      {"--combined", "HOW", "combined slip: file (as it has it), formula, ellipse",
       .text = &combined, .choice = combined_name},
  };
  cli_exit code = cli_parse(c, &cli_tyre, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  if (path && cli_ends_in(path, ".csv") != (inputs != NULL)) {
    return cli_misuse("tyre", inputs ? "-o with --inputs needs a name that ends in .csv"
                                     : "-o NAME.csv needs --inputs");
  }
  jo_tyre_options opt = {.vertical = vertical};
  for (int i = 0; combined && combined_name(i); i++) {
    if (strcmp(combined, combined_name(i)) == 0) opt.combined = (jo_tyre_combined)i;
  }
  cli_list list;
  jo_tyre* tyre = NULL;
  code = cli_words("tyre", "--wrt", wrt, &list);
  opt.wrt = list.word;
  opt.nwrt = list.n;
  if (code == CLI_OK && jo_tyre_load(c->ctx, c->argument[0], c->set, c->nset, &tyre) < 0) {
    code = CLI_FAIL;
  }
  cli_tell(c);
  if (code == CLI_OK) {
    code = inputs ? write_table(c, tyre, &opt, inputs, path) : show(c, tyre, &opt, path);
  }
  jo_tyre_destroy(tyre);
  cli_list_free(&list);
  return code;
}

const cli_command cli_tyre = {"tyre", "FILE.tir", 1, "forces and curves of a tyre property file",
                              run};
