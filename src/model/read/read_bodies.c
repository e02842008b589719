// SPDX-License-Identifier: Apache-2.0
// `hardpoints:` and `bodies:`: mass, centre of mass, inertia, frame, points and vectors.
#include <string.h>

#include "model/template/instance.h"

const jmodel_key jmodel_section_hardpoints = {
    JMODEL_KEY_SECTION("hardpoints", jmodel_form_vector), .unit = "m",
    .about = "Points of the drawing, vehicle coordinates at the design position"};

static const jmodel_key tensor[] = {{JMODEL_KEY_NUMBER("xx")},
                                    {JMODEL_KEY_NUMBER("yy")},
                                    {JMODEL_KEY_NUMBER("zz")},
                                    {JMODEL_KEY_NUMBER("xy")},
                                    {JMODEL_KEY_NUMBER("xz")},
                                    {JMODEL_KEY_NUMBER("yz")},
                                    {0}};
static const jmodel_key diagonal_form = {JMODEL_KEY_LIST("diagonal", jmodel_form_number, 3, 3)};
static const jmodel_key frame_keys[] = {
    {JMODEL_KEY_AS("origin", jmodel_form_vector), .unit = "m"}, JMODEL_AXES_KEYS, {0}};
static const jmodel_key body_keys[] = {
    {JMODEL_KEY_NUMBER("mass"), .unit = "kg"},
    {.name = "com",
     .is = JMODEL_A_TEXT,
     .as = &jmodel_form_vector,
     .unit = "m",
     .about = "Centre of mass, or a hardpoint"},
    {.name = "inertia",
     .is = JMODEL_A_LIST | JMODEL_A_MAP,
     .keys = tensor,
     .item = &jmodel_form_number,
     .least = 6,
     .most = 6,
     .as = &diagonal_form,
     .unit = "kg m^2",
     .about = "About the centre of mass: [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a map"},
    {JMODEL_KEY_MAP("frame", frame_keys)},
    {JMODEL_KEY_SECTION("points", jmodel_form_vector), .unit = "m"},
    {JMODEL_KEY_SECTION("vectors", jmodel_form_vector)},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key body_form = {.is = JMODEL_A_MAP, .keys = body_keys};
const jmodel_key jmodel_section_bodies = {JMODEL_KEY_SECTION("bodies", body_form),
                                          .about = "Rigid bodies"};

void jmodel_read_hardpoints(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "hardpoints");
  if (!section) return;
  r->m->hardpoint = JMODEL_ARRAY(r, section->n, jmodel_named_v3);
  for (const jmodel_node* c = section->first; c && r->m->hardpoint; c = c->next) {
    jmodel_at at = {r, "hardpoint", jmodel_keep(r, c->key),
                    jmodel_format(r, "hardpoints.%s", c->key)};
    if (!jmodel_name_ok(&at, c)) continue;
    jmodel_named_v3* h = &r->m->hardpoint[r->m->nhardpoint++];
    *h = (jmodel_named_v3){at.name, jmodel_v3_at(&at, c, "it", at.path, JMODEL_SCOPE_PARAMETERS),
                           c->key_place};
    jmodel_place_point(r, c->in, &h->value);
    jmodel_put_name(r, JMODEL_NAMES_HARDPOINT, h->name, r->m->nhardpoint - 1);
    r->m->nread_hardpoint = r->m->nhardpoint;
  }
}

// ---- inertia

static void read_inertia(const jmodel_at* at, const jmodel_node* node, jmodel_body* b) {
  jmodel_reader* r = at->r;
  const char* path[6];
  for (int i = 0; i < 6; i++) {
    path[i] = jmodel_format(r, "%s.inertia.%s", at->path, tensor[i].name);
  }
  bool is_list = node && node->kind == JMODEL_NODE_LIST;
  if (is_list && node->n != 3 && node->n != 6) {
    jmodel_mistake(at, node->place, "inertia needs 3 or 6 numbers, got %d", node->n);
  } else if (node && !is_list && node->kind != JMODEL_NODE_MAP) {
    jmodel_mistake(at, node->place,
                   "inertia needs [xx, yy, zz] or a map of xx, yy, zz, xy, xz, yz");
  } else if (node && !is_list) {
    jmodel_check_keys(at, node, tensor);
  }
  const jmodel_node* c = is_list && (node->n == 3 || node->n == 6) ? node->first : NULL;
  for (int i = 0; i < 6; i++) {
    const jmodel_node* entry = is_list ? c : node ? jmodel_node_find(node, tensor[i].name) : NULL;
    const char* label = jmodel_format(r, "inertia.%s", tensor[i].name);
    b->inertia[i] = entry ? jmodel_scalar_at(at, entry, label, path[i], JMODEL_SCOPE_PARAMETERS)
                          : jmodel_default(r, path[i], 0.0, b->place);
    if (c) c = c->next;
  }
}

