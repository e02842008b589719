// SPDX-License-Identifier: Apache-2.0
// Sections of elements, as their classes describe them.
#include <string.h>

#include "model/element.h"
#include "model/template/instance.h"

// ---- classes of a section ------------------------------------------------------------------------

static bool is_of(const jmodel_element_class* c, const char* section) {
  return strcmp(c->section, section) == 0;
}

const char* jmodel_section_kind(const char* section) {
  for (int i = 0; jmodel_class_at(i); i++) {
    if (is_of(jmodel_class_at(i), section)) return jmodel_class_at(i)->kind;
  }
  return NULL;
}

static bool is_first_of_section(int class) {
  for (int i = 0; i < class; i++) {
    if (is_of(jmodel_class_at(i), jmodel_class_at(class)->section)) return false;
  }
  return true;
}

// "'between', 'on', 'bar' or 'at'"
static const char* keys_of(jmodel_reader* r, const char* section) {
  const char *list = "", *last = NULL;
  for (int i = 0; jmodel_class_at(i); i++) {
    if (!is_of(jmodel_class_at(i), section)) continue;
    if (last) list = jmodel_format(r, *list ? "%s, '%s'" : "%s'%s'", list, last);
    last = jmodel_class_at(i)->key;
  }
  return *list ? jmodel_format(r, "%s or '%s'", list, last) : jmodel_format(r, "'%s'", last);
}

// The class whose key the element has; NULL after a mistake.
static const jmodel_element_class* class_of(const jmodel_at* at, const jmodel_node* entry,
                                            const char* section) {
  const jmodel_element_class* found = NULL;
  for (int i = 0; jmodel_class_at(i); i++) {
    const jmodel_element_class* c = jmodel_class_at(i);
    if (!is_of(c, section)) continue;
    if (!c->key) return found ? found : c;
    const jmodel_node* key = jmodel_node_find(entry, c->key);
    if (!key) continue;
    if (found) {
      jmodel_mistake(at, key->key_place, "it has both '%s' and '%s'; give one", found->key, c->key);
      return NULL;
    }
    found = c;
  }
  if (!found) {
    jmodel_mistake(at, entry->key_place, "where it acts is missing; give %s",
                   keys_of(at->r, section));
  }
  return found;
}

// ---- states ----------------------------------------------------------------------------------------

jmodel_state* jmodel_own_state(const jmodel_at* at, jmodel_element* e, const char* name,
                               const char* unit, double nominal, const char* initial) {
  jmodel_reader* r = at->r;
  if (!jmem_grow(r->ctx, &r->own, &r->own_cap, r->nown + 1, sizeof *r->own)) {
    jmodel_out_of_memory(r);
    return NULL;
  }
  jmodel_state* s = &r->own[r->nown++];
  *s = (jmodel_state){.name = jmodel_format(r, "%s.%s", e->name, name), .place = e->place};
  s->initial = jmodel_constant(jmodel_keep(r, initial), e->place);
  s->derivative = jmodel_constant("0", e->place);
  s->unit = unit;
  s->nominal = nominal;
  s->element = r->m->nelement;
  e->nstate++;
  return s;
}

// ---- reading -------------------------------------------------------------------------------------

static bool read_element(const jmodel_at* at, const jmodel_node* entry, const char* section,
                         jmodel_element* e) {
  if (!jmodel_is(at, entry, JMODEL_NODE_MAP, "it")) return false;
  e->class = class_of(at, entry, section);
  if (!e->class) return false;
  e->data = jmodel_array(at->r, (int)e->class->size, 1);
  if (!e->data) return false;
  jmodel_check_keys(at, entry, e->class->keys);
  bool is_image =
      entry->in && (entry->in->flip[0] < 0 || entry->in->flip[1] < 0 || entry->in->flip[2] < 0);
  if (is_image && !e->class->mirrors) {
    jmodel_mistake(at, entry->key_place, "a %s cannot stand in a mirror image", e->class->kind);
    return false;
  }
  return e->class->read(at, entry, e);
}

static void read_section(jmodel_reader* r, const jmodel_element_class* first,
                         const jmodel_node* section) {
  jmodel* m = r->m;
  for (const jmodel_node* c = section->first; c; c = c->next) {
    jmodel_at at = {r, first->kind, jmodel_keep(r, c->key),
                    jmodel_format(r, "%s.%s", first->section, c->key)};
    jmodel_element* e = &m->element[m->nelement];
    *e = (jmodel_element){.name = at.name, .place = c->key_place, .coordinate = -1};
    if (!jmodel_name_ok(&at, c) || !read_element(&at, c, first->section, e)) continue;
    e->first_component = m->ncomponent;
    m->ncomponent += e->class->ncomponent;
    m->nelement++;
  }
}

void jmodel_read_elements(jmodel_reader* r, const jmodel_node* root) {
  int n = 0;
  for (int i = 0; jmodel_class_at(i); i++) {
    const jmodel_node* section = jmodel_node_find(root, jmodel_class_at(i)->section);
    if (section && is_first_of_section(i)) n += section->n;
  }
  r->m->element = JMODEL_ARRAY(r, n, jmodel_element);
  for (int i = 0; r->m->element && jmodel_class_at(i); i++) {
    const jmodel_element_class* c = jmodel_class_at(i);
    const jmodel_node* section =
        is_first_of_section(i) ? jmodel_section(r, root, c->section) : NULL;
    if (section) read_section(r, c, section);
  }
}

const jmodel_element* jmodel_element_of(const jmodel* m, int component) {
  int i = 0;
  while (component >= m->element[i].first_component + m->element[i].class->ncomponent) {
    i++;
  }
  return &m->element[i];
}
