// SPDX-License-Identifier: Apache-2.0
// Tableaux satisfy the order conditions of all rooted trees up to the order the table of methods states, their
// embedded error one order less, their dense output its own; the implicit one is L-stable.
#include "solve/tableau.h"

#include <complex.h>

#include "support/check.h"
#include "support/random_graph.h"

// ---- rooted trees --------------------------------------------------------------------------------

enum { TREES = 17, ORDER = 5, STAGES = JSOLVE_MAX_STAGES + 1 };  // 1 + 1 + 2 + 4 + 9 trees

typedef struct tree {
  int order, nchild, child[ORDER];
  double density;
} tree;

static tree trees[TREES];
static int ntree;

// Trees whose root has the children chosen so far and others, none after `last` in the list.
static void grow(tree t, int left, int last, int known) {
  if (left == 0) {
    t.density = t.order;
    for (int i = 0; i < t.nchild; i++) {
      t.density *= trees[t.child[i]].density;
    }
    assert_true(ntree < TREES);
    trees[ntree++] = t;
    return;
  }
  for (int c = 0; c <= last && c < known; c++) {
    if (trees[c].order > left) continue;
    tree more = t;
    more.child[more.nchild++] = c;
    grow(more, left - trees[c].order, c, known);
  }
}

static int list_trees(void** state) {
  (void)state;
  ntree = 0;
  for (int order = 1; order <= ORDER; order++) {
    grow((tree){.order = order}, order - 1, TREES, ntree);
  }
  return ntree != TREES;
}

// ---- conditions ----------------------------------------------------------------------------------

// All stages, the end of the step among them.
typedef struct method {
  int n;
  double A[STAGES][STAGES], b[STAGES];
} method;

static method full(const jsolve_tableau* t) {
  method m = {.n = t->stages + 1};
  for (int i = 0; i < t->stages; i++) {
    for (int j = 0; j < i; j++) {
      m.A[i][j] = t->a[i][j];
    }
    if (i > 0) m.A[i][i] = t->gamma;
    m.b[i] = m.A[t->stages][i] = t->b[i];
  }
  m.b[t->stages] = m.A[t->stages][t->stages] = t->gamma;
  return m;
}

// sum_i w_i Phi_i(t), where Phi_i of a tree is the product over its children of sum_j A_ij Phi_j
static double weight(const method* m, const double* w, int t) {
  double phi[TREES][STAGES], sum = 0.0;
  for (int k = 0; k <= t; k++) {
    for (int i = 0; i < m->n; i++) {
      phi[k][i] = 1.0;
      for (int c = 0; c < trees[k].nchild; c++) {
        double inner = 0.0;
        for (int j = 0; j < m->n; j++) {
          inner += m->A[i][j] * phi[trees[k].child[c]][j];
        }
        phi[k][i] *= inner;
      }
    }
  }
  for (int i = 0; i < m->n; i++) {
    sum += w[i] * phi[t][i];
  }
  return sum;
}

// The highest order all of whose conditions hold for weights w at the part x of the step.
static int order_of(const method* m, const double* w, double x) {
  for (int t = 0; t < ntree; t++) {
    double wanted = pow(x, trees[t].order) / trees[t].density;
    if (!(fabs(weight(m, w, t) - wanted) < 1e-13)) return trees[t].order - 1;
  }
  return ORDER;
}

static const jsolve_method methods[] = {JSOLVE_RK2,     JSOLVE_RK3,   JSOLVE_RK4,  JSOLVE_DOPRI5,
                                        JSOLVE_ESDIRK5, JSOLVE_IMEX4, JSOLVE_IMEX3};
enum { NMETHOD = sizeof methods / sizeof *methods };

static void test_tableau_has_the_stated_order(void** state) {
  (void)state;
  for (int i = 0; i < NMETHOD; i++) {
    method m = full(jsolve_tableau_find(methods[i]));
    int order = order_of(&m, m.b, 1.0);
    assert_int_equal(order, jsolve_method_about(methods[i])->order);
  }
}

static void test_tableau_nodes_are_sums_of_their_rows(void** state) {
  (void)state;
  for (int i = 0; i < NMETHOD; i++) {
    const jsolve_tableau* t = jsolve_tableau_find(methods[i]);
    method m = full(t);
    for (int k = 0; k < m.n; k++) {
      double sum = 0.0;
      for (int j = 0; j < m.n; j++) {
        sum += m.A[k][j];
      }
      assert_near(sum, k < t->stages ? t->c[k] : 1.0, 1e-14);
    }
  }
}

