// SPDX-License-Identifier: Apache-2.0
// Stick and slip. docs/theory/friction.md eqs. (C1)-(C5).
#include "gen/force/friction.h"

#include "expr/rewrite.h"
#include "gen/loop/reduction.h"
#include "gen/switch/events.h"

// A speed that something else gave to what sticks, an impact or the start; m/s or rad/s.
#define PUSHED 1e-7
// Switches of what does not apply stand here, far from zero: with it the floor below which a switch that has just flipped is
// not believed (solve/event/events.c) is 2e-7 m/s or rad/s. What sticks has a speed below PUSHED, which events and the steps since
// left of it: where it slips against that, it must not stop at once, with a force beyond its limit.
#define FAR 2e5
// At a dead point no force holds it: added to what a force does, which it is nothing beside, it makes that force huge.
#define NOTHING 1e-30
// A pivot below this part of itself is none: others hold that motion.
#define REDUNDANT 2e-9

// ---- one of them ---------------------------------------------------------------------------------

static bool has_placeholder(jgen* s, jexpr_ref r) {
  const jexpr_graph* g = s->g;
  jarena_mark mark = jarena_save(s->a);
  bool *used = JARENA_ARRAY(s->a, (size_t)r + 1, bool), found = false;
  if (!used) {
    s->g->status = jerr_memory(s->ctx);
    return false;
  }
  used[r] = true;
  for (jexpr_ref k = r; k > 0 && !found; k--) {
    if (!used[k]) continue;
    found = g->node[k].op == JEXPR_INPUT && g->node[k].a == JGEN_HOLD;
    for (int i = 0; i < jexpr_nargs(g, k); i++) {
      used[jexpr_arg(g, k, i)] = true;
    }
  }
  jarena_restore(s->a, mark);
  return found;
}

static void refuse(jgen* s, const jmodel_element* e, const char* cause) {
  if (s->g->status < 0) return;
  s->g->status = jerr_set(s->ctx, JO_ERR_MODEL, "%s:%d: friction '%s': %s", e->place.file,
                          e->place.line, e->name, cause);
}

// Whether x > 0 while it sticks, or while it slips; else the switch is far away.
static jexpr_ref while_stuck(jgen* s, jexpr_ref sticks, bool stuck, jexpr_ref x) {
  jexpr_graph* g = s->g;
  jexpr_ref away = jexpr_const(g, -FAR);
  jexpr_ref margin = stuck ? jexpr_select(g, sticks, x, away) : jexpr_select(g, sticks, away, x);
  return jexpr_lt(g, s->zero, margin);
}

static void change(jgen* s, const jgen_friction* f, const char* what, jexpr_ref when, bool at_start,
                   double to) {
  int e =
      jgen_event_add(s, f->element->name, jexpr_mark(s->g, when, "%s: %s", f->element->name, what));
  if (e < 0) return;
  s->event[e].at_start = at_start;
  jgen_event_set(s, e, JMODEL_SET_STATE, f->state, jexpr_const(s->g, to));
}

// (C5)  slipping: s v < 0 stops it. Sticking: a speed that it was given lets it slip where that goes; else a force beyond its
// limit where that pushes.
static void add_events(jgen* s, const jgen_friction* f) {
  jexpr_graph* g = s->g;
  jexpr_ref slip = s->z[f->state], sticks = jexpr_eq(g, slip, s->zero), v = f->speed;
  jexpr_ref least = jexpr_const(g, PUSHED);
  jexpr_ref on = while_stuck(s, sticks, true, jexpr_sub(g, v, least));
  jexpr_ref back = while_stuck(s, sticks, true, jexpr_sub(g, jexpr_neg(g, v), least));
  jexpr_ref is_pushed = jexpr_add(g, on, back);
  jexpr_ref pull = jexpr_sub(g, jexpr_neg(g, f->force), f->stick);
  jexpr_ref push = jexpr_sub(g, f->force, f->stick);
  jexpr_ref slips_on = jexpr_select(g, is_pushed, s->zero, while_stuck(s, sticks, true, pull));
  jexpr_ref slips_back = jexpr_select(g, is_pushed, s->zero, while_stuck(s, sticks, true, push));
  jexpr_ref against = jexpr_neg(g, jexpr_mul(g, slip, v));
  change(s, f, "is pushed on", on, true, 1.0);
  change(s, f, "is pushed back", back, true, -1.0);
  change(s, f, "slips on", slips_on, true, 1.0);
  change(s, f, "slips back", slips_back, true, -1.0);
  change(s, f, "stops", while_stuck(s, sticks, false, against), false, 0.0);
}

