// SPDX-License-Identifier: Apache-2.0
// The public face of statics.
#include "jounce/analysis.h"

#include "api/select.h"
#include "api/tables.h"
#include "base/require.h"
#include "plant/start/start.h"
#include "report/table/build.h"

struct jo_static {
  jo_context* ctx;
  jarena arena;
  jplant* plant;
  jmodel_selection by;  // what is differentiated for
  jmachine_equilibrium found;
  jplant_start at;
  double *q, *output;
  double* derivative;  // of the outputs by the numbers, noutput x by.n
  const jo_tables* tables;
};

static jo_status settle(jo_static* s) {
  const jplant* p = s->plant;
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start;
  s->q = JARENA_ARRAY(&s->arena, p->model->ncoordinate, double);
  s->output = JARENA_ARRAY(&s->arena, d->noutput, double);
  s->derivative = JARENA_ARRAY(&s->arena, (size_t)d->noutput * (size_t)s->by.n, double);
  s->at.y = JARENA_ARRAY(&s->arena, d->ny, double);
  if (!s->q || !s->output || !s->derivative || !s->at.y) return jerr_memory(s->ctx);
  JO_TRY(jplant_find_rest(s->ctx, p, s->at.y, &s->found));
  if (!p->is_judged) jplant_warn_unstable(s->ctx, p, &s->found);
  jplant_warn_creep(s->ctx, p, &s->found);
  if (s->by.n > 0) {
    JO_TRY(jplant_start_at_rest(s->ctx, &s->arena, p, s->by.n, NULL, &s->at));
    JO_TRY(jplant_start_clear(s->ctx, p, &s->by, &s->at));
  }
  JO_TRY(jplant_coordinates(s->ctx, p, t, s->at.y, s->q, NULL));
  return jplant_start_outputs(s->ctx, &s->arena, p, s->by.n, NULL, &s->at, s->output,
                              s->derivative);
}

// ---- tables --------------------------------------------------------------------------------------

static const jreport_field facts[] = {
    {"dof", .description = "degrees of freedom", .kind = JREPORT_WHOLE},
    {"held", .description = "directions that forces hold", .kind = JREPORT_WHOLE},
    {"iterations", .kind = JREPORT_WHOLE},
    {"residual", .description = "largest acceleration left, in SI units"},
    {"stability", .kind = JREPORT_WORDS},
};
static const jo_table_style facts_style = {"equilibrium", JREPORT_FIELDS(facts),
                                           .form = JREPORT_ONE, .is_inline = true};

static const jreport_field undecided[] = {
    {"undecided", .description = "what forces neither hold nor drive", .kind = JREPORT_WORDS},
};
static const jo_table_style undecided_style = {"undecided", JREPORT_FIELDS(undecided),
                                               .form = JREPORT_ONE, .is_inline = true};

static const jreport_field unstable[] = {
    {"state", .description = "the coordinate, or state, that moves most", .kind = JREPORT_WORDS},
    {"growth", "1/s", .description = "rate of a small push"},
    {"turning", "rad/s", .description = "angular frequency of its oscillation"},
};
static const jo_table_style unstable_style = {"unstable", JREPORT_FIELDS(unstable),
                                              .form = JREPORT_ONE};

static const jreport_field coordinates[] = {
    {"coordinate", .kind = JREPORT_WORDS, .width = -JREPORT_WIDEST},
    {"value", .width = 13, .digits = 7},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = -3},
};
static const jo_table_style coordinates_style = {
    "coordinates",       "coordinates", JREPORT_FIELDS(coordinates),
    .form = JREPORT_MAP, .nkey = 1,     .flows = true};