// b - e is the solution the error is told from: of order four, and no more.
static void test_tableau_embedded_solution_is_of_one_order_less(void** state) {
  (void)state;
  for (int i = 0; i < NMETHOD; i++) {
    const jsolve_tableau* t = jsolve_tableau_find(methods[i]);
    method m = full(t);
    double other[STAGES], size = 0.0;
    for (int k = 0; k < m.n; k++) {
      other[k] = m.b[k] - t->e[k];
      size = fmax(size, fabs(t->e[k]));
    }
    bool is_fixed = jsolve_method_about(methods[i])->is_fixed;
    assert_int_equal(size == 0.0, is_fixed);
    if (!is_fixed)
      assert_int_equal(order_of(&m, other, 1.0), jsolve_method_about(methods[i])->order - 1);
  }
}

// y(x) = cubic Hermite polynomial + x^2 (1 - x)^2 h sum d_i k_i, as weights of the slopes
static void test_tableau_dense_output_has_its_order(void** state) {
  (void)state;
  static const int order[NMETHOD] = {2, 3, 3, 4, 3, 3, 3};
  for (int i = 0; i < NMETHOD; i++) {
    const jsolve_tableau* t = jsolve_tableau_find(methods[i]);
    method m = full(t);
    int least = ORDER;
    for (double x = 0.1; x < 1.0; x += 0.2) {
      double u = 1.0 - x, w[STAGES];
      for (int k = 0; k < m.n; k++) {
        w[k] = x * x * (3.0 - 2.0 * x) * m.b[k] + x * x * u * u * t->d[k];
      }
      w[0] += x * u * u;
      w[m.n - 1] -= x * x * u;
      int p = order_of(&m, w, x);
      least = p < least ? p : least;
    }
    assert_int_equal(least, order[i]);
  }
}

// ---- mixed methods -------------------------------------------------------------------------------

static method local_half(const jsolve_tableau* t) {
  method m = full(t);
  for (int i = 1; i < t->stages; i++) {
    memcpy(m.A[i], t->local[i], (size_t)i * sizeof(double));
    m.A[i][i] = t->local_gamma;
  }
  return m;
}

// Phi_i of tree t where every node but the root belongs to one of two parts of the equations, in the order that
// the bits of `colours` are met.
static double coloured(const method half[2], int t, int i, unsigned* colours) {
  double product = 1.0;
  for (int c = 0; c < trees[t].nchild; c++) {
    const method* m = &half[*colours & 1u];
    *colours >>= 1;
    unsigned left = *colours;
    double sum = 0.0;
    for (int j = 0; j < m->n; j++) {
      left = *colours;
      sum += m->A[i][j] * coloured(half, trees[t].child[c], j, &left);
    }
    *colours = left;
    product *= sum;
  }
  return product;
}

static void test_tableau_halves_of_mixed_methods_go_together(void** state) {
  (void)state;
  static const jsolve_method mixed[] = {JSOLVE_IMEX4, JSOLVE_IMEX3};
  for (int k = 0; k < 2; k++) {
    const jsolve_tableau* tab = jsolve_tableau_find(mixed[k]);
    method half[2] = {full(tab), local_half(tab)};
    for (int i = 0; i < tab->stages; i++) {
      double sum = 0.0;
      for (int j = 0; j <= i; j++) {
        sum += half[1].A[i][j];
      }
      assert_near(sum, tab->c[i], 1e-14);
    }
    for (int t = 0; t < ntree && trees[t].order <= jsolve_method_about(mixed[k])->order; t++) {
      for (unsigned colours = 0; colours < 1u << (trees[t].order - 1); colours++) {
        double sum = 0.0;
        for (int i = 0; i < half[0].n; i++) {
          unsigned left = colours;
          sum += half[0].b[i] * coloured(half, t, i, &left);
        }
        assert_near(sum, 1.0 / trees[t].density, 1e-13);
      }
    }
  }
}

// ---- stability -----------------------------------------------------------------------------------

