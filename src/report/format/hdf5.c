// SPDX-License-Identifier: Apache-2.0
// HDF5 writer. The file is built in memory by HDF5's core driver, without time stamps, and then written
// like any other file, so that a crash never leaves half of one.
#include "report/format/hdf5.h"

#include "base/system/file.h"
#include "report/format/table.h"

#include "report/plot/link.h"

jo_status jreport_hdf5(jo_context* ctx, const jplant_result* r, const char* path) {
  jreport_run run;
  jreport_run_table(&run, r);
  return jreport_table_hdf5(ctx, &run.table, path);
}

#ifndef JOUNCE_WITH_HDF5

jo_status jreport_table_hdf5(jo_context* ctx, const jreport_table* table, const char* path) {
  (void)table;
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot write: built without HDF5; choose a .csv file",
                  path);
}

#else

#include <hdf5.h>
#include <hdf5_hl.h>
#include <string.h>
#include <unistd.h>

#define IMAGE_STEP    ((size_t)1 << 20)  // growth of the file in memory
#define MAX_ATTRIBUTE ((size_t)60000)    // longest text of an attribute
#define MAX_ATTACHED  2000  // columns the time is attached to: its list is an attribute too
#define BLOCK_ROWS    4096  // of a chunk, where rows are read
#define DEFLATE       1     // level of compression

// A data set whose numbers come with the rows: those of a row lie one after the other from a column on.
typedef struct stream {
  hid_t set;
  int rank;
  hsize_t size[JREPORT_AXES];
  int column;
} stream;

// Failures are remembered and asked for once; closing goes on.
typedef struct writer {
  jo_context* ctx;
  const jreport_table* table;
  jarena scratch;
  hid_t file;
  hid_t create;  // data sets without time stamps
  hid_t time;    // the column of the time; negative: there is none
  bool failed;   // HDF5 refused
  bool oom;
  stream* stream;  // where rows are read (ncolumn + narray + 1)
  int nstream;
  const char* part;  // name of the file until it is whole; NULL: it is in memory
} writer;

// Why the library fails it does not say here; that memory ended can be seen.
static void fail(writer* w) {
  if (!w->failed) w->oom = w->oom || jmem_has_ended();
  w->failed = true;
}

static hid_t check(writer* w, hid_t id) {
  if (id < 0) fail(w);
  return id;
}

static void done(writer* w, herr_t e) {
  if (e < 0) fail(w);
}

// Fixed length, so that everything that reads HDF5 reads it.
static hid_t string_type(writer* w, size_t size) {
  hid_t type = check(w, H5Tcopy(H5T_C_S1));
  done(w, H5Tset_size(type, size > 0 ? size : 1));
  done(w, H5Tset_cset(type, H5T_CSET_UTF8));
  if (size != H5T_VARIABLE) done(w, H5Tset_strpad(type, H5T_STR_NULLPAD));
  return type;
}

