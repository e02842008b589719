// SPDX-License-Identifier: Apache-2.0
// All formats of results with names that try to break them: files keep their structure, names are allowed
// ones and different, numbers come back, and the same table gives the same bytes.
#include "jounce/formats.h"

#include <math.h>

#include "report/format/table.h"
#include "report/plot/link.h"
#include "report/sample.h"
#include "support/failing_alloc.h"

#ifdef JOUNCE_WITH_HDF5
#include <hdf5.h>
#include <hdf5_hl.h>
#endif

enum { NCOLUMN = 13, NROW = 5, LONG = 5000 };

static char long_name[LONG + 1];
static const char* const hostile[NCOLUMN] = {"t",
                                             "a/b",
                                             "a|b",
                                             ".",
                                             "",
                                             "end",
                                             "\xc3\x9cn\xc3\xaf \xf0\x9f\x9a\x97",
                                             "q\"',;\n\t#",
                                             long_name,
                                             "x",
                                             "x",
                                             "x",
                                             "not \xff utf-8"};

typedef struct hard {
  jreport_note note[2];
  jplant_quantity column[NCOLUMN];
  double row[NROW * NCOLUMN];
  jplant_event event[2];
  jreport_list list[2];
  jreport_array array;
  double gradient[2 * NCOLUMN];
  jreport_table table;
} hard;

static void hard_init(hard* h) {
  for (int i = 0; i < LONG; i += 2) {
    memcpy(long_name + i, "\xc3\xa9", 2);
  }
  *h = (hard){.note = {{"model", "", JREPORT_TEXT, "two\nlines \"\xf0\x9f\x9a\x97\"", 0.0, 0},
                       {"steps", "", JREPORT_COUNT, "", 0.0, 12}},
              .event = {{0.1, long_name, true}, {0.2, "", false}}};
  for (int i = 0; i < NCOLUMN; i++) {
    h->column[i] = (jplant_quantity){hostile[i], i % 2 ? hostile[NCOLUMN - i] : "", hostile[i], i};
  }
  for (int i = 0; i < NROW * NCOLUMN; i++) {
    int k = i % NCOLUMN;
    h->row[i] = k == 0 ? 0.1 * (i / NCOLUMN) : sin(0.7 * i) * pow(10.0, k - 6);
  }
  for (int i = 0; i < 2 * NCOLUMN; i++) {
    h->gradient[i] = i;
  }
  h->list[0] = (jreport_list){"objectives", "objective", h->column, 2, true};
  h->list[1] = (jreport_list){"parameters", NULL, h->column, NCOLUMN, false};
  h->array = (jreport_array){"gradient", "", 2, {0, 1}, {2, NCOLUMN}, h->gradient, NCOLUMN, 0};
  h->table = (jreport_table){.note = h->note,
                             .nnote = 2,
                             .column = h->column,
                             .ncolumn = NCOLUMN,
                             .nrow = NROW,
                             .row = h->row,
                             .has_time = true,
                             .list = h->list,
                             .nlist = 2,
                             .array = &h->array,
                             .narray = 1,
                             .event = h->event,
                             .nevent = 2,
                             .has_events = true};
}

static char* save(fixture* f, const jreport_table* t, const char* name, size_t* size) {
  const char* path = fixture_below(f, name);
  assert_ok(f->ctx, jreport_save(f->ctx, t, path));
  return sample_read(path, size);
}

// ---- names ---------------------------------------------------------------------------------------

static void check_names(fixture* f, jreport_link_rule rule, const char* const* wanted) {
  jreport_link link;
  const char* given[NCOLUMN];
  jreport_link_begin(&link, &f->a, NCOLUMN, rule);
  for (int i = 0; i < NCOLUMN; i++) {
    given[i] = jreport_link_name(&link, hostile[i]);
    assert_non_null(given[i]);
    assert_true(strlen(given[i]) > 0 && strlen(given[i]) <= rule.longest);
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(given[i], given[k]);
    }
    if (wanted[i]) assert_string_equal(given[i], wanted[i]);
  }
}

