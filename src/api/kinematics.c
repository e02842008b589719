// SPDX-License-Identifier: Apache-2.0
// The public face of suspension kinematics.
#include "axle/kinematics.h"

#include <string.h>

#include "api/tables.h"
#include "base/require.h"
#include "jounce/kinematics.h"

struct jo_kinematics {
  jo_context* ctx;
  jarena arena;
  const jo_model* model;
  jmodel_selection by;
  jaxle_motion motion;
  jaxle_kinematics* found;
  const jo_tables* tables;
};

jo_kinematics_options jo_kinematics_options_default(void) {
  return (jo_kinematics_options){.from_m = -0.08, .to_m = 0.08, .n = 17};
}

static jo_status build(jo_kinematics* k, const jo_kinematics_options* opt) {
  const jmodel* m = k->model->model;
  if (opt->nwrt > 0) JO_TRY(jmodel_select(k->ctx, &k->arena, m, opt->wrt, opt->nwrt, &k->by));
  jaxle_kinematics_options o = {.axle = opt->axle,
                                .motion = (jaxle_motion)opt->motion,
                                .side = opt->side == JO_RIGHT ? 1 : 0,
                                .from = opt->from_m,
                                .to = opt->to_m,
                                .n = opt->n,
                                .is_opposed = opt->opposed,
                                .holds_wheel = opt->hold_height,
                                .wrt = k->by.wrt,
                                .nwrt = k->by.n};
  if ((int)o.motion < 0 || o.motion >= JAXLE_MOTION_COUNT) {
    return jerr_set(k->ctx, JO_ERR_ARGUMENT, "there is no motion %d", (int)opt->motion);
  }
  if ((o.is_opposed || o.holds_wheel) && !jaxle_is_load(o.motion)) {
    return jerr_set(k->ctx, JO_ERR_ARGUMENT, "'%s' is a matter of loads, not of travel",
                    o.is_opposed ? "opposed" : "hold_height");
  }
  k->motion = o.motion;
  return jaxle_kinematics_create(k->ctx, m, &o, &k->found);
}

// ---- tables --------------------------------------------------------------------------------------

#define PANEL      6   // curves beside one another
#define LEAST_WIDE 14  // of a curve

static const jreport_field facts[] = {
    {"axle", .kind = JREPORT_WORDS},   {"motion", .kind = JREPORT_WORDS},
    {"side", .kind = JREPORT_WORDS},   {"opposed", .kind = JREPORT_TRUTH},
    {"height", .kind = JREPORT_WORDS}, {"elastic", .kind = JREPORT_TRUTH},
};
enum { NFACT = 3 };  // of travel; the others are those of loads
static const jo_table_style travel_facts_style = {"kinematics", .field = facts, .nfield = NFACT,
                                                  .form = JREPORT_ONE, .is_inline = true};
static const jo_table_style load_facts_style = {"kinematics", JREPORT_FIELDS(facts),
                                                .form = JREPORT_ONE, .is_inline = true};

static const jreport_field units[] = {
    {"curve", .kind = JREPORT_WORDS},
    {"unit", .kind = JREPORT_WORDS},
    {"description", .kind = JREPORT_WORDS, .no_json = true},
};
static const jo_table_style units_style = {"units", JREPORT_FIELDS(units), .form = JREPORT_MAP,
                                           .nkey = 1};

static const jo_table_style travel_style = {"travel", .form = JREPORT_COLUMNS, .is_inline = true};
static const jo_table_style load_style = {"load", .form = JREPORT_COLUMNS, .is_inline = true};
static const jo_table_style curves_style = {"curves", .form = JREPORT_COLUMNS, .panel = PANEL};
static const jo_table_style slopes_style = {"derivatives", .form = JREPORT_COLUMNS};
static const jo_table_style positions_style = {.name = "positions"};

static const jreport_field middle[] = {
    {"curve", .kind = JREPORT_WORDS, .width = -22},
    {"parameter", .kind = JREPORT_WORDS, .width = -32},
    {.name = "value", .width = 14, .digits = 7, .skip = JREPORT_SKIP_ZERO},
    {"unit", .kind = JREPORT_WORDS, .width = JREPORT_PLAIN},
};
static const jo_table_style middle_style = {"middle", JREPORT_FIELDS(middle)};

