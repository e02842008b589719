// SPDX-License-Identifier: Apache-2.0
// `joints:` and their coordinates, in the order of the tree: parents before children.
#include <string.h>

#include "model/template/instance.h"

// What is read of the coordinates of a joint: those of its class, turns called by their order.
typedef struct joint_info {
  int ncoordinate;
  const char* suffix[JMODEL_JOINT_COORDINATES + 1];
} joint_info;

static joint_info info_of(const jmodel_joint* j) {
  const jmodel_joint_class* class_ = jmodel_joint_class_of(j->type);
  joint_info info = {.ncoordinate = jmodel_joint_freedom(class_)};
  int turned = class_->order ? info.ncoordinate - 3 : info.ncoordinate;
  for (int i = 0; i < info.ncoordinate; i++) {
    info.suffix[i] = i < turned ? class_->coordinate[i].suffix : jmodel_angle_suffix(j, i - turned);
  }
  return info;
}

static const char* const joint_names[] = {
#define X(id, name, ...) name,
#include "model/joint.def"
#undef X
    NULL};

static const jmodel_key points_form = {
    JMODEL_KEY_LIST("points", jmodel_form_point, 2, 2), .as = &jmodel_form_point,
    .about = "One point, or [point of the parent, point of the child]"};
static const jmodel_key directions_form = {
    JMODEL_KEY_LIST("directions", jmodel_form_direction, 2, 2), .as = &jmodel_form_direction,
    .about = "One direction, or [direction of the parent, direction of the child]"};

// What is driven; a force is only known to say where it belongs.
static const jmodel_key levels[] = {{JMODEL_KEY_NUMBER("position")},
                                    {JMODEL_KEY_NUMBER("velocity")},
                                    {.name = "force"},
                                    {JMODEL_KEY_NUMBER("from")},
                                    {0}};
static const jmodel_key level_form = {
    .name = "drive", .is = JMODEL_A_NUMBER | JMODEL_A_MAP, .keys = levels};
static const jmodel_key wish_form = {.is = JMODEL_A_BOOL};

static const jmodel_key joint_keys[] = {
    {JMODEL_KEY_WORD("type", joint_names)},
    {JMODEL_KEY_AS("parent", jmodel_form_body)},
    {JMODEL_KEY_AS("child", jmodel_form_body)},
    {JMODEL_KEY_AS("at", points_form), .unit = "m"},
    {JMODEL_KEY_AS("axis", directions_form)},
    {JMODEL_KEY_AS("axis2", jmodel_form_direction)},
    {.name = "drive", .is = JMODEL_BY_SUFFIX, .item = &level_form, .as = &level_form},
    {.name = "guess", .is = JMODEL_A_NUMBER | JMODEL_BY_SUFFIX, .item = &jmodel_form_number},
    {.name = "independent", .is = JMODEL_A_BOOL | JMODEL_BY_SUFFIX, .item = &wish_form},
    {JMODEL_KEY_DESCRIPTION},
    {JMODEL_KEY_WORD("angles", jmodel_angle_words)},
    {0}};
static const jmodel_key joint_form = {.is = JMODEL_A_MAP, .keys = joint_keys};
const jmodel_key jmodel_section_joints = {JMODEL_KEY_SECTION("joints", joint_form),
                                          .about = "What carries the bodies: a tree"};

// A joint with its coordinates, before the order of the tree is known.
typedef struct draft {
  jmodel_joint joint;
  jmodel_coordinate coordinate[JMODEL_JOINT_COORDINATES];
  bool placed;
} draft;

static const jmodel_joint_class* class_of(const jmodel_joint* j) {
  return jmodel_joint_class_of(j->type);
}

// ---- joint points and axes

// Coordinates of a body that has the frame of its instance are those of the template: put in their place.
static bool to_vehicle(jmodel_reader* r, int body, jmodel_v3* v, bool is_point) {
  const jmodel_instance* in = r->body_in[body];
  if (!r->m->body[body].is_placed) return false;
  jmodel_flip(r, in, v);
  if (is_point) {
    jmodel_place_point(r, in, v);
  } else {
    jmodel_place_direction(r, in, v);
  }
  return true;
}