static void test_formats_names_are_allowed_and_different(void** state) {
  hard h;
  hard_init(&h);
  static const char* const hdf5[NCOLUMN] = {"t",
                                            "a|b",
                                            "a|b_2",
                                            "_",
                                            "__2",
                                            "end",
                                            "\xc3\x9cn\xc3\xaf \xf0\x9f\x9a\x97",
                                            "q\"',;\n\t#",
                                            NULL,
                                            "x",
                                            "x_2",
                                            "x_3",
                                            "not \xff utf-8"};
  static const char* const matlab[NCOLUMN] = {"t",    "a_b",    "a_b_2",      "x_", "x",
                                              "end_", "x_n___", "q_______",   NULL, "x_2",
                                              "x_3",  "x_4",    "not___utf_8"};
  check_names(*state, jreport_link_hdf5, hdf5);
  check_names(*state, jreport_link_matlab, matlab);
}

static void test_formats_many_equal_names(void** state) {
  fixture* f = *state;
  jreport_link link;
  jreport_link_begin(&link, &f->a, 20000, jreport_link_matlab);
  const char* last = NULL;
  for (int i = 0; i < 20000; i++) {
    last = jreport_link_name(&link, "same");
  }
  assert_string_equal(last, "same_20000");
}

// ---- MAT -----------------------------------------------------------------------------------------

