// SPDX-License-Identifier: Apache-2.0
// Inertia of links: moving it between frames, and base parameters. What of a body's inertia looks the
// same however its joint stands may as well belong to the parent: the equations do not change, but many
// of their coefficients become zero. docs/theory/dynamics.md eqs. (D12), (D13).
#include "gen/build.h"

// ---- change of frame -----------------------------------------------------------------------------

// R I R^T, symmetric: the upper half is computed and mirrored
static jexpr_m3 rotate(jgen* s, const jexpr_m3* R, const jexpr_m3* I) {
  jexpr_graph* g = s->g;
  jexpr_m3 A = jexpr_m3_mul(g, R, I), out;
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      jexpr_v3 row = {{A.e[i][0], A.e[i][1], A.e[i][2]}};
      jexpr_v3 col = {{R->e[j][0], R->e[j][1], R->e[j][2]}};
      out.e[i][j] = out.e[j][i] = jexpr_v3_dot(g, row, col);
    }
  }
  return out;
}

int jgen_turn_axis(const jgen_link* l) {
  return l->motion == JGEN_TURN && !l->turned && !l->spins_free ? l->axis : -1;
}

// The same for a turn about coordinate axis k, i and j the next ones, c and s of the angle:
//   e = s (I_ii - I_jj) + 2 c I_ij
//   I'_ii = I_ii - s e    I'_jj = I_jj + s e    I'_ij = c e - I_ij
//   I'_ik = c I_ik - s I_jk                     I'_jk = s I_ik + c I_jk
static jexpr_m3 rotate_about(jgen* s, const jexpr_m3* R, int k, const jexpr_m3* I) {
  jexpr_graph* g = s->g;
  int i = (k + 1) % 3, j = (k + 2) % 3;
  jexpr_ref cos_q = R->e[i][i], sin_q = R->e[j][i];
  jexpr_ref twice = jexpr_mul(g, jexpr_const(g, 2.0), I->e[i][j]);
  jexpr_ref e = jexpr_add(g, jexpr_mul(g, sin_q, jexpr_sub(g, I->e[i][i], I->e[j][j])),
                          jexpr_mul(g, cos_q, twice));
  jexpr_ref se = jexpr_mul(g, sin_q, e);
  jexpr_m3 out = *I;
  out.e[i][i] = jexpr_sub(g, I->e[i][i], se);
  out.e[j][j] = jexpr_add(g, I->e[j][j], se);
  out.e[i][j] = out.e[j][i] = jexpr_sub(g, jexpr_mul(g, cos_q, e), I->e[i][j]);
  out.e[i][k] = out.e[k][i] =
      jexpr_sub(g, jexpr_mul(g, cos_q, I->e[i][k]), jexpr_mul(g, sin_q, I->e[j][k]));
  out.e[j][k] = out.e[k][j] =
      jexpr_add(g, jexpr_mul(g, sin_q, I->e[i][k]), jexpr_mul(g, cos_q, I->e[j][k]));
  return out;
}

jexpr_m3 jgen_turn_symmetric(jgen* s, const jgen_link* l, const jexpr_m3* I) {
  int axis = jgen_turn_axis(l);
  return axis >= 0 ? rotate_about(s, &l->R, axis, I) : rotate(s, &l->R, I);
}

// (D13)  about the parent's origin:
//   s_h += R s + m r      I_h += R I R^T + (2 r.s' + m r.r) 1 - (r s'^T + s' r^T) - m r r^T,  s' = R s
// with p = s' + m r / 2:   2 (r.p) 1 - (r p^T + p r^T)
void jgen_inertia_add(jgen* s, jgen_inertia* to, const jgen_inertia* what, const jexpr_m3* R,
                      int axis, jexpr_v3 r) {
  jexpr_graph* g = s->g;
  jexpr_v3 turned = jexpr_m3_apply(g, R, what->s), mr = jexpr_v3_scale(g, what->m, r);
  jexpr_v3 p = jexpr_v3_add(g, turned, jexpr_v3_scale(g, jexpr_const(g, 0.5), mr));
  jexpr_m3 I = axis >= 0 ? rotate_about(s, R, axis, &what->I) : rotate(s, R, &what->I);
  jexpr_ref rp[3];
  for (int i = 0; i < 3; i++) {
    rp[i] = jexpr_mul(g, jexpr_const(g, 2.0), jexpr_mul(g, r.e[i], p.e[i]));
  }
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      jexpr_ref cross = jexpr_add(g, jexpr_mul(g, r.e[i], p.e[j]), jexpr_mul(g, p.e[i], r.e[j]));
      jexpr_ref shift =
          i == j ? jexpr_add(g, rp[(i + 1) % 3], rp[(i + 2) % 3]) : jexpr_neg(g, cross);
      to->I.e[i][j] = jexpr_add(g, to->I.e[i][j], jexpr_add(g, I.e[i][j], shift));
      to->I.e[j][i] = to->I.e[i][j];
    }
  }
  to->m = jexpr_add(g, to->m, what->m);
  to->s = jexpr_v3_add(g, to->s, jexpr_v3_add(g, turned, mr));
}

