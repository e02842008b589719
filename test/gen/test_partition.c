// SPDX-License-Identifier: Apache-2.0
// Partitions of matrices known by construction: as many dependent coordinates as the rank, columns that determine
// them, redundant rows that follow from the others, and the wishes of the user.
#include "gen/gen.h"
#include "support/dense.h"
#include "support/fixture.h"
#include "support/random_graph.h"

enum { ROWS = 9, COLUMNS = 12 };

#define TOLERANCE 1e-9

typedef struct mechanism {
  jmodel m;
  jmodel_coordinate coordinate[COLUMNS];
  char name[COLUMNS][16];
} mechanism;

static void make(mechanism* k, int n) {
  *k = (mechanism){.m = {.path = "m.yaml", .ncoordinate = n, .coordinate = k->coordinate}};
  for (int i = 0; i < n; i++) {
    snprintf(k->name[i], sizeof k->name[i], "q%d", i);
    k->coordinate[i] = (jmodel_coordinate){.name = k->name[i]};
  }
}

static jgen_partition choose(fixture* f, const mechanism* k, const double* J, int nh) {
  jgen_partition p;
  assert_ok(f->ctx, jgen_partition_choose(f->ctx, &f->a, &k->m, J, nh, TOLERANCE, &p));
  return p;
}

// Every coordinate is in one list, every equation in one.
static void assert_complete(const mechanism* k, const jgen_partition* p, int nh) {
  int seen[COLUMNS] = {0}, used[ROWS] = {0};
  for (int i = 0; i < p->nu + p->nv + p->nd; i++) {
    int c = i < p->nu ? p->u[i] : i < p->nu + p->nv ? p->v[i - p->nu] : p->d[i - p->nu - p->nv];
    assert_int_equal(seen[c]++, 0);
    assert_int_equal(k->coordinate[c].is_driven, i >= p->nu + p->nv);
  }
  assert_int_equal(p->nu + p->nv + p->nd, k->m.ncoordinate);
  assert_int_equal(p->nrow, p->nv);
  assert_int_equal(p->nrow + p->nredundant, nh);
  for (int i = 0; i < nh; i++) {
    assert_int_equal(used[i < p->nrow ? p->row[i] : p->redundant[i - p->nrow]]++, 0);
  }
  int pivots[COLUMNS] = {0};
  for (int i = 0; i < p->nrow; i++) {
    assert_int_equal(pivots[p->pivot[i]]++, 0);
  }
}

// Kept rows and dependent columns of J, in the order of the factorisation: no pivot vanishes.
static void assert_determines(const jgen_partition* p, const double* J, int nh) {
  double A[ROWS * COLUMNS], b[ROWS] = {0};
  for (int i = 0; i < p->nv; i++) {
    for (int c = 0; c < p->nv; c++) {
      A[i * p->nv + c] = J[p->row[i] + p->v[c] * nh];
    }
  }
  if (p->nv > 0) assert_true(dense_solve(p->nv, A, b));
  for (int i = 0; i < p->nv; i++) {
    for (int c = 0; c < p->nv; c++) {
      A[i * p->nv + c] = J[p->row[i] + p->v[p->pivot[c]] * nh];
    }
  }
  // elimination without exchanges
  for (int k = 0; k < p->nv; k++) {
    assert_true(fabs(A[k * p->nv + k]) > 1e-6);
    for (int i = k + 1; i < p->nv; i++) {
      double l = A[i * p->nv + k] / A[k * p->nv + k];
      for (int c = k; c < p->nv; c++) {
        A[i * p->nv + c] -= l * A[k * p->nv + c];
      }
    }
  }
}

static int rank_of(const double* J, int nh, int nq, const mechanism* k) {
  double A[ROWS * COLUMNS] = {0};
  int n = 0;
  for (int c = 0; c < nq; c++) {
    if (k->coordinate[c].is_driven) continue;
    for (int i = 0; i < nh; i++) {
      A[i * nq + n] = J[i + c * nh];
    }
    n++;
  }
  return dense_rank(nh, nq, A, 1e-8);
}

// J of rank `rank`: random rows, and combinations of them.
static void random_matrix(random_source* s, int nh, int nq, int rank, double* J) {
  for (int i = 0; i < nh; i++) {
    double weight[ROWS];
    for (int k = 0; k < rank; k++) {
      weight[k] = random_uniform(s, -1.0, 1.0);
    }
    for (int c = 0; c < nq; c++) {
      double own = random_below(s, 3) ? 0.0 : random_uniform(s, 0.5, 2.0), sum = 0.0;
      for (int k = 0; k < rank && k < i; k++) {
        sum += weight[k] * J[k + c * nh];
      }
      J[i + c * nh] = i < rank ? own + (c == i ? 3.0 : 0.0) : sum;
    }
  }
}

