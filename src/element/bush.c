// SPDX-License-Identifier: Apache-2.0
// A bush: an elastic connection of two bodies in six components. docs/theory/bush.md eqs. (U1)-(U6).
//
// Elastomers are stiffer when they are moved fast: a branch of a spring with a damper in series may stand beside
// each displacement, whose inner point is a state.
//
// Its axes are fixed to the body of the first point. Deformations are the displacement x y z of the second
// point from the first, and the angles a b c by which the second body is turned from the design position,
// about x, then y, then z. Every component has a law of its own; forces follow from their virtual power, so
// that what is elastic has a potential, also at large deformations.
#include "element/law.h"
#include "element/list.h"
#include "element/span.h"

// Three components of a law; what is given is added up.
typedef struct side {
  bool has_stiffness, has_damping, has_preload;
  jmodel_v3 stiffness, damping, preload;
  int table[3];  // -1: none
} side;

typedef struct bush {
  jelement_ends ends;
  bool has_axes;
  int axis_given[2];
  jmodel_v3 axis[2];
  side moved, turned;
  int sign[6];  // of the deformations in mirror images: 1 or -1
  bool has_relaxation;
  jmodel_v3 branch, time;  // stiffness of the branches [N/m], time in which they relax [s]
} bush;

// A table of each component.
static const jmodel_key spring_keys[] = {{JMODEL_KEY_AS("x", jmodel_form_table)},
                                         {JMODEL_KEY_AS("y", jmodel_form_table)},
                                         {JMODEL_KEY_AS("z", jmodel_form_table)},
                                         {0}};

static const jmodel_key relaxation_keys[] = {
    {JMODEL_KEY_AS("stiffness", jmodel_form_vector), .is_needed = true},
    {JMODEL_KEY_AS("time", jmodel_form_vector), .is_needed = true},
    {0}};

static const jmodel_key keys[] = {
    {JMODEL_KEY_LIST("between", jmodel_form_body_point, 2, 2), .is_needed = true},
    {JMODEL_KEY_MAP("axes", jmodel_axes_keys), .least = 2, .most = 2,
     .about = "Two of the axes, vehicle coordinates at the design position"},
    {JMODEL_KEY_AS("stiffness", jmodel_form_vector)},
    {JMODEL_KEY_AS("damping", jmodel_form_vector)},
    {JMODEL_KEY_AS("preload", jmodel_form_vector)},
    {JMODEL_KEY_MAP("spring", spring_keys)},
    {JMODEL_KEY_AS("rotational_stiffness", jmodel_form_vector)},
    {JMODEL_KEY_AS("rotational_damping", jmodel_form_vector)},
    {JMODEL_KEY_AS("rotational_preload", jmodel_form_vector)},
    {JMODEL_KEY_MAP("rotational_spring", spring_keys)},
    {JMODEL_KEY_MAP("relaxation", relaxation_keys)},
    {JMODEL_KEY_DESCRIPTION},
    {0}};

#define V3_FIELD(label, member, limit, has, unit) \
  { label, offsetof(bush, member), JMODEL_FIELD_V3, limit, offsetof(bush, has), unit, 3 }

static const jmodel_field fields[] = {
    {"axes", offsetof(bush, axis), JMODEL_FIELD_PLANE, JMODEL_FINITE, offsetof(bush, has_axes),
     NULL, 2},
    V3_FIELD("stiffness", moved.stiffness, JMODEL_FINITE, moved.has_stiffness, "N/m"),
    V3_FIELD("damping", moved.damping, JMODEL_NOT_NEGATIVE, moved.has_damping, "N s/m"),
    V3_FIELD("preload", moved.preload, JMODEL_FINITE, moved.has_preload, "N"),
    V3_FIELD("rotational_stiffness", turned.stiffness, JMODEL_FINITE, turned.has_stiffness,
             "N m/rad"),
    V3_FIELD("rotational_damping", turned.damping, JMODEL_NOT_NEGATIVE, turned.has_damping,
             "N m s/rad"),
    V3_FIELD("rotational_preload", turned.preload, JMODEL_FINITE, turned.has_preload, "N m"),
    V3_FIELD("relaxation: stiffness", branch, JMODEL_NOT_NEGATIVE, has_relaxation, "N/m"),
    V3_FIELD("relaxation: time", time, JMODEL_POSITIVE, has_relaxation, "s"),
};

enum { X, RATE = 6, F = 12, POWER = 18 };
static const char* const signals[] = {"x",  "y",  "z",  "a",  "b",     "c",  "vx",
                                      "vy", "vz", "va", "vb", "vc",    "fx", "fy",
                                      "fz", "mx", "my", "mz", "power", NULL};
#define TYPICAL 1e-3  // displacement [m]
static const char* const component[] = {"fx", "fy", "fz", "mx", "my", "mz"};

