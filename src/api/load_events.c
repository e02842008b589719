// SPDX-License-Identifier: Apache-2.0
// The public face of recorded events: their peaks with other parameters.
#include <math.h>
#include <string.h>

#include "api/loads_handle.h"
#include "base/require.h"
#include "loads/replay.h"
#include "report/load_events.h"

struct jo_load_events {
  jo_context* ctx;
  jarena arena;
  jreport_load_events file;
  jo_model* model;
  jo_system* system;
  jloads_recorded* event;  // as in the file
};

// ---- the file and its model ----------------------------------------------------------------------

// With the settings of then, and these on top.
static jo_status load_model(jo_load_events* v, const char* path, const jo_setting* set, int nset) {
  const jreport_load_events* file = &v->file;
  const char* model = NULL;
  JO_TRY(jreport_load_events_find_model(v->ctx, &v->arena, file, path, &model));
  jo_setting* all = JARENA_ARRAY(&v->arena, file->nset + nset, jo_setting);
  if (!all) return jerr_memory(v->ctx);
  for (int i = 0; i < file->nset; i++) {
    all[i] = (jo_setting){file->set[i].name, file->set[i].value};
  }
  for (int i = 0; i < nset; i++) {
    all[file->nset + i] = set[i];
  }
  JO_TRY(jo_model_load(v->ctx, model, all, file->nset + nset, &v->model));
  if (strcmp(jo_model_sha256(v->model), file->sha256) != 0) {
    jerr_warn(
        v->ctx,
        "%s: the model file %s has changed since the events were recorded; hint: run the loads "
        "again",
        path, model);
  }
  return JO_OK;
}

static jo_status take_events(jo_load_events* v) {
  v->event = JARENA_ARRAY(&v->arena, v->file.n, jloads_recorded);
  if (!v->event) return jerr_memory(v->ctx);
  for (int i = 0; i < v->file.n; i++) {
    const jreport_load_event* e = &v->file.event[i];
    v->event[i] = (jloads_recorded){.element = jloads_find_element(v->system->loads, e->element),
                                    .t0 = e->t0,
                                    .t1 = e->t1,
                                    .y = e->y,
                                    .peak = NAN,
                                    .t_peak = NAN};
  }
  return JO_OK;
}

static jo_status open_events(jo_load_events* v, const char* path, const jo_setting* set, int nset,
                             const jo_system_options* opt) {
  JO_TRY(jreport_load_events_read(v->ctx, &v->arena, path, &v->file));
  JO_TRY(load_model(v, path, set, nset));
  jo_system_options use = opt ? *opt : jo_system_options_default();
  use.use = JO_USE_LOADS;
  JO_TRY(jo_system_create(v->ctx, v->model, &use, &v->system));
  JO_TRY(jloads_replay_check_states(v->ctx, v->system->loads, path, v->file.state, v->file.ny));
  return take_events(v);
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
  jo_system_destroy(events->system);
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
  return (jo_reconstruct_options){.window_s = NAN};
}

jo_status jo_load_events_reconstruct(jo_context* ctx, jo_load_events* events,
                                     const jo_reconstruct_options* opt, jo_reconstruction* out) {
  JO_REQUIRE(ctx, events);
  jo_reconstruct_options chosen = opt ? *opt : jo_reconstruct_options_default();
  jloads_replay_options o = {events->file.driver, chosen.window_s, chosen.surface != 0};
  jloads_replay_counts n;
  JO_TRY(jloads_replay(ctx, events->system->loads, &o, events->event, events->file.n, &n));
  if (out) {
    *out = (jo_reconstruction){n.events, n.integrated, n.surfaces, n.refused,
                               n.nodes,  n.checked,    n.mismatch};
  }
  return JO_OK;
}

int jo_load_events_count(const jo_load_events* events) {
  JO_REQUIRE_OR(0, events);
  return events->file.n;
}

jo_status jo_load_events_at(const jo_load_events* events, int i, jo_load_event_again* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, events, out);
  if (i < 0 || i >= events->file.n) return JO_ERR_ARGUMENT;
  const jloads* l = events->system->loads;
  const jreport_load_event* e = &events->file.event[i];
  const jloads_recorded* v = &events->event[i];
  int c = jloads_find_coordinate(l, e->coordinate);
  out->then = (jo_loads_event){.t0 = e->t0,
                               .t1 = e->t1,
                               .element = e->element,
                               .coordinate = e->coordinate,
                               .position = jloads_position(l, e->y, c),
                               .speed = jloads_speed(l, e->y, c),
                               .impulse = e->impulse,
                               .peak = e->peak,
                               .t_peak = e->t_peak,
                               .doubt = e->doubt};
  out->peak = v->peak;
  out->t_peak = v->t_peak;
  out->interpolated = v->is_interpolated;
  return JO_OK;
}
