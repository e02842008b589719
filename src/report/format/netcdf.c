// SPDX-License-Identifier: Apache-2.0
// NetCDF files, classic format with 64-bit offsets, after "The NetCDF Classic Format Specification" (Unidata): a header
// that lists dimensions, attributes and variables, then the variables, one after the other, everything big-endian. There is
// no clock in it.
#include <string.h>

#include "base/system/file.h"
#include "report/format/table.h"
#include "report/plot/link.h"

#define MAX_BYTES 4294967292.0  // of a variable: its size has 32 bits
#define MAX_DIMS  JREPORT_AXES

enum { TAG_DIMENSION = 10, TAG_VARIABLE = 11, TAG_ATTRIBUTE = 12 };
enum { CHAR = 2, DOUBLE = 6 };

typedef struct dimension {
  const char* name;
  int size;  // 0: that of records, of which there are none
} dimension;

// Numbers that lie `step` bytes apart, an array of a table, or texts that fill their last dimension.
typedef struct variable {
  const char *name, *original, *unit, *description;
  int dim[MAX_DIMS], ndim;
  const double* number;
  size_t step;
  const jreport_array* array;
  const char* text;  // texts, `text_step` bytes from one pointer to the next
  size_t text_step;
  size_t at;  // of its offset, in the header
} variable;

typedef struct writer {
  jo_context* ctx;
  const jreport_table* table;
  jarena scratch;
  jtext out;
  jreport_link names;
  dimension* dim;
  variable* var;
  int ndim, nvar, row;  // row: dimension of the rows
  int* list;            // dimensions of lists (nlist)
  bool oom, is_long;
} writer;

// ---- words ---------------------------------------------------------------------------------------

static void put_u32(writer* w, uint32_t x) {
  char b[4] = {(char)(x >> 24), (char)(x >> 16 & 255), (char)(x >> 8 & 255), (char)(x & 255)};
  jtext_write(&w->out, b, 4);
}

static void put_u64(writer* w, uint64_t x) {
  put_u32(w, (uint32_t)(x >> 32));
  put_u32(w, (uint32_t)x);
}

static void put_real(writer* w, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  put_u64(w, bits);
}

static void pad(writer* w) {
  jtext_write(&w->out, "\0\0\0", (4 - w->out.length % 4) % 4);
}

static void put_name(writer* w, const char* name) {
  put_u32(w, (uint32_t)strlen(name));
  jtext_put(&w->out, name);
  pad(w);
}

static void put_tag(writer* w, uint32_t tag, int n) {
  put_u32(w, n > 0 ? tag : 0);
  put_u32(w, (uint32_t)n);
}

static void put_text_attribute(writer* w, const char* name, const char* text) {
  put_name(w, name);
  put_u32(w, CHAR);
  put_name(w, text);
}

// ---- what there is -------------------------------------------------------------------------------

static int add_dimension(writer* w, const char* name, int size) {
  w->dim[w->ndim] = (dimension){name, size};
  return w->ndim++;
}

// Texts of a length have its dimension.
static int text_dimension(writer* w, size_t length) {
  for (int i = 0; i < w->ndim; i++) {
    bool is_text = strncmp(w->dim[i].name, "chars", 5) == 0;
    if (is_text && w->dim[i].size == (int)length) return i;
  }
  const char* name = jarena_printf(&w->scratch, "chars%d", (int)length);
  w->oom = w->oom || !name;
  return w->oom ? 0 : add_dimension(w, name, (int)length);
}

// Variables have names of letters, digits and underscores, which everything reads; the original one is an attribute.
static variable* add_variable(writer* w, const char* name) {
  variable* v = &w->var[w->nvar++];
  *v = (variable){.original = name, .unit = "", .description = ""};
  v->name = jreport_link_name(&w->names, name);
  w->oom = w->oom || !v->name;
  return v;
}

static const char* text_of(const variable* v, int i) {
  const char* text;
  memcpy(&text, v->text + (size_t)i * v->text_step, sizeof text);
  return text;
}

static void add_texts(writer* w, const char* name, int dim, const void* first, size_t step) {
  variable* v = add_variable(w, name);
  size_t most = 1;
  v->text = first;
  v->text_step = step;
  for (int i = 0; i < w->dim[dim].size; i++) {
    size_t n = strlen(text_of(v, i));
    if (n > most) most = n;
  }
  v->dim[0] = dim;
  v->dim[1] = text_dimension(w, most);
  v->ndim = 2;
}

static variable* add_numbers(writer* w, const char* name, int dim, const double* x, size_t step) {
  variable* v = add_variable(w, name);
  v->dim[0] = dim;
  v->ndim = 1;
  v->number = x;
  v->step = step;
  return v;
}

