// SPDX-License-Identifier: Apache-2.0
// HDF5 files, read back with the HDF5 library: numbers, names, notes, events; no clock shows.
#include "report/format/hdf5.h"

#include <unistd.h>

#include "report/sample.h"
#include "support/failing_alloc.h"

static const char* path;

#ifdef JOUNCE_WITH_HDF5

#include <hdf5.h>

static void write_sample(const jplant_result* r) {
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_ok(ctx, jreport_hdf5(ctx, r, path));
  fixture_close(f);
}

// One member of a data set, converted by the library to `type`.
static void read_member(hid_t file, const char* set, const char* member, hid_t type, void* out) {
  hid_t d = H5Dopen2(file, set, H5P_DEFAULT), memory = type;
  assert_true(d >= 0);
  if (member) {
    memory = H5Tcreate(H5T_COMPOUND, H5Tget_size(type));
    assert_true(H5Tinsert(memory, member, 0, type) >= 0);
  }
  assert_true(H5Dread(d, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
  if (member) H5Tclose(memory);
  H5Dclose(d);
}

enum { TEXT = 32 };

static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, TEXT);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

static void test_hdf5_table_reads_back_exactly(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  write_sample(&s.result);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), type = text_type();
  assert_true(file >= 0);
  hid_t d = H5Dopen2(file, "data", H5P_DEFAULT), space = H5Dget_space(d);
  hsize_t size[2];
  assert_int_equal(H5Sget_simple_extent_dims(space, size, NULL), 2);
  assert_int_equal(size[0], SAMPLE_ROWS);
  assert_int_equal(size[1], SAMPLE_COLUMNS);
  H5Sclose(space);
  H5Dclose(d);
  double data[SAMPLE_ROWS * SAMPLE_COLUMNS];
  read_member(file, "data", NULL, H5T_NATIVE_DOUBLE, data);
  for (int i = 0; i < SAMPLE_ROWS * SAMPLE_COLUMNS; i++) {
    assert_true(same_number(data[i], s.row[i]));
  }
  char names[SAMPLE_COLUMNS][TEXT], units[SAMPLE_COLUMNS][TEXT];
  read_member(file, "names", NULL, type, names);
  read_member(file, "units", NULL, type, units);
  for (int i = 0; i < SAMPLE_COLUMNS; i++) {
    assert_string_equal(names[i], s.column[i].name);
    assert_string_equal(units[i], s.column[i].unit);
  }
  H5Tclose(type);
  H5Fclose(file);
}

static void test_hdf5_objectives_and_events_read_back(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  write_sample(&s.result);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), type = text_type();
  char name[SAMPLE_EVENTS][TEXT];
  double t[SAMPLE_EVENTS], psi;
  unsigned char on[SAMPLE_EVENTS];
  read_member(file, "objectives", "name", type, name);
  assert_string_equal(name[0], "psi");
  read_member(file, "objectives", "value", H5T_NATIVE_DOUBLE, &psi);
  assert_true(psi == 0.1);
  read_member(file, "events", "name", type, name);
  read_member(file, "events", "t", H5T_NATIVE_DOUBLE, t);
  read_member(file, "events", "on", H5T_NATIVE_UINT8, on);
  for (int i = 0; i < SAMPLE_EVENTS; i++) {
    assert_string_equal(name[i], s.event[i].name);
    assert_true(t[i] == s.event[i].t);
    assert_int_equal(on[i], s.event[i].on);
  }
  H5Tclose(type);
  H5Fclose(file);
}

static void test_hdf5_notes_are_attributes(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  write_sample(&s.result);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), type = text_type();
  const char* const name[] = {"model", "sha256", "settings", "jounce", "method"};
  const char* const value[] = {"sample", "0123", "k=3, name=\"v\"", JO_VERSION_STRING, "dopri5"};
  for (int i = 0; i < 5; i++) {
    char text[TEXT];
    hid_t a = H5Aopen(file, name[i], H5P_DEFAULT);
    assert_true(a >= 0 && H5Aread(a, type, text) >= 0);
    assert_string_equal(text, value[i]);
    H5Aclose(a);
  }
  int64_t steps = 0;
  hid_t a = H5Aopen(file, "steps", H5P_DEFAULT);
  assert_true(a >= 0 && H5Aread(a, H5T_NATIVE_INT64, &steps) >= 0);
  assert_int_equal(steps, 12);
  H5Aclose(a);
  H5Tclose(type);
  H5Fclose(file);
}

// Two files a second apart: HDF5 would stamp them with the time unless told not to.
static void test_hdf5_shows_no_clock(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  size_t na, nb;
  write_sample(&s.result);
  char* a = sample_read(path, &na);
  sleep(1);
  s.result.cpu *= 2.0;
  write_sample(&s.result);
  char* b = sample_read(path, &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(a, b, na);
  free(a);
  free(b);
}

static void test_hdf5_run_without_rows_makes_a_file(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  s.result.nrow = s.result.nevent = s.result.nobjective = 0;
  write_sample(&s.result);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  H5Fclose(file);
}

static void test_hdf5_failure_names_the_file(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jreport_hdf5(ctx, &s.result, "no/such/folder/a.h5"), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(ctx), "no/such/folder/a.h5"));
  fixture_close(f);
}

static void test_hdf5_survives_the_end_of_memory(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  for (long n = 1;; n++) {
    failing_alloc memory;
    failing_alloc_init(&memory, n);
    jo_context* ctx;
    assert_int_equal(jo_context_create(&memory.allocator, &ctx), JO_OK);
    jo_status status = jreport_hdf5(ctx, &s.result, path);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_hdf5_table_reads_back_exactly),
    cmocka_unit_test(test_hdf5_objectives_and_events_read_back),
    cmocka_unit_test(test_hdf5_notes_are_attributes),
    cmocka_unit_test(test_hdf5_shows_no_clock),
    cmocka_unit_test(test_hdf5_run_without_rows_makes_a_file),
    cmocka_unit_test(test_hdf5_failure_names_the_file),
    cmocka_unit_test(test_hdf5_survives_the_end_of_memory),
};

#else

static void test_hdf5_left_out_says_so(void** state) {
  (void)state;
  sample s;
  sample_init(&s);
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jreport_hdf5(ctx, &s.result, path), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(ctx), "HDF5"));
  fixture_close(f);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_hdf5_left_out_says_so)};

#endif

int main(void) {
  fixture* f = fixture_open();
  path = fixture_below(f, "test.h5");
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fixture_close(f);
  return failed;
}
