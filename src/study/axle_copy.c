// SPDX-License-Identifier: Apache-2.0
#include "study/axle_copy.h"

#include <string.h>

const char* const jstudy_moved_path[JSTUDY_MOVED_COUNT] = {
    "kinematics.left",      "kinematics.right",     "kinematics.rack",
    "kinematics.rate",      "kinematics.lift_left", "kinematics.lift_right",
    "kinematics.load_left", "kinematics.load_right"};
const char* const jstudy_side_name[2] = {"l", "r"};

const char* jstudy_axle_text(jstudy_axle_model* b, const jmodel_scalar* s) {
  const char* text = s->text ? jarena_printf(b->a, "(%s)", s->text)
                             : jarena_printf(b->a, "%s", b->m->number[s->number].path);
  if (!text) b->failed = true;
  return text ? text : "0";
}

const char* jstudy_axle_join(jstudy_axle_model* b, const char* format, const char* x,
                             const char* y) {
  const char* text = jarena_printf(b->a, format, x, y);
  if (!text) b->failed = true;
  return text ? text : "0";
}

jmodel_scalar jstudy_axle_expression(const jstudy_axle_model* b, const char* text) {
  return (jmodel_scalar){
      .text = text, .number = -1, .path = "kinematics", .place = {b->m->path, 0}};
}

bool jstudy_axle_grow(jstudy_axle_model* b, void* pp, int n, int more, size_t size) {
  void **list = pp, *out = jarena_array(b->a, (size_t)(n + more), size);
  if (!out) {
    b->failed = true;
    return false;
  }
  if (n > 0) memcpy(out, *list, (size_t)n * size);
  *list = out;
  return true;
}

void jstudy_axle_level(jstudy_axle_model* b) {
  jmodel* c = &b->copy;
  if (!jstudy_axle_grow(b, &c->joint, c->njoint, 0, sizeof *c->joint)) return;
  for (int i = 0; i < 3 * c->njoint; i++) {
    jmodel_joint* j = &c->joint[i / 3];
    if (j->is_any && j->parent == 0) j->start[i % 3] = jstudy_axle_expression(b, "0");
  }
}
