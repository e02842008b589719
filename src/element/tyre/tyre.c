// SPDX-License-Identifier: Apache-2.0
// Tyre on a road: linear normal force, slip forces of a simple law (slip_law.h). docs/theory/tyre.md eqs. (Y1)-(Y9),
// which state the two readings of the buggy benchmark of López Varela and Mouzo (2023), and slips that follow with a
// relaxation length, down to standstill.
#include "element/data.h"
#include "element/list.h"
#include "element/tyre/contact.h"
#include "element/tyre/patch.h"
#include "element/tyre/slip_law.h"
#include "gen/switch/guard.h"

#define LOW_SPEED    1.0   // [m/s]
#define STANDSTILL   1e-3  // a wheel in contact that is slower stands [m/s]
#define DAMPING_TIME 0.05  // [s]

typedef jelement_tyre_data tyre;

static const char* const readings[] = {"A", "B", NULL};

#define X(name) #name,
static const char* const law_names[] = {JELEMENT_SLIP_LAW_LIST(X) NULL};
#undef X
#define X(name) jelement_slip_##name,
static const jelement_slip_law laws[] = {JELEMENT_SLIP_LAW_LIST(X)};
#undef X

static const jmodel_key keys[] = {{JMODEL_KEY_AS("wheel", jmodel_form_body)},
                                  {JMODEL_KEY_AS("centre", jmodel_form_point)},
                                  {JMODEL_KEY_AS("axis", jmodel_form_direction)},
                                  {JMODEL_KEY_NUMBER("radius")},
                                  {JMODEL_KEY_NUMBER("stiffness")},
                                  {JMODEL_KEY_NUMBER("damping")},
                                  {JMODEL_KEY_NUMBER("kappa_c")},
                                  {JMODEL_KEY_NUMBER("alpha_c")},
                                  {JMODEL_KEY_NUMBER("mu_x")},
                                  {JMODEL_KEY_NUMBER("mu_y")},
                                  {JMODEL_KEY_WORD("law", law_names)},
                                  {JMODEL_KEY_WORD("reading", readings)},
                                  {JMODEL_KEY_NUMBER("relaxation")},
                                  {JMODEL_KEY_NUMBER("low_speed")},
                                  {JMODEL_KEY_NUMBER("damping_time")},
                                  {JMODEL_KEY_AS("contact", jelement_contact_form)},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(tyre, "radius", radius, JMODEL_POSITIVE, "m"),
    JMODEL_FIELD_IN(tyre, "stiffness", stiffness, JMODEL_NOT_NEGATIVE, "N/m"),
    JMODEL_FIELD_IN(tyre, "damping", damping, JMODEL_NOT_NEGATIVE, "N s/m"),
    JMODEL_FIELD_IN(tyre, "kappa_c", kappa_c, JMODEL_POSITIVE, "1"),
    JMODEL_FIELD_IN(tyre, "alpha_c", alpha_c, JMODEL_POSITIVE, "rad"),
    JMODEL_FIELD_IN(tyre, "mu_x", mu_x, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(tyre, "mu_y", mu_y, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_GIVEN_IN(tyre, "relaxation", relaxation, JMODEL_POSITIVE, relaxes, "m"),
    JMODEL_GIVEN_IN(tyre, "low_speed", low_speed, JMODEL_POSITIVE, relaxes, "m/s"),
    JMODEL_GIVEN_IN(tyre, "damping_time", damping_time, JMODEL_NOT_NEGATIVE, relaxes, "s"),
    JELEMENT_CONTACT_FIELDS(tyre, contact),
    JMODEL_DIRECTION(tyre, "axis", wheel.axis.v),
};

enum { FX, FY, FZ, DELTA, KAPPA, ALPHA, POWER };
static const char* const signals[] = {"fx", "fy", "fz", "delta", "kappa", "alpha", "power", NULL};
static const char* const component[] = {"fz"};

// ---- reading -------------------------------------------------------------------------------------

// What it needs to hold at standstill.
static void read_relaxation(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  static const char* const need_it[] = {"low_speed", "damping_time"};
  tyre* t = e->data;
  t->relaxes = jmodel_get_scalar(at, map, "relaxation", JMODEL_SCOPE_ANY, &t->relaxation);
  for (int i = 0; !t->relaxes && i < JELEMENT_COUNT(need_it); i++) {
    const jmodel_node* node = jmodel_node_find(map, need_it[i]);
    if (node) {
      jmodel_mistake(at, node->key_place, "%s: it is of a tyre with 'relaxation'", need_it[i]);
    }
  }
  if (!t->relaxes) return;
  jelement_scalar_or(at, map, "low_speed", LOW_SPEED, e->place, &t->low_speed);
  jelement_scalar_or(at, map, "damping_time", DAMPING_TIME, e->place, &t->damping_time);
  jelement_patch_states(at, e);
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  tyre* t = e->data;
  jmodel_scope any = JMODEL_SCOPE_ANY;
  jmodel_need_scalar(at, map, "radius", any, &t->radius);
  jmodel_need_scalar(at, map, "stiffness", any, &t->stiffness);
  jelement_scalar_or(at, map, "damping", 0.0, e->place, &t->damping);
  jmodel_need_scalar(at, map, "kappa_c", any, &t->kappa_c);
  jmodel_need_scalar(at, map, "alpha_c", any, &t->alpha_c);
  jmodel_need_scalar(at, map, "mu_x", any, &t->mu_x);
  jmodel_need_scalar(at, map, "mu_y", any, &t->mu_y);
  const jmodel_node* law = jmodel_node_find(map, "law");
  int which = law ? jmodel_word_at(at, law, "law", law_names) : 0;
  t->law = which < 0 ? 0 : which;
  const jmodel_node* reading = jmodel_node_find(map, "reading");
  t->loaded_radius = reading && jmodel_word_at(at, reading, "reading", readings) == 1;
  jelement_read_contact(at, map, &t->radius, &t->contact);
  read_relaxation(at, map, e);
  return jelement_read_wheel(at, map, e->place, &t->wheel);
}

// ---- equations -----------------------------------------------------------------------------------

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

// (Y5), (Y11) slip forces
static void put_slip_forces(jgen* s, const jmodel_element* m, jexpr_ref* signal) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jelement_slip slip = {signal[KAPPA], signal[ALPHA], jgen_scalar(s, &y->kappa_c, m->name),
                        jgen_scalar(s, &y->alpha_c, m->name)};
  jexpr_ref fx, fy;
  jexpr_ref mx = jexpr_mul(g, jgen_scalar(s, &y->mu_x, m->name), signal[FZ]);
  jexpr_ref my = jexpr_mul(g, jgen_scalar(s, &y->mu_y, m->name), signal[FZ]);
  laws[y->law](g, &slip, &fx, &fy);
  signal[FX] = jexpr_mul(g, mx, fx);
  signal[FY] = jexpr_mul(g, my, fy);
  jexpr_mark(g, signal[FX], "%s: Fx", m->name);
  jexpr_mark(g, signal[FY], "%s: Fy", m->name);
}

// Where the contact point hardly moves, slips have no meaning and the law no force.
static void must_roll(jgen* s, const jelement_disc* d, jexpr_ref vx, jexpr_ref vy,
                      jgen_element* e) {
  jgen_guard guard = {.applies = d->delta, .value = {vx, vy}, .least = STANDSTILL};
  guard.text = (jgen_guard_text){
      .event = "wheel stands",
      .is_short = "its wheel stands on the ground",
      .why_short = jarena_printf(s->a,
                                 ", slower than %g m/s; this tyre law has no force at standstill: "
                                 "start with a speed, or end the run before it stops; a tyre with "
                                 "'relaxation' holds",
                                 STANDSTILL),
      .begins = "its wheel touches the ground",
      .why_begins = jarena_printf(s->a,
                                  " while it moves straight across its plane; this tyre law has no "
                                  "force without a speed along it, of at least %g m/s: start with "
                                  "one; a tyre with 'relaxation' holds",
                                  STANDSTILL)};
  jgen_guard_set(s, e, &guard);
}

// (Y4) slips
static void put_slips(jgen* s, const jelement_disc* d, jexpr_ref vx, jexpr_ref vy,
                      jgen_element* e) {
  jexpr_graph* g = s->g;
  // no slip at a standstill, where it is not defined: static equilibrium is that without friction. No switch watches this
  jexpr_ref over = jexpr_div(g, s->one, jexpr_abs(g, vx));
  over = jexpr_select(g, vx, over, s->zero);
  jexpr_ref slip = jexpr_sub(g, jexpr_mul(g, d->spin, d->loaded), vx);
  e->signal[KAPPA] = jexpr_mul(g, slip, over);
  e->signal[ALPHA] = jexpr_neg(g, jexpr_atan(g, jexpr_mul(g, vy, over)));
  must_roll(s, d, vx, vy, e);
}

// (Y8) the patch in one direction, which has a friction of its own; bend: the slip at saturation
static jelement_patch patch_of(jgen* s, const jmodel_element* m, const jelement_slow* at, int state,
                               jexpr_ref slide, jexpr_ref bend) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jelement_patch p = {.slip = jgen_own_state(s, m, state), .slide = slide};
  p.sigma = jgen_scalar(s, &y->relaxation, m->name);
  p.part = jelement_patch_part(s, jelement_square(s, jexpr_div(g, p.slip, bend)));
  p.moving = jelement_patch_moving(s, at, jelement_square(s, jexpr_div(g, slide, bend)));
  return p;
}

