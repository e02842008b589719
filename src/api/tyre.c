// SPDX-License-Identifier: Apache-2.0
// The public face of tyres by themselves: property files, and functions of them in the interpreter.
#include "jounce/tyre.h"

#include <math.h>
#include <string.h>

#include "api/tyre_handle.h"
#include "base/require.h"
#include "base/text/format.h"
#include "element/tyre/magic_formula.h"
#include "element/tyre/magic_power.h"
#include "expr/diff.h"
#include "expr/tape/tape.h"
#include "model/read/reader.h"

// ---- files ---------------------------------------------------------------------------------------

static jo_status change(jo_context* ctx, jmodel_tir* t, const jo_setting* set) {
  int i = jmodel_tir_find(set->name);
  if (i < 0) {
    const char* best = jmodel_tir_guess(set->name);
    return jerr_set(ctx, JO_ERR_MODEL, "%s: no coefficient '%.60s'%s%s%s", t->path, set->name,
                    best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
  }
  double value;
  if (!jmodel_number_text(set->value, &value)) {
    return jerr_set(ctx, JO_ERR_MODEL, "%s: %s: '%.60s' is no number", t->path, set->name,
                    set->value);
  }
  jmodel_tir_set(t, i, value);
  return JO_OK;
}

// Forces that point the way the tyre slides are accepted, as the formulas define them, and reported.
static jo_status judge(jo_tyre* t) {
  const jmodel_tir* f = &t->tir;
  double p = f->version == JTIR_52 ? 0.0 : f->value[JTIR_INFLPRES];
  jelement_magic_values v = {f->version, f->ellipse, f->value, 1.0, p};
  const char* text;
  int blamed;
  JO_TRY(jelement_magic_judge(t->ctx, &t->arena, &v, &text, &blamed));
  if (!text) return JO_OK;
  if (f->is_set[blamed]) {
    jerr_warn(t->ctx, "%s: %s", f->path, text);
  } else {
    jerr_warn(t->ctx, "%s:%d: %s", f->path, f->line[blamed] > 0 ? f->line[blamed] : 1, text);
  }
  return JO_OK;
}

static jo_status load(jo_tyre* t, const char* path, const jo_setting* set, int nset) {
  JO_TRY(jmodel_tir_read(t->ctx, &t->arena, path, &t->tir));
  for (int i = 0; i < nset; i++) {
    JO_TRY(change(t->ctx, &t->tir, &set[i]));
  }
  JO_TRY(jmodel_tir_finish(t->ctx, &t->tir, JTIR_FORCES, NULL));
  return judge(t);
}

jo_status jo_tyre_load(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                       jo_tyre** out) {
  JO_REQUIRE_OUT(out, ctx, path);
  JO_REQUIRE_LIST(ctx, set, nset);
  for (int i = 0; i < nset; i++) {
    if (!set[i].name || !set[i].value) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "setting %d has no name or no value", i + 1);
    }
  }
  jo_tyre* t = jmem_resize(ctx, NULL, sizeof *t);
  if (!t) return jerr_memory(ctx);
  *t = (jo_tyre){.ctx = ctx};
  jarena_init(&t->arena, ctx);
  jo_status status = load(t, path, set, nset);
  if (status < 0) {
    jo_tyre_destroy(t);
    return status;
  }
  *out = t;
  return JO_OK;
}

void jo_tyre_destroy(jo_tyre* tyre) {
  if (!tyre) return;
  jarena_free(&tyre->arena);
  jmem_free(tyre->ctx, tyre);
}

jo_tyre_info jo_tyre_inspect(const jo_tyre* tyre) {
  static const char* const side[] = {"", "left", "right", "symmetric"};
  JO_REQUIRE_OR((jo_tyre_info){0}, tyre);
  const jmodel_tir* t = &tyre->tir;
  jo_tyre_info info = {jmodel_tir_version_name(t->version), side[t->side], t->ellipse, 0};
  for (int i = 0; i < JTIR_COUNT; i++) {
    info.given += t->line[i] > 0;
  }
  return info;
}