// com: a hardpoint, which has been put in its place already
static void read_com_point(const jmodel_at* at, const jmodel_node* node, jmodel_body* b) {
  const jmodel* m = at->r->m;
  const char* name = jmodel_full_name(at->r, node->in, node->text);
  int k = jindex_find(&m->names, JMODEL_NAMES_HARDPOINT, name, strlen(name));
  b->com = k < 0 ? jmodel_unit(-1, node->place) : m->hardpoint[k].value;
  if (k >= 0) b->com_in_vehicle = b->has_frame;
  if (k >= 0) return;
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < m->nhardpoint; i++) {
    jmodel_guess_add(&guess, m->hardpoint[i].name);
  }
  jmodel_mistake(at, node->place,
                 "com needs [x, y, z] or a hardpoint; there is no hardpoint '%.60s'%s", name,
                 jmodel_guess_hint(at->r, &guess));
}

static void read_mass(const jmodel_at* at, const jmodel_node* node, jmodel_body* b) {
  jmodel_reader* r = at->r;
  const char* path = jmodel_format(r, "%s.mass", at->path);
  const jmodel_node* mass = jmodel_node_find(node, "mass");
  const jmodel_node* com = jmodel_node_find(node, "com");
  const jmodel_node* inertia = jmodel_node_find(node, "inertia");
  b->has_mass = mass != NULL;
  if (!mass && (com || inertia)) {
    jmodel_mistake(at, b->place, "'mass' is missing; it has %s", com ? "com" : "inertia");
  }
  b->mass = mass ? jmodel_scalar_at(at, mass, "mass", path, JMODEL_SCOPE_PARAMETERS)
                 : jmodel_default(r, path, 0.0, b->place);
  if (com && com->kind == JMODEL_NODE_TEXT) {
    read_com_point(at, com, b);
  } else {
    if (!jmodel_get_v3(at, node, "com", JMODEL_SCOPE_PARAMETERS, &b->com)) {
      b->com = jmodel_default_v3(r, jmodel_format(r, "%s.com", at->path), 0.0, b->place);
    }
    jmodel_flip(r, node->in, &b->com);
  }
  read_inertia(at, inertia, b);
  jmodel_flip_inertia(r, node->in, b->inertia);
}

// ---- frame

void jmodel_read_axes(const jmodel_at* at, const jmodel_node* map, const char* label, int given[2],
                      jmodel_v3 axis[2]) {
  static const char* const names[] = {"x", "y", "z"};
  int n = 0;
  for (int i = 0; i < 3; i++) {
    const jmodel_node* node = jmodel_node_find(map, names[i]);
    if (!node) continue;
    if (n < 2) {
      given[n] = i;
      if (!jmodel_axis_word(at->r, node, &axis[n])) {
        axis[n] = jmodel_v3_at(at, node, jmodel_format(at->r, "%s.%s", label, names[i]),
                               jmodel_format(at->r, "%s.%s.%s", at->path, label, names[i]),
                               JMODEL_SCOPE_PARAMETERS);
      }
    }
    n++;
  }
  if (n != 0 && n != 2) {
    jmodel_mistake(at, map->place, "%s needs two of the axes x, y, z, got %d", label, n);
  }
  jmodel_place_axes(at->r, map->in, given, axis);
}

static void read_frame(const jmodel_at* at, const jmodel_node* node, jmodel_body* b) {
  const jmodel_node* frame = jmodel_node_find(node, "frame");
  b->origin = jmodel_unit(-1, b->place);
  b->axis_given[0] = 0;
  b->axis_given[1] = 1;
  b->axis[0] = jmodel_unit(0, b->place);
  b->axis[1] = jmodel_unit(1, b->place);
  // without one, an instance that is put elsewhere has the frame of its template
  if (!frame && node->in && node->in->is_moved) {
    b->has_frame = b->is_placed = true;
    jmodel_place_point(at->r, node->in, &b->origin);
    jmodel_place_axes(at->r, node->in, b->axis_given, b->axis);
  }
  if (!frame || !jmodel_is(at, frame, JMODEL_NODE_MAP, "frame")) return;
  b->has_frame = true;
  jmodel_check_keys(at, frame, frame_keys);
  const jmodel_node* origin = jmodel_node_find(frame, "origin");
  if (origin) {
    b->origin =
        jmodel_v3_at(at, origin, "frame.origin", jmodel_format(at->r, "%s.frame.origin", at->path),
                     JMODEL_SCOPE_PARAMETERS);
  }
  jmodel_place_point(at->r, frame->in, &b->origin);
  jmodel_read_axes(at, frame, "frame", b->axis_given, b->axis);
}

