// SPDX-License-Identifier: Apache-2.0
// Accelerations without a matrix of all unknowns, whose factors grow with the cube of the length of a tree: articulated
// bodies from the leaves to the root, then accelerations back to the leaves, a fixed number of operations for every link.
// Joints that loops tie to each other are eliminated together. docs/theory/dynamics.md eqs. (D18)-(D22), (D27)-(D29).
#include "gen/tree/articulated.h"

#include "gen/loop/reduce.h"

// What a link with all it carries resists with, joints that were eliminated free to move: that of a rigid body, and
//   f = A v + H w      n = H^T v + J w
typedef struct body {
  jgen_inertia rigid;
  bool is_rigid;  // A, H, J are nothing
  jexpr_m3 A, H, J;
} body;

// Links whose joints are eliminated together, and their unknowns.
typedef struct aggregate {
  int base;  // the link that carries all of them
  int nlink;
  int* link;  // the first has the least number
  int n;      // unknowns
  int* unknown;
  jexpr_ref* K;   // rates of the joints by unknowns (nlink x n)
  bool is_inner;  // a single joint, eliminated in its own axes
  jgen_ldl f;
  jgen_wrench* Y;  // L^-1 U: wrenches by unknown, in the axes of the base
} aggregate;

struct jgen_articulated {
  jgen* s;
  const jgen_partition* part;
  const jexpr_ref* B;
  int naggregate;
  aggregate* aggregate;
  int* of;        // aggregate of a link; -1: that of a hub or before it, or the ground (nlink)
  body* body;     // (nlink)
  jgen_ldl* hub;  // (nhub)
};

static bool fail(jgen* s) {
  if (s->g->status == JO_OK) s->g->status = jerr_memory(s->ctx);
  return false;
}

// ---- aggregates ----------------------------------------------------------------------------------

typedef struct grouping {
  jgen* s;
  int* with;     // another link of the same group; itself: none (nlink)
  int* base;     // of groups, at their representatives: the link that carries all of theirs (nlink)
  int* unknown;  // by link: its independent coordinate; -1: none (nlink)
  int* link;     // by coordinate (ncoordinate)
} grouping;

static int group_of(const grouping* g, int link) {
  while (g->with[link] != link) {
    link = g->with[link];
  }
  return link;
}

// The least link stands for its group.
static void join(grouping* g, int a, int b) {
  a = group_of(g, a);
  b = group_of(g, b);
  int least = a > b ? b : a;
  g->with[a > b ? a : b] = least;
  g->base[least] = jgen_common_base(g->s, g->base[a], g->base[b]);
}

// A group has all links between its own and its base.
static void close_groups(grouping* g) {
  jgen* s = g->s;
  for (bool is_open = true; is_open;) {
    is_open = false;
    for (int l = 1; l < s->nlink; l++) {
      int parent = s->link[l].parent;
      if (s->hub_of[l] || parent == g->base[group_of(g, l)]) continue;
      if (group_of(g, parent) == group_of(g, l)) continue;
      join(g, l, parent);
      is_open = true;
    }
  }
}

// Dependent joints go with what they depend on.
static void join_loops(grouping* g, const jgen_partition* part, const jexpr_ref* B) {
  for (int k = 0; k < part->nv; k++) {
    for (int i = 0; i < part->nu; i++) {
      if (jexpr_is_value(g->s->g, B[k * part->nu + i], 0.0)) continue;
      join(g, g->link[part->v[k]], g->link[part->u[i]]);
    }
  }
  close_groups(g);
}

// Branches of few unknowns.
static bool join_branches(grouping* g, int merged) {
  jgen* s = g->s;
  int* n = JARENA_ARRAY(s->a, s->nlink, int);
  if (!n) return fail(s);
  for (int l = s->nlink - 1; l > 0; l--) {
    int top = group_of(g, l), base = g->base[top];
    if (s->hub_of[l]) continue;
    n[top] += g->unknown[l] >= 0;
    if (top == l && base > 0 && !s->hub_of[base]) n[group_of(g, base)] += n[top];
  }
  for (int l = s->nlink - 1; l > 0; l--) {
    int base = g->base[l];
    if (s->hub_of[l] || group_of(g, l) != l || base == 0 || s->hub_of[base]) continue;
    if (n[group_of(g, base)] <= merged) join(g, l, base);
  }
  close_groups(g);
  return true;
}

