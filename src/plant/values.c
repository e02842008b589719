// SPDX-License-Identifier: Apache-2.0
// Scalars of parameters by constant folding: the graph turns what depends on numbers only into one.
#include "plant/values.h"

#include <math.h>
#include <string.h>

#include "expr/tape/order.h"

static const char* text_to_read(void* user, int i) {
  const jplant_folder* f = user;
  return f->parameter[i] ? NULL : f->m->parameter[i].value.text;
}

static int find_parameter(void* user, const char* name, size_t n) {
  return jindex_find(&((const jplant_folder*)user)->m->parameters, 0, name, n);
}

// Read one after the other, for a long chain of parameters must not use up the stack.
static void fold_in_order(jplant_folder* f, jexpr_graph* g, int root) {
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  jexpr_texts texts = {f->m->nparameter, f, text_to_read, find_parameter};
  int *order = JARENA_ARRAY(&scratch, texts.n, int), n = 0, cyclic = -1;
  jo_status status =
      order ? jexpr_order(g->ctx, &texts, root, order, &n, &cyclic) : jerr_memory(g->ctx);
  if (status < 0 && g->status == JO_OK) g->status = status;
  for (int i = 0; i < n && g->status == JO_OK; i++) {
    jexpr_ref* known = &f->parameter[order[i]];
    if (!*known) *known = jplant_fold(f, g, &f->m->parameter[order[i]].value);
  }
  jarena_free(&scratch);
}

jexpr_ref jplant_fold_parameter(jplant_folder* f, jexpr_graph* g, const char* name, size_t n) {
  int i = find_parameter(f, name, n);
  if (i < 0) return JEXPR_POISON;
  if (!f->parameter[i]) fold_in_order(f, g, i);
  return f->parameter[i];
}

jexpr_ref jplant_fold(jplant_folder* f, jexpr_graph* g, const jmodel_scalar* s) {
  if (s->number >= 0) return jexpr_const(g, f->m->number[s->number].value);
  jexpr_ref r = JEXPR_POISON;
  const char* text = s->text ? s->text : "0";
  if (jexpr_parse(g, text, strlen(text), f->names, s->path ? s->path : "value", &r) < 0) {
    return JEXPR_POISON;
  }
  return r;
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t n) {
  return jplant_fold_parameter(user, g, name, n);
}

static jexpr_ref* fold_all(jplant_folder* f, jexpr_graph* g, jarena* a, const jmodel_scalar* s,
                           int n) {
  jexpr_ref* list = JARENA_ARRAY(a, n, jexpr_ref);
  for (int i = 0; list && i < n; i++) {
    list[i] = jplant_fold(f, g, &s[i]);
  }
  return list;
}

static jexpr_ref fold_table(jplant_folder* f, jexpr_graph* g, const jmodel_table* t,
                            const jexpr_ref* x) {
  jarena a;
  jarena_init(&a, g->ctx);
  const jexpr_ref* X = fold_all(f, g, &a, t->x, t->n);
  const jexpr_ref* Y = fold_all(f, g, &a, t->y, t->ny > 0 ? t->ny : t->n);
  const jexpr_ref* Z = fold_all(f, g, &a, t->z, t->n * t->ny);
  jexpr_grid grid = {t->n, t->ny, X, Y, Z};
  jexpr_ref r = JEXPR_POISON;
  if (!X || !Y || !Z) {
    g->status = jerr_memory(g->ctx);
  } else if (t->ny > 0) {
    r = jexpr_table2(g, t->kind, t->rule, x[0], x[1], &grid);
  } else {
    r = jexpr_table(g, t->kind, t->rule, x[0], X, Y, t->n);
  }
  jarena_free(&a);
  return r;
}

jexpr_ref jplant_fold_call(jplant_folder* f, jexpr_graph* g, const char* name, size_t n,
                           const jexpr_ref* x, int nargs, int* expected) {
  for (int i = 0; i < f->m->ntable; i++) {
    const jmodel_table* t = &f->m->table[i];
    bool is_it = strlen(t->name) == n && memcmp(t->name, name, n) == 0;
    if (is_it && nargs == (t->ny > 0 ? 2 : 1)) return fold_table(f, g, t, x);
  }
  int i = jmodel_find_function(f->m, name, n);
  return i < 0 ? JEXPR_POISON : jmodel_call(f->m, i, g, f->names, "", x, nargs, expected);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* x,
                      int nargs, int* expected) {
  return jplant_fold_call(user, g, name, n, x, nargs, expected);
}

static double value(jplant_folder* f, jexpr_graph* g, const jmodel_scalar* s) {
  jexpr_ref r = jplant_fold(f, g, s);
  return r && jexpr_is_const(g, r) ? jexpr_const_value(g, r) : NAN;
}

jo_status jplant_values_build(jo_context* ctx, jarena* a, const jmodel* m, jplant_values* out) {
  out->parameter = JARENA_ARRAY(a, m->nparameter, double);
  out->mass = JARENA_ARRAY(a, m->nbody, double);
  jplant_folder f = {m, JARENA_ARRAY(a, m->nparameter, jexpr_ref), NULL, 0};
  jexpr_scope names = {.find = find, .user = &f, .call = call, .depth = &f.depth};
  f.names = &names;
  jexpr_graph* g = jexpr_graph_create(ctx);
  if (!out->parameter || !out->mass || !f.parameter || !g) {
    jexpr_graph_destroy(g);
    return jerr_memory(ctx);
  }
  for (int i = 0; i < m->nparameter; i++) {
    out->parameter[i] = value(&f, g, &m->parameter[i].value);
  }
  for (int i = 1; i < m->nbody; i++) {
    out->mass[i] = m->body[i].has_mass ? value(&f, g, &m->body[i].mass) : 0.0;
  }
  // what cannot be folded has no value here; without memory nothing has
  jo_status status = g->status == JO_ERR_MEMORY ? JO_ERR_MEMORY : JO_OK;
  jexpr_graph_destroy(g);
  return status;
}
