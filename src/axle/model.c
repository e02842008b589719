// SPDX-License-Identifier: Apache-2.0
// Conditions, points and sensors that make a model show its axle. docs/theory/kinematics.md.
#include "axle/model.h"

#include <string.h>

#include "axle/rig.h"
#include "model/element.h"

#define DEGREES "180/pi"

// ---- what moves ----------------------------------------------------------------------------------

static void add_numbers(jaxle_model* b) {
  jmodel* c = &b->copy;
  int n = b->on_rig ? JAXLE_MOVED_COUNT : JAXLE_MOVED_LIFT;
  if (!jaxle_grow(b, &c->number, c->nnumber, n, sizeof *c->number)) return;
  for (int i = 0; i < n; i++) {
    b->moved[i] = c->nnumber;
    c->number[c->nnumber++] = (jmodel_number){
        .path = jaxle_moved_path[i], .place = {b->m->path, 0}, .is_parameter = true};
  }
}

static void add_condition(jaxle_model* b, const char* quantity, const char* value,
                          const char* rate) {
  jmodel* c = &b->copy;
  c->initial[c->ninitial++] = (jmodel_initial){.quantity = jaxle_expression(b, quantity),
                                               .has_value = true,
                                               .has_rate = true,
                                               .value = jaxle_expression(b, value),
                                               .rate = jaxle_expression(b, rate)};
}

// The vehicle stays where it was drawn.
static void hold_vehicle(jaxle_model* b) {
  const jmodel* m = b->m;
  jaxle_level(b);
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    for (int k = 0; k < j->ncoordinate && jaxle_is_carried(b, j); k++) {
      const jmodel_coordinate* q = &m->coordinate[j->first_coordinate + k];
      if (!q->is_driven) add_condition(b, q->name, jaxle_design(b, j, k), "0");
    }
  }
}

static void move_rack(jaxle_model* b) {
  jmodel* c = &b->copy;
  int rack = b->axle->rack;
  if (rack < 0) return;
  if (!c->coordinate[rack].is_driven) {
    add_condition(b, c->coordinate[rack].name, jaxle_moved_path[JAXLE_MOVED_RACK], "0");
    return;
  }
  if (!jaxle_grow(b, &c->coordinate, c->ncoordinate, 0, sizeof *c->coordinate)) return;
  c->coordinate[rack].driven = jaxle_expression(b, jaxle_moved_path[JAXLE_MOVED_RACK]);
}

static bool is_given(const jaxle_model* b, int side) {
  return b->axle->side[side].is_given;
}

static const char* body_of(const jaxle_model* b, const jmodel_point* p) {
  return b->m->body[p->body].name;
}

static void lift_wheel(jaxle_model* b, int side) {
  const jmodel_point* p = &b->axle->side[side].centre;
  const char* z = jaxle_join(b, "%s.kinematics_%s_c.z", body_of(b, p), jaxle_side_name[side]);
  const char* height = jaxle_join(b, "%s + %s", jaxle_text(b, &p->r.e[2]), jaxle_moved_path[side]);
  jaxle_motion motion = b->motion;
  const char* rate = motion == JAXLE_MOTION_STEER                         ? "0"
                     : motion == JAXLE_MOTION_ROLL && side == JAXLE_RIGHT ? "-kinematics.rate"
                                                                          : "kinematics.rate";
  add_condition(b, z, height, rate);
}

// ---- points --------------------------------------------------------------------------------------

// Body coordinates are those of the vehicle, so that heights at the design position are known as expressions.
static jo_status check_frame(const jaxle_model* b, const jmodel_point* p, jmodel_place place) {
  if (p->in_vehicle || p->body == 0 || !b->m->body[p->body].has_frame) return JO_OK;
  return jerr_set(
      b->ctx, JO_ERR_MODEL,
      "%s:%d: axle '%s': point '%s' is given in axes of body '%s'; hint: kinematics need "
      "vehicle coordinates, as hardpoints have them",
      place.file, place.line, b->axle->name, p->name, b->m->body[p->body].name);
}

