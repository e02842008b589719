// SPDX-License-Identifier: Apache-2.0
// The sheet of an axle: all motions and loads on one page.
#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "jounce/kinematics.h"
#include "model/element.h"
#include "report/study.h"

enum {
  BUMP,
  ROLL,
  STEER,
  STEER_OTHER,
  LATERAL,
  LATERAL_OPPOSED,
  BRAKING,
  BRAKING_OPPOSED,
  TRACTION,
  ALIGNING,
  ALIGNING_OPPOSED,
  NRUN
};
enum { MOST_FIGURES = 10, MOST_SERIES = 3, NPART = 3 };

typedef struct sheet {
  jo_context* ctx;
  jarena arena;
  const jo_model* model;
  const jo_kinematics_options* opt;
  const jmodel_axle* axle;
  jo_kinematics* run[NRUN];
  jreport_part part[NPART];
  int npart;
} sheet;

// ---- runs ----------------------------------------------------------------------------------------

static jo_status run(sheet* s, int which, jo_kinematics_motion motion, bool opposed) {
  jo_kinematics_options o = jo_kinematics_options_default();
  bool is_load = motion >= JO_LATERAL, was_load = s->opt->motion >= JO_LATERAL;
  o.axle = s->opt->axle;
  o.side = s->opt->side;
  if (which == STEER_OTHER) o.side = o.side == JO_LEFT ? JO_RIGHT : JO_LEFT;
  o.motion = motion;
  o.opposed = opposed;
  o.hold_height = is_load && was_load && s->opt->hold_height;
  o.n = s->opt->n;
  if (is_load) o.to_m = motion == JO_ALIGNING ? 100.0 : 2000.0;
  if (!is_load && !was_load) o.to_m = s->opt->to_m;
  o.from_m = !is_load && !was_load ? s->opt->from_m : -o.to_m;
  return jo_kinematics_create(s->ctx, s->model, &o, &s->run[which]);
}

// Of a run; NULL: there was none.
static const jo_table* table_of(const sheet* s, int which, const char* name) {
  return s->run[which] ? jo_tables_find(jo_kinematics_tables(s->run[which]), name) : NULL;
}

// Without springs and bushes nothing holds a wheel that is loaded.
static bool is_sprung(const sheet* s) {
  const jmodel* m = s->model->model;
  bool is = s->axle->side[0].nspring + s->axle->side[1].nspring > 0;
  for (int i = 0; i < m->nelement; i++) {
    is = is || strcmp(m->element[i].class->section, "bushes") == 0;
  }
  return is;
}

static jo_status run_all(sheet* s) {
  JO_TRY(run(s, BUMP, JO_BUMP, false));
  for (int i = 0; i < s->model->model->naxle; i++) {
    const jmodel_axle* a = &s->model->model->axle[i];
    if (strcmp(a->name, table_of(s, BUMP, "kinematics")->column[0].text[0]) == 0) s->axle = a;
  }
  bool both = s->axle->side[0].is_given && s->axle->side[1].is_given;
  if (both) JO_TRY(run(s, ROLL, JO_ROLL, false));
  if (s->axle->rack >= 0) JO_TRY(run(s, STEER, JO_STEER, false));
  if (s->axle->rack >= 0 && both) JO_TRY(run(s, STEER_OTHER, JO_STEER, false));
  if (!is_sprung(s)) return JO_OK;
  JO_TRY(run(s, LATERAL, JO_LATERAL, false));
  JO_TRY(run(s, BRAKING, JO_BRAKING, false));
  JO_TRY(run(s, TRACTION, JO_TRACTION, false));
  JO_TRY(run(s, ALIGNING, JO_ALIGNING, false));
  if (!both) return JO_OK;
  JO_TRY(run(s, LATERAL_OPPOSED, JO_LATERAL, true));
  JO_TRY(run(s, BRAKING_OPPOSED, JO_BRAKING, true));
  return run(s, ALIGNING_OPPOSED, JO_ALIGNING, true);
}

// ---- figures -------------------------------------------------------------------------------------

typedef struct line {
  int run;
  const char* legend;
} line;

