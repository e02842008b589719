// SPDX-License-Identifier: Apache-2.0
// Hubs: bodies that move freely in the ground's frame, as a rule the chassis of vehicles. Their unknown accelerations are
// the true ones in their own axes instead of those of their six coordinates, so that the attitude of a
// vehicle stays out of the mass matrix. docs/theory/dynamics.md eqs. (D16), (R7).
#include "gen/force/element.h"

const jgen_hub* jgen_hub_at(const jgen* s, int link) {
  for (int k = 0; k < s->nhub; k++) {
    if (s->hub[k].link == link) return &s->hub[k];
  }
  return NULL;
}

bool jgen_is_hub(const jgen* s, int link) {
  return link > 0 && s->hub_of[link] == link;
}

bool jgen_is_before_hub(const jgen* s, int link) {
  return s->hub_of[link] > 0 && s->hub_of[link] != link;
}

// ---- which they are ------------------------------------------------------------------------------

static int only_child(const jgen* s, int link) {
  int child = 0;
  for (int l = link + 1; l < s->nlink; l++) {
    if (s->link[l].parent != link) continue;
    if (child) return 0;
    child = l;
  }
  return child;
}

static bool is_zero(const jexpr_graph* g, jexpr_v3 v) {
  for (int i = 0; i < 3; i++) {
    if (!jexpr_is_value(g, v.e[i], 0.0)) return false;
  }
  return true;
}

// Three slides along the ground's axes, then three turns about one point, nothing with mass between: a free joint, or as
// many single ones. A mirror image counts its coordinates along other axes.
static bool find_hub(const jgen* s, int first, jgen_hub* h) {
  bool slides[3] = {false};
  *h = (jgen_hub){.first = first};
  for (int i = 0, l = first; i < 6; i++, l = only_child(s, l)) {
    const jgen_link* k = &s->link[l];
    if (l == 0 || k->motion != (i < 3 ? JGEN_SLIDE : JGEN_TURN) || (k->turned && i != 3))
      return false;
    if (i < 5 && k->has_mass) return false;
    if (i < 3) {
      if (slides[k->axis]) return false;
      slides[k->axis] = true;
      h->coordinate[k->axis] = k->coordinate;
      continue;
    }
    if (i > 3 && (!is_zero(s->g, k->d) || h->turn[i - 4] == k->axis)) return false;
    h->coordinate[i] = k->coordinate;
    h->turn[i - 3] = k->axis;
    h->link = l;
  }
  return true;
}

jo_status jgen_find_hubs(jgen* s) {
  s->nhub = 0;
  s->hub = JARENA_ARRAY(s->a, s->nlink, jgen_hub);
  if (!s->hub) return jerr_memory(s->ctx);
  for (int first = 1; first < s->nlink; first++) {
    jgen_hub* h = &s->hub[s->nhub];
    if (s->link[first].parent != 0 || !find_hub(s, first, h)) continue;
    for (int l = h->link; l != 0; l = s->link[l].parent) {
      s->hub_of[l] = h->link;
    }
    s->nhub++;
  }
  return JO_OK;
}

static bool hangs_on(const jgen* s, int coordinate, const jgen_hub* h) {
  for (int l = h->link + 1; l < s->nlink; l++) {
    if (s->link[l].motion != JGEN_FIXED && s->link[l].coordinate == coordinate)
      return jgen_is_below(s, l, h->link);
  }
  return false;
}

// Whether some of the coordinates hang on the hub and others do not.
static bool reaches_out(const jgen* s, const jmodel_relation* r, const jgen_hub* h) {
  int n = 0;
  for (int t = 0; t < r->nterm; t++) {
    n += hangs_on(s, r->term[t].coordinate, h);
  }
  return n > 0 && n < r->nterm;
}

