// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include <string.h>

#include "model/select.h"
#include "sens/sens.h"

typedef struct planner {
  jo_context* ctx;
  jarena* a;
  const jstudy_file* f;
  const jmodel* m;
  jstudy_plan* plan;
} planner;

static bool has_derivatives(const jstudy_part* p) {
  return p->kind == JSTUDY_HISTORIES || p->kind == JSTUDY_DIFFERENCES ||
         p->kind == JSTUDY_RANKING || (p->kind == JSTUDY_RANGE && p->derivative);
}

// A range computes the derivatives that its system is prepared for: without them it needs one without.
static bool takes_any(const jstudy_part* p) {
  return p->kind == JSTUDY_TRAJECTORIES || p->kind == JSTUDY_VALUES;
}

static jo_status describe(planner* l, const jstudy_part* p, jstudy_setup* s) {
  bool by_one = p->kind == JSTUDY_RANGE || p->kind == JSTUDY_DIFFERENCES;
  *s = (jstudy_setup){.derivatives = has_derivatives(p)};
  s->taken = JARENA_ARRAY(l->a, l->m->nnumber, bool);
  s->wrt = JARENA_ARRAY(l->a, p->wrt.n + 1, const char*);
  if (!s->taken || !s->wrt) return jerr_memory(l->ctx);
  bool varies = p->kind != JSTUDY_DIFFERENCES && p->parameter.text;
  int number = varies ? jmodel_find_number(l->m, p->parameter.text) : -1;
  if (number >= 0 && !l->m->number[number].is_parameter) s->variable = p->parameter.text;
  if (!s->derivatives) return JO_OK;
  for (int i = 0; i < p->wrt.n; i++) {
    s->wrt[s->nwrt++] = p->wrt.name[i].text;
  }
  if (by_one) s->wrt[s->nwrt++] = p->parameter.text;
  jmodel_selection k;
  JO_TRY(jmodel_select(l->ctx, l->a, l->m, s->wrt, s->nwrt, &k));
  s->taken = k.taken;
  s->direct_alone =
      p->kind == JSTUDY_HISTORIES && jsens_cheaper(l->m->nobjective, k.n) != JSENS_DIRECT;
  return JO_OK;
}

static bool is_same(const planner* l, const jstudy_setup* a, const jstudy_setup* b) {
  size_t size = (size_t)l->m->nnumber * sizeof *a->taken;
  bool same_variable =
      a->variable ? b->variable && strcmp(a->variable, b->variable) == 0 : !b->variable;
  return same_variable && a->direct_alone == b->direct_alone &&
         memcmp(a->taken, b->taken, size) == 0;
}

// The system that a part shares; -1: none.
static int find(const planner* l, const jstudy_part* p, const jstudy_setup* s) {
  for (int i = 0; i < l->plan->nsetup; i++) {
    if (is_same(l, &l->plan->setup[i], s)) return i;
  }
  for (int i = 0; takes_any(p) && !s->variable && i < l->plan->nsetup; i++) {
    if (!l->plan->setup[i].variable) return i;
  }
  return -1;
}

static void add_uses(const jstudy_part* p, jstudy_setup* s) {
  s->runs = s->runs || !has_derivatives(p);
  s->histories = s->histories || p->kind == JSTUDY_HISTORIES;
  s->checks = s->checks || p->kind == JSTUDY_DIFFERENCES;
}

static jo_status place(planner* l, int part) {
  const jstudy_part* p = &l->f->part[part];
  jstudy_setup s;
  JO_TRY(describe(l, p, &s));
  int at = find(l, p, &s);
  if (at < 0) {
    at = l->plan->nsetup++;
    l->plan->setup[at] = s;
  }
  add_uses(p, &l->plan->setup[at]);
  l->plan->of[part] = at;
  return JO_OK;
}

jo_status jstudy_plan_make(jo_context* ctx, jarena* a, const jstudy_file* f, const jmodel* m,
                           jstudy_plan* out) {
  planner l = {ctx, a, f, m, out};
  *out = (jstudy_plan){.setup = JARENA_ARRAY(a, f->npart, jstudy_setup),
                       .of = JARENA_ARRAY(a, f->npart, int)};
  if (!out->setup || !out->of) return jerr_memory(ctx);
  // who needs a system of its own first, so that the others find one
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->npart; i++) {
      if (takes_any(&f->part[i]) == (pass == 1)) JO_TRY(place(&l, i));
    }
  }
  return JO_OK;
}
