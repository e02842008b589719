// SPDX-License-Identifier: Apache-2.0
// Loops and actuators of MJCF.
#include <string.h>

#include "import/mjcf.h"

// ---- loops ---------------------------------------------------------------------------------------

static jo_status find_body(jimport_mj* m, jimport_node* node, const char* name, bool is_needed,
                           jimport_body** out) {
  const char* text = jimport_attribute_of(node, name);
  *out = &m->d->ground;
  if (!text && is_needed) {
    return jimport_refuse(m->d, node->line, "<%s> without %s", node->name, name);
  }
  if (!text || strcmp(text, "world") == 0) return JO_OK;
  *out = jimport_table_get(m->bodies, text);
  if (*out) return JO_OK;
  return jimport_refuse(m->d, node->line, "%s of <%s>: no body '%s'", name, node->name,
                        jimport_show(m->d, text));
}

static jo_status find_site(jimport_mj* m, jimport_node* node, const char* name,
                           jimport_mj_site** out) {
  const char* text = jimport_attribute_of(node, name);
  *out = text ? jimport_table_get(m->sites, text) : NULL;
  if (*out) return JO_OK;
  return jimport_refuse(m->d, node->line, "%s of <%s>: no site '%s'", name, node->name,
                        jimport_show(m->d, text ? text : ""));
}

// A point of body a, own coordinates, and the same place on body b where all coordinates are zero.
static void make_ends(jimport_draft* d, const char* name, jimport_body* a, const double x[3],
                      jimport_body* b, jimport_end* out) {
  double world[3], other[3];
  jimport_place(&a->design, x, world);
  jimport_place_back(&b->design, world, other);
  out[0] = (jimport_end){a, jimport_point_add(d, a, jimport_text(d, "%s_a", name), x, 0)};
  out[1] = (jimport_end){b, jimport_point_add(d, b, jimport_text(d, "%s_b", name), other, 0)};
}

static jo_status find_sites(jimport_mj* m, jimport_node* node, jimport_mj_site** a,
                            jimport_mj_site** b) {
  JO_TRY(find_site(m, node, "site1", a));
  JO_TRY(find_site(m, node, "site2", b));
  if ((*a)->body != (*b)->body) return JO_OK;
  return jimport_refuse(m->d, node->line, "<%s> joins a body with itself", node->name);
}

static void transpose(double R[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[i][j] = R[j][i];
    }
  }
}

// Two sites become one: points for connect, frames for weld.
static jo_status join_sites(jimport_mj* m, jimport_node* node, const char* name) {
  jimport_mj_site *a, *b;
  JO_TRY(find_sites(m, node, &a, &b));
  jimport_end first = {a->body, a->point}, second = {b->body, b->point};
  if (strcmp(node->name, "connect") == 0) {
    jimport_ball(m->d, name, first, second, node->line);
    return JO_OK;
  }
  double T[3][3], R[3][3];
  transpose(b->pose.R, T);
  jimport_mul(a->pose.R, T, R);
  jimport_weld(m->d, name, first, second, R, node->line);
  return JO_OK;
}

static jo_status read_connect(jimport_mj* m, jimport_node* node, const char* name) {
  jimport_draft* d = m->d;
  jimport_body *a, *b;
  jimport_end end[2];
  double anchor[3] = {0};
  JO_TRY(find_body(m, node, "body1", true, &a));
  JO_TRY(find_body(m, node, "body2", false, &b));
  JO_TRY(jimport_mj_numbers(m, node, NULL, "anchor", 3, 3, anchor, NULL));
  if (a == b) return jimport_refuse(d, node->line, "<connect> joins a body with itself");
  make_ends(d, name, a, anchor, b, end);
  jimport_ball(d, name, end[0], end[1], node->line);
  return JO_OK;
}

// relpose is body2 in the frame of body1, as drawn where it is not given; anchor is a point of body2.
static jo_status read_weld(jimport_mj* m, jimport_node* node, const char* name) {
  jimport_draft* d = m->d;
  jimport_body *a, *b;
  double anchor[3] = {0}, pose[7], T[3][3];
  int got;
  jimport_pose relative = jimport_pose_none();
  JO_TRY(find_body(m, node, "body1", true, &a));
  JO_TRY(find_body(m, node, "body2", false, &b));
  JO_TRY(jimport_mj_numbers(m, node, NULL, "anchor", 3, 3, anchor, NULL));
  JO_TRY(jimport_mj_numbers(m, node, NULL, "relpose", 7, 7, pose, &got));
  if (a == b) return jimport_refuse(d, node->line, "<weld> joins a body with itself");
  bool is_given = got && jimport_quaternion(pose + 3, relative.R);
  if (is_given) {
    memcpy(relative.p, pose, sizeof relative.p);
  } else {
    transpose(a->design.R, T);
    jimport_mul(T, b->design.R, relative.R);
    jimport_place_back(&a->design, b->design.p, relative.p);
  }
  double on_a[3];
  jimport_place(&relative, anchor, on_a);
  jimport_end end[2] = {{a, jimport_point_add(d, a, jimport_text(d, "%s_a", name), on_a, 0)},
                        {b, jimport_point_add(d, b, jimport_text(d, "%s_b", name), anchor, 0)}};
  jimport_weld(d, name, end[0], end[1], relative.R, node->line);
  return JO_OK;
}

