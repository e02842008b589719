// SPDX-License-Identifier: Apache-2.0
// `forces:` (between points, on a coordinate, anti-roll bars, at a point) and `tyres:`.
#include <string.h>

#include "model/reader.h"

static const char* const line_keys[] = {"between",      "stiffness", "damping",     "free_length",
                                        "preload",      "spring",    "damper",      "bump_stop",
                                        "rebound_stop", "force",     "description", NULL};
static const char* const joint_keys[] = {
    "on",        "stiffness",    "damping", "free",   "preload",     "spring", "damper",
    "bump_stop", "rebound_stop", "force",   "torque", "description", NULL};
static const char* const bar_keys[] = {"bar", "stiffness", "damping", "description", NULL};
static const char* const point_keys[] = {"at", "force", "torque", "axes", "description", NULL};

static void zero_force(jmodel_force* f) {
  jmodel_scalar zero = jmodel_constant("0", f->place);
  f->stiffness = f->damping = f->free = f->preload = f->expression = f->torque = zero;
  f->bump_clearance = f->bump_stiffness = f->rebound_clearance = f->rebound_stiffness = zero;
  f->bump_exponent = f->rebound_exponent = zero;
  f->vector = f->moment = jmodel_unit(-1, f->place);
  f->a = f->b = (jmodel_point){"", 0, true, f->vector};
  f->coordinate = f->coordinate2 = -1;
  f->spring_table = f->damper_table = -1;
}

// {length: 0.6, stiffness: 1e5}, or {at: ...} on a coordinate
static bool read_stop(const jmodel_at* at, const jmodel_node* map, const char* key, bool is_line,
                      jmodel_scalar* clearance, jmodel_scalar* stiffness, bool* has_exponent,
                      jmodel_scalar* exponent) {
  static const char* const of_line[] = {"length", "stiffness", "exponent", NULL};
  static const char* const of_joint[] = {"at", "stiffness", "exponent", NULL};
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, key)) return false;
  jmodel_at inner = *at;
  inner.path = jmodel_format(at->r, "%s.%s", at->path, key);
  jmodel_check_keys(at, node, is_line ? of_line : of_joint);
  jmodel_need_scalar(&inner, node, is_line ? "length" : "at", JMODEL_SCOPE_ANY, clearance);
  jmodel_need_scalar(&inner, node, "stiffness", JMODEL_SCOPE_ANY, stiffness);
  *has_exponent = jmodel_get_scalar(&inner, node, "exponent", JMODEL_SCOPE_ANY, exponent);
  return true;
}

static int read_table(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  return node ? jmodel_table_at(at, node, key) : -1;
}

// Springs, dampers, stops and expressions: what line and joint elements share.
static void read_law(const jmodel_at* at, const jmodel_node* map, jmodel_force* f, bool is_line) {
  const char* free_key = is_line ? "free_length" : "free";
  jmodel_scope any = JMODEL_SCOPE_ANY;
  f->has_stiffness = jmodel_get_scalar(at, map, "stiffness", any, &f->stiffness);
  f->has_damping = jmodel_get_scalar(at, map, "damping", any, &f->damping);
  f->has_free = jmodel_get_scalar(at, map, free_key, any, &f->free);
  f->has_preload = jmodel_get_scalar(at, map, "preload", any, &f->preload);
  f->has_expression = jmodel_get_scalar(at, map, "force", any, &f->expression);
  f->has_torque = jmodel_get_scalar(at, map, "torque", any, &f->torque);
  f->spring_table = read_table(at, map, "spring");
  f->damper_table = read_table(at, map, "damper");
  f->has_bump = read_stop(at, map, "bump_stop", is_line, &f->bump_clearance, &f->bump_stiffness,
                          &f->has_bump_exponent, &f->bump_exponent);
  f->has_rebound = read_stop(at, map, "rebound_stop", is_line, &f->rebound_clearance,
                             &f->rebound_stiffness, &f->has_rebound_exponent, &f->rebound_exponent);
  if (is_line && f->has_stiffness && !f->has_free) {
    jmodel_mistake(at, f->place, "'free_length' is missing; a stiffness needs it");
  }
  if (f->has_free && !f->has_stiffness) {
    jmodel_mistake(at, f->free.place, "'%s' has no effect without 'stiffness'", free_key);
  }
  bool has_table = jmodel_node_find(map, "spring") || jmodel_node_find(map, "damper");
  if (!f->has_stiffness && !f->has_damping && !f->has_preload && !f->has_expression &&
      !f->has_torque && !has_table && !f->has_bump && !f->has_rebound) {
    jmodel_mistake(at, f->place, "it says no law; give 'stiffness', 'damping' or 'force'");
  }
}

