// SPDX-License-Identifier: Apache-2.0
// URDF, the format of ROS for robots: links and joints, by name, a tree. wiki.ros.org/urdf/XML
//
// The frame of a link is that of the joint that carries it. Turns are by roll, pitch, yaw about fixed axes:
// R = Rz(yaw) Ry(pitch) Rx(roll).
#include <math.h>
#include <string.h>

#include "import/import.h"

typedef struct link {
  jimport_node* node;
  const char* name;
  jimport_body* body;
  struct connection* carrier;  // NULL: a root
  struct connection* carried;  // first of those it carries
  struct link *next, *waiting;
} link;

typedef struct connection {
  jimport_node* node;
  const char *name, *type;
  link *parent, *child;
  jimport_pose origin;  // of the child's frame in the parent's
  struct connection *next, *sibling;
} connection;

typedef struct robot {
  jimport_draft* d;
  jimport_table *links, *joints;
  link *link, **last_link;
  connection *joint, **last_joint;
} robot;

// ---- reading -------------------------------------------------------------------------------------

static const char* needed(jimport_node* node, const char* name) {
  const char* value = jimport_attribute_of(node, name);
  return value && *value ? value : NULL;
}

// A number of an attribute, `usual` where there is none.
static jo_status number(jimport_draft* d, jimport_node* node, const char* name, double usual,
                        double* out) {
  const char* text = jimport_attribute_of(node, name);
  *out = usual;
  if (!text) return JO_OK;
  return jimport_vector_of(d, node->line, jimport_text(d, "%s of <%s>", name, node->name), text, 1,
                           out);
}

static jo_status read_origin(jimport_draft* d, jimport_node* parent, jimport_pose* out) {
  *out = jimport_pose_none();
  jimport_node* node = jimport_child(parent, "origin");
  if (!node) return JO_OK;
  double rpy[3] = {0}, X[3][3], Y[3][3], Z[3][3], ZY[3][3];
  const char *xyz_text = jimport_attribute_of(node, "xyz"),
             *rpy_text = jimport_attribute_of(node, "rpy");
  if (xyz_text) JO_TRY(jimport_vector_of(d, node->line, "xyz of <origin>", xyz_text, 3, out->p));
  if (rpy_text) JO_TRY(jimport_vector_of(d, node->line, "rpy of <origin>", rpy_text, 3, rpy));
  jimport_about_axis(0, rpy[0], X);
  jimport_about_axis(1, rpy[1], Y);
  jimport_about_axis(2, rpy[2], Z);
  jimport_mul(Z, Y, ZY);
  jimport_mul(ZY, X, out->R);
  return JO_OK;
}

static jo_status read_link(robot* r, jimport_node* node) {
  jimport_draft* d = r->d;
  const char* name = needed(node, "name");
  if (!name) return jimport_refuse(d, node->line, "<link> without a name");
  if (jimport_table_get(r->links, name)) {
    return jimport_refuse(d, node->line, "a second link '%s'", jimport_show(d, name));
  }
  link* l = JARENA_NEW(d->a, link);
  if (!l) return jerr_memory(d->ctx);
  *l = (link){.node = node, .name = name};
  jimport_table_put(d, r->links, name, l);
  *r->last_link = l;
  r->last_link = &l->next;
  return jimport_body_add(d, name, NULL, node->line, &l->body);
}

static jo_status find_link(robot* r, jimport_node* joint, const char* end, link** out) {
  jimport_draft* d = r->d;
  jimport_node* node = jimport_child(joint, end);
  const char* name = node ? needed(node, "link") : NULL;
  if (!name) {
    return jimport_refuse(d, joint->line, "joint '%s' has no <%s link=\"...\">",
                          jimport_show(d, jimport_attribute_of(joint, "name")), end);
  }
  *out = jimport_table_get(r->links, name);
  if (*out) return JO_OK;
  return jimport_refuse(d, node->line, "joint '%s': no link '%s'",
                        jimport_show(d, jimport_attribute_of(joint, "name")),
                        jimport_show(d, name));
}

static jo_status read_connection(robot* r, jimport_node* node) {
  jimport_draft* d = r->d;
  const char *name = needed(node, "name"), *type = needed(node, "type");
  if (!name || !type) return jimport_refuse(d, node->line, "<joint> without a name or a type");
  if (jimport_table_get(r->joints, name)) {
    return jimport_refuse(d, node->line, "a second joint '%s'", jimport_show(d, name));
  }
  connection* c = JARENA_NEW(d->a, connection);
  if (!c) return jerr_memory(d->ctx);
  *c = (connection){.node = node, .name = name, .type = type};
  JO_TRY(find_link(r, node, "parent", &c->parent));
  JO_TRY(find_link(r, node, "child", &c->child));
  JO_TRY(read_origin(d, node, &c->origin));
  if (c->child->carrier) {
    return jimport_refuse(d, node->line, "link '%s' is the child of joint '%s' already",
                          jimport_show(d, c->child->name),
                          jimport_show(d, c->child->carrier->name));
  }
  c->child->carrier = c;
  c->child->body->parent = c->parent->body;
  c->sibling = c->parent->carried;
  c->parent->carried = c;
  jimport_table_put(d, r->joints, name, c);
  *r->last_joint = c;
  r->last_joint = &c->next;
  return JO_OK;
}

