// SPDX-License-Identifier: Apache-2.0
// Coordinate partitioning: which coordinates follow from the others through the closures. Gaussian
// elimination of the closure Jacobian at an assembled position, with pivots chosen for little fill
// among those large enough (Markowitz with threshold), later coordinates first, so that inner
// ones stay independent. The same pivot order is used for the unrolled symbolic factorisation.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "gen/gen.h"

#define PIVOT_THRESHOLD 0.1   // smallest pivot accepted, relative to the largest entry of its row
#define STRONG_PIVOT    0.7   // preferred where it costs no fill
#define FILL_THRESHOLD  1e-3  // smallest entry that counts as fill where a choice has to be robust

typedef struct elimination {
  const jmodel* m;
  double* A;  // nh x nq, column-major
  int nh, nq;
  int first, last;          // rows pivots are looked for in: first ... last - 1
  double slack;             // factor of the thresholds of pivots
  bool inner;               // of equals the earliest coordinate is taken, not the latest
  const bool *only, *kept;  // coordinates that may become dependent (nq), equations (nh); NULL: all
  bool *row_done, *col_done;
  bool* joins;   // coordinates that loops share which nothing else connects (nq)
  double floor;  // entries below are zero
  double trace;  // entries below do not count as fill
  // while a pivot is looked for: columns that may become dependent, those the wish allows, entries by column (nq)
  int *eligible, *usable, *in_column;
  int neligible, nusable;
} elimination;

static double at(const elimination* e, int r, int c) {
  return e->A[r + c * e->nh];
}

static bool eligible(const elimination* e, int c) {
  return !e->col_done[c] && !e->m->coordinate[c].is_driven && (!e->only || e->only[c]);
}

static void list_columns(elimination* e, int wish) {
  e->neligible = e->nusable = 0;
  for (int k = 0; k < e->nq; k++) {
    int c = e->inner ? k : e->nq - 1 - k;
    e->in_column[c] = -1;
    if (!eligible(e, c)) continue;
    e->eligible[e->neligible++] = c;
    if (e->m->coordinate[c].want_independent <= wish) e->usable[e->nusable++] = c;
  }
}

static double largest_in_row(const elimination* e, int r) {
  double largest = 0.0;
  for (int k = 0; k < e->nusable; k++) {
    double size = fabs(at(e, r, e->usable[k]));
    if (size > largest) largest = size;
  }
  return largest;
}

static int count_row(const elimination* e, int r) {
  int n = 0;
  for (int k = 0; k < e->neligible; k++) {
    n += fabs(at(e, r, e->eligible[k])) > e->trace;
  }
  return n;
}

static int count_column(elimination* e, int c) {
  if (e->in_column[c] >= 0) return e->in_column[c];
  int n = 0;
  for (int r = e->first; r < e->last; r++) {
    n += !e->row_done[r] && fabs(at(e, r, c)) > e->trace;
  }
  return e->in_column[c] = n;
}

// Best pivot among columns whose wish allows it: least fill; of equals a strong one, since the
// mechanism moves and weak ones vanish first; of equals the latest coordinate. False when only zeros
// remain, or nothing but coordinates that join loops and are not asked for.
static bool find_pivot(elimination* e, int wish, bool joins, int* row, int* col) {
  long best = -1;
  list_columns(e, wish);
  for (int r = e->first; r < e->last && best != 0; r++) {
    if (e->row_done[r] || (e->kept && !e->kept[r])) continue;
    double largest = largest_in_row(e, r);
    if (largest <= e->floor) continue;
    int row_count = count_row(e, r);
    for (int k = 0; k < e->nusable && best != 0; k++) {
      int c = e->usable[k];
      double size = fabs(at(e, r, c));
      if (size < e->slack * PIVOT_THRESHOLD * largest || (!joins && e->joins[c])) continue;
      long cost = 2 * (long)(row_count - 1) * (count_column(e, c) - 1);
      cost += size < e->slack * STRONG_PIVOT * largest;
      if (best < 0 || cost < best) {
        best = cost;
        *row = r;
        *col = c;
      }
    }
  }
  return best >= 0;
}

// Rows that some coordinate but `without` connects have the same number in `loop`.
static void number_loops(const elimination* e, int without, int* loop) {
  for (int r = 0; r < e->nh; r++) {
    loop[r] = r;
  }
  for (int c = 0; c < e->nq; c++) {
    int first = -1;
    for (int r = 0; r < e->nh && c != without && eligible(e, c); r++) {
      if (fabs(at(e, r, c)) <= e->floor) continue;
      int from = loop[r], to = first < 0 ? from : loop[first];
      for (int i = 0; i < e->nh; i++) {
        if (loop[i] == from) loop[i] = to;
      }
      if (first < 0) first = r;
    }
  }
}

