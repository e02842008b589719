// SPDX-License-Identifier: Apache-2.0
// Tables, sines and obstacles as expressions. docs/theory/road.md (R14)-(R18)
#include "gen/force/road_shape.h"

#include "base/data.h"

#define PI 3.14159265358979323846

typedef struct shape {
  const jgen_road_reading* r;
  jexpr_graph* g;
  const jmodel_road_part* p;
  jexpr_ref s;  // distance from where it begins
  jexpr_ref y;
} shape;

static jexpr_ref value(const shape* c, jmodel_road_value which) {
  return c->r->scalar(c->r->user, &c->p->value[which], c->p->name);
}

static jexpr_ref constant(const shape* c, double x) {
  return jexpr_const(c->g, x);
}

static jexpr_ref positive(const shape* c, jexpr_ref x, jexpr_ref a, jexpr_ref b) {
  return jexpr_select(c->g, jexpr_lt(c->g, constant(c, 0.0), x), a, b);
}

// (R14) 0 before, 1 behind; over the length of the edge, where there is one, t^3 (10 - 15 t + 6 t^2)
static jexpr_ref rise(const shape* c, jexpr_ref s) {
  jexpr_graph* g = c->g;
  jexpr_ref zero = constant(c, 0.0), one = constant(c, 1.0);
  if (!c->p->given[JMODEL_ROAD_EDGE]) return positive(c, s, one, zero);
  jexpr_ref edge = value(c, JMODEL_ROAD_EDGE), t = jexpr_div(g, s, edge);
  jexpr_ref in =
      jexpr_mul(g, t, jexpr_sub(g, jexpr_mul(g, constant(c, 6.0), t), constant(c, 15.0)));
  in = jexpr_mul(g, jexpr_powi(g, t, 3), jexpr_add(g, constant(c, 10.0), in));
  return positive(c, s, positive(c, jexpr_sub(g, s, edge), one, in), zero);
}

// 1 from s = 0 to the end, with edges inside of both.
static jexpr_ref box(const shape* c, jexpr_ref length) {
  jexpr_ref up = rise(c, c->s);
  return jexpr_mul(c->g, up, rise(c, jexpr_sub(c->g, length, c->s)));
}

// x between 0 and the length, else zero
static jexpr_ref inside(const shape* c, jexpr_ref length, jexpr_ref x) {
  jexpr_ref zero = constant(c, 0.0);
  return positive(c, c->s, positive(c, jexpr_sub(c->g, length, c->s), x, zero), zero);
}

// (R15) h (1 - cos(2 pi s / L)) / 2
static jexpr_ref cosine(const shape* c, jexpr_ref length) {
  jexpr_graph* g = c->g;
  jexpr_ref angle = jexpr_div(g, jexpr_mul(g, constant(c, 2.0 * PI), c->s), length);
  jexpr_ref z = jexpr_sub(g, constant(c, 1.0), jexpr_cos(g, angle));
  return inside(c, length, jexpr_mul(g, constant(c, 0.5), z));
}

// (R16) an arc of the circle over the chord L with height h: R = (L^2/4 + h^2) / (2 h)
static jexpr_ref arc(const shape* c, jexpr_ref length) {
  jexpr_graph* g = c->g;
  jexpr_ref h = value(c, JMODEL_ROAD_HEIGHT), half = jexpr_mul(g, constant(c, 0.5), length);
  jexpr_ref two = jexpr_add(g, jexpr_mul(g, half, half), jexpr_mul(g, h, h));
  jexpr_ref R = jexpr_div(g, two, jexpr_mul(g, constant(c, 2.0), h));
  jexpr_ref off = jexpr_sub(g, c->s, half);
  jexpr_ref root = jexpr_sqrt(g, jexpr_sub(g, jexpr_mul(g, R, R), jexpr_mul(g, off, off)));
  return inside(c, length, jexpr_sub(g, root, jexpr_sub(g, R, h)));
}

