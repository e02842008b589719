// SPDX-License-Identifier: Apache-2.0
// Outputs answering a small sine of an input, over frequency, about the state that runs start at; and the derivatives.
#include "sens/linear/response.h"

#include <math.h>
#include <string.h>

#include "api/select.h"
#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

#define POINTS 61
#define DRIFT \
  1e-3  // what moves by more than this part of itself in about a period is no equilibrium
#define DEGREE 57.29577951308232

typedef struct own {
  jstudy_name input;
  double* frequency;  // [Hz] (n)
  int n;
} own;

typedef struct work {
  jstudy_job* k;
  const own* o;
  jsens_response* response;
  const jmodel_selection* by;
  double *H, *dH;  // of one run
} work;

// ---- reading -------------------------------------------------------------------------------------

static void read_list(const jmodel_at* at, const jmodel_node* list, own* o) {
  if (!jmodel_is(at, list, JMODEL_NODE_LIST, "frequencies")) return;
  if (list->n == 0) jmodel_mistake(at, list->place, "frequencies is an empty list");
  o->frequency = JMODEL_ARRAY(at->r, list->n, double);
  for (const jmodel_node* c = list->first; c && o->frequency; c = c->next) {
    double* f = &o->frequency[o->n];
    if (!jstudy_number_at(at, c, "frequencies", f)) continue;
    if (*f < 0.0) {
      jmodel_mistake(at, c->place, "frequency %.9g Hz is less than 0", *f);
    }
    o->n++;
  }
}

// Evenly on a logarithmic scale, both ends met.
static void spread(const jmodel_at* at, const jmodel_node* map, jstudy_part* p, own* o) {
  jmodel_need(at, map, "from");
  jmodel_need(at, map, "to");
  p->from = jstudy_get_number(at, map, "from", 1.0);
  p->to = jstudy_get_number(at, map, "to", 2.0);
  p->points = jstudy_get_count(at, map, "points", 2, POINTS);
  if (!(p->from > 0.0 && p->to > p->from)) {
    jmodel_mistake(at, map->place, "frequencies need 0 < from < to, got %.9g and %.9g Hz", p->from,
                   p->to);
    return;
  }
  o->frequency = JMODEL_ARRAY(at->r, p->points, double);
  for (; o->frequency && o->n < p->points; o->n++) {
    double part = (double)o->n / (p->points - 1);
    o->frequency[o->n] = o->n == p->points - 1 ? p->to : p->from * exp(part * log(p->to / p->from));
  }
}

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  own* o = JMODEL_ARRAY(at->r, 1, own);
  p->own = o;
  if (!o) return;
  o->input = jstudy_need_name(at, map, "input");
  jmodel_need(at, map, "sensors");
  p->sensors = jstudy_get_names(at, map, "sensors");
  p->wrt = jstudy_get_names(at, map, "wrt");
  jstudy_read_runs(at, map, p);
  const jmodel_node* list = jmodel_node_find(map, "frequencies");
  if (!list) {
    spread(at, map, p, o);
    return;
  }
  static const char* const spans[] = {"from", "to", "points"};
  for (int i = 0; i < 3; i++) {
    const jmodel_node* other = jmodel_node_find(map, spans[i]);
    if (other) jmodel_mistake(at, other->key_place, "%s beside frequencies", spans[i]);
  }
  read_list(at, list, o);
}