jexpr_ref jgen_friction_add(jgen* s, const jmodel_element* e, int state, jexpr_ref speed,
                            jexpr_ref slip, jexpr_ref stick) {
  int n = s->nfriction;
  if (!s->friction) s->friction = JARENA_ARRAY(s->a, s->m->nelement, jgen_friction);
  if (!s->friction) {
    s->g->status = jerr_memory(s->ctx);
    return JEXPR_POISON;
  }
  if (!speed || !slip || !stick) return JEXPR_POISON;
  if (has_placeholder(s, slip) || has_placeholder(s, stick)) {
    refuse(s, e, "its limit depends on a force of friction, which is determined together with it");
    return JEXPR_POISON;
  }
  s->g->group[JGEN_HOLD].size = n + 1;
  jexpr_ref force = jexpr_input(s->g, JGEN_HOLD, n);
  s->friction[s->nfriction++] = (jgen_friction){e, state, speed, slip, stick, force, JEXPR_POISON};
  add_events(s, &s->friction[n]);
  return force;
}

// ---- all of them ---------------------------------------------------------------------------------

static jexpr_ref without_force(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jexpr_node* n = &g->node[r];
  (void)user;
  return n->op == JEXPR_INPUT && n->a == JGEN_HOLD ? jexpr_const(g, 0.0) : rebuilt;
}

// (C1)  a = d v / dt along the motion, with the forces as they are asked for
static jo_status write_accelerations(jgen_reduction* r, jexpr_ref* a) {
  jgen* s = &r->s;
  int ny = r->out->ny, n = s->nfriction;
  jexpr_ref *v = jgen_refs(r, n), *x = jgen_refs(r, ny + 1), *dx = jgen_refs(r, ny + 1);
  JO_TRY(s->g->status);
  for (int i = 0; i < n; i++) {
    v[i] = s->friction[i].speed;
  }
  for (int i = 0; i < ny; i++) {
    x[i] = jgen_state(r, i);
    dx[i] = r->ydot[i];
  }
  x[ny] = s->t;
  dx[ny] = s->one;
  return jexpr_tangent(s->g, v, n, x, dx, ny + 1, a);
}

// G = d a / d force, which no force may be part of.
static jo_status write_gains(jgen_reduction* r, const jexpr_ref* a, jexpr_ref* G) {
  jgen* s = &r->s;
  int n = s->nfriction;
  jexpr_ref* force = jgen_refs(r, n);
  JO_TRY(s->g->status);
  for (int i = 0; i < n; i++) {
    force[i] = s->friction[i].force;
  }
  jexpr_jacobian J;
  JO_TRY(jexpr_jacobian_build(s->g, s->a, JEXPR_FORWARD, a, n, force, n, &J));
  for (int k = 0; k < n; k++) {
    for (int e = J.col[k]; e < J.col[k + 1]; e++) {
      G[J.row[e] * n + k] = J.value[e];
      if (!has_placeholder(s, J.value[e])) continue;
      refuse(s, s->friction[k].element,
             "its force acts back on the motion in a law that is not linear");
    }
  }
  return s->g->status;
}

