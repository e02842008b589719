// SPDX-License-Identifier: Apache-2.0
// The public face of sensitivities of peak loads and pseudo-damage.
#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "jounce/loads.h"
#include "loads/options.h"
#include "loads/sens.h"
#include "plant/start/start.h"
#include "report/format/table.h"

struct jo_loads_sens {
  jo_context* ctx;
  jarena arena;
  const jo_system* system;
  japi_values kept;
  double slope, reference;
  jplant_quantity* number;  // by which derivatives are taken, as they were
  jloads_sens* loads;
};

jo_loads_sens_options jo_loads_sens_options_default(void) {
  return (jo_loads_sens_options){
      .t_end_s = NAN, .tolerance = NAN, .slope = JLOADS_SLOPE, .reference = JLOADS_REFERENCE};
}

// Results keep the values of their run.
static jo_status keep_numbers(jo_loads_sens* s) {
  int n = jo_sens_parameter_count(s->system);
  s->number = JARENA_ARRAY(&s->arena, n, jplant_quantity);
  if (!s->number) return jerr_memory(s->ctx);
  for (int i = 0; i < n; i++) {
    jo_sens_parameter p;
    JO_TRY(jo_sens_parameter_at(s->system, i, &p));
    s->number[i] = (jplant_quantity){p.name, p.unit, p.description, p.value};
  }
  return japi_system_keep(s->ctx, &s->arena, s->system, &s->kept);
}

static jo_status run(jo_loads_sens* s, const jo_loads_sens_options* opt) {
  const jsens* motion = s->system->motion;
  JO_TRY(keep_numbers(s));
  s->slope = opt->slope;
  s->reference = opt->reference;
  jloads_sens_options o = jloads_sens_options_default(s->system->variable);
  o.run.p = s->system->p;
  o.slope = opt->slope;
  o.reference = opt->reference;
  JO_TRY(jloads_sens_choose(s->ctx, s->system->variable, opt->t_end_s, opt->tolerance, &o));
  JO_TRY(jloads_sens_run(s->ctx, motion, &o, &s->loads));
  const jsens_result* r = s->loads->run;
  JO_TRY(jplant_start_warn(s->ctx, motion->plant, o.run.p, r->y0, &r->rested));
  jloads_sens_warn(s->ctx, s->loads, motion);
  return JO_OK;
}

jo_status jo_loads_sens_run(jo_context* ctx, const jo_system* system,
                            const jo_loads_sens_options* opt, jo_loads_sens** out) {
  JO_REQUIRE_OUT(out, ctx, system);
  jo_loads_sens_options defaults = jo_loads_sens_options_default();
  bool is_prepared = system->motion && system->motion->tangents;
  if (!is_prepared) return japi_system_fail(ctx, system, JO_USE_HISTORIES);
  jo_loads_sens* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_loads_sens){.ctx = ctx, .system = system};
  jarena_init(&s->arena, ctx);
  jo_status status = run(s, opt ? opt : &defaults);
  if (status < 0) {
    jo_loads_sens_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jo_loads_sens_destroy(jo_loads_sens* sens) {
  if (!sens) return;
  jloads_sens_destroy(sens->loads);
  jarena_free(&sens->arena);
  jmem_free(sens->ctx, sens);
}

int jo_loads_sens_count(const jo_loads_sens* sens) {
  JO_REQUIRE_OR(0, sens);
  return sens->loads->n;
}

jo_status jo_loads_sens_at(const jo_loads_sens* sens, int i, jo_loads_gradient* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sens, out);
  if (i < 0 || i >= sens->loads->n) return JO_ERR_ARGUMENT;
  const jloads_gradient* e = &sens->loads->element[i];
  *out = (jo_loads_gradient){e->name,  e->unit,    e->peak,        e->t_peak,       e->damage,
                             e->dpeak, e->ddamage, e->dpeak_error, e->ddamage_error};
  return JO_OK;
}

// ---- files ---------------------------------------------------------------------------------------

