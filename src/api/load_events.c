// SPDX-License-Identifier: Apache-2.0
// The public face of recorded events: their peaks again, with other parameters, by integration or on
// surfaces of peak load.
#include <float.h>
#include <math.h>
#include <string.h>

#include "api/loads_handle.h"
#include "base/file.h"
#include "base/require.h"
#include "loads/surface.h"
#include "report/load_events.h"

#define WINDOW      0.1   // [s]
#define LONGER      1.25  // than the event was: a softer element takes longer
#define MANY        60    // events of an element worth a surface: more than its nodes
#define CHECK_EVERY 8     // of the interpolated events
#define TRUSTED     0.05  // a surface whose checks are off by no more than this

struct jo_load_events {
  jo_context* ctx;
  jarena arena;
  jreport_load_events file;
  jo_model* model;
  jo_loads* loads;
  int* element;  // by event; -1: none
  double *peak, *t_peak;
  bool* interpolated;
};

// ---- the file and its model ----------------------------------------------------------------------

// "name=value, name=value": a comma that no name and '=' follow belongs to the value.
static bool begins_setting(const char* s) {
  size_t n = 0;
  while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
         (s[n] >= '0' && s[n] <= '9') || (s[n] && strchr("_.[]", s[n]))) {
    n++;
  }
  return n > 0 && s[n] == '=' && s[n + 1] != '=';
}

static jo_status split_settings(jo_load_events* v, const jo_setting* set, int nset,
                                jo_setting** out, int* nout) {
  char* text = jarena_strdup(&v->arena, v->file.settings);
  int cap = nset + 1;
  for (const char* s = text; s && *s; s++) {
    cap += *s == '=';
  }
  *out = JARENA_ARRAY(&v->arena, cap, jo_setting);
  if (!text || !*out) return jerr_memory(v->ctx);
  *nout = 0;
  for (char* at = text; *at;) {
    char* end = at;
    while (*end && !(end[0] == ',' && end[1] == ' ' && begins_setting(end + 2))) {
      end++;
    }
    char *next = *end ? end + 2 : end, *equals = strchr(at, '=');
    *end = 0;
    if (equals) {
      *equals = 0;
      (*out)[(*nout)++] = (jo_setting){at, equals + 1};
    }
    at = next;
  }
  for (int i = 0; i < nset; i++) {
    (*out)[(*nout)++] = set[i];
  }
  return JO_OK;
}

// The model as found from the folder of the events; beside them, where both were gathered; from the
// current folder, as files of older versions mean it.
static jo_status find_model(jo_load_events* v, const char* path, const char** out) {
  const char *model = v->file.model, *slash = strrchr(model, '/'),
             *name = slash ? slash + 1 : model;
  const char* const place[] = {jfile_beside(&v->arena, path, model),
                               jfile_beside(&v->arena, path, name), model};
  if (!place[0] || !place[1]) return jerr_memory(v->ctx);
  if (!*model) return jerr_set(v->ctx, JO_ERR_MODEL, "%s: does not say which model it is of", path);
  for (int i = 0; i < 3; i++) {
    *out = place[i];
    if (jfile_exists(place[i])) return JO_OK;
  }
  return jerr_set(
      v->ctx, JO_ERR_FILE,
      "%s: the model of the events is gone: there is no %s and no %s; hint: put its file "
      "beside the events, or run the loads again",
      path, place[0], place[1]);
}

// Loads depend on what moves; filters and integrals only look on, and had other names once.
static jo_status match_states(jo_load_events* v, const char* path) {
  const jgen_layout* y = &v->loads->loads->plant->dynamics->layout;
  bool same = y->ny == v->file.ny;
  for (int i = 0; same && i < jgen_first(y, JGEN_FILTER); i++) {
    same = strcmp(v->file.state[i], y->name[i]) == 0;
  }
  if (same) return JO_OK;
  return jerr_set(v->ctx, JO_ERR_MODEL,
                  "%s: the states of the model are not those of the events any more; run the "
                  "loads again",
                  path);
}

static jo_status match_elements(jo_load_events* v) {
  int n = v->file.n;
  v->element = JARENA_ARRAY(&v->arena, n + 1, int);
  v->peak = JARENA_ARRAY(&v->arena, n + 1, double);
  v->t_peak = JARENA_ARRAY(&v->arena, n + 1, double);
  v->interpolated = JARENA_ARRAY(&v->arena, n + 1, bool);
  if (!v->element || !v->peak || !v->t_peak || !v->interpolated) return jerr_memory(v->ctx);
  for (int i = 0; i < n; i++) {
    v->element[i] = -1;
    v->peak[i] = v->t_peak[i] = NAN;
    for (int e = 0; e < v->loads->loads->ne; e++) {
      if (strcmp(v->loads->loads->name[e], v->file.event[i].element) == 0) v->element[i] = e;
    }
  }
  return JO_OK;
}

