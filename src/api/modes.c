// SPDX-License-Identifier: Apache-2.0
// The public face of modes.
#include <math.h>
#include <string.h>

#include "api/select.h"
#include "base/require.h"
#include "jounce/analysis.h"
#include "plant/check/finite.h"
#include "plant/check/guard.h"
#include "plant/options.h"
#include "plant/run.h"
#include "sens/linear/modes.h"

struct jo_modes {
  jo_context* ctx;
  jarena arena;
  jplant* plant;
  jmodel_selection by;  // what is differentiated for
  double t;
  int n;
  jplant_mode* mode;
  bool* repeated;           // (n)
  jsens_mode_slope* slope;  // n x by.n
};

jo_modes_options jo_modes_options_default(void) {
  return (jo_modes_options){.at_s = NAN};
}

// A run of the model from its start to the time of the options.
static jo_status go_to_time(jo_modes* m, const jo_modes_options* opt, jplant_run* run) {
  const jplant* p = m->plant;
  double t_start = p->model->simulation.t_start;
  if (!(opt->at_s > t_start) || !isfinite(opt->at_s)) {
    return jerr_set(m->ctx, JO_ERR_ARGUMENT, "time %g s is before the start of the manoeuvre, %g s",
                    opt->at_s, t_start);
  }
  jsolve_options solve;
  jplant_simulate_used used;
  jplant_simulate_options o = jplant_simulate_options_default();
  o.t_end = opt->at_s;
  JO_TRY(jplant_options_choose(m->ctx, p->model, &o, false, &used, &solve));
  jplant_run_options open = {.t_end = NAN};
  JO_TRY(jplant_run_open(m->ctx, &m->arena, p, &open, run));
  JO_TRY(jplant_run_advance(run, &solve, NULL, opt->at_s, NULL));
  m->t = run->t;
  if (!run->work->machine.has_ended) return JO_OK;
  return jerr_set(
      m->ctx, JO_ERR_ARGUMENT,
      "%s: time %g s is behind the end of the run, which its condition (end_when) ended "
      "at %.9g s",
      p->model->path, opt->at_s, m->t);
}

// The state to linearise about.
static jo_status find_state(jo_modes* m, const jo_modes_options* opt, jplant_start* at) {
  const jplant* p = m->plant;
  memcpy(at->y, p->y0, (size_t)p->dynamics->ny * sizeof *at->y);
  if (opt->at_static) {
    jmachine_equilibrium found;
    JO_TRY(jplant_find_rest(m->ctx, p, at->y, &found));
  }
  if (m->by.n == 0) return JO_OK;
  JO_TRY((opt->at_static ? jplant_start_at_rest : jplant_start_find)(m->ctx, &m->arena, p, m->by.n,
                                                                     NULL, at));
  return jplant_start_clear(m->ctx, p, &m->by, at);
}

static jo_status find_modes(jo_modes* m, jplant_work* run, const double* y) {
  const jgen_dynamics* d = run->plant->dynamics;  // of the partition the run has come to
  jplant_linear linear;
  double* rate = JARENA_ARRAY(&m->arena, d->ny, double);
  if (!rate) return jerr_memory(m->ctx);
  jplant_call(run, JGEN_FN_RHS, m->t, y, (double* const[]){rate});
  int bad = jplant_finite_first(rate, jgen_first(&d->layout, JGEN_FILTER));
  if (bad >= 0) {
    JO_TRY(jplant_guard_lengths(run, m->t, y));
    return jplant_finite_rate(run, m->t, y, bad);
  }
  JO_TRY(jplant_linearise(m->ctx, &m->arena, d, &run->system, m->t, y, &linear));
  return jplant_modes(m->ctx, &m->arena, d, &linear, &m->mode, &m->n);
}

static jo_status find_slopes(jo_modes* m, const jplant_work* run, const jplant_start* at) {
  int repeated = 0;
  m->repeated = JARENA_ARRAY(&m->arena, m->n, bool);
  m->slope = JARENA_ARRAY(&m->arena, (size_t)m->n * (size_t)m->by.n, jsens_mode_slope);
  if (!m->repeated || !m->slope) return jerr_memory(m->ctx);
  JO_TRY(jsens_mode_sensitivity(m->ctx, &m->arena, run, m->t, at, m->by.n, m->mode, m->n,
                                m->repeated, m->slope));
  for (int i = 0; i < m->n; i++) {
    repeated += m->repeated[i] && !m->mode[i].is_zero;
  }
  if (repeated > 0) {
    jerr_warn(
        m->ctx,
        "%s: %d modes have the eigenvalue of another one: such eigenvalues have no derivatives",
        m->plant->model->path, repeated);
  }
  return JO_OK;
}

