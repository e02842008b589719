// SPDX-License-Identifier: Apache-2.0
#include "expr/body.h"

#include <math.h>

#include "expr/intern.h"
#include "expr/rewrite.h"

// ---- reading -------------------------------------------------------------------------------------

const jexpr_body* jexpr_body_of(const jexpr_graph* g, jexpr_ref solve) {
  return &g->body[(int)jexpr_const_value(g, jexpr_arg(g, solve, JEXPR_SOLVE_BODY))];
}

jexpr_fn jexpr_body_fn(const jexpr_body* b, jexpr_outputs* out) {
  *out = (jexpr_outputs){"F", 2, b->eq};
  return (jexpr_fn){"equation", b->graph, 1, out};
}

// ---- derivatives ---------------------------------------------------------------------------------

// Nodes of the body written into the graph, at the unknown and the values it has there.
bool jexpr_body_at(jexpr_graph* g, jexpr_ref solve, const jexpr_ref* ref, int n,
                   jexpr_ref* result) {
  const jexpr_body* b = jexpr_body_of(g, solve);
  const jexpr_graph* from = b->graph;
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  jexpr_copy c;
  bool ok = jexpr_copy_init(&c, &scratch, from, g);
  for (int i = 0; ok && i < n; i++) {
    const bool* need = jexpr_needed(from, &scratch, ref[i]);
    ok = need != NULL;
    for (jexpr_ref r = 1; ok && r <= ref[i]; r++) {
      const jexpr_node* node = &from->node[r];
      if (!need[r] || c.now[r]) continue;
      if (node->op == JEXPR_CONST) {
        c.now[r] = jexpr_const(g, jexpr_const_value(from, r));
      } else if (node->op == JEXPR_INPUT) {
        bool is_x = node->a == JEXPR_BODY_X;
        c.now[r] = is_x ? solve : jexpr_arg(g, solve, JEXPR_SOLVE_VALUES + (int)node->b);
      } else {
        jexpr_copy_node(&c, r);
      }
    }
    if (ok) result[i] = c.now[ref[i]];
  }
  jarena_free(&scratch);
  if (!ok) jexpr_fail(g, jerr_memory(g->ctx));
  return ok;
}

jexpr_ref jexpr_solve_partial(jexpr_graph* g, jexpr_ref solve, int k) {
  if (k < JEXPR_SOLVE_VALUES) return jexpr_const(g, 0.0);
  const jexpr_body* b = jexpr_body_of(g, solve);
  jexpr_ref ref[2] = {b->partial[k - JEXPR_SOLVE_VALUES], b->eq[1]}, at[2];
  if (!jexpr_body_at(g, solve, ref, 2, at)) return JEXPR_POISON;
  return jexpr_neg(g, jexpr_div(g, at[0], at[1]));
}

// ---- value ---------------------------------------------------------------------------------------

#define ROUNDS   200
#define ACCURACY 1e-12  // of the last step of Newton, whose error is its square

// Emitted code has the same (emit/c/prelude.c).
double jexpr_solve_value(jexpr_equation f, void* user, double start, double step) {
  double x = start, low = 0.0, high = 0.0, last = INFINITY, F[2];
  double enough = ACCURACY * (fabs(start) + step);
  int found = 0;  // 1: F > 0 at low, 2: F < 0 at high
  for (int i = 0; i < ROUNDS; i++) {
    f(user, x, F);
    if (F[0] == 0.0) return x;
    if (F[0] > 0.0) {
      low = x;
      found |= 1;
    } else if (F[0] < 0.0) {
      high = x;
      found |= 2;
    } else {
      return NAN;
    }
    double way = -F[0] / F[1];
    if (found == 3 && fabs(way) <= enough) return x + way;
    if (found != 3) {
      way = F[0] > 0.0 ? step : -step;
      step *= 2.0;
    } else if (!(x + way > low && x + way < high && fabs(way) <= 0.5 * last)) {
      way = 0.5 * (low + high) - x;
    }
    if (found == 3) last = fabs(way);
    if (x + way == x) return x;
    x += way;
  }
  return NAN;
}