// (Y9) slips that relax
static void put_relaxed_slips(jgen* s, const jmodel_element* m, const jelement_disc* d, jexpr_v3 l,
                              jexpr_ref vx, jgen_element* e) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jexpr_v3 w = jelement_disc_turning(s, d);
  jexpr_ref across = jexpr_v3_dot(g, jexpr_v3_add(g, d->hub.v, jexpr_v3_cross(g, w, d->arm)), l);
  jexpr_ref along = jexpr_sub(g, jexpr_mul(g, d->spin, d->loaded), vx);
  jexpr_ref kc = jgen_scalar(s, &y->kappa_c, m->name), ac = jgen_scalar(s, &y->alpha_c, m->name);
  jelement_slow at = jelement_slow_at(s, vx, jgen_scalar(s, &y->low_speed, m->name));
  jelement_patch px = patch_of(s, m, &at, JELEMENT_SX, along, kc);
  jelement_patch py = patch_of(s, m, &at, JELEMENT_SY, across, ac);
  jexpr_ref time = jgen_scalar(s, &y->damping_time, m->name);
  e->signal[KAPPA] = jelement_patch_slip(s, &at, &px, time);
  e->signal[ALPHA] = jexpr_neg(g, jexpr_atan(g, jelement_patch_slip(s, &at, &py, time)));
  jexpr_ref is_down = jexpr_lt(g, s->zero, d->delta);
  e->rate[JELEMENT_SX] = jelement_patch_rate(s, &px, is_down);
  e->rate[JELEMENT_SY] = jelement_patch_rate(s, &py, is_down);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const tyre* y = m->data;
  jexpr_graph* g = s->g;
  jelement_disc d =
      jelement_disc_on_road(s, m, &y->wheel, &y->contact, &y->radius, y->loaded_radius, y->relaxes);
  jexpr_v3 n = d.hub.n, v = d.hub.v;
  e->delta = e->signal[DELTA] = d.delta;
  e->signal[FZ] = normal_force(s, m, &d);

  // (Y4)      b = u x n / |u x n|,  l = n x b
  jexpr_v3 b = jexpr_v3_scale(g, d.inverse, jexpr_v3_cross(g, d.u, n));
  jexpr_v3 l = jexpr_v3_cross(g, n, b);
  jexpr_ref vx = jexpr_v3_dot(g, v, b), vy = jexpr_v3_dot(g, v, l);
  if (y->relaxes) {
    put_relaxed_slips(s, m, &d, l, vx, e);
  } else {
    put_slips(s, &d, vx, vy, e);
  }
  put_slip_forces(s, m, e->signal);

  // (Y6) force on the wheel at the contact point
  jexpr_v3 F =
      jexpr_v3_add(g, jexpr_v3_scale(g, e->signal[FX], b), jexpr_v3_scale(g, e->signal[FY], l));
  F = jexpr_v3_add(g, F, jexpr_v3_scale(g, e->signal[FZ], n));
  e->signal[POWER] = jelement_push_disc(s, &d, F, jexpr_v3_zero(g));
}

// (Y4), but for (Y9)
static bool is_upright(const jmodel_element* m) {
  const tyre* y = m->data;
  return !y->relaxes;
}

static int draw(const jmodel_element* m, jmodel_shape* out) {
  const tyre* y = m->data;
  return jelement_draw_wheel(&y->wheel, &y->radius, out);
}

const jgen_element_class jelement_tyre = {.model = {.kind = "tyre",
                                                    .section = "tyres",
                                                    .keys = keys,
                                                    .about = "Tyres of a simple law",
                                                    .size = sizeof(tyre),
                                                    JELEMENT_ONE_FORCE(component),
                                                    .read = read,
                                                    .mirrors = true,
                                                    .spins = true,
                                                    .is_upright = is_upright,
                                                    JELEMENT_FIELDS(fields),
                                                    .draw = draw},
                                          .signal = signals,
                                          .what = "a force",
                                          .write = write};