static jo_status read_equality(jimport_mj* m, jimport_node* list) {
  jimport_draft* d = m->d;
  int nunnamed = 0;
  for (jimport_node* n = list ? list->first : NULL; n; n = n->next) {
    bool is_connect = strcmp(n->name, "connect") == 0, is_weld = strcmp(n->name, "weld") == 0;
    if (!is_connect && !is_weld) continue;
    n->is_read = true;
    const char *name = jimport_attribute_of(n, "name"), *active = jimport_attribute_of(n, "active");
    if (!name) name = jimport_text(d, "loop_%d", ++nunnamed);
    if (active && strcmp(active, "false") == 0) {
      jimport_read_all(n);
      jimport_remark_add(d, JIMPORT_LOST, n->line, "<%s> '%s', which is not active", n->name,
                         jimport_show(d, name));
      continue;
    }
    if (jimport_attribute_of(n, "site1")) {
      JO_TRY(join_sites(m, n, name));
      continue;
    }
    JO_TRY(is_connect ? read_connect(m, n, name) : read_weld(m, n, name));
  }
  return JO_OK;
}

// ---- actuators -----------------------------------------------------------------------------------

// A factor in front of something: nothing for 1.
static const char* factor(jimport_draft* d, double x) {
  if (x == 1.0) return "";
  return jimport_text(d, x < 0.0 ? "(%s)*" : "%s*", jimport_number(d, x));
}

// With l = gear q:  motor: gear u;  position: gear (kp (u - l) - kv dl/dt);  velocity: gear kv (u - dl/dt)
static const char* actuator_law(jimport_draft* d, const char* kind, const char* input,
                                const jimport_mj_joint* j, double gear, double kp, double kv) {
  const char *g = factor(d, gear), *rate = jimport_text(d, "%s%s.rate", g, j->joint->name);
  const char* q = j->joint->name;
  if (j->ref != 0.0) q = jimport_text(d, "(%s + (%s))", q, jimport_number(d, j->ref));
  if (strcmp(kind, "motor") == 0) return jimport_text(d, "%s%s", g, input);
  if (strcmp(kind, "velocity") == 0) {
    return jimport_text(d, "%s(%s - %s)", factor(d, gear * kv), input, rate);
  }
  const char* spring = jimport_text(d, "%s(%s - %s%s)", factor(d, gear * kp), input, g, q);
  if (kv == 0.0) return spring;
  return jimport_text(d, "%s - %s%s", spring, factor(d, gear * kv), rate);
}

static jo_status add_actuator(jimport_mj* m, jimport_node* node, const jimport_mj_joint* j,
                              const char* name) {
  jimport_draft* d = m->d;
  double gear[6] = {1}, kp, kv;
  bool is_position = strcmp(node->name, "position") == 0;
  JO_TRY(jimport_mj_numbers(m, node, NULL, "gear", 1, 6, gear, NULL));
  JO_TRY(jimport_mj_number(m, node, NULL, "kp", 1.0, &kp));
  JO_TRY(jimport_mj_number(m, node, NULL, "kv", is_position ? 0.0 : 1.0, &kv));
  const char* input = jimport_name(d, jimport_text(d, "%s_ctrl", name), NULL, node->line);
  const char* law = actuator_law(d, node->name, input, j, gear[0], kp, kv);
  jimport_entry_add(d, JIMPORT_INPUTS, input, "0", "control of the actuator, to be given");
  jimport_entry_add(d, JIMPORT_FORCES, jimport_name(d, name, NULL, node->line),
                    jimport_text(d, "{on: %s, torque: \"%s\"}", j->joint->name, law), node->name)
      ->on = j->joint;
  jimport_remark_add(d, JIMPORT_TO_FILL, node->line, "control %s of the %s on joint %s", input,
                     node->name, j->joint->name);
  return JO_OK;
}

static jo_status read_actuators(jimport_mj* m, jimport_node* list) {
  static const char* const kinds[] = {"motor", "position", "velocity"};
  jimport_draft* d = m->d;
  for (jimport_node* n = list ? list->first : NULL; n; n = n->next) {
    bool is_known = false;
    for (int i = 0; i < 3; i++) {
      is_known = is_known || strcmp(n->name, kinds[i]) == 0;
    }
    const char* joint = is_known ? jimport_attribute_of(n, "joint") : NULL;
    if (!joint) continue;
    const jimport_mj_joint* j = jimport_table_get(m->joints, joint);
    if (!j) {
      return jimport_refuse(d, n->line, "<%s>: no joint '%s'", n->name, jimport_show(d, joint));
    }
    n->is_read = true;
    const char* name = jimport_attribute_of(n, "name");
    if (!name) name = jimport_text(d, "%s_%s", j->joint->name, n->name);
    if (j->joint->naxis != 1) {
      jimport_read_all(n);
      jimport_remark_add(d, JIMPORT_LOST, n->line, "<%s> '%s' on a joint with several coordinates",
                         n->name, jimport_show(d, name));
      continue;
    }
    JO_TRY(add_actuator(m, n, j, name));
  }
  return JO_OK;
}

jo_status jimport_mj_rest(jimport_mj* m, jimport_node* root) {
  for (jimport_node* n = jimport_child(root, "equality"); n; n = jimport_next(n, "equality")) {
    JO_TRY(read_equality(m, n));
  }
  for (jimport_node* n = jimport_child(root, "actuator"); n; n = jimport_next(n, "actuator")) {
    JO_TRY(read_actuators(m, n));
  }
  return JO_OK;
}
