// SPDX-License-Identifier: Apache-2.0
// Equations of the tree: recursive Newton-Euler for the bias, composite bodies for the mass matrix.
// Unknowns are the joint accelerations; those of a hub's six freedoms are replaced by the true
// accelerations of the hub in its own axes, three linear and three angular, which keeps the
// attitude of the vehicle out of the mass matrix. docs/theory/dynamics.md eqs. (D9)-(D16).
#include "base/assert.h"
#include "gen/build.h"

// ---- Newton-Euler --------------------------------------------------------------------------------

// (D9)   f = m a + beta s
// (D10)  n = sum r x (beta r) dm + s x a     by the second moments S = tr(I)/2 1 - I:
//        n_x = P_zy - P_yz ...               P = beta S
jgen_wrench jgen_inertial_wrench(jgen* s, const jgen_inertia* l, const jgen_absolute* k) {
  jexpr_graph* g = s->g;
  jgen_wrench w;
  w.f = jexpr_v3_add(g, jexpr_v3_scale(g, l->m, k->a), jexpr_m3_apply(g, &k->beta, l->s));
  jexpr_ref trace = jexpr_add(g, l->I.e[0][0], jexpr_add(g, l->I.e[1][1], l->I.e[2][2]));
  jexpr_m3 S;
  for (int i = 0; i < 9; i++) {
    int r = i / 3, c = i % 3;
    S.e[r][c] = jexpr_neg(g, l->I.e[r][c]);
    if (r == c) S.e[r][c] = jexpr_add(g, jexpr_mul(g, jexpr_const(g, 0.5), trace), S.e[r][c]);
  }
  jexpr_m3 P = jexpr_m3_mul(g, &k->beta, &S);
  jexpr_v3 n = {{jexpr_sub(g, P.e[2][1], P.e[1][2]), jexpr_sub(g, P.e[0][2], P.e[2][0]),
                 jexpr_sub(g, P.e[1][0], P.e[0][1])}};
  w.n = jexpr_v3_add(g, n, jexpr_v3_cross(g, l->s, k->a));
  return w;
}

// (D11)  f_h += R f      n_h += R n + shift x R f
void jgen_pass_to_parent(jgen* s, jgen_wrench* w, int link) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  jexpr_v3 f = jexpr_m3_apply(g, &l->R, w[link].f);
  jexpr_v3 n = jexpr_m3_apply(g, &l->R, w[link].n);
  jgen_wrench* h = &w[l->parent];
  h->f = jexpr_v3_add(g, h->f, f);
  h->n = jexpr_v3_add(g, h->n, jexpr_v3_add(g, n, jexpr_v3_cross(g, l->shift, f)));
}

jgen_wrench* jgen_link_wrenches(jgen* s) {
  jexpr_graph* g = s->g;
  jgen_wrench* w = JARENA_ARRAY(s->a, s->nlink, jgen_wrench);
  const jgen_inertia* base = jgen_base_inertia(s);
  if (!w || !base) {
    g->status = jerr_memory(s->ctx);
    return NULL;
  }
  w[0] = (jgen_wrench){jexpr_v3_zero(g), jexpr_v3_zero(g)};
  for (int l = 1; l < s->nlink; l++) {
    w[l] = w[0];
    if (jgen_is_before_hub(s, l)) continue;
    jgen_absolute_motion(s, s->dyn, true, l);
    w[l] = jgen_inertial_wrench(s, &base[l], &s->dyn[l]);
    w[l].f = jexpr_v3_sub(g, w[l].f, s->wrench[l].f);
    w[l].n = jexpr_v3_sub(g, w[l].n, s->wrench[l].n);
  }
  return w;
}

// c_i = axis . n (turn) or axis . f (slide), less the applied generalised force
void jgen_forces_along(jgen* s, jgen_wrench* w, jexpr_ref* c) {
  jexpr_graph* g = s->g;
  for (int l = s->nlink - 1; l > 0; l--) {
    if (jgen_is_before_hub(s, l)) continue;
    jgen_mark_v3(s, w[l].f, "f", l);
    jgen_mark_v3(s, w[l].n, "n", l);
    if (jgen_is_hub(s, l)) {
      const int* of_hub = jgen_hub_at(s, l)->coordinate;
      for (int i = 0; i < 3; i++) {
        c[of_hub[i]] = w[l].f.e[i];
        c[of_hub[3 + i]] = w[l].n.e[i];
      }
      continue;
    }
    const jgen_link* k = &s->link[l];
    if (k->motion != JGEN_FIXED) {
      jexpr_ref own = k->motion == JGEN_TURN ? w[l].n.e[k->axis] : w[l].f.e[k->axis];
      c[k->coordinate] = jexpr_sub(g, own, s->applied[k->coordinate]);
    }
    jgen_pass_to_parent(s, w, l);
  }
}