static void add_point(jaxle_model* b, const jmodel_point* p, const char* name, const jmodel_v3* r) {
  jmodel* c = &b->copy;
  jmodel_named_v3 point = {name, *r, {b->m->path, 0}};
  if (p->in_vehicle) {
    c->hardpoint[c->nhardpoint++] = point;
  } else {
    jmodel_body* body = &c->body[p->body];
    body->point[body->npoint++] = point;
  }
}

// Centre and a point one unit along the axis.
static jo_status add_points(jaxle_model* b, int side) {
  const jmodel_axle_side* s = &b->axle->side[side];
  jmodel_v3 tip;
  JO_TRY(check_frame(b, &s->centre, s->place));
  for (int i = 0; i < 3; i++) {
    const char* centre = jaxle_text(b, &s->centre.r.e[i]);
    tip.e[i] =
        jaxle_expression(b, jaxle_join(b, "%s + %s", centre, jaxle_text(b, &s->axis.v.e[i])));
  }
  add_point(b, &s->centre, jaxle_join(b, "kinematics_%s_%s", jaxle_side_name[side], "c"),
            &s->centre.r);
  add_point(b, &s->centre, jaxle_join(b, "kinematics_%s_%s", jaxle_side_name[side], "a"), &tip);
  for (int i = 0; s->has_kingpin && i < 2; i++) {
    JO_TRY(check_frame(b, &s->kingpin[i], s->place));
    const char* name =
        jaxle_join(b, "kinematics_%s_%s", jaxle_side_name[side], i == 0 ? "k0" : "k1");
    add_point(b, &s->kingpin[i], name, &s->kingpin[i].r);
  }
  return JO_OK;
}

static jo_status name_points(jaxle_model* b) {
  jmodel* c = &b->copy;
  enum { MOST = 8 };
  if (!jaxle_grow(b, &c->body, c->nbody, 0, sizeof *c->body)) return jerr_memory(b->ctx);
  jaxle_grow(b, &c->hardpoint, c->nhardpoint, MOST, sizeof *c->hardpoint);
  for (int i = 0; i < c->nbody; i++) {
    jaxle_grow(b, &c->body[i].point, c->body[i].npoint, MOST, sizeof *c->body[i].point);
  }
  if (b->failed) return jerr_memory(b->ctx);
  for (int side = 0; side < 2; side++) {
    if (is_given(b, side)) JO_TRY(add_points(b, side));
  }
  return JO_OK;
}

// ---- curves --------------------------------------------------------------------------------------

static void add_signal(jaxle_model* b, const char* name, const char* text, const char* unit,
                       const char* description, bool is_output) {
  jmodel* c = &b->copy;
  jmodel_signal s = {name, jaxle_expression(b, text), unit, description, is_output};
  c->signal[c->nsignal++] = s;
}

static void add_curve(jaxle_model* b, const char* name, const char* unit, bool is_change,
                      const char* text, const char* description) {
  b->curve[b->ncurve].name = name;
  b->curve[b->ncurve].unit = unit;
  b->curve[b->ncurve].description = description;
  b->curve[b->ncurve].output = b->noutput++;
  b->curve[b->ncurve++].is_change = is_change;
  add_signal(b, jaxle_join(b, "kinematics_curve_%s%s", name, ""), text, unit, description, true);
}

// What is made of others on a rig.
static void add_derived(jaxle_model* b, const char* name, const char* unit, jaxle_curve_kind kind,
                        int output, const char* description) {
  b->curve[b->ncurve++] = (jaxle_curve_plan){
      .name = name, .unit = unit, .description = description, .kind = kind, .output = output};
}

