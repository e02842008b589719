// SPDX-License-Identifier: Apache-2.0
// Files are read whole, replaced whole, and cached only where nobody else can write.
#include "base/system/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fixture.h"

#define LIMIT ((size_t)1 << 20)

// What is asked of the disk, in order, in place of the C library's: f file synced, d folder synced,
// r renamed.
static char asked[64];
static bool listens;

static void ask(char what) {
  size_t n = listens ? strlen(asked) : sizeof asked;
  if (n + 1 < sizeof asked) asked[n] = what;
}

int fsync(int fd) {
  struct stat st;
  ask(fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) ? 'd' : 'f');
  return fdatasync(fd);
}

int rename(const char* from, const char* to) {
  ask('r');
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static int count_entries(const char* path) {
  DIR* dir = opendir(path);
  assert_non_null(dir);
  int n = 0;
  while (readdir(dir)) {
    n++;
  }
  closedir(dir);
  return n - 2;
}

static void test_file_read_returns_what_was_written(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "data");
  char data[70000];
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = (char)(i * i >> 3);
  }
  for (size_t n = 0; n <= sizeof data; n = n * 3 + 1) {
    assert_ok(x->ctx, jfile_write(x->ctx, path, data, n));
    char* back = NULL;
    size_t size = 1;
    assert_ok(x->ctx, jfile_read(x->ctx, &x->a, path, LIMIT, &back, &size));
    assert_int_equal(size, n);
    assert_memory_equal(back, data, n);
    assert_int_equal(back[size], '\0');
  }
  assert_int_equal(count_entries(fixture_dir(x)), 1);
}

static void test_file_read_errors_name_path_and_reason(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "missing");
  char* data = NULL;
  size_t size = 0;
  assert_int_equal(jfile_read(x->ctx, &x->a, path, LIMIT, &data, &size), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), path));
  assert_non_null(strstr(jo_context_message(x->ctx), "No such file"));
  assert_int_equal(jfile_read(x->ctx, &x->a, fixture_dir(x), LIMIT, &data, &size), JO_ERR_FILE);
  assert_null(data);
}

static void test_file_read_refuses_large_files_and_pipes(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "big");
  assert_ok(x->ctx, jfile_write(x->ctx, path, "12345", 5));
  char* data = NULL;
  size_t size = 0;
  assert_int_equal(jfile_read(x->ctx, &x->a, path, 4, &data, &size), JO_ERR_LIMIT);
  assert_ok(x->ctx, jfile_read(x->ctx, &x->a, path, 5, &data, &size));
  const char* pipe_path = fixture_below(x, "pipe");
  assert_int_equal(mkfifo(pipe_path, 0600), 0);
  assert_int_equal(jfile_read(x->ctx, &x->a, pipe_path, LIMIT, &data, &size), JO_ERR_FILE);
  assert_int_equal(jfile_write(x->ctx, pipe_path, "x", 1), JO_ERR_FILE);
}

static void test_file_write_failure_leaves_nothing_behind(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "folder/file");
  assert_int_equal(jfile_write(x->ctx, path, "x", 1), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), path));
  const char* taken = fixture_below(x, "taken");
  assert_ok(x->ctx, jfile_make_dirs(x->ctx, taken));
  assert_int_equal(jfile_write(x->ctx, taken, "x", 1), JO_ERR_FILE);
  assert_int_equal(count_entries(fixture_dir(x)), 1);
  rmdir(taken);
}

enum { RECORD = 40000, ROUNDS = 60, WRITERS = 3 };

typedef struct writer {
  const char* path;
  char letter;
  jo_status status;
} writer;

static void* write_rounds(void* argument) {
  writer* w = argument;
  jo_context* ctx = NULL;
  w->status = jo_context_create(NULL, &ctx);
  static const size_t size = RECORD;
  char* data = malloc(size);
  if (data) memset(data, w->letter, size);
  for (int i = 0; data && i < ROUNDS && w->status == JO_OK; i++) {
    w->status = jfile_write(ctx, w->path, data, size);
  }
  free(data);
  jo_context_destroy(ctx);
  return NULL;
}

static void test_file_concurrent_writers_never_show_half_a_file(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "shared");
  writer w[WRITERS];
  pthread_t thread[WRITERS];
  for (int i = 0; i < WRITERS; i++) {
    w[i] = (writer){.path = path, .letter = (char)('a' + i)};
  }
  write_rounds(&w[0]);  // there is a file before anyone reads
  for (int i = 0; i < WRITERS; i++) {
    assert_int_equal(pthread_create(&thread[i], NULL, write_rounds, &w[i]), 0);
  }
  int torn = 0, failed = 0;
  for (int i = 0; i < 2 * ROUNDS; i++) {
    jarena_mark mark = jarena_save(&x->a);
    char* data = NULL;
    size_t size = 0;
    failed += jfile_read(x->ctx, &x->a, path, LIMIT, &data, &size) != JO_OK;
    torn += data && (size != RECORD || memchr(data, 0, size) || data[0] != data[size - 1]);
    jarena_restore(&x->a, mark);
  }
  for (int i = 0; i < WRITERS; i++) {
    pthread_join(thread[i], NULL);
    assert_int_equal(w[i].status, JO_OK);
  }
  assert_int_equal(torn, 0);
  assert_int_equal(failed, 0);
  assert_int_equal(count_entries(fixture_dir(x)), 1);
}

