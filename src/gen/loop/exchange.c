// SPDX-License-Identifier: Apache-2.0
// Partitions where the mechanism is now, not where it was assembled. docs/theory/dynamics.md eqs. (R11), (R12).
//
// With J_v regular, dv = -J_v^-1 J_u du = N du. A dependent coordinate i that changes places with an independent one j
// multiplies det J_v by |N_ij|: the steepest slope is what such an exchange gains most by, and where none exceeds one
// the determinant is the largest that exchanges lead to.
#include <math.h>
#include <string.h>

#include "gen/gen.h"

#define EXCHANGES    4    // for each dependent coordinate, at most
#define AGAINST_WISH 0.5  // of its slope: what an exchange against the user's wish counts

// Columns of J, those of angles divided by their lever, reduced step by step until those of the dependent
// coordinates are unit vectors; those of the others are then -N.
typedef struct tableau {
  const jmodel* m;
  double* A;  // nh x nq, column-major
  int nh, nq;
  const double* scale;  // by coordinate
  int* column_of;       // by row: coordinate whose unit vector has its one there; -1: none (nh)
  int* row_of;          // by coordinate: the same the other way; -1: independent, or driven (nq)
  double largest;       // entry at the beginning
} tableau;

static double* entry(const tableau* t, int row, int c) {
  return &t->A[row + (int64_t)c * t->nh];
}

double jgen_partition_lever(const jmodel* m, const double* J, int nh) {
  double lever = 0.0;
  for (int c = 0; c < m->ncoordinate; c++) {
    if (m->coordinate[c].is_driven || !m->coordinate[c].is_angle) continue;
    for (int r = 0; r < nh; r++) {
      lever = fmax(lever, fabs(J[r + (int64_t)c * nh]));
    }
  }
  return lever;
}

// Angles by their lever, so that they are no steeper for being turned on a short arm.
static jo_status begin(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                       double lever, tableau* t) {
  int nq = m->ncoordinate;
  double* scale = JARENA_ARRAY(a, nq, double);
  *t = (tableau){.m = m, .nh = nh, .nq = nq, .scale = scale};
  t->A = JARENA_ARRAY(a, (size_t)nh * (size_t)nq, double);
  t->column_of = JARENA_ARRAY(a, nh, int);
  t->row_of = JARENA_ARRAY(a, nq, int);
  if (!scale || !t->A || !t->column_of || !t->row_of) return jerr_memory(ctx);
  for (int c = 0; c < nq; c++) {
    t->row_of[c] = -1;
    scale[c] = m->coordinate[c].is_angle && lever > 0.0 ? lever : 1.0;
    for (int r = 0; r < nh; r++) {
      *entry(t, r, c) = J[r + (int64_t)c * nh] / scale[c];
      t->largest = fmax(t->largest, fabs(*entry(t, r, c)));
    }
  }
  for (int r = 0; r < nh; r++) {
    t->column_of[r] = -1;
  }
  return JO_OK;
}

// Column c becomes the unit vector of a row; what stood there before is independent now.
static void pivot(tableau* t, int row, int c) {
  double by = *entry(t, row, c);
  for (int k = 0; k < t->nq; k++) {
    *entry(t, row, k) /= by;
  }
  for (int r = 0; r < t->nh; r++) {
    double f = *entry(t, r, c);
    if (r == row || f == 0.0) continue;
    for (int k = 0; k < t->nq; k++) {
      *entry(t, r, k) -= f * *entry(t, row, k);
    }
    *entry(t, r, c) = 0.0;
  }
  if (t->column_of[row] >= 0) t->row_of[t->column_of[row]] = -1;
  t->column_of[row] = c;
  t->row_of[c] = row;
}

// Make all v dependent, the largest pivot first, in rows that `may` be used (NULL: all). The product of the pivots, in
// the units of J; 0: there was none above `floor`.
static double make_dependent(tableau* t, const int* v, int nv, const bool* may, double floor) {
  double volume = 1.0;
  for (int k = 0; k < nv; k++) {
    int row = -1, col = -1;
    double most = floor;
    for (int i = 0; i < nv; i++) {
      for (int r = 0; t->row_of[v[i]] < 0 && r < t->nh; r++) {
        bool is_open = t->column_of[r] < 0 && (!may || may[r]);
        if (!is_open || !(fabs(*entry(t, r, v[i])) > most)) continue;
        most = fabs(*entry(t, r, v[i]));
        row = r;
        col = v[i];
      }
    }
    if (row < 0) return 0.0;
    volume *= most * t->scale[col];
    pivot(t, row, col);
  }
  return volume;
}

static bool is_independent(const tableau* t, int c) {
  return t->row_of[c] < 0 && !t->m->coordinate[c].is_driven;
}

// The exchange that gains most, by slope and wish; the steepest slope of all.
static double steepest(const tableau* t, int* row, int* col) {
  double most = 0.0, best = 0.0;
  for (int c = 0; c < t->nq; c++) {
    if (!is_independent(t, c)) continue;
    bool is_wanted = t->m->coordinate[c].want_independent > 0;
    for (int r = 0; r < t->nh; r++) {
      if (t->column_of[r] < 0) continue;
      double slope = fabs(*entry(t, r, c));
      bool is_unwanted = t->m->coordinate[t->column_of[r]].want_independent < 0;
      double gain = is_wanted || is_unwanted ? AGAINST_WISH * slope : slope;
      most = fmax(most, slope);
      if (!(gain > best)) continue;
      best = gain;
      *row = r;
      *col = c;
    }
  }
  return most;
}