// Whether a closure or a coupling ties the hub, what is before it or hangs on it, to something that does not hang on it.
static bool is_touched(const jgen* s, const jgen_hub* h) {
  for (int i = 0; i < s->m->nclosure; i++) {
    const jmodel_closure* c = &s->m->closure[i];
    int a = s->body[c->a.body].link, b = s->body[c->b.body].link;
    bool any = jgen_is_below(s, a, h->first) || jgen_is_below(s, b, h->first);
    if (any && !jgen_is_below(s, jgen_common_base(s, a, b), h->link)) return true;
  }
  for (int i = 0; i < 6; i++) {
    if (jgen_is_coupled(s->m, h->coordinate[i])) return true;
  }
  for (int i = 0; i < s->m->ncoupling; i++) {
    for (int k = 0; k < s->m->coupling[i].nrelation; k++) {
      if (reaches_out(s, &s->m->coupling[i].relation[k], h)) return true;
    }
  }
  return false;
}

static int count_independent(const jgen_hub* h, const jgen_partition* part) {
  int n = 0;
  for (int i = 0; i < part->nu; i++) {
    for (int k = 0; k < 6; k++) {
      n += part->u[i] == h->coordinate[k];
    }
  }
  return n;
}

// Hub axes serve only while the hub's six coordinates are independent and no closure touches them.
void jgen_hub_keep(jgen* s, const jgen_partition* part) {
  int kept = 0;
  for (int k = 0; k < s->nhub; k++) {
    jgen_hub h = s->hub[k];
    if (count_independent(&h, part) == 6 && !is_touched(s, &h)) {
      s->hub[kept++] = h;
      continue;
    }
    for (int l = h.link; l != 0; l = s->link[l].parent) {
      s->hub_of[l] = 0;
    }
  }
  s->nhub = kept;
}

// ---- in its axes ---------------------------------------------------------------------------------

// Angles of the hub, as yaw, pitch, roll: qd_R = Phi^-1 w, rows of Phi^-1 in hub axes.
typedef struct euler {
  jexpr_v3 first, second, third;
} euler;

static jexpr_v3 scaled(jgen* s, jexpr_ref f, jexpr_v3 x) {
  jexpr_v3 r = jexpr_v3_zero(s->g);
  for (int i = 0; i < 3; i++) {
    if (!jexpr_is_value(s->g, x.e[i], 0.0)) r.e[i] = jexpr_mul(s->g, f, x.e[i]);
  }
  return r;
}

// docs/theory/attitude.md eq. (A11), (A12)

static euler euler_inverse(jgen* s, const jgen_hub* h) {
  jexpr_graph* g = s->g;
  jexpr_ref th = s->q[h->coordinate[4]], ph = s->q[h->coordinate[5]];
  jexpr_ref sp = jexpr_sin(g, ph), cp = jexpr_cos(g, ph);
  jexpr_ref st = jexpr_sin(g, th), ct = jexpr_cos(g, th);
  const int* turn = h->turn;
  int i = turn[0], j = turn[1], k = 3 - i - j;
  bool is_right = (i + 1) % 3 == j;
  jexpr_ref sine = is_right ? sp : jexpr_neg(g, sp);  // eps sin
  euler e = {jexpr_v3_zero(g), jexpr_v3_zero(g), jexpr_v3_zero(g)};
  if (turn[2] == i) {
    jexpr_ref over = jexpr_div(g, s->one, st);
    e.first.e[j] = jexpr_mul(g, sp, over);
    e.first.e[k] = jexpr_mul(g, is_right ? cp : jexpr_neg(g, cp), over);
    e.second.e[j] = cp;
    e.second.e[k] = jexpr_neg(g, sine);
    e.third = scaled(s, jexpr_neg(g, ct), e.first);
    e.third.e[i] = s->one;
    return e;
  }
  jexpr_ref over = jexpr_div(g, s->one, ct);
  e.first.e[j] = jexpr_mul(g, jexpr_neg(g, sine), over);
  e.first.e[i] = jexpr_mul(g, cp, over);
  e.second.e[j] = cp;
  e.second.e[i] = sine;
  e.third = scaled(s, is_right ? jexpr_neg(g, st) : st, e.first);
  e.third.e[k] = s->one;
  return e;
}

