// SPDX-License-Identifier: Apache-2.0
// Elements in the equations: each written once, when it is first asked for.
#include <string.h>

#include "base/assert.h"
#include "gen/force/element.h"

const jgen_element_class* jgen_class_of(const jmodel_element* e) {
  return (const jgen_element_class*)(const void*)e->class;
}

void jgen_apply(jgen* s, int link, jexpr_v3 r, jexpr_v3 f) {
  if (link == 0) return;
  jgen_wrench* w = &s->wrench[link];
  w->f = jexpr_v3_add(s->g, w->f, f);
  w->n = jexpr_v3_add(s->g, w->n, jexpr_v3_cross(s->g, r, f));
}

void jgen_turn(jgen* s, int link, jexpr_v3 n) {
  if (link == 0) return;
  s->wrench[link].n = jexpr_v3_add(s->g, s->wrench[link].n, n);
}

void jgen_feed(jgen* s, int element, int k, jexpr_ref value) {
  jexpr_ref* sum = &s->element[element].fed[k];
  *sum = *sum ? jexpr_add(s->g, *sum, value) : value;
}

jexpr_ref jgen_component(jgen* s, const jmodel_element* e, int k, jexpr_ref value) {
  if (!s->placeholders || !value) return value;
  s->component[e->first_component + k] = value;
  return jexpr_input(s->g, JGEN_ELEMENT, e->first_component + k);
}

jexpr_ref jgen_own_state(jgen* s, const jmodel_element* e, int k) {
  return s->z ? s->z[e->first_state + k] : JEXPR_POISON;
}

jexpr_ref jgen_own_rate(jgen* s, int state) {
  int i = s->m->state[state].element;
  return jgen_element_at(s, i)->rate[state - s->m->element[i].first_state];
}

jgen_element* jgen_element_at(jgen* s, int i) {
  const jmodel_element* m = &s->m->element[i];
  const jgen_element_class* c = jgen_class_of(m);
  jgen_element* e = &s->element[i];
  if (e->progress != JGEN_UNTOUCHED) return e;
  if (s->stage < JGEN_AT_VELOCITY && c->nposition == 0) return e;
  e->progress = JGEN_BEING_WRITTEN;
  const char* before = jgen_write_for(s, m->class->kind);
  c->write(s, m, e);
  jgen_write_for(s, before);
  e->progress = JGEN_WRITTEN;
  return e;
}

int jgen_element_find(const jgen* s, const char* name, size_t n) {
  for (int i = 0; i < s->m->nelement; i++) {
    const char* own = s->m->element[i].name;
    if (strlen(own) == n && memcmp(own, name, n) == 0) return i;
  }
  return -1;
}

int jgen_element_signal(const jgen* s, int i, const char* name, size_t n) {
  const char* const* list = jgen_class_of(&s->m->element[i])->signal;
  for (int k = 0; list[k]; k++) {
    if (strlen(list[k]) == n && memcmp(list[k], name, n) == 0) return k;
  }
  return -1;
}

jexpr_ref jgen_component_value(jgen* s, int i, int k) {
  JASSERT(k >= 0 && k < s->m->element[i].class->ncomponent);
  const char* name = s->m->element[i].class->component[k];
  return jgen_element_at(s, i)->signal[jgen_element_signal(s, i, name, strlen(name))];
}

jo_status jgen_write_elements(jgen* s) {
  for (int i = 0; i < s->m->nelement; i++) {
    jgen_element_at(s, i);
  }
  for (int i = 0; i < s->m->nelement && s->g->status >= 0; i++) {
    const jmodel_element* m = &s->m->element[i];
    const jgen_element_class* c = jgen_class_of(m);
    const char* before = jgen_write_for(s, m->class->kind);
    if (c->finish) c->finish(s, m, &s->element[i]);
    jgen_write_for(s, before);
    s->element[i].progress = JGEN_FINISHED;
  }
  return s->g->status;
}