static const double* scaled(sheet* s, const double* x, int n, double scale) {
  double* out = JARENA_ARRAY(&s->arena, n, double);
  for (int i = 0; out && i < n; i++) {
    out[i] = scale * x[i];
  }
  return out;
}

// A curve of these runs over travel or load; what they do not have is left out, and a figure without any.
static jo_status add_figure(sheet* s, const char* title, const char* curve, const char* x_label,
                            const char* y_label, double x_scale, double y_scale, const line* lines,
                            int nline) {
  jreport_part* p = &s->part[s->npart];
  jreport_series* series = JARENA_ARRAY(&s->arena, MOST_SERIES, jreport_series);
  if (!series) return jerr_memory(s->ctx);
  int n = 0;
  for (int i = 0; i < nline && n < MOST_SERIES; i++) {
    const jo_table* t = table_of(s, lines[i].run, "curves");
    int k = jo_table_column(t, curve), count = t ? t->nrow : 0;
    if (k < 0) continue;
    const double* x = scaled(s, t->column[0].value, count, x_scale);
    const double* y = scaled(s, t->column[k].value, count, y_scale);
    if (!x || !y) return jerr_memory(s->ctx);
    series[n++] = (jreport_series){lines[i].legend, x, y, count, count == 1};
  }
  if (n == 0 || p->nfigure >= MOST_FIGURES) return JO_OK;
  if (n == 1) series[0].name = "";
  p->figure[p->nfigure++] = (jreport_plot){.title = title,
                                           .subtitle = "",
                                           .x_label = x_label,
                                           .y_label = y_label,
                                           .series = series,
                                           .nseries = n};
  return JO_OK;
}

static jo_status begin_part(sheet* s, const char* title, const char* text) {
  jreport_part* p = &s->part[s->npart];
  *p = (jreport_part){.kind = "kinematics", .title = title, .text = text};
  p->figure = JARENA_ARRAY(&s->arena, MOST_FIGURES, jreport_plot);
  return p->figure ? JO_OK : jerr_memory(s->ctx);
}

static jo_status add_travel(sheet* s) {
  static const line both[] = {{BUMP, "bump"}, {ROLL, "roll"}};
  static const struct {
    const char *title, *curve, *label;
    double scale;
    int nline;
  } figure[] = {
      {"Bump steer", "toe", "toe, in + [deg]", 1.0, 2},
      {"Camber", "camber", "camber, top out + [deg]", 1.0, 2},
      {"Track", "track_change", "change of track [mm]", 1e3, 2},
      {"Recession", "wheel_x", "wheel centre, forward + [mm]", 1e3, 2},
      {"Roll centre", "roll_centre_height", "height above the ground [mm]", 1e3, 2},
      {"Caster", "caster", "caster [deg]", 1.0, 1},
      {"Wheel force", "wheel_force", "force at the wheel [kN]", 1e-3, 2},
      {"Wheel rate", "wheel_rate", "wheel rate [N/mm]", 1e-3, 2},
  };
  const char* x = "travel of the wheel, up + [mm]";
  JO_TRY(
      begin_part(s, "Bump and roll", "Wheels moved up and down together, and against each other."));
  for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
    JO_TRY(add_figure(s, figure[i].title, figure[i].curve, x, figure[i].label, 1e3, figure[i].scale,
                      both, figure[i].nline));
  }
  const jmodel_axle_side* own = &s->axle->side[s->opt->side == JO_RIGHT];
  if (own->nspring > 0) {
    const char* name = s->model->model->element[own->spring[0]].name;
    const char* ratio = jarena_printf(&s->arena, "%s_ratio", name);
    if (!ratio) return jerr_memory(s->ctx);
    JO_TRY(add_figure(s, "Spring ratio", ratio, x, "change of length by travel [-]", 1e3, 1.0, both,
                      1));
  }
  s->npart++;
  return JO_OK;
}

