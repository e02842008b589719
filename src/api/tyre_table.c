// SPDX-License-Identifier: Apache-2.0
// Tables of inputs for tyres: CSV in, with a row of units or without, the same with outputs behind.
#include <math.h>
#include <string.h>

#include "api/tyre_handle.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "model/read/reader.h"
#include "report/html/cell.h"

#define MAX_BYTES   ((size_t)256 << 20)
#define MAX_COLUMNS 512
#define MAX_CELL    64
#define MAX_PLACE   400

struct jo_tyre_table {
  jo_context* ctx;
  jtext text;
  int nrow;
};

typedef struct reading {
  jo_context* ctx;
  const char* path;
  const jmodel_tir* tir;
  jo_tyre_function* f;
  jo_tyre_table* table;
  double* output;
  int line, ncolumn;
  bool is_first;               // row below the names: it may hold units
  int column[JO_TYRE_INPUTS];  // of the inputs; -1: the table has none
  int noutside, outside_line;  // rows beyond the ranges of the file
  const char* outside;         // what lies beyond, of the first
} reading;

// ---- cells ---------------------------------------------------------------------------------------

// The cell that begins at *s, without blanks and quotes; *s is then behind its comma, NULL behind the last.
static void next_cell(const char** s, const char* end, char cell[MAX_CELL]) {
  const char *p = *s, *from;
  while (p < end && (*p == ' ' || *p == '\t'))
    p++;
  bool quoted = p < end && *p == '"';
  from = quoted ? ++p : p;
  while (p < end && (quoted ? *p != '"' : *p != ',')) {
    p++;
    // two quotes inside of a quoted cell are one of its characters
    while (quoted && p + 1 < end && p[0] == '"' && p[1] == '"')
      p += 2;
  }
  const char* to = p;
  while (!quoted && to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r'))
    to--;
  size_t n = (size_t)(to - from) < MAX_CELL - 1 ? (size_t)(to - from) : MAX_CELL - 1;
  memcpy(cell, from, n);
  cell[n] = '\0';
  const char* comma = memchr(p, ',', (size_t)(end - p));
  *s = comma ? comma + 1 : NULL;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Letters that two words have in common from their beginning on, whatever their case.
static size_t common(const char* a, const char* b) {
  size_t n = 0;
  while (a[n] && lower(a[n]) == lower(b[n])) {
    n++;
  }
  return n;
}

static bool is_same(const char* a, const char* b) {
  size_t n = common(a, b);
  return !a[n] && !b[n];
}

// The same but for case, or one letter that is wrong, missing, too many or exchanged with the next. Of short names one letter
// makes another: Fx, Vy.
static bool is_nearly(const char* name, const char* of) {
  size_t n = common(name, of), length = strlen(of);
  const char *a = name + n, *b = of + n;
  if (!*a && !*b) return true;
  if (length < 4) return false;
  if (*a && is_same(a + 1, b)) return true;
  if (*b && is_same(a, b + 1)) return true;
  if (!*a || !*b) return false;
  bool is_exchanged = a[1] && lower(a[0]) == lower(b[1]) && lower(a[1]) == lower(b[0]);
  return is_same(a + 1, b + 1) || (is_exchanged && is_same(a + 2, b + 2));
}

// A column of another name is kept as it is, and inputs without a column have their defaults: it must be no input by a
// slip of the pen.
static jo_status check_others(const reading* r, const char* s, const char* end) {
  char cell[MAX_CELL];
  for (int n = 0; s; n++) {
    next_cell(&s, end, cell);
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      const char* name = jo_tyre_input_name(r->f, k);
      if (r->column[k] >= 0 || !is_nearly(cell, name)) continue;
      return jerr_set(r->ctx, JO_ERR_SYNTAX,
                      "%s:%d: unknown column '%s'; did you mean '%s'? columns that are no inputs "
                      "are kept, but need names of their own",
                      r->path, r->line, cell, name);
    }
  }
  return JO_OK;
}

static jo_status read_names(reading* r, const char* s, const char* end) {
  char cell[MAX_CELL];
  const char* row = s;
  for (int k = 0; k < JO_TYRE_INPUTS; k++) {
    r->column[k] = -1;
  }
  for (r->ncolumn = 0; s; r->ncolumn++) {
    if (r->ncolumn >= MAX_COLUMNS) {
      return jerr_set(r->ctx, JO_ERR_LIMIT, "%s:%d: more than %d columns", r->path, r->line,
                      MAX_COLUMNS);
    }
    next_cell(&s, end, cell);
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      if (strcmp(cell, jo_tyre_input_name(r->f, k)) != 0) continue;
      if (r->column[k] >= 0) {
        return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: column '%s' is there twice", r->path,
                        r->line, cell);
      }
      r->column[k] = r->ncolumn;
    }
  }
  JO_TRY(check_others(r, row, end));
  if (r->column[0] >= 0) return JO_OK;
  return jerr_set(r->ctx, JO_ERR_SYNTAX,
                  "%s:%d: no column 'Fz'; the first row names the columns: %s %s %s %s %s %s",
                  r->path, r->line, jo_tyre_input_name(r->f, 0), jo_tyre_input_name(r->f, 1),
                  jo_tyre_input_name(r->f, 2), jo_tyre_input_name(r->f, 3),
                  jo_tyre_input_name(r->f, 4), jo_tyre_input_name(r->f, 5));
}