void jgen_bias_forces(jgen* s, jexpr_ref* c) {
  jgen_wrench* w = jgen_link_wrenches(s);
  if (w) jgen_forces_along(s, w, c);
}

// ---- composite bodies ----------------------------------------------------------------------------

// (D14)  momentum of the composite body per unit acceleration of its coordinate:
//   turn   f = e x s,  n = I e          slide   f = m e,  n = s x e
jgen_wrench jgen_unit_wrench(jgen* s, const jgen_inertia* b, const jgen_link* l) {
  jexpr_graph* g = s->g;
  jexpr_v3 e = jexpr_v3_zero(g);
  e.e[l->axis] = s->one;
  if (l->motion == JGEN_SLIDE) {
    return (jgen_wrench){jexpr_v3_scale(g, b->m, e), jexpr_v3_cross(g, b->s, e)};
  }
  return (jgen_wrench){jexpr_v3_cross(g, e, b->s), jexpr_m3_apply(g, &b->I, e)};
}

static void set_entry(jgen* s, jexpr_ref* M, int i, int j, jexpr_ref value) {
  int n = s->m->ncoordinate;
  M[i * n + j] = M[j * n + i] = value;
  jexpr_mark(s->g, value, "M(%s, %s)", s->m->coordinate[i].name, s->m->coordinate[j].name);
}

// (D15)  column of coordinate i: its unit wrench, carried to every ancestor
static void mass_column(jgen* s, const jgen_inertia* b, int link, jexpr_ref* M) {
  jexpr_graph* g = s->g;
  int i = s->link[link].coordinate;
  jgen_wrench w = jgen_unit_wrench(s, &b[link], &s->link[link]);
  for (int l = link; l > 0; l = s->link[l].parent) {
    const jgen_link* k = &s->link[l];
    if (jgen_is_hub(s, l)) {
      const int* of_hub = jgen_hub_at(s, l)->coordinate;
      for (int c = 0; c < 3; c++) {
        set_entry(s, M, i, of_hub[c], w.f.e[c]);
        set_entry(s, M, i, of_hub[3 + c], w.n.e[c]);
      }
      return;
    }
    if (k->motion != JGEN_FIXED) {
      set_entry(s, M, i, k->coordinate, k->motion == JGEN_TURN ? w.n.e[k->axis] : w.f.e[k->axis]);
    }
    jexpr_v3 f = jexpr_m3_apply(g, &k->R, w.f);
    jexpr_v3 n = jexpr_v3_add(g, jexpr_m3_apply(g, &k->R, w.n), jexpr_v3_cross(g, k->shift, f));
    w = (jgen_wrench){f, n};
  }
}

// (D16)  [ m 1   -[s]x ]
//        [ [s]x   I    ]   in hub axes
static void hub_block(jgen* s, int hub, const jgen_inertia* b, jexpr_ref* M) {
  const int* x = jgen_hub_at(s, hub)->coordinate;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    set_entry(s, M, x[i], x[i], b->m);
    set_entry(s, M, x[3 + k], x[j], b->s.e[i]);  // n_k = (s x f)_k
    set_entry(s, M, x[3 + j], x[k], jexpr_neg(s->g, b->s.e[i]));
    for (int c = 0; c < 3; c++) {
      set_entry(s, M, x[3 + i], x[3 + c], b->I.e[i][c]);
    }
  }
}

static const jgen_inertia* composite_bodies(jgen* s) {
  if (s->composite) return s->composite;
  const jgen_inertia* own = jgen_base_inertia(s);
  jgen_inertia* b = JARENA_ARRAY(s->a, s->nlink, jgen_inertia);
  if (!b || !own) {
    s->g->status = jerr_memory(s->ctx);
    return NULL;
  }
  for (int l = 0; l < s->nlink; l++) {
    b[l] = own[l];
  }
  for (int l = s->nlink - 1; l > 0; l--) {
    const jgen_link* k = &s->link[l];
    if (k->parent == 0 || s->hub_of[l]) continue;
    jgen_inertia_add(s, &b[k->parent], &b[l], &k->R, jgen_turn_axis(k), k->shift);
  }
  return s->composite = b;
}

