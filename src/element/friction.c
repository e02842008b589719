// SPDX-License-Identifier: Apache-2.0
// Dry friction that sticks, on a coordinate or along the line between two points. docs/theory/friction.md.
#include "element/friction.h"

#include "element/list.h"
#include "element/span.h"
#include "gen/force/friction.h"

const char* const jelement_friction_signals[] = {"force", "speed", "sticking", "power", NULL};
const char* const jelement_friction_component[] = {"force", NULL};

// ---- what is given -------------------------------------------------------------------------------

static void check_static(const jmodel_at* at, const jmodel_node* map, const char* key,
                         const jmodel_scalar* most, const char* than, const jmodel_scalar* least) {
  double a, b;
  bool is_known = jmodel_literal(at->r->m, most, &a) && jmodel_literal(at->r->m, least, &b);
  if (!is_known || a >= b) return;
  jmodel_mistake(at, jmodel_node_find(map, key)->place,
                 "%s is %g; it must be at least '%s', %g: what sticks bears no less", key, a, than,
                 b);
}

bool jelement_friction_read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e,
                            jelement_friction* f) {
  f->has_force = jmodel_get_scalar(at, map, "force", JMODEL_SCOPE_ANY, &f->force);
  bool has_mu = jmodel_get_scalar(at, map, "coefficient", JMODEL_SCOPE_ANY, &f->coefficient);
  bool has_normal = jmodel_get_scalar(at, map, "normal", JMODEL_SCOPE_ANY, &f->normal);
  f->has_static = jmodel_get_scalar(at, map, "static", JMODEL_SCOPE_ANY, &f->most);
  f->has_static_coefficient =
      jmodel_get_scalar(at, map, "static_coefficient", JMODEL_SCOPE_ANY, &f->static_coefficient);
  if (f->has_force == (has_mu && has_normal) || has_mu != has_normal) {
    jmodel_mistake(at, map->key_place, "give 'force', or 'coefficient' and 'normal'");
    return false;
  }
  if (f->has_static && f->has_static_coefficient) {
    jmodel_mistake(at, map->key_place, "it has both 'static' and 'static_coefficient'; give one");
    return false;
  }
  if (f->has_static_coefficient && f->has_force) {
    jmodel_mistake(at, map->key_place,
                   "'static_coefficient' goes with 'coefficient'; give 'static'");
    return false;
  }
  if (f->has_static && f->has_force) check_static(at, map, "static", &f->most, "force", &f->force);
  if (f->has_static_coefficient) {
    check_static(at, map, "static_coefficient", &f->static_coefficient, "coefficient",
                 &f->coefficient);
  }
  jmodel_state* state = jmodel_own_state(at, e, "slip", "", 1.0, "0");
  if (!state) return false;
  state->is_discrete = state->is_held = true;
  return true;
}

// ---- equations -----------------------------------------------------------------------------------

jexpr_ref jelement_friction_write(jgen* s, const jmodel_element* m, const jelement_friction* f,
                                  jexpr_ref speed, jgen_element* e) {
  jexpr_graph* g = s->g;
  jexpr_ref normal = s->one, slip;
  if (f->has_force) {
    slip = jgen_scalar(s, &f->force, m->name);
  } else {
    // what does not press does not rub
    normal = jexpr_max(g, jgen_scalar(s, &f->normal, m->name), s->zero);
    slip = jexpr_mul(g, jgen_scalar(s, &f->coefficient, m->name), normal);
  }
  jexpr_ref most = slip;
  if (f->has_static) most = jgen_scalar(s, &f->most, m->name);
  if (f->has_static_coefficient) {
    most = jexpr_mul(g, jgen_scalar(s, &f->static_coefficient, m->name), normal);
  }
  jexpr_ref force = jgen_friction_add(s, m, m->first_state, speed, slip, most);
  e->signal[JELEMENT_FRICTION_SPEED] = speed;
  e->signal[JELEMENT_FRICTION_STICKING] = jexpr_eq(g, jgen_own_state(s, m, 0), s->zero);
  e->signal[JELEMENT_FRICTION_POWER] = jexpr_mul(g, force, speed);
  e->rate[0] = s->zero;
  return force;
}