// Modes, and their derivatives where they are asked for, at the state opt names.
static jo_status analyse(jo_modes* m, const jo_modes_options* opt, jplant_run* run) {
  const jplant* p = m->plant;
  bool at_time = !opt->at_static && !isnan(opt->at_s) && opt->at_s != p->model->simulation.t_start;
  jplant_start at = {.y = JARENA_ARRAY(&m->arena, p->dynamics->ny, double)};
  if (!at.y) return jerr_memory(m->ctx);
  if (m->by.n > 0 && at_time) {
    return jerr_set(m->ctx, JO_ERR_ARGUMENT,
                    "derivatives of modes are those about the initial state or about static "
                    "equilibrium, not about the motion at %g s; give no time, or no numbers",
                    opt->at_s);
  }
  m->t = p->model->simulation.t_start;
  if (at_time) {
    JO_TRY(go_to_time(m, opt, run));
  } else {
    JO_TRY(find_state(m, opt, &at));
    JO_TRY(jplant_run_open_at(m->ctx, &m->arena, p, NULL, m->t, at.y, run));
  }
  JO_TRY(find_modes(m, run->work, run->y));
  return m->by.n > 0 ? find_slopes(m, run->work, &at) : JO_OK;
}

jo_status jo_modes_create(jo_context* ctx, const jo_model* model, const jo_modes_options* opt,
                          jo_modes** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jo_modes_options defaults = jo_modes_options_default();
  if (!opt) opt = &defaults;
  JO_REQUIRE_TEXTS(ctx, opt->name, opt->nname);
  jo_modes* m = jmem_resize(ctx, NULL, sizeof *m);
  if (!m) return jerr_memory(ctx);
  *m = (jo_modes){.ctx = ctx};
  jarena_init(&m->arena, ctx);
  jplant_run run = {0};
  jo_status status = JO_OK;
  if (opt->nname > 0) {
    status = jmodel_select(ctx, &m->arena, model->model, opt->name, opt->nname, &m->by);
  }
  if (status >= 0) {
    status = japi_plant_create(ctx, &m->arena, model->model, &m->by, true, &m->plant);
  }
  if (status >= 0) status = analyse(m, opt, &run);
  jplant_run_close(&run);
  if (status < 0) {
    jo_modes_destroy(m);
    return status;
  }
  *out = m;
  return JO_OK;
}

void jo_modes_destroy(jo_modes* m) {
  if (!m) return;
  jplant_destroy(m->plant);
  jarena_free(&m->arena);
  jmem_free(m->ctx, m);
}

double jo_modes_time(const jo_modes* m) {
  JO_REQUIRE_OR(NAN, m);
  return m->t;
}

int jo_modes_count(const jo_modes* m) {
  JO_REQUIRE_OR(0, m);
  return m->n;
}

jo_status jo_modes_at(const jo_modes* m, int i, jo_mode* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, m, out);
  if (i < 0 || i >= m->n) return JO_ERR_ARGUMENT;
  const jplant_mode* k = &m->mode[i];
  *out = (jo_mode){k->re, k->im, k->frequency, k->damping, k->is_zero};
  return JO_OK;
}

jo_status jo_modes_shape(const jo_modes* m, int i, int k, const char** name, double* re,
                         double* im) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, m, re, im);
  if (i < 0 || i >= m->n || k < 0 || k >= m->plant->model->ncoordinate) return JO_ERR_ARGUMENT;
  if (name) *name = m->plant->model->coordinate[k].name;
  *re = m->mode[i].shape[k];
  *im = m->mode[i].turn[k];
  return JO_OK;
}

int jo_modes_parameter_count(const jo_modes* m) {
  JO_REQUIRE_OR(0, m);
  return m->by.n;
}

jo_status jo_modes_parameter_at(const jo_modes* m, int k, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, m, out);
  if (k < 0 || k >= m->by.n) return JO_ERR_ARGUMENT;
  *out = japi_describe(m->plant->model, m->by.wrt[k]);
  return JO_OK;
}

jo_status jo_modes_derivative_at(const jo_modes* m, int i, int k, jo_mode_derivative* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, m, out);
  if (i < 0 || i >= m->n || k < 0 || k >= m->by.n) return JO_ERR_ARGUMENT;
  const jsens_mode_slope* s = &m->slope[(int64_t)i * m->by.n + k];
  *out = (jo_mode_derivative){s->re, s->im, s->frequency, s->damping, m->repeated[i]};
  return JO_OK;
}
