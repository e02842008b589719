// SPDX-License-Identifier: Apache-2.0
// HDF5 writer. The file is built in memory by HDF5's core driver, without time stamps, and then written
// like any other file, so that a crash never leaves half of one.
#include "report/hdf5.h"

#include "base/file.h"
#include "report/table.h"

#ifndef JOUNCE_WITH_HDF5

jo_status jreport_hdf5(jo_context* ctx, const jplant_result* r, const char* path) {
  (void)r;
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot write: built without HDF5; choose a .csv file",
                  path);
}

jo_status jreport_table_hdf5(jo_context* ctx, const jreport_table* table, const char* path) {
  (void)table;
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot write: built without HDF5; choose a .csv file",
                  path);
}

#else

#include <hdf5.h>
#include <string.h>

#define IMAGE_STEP ((size_t)1 << 20)  // growth of the file in memory

// Failures are remembered and asked for once; closing goes on.
typedef struct writer {
  jo_context* ctx;
  const jreport_table* table;
  const jplant_result* r;  // NULL: a table alone
  jarena scratch;
  hid_t file;
  hid_t create;  // data sets without time stamps
  bool failed;   // HDF5 refused
  bool oom;
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
  done(w, H5Tset_strpad(type, H5T_STR_NULLPAD));
  return type;
}

static void put_attribute(writer* w, const char* name, hid_t type, const void* value) {
  hid_t space = check(w, H5Screate(H5S_SCALAR));
  hid_t a = check(w, H5Acreate2(w->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
  done(w, H5Awrite(a, type, value));
  done(w, H5Aclose(a));
  done(w, H5Sclose(space));
}

static void put_notes(writer* w) {
  const jreport_note* note = w->table->note;
  for (int i = 0; i < w->table->nnote; i++) {
    if (note[i].kind == JREPORT_REAL) {
      put_attribute(w, note[i].name, H5T_NATIVE_DOUBLE, &note[i].real);
    } else if (note[i].kind == JREPORT_COUNT) {
      put_attribute(w, note[i].name, H5T_NATIVE_INT64, &note[i].count);
    } else {
      hid_t type = string_type(w, strlen(note[i].text));
      put_attribute(w, note[i].name, type, note[i].text);
      done(w, H5Tclose(type));
    }
  }
}

static void put_dataset(writer* w, const char* name, hid_t type, int rank, const hsize_t* size,
                        const void* data) {
  hid_t space = check(w, H5Screate_simple(rank, size, NULL));
  hid_t set = check(w, H5Dcreate2(w->file, name, type, space, H5P_DEFAULT, w->create, H5P_DEFAULT));
  if (size[0] > 0) done(w, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  done(w, H5Dclose(set));
  done(w, H5Sclose(space));
}

// Text k of a list, kept at `at` bytes from its start with `step` bytes between texts.
static void copy_text(char* to, size_t step, int k, const char* text) {
  memcpy(to + (size_t)k * step, text, strlen(text));
}

static size_t longest(size_t so_far, const char* text) {
  return strlen(text) > so_far ? strlen(text) : so_far;
}

static void put_columns(writer* w) {
  const jreport_table* r = w->table;
  for (int unit = 0; unit < 2; unit++) {
    size_t size = 1;
    for (int i = 0; i < r->ncolumn; i++) {
      size = longest(size, unit ? r->column[i].unit : r->column[i].name);
    }
    char* text = jarena_array(&w->scratch, (size_t)r->ncolumn, size);
    if (!text) {
      w->oom = true;
      return;
    }
    for (int i = 0; i < r->ncolumn; i++) {
      copy_text(text, size, i, unit ? r->column[i].unit : r->column[i].name);
    }
    hid_t type = string_type(w, size);
    hsize_t n = (hsize_t)r->ncolumn;
    put_dataset(w, unit ? "units" : "names", type, 1, &n, text);
    done(w, H5Tclose(type));
  }
}

static void put_data(writer* w) {
  hsize_t size[2] = {(hsize_t)w->table->nrow, (hsize_t)w->table->ncolumn};
  put_dataset(w, "data", H5T_NATIVE_DOUBLE, 2, size, w->table->row);
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

static void put_objectives(writer* w) {
  const jplant_result* r = w->r;
  const jplant_quantity* o = jplant_result_objectives(r);
  size_t name = 1, unit = 1;
  for (int i = 0; i < r->nobjective; i++) {
    name = longest(name, o[i].name);
    unit = longest(unit, o[i].unit);
  }
  size_t step = name + unit + sizeof(double);
  char* data = jarena_array(&w->scratch, (size_t)r->nobjective, step);
  if (!data) {
    w->oom = true;
    return;
  }
  for (int i = 0; i < r->nobjective; i++) {
    copy_text(data, step, i, o[i].name);
    copy_text(data + name, step, i, o[i].unit);
    memcpy(data + (size_t)i * step + name + unit, &o[i].value, sizeof(double));
  }
  member m[] = {{"name", string_type(w, name), name},
                {"unit", string_type(w, unit), unit},
                {"value", H5T_NATIVE_DOUBLE, sizeof(double)}};
  put_records(w, "objectives", m, 3, r->nobjective, data);
  done(w, H5Tclose(m[0].type));
  done(w, H5Tclose(m[1].type));
}

static void put_events(writer* w) {
  const jplant_result* r = w->r;
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

static void open_in_memory(writer* w) {
  hid_t access = check(w, H5Pcreate(H5P_FILE_ACCESS)),
        create = check(w, H5Pcreate(H5P_FILE_CREATE));
  done(w, H5Pset_fapl_core(access, IMAGE_STEP, 0));
  done(w, H5Pset_obj_track_times(create, 0));
  w->create = check(w, H5Pcreate(H5P_DATASET_CREATE));
  done(w, H5Pset_obj_track_times(w->create, 0));
  w->file = check(w, H5Fcreate("results.h5", H5F_ACC_TRUNC, create, access));
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

static jo_status write(writer* w, const char* path) {
  jmem_watch();
  open_in_memory(w);
  put_notes(w);
  put_columns(w);
  put_data(w);
  if (w->r) {
    put_objectives(w);
    put_events(w);
  } else {
    put_remarks(w);
  }
  jo_status status = w->oom ? jerr_memory(w->ctx) : save_image(w, path);
  H5Pclose(w->create);
  H5Fclose(w->file);
  return status;
}

static jo_status save(jo_context* ctx, const jreport_table* table, const jplant_result* r,
                      const char* path) {
  writer w = {.ctx = ctx, .table = table, .r = r};
  jarena_init(&w.scratch, ctx);
  // HDF5 prints its errors unless it is told not to
  H5E_auto2_t print;
  void* user;
  H5Eget_auto2(H5E_DEFAULT, &print, &user);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  jo_status status = write(&w, path);
  H5Eset_auto2(H5E_DEFAULT, print, user);
  jarena_free(&w.scratch);
  return status;
}

jo_status jreport_hdf5(jo_context* ctx, const jplant_result* r, const char* path) {
  jreport_notes notes = {0};
  jreport_notes_of_run(&notes, r);
  jreport_table table = {.note = notes.note,
                         .nnote = notes.n,
                         .column = r->column,
                         .ncolumn = r->ncolumn,
                         .nrow = r->nrow,
                         .row = r->row};
  return save(ctx, &table, r, path);
}

jo_status jreport_table_hdf5(jo_context* ctx, const jreport_table* table, const char* path) {
  return save(ctx, table, NULL, path);
}

#endif