int jo_tyre_coefficient_count(const jo_tyre* tyre) {
  JO_REQUIRE_OR(0, tyre);
  return JTIR_COUNT;
}

jo_status jo_tyre_coefficient_at(const jo_tyre* tyre, int i, jo_tyre_coefficient* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, tyre, out);
  if (i < 0 || i >= JTIR_COUNT) return JO_ERR_ARGUMENT;
  const jmodel_tir_info* info = &jmodel_tir_table[i];
  *out = (jo_tyre_coefficient){info->name, info->unit, tyre->tir.value[i], tyre->tir.line[i]};
  return JO_OK;
}

// ---- functions -----------------------------------------------------------------------------------

enum { FZ, KAPPA, ALPHA, GAMMA, VX, P };
static const char* const force_inputs[] = {"Fz", "kappa", "alpha", "gamma", "Vx", "p"};
static const char* const radius_inputs[] = {"Fz", "Fx", "Fy", "gamma", "omega", "p"};

#define X(name, unit) #name,
static const char* const force_names[] = {JELEMENT_MAGIC_OUTPUTS(X)};
static const char* const radius_names[] = {JELEMENT_MAGIC_RADII(X)};
#undef X
#define X(name, unit) unit,
static const char* const force_units[] = {JELEMENT_MAGIC_OUTPUTS(X)};
static const char* const radius_units[] = {JELEMENT_MAGIC_RADII(X)};
#undef X

enum { R_OMEGA, R_E, RHO, R_L };

enum {
  NFORCE = sizeof force_names / sizeof *force_names,
  NRADIUS = sizeof radius_names / sizeof *radius_names,
  NDERIVED = 7,   // outputs with derivatives: forces, moments and relaxation lengths; all radii
  NRADIUS_52 = 5  // a and b are none of 5.2
};

struct jo_tyre_function {
  jo_context* ctx;
  jarena arena;
  jexpr_graph* g;
  const char* path;  // of the property file
  const char* const* input;
  const char* const* input_unit;
  double otherwise[JO_TYRE_INPUTS];
  int noutput, nvalue;
  const char **name, **unit;
  jexpr_tape tape;
  double *work, *coefficient, *result;
  bool needs_pressure;
  bool is_radius;
};

jo_tyre_options jo_tyre_options_default(void) {
  return (jo_tyre_options){0};
}

// What is differentiated for: inputs first, by number; coefficients follow those.
typedef struct selection {
  int n;
  int* which;  // < JO_TYRE_INPUTS: an input, else JO_TYRE_INPUTS + a coefficient
} selection;

static void select_one(selection* s, int which) {
  for (int i = 0; i < s->n; i++) {
    if (s->which[i] == which) return;
  }
  s->which[s->n++] = which;
}

static jo_status select_name(jo_tyre_function* f, const jmodel_tir* t, const char* name,
                             selection* s) {
  bool all = strcmp(name, "all") == 0;
  bool found = all;
  for (int k = 0; k < JO_TYRE_INPUTS; k++) {
    if (!all && strcmp(f->input[k], name) != 0) continue;
    found = true;
    select_one(s, k);
  }
  for (int k = 0; k < JTIR_COUNT; k++) {
    if (all && t->line[k] > 0) select_one(s, JO_TYRE_INPUTS + k);
  }
  int k = found ? -1 : jmodel_tir_find(name);
  if (k >= 0) select_one(s, JO_TYRE_INPUTS + k);
  if (found || k >= 0) return JO_OK;
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    jmodel_guess_add(&guess, f->input[i]);
  }
  const char* best = guess.best ? guess.best : jmodel_tir_guess(name);
  return jerr_set(f->ctx, JO_ERR_MODEL, "%s: neither an input nor a coefficient is '%.60s'%s%s%s",
                  t->path, name, best ? "; did you mean '" : "", best ? best : "",
                  best ? "'?" : "");
}