// ---- on a coordinate -----------------------------------------------------------------------------

typedef struct on_coordinate {
  jelement_friction friction;
} on_coordinate;

static const jmodel_key on_keys[] = {{JMODEL_KEY_AS("on", jmodel_form_coordinate)},
                                     JELEMENT_FRICTION_KEYS};
static const jmodel_field on_fields[] = {JELEMENT_FRICTION_FIELDS(on_coordinate)};

static bool read_on(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  e->coordinate = jmodel_coordinate_at(at, jmodel_node_find(map, "on"), "on");
  return e->coordinate >= 0 &&
         jelement_friction_read(at, map, e, &((on_coordinate*)e->data)->friction);
}

static const char* unit_on(const jmodel* m, const jmodel_element* e, int component) {
  (void)component;
  return m->coordinate[e->coordinate].is_angle ? "N m" : "N";
}

static void write_on(jgen* s, const jmodel_element* m, jgen_element* e) {
  const on_coordinate* f = m->data;
  int i = m->coordinate;
  jexpr_ref force = jelement_friction_write(s, m, &f->friction, s->qd[i], e);
  e->signal[JELEMENT_FRICTION_FORCE] = force;
  s->applied[i] = jexpr_add(s->g, s->applied[i], force);
}

const jgen_element_class jelement_friction_on = {
    .model = {.kind = "friction",
              .section = "frictions",
              .key = "on",
              .keys = on_keys,
              .about = "Dry friction that sticks, on a coordinate",
              .size = sizeof(on_coordinate),
              .ncomponent = 1,
              .component = jelement_friction_component,
              .unit = unit_on,
              .read = read_on,
              .mirrors = true,
              JELEMENT_FIELDS(on_fields)},
    .signal = jelement_friction_signals,
    .what = "a velocity or a force",
    .write = write_on};

// ---- along a line --------------------------------------------------------------------------------

typedef struct along_line {
  jelement_ends ends;
  jelement_friction friction;
} along_line;

static const jmodel_key line_keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_body_point, 2, 2)},
                                       JELEMENT_FRICTION_KEYS};
static const jmodel_field line_fields[] = {JELEMENT_FRICTION_FIELDS(along_line)};

static bool read_line(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  along_line* f = e->data;
  return jelement_read_ends(at, jmodel_node_find(map, "between"), "between", &f->ends) &&
         jelement_friction_read(at, map, e, &f->friction);
}

// Tension is positive: a force along the rate of the length pushes.
static void write_line(jgen* s, const jmodel_element* m, jgen_element* e) {
  const along_line* f = m->data;
  if (s->stage < JGEN_AT_VELOCITY) return;
  jelement_span p = jelement_span_of(s, m, &f->ends, e);
  jexpr_ref force = jelement_friction_write(s, m, &f->friction, p.rate, e);
  jexpr_ref pull = jexpr_neg(s->g, force);
  e->signal[JELEMENT_FRICTION_FORCE] = pull;
  jelement_span_pull(s, &p, pull);
}

const jgen_element_class jelement_friction_line = {
    .model = {.kind = "friction",
              .section = "frictions",
              .key = "between",
              .keys = line_keys,
              .about = "Dry friction that sticks, between two points",
              .size = sizeof(along_line),
              JELEMENT_ONE_FORCE(jelement_friction_component),
              .read = read_line,
              .mirrors = true,
              JELEMENT_FIELDS(line_fields),
              .draw = jelement_draw_line,
              .follows = jelement_ends_follow},
    .signal = jelement_friction_signals,
    .what = "a velocity or a force",
    .write = write_line};
