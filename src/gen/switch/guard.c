// SPDX-License-Identifier: Apache-2.0
// What is watched beside the motion, so that none is computed outside of what the equations hold for:
// closure equations that were left out because they follow from the others, guards of elements, windows
// of objectives; and expressions that depend on more than they are differentiated for.
#include "gen/switch/guard.h"

#include "gen/force/element.h"
#include "gen/force/road.h"
#include "gen/loop/reduction.h"

// ---- dependence ----------------------------------------------------------------------------------

static bool is_one_of(const jexpr_ref* list, int n, jexpr_ref r) {
  for (int i = 0; list && i < n; i++) {
    if (list[i] == r) return true;
  }
  return false;
}

static bool is_allowed(const jgen* s, jgen_allowed allowed, jexpr_ref input) {
  if (allowed.groups >> s->g->node[input].a & 1u) return true;
  return (allowed.states && is_one_of(s->z, s->m->nstate, input)) ||
         (allowed.positions && is_one_of(s->q, s->m->ncoordinate, input));
}

// An input r depends on that is not allowed, or which the user may change; poison: none, or no
// memory.
static jexpr_ref other_input(jgen* s, jexpr_ref r, jgen_allowed allowed) {
  const jexpr_graph* g = s->g;
  jarena_mark mark = jarena_save(s->a);
  bool* used = JARENA_ARRAY(s->a, (size_t)r + 1, bool);
  jexpr_ref found = JEXPR_POISON;
  if (!used) {
    s->g->status = jerr_memory(s->ctx);
    return found;
  }
  used[r] = true;
  // operands stand before what uses them
  for (jexpr_ref k = r; k > 0; k--) {
    if (!used[k]) continue;
    if (g->node[k].op == JEXPR_INPUT && !is_allowed(s, allowed, k)) found = k;
    for (int i = 0; i < jexpr_nargs(g, k); i++) {
      used[jexpr_arg(g, k, i)] = true;
    }
  }
  for (int i = 0; i < s->m->nnumber; i++) {
    if (s->m->number[i].is_input && s->number[i] <= r && used[s->number[i]]) found = s->number[i];
  }
  jarena_restore(s->a, mark);
  return found;
}

// What an input is to the user, and its name.
static const char* kind_of(const jgen* s, jexpr_ref input, const char** name) {
  const jmodel* m = s->m;
  for (int i = 0; i < m->ncoordinate; i++) {
    *name = m->coordinate[i].name;
    if (s->q[i] == input) return "coordinate";
    if (s->qd[i] == input) return "the rate of";
  }
  for (int i = 0; s->z && i < m->nstate; i++) {
    *name = m->state[i].name;
    if (s->z[i] == input) return "state";
  }
  for (int i = 0; i < m->nnumber; i++) {
    *name = m->number[i].path;
    if (m->number[i].is_input && s->number[i] == input) return "input";
  }
  *name = "t";
  return input == s->t ? "time" : "the state";
}

bool jgen_depends_on_more(jgen* s, jexpr_ref r, unsigned allowed, const char* rule,
                          const char* what, jmodel_place place) {
  return jgen_depends_beyond(s, r, (jgen_allowed){.groups = allowed}, rule, what, place);
}

bool jgen_depends_beyond(jgen* s, jexpr_ref r, jgen_allowed allowed, const char* rule,
                         const char* what, jmodel_place place) {
  jexpr_ref input = r ? other_input(s, r, allowed) : JEXPR_POISON;
  if (!input) return false;
  const char *name, *kind = kind_of(s, input, &name);
  s->g->status = jerr_set(s->ctx, JO_ERR_MODEL, "%s:%d: '%s' depends on %s '%s'; %s", place.file,
                          place.line, what, kind, name, rule);
  return true;
}

// ---- what a run is watched for -------------------------------------------------------------------

void jgen_guard_set(jgen* s, jgen_element* e, const jgen_guard* guard) {
  jgen_guard* own = JARENA_NEW(s->a, jgen_guard);
  const jgen_guard_text* t = &guard->text;
  e->guard = own;
  if (own) *own = *guard;
  if (!own || !t->why_short || !t->why_begins) s->g->status = jerr_memory(s->ctx);
}

