// SPDX-License-Identifier: Apache-2.0
// Tables as text for people.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "report/table/put.h"

#define GAP        4  // between rows side by side
#define LEAST_WIDE 4  // of a column as wide as its cells
#define CELL       64

void jreport_out_text(const jreport_out* out, const char* text) {
  out->write(out->user, text, strlen(text));
}

void jreport_out_blanks(const jreport_out* out, int n) {
  for (; n > 0; n--) {
    out->write(out->user, " ", 1);
  }
}

// Characters as they show: bytes of UTF-8 that continue a character do not.
static int shown_length(const char* s) {
  int n = 0;
  for (; s && *s; s++) {
    n += ((unsigned char)*s & 0xc0) != 0x80;
  }
  return n;
}

// ---- cells ---------------------------------------------------------------------------------------

static const jreport_field* field_of(const jo_table* t, int column) {
  return &t->style->field[column];
}

// What is rounded to zero has no sign, either.
static void drop_sign(char* text) {
  if (*text == '-' && !strpbrk(text, "123456789")) memmove(text, text + 1, strlen(text));
}

// Zero has no sign; what is not known is a dash.
static void write_number(char* buffer, double x, const jreport_field* f) {
  if (f->scale != 0.0) x *= f->scale;
  if (isnan(x)) {
    jformat(buffer, CELL, "%s", f->missing ? f->missing : "-");
  } else if (f->as == 'f') {
    jformat(buffer, CELL, "%.*f", f->digits, x);
    if (isfinite(x)) drop_sign(buffer);
  } else if (f->as == 'e') {
    jformat(buffer, CELL, "%.*e", f->digits, x + 0.0);
  } else {
    jformat(buffer, CELL, "%.*g", f->digits, x + 0.0);
  }
}

static const char* cell_of(const jo_table* t, int column, int row, char* buffer) {
  const jo_column* c = &t->column[column];
  if (c->text) return c->text[row];
  write_number(buffer, jreport_number(t, column, row), field_of(t, column));
  return buffer;
}

static bool is_shown(const jo_table* t, int row) {
  for (int i = 0; i < t->ncolumn; i++) {
    jreport_skip skip = field_of(t, i)->skip;
    if (skip == JREPORT_SKIP_NONE) continue;
    double x = jreport_number(t, i, row);
    bool is_zero = x == 0.0 || isnan(x);
    if (is_zero == (skip == JREPORT_SKIP_ZERO)) return false;
  }
  return true;
}

static int widest(const jo_table* t, int column) {
  char buffer[CELL];
  int width = shown_length(field_of(t, column)->label);
  for (int i = 0; i < t->nrow; i++) {
    int n = shown_length(cell_of(t, column, i, buffer));
    if (n > width) width = n;
  }
  return width < LEAST_WIDE ? LEAST_WIDE : width;
}

static int width_of(const jo_table* t, int column) {
  int width = field_of(t, column)->width;
  if (width == JREPORT_PLAIN) return 0;
  if (width == JREPORT_WIDEST) return widest(t, column);
  return width == -JREPORT_WIDEST ? -widest(t, column) : width;
}

// What stands around a cell; of labels as many blanks.
static void put_around(const jreport_out* out, const char* text, bool is_label) {
  if (is_label) {
    jreport_out_blanks(out, shown_length(text));
  } else if (text) {
    jreport_out_text(out, text);
  }
}

// One cell, padded; returns its width. `out` NULL: only measured.
static int put_cell(const jreport_out* out, const jreport_field* f, int width, const char* cell,
                    bool is_label) {
  int n = shown_length(cell), pad = (width < 0 ? -width : width) - n;
  if (pad < 0) pad = 0;
  if (out) {
    put_around(out, f->before, is_label);
    if (width > 0) jreport_out_blanks(out, pad);
    jreport_out_text(out, cell);
    if (width < 0) jreport_out_blanks(out, pad);
    put_around(out, f->behind, is_label);
  }
  return shown_length(f->before) + pad + n + shown_length(f->behind);
}

// Of the columns that are printed: the first one, and these.
typedef struct panel {
  int first, last;
} panel;

static const panel whole = {0, INT_MAX};