static int write_forces(const jelement_magic* m, int group, jexpr_ref* y) {
  jexpr_graph* g = m->g;
  jexpr_ref in[JO_TYRE_INPUTS];
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    in[i] = jexpr_input(g, group, i);
  }
  // at a standstill as if it began to roll forward
  jexpr_ref back = jexpr_lt(g, in[VX], jexpr_const(g, 0.0));
  jexpr_ref sense = jexpr_select(g, back, jexpr_const(g, -1.0), jexpr_const(g, 1.0));
  jelement_magic_force force = jelement_magic_forces(
      m, (jelement_magic_input){in[FZ], in[KAPPA], in[ALPHA], in[GAMMA], in[VX], in[P],
                                jexpr_const(g, 1.0), sense, sense});
  int n = 0;
#define X(name, unit) y[n++] = force.name;
  JELEMENT_MAGIC_OUTPUTS(X)
#undef X
  return n;
}

static int write_radii(const jelement_magic* m, int group, jexpr_ref* y) {
  jexpr_ref in[JO_TYRE_INPUTS];
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    in[i] = jexpr_input(m->g, group, i);
  }
  jelement_magic_radii radii =
      jelement_magic_vertical(m, (jelement_magic_load){in[0], in[1], in[2], in[3], in[4], in[5]});
  int n = 0;
#define X(name, unit) y[n++] = radii.name;
  JELEMENT_MAGIC_RADII(X)
#undef X
  return m->version == JTIR_52 ? NRADIUS_52 : n;
}

// y, then for each of what is selected the derivatives of the first `nd` of y
static jo_status write_derivatives(jo_tyre_function* f, const selection* s, const jexpr_ref* x,
                                   int nd, jexpr_ref* y) {
  jexpr_ref* row = JARENA_ARRAY(&f->arena, s->n + 1, jexpr_ref);
  if (!row) return jerr_memory(f->ctx);
  jexpr_ref one = jexpr_const(f->g, 1.0);
  for (int i = 0; s->n > 0 && i < nd; i++) {
    JO_TRY(jexpr_adjoint(f->g, &y[i], &one, 1, x, s->n, row));
    for (int k = 0; k < s->n; k++) {
      y[f->nvalue + k * nd + i] = row[k];
    }
  }
  return JO_OK;
}

static jo_status name_outputs(jo_tyre_function* f, const selection* s, bool is_radius, int nd) {
  static const char* const units[2][JO_TYRE_INPUTS] = {{"N", "-", "rad", "rad", "m/s", "Pa"},
                                                       {"N", "N", "N", "rad", "rad/s", "Pa"}};
  const char* const* name = is_radius ? radius_names : force_names;
  const char* const* unit = is_radius ? radius_units : force_units;
  f->input_unit = units[is_radius];
  f->name = JARENA_ARRAY(&f->arena, f->noutput, const char*);
  f->unit = JARENA_ARRAY(&f->arena, f->noutput, const char*);
  if (!f->name || !f->unit) return jerr_memory(f->ctx);
  for (int i = 0; i < f->noutput; i++) {
    if (i < f->nvalue) {
      f->name[i] = name[i];
      f->unit[i] = unit[i];
      continue;
    }
    int of = (i - f->nvalue) % nd, by = s->which[(i - f->nvalue) / nd];
    int c = by - JO_TYRE_INPUTS;
    const char* by_name = c < 0 ? f->input[by] : jmodel_tir_table[c].name;
    const char* by_unit = c < 0 ? f->input_unit[by] : jmodel_tir_table[c].unit;
    f->name[i] = jarena_printf(&f->arena, "d%s/d%s", name[of], by_name);
    f->unit[i] = strcmp(by_unit, "-") == 0 ? unit[of]
                                           : jarena_printf(&f->arena, "%s/(%s)", unit[of], by_unit);
    if (!f->name[i] || !f->unit[i]) return jerr_memory(f->ctx);
  }
  return JO_OK;
}

