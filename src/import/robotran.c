// SPDX-License-Identifier: Apache-2.0
// ROBOTRAN (.mbs, written by MBsysPad): bodies, each behind joints of one coordinate in a row, and cuts that close
// loops. www.robotran.eu
//
// All frames are parallel where all coordinates are zero; R1 turns about x, T1 moves along it. The origin of a
// body's frame is where its last joint is, centre of mass and points are from there, moments of inertia about the
// centre of mass.
#include "import/robotran.h"

#include <string.h>

// ---- pieces --------------------------------------------------------------------------------------

jo_status jimport_rt_number(jimport_draft* d, jimport_node* node, const char* key, double* out) {
  jimport_node* child = jimport_child(node, key);
  *out = 0.0;
  if (!child || !*child->text) return JO_OK;
  return jimport_vector_of(d, child->line, jimport_text(d, "<%s>", key), child->text, 1, out);
}

// <coordinates> with <x>, <y>, <z>, each 0 where it is missing.
static jo_status coordinates(jimport_draft* d, jimport_node* node, double out[3]) {
  static const char* const keys[] = {"x", "y", "z"};
  jimport_node* list = jimport_child(node, "coordinates");
  for (int i = 0; i < 3; i++) {
    out[i] = 0.0;
    if (list) JO_TRY(jimport_rt_number(d, list, keys[i], &out[i]));
  }
  return JO_OK;
}

static bool is_base(const jimport_rt* r, const char* name) {
  return strcmp(name, "base") == 0 || (r->base_name && strcmp(name, r->base_name) == 0);
}

jo_status jimport_rt_end(jimport_rt* r, jimport_node* node, const char* key, const char* whose,
                         jimport_end* out) {
  jimport_draft* d = r->d;
  jimport_node* end = jimport_child(node, key);
  const char *body = end ? jimport_child_text(end, "bodyname") : NULL,
             *point = end ? jimport_child_text(end, "pointname") : NULL;
  if (!body) return jimport_refuse(d, node->line, "%s has no <%s> with a body", whose, key);
  const jimport_rt_body* s = jimport_table_get(r->bodies, body);
  if (!s && !is_base(r, body)) {
    return jimport_refuse(d, end->line, "%s: no body '%s'", whose, jimport_show(d, body));
  }
  *out = (jimport_end){s ? s->body : &d->ground, NULL};
  if (!point) return JO_OK;
  out->point = jimport_table_get(s ? s->points : r->base_points, point);
  if (out->point || strcmp(point, "origin") == 0) return JO_OK;
  return jimport_refuse(d, end->line, "%s: no point '%s' on body '%s'", whose,
                        jimport_show(d, point), jimport_show(d, body));
}

// ---- points, with what acts there and what is measured there -------------------------------------

static bool is_true(jimport_node* node, const char* name) {
  const char* value = jimport_attribute_of(node, name);
  return value && strcmp(value, "true") == 0;
}

static void add_sensor(jimport_draft* d, jimport_node* node, const char* at, const char* point) {
  static const struct {
    const char *key, *suffix[3], *unit;
  } kinds[] = {{"Pos", {"x", "y", "z"}, "m"},
               {"Vit", {"vx", "vy", "vz"}, "m/s"},
               {"Acc", {"ax", "ay", "az"}, "m/s^2"}};
  static const char* const others[] = {"Rot", "Om", "Omp", "Jac"};
  const char* name = jimport_attribute_of(node, "name");
  if (!name || !*name) name = jimport_text(d, "%s_sensor", point);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    for (int i = 0; is_true(node, kinds[k].key) && i < 3; i++) {
      const char* wanted = jimport_text(d, "%s_%s", name, kinds[k].suffix[i]);
      jimport_entry_add(
          d, JIMPORT_SENSORS, jimport_name(d, wanted, NULL, node->line),
          jimport_text(d, "{value: %s.%s, unit: %s}", at, kinds[k].suffix[i], kinds[k].unit), NULL);
    }
  }
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    if (!is_true(node, others[k])) continue;
    jimport_remark_add(d, JIMPORT_LOST, node->line, "%s of sensor '%s'", others[k],
                       jimport_show(d, name));
  }
}