// ---- base parameters -----------------------------------------------------------------------------

static bool all_const(const jexpr_graph* g, const jexpr_ref* r, int n) {
  for (int i = 0; i < n; i++) {
    if (!jexpr_is_const(g, r[i])) return false;
  }
  return true;
}

// Only numbers are moved: with live ones in play the sums would have to be evaluated each time.
static bool is_fixed(const jgen* s, const jgen_inertia* b, const jgen_link* l) {
  return all_const(s->g, &b->m, 1) && all_const(s->g, b->s.e, 3) &&
         all_const(s->g, &b->I.e[0][0], 9) && all_const(s->g, l->d.e, 3) &&
         all_const(s->g, &l->Rc.e[0][0], 9);
}

static jgen_inertia no_inertia(jexpr_graph* g) {
  return (jgen_inertia){jexpr_const(g, 0.0), jexpr_v3_zero(g), jexpr_m3_zero(g)};
}

// (D12)  of a link that turns about axis k: mass, first moment along k, second moment along k. A rod
// along the axis, which does not show how far it is turned:
//   S_kk = (I_ii + I_jj - I_kk) / 2,   I = diag(S_kk, S_kk, 0)
// of a link that slides: its second moments, since it turns with the parent.
static jgen_inertia take_invariant(jgen* s, jgen_inertia* b, const jgen_link* l) {
  jexpr_graph* g = s->g;
  jgen_inertia out = no_inertia(g), left = no_inertia(g);
  if (l->motion == JGEN_FIXED) {
    out = *b;
    *b = left;
    return out;
  }
  if (l->motion == JGEN_SLIDE) {
    out.I = b->I;
    b->I = left.I;
    return out;
  }
  int k = l->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  jexpr_ref sum = jexpr_sub(g, jexpr_add(g, b->I.e[i][i], b->I.e[j][j]), b->I.e[k][k]);
  jexpr_ref S = jexpr_mul(g, jexpr_const(g, 0.5), sum);
  out.m = b->m;
  out.s.e[k] = b->s.e[k];
  out.I.e[i][i] = out.I.e[j][j] = S;
  b->m = left.m;
  b->s.e[k] = left.m;
  b->I.e[i][i] = jexpr_sub(g, b->I.e[i][i], S);
  b->I.e[j][j] = jexpr_sub(g, b->I.e[j][j], S);
  return out;
}

static bool is_body(const jgen* s, int link) {
  return link == 0 || s->link[link].has_mass;
}

// First link of a chain of turns through one point without bodies between, or -1.
static int chain_root(const jgen* s, int link) {
  const jexpr_graph* g = s->g;
  for (int l = link;; l = s->link[l].parent) {
    const jgen_link* k = &s->link[l];
    if (k->motion != JGEN_TURN) return -1;
    if (is_body(s, k->parent)) return l;
    for (int i = 0; i < 3; i++) {
      if (!jexpr_is_value(g, k->d.e[i], 0.0)) return -1;
    }
  }
}

static void regroup(jgen* s, jgen_inertia* base, int link) {
  const jgen_link* l = &s->link[link];
  if (!is_fixed(s, &base[link], l)) return;
  if (is_body(s, l->parent)) {
    jgen_inertia part = take_invariant(s, &base[link], l);
    if (l->parent > 0) jgen_inertia_add(s, &base[l->parent], &part, &l->Rc, -1, l->d);
    return;
  }
  // a ball or universal joint: the mass may sit in its centre
  int root = chain_root(s, link);
  if (root < 0 || !all_const(s->g, s->link[root].d.e, 3)) return;
  jgen_inertia part = no_inertia(s->g);
  part.m = base[link].m;
  base[link].m = s->zero;
  const jgen_link* first = &s->link[root];
  if (first->parent > 0) {
    jgen_inertia_add(s, &base[first->parent], &part, &first->Rc, -1, first->d);
  }
}

const jgen_inertia* jgen_base_inertia(jgen* s) {
  if (s->base) return s->base;
  jgen_inertia* base = JARENA_ARRAY(s->a, s->nlink, jgen_inertia);
  if (!base) return NULL;
  for (int l = 0; l < s->nlink; l++) {
    const jgen_link* k = &s->link[l];
    base[l] = k->has_mass ? (jgen_inertia){k->m, k->s, k->I} : no_inertia(s->g);
  }
  for (int l = s->nlink - 1; l > 0; l--) {
    if (s->link[l].has_mass && s->hub_of[l] == 0) regroup(s, base, l);
  }
  return s->base = base;
}
