// SPDX-License-Identifier: Apache-2.0
// Journals: what was appended comes back, what was cut off or damaged does not, and no journal is
// taken for one of other work.
#include "base/system/journal.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "support/fixture.h"

#define RECORDS 9

typedef struct journals {
  fixture* base;
  jo_context* ctx;
  const char* path;
  int n;  // records read back
  jo_status refuse;
} journals;

static const uint8_t key[JJOURNAL_KEY] = "this work";
static const uint8_t other_key[JJOURNAL_KEY] = "other work";

static int setup(void** state) {
  journals* f = calloc(1, sizeof *f);
  f->base = fixture_open();
  f->ctx = f->base->ctx;
  f->path = fixture_below(f->base, "journal");
  *state = f;
  return 0;
}

static int teardown(void** state) {
  journals* f = *state;
  fixture_close(f->base);
  free(f);
  return 0;
}

// Where the content of record n lies: behind the header, n records of 0 ... n - 1 bytes and their heads, and its own.
static int64_t place_of(int n) {
  return 56 + 16 * (n + 1) + n * (n - 1) / 2;
}

// Record i is i times the byte i: the first is empty.
static jo_status check_record(void* user, const void* data, size_t size, int64_t at) {
  journals* f = user;
  assert_int_equal(at, place_of(f->n));
  assert_int_equal(size, f->n);
  for (size_t k = 0; k < size; k++) {
    assert_int_equal(((const uint8_t*)data)[k], f->n);
  }
  f->n++;
  return f->refuse;
}

static jo_status open_it(journals* f, const uint8_t* k, bool restart, jjournal** j) {
  jjournal_options o = {.path = f->path, .key = k, .restart = restart, .user = f};
  o.record = check_record;
  f->n = 0;
  jo_context_clear(f->ctx);
  return jjournal_open(f->ctx, &o, j);
}

static void append(journals* f, jjournal* j, int from, int to) {
  uint8_t data[RECORDS + 1];
  for (int i = from; i < to; i++) {
    memset(data, i, sizeof data);
    int64_t at = 0;
    assert_ok(f->ctx, jjournal_append(f->ctx, j, data, (size_t)i, &at));
    assert_int_equal(at, place_of(i));
    uint8_t back[RECORDS + 1];
    assert_ok(f->ctx, jjournal_read(f->ctx, j, at, back, (size_t)i));
    assert_memory_equal(back, data, (size_t)i);
  }
}

static void write_journal(journals* f, int n) {
  jjournal* j;
  unlink(f->path);
  assert_ok(f->ctx, open_it(f, key, false, &j));
  assert_int_equal(f->n, 0);
  append(f, j, 0, n);
  jjournal_close(j);
}

static long size_of(const journals* f) {
  FILE* file = fopen(f->path, "rb");
  if (!file) return -1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  return size;
}

static void test_journal_goes_on(void** state) {
  journals* f = *state;
  jjournal* j;
  write_journal(f, 4);
  assert_ok(f->ctx, open_it(f, key, false, &j));
  assert_int_equal(f->n, 4);
  append(f, j, 4, RECORDS);
  jjournal_close(j);
  assert_ok(f->ctx, open_it(f, key, false, &j));
  assert_int_equal(f->n, RECORDS);
  jjournal_forget(j);
  jjournal_close(j);
  assert_int_equal(size_of(f), -1);
}

// Cut anywhere, the whole records in front of the cut come back, and appending goes on behind them.
static void test_journal_cut_anywhere(void** state) {
  journals* f = *state;
  jjournal* j;
  write_journal(f, RECORDS);
  long size = size_of(f);
  int last = -1;
  for (long cut = 0; cut <= size; cut++) {
    write_journal(f, RECORDS);
    assert_int_equal(truncate(f->path, cut), 0);
    assert_ok(f->ctx, open_it(f, key, false, &j));
    int n = f->n;
    assert_true(n >= last);
    last = n;
    append(f, j, n, RECORDS);
    jjournal_close(j);
    assert_ok(f->ctx, open_it(f, key, false, &j));
    assert_int_equal(f->n, RECORDS);
    jjournal_close(j);
    assert_int_equal(size_of(f), size);
  }
  assert_int_equal(last, RECORDS);
}

