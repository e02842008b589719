// SPDX-License-Identifier: Apache-2.0
// Files of load prediction: histories in the formats of results, events with their states, plots as SVG.
#include <math.h>
#include <string.h>

#include "api/loads_handle.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "jounce/formats.h"
#include "report/format/table.h"
#include "report/load_events.h"
#include "report/plot/svg_plot.h"
#include "report/rainflow.h"

#define MAX_POINTS  4000  // of a line in a plot
#define MAX_CLASSES 1000  // of a matrix of cycle counts

enum { NNOTE = 9 };

static void fill_notes(const jo_loads_result* r, jreport_note note[NNOTE]) {
  const jo_model* m = r->system->model;
  const jreport_note list[NNOTE] = {
      {"jounce", "", JREPORT_TEXT, jo_version(), 0.0, 0},
      {"model", "", JREPORT_TEXT, jo_model_name(m), 0.0, 0},
      {"file", "", JREPORT_TEXT, jo_model_path(m), 0.0, 0},
      {"sha256", "", JREPORT_TEXT, jo_model_sha256(m), 0.0, 0},
      {"settings", "", JREPORT_TEXT, r->kept.settings, 0.0, 0},
      {"driver", "", JREPORT_TEXT, r->choice.driver, 0.0, 0},
      {"rate", "Hz", JREPORT_REAL, "", r->choice.rate, 0},
      {"tolerance", "", JREPORT_REAL, "", r->choice.tolerance, 0},
      {"evaluations", "", JREPORT_REAL, "", r->result->statistics.evaluations, 0},
  };
  memcpy(note, list, sizeof list);
}

static jo_status save_histories(jo_context* ctx, jarena* a, const jo_loads_result* r,
                                const char* path) {
  jreport_note note[NNOTE];
  fill_notes(r, note);
  const jloads* l = r->system->loads;
  int ne = l->ne;
  jplant_quantity* column = JARENA_ARRAY(a, 1 + ne, jplant_quantity);
  if (!column) return jerr_memory(ctx);
  column[0] = (jplant_quantity){"t", "s", "time", NAN};
  for (int e = 0; e < ne; e++) {
    column[1 + e] = (jplant_quantity){l->name[e], l->unit[e], "", NAN};
  }
  jreport_table table = {.note = note,
                         .nnote = NNOTE,
                         .column = column,
                         .ncolumn = 1 + ne,
                         .nrow = r->result->nsample,
                         .row = r->result->sample,
                         .has_time = true};
  if (jreport_is_format(&table, path)) return jreport_save(ctx, &table, path);
  return jerr_set(ctx, JO_ERR_ARGUMENT,
                  "%s: cannot tell what to write: the name must end in one of " JO_HISTORY_ENDINGS
                  ".events",
                  path);
}

static jo_status save_events(jo_context* ctx, jarena* a, const jo_loads_result* r,
                             const char* path) {
  const jo_model* m = r->system->model;
  const char* model = jreport_load_events_name_model(a, m->place, path);
  if (!model) return jerr_memory(ctx);
  jreport_load_events e = {.model = model,
                           .sha256 = jo_model_sha256(m),
                           .set = r->kept.set,
                           .nset = r->kept.nset,
                           .driver = r->choice.driver,
                           .rate = r->choice.rate,
                           .ny = r->result->ny,
                           .state = r->system->loads->plant->dynamics->layout.name};
  e.event = JARENA_ARRAY(a, r->result->nevent, jreport_load_event);
  if (!e.event) return jerr_memory(ctx);
  for (int i = 0; i < r->result->nevent; i++) {
    jo_loads_event v = japi_loads_event(r, i);
    if (r->result->event[i].continues) continue;
    e.event[e.n++] = (jreport_load_event){v.element, v.coordinate, v.t0,
                                          v.t1,      v.impulse,    v.peak,
                                          v.t_peak,  v.doubt,      r->result->event[i].y0};
  }
  return jreport_load_events_write(ctx, &e, path);
}