static void put_attribute(writer* w, hid_t of, const char* name, hid_t type, const void* value) {
  hid_t space = check(w, H5Screate(H5S_SCALAR));
  hid_t a = check(w, H5Acreate2(of, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  done(w, H5Awrite(a, type, value));
  done(w, H5Aclose(a));
  done(w, H5Sclose(space));
}

// The library keeps no attribute of 64 kB: longer texts are cut.
static void put_text(writer* w, hid_t of, const char* name, const char* text) {
  size_t n = jreport_link_cut(text, MAX_ATTRIBUTE);
  hid_t type = string_type(w, n);
  put_attribute(w, of, name, type, text);
  done(w, H5Tclose(type));
}

// Of a data set: of variable length, which Python and Julia take for text at once.
static void describe(writer* w, hid_t set, const char* name, const char* text) {
  hid_t type = string_type(w, H5T_VARIABLE);
  size_t n = jreport_link_cut(text, MAX_ATTRIBUTE);
  const char* cut = text[n] ? jarena_strndup(&w->scratch, text, n) : text;
  if (cut) {
    put_attribute(w, set, name, type, &cut);
  } else {
    w->oom = true;
  }
  done(w, H5Tclose(type));
}

static void put_notes(writer* w) {
  const jreport_note* note = w->table->note;
  for (int i = 0; i < w->table->nnote; i++) {
    if (note[i].kind == JREPORT_REAL) {
      put_attribute(w, w->file, note[i].name, H5T_NATIVE_DOUBLE, &note[i].real);
    } else if (note[i].kind == JREPORT_COUNT) {
      put_attribute(w, w->file, note[i].name, H5T_NATIVE_INT64, &note[i].count);
    } else {
      put_text(w, w->file, note[i].name, note[i].text);
    }
  }
}

static hid_t open_dataset(writer* w, hid_t below, const char* name, hid_t type, int rank,
                          const hsize_t* size, const void* data) {
  hid_t space = check(w, H5Screate_simple(rank, size, NULL));
  hid_t set = check(w, H5Dcreate2(below, name, type, space, H5P_DEFAULT, w->create, H5P_DEFAULT));
  bool is_empty = false;
  for (int i = 0; i < rank; i++) {
    is_empty = is_empty || size[i] == 0;
  }
  if (!is_empty) done(w, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  done(w, H5Sclose(space));
  return set;
}

static void put_dataset(writer* w, const char* name, hid_t type, int rank, const hsize_t* size,
                        const void* data) {
  done(w, H5Dclose(open_dataset(w, w->file, name, type, rank, size, data)));
}

// ---- rows that are read --------------------------------------------------------------------------

// Chunks of whole blocks, compressed, each written once: nothing is kept of them.
static hid_t open_stream(writer* w, hid_t below, const char* name, int rank, const hsize_t* size,
                         int column) {
  hsize_t chunk[JREPORT_AXES];
  memcpy(chunk, size, (size_t)rank * sizeof *chunk);
  if (chunk[0] > BLOCK_ROWS) chunk[0] = BLOCK_ROWS;
  hid_t create = check(w, H5Pcopy(w->create)), access = check(w, H5Pcreate(H5P_DATASET_ACCESS));
  done(w, H5Pset_chunk(create, rank, chunk));
  if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    done(w, H5Pset_shuffle(create));
    done(w, H5Pset_deflate(create, DEFLATE));
  }
  done(w, H5Pset_chunk_cache(access, 1, 0, 1.0));
  hid_t space = check(w, H5Screate_simple(rank, size, NULL));
  stream* t = &w->stream[w->nstream++];
  *t = (stream){.rank = rank, .column = column};
  memcpy(t->size, size, (size_t)rank * sizeof *size);
  hid_t set =
      check(w, H5Dcreate2(below, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, access));
  t->set = set;
  done(w, H5Sclose(space));
  done(w, H5Pclose(create));
  done(w, H5Pclose(access));
  return set;
}

// Its numbers of n rows, from the first on.
static void write_block(writer* w, const stream* t, int first, int n, const double* row,
                        double* scratch) {
  hsize_t at[JREPORT_AXES] = {(hsize_t)first}, count[JREPORT_AXES];
  size_t width = 1, step = (size_t)w->table->ncolumn;
  memcpy(count, t->size, sizeof count);
  count[0] = (hsize_t)n;
  for (int i = 1; i < t->rank; i++) {
    width *= (size_t)t->size[i];
  }
  for (int k = 0; k < n; k++) {
    memcpy(scratch + (size_t)k * width, row + (size_t)k * step + t->column, width * sizeof *row);
  }
  hid_t file = check(w, H5Dget_space(t->set)),
        memory = check(w, H5Screate_simple(t->rank, count, NULL));
  done(w, H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, count, NULL));
  done(w, H5Dwrite(t->set, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, scratch));
  done(w, H5Sclose(file));
  done(w, H5Sclose(memory));
}

static jo_status write_rows(writer* w) {
  const jreport_table* t = w->table;
  size_t each = (size_t)t->ncolumn * sizeof(double);
  double* row = jarena_array(&w->scratch, BLOCK_ROWS, each);
  double* scratch = jarena_array(&w->scratch, BLOCK_ROWS, each);
  w->oom = w->oom || !row || !scratch;
  if (w->oom) return jerr_memory(w->ctx);
  for (int first = 0; first < t->nrow && !w->failed; first += BLOCK_ROWS) {
    int n = t->nrow - first < BLOCK_ROWS ? t->nrow - first : BLOCK_ROWS;
    JO_TRY(t->read(t->user, first, n, row));
    for (int i = 0; i < w->nstream; i++) {
      write_block(w, &w->stream[i], first, n, row, scratch);
    }
  }
  return JO_OK;
}

static void close_streams(writer* w) {
  for (int i = 0; i < w->nstream; i++) {
    done(w, H5Dclose(w->stream[i].set));
  }
}

// Those that are filled row by row stay open.
static void close_set(writer* w, hid_t set) {
  if (!w->stream) done(w, H5Dclose(set));
}

// Text k of a list, kept at `at` bytes from its start with `step` bytes between texts.
static void copy_text(char* to, size_t step, int k, const char* text) {
  memcpy(to + (size_t)k * step, text, strlen(text));
}

static size_t longest(size_t so_far, const char* text) {
  return strlen(text) > so_far ? strlen(text) : so_far;
}

// Texts of fixed length, all that of the longest.
static hid_t open_text_list(writer* w, hid_t below, const char* name, const char* const* list,
                            int n) {
  size_t size = 1;
  for (int i = 0; i < n; i++) {
    size = longest(size, list[i]);
  }
  char* text = jarena_array(&w->scratch, (size_t)n, size);
  if (!text) {
    w->oom = true;
    return H5I_INVALID_HID;
  }
  for (int i = 0; i < n; i++) {
    copy_text(text, size, i, list[i]);
  }
  hid_t type = string_type(w, size);
  hsize_t count = (hsize_t)n;
  hid_t set = open_dataset(w, below, name, type, 1, &count, text);
  done(w, H5Tclose(type));
  return set;
}

// Names or units of quantities.
static hid_t open_texts(writer* w, hid_t below, const char* name, const jplant_quantity* q, int n,
                        bool unit) {
  const char** list = JARENA_ARRAY(&w->scratch, n, const char*);
  for (int i = 0; list && i < n; i++) {
    list[i] = unit ? q[i].unit : q[i].name;
  }
  if (list) return open_text_list(w, below, name, list, n);
  w->oom = true;
  return H5I_INVALID_HID;
}

// ---- axes ----------------------------------------------------------------------------------------

// Axis `i` of a data set: its name, and the scale its numbers or names are in (negative: none).
static void put_axis(writer* w, hid_t set, unsigned i, const char* label, hid_t scale) {
  done(w, H5DSset_label(set, i, label));
  if (scale >= 0) done(w, H5DSattach_scale(set, scale, i));
}

static void put_data(writer* w) {
  const jreport_table* t = w->table;
  hsize_t size[2] = {(hsize_t)t->nrow, (hsize_t)t->ncolumn};
  hid_t names = open_texts(w, w->file, "names", t->column, t->ncolumn, false);
  done(w, H5Dclose(open_texts(w, w->file, "units", t->column, t->ncolumn, true)));
  hid_t data = w->stream ? open_stream(w, w->file, "data", 2, size, 0)
                         : open_dataset(w, w->file, "data", H5T_NATIVE_DOUBLE, 2, size, t->row);
  done(w, H5DSset_scale(names, "column"));
  put_axis(w, data, 0, t->has_time ? "t" : "row", w->time);
  put_axis(w, data, 1, "column", names);
  close_set(w, data);
  done(w, H5Dclose(names));
}

static void describe_column(writer* w, hid_t set, const char* name, const char* unit,
                            const char* description) {
  describe(w, set, "name", name);
  describe(w, set, "units", unit);
  if (*description) describe(w, set, "long_name", description);
}

// /columns: each column by its name, with its unit, and the time attached to histories.
static void put_column(writer* w, hid_t group, int i, jreport_link* link, double* value) {
  const jreport_table* t = w->table;
  const jplant_quantity* q = &t->column[i];
  for (int k = 0; k < t->nrow && value; k++) {
    value[k] = t->row[(size_t)k * (size_t)t->ncolumn + (size_t)i];
  }
  const char* name = jreport_link_name(link, q->name);
  if (!name) {
    w->oom = true;
    return;
  }
  hsize_t n = (hsize_t)t->nrow;
  hid_t set = value ? open_dataset(w, group, name, H5T_NATIVE_DOUBLE, 1, &n, value)
                    : open_stream(w, group, name, 1, &n, i);
  describe_column(w, set, q->name, q->unit, q->description);
  if (t->has_time && i == 0) {
    done(w, H5DSset_scale(set, name));
    w->time = set;
    return;
  }
  put_axis(w, set, 0, t->has_time ? "t" : "row", i < MAX_ATTACHED ? w->time : H5I_INVALID_HID);
  close_set(w, set);
}

static void put_text_column(writer* w, hid_t group, const jo_column* c, jreport_link* link) {
  const char* name = jreport_link_name(link, c->name);
  w->oom = w->oom || !name;
  hid_t set = name ? open_text_list(w, group, name, c->text, w->table->nrow) : H5I_INVALID_HID;
  if (w->oom) return;
  describe_column(w, set, c->name, c->unit, c->description);
  put_axis(w, set, 0, "row", H5I_INVALID_HID);
  done(w, H5Dclose(set));
}

static void put_columns(writer* w) {
  const jreport_table* t = w->table;
  jreport_link link;
  jreport_link_begin(&link, &w->scratch, t->ntext + t->ncolumn, jreport_link_hdf5);
  double* value = w->stream ? NULL : JARENA_ARRAY(&w->scratch, t->nrow, double);
  w->oom = w->oom || (!value && !w->stream);
  if (w->oom) return;
  hid_t create = check(w, H5Pcreate(H5P_GROUP_CREATE));
  done(w, H5Pset_obj_track_times(create, 0));
  hid_t group = check(w, H5Gcreate2(w->file, "columns", H5P_DEFAULT, create, H5P_DEFAULT));
  for (int i = 0; i < t->ntext && !w->oom; i++) {
    put_text_column(w, group, &t->text[i], &link);
  }
  for (int i = 0; i < t->ncolumn && !w->oom; i++) {
    put_column(w, group, i, &link, value);
  }
  done(w, H5Gclose(group));
  done(w, H5Pclose(create));
}

// A table of records with texts: members are laid out one after the other.
typedef struct member {
  const char* name;
  hid_t type;
  size_t size;
} member;

static void put_records(writer* w, const char* name, const member* m, int nmember, int n,
                        const char* data) {
  size_t size = 0, at = 0;
  for (int i = 0; i < nmember; i++) {
    size += m[i].size;
  }
  hid_t type = check(w, H5Tcreate(H5T_COMPOUND, size));
  for (int i = 0; i < nmember; i++) {
    done(w, H5Tinsert(type, m[i].name, at, m[i].type));
    at += m[i].size;
  }
  hsize_t count = (hsize_t)n;
  put_dataset(w, name, type, 1, &count, data);
  done(w, H5Tclose(type));
}

static void put_list(writer* w, const jreport_list* list) {
  const jplant_quantity* q = list->item;
  size_t name = 1, unit = 1;
  for (int i = 0; i < list->n; i++) {
    name = longest(name, q[i].name);
    unit = longest(unit, q[i].unit);
  }
  size_t step = name + unit + (list->has_values ? sizeof(double) : 0);
  char* data = jarena_array(&w->scratch, (size_t)list->n, step);
  if (!data) {
    w->oom = true;
    return;
  }
  for (int i = 0; i < list->n; i++) {
    copy_text(data, step, i, q[i].name);
    copy_text(data + name, step, i, q[i].unit);
    if (!list->has_values) continue;
    memcpy(data + (size_t)i * step + name + unit, &q[i].value, sizeof(double));
  }
  member m[] = {{"name", string_type(w, name), name},
                {"unit", string_type(w, unit), unit},
                {"value", H5T_NATIVE_DOUBLE, sizeof(double)}};
  put_records(w, list->name, m, list->has_values ? 3 : 2, list->n, data);
  done(w, H5Tclose(m[0].type));
  done(w, H5Tclose(m[1].type));
}

static void put_events(writer* w) {
  const jreport_table* r = w->table;
  size_t name = 1;
  for (int i = 0; i < r->nevent; i++) {
    name = longest(name, r->event[i].name);
  }
  size_t step = sizeof(double) + name + 1;
  char* data = jarena_array(&w->scratch, (size_t)r->nevent, step);
  if (!data) {
    w->oom = true;
    return;
  }
  for (int i = 0; i < r->nevent; i++) {
    char* record = data + (size_t)i * step;
    memcpy(record, &r->event[i].t, sizeof(double));
    memcpy(record + sizeof(double), r->event[i].name, strlen(r->event[i].name));
    record[step - 1] = r->event[i].on;
  }
  member m[] = {{"t", H5T_NATIVE_DOUBLE, sizeof(double)},
                {"name", string_type(w, name), name},
                {"on", H5T_NATIVE_UINT8, 1}};
  put_records(w, "events", m, 3, r->nevent, data);
  done(w, H5Tclose(m[1].type));
}

static void put_remarks(writer* w) {
  const jreport_table* t = w->table;
  size_t text = 1;
  for (int i = 0; i < t->nremark; i++) {
    text = longest(text, t->remark[i].text);
  }
  size_t step = sizeof(int) + text;
  char* data = jarena_array(&w->scratch, (size_t)t->nremark, step);
  if (!data) {
    w->oom = true;
    return;
  }
  for (int i = 0; i < t->nremark; i++) {
    memcpy(data + (size_t)i * step, &t->remark[i].row, sizeof(int));
    copy_text(data + sizeof(int), step, i, t->remark[i].text);
  }
  member m[] = {{"row", H5T_NATIVE_INT, sizeof(int)}, {"text", string_type(w, text), text}};
  put_records(w, "remarks", m, 2, t->nremark, data);
  done(w, H5Tclose(m[1].type));
}

static hid_t open_array(writer* w, const jreport_array* a) {
  hsize_t size[JREPORT_AXES];
  size_t n = 1;
  for (int i = 0; i < a->naxis; i++) {
    size[i] = (hsize_t)a->size[i];
    if (i > 0) n *= (size_t)a->size[i];
  }
  if (w->stream) return open_stream(w, w->file, a->name, a->naxis, size, a->column);
  double* data = jarena_array(&w->scratch, (size_t)a->size[0], n * sizeof *data);
  w->oom = w->oom || !data;
  if (w->oom) return H5I_INVALID_HID;
  for (int i = 0; i < a->size[0] && n > 0; i++) {
    memcpy(data + (size_t)i * n, a->data + (size_t)i * a->stride, n * sizeof *data);
  }
  return open_dataset(w, w->file, a->name, H5T_NATIVE_DOUBLE, a->naxis, size, data);
}

// Arrays, with the names of what their axes stand for in /axes.
static void put_array(writer* w, const jreport_array* a, const hid_t* axis) {
  hid_t set = open_array(w, a);
  if (w->oom) return;
  describe(w, set, "long_name", a->description);
  for (int i = 0; i < a->naxis; i++) {
    bool is_list = a->axis[i] >= 0;
    put_axis(w, set, (unsigned)i, is_list ? w->table->list[a->axis[i]].name : "row",
             is_list ? axis[a->axis[i]] : w->time);
  }
  close_set(w, set);
}

static void put_arrays(writer* w) {
  const jreport_table* t = w->table;
  if (t->narray == 0) return;
  hid_t* axis = JARENA_ARRAY(&w->scratch, t->nlist, hid_t);
  w->oom = w->oom || !axis;
  if (w->oom) return;
  hid_t create = check(w, H5Pcreate(H5P_GROUP_CREATE));
  done(w, H5Pset_obj_track_times(create, 0));
  hid_t group = check(w, H5Gcreate2(w->file, "axes", H5P_DEFAULT, create, H5P_DEFAULT));
  for (int i = 0; i < t->nlist && !w->oom; i++) {
    axis[i] = open_texts(w, group, t->list[i].name, t->list[i].item, t->list[i].n, false);
    if (!w->oom) done(w, H5DSset_scale(axis[i], t->list[i].name));
  }
  for (int i = 0; i < t->narray && !w->oom; i++) {
    put_array(w, &t->array[i], axis);
  }
  for (int i = 0; i < t->nlist && axis[i] > 0; i++) {
    done(w, H5Dclose(axis[i]));
  }
  done(w, H5Gclose(group));
  done(w, H5Pclose(create));
}

// In memory, or, where rows are read, on the disk under another name.
static void open_file(writer* w) {
  hid_t access = check(w, H5Pcreate(H5P_FILE_ACCESS)),
        create = check(w, H5Pcreate(H5P_FILE_CREATE));
  if (!w->part) done(w, H5Pset_fapl_core(access, IMAGE_STEP, 0));
  done(w, H5Pset_fclose_degree(access, H5F_CLOSE_STRONG));  // whatever is left open after a failure
  done(w, H5Pset_obj_track_times(create, 0));
  w->create = check(w, H5Pcreate(H5P_DATASET_CREATE));
  done(w, H5Pset_obj_track_times(w->create, 0));
  if (w->part) unlink(w->part);  // what a kill has left
  w->file = w->part ? check(w, H5Fcreate(w->part, H5F_ACC_EXCL, create, access))
                    : check(w, H5Fcreate("results.h5", H5F_ACC_TRUNC, create, access));
  done(w, H5Pclose(access));
  done(w, H5Pclose(create));
}

static jo_status save_image(writer* w, const char* path) {
  done(w, H5Fflush(w->file, H5F_SCOPE_GLOBAL));
  ssize_t size = H5Fget_file_image(w->file, NULL, 0);
  if (w->oom) return jerr_memory(w->ctx);
  if (w->failed || size <= 0) {
    return jerr_set(w->ctx, JO_ERR_FILE, "%s: cannot write: the HDF5 library refuses", path);
  }
  void* image = jmem_resize(w->ctx, NULL, (size_t)size);
  if (!image) return jerr_memory(w->ctx);
  jo_status status = JO_ERR_FILE;
  if (H5Fget_file_image(w->file, image, (size_t)size) == size) {
    status = jfile_write(w->ctx, path, image, (size_t)size);
  } else {
    jerr_set(w->ctx, JO_ERR_FILE, "%s: cannot write: the HDF5 library refuses", path);
  }
  jmem_free(w->ctx, image);
  return status;
}

static void put_all(writer* w) {
  put_notes(w);
  if (jreport_has_columns(w->table)) put_columns(w);
  if (w->table->ncolumn > 0 && !w->oom) put_data(w);
  for (int i = 0; i < w->table->nlist; i++) {
    put_list(w, &w->table->list[i]);
  }
  if (w->table->has_events) put_events(w);
  if (!w->table->has_time && w->table->ncolumn > 0) put_remarks(w);
  put_arrays(w);
  if (w->time >= 0) done(w, H5Dclose(w->time));
}

static jo_status write_image(writer* w, const char* path) {
  jmem_watch();
  open_file(w);
  put_all(w);
  jo_status status = w->oom ? jerr_memory(w->ctx) : save_image(w, path);
  H5Pclose(w->create);
  H5Fclose(w->file);
  return status;
}

static jo_status refuse(writer* w, const char* path) {
  return jerr_set(w->ctx, JO_ERR_FILE, "%s: cannot write: the HDF5 library refuses", path);
}

static jo_status fill_part(writer* w, const char* path) {
  jo_status status = JO_OK;
  put_all(w);
  if (!w->oom && !w->failed) status = write_rows(w);
  close_streams(w);
  H5Pclose(w->create);
  done(w, H5Fclose(w->file));
  if (status < 0) return status;
  return w->oom ? jerr_memory(w->ctx) : w->failed ? refuse(w, path) : JO_OK;
}

// On the disk beside `path`, under whose name it appears when it is whole.
static jo_status write_part(writer* w, const char* path) {
  const jreport_table* t = w->table;
  w->part = jarena_printf(&w->scratch, "%s.part", path);
  w->stream = JARENA_ARRAY(&w->scratch, t->ncolumn + t->narray + 1, stream);
  if (!w->part || !w->stream) return jerr_memory(w->ctx);
  JO_TRY(jfile_check_output(w->ctx, path));
  jmem_watch();
  open_file(w);
  if (w->failed) return w->oom ? jerr_memory(w->ctx) : refuse(w, path);
  jo_status status = fill_part(w, path);
  if (status >= 0) status = jfile_publish(w->ctx, w->part, path);
  if (status < 0) unlink(w->part);
  return status;
}

jo_status jreport_table_hdf5(jo_context* ctx, const jreport_table* table, const char* path) {
  writer w = {.ctx = ctx, .table = table, .time = H5I_INVALID_HID};
  jarena_init(&w.scratch, ctx);
  // HDF5 prints its errors unless it is told not to
  H5E_auto2_t print;
  void* user;
  H5Eget_auto2(H5E_DEFAULT, &print, &user);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  jo_status status = table->read ? write_part(&w, path) : write_image(&w, path);
  H5Eset_auto2(H5E_DEFAULT, print, user);
  jarena_free(&w.scratch);
  return status;
}

#endif