static jo_status build(jo_tyre_function* f, const jmodel_tir* t, const jo_tyre_options* opt) {
  selection s = {0, JARENA_ARRAY(&f->arena, JO_TYRE_INPUTS + JTIR_COUNT, int)};
  jexpr_ref x[JO_TYRE_INPUTS + JTIR_COUNT];
  if (!s.which) return jerr_memory(f->ctx);
  for (int i = 0; i < opt->nwrt; i++) {
    JO_TRY(select_name(f, t, opt->wrt[i], &s));
  }
  f->g = jexpr_graph_create(f->ctx);
  f->coefficient = JARENA_ARRAY(&f->arena, s.n + 1, double);
  int nmost = NFORCE + NDERIVED * s.n;
  jexpr_ref* y = JARENA_ARRAY(&f->arena, nmost, jexpr_ref);
  if (!f->g || !f->coefficient || !y) return jerr_memory(f->ctx);
  int in = jexpr_group(f->g, "in", JO_TYRE_INPUTS, JEXPR_PER_LANE);
  int by = jexpr_group(f->g, "c", s.n + 1, JEXPR_PER_LANE);
  jelement_magic m = jelement_magic_of(f->g, t);
  if (opt->combined != JO_TYRE_AS_FILE) m.ellipse = opt->combined == JO_TYRE_ELLIPSE;
  for (int k = 0; k < s.n; k++) {
    int c = s.which[k] - JO_TYRE_INPUTS;
    x[k] = c < 0 ? jexpr_input(f->g, in, s.which[k]) : jexpr_input(f->g, by, k);
    if (c < 0) continue;
    m.c[c] = x[k];
    f->coefficient[k] = t->value[c];
  }
  f->nvalue = opt->vertical ? write_radii(&m, in, y) : write_forces(&m, in, y);
  int nd = f->nvalue < NDERIVED ? f->nvalue : NDERIVED;
  f->noutput = f->nvalue + nd * s.n;
  JO_TRY(write_derivatives(f, &s, x, nd, y));
  JO_TRY(jexpr_graph_status(f->g));
  JO_TRY(name_outputs(f, &s, opt->vertical != 0, nd));
  f->result = JARENA_ARRAY(&f->arena, f->noutput, double);
  if (!f->result) return jerr_memory(f->ctx);
  jexpr_outputs outputs = {"out", f->noutput, y};
  jexpr_fn fn = {"tyre", f->g, 1, &outputs};
  return jexpr_tape_prepare(f->ctx, &f->arena, &fn, &f->tape, &f->work);
}

jo_status jo_tyre_function_create(jo_context* ctx, const jo_tyre* tyre, const jo_tyre_options* opt,
                                  jo_tyre_function** out) {
  JO_REQUIRE_OUT(out, ctx, tyre);
  jo_tyre_options defaults = jo_tyre_options_default();
  if (!opt) opt = &defaults;
  JO_REQUIRE_TEXTS(ctx, opt->wrt, opt->nwrt);
  if (opt->vertical) JO_TRY(jmodel_tir_need_vertical(ctx, &tyre->tir));
  jo_tyre_function* f = jmem_resize(ctx, NULL, sizeof *f);
  if (!f) return jerr_memory(ctx);
  const double* v = tyre->tir.value;
  double p = tyre->tir.version == JTIR_52 ? 0.0 : v[JTIR_INFLPRES];
  *f = (jo_tyre_function){.ctx = ctx, .input = opt->vertical ? radius_inputs : force_inputs};
  f->is_radius = opt->vertical != 0;
  f->otherwise[FZ] = v[JTIR_LFZO] * v[JTIR_FNOMIN];
  f->otherwise[P] = p;
  f->needs_pressure = tyre->tir.version != JTIR_52;
  if (!opt->vertical) f->otherwise[VX] = v[JTIR_LONGVL];
  jarena_init(&f->arena, ctx);
  f->path = jarena_strdup(&f->arena, tyre->tir.path);
  jo_status status = f->path ? build(f, &tyre->tir, opt) : jerr_memory(ctx);
  if (status < 0) {
    jo_tyre_function_destroy(f);
    return status;
  }
  *out = f;
  return JO_OK;
}

void jo_tyre_function_destroy(jo_tyre_function* f) {
  if (!f) return;
  jexpr_graph_destroy(f->g);
  jarena_free(&f->arena);
  jmem_free(f->ctx, f);
}

