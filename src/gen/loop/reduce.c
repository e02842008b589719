// SPDX-License-Identifier: Apache-2.0
// Factorisations written out as scalar operations: structural zeros cost nothing, and the compiler
// sees straight-line code. Pivot orders are fixed when the equations are generated.
#include "gen/loop/reduce.h"
#include "base/assert.h"

static bool is_zero(const jexpr_graph* g, jexpr_ref r) {
  return jexpr_is_value(g, r, 0.0);
}

// ---- LU ------------------------------------------------------------------------------------------

void jgen_lu_factor(jgen_lu* f, jexpr_graph* g, int n, jexpr_ref* A, jexpr_ref* inv,
                    const int* col) {
  *f = (jgen_lu){g, n, A, inv, col};
  jexpr_ref one = jexpr_const(g, 1.0);
  for (int k = 0; k < n && g->status >= 0; k++) {
    int c = col[k];
    JASSERT(c >= 0 && c < n);
    inv[k] = jexpr_mark(g, jexpr_div(g, one, A[k * n + c]), "closure: 1/pivot.%d", k + 1);
    for (int i = k + 1; i < n; i++) {
      if (is_zero(g, A[i * n + c])) continue;
      jexpr_ref l = jexpr_mul(g, A[i * n + c], inv[k]);
      A[i * n + c] = l;
      for (int j = k + 1; j < n; j++) {
        int cj = col[j];
        A[i * n + cj] = jexpr_sub(g, A[i * n + cj], jexpr_mul(g, l, A[k * n + cj]));
      }
    }
  }
}

void jgen_lu_solve(const jgen_lu* f, jexpr_ref* b, jexpr_ref* x) {
  jexpr_graph* g = f->g;
  int n = f->n;
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      b[i] = jexpr_sub(g, b[i], jexpr_mul(g, f->A[i * n + f->col[k]], b[k]));
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    jexpr_ref sum = b[k];
    for (int j = k + 1; j < n; j++) {
      sum = jexpr_sub(g, sum, jexpr_mul(g, f->A[k * n + f->col[j]], x[f->col[j]]));
    }
    x[f->col[k]] = jexpr_mul(g, sum, f->inv[k]);
  }
}

// U^T w = c, then L^T y = w
void jgen_lu_solve_transposed(const jgen_lu* f, const jexpr_ref* c, jexpr_ref* y) {
  jexpr_graph* g = f->g;
  int n = f->n;
  for (int k = 0; k < n; k++) {
    jexpr_ref sum = c[f->col[k]];
    for (int j = 0; j < k; j++) {
      sum = jexpr_sub(g, sum, jexpr_mul(g, f->A[j * n + f->col[k]], y[j]));
    }
    y[k] = jexpr_mul(g, sum, f->inv[k]);
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k + 1; i < n; i++) {
      y[k] = jexpr_sub(g, y[k], jexpr_mul(g, f->A[i * n + f->col[k]], y[i]));
    }
  }
}

// ---- LDL -----------------------------------------------------------------------------------------

static int degree(const jexpr_graph* g, const jexpr_ref* A, int n, const bool* done, int i) {
  int d = 0;
  for (int j = 0; j < n; j++) {
    d += !done[j] && j != i && !is_zero(g, A[i * n + j]);
  }
  return d;
}

// Least degree on the structure of A, later rows first among equals.
static bool choose_order(jexpr_graph* g, const jexpr_ref* A, int n, int* order) {
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  bool* done = JARENA_ARRAY(&scratch, n, bool);
  jexpr_ref* P = JARENA_ARRAY(&scratch, (size_t)n * (size_t)n, jexpr_ref);  // pattern with fill
  bool ok = done && P;
  for (int i = 0; ok && i < n * n; i++) {
    P[i] = A[i];
  }
  for (int k = 0; ok && k < n; k++) {
    int best = -1, best_degree = n + 1;
    for (int i = n - 1; i >= 0; i--) {
      int d = done[i] ? n + 1 : degree(g, P, n, done, i);
      if (d < best_degree) {
        best_degree = d;
        best = i;
      }
    }
    order[k] = best;
    done[best] = true;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        bool fill = !is_zero(g, P[i * n + best]) && !is_zero(g, P[best * n + j]);
        if (fill && is_zero(g, P[i * n + j])) P[i * n + j] = P[best * n + best];
      }
    }
  }
  jarena_free(&scratch);
  return ok;
}

void jgen_ldl_factor(jgen_ldl* f, jexpr_graph* g, int n, jexpr_ref* A, jexpr_ref* inv, int* order) {
  *f = (jgen_ldl){g, n, A, inv, order};
  if (!choose_order(g, A, n, order)) {
    g->status = jerr_memory(g->ctx);
    return;
  }
  jexpr_ref one = jexpr_const(g, 1.0);
  for (int k = 0; k < n && g->status >= 0; k++) {
    int p = order[k];
    inv[p] = jexpr_mark(g, jexpr_div(g, one, A[p * n + p]), "Mr: 1/d.%d", k + 1);
    // rows i, j not yet eliminated: A_ij -= (A_ip / d) A_jp; l_ip = A_ip / d
    for (int a = k + 1; a < n; a++) {
      int i = order[a];
      if (is_zero(g, A[i * n + p])) continue;
      jexpr_ref l = jexpr_mul(g, A[i * n + p], inv[p]);
      for (int b = k + 1; b <= a; b++) {
        int j = order[b];
        jexpr_ref value = jexpr_sub(g, A[i * n + j], jexpr_mul(g, l, A[p * n + j]));
        A[i * n + j] = A[j * n + i] = value;
      }
      A[i * n + p] = l;  // A[p * n + i] keeps d l, which later rows use
    }
  }
}

void jgen_ldl_lower(const jgen_ldl* f, jexpr_ref* b) {
  jexpr_graph* g = f->g;
  int n = f->n;
  for (int k = 0; k < n; k++) {
    int p = f->order[k];
    for (int a = k + 1; a < n; a++) {
      int i = f->order[a];
      b[i] = jexpr_sub(g, b[i], jexpr_mul(g, f->A[i * n + p], b[p]));
    }
  }
}

void jgen_ldl_upper(const jgen_ldl* f, jexpr_ref* b) {
  jexpr_graph* g = f->g;
  int n = f->n;
  for (int k = n - 1; k >= 0; k--) {
    int p = f->order[k];
    b[p] = jexpr_mul(g, b[p], f->inv[p]);
    for (int a = k + 1; a < n; a++) {
      int i = f->order[a];
      b[p] = jexpr_sub(g, b[p], jexpr_mul(g, f->A[i * n + p], b[i]));
    }
  }
}

void jgen_ldl_solve(const jgen_ldl* f, jexpr_ref* b) {
  jgen_ldl_lower(f, b);
  jgen_ldl_upper(f, b);
}
