// SPDX-License-Identifier: Apache-2.0
// The public face of modes.
#include <math.h>
#include <string.h>

#include "api/select.h"
#include "api/tables.h"
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
  const jo_tables* tables;
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

// ---- tables --------------------------------------------------------------------------------------

#define SHAPE_PARTS 4     // coordinates named in the text, largest first
#define SHAPE_SMALL 0.05  // smaller parts are not worth a name

static const jreport_field linearisation[] = {{"t", "s", .description = "time of the state"}};
static const jo_table_style linearisation_style = {"linearisation", JREPORT_FIELDS(linearisation),
                                                   .form = JREPORT_ONE, .is_inline = true};

static const jreport_field modes[] = {
    {"re", "1/s", .label = "Re [1/s]", .width = 12, .digits = 5},
    {"im", "1/s", .label = "Im [1/s]", .width = 12, .digits = 5},
    {"frequency", "Hz", "im / 2 pi", .label = "f [Hz]", .width = 11, .digits = 5},
    {"damping", "", "-re / |lambda|", .label = "damping", .width = 9, .digits = 4, .as = 'f'},
    {"rigid", "", "a free motion", .kind = JREPORT_TRUTH, .skip = JREPORT_SKIP_SET},
    {"largest", "", "largest parts of the shape", .kind = JREPORT_WORDS, .no_json = true,
     .label = "shape", .before = " ", .width = JREPORT_PLAIN},
};
static const jo_table_style modes_style = {"modes", JREPORT_FIELDS(modes), .form = JREPORT_ROWS};

static const jreport_field shape[] = {
    {"coordinate", .kind = JREPORT_WORDS},
    {"mode", .kind = JREPORT_WHOLE, .no_json = true},
    {.name = "re"},
    {.name = "im"},
};
static const jo_table_style shape_style = {
    "shape",         JREPORT_FIELDS(shape), .form = JREPORT_MAP, .nkey = 1,
    .is_flat = true, .is_list = true,       .parent = "modes"};

static const jreport_field slopes[] = {
    {"parameter", .kind = JREPORT_WORDS},
    {"mode", .kind = JREPORT_WHOLE, .no_json = true},
    {.name = "re"},
    {.name = "im"},
    {.name = "frequency"},
    {.name = "damping"},
};
static const jo_table_style slopes_style = {"derivatives",       JREPORT_FIELDS(slopes),
                                            .form = JREPORT_MAP, .nkey = 1,
                                            .is_flat = true,     .parent = "modes"};

static const jreport_field by_one[] = {
    {"re", "1/s", .label = "Re [1/s]", .width = 12, .digits = 5},
    {"im", "1/s", .label = "Im [1/s]", .width = 12, .digits = 5},
    {.name = "d re", .label = "d Re", .width = 14, .digits = 6},
    {.name = "d im", .label = "d Im", .width = 14, .digits = 6},
    {.name = "d frequency", .label = "d f [Hz]", .width = 14, .digits = 6},
    {.name = "d damping", .label = "d damping", .width = 14, .digits = 6},
    {.name = "rigid", .kind = JREPORT_TRUTH, .skip = JREPORT_SKIP_SET},
};
static const jo_table_style by_one_style = {"by", JREPORT_FIELDS(by_one)};

// The next part of a shape, in the order of size; -1: the rest is small.
static int next_part(const jplant_mode* k, int n, int last) {
  double limit = last < 0 ? INFINITY : hypot(k->shape[last], k->turn[last]), most = SHAPE_SMALL;
  int best = -1;
  for (int i = 0; i < n; i++) {
    double size = hypot(k->shape[i], k->turn[i]);
    bool is_after = size < limit || (size == limit && i > last);
    if (!is_after || !(size > most)) continue;
    most = size;
    best = i;
  }
  return best;
}