static bool has_text(const char* cell) {
  return *cell != '\0';
}

// Whether a row, the first below the names, has the units of the inputs: no number, and some text.
static bool has_units(const reading* r, const char* s, const char* end) {
  char cell[MAX_CELL];
  bool is_text = false;
  for (int n = 0; s; n++) {
    next_cell(&s, end, cell);
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      double x;
      if (r->column[k] != n) continue;
      if (jmodel_number_text(cell, &x)) return false;
      is_text = is_text || has_text(cell);
    }
  }
  return is_text;
}

// They must be those the inputs have: nothing is converted.
static jo_status check_units(reading* r, const char* s, const char* end) {
  char cell[MAX_CELL];
  for (int n = 0; s; n++) {
    next_cell(&s, end, cell);
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      const char* unit = jo_tyre_input_unit(r->f, k);
      if (r->column[k] != n || !has_text(cell) || strcmp(cell, unit) == 0) continue;
      return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %s is in '%s'; it must be in '%s'", r->path,
                      r->line, jo_tyre_input_name(r->f, k), cell, unit);
    }
  }
  return JO_OK;
}

static jo_status read_inputs(reading* r, const char* s, const char* end, double* in) {
  char cell[MAX_CELL];
  int n = 0;
  for (int k = 0; k < JO_TYRE_INPUTS; k++) {
    in[k] = jo_tyre_input_default(r->f, k);
  }
  for (; s; n++) {
    next_cell(&s, end, cell);
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      if (r->column[k] != n) continue;
      if (jmodel_number_text(cell, &in[k]) && isfinite(in[k])) continue;
      return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %s is '%s', which is no number", r->path,
                      r->line, jo_tyre_input_name(r->f, k), cell);
    }
  }
  if (n != r->ncolumn) {
    return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %d columns, and %d names in the first row",
                    r->path, r->line, n, r->ncolumn);
  }
  return JO_OK;
}

// ---- rows ----------------------------------------------------------------------------------------

static void note_outside(reading* r, const double* in) {
  static const struct {
    const char* input;
    int low, high;
  } range[] = {{"Fz", JTIR_FZMIN, JTIR_FZMAX},
               {"kappa", JTIR_KPUMIN, JTIR_KPUMAX},
               {"alpha", JTIR_ALPMIN, JTIR_ALPMAX},
               {"gamma", JTIR_CAMMIN, JTIR_CAMMAX},
               {"p", JTIR_PRESMIN, JTIR_PRESMAX}};
  const jmodel_tir* t = r->tir;
  for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
    int low = range[i].low, high = range[i].high;
    for (int k = 0; k < JO_TYRE_INPUTS; k++) {
      if (strcmp(jo_tyre_input_name(r->f, k), range[i].input) != 0) continue;
      if (t->version == JTIR_52 && low == JTIR_PRESMIN) continue;
      bool beyond = (t->line[low] > 0 && in[k] < t->value[low]) ||
                    (t->line[high] > 0 && in[k] > t->value[high]);
      if (!beyond) continue;
      if (r->noutside++ == 0) {
        r->outside_line = r->line;
        r->outside = range[i].input;
      }
      return;
    }
  }
}

// The row as it stands, cell by cell: what a spreadsheet would compute is text here.
static void put_row(jtext* t, const char* s, const char* end) {
  for (const char* from = s; from;) {
    char cell[MAX_CELL];
    double x;
    const char* next = from;
    next_cell(&next, end, cell);
    const char* to = next ? next - 1 : end;
    if (from > s) jtext_put(t, ",");
    if (jmodel_number_text(cell, &x)) {
      jtext_write(t, from, (size_t)(to - from));
    } else {
      jreport_put_foreign(t, from, (size_t)(to - from));
    }
    from = next;
  }
}