static jo_status open_events(jo_load_events* v, const char* path, const jo_setting* set, int nset,
                             const jo_system_options* opt) {
  JO_TRY(jreport_load_events_read(v->ctx, &v->arena, path, &v->file));
  jo_setting* all = NULL;
  int n = 0;
  JO_TRY(split_settings(v, set, nset, &all, &n));
  const char* model = NULL;
  JO_TRY(find_model(v, path, &model));
  JO_TRY(jo_model_load(v->ctx, model, all, n, &v->model));
  if (strcmp(jo_model_sha256(v->model), v->file.sha256) != 0) {
    jerr_warn(
        v->ctx,
        "%s: the model file %s has changed since the events were recorded; hint: run the loads "
        "again",
        path, model);
  }
  JO_TRY(jo_loads_create(v->ctx, v->model, opt, &v->loads));
  JO_TRY(match_states(v, path));
  return match_elements(v);
}

jo_status jo_load_events_open(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                              const jo_system_options* opt, jo_load_events** out) {
  JO_REQUIRE_OUT(out, ctx, path);
  JO_REQUIRE_LIST(ctx, set, nset);
  jo_load_events* v = jmem_resize(ctx, NULL, sizeof *v);
  if (!v) return jerr_memory(ctx);
  *v = (jo_load_events){.ctx = ctx};
  jarena_init(&v->arena, ctx);
  jo_status status = open_events(v, path, set, nset, opt);
  if (status < 0) {
    jo_load_events_destroy(v);
    return status;
  }
  *out = v;
  return JO_OK;
}

void jo_load_events_destroy(jo_load_events* events) {
  if (!events) return;
  jo_loads_destroy(events->loads);
  jo_model_destroy(events->model);
  jarena_free(&events->arena);
  jmem_free(events->ctx, events);
}

const jo_model* jo_load_events_model(const jo_load_events* events) {
  JO_REQUIRE_OR(NULL, events);
  return events->model;
}

// ---- reconstruction ------------------------------------------------------------------------------

jo_reconstruct_options jo_reconstruct_options_default(void) {
  return (jo_reconstruct_options){.window = NAN};
}

typedef struct reconstruction {
  jo_context* ctx;
  jo_load_events* v;
  const jo_reconstruct_options* opt;
  double window;
  double* peak;  // scratch (2 ne)
  jo_reconstruction* out;
} reconstruction;

// Impulsive events know their beginning only.
static double window_of(const reconstruction* g, const jreport_load_event* e) {
  bool impulsive = strcmp(g->v->file.driver, "impulsive") == 0;
  double length = impulsive ? g->window : LONGER * (e->t1 - e->t0);
  return fmin(g->window, length);
}

static bool is_wanted(const reconstruction* g, int i) {
  return g->v->element[i] >= 0;
}

static jo_status integrate(reconstruction* g, int i, double* peak, double* t_peak) {
  const jreport_load_event* e = &g->v->file.event[i];
  const jloads* l = g->v->loads->loads;
  JO_TRY(
      jloads_reconstruct(g->ctx, l, NULL, e->t0, e->y, window_of(g, e), g->peak, g->peak + l->ne));
  *peak = g->peak[g->v->element[i]];
  *t_peak = g->peak[l->ne + g->v->element[i]];
  return JO_OK;
}

// Events of an element that a surface may serve: those that begin with the coordinate moving.
static int gather(const reconstruction* g, int e, int c, jloads_surface* s, int* middle) {
  const jgen_layout* y = &g->v->loads->loads->plant->dynamics->layout;
  int n = 0;
  for (int i = 0; i < g->v->file.n; i++) {
    if (g->v->element[i] != e || !is_wanted(g, i)) continue;
    const double* y0 = g->v->file.event[i].y;
    double q = y0[jgen_first(y, JGEN_QU) + c], qd = y0[jgen_first(y, JGEN_QDU) + c];
    s->q[0] = n == 0 ? q : fmin(s->q[0], q);
    s->q[1] = n == 0 ? q : fmax(s->q[1], q);
    s->qd[0] = n == 0 ? qd : fmin(s->qd[0], qd);
    s->qd[1] = n == 0 ? qd : fmax(s->qd[1], qd);
    n++;
  }
  // the rest of the state is that of the event in the middle of all
  int k = 0;
  for (int i = 0; i < g->v->file.n; i++) {
    if (g->v->element[i] == e && is_wanted(g, i) && k++ == n / 2) *middle = i;
  }
  return n;
}

static double largest_node(const jloads_surface* s) {
  double largest = DBL_MIN;
  for (int i = 0; i < JLOADS_SURFACE_SIDE * JLOADS_SURFACE_SIDE; i++) {
    largest = fmax(largest, fabs(s->peak[i]));
  }
  return largest;
}

