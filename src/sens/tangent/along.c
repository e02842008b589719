// SPDX-License-Identifier: Apache-2.0
// Walking along with a run. A step is walked when it was accepted, but for the stages of its first pack, which came with those
// of the run; an event when the next step begins, since those at the same instant belong together. Steps that end
// at an event were looked for without derivatives: only their first stage is there. Implicit steps are walked as a whole.
//
// Where something goes wrong the run goes on alone, and the walk behind it tells, as if there had been none before.
#include "sens/tangent/along.h"

#include <string.h>

bool jsens_along_can(jsens_method method, const jsens_options* opt) {
  const jsolve_tableau* tab = jsolve_tableau_find(opt->solve.method);
  bool is_explicit = tab && tab->gamma == 0.0 && tab->local_gamma == 0.0;
  return method == JSENS_DIRECT && is_explicit && !opt->observer;
}

void jsens_along_stop(jsens_along* a) {
  a->has_stopped = true;
}

static jo_status begin(jsens_along* a, const jsens_record* record, const jsens_options* opt) {
  const jplant* p = a->sens->plant;
  JO_TRY(jplant_work_create(a->ctx, p, opt->p, &a->work));
  a->is_begun = true;
  JO_TRY(jsens_walk_begin(&a->walk, a->ctx, a->sens, a->work, record, opt, a->out));
  a->walk.S0 = a->out->S0;
  a->direct = (jsens_direct){.w = &a->walk};
  return jsens_direct_begin(&a->direct);
}

jo_status jsens_along_begin(jsens_along* a, jo_context* ctx, const jsens* s,
                            const jsolve_system* system, const jsens_record* record,
                            const jsens_options* opt, jsens_result* out) {
  *a = (jsens_along){.ctx = ctx, .sens = s, .system = system, .out = out};
  return begin(a, record, opt);
}

void jsens_along_end(jsens_along* a) {
  if (a->is_begun) {
    jsens_direct_release(&a->direct);
    jsens_walk_end(&a->walk);
  }
  jplant_work_destroy(a->work);
}

// Room for events of the result.
static bool reserve_events(jsens_along* a, int n) {
  jsens_result* out = a->out;
  if (n <= a->event_cap) return true;
  int cap = n > 2 * a->event_cap ? n : 2 * a->event_cap;
  jsens_event* event = JARENA_ARRAY(&out->arena, cap, jsens_event);
  if (!event) return false;
  if (a->event_cap > 0) memcpy(event, out->event, (size_t)a->event_cap * sizeof *event);
  for (int i = a->event_cap; i < cap; i++) {
    event[i].dt = JARENA_ARRAY(&out->arena, out->nw, double);
    if (!event[i].dt) return false;
  }
  out->event = event;
  a->event_cap = cap;
  return true;
}

// Events that were recorded since the last step.
static jo_status take_events(jsens_along* a, int end) {
  const jsens_record* r = a->walk.record;
  JO_TRY(r->status);  // there was no memory for all of them
  if (!reserve_events(a, r->nflip) || !jsens_direct_reserve(&a->direct)) return jerr_memory(a->ctx);
  a->walk.at_hand = a->next;
  for (; a->next < end; a->next++) {
    jsens_entry e = jsens_record_entry(r, a->next);
    JO_TRY(jsens_direct_event(&a->direct, &e));
  }
  return JO_OK;
}

// What fails here fails again when the run has ended, and is told then; but where there is no memory it ends at once.
static void give_up(jsens_along* a, jo_status status, int said) {
  jsens_along_stop(a);
  if (status == JO_ERR_MEMORY) a->status = status;
  if (status != JO_ERR_MEMORY) jerr_forget(a->ctx, said);
}

static bool catch_up(jsens_along* a, int end) {
  int said = jo_context_diagnostic_count(a->ctx);
  if (a->has_stopped || a->next >= end) return !a->has_stopped;
  jo_status status = take_events(a, end);
  if (status < 0) give_up(a, status, said);
  return status >= 0;
}

// ---- steps -----------------------------------------------------------------------------------------

// The first stage of a step, of whichever length.
static bool begin_step(jsens_along* a, const jsolve_stage* s) {
  jsens_walk* w = &a->walk;
  size_t bytes = (size_t)w->ny * sizeof *s->y0;
  if (!catch_up(a, w->record->nentry)) return false;
  if (a->done > 0) return true;
  jsens_walk_set_epoch(w, w->record->nepoch - 1);
  memcpy(a->direct.y, s->y0, bytes);
  memcpy(w->Y[0], s->y0, bytes);
  jsens_direct_stage(&a->direct, &w->scheme[0], 0, 0, s->t0, 0.0);
  memcpy(w->k[0], s->k[0], bytes);
  return true;
}

static void follow(jsens_along* a, const jsolve_stage* s) {
  jsens_walk* w = &a->walk;
  size_t bytes = (size_t)w->ny * sizeof *s->y;
  memcpy(w->Y[s->i], s->y, bytes);
  jsens_direct_stage(&a->direct, &w->scheme[0], 0, s->i, s->t, s->t1 - s->t0);
  memcpy(s->k[s->i], w->k[s->i], bytes);
  a->done = s->i + 1;
  a->t1 = s->t1;
}

void jsens_along_stage(jsens_along* a, const jsolve_stage* s) {
  if (!a->has_stopped && (s->i > 1 || begin_step(a, s))) {
    follow(a, s);
  } else {
    a->system->rhs(a->system->user, s->t, s->y, s->k[s->i]);
  }
}

// What the walk needs of implicit steps; *is_there: their slopes are stored, too.
static jo_status prepare_implicit(jsens_along* a, const jsens_entry* e, bool* is_there) {
  const jsolve_system* s = &a->work->system;
  jsens_direct_settle(&a->direct);
  *is_there = e->slopes != NULL;
  return *is_there && !s->jacobian ? s->prepare_jacobian(s->user) : JO_OK;
}

// The step that was recorded last.
static jo_status take_step(jsens_along* a, const jsolve_step* step) {
  jsens_walk* w = &a->walk;
  int stages = w->scheme[0].tab->stages;
  jsens_entry e = jsens_record_entry(w->record, a->next++);
  bool is_whole = a->done == stages && a->t1 == step->t1;
  int done = is_whole ? stages : a->done > 0 ? 1 : 0;
  bool is_there = true;
  if (!jsens_direct_reserve(&a->direct)) return jerr_memory(a->ctx);
  if (e.is_implicit) JO_TRY(prepare_implicit(a, &e, &is_there));
  if (!is_there) jsens_along_stop(a);
  if (!is_there) return JO_OK;
  a->done = 0;
  jsens_walk_set_epoch(w, e.epoch);
  memcpy(a->direct.y, step->y0, (size_t)w->ny * sizeof *step->y0);
  return jsens_direct_step(&a->direct, &e, done, step->k[0], step->y1);
}

jo_status jsens_along_step(jsens_along* a, const jsolve_step* step) {
  if (!catch_up(a, a->walk.record->nentry - 1)) return a->status;
  int said = jo_context_diagnostic_count(a->ctx);
  jo_status status = take_step(a, step);
  if (status < 0) give_up(a, status, said);
  return a->status;
}

jo_status jsens_along_finish(jsens_along* a, bool* is_done) {
  const jsens_record* r = a->walk.record;
  *is_done = catch_up(a, r->nentry);
  JO_TRY(a->status);
  if (!*is_done) return JO_OK;
  a->out->nevent = a->direct.nevent;
  return jsens_direct_finish(&a->direct);
}