static const jreport_field sensors[] = {
    {"sensor", .kind = JREPORT_WORDS, .width = -20},
    {"value", .width = 14, .digits = 8},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = -6},
    {"description", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style sensors_style = {"sensors", "sensors", JREPORT_FIELDS(sensors),
                                             .form = JREPORT_MAP, .nkey = 1};

static const jreport_field derivatives[] = {
    {"quantity", .kind = JREPORT_WORDS, .width = -20},
    {"parameter", .kind = JREPORT_WORDS, .width = -32},
    {"value", .width = 14, .digits = 8, .skip = JREPORT_SKIP_ZERO},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style derivatives_style = {"derivatives", "derivatives, but for zeros",
                                                 JREPORT_FIELDS(derivatives), .form = JREPORT_MAP,
                                                 .nkey = 2};

static const jreport_field outputs[] = {
    {"output", .kind = JREPORT_WORDS},
    {.name = "value"},
    {"unit", .kind = JREPORT_WORDS},
    {"description", .kind = JREPORT_WORDS},
};
static const jo_table_style outputs_style = {"outputs", JREPORT_FIELDS(outputs)};

// Of the i-th output: sensors of the file come first.
static const char* description_of(const jmodel* m, int i) {
  for (int k = 0, n = 0; k < m->nsignal; k++) {
    if (m->signal[k].is_output && n++ == i) return m->signal[k].description;
  }
  return "";
}

static void put_facts(jreport_builder* b, const jo_static_info* i) {
  bool is_undecided = *i->undecided;
  jreport_begin(b, &facts_style, NULL, 1);
  jreport_put(b, i->dof);
  jreport_put(b, i->held);
  jreport_put(b, i->iterations);
  jreport_put(b, i->residual);
  jreport_say(b, i->is_unstable ? "unstable" : is_undecided ? "undecided" : "stable");
  if (is_undecided) {
    jreport_begin(b, &undecided_style, NULL, 1);
    jreport_say(b, i->undecided);
  }
  if (!i->is_unstable) return;
  jreport_begin(b, &unstable_style, NULL, 1);
  jreport_say(b, i->state);
  jreport_put(b, i->growth);
  jreport_put(b, i->turning);
}

static void put_coordinates(jreport_builder* b, const jo_static* s) {
  const jmodel* m = s->plant->model;
  jreport_begin(b, &coordinates_style, NULL, m->ncoordinate);
  for (int i = 0; i < m->ncoordinate; i++) {
    jreport_say(b, m->coordinate[i].name);
    jreport_put(b, s->q[i]);
    jreport_say(b, jgen_coordinate_unit(&m->coordinate[i]));
  }
}

static void put_sensors(jreport_builder* b, const jo_static* s, int n) {
  const jgen_dynamics* d = s->plant->dynamics;
  jreport_begin(b, &sensors_style, NULL, n);
  for (int i = 0; i < n; i++) {
    jreport_say(b, d->output_name[i]);
    jreport_put(b, s->output[i]);
    jreport_say(b, d->output_unit[i]);
    jreport_say(b, description_of(s->plant->model, i));
  }
}

// Derivatives of the i-th output.
static void put_slopes(jreport_builder* b, const jo_static* s, const char* name, const char* unit,
                       int i) {
  for (int k = 0; k < s->by.n; k++) {
    jo_quantity p = japi_describe(s->plant->model, s->by.wrt[k]);
    jreport_say(b, name);
    jreport_say(b, p.name);
    jreport_put(b, s->derivative[(int64_t)i * s->by.n + k]);
    jreport_say(b, japi_slope_unit(b, unit, p.unit));
  }
}

// Coordinates are outputs after the sensors.
static void put_derivatives(jreport_builder* b, const jo_static* s, int nsensor) {
  const jmodel* m = s->plant->model;
  const jgen_dynamics* d = s->plant->dynamics;
  if (s->by.n == 0) return;
  jreport_begin(b, &derivatives_style, NULL, (m->ncoordinate + nsensor) * s->by.n);
  for (int i = 0; i < m->ncoordinate; i++) {
    const jmodel_coordinate* c = &m->coordinate[i];
    put_slopes(b, s, c->name, jgen_coordinate_unit(c), nsensor + i);
  }
  for (int i = 0; i < nsensor; i++) {
    put_slopes(b, s, d->output_name[i], d->output_unit[i], i);
  }
}

static void put_outputs(jreport_builder* b, const jo_static* s) {
  const jgen_dynamics* d = s->plant->dynamics;
  japi_begin_slopes(b, &outputs_style, s->plant->model, &s->by, d->noutput);
  for (int i = 0; i < d->noutput; i++) {
    jreport_say(b, d->output_name[i]);
    jreport_put(b, s->output[i]);
    jreport_say(b, d->output_unit[i]);
    jreport_say(b, description_of(s->plant->model, i));
    for (int k = 0; k < s->by.n; k++) {
      jreport_put(b, s->derivative[(int64_t)i * s->by.n + k]);
    }
  }
}

enum { NTABLE = 8 };

static jo_status make_tables(jo_static* s, const jo_model* model) {
  jo_static_info info = jo_static_inspect(s);
  int nsensor = japi_sensor_count(s->plant->model);
  jreport_builder b = japi_build(&s->arena, NTABLE, model);
  put_facts(&b, &info);
  put_coordinates(&b, s);
  put_sensors(&b, s, nsensor);
  japi_put_parameters(&b, s->plant->model, &s->by);
  put_derivatives(&b, s, nsensor);
  put_outputs(&b, s);
  s->tables = jreport_built(&b);
  return s->tables ? JO_OK : jerr_memory(s->ctx);
}

static jo_status create(jo_context* ctx, const jo_model* model, const char* const* name, int nname,
                        bool differentiate, jo_static** out) {
  jo_static* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_static){.ctx = ctx};
  jarena_init(&s->arena, ctx);
  jo_status status = JO_OK;
  if (differentiate) status = jmodel_select(ctx, &s->arena, model->model, name, nname, &s->by);
  if (status >= 0) {
    status = japi_plant_create(ctx, &s->arena, model->model, &s->by, true, &s->plant);
  }
  if (status >= 0) status = settle(s);
  if (status >= 0) status = make_tables(s, model);
  if (status < 0) {
    jo_static_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

jo_status jo_static_create(jo_context* ctx, const jo_model* model, jo_static** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  return create(ctx, model, NULL, 0, false, out);
}

jo_status jo_static_differentiate(jo_context* ctx, const jo_model* model, const char* const* name,
                                  int nname, jo_static** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  JO_REQUIRE_TEXTS(ctx, name, nname);
  return create(ctx, model, name, nname, true, out);
}

void jo_static_destroy(jo_static* s) {
  if (!s) return;
  jplant_destroy(s->plant);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}

jo_static_info jo_static_inspect(const jo_static* s) {
  JO_REQUIRE_OR((jo_static_info){0}, s);
  const jmachine_equilibrium* f = &s->found;
  const char* const* state = s->plant->dynamics->layout.name;
  bool is_fast = f->growth > 0.0, is_unstable = is_fast || f->creep > 0.0;
  bool is_undecided = f->undecided > 0 && !is_unstable;
  return (jo_static_info){.dof = s->plant->dynamics->part.nu,
                          .held = f->determined,
                          .iterations = f->iterations,
                          .residual = f->residual,
                          .is_unstable = is_unstable,
                          .growth = is_fast ? f->growth : f->creep,
                          .turning = is_fast ? f->turning : 0.0,
                          .state = is_unstable ? state[is_fast ? f->growing : f->creeping] : "",
                          .undecided = is_undecided ? state[f->undecided - 1] : ""};
}

const jo_tables* jo_static_tables(const jo_static* s) {
  JO_REQUIRE_OR(NULL, s);
  return s->tables;
}