// (R17) sin(2 pi (s/a + (1/b - 1/a) s^2 / (2 L))): wave numbers go evenly from 1/a to 1/b
static jexpr_ref sweep(const shape* c, jexpr_ref length) {
  jexpr_graph* g = c->g;
  jexpr_ref one = constant(c, 1.0);
  jexpr_ref first = jexpr_div(g, one, value(c, JMODEL_ROAD_FIRST_WAVE));
  jexpr_ref last = jexpr_div(g, one, value(c, JMODEL_ROAD_LAST_WAVE));
  jexpr_ref part = jexpr_div(g, c->s, jexpr_mul(g, constant(c, 2.0), length));
  jexpr_ref n = jexpr_add(g, first, jexpr_mul(g, jexpr_sub(g, last, first), part));
  jexpr_ref angle = jexpr_mul(g, constant(c, 2.0 * PI), jexpr_mul(g, n, c->s));
  return jexpr_mul(g, box(c, length), jexpr_sin(g, angle));
}

static jexpr_ref obstacle(const shape* c) {
  jexpr_graph* g = c->g;
  bool ends = c->p->given[JMODEL_ROAD_LENGTH];
  jexpr_ref h = value(c, JMODEL_ROAD_HEIGHT);
  jexpr_ref length = ends ? value(c, JMODEL_ROAD_LENGTH) : constant(c, 0.0);
  switch (c->p->shape) {
    case JMODEL_OBSTACLE_KERB: return jexpr_mul(g, h, ends ? box(c, length) : rise(c, c->s));
    case JMODEL_OBSTACLE_PLANK: return jexpr_mul(g, h, box(c, length));
    case JMODEL_OBSTACLE_POTHOLE: return jexpr_neg(g, jexpr_mul(g, h, box(c, length)));
    case JMODEL_OBSTACLE_COSINE: return jexpr_mul(g, h, cosine(c, length));
    case JMODEL_OBSTACLE_HALF_ROUND: return arc(c, length);
    case JMODEL_OBSTACLE_SWEEP: return jexpr_mul(g, h, sweep(c, length));
    default: return constant(c, 0.0);
  }
}

// (R18) A sin(2 pi x / L + phase)
static jexpr_ref sine(const shape* c, jexpr_ref x) {
  jexpr_graph* g = c->g;
  jexpr_ref angle =
      jexpr_mul(g, constant(c, 2.0 * PI), jexpr_div(g, x, value(c, JMODEL_ROAD_LENGTH)));
  if (c->p->given[JMODEL_ROAD_PHASE]) angle = jexpr_add(g, angle, value(c, JMODEL_ROAD_PHASE));
  return jexpr_mul(g, value(c, JMODEL_ROAD_HEIGHT), jexpr_sin(g, angle));
}

// ---- tables --------------------------------------------------------------------------------------

static jexpr_ref limit(const shape* c, int k, int which) {
  jexpr_ref zero = constant(c, 0.0);
  return jexpr_data(c->g, c->r->group, k, JDATA_LIMIT, which, zero, zero);
}

// Beyond limits a table has the last value, or none; where that makes a corner it is a switch.
static jexpr_ref held(const shape* c, int k, int first, jexpr_ref x) {
  return jexpr_max(c->g, jexpr_min(c->g, x, limit(c, k, first + 1)), limit(c, k, first));
}

static jexpr_ref cut(const shape* c, int k, int first, jexpr_ref x, jexpr_ref z) {
  jexpr_graph* g = c->g;
  jexpr_ref zero = constant(c, 0.0);
  z = positive(c, jexpr_sub(g, x, limit(c, k, first)), z, zero);
  return positive(c, jexpr_sub(g, limit(c, k, first + 1), x), z, zero);
}

