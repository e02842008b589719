// SPDX-License-Identifier: Apache-2.0
// MJCF, the format of MuJoCo: bodies within bodies, each with its joints. mujoco.readthedocs.io, XML Reference
//
// A body's joints follow each other from the parent outward; all of them are given in the body's own frame. Where
// a body has no inertial its mass is that of its geoms.
#include "import/mjcf.h"

#include <string.h>

#define PI         3.14159265358979323846
#define MAX_JOINTS 6  // of a body

// ---- settings ------------------------------------------------------------------------------------

static jo_status read_eulerseq(jimport_mj* m, jimport_node* node) {
  const char* text = jimport_attribute_of(node, "eulerseq");
  if (!text) return JO_OK;
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3) {
    return jimport_refuse(m->d, node->line, "eulerseq '%s' is not three of xyzXYZ",
                          jimport_show(m->d, text));
  }
  memcpy(m->eulerseq, text, 4);
  return JO_OK;
}

static bool says(jimport_node* node, const char* name, const char* value) {
  const char* text = jimport_attribute_of(node, name);
  return text && strcmp(text, value) == 0;
}

static jo_status read_compiler(jimport_mj* m, jimport_node* node) {
  const char* angle = jimport_attribute_of(node, "angle");
  if (angle) m->angle = strcmp(angle, "radian") == 0 ? 1.0 : PI / 180.0;
  m->limits = m->limits && !says(node, "autolimits", "false");
  m->geoms_always = m->geoms_always || says(node, "inertiafromgeom", "true");
  m->geoms_never = m->geoms_never || says(node, "inertiafromgeom", "false");
  if (says(node, "coordinate", "global")) {
    return jimport_refuse(m->d, node->line,
                          "coordinate=\"global\" is not taken: let MuJoCo write the file anew");
  }
  return read_eulerseq(m, node);
}

static jo_status read_option(jimport_mj* m, jimport_node* node) {
  jimport_draft* d = m->d;
  const char* gravity = jimport_attribute_of(node, "gravity");
  if (gravity) {
    JO_TRY(jimport_vector_of(d, node->line, "gravity of <option>", gravity, 3, d->gravity));
  }
  jimport_node* flag = jimport_child(node, "flag");
  if (flag && says(flag, "gravity", "disable")) memset(d->gravity, 0, sizeof d->gravity);
  return JO_OK;
}

static jo_status read_classes(jimport_mj* m, jimport_node* node) {
  const char* class = jimport_attribute_of(node, "class");
  bool is_inner = strcmp(node->parent->name, "default") == 0;
  if (is_inner && !class) return jimport_refuse(m->d, node->line, "<default> without a class");
  if (class) jimport_table_put(m->d, m->classes, class, node);
  for (jimport_node* n = jimport_child(node, "default"); n; n = jimport_next(n, "default")) {
    JO_TRY(read_classes(m, n));
  }
  return JO_OK;
}

static jo_status check_class(jimport_mj* m, jimport_node* node, const char* class) {
  if (!class || jimport_table_get(m->classes, class) || strcmp(class, "main") == 0) return JO_OK;
  return jimport_refuse(m->d, node->line, "no class '%s' of defaults", jimport_show(m->d, class));
}

// What other files or programs would have to be asked for.
static jo_status refuse_includes(jimport_draft* d, jimport_node* node) {
  for (jimport_node* n = node->first; n; n = n->next) {
    if (strcmp(n->name, "include") == 0) {
      return jimport_refuse(d, n->line,
                            "<include> is not followed: let MuJoCo write one file of them "
                            "(mj_saveLastXML, or its compile tool)");
    }
    JO_TRY(refuse_includes(d, n));
  }
  return JO_OK;
}

// ---- joints --------------------------------------------------------------------------------------

typedef struct joint_source {
  jimport_node* node;
  const char *name, *type;  // name NULL: none
  double pos[3], axis[3];
} joint_source;

