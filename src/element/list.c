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