// The largest parts of a mode shape, with their phases against the largest: "z, pitch 0.41 at 12 deg".
static const char* describe_shape(jreport_builder* b, const jmodel* m, const jplant_mode* k) {
  const char* text = "";
  for (int part = 0, i = -1; part < SHAPE_PARTS; part++) {
    i = next_part(k, m->ncoordinate, i);
    if (i < 0) break;
    const char* name = m->coordinate[i].name;
    double phase = atan2(k->turn[i], k->shape[i]) * 180.0 / 3.14159265358979323846;
    if (part == 0) {
      text = name;
      continue;
    }
    text = jreport_text(b, "%s, %s %.2f", text, name, hypot(k->shape[i], k->turn[i]));
    if (fabs(phase) > 0.5) text = jreport_text(b, "%s at %.0f deg", text, phase);
  }
  return text;
}

static void put_modes(jreport_builder* b, const jo_modes* m) {
  const jmodel* model = m->plant->model;
  jreport_begin(b, &linearisation_style, NULL, 1);
  jreport_put(b, m->t);
  jreport_begin(b, &modes_style, NULL, m->n);
  for (int i = 0; i < m->n; i++) {
    const jplant_mode* k = &m->mode[i];
    jreport_put(b, k->re);
    jreport_put(b, k->im);
    jreport_put(b, k->frequency);
    jreport_put(b, k->damping);
    jreport_put(b, k->is_zero);
    jreport_say(b, describe_shape(b, model, k));
  }
  jreport_begin(b, &shape_style, NULL, m->n * model->ncoordinate);
  for (int i = 0; i < m->n; i++) {
    for (int k = 0; k < model->ncoordinate; k++) {
      jreport_say(b, model->coordinate[k].name);
      jreport_put(b, i);
      jreport_put(b, m->mode[i].shape[k]);
      jreport_put(b, m->mode[i].turn[k]);
    }
  }
}

static void put_slope(jreport_builder* b, const jsens_mode_slope* s) {
  jreport_put(b, s->re);
  jreport_put(b, s->im);
  jreport_put(b, s->frequency);
  jreport_put(b, s->damping);
}

static void put_slopes(jreport_builder* b, const jo_modes* m) {
  jreport_begin(b, &slopes_style, NULL, m->n * m->by.n);
  for (int i = 0; i < m->n; i++) {
    for (int k = 0; k < m->by.n; k++) {
      jreport_say(b, m->plant->model->number[m->by.wrt[k]].path);
      jreport_put(b, i);
      put_slope(b, &m->slope[(int64_t)i * m->by.n + k]);
    }
  }
}

static void put_by_one(jreport_builder* b, const jo_modes* m, int parameter) {
  jo_quantity p = japi_describe(m->plant->model, m->by.wrt[parameter]);
  const char* title = jreport_text(b, "derivatives with respect to %s%s%s%s", p.name,
                                   *p.unit ? " [" : "", p.unit, *p.unit ? "]" : "");
  jo_table_style* style = JARENA_NEW(b->a, jo_table_style);
  b->failed = b->failed || !style;
  if (b->failed) return;
  *style = by_one_style;
  style->name = jreport_text(b, "by %s", p.name);
  jreport_begin(b, style, title, m->n);
  for (int i = 0; i < m->n; i++) {
    jreport_put(b, m->mode[i].re);
    jreport_put(b, m->mode[i].im);
    put_slope(b, &m->slope[(int64_t)i * m->by.n + parameter]);
    jreport_put(b, m->mode[i].is_zero);
  }
}

enum { NTABLE = 5 };

static jo_status make_tables(jo_modes* m, const jo_model* model) {
  jreport_builder b = japi_build(&m->arena, NTABLE + m->by.n, model);
  put_modes(&b, m);
  japi_put_parameters(&b, m->plant->model, &m->by);
  if (m->by.n > 0) put_slopes(&b, m);
  for (int k = 0; k < m->by.n; k++) {
    put_by_one(&b, m, k);
  }
  m->tables = jreport_built(&b);
  return m->tables ? JO_OK : jerr_memory(m->ctx);
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
  if (status >= 0) status = make_tables(m, model);
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

const jo_tables* jo_modes_tables(const jo_modes* m) {
  JO_REQUIRE_OR(NULL, m);
  return m->tables;
}