static bool group_links(jgen_articulated* t, int merged, grouping* g) {
  jgen* s = t->s;
  g->s = s;
  g->with = JARENA_ARRAY(s->a, s->nlink, int);
  g->base = JARENA_ARRAY(s->a, s->nlink, int);
  g->unknown = JARENA_ARRAY(s->a, s->nlink, int);
  g->link = JARENA_ARRAY(s->a, s->m->ncoordinate, int);
  if (!g->with || !g->base || !g->unknown || !g->link) return fail(s);
  for (int l = 0; l < s->nlink; l++) {
    g->with[l] = l;
    g->base[l] = s->link[l].parent;
    g->unknown[l] = -1;
    if (s->link[l].motion != JGEN_FIXED && l > 0) g->link[s->link[l].coordinate] = l;
  }
  for (int i = 0; i < t->part->nu; i++) {
    g->unknown[g->link[t->part->u[i]]] = i;
  }
  join_loops(g, t->part, t->B);
  return join_branches(g, merged);
}

// Room for what was counted, which is counted again while it is filled.
static bool allocate_aggregate(jgen* s, aggregate* e) {
  e->link = JARENA_ARRAY(s->a, e->nlink, int);
  e->unknown = JARENA_ARRAY(s->a, e->n, int);
  e->K = JARENA_ARRAY(s->a, e->nlink * e->n, jexpr_ref);
  e->nlink = e->n = 0;
  return (e->link && e->unknown && e->K) || fail(s);
}

static bool make_aggregates(jgen_articulated* t, const grouping* g) {
  jgen* s = t->s;
  const jgen_partition* part = t->part;
  int* dependent = JARENA_ARRAY(s->a, s->m->ncoordinate, int);  // from 1 on
  if (!dependent) return fail(s);
  for (int k = 0; k < part->nv; k++) {
    dependent[part->v[k]] = k + 1;
  }
  for (int l = 0; l < s->nlink; l++) {
    t->of[l] = -1;
    if (l == 0 || s->hub_of[l]) continue;
    int top = group_of(g, l);
    if (top == l) {
      t->of[l] = t->naggregate;
      t->aggregate[t->naggregate++].base = g->base[l];
    }
    aggregate* e = &t->aggregate[t->of[l] = t->of[top]];
    e->nlink++;
    e->n += g->unknown[l] >= 0;
  }
  for (int i = 0; i < t->naggregate; i++) {
    if (!allocate_aggregate(s, &t->aggregate[i])) return false;
  }
  for (int l = 1; l < s->nlink; l++) {
    if (t->of[l] < 0) continue;
    aggregate* e = &t->aggregate[t->of[l]];
    e->link[e->nlink++] = l;
    if (g->unknown[l] >= 0) e->unknown[e->n++] = g->unknown[l];
  }
  for (int i = 0; i < t->naggregate; i++) {
    aggregate* e = &t->aggregate[i];
    for (int k = 0; k < e->nlink * e->n; k++) {
      int l = e->link[k / e->n], u = e->unknown[k % e->n];
      int v = s->link[l].motion == JGEN_FIXED ? 0 : dependent[s->link[l].coordinate];
      e->K[k] = g->unknown[l] == u ? s->one : v ? t->B[(v - 1) * part->nu + u] : s->zero;
    }
  }
  return true;
}

jgen_articulated* jgen_articulated_create(jgen* s, const jgen_partition* part, const jexpr_ref* B,
                                          int merged) {
  grouping g;
  jgen_articulated* t = JARENA_ARRAY(s->a, 1, jgen_articulated);
  if (!t) {
    fail(s);
    return NULL;
  }
  *t = (jgen_articulated){.s = s, .part = part, .B = B};
  t->of = JARENA_ARRAY(s->a, s->nlink, int);
  t->aggregate = JARENA_ARRAY(s->a, s->nlink, aggregate);
  t->body = JARENA_ARRAY(s->a, s->nlink, body);
  t->hub = JARENA_ARRAY(s->a, s->nhub, jgen_ldl);
  if (!t->of || !t->aggregate || !t->body || !t->hub) {
    fail(s);
    return NULL;
  }
  return group_links(t, merged, &g) && make_aggregates(t, &g) ? t : NULL;
}

