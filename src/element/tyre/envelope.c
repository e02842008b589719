// SPDX-License-Identifier: Apache-2.0
// Contact with a patch: two elliptic cams, one behind the other, roll over the road, and the wheel stands on the plane
// through their lowest points, after Schmeitz (2004). docs/theory/road.md eqs. (R19)-(R22)
#include "element/tyre/contact.h"

#define ORDER   1.8
#define SHIFT   0.3    // distance of the cams, of the radius
#define SIDE    4      // samples before and behind the middle of a cam
#define SPACING 0.2    // of samples, of the half length of a cam
#define BLUR    0.004  // of the largest of samples, of the height of a cam

// ---- reading -------------------------------------------------------------------------------------

static const char* const kinds[] = {"point", "patch", NULL};
static const char* const patch[] = {"patch", NULL};
static const jmodel_key keys[] = {{JMODEL_KEY_WORD("kind", patch), .is_needed = true},
                                  {JMODEL_KEY_NUMBER("shift")},
                                  {JMODEL_KEY_NUMBER("length")},
                                  {JMODEL_KEY_NUMBER("height")},
                                  {JMODEL_KEY_NUMBER("order")},
                                  {0}};
const jmodel_key jelement_contact_form = {
    .name = "contact", .is = JMODEL_A_WORD | JMODEL_A_MAP, .words = kinds, .keys = keys};

static void read_cams(const jmodel_at* at, const jmodel_node* node, const jmodel_scalar* radius,
                      jelement_contact* c) {
  const jmodel_scope scope = JMODEL_SCOPE_PARAMETERS;
  jmodel_at of = {at->r, at->kind, at->name, jmodel_format(at->r, "%s.contact", at->path)};
  c->length = c->height = *radius;
  if (node->kind == JMODEL_NODE_MAP) {
    jmodel_check_keys(&of, node, keys);
    const jmodel_node* kind = jmodel_need(&of, node, "kind");
    if (kind) jmodel_word_at(&of, kind, "kind", patch);
    c->has_shift = jmodel_get_scalar(&of, node, "shift", scope, &c->shift);
    if (!jmodel_get_scalar(&of, node, "length", scope, &c->length)) c->length = *radius;
    if (!jmodel_get_scalar(&of, node, "height", scope, &c->height)) c->height = *radius;
    c->has_order = jmodel_get_scalar(&of, node, "order", scope, &c->order);
  }
  c->radius = *radius;
}

void jelement_read_contact(const jmodel_at* at, const jmodel_node* map, const jmodel_scalar* radius,
                           jelement_contact* c) {
  const jmodel_node* node = jmodel_node_find(map, "contact");
  if (!node) return;
  c->is_patch = node->kind == JMODEL_NODE_MAP || jmodel_word_at(at, node, "contact", kinds) == 1;
  if (c->is_patch) read_cams(at, node, radius, c);
}

// ---- equations -----------------------------------------------------------------------------------

typedef struct cam {
  jgen_road_cam shape;
  jexpr_ref z;        // height of the lowest point
  jexpr_ref slope_y;  // of the road below its middle
} cam;

// (R21) the largest of z(x + s) - e(s) over samples, as a sum of exponentials; on a level road that height exactly
static jexpr_ref roll(jgen* s, const jgen_road_cam* shape, jexpr_ref x, jexpr_ref y, jexpr_ref fx,
                      jexpr_ref fy, jexpr_ref* slope_y) {
  jexpr_graph* g = s->g;
  jexpr_ref unused, middle = jgen_road_smooth(s, x, y, slope_y);
  jexpr_ref blur = jexpr_mul(g, jexpr_const(g, BLUR), shape->b), sum = s->one, level = s->one;
  for (int k = -SIDE; k <= SIDE; k++) {
    if (k == 0) continue;
    jexpr_ref way = jexpr_mul(g, jexpr_const(g, k * SPACING), shape->a);
    jexpr_ref e = jgen_road_cam_height(g, shape, jexpr_const(g, (k < 0 ? -k : k) * SPACING));
    jexpr_ref at_x = jexpr_add(g, x, jexpr_mul(g, way, fx)),
              at_y = jexpr_add(g, y, jexpr_mul(g, way, fy));
    jexpr_ref over = jexpr_sub(g, jgen_road_smooth(s, at_x, at_y, &unused), middle);
    jexpr_ref down = jexpr_neg(g, jexpr_div(g, e, blur));
    sum = jexpr_add(g, sum, jexpr_exp(g, jexpr_add(g, jexpr_div(g, over, blur), down)));
    level = jexpr_add(g, level, jexpr_exp(g, down));
  }
  return jexpr_add(g, middle, jexpr_mul(g, blur, jexpr_log(g, jexpr_div(g, sum, level))));
}

