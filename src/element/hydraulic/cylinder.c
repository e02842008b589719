// SPDX-License-Identifier: Apache-2.0
// A cylinder with piston and rod between two points of two bodies. It moves the walls of the volumes on both sides
// of its piston, and their pressures pull or push its ends. docs/theory/hydraulics.md eqs. (P15)-(P17).
#include "element/hydraulic/port.h"
#include "element/span.h"

typedef struct cylinder {
  jelement_ends ends;
  jmodel_scalar rod, bore;    // adjacent: diameters [m]
  int rod_side, piston_side;  // ports; -1: open to the ambient
  bool has_length, has_friction;
  jmodel_scalar length;                 // where the volumes are what they say [m]
  jmodel_scalar force, speed, damping;  // of the seal
} cylinder;

static const jmodel_key friction_keys[] = {{JMODEL_KEY_NUMBER("force")},
                                           {JMODEL_KEY_NUMBER("speed")},
                                           {JMODEL_KEY_NUMBER("damping")},
                                           {0}};

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_body_point, 2, 2)},
                                  {JMODEL_KEY_NUMBER("bore")},
                                  {JMODEL_KEY_NUMBER("rod")},
                                  {JMODEL_KEY_TEXT("rod_side")},
                                  {JMODEL_KEY_TEXT("piston_side")},
                                  {JMODEL_KEY_NUMBER("design_length")},
                                  {JMODEL_KEY_MAP("friction", friction_keys)},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(cylinder, "rod", rod, JMODEL_NOT_NEGATIVE, "m"),
    JMODEL_FIELD_IN(cylinder, "bore", bore, JMODEL_POSITIVE, "m"),
    JMODEL_LESS(cylinder, "rod and bore", rod),
    JMODEL_GIVEN_IN(cylinder, "design_length", length, JMODEL_POSITIVE, has_length, "m"),
    JMODEL_GIVEN_IN(cylinder, "friction: force", force, JMODEL_NOT_NEGATIVE, has_friction, "N"),
    JMODEL_GIVEN_IN(cylinder, "friction: speed", speed, JMODEL_POSITIVE, has_friction, "m/s"),
    JMODEL_GIVEN_IN(cylinder, "friction: damping", damping, JMODEL_NOT_NEGATIVE, has_friction,
                    "N s/m"),
};

enum { LENGTH, STROKE, RATE, FORCE, FRICTION, LOSS, POWER };
static const char* const signals[] = {"length",   "stroke", "rate",  "force",
                                      "friction", "loss",   "power", NULL};
static const char* const component[] = {"force"};

// ---- reading -------------------------------------------------------------------------------------

// {force: 50, speed: 0.01, damping: 20}
static void read_friction(const jmodel_at* at, const jmodel_node* map, cylinder* c) {
  const jmodel_node* node = jmodel_node_find(map, "friction");
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, "friction")) return;
  jmodel_at inner = *at;
  inner.path = jmodel_format(at->r, "%s.friction", at->path);
  jmodel_check_keys(at, node, friction_keys);
  jelement_scalar_or(&inner, node, "force", 0.0, node->key_place, &c->force);
  jelement_scalar_or(&inner, node, "speed", 0.01, node->key_place, &c->speed);
  jelement_scalar_or(&inner, node, "damping", 0.0, node->key_place, &c->damping);
  c->has_friction = true;
}

static bool read_side(const jmodel_at* at, const jmodel_node* map, const char* key, int* port) {
  const jmodel_node* node = jmodel_node_find(map, key);
  *port = node ? jelement_port_at(at, node, key) : -1;
  if (*port >= 0 && jelement_is_junction(&at->r->m->element[*port])) {
    jmodel_mistake(at, node->place,
                   "%s: '%s' is a junction, which has no volume; a cylinder moves that of one of "
                   "'volumes:' or 'accumulators:'",
                   key, at->r->m->element[*port].name);
    return false;
  }
  return !node || *port >= 0;
}

static bool read_sides(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                       cylinder* c) {
  bool has_rod = read_side(at, map, "rod_side", &c->rod_side);
  if (!read_side(at, map, "piston_side", &c->piston_side) || !has_rod) return false;
  if (c->rod_side < 0 && c->piston_side < 0) {
    jmodel_mistake(at, place, "it holds no oil; give 'rod_side', 'piston_side' or both");
    return false;
  }
  if (c->rod_side == c->piston_side) {
    jmodel_mistake(at, place, "rod_side and piston_side are the same volume");
    return false;
  }
  return true;
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  cylinder* c = e->data;
  const jmodel_node* ends = jmodel_need(at, map, "between");
  jmodel_need_scalar(at, map, "bore", JMODEL_SCOPE_ANY, &c->bore);
  jelement_scalar_or(at, map, "rod", 0.0, e->place, &c->rod);
  c->has_length = jmodel_get_scalar(at, map, "design_length", JMODEL_SCOPE_ANY, &c->length);
  read_friction(at, map, c);
  bool is_good = read_sides(at, map, e->place, c);
  return ends && jelement_read_ends(at, ends, "between", &c->ends) && is_good;
}