static void test_partition_has_the_rank_of_the_matrix(void** state) {
  fixture* f = *state;
  random_source source;
  random_seed(&source, 91);
  for (int round = 0; round < 200; round++) {
    int nq = 2 + random_below(&source, COLUMNS - 2), nh = 1 + random_below(&source, ROWS - 1);
    int rank = random_below(&source, (nh < nq ? nh : nq) + 1);
    double J[ROWS * COLUMNS];
    mechanism k;
    make(&k, nq);
    random_matrix(&source, nh, nq, rank, J);
    if (round % 3 == 0) k.coordinate[random_below(&source, nq)].is_driven = true;
    jgen_partition p = choose(f, &k, J, nh);
    assert_complete(&k, &p, nh);
    assert_int_equal(p.nv, rank_of(J, nh, nq, &k));
    assert_determines(&p, J, nh);
  }
}

// A planar four-bar with angles relative to the bar before, written in space: three of six equations are
// redundant, and any of its three angles may lead.
static void test_partition_of_a_four_bar(void** state) {
  fixture* f = *state;
  const double a[3] = {0.9, -0.4, -1.1}, l[3] = {1.0, 2.0, 1.5};
  double J[6 * 3] = {0}, sum = 0.0, x = 0.0, z = 0.0;
  double joint[3][2];
  for (int i = 0; i < 3; i++) {
    joint[i][0] = x;
    joint[i][1] = z;
    sum += a[i];
    x += l[i] * cos(sum);
    z += l[i] * sin(sum);
  }
  for (int c = 0; c < 3; c++) {
    J[0 + c * 6] = -(z - joint[c][1]);  // x of the end
    J[2 + c * 6] = x - joint[c][0];     // z
  }
  mechanism k;
  for (int lead = -1; lead < 3; lead++) {
    make(&k, 3);
    if (lead >= 0) k.coordinate[lead].want_independent = 1;
    jgen_partition p = choose(f, &k, J, 6);
    assert_complete(&k, &p, 6);
    assert_int_equal(p.nv, 2);
    assert_int_equal(p.nredundant, 4);
    if (lead >= 0) assert_int_equal(p.u[0], lead);
    assert_determines(&p, J, 6);
  }
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
}

// Of equals the latest depends, so that inner coordinates lead.
static void test_partition_takes_later_coordinates_of_equals(void** state) {
  fixture* f = *state;
  const double J[3] = {1.0, 1.0, 1.0};
  mechanism k;
  make(&k, 3);
  assert_int_equal(choose(f, &k, J, 1).v[0], 2);
}

// Two loops of two coordinates each, and one that only joins them, with the largest entries: it stays independent, unless
// the others are too weak.
static void test_partition_keeps_loops_apart(void** state) {
  fixture* f = *state;
  mechanism k;
  make(&k, 5);
  const double strong[2 * 5] = {1.0, 1.0, 0.3, 0.0, 0.2, 0.0, 0.0, 0.3, 0.0, 0.2};
  const double weak[2 * 5] = {1.0, 1.0, 0.3, 0.0, 0.2, 0.0, 0.0, 0.01, 0.0, 0.02};
  jgen_partition p = choose(f, &k, strong, 2);
  assert_complete(&k, &p, 2);
  assert_int_equal(p.nv, 2);
  assert_int_not_equal(p.v[0], 0);
  p = choose(f, &k, weak, 2);
  assert_int_equal(p.v[0], 0);
}

static void test_partition_hears_wishes_as_far_as_it_can(void** state) {
  fixture* f = *state;
  const double J[2 * 3] = {1.0, 0.0, 1.0, 1.0, 1.0, 2.0};
  mechanism k;
  make(&k, 3);
  k.coordinate[0].want_independent = -1;
  k.coordinate[1].want_independent = -1;
  jgen_partition p = choose(f, &k, J, 2);
  assert_int_equal(p.u[0], 2);
  // two coordinates cannot both be free of two equations in three
  k.coordinate[0].want_independent = k.coordinate[1].want_independent = 1;
  p = choose(f, &k, J, 2);
  assert_int_equal(p.nv, 2);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  jo_severity severity;
  assert_non_null(strstr(jo_context_diagnostic(f->ctx, 0, &severity), "cannot be independent"));
  assert_int_equal(severity, JO_WARNING);
}

// What neither closures nor conditions determine: as many coordinates as the rank of all rows leaves.
static void test_undetermined_coordinates_are_what_the_rank_leaves(void** state) {
  fixture* f = *state;
  random_source source;
  random_seed(&source, 92);
  for (int round = 0; round < 100; round++) {
    int nq = 3 + random_below(&source, COLUMNS - 3), nr = 2 + random_below(&source, ROWS - 2);
    int nh = random_below(&source, nr + 1), most = nr < nq ? nr : nq, left = 0;
    double J[ROWS * COLUMNS];
    bool stays[COLUMNS];
    mechanism k;
    make(&k, nq);
    random_matrix(&source, nr, nq, random_below(&source, most + 1), J);
    assert_ok(f->ctx,
              jgen_undetermined(f->ctx, &f->a, &k.m, J, nh, nr, TOLERANCE, 1.0, round % 2, stays));
    for (int c = 0; c < nq; c++) {
      left += stays[c];
    }
    assert_int_equal(left, nq - rank_of(J, nr, nq, &k));
  }
}

