// SPDX-License-Identifier: Apache-2.0
// Events with resets. docs/theory/discrete.md eqs. (E1), (E2).
#include "gen/switch/events.h"

#include <string.h>

#include "gen/loop/reduction.h"

// ---- registering ---------------------------------------------------------------------------------

// Room for one more in an array of the arena.
static bool grow(jgen* s, void** list, int n, size_t size) {
  if (n & (n - 1)) return true;  // room is there up to the next power of two
  void* more = jarena_array(s->a, n > 0 ? 2 * (size_t)n : 1, size);
  if (!more) {
    s->g->status = jerr_memory(s->ctx);
    return false;
  }
  if (n > 0) memcpy(more, *list, (size_t)n * size);
  *list = more;
  return true;
}

int jgen_event_add(jgen* s, const char* name, jexpr_ref when) {
  if (!grow(s, (void**)&s->event, s->nevent, sizeof *s->event)) return -1;
  s->event[s->nevent] = (jgen_event){.name = name, .when = when};
  return s->nevent++;
}

void jgen_event_set(jgen* s, int event, jmodel_target target, int index, jexpr_ref value) {
  if (event < 0) return;
  jgen_event* e = &s->event[event];
  if (!grow(s, (void**)&e->set, e->nset, sizeof *e->set)) return;
  e->set[e->nset++] = (jgen_set){target, index, value};
}

// ---- events of the file --------------------------------------------------------------------------

// A condition that nothing moves would never become true.
static bool can_change(jgen* s, jexpr_ref r) {
  const jexpr_graph* g = s->g;
  jarena_mark mark = jarena_save(s->a);
  bool *used = JARENA_ARRAY(s->a, (size_t)r + 1, bool), changes = false;
  if (!used) return true;
  used[r] = true;
  for (jexpr_ref k = r; k > 0 && !changes; k--) {
    if (!used[k]) continue;
    changes = g->node[k].op == JEXPR_INPUT && (g->node[k].a == JGEN_T || g->node[k].a == JGEN_Y);
    for (int i = 0; i < jexpr_nargs(g, k); i++) {
      used[jexpr_arg(g, k, i)] = true;
    }
  }
  jarena_restore(s->a, mark);
  return changes;
}

static jo_status write_event(jgen* s, const jmodel_event* e) {
  jexpr_ref when = jgen_scalar(s, &e->when, e->name);
  JO_TRY(s->g->status);
  // frames that turn out to be needed are there when the equations are written once more
  if (!s->retry_follow && !can_change(s, when)) {
    return s->g->status = jerr_set(s->ctx, JO_ERR_MODEL,
                                   "%s:%d: event '%s': its condition depends on neither time nor "
                                   "state, and never becomes true",
                                   e->place.file, e->place.line, e->name);
  }
  int k = jgen_event_add(s, e->name, jexpr_mark(s->g, when, "%s", e->name));
  for (int i = 0; k >= 0 && i < e->nset; i++) {
    const jmodel_assignment* a = &e->set[i];
    jgen_event_set(s, k, a->target, a->index, jgen_scalar(s, &a->value, e->name));
  }
  return s->g->status;
}

// ---- functions -----------------------------------------------------------------------------------

// Where in y it is; -1, and told: a rate that follows from others.
static int place_of(jgen_reduction* r, const jgen_event* e, const jgen_set* a) {
  const jgen_layout* l = &r->out->layout;
  if (a->target == JMODEL_SET_STATE) return jgen_first(l, JGEN_Z) + a->index;
  int at = a->target == JMODEL_SET_POSITION ? l->q[a->index] : l->qd[a->index];
  if (at < 0 && r->s.g->status >= 0) {
    r->s.g->status = jerr_set(
        r->s.ctx, JO_ERR_MODEL,
        "%s: event '%s' sets the rate of '%s', which follows from other coordinates through the "
        "loops: set theirs, or make it independent (independent: true)",
        r->s.m->path, e->name, r->s.m->coordinate[a->index].name);
  }
  return at;
}