void jgen_mass_matrix(jgen* s, jexpr_ref* M) {
  int n = s->m->ncoordinate;
  for (int i = 0; i < n * n; i++) {
    M[i] = s->zero;
  }
  const jgen_inertia* b = composite_bodies(s);
  for (int l = s->nlink - 1; b && l > 0; l--) {
    if (jgen_is_hub(s, l)) hub_block(s, l, &b[l], M);
    if (s->hub_of[l] == 0 && s->link[l].motion != JGEN_FIXED) mass_column(s, b, l, M);
  }
}

// ---- reduced matrix ------------------------------------------------------------------------------

// What the motion K_i of one unknown needs, at every link: along its coordinate, from what it carries (before) and with
// itself (after); and at hubs.
typedef struct momentum {
  jexpr_ref *before, *after;  // (nlink)
  jgen_wrench* at_hub;        // (nhub)
} momentum;

static bool is_nothing(const jexpr_graph* g, const jgen_wrench* w) {
  for (int i = 0; i < 3; i++) {
    if (!jexpr_is_value(g, w->f.e[i], 0.0) || !jexpr_is_value(g, w->n.e[i], 0.0)) return false;
  }
  return true;
}

static void add_scaled(jexpr_graph* g, jgen_wrench* w, jexpr_ref k, const jgen_wrench* unit) {
  w->f = jexpr_v3_add(g, w->f, jexpr_v3_scale(g, k, unit->f));
  w->n = jexpr_v3_add(g, w->n, jexpr_v3_scale(g, k, unit->n));
}

static jexpr_ref along_axis(const jgen_link* l, const jgen_wrench* w) {
  return l->motion == JGEN_TURN ? w->n.e[l->axis] : w->f.e[l->axis];
}

// (D24)  w_l = sum over its children of w by (D11) + K_l F_l      F_l: unit wrench (D14)
//        before_l = axis . w_l without the last term, after_l with it
static void carry_momentum(jgen* s, const jgen_inertia* b, int n, const jexpr_ref* K, int i,
                           jgen_wrench* w, momentum* out) {
  jexpr_graph* g = s->g;
  for (int l = 0; l < s->nlink; l++) {
    w[l] = (jgen_wrench){jexpr_v3_zero(g), jexpr_v3_zero(g)};
    out->before[l] = out->after[l] = s->zero;
  }
  for (int l = s->nlink - 1; l > 0; l--) {
    const jgen_link* k = &s->link[l];
    if (s->hub_of[l]) continue;
    if (k->motion != JGEN_FIXED) {
      jexpr_ref share = K[k->coordinate * n + i];
      jgen_wrench unit = jgen_unit_wrench(s, &b[l], k);
      out->before[l] = along_axis(k, &w[l]);
      if (!jexpr_is_value(g, share, 0.0)) add_scaled(g, &w[l], share, &unit);
      out->after[l] = along_axis(k, &w[l]);
    }
    if (k->parent > 0 && !is_nothing(g, &w[l])) jgen_pass_to_parent(s, w, l);
  }
  for (int h = 0; h < s->nhub; h++) {
    out->at_hub[h] = w[s->hub[h].link];
  }
}

// (D25)  Mr_ij = sum over links of K_li after_lj + K_lj before_li
static jexpr_ref reduced_entry(jgen* s, int n, const jexpr_ref* K, const momentum* p, int i,
                               int j) {
  jexpr_graph* g = s->g;
  jexpr_ref sum = s->zero;
  for (int l = 1; l < s->nlink; l++) {
    if (s->hub_of[l] || s->link[l].motion == JGEN_FIXED) continue;
    const jexpr_ref* k = K + s->link[l].coordinate * n;
    if (i == j) {
      jexpr_ref both = jexpr_add(g, p[i].before[l], p[i].after[l]);
      sum = jexpr_add(g, sum, jexpr_mul(g, k[i], both));
      continue;
    }
    sum = jexpr_add(g, sum, jexpr_mul(g, k[i], p[j].after[l]));
    sum = jexpr_add(g, sum, jexpr_mul(g, k[j], p[i].before[l]));
  }
  return sum;
}

// Which unknown moves a coordinate of a hub; K has a single one there.
static int unknown_of(jgen* s, int n, const jexpr_ref* K, int coordinate) {
  for (int i = 0; i < n; i++) {
    if (jexpr_is_value(s->g, K[coordinate * n + i], 1.0)) return i;
  }
  JASSERT(false);
  return 0;
}

