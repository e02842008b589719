// SPDX-License-Identifier: Apache-2.0
// Tyre on a road: linear normal force, linear saturated slip forces. docs/theory/tyre.md eqs. (Y1)-(Y7),
// which state the two readings of the buggy benchmark of López Varela and Mouzo (2023).
#include "element/contact.h"
#include "element/data.h"
#include "element/list.h"

typedef jelement_tyre_data tyre;

static const char* const keys[] = {"wheel",   "centre",      "axis",    "radius", "stiffness",
                                   "damping", "kappa_c",     "alpha_c", "mu_x",   "mu_y",
                                   "reading", "description", NULL};

static const jmodel_field fields[] = {
    JMODEL_FIELD(tyre, "radius", radius, JMODEL_POSITIVE),
    JMODEL_FIELD(tyre, "stiffness", stiffness, JMODEL_NOT_NEGATIVE),
    JMODEL_FIELD(tyre, "damping", damping, JMODEL_NOT_NEGATIVE),
    JMODEL_FIELD(tyre, "kappa_c", kappa_c, JMODEL_POSITIVE),
    JMODEL_FIELD(tyre, "alpha_c", alpha_c, JMODEL_POSITIVE),
    JMODEL_FIELD(tyre, "mu_x", mu_x, JMODEL_NOT_NEGATIVE),
    JMODEL_FIELD(tyre, "mu_y", mu_y, JMODEL_NOT_NEGATIVE),
    JMODEL_DIRECTION(tyre, "axis", axis.v),
};

enum { FX, FY, FZ, DELTA, KAPPA, ALPHA, POWER };
static const char* const signals[] = {"fx", "fy", "fz", "delta", "kappa", "alpha", "power", NULL};
static const char* const component[] = {"fz"};

// ---- reading -------------------------------------------------------------------------------------

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  static const char* const readings[] = {"A", "B", NULL};
  tyre* t = e->data;
  jmodel_scope any = JMODEL_SCOPE_ANY;
  jmodel_need_scalar(at, map, "radius", any, &t->radius);
  jmodel_need_scalar(at, map, "stiffness", any, &t->stiffness);
  if (!jmodel_get_scalar(at, map, "damping", any, &t->damping)) {
    t->damping = jmodel_default(at->r, t->damping.path, 0.0, e->place);
  }
  jmodel_need_scalar(at, map, "kappa_c", any, &t->kappa_c);
  jmodel_need_scalar(at, map, "alpha_c", any, &t->alpha_c);
  jmodel_need_scalar(at, map, "mu_x", any, &t->mu_x);
  jmodel_need_scalar(at, map, "mu_y", any, &t->mu_y);
  const jmodel_node* reading = jmodel_node_find(map, "reading");
  t->loaded_radius = reading && jmodel_word_at(at, reading, "reading", readings) == 1;
  return jelement_read_wheel(at, map, e->place, &t->body, &t->centre, &t->axis);
}

// ---- equations -----------------------------------------------------------------------------------

static jexpr_ref clamp_one(jgen* s, jexpr_ref x) {
  return jexpr_max(s->g, jexpr_min(s->g, x, s->one), jexpr_const(s->g, -1.0));
}

// (Y3) normal force
static jexpr_ref normal_force(jgen* s, const jmodel_element* m, const jelement_disc* d) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref elastic = jexpr_mul(g, jgen_scalar(s, &y->stiffness, m->name), d->delta);
  jexpr_ref closing = jexpr_v3_dot(g, d->hub.v, d->hub.n);
  jexpr_ref viscous = jexpr_mul(g, jgen_scalar(s, &y->damping, m->name), closing);
  jexpr_ref push = jexpr_max(g, jexpr_sub(g, elastic, viscous), s->zero);
  jexpr_ref fz = jexpr_select(g, jexpr_lt(g, s->zero, d->delta), push, s->zero);
  return jgen_component(s, m, 0, jexpr_mark(g, fz, "%s: Fn", m->name));
}

// (Y5) slip forces
static void put_slip_forces(jgen* s, const jmodel_element* m, jexpr_ref* signal) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref kc = jgen_scalar(s, &y->kappa_c, m->name), ac = jgen_scalar(s, &y->alpha_c, m->name);
  jexpr_ref mx = jexpr_mul(g, jgen_scalar(s, &y->mu_x, m->name), signal[FZ]);
  jexpr_ref my = jexpr_mul(g, jgen_scalar(s, &y->mu_y, m->name), signal[FZ]);
  signal[FX] = jexpr_mul(g, mx, clamp_one(s, jexpr_div(g, signal[KAPPA], kc)));
  signal[FY] = jexpr_mul(g, my, clamp_one(s, jexpr_div(g, signal[ALPHA], ac)));
  jexpr_mark(g, signal[FX], "%s: Fx", m->name);
  jexpr_mark(g, signal[FY], "%s: Fy", m->name);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jelement_disc d =
      jelement_disc_on_road(s, m, y->body, &y->centre, &y->axis, &y->radius, y->loaded_radius);
  jexpr_v3 n = d.hub.n, v = d.hub.v;
  e->delta = e->signal[DELTA] = d.delta;
  e->signal[FZ] = normal_force(s, m, &d);

  // (Y4) slips      b = u x n / |u x n|,  l = n x b
  jexpr_v3 b = jexpr_v3_scale(g, d.inverse, jexpr_v3_cross(g, d.u, n));
  jexpr_v3 l = jexpr_v3_cross(g, n, b);
  e->vx = jexpr_v3_dot(g, v, b);
  e->vy = jexpr_v3_dot(g, v, l);
  // no slip at a standstill, where it is not defined: static equilibrium is that without friction
  jexpr_ref over = jexpr_div(g, s->one, jexpr_abs(g, e->vx));
  over = jexpr_select(g, jexpr_eq(g, e->vx, s->zero), s->zero, over);
  jexpr_ref slip = jexpr_sub(g, jexpr_mul(g, d.spin, d.loaded), e->vx);
  e->signal[KAPPA] = jexpr_mul(g, slip, over);
  e->signal[ALPHA] = jexpr_neg(g, jexpr_atan(g, jexpr_mul(g, e->vy, over)));
  put_slip_forces(s, m, e->signal);

  // (Y6) force on the wheel at the contact point
  jexpr_v3 F =
      jexpr_v3_add(g, jexpr_v3_scale(g, e->signal[FX], b), jexpr_v3_scale(g, e->signal[FY], l));
  F = jexpr_v3_add(g, F, jexpr_v3_scale(g, e->signal[FZ], n));
  e->signal[POWER] = jelement_push_wheel(s, &d.hub, d.arm, F);
}

static int draw(const jmodel_element* m, jmodel_shape* out) {
  const tyre* y = m->data;
  out[0] = (jmodel_shape){JMODEL_SHAPE_WHEEL, &y->centre, NULL, y->body, &y->axis, &y->radius};
  return 1;
}

const jgen_element_class jelement_tyre = {.model = {.kind = "tyre",
                                                    .section = "tyres",
                                                    .keys = keys,
                                                    .size = sizeof(tyre),
                                                    .ncomponent = 1,
                                                    .component = component,
                                                    .unit = jelement_newton,
                                                    .read = read,
                                                    .mirrors = true,
                                                    .field = fields,
                                                    .nfield = JELEMENT_COUNT(fields),
                                                    .draw = draw},
                                          .signal = signals,
                                          .what = "a force",
                                          .must_roll = true,
                                          .write = write};