// What acts on bodies before the hub, as generalised forces.
static void collect_forces(jgen* s, const jgen_hub* h) {
  jexpr_graph* g = s->g;
  for (int l = s->link[h->link].parent; l != 0; l = s->link[l].parent) {
    const jgen_link* k = &s->link[l];
    const jgen_wrench* w = &s->wrench[l];
    jexpr_ref own = k->motion == JGEN_TURN ? w->n.e[k->axis] : w->f.e[k->axis];
    s->applied[k->coordinate] = jexpr_add(g, s->applied[k->coordinate], own);
    if (k->parent) jgen_pass_to_parent(s, s->wrench, l);
    s->wrench[l] = (jgen_wrench){jexpr_v3_zero(g), jexpr_v3_zero(g)};
  }
}

// Generalised forces on the hub's coordinates as a wrench in hub axes: f = R^T Q_T, n = Phi^-T Q_R.
static void put_forces(jgen* s, const jgen_hub* h) {
  jexpr_graph* g = s->g;
  jexpr_ref Q[6];
  bool any = false;
  for (int i = 0; i < 6; i++) {
    Q[i] = s->applied[h->coordinate[i]];
    any = any || !jexpr_is_value(g, Q[i], 0.0);
  }
  if (!any) return;
  jgen_apply(s, h->link, jexpr_v3_zero(g),
             jgen_from_ground(s, h->link, (jexpr_v3){{Q[0], Q[1], Q[2]}}));
  euler e = euler_inverse(s, h);
  jexpr_v3 n = jexpr_v3_scale(g, Q[3], e.first);
  n = jexpr_v3_add(g, n, jexpr_v3_scale(g, Q[4], e.second));
  n = jexpr_v3_add(g, n, jexpr_v3_scale(g, Q[5], e.third));
  jgen_turn(s, h->link, n);
}

void jgen_hub_forces(jgen* s) {
  for (int k = 0; k < s->nhub; k++) {
    collect_forces(s, &s->hub[k]);
    put_forces(s, &s->hub[k]);
  }
}

//   qdd_T = R lin     qdd_R = Phi^-1 (ang - bias)
void jgen_hub_rates(jgen* s, const jexpr_v3* bias, jexpr_ref* by_coordinate) {
  jexpr_graph* g = s->g;
  for (int k = 0; k < s->nhub; k++) {
    const jgen_hub* h = &s->hub[k];
    jexpr_v3 lin, ang;
    for (int i = 0; i < 3; i++) {
      lin.e[i] = by_coordinate[h->coordinate[i]];
      ang.e[i] = by_coordinate[h->coordinate[3 + i]];
    }
    lin = jgen_to_ground(s, h->link, lin);
    if (bias) ang = jexpr_v3_sub(g, ang, bias[k]);
    euler e = euler_inverse(s, h);
    for (int i = 0; i < 3; i++) {
      by_coordinate[h->coordinate[i]] = lin.e[i];
    }
    by_coordinate[h->coordinate[3]] = jexpr_v3_dot(g, e.first, ang);
    by_coordinate[h->coordinate[4]] = jexpr_v3_dot(g, e.second, ang);
    by_coordinate[h->coordinate[5]] = jexpr_v3_dot(g, e.third, ang);
  }
}

jexpr_v3* jgen_hub_bias(jgen* s) {
  jgen_absolute* motion = JARENA_ARRAY(s->a, s->nlink, jgen_absolute);
  jexpr_v3* bias = JARENA_ARRAY(s->a, s->nhub, jexpr_v3);
  if (!motion || !bias) {
    s->g->status = jerr_memory(s->ctx);
    return NULL;
  }
  for (int k = 0; k < s->nhub; k++) {
    jgen_absolute_motion(s, motion, false, s->hub[k].link);
    bias[k] = motion[s->hub[k].link].al;
  }
  return bias;
}
