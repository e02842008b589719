// SPDX-License-Identifier: Apache-2.0
// MAT files, level 5, uncompressed, after "MAT-File Format" (The MathWorks): a header of 128 bytes, then
// variables. Everything is an element: its type and its bytes, filled up to eight; a variable is an element
// of elements. Written little-endian whatever the machine; the header has no clock.
#include <string.h>

#include "base/system/file.h"
#include "base/text/format.h"
#include "report/format/table.h"
#include "report/plot/link.h"

#define MAX_BYTES 2147483647.0  // of a variable: readers count in 32 bits
#define FIELD     64            // bytes of a name of a field, with a terminating zero

// types of elements
enum {
  INT8 = 1,
  UINT8 = 2,
  UINT16 = 4,
  INT32 = 5,
  UINT32 = 6,
  DOUBLE = 9,
  MATRIX = 14,
  UTF16 = 17
};
// classes of variables, and the flag of a logical one
enum { CELL = 1, STRUCT = 2, CHAR = 4, REAL = 6, BYTE = 9, LOGICAL = 0x200 };

typedef struct writer {
  jo_context* ctx;
  const jreport_table* table;
  jtext out;
  jarena scratch;
  bool oom;
} writer;

// ---- elements ------------------------------------------------------------------------------------

static void put_u32(writer* w, uint32_t x) {
  char b[4] = {(char)(x & 255), (char)(x >> 8 & 255), (char)(x >> 16 & 255), (char)(x >> 24)};
  jtext_write(&w->out, b, 4);
}

static void put_real(writer* w, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_u32(w, (uint32_t)bits);
  put_u32(w, (uint32_t)(bits >> 32));
}

// An element whose size is known at its end.
static size_t open_element(writer* w, uint32_t type) {
  put_u32(w, type);
  put_u32(w, 0);
  return w->out.length;
}

static void close_element(writer* w, size_t begin) {
  size_t n = w->out.length - begin;
  for (int i = 0; !w->out.failed && i < 4; i++) {
    w->out.data[begin - 4 + (size_t)i] = (char)(n >> 8 * i & 255);
  }
  if (n % 8) jtext_write(&w->out, "\0\0\0\0\0\0\0", 8 - n % 8);
}

// Flags, dimensions and name of a variable.
static size_t open_variable(writer* w, const char* name, uint32_t class, int ndim, const int* dim) {
  size_t variable = open_element(w, MATRIX), part = open_element(w, UINT32);
  put_u32(w, class);
  put_u32(w, 0);
  close_element(w, part);
  part = open_element(w, INT32);
  for (int i = 0; i < ndim; i++) {
    put_u32(w, (uint32_t)dim[i]);
  }
  close_element(w, part);
  part = open_element(w, INT8);
  jtext_put(&w->out, name);
  close_element(w, part);
  return variable;
}

// ---- variables -----------------------------------------------------------------------------------

static void put_u16(writer* w, uint32_t x) {
  char b[2] = {(char)(x & 255), (char)(x >> 8 & 255)};
  jtext_write(&w->out, b, 2);
}

// The character at *s. What is none becomes U+FFFD, and so does what takes two words of UTF-16: readers differ
// on whether that is one letter or two.
static uint32_t next_character(const char** s) {
  bool shows;
  size_t n = 0;
  while (n < 4 && (*s)[n]) {
    n++;
  }
  n = jtext_character(*s, n, &shows);
  const unsigned char* c = (const unsigned char*)*s;
  *s += n > 0 ? n : 1;
  switch (n) {
    case 1: return c[0];
    case 2: return (c[0] & 0x1fu) << 6 | (c[1] & 0x3fu);
    case 3: return (c[0] & 0x0fu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3fu);
    default: return 0xfffd;
  }
}

// ASCII is plain words, which everything reads; other text says that it is UTF-16.
static void put_text(writer* w, const char* name, const char* text) {
  int n = 0;
  uint32_t type = UINT16;
  for (const char* s = text; *s; n++) {
    if (next_character(&s) > 127) type = UTF16;
  }
  int dim[2] = {n > 0, n};
  size_t variable = open_variable(w, name, CHAR, 2, dim), part = open_element(w, type);
  while (*text) {
    put_u16(w, next_character(&text));
  }
  close_element(w, part);
  close_element(w, variable);
}

// n numbers that lie `stride` apart, as a column.
static void put_column(writer* w, const char* name, const double* x, int n, size_t stride) {
  int dim[2] = {n, 1};
  size_t variable = open_variable(w, name, REAL, 2, dim), part = open_element(w, DOUBLE);
  for (int i = 0; i < n && !w->out.failed; i++) {
    put_real(w, x[(size_t)i * stride]);
  }
  close_element(w, part);
  close_element(w, variable);
}

