// SPDX-License-Identifier: Apache-2.0
// A copy of a model on a rig. docs/theory/kinematics.md eq. (K10).
#include "axle/rig.h"

#include <string.h>

#include "element/load.h"

static void drive(jaxle_model* b, int coordinate, const char* value) {
  jmodel_coordinate* c = &b->copy.coordinate[coordinate];
  c->is_driven = true;
  c->driven = jaxle_expression(b, value);
}

static void hold_vehicle(jaxle_model* b) {
  jaxle_level(b);
  for (int i = 0; i < b->m->njoint; i++) {
    const jmodel_joint* j = &b->m->joint[i];
    for (int k = 0; k < j->ncoordinate && jaxle_is_carried(b, j); k++) {
      drive(b, j->first_coordinate + k, jaxle_design(b, j, k));
    }
  }
}

// A rack on a spring, as that of a column, gives way to loads; any other is held.
static void hold_rack(jaxle_model* b) {
  int rack = b->axle->rack;
  if (rack < 0) return;
  for (int i = 0; jaxle_is_load(b->motion) && i < b->m->nelement; i++) {
    bool is_driven = b->copy.coordinate[rack].is_driven;
    if (!is_driven && b->m->element[i].coordinate == rack) return;
  }
  drive(b, rack, jaxle_moved_path[JAXLE_MOVED_RACK]);
}

static bool is_same(const jmodel* m, const jmodel_scalar* x, const jmodel_scalar* y) {
  if (x->text && y->text) return strcmp(x->text, y->text) == 0;
  if (x->text || y->text) return false;
  return x->number == y->number || m->number[x->number].value == m->number[y->number].value;
}

// What turns about the centre of the wheel does not turn against its carrier: a brake holds it.
static void lock_wheel(jaxle_model* b, const jmodel_axle_side* s) {
  for (int i = 0; i < b->m->njoint; i++) {
    const jmodel_joint* j = &b->m->joint[i];
    const jmodel_point* p = &j->at_child;
    if (j->child != s->centre.body || !jmodel_joint_is_hinge(j->type)) continue;
    bool is_centre = p->in_vehicle == s->centre.in_vehicle;
    for (int k = 0; k < 3; k++) {
      is_centre = is_centre && is_same(b->m, &p->r.e[k], &s->centre.r.e[k]);
    }
    if (is_centre) drive(b, j->first_coordinate, "0");
  }
}

// A load L at the contact p, of a wheel with the centre c, is the same force at c and a torque,
//   (K10)  (p - c) x L
static void load_wheel(jaxle_model* b, int side) {
  const jmodel_point* centre = &b->axle->side[side].centre;
  const char* w = jaxle_side_name[side];
  const char* load = jaxle_moved_path[JAXLE_MOVED_LOAD + side];
  jmodel* m = &b->copy;
  const char* c = jaxle_join(b, "%s.kinematics_%s_c", m->body[centre->body].name, w);
  const char *force[3] = {"0", "0", jaxle_moved_path[JAXLE_MOVED_LIFT + side]},
             *torque[3] = {"0", "0", "0"};
  switch (b->motion) {
    case JAXLE_MOTION_LATERAL:
      force[1] = load;
      torque[0] = jarena_printf(b->a, "-(k%s_pz-%s.z)*%s", w, c, load);
      torque[2] = jarena_printf(b->a, "(k%s_px-%s.x)*%s", w, c, load);
      break;
    case JAXLE_MOTION_BRAKING:
      force[0] = load;
      torque[1] = jarena_printf(b->a, "(k%s_pz-%s.z)*%s", w, c, load);
      torque[2] = jarena_printf(b->a, "-(k%s_py-%s.y)*%s", w, c, load);
      break;
    case JAXLE_MOTION_TRACTION: force[0] = load; break;
    case JAXLE_MOTION_ALIGNING: torque[2] = load; break;
    default: break;
  }
  jmodel_v3 f, n;
  for (int i = 0; i < 3; i++) {
    if (!torque[i]) b->failed = true;
    f.e[i] = jaxle_expression(b, force[i]);
    n.e[i] = jaxle_expression(b, torque[i] ? torque[i] : "0");
  }
  const char* name = jaxle_join(b, "kinematics_load_%s%s", w, "");
  jmodel_element* e = &m->element[m->nelement++];
  if (!jelement_load_make(b->a, name, centre, &f, &n, m->ncomponent, e)) b->failed = true;
  m->ncomponent++;
}

void jaxle_on_rig(jaxle_model* b) {
  jmodel* m = &b->copy;
  if (!jaxle_grow(b, &m->coordinate, m->ncoordinate, 0, sizeof *m->coordinate) ||
      !jaxle_grow(b, &m->element, m->nelement, 2, sizeof *m->element)) {
    return;
  }
  hold_vehicle(b);
  hold_rack(b);
  for (int side = 0; side < 2; side++) {
    if (!b->axle->side[side].is_given) continue;
    lock_wheel(b, &b->axle->side[side]);
    load_wheel(b, side);
  }
  for (int i = 0; i < 3; i++) {
    m->gravity.e[i] = jaxle_expression(b, "0");
  }
  // far below, so that no tyre stands on it
  m->has_road = true;
  m->road = jaxle_expression(b, "-1e4");
}