static void test_file_make_dirs_makes_parents_and_is_repeatable(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "a/b//c/");
  assert_ok(x->ctx, jfile_make_dirs(x->ctx, path));
  assert_ok(x->ctx, jfile_make_dirs(x->ctx, path));
  assert_true(jfile_exists(fixture_below(x, "a/b/c")));
  assert_ok(x->ctx, jfile_write(x->ctx, fixture_below(x, "plain"), "", 0));
  const char* blocked = fixture_below(x, "plain/sub");
  assert_int_equal(jfile_make_dirs(x->ctx, blocked), JO_ERR_FILE);
  assert_int_equal(jfile_make_dirs(x->ctx, ""), JO_ERR_FILE);
  rmdir(fixture_below(x, "a/b/c"));
  rmdir(fixture_below(x, "a/b"));
  rmdir(fixture_below(x, "a"));
}

static mode_t mode_of(const char* path) {
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  return st.st_mode & 0777;
}

static void test_file_cache_dir_follows_the_variables(void** state) {
  fixture* x = *state;
  const char* path = NULL;
  setenv("JOUNCE_CACHE_DIR", fixture_below(x, "own"), 1);
  assert_ok(x->ctx, jfile_cache_dir(x->ctx, &x->a, &path));
  assert_string_equal(path, fixture_below(x, "own"));
  assert_false(jfile_exists(path));

  unsetenv("JOUNCE_CACHE_DIR");
  setenv("XDG_CACHE_HOME", fixture_dir(x), 1);
  assert_ok(x->ctx, jfile_cache_dir(x->ctx, &x->a, &path));
  assert_string_equal(path, fixture_below(x, "jounce"));

  setenv("XDG_CACHE_HOME", "not/absolute", 1);
  setenv("HOME", fixture_dir(x), 1);
  assert_ok(x->ctx, jfile_cache_dir(x->ctx, &x->a, &path));
  assert_string_equal(path, fixture_below(x, ".cache/jounce"));

  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  assert_int_equal(jfile_cache_dir(x->ctx, &x->a, &path), JO_ERR_FILE);
}

static void test_file_private_folders_are_private_whatever_the_umask(void** state) {
  fixture* x = *state;
  mode_t before = umask(0);
  assert_ok(x->ctx, jfile_make_private(x->ctx, fixture_below(x, "p/q")));
  assert_ok(x->ctx, jfile_make_private(x->ctx, fixture_below(x, "p/q")));
  umask(before);
  assert_int_equal(mode_of(fixture_below(x, "p")), 0700);
  assert_int_equal(mode_of(fixture_below(x, "p/q")), 0700);
  int fd = -1;
  assert_ok(x->ctx, jfile_open_private(x->ctx, fixture_below(x, "p/q"), &fd));
  close(fd);
  assert_int_equal(symlink("p/q", fixture_below(x, "link")), 0);
  assert_int_equal(jfile_open_private(x->ctx, fixture_below(x, "link"), &fd), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), "is a link"));
  rmdir(fixture_below(x, "p/q"));
  rmdir(fixture_below(x, "p"));
}

static void test_file_private_folders_are_refused_where_others_may_write(void** state) {
  fixture* x = *state;
  const char* dir = fixture_below(x, "open");
  const mode_t modes[] = {0777, 0722, 0720, 0702, 01777};
  assert_int_equal(mkdir(dir, 0700), 0);
  int fd = -1;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    assert_int_equal(chmod(dir, modes[i]), 0);
    jo_context_clear(x->ctx);
    assert_int_equal(jfile_open_private(x->ctx, dir, &fd), JO_ERR_FILE);
    assert_int_equal(fd, -1);
    assert_non_null(strstr(jo_context_message(x->ctx), dir));
  }
  assert_int_equal(chmod(dir, 0755), 0);
  assert_ok(x->ctx, jfile_open_private(x->ctx, dir, &fd));
  close(fd);
  rmdir(dir);
}