// Columns first, as MATLAB has them: the first axis runs fastest.
static void put_array(writer* w, const jreport_array* a) {
  int size[JREPORT_AXES] = {1, 1, 1};
  memcpy(size, a->size, (size_t)a->naxis * sizeof *size);
  int ndim = a->naxis < 2 ? 2 : a->naxis;
  size_t variable = open_variable(w, a->name, REAL, ndim, size), part = open_element(w, DOUBLE);
  for (int k = 0; k < size[2]; k++) {
    for (int j = 0; j < size[1]; j++) {
      const double* x = a->data + (size_t)j * (size_t)size[2] + (size_t)k;
      for (int i = 0; i < size[0] && !w->out.failed; i++) {
        put_real(w, x[(size_t)i * a->stride]);
      }
    }
  }
  close_element(w, part);
  close_element(w, variable);
}

static size_t open_cell(writer* w, int n) {
  int dim[2] = {n, 1};
  return open_variable(w, "", CELL, 2, dim);
}

// A single structure; its fields follow in the order of their names.
static size_t open_struct(writer* w, const char* name, const char* const* field, int n) {
  int dim[2] = {1, 1};
  size_t variable = open_variable(w, name, STRUCT, 2, dim);
  // of so few bytes an element of one word: its size stands above its type
  put_u32(w, 4u << 16 | INT32);
  put_u32(w, FIELD);
  size_t part = open_element(w, INT8);
  for (int i = 0; i < n; i++) {
    char text[FIELD] = {0};
    memcpy(text, field[i], strlen(field[i]));
    jtext_write(&w->out, text, FIELD);
  }
  close_element(w, part);
  return variable;
}

// ---- what a file holds ---------------------------------------------------------------------------

// The n-th name for a field; NULL: no memory.
static const char* field_of(writer* w, jreport_link* link, const char* name) {
  const char* field = jreport_link_name(link, name);
  w->oom = w->oom || !field;
  return field;
}

static void put_notes(writer* w) {
  const jreport_note* note = w->table->note;
  int n = w->table->nnote;
  const char** field = JARENA_ARRAY(&w->scratch, n, const char*);
  jreport_link link;
  jreport_link_begin(&link, &w->scratch, n, jreport_link_matlab);
  w->oom = w->oom || !field;
  for (int i = 0; i < n && !w->oom; i++) {
    field[i] = field_of(w, &link, note[i].name);
  }
  if (w->oom) return;
  size_t variable = open_struct(w, "notes", field, n);
  for (int i = 0; i < n; i++) {
    double value = note[i].kind == JREPORT_COUNT ? (double)note[i].count : note[i].real;
    if (note[i].kind == JREPORT_TEXT) {
      put_text(w, "", note[i].text);
    } else {
      put_column(w, "", &value, 1, 1);
    }
  }
  close_element(w, variable);
}

typedef enum part { NAME, UNIT, DESCRIPTION } part;

static const char* part_of(const jplant_quantity* q, part which) {
  return which == NAME ? q->name : which == UNIT ? q->unit : q->description;
}

static void put_texts(writer* w, const jplant_quantity* q, int n, part which) {
  size_t cell = open_cell(w, n);
  for (int i = 0; i < n && !w->out.failed; i++) {
    put_text(w, "", part_of(&q[i], which));
  }
  close_element(w, cell);
}

static void put_text_cells(writer* w, const char* const* text, int n) {
  size_t cell = open_cell(w, n);
  for (int i = 0; i < n && !w->out.failed; i++) {
    put_text(w, "", text[i]);
  }
  close_element(w, cell);
}

// Names, units or descriptions of all columns that are fields.
static void put_column_texts(writer* w, part which) {
  const jreport_table* t = w->table;
  int first = t->has_time && t->ncolumn > 0, n = t->ncolumn - first;
  size_t cell = open_cell(w, t->ntext + n);
  for (int i = 0; i < t->ntext; i++) {
    const jo_column* c = &t->text[i];
    put_text(w, "", which == NAME ? c->name : which == UNIT ? c->unit : c->description);
  }
  for (int i = first; i < t->ncolumn && !w->out.failed; i++) {
    put_text(w, "", part_of(&t->column[i], which));
  }
  close_element(w, cell);
}

// A field per column, and `columns`: which field is which.
static void put_columns(writer* w) {
  const jreport_table* t = w->table;
  int first = t->has_time && t->ncolumn > 0, n = t->ntext + t->ncolumn - first;
  const char** field = JARENA_ARRAY(&w->scratch, n, const char*);
  jreport_link link;
  jreport_link_begin(&link, &w->scratch, n, jreport_link_matlab);
  w->oom = w->oom || !field;
  for (int i = 0; i < n && !w->oom; i++) {
    bool is_text = i < t->ntext;
    field[i] = field_of(w, &link, is_text ? t->text[i].name : t->column[first + i - t->ntext].name);
  }
  if (w->oom) return;
  if (first) put_column(w, "t", t->row, t->nrow, (size_t)t->ncolumn);
  size_t variable = open_struct(w, t->has_time ? "history" : "table", field, n);
  for (int i = 0; i < t->ntext; i++) {
    put_text_cells(w, t->text[i].text, t->nrow);
  }
  for (int i = first; i < t->ncolumn && !w->out.failed; i++) {
    put_column(w, "", t->row + i, t->nrow, (size_t)t->ncolumn);
  }
  close_element(w, variable);
  static const char* const parts[] = {"field", "name", "unit", "description"};
  variable = open_struct(w, "columns", parts, 4);
  put_text_cells(w, field, n);
  put_column_texts(w, NAME);
  put_column_texts(w, UNIT);
  put_column_texts(w, DESCRIPTION);
  close_element(w, variable);
}