// Positions and velocities of a wheel as signals k<side>_...: centre c, unit axis a, contact p. With h = sqrt(1 - az^2)
//   (K1)  p = c + r (az a - e_z) / h
static void describe_wheel(jaxle_model* b, int side) {
  const jmodel_axle_side* s = &b->axle->side[side];
  const char *body = body_of(b, &s->centre), *w = jaxle_side_name[side];
  static const char* const axis[] = {"x", "y", "z"};
  const char* length = jaxle_join(b, "k%s_length%s", w, "");
  const char *c = jaxle_join(b, "%s.kinematics_%s_c", body, w),
             *a = jaxle_join(b, "%s.kinematics_%s_a", body, w);
  char* square =
      jarena_printf(b->a, "sqrt((%s.x-%s.x)^2+(%s.y-%s.y)^2+(%s.z-%s.z)^2)", a, c, a, c, a, c);
  if (!square) b->failed = true;
  add_signal(b, length, square ? square : "1", "m", "", false);
  for (int i = 0; i < 3; i++) {
    char* turn = jarena_printf(b->a, "(%s.%s-%s.%s)/%s", a, axis[i], c, axis[i], length);
    char* rate = jarena_printf(b->a, "(%s.v%s-%s.v%s)/%s", a, axis[i], c, axis[i], length);
    if (!turn || !rate) b->failed = true;
    add_signal(b, jaxle_join(b, "k%s_a%s", w, axis[i]), turn ? turn : "0", "", "", false);
    add_signal(b, jaxle_join(b, "k%s_va%s", w, axis[i]), rate ? rate : "0", "", "", false);
  }
  const char* r = jaxle_text(b, &s->radius);
  char* h = jarena_printf(b->a, "sqrt(1-k%s_az^2)", w);
  add_signal(b, jaxle_join(b, "k%s_h%s", w, ""), h ? h : "1", "", "", false);
  for (int i = 0; i < 2; i++) {
    char* at =
        jarena_printf(b->a, "%s.%s+%s*k%s_az*k%s_a%s/k%s_h", c, axis[i], r, w, w, axis[i], w);
    char* rate = jarena_printf(
        b->a,
        "%s.v%s+%s*((k%s_vaz*k%s_a%s+k%s_az*k%s_va%s)/k%s_h+k%s_az^2*k%s_a%s*k%s_vaz/k%s_h^3)", c,
        axis[i], r, w, w, axis[i], w, w, axis[i], w, w, w, axis[i], w, w);
    if (!at || !rate) b->failed = true;
    add_signal(b, jaxle_join(b, "k%s_p%s", w, axis[i]), at ? at : "0", "m", "", false);
    add_signal(b, jaxle_join(b, "k%s_vp%s", w, axis[i]), rate ? rate : "0", "m/s", "", false);
  }
  char* pz = jarena_printf(b->a, "%s.z-%s*k%s_h", c, r, w);
  char* vpz = jarena_printf(b->a, "%s.vz+%s*k%s_az*k%s_vaz/k%s_h", c, r, w, w, w);
  if (!h || !pz || !vpz) b->failed = true;
  add_signal(b, jaxle_join(b, "k%s_pz%s", w, ""), pz ? pz : "0", "m", "", false);
  add_signal(b, jaxle_join(b, "k%s_vpz%s", w, ""), vpz ? vpz : "0", "m/s", "", false);
}

// Angles do not depend on where the axis points to; s: +1 left, -1 right.
//   (K2)  toe = s atan(ax / ay)    camber = -atan(s az / ay / sqrt(1 + (ax / ay)^2))
static void add_wheel_curves(jaxle_model* b, int side) {
  const char *w = jaxle_side_name[side], *s = side == JAXLE_LEFT ? "" : "-";
  const char* c = jaxle_join(b, "%s.kinematics_%s_c", body_of(b, &b->axle->side[side].centre), w);
  const char* toe = jarena_printf(b->a, "%satan(k%s_ax/k%s_ay)*" DEGREES, s, w, w);
  const char* steer = jarena_printf(b->a, "-atan(k%s_ax/k%s_ay)*" DEGREES, w, w);
  const char* camber = jarena_printf(
      b->a, "-atan(%sk%s_az/k%s_ay/sqrt(1+(k%s_ax/k%s_ay)^2))*" DEGREES, s, w, w, w, w);
  if (!toe || !camber || !steer) b->failed = true;
  if (b->failed) return;
  add_curve(b, "toe", "deg", false, toe, "positive: in");
  add_curve(b, "camber", "deg", false, camber, "positive: top out");
  add_curve(b, "steer", "deg", false, steer, "positive: to the left");
  add_curve(b, "wheel_x", "m", true, jaxle_join(b, "%s.x%s", c, ""), "wheel centre, forward");
  add_curve(b, "wheel_y", "m", true, jaxle_join(b, "%s.y%s", c, ""), "wheel centre, to the left");
  if (jaxle_is_load(b->motion)) {
    add_curve(b, "wheel_z", "m", true, jaxle_join(b, "%s.z%s", c, ""), "wheel centre, up");
  }
  add_curve(b, "contact_x", "m", true, jaxle_join(b, "k%s_px%s", w, ""), "contact point, forward");
  add_curve(b, "contact_y", "m", true, jaxle_join(b, "k%s_py%s", w, ""),
            "contact point, to the left");
}

