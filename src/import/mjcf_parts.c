// SPDX-License-Identifier: Apache-2.0
// Attributes with their defaults, places, and masses of MJCF.
#include <math.h>
#include <string.h>

#include "import/mjcf.h"

#define PI 3.14159265358979323846

// ---- attributes ----------------------------------------------------------------------------------

static const char* default_of(jimport_node* from, const char* element, const char* name) {
  for (jimport_node* n = from; n && strcmp(n->name, "default") == 0; n = n->parent) {
    jimport_node* kind = jimport_child(n, element);
    const char* value = kind ? jimport_attribute_of(kind, name) : NULL;
    if (value) return value;
  }
  return NULL;
}

const char* jimport_mj_attribute(jimport_mj* m, jimport_node* node, const char* class,
                                 const char* name) {
  const char* value = jimport_attribute_of(node, name);
  if (value) return value;
  const char* own = jimport_attribute_of(node, "class");
  const char* chosen = own ? own : class;
  jimport_node* from = chosen ? jimport_table_get(m->classes, chosen) : NULL;
  value = from ? default_of(from, node->name, name) : NULL;
  if (!value && m->main) value = default_of(m->main, node->name, name);
  return value;
}

jo_status jimport_mj_numbers(jimport_mj* m, jimport_node* node, const char* class, const char* name,
                             int least, int n, double* x, int* got) {
  const char* text = jimport_mj_attribute(m, node, class, name);
  int k = 0;
  if (text) {
    const char* what = jimport_text(m->d, "%s of <%s>", name, jimport_show(m->d, node->name));
    JO_TRY(jimport_numbers(m->d, node->line, what, text, least, n, x, &k));
  }
  if (got) *got = k;
  return JO_OK;
}

jo_status jimport_mj_number(jimport_mj* m, jimport_node* node, const char* class, const char* name,
                            double usual, double* x) {
  *x = usual;
  return jimport_mj_numbers(m, node, class, name, 1, 1, x, NULL);
}

// ---- places --------------------------------------------------------------------------------------

static void from_euler(const jimport_mj* m, const double* e, double R[3][3]) {
  jimport_pose sum = jimport_pose_none();
  for (int i = 0; i < 3; i++) {
    char c = m->eulerseq[i];
    bool is_fixed = c >= 'X' && c <= 'Z';
    double turn[3][3], out[3][3];
    jimport_about_axis(is_fixed ? c - 'X' : c - 'x', e[i] * m->angle, turn);
    if (is_fixed) {
      jimport_mul(turn, sum.R, out);
    } else {
      jimport_mul(sum.R, turn, out);
    }
    memcpy(sum.R, out, sizeof out);
  }
  memcpy(R, sum.R, sizeof sum.R);
}

// x along the first, y across it; false: parallel, or without length.
static bool from_axes(const double* v, double R[3][3]) {
  double x[3] = {v[0], v[1], v[2]}, y[3] = {v[3], v[4], v[5]}, z[3];
  if (!jimport_normalise(x)) return false;
  double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  for (int i = 0; i < 3; i++) {
    y[i] -= along * x[i];
  }
  if (!jimport_normalise(y)) return false;
  jimport_cross(x, y, z);
  for (int i = 0; i < 3; i++) {
    R[i][0] = x[i];
    R[i][1] = y[i];
    R[i][2] = z[i];
  }
  return true;
}

// The smallest turn that takes z there.
static bool from_z(const double* v, double R[3][3]) {
  double z[3] = {v[0], v[1], v[2]};
  if (!jimport_normalise(z)) return false;
  double axis[3] = {-z[1], z[0], 0}, s = jimport_length(axis);
  if (!jimport_normalise(axis)) {
    axis[0] = 1.0;
    axis[1] = 0.0;
  }
  jimport_about(axis, atan2(s, z[2]), R);
  return true;
}

static bool make_turn(const jimport_mj* m, const char* how, const double* v, double R[3][3]) {
  if (strcmp(how, "quat") == 0) return jimport_quaternion(v, R);
  if (strcmp(how, "xyaxes") == 0) return from_axes(v, R);
  if (strcmp(how, "zaxis") == 0) return from_z(v, R);
  if (strcmp(how, "euler") == 0) {
    from_euler(m, v, R);
    return true;
  }
  double axis[3] = {v[0], v[1], v[2]};
  if (!jimport_normalise(axis)) return false;
  jimport_about(axis, v[3] * m->angle, R);
  return true;
}

jo_status jimport_mj_pose(jimport_mj* m, jimport_node* node, const char* class, jimport_pose* out) {
  static const struct {
    const char* name;
    int n;
  } turns[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
  *out = jimport_pose_none();
  JO_TRY(jimport_mj_numbers(m, node, class, "pos", 3, 3, out->p, NULL));
  for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
    double v[6];
    int got;
    JO_TRY(jimport_mj_numbers(m, node, class, turns[i].name, turns[i].n, turns[i].n, v, &got));
    if (got == 0) continue;
    if (!make_turn(m, turns[i].name, v, out->R)) {
      return jimport_refuse(m->d, node->line, "%s of <%s> gives no orientation", turns[i].name,
                            jimport_show(m->d, node->name));
    }
    break;
  }
  return JO_OK;
}

// ---- masses --------------------------------------------------------------------------------------