static void put_hub(jgen* s, int n, const jexpr_ref* K, const momentum* p, int h, jexpr_ref* Mr) {
  int nq = s->m->ncoordinate, at[6];
  jexpr_ref* M = JARENA_ARRAY(s->a, nq * nq, jexpr_ref);
  if (!M) {
    s->g->status = jerr_memory(s->ctx);
    return;
  }
  hub_block(s, s->hub[h].link, &s->composite[s->hub[h].link], M);
  for (int c = 0; c < 6; c++) {
    at[c] = unknown_of(s, n, K, s->hub[h].coordinate[c]);
  }
  for (int c = 0; c < 6; c++) {
    for (int i = 0; i < n; i++) {
      jexpr_ref e = c < 3 ? p[i].at_hub[h].f.e[c] : p[i].at_hub[h].n.e[c - 3];
      if (!jexpr_is_value(s->g, e, 0.0)) Mr[at[c] * n + i] = Mr[i * n + at[c]] = e;
    }
    for (int d = 0; d < 6; d++) {
      jexpr_ref e = M[s->hub[h].coordinate[c] * nq + s->hub[h].coordinate[d]];
      Mr[at[c] * n + at[d]] = e ? e : s->zero;
    }
  }
}

void jgen_reduced_matrix(jgen* s, int n, const jexpr_ref* K, jexpr_ref* Mr) {
  const jgen_inertia* b = composite_bodies(s);
  momentum* p = JARENA_ARRAY(s->a, n, momentum);
  jgen_wrench* w = JARENA_ARRAY(s->a, s->nlink, jgen_wrench);
  bool ok = b && p && w;
  for (int i = 0; ok && i < n; i++) {
    p[i] =
        (momentum){JARENA_ARRAY(s->a, s->nlink, jexpr_ref), JARENA_ARRAY(s->a, s->nlink, jexpr_ref),
                   JARENA_ARRAY(s->a, s->nhub, jgen_wrench)};
    ok = p[i].before && p[i].after && p[i].at_hub;
    if (ok) carry_momentum(s, b, n, K, i, w, &p[i]);
  }
  if (!ok) {
    s->g->status = jerr_memory(s->ctx);
    return;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      Mr[i * n + j] = Mr[j * n + i] = reduced_entry(s, n, K, p, i, j);
    }
  }
  for (int h = 0; h < s->nhub; h++) {
    put_hub(s, n, K, p, h, Mr);
  }
}

// ---- matrix times rates ----------------------------------------------------------------------------

// (D22)  w = R^T w_h (+ e qdot)      v = R^T (v_h + w_h x shift) (+ e qdot);   those of a hub as they are
void jgen_link_rates(jgen* s, int link, const jexpr_ref* rate, jexpr_v3* v, jexpr_v3* w) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  if (jgen_is_hub(s, link)) {
    const int* of_hub = jgen_hub_at(s, link)->coordinate;
    for (int i = 0; i < 3; i++) {
      v[link].e[i] = rate[of_hub[i]];
      w[link].e[i] = rate[of_hub[3 + i]];
    }
    return;
  }
  jexpr_v3 swept = jexpr_v3_add(g, v[l->parent], jexpr_v3_cross(g, w[l->parent], l->shift));
  w[link] = jexpr_m3_tapply(g, &l->R, w[l->parent]);
  v[link] = jexpr_m3_tapply(g, &l->R, swept);
  if (l->motion == JGEN_FIXED) return;
  jexpr_v3* moved = l->motion == JGEN_TURN ? &w[link] : &v[link];
  moved->e[l->axis] = jexpr_add(g, moved->e[l->axis], rate[l->coordinate]);
}

// (D9), (D10) of rates alone:  f = m v + w x s      n = I w + s x v
static jgen_wrench momentum_of(jgen* s, const jgen_inertia* b, jexpr_v3 v, jexpr_v3 w) {
  jexpr_graph* g = s->g;
  jexpr_v3 f = jexpr_v3_add(g, jexpr_v3_scale(g, b->m, v), jexpr_v3_cross(g, w, b->s));
  jexpr_v3 n = jexpr_v3_add(g, jexpr_m3_apply(g, &b->I, w), jexpr_v3_cross(g, b->s, v));
  return (jgen_wrench){f, n};
}

