// SPDX-License-Identifier: Apache-2.0
// Profiles as CSV.
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "road/file.h"

#define MAX_COLUMNS 1000
#define UNEVEN      1e-6  // of the spacing

typedef struct reader {
  jo_context* ctx;
  jarena* a;
  const jroad_text* f;
  const char *at, *end;  // the line being read
  int line, ncolumn;
  double* column;  // values of the line
  double* value;   // of all lines, ncolumn each
  int nvalue, cap;
} reader;

static jo_status wrong(const reader* r, const char* what) {
  return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %s", r->f->path, r->line, what);
}

// The next line that says something; false: there is none.
static bool next_line(reader* r) {
  const char* stop = r->f->text + r->f->size;
  const char* from = r->end ? r->end + 1 : r->f->text;
  for (; from < stop; from = r->end + 1) {
    const char* newline = memchr(from, '\n', (size_t)(stop - from));
    r->end = newline ? newline : stop;
    r->line++;
    while (from < r->end && jroad_is_space(*from)) {
      from++;
    }
    r->at = from;
    if (from < r->end && *from != '#') return true;
  }
  return false;
}

// The next field of the line, trimmed; false: there is none.
static bool next_field(reader* r, const char** field, size_t* n) {
  if (!r->at) return false;
  const char* from = r->at;
  const char* to = from;
  while (to < r->end && *to != ',' && *to != ';') {
    to++;
  }
  r->at = to < r->end ? to + 1 : NULL;
  while (from < to && jroad_is_space(*from)) {
    from++;
  }
  while (to > from && jroad_is_space(to[-1])) {
    to--;
  }
  *field = from;
  *n = (size_t)(to - from);
  return true;
}

bool jroad_read_number(const char* field, size_t n, double* x) {
  while (n > 0 && jroad_is_space(*field)) {
    field++, n--;
  }
  while (n > 0 && jroad_is_space(field[n - 1])) {
    n--;
  }
  double sign = n > 0 && *field == '-' ? -1.0 : 1.0;
  if (n > 0 && (*field == '-' || *field == '+')) field++, n--;
  if (n == 0 || jtext_scan_number(field, n, x) != n) return false;
  *x *= sign;
  return true;
}

// ---- the heading ---------------------------------------------------------------------------------

typedef struct heading {
  int n;
  bool has_places;  // names of columns are their y
  int left;         // column of the left track; 0: there is none
  double* v;
} heading;

static bool is_word(const char* field, size_t n, const char* word) {
  for (size_t i = 0; i < n; i++) {
    if (!word[i] || jroad_lower(field[i]) != word[i]) return false;
  }
  return word[n] == '\0';
}

static jo_status read_heading(reader* r, heading* h) {
  const char* field;
  size_t n;
  double x;
  int places = 0;
  h->v = JARENA_ARRAY(r->a, MAX_COLUMNS, double);
  r->column = JARENA_ARRAY(r->a, MAX_COLUMNS + 1, double);
  if (!h->v || !r->column) return jerr_memory(r->ctx);
  if (!next_line(r)) return wrong(r, "the file is empty; a profile has columns x and z");
  while (next_field(r, &field, &n)) {
    if (h->n > MAX_COLUMNS) return wrong(r, "more than 1000 columns");
    if (h->n > 0) {
      if (jroad_read_number(field, n, &x)) h->v[h->n - 1] = x, places++;
      if (is_word(field, n, "left")) h->left = h->n;
    } else if (jroad_read_number(field, n, &x)) {
      return wrong(r, "the first line must name the columns, as in 'x,z' or 'x,left,right'");
    }
    h->n++;
  }
  h->has_places = places > 0;
  if (h->n < 2) return wrong(r, "a profile has at least two columns, x and z");
  if (places > 0 && places < h->n - 1) {
    return wrong(r, "some columns are headed by their y, others are not");
  }
  if (!h->has_places && h->n > 3) {
    return wrong(r, "three and more heights are headed by their y [m], as in 'x,-0.8,0,0.8'");
  }
  if (!h->has_places && h->n == 3 && !h->left) {
    return wrong(r, "two tracks are headed 'left' and 'right', or by their y [m]");
  }
  for (int i = 1; h->has_places && i < h->n - 1; i++) {
    if (!(h->v[i] > h->v[i - 1]))
      return wrong(r, "columns must go from right to left, y ascending");
  }
  return JO_OK;
}