// The joint point on one side, where only the other is given in the coordinates of its body.
static bool mirror_point(const jmodel_at* at, const jmodel_node* node, const jmodel_point* given,
                         int other, jmodel_point* out) {
  *out = *given;
  out->body = other;
  out->in_vehicle = true;
  if (given->in_vehicle || jmodel_is_vehicle_frame(at->r->m, given->body)) return true;
  if (to_vehicle(at->r, given->body, &out->r, true)) return true;
  jmodel_mistake(at, node->place, "at: give the point on both bodies, as [%s.P, %s.P]",
                 at->r->m->body[given->body].name, at->r->m->body[other].name);
  return false;
}

static void wrong_side(const jmodel_at* at, const jmodel_node* node, const char* label, int body) {
  jmodel_mistake(at, node->place, "%s: body '%s' is neither parent nor child", label,
                 at->r->m->body[body].name);
}

static bool one_point(const jmodel_at* at, const jmodel_node* node, jmodel_joint* j) {
  jmodel_point p;
  if (!jmodel_point_at(at, node, "at", jmodel_format(at->r, "%s.at", at->path), &p)) return false;
  if (p.body < 0) {
    j->at_parent = j->at_child = p;
    j->at_parent.body = j->parent;
    j->at_child.body = j->child;
    return true;
  }
  if (p.body == j->child) {
    j->at_child = p;
    // the coordinates of a free joint are measured from the origin of the parent
    if (class_of(j)->is_place) return true;
    return mirror_point(at, node, &p, j->parent, &j->at_parent);
  }
  if (p.body == j->parent) {
    j->at_parent = p;
    return mirror_point(at, node, &p, j->child, &j->at_child);
  }
  wrong_side(at, node, "at", p.body);
  return false;
}

// Inside of instances paths of numbers are used in expressions, where brackets mean nothing.
static const char* side_path(const jmodel_at* at, const jmodel_node* node, const char* key, int i) {
  return jmodel_format(at->r, node->in ? "%s.%s_%d" : "%s.%s[%d]", at->path, key, i);
}

static bool two_points(const jmodel_at* at, const jmodel_node* node, jmodel_joint* j) {
  jmodel_point p[2];
  const jmodel_node* c = node->first;
  for (int i = 0; i < 2; i++, c = c->next) {
    const char* path = side_path(at, c, "at", i);
    if (!jmodel_point_at(at, c, "at", path, &p[i])) return false;
    if (p[i].body >= 0 && p[i].body != j->parent && p[i].body != j->child) {
      wrong_side(at, c, "at", p[i].body);
      return false;
    }
  }
  bool is_swapped = p[0].body == j->child || p[1].body == j->parent;
  j->at_parent = p[is_swapped ? 1 : 0];
  j->at_child = p[is_swapped ? 0 : 1];
  if (j->at_parent.body < 0) j->at_parent.body = j->parent;
  if (j->at_child.body < 0) j->at_child.body = j->child;
  if (j->at_parent.body == j->parent && j->at_child.body == j->child) return true;
  jmodel_mistake(at, node->place, "at: give one point on the parent and one on the child");
  return false;
}

// Not given: the origin of the child's frame.
static bool read_point(const jmodel_at* at, const jmodel_node* map, jmodel_joint* j) {
  jmodel_reader* r = at->r;
  const jmodel_node* node = jmodel_node_find(map, "at");
  const jmodel_body* child = &r->m->body[j->child];
  j->at_child = jmodel_origin(r, j->child, j->place);
  j->at_parent = (jmodel_point){j->at_child.name, j->parent, true, child->origin};
  if (class_of(j)->is_place) j->at_parent = jmodel_origin(r, j->parent, j->place);
  if (!node) return true;
  if (node->kind == JMODEL_NODE_LIST && node->n == 2) return two_points(at, node, j);
  return one_point(at, node, j);
}

static bool mirror_vector(const jmodel_at* at, const jmodel_node* node, const char* label,
                          const jmodel_vector* given, int other, jmodel_vector* out) {
  *out = *given;
  out->body = other;
  out->in_vehicle = true;
  if (given->in_vehicle || jmodel_is_vehicle_frame(at->r->m, given->body)) return true;
  if (to_vehicle(at->r, given->body, &out->v, false)) return true;
  jmodel_mistake(at, node->place, "%s: give the direction on both bodies, as [%s.v, %s.v]", label,
                 at->r->m->body[given->body].name, at->r->m->body[other].name);
  return false;
}

// Turns about an axis keep their meaning in mirror images when the axis is turned round.
static bool direction_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                         const char* path, bool turns, jmodel_vector* out) {
  return turns ? jmodel_axis_at(at, node, label, path, out)
               : jmodel_vector_at(at, node, label, path, out);
}