//   (K3)  ratio = ds/dz
static void add_element_curves(jaxle_model* b, int side) {
  const jmodel_axle_side* s = &b->axle->side[side];
  bool moves = b->motion < JAXLE_MOTION_STEER;
  for (int i = 0; i < s->nspring + s->ndamper && b->ncurve < JAXLE_MAX_CURVES - 12; i++) {
    const char* name =
        b->m->element[i < s->nspring ? s->spring[i] : s->damper[i - s->nspring]].name;
    add_curve(b, jaxle_join(b, "%s_length%s", name, ""), "m", false,
              jaxle_join(b, "%s.length%s", name, ""), "length");
    if (!moves) continue;
    if (b->on_rig) {
      add_derived(b, jaxle_join(b, "%s_ratio%s", name, ""), "m/m", JAXLE_CURVE_SLOPE,
                  b->noutput - 1, "change of length by travel");
      continue;
    }
    const char* rate =
        b->motion == JAXLE_MOTION_ROLL && side == JAXLE_RIGHT ? "-%s.rate%s" : "%s.rate%s";
    add_curve(b, jaxle_join(b, "%s_ratio%s", name, ""), "m/m", false, jaxle_join(b, rate, name, ""),
              "change of length by travel");
  }
}

//   (K4)  caster, inclination, and where the axis meets the ground, against the contact
static void add_kingpin_curves(jaxle_model* b, int side) {
  const jmodel_axle_side* s = &b->axle->side[side];
  if (!s->has_kingpin) return;
  const char *w = jaxle_side_name[side], *sign = side == JAXLE_LEFT ? "-" : "";
  const char* k0 = jaxle_join(b, "%s.kinematics_%s_k0", body_of(b, &s->kingpin[0]), w);
  const char* k1 = jaxle_join(b, "%s.kinematics_%s_k1", body_of(b, &s->kingpin[1]), w);
  const char* ground = jarena_printf(b->a, "(k%s_pz-%s.z)/(%s.z-%s.z)", w, k0, k1, k0);
  const char* caster =
      jarena_printf(b->a, "-atan((%s.x-%s.x)/(%s.z-%s.z))*" DEGREES, k1, k0, k1, k0);
  const char* inclination =
      jarena_printf(b->a, "%satan((%s.y-%s.y)/(%s.z-%s.z))*" DEGREES, sign, k1, k0, k1, k0);
  if (!ground || !caster || !inclination) b->failed = true;
  if (b->failed) return;
  add_signal(b, jaxle_join(b, "k%s_ground%s", w, ""), ground, "", "", false);
  const char* trail = jarena_printf(b->a, "%s.x+k%s_ground*(%s.x-%s.x)-k%s_px", k0, w, k1, k0, w);
  const char* scrub = jarena_printf(b->a, "%s(%s.y+k%s_ground*(%s.y-%s.y)-k%s_py)",
                                    side == JAXLE_LEFT ? "-" : "", k0, w, k1, k0, w);
  if (!trail || !scrub) b->failed = true;
  if (b->failed) return;
  add_curve(b, "caster", "deg", false, caster, "steering axis, positive: top to the rear");
  add_curve(b, "kingpin_inclination", "deg", false, inclination, "positive: top in");
  add_curve(b, "scrub_radius", "m", false, scrub, "positive: the axis meets the ground inside");
  add_curve(b, "caster_trail", "m", false, trail, "positive: the axis meets the ground ahead");
}

