// SPDX-License-Identifier: Apache-2.0
// The public face of statics, modes and stand-alone C.
#include "jounce/analysis.h"

#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "study/guard.h"
#include "study/linearise.h"
#include "study/standalone.h"

#define RIGID 1e-5  // of the largest eigenvalue: double zeros come out as roots of rounding

static jo_status make_plant(jo_context* ctx, const jo_model* model, bool jacobian,
                            jstudy_plant** out) {
  jstudy_plant_options opt = jstudy_plant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  opt.gen.jacobian = jacobian;
  return jstudy_plant_create(ctx, model->model, &opt, out);
}

// ---- static equilibrium --------------------------------------------------------------------------

struct jo_static {
  jo_context* ctx;
  jarena arena;
  jstudy_plant* plant;
  jstudy_equilibrium found;
  double *y, *q, *output;
};

static jo_status settle(jo_static* s) {
  const jstudy_plant* p = s->plant;
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start;
  s->y = JARENA_ARRAY(&s->arena, d->ny + 1, double);
  s->q = JARENA_ARRAY(&s->arena, p->model->ncoordinate + 1, double);
  s->output = JARENA_ARRAY(&s->arena, d->noutput + 1, double);
  if (!s->y || !s->q || !s->output) return jerr_memory(s->ctx);
  memcpy(s->y, p->y0, (size_t)d->ny * sizeof *s->y);
  JO_TRY(jstudy_plant_equilibrium(s->ctx, p, t, s->y, &s->found));
  JO_TRY(jstudy_plant_coordinates(s->ctx, p, t, s->y, s->q, NULL));
  jstudy_run* run;
  JO_TRY(jstudy_run_create(s->ctx, p, &run));
  jsolve_set_modes(&run->system, t, s->y, run->g);
  jstudy_run_outputs(run, t, s->y, s->output);
  jstudy_run_destroy(run);
  return JO_OK;
}