// Where the guard applies the pair is too short where a^2 + b^2 < least^2. The function is smooth, also at zero.
static void watch(jgen_reduction* r, int k, const jgen_guard* guard) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  int n = r->out->nguard;
  jexpr_ref a = guard->value[0], b = guard->value[1];
  jexpr_ref applies = jexpr_lt(g, s->zero, guard->applies);
  jexpr_ref limit = jexpr_const(g, guard->least * guard->least);
  jexpr_ref square = jexpr_add(g, jexpr_mul(g, a, a), jexpr_mul(g, b, b));
  jexpr_ref missing = jexpr_sub(g, limit, square);
  r->is_short[k] = jexpr_select(g, applies, missing, jexpr_const(g, -1.0));
  r->guards[k] = jexpr_select(g, applies, s->one, s->zero);
  r->guards[n + k] = a;
  r->guards[2 * n + k] = b;
}

static jo_status list_guards(jgen_reduction* r) {
  const jmodel* m = r->s.m;
  jgen_dynamics* d = r->out;
  d->guard = JARENA_ARRAY(r->s.a, m->nelement, jgen_guarded);
  if (!d->guard) return jerr_memory(r->s.ctx);
  for (int i = 0; i < m->nelement; i++) {
    const jgen_guard* guard = jgen_element_at(&r->s, i)->guard;
    if (guard) d->guard[d->nguard++] = (jgen_guarded){&m->element[i], guard->least, guard->text};
  }
  r->is_short = jgen_refs(r, d->nguard);
  r->guards = jgen_refs(r, 3 * d->nguard);
  JO_TRY(r->s.g->status);
  for (int k = 0; k < d->nguard; k++) {
    watch(r, k, jgen_element_at(&r->s, (int)(d->guard[k].element - m->element))->guard);
  }
  return r->s.g->status;
}

static jo_status keep_lengths(jgen_reduction* r) {
  const jmodel* m = r->s.m;
  r->out->length = JARENA_ARRAY(r->s.a, m->nelement, jgen_length);
  if (!r->out->length) return jerr_memory(r->s.ctx);
  for (int i = 0; i < m->nelement; i++) {
    const jgen_element* e = jgen_element_at(&r->s, i);
    r->out->length[i] = (jgen_length){e->apart, {e->end[0], e->end[1]}};
  }
  return JO_OK;
}

// The radius is in the equations already: nothing is written for it.
static jo_status keep_stances(jgen_reduction* r) {
  const jmodel* m = r->s.m;
  jmodel_shape shape[JMODEL_MAX_SHAPES];
  r->out->stance = JARENA_ARRAY(r->s.a, m->nelement, jgen_stance);
  if (!r->out->stance) return jerr_memory(r->s.ctx);
  for (int i = 0; i < m->nelement; i++) {
    const jmodel_element* e = &m->element[i];
    if (!e->class->spins || e->class->draw(e, shape) == 0) continue;
    jexpr_ref radius = jgen_scalar(&r->s, shape[0].radius, e->name);
    r->out->stance[i] = (jgen_stance){jgen_element_at(&r->s, i)->delta, radius};
  }
  return r->s.g->status;
}

jo_status jgen_read_unused(jgen_reduction* r) {
  jgen* s = &r->s;
  const jmodel* m = s->m;
  for (int i = 0; i < m->nsignal && s->g->status >= 0; i++) {
    if (!m->signal[i].is_output && !s->signal[i].value) {
      s->signal[i].busy = 1;
      s->signal[i].value = jgen_scalar(s, &m->signal[i].value, m->signal[i].name);
    }
  }
  if (!s->has_read_road && s->g->status >= 0) jgen_road_under(s, s->zero, s->zero);
  return s->g->status;
}

jo_status jgen_write_guards(jgen_reduction* r) {
  jgen* s = &r->s;
  const jmodel* m = s->m;
  const jgen_partition* part = r->part;
  r->redundant = jgen_refs(r, part->nredundant);
  r->windows = jgen_refs(r, 2 * m->nintegrated);
  JO_TRY(s->g->status);
  JO_TRY(keep_lengths(r));
  JO_TRY(keep_stances(r));
  for (int i = 0; i < part->nredundant; i++) {
    r->redundant[i] = r->row[part->redundant[i]].h;
  }
  JO_TRY(list_guards(r));
  for (int i = 0; i < m->nintegrated; i++) {
    const jmodel_objective* o = &m->integrated[i];
    for (int end = 0; o->has_window && end < 2; end++) {
      r->windows[2 * i + end] = jgen_scalar(s, &o->window[end], o->name);
    }
  }
  return s->g->status;
}