// A driven coordinate, or a number.
static jo_status check(jo_context* ctx, const jstudy_part* p, const jmodel* m) {
  const jstudy_name* input = &((const own*)p->own)->input;
  jmodel_guess guess = jmodel_guess_begin(input->text);
  for (int i = 0; i < m->ncoordinate; i++) {
    const jmodel_coordinate* c = &m->coordinate[i];
    if (strcmp(c->name, input->text) == 0) {
      return c->is_driven ? JO_OK
                          : jstudy_mistake(ctx, p, input->place,
                                           "coordinate '%s' is not driven; an input is a driven "
                                           "coordinate, a parameter or an input of the model",
                                           c->name);
    }
    if (c->is_driven) jmodel_guess_add(&guess, c->name);
  }
  if (jmodel_find_number(m, input->text) >= 0) return JO_OK;
  for (int i = 0; i < m->nnumber; i++) {
    if (m->number[i].is_parameter) jmodel_guess_add(&guess, m->number[i].path);
  }
  return jstudy_mistake(ctx, p, input->place,
                        "no driven coordinate and no number is named '%.80s'%s%s%s", input->text,
                        guess.best ? "; did you mean '" : "", guess.best ? guess.best : "",
                        guess.best ? "'?" : "");
}

// ---- tables --------------------------------------------------------------------------------------

static const double* at(const work* w, int sensor, int i) {
  return w->H + 2 * ((int64_t)sensor * w->o->n + i);
}

static const double* slope_at(const work* w, int sensor, int i, int by) {
  return w->dH + 2 * (((int64_t)sensor * w->o->n + i) * w->by->n + by);
}

static const char* output_unit(const work* w, const char* name) {
  const jgen_dynamics* d = w->k->system->plant->dynamics;
  for (int i = 0; i < d->noutput; i++) {
    if (strcmp(d->output_name[i], name) == 0) return jstudy_or_empty(d->output_unit[i]);
  }
  return "";
}

static const char* unit_of(const work* w, int sensor) {
  const char* of = jsens_response_input_unit(w->response);
  if (!of) of = jstudy_parameter_unit(w->k, w->o->input.text);
  return jstudy_derivative_unit(w->k, output_unit(w, w->k->p->sensors.name[sensor].text), of);
}

// "real part", and of which output where there are several; NULL: no memory.
static const char* name_of(const work* w, int sensor, const char* what) {
  const jstudy_job* k = w->k;
  const char *of = k->p->sensors.name[sensor].text, *by = w->o->input.text;
  return k->p->sensors.n == 1 ? what : jarena_printf(k->a, "%s / %s, %s", of, by, what);
}

// Magnitude, phase, real and imaginary part of one output.
static bool add_values(const work* w, jreport_sheet* s, int sensor) {
  static const char* const what[] = {"magnitude", "phase", "real part", "imaginary part"};
  const jstudy_job* k = w->k;
  const char* unit = unit_of(w, sensor);
  double* v[4] = {0};
  for (int i = 0; i < 4; i++) {
    v[i] = jstudy_add_numbers(k, s, name_of(w, sensor, what[i]), i == 1 ? "deg" : unit);
    if (!v[i]) return false;
  }
  double *size = v[0], *phase = v[1], *re = v[2], *im = v[3];
  for (int i = 0; i < s->nrow; i++) {
    const double* h = at(w, sensor, i);
    re[i] = h[0];
    im[i] = h[1];
    size[i] = hypot(h[0], h[1]);
    phase[i] = DEGREE * atan2(h[1], h[0]);
    // without jumps from frequency to frequency
    if (i > 0) phase[i] += 360.0 * round((phase[i - 1] - phase[i]) / 360.0);
  }
  return true;
}

