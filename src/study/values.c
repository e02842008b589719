// SPDX-License-Identifier: Apache-2.0
// Scalars of parameters by constant folding: the graph turns what depends on numbers only into one.
#include "study/values.h"

#include <math.h>
#include <string.h>

#include "expr/parse.h"

typedef struct values {
  const jmodel* m;
  jexpr_ref* parameter;  // 0: not met yet
} values;

static jexpr_ref fold(values* v, jexpr_graph* g, const jmodel_scalar* s);

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t n) {
  values* v = user;
  for (int i = 0; i < v->m->nparameter; i++) {
    const jmodel_parameter* p = &v->m->parameter[i];
    if (strlen(p->name) != n || memcmp(p->name, name, n) != 0) continue;
    if (!v->parameter[i]) v->parameter[i] = fold(v, g, &p->value);
    return v->parameter[i];
  }
  return JEXPR_POISON;
}

static jexpr_ref fold(values* v, jexpr_graph* g, const jmodel_scalar* s) {
  if (s->number >= 0) return jexpr_const(g, v->m->number[s->number].value);
  jexpr_scope scope = {.find = find, .user = v};
  jexpr_ref r = JEXPR_POISON;
  const char* text = s->text ? s->text : "0";
  if (jexpr_parse(g, text, strlen(text), &scope, s->path ? s->path : "value", &r) < 0) {
    return JEXPR_POISON;
  }
  return r;
}

static double value(values* v, jexpr_graph* g, const jmodel_scalar* s) {
  jexpr_ref r = fold(v, g, s);
  return r && jexpr_is_const(g, r) ? jexpr_const_value(g, r) : NAN;
}

jo_status jstudy_values_build(jo_context* ctx, jarena* a, const jmodel* m, jstudy_values* out) {
  out->parameter = JARENA_ARRAY(a, m->nparameter + 1, double);
  out->mass = JARENA_ARRAY(a, m->nbody + 1, double);
  values v = {m, JARENA_ARRAY(a, m->nparameter + 1, jexpr_ref)};
  jexpr_graph* g = jexpr_graph_create(ctx);
  if (!out->parameter || !out->mass || !v.parameter || !g) {
    jexpr_graph_destroy(g);
    return jerr_memory(ctx);
  }
  for (int i = 0; i < m->nparameter; i++) {
    out->parameter[i] = value(&v, g, &m->parameter[i].value);
  }
  for (int i = 1; i < m->nbody; i++) {
    out->mass[i] = m->body[i].has_mass ? value(&v, g, &m->body[i].mass) : 0.0;
  }
  jexpr_graph_destroy(g);
  return JO_OK;
}