static void add_external_force(jimport_draft* d, jimport_node* node, const char* at,
                               const char* point) {
  const char* name = jimport_attribute_of(node, "name");
  // which quantities the user's function of it wants to know
  static const char* const wants[] = {"Pos", "Rot", "Vit", "Om", "Acc", "Omp"};
  for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
    jimport_attribute_of(node, wants[i]);
  }
  const char* made =
      jimport_name(d, name && *name ? name : jimport_text(d, "%s_force", point), NULL, node->line);
  jimport_entry_add(d, JIMPORT_FORCES, made,
                    jimport_text(d, "{at: %s, force: [0, 0, 0], torque: [0, 0, 0]}", at),
                    "to fill in: user_ExtForces");
  jimport_remark_add(d, JIMPORT_TO_FILL, node->line, "force %s at %s (user_ExtForces)", made, at);
}

static jo_status read_points(jimport_rt* r, jimport_node* parent, jimport_body* b,
                             jimport_table* names) {
  jimport_draft* d = r->d;
  for (jimport_node* n = jimport_child(parent, "point"); n; n = jimport_next(n, "point")) {
    const char* name = jimport_child_text(n, "pointname");
    double x[3];
    if (!name || !*name) return jimport_refuse(d, n->line, "<point> without <pointname>");
    if (jimport_table_get(names, name)) {
      return jimport_refuse(d, n->line, "a second point '%s' on this body", jimport_show(d, name));
    }
    JO_TRY(coordinates(d, n, x));
    // the origin may be listed, for what is there
    bool is_origin = strcmp(name, "origin") == 0 && x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
    const char* made = is_origin ? "origin" : jimport_point_add(d, b, name, x, n->line);
    jimport_table_put(d, names, name, (void*)made);
    const char* at = jimport_end_text(d, (jimport_end){b, made});
    jimport_node *sensor = jimport_child(n, "sensor"), *force = jimport_child(n, "extforce");
    if (b == &d->ground && (sensor || force)) {
      jimport_remark_add(d, JIMPORT_LOST, n->line, "force or sensor at %s, which never moves", at);
    } else {
      if (sensor) add_sensor(d, sensor, at, made);
      if (force) add_external_force(d, force, at, made);
    }
  }
  return JO_OK;
}

// ---- bodies --------------------------------------------------------------------------------------

static jo_status read_source(jimport_rt* r, jimport_node* node) {
  jimport_draft* d = r->d;
  const char* name = jimport_child_text(node, "bodyname");
  jimport_node* parent = jimport_child(node, "parent");
  if (!name || !*name) return jimport_refuse(d, node->line, "<body> without <bodyname>");
  if (jimport_table_get(r->bodies, name) || is_base(r, name)) {
    return jimport_refuse(d, node->line, "a second body '%s'", jimport_show(d, name));
  }
  const char* parent_name = parent ? jimport_child_text(parent, "bodyname") : NULL;
  if (!parent_name) {
    return jimport_refuse(d, node->line, "body '%s' has no <parent>", jimport_show(d, name));
  }
  jimport_rt_body* s = JARENA_NEW(d->a, jimport_rt_body);
  if (!s) return jerr_memory(d->ctx);
  *s = (jimport_rt_body){.node = node, .name = name, .parent_name = parent_name};
  s->parent_point = jimport_child_text(parent, "pointname");
  s->points = jimport_table_new(d);
  for (jimport_node* n = jimport_child(node, "joint"); n; n = jimport_next(n, "joint")) {
    if (s->njoint == JIMPORT_RT_JOINTS) {
      return jimport_refuse(d, n->line, "more than %d joints in front of body '%s'",
                            JIMPORT_RT_JOINTS, jimport_show(d, name));
    }
    s->joint[s->njoint++] = n;
  }
  jimport_table_put(d, r->bodies, name, s);
  *r->last_body = s;
  r->last_body = &s->next;
  return JO_OK;
}