static bool one_axis(const jmodel_at* at, const jmodel_node* node, jmodel_joint* j) {
  jmodel_vector v;
  const char* path = jmodel_format(at->r, "%s.axis", at->path);
  if (!direction_at(at, node, "axis", path, class_of(j)->axis == JMODEL_AXIS_PIVOT, &v))
    return false;
  if (v.body < 0) {
    j->axis_parent = j->axis_child = v;
    j->axis_parent.body = j->parent;
    j->axis_child.body = j->child;
    return true;
  }
  if (v.body == j->parent) {
    j->axis_parent = v;
    // what the child has is axis2
    if (class_of(j)->axis2 == JMODEL_AXIS_CHILD) return true;
    return mirror_vector(at, node, "axis", &v, j->child, &j->axis_child);
  }
  if (v.body == j->child) {
    j->axis_child = v;
    return mirror_vector(at, node, "axis", &v, j->parent, &j->axis_parent);
  }
  wrong_side(at, node, "axis", v.body);
  return false;
}

static bool two_axes(const jmodel_at* at, const jmodel_node* node, jmodel_joint* j) {
  jmodel_vector v[2];
  const jmodel_node* c = node->first;
  for (int i = 0; i < 2; i++, c = c->next) {
    const char* path = side_path(at, c, "axis", i);
    if (!direction_at(at, c, "axis", path, class_of(j)->axis == JMODEL_AXIS_PIVOT, &v[i]))
      return false;
    if (v[i].body >= 0 && v[i].body != j->parent && v[i].body != j->child) {
      wrong_side(at, c, "axis", v[i].body);
      return false;
    }
  }
  bool is_swapped = v[0].body == j->child || v[1].body == j->parent;
  j->axis_parent = v[is_swapped ? 1 : 0];
  j->axis_child = v[is_swapped ? 0 : 1];
  if (j->axis_parent.body < 0) j->axis_parent.body = j->parent;
  if (j->axis_child.body < 0) j->axis_child.body = j->child;
  if (j->axis_parent.body == j->parent && j->axis_child.body == j->child) return true;
  jmodel_mistake(at, node->place, "axis: give one direction on the parent and one on the child");
  return false;
}

static bool read_axis2(const jmodel_at* at, const jmodel_node* map, jmodel_joint* j) {
  const jmodel_node* node = jmodel_need(at, map, "axis2");
  bool is_child = class_of(j)->axis2 == JMODEL_AXIS_CHILD;
  int owner = is_child ? j->child : j->parent;
  jmodel_vector* v = &j->axis2;
  if (!node) return false;
  const char* path = jmodel_format(at->r, "%s.axis2", at->path);
  if (!direction_at(at, node, "axis2", path, is_child, v)) return false;
  if (v->body < 0) v->body = owner;
  if (v->body == owner) return true;
  if (v->in_vehicle || jmodel_is_vehicle_frame(at->r->m, v->body) ||
      to_vehicle(at->r, v->body, &v->v, false)) {
    v->body = owner;
    v->in_vehicle = true;
    return true;
  }
  jmodel_mistake(at, node->place, "axis2 must be a direction of body '%s'",
                 at->r->m->body[owner].name);
  return false;
}

// Coordinates that axes of their own cannot mirror: displacement and angle about one axis, and what is counted along
// the axes of another body.
static void set_signs(const jmodel_at* at, const jmodel_node* map, jmodel_joint* j) {
  int arrow[3], turn[3];
  jmodel_signs(map->in, arrow, turn);
  const jmodel_joint_class* c = class_of(j);
  for (int i = 0; c->axis == JMODEL_AXIS_ARROW && map->in && c->coordinate[i].suffix; i++) {
    if (c->coordinate[i].motion == JMODEL_TURN) j->sign[i] = map->in->handed;
  }
  if (c->is_place) {
    for (int i = 0; i < 3; i++) {
      j->sign[i] = arrow[i];
      j->sign[3 + i] = turn[j->turn[i]];
    }
  }
  if (!c->order || c->is_place || !map->in) return;
  j->has_frame = true;
  for (int i = 0; i < 2; i++) {
    j->frame[i] = jmodel_unit(i, j->place);
    jmodel_place_direction(at->r, map->in, &j->frame[i]);
    jmodel_turn_round(at->r, map->in, &j->frame[i]);
  }
}