// Some of the interpolated events are integrated too. Where that does not agree the rest of the state
// matters as well, and the surface is not used.
static jo_status check_surface(reconstruction* g, const jloads_surface* s) {
  jo_load_events* v = g->v;
  int checked = 0, k = 0;
  double mismatch = 0.0, peak, t;
  for (int i = 0; i < v->file.n; i++) {
    if (v->element[i] != s->element || !is_wanted(g, i) || k++ % CHECK_EVERY != 0) continue;
    JO_TRY(integrate(g, i, &peak, &t));
    mismatch = fmax(mismatch, fabs(peak - v->peak[i]) / largest_node(s));
    checked++;
  }
  bool refused = !(mismatch <= TRUSTED);
  for (int i = 0; refused && i < v->file.n; i++) {
    if (v->element[i] == s->element) v->interpolated[i] = false;
  }
  g->out->refused += refused;
  g->out->surfaces += !refused;
  if (refused) return JO_OK;
  g->out->events += k;
  g->out->checked += checked;
  g->out->mismatch = fmax(g->out->mismatch, mismatch);
  return JO_OK;
}

static jo_status interpolate(reconstruction* g, int e) {
  const jgen_layout* y = &g->v->loads->loads->plant->dynamics->layout;
  int c = g->v->loads->loads->coordinate[e], middle = 0;
  jloads_surface s = {.element = e, .coordinate = c};
  if (c < 0 || gather(g, e, c, &s, &middle) < MANY) return JO_OK;
  const jreport_load_event* base = &g->v->file.event[middle];
  JO_TRY(jloads_surface_build(g->ctx, g->v->loads->loads, NULL, base->t0, base->y,
                              window_of(g, base), &s));
  g->out->nodes += JLOADS_SURFACE_SIDE * JLOADS_SURFACE_SIDE;
  for (int i = 0; i < g->v->file.n; i++) {
    if (g->v->element[i] != e || !is_wanted(g, i)) continue;
    const jreport_load_event* v = &g->v->file.event[i];
    double t;
    g->v->peak[i] = jloads_surface_peak(&s, v->y[jgen_first(y, JGEN_QU) + c],
                                        v->y[jgen_first(y, JGEN_QDU) + c], &t);
    g->v->t_peak[i] = v->t0 + t;
    g->v->interpolated[i] = true;
  }
  return check_surface(g, &s);
}

static jo_status reconstruct(reconstruction* g) {
  jo_load_events* v = g->v;
  for (int i = 0; i < v->file.n; i++) {
    v->peak[i] = v->t_peak[i] = NAN;
    v->interpolated[i] = false;
  }
  for (int e = 0; g->opt->surface && e < v->loads->loads->ne; e++) {
    JO_TRY(interpolate(g, e));
  }
  for (int i = 0; i < v->file.n; i++) {
    if (v->interpolated[i] || !is_wanted(g, i)) continue;
    JO_TRY(integrate(g, i, &v->peak[i], &v->t_peak[i]));
    g->out->events++;
    g->out->integrated++;
  }
  return JO_OK;
}

jo_status jo_load_events_reconstruct(jo_context* ctx, jo_load_events* events,
                                     const jo_reconstruct_options* opt, jo_reconstruction* out) {
  JO_REQUIRE(ctx, events);
  jo_reconstruct_options defaults = jo_reconstruct_options_default();
  jo_reconstruction count = {0};
  reconstruction g = {.ctx = ctx, .v = events, .opt = opt ? opt : &defaults, .out = &count};
  g.window = isnan(g.opt->window) ? WINDOW : g.opt->window;
  if (!(g.window > 0.0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "window %g s: must be more than 0", g.window);
  }
  g.peak = jmem_resize(ctx, NULL, (size_t)(2 * events->loads->loads->ne + 1) * sizeof *g.peak);
  if (!g.peak) return jerr_memory(ctx);
  jo_status status = reconstruct(&g);
  jmem_free(ctx, g.peak);
  if (status >= 0 && out) *out = count;
  return status;
}

int jo_load_events_count(const jo_load_events* events) {
  JO_REQUIRE_OR(0, events);
  return events->file.n;
}

jo_status jo_load_events_at(const jo_load_events* events, int i, jo_load_event_again* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, events, out);
  if (i < 0 || i >= events->file.n) return JO_ERR_ARGUMENT;
  const jreport_load_event* e = &events->file.event[i];
  const jgen_dynamics* d = events->loads->loads->plant->dynamics;
  jo_loads_event then = {.t0 = e->t0,
                         .t1 = e->t1,
                         .element = e->element,
                         .coordinate = e->coordinate,
                         .position = NAN,
                         .speed = NAN,
                         .impulse = e->impulse,
                         .peak = e->peak,
                         .t_peak = e->t_peak,
                         .doubt = e->doubt};
  for (int k = 0; k < d->part.nu; k++) {
    if (strcmp(jloads_coordinate_name(events->loads->loads, k), e->coordinate) != 0) continue;
    then.position = e->y[jgen_first(&d->layout, JGEN_QU) + k];
    then.speed = e->y[jgen_first(&d->layout, JGEN_QDU) + k];
  }
  *out = (jo_load_event_again){then, events->peak[i], events->t_peak[i], events->interpolated[i]};
  return JO_OK;
}