bool jgen_articulated_is_flat(const jgen_articulated* t) {
  for (int i = 0; i < t->naggregate; i++) {
    const aggregate* e = &t->aggregate[i];
    if (e->n > 0 && e->base > 0 && !t->s->hub_of[e->base]) return false;
  }
  return true;
}

double jgen_articulated_matrix_products(const jgen_articulated* t) {
  double sum = 0.0;
  for (int i = 0; i < t->naggregate; i++) {
    int above = 0, l = t->aggregate[i].base;
    while (l > 0 && !t->s->hub_of[l]) {
      above += t->aggregate[t->of[l]].n;
      l = t->aggregate[t->of[l]].base;
    }
    above += l > 0 ? 6 : 0;
    for (int k = 1; k <= t->aggregate[i].n; k++) {
      sum += 0.5 * (above + k) * (above + k + 1);
    }
  }
  return sum;
}

// ---- inertia -------------------------------------------------------------------------------------

static jexpr_ref along(const jgen_link* l, const jgen_wrench* w) {
  return l->motion == JGEN_TURN ? w->n.e[l->axis] : w->f.e[l->axis];
}

static jexpr_v3 column(const jexpr_m3* A, int k) {
  return (jexpr_v3){{A->e[0][k], A->e[1][k], A->e[2][k]}};
}

static jexpr_v3 row(const jexpr_m3* A, int k) {
  return (jexpr_v3){{A->e[k][0], A->e[k][1], A->e[k][2]}};
}

// r x every column
static jexpr_m3 cross_columns(jexpr_graph* g, jexpr_v3 r, const jexpr_m3* A) {
  jexpr_m3 out;
  for (int k = 0; k < 3; k++) {
    jexpr_v3 c = jexpr_v3_cross(g, r, column(A, k));
    for (int i = 0; i < 3; i++) {
      out.e[i][k] = c.e[i];
    }
  }
  return out;
}

// (D18)  of all of it:  A + m 1      H - [s]x      J + I
static body whole(jgen* s, const body* b) {
  jexpr_graph* g = s->g;
  body w = *b;
  w.is_rigid = false;
  w.J = jexpr_m3_add(g, &b->J, &b->rigid.I);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    w.A.e[i][i] = jexpr_add(g, b->A.e[i][i], b->rigid.m);
    w.H.e[k][j] = jexpr_sub(g, b->H.e[k][j], b->rigid.s.e[i]);
    w.H.e[j][k] = jexpr_add(g, b->H.e[j][k], b->rigid.s.e[i]);
  }
  w.rigid = (jgen_inertia){s->zero, jexpr_v3_zero(g), jexpr_m3_zero(g)};
  return w;
}

// (D14), and  turn: + (H e, J e)      slide: + (A e, H^T e)
static jgen_wrench unit_wrench(jgen* s, const body* b, const jgen_link* l) {
  jexpr_graph* g = s->g;
  bool is_turn = l->motion == JGEN_TURN;
  jgen_wrench w = jgen_unit_wrench(s, &b->rigid, l);
  if (b->is_rigid) return w;
  w.f = jexpr_v3_add(g, w.f, is_turn ? column(&b->H, l->axis) : column(&b->A, l->axis));
  w.n = jexpr_v3_add(g, w.n, is_turn ? column(&b->J, l->axis) : row(&b->H, l->axis));
  return w;
}

// [A H; H^T J] -= Y Y^T / D
static void subtract_square(jexpr_graph* g, body* b, jexpr_ref inverse, const jgen_wrench* Y) {
  jexpr_v3 f = jexpr_v3_scale(g, inverse, Y->f), n = jexpr_v3_scale(g, inverse, Y->n);
  b->is_rigid = false;
  for (int i = 0; i < 9; i++) {
    int r = i / 3, c = i % 3;
    b->H.e[r][c] = jexpr_sub(g, b->H.e[r][c], jexpr_mul(g, f.e[r], Y->n.e[c]));
    if (r > c) continue;
    b->A.e[r][c] = b->A.e[c][r] = jexpr_sub(g, b->A.e[r][c], jexpr_mul(g, f.e[r], Y->f.e[c]));
    b->J.e[r][c] = b->J.e[c][r] = jexpr_sub(g, b->J.e[r][c], jexpr_mul(g, n.e[r], Y->n.e[c]));
  }
}