static bool read_axes(const jmodel_at* at, const jmodel_node* map, jmodel_joint* j) {
  const jmodel_joint_class* c = class_of(j);
  set_signs(at, map, j);
  jmodel_vector none = {"", j->parent, true, jmodel_unit(-1, j->place)};
  j->axis_parent = j->axis2 = j->axis_child = none;
  j->axis_child.body = j->child;
  const char* unused[] = {c->axis ? NULL : "axis", c->axis2 ? NULL : "axis2"};
  for (int i = 0; i < 2; i++) {
    const jmodel_node* node = unused[i] ? jmodel_node_find(map, unused[i]) : NULL;
    if (node) {
      jmodel_mistake(at, node->key_place, "a %s joint has no '%s'", c->name, unused[i]);
    }
  }
  if (!c->axis) return true;
  const jmodel_node* node = jmodel_need(at, map, "axis");
  if (!node) return false;
  bool is_pair = node->kind == JMODEL_NODE_LIST && node->n == 2;
  if (!(is_pair ? two_axes(at, node, j) : one_axis(at, node, j))) return false;
  return !c->axis2 || read_axis2(at, map, j);
}

// ---- coordinates

// The node for coordinate k under a key: the value itself for one coordinate, else by suffix.

// Does it say of one coordinate what is driven, rather than which one?
static bool has_level(const jmodel_node* node) {
  for (int i = 0; levels[i].name; i++) {
    if (jmodel_node_find(node, levels[i].name)) return true;
  }
  return false;
}

static const jmodel_node* by_coordinate(const jmodel_node* node, const joint_info* info, int k) {
  if (!node) return NULL;
  if (node->kind == JMODEL_NODE_MAP && !has_level(node)) {
    return jmodel_node_find(node, info->suffix[k]);
  }
  return info->ncoordinate == 1 ? node : NULL;
}

static void check_by_coordinate(const jmodel_at* at, const jmodel_node* map, const char* key,
                                const joint_info* info, bool one_for_all) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node) return;
  if (info->ncoordinate == 0) {
    jmodel_mistake(at, node->key_place, "a fixed joint has no coordinate, so no '%s'", key);
  } else if (node->kind == JMODEL_NODE_MAP && !has_level(node)) {
    jmodel_check_names(at, node, info->suffix);
  } else if (info->ncoordinate > 1 && !one_for_all) {
    jmodel_mistake(at, node->place, "%s: the joint has %d coordinates; write {%s: ...}", key,
                   info->ncoordinate, info->suffix[0]);
  }
}

static const char* coordinate_path(const jmodel_at* at, const char* key, const jmodel_node* node,
                                   const char* suffix) {
  bool is_map = node && node->kind == JMODEL_NODE_MAP && !has_level(node);
  return jmodel_format(at->r, "%s.%s%s%s", at->path, key, is_map ? "." : "", is_map ? suffix : "");
}

static int wish_of(const jmodel_at* at, const jmodel_node* node) {
  return jmodel_bool_at(at, node, "independent") ? 1 : -1;
}

// The state that a driven velocity has: the position that comes of it.
static void add_drive_state(const jmodel_at* at, const jmodel_node* velocity,
                            const jmodel_node* from, const char* path, jmodel_coordinate* q) {
  jmodel_reader* r = at->r;
  if (!jmem_grow(r->ctx, &r->own, &r->own_cap, r->nown + 1, sizeof *r->own)) {
    jmodel_out_of_memory(r);
    return;
  }
  jmodel_state* z = &r->own[r->nown++];
  const char* start = jmodel_format(r, "%s.from", path);
  *z = (jmodel_state){.name = jmodel_format(r, "%s.drive", q->name), .place = velocity->place};
  z->element = -1;
  z->nominal = 1.0;
  z->is_held = true;
  z->unit = q->is_angle ? "rad" : "m";
  z->derivative = jmodel_scalar_at(at, velocity, "velocity", jmodel_format(r, "%s.velocity", path),
                                   JMODEL_SCOPE_ANY);
  z->initial = from ? jmodel_scalar_at(at, from, "from", start, JMODEL_SCOPE_PARAMETERS)
                    : jmodel_default(r, start, 0.0, velocity->place);
  q->driven = jmodel_constant(z->name, velocity->place);
  q->is_velocity = true;
}

