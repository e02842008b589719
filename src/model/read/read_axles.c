// SPDX-License-Identifier: Apache-2.0
// `axles:`: pairs of wheels as suspension kinematics look at them.
#include <string.h>

#include "model/element.h"
#include "model/read/reader.h"

static const jmodel_key side_keys[] = {
    {JMODEL_KEY_TEXT("wheel"), .about = "A tyre or another element that is drawn as a wheel"},
    {JMODEL_KEY_AS("centre", jmodel_form_body_point)},
    {JMODEL_KEY_AS("axis", jmodel_form_direction)},
    {JMODEL_KEY_NUMBER("radius"), .unit = "m"},
    {JMODEL_KEY_LIST("kingpin", jmodel_form_body_point, 2, 2), .about = "The lower point first"},
    {JMODEL_KEY_LIST("springs", jmodel_form_text, 0, 0)},
    {JMODEL_KEY_LIST("dampers", jmodel_form_text, 0, 0)},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key axle_keys[] = {{JMODEL_KEY_MAP("left", side_keys)},
                                       {JMODEL_KEY_MAP("right", side_keys)},
                                       {JMODEL_KEY_AS("rack", jmodel_form_coordinate)},
                                       {JMODEL_KEY_NUMBER("wheelbase"), .unit = "m"},
                                       {JMODEL_KEY_DESCRIPTION},
                                       {0}};
static const jmodel_key axle_form = {.is = JMODEL_A_MAP, .keys = axle_keys};
const jmodel_key jmodel_section_axles = {JMODEL_KEY_SECTION("axles", axle_form),
                                         .about = "Pairs of wheels, for jounce kinematics"};

static int element_named(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nelement; i++) {
    if (strcmp(m->element[i].name, name) == 0) return i;
  }
  return -1;
}

// An element by its name; -1 after a mistake.
static int element_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return -1;
  const char* name = jmodel_full_name(at->r, node->in, node->text);
  int i = element_named(at->r->m, name);
  if (i >= 0) return i;
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int k = 0; k < at->r->m->nelement; k++) {
    jmodel_guess_add(&guess, at->r->m->element[k].name);
  }
  jmodel_mistake(at, node->place, "%s: no force, tyre or other element is named '%s'%s", label,
                 name, jmodel_guess_hint(at->r, &guess));
  return -1;
}

// The centre, axis and radius of what is drawn as a wheel.
static bool take_wheel(const jmodel_at* at, const jmodel_node* node, jmodel_axle_side* s) {
  int i = element_at(at, node, "wheel");
  if (i < 0) return false;
  const jmodel_element* e = &at->r->m->element[i];
  jmodel_shape shape[JMODEL_MAX_SHAPES];
  int n = e->class->draw ? e->class->draw(e, shape) : 0;
  for (int k = 0; k < n; k++) {
    if (shape[k].kind != JMODEL_SHAPE_WHEEL) continue;
    s->centre = *shape[k].a;
    s->axis = *shape[k].axis;
    s->radius = *shape[k].radius;
    s->has_radius = true;
    return true;
  }
  jmodel_mistake(at, node->place, "wheel: %s '%s' is no wheel; give a tyre, or 'centre' and 'axis'",
                 e->class->kind, e->name);
  return false;
}

static void read_elements(const jmodel_at* at, const jmodel_node* map, const char* key, int* n,
                          int** list) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node || !jmodel_is(at, node, JMODEL_NODE_LIST, key)) return;
  int* out = JMODEL_ARRAY(at->r, node->n, int);
  for (const jmodel_node* c = out ? node->first : NULL; c; c = c->next) {
    int e = element_at(at, c, key);
    if (e < 0) continue;
    if (strcmp(at->r->m->element[e].class->section, "forces") == 0) {
      out[(*n)++] = e;
    } else {
      jmodel_mistake(at, c->place, "%s: '%s' is no force with a length", key, c->text);
    }
  }
  *list = out;
}