// (D20)  in the parent's axes (R . R^T) and about its origin, r = shift:
//        A_h += A      H_h += H - A [r]x      J_h += J + [r]x H' + ([r]x H)^T,  H' = H - A [r]x
static void carry(jgen_articulated* t, int link) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  const body* b = &t->body[link];
  body* h = &t->body[l->parent];
  jgen_inertia_add(s, &h->rigid, &b->rigid, &l->R, jgen_turn_axis(l), l->shift);
  if (b->is_rigid) return;
  h->is_rigid = false;
  jexpr_m3 A = jgen_turn_symmetric(s, l, &b->A), J = jgen_turn_symmetric(s, l, &b->J);
  jexpr_m3 left = jexpr_m3_mul(g, &l->R, &b->H), Rt = jexpr_m3_transpose(&l->R);
  jexpr_m3 H = jexpr_m3_mul(g, &left, &Rt);
  // -A [r]x = ([r]x A)^T for symmetric A
  jexpr_m3 rA = cross_columns(g, l->shift, &A), Ar = jexpr_m3_transpose(&rA);
  jexpr_m3 shifted = jexpr_m3_add(g, &H, &Ar);
  jexpr_m3 rH = cross_columns(g, l->shift, &H), rS = cross_columns(g, l->shift, &shifted);
  h->A = jexpr_m3_add(g, &h->A, &A);
  h->H = jexpr_m3_add(g, &h->H, &shifted);
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      jexpr_ref moved = jexpr_add(g, rS.e[i][j], rH.e[j][i]);
      jexpr_ref more = jexpr_add(g, J.e[i][j], moved);
      h->J.e[i][j] = h->J.e[j][i] = jexpr_add(g, h->J.e[i][j], more);
    }
  }
}

// ---- elimination ---------------------------------------------------------------------------------

static bool allocate_factors(jgen* s, aggregate* e, jexpr_ref** D) {
  int n = e->n;
  jexpr_ref* inverse = JARENA_ARRAY(s->a, n, jexpr_ref);
  int* order = JARENA_ARRAY(s->a, n, int);
  *D = JARENA_ARRAY(s->a, n * n, jexpr_ref);
  e->Y = JARENA_ARRAY(s->a, n, jgen_wrench);
  e->f = (jgen_ldl){s->g, n, *D, inverse, order};
  return (inverse && order && *D && e->Y) || fail(s);
}

// (D19)  in the axes of its link:  U = unit wrench,  D = e . U;  nothing is left along the joint
static void eliminate_joint(jgen_articulated* t, aggregate* e) {
  jgen* s = t->s;
  int link = e->link[0];
  const jgen_link* l = &s->link[link];
  body* b = &t->body[link];
  jexpr_ref* D;
  if (!allocate_factors(s, e, &D)) return;
  e->is_inner = true;
  e->Y[0] = unit_wrench(s, b, l);
  D[0] = along(l, &e->Y[0]);
  jgen_ldl_factor(&e->f, s->g, 1, D, e->f.inv, e->f.order);
  *b = whole(s, b);
  subtract_square(s->g, b, e->f.inv[0], &e->Y[0]);
  for (int i = 0; i < 3; i++) {
    if (l->motion == JGEN_TURN) {
      b->J.e[i][l->axis] = b->J.e[l->axis][i] = b->H.e[i][l->axis] = s->zero;
    } else {
      b->A.e[i][l->axis] = b->A.e[l->axis][i] = b->H.e[l->axis][i] = s->zero;
    }
  }
}

