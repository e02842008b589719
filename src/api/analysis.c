// SPDX-License-Identifier: Apache-2.0
// The public face of statics and stand-alone C.
#include "jounce/analysis.h"

#include <math.h>
#include <string.h>

#include "api/select.h"
#include "base/require.h"
#include "export/standalone.h"
#include "plant/start/start.h"

// ---- static equilibrium --------------------------------------------------------------------------

struct jo_static {
  jo_context* ctx;
  jarena arena;
  jplant* plant;
  jmodel_selection by;  // what is differentiated for
  jmachine_equilibrium found;
  jplant_start at;
  double *q, *output;
  double* derivative;  // of the outputs by the numbers, noutput x by.n
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
  return (jo_static_info){.dof = s->plant->dynamics->part.nu,
                          .held = s->found.determined,
                          .iterations = s->found.iterations,
                          .residual = s->found.residual};
}

jo_static_stability jo_static_judge(const jo_static* s) {
  JO_REQUIRE_OR((jo_static_stability){0}, s);
  const jmachine_equilibrium* f = &s->found;
  bool is_fast = f->growth > 0.0, is_unstable = is_fast || f->creep > 0.0;
  int state = is_fast ? f->growing : f->creeping;
  return (jo_static_stability){.is_unstable = is_unstable,
                               .growth = is_fast ? f->growth : f->creep,
                               .turning = is_fast ? f->turning : 0.0,
                               .state = is_unstable ? s->plant->dynamics->layout.name[state] : ""};
}

const char* jo_static_undecided(const jo_static* s) {
  JO_REQUIRE_OR("", s);
  int k = s->found.undecided;
  return k > 0 && !jo_static_judge(s).is_unstable ? s->plant->dynamics->layout.name[k - 1] : "";
}

int jo_static_coordinate_count(const jo_static* s) {
  JO_REQUIRE_OR(0, s);
  return s->plant->model->ncoordinate;
}

jo_status jo_static_coordinate_at(const jo_static* s, int i, jo_coordinate* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, s, out);
  const jo_system view = {.plant = s->plant};
  JO_TRY(jo_system_coordinate_at(&view, i, out));
  out->value = s->q[i];
  out->rate = 0.0;
  return JO_OK;
}

int jo_static_sensor_count(const jo_static* s) {
  JO_REQUIRE_OR(0, s);
  int n = 0;
  for (int i = 0; i < s->plant->model->nsignal; i++) {
    n += s->plant->model->signal[i].is_output;
  }
  return n;
}

int jo_static_output_count(const jo_static* s) {
  JO_REQUIRE_OR(0, s);
  return s->plant->dynamics->noutput;
}

jo_status jo_static_output_at(const jo_static* s, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, s, out);
  const jgen_dynamics* d = s->plant->dynamics;
  if (i < 0 || i >= d->noutput) return JO_ERR_ARGUMENT;
  const char* description = "";
  for (int k = 0, n = 0; k < s->plant->model->nsignal; k++) {
    const jmodel_signal* signal = &s->plant->model->signal[k];
    if (signal->is_output && n++ == i) description = signal->description;
  }
  *out = (jo_quantity){d->output_name[i], d->output_unit[i], description, s->output[i]};
  return JO_OK;
}

int jo_static_parameter_count(const jo_static* s) {
  JO_REQUIRE_OR(0, s);
  return s->by.n;
}

jo_status jo_static_parameter_at(const jo_static* s, int k, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, s, out);
  if (k < 0 || k >= s->by.n) return JO_ERR_ARGUMENT;
  *out = japi_describe(s->plant->model, s->by.wrt[k]);
  return JO_OK;
}

double jo_static_output_derivative(const jo_static* s, int i, int k) {
  JO_REQUIRE_OR(NAN, s);
  bool is_there = i >= 0 && i < s->plant->dynamics->noutput && k >= 0 && k < s->by.n;
  return is_there ? s->derivative[(int64_t)i * s->by.n + k] : NAN;
}

double jo_static_coordinate_derivative(const jo_static* s, int i, int k) {
  JO_REQUIRE_OR(NAN, s);
  bool is_there = i >= 0 && i < s->plant->model->ncoordinate;
  // coordinates are outputs after the sensors
  return is_there ? jo_static_output_derivative(s, jo_static_sensor_count(s) + i, k) : NAN;
}

// ---- stand-alone C -------------------------------------------------------------------------------

jo_status jo_generate(jo_context* ctx, const jo_model* model, const char* dir, jo_generated* out) {
  JO_REQUIRE(ctx, model, dir);
  jexport_standalone made;
  JO_TRY(jexport_standalone_write(ctx, model->model, dir, &made));
  if (out) *out = (jo_generated){made.nfile, made.operations};
  return JO_OK;
}