static bool read_line(const jmodel_at* at, const jmodel_node* map, jmodel_force* f) {
  const jmodel_node* ends = jmodel_node_find(map, "between");
  f->type = JMODEL_FORCE_LINE;
  jmodel_check_keys(at, map, line_keys);
  read_law(at, map, f, true);
  if (!jmodel_is(at, ends, JMODEL_NODE_LIST, "between")) return false;
  if (ends->n != 2) {
    jmodel_mistake(at, ends->place, "between needs 2 points, got %d", ends->n);
    return false;
  }
  const char* path_a = jmodel_format(at->r, "%s.between[0]", at->path);
  const char* path_b = jmodel_format(at->r, "%s.between[1]", at->path);
  bool has_a = jmodel_body_point_at(at, ends->first, "between", path_a, &f->a);
  if (!jmodel_body_point_at(at, ends->last, "between", path_b, &f->b) || !has_a) return false;
  if (f->a.body != f->b.body) return true;
  jmodel_mistake(at, ends->place, "between: both ends are on body '%s'",
                 at->r->m->body[f->a.body].name);
  return false;
}

static bool read_on_joint(const jmodel_at* at, const jmodel_node* map, jmodel_force* f) {
  f->type = JMODEL_FORCE_JOINT;
  jmodel_check_keys(at, map, joint_keys);
  read_law(at, map, f, false);
  f->coordinate = jmodel_coordinate_at(at, jmodel_node_find(map, "on"), "on");
  return f->coordinate >= 0;
}

static bool read_bar(const jmodel_at* at, const jmodel_node* map, jmodel_force* f) {
  const jmodel_node* ends = jmodel_node_find(map, "bar");
  f->type = JMODEL_FORCE_BAR;
  jmodel_check_keys(at, map, bar_keys);
  jmodel_need_scalar(at, map, "stiffness", JMODEL_SCOPE_ANY, &f->stiffness);
  f->has_stiffness = true;
  f->has_damping = jmodel_get_scalar(at, map, "damping", JMODEL_SCOPE_ANY, &f->damping);
  if (!jmodel_is(at, ends, JMODEL_NODE_LIST, "bar")) return false;
  if (ends->n != 2) {
    jmodel_mistake(at, ends->place, "bar needs 2 coordinates, got %d", ends->n);
    return false;
  }
  f->coordinate = jmodel_coordinate_at(at, ends->first, "bar");
  f->coordinate2 = jmodel_coordinate_at(at, ends->last, "bar");
  if (f->coordinate < 0 || f->coordinate2 < 0) return false;
  if (f->coordinate != f->coordinate2) return true;
  jmodel_mistake(at, ends->place, "bar: both ends are coordinate '%s'",
                 at->r->m->coordinate[f->coordinate].name);
  return false;
}

static bool read_at_point(const jmodel_at* at, const jmodel_node* map, jmodel_force* f) {
  static const char* const axes[] = {"ground", "body", NULL};
  const jmodel_node* where = jmodel_node_find(map, "at");
  const jmodel_node* in = jmodel_node_find(map, "axes");
  f->type = JMODEL_FORCE_POINT;
  jmodel_check_keys(at, map, point_keys);
  bool has_force = jmodel_get_v3(at, map, "force", JMODEL_SCOPE_ANY, &f->vector);
  f->has_moment = jmodel_get_v3(at, map, "torque", JMODEL_SCOPE_ANY, &f->moment);
  if (!has_force && !f->has_moment) {
    jmodel_mistake(at, f->place, "it says no law; give 'force: [x, y, z]' or 'torque: [x, y, z]'");
  }
  f->in_body = in && jmodel_word_at(at, in, "axes", axes) == 1;
  if (!jmodel_body_point_at(at, where, "at", jmodel_format(at->r, "%s.at", at->path), &f->a)) {
    return false;
  }
  if (f->a.body != 0) return true;
  jmodel_mistake(at, where->place, "at: a force on the ground does nothing");
  return false;
}