// ---- rows ----------------------------------------------------------------------------------------

static jo_status read_row(reader* r, int n) {
  const char* field;
  size_t size;
  int k = 0;
  for (; next_field(r, &field, &size); k++) {
    double x;
    if (k >= n) return wrong(r, "more values than the first line names columns");
    if (!jroad_read_number(field, size, &x) || !isfinite(x)) {
      return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: '%.*s' is not a finite number", r->f->path,
                      r->line, (int)(size < 40 ? size : 40), field);
    }
    r->column[k] = x;
  }
  if (k < n) return wrong(r, "fewer values than the first line names columns");
  if (!jmem_grow(r->ctx, &r->value, &r->cap, r->nvalue + n, sizeof *r->value)) {
    return jerr_memory(r->ctx);
  }
  memcpy(r->value + r->nvalue, r->column, (size_t)n * sizeof *r->value);
  r->nvalue += n;
  return JO_OK;
}

static jo_status check_spacing(const reader* r, int n, int rows, double* spacing) {
  const double* x = r->value;
  double first = x[0], step = (x[(size_t)(rows - 1) * (size_t)n] - first) / (rows - 1);
  if (!(step > 0.0)) return wrong(r, "x must ascend");
  for (int i = 1; i < rows; i++) {
    double off = x[(size_t)i * (size_t)n] - (first + i * step);
    if (fabs(off) <= UNEVEN * step) continue;
    return jerr_set(r->ctx, JO_ERR_SYNTAX,
                    "%s: x is not equally spaced: row %d has %.9g, and %.9g m apart it would be "
                    "%.9g; sample it anew",
                    r->f->path, i + 1, x[(size_t)i * (size_t)n], step, first + i * step);
  }
  *spacing = step;
  return JO_OK;
}

static jo_status keep(const reader* r, const heading* h, double track, jroad_source* out) {
  int n = h->n, nv = n - 1, rows = r->nvalue / n;
  double spacing = 0.0;
  if (rows < 4) return wrong(r, "a profile has at least four rows");
  JO_TRY(check_spacing(r, n, rows, &spacing));
  double* z = JARENA_ARRAY(r->a, (size_t)rows * (size_t)nv, double);
  if (!z) return jerr_memory(r->ctx);
  bool turned = !h->has_places && nv == 2 && h->left == 1;  // columns go from right to left
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < nv; j++) {
      z[i * nv + j] = r->value[i * n + 1 + (turned ? nv - 1 - j : j)];
    }
  }
  if (!h->has_places) {
    h->v[0] = nv == 2 ? -0.5 * track : 0.0;
    h->v[1] = 0.5 * track;
  }
  *out = (jroad_source){.is_level = true,
                        .degree = 3,
                        .across = h->has_places ? JROAD_SMOOTH : JROAD_BLEND,
                        .nu = rows,
                        .nv = nv,
                        .u0 = r->value[0],
                        .du = spacing,
                        .v = h->v,
                        .value = z};
  return JO_OK;
}

jo_status jroad_read_profile(jo_context* ctx, jarena* a, const jroad_text* f, double track,
                             jroad_source* out) {
  jroad_text plain = *f;
  reader r = {.ctx = ctx, .a = a, .f = &plain};
  heading h = {0};
  jo_status status = jtext_open(ctx, f->path, &plain.text, &plain.size);
  if (status >= 0) status = read_heading(&r, &h);
  while (status >= 0 && next_line(&r)) {
    status = read_row(&r, h.n);
  }
  if (status >= 0) status = keep(&r, &h, track, out);
  jmem_free(ctx, r.value);
  return status;
}