// ---- mass ----------------------------------------------------------------------------------------

static jo_status read_inertia(jimport_draft* d, jimport_node* node, double I[3][3]) {
  static const char* const names[3][3] = {
      {"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      JO_TRY(number(d, node, names[i][j], 0.0, &I[i][j]));
      I[j][i] = I[i][j];
    }
  }
  return JO_OK;
}

static jo_status read_mass(jimport_draft* d, link* l) {
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  jimport_node* node = jimport_child(l->node, "inertial");
  if (!node) return JO_OK;
  jimport_pose p;
  JO_TRY(read_origin(d, node, &p));
  jimport_node *mass = jimport_child(node, "mass"), *inertia = jimport_child(node, "inertia");
  jimport_body* b = l->body;
  if (mass) JO_TRY(number(d, mass, "value", 0.0, &b->mass));
  if (b->mass < 0.0) {
    return jimport_refuse(d, mass->line, "link '%s': the mass is negative",
                          jimport_show(d, l->name));
  }
  double I[3][3] = {{0}};
  if (inertia) JO_TRY(read_inertia(d, inertia, I));
  jimport_mass sum = {0};
  jimport_pose turn = p;
  memset(turn.p, 0, sizeof turn.p);
  jimport_mass_add(&sum, 0.0, I, &turn);
  memcpy(b->com, p.p, sizeof b->com);
  for (int k = 0; k < 6; k++) {
    b->inertia[k] = sum.I[at[k][0]][at[k][1]];
  }
  return JO_OK;
}

// ---- joints --------------------------------------------------------------------------------------

static jo_status read_axis(jimport_draft* d, connection* c, double axis[3]) {
  jimport_node* node = jimport_child(c->node, "axis");
  const char* text = node ? jimport_attribute_of(node, "xyz") : NULL;
  double own[3] = {1, 0, 0};
  if (text) JO_TRY(jimport_vector_of(d, node->line, "xyz of <axis>", text, 3, own));
  if (!jimport_normalise(own)) {
    return jimport_refuse(d, node->line, "joint '%s': the axis has no length",
                          jimport_show(d, c->name));
  }
  jimport_turn(c->child->body->design.R, own, axis);
  return JO_OK;
}

// Some direction across the axis.
static void across(const double axis[3], double out[3]) {
  int k = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(axis[i]) < fabs(axis[k])) k = i;
  }
  double e[3] = {0};
  e[k] = 1.0;
  jimport_cross(axis, e, out);
  jimport_normalise(out);
}

static const char* shown(jimport_draft* d, jimport_node* node, const char* name) {
  const char* text = jimport_attribute_of(node, name);
  return jimport_show(d, text ? text : "-");
}

// What there are no words for in a model file.
static void tell_limits(jimport_draft* d, connection* c, const jimport_joint* j) {
  jimport_node *limit = jimport_child(c->node, "limit"), *mimic = jimport_child(c->node, "mimic");
  if (limit) {
    const char *lower = shown(d, limit, "lower"), *upper = shown(d, limit, "upper"),
               *effort = shown(d, limit, "effort"), *velocity = shown(d, limit, "velocity");
    jimport_remark_add(d, JIMPORT_LOST, limit->line,
                       "limits of joint %s: lower %s, upper %s, effort %s, velocity %s", j->name,
                       lower, upper, effort, velocity);
  }
  if (mimic) {
    const char *other = shown(d, mimic, "joint"), *factor = shown(d, mimic, "multiplier"),
               *offset = shown(d, mimic, "offset");
    jimport_remark_add(d, JIMPORT_LOST, mimic->line,
                       "joint %s follows joint '%s' (mimic, multiplier %s, offset %s): here it "
                       "moves on its own",
                       j->name, other, factor, offset);
  }
}