static const jreport_field compliances[] = {
    {"curve", .kind = JREPORT_WORDS, .width = -22},
    {.name = "value"},
    {.name = "shown", .no_json = true, .width = 14, .digits = 6, .as = 'f'},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style compliances_style = {
    "compliances", "compliances at the design position", JREPORT_FIELDS(compliances),
    .form = JREPORT_MAP, .nkey = 1};

static const jreport_field compliance_slopes[] = {
    {"curve", .kind = JREPORT_WORDS, .width = -22},
    {"parameter", .kind = JREPORT_WORDS, .width = -32},
    {.name = "value"},
    {.name = "shown", .no_json = true, .width = 14, .digits = 7, .skip = JREPORT_SKIP_ZERO},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style compliance_slopes_style = {
    "compliance_derivatives", "derivatives of compliances, but for zeros",
    JREPORT_FIELDS(compliance_slopes), .form = JREPORT_MAP, .nkey = 2};

// What goes from one end to the other: as it is kept, and as people read it.
typedef struct axis {
  jreport_field field;
  const char *unit, *per;  // of what is printed, of slopes
  double scale, step;      // of what is printed; by how much of it slopes are printed
} axis;

static axis axis_of(const jo_kinematics* k) {
  const jreport_field travel = {"travel",    "m",       .label = "travel mm", .width = 10,
                                .digits = 3, .as = 'f', .scale = 1e3};
  const jreport_field load = {"load", "N", .label = "load N", .width = 10, .digits = 3, .as = 'f'};
  const jreport_field torque = {"load",      "N m",       .label = "load N m",
                                .width = 10, .digits = 3, .as = 'f'};
  if (!jaxle_is_load(k->motion)) return (axis){travel, "mm", "", 1e3, 1.0};
  if (k->motion == JAXLE_MOTION_ALIGNING) return (axis){torque, "N m", "(100 N m)", 1.0, 100.0};
  return (axis){load, "N", "kN", 1.0, 1000.0};
}

static bool is_length(const jaxle_curve* c) {
  return strcmp(c->unit, "m") == 0;
}

static jreport_field field_of(jreport_builder* b, const jaxle_curve* c) {
  bool is_mm = is_length(c);
  const char* label = jreport_text(b, "%s %s", c->name, is_mm ? "mm" : c->unit);
  int width = (int)strlen(label);
  return (jreport_field){c->name,
                         c->unit,
                         c->description,
                         .label = label,
                         .digits = 5,
                         .as = 'f',
                         .width = width > LEAST_WIDE ? width : LEAST_WIDE,
                         .scale = is_mm ? 1e3 : 1.0};
}

static void put_facts(jreport_builder* b, const jo_kinematics* k,
                      const jo_kinematics_options* opt) {
  static const char* const motion[] = {"bump",    "roll",     "steer",   "lateral",
                                       "braking", "traction", "aligning"};
  bool is_load = jaxle_is_load(k->motion);
  jreport_begin(b, is_load ? &load_facts_style : &travel_facts_style, NULL, 1);
  jreport_say(b, k->found->axle);
  jreport_say(b, motion[k->motion]);
  jreport_say(b, opt->side == JO_RIGHT ? "right" : "left");
  if (!is_load) return;
  jreport_put(b, opt->opposed);
  jreport_say(b, opt->hold_height ? "held" : "free");
  jreport_put(b, k->found->is_elastic);
}

static void put_units(jreport_builder* b, const jaxle_kinematics* f) {
  jreport_begin(b, &units_style, NULL, f->ncurve);
  for (int i = 0; i < f->ncurve; i++) {
    jreport_say(b, f->curve[i].name);
    jreport_say(b, f->curve[i].unit);
    jreport_say(b, f->curve[i].description);
  }
}

static const char* number_name(const jo_kinematics* k, int w) {
  return k->model->model->number[k->by.wrt[w]].path;
}

static void view_slopes(jreport_builder* b, const jo_kinematics* k, const jaxle_curve* c) {
  for (int w = 0; w < k->by.n; w++) {
    const char* name = jreport_text(b, "d %s / d %s", c->name, number_name(k, w));
    jreport_field field = {.name = name, .group = c->name, .key = number_name(k, w)};
    jreport_view(b, &field, c->derivative + w, k->by.n);
  }
}

static void put_curves(jreport_builder* b, const jo_kinematics* k, axis x) {
  const jaxle_kinematics* f = k->found;
  jreport_begin_columns(b, jaxle_is_load(k->motion) ? &load_style : &travel_style, NULL, 1, f->n);
  jreport_view(b, &x.field, f->travel, 1);
  x.field.no_json = true;
  jreport_begin_columns(b, &curves_style, NULL, 1 + f->ncurve, f->n);
  jreport_view(b, &x.field, f->travel, 1);
  for (int i = 0; i < f->ncurve; i++) {
    jreport_field field = field_of(b, &f->curve[i]);
    jreport_view(b, &field, f->curve[i].value, 1);
  }
  if (k->by.n > 0) jreport_begin_columns(b, &slopes_style, NULL, f->ncurve * k->by.n, f->n);
  for (int i = 0; i < f->ncurve; i++) {
    view_slopes(b, k, &f->curve[i]);
  }
  jreport_begin_columns(b, &positions_style, NULL, 1 + f->ncurve * (1 + k->by.n), f->n);
  jreport_view(b, &x.field, f->travel, 1);
  for (int i = 0; i < f->ncurve; i++) {
    jreport_field field = field_of(b, &f->curve[i]);
    jreport_view(b, &field, f->curve[i].value, 1);
    view_slopes(b, k, &f->curve[i]);
  }
}

static void put_middle(jreport_builder* b, const jo_kinematics* k, const axis* x) {
  const jaxle_kinematics* f = k->found;
  int row = f->n / 2;
  if (k->by.n == 0) return;
  jreport_begin(b, &middle_style,
                jreport_text(b, "derivatives at %.1f %s, but for zeros",
                             x->scale * f->travel[row] + 0.0, x->unit),
                f->ncurve * k->by.n);
  for (int i = 0; i < f->ncurve; i++) {
    for (int w = 0; w < k->by.n; w++) {
      jreport_say(b, f->curve[i].name);
      jreport_say(b, number_name(k, w));
      jreport_put(b, f->curve[i].derivative[(size_t)row * (size_t)k->by.n + (size_t)w]);
      jreport_say(b, f->curve[i].unit);
    }
  }
}

static void put_compliances(jreport_builder* b, const jo_kinematics* k, const axis* x) {
  const jaxle_kinematics* f = k->found;
  if (!jaxle_is_load(k->motion)) return;
  jreport_begin(b, &compliances_style, NULL, f->ncurve);
  for (int i = 0; i < f->ncurve; i++) {
    bool is_mm = is_length(&f->curve[i]);
    jreport_say(b, f->curve[i].name);
    jreport_put(b, f->curve[i].slope);
    jreport_put(b, x->step * (is_mm ? 1e3 : 1.0) * f->curve[i].slope);
    jreport_say(b, jreport_text(b, "%s/%s", is_mm ? "mm" : f->curve[i].unit, x->per));
  }
  if (k->by.n == 0) return;
  jreport_begin(b, &compliance_slopes_style, NULL, f->ncurve * k->by.n);
  for (int i = 0; i < f->ncurve; i++) {
    bool is_mm = is_length(&f->curve[i]);
    const char* unit = jreport_text(b, "%s/%s", is_mm ? "mm" : f->curve[i].unit, x->per);
    for (int w = 0; w < k->by.n; w++) {
      jreport_say(b, f->curve[i].name);
      jreport_say(b, number_name(k, w));
      jreport_put(b, f->curve[i].dslope[w]);
      jreport_put(b, x->step * (is_mm ? 1e3 : 1.0) * f->curve[i].dslope[w]);
      jreport_say(b, unit);
    }
  }
}

enum { NTABLE = 10 };

static jo_status make_tables(jo_kinematics* k, const jo_kinematics_options* opt) {
  jreport_builder b = japi_build(&k->arena, NTABLE, k->model);
  axis x = axis_of(k);
  jreport_add_note(&b, "axle", k->found->axle);
  put_facts(&b, k, opt);
  put_units(&b, k->found);
  put_curves(&b, k, x);
  put_compliances(&b, k, &x);
  put_middle(&b, k, &x);
  japi_put_parameters(&b, k->model->model, &k->by);
  k->tables = jreport_built(&b);
  return k->tables ? JO_OK : jerr_memory(k->ctx);
}

jo_status jo_kinematics_create(jo_context* ctx, const jo_model* model,
                               const jo_kinematics_options* opt, jo_kinematics** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jo_kinematics_options defaults = jo_kinematics_options_default();
  if (!opt) opt = &defaults;
  JO_REQUIRE_TEXTS(ctx, opt->wrt, opt->nwrt);
  jo_kinematics* k = jmem_resize(ctx, NULL, sizeof *k);
  if (!k) return jerr_memory(ctx);
  *k = (jo_kinematics){.ctx = ctx, .model = model};
  jarena_init(&k->arena, ctx);
  jo_status status = build(k, opt);
  if (status >= 0) status = make_tables(k, opt);
  if (status < 0) {
    jo_kinematics_destroy(k);
    return status;
  }
  *out = k;
  return JO_OK;
}

void jo_kinematics_destroy(jo_kinematics* k) {
  if (!k) return;
  jaxle_kinematics_destroy(k->found);
  jarena_free(&k->arena);
  jmem_free(k->ctx, k);
}

const jo_tables* jo_kinematics_tables(const jo_kinematics* k) {
  JO_REQUIRE_OR(NULL, k);
  return k->tables;
}