// ---- equations -----------------------------------------------------------------------------------

// (P15)  x = length - that of the design position, or as given
static jexpr_ref design_length(jgen* s, const jmodel_element* m) {
  const cylinder* c = m->data;
  if (c->has_length) return jgen_scalar(s, &c->length, m->name);
  const jmodel_point* end[2] = {&c->ends.a, &c->ends.b};
  jexpr_v3 r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = jgen_vector(s, &end[i]->r, end[i]->name);
    bool is_known = end[i]->in_vehicle || end[i]->body == 0 || !s->m->body[end[i]->body].has_frame;
    if (is_known || s->g->status < 0) continue;
    s->g->status =
        jerr_set(s->ctx, JO_ERR_MODEL,
                 "%s:%d: cylinder '%s': design_length is needed; point '%s' is not given "
                 "at the design position",
                 m->place.file, m->place.line, m->name, end[i]->name);
  }
  return jexpr_v3_norm(s->g, jexpr_v3_sub(s->g, r[1], r[0]));
}

static jexpr_ref disc(jgen* s, jexpr_ref d) {
  return jexpr_mul(s->g, jexpr_const(s->g, 0.78539816339744831), jexpr_mul(s->g, d, d));
}

// (P16)  Ff = Fc tanh(v/vs) + cv v
static jexpr_ref friction(jgen* s, const jmodel_element* m, jexpr_ref v) {
  const cylinder* c = m->data;
  jexpr_graph* g = s->g;
  if (!c->has_friction) return s->zero;
  jexpr_ref step = jexpr_tanh(g, jexpr_div(g, v, jgen_scalar(s, &c->speed, m->name)));
  jexpr_ref dry = jexpr_mul(g, jgen_scalar(s, &c->force, m->name), step);
  return jexpr_add(g, dry, jexpr_mul(g, jgen_scalar(s, &c->damping, m->name), v));
}

// A side moves the wall of its volume by A x; what it exerts is p A. Open sides have the ambient pressure.
static jexpr_ref side(jgen* s, const jmodel_element* m, int port, jexpr_ref pa, jexpr_ref A,
                      jexpr_ref x, jexpr_ref v) {
  jexpr_graph* g = s->g;
  if (port < 0) return jexpr_mul(g, pa, A);
  jgen_feed(s, port, JELEMENT_VOLUME, jexpr_mul(g, A, x));
  jgen_feed(s, port, JELEMENT_VOLUME_RATE, jexpr_mul(g, A, v));
  return jexpr_mul(g, jelement_pressure_at(s, m, port), A);
}

// (P17)  V1 = V10 - A1 x    V2 = V20 + A2 x    F = p1 A1 - p2 A2 + pa Ar + Ff
static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const cylinder* c = m->data;
  jexpr_graph* g = s->g;
  jelement_span p = jelement_span_of(s, m, &c->ends, e);
  e->signal[LENGTH] = p.length;
  jexpr_ref x = e->signal[STROKE] = jexpr_sub(g, p.length, design_length(s, m));
  if (s->stage < JGEN_AT_VELOCITY) return;
  jexpr_ref pa = jelement_oil_at(s, c->rod_side >= 0 ? c->rod_side : c->piston_side).pa;
  jexpr_ref Ar = disc(s, jgen_scalar(s, &c->rod, m->name));
  jexpr_ref A2 = disc(s, jgen_scalar(s, &c->bore, m->name)), A1 = jexpr_sub(g, Ar, A2);
  jexpr_ref F = jexpr_add(g, side(s, m, c->rod_side, pa, A1, x, p.rate),
                          side(s, m, c->piston_side, pa, A2, x, p.rate));
  jexpr_ref Ff = e->signal[FRICTION] = friction(s, m, p.rate);
  F = jexpr_add(g, jexpr_sub(g, jexpr_mul(g, pa, Ar), F), Ff);
  F = e->signal[FORCE] = jgen_component(s, m, 0, jexpr_mark(g, F, "%s: force", m->name));
  e->signal[RATE] = p.rate;
  e->signal[LOSS] = jexpr_mul(g, Ff, p.rate);
  e->signal[POWER] = jexpr_neg(g, jexpr_mul(g, F, p.rate));
  jelement_span_pull(s, &p, F);
}

const jgen_element_class jelement_cylinder = {
    .model = {.kind = "cylinder",
              .section = "cylinders",
              .keys = keys,
              .about = "Cylinders with piston and rod between two points",
              .size = sizeof(cylinder),
              JELEMENT_ONE_FORCE(component),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields),
              .draw = jelement_draw_line,
              .follows = jelement_ends_follow},
    .signal = signals,
    .nposition = 2,
    .what = "a velocity or a force",
    .write = write};