jo_status jimport_mj_inertial(jimport_mj* m, jimport_node* node, jimport_body* b) {
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  jimport_pose p;
  double full[6] = {0}, I[3][3] = {{0}};
  int got;
  JO_TRY(jimport_mj_pose(m, node, NULL, &p));
  JO_TRY(jimport_mj_number(m, node, NULL, "mass", 0.0, &b->mass));
  if (b->mass < 0.0) return jimport_refuse(m->d, node->line, "the mass of %s is negative", b->name);
  JO_TRY(jimport_mj_numbers(m, node, NULL, "fullinertia", 6, 6, full, &got));
  if (got == 0) JO_TRY(jimport_mj_numbers(m, node, NULL, "diaginertia", 3, 3, full, NULL));
  for (int k = 0; k < 6; k++) {
    I[at[k][0]][at[k][1]] = I[at[k][1]][at[k][0]] = full[k];
  }
  memcpy(b->com, p.p, sizeof b->com);
  memset(p.p, 0, sizeof p.p);
  jimport_mass sum = {0};
  jimport_mass_add(&sum, 0.0, I, &p);
  for (int k = 0; k < 6; k++) {
    b->inertia[k] = sum.I[at[k][0]][at[k][1]];
  }
  return JO_OK;
}

// Volume of a shape, and its moments of inertia by its mass; sizes are halves, along z where it has a length.
static double volume_of(const char* type, const double* s, double* I) {
  double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
  if (strcmp(type, "sphere") == 0) {
    I[0] = I[1] = I[2] = 0.4 * x;
    return 4.0 / 3.0 * PI * x * s[0];
  }
  if (strcmp(type, "ellipsoid") == 0) {
    I[0] = (y + z) / 5.0;
    I[1] = (x + z) / 5.0;
    I[2] = (x + y) / 5.0;
    return 4.0 / 3.0 * PI * s[0] * s[1] * s[2];
  }
  if (strcmp(type, "box") == 0) {
    I[0] = (y + z) / 3.0;
    I[1] = (x + z) / 3.0;
    I[2] = (x + y) / 3.0;
    return 8.0 * s[0] * s[1] * s[2];
  }
  double h = 2.0 * s[1], cylinder = PI * x * h;
  if (strcmp(type, "cylinder") == 0) {
    I[0] = I[1] = (3.0 * x + h * h) / 12.0;
    I[2] = x / 2.0;
    return cylinder;
  }
  // a capsule: a cylinder and two half balls at its ends
  double ball = 4.0 / 3.0 * PI * x * s[0], all = cylinder + ball;
  double across =
      cylinder * (3.0 * x + h * h) / 12.0 + ball * (0.4 * x + h * h / 4.0 + 0.375 * h * s[0]);
  I[0] = I[1] = all > 0.0 ? across / all : 0.0;
  I[2] = all > 0.0 ? (cylinder * x / 2.0 + ball * 0.4 * x) / all : 0.0;
  return all;
}

// Place and sizes of a geom given by the ends of its axis.
static bool span(const double* ends, const char* type, jimport_pose* p, double* size) {
  double z[3];
  for (int i = 0; i < 3; i++) {
    p->p[i] = 0.5 * (ends[i] + ends[i + 3]);
    z[i] = ends[i + 3] - ends[i];
  }
  double half = 0.5 * jimport_length(z);
  bool is_round = strcmp(type, "capsule") == 0 || strcmp(type, "cylinder") == 0;
  size[is_round ? 1 : 2] = half;
  if (!is_round) size[1] = size[0];
  return from_z(z, p->R);
}

jo_status jimport_mj_geom(jimport_mj* m, jimport_node* node, const char* class,
                          const jimport_pose* frame, jimport_mass* sum) {
  static const char* const shapes[] = {"sphere", "capsule", "cylinder", "ellipsoid", "box"};
  static const int sizes[] = {1, 2, 2, 3, 3};
  jimport_draft* d = m->d;
  const char* type = jimport_mj_attribute(m, node, class, "type");
  if (!type) type = "sphere";
  int shape = -1, got, has_ends, has_mass;
  for (int i = 0; i < 5; i++) {
    if (strcmp(shapes[i], type) == 0) shape = i;
  }
  double size[3] = {0}, ends[6], density, mass = 0.0, I[3];
  JO_TRY(jimport_mj_number(m, node, class, "density", 1000.0, &density));
  JO_TRY(jimport_mj_numbers(m, node, class, "mass", 1, 1, &mass, &has_mass));
  bool is_flat = strcmp(type, "plane") == 0 || strcmp(type, "hfield") == 0;
  if (shape < 0 && !is_flat && (has_mass ? mass : density) != 0.0) {
    jimport_remark_add(d, JIMPORT_TO_FILL, node->line,
                       "mass and inertia of a geom of type '%s': the file does not say its shape",
                       jimport_show(d, type));
  }
  if (shape < 0) return JO_OK;
  jimport_pose p, at;
  JO_TRY(jimport_mj_numbers(m, node, class, "size", 1, 3, size, &got));
  JO_TRY(jimport_mj_pose(m, node, class, &p));
  JO_TRY(jimport_mj_numbers(m, node, class, "fromto", 6, 6, ends, &has_ends));
  if (has_ends && shape > 0 && !span(ends, type, &p, size)) {
    return jimport_refuse(d, node->line, "fromto of <geom> has no length");
  }
  if (got < (has_ends && shape > 0 ? 1 : sizes[shape])) {
    return jimport_refuse(d, node->line, "size of <geom>: a %s needs %d numbers", type,
                          sizes[shape]);
  }
  double volume = volume_of(type, size, I);
  if (!has_mass) mass = density * volume;
  if (!(mass >= 0.0) || !(volume >= 0.0)) {
    return jimport_refuse(d, node->line, "size or mass of <geom> is negative");
  }
  double tensor[3][3] = {{mass * I[0], 0, 0}, {0, mass * I[1], 0}, {0, 0, mass * I[2]}};
  at = jimport_pose_mul(frame, &p);
  jimport_mass_add(sum, mass, tensor, &at);
  return JO_OK;
}
