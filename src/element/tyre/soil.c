// SPDX-License-Identifier: Apache-2.0
// A road wheel under a track on soft soil. docs/theory/soil.md eqs. (B1)-(B7), after Bekker's
// pressure-sinkage relation and the shear law of Critchley and Jayakumar (2010). Normal and lateral force
// act on the wheel's body, the longitudinal force of the track on the body that carries the track.
#include "element/data.h"
#include "element/list.h"
#include "element/tyre/contact.h"

typedef jelement_soil_data soil;

static const jmodel_key keys[] = {{JMODEL_KEY_AS("wheel", jmodel_form_body)},
                                  {JMODEL_KEY_AS("track", jmodel_form_body)},
                                  {JMODEL_KEY_AS("centre", jmodel_form_body_point)},
                                  {JMODEL_KEY_AS("lateral", jmodel_form_direction)},
                                  {JMODEL_KEY_NUMBER("radius")},
                                  {JMODEL_KEY_NUMBER("length")},
                                  {JMODEL_KEY_NUMBER("width")},
                                  {JMODEL_KEY_NUMBER("k_c")},
                                  {JMODEL_KEY_NUMBER("k_phi")},
                                  {JMODEL_KEY_NUMBER("exponent")},
                                  {JMODEL_KEY_NUMBER("shear")},
                                  {JMODEL_KEY_NUMBER("friction_long")},
                                  {JMODEL_KEY_NUMBER("friction_lat")},
                                  {JMODEL_KEY_NUMBER("track_speed")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

// all that must be given, and then the rest
static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(soil, "radius", radius, JMODEL_POSITIVE, "m"),
    JMODEL_FIELD_IN(soil, "length", length, JMODEL_POSITIVE, "m"),
    JMODEL_FIELD_IN(soil, "width", width, JMODEL_POSITIVE, "m"),
    JMODEL_FIELD(soil, "k_c", k_c, JMODEL_NOT_NEGATIVE),
    JMODEL_FIELD(soil, "k_phi", k_phi, JMODEL_NOT_NEGATIVE),
    JMODEL_FIELD_IN(soil, "exponent", exponent, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(soil, "shear", shear, JMODEL_NOT_NEGATIVE, "s/m"),
    JMODEL_FIELD_IN(soil, "friction_long", friction_long, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(soil, "friction_lat", friction_lat, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(soil, "track_speed", track_speed, JMODEL_FINITE, "m/s"),
    JMODEL_DIRECTION(soil, "lateral", lateral.v),
};
#define NEEDED 9  // of the fields

enum { FX, FY, FZ, DELTA, KAPPA, ALPHA, POWER };
static const char* const signals[] = {"fx", "fy", "fz", "delta", "kappa", "alpha", "power", NULL};
static const char* const component[] = {"fz"};

// ---- reading -------------------------------------------------------------------------------------

static bool read_points(const jmodel_at* at, const jmodel_node* node, soil* s) {
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
  if (!jmodel_body_axis_at(at, lateral, "lateral", path, &s->lateral)) return false;
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

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  soil* s = e->data;
  for (int i = 0; i < NEEDED; i++) {
    jmodel_scalar* value = (jmodel_scalar*)(void*)((char*)e->data + fields[i].at);
    jmodel_need_scalar(at, map, fields[i].label, JMODEL_SCOPE_ANY, value);
  }
  if (!jmodel_get_scalar(at, map, "track_speed", JMODEL_SCOPE_ANY, &s->track_speed)) {
    s->track_speed = jmodel_default(at->r, s->track_speed.path, 0.0, e->place);
  }
  return read_points(at, map, s);
}

// ---- equations -----------------------------------------------------------------------------------

static jexpr_ref clip(jgen* s, jexpr_ref x, jexpr_ref limit) {
  jexpr_graph* g = s->g;
  return jexpr_max(g, jexpr_min(g, x, limit), jexpr_neg(g, limit));
}

// (B2)  N = length width (k_c / min(length, width) + k_phi) delta^n, zero out of the ground.
// The power is taken of delta^2, which has no branch at zero; a length of 1e-15 m beside it keeps the
// derivative, infinite at zero for n < 1, finite where an event leaves delta at exactly that.
static jexpr_ref normal_force(jgen* s, const soil* b, const char* name, jexpr_ref delta) {
  jexpr_graph* g = s->g;
  jexpr_ref length = jgen_scalar(s, &b->length, name), width = jgen_scalar(s, &b->width, name);
  jexpr_ref shorter = jexpr_min(g, length, width);
  jexpr_ref pressure = jexpr_add(g, jexpr_div(g, jgen_scalar(s, &b->k_c, name), shorter),
                                 jgen_scalar(s, &b->k_phi, name));
  jexpr_ref half = jexpr_mul(g, jexpr_const(g, 0.5), jgen_scalar(s, &b->exponent, name));
  jexpr_ref square = jexpr_add(g, jexpr_mul(g, delta, delta), jexpr_const(g, 1e-30));
  jexpr_ref depth = jexpr_pow(g, square, half);
  jexpr_ref N = jexpr_mul(g, jexpr_mul(g, jexpr_mul(g, length, width), pressure), depth);
  return jexpr_settled(g, jexpr_select(g, jexpr_lt(g, s->zero, delta), N, s->zero));
}

// What wheel and track do at the wheel's centre, in the frame of the body that both move on: the hub, or the ground.
typedef struct place {
  int hub, wheel, track;
  jexpr_v3 centre;            // of the wheel, in the wheel's link
  jexpr_v3 x;                 // the same, from the origin of the hub
  jexpr_v3 v_wheel, v_track;  // velocities there of the wheel's body and of the track's carrier
  jexpr_v3 w_wheel, w_track;  // angular velocities of both
  const jgen_relative *of_wheel, *of_track;
} place;

static place find_place(jgen* s, const soil* b) {
  jexpr_graph* g = s->g;
  place c = {.wheel = s->body[b->body].link, .track = s->body[b->track].link};
  c.hub = jgen_common_base(s, c.wheel, c.track);
  c.of_wheel = jgen_relative_of(s, c.hub, c.wheel, true);
  c.of_track = jgen_relative_of(s, c.hub, c.track, true);
  c.centre = jgen_point_in_link(s, &b->centre);
  jexpr_v3 arm = jexpr_m3_apply(g, &c.of_wheel->R, c.centre);
  c.x = jexpr_v3_add(g, c.of_wheel->o, arm);
  // relative to the hub ...
  jexpr_v3 from_track = jexpr_v3_sub(g, c.x, c.of_track->o);
  c.v_wheel = jexpr_v3_add(g, c.of_wheel->od, jexpr_v3_cross(g, c.of_wheel->w, arm));
  c.v_track = jexpr_v3_add(g, c.of_track->od, jexpr_v3_cross(g, c.of_track->w, from_track));
  c.w_wheel = c.of_wheel->w;
  c.w_track = c.of_track->w;
  if (!c.hub) return c;
  // ... and with it
  jgen_absolute_motion(s, s->dyn, true, c.hub);
  jexpr_v3 w = s->dyn[c.hub].w;
  jexpr_v3 v = jgen_from_ground(s, c.hub, jgen_ground_velocity(s, c.hub, jexpr_v3_zero(g)));
  v = jexpr_v3_add(g, v, jexpr_v3_cross(g, w, c.x));
  c.v_wheel = jexpr_v3_add(g, v, c.v_wheel);
  c.v_track = jexpr_v3_add(g, v, c.v_track);
  c.w_wheel = jexpr_v3_add(g, w, c.w_wheel);
  c.w_track = jexpr_v3_add(g, w, c.w_track);
  return c;
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const soil* b = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref* signal = e->signal;
  place c = find_place(s, b);
  jexpr_v3 p = jgen_ground_position(s, c.wheel, c.centre);
  jgen_road under = jgen_road_under(s, p.e[0], p.e[1]);
  jexpr_ref radius = jgen_scalar(s, &b->radius, m->name);

  // (B1) sinkage by the tangent plane under the centre
  jexpr_ref height = jexpr_mul(g, jexpr_sub(g, p.e[2], under.z), under.n.e[2]);
  signal[DELTA] = jexpr_mark(g, jexpr_sub(g, radius, height), "%s: delta", m->name);
  signal[FZ] = jexpr_mark(g, normal_force(s, b, m->name, signal[DELTA]), "%s: N", m->name);
  signal[FZ] = jgen_component(s, m, 0, signal[FZ]);

  // (B3) directions: t = lateral x n along the track, l = n x t
  jexpr_v3 n = jgen_from_ground(s, c.hub, under.n);
  jexpr_v3 side = jexpr_m3_apply(g, &c.of_track->R, jgen_direction_in_link(s, &b->lateral));
  jexpr_v3 t = jexpr_v3_cross(g, side, n);
  t = jexpr_v3_scale(g, jexpr_div(g, s->one, jexpr_v3_norm(g, t)), t);
  jexpr_v3 l = jexpr_v3_cross(g, n, t);

  // (B4) as (B7): of the points at C = P - height n
  jexpr_ref v_long = jexpr_v3_dot(g, c.v_track, t);
  v_long = jexpr_sub(g, v_long, jexpr_mul(g, height, jexpr_v3_dot(g, c.w_track, l)));
  jexpr_ref v_lat = jexpr_v3_dot(g, c.v_wheel, l);
  v_lat = jexpr_add(g, v_lat, jexpr_mul(g, height, jexpr_v3_dot(g, c.w_wheel, t)));

  // (B5) shear, limited by friction
  jexpr_ref shear = jgen_scalar(s, &b->shear, m->name);
  jexpr_ref slip = jexpr_sub(g, v_long, jgen_scalar(s, &b->track_speed, m->name));
  jexpr_ref most_long = jgen_scalar(s, &b->friction_long, m->name);
  signal[KAPPA] = clip(s, jexpr_mul(g, shear, slip), most_long);
  jexpr_ref most_lat = jgen_scalar(s, &b->friction_lat, m->name);
  signal[ALPHA] = clip(s, jexpr_mul(g, shear, v_lat), most_lat);
  signal[FX] = jexpr_neg(g, jexpr_mul(g, signal[FZ], signal[KAPPA]));
  signal[FY] = jexpr_neg(g, jexpr_mul(g, signal[FZ], signal[ALPHA]));

  // (B6), (B7) normal and lateral force on the wheel, longitudinal force on the carrier of the track
  jexpr_v3 F = jexpr_v3_add(g, jexpr_v3_scale(g, signal[FZ], n), jexpr_v3_scale(g, signal[FY], l));
  jexpr_v3 moment = jexpr_v3_scale(g, jexpr_mul(g, height, signal[FY]), t);
  jgen_apply(s, c.wheel, c.centre, jexpr_m3_tapply(g, &c.of_wheel->R, F));
  jgen_turn(s, c.wheel, jexpr_m3_tapply(g, &c.of_wheel->R, moment));
  jexpr_v3 drive = jexpr_v3_scale(g, signal[FX], t);
  jexpr_v3 at = jexpr_v3_sub(g, c.x, jexpr_v3_scale(g, height, n));
  at = jexpr_m3_tapply(g, &c.of_track->R, jexpr_v3_sub(g, at, c.of_track->o));
  jgen_apply(s, c.track, at, jexpr_m3_tapply(g, &c.of_track->R, drive));
  jexpr_ref power = jexpr_mul(g, signal[FZ], jexpr_v3_dot(g, n, c.v_wheel));
  power = jexpr_add(g, power, jexpr_mul(g, signal[FY], v_lat));
  signal[POWER] = jexpr_add(g, power, jexpr_mul(g, signal[FX], v_long));
}

static int draw(const jmodel_element* m, jmodel_shape* out) {
  const soil* b = m->data;
  out[0] = (jmodel_shape){JMODEL_SHAPE_WHEEL, &b->centre, NULL, b->body, &b->lateral, &b->radius};
  return 1;
}

const jgen_element_class jelement_soil = {.model = {.kind = "soil",
                                                    .section = "soils",
                                                    .keys = keys,
                                                    .about = "Wheels under a track on soft soil",
                                                    .size = sizeof(soil),
                                                    JELEMENT_ONE_FORCE(component),
                                                    .read = read,
                                                    .mirrors = true,
                                                    JELEMENT_FIELDS(fields),
                                                    .draw = draw},
                                          .signal = signals,
                                          .what = "a force",
                                          .write = write};