static const char* unit(const jmodel* m, const jmodel_element* e, int k) {
  (void)m;
  (void)e;
  return k < 3 ? "N" : "N m";
}

// ---- reading -------------------------------------------------------------------------------------

// {x: table, z: table}
static void read_tables(const jmodel_at* at, const jmodel_node* map, const char* key,
                        int table[3]) {
  const jmodel_node* node = jmodel_node_find(map, key);
  table[0] = table[1] = table[2] = -1;
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, key)) return;
  jmodel_check_keys(at, node, spring_keys);
  for (int i = 0; i < 3; i++) {
    table[i] = jelement_table_read(at, node, spring_keys[i].name);
  }
}

static void read_side(const jmodel_at* at, const jmodel_node* map, const char* prefix, side* k) {
  jmodel_scope any = JMODEL_SCOPE_ANY;
  const char* stiffness = jmodel_format(at->r, "%sstiffness", prefix);
  const char* damping = jmodel_format(at->r, "%sdamping", prefix);
  const char* preload = jmodel_format(at->r, "%spreload", prefix);
  k->has_stiffness = jmodel_get_v3(at, map, stiffness, any, &k->stiffness);
  k->has_damping = jmodel_get_v3(at, map, damping, any, &k->damping);
  k->has_preload = jmodel_get_v3(at, map, preload, any, &k->preload);
  read_tables(at, map, jmodel_format(at->r, "%sspring", prefix), k->table);
}

// {stiffness: [x, y, z], time: [x, y, z]}; the branches begin relaxed
static void read_relaxation(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  static const char* const name[] = {"rx", "ry", "rz"};
  bush* u = e->data;
  const jmodel_node* node = jmodel_node_find(map, "relaxation");
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, "relaxation")) return;
  jmodel_at inner = *at;
  inner.path = jmodel_format(at->r, "%s.relaxation", at->path);
  jmodel_check_keys(at, node, relaxation_keys);
  bool has_stiffness = jmodel_get_v3(&inner, node, "stiffness", JMODEL_SCOPE_ANY, &u->branch);
  u->has_relaxation = jmodel_get_v3(&inner, node, "time", JMODEL_SCOPE_ANY, &u->time);
  if (!has_stiffness || !u->has_relaxation) {
    jmodel_mistake(at, node->key_place, "relaxation needs 'stiffness' and 'time'");
    u->has_relaxation = false;
  }
  for (int i = 0; u->has_relaxation && i < 3; i++) {
    jmodel_own_state(at, e, name[i], "m", TYPICAL,
                     jmodel_format(at->r, "%s.%s", e->name, signals[X + i]));
  }
}

static bool says_nothing(const bush* u) {
  const side* both[2] = {&u->moved, &u->turned};
  bool says = false;
  for (int i = 0; i < 2; i++) {
    says = says || both[i]->has_stiffness || both[i]->has_damping || both[i]->has_preload;
    for (int k = 0; k < 3; k++) {
      says = says || both[i]->table[k] >= 0;
    }
  }
  return !says;
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  bush* u = e->data;
  const jmodel_node *ends = jmodel_need(at, map, "between"), *axes = jmodel_node_find(map, "axes");
  u->axis_given[1] = 1;
  u->axis[0] = jmodel_unit(0, e->place);
  u->axis[1] = jmodel_unit(1, e->place);
  u->has_axes = axes && jmodel_is(at, axes, JMODEL_NODE_MAP, "axes");
  if (u->has_axes) {
    jmodel_check_keys(at, axes, jmodel_axes_keys);
    jmodel_read_axes(at, axes, "axes", u->axis_given, u->axis);
  } else {
    jmodel_place_axes(at->r, map->in, u->axis_given, u->axis);
  }
  jmodel_signs(map->in, &u->sign[0], &u->sign[3]);
  read_side(at, map, "", &u->moved);
  read_side(at, map, "rotational_", &u->turned);
  read_relaxation(at, map, e);
  if (says_nothing(u)) {
    jmodel_mistake(at, e->place, "it says no law; give 'stiffness' or 'rotational_stiffness'");
  }
  return ends && jelement_read_ends(at, ends, "between", &u->ends);
}

// ---- equations -----------------------------------------------------------------------------------

// Motion of both sides relative to what carries both, in its frame.
typedef struct motion {
  int link[2];
  const jgen_relative* k[2];
  jexpr_m3 A[2];  // axes of the bush as each body carries them
  jexpr_v3 p[2];  // points, from what carries them
  jexpr_v3 d;     // from the first to the second
  jexpr_m3 Rx;    // turn by angle a
  jexpr_ref sin_b, cos_b;
} motion;