const char* jo_tyre_input_name(const jo_tyre_function* f, int i) {
  JO_REQUIRE_OR("", f);
  return i >= 0 && i < JO_TYRE_INPUTS ? f->input[i] : "";
}

const char* jo_tyre_input_unit(const jo_tyre_function* f, int i) {
  JO_REQUIRE_OR("", f);
  return i >= 0 && i < JO_TYRE_INPUTS ? f->input_unit[i] : "";
}

int jo_tyre_output_count(const jo_tyre_function* f) {
  JO_REQUIRE_OR(0, f);
  return f->noutput;
}

const char* jo_tyre_output_name(const jo_tyre_function* f, int i) {
  JO_REQUIRE_OR("", f);
  return i >= 0 && i < f->noutput ? f->name[i] : "";
}

const char* jo_tyre_output_unit(const jo_tyre_function* f, int i) {
  JO_REQUIRE_OR("", f);
  return i >= 0 && i < f->noutput ? f->unit[i] : "";
}

double jo_tyre_input_default(const jo_tyre_function* f, int i) {
  JO_REQUIRE_OR((double)NAN, f);
  return i >= 0 && i < JO_TYRE_INPUTS ? f->otherwise[i] : (double)NAN;
}

static jo_status check_inputs(const jo_tyre_function* f, const char* place, const double* input) {
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    if (isfinite(input[i])) continue;
    return jerr_set(f->ctx, JO_ERR_ARGUMENT, "%s%s is %g; it must be finite [%s]", place,
                    f->input[i], input[i], f->input_unit[i]);
  }
  if (f->needs_pressure && !(input[P] > 0.0)) {
    return jerr_set(f->ctx, JO_ERR_ARGUMENT, "%sp is %g; the tyre needs a pressure above 0 Pa",
                    place, input[P]);
  }
  return JO_OK;
}

// A radius of a loaded tyre is positive, and so is its deflection.
static bool is_possible(const jo_tyre_function* f, int i) {
  static const bool is_length[NRADIUS] = {
      [R_OMEGA] = true, [R_E] = true, [RHO] = true, [R_L] = true};
  return !f->is_radius || i >= NRADIUS || !is_length[i] || f->result[i] > 0.0;
}

static jo_status check_outputs(const jo_tyre_function* f, const char* place, const double* input) {
  for (int i = 0; i < f->noutput; i++) {
    double x = f->result[i];
    char what[48] = "not finite";
    if (isfinite(x) && is_possible(f, i)) continue;
    if (isfinite(x)) jformat(what, sizeof what, "%.6g %s, not above 0", x, f->unit[i]);
    return jerr_set(
        f->ctx, JO_ERR_NUMERIC,
        "%s%s is %s at %s = %g, %s = %g, %s = %g, %s = %g, %s = %g, %s = %g; the "
        "formulas do not hold so far from what the tyre was measured at; choose other inputs, or "
        "check "
        "the coefficients of %s and what was set",
        place, f->name[i], what, f->input[0], input[0], f->input[1], input[1], f->input[2],
        input[2], f->input[3], input[3], f->input[4], input[4], f->input[5], input[5], f->path);
  }
  return JO_OK;
}

jo_status jtyre_evaluate(jo_tyre_function* f, const char* place, const double* input,
                         double* output) {
  JO_TRY(check_inputs(f, place, input));
  if (input[FZ] <= 0.0) {
    memset(output, 0, (size_t)f->noutput * sizeof *output);
    return JO_OK;
  }
  const double* in[2] = {input, f->coefficient};
  jexpr_tape_eval(&f->tape, 1, in, &f->result, f->work);
  JO_TRY(check_outputs(f, place, input));
  memcpy(output, f->result, (size_t)f->noutput * sizeof *output);
  return JO_OK;
}

jo_status jo_tyre_evaluate(jo_tyre_function* f, const double* input, double* output) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, f, input, output);
  return jtyre_evaluate(f, "", input, output);
}