// Derivatives of one output by one number, and what 1 % of it changes.
static bool add_slopes(const work* w, jreport_sheet* s, int sensor, int by) {
  const jstudy_job* k = w->k;
  const char* name = k->m->number[w->by->wrt[by]].path;
  const char* unit = unit_of(w, sensor);
  unit = unit ? jstudy_derivative_unit(k, unit, jstudy_parameter_unit(k, name)) : NULL;
  if (!unit) return false;
  double value = jstudy_value_of(k, name);
  double* v[4] = {0};
  static const char* const what[] = {"d real part / d %s", "d imaginary part / d %s",
                                     "magnitude per 1 %% of %s", "phase per 1 %% of %s"};
  for (int i = 0; i < 4; i++) {
    const char* head = jarena_printf(k->a, what[i], name);
    if (head) head = name_of(w, sensor, head);
    v[i] = jstudy_add_numbers(k, s, head, i < 2 ? unit : i == 2 ? "%" : "deg");
    if (!v[i]) return false;
  }
  for (int i = 0; i < s->nrow; i++) {
    const double *h = at(w, sensor, i), *dh = slope_at(w, sensor, i, by);
    double square = h[0] * h[0] + h[1] * h[1];
    v[0][i] = dh[0];
    v[1][i] = dh[1];
    // of the logarithm: d ln H = dH conj(H)/|H|^2
    v[2][i] = square > 0.0 ? value * (dh[0] * h[0] + dh[1] * h[1]) / square : NAN;
    v[3][i] = square > 0.0 ? 0.01 * DEGREE * value * (dh[1] * h[0] - dh[0] * h[1]) / square : NAN;
  }
  return true;
}

static jo_status add_table(const work* w, int run) {
  jstudy_job* k = w->k;
  int nout = k->p->sensors.n, nw = w->by->n;
  jreport_sheet* s =
      jstudy_add_sheet(k, jstudy_run_label(k, run), 1 + nout * 4 * (1 + nw), w->o->n);
  double* f = s ? jstudy_add_numbers(k, s, "frequency", "Hz") : NULL;
  bool ok = f;
  if (ok) memcpy(f, w->o->frequency, (size_t)w->o->n * sizeof *f);
  for (int sensor = 0; ok && sensor < nout; sensor++) {
    ok = add_values(w, s, sensor);
    for (int by = 0; ok && by < nw; by++) {
      ok = add_slopes(w, s, sensor, by);
    }
  }
  return ok ? JO_OK : jerr_memory(k->ctx);
}

// ---- runs ----------------------------------------------------------------------------------------

static jo_status run_one(const work* w, int run) {
  jstudy_job* k = w->k;
  double drift;
  JO_TRY(jstudy_begin_run(k, run));
  JO_TRY(jsens_response_find(w->response, k->system->value, w->o->frequency, w->o->n, w->H, w->dH,
                             &drift));
  if (!(drift <= DRIFT)) {
    jerr_warn(k->ctx,
              "%s:%d: response: the state at the start is no equilibrium, within a period of %.3g "
              "Hz it moves by %.2g of itself; let the input stand, or start_at: static",
              k->p->place.file, k->p->place.line, w->o->frequency[0], drift);
  }
  return add_table(w, run);
}

// All of it positive, and of all sizes?
static bool spans_decades(const jreport_plot* f) {
  double least = INFINITY, most = 0.0;
  for (int s = 0; s < f->nseries; s++) {
    for (int i = 0; i < f->series[s].n; i++) {
      least = fmin(least, f->series[s].y[i]);
      most = fmax(most, f->series[s].y[i]);
    }
  }
  return least > 0.0 && most > 100.0 * least;
}

// Magnitude, phase and parts; of derivatives what 1 % of the number changes.
static jo_status plot(const work* w) {
  jstudy_job* k = w->k;
  const jreport_sheet* s = &k->out->sheet[0];
  int n = k->p->sensors.n, per = (s->ncolumn - 1) / n;
  for (int c = 1; c < s->ncolumn; c++) {
    int of = (c - 1) % per;
    if (of >= 4 && of % 4 < 2) continue;
    const char *name = s->column[c].name, *out = k->p->sensors.name[0].text;
    const char* head =
        n > 1 ? name : jarena_printf(k->a, "%s / %s: %s", out, w->o->input.text, name);
    JO_TRY(jstudy_plot_sheets(k, head, 0, c));
    jreport_plot* f = &k->out->figure[k->out->nfigure - 1];
    f->log_x = true;
    f->log_y = of == 0 || (of < 4 && of != 1 && spans_decades(f));
  }
  return JO_OK;
}