static motion motion_of(jgen* s, const bush* u) {
  jexpr_graph* g = s->g;
  const jmodel_point* point[2] = {&u->ends.a, &u->ends.b};
  motion m = {.link = {s->body[u->ends.a.body].link, s->body[u->ends.b.body].link}};
  int base = jgen_common_base(s, m.link[0], m.link[1]);
  for (int i = 0; i < 2; i++) {
    m.k[i] = jgen_relative_of(s, base, m.link[i], s->stage >= JGEN_AT_VELOCITY);
    jexpr_m3 axes = jgen_frame_in_link(s, point[i]->body, u->axis_given, u->axis);
    m.A[i] = jexpr_m3_mul(g, &m.k[i]->R, &axes);
    jexpr_v3 arm = jexpr_m3_apply(g, &m.k[i]->R, jgen_point_in_link(s, point[i]));
    m.p[i] = jexpr_v3_add(g, m.k[i]->o, arm);
  }
  m.d = jexpr_v3_sub(g, m.p[1], m.p[0]);
  return m;
}

// Deformations, rates and forces of a mirror image are told as those of what it is an image of.
static jexpr_ref signed_by(jexpr_graph* g, int sign, jexpr_ref x) {
  return sign < 0 ? jexpr_neg(g, x) : x;
}

// (U1)  x = A_a^T (p_b - p_a)
// (U2)  R = A_a^T A_b = R_x(a) R_y(b) R_z(c)
static void put_deformation(jgen* s, const char* name, const bush* u, motion* m,
                            jexpr_ref* signal) {
  jexpr_graph* g = s->g;
  jexpr_v3 x = jexpr_m3_tapply(g, &m->A[0], m->d);
  jexpr_m3 AT = jexpr_m3_transpose(&m->A[0]), R = jexpr_m3_mul(g, &AT, &m->A[1]);
  for (int i = 0; i < 3; i++) {
    signal[X + i] = x.e[i];
  }
  signal[X + 3] = jexpr_atan2(g, jexpr_neg(g, R.e[1][2]), R.e[2][2]);
  signal[X + 4] = jexpr_asin(g, R.e[0][2]);
  signal[X + 5] = jexpr_atan2(g, jexpr_neg(g, R.e[0][1]), R.e[0][0]);
  m->Rx = jexpr_m3_rotation(g, 0, signal[X + 3]);
  m->sin_b = R.e[0][2];
  m->cos_b = jexpr_cos(g, signal[X + 4]);
  for (int i = 0; i < 6; i++) {
    signal[X + i] = signed_by(g, u->sign[i], signal[X + i]);
    jexpr_mark(g, signal[X + i], "%s: %s", name, signals[X + i]);
  }
}

// (U3)  x' = A_a^T (v_b - v_a - w_a x (p_b - p_a))
//       with w = R_x^T A_a^T (w_b - w_a):   c' = w_z / cos b    a' = w_x - c' sin b    b' = w_y
static void put_rates(jgen* s, const bush* u, const motion* m, jexpr_ref* signal) {
  jexpr_graph* g = s->g;
  jexpr_v3 v[2];
  for (int i = 0; i < 2; i++) {
    jexpr_v3 arm = jexpr_v3_sub(g, m->p[i], m->k[i]->o);
    v[i] = jexpr_v3_add(g, m->k[i]->od, jexpr_v3_cross(g, m->k[i]->w, arm));
  }
  jexpr_v3 carried = jexpr_v3_cross(g, m->k[0]->w, m->d);
  jexpr_v3 rate = jexpr_v3_sub(g, jexpr_v3_sub(g, v[1], v[0]), carried);
  rate = jexpr_m3_tapply(g, &m->A[0], rate);
  jexpr_v3 w = jexpr_m3_tapply(g, &m->A[0], jexpr_v3_sub(g, m->k[1]->w, m->k[0]->w));
  w = jexpr_m3_tapply(g, &m->Rx, w);
  for (int i = 0; i < 3; i++) {
    signal[RATE + i] = rate.e[i];
  }
  signal[RATE + 5] = jexpr_div(g, w.e[2], m->cos_b);
  signal[RATE + 3] = jexpr_sub(g, w.e[0], jexpr_mul(g, signal[RATE + 5], m->sin_b));
  signal[RATE + 4] = w.e[1];
  for (int i = 0; i < 6; i++) {
    signal[RATE + i] = signed_by(g, u->sign[i], signal[RATE + i]);
  }
}