static void test_file_write_leaves_links_and_read_only_files_alone(void** state) {
  fixture* x = *state;
  const char *plain = fixture_below(x, "plain"), *link = fixture_below(x, "link"),
             *lost = fixture_below(x, "lost");
  assert_ok(x->ctx, jfile_write(x->ctx, plain, "old", 3));
  assert_int_equal(symlink("plain", link), 0);
  assert_int_equal(symlink("nowhere", lost), 0);
  assert_int_equal(jfile_write(x->ctx, link, "new", 3), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), "it is a link"));
  assert_int_equal(jfile_write(x->ctx, lost, "new", 3), JO_ERR_FILE);
  assert_false(jfile_exists(fixture_below(x, "nowhere")));

  assert_int_equal(chmod(plain, 0444), 0);
  jo_context_clear(x->ctx);
  assert_int_equal(jfile_check_output(x->ctx, plain), JO_ERR_FILE);
  assert_int_equal(jfile_write(x->ctx, plain, "new", 3), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), "read-only"));
  char* text;
  size_t size;
  assert_ok(x->ctx, jfile_read(x->ctx, &x->a, plain, 100, &text, &size));
  assert_string_equal(text, "old");
}

static void test_file_write_keeps_what_others_may_not_read_so(void** state) {
  fixture* x = *state;
  const char* path = fixture_below(x, "secret");
  assert_ok(x->ctx, jfile_write_new(x->ctx, path, "a", 1));
  assert_ok(x->ctx, jfile_write(x->ctx, path, "b", 1));
  assert_int_equal(mode_of(path), 0600);
  assert_int_equal(jfile_write_new(x->ctx, path, "c", 1), JO_ERR_FILE);  // there is one already
}

static void test_file_is_on_the_disk_before_it_has_its_name_and_the_name_then(void** state) {
  fixture* x = *state;
  listens = true;
  assert_ok(x->ctx, jfile_write(x->ctx, fixture_below(x, "a"), "x", 1));
  assert_string_equal(asked, "frd");
  assert_ok(x->ctx, jfile_write_new(x->ctx, fixture_below(x, "b"), "x", 1));
  assert_string_equal(asked, "frd");  // work that may be lost costs nothing
  assert_ok(x->ctx, jfile_publish(x->ctx, fixture_below(x, "b"), fixture_below(x, "c")));
  assert_string_equal(asked, "frdfrd");
  int here = open(".", O_RDONLY);
  assert_int_equal(chdir(fixture_dir(x)), 0);
  assert_ok(x->ctx, jfile_write(x->ctx, "plain", "x", 1));
  assert_string_equal(asked, "frdfrdfrd");
  assert_int_equal(fchdir(here), 0);
  close(here);
  listens = false;
}

static void test_file_output_is_tried_without_a_trace(void** state) {
  fixture* x = *state;
  assert_ok(x->ctx, jfile_check_output(x->ctx, fixture_below(x, "new.csv")));
  assert_ok(x->ctx, jfile_write(x->ctx, fixture_below(x, "there.csv"), "1", 1));
  assert_ok(x->ctx, jfile_check_output(x->ctx, fixture_below(x, "there.csv")));
  assert_int_equal(count_entries(fixture_dir(x)), 1);
  assert_int_equal(jfile_check_output(x->ctx, fixture_below(x, "missing/new.csv")), JO_ERR_FILE);
  assert_int_equal(jfile_check_output(x->ctx, fixture_dir(x)), JO_ERR_FILE);
  assert_int_equal(jfile_check_output(x->ctx, ""), JO_ERR_FILE);
}

static void test_file_descriptors_are_above_the_standard_ones(void** state) {
  fixture* x = *state;
  int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  int fd = jfile_open(fixture_below(x, "f"), O_WRONLY | O_CREAT, 0600);
  bool is_free = fcntl(STDIN_FILENO, F_GETFD) < 0;
  dup2(kept, STDIN_FILENO);
  close(kept);
  assert_true(is_free);
  assert_true(fd > STDERR_FILENO);
  assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
  close(fd);
}

// A limit of the process is an error as a full disk is, and no signal that ends it; nothing is left of the file.
static void test_file_beyond_the_limit_of_the_process_is_an_error(void** state) {
  fixture* x = *state;
  const char* path = jarena_printf(&x->a, "%s/large", fixture_dir(x));
  static const char data[8192];
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  assert_true(jfile_has_room(fixture_dir(x), sizeof data));
  small = before;
  small.rlim_cur = 1000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  jo_status status = jfile_write(x->ctx, path, data, sizeof data);
  bool has_room = jfile_has_room(fixture_dir(x), sizeof data);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(status, JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), "large: cannot write: File too large"));
  assert_false(has_room);
  assert_int_equal(count_entries(fixture_dir(x)), 0);
}

