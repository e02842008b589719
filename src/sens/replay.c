// SPDX-License-Identifier: Apache-2.0
// Taking recorded steps again. A step begins with the slope that the one before it ended with: where loops were closed after
// that one, it is the slope of its end before they were, unless it moved noticeably (solve/rk.c).
#include "sens/replay.h"

#include <string.h>

#include "solve/run.h"

static double* slopes_of(const jsens_walk* w, int i) {
  const jsens_segment* p = &w->segment;
  return p->k + (int64_t)(i - p->first) * p->stages * w->ny;
}

// From the step that ended with y, not yet projected, to the start of the next one, with its first slope.
static jo_status begin_next(jsens_walk* w, const jsens_entry* next, double* y, double* first) {
  const jsolve_system* s = &w->run->system;
  if (next->is_drifted) s->rhs(s->user, next->t, y, first);
  JO_TRY(jmachine_close(&w->run->machine, next->t, y));
  if (!next->is_drifted) s->rhs(s->user, next->t, y, first);
  return JO_OK;
}

// One step of the segment; *goes_on: the next one belongs to it, and begins where this one ended.
static jo_status take(jsens_walk* w, const jsens_entry* e, bool* goes_on) {
  jsens_segment* p = &w->segment;
  double *y = p->y + (int64_t)(e->index - p->first) * w->ny, *k = slopes_of(w, e->index);
  JO_TRY(jsens_walk_stages_from(w, e, y, e->slopes, p->has_first ? k : e->first));
  for (int i = 0; i < p->stages; i++) {
    if (w->k[i] != k + i * w->ny) memcpy(k + i * w->ny, w->k[i], (size_t)w->ny * sizeof *k);
  }
  p->n++;
  p->has_first = !e->is_implicit;
  int i = e->index + 1;
  *goes_on = i < w->record->nentry && jsens_record_is_step(w->record, i);
  if (!*goes_on) return JO_OK;
  jsens_entry next = jsens_record_entry(w->record, i);
  *goes_on = next.y == NULL;
  if (!*goes_on) return JO_OK;
  JO_TRY(jsens_walk_end_stages(w, e, y, y + w->ny));
  if (e->is_implicit) return jmachine_close(&w->run->machine, e->t1, y + w->ny);
  JO_TRY(begin_next(w, &next, y + w->ny, slopes_of(w, i)));
  jsolve_hold(&w->run->system, y, y + w->ny);
  return JO_OK;
}

// All steps from the stored state before entry i to the next stored one.
static jo_status take_segment(jsens_walk* w, int i) {
  jsens_segment* p = &w->segment;
  jsens_entry e = jsens_record_entry(w->record, i);
  while (!e.y) {
    e = jsens_record_entry(w->record, e.index - 1);
  }
  p->first = e.index;
  p->n = 0;
  p->has_first = false;
  memcpy(p->y, e.y, (size_t)w->ny * sizeof *e.y);
  jsens_walk_set_epoch(w, e.epoch);
  jo_status status = JO_OK;
  for (bool goes_on = true; status >= 0 && goes_on;) {
    status = take(w, &e, &goes_on);
    if (goes_on) e = jsens_record_entry(w->record, e.index + 1);
  }
  if (status < 0) p->first = -1;
  return status;
}

jo_status jsens_replay_state(jsens_walk* w, int i, const double** y) {
  jsens_segment* p = &w->segment;
  if (!jsens_segment_has(p, i)) {
    jsens_entry e = jsens_record_entry(w->record, i);
    *y = e.y;
    // a stored state whose slopes are not is the first of a segment
    if (e.y && (e.slopes || w->record->stride == 1)) return JO_OK;
    JO_TRY(take_segment(w, i));
  }
  *y = p->y + (int64_t)(i - p->first) * w->ny;
  return JO_OK;
}

jo_status jsens_replay_after(jsens_walk* w, int i, const double** y) {
  *y = w->record->y_end;
  if (i + 1 == w->record->nentry) return JO_OK;
  jsens_entry next = jsens_record_entry(w->record, i + 1);
  *y = next.y;
  return next.y ? JO_OK : jsens_replay_state(w, i + 1, y);
}