jo_status jo_loads_save(jo_context* ctx, const jo_loads_result* result, const char* path) {
  JO_REQUIRE(ctx, result, path);
  jarena a;
  jarena_init(&a, ctx);
  jo_status status;
  if (jtext_ends_in(path, ".events")) {
    status = save_events(ctx, &a, result, path);
  } else {
    status = save_histories(ctx, &a, result, path);
  }
  jarena_free(&a);
  return status;
}

jo_status jo_loads_rainflow_save(jo_context* ctx, const jo_loads_result* result, int nclass,
                                 const char* path) {
  JO_REQUIRE(ctx, result, path);
  if (nclass < 1 || nclass > MAX_CLASSES) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: %d classes are asked for; from 1 to %d are possible",
                    path, nclass, MAX_CLASSES);
  }
  jreport_note note[NNOTE + 1];
  fill_notes(result, note);
  note[NNOTE] = (jreport_note){"classes", "", JREPORT_COUNT, "", 0.0, nclass};
  const jloads* l = result->system->loads;
  jreport_rainflow r = {.note = note,
                        .nnote = NNOTE + 1,
                        .evaluation = &result->evaluation,
                        .name = l->name,
                        .unit = l->unit,
                        .nelement = l->ne,
                        .nclass = nclass};
  return jreport_rainflow_save(ctx, &r, path);
}

// ---- plots ---------------------------------------------------------------------------------------

// Samples between the times, in thousands; of too many only some.
static jo_status add_series(jo_context* ctx, jarena* a, const jo_loads_plot* p, int k, int e,
                            jreport_series* out) {
  const jloads_result* r = p->result[k]->result;
  size_t width = (size_t)(1 + r->ne);
  int first = 0, last = 0;
  while (first < r->nsample && r->sample[(size_t)first * width] < p->t0_s) {
    first++;
  }
  for (last = first; last < r->nsample && r->sample[(size_t)last * width] <= p->t1_s;) {
    last++;
  }
  int stride = 1 + (last - first) / MAX_POINTS;
  double* x = JARENA_ARRAY(a, (last - first) / stride + 1, double);
  double* y = JARENA_ARRAY(a, (last - first) / stride + 1, double);
  if (!x || !y) return jerr_memory(ctx);
  *out = (jreport_series){.name = p->label[k], .x = x, .y = y};
  for (int i = first; i < last; i += stride) {
    x[out->n] = r->sample[(size_t)i * width];
    y[out->n++] = 1e-3 * r->sample[(size_t)i * width + 1 + (size_t)e];
  }
  out->has_marks = out->n < 100;
  return JO_OK;
}

static jo_status draw(jo_context* ctx, jarena* a, const jo_loads_plot* p, int e, const char* path) {
  jreport_series* series = JARENA_ARRAY(a, p->nresult, jreport_series);
  if (!series) return jerr_memory(ctx);
  for (int k = 0; k < p->nresult; k++) {
    JO_TRY(add_series(ctx, a, p, k, e, &series[k]));
  }
  const jo_loads_result* r = p->result[0];
  jreport_plot plot = {.title = p->title,
                       .subtitle = r->kept.settings,
                       .x_label = "t [s]",
                       .series = series,
                       .nseries = p->nresult};
  plot.y_label = jarena_printf(a, "%s [k%s]", p->element, r->system->loads->unit[e]);
  if (!plot.y_label) return jerr_memory(ctx);
  jtext t;
  jtext_init(&t, ctx);
  jreport_svg_plot(&t, &plot);
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}

jo_status jo_loads_plot_save(jo_context* ctx, const jo_loads_plot* plot, const char* path) {
  JO_REQUIRE(ctx, plot, path);
  JO_REQUIRE(ctx, plot->title, plot->element, plot->result, plot->label);
  JO_REQUIRE_TEXTS(ctx, plot->label, plot->nresult);
  for (int i = 0; i < plot->nresult; i++) {
    JO_REQUIRE(ctx, plot->result[i]);
  }
  int e =
      plot->nresult > 0 ? jloads_find_element(plot->result[0]->system->loads, plot->element) : -1;
  if (e < 0) return jerr_set(ctx, JO_ERR_ARGUMENT, "no element is named '%.80s'", plot->element);
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = draw(ctx, &a, plot, e, path);
  jarena_free(&a);
  return status;
}