// Contacts move about the roll centre: of each side at the middle plane, and the mean of both.
//   (K5)  height = y dy/dz       of the contact
static void add_axle_curves(jaxle_model* b) {
  bool both = is_given(b, JAXLE_LEFT) && is_given(b, JAXLE_RIGHT);
  const char* w = jaxle_side_name[b->side];
  if (both) add_curve(b, "track_change", "m", true, "kl_py-kr_py", "distance of the contacts");
  if (b->motion >= JAXLE_MOTION_STEER) return;
  if (b->on_rig) {
    add_derived(b, "roll_centre_height", "m", JAXLE_CURVE_ROLL_CENTRE, -1, "above the ground");
    return;
  }
  const char* one = jarena_printf(b->a, "k%s_py*k%s_vpy/k%s_vpz", w, w, w);
  if (!one) b->failed = true;
  const char* mean = "(kl_py*kl_vpy/kl_vpz+kr_py*kr_vpy/kr_vpz)/2";
  add_curve(b, "roll_centre_height", "m", false, both ? mean : one ? one : "0", "above the ground");
}

// Where both wheels roll about one point on the line of the rear axle, the cotangents of their angles differ by
// track over wheelbase; this is how far the left one is off, given the right one.
static void add_ackermann(jaxle_model* b) {
  bool both = is_given(b, JAXLE_LEFT) && is_given(b, JAXLE_RIGHT);
  if (!both || b->motion != JAXLE_MOTION_STEER) return;
  add_curve(b, "steer_difference", "deg", false, "(atan(kr_ax/kr_ay)-atan(kl_ax/kl_ay))*" DEGREES,
            "left less right");
  if (!b->axle->has_wheelbase) return;
  const char* base = jaxle_text(b, &b->axle->wheelbase);
  // tan(left) without slip = tan(right) / (1 - tan(right) track / wheelbase)
  const char* ideal = jarena_printf(
      b->a, "(-atan(kl_ax/kl_ay)+atan(kr_ax/kr_ay/(1+kr_ax/kr_ay*(kl_py-kr_py)/%s)))*" DEGREES,
      base);
  if (!ideal) b->failed = true;
  add_curve(b, "ackermann_error", "deg", false, ideal ? ideal : "0",
            "of the left wheel, against rolling without slip");
}

// Springs give back what lifts the wheel. (K6)  N dz/dt = -sum of their powers
static void add_wheel_force(jaxle_model* b, int side) {
  const jmodel_axle_side* s = &b->axle->side[side];
  bool sinks = b->motion == JAXLE_MOTION_ROLL && side == JAXLE_RIGHT;
  if (b->on_rig && b->motion < JAXLE_MOTION_STEER) {
    b->force = b->ncurve;
    add_derived(b, "wheel_force", "N", JAXLE_CURVE_FORCE, -1,
                "upward on the wheel to hold it, against springs, bushes and all else");
    add_derived(b, "wheel_rate", "N/m", JAXLE_CURVE_RATE, -1,
                "slope of the wheel force over travel");
  }
  if (b->on_rig || s->nspring == 0 || b->motion == JAXLE_MOTION_STEER) return;
  const char* sum = "";
  for (int i = 0; i < s->nspring; i++) {
    sum = jaxle_join(b, *sum ? "%s+%s.power" : "%s%s.power", sum, b->m->element[s->spring[i]].name);
  }
  b->force = b->ncurve;
  b->curve[b->ncurve].is_odd = true;
  add_curve(b, "wheel_force", "N", false, jaxle_join(b, sinks ? "(%s)%s" : "-(%s)%s", sum, ""),
            "of the springs, upward on the wheel to hold it");
}

// What is not shown: how far wheels are from where they are told to be, and where contacts are.
static void add_hidden(jaxle_model* b, int side) {
  const jmodel_point* p = &b->axle->side[side].centre;
  const char* w = jaxle_side_name[side];
  const char* height = jarena_printf(b->a, "%s.kinematics_%s_c.z - (%s) - %s", body_of(b, p), w,
                                     jaxle_text(b, &p->r.e[2]), jaxle_moved_path[side]);
  if (!height) b->failed = true;
  b->height[side] = b->noutput++;
  b->contact[side] = b->noutput;
  b->noutput += 2;
  add_signal(b, jaxle_join(b, "kinematics_height_%s%s", w, ""), height ? height : "0", "m", "",
             true);
  add_signal(b, jaxle_join(b, "kinematics_contact_y_%s%s", w, ""), jaxle_join(b, "k%s_py%s", w, ""),
             "m", "", true);
  add_signal(b, jaxle_join(b, "kinematics_contact_z_%s%s", w, ""), jaxle_join(b, "k%s_pz%s", w, ""),
             "m", "", true);
}

