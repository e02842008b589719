// SPDX-License-Identifier: Apache-2.0
// Accelerations of a long tree without its mass matrix, whose factors grow with the cube of its length:
// articulated bodies from the leaves to the root, then accelerations back to the leaves, a fixed number
// of operations for every link. docs/theory/dynamics.md eqs. (D18)-(D22).
#include "gen/build.h"
#include "gen/reduce.h"

// What a link with all it carries resists with, its joints free to move:  f = A a + H al + p.f
//                                                                         n = H^T a + J al + p.n
typedef struct articulated {
  jexpr_m3 A, H, J;
  jgen_wrench p;
  jgen_wrench U;         // per unit of acceleration of the joint
  jexpr_ref inverse, u;  // 1/D, and what is left to accelerate it
  jexpr_v3 a, al;        // acceleration beyond the bias
} articulated;

typedef struct tree {
  jgen* s;
  articulated* link;
  jexpr_ref* x;  // by coordinate
} tree;

// [r]x: r x v = [r]x v
static jexpr_m3 skew(jexpr_graph* g, jexpr_v3 r) {
  jexpr_m3 S = jexpr_m3_zero(g);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    S.e[k][j] = r.e[i];
    S.e[j][k] = jexpr_neg(g, r.e[i]);
  }
  return S;
}

static jexpr_m3 negative(jexpr_graph* g, const jexpr_m3* A) {
  jexpr_m3 N;
  for (int i = 0; i < 9; i++) {
    N.e[i / 3][i % 3] = jexpr_neg(g, A->e[i / 3][i % 3]);
  }
  return N;
}

static jexpr_m3 difference(jexpr_graph* g, const jexpr_m3* A, const jexpr_m3* B) {
  jexpr_m3 N = negative(g, B);
  return jexpr_m3_add(g, A, &N);
}

// R A R^T
static jexpr_m3 turned(jexpr_graph* g, const jexpr_m3* R, const jexpr_m3* A) {
  jexpr_m3 left = jexpr_m3_mul(g, R, A), transposed = jexpr_m3_transpose(R);
  return jexpr_m3_mul(g, &left, &transposed);
}

// c a b^T, symmetric where a = b
static jexpr_m3 outer(jexpr_graph* g, jexpr_ref c, jexpr_v3 a, jexpr_v3 b) {
  jexpr_m3 P;
  for (int i = 0; i < 9; i++) {
    P.e[i / 3][i % 3] = jexpr_mul(g, c, jexpr_mul(g, a.e[i / 3], b.e[i % 3]));
  }
  return P;
}

static jexpr_v3 column(const jexpr_m3* A, int k) {
  return (jexpr_v3){{A->e[0][k], A->e[1][k], A->e[2][k]}};
}

static jexpr_v3 row(const jexpr_m3* A, int k) {
  return (jexpr_v3){{A->e[k][0], A->e[k][1], A->e[k][2]}};
}

// (D18)  A = m 1      H = -[s]x      J = I      p: as for the bias (D9)-(D10), less applied forces
static void begin_link(articulated* k, jexpr_graph* g, const jgen_inertia* own, jgen_wrench p) {
  jexpr_m3 S = skew(g, own->s);
  k->A = jexpr_m3_zero(g);
  for (int i = 0; i < 3; i++) {
    k->A.e[i][i] = own->m;
  }
  k->H = negative(g, &S);
  k->J = own->I;
  k->p = p;
  k->a = k->al = jexpr_v3_zero(g);
}

// (D19)  turn: U = (H e, J e), D = e . J e      slide: U = (A e, H^T e), D = e . A e
//        u = applied - e . p
//        [A H; H^T J] -= U U^T / D      p += U u / D
static void free_joint(tree* t, int i) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[i];
  articulated* k = &t->link[i];
  if (l->motion == JGEN_FIXED) return;
  bool is_turn = l->motion == JGEN_TURN;
  k->U.f = is_turn ? column(&k->H, l->axis) : column(&k->A, l->axis);
  k->U.n = is_turn ? column(&k->J, l->axis) : row(&k->H, l->axis);
  jexpr_ref D = is_turn ? k->U.n.e[l->axis] : k->U.f.e[l->axis];
  jexpr_ref along = is_turn ? k->p.n.e[l->axis] : k->p.f.e[l->axis];
  k->inverse = jexpr_mark(g, jexpr_div(g, s->one, D), "articulated: 1/D.%d", i);
  k->u = jexpr_mark(g, jexpr_sub(g, s->applied[l->coordinate], along), "articulated: u.%d", i);
  jexpr_m3 P = outer(g, k->inverse, k->U.f, k->U.f), Q = outer(g, k->inverse, k->U.f, k->U.n);
  jexpr_m3 N = outer(g, k->inverse, k->U.n, k->U.n);
  k->A = difference(g, &k->A, &P);
  k->H = difference(g, &k->H, &Q);
  k->J = difference(g, &k->J, &N);
  jexpr_ref share = jexpr_mul(g, k->inverse, k->u);
  k->p.f = jexpr_v3_add(g, k->p.f, jexpr_v3_scale(g, share, k->U.f));
  k->p.n = jexpr_v3_add(g, k->p.n, jexpr_v3_scale(g, share, k->U.n));
}