static jo_status join_sources(jimport_rt* r) {
  jimport_draft* d = r->d;
  jimport_rt_body *queue = NULL, **last = &queue;
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    if (is_base(r, s->parent_name)) {
      *last = s;
      last = &s->waiting;
      continue;
    }
    s->parent = jimport_table_get(r->bodies, s->parent_name);
    if (!s->parent) {
      return jimport_refuse(d, s->node->line, "body '%s': no body '%s' to be carried by",
                            jimport_show(d, s->name), jimport_show(d, s->parent_name));
    }
    s->sibling = s->parent->first_child;
    s->parent->first_child = s;
    s->parent->nchild++;
  }
  for (jimport_rt_body* s = queue; s; s = s->waiting) {
    for (jimport_rt_body* c = s->first_child; c; c = c->sibling) {
      *last = c;
      last = &c->waiting;
    }
  }
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    if (s->waiting || last == &s->waiting) continue;
    return jimport_refuse(d, s->node->line, "body '%s' is carried by itself, in a circle",
                          jimport_show(d, s->name));
  }
  return JO_OK;
}

static jo_status read_mass(jimport_draft* d, jimport_node* node, jimport_body* b) {
  static const char* const keys[] = {"Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};
  jimport_node *com = jimport_child(node, "com"), *inertia = jimport_child(node, "inertia");
  JO_TRY(jimport_rt_number(d, node, "mass", &b->mass));
  if (b->mass < 0.0) return jimport_refuse(d, node->line, "the mass of %s is negative", b->name);
  if (com) JO_TRY(coordinates(d, com, b->com));
  for (int i = 0; i < 6 && inertia; i++) {
    JO_TRY(jimport_rt_number(d, inertia, keys[i], &b->inertia[i]));
  }
  return JO_OK;
}

// ---- joints --------------------------------------------------------------------------------------

typedef struct coordinate {
  jimport_node* node;
  const char *name, *nature;
  bool turns;
  int axis;
  double q, qd;
} coordinate;

static jo_status read_coordinate(jimport_draft* d, jimport_node* node, coordinate* c) {
  const char *name = jimport_child_text(node, "jointname"),
             *type = jimport_child_text(node, "type"), *nature = jimport_child_text(node, "nature");
  if (!name || !*name || !type) {
    return jimport_refuse(d, node->line, "<joint> without <jointname> or <type>");
  }
  bool is_known =
      (type[0] == 'T' || type[0] == 'R') && type[1] >= '1' && type[1] <= '3' && !type[2];
  if (!is_known) {
    return jimport_refuse(d, node->line, "joint '%s': type '%s' is none of T1 T2 T3 R1 R2 R3",
                          jimport_show(d, name), jimport_show(d, type));
  }
  *c = (coordinate){.node = node,
                    .name = name,
                    .nature = nature ? nature : "independent",
                    .turns = type[0] == 'R',
                    .axis = type[1] - '1'};
  jimport_node* initial = jimport_child(node, "initialvalue");
  if (initial) JO_TRY(jimport_rt_number(d, initial, "q", &c->q));
  if (initial) JO_TRY(jimport_rt_number(d, initial, "qd", &c->qd));
  return JO_OK;
}

static bool is_driven(const coordinate* c) {
  return strcmp(c->nature, "driven") == 0 || strcmp(c->nature, "forced") == 0;
}

static bool is_dependent(const coordinate* c) {
  return strcmp(c->nature, "dependent") == 0;
}

static void add_initial(jimport_draft* d, const jimport_joint* j, const char* quantity,
                        double value, double rate) {
  jimport_entry_add(d, JIMPORT_INITIAL, quantity,
                    rate == 0.0 ? jimport_number(d, value)
                                : jimport_text(d, "{value: %s, rate: %s}", jimport_number(d, value),
                                               jimport_number(d, rate)),
                    NULL)
      ->on = j;
}

static void set_nature(jimport_draft* d, const coordinate* c, jimport_joint* j) {
  bool is_known = is_driven(c) || is_dependent(c) || strcmp(c->nature, "independent") == 0;
  if (!is_known) {
    jimport_remark_add(d, JIMPORT_CHANGED, c->node->line,
                       "joint %s is '%s': it is taken as independent", j->name,
                       jimport_show(d, c->nature));
  }
  if (is_driven(c)) {
    const char* signal = jimport_name(d, jimport_text(d, "%s_drive", j->name), NULL, c->node->line);
    j->drive = signal;
    jimport_entry_add(d, JIMPORT_SIGNALS, signal, jimport_number(d, c->q),
                      "to fill in: user_DrivenJoints, an expression of t");
    jimport_remark_add(d, JIMPORT_TO_FILL, c->node->line,
                       "drive %s of the %s joint %s (user_DrivenJoints)", signal, c->nature,
                       j->name);
    return;
  }
  j->independent = is_dependent(c) ? 0 : 1;
  if (is_dependent(c)) {
    j->guess = c->q;
  } else if (c->q != 0.0 || c->qd != 0.0) {
    add_initial(d, j, j->name, c->q, c->qd);
  }
}

static void set_actuated(jimport_draft* d, const coordinate* c, const jimport_joint* j,
                         const char* quantity, const char* name) {
  if (!jimport_child(c->node, "actuated")) return;
  const char* made = jimport_name(d, jimport_text(d, "%s_actuator", name), NULL, c->node->line);
  jimport_entry_add(d, JIMPORT_FORCES, made, jimport_text(d, "{on: %s, torque: 0}", quantity),
                    "to fill in: user_JointForces")
      ->on = j;
  jimport_remark_add(d, JIMPORT_TO_FILL, c->node->line, "force %s of the actuated joint %s", made,
                     quantity);
}

// ---- a free joint for six coordinates ------------------------------------------------------------

// Nothing is fixed to it, and it is where the next one begins.
static bool is_empty(jimport_rt* r, jimport_rt_body* s, bool* is_so) {
  double mass = 0.0;
  *is_so = false;
  // looked at without being marked as read: it may yet become a body
  for (jimport_node* n = s->node->first; n; n = n->next) {
    if (strcmp(n->name, "point") == 0) return true;
    if (strcmp(n->name, "inertia") == 0) {
      for (jimport_node* c = n->first; c; c = c->next) {
        if (strspn(c->text, "0.+-e") != strlen(c->text)) return true;
      }
    }
    if (strcmp(n->name, "mass") == 0) {
      if (jimport_vector_of(r->d, n->line, "<mass>", *n->text ? n->text : "0", 1, &mass) < 0) {
        return false;
      }
      if (mass != 0.0) return true;
    }
  }
  *is_so = s->nchild == 1 && !s->is_held;
  return true;
}

// Slides along three axes in any order, then turns about z, y, x: the coordinates of a free joint.
static bool is_free(const coordinate* c, int n) {
  bool slides[3] = {0};
  if (n != 6) return false;
  for (int i = 0; i < 6; i++) {
    if (is_driven(&c[i]) || c[i].turns != (i >= 3)) return false;
    if (i >= 3 && c[i].axis != 5 - i) return false;
    if (i < 3 && slides[c[i].axis]) return false;
    if (i < 3) slides[c[i].axis] = true;
  }
  return true;
}

// The coordinates between the ground and a body, where only empty bodies stand between; -1: a mistake, 0: none.
static int gather(jimport_rt* r, jimport_rt_body* s, coordinate* c, jimport_rt_body** chain,
                  int* nchain) {
  int n = 0;
  *nchain = 0;
  for (jimport_rt_body* up = s; up; up = up->parent) {
    bool is_so = true;
    if (up != s && !is_empty(r, up, &is_so)) return -1;
    bool is_at_origin = !up->parent_point || strcmp(up->parent_point, "origin") == 0;
    if (!is_so || n + up->njoint > 6 || *nchain == 6 || !is_at_origin) return 0;
    memmove(c + up->njoint, c, (size_t)n * sizeof *c);
    for (int i = 0; i < up->njoint; i++) {
      if (read_coordinate(r->d, up->joint[i], &c[i]) < 0) return -1;
    }
    n += up->njoint;
    chain[(*nchain)++] = up;
  }
  return n;
}

static jo_status write_free(jimport_rt* r, jimport_rt_body* s, const coordinate* c) {
  static const char* const suffix[6] = {"x", "y", "z", "yaw", "pitch", "roll"};
  jimport_draft* d = r->d;
  s->body->parent = &d->ground;
  jimport_joint* j = jimport_joint_add(d, s->body->name, "free", s->body, s->node->line);
  const char* list = "";
  for (int i = 0; i < 6; i++) {
    const char* quantity = jimport_text(d, "%s.%s", j->name, suffix[i < 3 ? c[i].axis : i]);
    if (c[i].q != 0.0 || c[i].qd != 0.0) add_initial(d, j, quantity, c[i].q, c[i].qd);
    set_actuated(d, &c[i], j, quantity, jimport_text(d, "%s_%s", j->name, suffix[i]));
    list =
        jimport_text(d, "%s%s%s is %s", list, i ? ", " : "", jimport_show(d, c[i].name), quantity);
  }
  jimport_remark_add(d, JIMPORT_CHANGED, s->node->line, "six joints are the free joint %s: %s",
                     j->name, list);
  return JO_OK;
}

// ---- joints of a body ----------------------------------------------------------------------------

static jo_status find_seat(jimport_rt* r, jimport_rt_body* s, jimport_end* seat) {
  const char* whose = jimport_text(r->d, "body '%s'", jimport_show(r->d, s->name));
  return jimport_rt_end(r, s->node, "parent", whose, seat);
}

// Each joint carries a body: its own name's until the last, which carries the body itself.
static jo_status write_joints(jimport_rt* r, jimport_rt_body* s) {
  jimport_draft* d = r->d;
  jimport_end seat;
  JO_TRY(find_seat(r, s, &seat));
  jimport_body* before = seat.body;
  if (s->njoint == 0) {
    s->body->parent = before;
    jimport_joint_add(d, s->body->name, "fixed", s->body, s->node->line)->at_parent = seat.point;
  }
  for (int i = 0; i < s->njoint; i++) {
    coordinate c;
    JO_TRY(read_coordinate(d, s->joint[i], &c));
    jimport_body* b = i < s->njoint - 1 ? s->carrier[i] : s->body;
    b->parent = before;
    jimport_joint* j =
        jimport_joint_add(d, c.name, c.turns ? "revolute" : "prismatic", b, c.node->line);
    j->naxis = 1;
    j->axis[0][c.axis] = 1.0;
    if (i == 0) j->at_parent = seat.point;
    set_nature(d, &c, j);
    set_actuated(d, &c, j, j->name, j->name);
    before = b;
  }
  return JO_OK;
}

static const jimport_vector* find_point(const jimport_body* b, const char* name) {
  for (const jimport_vector* v = b->point; v; v = v->next) {
    if (strcmp(v->name, name) == 0) return v;
  }
  return NULL;
}

// Frames where all coordinates are zero, from the base outward.
static jo_status place(jimport_rt* r) {
  jimport_rt_body* queue = NULL;
  jimport_rt_body** last = &queue;
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    s->waiting = NULL;
  }
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    if (s->parent) continue;
    *last = s;
    last = &s->waiting;
  }
  for (jimport_rt_body* s = queue; s; s = s->waiting) {
    for (jimport_rt_body* c = s->first_child; c; c = c->sibling) {
      *last = c;
      last = &c->waiting;
    }
    jimport_end seat;
    if (s->is_merged) continue;
    JO_TRY(find_seat(r, s, &seat));
    const jimport_vector* v = seat.point ? find_point(seat.body, seat.point) : NULL;
    jimport_pose p = seat.body ? seat.body->design : jimport_pose_none();
    for (int i = 0; v && i < 3; i++) {
      p.p[i] += v->x[i];
    }
    for (jimport_body* b = s->body; b && b != seat.body; b = b->parent) {
      b->design = p;
    }
  }
  return JO_OK;
}