enum {
  ELEMENTS,
  NUMBERS,
  NLIST,
  PEAK = 0,
  T_PEAK,
  DAMAGE,
  D_PEAK,
  D_PEAK_ERROR,
  D_DAMAGE,
  D_DAMAGE_ERROR,
  NARRAY
};

static const double* row_of(const jloads_gradient* e, int array) {
  switch (array) {
    case PEAK: return &e->peak;
    case T_PEAK: return &e->t_peak;
    case DAMAGE: return &e->damage;
    case D_PEAK: return e->dpeak;
    case D_PEAK_ERROR: return e->dpeak_error;
    case D_DAMAGE: return e->ddamage;
    default: return e->ddamage_error;
  }
}

static jo_status fill_array(jarena* a, const jo_loads_sens* s, int which, jreport_array* out) {
  static const char* const name[NARRAY][2] = {
      [PEAK] = {"peak", "largest loads, with their signs"},
      [T_PEAK] = {"t_peak", "their times [s]"},
      [DAMAGE] = {"damage", "pseudo-damage"},
      [D_PEAK] = {"d_peak", "derivatives of the peaks"},
      [D_PEAK_ERROR] = {"d_peak_error", "their estimated errors"},
      [D_DAMAGE] = {"d_damage", "derivatives of pseudo-damage"},
      [D_DAMAGE_ERROR] = {"d_damage_error", "their estimated errors"}};
  int n = s->loads->n, nw = jo_sens_parameter_count(s->system), width = which < D_PEAK ? 1 : nw;
  double* x = jarena_array(a, (size_t)n, (size_t)width * sizeof *x);
  if (!x) return jerr_memory(s->ctx);
  for (int i = 0; i < n; i++) {
    memcpy(x + (size_t)i * (size_t)width, row_of(&s->loads->element[i], which),
           (size_t)width * sizeof *x);
  }
  *out = (jreport_array){name[which][0],
                         name[which][1],
                         which < D_PEAK ? 1 : 2,
                         {ELEMENTS, NUMBERS},
                         {n, nw},
                         x,
                         (size_t)width,
                         0};
  return JO_OK;
}

static jo_status save(jo_context* ctx, jarena* a, const jo_loads_sens* s, const char* path) {
  const jo_model* m = s->system->model;
  int n = s->loads->n;
  jreport_notes notes = {0};
  jreport_note_text(&notes, "model", jo_model_name(m));
  jreport_note_text(&notes, "sha256", jo_model_sha256(m));
  jreport_note_text(&notes, "settings", s->kept.settings);
  jreport_note_text(&notes, "jounce", jo_version());
  jreport_note_real(&notes, "slope", "", s->slope);
  jreport_note_real(&notes, "reference", "", s->reference);
  jplant_quantity* element = JARENA_ARRAY(a, n, jplant_quantity);
  jreport_array array[NARRAY];
  if (!element) return jerr_memory(ctx);
  for (int i = 0; i < n; i++) {
    const jloads_gradient* e = &s->loads->element[i];
    element[i] = (jplant_quantity){e->name, e->unit, "", NAN};
  }
  for (int i = 0; i < NARRAY; i++) {
    JO_TRY(fill_array(a, s, i, &array[i]));
  }
  jreport_list list[NLIST] = {
      [ELEMENTS] = {"elements", NULL, element, n, false},
      [NUMBERS] = {"parameters", NULL, s->number, jo_sens_parameter_count(s->system), true}};
  jreport_table table = {.note = notes.note,
                         .nnote = notes.n,
                         .list = list,
                         .nlist = NLIST,
                         .array = array,
                         .narray = NARRAY};
  return jreport_save(ctx, &table, path);
}

jo_status jo_loads_sens_save(jo_context* ctx, const jo_loads_sens* sens, const char* path) {
  JO_REQUIRE(ctx, sens, path);
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = save(ctx, &a, sens, path);
  jarena_free(&a);
  return status;
}