static const char* join(writer* w, const char* a, const char* b) {
  const char* text = jarena_printf(&w->scratch, "%s_%s", a, b);
  w->oom = w->oom || !text;
  return text ? text : "";
}

// Names, units and values of quantities. Dimensions of no size are those of records, so empty lists are left out.
static void add_list(writer* w, int which) {
  const jreport_list* list = &w->table->list[which];
  size_t step = sizeof *list->item;
  if (list->n == 0) return;
  int dim = w->list[which] = add_dimension(w, list->name, list->n);
  add_texts(w, list->name, dim, &list->item->name, step);
  add_texts(w, join(w, list->name, "unit"), dim, &list->item->unit, step);
  if (list->has_values) {
    add_numbers(w, join(w, list->name, "value"), dim, &list->item->value, step);
  }
}

static void add_events(writer* w) {
  const jreport_table* t = w->table;
  size_t step = sizeof *t->event;
  double* on = JARENA_ARRAY(&w->scratch, t->nevent, double);
  w->oom = w->oom || !on;
  if (t->nevent == 0 || w->oom) return;
  for (int i = 0; i < t->nevent; i++) {
    on[i] = t->event[i].on;
  }
  int dim = add_dimension(w, "events", t->nevent);
  add_texts(w, "events", dim, &t->event->name, step);
  add_numbers(w, "events_t", dim, &t->event->t, step)->unit = "s";
  add_numbers(w, "events_on", dim, on, sizeof *on);
}

static void add_remarks(writer* w) {
  const jreport_table* t = w->table;
  double* row = JARENA_ARRAY(&w->scratch, t->nremark, double);
  w->oom = w->oom || !row;
  if (t->nremark == 0 || w->oom) return;
  for (int i = 0; i < t->nremark; i++) {
    row[i] = t->remark[i].row;
  }
  int dim = add_dimension(w, "remarks", t->nremark);
  add_texts(w, "remarks", dim, &t->remark->text, sizeof *t->remark);
  add_numbers(w, "remarks_row", dim, row, sizeof *row);
}

static void add_arrays(writer* w) {
  for (int i = 0; i < w->table->narray; i++) {
    const jreport_array* a = &w->table->array[i];
    bool is_empty = false;
    for (int k = 0; k < a->naxis; k++) {
      is_empty = is_empty || a->size[k] == 0;
    }
    if (is_empty) continue;
    variable* v = add_variable(w, a->name);
    v->array = a;
    v->description = a->description;
    v->ndim = a->naxis;
    for (int k = 0; k < a->naxis; k++) {
      v->dim[k] = a->axis[k] < 0 ? w->row : w->list[a->axis[k]];
    }
  }
}

static void add_columns(writer* w) {
  const jreport_table* t = w->table;
  for (int i = 0; i < t->ntext; i++) {
    add_texts(w, t->text[i].name, w->row, t->text[i].text, sizeof *t->text[i].text);
  }
  for (int i = 0; i < t->ncolumn; i++) {
    const double* x = t->nrow > 0 ? t->row + i : NULL;
    size_t step = (size_t)t->ncolumn * sizeof *t->row;
    variable* v = add_numbers(w, t->column[i].name, w->row, x, step);
    v->unit = t->column[i].unit;
    v->description = t->column[i].description;
    // the variable of a dimension's name has its coordinates
    if (i == 0 && t->has_time) w->dim[w->row].name = v->name;
  }
}

// What has names of its own comes first: columns may have any.
static void list_all(writer* w) {
  const jreport_table* t = w->table;
  int most = 3 * t->nlist + 5 + t->narray + t->ntext + t->ncolumn;
  w->dim = JARENA_ARRAY(&w->scratch, 3 + t->nlist + most, dimension);
  w->var = JARENA_ARRAY(&w->scratch, most, variable);
  w->list = JARENA_ARRAY(&w->scratch, t->nlist, int);
  jreport_link_begin(&w->names, &w->scratch, most, jreport_link_matlab);
  w->oom = w->oom || !w->dim || !w->var || !w->list;
  if (w->oom) return;
  w->row = add_dimension(w, "row", t->nrow);
  for (int i = 0; i < t->nlist; i++) {
    add_list(w, i);
  }
  add_events(w);
  add_remarks(w);
  add_arrays(w);
  add_columns(w);
}

// ---- the header ----------------------------------------------------------------------------------