// Row -1: the labels.
static int put_row(const jreport_out* out, const jo_table* t, panel p, int row) {
  char buffer[CELL];
  int length = 0;
  for (int i = 0, k = -1; i < t->ncolumn; i++) {
    const jreport_field* f = field_of(t, i);
    if (f->width == 0) continue;
    k++;
    if (k > 0 && (k < p.first || k > p.last)) continue;
    const char* cell = row >= 0 ? cell_of(t, i, row, buffer) : f->label ? f->label : "";
    if (f->width == JREPORT_PLAIN && f->before && !*cell) continue;
    if (length > 0 && out) jreport_out_text(out, " ");
    length += (length > 0) + put_cell(out, f, width_of(t, i), cell, row < 0);
  }
  return length;
}

// ---- tables --------------------------------------------------------------------------------------

static bool has_labels(const jo_table* t) {
  for (int i = 0; i < t->ncolumn; i++) {
    if (field_of(t, i)->label) return true;
  }
  return false;
}

static void put_line(const jreport_out* out, const jo_table* t, panel p, int row) {
  jreport_out_text(out, "  ");
  put_row(out, t, p, row);
  jreport_out_text(out, "\n");
}

// How many rows are printed of those that are shown at all, and what is said of the others.
static int count_rows(const jo_table* t) {
  return t->style->most > 0 && t->nrow > t->style->most ? t->style->most : t->nrow;
}

static void put_more(const jreport_out* out, const jo_table* t) {
  char line[CELL];
  int left = -count_rows(t);
  for (int i = 0; i < t->nrow; i++) {
    left += is_shown(t, i);
  }
  if (t->style->most == 0 || left <= 0) return;
  jformat(line, sizeof line, "  ... and %d more", left);
  jreport_out_text(out, line);
  if (t->style->more) jreport_out_text(out, t->style->more);
  jreport_out_text(out, "\n");
}

static void put_flowing(const jreport_out* out, const jo_table* t, int width) {
  int most = 1, nrow = count_rows(t);
  for (int i = 0; i < nrow; i++) {
    int n = put_row(NULL, t, whole, i);
    if (n > most) most = n;
  }
  int fit = (width - 2 + GAP) / (most + GAP), nside = fit < 1 ? 1 : fit;
  int nline = (nrow + nside - 1) / nside;
  for (int line = 0; line < nline; line++) {
    jreport_out_text(out, "  ");
    for (int i = line; i < nrow; i += nline) {
      int n = put_row(out, t, whole, i);
      if (i + nline < nrow) jreport_out_blanks(out, most + GAP - n);
    }
    jreport_out_text(out, "\n");
  }
}

static int count_printed(const jo_table* t) {
  int n = 0;
  for (int i = 0; i < t->ncolumn; i++) {
    n += field_of(t, i)->width != 0;
  }
  return n;
}

// What is not known comes last.
static double size_of(const jo_table* t, int column, int row) {
  double x = jreport_number(t, column, row);
  return isnan(x) ? -1.0 : fabs(x);
}

// The row behind this one in the order of size, largest first; row -1: the first of them.
static int next_smaller(const jo_table* t, int column, int row) {
  double limit = row < 0 ? INFINITY : size_of(t, column, row);
  int best = -1;
  for (int i = 0; i < t->nrow; i++) {
    double size = size_of(t, column, i);
    bool is_after = size < limit || (size == limit && i > row);
    if (is_after && (best < 0 || size > size_of(t, column, best))) best = i;
  }
  return best;
}

static void put_panel(const jreport_out* out, const jo_table* t, panel p) {
  int thin = t->style->thin, n = t->nrow, step = thin > 0 ? (n + thin - 1) / thin : 1;
  if (has_labels(t)) put_line(out, t, p, -1);
  for (int i = 0, row = -1, left = count_rows(t); i < n && left > 0; i++) {
    row = t->style->by > 0 ? next_smaller(t, t->style->by, row) : i;
    bool is_there = step < 2 || i % step == 0 || i == n - 1;
    if (!is_there || !is_shown(t, row)) continue;
    put_line(out, t, p, row);
    left--;
  }
  if (step < 2) return;
  char line[2 * CELL];
  jformat(line, sizeof line, "  (one row in %d of %d; --json has all)\n", step, n);
  jreport_out_text(out, line);
}

void jreport_print(const jo_table* table, int width, const jreport_out* out) {
  if (table->style->flows) {
    put_flowing(out, table, width);
    put_more(out, table);
    return;
  }
  int beside = table->style->panel, most = count_printed(table) - 1;
  if (beside == 0) {
    put_panel(out, table, whole);
    put_more(out, table);
    return;
  }
  for (int i = 1; i <= most; i += beside) {
    if (i > 1) jreport_out_text(out, "\n");
    put_panel(out, table, (panel){i, i + beside - 1});
  }
}