static jo_status read_dynamics(jimport_draft* d, connection* c, const jimport_joint* j) {
  jimport_node* dynamics = jimport_child(c->node, "dynamics");
  double damping, friction;
  if (!dynamics) return JO_OK;
  JO_TRY(number(d, dynamics, "damping", 0.0, &damping));
  JO_TRY(number(d, dynamics, "friction", 0.0, &friction));
  bool has_one = strcmp(j->type, "revolute") == 0 || strcmp(j->type, "prismatic") == 0;
  if (damping != 0.0 && has_one) {
    const char* name = jimport_name(d, jimport_text(d, "%s_damping", j->name), NULL, c->node->line);
    const char* value =
        jimport_text(d, "{on: %s, damping: %s}", j->name, jimport_number(d, damping));
    jimport_entry_add(d, JIMPORT_FORCES, name, value, NULL)->on = j;
  } else if (damping != 0.0) {
    jimport_remark_add(d, JIMPORT_LOST, dynamics->line, "damping of joint %s (%s)", j->name,
                       c->type);
  }
  if (friction != 0.0) {
    jimport_remark_add(d, JIMPORT_LOST, dynamics->line, "friction %s of joint %s",
                       jimport_number(d, friction), j->name);
  }
  return JO_OK;
}

static jo_status write_joint(robot* r, connection* c) {
  static const char* const types[][2] = {{"revolute", "revolute"},   {"continuous", "revolute"},
                                         {"prismatic", "prismatic"}, {"fixed", "fixed"},
                                         {"floating", "free"},       {"planar", "planar"}};
  jimport_draft* d = r->d;
  const char* type = NULL;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (strcmp(types[i][0], c->type) == 0) type = types[i][1];
  }
  if (!type) {
    return jimport_refuse(d, c->node->line, "joint '%s': no type of joint is called '%s'",
                          jimport_show(d, c->name), jimport_show(d, c->type));
  }
  jimport_joint* j = jimport_joint_add(d, c->name, type, c->child->body, c->node->line);
  if (memcmp(c->origin.p, (double[3]){0}, sizeof c->origin.p) != 0) {
    j->at_parent = jimport_point_add(d, j->parent, j->name, c->origin.p, 0);
  }
  if (strcmp(type, "fixed") != 0 && strcmp(type, "free") != 0) {
    j->naxis = 1;
    JO_TRY(read_axis(d, c, j->axis[0]));
  }
  if (strcmp(type, "planar") == 0) {
    j->naxis = 2;
    across(j->axis[0], j->axis[1]);
  }
  tell_limits(d, c, j);
  return read_dynamics(d, c, j);
}

// ---- the tree ------------------------------------------------------------------------------------

static void write_root(robot* r, link* l) {
  jimport_body* b = l->body;
  b->parent = &r->d->ground;
  jimport_joint* j = jimport_joint_add(r->d, b->name, "fixed", b, l->node->line);
  j->comment = "the source does not say: free, where it moves";
  jimport_remark_add(r->d, JIMPORT_TO_FILL, l->node->line,
                     "link %s is a root: it is fixed to the ground; 'type: free' lets it move",
                     b->name);
}

// From the roots outward; what is not reached goes round in a circle.
static jo_status place_links(robot* r) {
  jimport_draft* d = r->d;
  link *queue = NULL, **last = &queue;
  int reached = 0, all = 0;
  for (link* l = r->link; l; l = l->next) {
    all++;
    if (l->carrier) continue;
    write_root(r, l);
    *last = l;
    last = &l->waiting;
  }
  for (link* l = queue; l; l = l->waiting) {
    reached++;
    for (connection* c = l->carried; c; c = c->sibling) {
      c->child->body->design = jimport_pose_mul(&l->body->design, &c->origin);
      *last = c->child;
      last = &c->child->waiting;
    }
  }
  for (link* l = r->link; l && reached < all; l = l->next) {
    if (l->carrier && !l->waiting && last != &l->waiting) {
      return jimport_refuse(d, l->node->line, "link '%s' is carried by itself, in a circle",
                            jimport_show(d, l->name));
    }
  }
  return JO_OK;
}

static jo_status refuse_macros(jimport_draft* d, jimport_node* root) {
  for (jimport_node* n = root->first; n; n = n->next) {
    if (strncmp(n->name, "xacro:", 6) != 0) continue;
    return jimport_refuse(d, n->line, "<%s> is a macro: run xacro first, and take what it writes",
                          jimport_show(d, n->name));
  }
  return JO_OK;
}

jo_status jimport_urdf(jimport_draft* d, jimport_node* root) {
  robot r = {.d = d, .links = jimport_table_new(d), .joints = jimport_table_new(d)};
  r.last_link = &r.link;
  r.last_joint = &r.joint;
  d->name = jimport_attribute_of(root, "name");
  JO_TRY(refuse_macros(d, root));
  for (jimport_node* n = jimport_child(root, "link"); n; n = jimport_next(n, "link")) {
    JO_TRY(read_link(&r, n));
  }
  for (jimport_node* n = jimport_child(root, "joint"); n; n = jimport_next(n, "joint")) {
    JO_TRY(read_connection(&r, n));
  }
  JO_TRY(place_links(&r));
  for (link* l = r.link; l; l = l->next) {
    JO_TRY(read_mass(d, l));
  }
  for (connection* c = r.joint; c; c = c->next) {
    JO_TRY(write_joint(&r, c));
  }
  return JO_OK;
}