jo_status jo_static_create(jo_context* ctx, const jo_model* model, jo_static** out) {
  *out = NULL;
  jo_static* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_static){.ctx = ctx};
  jarena_init(&s->arena, ctx);
  jo_status status = make_plant(ctx, model, false, &s->plant);
  if (status >= 0) status = settle(s);
  if (status < 0) {
    jo_static_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jo_static_destroy(jo_static* s) {
  if (!s) return;
  jstudy_plant_destroy(s->plant);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}

jo_static_info jo_static_inspect(const jo_static* s) {
  return (jo_static_info){.dof = s->plant->dynamics->part.nu,
                          .held = s->found.determined,
                          .iterations = s->found.iterations,
                          .residual = s->found.residual};
}

jo_status jo_static_coordinate(const jo_static* s, int i, jo_coordinate* out) {
  const jo_system view = {.plant = s->plant};
  JO_TRY(jo_system_coordinate(&view, i, out));
  out->value = s->q[i];
  out->rate = 0.0;
  return JO_OK;
}

int jo_static_sensor_count(const jo_static* s) {
  int n = 0;
  for (int i = 0; i < s->plant->model->nsignal; i++) {
    n += s->plant->model->signal[i].is_output;
  }
  return n;
}

jo_status jo_static_output(const jo_static* s, int i, jo_quantity* out) {
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

// ---- modes ---------------------------------------------------------------------------------------

struct jo_modes {
  jo_context* ctx;
  jarena arena;
  jstudy_plant* plant;
  double t;
  int n;
  jstudy_mode* mode;
  double largest;
};

jo_modes_options jo_modes_options_default(void) {
  return (jo_modes_options){.at = NAN};
}

// The state to linearise about, and the modes that hold there.
static jo_status go_to(jo_modes* m, const jo_modes_options* opt, jstudy_run* run, double* y) {
  const jstudy_plant* p = m->plant;
  const jmodel_simulation* s = &p->model->simulation;
  m->t = s->t_start;
  memcpy(y, p->y0, (size_t)p->dynamics->ny * sizeof *y);
  jsolve_set_modes(&run->system, m->t, y, run->g);
  if (opt->at_static) {
    jstudy_equilibrium found;
    JO_TRY(jstudy_plant_equilibrium(m->ctx, p, m->t, y, &found));
    jsolve_set_modes(&run->system, m->t, y, run->g);
    return JO_OK;
  }
  if (isnan(opt->at) || opt->at == s->t_start) return JO_OK;
  if (!(opt->at > s->t_start) || !isfinite(opt->at)) {
    return jerr_set(m->ctx, JO_ERR_ARGUMENT, "time %g s is before the start of the manoeuvre, %g s",
                    opt->at, s->t_start);
  }
  JO_TRY(jstudy_guard_start(run, m->t, y));
  jsolve_options solve = jsolve_options_default();
  jsolve_statistics stats;
  solve.rel_tol = s->rel_tol;
  solve.abs_tol = s->abs_tol;
  return jsolve_integrate(m->ctx, &run->system, &solve, NULL, s->t_start, opt->at, y, &m->t,
                          &stats);
}

static jo_status find_modes(jo_modes* m, const jo_modes_options* opt) {
  const jgen_dynamics* d = m->plant->dynamics;
  jstudy_linear linear;
  jstudy_run* run;
  double* y = JARENA_ARRAY(&m->arena, d->ny + 1, double);
  if (!y) return jerr_memory(m->ctx);
  JO_TRY(jstudy_run_create(m->ctx, m->plant, &run));
  jo_status status = go_to(m, opt, run, y);
  if (status >= 0) {
    status = jstudy_linearise(m->ctx, &m->arena, d, &run->system, m->t, y, &linear);
  }
  jstudy_run_destroy(run);
  JO_TRY(status);
  JO_TRY(jstudy_modes(m->ctx, &m->arena, d, &linear, &m->mode, &m->n));
  for (int i = 0; i < m->n; i++) {
    m->largest = fmax(m->largest, hypot(m->mode[i].re, m->mode[i].im));
  }
  return JO_OK;
}

jo_status jo_modes_create(jo_context* ctx, const jo_model* model, const jo_modes_options* opt,
                          jo_modes** out) {
  *out = NULL;
  jo_modes_options defaults = jo_modes_options_default();
  jo_modes* m = jmem_resize(ctx, NULL, sizeof *m);
  if (!m) return jerr_memory(ctx);
  *m = (jo_modes){.ctx = ctx};
  jarena_init(&m->arena, ctx);
  jo_status status = make_plant(ctx, model, true, &m->plant);
  if (status >= 0) status = find_modes(m, opt ? opt : &defaults);
  if (status < 0) {
    jo_modes_destroy(m);
    return status;
  }
  *out = m;
  return JO_OK;
}

void jo_modes_destroy(jo_modes* m) {
  if (!m) return;
  jstudy_plant_destroy(m->plant);
  jarena_free(&m->arena);
  jmem_free(m->ctx, m);
}

double jo_modes_time(const jo_modes* m) {
  return m->t;
}

int jo_modes_count(const jo_modes* m) {
  return m->n;
}

jo_status jo_modes_mode(const jo_modes* m, int i, jo_mode* out) {
  if (i < 0 || i >= m->n) return JO_ERR_ARGUMENT;
  const jstudy_mode* k = &m->mode[i];
  bool rigid = hypot(k->re, k->im) <= RIGID * m->largest;
  *out = (jo_mode){k->re, k->im, k->frequency, k->damping, rigid};
  return JO_OK;
}

jo_status jo_modes_shape(const jo_modes* m, int i, int k, const char** name, double* re,
                         double* im) {
  if (i < 0 || i >= m->n || k < 0 || k >= m->plant->model->ncoordinate) return JO_ERR_ARGUMENT;
  if (name) *name = m->plant->model->coordinate[k].name;
  *re = m->mode[i].shape[k];
  *im = m->mode[i].turn[k];
  return JO_OK;
}

// ---- stand-alone C -------------------------------------------------------------------------------

jo_status jo_generate(jo_context* ctx, const jo_model* model, const char* dir, jo_generated* out) {
  jstudy_standalone made;
  JO_TRY(jstudy_standalone_write(ctx, model->model, dir, &made));
  if (out) *out = (jo_generated){made.nfile, made.operations};
  return JO_OK;
}