static jo_status add_steering(sheet* s) {
  bool is_right = s->opt->side == JO_RIGHT;
  const line both[] = {{STEER, is_right ? "right" : "left"},
                       {STEER_OTHER, is_right ? "left" : "right"}};
  const char* x = "travel of the rack, to the left + [mm]";
  if (!s->run[STEER]) return JO_OK;
  JO_TRY(begin_part(s, "Steering", "The rack moved, the wheels at their design height."));
  JO_TRY(
      add_figure(s, "Steer angles", "steer", x, "steer, to the left + [deg]", 1e3, 1.0, both, 2));
  JO_TRY(add_figure(s, "Ackermann", "ackermann_error", x, "error of the left wheel [deg]", 1e3, 1.0,
                    both, 1));
  JO_TRY(add_figure(s, "Difference of steer angles", "steer_difference", x, "left less right [deg]",
                    1e3, 1.0, both, 1));
  JO_TRY(add_figure(s, "Camber by steering", "camber", x, "camber, top out + [deg]", 1e3, 1.0, both,
                    2));
  s->npart++;
  return JO_OK;
}

// ---- compliance ----------------------------------------------------------------------------------

// NaN: it has no such curve.
static double compliance_of(const jo_table* t, const char* curve) {
  for (int i = 0; i < t->nrow; i++) {
    if (strcmp(t->column[0].text[i], curve) == 0) return jo_table_number(t, "value", i);
  }
  return NAN;
}

// A row for each curve, a column for each load.
static jo_status add_table(sheet* s) {
  static const struct {
    const char *curve, *label;
    double scale;
  } row[] = {{"toe", "toe [deg]", 1.0},
             {"camber", "camber [deg]", 1.0},
             {"steer", "steer [deg]", 1.0},
             {"wheel_x", "wheel x [mm]", 1e3},
             {"wheel_y", "wheel y [mm]", 1e3},
             {"wheel_z", "wheel z [mm]", 1e3},
             {"contact_x", "contact x [mm]", 1e3},
             {"contact_y", "contact y [mm]", 1e3}};
  static const struct {
    int run;
    const char *name, *unit;
    double scale;
  } load[] = {{LATERAL, "lateral", "kN", 1e3},
              {LATERAL_OPPOSED, "opp.", "kN", 1e3},
              {BRAKING, "braking", "kN", 1e3},
              {BRAKING_OPPOSED, "opp.", "kN", 1e3},
              {TRACTION, "traction", "kN", 1e3},
              {ALIGNING, "align.", "100 N m", 100.0},
              {ALIGNING_OPPOSED, "opp.", "100 N m", 100.0}};
  enum { NROW = sizeof row / sizeof *row, NLOAD = sizeof load / sizeof *load };
  jreport_sheet* t = JARENA_ARRAY(&s->arena, 1, jreport_sheet);
  jreport_column* c = JARENA_ARRAY(&s->arena, NLOAD + 1, jreport_column);
  const char** label = JARENA_ARRAY(&s->arena, NROW, const char*);
  if (!t || !c || !label) return jerr_memory(s->ctx);
  for (int i = 0; i < NROW; i++) {
    label[i] = row[i].label;
  }
  *t = (jreport_sheet){"At the design position, by load", c, 1, NROW, true};
  c[0] = (jreport_column){.name = "change of", .unit = "", .text = label};
  for (int k = 0; k < NLOAD; k++) {
    if (!s->run[load[k].run]) continue;
    double* value = JARENA_ARRAY(&s->arena, NROW, double);
    if (!value) return jerr_memory(s->ctx);
    for (int i = 0; i < NROW; i++) {
      double compliance = compliance_of(table_of(s, load[k].run, "compliances"), row[i].curve);
      value[i] = row[i].scale * load[k].scale * compliance;
    }
    c[t->ncolumn++] = (jreport_column){.name = load[k].name,
                                       .unit = jarena_printf(&s->arena, "/%s", load[k].unit),
                                       .value = value,
                                       .digits = 4};
    if (!c[t->ncolumn - 1].unit) return jerr_memory(s->ctx);
  }
  s->part[s->npart].sheet = t;
  s->part[s->npart].nsheet = 1;
  return JO_OK;
}