static jo_status add_row(reading* r, const char* s, const char* end) {
  jtext* t = &r->table->text;
  const char* last = end;
  while (last > s && last[-1] == '\r')
    last--;
  put_row(t, s, last);
  if (r->ncolumn < 0) {
    JO_TRY(read_names(r, s, last));
    for (int i = 0; i < jo_tyre_output_count(r->f); i++) {
      jtext_put(t, ",");
      jreport_put_cell(t, jo_tyre_output_name(r->f, i));
    }
    jtext_put(t, "\n");
    r->is_first = true;
    return JO_OK;
  }
  bool are_units = r->is_first && has_units(r, s, last);
  r->is_first = false;
  if (are_units) {
    JO_TRY(check_units(r, s, last));
    for (int i = 0; i < jo_tyre_output_count(r->f); i++) {
      jtext_put(t, ",");
      jreport_put_cell(t, jo_tyre_output_unit(r->f, i));
    }
    jtext_put(t, "\n");
    return JO_OK;
  }
  double in[JO_TYRE_INPUTS];
  JO_TRY(read_inputs(r, s, last, in));
  note_outside(r, in);
  char place[MAX_PLACE];
  jformat(place, sizeof place, "%.*s:%d: ", MAX_PLACE - 24, r->path, r->line);
  JO_TRY(jtyre_evaluate(r->f, place, in, r->output));
  for (int i = 0; i < jo_tyre_output_count(r->f); i++) {
    jtext_put(t, ",");
    jreport_put_number(t, r->output[i]);
  }
  jtext_put(t, "\n");
  r->table->nrow++;
  return JO_OK;
}

static bool is_empty(const char* s, const char* end) {
  while (s < end && (*s == ' ' || *s == '\t' || *s == '\r'))
    s++;
  return s == end || *s == '#';
}

static jo_status read_table(reading* r, const char* text, size_t n) {
  r->ncolumn = -1;
  const char* s = text;
  JO_TRY(jtext_open(r->ctx, r->path, &s, &n));
  for (const char* end = s + n; s < end;) {
    const char* stop = memchr(s, '\n', (size_t)(end - s));
    if (!stop) stop = end;
    r->line++;
    if (!is_empty(s, stop)) JO_TRY(add_row(r, s, stop));
    s = stop + 1;
  }
  if (r->ncolumn < 0) return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s: the table is empty", r->path);
  if (r->noutside > 0) {
    jerr_warn(r->ctx, "%s: %d rows lie beyond the ranges of the tyre, the first in line %d (%s)",
              r->path, r->noutside, r->outside_line, r->outside);
  }
  return r->table->text.failed ? jerr_memory(r->ctx) : JO_OK;
}

static jo_status fill(jo_context* ctx, jo_tyre_table* table, const jo_tyre* tyre,
                      const jo_tyre_options* opt, const char* inputs) {
  jarena a;
  jarena_init(&a, ctx);
  reading r = {.ctx = ctx, .path = inputs, .tir = &tyre->tir, .table = table};
  char* text = NULL;
  size_t n = 0;
  jo_status status = jo_tyre_function_create(ctx, tyre, opt, &r.f);
  if (status >= 0) status = jfile_read(ctx, &a, inputs, MAX_BYTES, &text, &n);
  if (status >= 0) {
    r.output = JARENA_ARRAY(&a, jo_tyre_output_count(r.f), double);
    status = r.output ? read_table(&r, text, n) : jerr_memory(ctx);
  }
  jo_tyre_function_destroy(r.f);
  jarena_free(&a);
  return status;
}

jo_status jo_tyre_table_create(jo_context* ctx, const jo_tyre* tyre, const jo_tyre_options* opt,
                               const char* inputs, jo_tyre_table** out) {
  JO_REQUIRE_OUT(out, ctx, tyre, inputs);
  jo_tyre_table* table = jmem_resize(ctx, NULL, sizeof *table);
  if (!table) return jerr_memory(ctx);
  *table = (jo_tyre_table){.ctx = ctx};
  jtext_init(&table->text, ctx);
  jo_status status = fill(ctx, table, tyre, opt, inputs);
  if (status < 0) {
    jo_tyre_table_destroy(table);
    return status;
  }
  *out = table;
  return JO_OK;
}

void jo_tyre_table_destroy(jo_tyre_table* table) {
  if (!table) return;
  jtext_free(&table->text);
  jmem_free(table->ctx, table);
}

int jo_tyre_table_rows(const jo_tyre_table* table) {
  JO_REQUIRE_OR(0, table);
  return table->nrow;
}

const char* jo_tyre_table_text(const jo_tyre_table* table) {
  JO_REQUIRE_OR("", table);
  return table->text.data ? table->text.data : "";
}