typedef bool (*read_kind)(const jmodel_at* at, const jmodel_node* map, jmodel_force* f);

static bool read_force(const jmodel_at* at, const jmodel_node* node, jmodel_force* f) {
  static const char* const kind_keys[] = {"between", "on", "bar", "at"};
  static const read_kind kinds[] = {read_line, read_on_joint, read_bar, read_at_point};
  int found = -1;
  zero_force(f);
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return false;
  for (int i = 0; i < 4; i++) {
    const jmodel_node* key = jmodel_node_find(node, kind_keys[i]);
    if (!key) continue;
    if (found >= 0) {
      jmodel_mistake(at, key->key_place, "it has both '%s' and '%s'; give one", kind_keys[found],
                     kind_keys[i]);
      return false;
    }
    found = i;
  }
  if (found >= 0) return kinds[found](at, node, f);
  jmodel_mistake(at, f->place, "where it acts is missing; give 'between', 'on', 'bar' or 'at'");
  return false;
}

void jmodel_read_forces(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "forces");
  if (!section) return;
  r->m->force = JMODEL_ARRAY(r, section->n, jmodel_force);
  for (const jmodel_node* c = section->first; c && r->m->force; c = c->next) {
    jmodel_at at = {r, "force", jmodel_keep(r, c->key), jmodel_format(r, "forces.%s", c->key)};
    jmodel_force* f = &r->m->force[r->m->nforce];
    *f = (jmodel_force){.name = at.name, .place = c->key_place};
    if (jmodel_name_ok(&at, c) && read_force(&at, c, f)) r->m->nforce++;
  }
}

// ---- tyres

static bool read_wheel(const jmodel_at* at, const jmodel_node* map, jmodel_tyre* t) {
  jmodel_reader* r = at->r;
  const jmodel_node* wheel = jmodel_need(at, map, "wheel");
  const jmodel_node* centre = jmodel_node_find(map, "centre");
  const jmodel_node* axis = jmodel_node_find(map, "axis");
  t->body = wheel ? jmodel_body_at(at, wheel, "wheel") : -1;
  if (t->body < 0) return false;
  if (t->body == 0) {
    jmodel_mistake(at, wheel->place, "wheel: the ground is no wheel");
    return false;
  }
  t->centre = jmodel_origin(r, t->body, t->place);
  t->axis = (jmodel_vector){jmodel_format(r, "%s.y", r->m->body[t->body].name), t->body, false,
                            jmodel_unit(1, t->place)};
  if (centre) {
    const char* path = jmodel_format(r, "%s.centre", at->path);
    if (!jmodel_point_at(at, centre, "centre", path, &t->centre)) return false;
    if (t->centre.body < 0) t->centre.body = t->body;
  }
  if (axis) {
    const char* path = jmodel_format(r, "%s.axis", at->path);
    if (!jmodel_vector_at(at, axis, "axis", path, &t->axis)) return false;
    if (t->axis.body < 0) t->axis.body = t->body;
  }
  return true;
}

static bool read_tyre(const jmodel_at* at, const jmodel_node* node, jmodel_tyre* t) {
  static const char* const keys[] = {"wheel",   "centre",      "axis",    "radius", "stiffness",
                                     "damping", "kappa_c",     "alpha_c", "mu_x",   "mu_y",
                                     "reading", "description", NULL};
  static const char* const readings[] = {"A", "B", NULL};
  jmodel_scope any = JMODEL_SCOPE_ANY;
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return false;
  jmodel_check_keys(at, node, keys);
  jmodel_need_scalar(at, node, "radius", any, &t->radius);
  jmodel_need_scalar(at, node, "stiffness", any, &t->stiffness);
  if (!jmodel_get_scalar(at, node, "damping", any, &t->damping)) {
    t->damping = jmodel_default(at->r, t->damping.path, 0.0, t->place);
  }
  jmodel_need_scalar(at, node, "kappa_c", any, &t->kappa_c);
  jmodel_need_scalar(at, node, "alpha_c", any, &t->alpha_c);
  jmodel_need_scalar(at, node, "mu_x", any, &t->mu_x);
  jmodel_need_scalar(at, node, "mu_y", any, &t->mu_y);
  const jmodel_node* reading = jmodel_node_find(node, "reading");
  t->loaded_radius = reading && jmodel_word_at(at, reading, "reading", readings) == 1;
  return read_wheel(at, node, t);
}

