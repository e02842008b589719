// SPDX-License-Identifier: Apache-2.0
#include "axle/copy.h"

#include <string.h>

#include "model/element.h"

const char* const jaxle_moved_path[JAXLE_MOVED_COUNT] = {
    "kinematics.left",      "kinematics.right",     "kinematics.rack",
    "kinematics.rate",      "kinematics.lift_left", "kinematics.lift_right",
    "kinematics.load_left", "kinematics.load_right"};
const char* const jaxle_side_name[2] = {"l", "r"};

static bool is_on(const jmodel* m, int carrier, int body) {
  for (int i = 0; i < m->njoint && body != carrier && body != 0; i++) {
    if (m->joint[i].child != body) continue;
    body = m->joint[i].parent;
    i = -1;
  }
  return body == carrier;
}

// A body that only guided joints join to the ground.
static bool is_guided(const jmodel* m, int body) {
  for (int i = 0; i < m->njoint && body != 0; i++) {
    if (m->joint[i].child != body) continue;
    if (jmodel_joint_class_of(m->joint[i].type)->is_place) return false;
    body = m->joint[i].parent;
    i = -1;
  }
  return body == 0;
}

// Both ends of all springs of the axle are on the body; there is one at least.
static bool has_springs(const jaxle_model* b, int body) {
  int n = 0;
  for (int side = 0; side < 2; side++) {
    const jmodel_axle_side* s = &b->axle->side[side];
    for (int i = 0; s->is_given && i < s->nspring; i++, n++) {
      const jmodel_element* e = &b->m->element[s->spring[i]];
      jmodel_shape shape[JMODEL_MAX_SHAPES];
      int drawn = e->class->draw ? e->class->draw(e, shape) : 0;
      if (drawn != 1 || shape[0].kind != JMODEL_SHAPE_LINE) return false;
      if (!is_on(b->m, body, shape[0].a->body) || !is_on(b->m, body, shape[0].b->body))
        return false;
    }
  }
  return n > 0;
}

bool jaxle_is_carried(const jaxle_model* b, const jmodel_joint* j) {
  if (jmodel_joint_class_of(j->type)->is_place) return j->parent == 0;
  return is_guided(b->m, j->parent) && has_springs(b, j->child);
}

const char* jaxle_design(jaxle_model* b, const jmodel_joint* j, int k) {
  bool is_place = jmodel_joint_class_of(j->type)->is_place && k < 3;
  return is_place ? jaxle_text(b, &j->at_child.r.e[k]) : "0";
}

const char* jaxle_text(jaxle_model* b, const jmodel_scalar* s) {
  const char* text = s->text ? jarena_printf(b->a, "(%s)", s->text)
                             : jarena_printf(b->a, "%s", b->m->number[s->number].path);
  if (!text) b->failed = true;
  return text ? text : "0";
}

const char* jaxle_join(jaxle_model* b, const char* format, const char* x, const char* y) {
  const char* text = jarena_printf(b->a, format, x, y);
  if (!text) b->failed = true;
  return text ? text : "0";
}

jmodel_scalar jaxle_expression(const jaxle_model* b, const char* text) {
  return (jmodel_scalar){
      .text = text, .number = -1, .path = "kinematics", .place = {b->m->path, 0}};
}

bool jaxle_grow(jaxle_model* b, void* pp, int n, int more, size_t size) {
  void **list = pp, *out = jarena_array(b->a, (size_t)(n + more), size);
  if (!out) {
    b->failed = true;
    return false;
  }
  if (n > 0) memcpy(out, *list, (size_t)n * size);
  *list = out;
  return true;
}

void jaxle_level(jaxle_model* b) {
  jmodel* c = &b->copy;
  if (!jaxle_grow(b, &c->joint, c->njoint, 0, sizeof *c->joint)) return;
  for (int i = 0; i < 3 * c->njoint; i++) {
    jmodel_joint* j = &c->joint[i / 3];
    if (j->is_any && j->parent == 0) j->start[i % 3] = jaxle_expression(b, "0");
  }
}