// y1 / y0 of y' = lambda y, z = h lambda
static double complex growth(const method* m, double complex z) {
  double complex k[STAGES], y = 1.0;
  for (int i = 0; i < m->n; i++) {
    double complex sum = 1.0;
    for (int j = 0; j < i; j++) {
      sum += z * m->A[i][j] * k[j];
    }
    k[i] = sum / (1.0 - z * m->A[i][i]);
  }
  for (int i = 0; i < m->n; i++) {
    y += z * m->b[i] * k[i];
  }
  return y;
}

static void check_l_stable(method m) {
  assert_near(cabs(growth(&m, -1e8)), 0.0, 1e-6);
  for (double y = 1e-3; y < 1e6; y *= 1.3) {
    assert_true(cabs(growth(&m, I * y)) <= 1.0 + 1e-12);
    assert_true(cabs(growth(&m, -0.1 * y + I * y)) <= 1.0);
  }
}

static void test_tableau_implicit_methods_are_l_stable(void** state) {
  (void)state;
  check_l_stable(full(jsolve_tableau_implicit(JSOLVE_AUTO)));
  check_l_stable(local_half(jsolve_tableau_find(JSOLVE_IMEX4)));
  check_l_stable(local_half(jsolve_tableau_find(JSOLVE_IMEX3)));
}

// The border of stability of the explicit half in all directions to the left, which steps keep away from (rk.c).
static void test_tableau_explicit_half_is_stable_as_far_as_steps_go(void** state) {
  (void)state;
  method m = full(jsolve_tableau_find(JSOLVE_IMEX4));
  for (double angle = 1.6; angle <= 3.14159; angle += 0.1) {
    for (double r = 0.1; r < 3.5; r += 0.1) {
      assert_true(cabs(growth(&m, r * cexp(I * angle))) <= 1.0);
    }
  }
}

static void test_tableau_of_auto_are_both(void** state) {
  (void)state;
  assert_ptr_equal(jsolve_tableau_find(JSOLVE_AUTO), jsolve_tableau_find(JSOLVE_DOPRI5));
  assert_ptr_equal(jsolve_tableau_implicit(JSOLVE_AUTO), jsolve_tableau_find(JSOLVE_ESDIRK5));
  assert_null(jsolve_tableau_implicit(JSOLVE_DOPRI5));
  assert_null(jsolve_tableau_find(JSOLVE_BDF));
}

// ---- combinations --------------------------------------------------------------------------------

static void test_tableau_combination_is_the_sum(void** state) {
  (void)state;
  enum { N = 5 };
  random_source source;
  random_seed(&source, 181);
  for (int round = 0; round < 100; round++) {
    double factor[STAGES] = {0}, slope[STAGES][N], y[N], out[N], h = 0.3;
    double* k[STAGES];
    int used = 0;
    for (int j = 0; j < STAGES; j++) {
      k[j] = slope[j];
      if (random_below(&source, 3)) factor[j] = random_uniform(&source, -1.0, 1.0);
      used += factor[j] != 0.0;
      for (int i = 0; i < N; i++) {
        slope[j][i] = random_uniform(&source, -1.0, 1.0);
        y[i] = random_uniform(&source, -1.0, 1.0);
      }
    }
    jsolve_combination c = jsolve_compress(factor, STAGES);
    assert_int_equal(c.n, used);
    jsolve_combine(N, y, h, &c, k, out);
    for (int i = 0; i < N; i++) {
      double sum = y[i];
      for (int j = 0; j < STAGES; j++) {
        sum += h * factor[j] * slope[j][i];
      }
      assert_near(out[i], sum, 1e-15);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tableau_has_the_stated_order),
      cmocka_unit_test(test_tableau_nodes_are_sums_of_their_rows),
      cmocka_unit_test(test_tableau_embedded_solution_is_of_one_order_less),
      cmocka_unit_test(test_tableau_dense_output_has_its_order),
      cmocka_unit_test(test_tableau_halves_of_mixed_methods_go_together),
      cmocka_unit_test(test_tableau_implicit_methods_are_l_stable),
      cmocka_unit_test(test_tableau_explicit_half_is_stable_as_far_as_steps_go),
      cmocka_unit_test(test_tableau_of_auto_are_both),
      cmocka_unit_test(test_tableau_combination_is_the_sum),
  };
  return cmocka_run_group_tests(tests, list_trees, NULL);
}
