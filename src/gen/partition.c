// SPDX-License-Identifier: Apache-2.0
// Coordinate partitioning: which coordinates follow from the others through the closures. Gaussian
// elimination of the closure Jacobian at an assembled position, with pivots chosen for little fill
// among those large enough (Markowitz with threshold), later coordinates first, so that inner
// ones stay independent. The same pivot order is used for the unrolled symbolic factorisation.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "gen/gen.h"

#define PIVOT_THRESHOLD 0.1  // smallest pivot accepted, relative to the largest entry of its row
#define STRONG_PIVOT    0.7  // preferred where it costs no fill

typedef struct elimination {
  const jmodel* m;
  double* A;  // nh x nq, column-major
  int nh, nq;
  int first, last;          // rows pivots are looked for in: first ... last - 1
  bool inner;               // of equals the earliest coordinate is taken, not the latest
  const bool *only, *kept;  // coordinates that may become dependent (nq), equations (nh); NULL: all
  bool *row_done, *col_done;
  double floor;  // entries below are zero
} elimination;

static double at(const elimination* e, int r, int c) {
  return e->A[r + c * e->nh];
}

static bool eligible(const elimination* e, int c) {
  return !e->col_done[c] && !e->m->coordinate[c].is_driven && (!e->only || e->only[c]);
}

static bool usable(const elimination* e, int c, int wish) {
  return eligible(e, c) && e->m->coordinate[c].want_independent <= wish;
}

static int count_row(const elimination* e, int r) {
  int n = 0;
  for (int c = 0; c < e->nq; c++) {
    n += eligible(e, c) && fabs(at(e, r, c)) > e->floor;
  }
  return n;
}

static int count_column(const elimination* e, int c) {
  int n = 0;
  for (int r = e->first; r < e->last; r++) {
    n += !e->row_done[r] && fabs(at(e, r, c)) > e->floor;
  }
  return n;
}

// Best pivot among columns whose wish allows it: least fill; of equals a strong one, since the
// mechanism moves and weak ones vanish first; of equals the latest coordinate. False when only zeros
// remain.
static bool find_pivot(const elimination* e, int wish, int* row, int* col) {
  long best = -1;
  for (int r = e->first; r < e->last; r++) {
    if (e->row_done[r] || (e->kept && !e->kept[r])) continue;
    double largest = 0.0;
    for (int c = 0; c < e->nq; c++) {
      if (usable(e, c, wish)) largest = fmax(largest, fabs(at(e, r, c)));
    }
    if (largest <= e->floor) continue;
    int row_count = count_row(e, r);
    for (int k = 0; k < e->nq; k++) {
      int c = e->inner ? k : e->nq - 1 - k;
      double size = fabs(at(e, r, c));
      if (!usable(e, c, wish) || size < PIVOT_THRESHOLD * largest) continue;
      long cost = 2 * (long)(row_count - 1) * (count_column(e, c) - 1);
      cost += size < STRONG_PIVOT * largest;
      if (best < 0 || cost < best) {
        best = cost;
        *row = r;
        *col = c;
      }
    }
  }
  return best >= 0;
}

static void eliminate(elimination* e, int row, int col) {
  assert(!e->row_done[row] && !e->col_done[col]);
  e->row_done[row] = e->col_done[col] = true;
  for (int r = 0; r < e->nh; r++) {
    if (e->row_done[r]) continue;
    double f = at(e, r, col) / at(e, row, col);
    for (int c = 0; c < e->nq && f != 0.0; c++) {
      e->A[r + c * e->nh] -= f * at(e, row, c);
    }
  }
}

static bool allocate(jarena* a, jgen_partition* p, elimination* e) {
  p->u = JARENA_ARRAY(a, e->nq, int);
  p->v = JARENA_ARRAY(a, e->nq, int);
  p->d = JARENA_ARRAY(a, e->nq, int);
  p->row = JARENA_ARRAY(a, e->nh, int);
  p->pivot = JARENA_ARRAY(a, e->nh, int);
  p->redundant = JARENA_ARRAY(a, e->nh, int);
  e->row_done = JARENA_ARRAY(a, e->nh, bool);
  e->col_done = JARENA_ARRAY(a, e->nq, bool);
  e->A = JARENA_ARRAY(a, (size_t)e->nh * (size_t)e->nq, double);
  return p->u && p->v && p->d && p->row && p->pivot && p->redundant && e->row_done && e->col_done &&
         e->A;
}