// expression, {position: expression}, or {velocity: expression, from: number}
static void read_drive(const jmodel_at* at, const jmodel_node* node, const char* path,
                       const jmodel_joint* j, jmodel_coordinate* q) {
  if (node->kind != JMODEL_NODE_MAP) {
    q->driven = jmodel_scalar_at(at, node, "drive", path, JMODEL_SCOPE_ANY);
    return;
  }
  const jmodel_node* position = jmodel_node_find(node, "position");
  const jmodel_node* velocity = jmodel_node_find(node, "velocity");
  const jmodel_node* force = jmodel_node_find(node, "force");
  const jmodel_node* from = jmodel_node_find(node, "from");
  jmodel_check_keys(at, node, levels);
  if (force) {
    jmodel_mistake(at, force->key_place,
                   "drive: a force drives nothing to a given motion; write it under 'forces', as "
                   "{on: %s, torque: ...}",
                   q->name);
  } else if ((position != NULL) == (velocity != NULL)) {
    jmodel_mistake(at, node->place, "drive: give one of 'position' and 'velocity'");
  } else if (position && from) {
    jmodel_mistake(at, from->key_place, "drive: 'from' goes with 'velocity'; a position says it");
  } else if (position) {
    const char* inner = jmodel_format(at->r, "%s.position", path);
    q->driven = jmodel_scalar_at(at, position, "drive", inner, JMODEL_SCOPE_ANY);
  } else if (!from && class_of(j)->is_place && q->k < 3) {
    jmodel_mistake(at, node->place, "drive: 'from' is missing: where '%s' is at the start",
                   q->name);
  } else {
    add_drive_state(at, velocity, from, path, q);
  }
}

static void read_coordinates(const jmodel_at* at, const jmodel_node* map, draft* d) {
  const joint_info own = info_of(&d->joint), *info = &own;
  const jmodel_node* drive = jmodel_node_find(map, "drive");
  const jmodel_node* guess = jmodel_node_find(map, "guess");
  const jmodel_node* wish = jmodel_node_find(map, "independent");
  bool is_common = wish && wish->kind != JMODEL_NODE_MAP && info->ncoordinate > 0;
  int common = is_common ? wish_of(at, wish) : 0;
  check_by_coordinate(at, map, "drive", info, false);
  check_by_coordinate(at, map, "guess", info, false);
  check_by_coordinate(at, map, "independent", info, true);
  d->joint.ncoordinate = info->ncoordinate;
  for (int k = 0; k < info->ncoordinate; k++) {
    jmodel_coordinate* q = &d->coordinate[k];
    const char* suffix = info->suffix[k];
    const jmodel_node* my_drive = by_coordinate(drive, info, k);
    const jmodel_node* my_guess = by_coordinate(guess, info, k);
    const jmodel_node* my_wish = is_common ? NULL : by_coordinate(wish, info, k);
    q->name = info->ncoordinate == 1 ? at->name : jmodel_format(at->r, "%s.%s", at->name, suffix);
    q->k = k;
    q->is_angle = class_of(&d->joint)->coordinate[k].motion == JMODEL_TURN;
    q->guess = q->driven = jmodel_constant("0", d->joint.place);
    q->is_driven = my_drive != NULL;
    q->has_guess = my_guess != NULL;
    if (my_drive) {
      read_drive(at, my_drive, coordinate_path(at, "drive", drive, suffix), &d->joint, q);
    }
    if (my_guess) {
      q->guess =
          jmodel_scalar_at(at, my_guess, "guess", coordinate_path(at, "guess", guess, suffix),
                           JMODEL_SCOPE_PARAMETERS);
    }
    q->want_independent = my_wish ? wish_of(at, my_wish) : common;
  }
  jmodel_name_angles(at, &d->joint, d->coordinate, drive);
}

static bool read_joint(const jmodel_at* at, const jmodel_node* node, draft* d) {
  jmodel_joint* j = &d->joint;
  *j = (jmodel_joint){.name = at->name, .place = node->key_place};
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return false;
  jmodel_check_keys(at, node, joint_keys);
  const jmodel_node* type = jmodel_need(at, node, "type");
  const jmodel_node* child = jmodel_need(at, node, "child");
  const jmodel_node* parent = jmodel_node_find(node, "parent");
  int t = type ? jmodel_word_at(at, type, "type", joint_names) : -1;
  j->child = child ? jmodel_body_at(at, child, "child") : -1;
  j->parent = parent ? jmodel_body_at(at, parent, "parent") : 0;
  if (j->child == 0) {
    jmodel_mistake(at, child->place, "the ground cannot be a child; it is the root of the tree");
    j->child = -1;
  }
  if (t < 0 || j->child < 0 || j->parent < 0) return false;
  j->type = (jmodel_joint_type)t;
  if (j->child == j->parent) {
    jmodel_mistake(at, j->place, "parent and child are both '%s'", at->r->m->body[j->child].name);
    return false;
  }
  jmodel_read_angles(at, node, j);
  read_coordinates(at, node, d);
  bool has_point = read_point(at, node, j);
  return read_axes(at, node, j) && has_point;
}