// Of coordinates, whether the equations they occur in would fall apart without them.
static void find_joins(elimination* e, int* loop) {
  for (int c = 0; c < e->nq; c++) {
    int first = -1;
    if (eligible(e, c)) number_loops(e, c, loop);
    for (int r = 0; r < e->nh && eligible(e, c); r++) {
      if (fabs(at(e, r, c)) <= e->floor) continue;
      if (first >= 0 && loop[r] != loop[first]) e->joins[c] = true;
      if (first < 0) first = r;
    }
  }
}

static void eliminate(elimination* e, int row, int col) {
  JASSERT(!e->row_done[row] && !e->col_done[col]);
  e->row_done[row] = e->col_done[col] = true;
  for (int r = 0; r < e->nh; r++) {
    if (e->row_done[r]) continue;
    double f = at(e, r, col) / at(e, row, col);
    for (int c = 0; c < e->nq && f != 0.0; c++) {
      e->A[r + c * e->nh] -= f * at(e, row, c);
    }
  }
}

static bool allocate_elimination(jarena* a, elimination* e) {
  e->row_done = JARENA_ARRAY(a, e->nh, bool);
  e->col_done = JARENA_ARRAY(a, e->nq, bool);
  e->A = JARENA_ARRAY(a, (size_t)e->nh * (size_t)e->nq, double);
  e->eligible = JARENA_ARRAY(a, e->nq, int);
  e->usable = JARENA_ARRAY(a, e->nq, int);
  e->in_column = JARENA_ARRAY(a, e->nq, int);
  return e->row_done && e->col_done && e->A && e->eligible && e->usable && e->in_column;
}

static bool allocate(jarena* a, jgen_partition* p, elimination* e) {
  p->u = JARENA_ARRAY(a, e->nq, int);
  p->v = JARENA_ARRAY(a, e->nq, int);
  p->d = JARENA_ARRAY(a, e->nq, int);
  p->row = JARENA_ARRAY(a, e->nh, int);
  p->pivot = JARENA_ARRAY(a, e->nh, int);
  p->redundant = JARENA_ARRAY(a, e->nh, int);
  e->joins = JARENA_ARRAY(a, e->nq, bool);
  return p->u && p->v && p->d && p->row && p->pivot && p->redundant && e->joins &&
         allocate_elimination(a, e);
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
  elimination e = {
      .m = m, .nh = nh, .nq = m->ncoordinate, .last = nh, .slack = 1.0, .only = only, .kept = kept};
  jgen_partition p = {0};
  if (!allocate(a, &p, &e)) return jerr_memory(ctx);
  double largest = 0.0;
  for (int i = 0; i < nh * e.nq; i++) {
    e.A[i] = J[i];
    largest = fmax(largest, fabs(J[i]));
  }
  e.floor = e.trace = tolerance * largest;
  find_joins(&e, p.pivot);  // scratch until pivots are found
  int row = 0, col = 0;
  // Wanted dependent first, then free choice, then against the user's wish. What joins loops, as a rack between two wheels,
  // stays out of their equations where it is independent: others come first.
  for (int pass = only ? 5 : 0; pass < 6; pass++) {
    int wish = pass / 2 - 1;
    while (find_pivot(&e, wish, pass % 2 > 0, &row, &col)) {
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
  JASSERT(p.nv == p.nrow && p.nrow + p.nredundant == nh);
  JASSERT(p.nu + p.nv + p.nd == e.nq);
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

// Rows of conditions may be forces as well as lengths: each is taken relative to its largest entry. Entries that are zero at this
// position only, and small near it, must not change the choice: what stays would jump.
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
  double size = fmax(largest, nh < e->nh ? 1.0 : 0.0);
  e->floor = tolerance * size;
  e->trace = e->slack * FILL_THRESHOLD * size;
}

jo_status jgen_undetermined(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                            int nr, double tolerance, double slack, bool inner, bool* stays) {
  elimination e = {.m = m, .nh = nr, .nq = m->ncoordinate, .slack = slack, .inner = inner};
  JASSERT(nh <= nr);
  jarena_mark mark = jarena_save(a);
  if (!allocate_elimination(a, &e)) return jerr_memory(ctx);
  fill_scaled(&e, J, nh, tolerance);
  int row = 0, col = 0;
  e.last = nh;
  for (int wish = -1; wish <= 1; wish++) {
    while (find_pivot(&e, wish, true, &row, &col)) {
      eliminate(&e, row, col);
    }
  }
  e.first = nh;
  e.last = nr;
  e.inner = true;
  while (find_pivot(&e, 1, true, &row, &col)) {
    eliminate(&e, row, col);
  }
  for (int c = 0; c < e.nq; c++) {
    stays[c] = !e.col_done[c] && !m->coordinate[c].is_driven;
  }
  jarena_restore(a, mark);
  return JO_OK;
}