static void sort_coordinates(const elimination* e, jgen_partition* p) {
  int* position = p->u;  // scratch until u is filled below
  for (int c = 0; c < e->nq; c++) {
    position[c] = -1;
  }
  int* pivot_col = p->pivot;  // holds coordinates so far
  for (int k = 0; k < p->nrow; k++) {
    position[pivot_col[k]] = k;
  }
  for (int c = 0; c < e->nq; c++) {
    if (position[c] < 0) continue;
    pivot_col[position[c]] = p->nv;
    p->v[p->nv++] = c;
  }
  for (int c = 0; c < e->nq; c++) {
    if (e->m->coordinate[c].is_driven) p->d[p->nd++] = c;
  }
  for (int c = 0; c < e->nq; c++) {
    if (!e->col_done[c] && !e->m->coordinate[c].is_driven) p->u[p->nu++] = c;
  }
}

static jo_status choose(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                        double tolerance, const bool* only, const bool* kept, jgen_partition* out) {
  elimination e = {.m = m, .nh = nh, .nq = m->ncoordinate, .last = nh, .only = only, .kept = kept};
  jgen_partition p = {0};
  if (!allocate(a, &p, &e)) return jerr_memory(ctx);
  double largest = 0.0;
  for (int i = 0; i < nh * e.nq; i++) {
    e.A[i] = J[i];
    largest = fmax(largest, fabs(J[i]));
  }
  e.floor = tolerance * largest;
  int row = 0, col = 0;
  // wanted dependent first, then free choice, then against the user's wish
  for (int wish = only ? 1 : -1; wish <= 1; wish++) {
    while (find_pivot(&e, wish, &row, &col)) {
      if (wish == 1 && !only) {
        jerr_warn(ctx, "%s: coordinate '%s' cannot be independent: the closures determine it",
                  m->path, m->coordinate[col].name);
      }
      p.row[p.nrow] = row;
      p.pivot[p.nrow++] = col;
      eliminate(&e, row, col);
    }
  }
  for (int r = 0; r < nh; r++) {
    if (!e.row_done[r]) p.redundant[p.nredundant++] = r;
  }
  sort_coordinates(&e, &p);
  assert(p.nv == p.nrow && p.nrow + p.nredundant == nh);
  assert(p.nu + p.nv + p.nd == e.nq);
  *out = p;
  return JO_OK;
}

jo_status jgen_partition_choose(jo_context* ctx, jarena* a, const jmodel* m, const double* J,
                                int nh, double tolerance, jgen_partition* out) {
  return choose(ctx, a, m, J, nh, tolerance, NULL, NULL, out);
}

jo_status jgen_partition_order(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                               double tolerance, const bool* dependent, const bool* kept,
                               jgen_partition* out) {
  return choose(ctx, a, m, J, nh, tolerance, dependent, kept, out);
}

// Rows of conditions may be forces as well as lengths: each is taken relative to its largest entry.
static void fill_scaled(elimination* e, const double* J, int nh, double tolerance) {
  double largest = 0.0;
  for (int r = 0; r < e->nh; r++) {
    double size = 0.0;
    for (int c = 0; c < e->nq; c++) {
      size = fmax(size, fabs(J[r + c * e->nh]));
    }
    if (r < nh) largest = fmax(largest, size);
    for (int c = 0; c < e->nq; c++) {
      e->A[r + c * e->nh] = J[r + c * e->nh] / (r < nh || size == 0.0 ? 1.0 : size);
    }
  }
  e->floor = tolerance * fmax(largest, nh < e->nh ? 1.0 : 0.0);
}

jo_status jgen_undetermined(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                            int nr, double tolerance, bool inner, bool* stays) {
  elimination e = {.m = m, .nh = nr, .nq = m->ncoordinate, .inner = inner};
  assert(nh <= nr);
  jarena_mark mark = jarena_save(a);
  e.row_done = JARENA_ARRAY(a, nr, bool);
  e.col_done = JARENA_ARRAY(a, e.nq, bool);
  e.A = JARENA_ARRAY(a, (size_t)nr * (size_t)e.nq, double);
  if (!e.row_done || !e.col_done || !e.A) return jerr_memory(ctx);
  fill_scaled(&e, J, nh, tolerance);
  int row = 0, col = 0;
  e.last = nh;
  for (int wish = -1; wish <= 1; wish++) {
    while (find_pivot(&e, wish, &row, &col)) {
      eliminate(&e, row, col);
    }
  }
  e.first = nh;
  e.last = nr;
  e.inner = true;
  while (find_pivot(&e, 1, &row, &col)) {
    eliminate(&e, row, col);
  }
  for (int c = 0; c < e.nq; c++) {
    stays[c] = !e.col_done[c] && !m->coordinate[c].is_driven;
  }
  jarena_restore(a, mark);
  return JO_OK;
}