// (D20)  in the parent's axes (R . R^T) and about its origin, r = shift:
//        A_h += A      H_h += H - A [r]x      J_h += J - H^T [r]x + [r]x (H - A [r]x)      p by (D11)
static void pass_to_parent(tree* t, int i) {
  jexpr_graph* g = t->s->g;
  const jgen_link* l = &t->s->link[i];
  const articulated* k = &t->link[i];
  articulated* h = &t->link[l->parent];
  jexpr_m3 A = turned(g, &l->R, &k->A), H = turned(g, &l->R, &k->H), J = turned(g, &l->R, &k->J);
  jexpr_m3 r = skew(g, l->shift), Ar = jexpr_m3_mul(g, &A, &r), Ht = jexpr_m3_transpose(&H);
  jexpr_m3 Hh = difference(g, &H, &Ar), Htr = jexpr_m3_mul(g, &Ht, &r);
  jexpr_m3 rH = jexpr_m3_mul(g, &r, &Hh), Jh = difference(g, &J, &Htr);
  Jh = jexpr_m3_add(g, &Jh, &rH);
  h->A = jexpr_m3_add(g, &h->A, &A);
  h->H = jexpr_m3_add(g, &h->H, &Hh);
  h->J = jexpr_m3_add(g, &h->J, &Jh);
  jexpr_v3 f = jexpr_m3_apply(g, &l->R, k->p.f), n = jexpr_m3_apply(g, &l->R, k->p.n);
  h->p.f = jexpr_v3_add(g, h->p.f, f);
  h->p.n = jexpr_v3_add(g, h->p.n, jexpr_v3_add(g, n, jexpr_v3_cross(g, l->shift, f)));
}

// (D21)  hub:  [A H; H^T J] (a, al) = -p, six equations
static void accelerate_hub(tree* t, int hub) {
  enum { N = 6 };
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  articulated* k = &t->link[hub];
  jexpr_ref M[N * N], inverse[N], x[N];
  int order[N];
  const int* of_hub = jgen_hub_at(s, hub)->coordinate;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[i * N + j] = k->A.e[i < j ? i : j][i < j ? j : i];
      M[i * N + 3 + j] = M[(3 + j) * N + i] = k->H.e[i][j];
      M[(3 + i) * N + 3 + j] = k->J.e[i < j ? i : j][i < j ? j : i];
    }
    x[i] = jexpr_neg(g, k->p.f.e[i]);
    x[3 + i] = jexpr_neg(g, k->p.n.e[i]);
  }
  jgen_ldl f;
  jgen_ldl_factor(&f, g, N, M, inverse, order);
  jgen_ldl_solve(&f, x);
  for (int i = 0; i < 3; i++) {
    k->a.e[i] = t->x[of_hub[i]] = x[i];
    k->al.e[i] = t->x[of_hub[3 + i]] = x[3 + i];
  }
}

// (D22)  al = R^T al_h (+ e x)      a = R^T (a_h + al_h x shift) (+ e x)      x = (u - U . (a, al)) / D
static void accelerate(tree* t, int i) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[i];
  articulated* k = &t->link[i];
  const articulated* h = &t->link[l->parent];
  jexpr_v3 swept = jexpr_v3_add(g, h->a, jexpr_v3_cross(g, h->al, l->shift));
  k->al = jexpr_m3_tapply(g, &l->R, h->al);
  k->a = jexpr_m3_tapply(g, &l->R, swept);
  if (l->motion == JGEN_FIXED) return;
  jexpr_ref carried = jexpr_add(g, jexpr_v3_dot(g, k->U.f, k->a), jexpr_v3_dot(g, k->U.n, k->al));
  jexpr_ref x = jexpr_mul(g, k->inverse, jexpr_sub(g, k->u, carried));
  t->x[l->coordinate] = jexpr_mark(g, x, "articulated: x.%d", i);
  jexpr_v3* moved = l->motion == JGEN_TURN ? &k->al : &k->a;
  moved->e[l->axis] = jexpr_add(g, moved->e[l->axis], x);
}

void jgen_articulated(jgen* s, jexpr_ref* x) {
  const jgen_inertia* own = jgen_base_inertia(s);
  jgen_wrench* w = jgen_link_wrenches(s);
  tree t = {s, JARENA_ARRAY(s->a, s->nlink, articulated), x};
  if (!own || !w || !t.link) {
    if (s->g->status == JO_OK) s->g->status = jerr_memory(s->ctx);
    return;
  }
  for (int i = 0; i < s->nlink; i++) {
    begin_link(&t.link[i], s->g, &own[i], w[i]);
  }
  for (int i = s->nlink - 1; i > 0; i--) {
    if (s->hub_of[i]) continue;
    free_joint(&t, i);
    pass_to_parent(&t, i);
  }
  for (int i = 1; i < s->nlink; i++) {
    if (jgen_is_before_hub(s, i)) continue;
    if (jgen_is_hub(s, i)) {
      accelerate_hub(&t, i);
    } else {
      accelerate(&t, i);
    }
  }
}