static uint32_t word(const char* at) {
  const unsigned char* b = (const unsigned char*)at;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// Elements one after the other, and within variables; they end where what holds them ends.
static int walk(const char* at, const char* end) {
  int n = 0;
  while (at < end) {
    assert_true(end - at >= 8);
    uint32_t type = word(at), size = word(at + 4);
    n++;
    if (type >> 16) {  // of one word
      assert_true(type >> 16 <= 4);
      at += 8;
      continue;
    }
    assert_true(type == 1 || type == 2 || (type >= 4 && type <= 6) || type == 9 || type == 14 ||
                type == 17);
    assert_true(size <= (size_t)(end - at - 8));
    if (type == 14) n += walk(at + 8, at + 8 + size);
    at += 8 + (size + 7) / 8 * 8;
  }
  assert_true(at == end);
  return n;
}

static void test_formats_mat_is_made_of_whole_elements(void** state) {
  hard h;
  hard_init(&h);
  size_t size;
  char* data = save(*state, &h.table, "hard.mat", &size);
  assert_memory_equal(data, "MATLAB 5.0 MAT-file", 19);
  assert_memory_equal(data + 116, "\0\0\0\0\0\0\0\0\0\1IM", 12);
  assert_true(walk(data + 128, data + size) > 100);
  free(data);
}

// ---- RPC III -------------------------------------------------------------------------------------

static const char* parameter(const char* data, const char* keyword) {
  for (int i = 0; i < 1024; i++) {
    if (strcmp(data + 128 * i, keyword) == 0) return data + 128 * i + 32;
  }
  fail_msg("there is no %s", keyword);
  return NULL;
}

static int sample_of(const char* data, int nchannel, int channel, int i) {
  int header = 512 * atoi(parameter(data, "NUM_HEADER_BLOCKS"));
  const char* at = data + header + 2 * ((i / 2048 * nchannel + channel) * 2048 + i % 2048);
  return (int16_t)((unsigned char)at[0] | (unsigned char)at[1] << 8);
}

static void test_formats_rpc_holds_the_samples(void** state) {
  hard h;
  hard_init(&h);
  size_t size;
  char *data = save(*state, &h.table, "hard.rsp", &size), keyword[32];
  int n = NCOLUMN - 1;
  assert_memory_equal(data, "FORMAT", 7);
  assert_int_equal(atoi(parameter(data, "CHANNELS")), n);
  assert_int_equal(size, 512 * atoi(parameter(data, "NUM_HEADER_BLOCKS")) + 2 * 2048 * n);
  assert_true(fabs(atof(parameter(data, "DELTA_T")) - 0.1) < 1e-15);
  for (int k = 0; k < n; k++) {
    snprintf(keyword, sizeof keyword, "SCALE.CHAN_%d", k + 1);
    double scale = atof(parameter(data, keyword)), peak = 0.0;
    for (int i = 0; i < NROW; i++) {
      double v = h.row[i * NCOLUMN + 1 + k];
      peak = fmax(peak, fabs(v));
      assert_true(fabs(scale * sample_of(data, n, k, i) - v) <= 0.5001 * scale);
    }
    // resolution: 1/32752 of the largest value
    assert_true(fabs(scale * 32752.0 / peak - 1.0) < 1e-9);
    // what fills the last frame is the last sample
    assert_int_equal(sample_of(data, n, k, 2047), sample_of(data, n, k, NROW - 1));
    snprintf(keyword, sizeof keyword, "DESC.CHAN_%d", k + 1);
    const char* name = parameter(data, keyword);
    assert_true(strlen(name) < 96);
    for (const char* c = name; *c; c++) {
      assert_true(*c >= ' ' && *c < 127);
    }
  }
  free(data);
}

// Rows that lie on multiples of the smallest step are kept, those between are interpolated.
static void test_formats_rpc_fills_coarse_stretches(void** state) {
  fixture* f = *state;
  const jplant_quantity column[2] = {{"t", "s", "", 0.0}, {"F", "N", "", 0.0}};
  const double row[] = {0.0, 0.0, 0.5, 10.0, 0.6, 32.752, 0.7, NAN, 1.0, 0.0};
  jreport_table t = {.column = column, .ncolumn = 2, .nrow = 5, .row = row, .has_time = true};
  size_t size;
  char* data = save(f, &t, "even.rsp", &size);
  assert_non_null(strstr(jo_context_diagnostic(f->ctx, 0, NULL), "not finite"));
  assert_string_equal(parameter(data, "SAMPLES"), "11");
  static const int wanted[] = {0, 2000, 4000, 6000, 8000, 10000, 32752, 0};
  for (int i = 0; i < 8; i++) {
    assert_int_equal(sample_of(data, 1, 0, i), wanted[i]);
  }
  free(data);
}

static void test_formats_rpc_says_what_is_lost(void** state) {
  fixture* f = *state;
  static jplant_quantity column[301];
  static double row[3 * 301];
  for (int i = 0; i < 301; i++) {
    column[i] = (jplant_quantity){"c", "", "", 0.0};
    row[2 * 301 + i] = i == 0 ? 2.0 : 1.0;
  }
  row[301] = sqrt(2.0);
  jreport_table t = {.column = column, .ncolumn = 301, .nrow = 3, .row = row, .has_time = true};
  size_t size;
  char* data = save(f, &t, "many.rsp", &size);
  assert_string_equal(parameter(data, "CHANNELS"), "128");
  assert_true(atoi(parameter(data, "NUM_PARAMS")) <= 1024);
  free(data);
  assert_non_null(strstr(jo_context_diagnostic(f->ctx, 0, NULL), "172 of the columns"));
  assert_non_null(strstr(jo_context_diagnostic(f->ctx, 1, NULL), "no multiple of the step"));
  // one time has no step
  t.nrow = 1;
  assert_int_equal(jreport_save(f->ctx, &t, fixture_below(f, "one.rsp")), JO_ERR_ARGUMENT);
}

// ---- HDF5 ----------------------------------------------------------------------------------------

#ifdef JOUNCE_WITH_HDF5

static void check_text(hid_t set, const char* name, const char* wanted) {
  char* text = NULL;
  hid_t a = H5Aopen(set, name, H5P_DEFAULT), type = H5Aget_type(a);
  assert_true(H5Aread(a, type, &text) >= 0);
  assert_string_equal(text, wanted);
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(a);
}

static void test_formats_hdf5_columns_have_their_time(void** state) {
  fixture* f = *state;
  hard h;
  hard_init(&h);
  jreport_link link;
  jreport_link_begin(&link, &f->a, NCOLUMN, jreport_link_hdf5);
  size_t size;
  free(save(f, &h.table, "hard.h5", &size));
  hid_t file = H5Fopen(fixture_below(f, "hard.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t group = H5Gopen2(file, "columns", H5P_DEFAULT), time = H5Dopen2(group, "t", H5P_DEFAULT);
  assert_int_equal(H5DSis_scale(time), 1);
  for (int i = 0; i < NCOLUMN; i++) {
    double value[NROW];
    hid_t set = H5Dopen2(group, jreport_link_name(&link, hostile[i]), H5P_DEFAULT);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    for (int k = 0; k < NROW; k++) {
      assert_true(same_number(value[k], h.row[k * NCOLUMN + i]));
    }
    check_text(set, "name", hostile[i]);
    check_text(set, "units", h.column[i].unit);
    if (i > 0) assert_int_equal(H5DSis_attached(set, time, 0), 1);
    H5Dclose(set);
  }
  hid_t gradient = H5Dopen2(file, "gradient", H5P_DEFAULT);
  assert_int_equal(H5DSget_num_scales(gradient, 0), 1);
  assert_int_equal(H5DSget_num_scales(gradient, 1), 1);
  H5Dclose(gradient);
  H5Dclose(time);
  H5Gclose(group);
  H5Fclose(file);
}

#endif

// ---- all of them ---------------------------------------------------------------------------------

#define ENDING(ending, writer) ending,
static const char* const endings[] = {JO_TABLE_FORMATS(ENDING) JO_HISTORY_FORMATS(ENDING)};

static bool is_built(const char* ending) {
#ifdef JOUNCE_WITH_HDF5
  (void)ending;
  return true;
#else
  return strcmp(ending, ".h5") != 0 && strcmp(ending, ".hdf5") != 0;
#endif
}

static void test_formats_same_table_same_bytes(void** state) {
  hard h;
  hard_init(&h);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    char name[2][32];
    size_t n[2];
    if (!is_built(endings[i])) continue;
    snprintf(name[0], sizeof name[0], "one%s", endings[i]);
    snprintf(name[1], sizeof name[1], "two%s", endings[i]);
    char *a = save(*state, &h.table, name[0], &n[0]), *b = save(*state, &h.table, name[1], &n[1]);
    assert_true(n[0] > 1000 && n[0] == n[1]);
    assert_memory_equal(a, b, n[0]);
    free(a);
    free(b);
  }
}

static void test_formats_survive_the_end_of_memory(void** state) {
  hard h;
  hard_init(&h);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    if (!is_built(endings[i])) continue;
    char name[32];
    snprintf(name, sizeof name, "oom%s", endings[i]);
    const char* path = fixture_below(*state, name);
    for (long n = 1;; n++) {
      failing_alloc memory;
      failing_alloc_init(&memory, n);
      jo_context* ctx;
      assert_int_equal(jo_context_create(&memory.allocator, &ctx), JO_OK);
      jo_status status = jreport_save(ctx, &h.table, path);
      jo_context_destroy(ctx);
      assert_int_equal(memory.live_bytes, 0);
      if (status >= 0) break;
      assert_int_equal(status, JO_ERR_MEMORY);
    }
  }
}

static void test_formats_unknown_ending_lists_the_known(void** state) {
  fixture* f = *state;
  hard h;
  hard_init(&h);
  assert_int_equal(jreport_save(f->ctx, &h.table, "a.xls"), JO_ERR_ARGUMENT);
  assert_string_equal(jo_context_message(f->ctx),
                      "a.xls: cannot tell the format: the name must end in .csv, .h5, .hdf5, .mat, "
                      ".nc or .rsp");
  jo_context_clear(f->ctx);
  // what is no history does not go into a format of histories
  h.table.has_time = false;
  assert_int_equal(jreport_save(f->ctx, &h.table, "a.rsp"), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), ".mat or .nc"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_formats_names_are_allowed_and_different),
      fixture_test(test_formats_many_equal_names),
      fixture_test(test_formats_mat_is_made_of_whole_elements),
      fixture_test(test_formats_rpc_holds_the_samples),
      fixture_test(test_formats_rpc_fills_coarse_stretches),
      fixture_test(test_formats_rpc_says_what_is_lost),
#ifdef JOUNCE_WITH_HDF5
      fixture_test(test_formats_hdf5_columns_have_their_time),
#endif
      fixture_test(test_formats_same_table_same_bytes),
      fixture_test(test_formats_survive_the_end_of_memory),
      fixture_test(test_formats_unknown_ending_lists_the_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