static jo_status read_joint(jimport_mj* m, jimport_node* node, const char* class,
                            joint_source* out) {
  bool is_free = strcmp(node->name, "freejoint") == 0;
  *out =
      (joint_source){.node = node, .name = jimport_attribute_of(node, "name"), .axis = {0, 0, 1}};
  JO_TRY(check_class(m, node, jimport_attribute_of(node, "class")));
  const char* type = is_free ? "free" : jimport_mj_attribute(m, node, class, "type");
  static const char* const types[][2] = {
      {"hinge", "revolute"}, {"slide", "prismatic"}, {"ball", "spherical"}, {"free", "free"}};
  if (!type) type = "hinge";
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i][0], type) == 0) out->type = types[i][1];
  }
  if (!out->type) {
    return jimport_refuse(m->d, node->line, "no type of joint is called '%s'",
                          jimport_show(m->d, type));
  }
  if (strcmp(out->type, "free") == 0) return JO_OK;
  JO_TRY(jimport_mj_numbers(m, node, class, "pos", 3, 3, out->pos, NULL));
  JO_TRY(jimport_mj_numbers(m, node, class, "axis", 3, 3, out->axis, NULL));
  if (jimport_normalise(out->axis)) return JO_OK;
  return jimport_refuse(m->d, node->line, "the axis of a joint has no length");
}

static void add_spring(jimport_draft* d, const jimport_joint* j, double stiffness, double free_at,
                       double damping, int line) {
  const char* value = jimport_text(d, "{on: %s", j->name);
  if (stiffness != 0.0) {
    value = jimport_text(d, "%s, stiffness: %s", value, jimport_number(d, stiffness));
  }
  if (stiffness != 0.0 && free_at != 0.0) {
    value = jimport_text(d, "%s, free: %s", value, jimport_number(d, free_at));
  }
  if (damping != 0.0) value = jimport_text(d, "%s, damping: %s", value, jimport_number(d, damping));
  const char* name = jimport_name(d, jimport_text(d, "%s_spring", j->name), NULL, line);
  jimport_entry_add(d, JIMPORT_FORCES, name, jimport_text(d, "%s}", value), NULL)->on = j;
}

// Springs and dampers turn with the coordinate of the source, which is `ref` where ours is zero.
static jo_status read_spring(jimport_mj* m, jimport_node* node, const char* class,
                             const jimport_joint* j, double unit, double ref) {
  jimport_draft* d = m->d;
  double stiffness, spring, damping;
  JO_TRY(jimport_mj_number(m, node, class, "stiffness", 0.0, &stiffness));
  JO_TRY(jimport_mj_number(m, node, class, "damping", 0.0, &damping));
  JO_TRY(jimport_mj_number(m, node, class, "springref", 0.0, &spring));
  if (stiffness == 0.0 && damping == 0.0) return JO_OK;
  if (j->naxis == 1) {
    add_spring(d, j, stiffness, spring * unit - ref, damping, node->line);
  } else {
    jimport_remark_add(d, JIMPORT_LOST, node->line, "stiffness %s, damping %s of joint %s (%s)",
                       jimport_number(d, stiffness), jimport_number(d, damping), j->name, j->type);
  }
  return JO_OK;
}

// What there are no words for in a model file.
static jo_status tell_limits(jimport_mj* m, jimport_node* node, const char* class,
                             const jimport_joint* j, double unit, double ref) {
  static const char* const keys[][2] = {{"armature", ": inertia of a drive"}, {"frictionloss", ""}};
  jimport_draft* d = m->d;
  double range[2];
  int has_range;
  for (int i = 0; i < 2; i++) {
    double x;
    JO_TRY(jimport_mj_number(m, node, class, keys[i][0], 0.0, &x));
    if (x == 0.0) continue;
    jimport_remark_add(d, JIMPORT_LOST, node->line, "%s %s of joint %s%s", keys[i][0],
                       jimport_number(d, x), j->name, keys[i][1]);
  }
  JO_TRY(jimport_mj_numbers(m, node, class, "range", 2, 2, range, &has_range));
  const char* limited = jimport_mj_attribute(m, node, class, "limited");
  bool is_said = limited && strcmp(limited, "auto") != 0;
  bool is_limited = is_said ? strcmp(limited, "true") == 0 : m->limits;
  if (is_limited && has_range) {
    jimport_remark_add(d, JIMPORT_LOST, node->line, "limits of joint %s: %s to %s", j->name,
                       jimport_number(d, range[0] * unit - ref),
                       jimport_number(d, range[1] * unit - ref));
  }
  return JO_OK;
}

// What a joint has beside its geometry.
static jo_status read_extras(jimport_mj* m, jimport_node* node, const char* class,
                             const jimport_joint* j, double* ref) {
  double unit = strcmp(j->type, "prismatic") == 0 ? 1.0 : m->angle;
  if (strcmp(node->name, "freejoint") == 0) return JO_OK;
  JO_TRY(jimport_mj_number(m, node, class, "ref", 0.0, ref));
  *ref *= unit;
  JO_TRY(read_spring(m, node, class, j, unit, *ref));
  return tell_limits(m, node, class, j, unit, *ref);
}

