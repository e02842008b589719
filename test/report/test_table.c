// SPDX-License-Identifier: Apache-2.0
// Tables: both formats hold the same notes, names, numbers and remarks.
#include "report/format/table.h"

#include <unistd.h>

#include "base/system/file.h"
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

// ---- rows that are read --------------------------------------------------------------------------

enum { MANY = 10000, WIDE = 5 };

// Cell of a table of any length.
static double cell(int row, int column) {
  return row * 10.0 + column + 1.0 / (row + 1);
}

typedef struct rows_of {
  jo_context* ctx;
  int fail_at, next;
} rows_of;

static jo_status give_rows(void* user, int first, int n, double* row) {
  rows_of* r = user;
  assert_int_equal(first, r->next);
  r->next += n;
  for (int k = 0; k < n * WIDE; k++) {
    row[k] = cell(first + k / WIDE, k % WIDE);
  }
  return first > r->fail_at ? jerr_set(r->ctx, JO_ERR_FILE, "the tape is torn") : JO_OK;
}

static double* read_all(fixture* f, hid_t file, const char* name, size_t n) {
  double* x = JARENA_ARRAY(&f->a, (int)n, double);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(set >= 0);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  hid_t create = H5Dget_create_plist(set);
  assert_int_equal(H5Pget_layout(create), H5D_CHUNKED);
  H5Pclose(create);
  H5Dclose(set);
  return x;
}

// Names and arrays are those of tables in memory, and a file that is not whole does not appear.
static void test_table_hdf5_of_rows_that_are_read(void** state) {
  fixture* f = *state;
  const jplant_quantity column[WIDE] = {{.name = "a", .unit = "", .description = ""},
                                        {.name = "b", .unit = "m", .description = ""},
                                        {.name = "c", .unit = "", .description = ""},
                                        {.name = "d", .unit = "", .description = ""},
                                        {.name = "e", .unit = "", .description = ""}};
  const jreport_list list[] = {{"objectives", NULL, column, 1, false},
                               {"wrt", NULL, column, 3, false}};
  const jreport_array array = {"gradient", "", 3, {-1, 0, 1}, {MANY, 1, 3}, NULL, WIDE, 2};
  rows_of user = {.ctx = f->ctx, .fail_at = MANY};
  jreport_table long_one = table;
  long_one.column = column;
  long_one.ncolumn = WIDE;
  long_one.nrow = MANY;
  long_one.row = NULL;
  long_one.read = give_rows;
  long_one.user = &user;
  long_one.list = list;
  long_one.nlist = 2;
  long_one.array = &array;
  long_one.narray = 1;
  const char *path = fixture_below(f, "long.h5"), *again = fixture_below(f, "again.h5");
  char *bytes, *other;
  size_t size, other_size;
  assert_ok(f->ctx, jreport_table_hdf5(f->ctx, &long_one, path));
  user.next = 0;
  assert_ok(f->ctx, jreport_table_hdf5(f->ctx, &long_one, again));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, 1 << 24, &bytes, &size));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, again, 1 << 24, &other, &other_size));
  assert_int_equal(size, other_size);
  assert_memory_equal(bytes, other, size);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  const double* data = read_all(f, file, "data", MANY * WIDE);
  const double* b = read_all(f, file, "columns/b", MANY);
  const double* gradient = read_all(f, file, "gradient", MANY * 3);
  for (int i = 0; i < MANY; i++) {
    for (int k = 0; k < WIDE; k++) {
      assert_true(data[i * WIDE + k] == cell(i, k));
    }
    assert_true(b[i] == cell(i, 1));
    for (int k = 0; k < 3; k++) {
      assert_true(gradient[3 * i + k] == cell(i, 2 + k));
    }
  }
  H5Fclose(file);
  user = (rows_of){.ctx = f->ctx, .fail_at = 5000};
  assert_refused(f->ctx, jreport_table_hdf5(f->ctx, &long_one, fixture_below(f, "torn.h5")),
                 JO_ERR_FILE, "torn");
  assert_false(jfile_exists(fixture_below(f, "torn.h5")));
  assert_false(jfile_exists(fixture_below(f, "torn.h5.part")));
  jo_context_clear(f->ctx);
}

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

static void test_table_hdf5_holds_columns_of_texts(void** state) {
  fixture* f = *state;
  static const char* const text[] = {"left", "q\u00fcr"};
  const jo_column words = {"side/of", "", "where it is", .text = text, .stride = 1};
  jreport_table with_texts = table;
  with_texts.text = &words;
  with_texts.ntext = 1;
  assert_ok(f->ctx, jreport_table_hdf5(f->ctx, &with_texts, fixture_below(f, "table")));
  hid_t file = H5Fopen(fixture_below(f, "table"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "columns/side|of", H5P_DEFAULT), type = H5Dget_type(set);
  assert_int_equal(H5Tget_size(type), 4);
  char got[2][4];
  assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
  assert_memory_equal(got, "leftq\u00fcr", 8);
  H5Tclose(type);
  H5Dclose(set);
  // numbers stand beside them as without
  double data[6];
  set = H5Dopen2(file, "data", H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  assert_near(data[3], rows[3], 0.0);
  H5Dclose(set);
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
#ifdef JOUNCE_WITH_HDF5
      fixture_test(test_table_hdf5_of_rows_that_are_read),
      fixture_test(test_table_hdf5_holds_columns_of_texts),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