static cam cam_at(jgen* s, const jgen_road_cam* shape, jexpr_ref x, jexpr_ref y, jexpr_ref fx,
                  jexpr_ref fy) {
  cam c = {.shape = *shape};
  c.z = roll(s, shape, x, y, fx, fy, &c.slope_y);
  c.z = jexpr_add(s->g, c.z, jgen_road_edges(s, shape, x, y));
  return c;
}

// (R22) height and normal of the plane through both: along the wheel by their difference, across it by the road's slope
static jgen_road plane(jgen* s, const cam* front, const cam* rear, jexpr_ref shift, jexpr_ref fx,
                       jexpr_ref fy) {
  jexpr_graph* g = s->g;
  jexpr_ref half = jexpr_const(g, 0.5);
  jexpr_ref along = jexpr_div(g, jexpr_sub(g, front->z, rear->z), shift);
  jexpr_ref across = jexpr_mul(g, half, jexpr_add(g, front->slope_y, rear->slope_y));
  // the slope by y is that across the wheel where it points along x; along the wheel it is in the cams already
  across = jexpr_mul(g, across, fx);
  jexpr_v3 n = {{jexpr_sub(g, jexpr_mul(g, across, fy), jexpr_mul(g, along, fx)),
                 jexpr_neg(g, jexpr_add(g, jexpr_mul(g, along, fy), jexpr_mul(g, across, fx))),
                 s->one}};
  jgen_road r = {.z = jexpr_mul(g, half, jexpr_add(g, front->z, rear->z))};
  r.n = jexpr_v3_scale(g, jexpr_div(g, s->one, jexpr_v3_norm(g, n)), n);
  return r;
}

jgen_road jelement_contact_plane(jgen* s, const jmodel_element* m, const jelement_contact* c,
                                 jexpr_v3 u, jexpr_v3 p) {
  if (!c->is_patch) return jgen_road_under(s, p.e[0], p.e[1]);
  jexpr_graph* g = s->g;
  jgen_road_cam shape = {jgen_scalar(s, &c->length, m->name), jgen_scalar(s, &c->height, m->name),
                         c->has_order ? jgen_scalar(s, &c->order, m->name) : jexpr_const(g, ORDER)};
  jexpr_ref shift = c->has_shift
                        ? jgen_scalar(s, &c->shift, m->name)
                        : jexpr_mul(g, jexpr_const(g, SHIFT), jgen_scalar(s, &c->radius, m->name));
  // forward and level: u x z = (u_y, -u_x, 0)
  jexpr_ref level = jexpr_add(g, jexpr_mul(g, u.e[0], u.e[0]), jexpr_mul(g, u.e[1], u.e[1]));
  jexpr_ref over = jexpr_div(g, s->one, jexpr_sqrt(g, level));
  jexpr_ref fx = jexpr_mul(g, u.e[1], over), fy = jexpr_neg(g, jexpr_mul(g, u.e[0], over));
  cam both[2];
  for (int i = 0; i < 2; i++) {
    jexpr_ref way = jexpr_mul(g, jexpr_const(g, i == 0 ? 0.5 : -0.5), shift);
    jexpr_ref x = jexpr_add(g, p.e[0], jexpr_mul(g, way, fx));
    both[i] = cam_at(s, &shape, x, jexpr_add(g, p.e[1], jexpr_mul(g, way, fy)), fx, fy);
  }
  return plane(s, &both[0], &both[1], shift, fx, fy);
}