static void test_file_temp_dirs_are_private_and_distinct(void** state) {
  fixture* x = *state;
  const char *a = NULL, *b = NULL;
  assert_ok(x->ctx, jfile_temp_dir(x->ctx, &x->a, fixture_dir(x), &a));
  assert_ok(x->ctx, jfile_temp_dir(x->ctx, &x->a, fixture_dir(x), &b));
  assert_string_not_equal(a, b);
  assert_int_equal(mode_of(a), 0700);
  assert_ok(x->ctx, jfile_write(x->ctx, jarena_printf(&x->a, "%s/f", a), "x", 1));
  jfile_remove_dir(a);
  jfile_remove_dir(b);
  assert_int_equal(count_entries(fixture_dir(x)), 0);
  assert_int_equal(jfile_temp_dir(x->ctx, &x->a, fixture_below(x, "missing"), &a), JO_ERR_FILE);
}

static jo_status use_all(const jo_allocator* allocator, const char* dir) {
  jo_context* ctx = NULL;
  jo_status status = jo_context_create(allocator, &ctx);
  if (status < 0) return status;
  jarena a;
  jarena_init(&a, ctx);
  const char *sub = NULL, *cache = NULL;
  char* data = NULL;
  size_t size = 0;
  status = jfile_temp_dir(ctx, &a, dir, &sub);
  if (status == JO_OK) {
    char path[4200];
    snprintf(path, sizeof path, "%s/file", sub);
    status = jfile_write(ctx, path, "data", 4);
    if (status == JO_OK) status = jfile_read(ctx, &a, path, LIMIT, &data, &size);
    if (status == JO_OK) status = jfile_cache_dir(ctx, &a, &cache);
    jfile_remove_dir(sub);
  }
  jarena_free(&a);
  jo_context_destroy(ctx);
  return status;
}

static void test_file_survives_running_out_of_memory_anywhere(void** state) {
  fixture* x = *state;
  setenv("JOUNCE_CACHE_DIR", fixture_below(x, "cache"), 1);
  jo_status status = JO_ERR_MEMORY;
  for (long n = 0; status < 0; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    status = use_all(&f.allocator, fixture_dir(x));
    assert_int_equal(f.live_bytes, 0);
    if (status < 0) assert_int_equal(status, JO_ERR_MEMORY);
    rmdir(fixture_below(x, "cache"));
    assert_int_equal(count_entries(fixture_dir(x)), 0);
  }
  unsetenv("JOUNCE_CACHE_DIR");
}

static void test_file_paths_from_the_folder_of_another(void** state) {
  (void)state;
  static const struct {
    const char *path, *from, *relative;
  } row[] = {
      {"/p/models/a.yaml", "/p/runs/x.events", "../models/a.yaml"},
      {"/p/models/a.yaml", "/p/runs/1/2/x.events", "../../../models/a.yaml"},
      {"/p/a.yaml", "/p/x.events", "a.yaml"},
      {"/p/models/a.yaml", "/p/x.events", "models/a.yaml"},
      {"/p/runs2/a.yaml", "/p/runs/x.events", "../runs2/a.yaml"},
      {"/q/a.yaml", "/p/x.events", "/q/a.yaml"},
      {"a.yaml", "/p/x.events", "a.yaml"},
  };
  fixture* base = fixture_open();
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    assert_string_equal(jfile_relative(&base->a, row[i].path, row[i].from), row[i].relative);
  }
  assert_string_equal(jfile_beside(&base->a, "runs/x.events", "../a.yaml"), "runs/../a.yaml");
  assert_string_equal(jfile_beside(&base->a, "x.events", "a.yaml"), "a.yaml");
  assert_string_equal(jfile_beside(&base->a, "runs/x.events", "/q/a.yaml"), "/q/a.yaml");
  assert_string_equal(jfile_absolute(&base->a, "/tmp/../tmp/."), "/tmp");
  assert_string_equal(jfile_absolute(&base->a, "no/such/file"), "no/such/file");
  fixture_close(base);
}

#define T(f) fixture_test(f)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_file_read_returns_what_was_written),
      T(test_file_read_errors_name_path_and_reason),
      T(test_file_read_refuses_large_files_and_pipes),
      T(test_file_write_failure_leaves_nothing_behind),
      T(test_file_concurrent_writers_never_show_half_a_file),
      T(test_file_make_dirs_makes_parents_and_is_repeatable),
      T(test_file_cache_dir_follows_the_variables),
      T(test_file_private_folders_are_private_whatever_the_umask),
      T(test_file_private_folders_are_refused_where_others_may_write),
      T(test_file_write_leaves_links_and_read_only_files_alone),
      T(test_file_write_keeps_what_others_may_not_read_so),
      T(test_file_is_on_the_disk_before_it_has_its_name_and_the_name_then),
      T(test_file_output_is_tried_without_a_trace),
      T(test_file_descriptors_are_above_the_standard_ones),
      T(test_file_beyond_the_limit_of_the_process_is_an_error),
      T(test_file_temp_dirs_are_private_and_distinct),
      T(test_file_survives_running_out_of_memory_anywhere),
      T(test_file_paths_from_the_folder_of_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