// (U4)  f_i = -(stiffness_i x_i + damping_i x'_i + preload_i + spring_i(x_i))
static jexpr_ref law(jgen* s, const side* k, const char* name, int i, jexpr_ref x, jexpr_ref xd) {
  jexpr_graph* g = s->g;
  jexpr_ref f = s->zero;
  if (k->has_stiffness) f = jexpr_mul(g, jgen_scalar(s, &k->stiffness.e[i], name), x);
  if (k->has_damping) {
    f = jexpr_add(g, f, jexpr_mul(g, jgen_scalar(s, &k->damping.e[i], name), xd));
  }
  if (k->has_preload) f = jexpr_add(g, f, jgen_scalar(s, &k->preload.e[i], name));
  if (k->table[i] >= 0) f = jexpr_add(g, f, jgen_table_at(s, k->table[i], x));
  return jexpr_neg(g, f);
}

// (U6)  f_i -= s_i (x_i - r_i)      r_i' = (x_i - r_i) / T_i
static jexpr_ref relax(jgen* s, const jmodel_element* e, int i, jexpr_ref x, jgen_element* out) {
  const bush* u = e->data;
  jexpr_graph* g = s->g;
  jexpr_ref stretch = jexpr_sub(g, x, jgen_own_state(s, e, i));
  out->rate[i] = jexpr_div(g, stretch, jgen_scalar(s, &u->time.e[i], e->name));
  return jexpr_mul(g, jgen_scalar(s, &u->branch.e[i], e->name), stretch);
}

// (U5)  on the second body, at its point: A_a f and A_a R_x (m_x, m_y, (m_z - m_x sin b) / cos b);
//       on the first the opposite, at the same place
static void apply(jgen* s, const bush* u, const motion* m, const jexpr_ref* told) {
  jexpr_graph* g = s->g;
  jexpr_ref f[6];
  for (int i = 0; i < 6; i++) {
    f[i] = signed_by(g, u->sign[i], told[i]);
  }
  jexpr_ref mz = jexpr_sub(g, f[5], jexpr_mul(g, f[3], m->sin_b));
  jexpr_v3 n = {{f[3], f[4], jexpr_div(g, mz, m->cos_b)}};
  n = jexpr_m3_apply(g, &m->A[0], jexpr_m3_apply(g, &m->Rx, n));
  jexpr_v3 force = jexpr_m3_apply(g, &m->A[0], (jexpr_v3){{f[0], f[1], f[2]}});
  jexpr_v3 at_b = jgen_point_in_link(s, &u->ends.b);
  jexpr_v3 at_a = jexpr_m3_tapply(g, &m->k[0]->R, jexpr_v3_sub(g, m->p[1], m->k[0]->o));
  jgen_apply(s, m->link[1], at_b, jexpr_m3_tapply(g, &m->k[1]->R, force));
  jgen_turn(s, m->link[1], jexpr_m3_tapply(g, &m->k[1]->R, n));
  jexpr_v3 on_a = jexpr_m3_tapply(g, &m->k[0]->R, force);
  jgen_apply(s, m->link[0], at_a, jexpr_v3_neg(g, on_a));
  jgen_turn(s, m->link[0], jexpr_v3_neg(g, jexpr_m3_tapply(g, &m->k[0]->R, n)));
}

static void write(jgen* s, const jmodel_element* e, jgen_element* out) {
  const bush* u = e->data;
  jexpr_graph* g = s->g;
  jexpr_ref* signal = out->signal;
  motion m = motion_of(s, u);
  put_deformation(s, e->name, u, &m, signal);
  if (s->stage < JGEN_AT_VELOCITY) return;
  put_rates(s, u, &m, signal);
  signal[POWER] = s->zero;
  for (int i = 0; i < 6; i++) {
    const side* k = i < 3 ? &u->moved : &u->turned;
    jexpr_ref f = law(s, k, e->name, i % 3, signal[X + i], signal[RATE + i]);
    if (i < 3 && u->has_relaxation) f = jexpr_sub(g, f, relax(s, e, i, signal[X + i], out));
    signal[F + i] = jgen_component(s, e, i, jexpr_mark(g, f, "%s: %s", e->name, component[i]));
    signal[POWER] = jexpr_add(g, signal[POWER], jexpr_mul(g, signal[F + i], signal[RATE + i]));
  }
  apply(s, u, &m, signal + F);
}

static int draw(const jmodel_element* e, jmodel_shape* out) {
  const bush* u = e->data;
  out[0] = (jmodel_shape){.kind = JMODEL_SHAPE_POINT, .a = &u->ends.a};
  out[1] = (jmodel_shape){.kind = JMODEL_SHAPE_POINT, .a = &u->ends.b};
  return 2;
}

const jgen_element_class jelement_bush = {
    .model = {.kind = "bush",
              .section = "bushes",
              .keys = keys,
              .about = "Elastic connections of two bodies in six components",
              .size = sizeof(bush),
              .ncomponent = 6,
              .component = component,
              .unit = unit,
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields),
              .draw = draw,
              .follows = jelement_ends_follow},
    .signal = signals,
    .nposition = 6,
    .what = JELEMENT_LAW_WHAT,
    .write = write};