static jo_status add_signals(jaxle_model* b) {
  jmodel* c = &b->copy;
  enum { MOST = 64 + JAXLE_MAX_CURVES };
  if (!jaxle_grow(b, &c->signal, c->nsignal, MOST, sizeof *c->signal)) return jerr_memory(b->ctx);
  for (int i = 0; i < c->nsignal; i++) {
    c->signal[i].is_output = false;
  }
  for (int side = 0; side < 2; side++) {
    if (is_given(b, side)) describe_wheel(b, side);
  }
  add_wheel_curves(b, b->side);
  add_kingpin_curves(b, b->side);
  add_axle_curves(b);
  add_ackermann(b);
  add_element_curves(b, b->side);
  add_wheel_force(b, b->side);
  for (int side = 0; side < 2; side++) {
    if (b->on_rig && is_given(b, side)) add_hidden(b, side);
  }
  if (b->failed || !jmodel_index_signals(c, b->a)) return jerr_memory(b->ctx);
  return JO_OK;
}

// ---- the copy ------------------------------------------------------------------------------------

static jo_status make_copy(jaxle_model* b) {
  jmodel* c = &b->copy;
  *c = *b->m;
  add_numbers(b);
  c->ninitial = c->nobjective = c->nintegrated = c->nevent = 0;
  c->simulation.start_static = false;
  c->initial = JARENA_ARRAY(b->a, 6 * c->njoint + 3, jmodel_initial);
  if (!c->initial || b->failed) return jerr_memory(b->ctx);
  if (b->on_rig) {
    jaxle_on_rig(b);
  } else {
    hold_vehicle(b);
    move_rack(b);
  }
  for (int side = 0; side < 2; side++) {
    if (is_given(b, side) && !b->on_rig) lift_wheel(b, side);
  }
  if (b->failed) return jerr_memory(b->ctx);
  JO_TRY(name_points(b));
  return add_signals(b);
}

static jo_status find_axle(jaxle_model* b, const char* name) {
  const jmodel* m = b->m;
  if (m->naxle == 0) {
    return jerr_set(b->ctx, JO_ERR_MODEL,
                    "%s: the model has no axles; hint: name wheels under 'axles:', docs/format.md",
                    m->path);
  }
  for (int i = 0; i < m->naxle; i++) {
    if (name ? strcmp(m->axle[i].name, name) == 0 : m->naxle == 1) b->axle = &m->axle[i];
  }
  if (!b->axle && !name) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "%s: the model has %d axles: say which one", m->path,
                    m->naxle);
  }
  if (!b->axle) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "%s: no axle is named '%.60s'; there %s '%s'%s",
                    m->path, name, m->naxle == 1 ? "is" : "are", m->axle[0].name,
                    m->naxle > 1 ? " and others" : "");
  }
  if (!b->axle->side[b->side].is_given) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "%s:%d: axle '%s' has no %s wheel",
                    b->axle->place.file, b->axle->place.line, b->axle->name,
                    b->side == JAXLE_LEFT ? "left" : "right");
  }
  if (b->motion == JAXLE_MOTION_STEER && b->axle->rack < 0) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "%s:%d: axle '%s' does not steer: it names no 'rack'",
                    b->axle->place.file, b->axle->place.line, b->axle->name);
  }
  return JO_OK;
}

jo_status jaxle_model_make(jo_context* ctx, jarena* a, const jmodel* m, const char* axle,
                           jaxle_motion motion, int side, bool on_rig, jaxle_model* out) {
  *out =
      (jaxle_model){.ctx = ctx, .a = a, .m = m, .motion = motion, .side = side, .on_rig = on_rig};
  out->force = -1;
  JO_TRY(find_axle(out, axle));
  return make_copy(out);
}