// Rows of (C2), the forces' matrix E (n x n) and right-hand side b:  a_i(0) + sum_j G_ij force_j = 0 where it sticks, else
// force_i = -s_i F_i. What nothing can hold, a driven coordinate, slips only.
static void write_rows(jgen* s, const jexpr_ref* a, const jexpr_ref* G, jexpr_ref* E,
                       jexpr_ref* b) {
  jexpr_graph* g = s->g;
  int n = s->nfriction;
  for (int i = 0; i < n; i++) {
    const jgen_friction* f = &s->friction[i];
    bool is_held = !jexpr_is_value(g, G[i * n + i], 0.0);
    jexpr_ref slip = s->z[f->state];
    jexpr_ref sticks = is_held ? jexpr_eq(g, slip, s->zero) : s->zero;
    b[i] = jexpr_select(g, sticks, jexpr_neg(g, a[i]), jexpr_neg(g, jexpr_mul(g, slip, f->slip)));
    for (int j = 0; j < n; j++) {
      jexpr_ref gain = i == j ? jexpr_add(g, G[i * n + j], jexpr_const(g, NOTHING)) : G[i * n + j];
      E[i * n + j] = jexpr_select(g, sticks, gain, i == j ? s->one : s->zero);
    }
  }
}

// Whether a pivot has vanished beside what it was, to half of REDUNDANT. No switch watches it: it does so as long as the
// same others stick, or not at all.
static jexpr_ref has_vanished(jexpr_graph* g, jexpr_ref pivot, jexpr_ref before) {
  jexpr_ref part = jexpr_mul(g, jexpr_div(g, pivot, before), jexpr_const(g, 1.0 / REDUNDANT));
  const jexpr_ref limit[] = {jexpr_const(g, -1.0), jexpr_const(g, -0.25), jexpr_const(g, 1.0)};
  return jexpr_locate(g, jexpr_neg(g, jexpr_mul(g, part, part)), limit, 3);
}

// (C3)  elimination, first to last; one whose motion others hold already has no force.
static void eliminate(jgen* s, jexpr_ref* E, jexpr_ref* b) {
  jexpr_graph* g = s->g;
  int n = s->nfriction;
  for (int k = 0; k < n && g->status >= 0; k++) {
    jexpr_ref before = s->friction[k].gain;
    jexpr_ref is_idle = k > 0 ? has_vanished(g, E[k * n + k], before) : s->zero;
    for (int j = k; j < n; j++) {
      jexpr_ref idle = j == k ? s->one : s->zero;
      E[k * n + j] = jexpr_select(g, is_idle, idle, E[k * n + j]);
    }
    b[k] = jexpr_select(g, is_idle, s->zero, b[k]);
    for (int i = k + 1; i < n; i++) {
      jexpr_ref factor = jexpr_div(g, E[i * n + k], E[k * n + k]);
      for (int j = k + 1; j < n; j++) {
        E[i * n + j] = jexpr_sub(g, E[i * n + j], jexpr_mul(g, factor, E[k * n + j]));
      }
      b[i] = jexpr_sub(g, b[i], jexpr_mul(g, factor, b[k]));
    }
  }
}

jo_status jgen_friction_solve(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  int n = s->nfriction;
  if (n == 0) return JO_OK;
  jexpr_ref *a = jgen_refs(r, n), *G = jgen_refs(r, n * n), *E = jgen_refs(r, n * n);
  jexpr_ref* x = r->hold = jgen_refs(r, n);
  JO_TRY(g->status);
  JO_TRY(write_accelerations(r, a));
  JO_TRY(write_gains(r, a, G));
  JO_TRY(jexpr_rewrite(g, without_force, NULL, a, n));
  write_rows(s, a, G, E, x);
  for (int i = 0; i < n; i++) {
    s->friction[i].gain = E[i * n + i];
  }
  eliminate(s, E, x);
  for (int k = n - 1; k >= 0 && g->status >= 0; k--) {
    for (int j = k + 1; j < n; j++) {
      x[k] = jexpr_sub(g, x[k], jexpr_mul(g, E[k * n + j], x[j]));
    }
    x[k] =
        jexpr_mark(g, jexpr_div(g, x[k], E[k * n + k]), "%s: force", s->friction[k].element->name);
  }
  return g->status;
}

static jexpr_ref with_force(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jgen_reduction* k = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && n->a == JGEN_HOLD ? k->hold[n->b] : rebuilt;
}

jo_status jgen_friction_replace(jgen_reduction* r, jexpr_ref* all, int n) {
  return r->s.nfriction > 0 ? jexpr_rewrite(r->s.g, with_force, r, all, n) : JO_OK;
}
