// SPDX-License-Identifier: Apache-2.0
// Tables: both formats hold the same notes, names, numbers and remarks.
#include "report/table.h"

#include <unistd.h>

#include "base/file.h"
#include "support/fixture.h"

#ifdef JOUNCE_WITH_HDF5
#include <hdf5.h>
#endif

static const jreport_note notes[] = {
    {.name = "model", .unit = "", .kind = JREPORT_TEXT, .text = "two\nlines"},
    {.name = "t_end", .unit = "s", .kind = JREPORT_REAL, .real = 0.1},
    {.name = "points", .unit = "", .kind = JREPORT_COUNT, .count = 2}};
static const jplant_quantity columns[] = {{.name = "k", .unit = "N/m", .description = ""},
                                          {.name = "a, b", .unit = "", .description = ""},
                                          {.name = "psi", .unit = "m", .description = ""}};
static const double rows[] = {0.1, -8, NAN, 1e300, 0, -1.0 / 3.0};
static const jreport_remark remarks[] = {{0, "does not\nclose"}};
static const jreport_table table = {.note = notes,
                                    .nnote = 3,
                                    .column = columns,
                                    .ncolumn = 3,
                                    .nrow = 2,
                                    .row = rows,
                                    .remark = remarks,
                                    .nremark = 1};

static void test_table_csv(void** state) {
  fixture* f = *state;
  char* text;
  size_t size;
  assert_ok(f->ctx, jreport_table_csv(f->ctx, &table, fixture_below(f, "table")));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, fixture_below(f, "table"), 1 << 20, &text, &size));
  assert_string_equal(text,
                      "# model: two lines\n"
                      "# t_end: 0.10000000000000001 s\n"
                      "# points: 2\n"
                      "# row 0: does not close\n"
                      "k,\"a, b\",psi\n"
                      "N/m,,m\n"
                      "0.10000000000000001,-8,nan\n"
                      "1.0000000000000001e+300,0,-0.33333333333333331\n");
}

#ifdef JOUNCE_WITH_HDF5

static void test_table_hdf5(void** state) {
  fixture* f = *state;
  assert_ok(f->ctx, jreport_table_hdf5(f->ctx, &table, fixture_below(f, "table")));
  hid_t file = H5Fopen(fixture_below(f, "table"), H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  double data[6];
  hid_t set = H5Dopen2(file, "data", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  assert_memory_equal(data, rows, sizeof rows);
  H5Dclose(set);
  // the remark, read by the names of its members
  typedef struct record {
    int row;
    char text[32];
  } record;
  record remark = {-1, ""};
  hid_t string = H5Tcopy(H5T_C_S1), type = H5Tcreate(H5T_COMPOUND, sizeof remark);
  H5Tset_size(string, sizeof remark.text);
  H5Tset_cset(string, H5T_CSET_UTF8);
  H5Tinsert(type, "row", offsetof(record, row), H5T_NATIVE_INT);
  H5Tinsert(type, "text", offsetof(record, text), string);
  set = H5Dopen2(file, "remarks", H5P_DEFAULT);
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &remark) >= 0);
  assert_int_equal(remark.row, 0);
  assert_string_equal(remark.text, "does not\nclose");
  H5Dclose(set);
  H5Tclose(type);
  H5Tclose(string);
  int64_t points = 0;
  hid_t note = H5Aopen(file, "points", H5P_DEFAULT);
  assert_true(H5Aread(note, H5T_NATIVE_INT64, &points) >= 0);
  assert_int_equal(points, 2);
  H5Aclose(note);
  H5Fclose(file);
}

#else

static void test_table_hdf5(void** state) {
  fixture* f = *state;
  assert_int_equal(jreport_table_hdf5(f->ctx, &table, fixture_below(f, "table")), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(f->ctx), "without HDF5"));
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_table_csv),
      fixture_test(test_table_hdf5),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