static bool is_zero(const double* x) {
  return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

static jo_status add_joint(jimport_mj* m, const joint_source* s, const char* class,
                           const jimport_pose* local, bool is_first, jimport_body* b,
                           const char* name) {
  jimport_draft* d = m->d;
  jimport_joint* j = jimport_joint_add(d, name, s->type, b, s->node->line);
  double at[3];
  memcpy(at, s->pos, sizeof at);
  if (is_first) jimport_place(local, s->pos, at);
  bool is_free = strcmp(s->type, "free") == 0;
  if (!is_free && !is_zero(at)) j->at_parent = jimport_point_add(d, j->parent, j->name, at, 0);
  if (!is_free && !is_zero(s->pos)) j->at_child = jimport_point_add(d, b, j->name, s->pos, 0);
  if (!is_free && strcmp(s->type, "spherical") != 0) {
    j->naxis = 1;
    jimport_turn(b->design.R, s->axis, j->axis[0]);
  }
  jimport_mj_joint* known = JARENA_NEW(d->a, jimport_mj_joint);
  if (!known) return jerr_memory(d->ctx);
  known->joint = j;
  if (s->name && jimport_table_get(m->joints, s->name)) {
    return jimport_refuse(d, s->node->line, "a second joint '%s'", jimport_show(d, s->name));
  }
  if (s->name) jimport_table_put(d, m->joints, s->name, known);
  return read_extras(m, s->node, class, j, &known->ref);
}

static bool is_joint(const jimport_node* n) {
  return strcmp(n->name, "joint") == 0 || strcmp(n->name, "freejoint") == 0;
}

// Each joint carries a body of its own name, the last one the body itself.
static jo_status add_body(jimport_mj* m, jimport_node* node, const char* class, const char* name,
                          const jimport_pose* local, jimport_body* parent, jimport_body** out) {
  jimport_draft* d = m->d;
  joint_source s[MAX_JOINTS];
  int n = 0;
  for (jimport_node* c = node->first; c; c = c->next) {
    if (!is_joint(c)) continue;
    c->is_read = true;
    if (n == MAX_JOINTS) return jimport_refuse(d, c->line, "more than %d joints", MAX_JOINTS);
    JO_TRY(read_joint(m, c, class, &s[n++]));
  }
  jimport_pose design = jimport_pose_mul(&parent->design, local);
  jimport_body *before = parent, *b = NULL;
  for (int i = 0; i < (n ? n : 1); i++) {
    bool is_last = i >= n - 1;
    const char* joint = i < n && s[i].name ? s[i].name : is_last ? name : "joint";
    JO_TRY(jimport_body_add(d, is_last ? name : joint, before, node->line, &b));
    b->design = design;
    if (!is_last) b->comment = "carries the next joint";
    if (n > 0) JO_TRY(add_joint(m, &s[i], class, local, i == 0, b, is_last ? joint : b->name));
    before = b;
  }
  if (n == 0) {
    jimport_joint* j = jimport_joint_add(d, b->name, "fixed", b, node->line);
    if (!is_zero(local->p)) j->at_parent = jimport_point_add(d, parent, j->name, local->p, 0);
  }
  *out = b;
  return JO_OK;
}

// ---- bodies --------------------------------------------------------------------------------------

typedef struct contents {
  jimport_body* body;
  jimport_mass geoms;
  bool takes_geoms;
} contents;

static jo_status read_body(jimport_mj* m, jimport_node* node, jimport_body* parent,
                           const jimport_pose* frame, const char* class);

static jo_status read_site(jimport_mj* m, jimport_node* node, jimport_body* b,
                           const jimport_pose* frame, const char* class) {
  jimport_draft* d = m->d;
  const char* name = jimport_attribute_of(node, "name");
  jimport_pose p;
  JO_TRY(jimport_mj_pose(m, node, class, &p));
  if (!name) return JO_OK;
  jimport_mj_site* site = JARENA_NEW(d->a, jimport_mj_site);
  if (!site) return jerr_memory(d->ctx);
  site->body = b;
  site->pose = jimport_pose_mul(frame, &p);
  site->point = jimport_point_add(d, b, name, site->pose.p, node->line);
  jimport_table_put(d, m->sites, name, site);
  return JO_OK;
}

// What a body, the world or a frame in them holds; `frame` is where, on the body.
static jo_status read_contents(jimport_mj* m, jimport_node* node, contents* in,
                               const jimport_pose* frame, const char* class) {
  for (jimport_node* n = node->first; n; n = n->next) {
    bool is_geom = strcmp(n->name, "geom") == 0, is_site = strcmp(n->name, "site") == 0;
    bool is_body = strcmp(n->name, "body") == 0, is_frame = strcmp(n->name, "frame") == 0;
    if ((is_geom && in->takes_geoms) || is_site || is_body || is_frame) n->is_read = true;
    if (is_geom && in->takes_geoms) {
      JO_TRY(check_class(m, n, jimport_attribute_of(n, "class")));
      JO_TRY(jimport_mj_geom(m, n, class, frame, &in->geoms));
    }
    if (is_site) JO_TRY(read_site(m, n, in->body, frame, class));
    if (is_body) JO_TRY(read_body(m, n, in->body, frame, class));
    if (is_frame) {
      const char* inner = jimport_attribute_of(n, "childclass");
      jimport_pose p;
      JO_TRY(check_class(m, n, inner));
      JO_TRY(jimport_mj_pose(m, n, NULL, &p));
      p = jimport_pose_mul(frame, &p);
      JO_TRY(read_contents(m, n, in, &p, inner ? inner : class));
    }
  }
  return JO_OK;
}

static jo_status read_body(jimport_mj* m, jimport_node* node, jimport_body* parent,
                           const jimport_pose* frame, const char* class) {
  jimport_draft* d = m->d;
  const char *name = jimport_attribute_of(node, "name"),
             *inner = jimport_attribute_of(node, "childclass");
  if (inner) class = inner;
  JO_TRY(check_class(m, node, inner));
  if (name && jimport_table_get(m->bodies, name)) {
    return jimport_refuse(d, node->line, "a second body '%s'", jimport_show(d, name));
  }
  jimport_pose local, none = jimport_pose_none();
  JO_TRY(jimport_mj_pose(m, node, NULL, &local));
  local = jimport_pose_mul(frame, &local);
  contents in = {0};
  const char* called = name ? name : jimport_text(d, "body_%d", ++m->nunnamed);
  JO_TRY(add_body(m, node, class, called, &local, parent, &in.body));
  if (name) jimport_table_put(d, m->bodies, name, in.body);
  jimport_node* inertial = m->geoms_always ? NULL : jimport_child(node, "inertial");
  if (inertial) JO_TRY(jimport_mj_inertial(m, inertial, in.body));
  in.takes_geoms = !inertial && !m->geoms_never;
  JO_TRY(read_contents(m, node, &in, &none, class));
  if (in.geoms.m > 0.0) {
    jimport_mass_get(&in.geoms, &in.body->mass, in.body->com, in.body->inertia);
  }
  return JO_OK;
}

// ---- the file ------------------------------------------------------------------------------------

jo_status jimport_mjcf(jimport_draft* d, jimport_node* root) {
  jimport_mj m = {.d = d,
                  .angle = PI / 180.0,
                  .eulerseq = "xyz",
                  .limits = true,
                  .classes = jimport_table_new(d),
                  .bodies = jimport_table_new(d),
                  .joints = jimport_table_new(d),
                  .sites = jimport_table_new(d)};
  if (d->failed) return jerr_memory(d->ctx);
  d->name = jimport_attribute_of(root, "model");
  JO_TRY(refuse_includes(d, root));
  for (jimport_node* n = jimport_child(root, "compiler"); n; n = jimport_next(n, "compiler")) {
    JO_TRY(read_compiler(&m, n));
  }
  for (jimport_node* n = jimport_child(root, "option"); n; n = jimport_next(n, "option")) {
    JO_TRY(read_option(&m, n));
  }
  for (jimport_node* n = jimport_child(root, "default"); n; n = jimport_next(n, "default")) {
    if (!m.main) m.main = n;
    JO_TRY(read_classes(&m, n));
  }
  for (jimport_node* n = jimport_child(root, "worldbody"); n; n = jimport_next(n, "worldbody")) {
    contents world = {.body = &d->ground};
    jimport_pose none = jimport_pose_none();
    JO_TRY(read_contents(&m, n, &world, &none, jimport_attribute_of(n, "childclass")));
  }
  return jimport_mj_rest(&m, root);
}