void jmodel_read_tyres(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "tyres");
  if (!section) return;
  r->m->tyre = JMODEL_ARRAY(r, section->n, jmodel_tyre);
  for (const jmodel_node* c = section->first; c && r->m->tyre; c = c->next) {
    jmodel_at at = {r, "tyre", jmodel_keep(r, c->key), jmodel_format(r, "tyres.%s", c->key)};
    jmodel_tyre* t = &r->m->tyre[r->m->ntyre];
    *t = (jmodel_tyre){.name = at.name, .place = c->key_place};
    if (jmodel_name_ok(&at, c) && read_tyre(&at, c, t)) r->m->ntyre++;
  }
}

// ---- soil

static bool read_soil_points(const jmodel_at* at, const jmodel_node* node, jmodel_soil* s) {
  const jmodel_node* wheel = jmodel_need(at, node, "wheel");
  const jmodel_node* track = jmodel_need(at, node, "track");
  if (!wheel || !track) return false;
  s->body = jmodel_body_at(at, wheel, "wheel");
  s->track = jmodel_body_at(at, track, "track");
  const jmodel_node* centre = jmodel_need(at, node, "centre");
  const jmodel_node* lateral = jmodel_need(at, node, "lateral");
  if (s->body < 0 || s->track < 0 || !centre || !lateral) return false;
  const char* path = jmodel_format(at->r, "%s.centre", at->path);
  if (!jmodel_body_point_at(at, centre, "centre", path, &s->centre)) return false;
  path = jmodel_format(at->r, "%s.lateral", at->path);
  if (!jmodel_body_vector_at(at, lateral, "lateral", path, &s->lateral)) return false;
  if (s->centre.body != s->body) {
    jmodel_mistake(at, centre->place, "centre is not a point of the wheel");
    return false;
  }
  if (s->lateral.body != s->track) {
    jmodel_mistake(at, lateral->place, "lateral is not a direction of the body 'track'");
    return false;
  }
  return true;
}

static bool read_soil(const jmodel_at* at, const jmodel_node* node, jmodel_soil* s) {
  static const char* const keys[] = {"wheel",        "track",       "centre",      "lateral",
                                     "radius",       "length",      "width",       "k_c",
                                     "k_phi",        "exponent",    "shear",       "friction_long",
                                     "friction_lat", "track_speed", "description", NULL};
  jmodel_scope any = JMODEL_SCOPE_ANY;
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return false;
  jmodel_check_keys(at, node, keys);
  struct {
    const char* key;
    jmodel_scalar* value;
  } number[] = {{"radius", &s->radius},
                {"length", &s->length},
                {"width", &s->width},
                {"k_c", &s->k_c},
                {"k_phi", &s->k_phi},
                {"exponent", &s->exponent},
                {"shear", &s->shear},
                {"friction_long", &s->friction_long},
                {"friction_lat", &s->friction_lat}};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    jmodel_need_scalar(at, node, number[i].key, any, number[i].value);
  }
  if (!jmodel_get_scalar(at, node, "track_speed", any, &s->track_speed)) {
    s->track_speed = jmodel_default(at->r, s->track_speed.path, 0.0, s->place);
  }
  return read_soil_points(at, node, s);
}

void jmodel_read_soils(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "soils");
  if (!section) return;
  r->m->soil = JMODEL_ARRAY(r, section->n, jmodel_soil);
  for (const jmodel_node* c = section->first; c && r->m->soil; c = c->next) {
    jmodel_at at = {r, "soil", jmodel_keep(r, c->key), jmodel_format(r, "soils.%s", c->key)};
    jmodel_soil* s = &r->m->soil[r->m->nsoil];
    *s = (jmodel_soil){.name = at.name, .place = c->key_place};
    if (jmodel_name_ok(&at, c) && read_soil(&at, c, s)) r->m->nsoil++;
  }
}