static void put_list(writer* w, const jreport_list* list) {
  static const char* const parts[] = {"name", "unit", "description", "value"};
  size_t variable = open_struct(w, list->name, parts, list->has_values ? 4 : 3);
  put_texts(w, list->item, list->n, NAME);
  put_texts(w, list->item, list->n, UNIT);
  put_texts(w, list->item, list->n, DESCRIPTION);
  if (list->has_values) {
    const double* value = list->n > 0 ? &list->item->value : NULL;
    put_column(w, "", value, list->n, sizeof *list->item / sizeof(double));
  }
  close_element(w, variable);
}

static void put_events(writer* w) {
  static const char* const parts[] = {"t", "name", "on"};
  const jreport_table* t = w->table;
  int dim[2] = {t->nevent, 1};
  size_t variable = open_struct(w, "events", parts, 3);
  size_t times = open_variable(w, "", REAL, 2, dim), numbers = open_element(w, DOUBLE);
  for (int i = 0; i < t->nevent; i++) {
    put_real(w, t->event[i].t);
  }
  close_element(w, numbers);
  close_element(w, times);
  size_t cell = open_cell(w, t->nevent);
  for (int i = 0; i < t->nevent; i++) {
    put_text(w, "", t->event[i].name);
  }
  close_element(w, cell);
  size_t on = open_variable(w, "", BYTE | LOGICAL, 2, dim), bytes = open_element(w, UINT8);
  for (int i = 0; i < t->nevent; i++) {
    jtext_write(&w->out, t->event[i].on ? "\1" : "\0", 1);
  }
  close_element(w, bytes);
  close_element(w, on);
  close_element(w, variable);
}

// Rows are counted from 1, as MATLAB does.
static void put_remarks(writer* w) {
  static const char* const parts[] = {"row", "text"};
  const jreport_table* t = w->table;
  int dim[2] = {t->nremark, 1};
  size_t variable = open_struct(w, "remarks", parts, 2);
  size_t rows = open_variable(w, "", REAL, 2, dim), numbers = open_element(w, DOUBLE);
  for (int i = 0; i < t->nremark; i++) {
    put_real(w, 1.0 + t->remark[i].row);
  }
  close_element(w, numbers);
  close_element(w, rows);
  size_t cell = open_cell(w, t->nremark);
  for (int i = 0; i < t->nremark; i++) {
    put_text(w, "", t->remark[i].text);
  }
  close_element(w, cell);
  close_element(w, variable);
}

// 116 bytes of text, eight of nothing, version 1, and "IM": the order of bytes.
static void put_header(writer* w) {
  char text[117];
  int n = jformat(text, sizeof text, "MATLAB 5.0 MAT-file, written by jounce %s", jo_version());
  memset(text + n, ' ', sizeof text - (size_t)n);
  jtext_write(&w->out, text, 116);
  jtext_write(&w->out, "\0\0\0\0\0\0\0\0\0\1IM", 12);
}

static void put_all(writer* w) {
  const jreport_table* t = w->table;
  put_header(w);
  put_notes(w);
  if (!w->oom && jreport_has_columns(t)) put_columns(w);
  for (int i = 0; i < t->nlist; i++) {
    put_list(w, &t->list[i]);
  }
  for (int i = 0; i < t->narray; i++) {
    put_array(w, &t->array[i]);
  }
  if (t->has_events) put_events(w);
  if (t->nremark > 0) put_remarks(w);
}

jo_status jreport_table_mat(jo_context* ctx, const jreport_table* table, const char* path) {
  // with what names and tags need, generously
  double bytes = 8.0 * table->nrow * (double)table->ncolumn + 1e4 * table->ncolumn;
  if (bytes > MAX_BYTES) {
    return jerr_set(ctx, JO_ERR_LIMIT,
                    "%s: %d rows of %d columns do not fit: a variable of a .mat file has 2 GB at "
                    "most; choose .h5",
                    path, table->nrow, table->ncolumn);
  }
  writer w = {.ctx = ctx, .table = table};
  jtext_init(&w.out, ctx);
  jarena_init(&w.scratch, ctx);
  put_all(&w);
  jo_status status =
      w.oom || w.out.failed ? jerr_memory(ctx) : jfile_write(ctx, path, w.out.data, w.out.length);
  jarena_free(&w.scratch);
  jtext_free(&w.out);
  return status;
}