// Turns in a loop that count anew set the rates that are independent, whose number another partition may change: where
// all rates are listed, most to stay as they are, there are as many in all partitions.
static void keep_rates(jgen_reduction* r, bool* is_set) {
  const jgen_span* rates = &r->out->layout.block[JGEN_QDU];
  bool counts_anew = false;
  for (int i = 0; i < r->s.nevent; i++) {
    counts_anew = counts_anew || r->s.event[i].watch;
  }
  for (int i = rates->first; counts_anew && r->nv > 0 && i < rates->first + rates->n; i++) {
    r->out->nreset += !is_set[i];
    is_set[i] = true;
  }
}

// States that some event sets, in their order in y.
static jo_status list_targets(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  bool* is_set = JARENA_ARRAY(s->a, d->ny, bool);
  if (!is_set) return jerr_memory(s->ctx);
  for (int i = 0; i < s->nevent; i++) {
    for (int k = 0; k < s->event[i].nset; k++) {
      int at = place_of(r, &s->event[i], &s->event[i].set[k]);
      JO_TRY(s->g->status);
      d->nreset += !is_set[at];
      is_set[at] = true;
    }
  }
  keep_rates(r, is_set);
  d->reset_state = JARENA_ARRAY(s->a, d->nreset, int);
  if (!d->reset_state) return jerr_memory(s->ctx);
  for (int i = 0, n = 0; i < d->ny; i++) {
    if (is_set[i]) d->reset_state[n++] = i;
  }
  return JO_OK;
}

static int index_of(const jgen_dynamics* d, int at) {
  int i = 0;
  while (d->reset_state[i] != at) {
    i++;
  }
  return i;
}

// Load runs take fixed steps with conditions evaluated on the way: nothing is located, and nothing happens at an instant.
static jo_status refuse_loads(jgen_reduction* r) {
  jgen* s = &r->s;
  if (!s->placeholders || s->nevent == 0) return JO_OK;
  for (int i = 0; i < s->m->njoint; i++) {
    const jmodel_joint* j = &s->m->joint[i];
    if (!j->is_any) continue;
    return s->g->status =
               jerr_set(s->ctx, JO_ERR_MODEL,
                        "%s:%d: joint '%s': load runs have no events, which 'angles: any' "
                        "needs to count anew; choose an order of its angles, as zyx",
                        j->place.file, j->place.line, j->name);
  }
  return s->g->status =
             jerr_set(s->ctx, JO_ERR_MODEL,
                      "%s: load runs have no events, and the model has '%s'; 'jounce run' and "
                      "'jounce sens' have them",
                      s->m->path, s->event[0].name);
}

// (E1)  c_e: 1 where the condition of event e holds
// (E2)  y_after = value of the event that fired, else y
jo_status jgen_write_events(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jexpr_graph* g = s->g;
  for (int i = 0; i < s->m->nevent; i++) {
    JO_TRY(write_event(s, &s->m->event[i]));
  }
  d->end_event = -1;
  if (s->m->simulation.has_end_when) {
    const jmodel_scalar* when = &s->m->simulation.end_when;
    d->end_event = s->nevent;
    JO_TRY(write_event(s, &(jmodel_event){"end_when", .place = when->place, .when = *when}));
  }
  d->nevent = s->nevent;
  d->event_name = JARENA_ARRAY(s->a, d->nevent, const char*);
  d->event_at_start = JARENA_ARRAY(s->a, d->nevent, bool);
  if (!d->event_name || !d->event_at_start) return jerr_memory(s->ctx);
  JO_TRY(refuse_loads(r));
  JO_TRY(list_targets(r));
  g->group[JGEN_FIRED].size = d->nevent;
  r->condition = jgen_refs(r, d->nevent);
  r->reset = jgen_refs(r, d->nreset);
  JO_TRY(g->status);
  for (int i = 0; i < d->nreset; i++) {
    r->reset[i] = jgen_state(r, d->reset_state[i]);
  }
  for (int e = 0; e < d->nevent; e++) {
    const jgen_event* event = &s->event[e];
    jexpr_ref fired = jexpr_input(g, JGEN_FIRED, e);
    d->event_name[e] = event->name;
    d->event_at_start[e] = event->at_start;
    r->condition[e] = jexpr_select(g, event->when, s->one, s->zero);
    for (int k = 0; k < event->nset; k++) {
      jexpr_ref* y = &r->reset[index_of(d, place_of(r, event, &event->set[k]))];
      *y = jexpr_select(g, fired, event->set[k].value, *y);
    }
  }
  return g->status;
}