// Entries that are zero at one position only are small beside it: what stays must not jump.
static void test_small_entries_do_not_change_what_stays(void** state) {
  fixture* f = *state;
  random_source source;
  random_seed(&source, 93);
  for (int round = 0; round < 200; round++) {
    int nq = 3 + random_below(&source, COLUMNS - 3), nr = 2 + random_below(&source, ROWS - 2);
    double J[ROWS * COLUMNS];
    bool stays[COLUMNS] = {0}, beside[COLUMNS] = {0};
    mechanism k;
    make(&k, nq);
    for (int i = 0; i < nr * nq; i++) {
      J[i] = random_below(&source, 3) ? 0.0 : random_uniform(&source, 0.3, 1.0);
    }
    if (rank_of(J, nr, nq, &k) < nr) continue;
    assert_ok(f->ctx, jgen_undetermined(f->ctx, &f->a, &k.m, J, nr, nr, TOLERANCE, 1.0, 0, stays));
    for (int i = 0; i < nr * nq; i++) {
      J[i] += random_uniform(&source, -1e-6, 1e-6);
    }
    assert_ok(f->ctx, jgen_undetermined(f->ctx, &f->a, &k.m, J, nr, nr, TOLERANCE, 1.0, 0, beside));
    assert_memory_equal(stays, beside, (size_t)nq * sizeof *stays);
  }
}

// ---- exchanges ---------------------------------------------------------------------------------------

static jgen_footing judge(fixture* f, const mechanism* k, const double* J, int nh,
                          const jgen_partition* p) {
  jgen_footing footing;
  assert_ok(f->ctx, jgen_partition_judge(f->ctx, &f->a, &k->m, J, nh, 1.0, p, &footing));
  return footing;
}

static bool exchange(fixture* f, const mechanism* k, const double* J, int nh, double enough,
                     const jgen_partition* now, jgen_partition* out) {
  bool found;
  assert_ok(f->ctx, jgen_partition_exchange(f->ctx, &f->a, &k->m, J, nh, 1.0, TOLERANCE, enough,
                                            now, out, &found));
  return found;
}

// Partitions chosen for one matrix serve for another of the same rank after exchanges: no slope is steeper than asked for,
// and what determines them is at least as large as it was.
static void test_exchanges_leave_no_steep_slope(void** state) {
  fixture* f = *state;
  random_source source;
  random_seed(&source, 93);
  int exchanged = 0;
  for (int round = 0; round < 200; round++) {
    int nq = 3 + random_below(&source, COLUMNS - 3), nh = 1 + random_below(&source, ROWS - 1);
    int most = nh < nq ? nh : nq, rank = 1 + random_below(&source, most);
    double J[ROWS * COLUMNS], there[ROWS * COLUMNS];
    mechanism k;
    make(&k, nq);
    random_matrix(&source, nh, nq, rank, J);
    random_matrix(&source, nh, nq, rank, there);
    if (round % 3 == 0) k.coordinate[random_below(&source, nq)].is_driven = true;
    jgen_partition now = choose(f, &k, J, nh), next;
    if (now.nv != rank_of(there, nh, nq, &k)) continue;
    jgen_footing before = judge(f, &k, there, nh, &now);
    if (!isfinite(before.steepest) || before.steepest > 1e6) continue;
    if (!exchange(f, &k, there, nh, 1.5, &now, &next)) continue;
    jgen_footing after = judge(f, &k, there, nh, &next);
    assert_complete(&k, &next, nh);
    assert_int_equal(next.nv, now.nv);
    assert_true(after.steepest <= 1.5 * (1.0 + 1e-9));
    assert_true(after.rows <= 1.0 + 1e-9 || after.rows < before.rows * (1.0 + 1e-9));
    if (now.nredundant == 0) assert_true(after.volume >= before.volume * (1.0 - 1e-9));
    exchanged += !jgen_partition_is_same(&now, &next);
  }
  assert_true(exchanged > 20);
}

