// SPDX-License-Identifier: Apache-2.0
// Matrices of cycle counts.
#include "report/rainflow.h"

#include <math.h>
#include <string.h>

#include "base/system/file.h"
#include "report/format/table.h"
#include "report/html/cell.h"

// Classes of equal width.
typedef struct axis {
  double low, width;
  int n;
} axis;

static axis divide(double low, double high, int n) {
  // one value alone has classes all the same
  return (axis){low, high > low ? (high - low) / n : 1.0, n};
}

static int class_of(const axis* a, double x) {
  double k = floor((x - a->low) / a->width);
  return (int)fmin(fmax(k, 0.0), a->n - 1.0);
}

static double middle(const axis* a, int k) {
  return a->low + (k + 0.5) * a->width;
}

typedef struct matrix {
  const char* name;
  axis row, column;
  double* count;  // row by row
} matrix;

static void add(matrix* m, double row, double column, double count) {
  m->count[class_of(&m->row, row) * m->column.n + class_of(&m->column, column)] += count;
}

static void fill(matrix* from_to, matrix* range_mean, const jloads_rainflow* c, int n) {
  double low = INFINITY, high = -INFINITY, widest = 0.0;
  for (int i = 0; i < c->nturning; i++) {
    low = fmin(low, c->turning[i].value);
    high = fmax(high, c->turning[i].value);
  }
  for (int i = 0; i < c->ncycle; i++) {
    widest = fmax(widest, c->cycle[i].range);
  }
  axis value = divide(low, high, n);
  *from_to = (matrix){"from-to", value, value, from_to->count};
  *range_mean = (matrix){"range-mean", divide(0.0, widest, n), value, range_mean->count};
  memset(from_to->count, 0, (size_t)n * (size_t)n * sizeof(double));
  memset(range_mean->count, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < c->ncycle; i++) {
    const jloads_cycle* k = &c->cycle[i];
    add(from_to, c->turning[k->from].value, c->turning[k->to].value, k->count);
    add(range_mean, k->range, k->mean, k->count);
  }
}

static void put_matrix(jtext* t, const matrix* m, const char* element, const char* unit) {
  for (int i = 0; i < m->row.n * m->column.n; i++) {
    if (m->count[i] == 0.0) continue;
    int row = i / m->column.n, column = i % m->column.n;
    jreport_put_cell(t, element);
    jtext_put(t, ",");
    jreport_put_cell(t, unit);
    jtext_printf(t, ",%s,%d,%d,", m->name, row + 1, column + 1);
    jreport_put_number(t, middle(&m->row, row));
    jtext_put(t, ",");
    jreport_put_number(t, middle(&m->column, column));
    jtext_put(t, ",");
    jreport_put_number(t, m->count[i]);
    jtext_put(t, "\n");
  }
}

static jo_status put_all(jo_context* ctx, jtext* t, const jreport_rainflow* r, double* room) {
  size_t cells = (size_t)r->nclass * (size_t)r->nclass;
  matrix from_to = {.count = room}, range_mean = {.count = room + cells};
  jreport_put_notes(t, r->note, r->nnote);
  jtext_put(t, "element,unit,matrix,row_class,column_class,row,column,count\n");
  for (int e = 0; e < r->nelement; e++) {
    jloads_rainflow c;
    JO_TRY(jloads_evaluation_count(ctx, r->evaluation, e, JLOADS_COUNT_RAINFLOW, &c));
    if (c.ncycle > 0) {
      fill(&from_to, &range_mean, &c, r->nclass);
      put_matrix(t, &from_to, r->name[e], r->unit[e]);
      put_matrix(t, &range_mean, r->name[e], r->unit[e]);
    }
    jloads_rainflow_free(&c);
  }
  return t->failed ? jerr_memory(ctx) : JO_OK;
}

jo_status jreport_rainflow_save(jo_context* ctx, const jreport_rainflow* r, const char* path) {
  size_t cells = (size_t)r->nclass * (size_t)r->nclass;
  double* room = jmem_resize(ctx, NULL, 2 * cells * sizeof *room);
  if (!room) return jerr_memory(ctx);
  jtext t;
  jtext_init(&t, ctx);
  jo_status status = put_all(ctx, &t, r, room);
  if (status >= 0) status = jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  jmem_free(ctx, room);
  return status;
}