static jo_status add_carriers(jimport_draft* d, jimport_rt_body* s) {
  for (int i = 0; i < s->njoint - 1 && !s->is_free; i++) {
    const char* name = jimport_child_text(s->joint[i], "jointname");
    JO_TRY(jimport_body_add(d, name && *name ? name : "carrier", NULL, s->joint[i]->line,
                            &s->carrier[i]));
    s->carrier[i]->comment = "carries the next joint";
  }
  return JO_OK;
}

static jo_status make_bodies(jimport_rt* r) {
  jimport_draft* d = r->d;
  // bodies that only carry coordinates of a free joint are none
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    coordinate c[6];
    jimport_rt_body* chain[6];
    int nchain, n = gather(r, s, c, chain, &nchain);
    if (n < 0) return JO_ERR_MODEL;
    s->is_free = is_free(c, n);
    for (int i = 1; s->is_free && i < nchain; i++) {
      chain[i]->is_merged = true;
    }
  }
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    if (s->is_merged) {
      JO_TRY(read_mass(d, s->node, &d->spare_body));
      jimport_remark_add(d, JIMPORT_CHANGED, s->node->line,
                         "body '%s' without mass is part of a free joint",
                         jimport_show(d, s->name));
      continue;
    }
    JO_TRY(add_carriers(d, s));
    JO_TRY(jimport_body_add(d, s->name, NULL, s->node->line, &s->body));
    JO_TRY(read_mass(d, s->node, s->body));
    JO_TRY(read_points(r, s->node, s->body, s->points));
  }
  for (jimport_rt_body* s = r->body; s; s = s->next) {
    coordinate c[6];
    jimport_rt_body* chain[6];
    int nchain;
    if (s->is_merged) continue;
    if (s->is_free && gather(r, s, c, chain, &nchain) < 0) return JO_ERR_MODEL;
    JO_TRY(s->is_free ? write_free(r, s, c) : write_joints(r, s));
  }
  return JO_OK;
}

