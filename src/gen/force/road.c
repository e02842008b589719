// SPDX-License-Identifier: Apache-2.0
// The road under a wheel: height and normal from the model's expression of x and y.
#include "gen/force/road.h"

#include "expr/rewrite.h"

typedef struct swap {
  jexpr_ref from[2], to[2];
} swap;

static jexpr_ref replace_inputs(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  (void)g;
  const swap* k = user;
  for (int i = 0; i < 2; i++) {
    if (r == k->from[i]) return k->to[i];
  }
  return rebuilt;
}

static jexpr_ref read_value(void* user, const jmodel_scalar* x, const char* name) {
  return jgen_scalar(user, x, name);
}

static int road_group(const jgen* s) {
  int group = -1;
  for (int i = 0; i < s->g->ngroup; i++) {
    if (strcmp(s->g->group[i].name, "road") == 0) group = i;
  }
  return group;
}

// Height and slopes at (x, y): the expression is read with placeholders for x and y, so that its slopes can be had by
// differentiation.
static bool height_at(jgen* s, jgen_road_which which, jexpr_ref x, jexpr_ref y, jexpr_ref all[3]) {
  jexpr_graph* g = s->g;
  int group = road_group(s);
  swap k = {{jexpr_input(g, group, 0), jexpr_input(g, group, 1)}, {x, y}};
  jgen_push_local(s, "x", k.from[0]);
  jgen_push_local(s, "y", k.from[1]);
  all[0] = jgen_scalar(s, &s->m->road, "road");
  jgen_pop_local(s, 2);
  jgen_road_reading reading = {g, group, read_value, s};
  all[0] = jexpr_add(g, all[0], jgen_road_parts(&reading, s->m, which, k.from[0], k.from[1]));
  if (!all[0]) return false;
  jexpr_tangent(g, &all[0], 1, &k.from[0], &s->one, 1, &all[1]);
  jexpr_tangent(g, &all[0], 1, &k.from[1], &s->one, 1, &all[2]);
  return jexpr_rewrite(g, replace_inputs, &k, all, 3) >= 0;
}

jgen_road jgen_road_under(jgen* s, jexpr_ref x, jexpr_ref y) {
  jexpr_graph* g = s->g;
  jgen_road r = {s->zero, jexpr_v3_const(g, 0.0, 0.0, 1.0)};
  s->has_read_road = true;
  jexpr_ref all[3];
  if (!s->m->has_road || !height_at(s, JGEN_ROAD_ALL, x, y, all)) return r;
  for (int i = 0; i < 3; i++) {
    all[i] = jexpr_settled(g, all[i]);
  }
  r.z = all[0];
  if (jexpr_is_value(g, all[1], 0.0) && jexpr_is_value(g, all[2], 0.0)) return r;
  r.n = (jexpr_v3){{jexpr_neg(g, all[1]), jexpr_neg(g, all[2]), s->one}};
  r.n = jexpr_v3_scale(g, jexpr_div(g, s->one, jexpr_v3_norm(g, r.n)), r.n);
  return r;
}

jexpr_ref jgen_road_smooth(jgen* s, jexpr_ref x, jexpr_ref y, jexpr_ref* slope_y) {
  jexpr_ref all[3];
  s->has_read_road = true;
  *slope_y = s->zero;
  if (!s->m->has_road || !height_at(s, JGEN_ROAD_SMOOTH, x, y, all)) return s->zero;
  *slope_y = all[2];
  return all[0];
}

jexpr_ref jgen_road_edges(jgen* s, const jgen_road_cam* cam, jexpr_ref x, jexpr_ref y) {
  jgen_road_reading reading = {s->g, road_group(s), read_value, s};
  return s->m->has_road ? jgen_road_cam_over(&reading, s->m, cam, x, y) : s->zero;
}