// [lower, upper], on the body that carries the wheel
static void read_kingpin(const jmodel_at* at, const jmodel_node* map, jmodel_axle_side* s) {
  const jmodel_node* node = jmodel_node_find(map, "kingpin");
  if (!node || !jmodel_is(at, node, JMODEL_NODE_LIST, "kingpin")) return;
  if (node->n != 2) {
    jmodel_mistake(at, node->place, "kingpin needs 2 points, the lower one first, got %d", node->n);
    return;
  }
  const char* path = jmodel_format(at->r, "%s.kingpin", at->path);
  s->has_kingpin = jmodel_body_point_at(at, node->first, "kingpin", path, &s->kingpin[0]) &&
                   jmodel_body_point_at(at, node->last, "kingpin", path, &s->kingpin[1]);
}

static void read_side(const jmodel_at* axle, const jmodel_node* map, const char* key,
                      jmodel_axle_side* s) {
  const jmodel_node* side = jmodel_node_find(map, key);
  if (!side || !jmodel_is(axle, side, JMODEL_NODE_MAP, key)) return;
  jmodel_at at = *axle;
  at.path = jmodel_format(axle->r, "%s.%s", axle->path, key);
  jmodel_check_keys(&at, side, side_keys);
  const jmodel_node *wheel = jmodel_node_find(side, "wheel"),
                    *centre = jmodel_node_find(side, "centre");
  s->place = side->key_place;
  if (wheel && centre) {
    jmodel_mistake(&at, side->key_place, "%s has both 'wheel' and 'centre'; give one", key);
  } else if (wheel) {
    s->is_given = take_wheel(&at, wheel, s);
  } else {
    const jmodel_node* node = jmodel_need(&at, side, "centre");
    const jmodel_node* axis = jmodel_need(&at, side, "axis");
    const char* path = jmodel_format(at.r, "%s.axis", at.path);
    s->is_given = node && axis &&
                  jmodel_body_point_at(&at, node, "centre",
                                       jmodel_format(at.r, "%s.centre", at.path), &s->centre) &&
                  jmodel_vector_at(&at, axis, "axis", path, &s->axis);
    if (s->is_given && s->axis.body < 0) s->axis.body = s->centre.body;
  }
  jmodel_scalar radius;
  if (jmodel_get_scalar(&at, side, "radius", JMODEL_SCOPE_PARAMETERS, &radius)) {
    s->radius = radius;
    s->has_radius = true;
  }
  if (s->is_given && !s->has_radius) {
    jmodel_mistake(&at, side->key_place, "%s: radius is missing", key);
    s->is_given = false;
  }
  read_kingpin(&at, side, s);
  read_elements(&at, side, "springs", &s->nspring, &s->spring);
  read_elements(&at, side, "dampers", &s->ndamper, &s->damper);
}

static void read_axle(jmodel_reader* r, const jmodel_node* c, jmodel_axle* a) {
  jmodel_at at = {r, "axle", jmodel_keep(r, c->key), jmodel_format(r, "axles.%s", c->key)};
  *a = (jmodel_axle){.name = at.name, .place = c->key_place, .rack = -1};
  if (!jmodel_is(&at, c, JMODEL_NODE_MAP, "axle")) return;
  jmodel_check_keys(&at, c, axle_keys);
  read_side(&at, c, "left", &a->side[0]);
  read_side(&at, c, "right", &a->side[1]);
  if (!jmodel_node_find(c, "left") && !jmodel_node_find(c, "right")) {
    jmodel_mistake(&at, c->key_place, "it needs 'left' or 'right', or both");
  }
  const jmodel_node* rack = jmodel_node_find(c, "rack");
  if (rack) a->rack = jmodel_coordinate_at(&at, rack, "rack");
  a->has_wheelbase = jmodel_get_scalar(&at, c, "wheelbase", JMODEL_SCOPE_PARAMETERS, &a->wheelbase);
}

void jmodel_read_axles(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "axles");
  if (!section) return;
  r->m->axle = JMODEL_ARRAY(r, section->n, jmodel_axle);
  for (const jmodel_node* c = r->m->axle ? section->first : NULL; c && !r->oom; c = c->next) {
    jmodel_at at = {r, "axle", jmodel_keep(r, c->key), "axles"};
    if (jmodel_name_ok(&at, c)) read_axle(r, c, &r->m->axle[r->m->naxle++]);
  }
}