static jo_status add_compliance(sheet* s) {
  static const line side[] = {{LATERAL, "parallel"}, {LATERAL_OPPOSED, "opposed"}},
                    brake[] = {{BRAKING, "parallel"}, {BRAKING_OPPOSED, "opposed"}},
                    turn[] = {{ALIGNING, "parallel"}, {ALIGNING_OPPOSED, "opposed"}},
                    along[] = {{BRAKING, "at the contact"}, {TRACTION, "at the centre"}};
  const char *y = "force, to the left + [kN]", *x = "force, forward + [kN]",
             *n = "torque, to the left + [N m]";
  if (!s->run[LATERAL]) return JO_OK;
  bool is_elastic = jo_table_number(table_of(s, LATERAL, "kinematics"), "elastic", 0) != 0.0;
  bool is_held = s->opt->motion >= JO_LATERAL && s->opt->hold_height;
  const char* text =
      jarena_printf(&s->arena, "Forces and torques at the wheels of a vehicle that is held; %s.%s",
                    is_held ? "wheels stay at their height"
                            : "wheels are free, under the vertical force of the design position",
                    is_elastic ? "" : " Links are rigid: what gives way are the springs alone.");
  if (!text) return jerr_memory(s->ctx);
  JO_TRY(begin_part(s, "Compliance", text));
  JO_TRY(add_table(s));
  JO_TRY(add_figure(s, "Toe by lateral force", "toe", y, "toe, in + [deg]", 1e-3, 1.0, side, 2));
  JO_TRY(add_figure(s, "Camber by lateral force", "camber", y, "camber, top out + [deg]", 1e-3, 1.0,
                    side, 2));
  JO_TRY(add_figure(s, "Contact by lateral force", "contact_y", y, "contact, to the left + [mm]",
                    1e-3, 1e3, side, 2));
  JO_TRY(add_figure(s, "Toe by braking force", "toe", x, "toe, in + [deg]", 1e-3, 1.0, brake, 2));
  JO_TRY(add_figure(s, "Wheel centre by force along", "wheel_x", x, "wheel centre, forward + [mm]",
                    1e-3, 1e3, along, 2));
  JO_TRY(add_figure(s, "Toe by aligning torque", "toe", n, "toe, in + [deg]", 1.0, 1.0, turn, 2));
  s->npart++;
  return JO_OK;
}

// ---- the page ------------------------------------------------------------------------------------

static jo_status write_page(sheet* s, const char* path) {
  const char* title =
      jarena_printf(&s->arena, "%s: %s axle", jo_model_name(s->model), s->axle->name);
  if (!title) return jerr_memory(s->ctx);
  jreport_study_model model = {jo_model_name(s->model), s->model->model->path,
                               jo_model_sha256(s->model)};
  jreport_study page = {.name = title,
                        .description = s->opt->side == JO_RIGHT
                                           ? "Kinematics and compliance, right wheel"
                                           : "Kinematics and compliance, left wheel",
                        .path = "",
                        .model = &model,
                        .nmodel = 1,
                        .settings = jo_model_settings(s->model),
                        .tolerance = NAN,
                        .part = s->part,
                        .npart = s->npart};
  jtext t;
  jtext_init(&t, s->ctx);
  jreport_study_html(&t, &page);
  jo_status status = t.failed ? jerr_memory(s->ctx) : jfile_write(s->ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}

static jo_status make(sheet* s, const char* path) {
  JO_TRY(run_all(s));
  JO_TRY(add_travel(s));
  JO_TRY(add_steering(s));
  JO_TRY(add_compliance(s));
  return write_page(s, path);
}

jo_status jo_kinematics_sheet(jo_context* ctx, const jo_model* model,
                              const jo_kinematics_options* opt, const char* path) {
  JO_REQUIRE(ctx, model, path);
  jo_kinematics_options defaults = jo_kinematics_options_default();
  if (opt) JO_TRY(jrequire_texts(ctx, __func__, "wrt", opt->wrt, opt->nwrt));
  if (!jtext_ends_in(path, ".html")) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: the name must end in .html", path);
  }
  sheet s = {.ctx = ctx, .model = model, .opt = opt ? opt : &defaults};
  jarena_init(&s.arena, ctx);
  jo_status status = make(&s, path);
  for (int i = 0; i < NRUN; i++) {
    jo_kinematics_destroy(s.run[i]);
  }
  jarena_free(&s.arena);
  return status;
}
