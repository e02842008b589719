// SPDX-License-Identifier: Apache-2.0
// Couplings: linear relations between coordinates as rows of the loop equations, with a Jacobian that does
// not change. docs/theory/dynamics.md eq. (L6).
#include <math.h>

#include "gen/build.h"

int jgen_coupling_count(const jmodel* m) {
  int n = 0;
  for (int i = 0; i < m->ncoupling; i++) {
    n += m->coupling[i].nrelation;
  }
  return n;
}

bool jgen_is_coupled(const jmodel* m, int coordinate) {
  for (int i = 0; i < m->ncoupling; i++) {
    for (int k = 0; k < m->coupling[i].nrelation; k++) {
      const jmodel_relation* r = &m->coupling[i].relation[k];
      for (int t = 0; t < r->nterm; t++) {
        if (r->term[t].coordinate == coordinate) return true;
      }
    }
  }
  return false;
}

static jexpr_ref coefficient(jgen* s, const jmodel_term* t) {
  jexpr_ref factor = jexpr_const(s->g, t->factor);
  return t->has_scale ? jexpr_mul(s->g, factor, jgen_scalar(s, &t->scale, t->label)) : factor;
}

// A power of two that brings the largest coefficient near one: pivots are compared with those of closures.
static double scale_of(jgen* s, const jexpr_ref* c, int n) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(jgen_value(s, c[i])));
  }
  if (!(largest > 0.0) || !isfinite(largest)) return 1.0;
  int exponent;
  (void)frexp(largest, &exponent);
  return exponent >= -2 && exponent <= 3 ? 1.0 : ldexp(1.0, 1 - exponent);
}

// (L6)  h = sum_i c_i q_i - offset       J_i = c_i       bias = 0
static bool put_relation(jgen* s, const jmodel_coupling* c, const jmodel_relation* relation,
                         int number, jgen_row* r) {
  jexpr_graph* g = s->g;
  int nq = s->m->ncoordinate;
  *r = (jgen_row){.closure = -1, .coupling = (int)(c - s->m->coupling)};
  r->J = JARENA_ARRAY(s->a, nq, jexpr_ref);
  r->name = jarena_printf(s->a, "%s.%d", c->name, number);
  jexpr_ref* k = JARENA_ARRAY(s->a, relation->nterm, jexpr_ref);
  if (!r->J || !r->name || !k) return false;
  for (int i = 0; i < nq; i++) {
    r->J[i] = s->zero;
  }
  for (int i = 0; i < relation->nterm; i++) {
    k[i] = coefficient(s, &relation->term[i]);
  }
  if (g->status < 0) return false;
  r->scale = jexpr_const(g, scale_of(s, k, relation->nterm));
  jexpr_ref sum = s->zero;
  for (int i = 0; i < relation->nterm; i++) {
    int q = relation->term[i].coordinate;
    r->J[q] = jexpr_mul(g, r->scale, k[i]);
    sum = jexpr_add(g, sum, jexpr_mul(g, r->J[q], s->q[q]));
  }
  jexpr_ref offset = jexpr_mul(g, r->scale, jgen_scalar(s, &relation->offset, c->name));
  r->h = jexpr_sub(g, sum, offset);
  r->bias = s->zero;
  return g->status >= 0;
}

bool jgen_couplings(jgen* s, jgen_row* rows) {
  int n = 0;
  for (int i = 0; i < s->m->ncoupling; i++) {
    const jmodel_coupling* c = &s->m->coupling[i];
    for (int k = 0; k < c->nrelation; k++) {
      if (!put_relation(s, c, &c->relation[k], k + 1, &rows[n++])) return false;
    }
  }
  return true;
}