// ---- points and vectors

static bool is_body_word(const char* s) {
  return strcmp(s, "origin") == 0 || strcmp(s, "com") == 0 || (s[0] >= 'x' && s[0] <= 'z' && !s[1]);
}

static jmodel_named_v3* read_named(const jmodel_at* at, const jmodel_node* node, const char* key,
                                   const char* kind, int* n) {
  const jmodel_node* map = jmodel_node_find(node, key);
  jmodel_reader* r = at->r;
  *n = 0;
  if (!map || map->kind == JMODEL_NODE_NULL || !jmodel_is(at, map, JMODEL_NODE_MAP, key)) {
    return NULL;
  }
  jmodel_named_v3* list = JMODEL_ARRAY(r, map->n, jmodel_named_v3);
  for (const jmodel_node* c = map->first; c && list; c = c->next) {
    jmodel_at inner = {r, kind, jmodel_format(r, "%s.%s", at->name, c->key),
                       jmodel_format(r, "%s.%s.%s", at->path, key, c->key)};
    if (!jmodel_name_ok(&inner, c)) continue;
    if (is_body_word(c->key)) {
      jmodel_mistake(&inner, c->key_place, "the name is reserved; choose another");
      continue;
    }
    list[*n] = (jmodel_named_v3){jmodel_keep(r, c->key),
                                 jmodel_v3_at(&inner, c, "it", inner.path, JMODEL_SCOPE_PARAMETERS),
                                 c->key_place};
    jmodel_flip(r, c->in, &list[(*n)++].value);
  }
  return list;
}

static void read_body(jmodel_reader* r, const jmodel_node* node, jmodel_body* b) {
  jmodel_at at = {r, "body", b->name, jmodel_format(r, "bodies.%s", b->name)};
  if (node->kind != JMODEL_NODE_NULL && jmodel_is(&at, node, JMODEL_NODE_MAP, "it")) {
    jmodel_check_keys(&at, node, body_keys);
  }
  read_frame(&at, node, b);
  read_mass(&at, node, b);
  b->point = read_named(&at, node, "points", "point", &b->npoint);
  b->vector = read_named(&at, node, "vectors", "vector", &b->nvector);
}

static void make_ground(jmodel_reader* r, jmodel_body* b) {
  jmodel_place none = {r->m->path, 0};
  *b = (jmodel_body){.name = "ground", .place = none};
  b->mass = jmodel_constant("0", none);
  b->com = b->origin = jmodel_unit(-1, none);
  for (int i = 0; i < 6; i++) {
    b->inertia[i] = jmodel_constant("0", none);
  }
  b->axis_given[1] = 1;
  b->axis[0] = jmodel_unit(0, none);
  b->axis[1] = jmodel_unit(1, none);
}

void jmodel_read_bodies(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "bodies");
  jmodel* m = r->m;
  m->body = JMODEL_ARRAY(r, 1 + (section ? section->n : 0), jmodel_body);
  r->body_in = JMODEL_ARRAY(r, 1 + (section ? section->n : 0), const jmodel_instance*);
  if (!m->body || !r->body_in) return;
  make_ground(r, &m->body[0]);
  jmodel_put_name(r, JMODEL_NAMES_BODY, m->body[0].name, 0);
  m->nbody = 1;
  if (!section || section->n == 0) {
    jmodel_at at = {r, "model", NULL, ""};
    jmodel_mistake(&at, section ? section->place : root->place,
                   "there are no bodies; add 'bodies:'");
    return;
  }
  for (const jmodel_node* c = section->first; c && !r->oom; c = c->next) {
    jmodel_at at = {r, "body", jmodel_keep(r, c->key), ""};
    if (!jmodel_name_ok(&at, c)) continue;
    m->body[m->nbody] = (jmodel_body){.name = at.name, .place = c->key_place};
    read_body(r, c, &m->body[m->nbody]);
    const jmodel_body* b = &m->body[m->nbody];
    jmodel_put_name(r, JMODEL_NAMES_BODY, at.name, m->nbody);
    for (int i = 0; i < b->npoint; i++) {
      jmodel_put_name(r, JMODEL_NAMES_POINT + m->nbody, b->point[i].name, i);
    }
    r->body_in[m->nbody++] = c->in;
  }
}