static jexpr_ref height(const shape* c, const jroad_source* s, int k, jexpr_ref u, jexpr_ref v) {
  bool corners = !s->is_random && (!s->is_level || s->degree == 1);
  bool sides = s->nv > 1 && s->across != JROAD_BLEND;
  jexpr_ref at_u = corners && s->ends == JROAD_KEEP ? held(c, k, 0, u) : u;
  jexpr_ref at_v = sides && s->sides == JROAD_KEEP ? held(c, k, 2, v) : v;
  jexpr_ref z = jexpr_data(c->g, c->r->group, k, 0, 0, at_u, at_v);
  if (s->ends == JROAD_ZERO) z = cut(c, k, 0, u, z);
  return s->nv > 1 && s->sides == JROAD_ZERO ? cut(c, k, 2, v, z) : z;
}

// Over places of the road itself; a table with one column does not ask for y.
static jexpr_ref table(const shape* c, const jroad_source* source) {
  jexpr_ref y = source->nv > 1 ? c->y : constant(c, 0.0);
  return height(c, source, c->p->table, c->s, y);
}

// (R10) along and off the line: u is the foot, v = (y - Y) cos - (x - X) sin of its heading
static jexpr_ref grid(const shape* c, const jroad_source* source, jexpr_ref x) {
  jexpr_graph* g = c->g;
  jexpr_ref zero = constant(c, 0.0);
  int k = c->p->table, group = c->r->group;
  jexpr_ref u = jexpr_data(g, group, k, JDATA_FOOT, 0, x, c->y);
  jexpr_ref at[2][2];
  for (int axis = 0; axis < 2; axis++) {
    for (int d = 0; d < 2; d++) {
      at[axis][d] = jexpr_data(g, group, k + axis, d, 0, u, zero);
    }
  }
  jexpr_ref norm = jexpr_sqrt(
      g, jexpr_add(g, jexpr_mul(g, at[0][1], at[0][1]), jexpr_mul(g, at[1][1], at[1][1])));
  jexpr_ref v = jexpr_sub(g, jexpr_mul(g, jexpr_sub(g, c->y, at[1][0]), at[0][1]),
                          jexpr_mul(g, jexpr_sub(g, x, at[0][0]), at[1][1]));
  v = jexpr_div(g, v, norm);
  return height(c, source, k + 2, u, v);
}

// Between the limits across, where it has some.
static jexpr_ref limited(const shape* c, jexpr_ref z) {
  jexpr_graph* g = c->g;
  jexpr_ref zero = constant(c, 0.0);
  if (c->p->given[JMODEL_ROAD_RIGHT]) {
    z = positive(c, jexpr_sub(g, c->y, value(c, JMODEL_ROAD_RIGHT)), z, zero);
  }
  if (c->p->given[JMODEL_ROAD_LEFT]) {
    z = positive(c, jexpr_sub(g, value(c, JMODEL_ROAD_LEFT), c->y), z, zero);
  }
  return z;
}

static jexpr_ref part(const jgen_road_reading* r, const jmodel* m, const jmodel_road_part* p,
                      jexpr_ref x, jexpr_ref y) {
  jexpr_graph* g = r->g;
  shape c = {r, g, p, x, y};
  if (p->given[JMODEL_ROAD_START]) c.s = jexpr_sub(g, x, value(&c, JMODEL_ROAD_START));
  jexpr_ref z = p->kind == JMODEL_ROAD_TABLE  ? table(&c, &m->road_source[p->table])
                : p->kind == JMODEL_ROAD_GRID ? grid(&c, &m->road_source[p->table + 2], x)
                : p->kind == JMODEL_ROAD_SINE ? sine(&c, x)
                                              : obstacle(&c);
  if (p->given[JMODEL_ROAD_SCALE]) z = jexpr_mul(g, z, value(&c, JMODEL_ROAD_SCALE));
  return limited(&c, z);
}

static bool is_sharp(const jmodel_road_part* p) {
  bool has_edges = p->shape == JMODEL_OBSTACLE_KERB || p->shape == JMODEL_OBSTACLE_PLANK ||
                   p->shape == JMODEL_OBSTACLE_POTHOLE;
  return p->kind == JMODEL_ROAD_OBSTACLE && has_edges && !p->given[JMODEL_ROAD_EDGE];
}

