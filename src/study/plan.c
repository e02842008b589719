// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include <string.h>

#include "model/select.h"
#include "sens/sens.h"

typedef struct planner {
  jo_context* ctx;
  jarena* a;
  const jstudy_file* f;
  const jmodel* const* model;
  const jmodel* m;  // of the part at hand
  jstudy_plan* plan;
} planner;

// Numbers that are no parameters and get other values.
static void add_variable(const planner* l, const jstudy_name* name, jstudy_setup* s) {
  int number = name->text ? jmodel_find_number(l->m, name->text) : -1;
  if (number >= 0 && !l->m->number[number].is_parameter) s->variable[s->nvariable++] = name->text;
}

static jo_status describe(planner* l, const jstudy_part* p, jstudy_setup* s) {
  *s = (jstudy_setup){.model = p->which, .derivatives = p->needs.derivatives};
  s->taken = JARENA_ARRAY(l->a, l->m->nnumber, bool);
  s->wrt = JARENA_ARRAY(l->a, p->wrt.n + 1, const char*);
  s->variable = JARENA_ARRAY(l->a, p->nset + 2, const char*);
  if (!s->taken || !s->wrt || !s->variable) return jerr_memory(l->ctx);
  for (int i = 0; i < p->nset; i++) {
    add_variable(l, &p->set[i].name, s);
  }
  add_variable(l, &p->runs.name, s);
  if (p->needs.sweeps) add_variable(l, &p->parameter, s);
  if (!s->derivatives) return JO_OK;
  for (int i = 0; i < p->wrt.n; i++) {
    s->wrt[s->nwrt++] = p->wrt.name[i].text;
  }
  if (p->needs.by_parameter) s->wrt[s->nwrt++] = p->parameter.text;
  jmodel_selection k;
  JO_TRY(jmodel_select(l->ctx, l->a, l->m, s->wrt, s->nwrt, &k));
  s->taken = k.taken;
  s->direct_alone = p->needs.histories && jsens_cheaper(l->m->nobjective, k.n) != JSENS_DIRECT;
  return JO_OK;
}

static bool is_same(const planner* l, const jstudy_setup* a, const jstudy_setup* b) {
  size_t size = (size_t)l->m->nnumber * sizeof *a->taken;
  if (a->model != b->model || a->nvariable != b->nvariable || a->direct_alone != b->direct_alone)
    return false;
  for (int i = 0; i < a->nvariable; i++) {
    if (strcmp(a->variable[i], b->variable[i]) != 0) return false;
  }
  return memcmp(a->taken, b->taken, size) == 0;
}

// The system that a part shares; -1: none.
static int find(const planner* l, const jstudy_part* p, const jstudy_setup* s) {
  for (int i = 0; i < l->plan->nsetup; i++) {
    if (is_same(l, &l->plan->setup[i], s)) return i;
  }
  for (int i = 0; p->needs.any && s->nvariable == 0 && i < l->plan->nsetup; i++) {
    const jstudy_setup* other = &l->plan->setup[i];
    if (other->model == s->model && other->nvariable == 0) return i;
  }
  return -1;
}

static void add_uses(const jstudy_part* p, jstudy_setup* s) {
  s->runs = s->runs || !p->needs.derivatives;
  s->histories = s->histories || p->needs.histories;
  s->checks = s->checks || p->needs.checks;
}

static jo_status place(planner* l, int part) {
  const jstudy_part* p = &l->f->part[part];
  jstudy_setup s;
  l->m = l->model[p->which];
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

jo_status jstudy_plan_make(jo_context* ctx, jarena* a, const jstudy_file* f,
                           const jmodel* const* model, jstudy_plan* out) {
  planner l = {.ctx = ctx, .a = a, .f = f, .model = model, .plan = out};
  *out = (jstudy_plan){.setup = JARENA_ARRAY(a, f->npart, jstudy_setup),
                       .of = JARENA_ARRAY(a, f->npart, int)};
  if (!out->setup || !out->of) return jerr_memory(ctx);
  // who needs a system of its own first, so that the others find one
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < f->npart; i++) {
      if (f->part[i].needs.any == (pass == 1)) JO_TRY(place(&l, i));
    }
  }
  return JO_OK;
}