// (D24) for unknown i: what its motion needs along every joint, before and with the joint's own, and at the base
static jgen_wrench carry_momentum(jgen_articulated* t, const aggregate* e, int i, jgen_wrench* w,
                                  jexpr_ref* before, jexpr_ref* after) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  jgen_wrench none = {jexpr_v3_zero(g), jexpr_v3_zero(g)};
  w[e->base] = none;
  for (int k = 0; k < e->nlink; k++) {
    w[e->link[k]] = none;
  }
  for (int k = e->nlink - 1; k >= 0; k--) {
    int link = e->link[k];
    const jgen_link* l = &s->link[link];
    jexpr_ref share = e->K[k * e->n + i];
    before[k * e->n + i] = after[k * e->n + i] = s->zero;
    if (l->motion != JGEN_FIXED) {
      before[k * e->n + i] = along(l, &w[link]);
      if (!jexpr_is_value(g, share, 0.0)) {
        jgen_wrench unit = unit_wrench(s, &t->body[link], l);
        w[link].f = jexpr_v3_add(g, w[link].f, jexpr_v3_scale(g, share, unit.f));
        w[link].n = jexpr_v3_add(g, w[link].n, jexpr_v3_scale(g, share, unit.n));
      }
      after[k * e->n + i] = along(l, &w[link]);
    }
    if (l->parent > 0) jgen_pass_to_parent(s, w, link);
  }
  return w[e->base];
}

// (D25)
static jexpr_ref entry(jgen* s, const aggregate* e, const jexpr_ref* before, const jexpr_ref* after,
                       int i, int j) {
  jexpr_graph* g = s->g;
  jexpr_ref sum = s->zero;
  for (int k = 0; k < e->nlink; k++) {
    const jexpr_ref *K = e->K + k * e->n, *b = before + k * e->n, *a = after + k * e->n;
    if (i == j) {
      sum = jexpr_add(g, sum, jexpr_mul(g, K[i], jexpr_add(g, b[i], a[i])));
      continue;
    }
    sum = jexpr_add(g, sum, jexpr_mul(g, K[i], a[j]));
    sum = jexpr_add(g, sum, jexpr_mul(g, K[j], b[i]));
  }
  return sum;
}

// (D27)  D = L d L^T      Y = L^-1 U
static void factor_aggregate(jgen_articulated* t, aggregate* e, jgen_wrench* w) {
  jgen* s = t->s;
  int n = e->n;
  jexpr_ref *before = JARENA_ARRAY(s->a, e->nlink * n, jexpr_ref), *D;
  jexpr_ref *after = JARENA_ARRAY(s->a, e->nlink * n, jexpr_ref),
            *b = JARENA_ARRAY(s->a, n, jexpr_ref);
  if (!before || !after || !b) fail(s);
  if (s->g->status < 0 || !allocate_factors(s, e, &D)) return;
  for (int i = 0; i < n; i++) {
    e->Y[i] = carry_momentum(t, e, i, w, before, after);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      D[i * n + j] = D[j * n + i] = entry(s, e, before, after, i, j);
    }
  }
  jgen_ldl_factor(&e->f, s->g, n, D, e->f.inv, e->f.order);
  if (e->base == 0 || s->g->status < 0) return;
  for (int c = 0; c < 6; c++) {
    for (int i = 0; i < n; i++) {
      b[i] = c < 3 ? e->Y[i].f.e[c] : e->Y[i].n.e[c - 3];
    }
    jgen_ldl_lower(&e->f, b);
    for (int i = 0; i < n; i++) {
      *(c < 3 ? &e->Y[i].f.e[c] : &e->Y[i].n.e[c - 3]) = b[i];
    }
  }
  for (int i = 0; i < n; i++) {
    subtract_square(s->g, &t->body[e->base], e->f.inv[i], &e->Y[i]);
  }
}

static void factor_hub(jgen_articulated* t, int h) {
  enum { N = 6 };
  jgen* s = t->s;
  body b = whole(s, &t->body[s->hub[h].link]);
  jexpr_ref *M = JARENA_ARRAY(s->a, N * N, jexpr_ref), *inverse = JARENA_ARRAY(s->a, N, jexpr_ref);
  int* order = JARENA_ARRAY(s->a, N, int);
  if (!M || !inverse || !order) {
    fail(s);
    return;
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M[i * N + j] = b.A.e[i][j];
      M[i * N + 3 + j] = M[(3 + j) * N + i] = b.H.e[i][j];
      M[(3 + i) * N + 3 + j] = b.J.e[i][j];
    }
  }
  jgen_ldl_factor(&t->hub[h], s->g, N, M, inverse, order);
}