// dv/du of a matrix with one equation is the ratio of its entries; an exchange against a wish counts half.
static void test_exchanges_count_wishes_half(void** state) {
  fixture* f = *state;
  mechanism k;
  jgen_partition next;
  make(&k, 3);
  k.coordinate[0].want_independent = 1;
  const double start[3] = {1.0, 1.0, 2.0};
  jgen_partition now = choose(f, &k, start, 1);
  assert_int_equal(now.v[0], 2);
  const double wished[3] = {1.8, 1.0, 0.1}, needed[3] = {2.2, 1.0, 0.1};
  jgen_footing footing = judge(f, &k, wished, 1, &now);
  assert_near(footing.steepest, 18.0, 1e-12);
  assert_near(footing.volume, 0.1, 1e-15);
  assert_true(exchange(f, &k, wished, 1, 2.0, &now, &next));
  assert_int_equal(next.v[0], 1);
  assert_true(exchange(f, &k, needed, 1, 2.0, &now, &next));
  assert_int_equal(next.v[0], 0);
}

// The least pivot of rows that are nearly one, and by how much their residuals contradict each other.
static void test_what_is_left_of_closures_that_nearly_depend(void** state) {
  fixture* f = *state;
  mechanism k;
  make(&k, 3);
  const double start[2 * 3] = {1.0, 0.0, 0.0, 1.0, 0.5, 0.5};
  jgen_partition now = choose(f, &k, start, 2);
  assert_near(judge(f, &k, start, 2, &now).least, 1.0, 1e-15);
  // the second row is twice the first but for 1e-3, and so is its residual but for 1e-5
  const double J[2 * 3] = {1.0, 2.0, 0.25, 0.5, 0.5, 1.001};
  jgen_footing footing = judge(f, &k, J, 2, &now);
  assert_near(footing.least, 5e-4, 1e-12);
  assert_int_equal(footing.weakest, 0);
  double h[2] = {0.1, 0.20001}, miss;
  assert_ok(f->ctx, jgen_partition_miss(f->ctx, &f->a, &k.m, J, h, 2, 1.0, 2, 1e-2, &miss));
  assert_near(miss, 5e-6, 1e-15);
  // with both pivots all is met
  double again[2] = {0.1, 0.20001};
  assert_ok(f->ctx, jgen_partition_miss(f->ctx, &f->a, &k.m, J, again, 2, 1.0, 2, 0.0, &miss));
  assert_true(miss == 0.0);
}

// Two coordinates in a plane askew: of three equations the two that were kept may come to be one.
static void test_exchanges_find_the_equations_that_tell(void** state) {
  fixture* f = *state;
  mechanism k;
  make(&k, 3);
  // the third equation is the sum of the others
  const double start[3 * 3] = {1.0, 0.1, 1.1, 0.1, 1.0, 1.1, 0.5, 0.6, 1.1};
  jgen_partition now = choose(f, &k, start, 3), next;
  assert_int_equal(now.nv, 2);
  int kept[2] = {now.row[0], now.row[now.nrow - 1]};
  double J[3 * 3];
  for (int c = 0; c < 3; c++) {
    double a = c == 0 ? 1.0 : 0.3, b = c == now.v[0] ? 1.0 : 0.2;
    for (int r = 0; r < 3; r++) {
      bool is_kept = r == kept[0] || r == kept[1];
      J[r + 3 * c] = is_kept ? a + (r == kept[1] ? 1e-4 * b : 0.0) : b;
    }
  }
  jgen_footing before = judge(f, &k, J, 3, &now);
  assert_true(before.rows > 1e3);
  assert_true(exchange(f, &k, J, 3, 10.0, &now, &next));
  assert_true(judge(f, &k, J, 3, &next).rows < 10.0);
}

// Where J itself loses rank there is nothing to exchange.
static void test_exchanges_do_not_help_where_rank_is_lost(void** state) {
  fixture* f = *state;
  mechanism k;
  jgen_partition next;
  make(&k, 3);
  const double start[2 * 3] = {1.0, 0.0, 0.0, 1.0, 0.5, 0.5};
  const double flat[2 * 3] = {1.0, 2.0, 0.5, 1.0, -0.5, -1.0};
  jgen_partition now = choose(f, &k, start, 2);
  assert_int_equal(now.nv, 2);
  assert_false(exchange(f, &k, flat, 2, 2.0, &now, &next));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_partition_has_the_rank_of_the_matrix),
      fixture_test(test_partition_of_a_four_bar),
      fixture_test(test_partition_takes_later_coordinates_of_equals),
      fixture_test(test_partition_keeps_loops_apart),
      fixture_test(test_partition_hears_wishes_as_far_as_it_can),
      fixture_test(test_small_entries_do_not_change_what_stays),
      fixture_test(test_undetermined_coordinates_are_what_the_rank_leaves),
      fixture_test(test_exchanges_leave_no_steep_slope),
      fixture_test(test_exchanges_count_wishes_half),
      fixture_test(test_what_is_left_of_closures_that_nearly_depend),
      fixture_test(test_exchanges_find_the_equations_that_tell),
      fixture_test(test_exchanges_do_not_help_where_rank_is_lost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