// A flipped bit behind the header takes away its record and those behind it, never more.
static void test_journal_damaged_record(void** state) {
  journals* f = *state;
  jjournal* j;
  write_journal(f, RECORDS);
  long size = size_of(f), header = size - RECORDS * 16 - RECORDS * (RECORDS - 1) / 2;
  for (long at = header; at < size; at++) {
    write_journal(f, RECORDS);
    FILE* file = fopen(f->path, "r+b");
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 4, file);
    fclose(file);
    assert_ok(f->ctx, open_it(f, key, false, &j));
    assert_true(f->n < RECORDS);
    jjournal_close(j);
  }
}

static void test_journal_of_other_work(void** state) {
  journals* f = *state;
  jjournal* j;
  write_journal(f, 3);
  assert_int_equal(open_it(f, other_key, false, &j), JO_ERR_FILE);
  assert_null(j);
  assert_non_null(strstr(jo_context_message(f->ctx), f->path));
  assert_ok(f->ctx, open_it(f, key, false, &j));
  assert_int_equal(f->n, 3);
  jjournal_close(j);
  assert_ok(f->ctx, open_it(f, other_key, true, &j));
  assert_int_equal(f->n, 0);
  jjournal_close(j);
  assert_int_equal(open_it(f, key, false, &j), JO_ERR_FILE);
}

// A file that is no journal is never touched.
static void test_journal_foreign_file(void** state) {
  journals* f = *state;
  jjournal* j;
  FILE* file = fopen(f->path, "w");
  fputs("my thesis", file);
  fclose(file);
  assert_int_equal(open_it(f, key, false, &j), JO_ERR_FILE);
  assert_int_equal(open_it(f, key, true, &j), JO_ERR_FILE);
  assert_int_equal(size_of(f), 9);
}

static void test_journal_belongs_to_one_process(void** state) {
  journals* f = *state;
  jjournal* j;
  write_journal(f, 2);
  assert_ok(f->ctx, open_it(f, key, false, &j));
  pid_t child = fork();
  if (child == 0) {
    jjournal* mine;
    _exit(open_it(f, key, false, &mine) == JO_ERR_FILE ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  jjournal_close(j);
}

static void test_journal_refused_record_is_an_error(void** state) {
  journals* f = *state;
  jjournal* j;
  write_journal(f, 2);
  f->refuse = JO_ERR_MEMORY;
  assert_int_equal(open_it(f, key, false, &j), JO_ERR_MEMORY);
  assert_null(j);
}

static void test_journal_is_no_link_and_no_standard_file(void** state) {
  journals* f = *state;
  jjournal* j;
  char target[300];
  snprintf(target, sizeof target, "%s.target", f->path);
  assert_int_equal(symlink(target, f->path), 0);
  assert_int_equal(open_it(f, key, false, &j), JO_ERR_FILE);
  assert_int_equal(access(target, F_OK), -1);
  unlink(f->path);

  int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  jo_status status = open_it(f, key, false, &j);
  dup2(kept, STDIN_FILENO);
  close(kept);
  assert_int_equal(status, JO_OK);
  assert_true(j->fd > STDERR_FILENO);
  jjournal_close(j);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_journal_goes_on, setup, teardown),
      cmocka_unit_test_setup_teardown(test_journal_cut_anywhere, setup, teardown),
      cmocka_unit_test_setup_teardown(test_journal_damaged_record, setup, teardown),
      cmocka_unit_test_setup_teardown(test_journal_of_other_work, setup, teardown),
      cmocka_unit_test_setup_teardown(test_journal_foreign_file, setup, teardown),
      cmocka_unit_test_setup_teardown(test_journal_belongs_to_one_process, setup, teardown),
      cmocka_unit_test_setup_teardown(test_journal_is_no_link_and_no_standard_file, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_journal_refused_record_is_an_error, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