static void put_notes(writer* w) {
  const jreport_note* note = w->table->note;
  put_tag(w, TAG_ATTRIBUTE, w->table->nnote);
  for (int i = 0; i < w->table->nnote; i++) {
    if (note[i].kind == JREPORT_TEXT) {
      put_text_attribute(w, note[i].name, note[i].text);
      continue;
    }
    put_name(w, note[i].name);
    put_u32(w, DOUBLE);
    put_u32(w, 1);
    put_real(w, note[i].kind == JREPORT_COUNT ? (double)note[i].count : note[i].real);
  }
}

// Of variables with records: of one of them.
static size_t size_of(const writer* w, const variable* v) {
  size_t n = v->text ? 1 : sizeof(double);
  for (int i = 0; i < v->ndim; i++) {
    int size = w->dim[v->dim[i]].size;
    n *= size > 0 ? (size_t)size : 1;
  }
  return (n + 3) / 4 * 4;
}

static void put_variable(writer* w, variable* v) {
  bool has_unit = *v->unit, has_description = *v->description;
  put_name(w, v->name);
  put_u32(w, (uint32_t)v->ndim);
  for (int i = 0; i < v->ndim; i++) {
    put_u32(w, (uint32_t)v->dim[i]);
  }
  put_tag(w, TAG_ATTRIBUTE, 1 + has_unit + has_description);
  put_text_attribute(w, "name", v->original);
  if (has_unit) put_text_attribute(w, "units", v->unit);
  if (has_description) put_text_attribute(w, "long_name", v->description);
  put_u32(w, v->text ? CHAR : DOUBLE);
  put_u32(w, (uint32_t)size_of(w, v));
  v->at = w->out.length;
  put_u64(w, 0);
}

static void put_header(writer* w) {
  jtext_write(&w->out, "CDF\2", 4);
  put_u32(w, 0);  // records
  put_tag(w, TAG_DIMENSION, w->ndim);
  for (int i = 0; i < w->ndim; i++) {
    put_name(w, w->dim[i].name);
    put_u32(w, (uint32_t)w->dim[i].size);
  }
  put_notes(w);
  put_tag(w, TAG_VARIABLE, w->nvar);
  for (int i = 0; i < w->nvar; i++) {
    w->is_long = w->is_long || (double)size_of(w, &w->var[i]) > MAX_BYTES;
    put_variable(w, &w->var[i]);
  }
}

// ---- the data ------------------------------------------------------------------------------------

static void put_array(writer* w, const jreport_array* a) {
  size_t n = 1;
  for (int i = 1; i < a->naxis; i++) {
    n *= (size_t)a->size[i];
  }
  for (int i = 0; i < a->size[0]; i++) {
    for (size_t k = 0; k < n && !w->out.failed; k++) {
      put_real(w, a->data[(size_t)i * a->stride + k]);
    }
  }
}

static void put_texts(writer* w, const variable* v) {
  int size = w->dim[v->dim[1]].size;
  for (int i = 0; i < w->dim[v->dim[0]].size && !w->out.failed; i++) {
    const char* text = text_of(v, i);
    size_t n = strlen(text);
    jtext_write(&w->out, text, n);
    for (; n < (size_t)size; n++) {
      jtext_write(&w->out, "\0", 1);
    }
  }
  pad(w);
}

static void put_numbers(writer* w, const variable* v) {
  for (int i = 0; i < w->dim[v->dim[0]].size && !w->out.failed; i++) {
    double x;
    memcpy(&x, (const char*)v->number + (size_t)i * v->step, sizeof x);
    put_real(w, x);
  }
}

static void put_data(writer* w, const variable* v) {
  uint64_t begin = w->out.length;
  for (int i = 0; i < 8 && !w->out.failed; i++) {
    w->out.data[v->at + (size_t)i] = (char)(begin >> (56 - 8 * i) & 255);
  }
  if (v->array) put_array(w, v->array);
  if (v->text) put_texts(w, v);
  if (v->number) put_numbers(w, v);
}

jo_status jreport_table_netcdf(jo_context* ctx, const jreport_table* table, const char* path) {
  writer w = {.ctx = ctx, .table = table};
  jtext_init(&w.out, ctx);
  jarena_init(&w.scratch, ctx);
  list_all(&w);
  if (!w.oom) put_header(&w);
  for (int i = 0; i < w.nvar && !w.oom && !w.is_long; i++) {
    put_data(&w, &w.var[i]);
  }
  jo_status status;
  if (w.is_long) {
    status = jerr_set(ctx, JO_ERR_LIMIT,
                      "%s: %d rows do not fit: a variable of a .nc file has 4 GB at most; "
                      "choose .h5",
                      path, table->nrow);
  } else {
    bool failed = w.oom || w.out.failed;
    status = failed ? jerr_memory(ctx) : jfile_write(ctx, path, w.out.data, w.out.length);
  }
  jarena_free(&w.scratch);
  jtext_free(&w.out);
  return status;
}