jexpr_ref jgen_road_parts(const jgen_road_reading* r, const jmodel* m, jgen_road_which which,
                          jexpr_ref x, jexpr_ref y) {
  jexpr_ref sum = jexpr_const(r->g, 0.0);
  for (int i = 0; i < m->nroad_part; i++) {
    if (which == JGEN_ROAD_SMOOTH && is_sharp(&m->road_part[i])) continue;
    sum = jexpr_add(r->g, sum, part(r, m, &m->road_part[i], x, y));
  }
  return sum;
}

// ---- cams ----------------------------------------------------------------------------------------

#define ROUND \
  0.02  // of the half length: an order below 2 has a bend without bound at the lowest point, which this rounds

// (R19) b (1 - (1 - (r^2 + ROUND^2)^(c/2) + ROUND^c)^(1/c))
jexpr_ref jgen_road_cam_height(jexpr_graph* g, const jgen_road_cam* cam, jexpr_ref r) {
  jexpr_ref one = jexpr_const(g, 1.0), half = jexpr_mul(g, jexpr_const(g, 0.5), cam->c);
  jexpr_ref least = jexpr_const(g, ROUND * ROUND);
  jexpr_ref square = jexpr_add(g, jexpr_mul(g, r, r), least);
  jexpr_ref inner = jexpr_sub(g, one, jexpr_pow(g, square, half));
  inner = jexpr_add(g, inner, jexpr_pow(g, least, half));
  jexpr_ref root = jexpr_pow(g, inner, jexpr_div(g, one, cam->c));
  return jexpr_mul(g, cam->b, jexpr_sub(g, one, root));
}

#define ALMOST \
  0.97  // of the half length of a cam, which gets upright there: obstacles are not as high

// Height of the cam over its lowest point at a distance that is zero where d < 0.
static jexpr_ref cam_at(const shape* c, const jgen_road_cam* cam, jexpr_ref d) {
  jexpr_graph* g = c->g;
  jexpr_ref zero = constant(c, 0.0);
  jexpr_ref r = jexpr_min(g, jexpr_div(g, d, cam->a), constant(c, ALMOST));
  return positive(c, d, jgen_road_cam_height(g, cam, r), zero);
}

// (R20) on an obstacle from s = 0 to L a cam stands at h; before and behind it, on its edge: h - e(distance), down to the
// road; over a hole it hangs in between the edges
static jexpr_ref over(const shape* c, const jgen_road_cam* cam) {
  jexpr_graph* g = c->g;
  jexpr_ref h = value(c, JMODEL_ROAD_HEIGHT), zero = constant(c, 0.0);
  bool ends = c->p->given[JMODEL_ROAD_LENGTH], falls = c->p->shape == JMODEL_OBSTACLE_POTHOLE;
  jexpr_ref before = jexpr_neg(g, c->s);
  jexpr_ref behind = ends ? jexpr_sub(g, c->s, value(c, JMODEL_ROAD_LENGTH)) : before;
  if (!falls) {
    jexpr_ref away = ends ? jexpr_max(g, before, behind) : before;
    return jexpr_max(g, jexpr_sub(g, h, cam_at(c, cam, away)), zero);
  }
  jexpr_ref into = jexpr_min(g, c->s, jexpr_neg(g, behind));  // distance from the nearer edge
  return jexpr_max(g, jexpr_neg(g, cam_at(c, cam, into)), jexpr_neg(g, h));
}

jexpr_ref jgen_road_cam_over(const jgen_road_reading* r, const jmodel* m, const jgen_road_cam* cam,
                             jexpr_ref x, jexpr_ref y) {
  jexpr_graph* g = r->g;
  jexpr_ref sum = jexpr_const(g, 0.0);
  for (int i = 0; i < m->nroad_part; i++) {
    const jmodel_road_part* p = &m->road_part[i];
    if (!is_sharp(p)) continue;
    shape c = {r, g, p, x, y};
    c.s = jexpr_sub(g, x, value(&c, JMODEL_ROAD_START));
    sum = jexpr_add(g, sum, limited(&c, over(&c, cam)));
  }
  return sum;
}