// The largest entry that is left: of rows and coordinates that may still be paired; false: none is above `floor`.
static bool find_largest(const tableau* t, double floor, int* row, int* col) {
  double most = floor;
  *row = -1;
  for (int c = 0; c < t->nq; c++) {
    if (!is_independent(t, c)) continue;
    for (int r = 0; r < t->nh; r++) {
      if (t->column_of[r] >= 0 || !(fabs(*entry(t, r, c)) > most)) continue;
      most = fabs(*entry(t, r, c));
      *row = r;
      *col = c;
    }
  }
  return *row >= 0;
}

// Pair n rows with coordinates, the largest entry first, as far as entries are above `floor`; residuals h of the rows follow
// where they are not NULL. The last entry, 0 where there were fewer; its row.
static double reduce(tableau* t, int n, double floor, double* h, int* weakest) {
  double least = 0.0;
  for (int k = 0; k < n; k++) {
    int row, col;
    if (!find_largest(t, floor, &row, &col)) return 0.0;
    *weakest = row;
    least = fabs(*entry(t, row, col));
    if (h) h[row] /= *entry(t, row, col);
    for (int r = 0; h && r < t->nh; r++) {
      if (r != row) h[r] -= *entry(t, r, col) * h[row];
    }
    pivot(t, row, col);
  }
  return least;
}

jo_status jgen_partition_miss(jo_context* ctx, jarena* a, const jmodel* m, const double* J,
                              double* h, int nh, double lever, int nv, double floor, double* miss) {
  tableau t;
  jarena_mark mark = jarena_save(a);
  int weakest;
  jo_status status = begin(ctx, a, m, J, nh, lever, &t);
  if (status >= 0) {
    reduce(&t, nv, floor, h, &weakest);
    *miss = 0.0;
    for (int r = 0; r < nh; r++) {
      if (t.column_of[r] < 0) *miss = fmax(*miss, fabs(h[r]));
    }
  }
  jarena_restore(a, mark);
  return status;
}

jo_status jgen_partition_judge(jo_context* ctx, jarena* a, const jmodel* m, const double* J, int nh,
                               double lever, const jgen_partition* part, jgen_footing* out) {
  tableau kept, all, best;
  jarena_mark mark = jarena_save(a);
  bool* is_kept = JARENA_ARRAY(a, nh, bool);
  jo_status status = is_kept ? begin(ctx, a, m, J, nh, lever, &kept) : jerr_memory(ctx);
  if (status >= 0) status = begin(ctx, a, m, J, nh, lever, &all);
  if (status >= 0) status = begin(ctx, a, m, J, nh, lever, &best);
  if (status >= 0) {
    int row, col;
    for (int i = 0; i < part->nrow; i++) {
      is_kept[part->row[i]] = true;
    }
    *out = (jgen_footing){.steepest = INFINITY, .rows = 1.0};
    out->volume = make_dependent(&kept, part->v, part->nv, is_kept, 0.0);
    out->least = reduce(&best, part->nv, 0.0, NULL, &out->weakest);
    bool is_regular = out->volume > 0.0;
    if (is_regular) out->steepest = steepest(&kept, &row, &col);
    if (is_regular && part->nredundant > 0) {
      out->rows = make_dependent(&all, part->v, part->nv, NULL, 0.0) / out->volume;
    }
  }
  jarena_restore(a, mark);
  return status;
}

// False: the equations do not determine the dependent coordinates of `now`.
static bool exchange(tableau* t, double tolerance, double enough, const jgen_partition* now,
                     bool* dependent, bool* kept) {
  int row = -1, col = -1;
  if (make_dependent(t, now->v, now->nv, NULL, tolerance * t->largest) == 0.0) return false;
  for (int k = 0; k < EXCHANGES * now->nv && steepest(t, &row, &col) > enough; k++) {
    pivot(t, row, col);
  }
  for (int c = 0; c < t->nq; c++) {
    dependent[c] = t->row_of[c] >= 0;
  }
  for (int r = 0; r < t->nh; r++) {
    kept[r] = t->column_of[r] >= 0;
  }
  return true;
}

jo_status jgen_partition_exchange(jo_context* ctx, jarena* a, const jmodel* m, const double* J,
                                  int nh, double lever, double tolerance, double enough,
                                  const jgen_partition* now, jgen_partition* out, bool* found) {
  tableau t;
  bool *dependent = JARENA_ARRAY(a, m->ncoordinate, bool), *kept = JARENA_ARRAY(a, nh, bool);
  if (!dependent || !kept) return jerr_memory(ctx);
  JO_TRY(begin(ctx, a, m, J, nh, lever, &t));
  *found = exchange(&t, tolerance, enough, now, dependent, kept);
  if (!*found) return JO_OK;
  JO_TRY(jgen_partition_order(ctx, a, m, J, nh, tolerance, dependent, kept, out));
  *found = out->nv == now->nv;
  return JO_OK;
}

static bool is_same_list(const int* a, const int* b, int n) {
  return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

bool jgen_partition_is_same(const jgen_partition* a, const jgen_partition* b) {
  return a->nu == b->nu && a->nv == b->nv && a->nrow == b->nrow && a->nredundant == b->nredundant &&
         is_same_list(a->u, b->u, a->nu) && is_same_list(a->v, b->v, a->nv) &&
         is_same_list(a->row, b->row, a->nrow) && is_same_list(a->pivot, b->pivot, a->nrow);
}