void jgen_articulated_factor(jgen_articulated* t) {
  jgen* s = t->s;
  const jgen_inertia* own = jgen_base_inertia(s);
  jgen_wrench* w = JARENA_ARRAY(s->a, s->nlink, jgen_wrench);
  if (!own || !w) fail(s);
  for (int l = 0; s->g->status >= 0 && l < s->nlink; l++) {
    jexpr_m3 none = jexpr_m3_zero(s->g);
    t->body[l] = (body){own[l], true, none, none, none};
  }
  for (int l = s->nlink - 1; s->g->status >= 0 && l > 0; l--) {
    if (s->hub_of[l]) continue;
    aggregate* e = &t->aggregate[t->of[l]];
    bool is_single = e->nlink == 1 && e->n == 1;
    if (is_single && !t->body[l].is_rigid && e->base > 0) eliminate_joint(t, e);
    if (s->link[l].parent > 0) carry(t, l);
    if (l == e->link[0] && e->n > 0 && !e->is_inner) factor_aggregate(t, e, w);
  }
  for (int h = 0; s->g->status >= 0 && h < s->nhub; h++) {
    factor_hub(t, h);
  }
}

// ---- accelerations -------------------------------------------------------------------------------

static jexpr_ref times(jexpr_graph* g, const jgen_wrench* Y, jexpr_v3 v, jexpr_v3 w) {
  return jexpr_add(g, jexpr_v3_dot(g, Y->f, v), jexpr_v3_dot(g, Y->n, w));
}

static void add_scaled(jexpr_graph* g, jgen_wrench* p, jexpr_ref k, const jgen_wrench* Y) {
  p->f = jexpr_v3_add(g, p->f, jexpr_v3_scale(g, k, Y->f));
  p->n = jexpr_v3_add(g, p->n, jexpr_v3_scale(g, k, Y->n));
}

// (D19)  u = applied - e . p      p += U u / D, which leaves what is applied along the joint
static void pass_joint(const jgen_articulated* t, const aggregate* e, jgen_wrench* p,
                       const jexpr_ref* applied, jexpr_ref* z) {
  jexpr_graph* g = t->s->g;
  const jgen_link* l = &t->s->link[e->link[0]];
  jgen_wrench* own = &p[e->link[0]];
  z[0] = jexpr_sub(g, applied[l->coordinate], along(l, own));
  add_scaled(g, own, jexpr_mul(g, e->f.inv[0], z[0]), &e->Y[0]);
  *(l->motion == JGEN_TURN ? &own->n.e[l->axis] : &own->f.e[l->axis]) = applied[l->coordinate];
}

// (D28)  u = K^T (applied - e . p)      z = L^-1 u      p_base += Y z / d
static void pass_aggregate(const jgen_articulated* t, const aggregate* e, jgen_wrench* p,
                           const jexpr_ref* applied, jexpr_ref* z) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  for (int i = 0; i < e->n; i++) {
    z[i] = s->zero;
    for (int k = 0; k < e->nlink; k++) {
      const jgen_link* l = &s->link[e->link[k]];
      if (l->motion == JGEN_FIXED) continue;
      jexpr_ref own = jexpr_sub(g, applied[l->coordinate], along(l, &p[e->link[k]]));
      z[i] = jexpr_add(g, z[i], jexpr_mul(g, e->K[k * e->n + i], own));
    }
  }
  jgen_ldl_lower(&e->f, z);
  for (int i = 0; i < e->n && e->base > 0; i++) {
    add_scaled(g, &p[e->base], jexpr_mul(g, e->f.inv[i], z[i]), &e->Y[i]);
  }
}