// ---- the file ------------------------------------------------------------------------------------

// Bodies that cuts and links are fixed to.
static void hold_ends(jimport_rt* r, jimport_node* list) {
  static const char* const ends[] = {"endpoint1", "endpoint2"};
  for (jimport_node* n = list ? list->first : NULL; n; n = n->next) {
    for (int i = 0; i < 2; i++) {
      jimport_node* end = jimport_child(n, ends[i]);
      const char* name = end ? jimport_child_text(end, "bodyname") : NULL;
      jimport_rt_body* s = name ? jimport_table_get(r->bodies, name) : NULL;
      if (s) s->is_held = true;
    }
  }
}

jo_status jimport_robotran(jimport_draft* d, jimport_node* root) {
  jimport_rt r = {.d = d, .bodies = jimport_table_new(d), .base_points = jimport_table_new(d)};
  r.last_body = &r.body;
  d->name = jimport_child_text(root, "mbsname");
  jimport_child(root, "mbsyspad_version");
  jimport_node* base = jimport_child(root, "base");
  if (base) {
    jimport_node* gravity = jimport_child(base, "gravity");
    r.base_name = jimport_child_text(base, "baseBodyName");
    if (gravity) JO_TRY(coordinates(d, gravity, d->gravity));
    JO_TRY(read_points(&r, base, &d->ground, r.base_points));
  }
  jimport_node* tree = jimport_child(root, "bodytree");
  for (jimport_node* n = jimport_child(tree, "body"); n; n = jimport_next(n, "body")) {
    JO_TRY(read_source(&r, n));
  }
  JO_TRY(join_sources(&r));
  jimport_node *cuts = jimport_child(root, "cuts"), *links = jimport_child(root, "links");
  hold_ends(&r, cuts);
  hold_ends(&r, links);
  JO_TRY(make_bodies(&r));
  if (d->failed) return jerr_memory(d->ctx);
  JO_TRY(place(&r));
  JO_TRY(jimport_rt_cuts(&r, cuts));
  JO_TRY(jimport_rt_links(&r, links));
  return jimport_rt_user_models(d, jimport_child(root, "user_models"));
}
