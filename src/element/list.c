// SPDX-License-Identifier: Apache-2.0
// The classes of elements as the model reads them.
#include "element/list.h"

const jmodel_element_class* jmodel_class_at(int i) {
  static const jgen_element_class* const list[] = {
#define X(name) &jelement_##name,
      JELEMENT_LIST(X)
#undef X
  };
  return i < JELEMENT_COUNT(list) ? &list[i]->model : NULL;
}

const char* jelement_newton(const jmodel* m, const jmodel_element* e, int component) {
  (void)m;
  (void)e;
  (void)component;
  return "N";
}

void jelement_scalar_or(const jmodel_at* at, const jmodel_node* map, const char* key,
                        double otherwise, jmodel_place place, jmodel_scalar* out) {
  if (jmodel_get_scalar(at, map, key, JMODEL_SCOPE_ANY, out)) return;
  *out = jmodel_default(at->r, out->path, otherwise, place);
}

bool jelement_read_ends(const jmodel_at* at, const jmodel_node* ends, const char* label,
                        jmodel_point* a, jmodel_point* b) {
  if (!jmodel_is(at, ends, JMODEL_NODE_LIST, label)) return false;
  if (ends->n != 2) {
    jmodel_mistake(at, ends->place, "%s needs 2 points, got %d", label, ends->n);
    return false;
  }
  const char* path_a = jmodel_format(at->r, "%s.%s[0]", at->path, label);
  const char* path_b = jmodel_format(at->r, "%s.%s[1]", at->path, label);
  bool has_a = jmodel_body_point_at(at, ends->first, label, path_a, a);
  if (!jmodel_body_point_at(at, ends->last, label, path_b, b) || !has_a) return false;
  if (a->body != b->body) return true;
  jmodel_mistake(at, ends->place, "%s: both ends are on body '%s'", label,
                 at->r->m->body[a->body].name);
  return false;
}