// (D21)  hub:  [A H; H^T J] (a, al) = -p, six equations
static void accelerate_hub(const jgen_articulated* t, int h, const jgen_wrench* p, jexpr_ref* x) {
  jexpr_ref b[6];
  const jgen_hub* hub = &t->s->hub[h];
  for (int i = 0; i < 3; i++) {
    b[i] = jexpr_neg(t->s->g, p[hub->link].f.e[i]);
    b[3 + i] = jexpr_neg(t->s->g, p[hub->link].n.e[i]);
  }
  jgen_ldl_solve(&t->hub[h], b);
  for (int i = 0; i < 6; i++) {
    x[hub->coordinate[i]] = b[i];
  }
}

// (D29)  unknowns = L^-T d^-1 (z - Y . (a, al) of the base)      x = K unknowns
static void accelerate_aggregate(const jgen_articulated* t, const aggregate* e, const jexpr_v3* v,
                                 const jexpr_v3* w, jexpr_ref* z, jexpr_ref* x) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  for (int i = 0; i < e->n && e->base > 0; i++) {
    z[i] = jexpr_sub(g, z[i], times(g, &e->Y[i], v[e->base], w[e->base]));
  }
  jgen_ldl_upper(&e->f, z);
  for (int k = 0; k < e->nlink; k++) {
    const jgen_link* l = &s->link[e->link[k]];
    if (l->motion == JGEN_FIXED) continue;
    jexpr_ref sum = s->zero;
    for (int i = 0; i < e->n; i++) {
      sum = jexpr_add(g, sum, jexpr_mul(g, e->K[k * e->n + i], z[i]));
    }
    x[l->coordinate] = sum;
  }
}

// (D22)  x = (u - U . (a, al)) / D, a and al of the link without its own joint
static void accelerate_joint(const jgen_articulated* t, const aggregate* e, jexpr_v3* v,
                             jexpr_v3* w, const jexpr_ref* z, jexpr_ref* x) {
  jgen* s = t->s;
  jexpr_graph* g = s->g;
  int link = e->link[0], c = s->link[link].coordinate;
  x[c] = s->zero;
  jgen_link_rates(s, link, x, v, w);
  jexpr_ref left = jexpr_sub(g, z[0], times(g, &e->Y[0], v[link], w[link]));
  x[c] = jexpr_mark(g, jexpr_mul(g, e->f.inv[0], left), "articulated: x.%d", link);
}

void jgen_articulated_solve(const jgen_articulated* t, jgen_wrench* p, const jexpr_ref* applied,
                            jexpr_ref* x) {
  jgen* s = t->s;
  jexpr_ref** z = JARENA_ARRAY(s->a, t->naggregate, jexpr_ref*);
  jexpr_v3 *v = JARENA_ARRAY(s->a, s->nlink, jexpr_v3), *w = JARENA_ARRAY(s->a, s->nlink, jexpr_v3);
  if (!z || !v || !w) fail(s);
  for (int i = 0; s->g->status >= 0 && i < t->naggregate; i++) {
    z[i] = JARENA_ARRAY(s->a, t->aggregate[i].n, jexpr_ref);
    if (!z[i]) fail(s);
  }
  if (s->g->status < 0) return;
  for (int l = s->nlink - 1; l > 0; l--) {
    if (s->hub_of[l]) continue;
    int i = t->of[l];
    const aggregate* e = &t->aggregate[i];
    if (e->is_inner) pass_joint(t, e, p, applied, z[i]);
    if (s->link[l].parent > 0) jgen_pass_to_parent(s, p, l);
    if (l == e->link[0] && e->n > 0 && !e->is_inner) pass_aggregate(t, e, p, applied, z[i]);
  }
  for (int c = 0; c < s->m->ncoordinate; c++) {
    x[c] = s->zero;
  }
  for (int h = 0; h < s->nhub; h++) {
    accelerate_hub(t, h, p, x);
  }
  v[0] = w[0] = jexpr_v3_zero(s->g);
  for (int l = 1; l < s->nlink; l++) {
    if (jgen_is_before_hub(s, l)) continue;
    const aggregate* e = t->of[l] < 0 ? NULL : &t->aggregate[t->of[l]];
    if (e && e->is_inner) {
      accelerate_joint(t, e, v, w, z[t->of[l]], x);
    } else if (e && l == e->link[0] && e->n > 0) {
      accelerate_aggregate(t, e, v, w, z[t->of[l]], x);
    }
    jgen_link_rates(s, l, x, v, w);
  }
}