static jo_status run_all(work* w) {
  jstudy_job* k = w->k;
  int nout = k->p->sensors.n, nw = w->by->n;
  w->H = JARENA_ARRAY(k->a, (size_t)2 * (size_t)nout * (size_t)w->o->n, double);
  w->dH = JARENA_ARRAY(k->a, (size_t)2 * (size_t)nout * (size_t)w->o->n * (size_t)nw, double);
  if (!w->H || !w->dH) return jerr_memory(k->ctx);
  JO_TRY(jstudy_reserve(k, jstudy_run_count(k), nout * (4 + 2 * nw)));
  for (int i = 0; i < jstudy_run_count(k); i++) {
    JO_TRY(run_one(w, i));
  }
  JO_TRY(plot(w));
  return jstudy_end_runs(k);
}

static const char** texts_of(jarena* a, const jstudy_names* names) {
  const char** text = JARENA_ARRAY(a, names->n, const char*);
  for (int i = 0; text && i < names->n; i++) {
    text[i] = names->name[i].text;
  }
  return text;
}

static jo_status open_response(work* w) {
  jstudy_job* k = w->k;
  const jstudy_part* p = k->p;
  const char** variable = JARENA_ARRAY(k->a, p->nset + 1, const char*);
  jsens_response_options o = {.input = w->o->input.text,
                              .output = texts_of(k->a, &p->sensors),
                              .nout = p->sensors.n,
                              .wrt = texts_of(k->a, &p->wrt),
                              .nwrt = p->wrt.n,
                              .variable = variable};
  if (!variable || !o.output || !o.wrt) return jerr_memory(k->ctx);
  for (int i = 0; i < p->nset; i++) {
    variable[o.nvariable++] = p->set[i].name.text;
  }
  if (p->runs.n > 0) variable[o.nvariable++] = p->runs.name.text;
  int before = jo_context_diagnostic_count(k->ctx);
  jo_status status = jsens_response_open(k->ctx, k->m, &o, &w->response);
  if (status >= 0 || status == JO_ERR_MEMORY) return status;
  const char* why = jarena_strdup(k->a, jo_context_diagnostic(k->ctx, before, NULL));
  if (!why) return jerr_memory(k->ctx);
  jerr_forget(k->ctx, before);
  return jstudy_mistake(k->ctx, p, w->o->input.place, "%s", why);
}

static jo_status run_response(jstudy_job* k) {
  work w = {.k = k, .o = k->p->own};
  JO_TRY(open_response(&w));
  w.by = jsens_response_by(w.response);
  jo_status status = run_all(&w);
  jsens_response_close(w.response);
  return status;
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  (void)m;
  return jarena_printf(a, "Frequency response of %s to %s", jstudy_list_names(a, &p->sensors),
                       ((const own*)p->own)->input.text);
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_TEXT("input"), .is_needed = true,
     .about = "A driven coordinate, a parameter or an input of the model"},
    {JMODEL_KEY_AS("sensors", jstudy_form_names), .is_needed = true,
     .about = "Sensors, coordinates, forces of elements: columns of `jounce run -o`"},
    {JMODEL_KEY_AS("wrt", jstudy_form_names),
     .about = "Parameters to differentiate with respect to: names, paths, patterns"},
    {JMODEL_KEY_AS("for", jstudy_form_runs), .about = "A run for each value"},
    {JMODEL_KEY_NUMBER("from"), .about = "Lowest frequency [Hz]"},
    {JMODEL_KEY_NUMBER("to"), .about = "Highest frequency [Hz]"},
    {.name = "points", .is = JMODEL_A_COUNT | JMODEL_A_TEXT, .about = "61 by default"},
    {JMODEL_KEY_LIST("frequencies", jmodel_form_number, 1, 0), .about = "A list instead [Hz]"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_response = {
    .key = {JMODEL_KEY_MAP("response", keys), .about = "Frequency response with its derivatives"},
    .read = read,
    .needs = {.any = true},
    .check = check,
    .title = title,
    .run = run_response};