// ---- the tree

// One joint per body; returns false when the tree cannot be ordered.
static bool check_carriers(jmodel_reader* r, const draft* d, int n, int* carrier) {
  jmodel* m = r->m;
  bool is_good = true;
  for (int i = 0; i < m->nbody; i++)
    carrier[i] = -1;
  for (int i = 0; i < n; i++) {
    const jmodel_joint* j = &d[i].joint;
    jmodel_at at = {r, "joint", j->name, ""};
    int before = carrier[j->child];
    if (before >= 0) {
      jmodel_mistake(&at, j->place,
                     "body '%s' is carried by joint '%s' (line %d) already; use a closure to close "
                     "the loop",
                     m->body[j->child].name, d[before].joint.name, d[before].joint.place.line);
      is_good = false;
    } else {
      carrier[j->child] = i;
    }
  }
  for (int i = 1; i < m->nbody && !r->joints_incomplete; i++) {
    if (carrier[i] >= 0) continue;
    jmodel_at at = {r, "body", m->body[i].name, ""};
    jmodel_mistake(&at, m->body[i].place, "no joint carries it; add a joint with 'child: %s'",
                   m->body[i].name);
    is_good = false;
  }
  return is_good;
}

static void append_joint(jmodel_reader* r, draft* d) {
  jmodel* m = r->m;
  jmodel_joint* j = &m->joint[m->njoint];
  *j = d->joint;
  j->first_coordinate = m->ncoordinate;
  for (int k = 0; k < j->ncoordinate; k++) {
    m->coordinate[m->ncoordinate] = d->coordinate[k];
    jmodel_put_name(r, JMODEL_NAMES_COORDINATE, d->coordinate[k].name, m->ncoordinate);
    m->coordinate[m->ncoordinate++].joint = m->njoint;
  }
  m->njoint++;
  d->placed = true;
}

// Depth first from each joint up to what is placed already: joints keep the order of the file as far
// as parents allow. `path` holds the joints still to be placed on the way to the ground.
static void order_joints(jmodel_reader* r, draft* d, int n, const int* carrier, int* path) {
  for (int i = 0; i < n; i++) {
    int depth = 0;
    for (int j = i; j >= 0 && !d[j].placed; j = carrier[d[j].joint.parent]) {
      if (depth == n) {
        jmodel_at at = {r, "joint", d[i].joint.name, ""};
        jmodel_mistake(&at, d[i].joint.place,
                       "following the parents never reaches the ground; use a closure to close the "
                       "loop");
        return;
      }
      path[depth++] = j;
    }
    while (depth > 0)
      append_joint(r, &d[path[--depth]]);
  }
}

static void place_joints(jmodel_reader* r, draft* d, int n) {
  jmodel* m = r->m;
  int* carrier = JMODEL_ARRAY(r, m->nbody, int);
  int* path = JMODEL_ARRAY(r, n, int);
  m->joint = JMODEL_ARRAY(r, n, jmodel_joint);
  m->coordinate = JMODEL_ARRAY(r, JMODEL_JOINT_COORDINATES * n, jmodel_coordinate);
  if (r->oom) return;
  if (check_carriers(r, d, n, carrier) && !r->joints_incomplete) {
    order_joints(r, d, n, carrier, path);
  }
  r->joints_incomplete = r->joints_incomplete || m->njoint < n;
}

void jmodel_read_joints(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "joints");
  int n = 0;
  draft* d = jarena_array(&r->scratch, (size_t)(section ? section->n : 0), sizeof *d);
  if (!d) jmodel_out_of_memory(r);
  if (r->oom) return;
  for (const jmodel_node* c = section ? section->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "joint", jmodel_keep(r, c->key), jmodel_format(r, "joints.%s", c->key)};
    if (jmodel_name_ok(&at, c) && read_joint(&at, c, &d[n])) {
      n++;
    } else {
      r->joints_incomplete = true;
    }
    if (r->oom) return;
  }
  if (jmodel_goes_on(r) && r->m->nbody > 1) place_joints(r, d, n);
  jmodel_own_attitudes(r);
}