// (D26)  M qdot by recursion: rates of links from the ground to the leaves, what they need back, (D11)
void jgen_mass_times(jgen* s, const jexpr_ref* rate, jexpr_ref* out) {
  jexpr_graph* g = s->g;
  const jgen_inertia* own = jgen_base_inertia(s);
  jexpr_v3 *v = JARENA_ARRAY(s->a, s->nlink, jexpr_v3), *w = JARENA_ARRAY(s->a, s->nlink, jexpr_v3);
  jgen_wrench* h = JARENA_ARRAY(s->a, s->nlink, jgen_wrench);
  if (!own || !v || !w || !h) {
    g->status = jerr_memory(s->ctx);
    return;
  }
  for (int l = 0; l < s->nlink; l++) {
    v[l] = w[l] = jexpr_v3_zero(g);
    h[l] = (jgen_wrench){v[l], w[l]};
    if (l == 0 || jgen_is_before_hub(s, l)) continue;
    jgen_link_rates(s, l, rate, v, w);
    h[l] = momentum_of(s, &own[l], v[l], w[l]);
  }
  for (int l = s->nlink - 1; l > 0; l--) {
    const jgen_link* k = &s->link[l];
    if (jgen_is_hub(s, l)) {
      const int* of_hub = jgen_hub_at(s, l)->coordinate;
      for (int i = 0; i < 3; i++) {
        out[of_hub[i]] = h[l].f.e[i];
        out[of_hub[3 + i]] = h[l].n.e[i];
      }
    }
    if (s->hub_of[l]) continue;
    if (k->motion != JGEN_FIXED) out[k->coordinate] = along_axis(k, &h[l]);
    if (k->parent > 0) jgen_pass_to_parent(s, h, l);
  }
}

// ---- energies ------------------------------------------------------------------------------------

// Velocity of the link origin, link frame: v = R^T (v_h + w_h x shift) (+ e qd)
static void origin_velocity(jgen* s, jexpr_v3* v, int link) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  jexpr_v3 swept = jexpr_v3_cross(g, s->dyn[l->parent].w, l->shift);
  v[link] = jexpr_m3_tapply(g, &l->R, jexpr_v3_add(g, v[l->parent], swept));
  if (l->motion == JGEN_SLIDE) {
    v[link].e[l->axis] = jexpr_add(g, v[link].e[l->axis], s->qd[l->coordinate]);
  }
}

jexpr_ref jgen_kinetic_energy(jgen* s) {
  jexpr_graph* g = s->g;
  jexpr_v3* v = JARENA_ARRAY(s->a, s->nlink, jexpr_v3);
  if (!v) {
    g->status = jerr_memory(s->ctx);
    return JEXPR_POISON;
  }
  jexpr_ref T = s->zero;
  jgen_absolute_motion(s, s->dyn, true, 0);
  v[0] = jexpr_v3_zero(g);
  for (int l = 1; l < s->nlink; l++) {
    jgen_absolute_motion(s, s->dyn, true, l);
    origin_velocity(s, v, l);
    const jgen_link* k = &s->link[l];
    if (!k->has_mass) continue;
    jexpr_v3 w = s->dyn[l].w;
    jexpr_ref turn = jexpr_v3_dot(g, w, jexpr_m3_apply(g, &k->I, w));
    jexpr_ref mixed = jexpr_v3_dot(g, v[l], jexpr_v3_cross(g, w, k->s));
    jexpr_ref move = jexpr_mul(g, k->m, jexpr_v3_dot(g, v[l], v[l]));
    jexpr_ref twice = jexpr_mul(g, jexpr_const(g, 2.0), mixed);
    T = jexpr_add(g, T, jexpr_add(g, move, jexpr_add(g, turn, twice)));
  }
  return jexpr_mul(g, jexpr_const(g, 0.5), T);
}

jexpr_ref jgen_potential_energy(jgen* s) {
  jexpr_graph* g = s->g;
  jexpr_v3 gravity = jgen_vector(s, &s->m->gravity, "gravity");
  jexpr_ref V = s->zero;
  for (int l = 1; l < s->nlink; l++) {
    const jgen_link* k = &s->link[l];
    if (!k->has_mass) continue;
    jexpr_v3 o = jgen_ground_position(s, l, jexpr_v3_zero(g));
    jexpr_v3 moment = jexpr_v3_add(g, jexpr_v3_scale(g, k->m, o), jgen_to_ground(s, l, k->s));
    V = jexpr_sub(g, V, jexpr_v3_dot(g, gravity, moment));
  }
  return V;
}
