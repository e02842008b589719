// SPDX-License-Identifier: Apache-2.0
// The cache of libraries for devices: hit, damage, concurrency, refusal of foreign folders, and nothing left behind.
#include "batch/device/cache.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "kernel/library.h"
#include "support/fixture.h"

#define NAME  "one.so"
#define OTHER "other.so"

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jarena* a;
  const char *dir, *work;  // the cache, and a folder within
} subject;

static const char* path_of(const subject* f, const char* name) {
  return jarena_printf(f->a, "%s/%s", f->dir, name);
}

static int setup(void** state) {
  subject* f = calloc(1, sizeof *f);
  f->base = fixture_open();
  f->ctx = f->base->ctx;
  f->a = &f->base->a;
  f->dir = fixture_dir(f->base);
  f->work = path_of(f, ".work");
  if (mkdir(f->work, 0700) != 0) return -1;
  *state = f;
  return 0;
}

static int teardown(void** state) {
  subject* f = *state;
  fixture_close(f->base);
  free(f);
  return 0;
}

// Compiles a library whose function gives a number; its path.
static const char* make_library(subject* f, int number) {
  const char* source = jarena_printf(f->a, "%s/%d.c", f->work, number);
  const char* library = jarena_printf(f->a, "%s/%d.made", f->work, number);
  const char* text = jarena_printf(f->a, "int number(void) { return %d; }\n", number);
  const char* cc = jproc_find(f->a, "cc");
  assert_non_null(cc);
  assert_ok(f->ctx, jfile_write(f->ctx, source, text, strlen(text)));
  const char* const argv[] = {cc, "-shared", "-fPIC", "-o", library, source, NULL};
  jproc_command run = {.argv = argv};
  assert_ok(f->ctx, jproc_run(f->ctx, &run, 1, &(jproc_options){.jobs = 1}));
  assert_int_equal(run.exit_code, 0);
  return library;
}

// Keeps it under a name, by way of its file: what was stored before under that name is taken away.
static void store(subject* f, const char* library, const char* name) {
  unlink(jarena_printf(f->a, "%s/%s", f->work, name));
  assert_ok(f->ctx, jbatch_cache_store(f->ctx, f->a, library, f->work, f->dir, name));
}

// The number of the library that is loaded under a name; -1: none is.
static int load(subject* f, const char* name) {
  void* library = NULL;
  assert_ok(f->ctx, jbatch_cache_load(f->ctx, f->dir, name, &library));
  if (!library) return -1;
  int (*number)(void) = (int (*)(void))jkernel_library_find(library, "number");
  assert_non_null(number);
  int n = number();
  jkernel_library_close(library);
  return n;
}

static int count_entries(const subject* f) {
  int n = 0;
  DIR* dir = opendir(f->dir);
  assert_non_null(dir);
  for (struct dirent* e = readdir(dir); e; e = readdir(dir)) {
    n += e->d_name[0] != '.';
  }
  closedir(dir);
  return n;
}

static void test_what_is_kept_is_loaded(void** state) {
  subject* f = *state;
  assert_int_equal(load(f, NAME), -1);
  store(f, make_library(f, 7), NAME);
  assert_int_equal(load(f, NAME), 7);
  store(f, make_library(f, 8), NAME);
  assert_int_equal(load(f, NAME), 8);
  assert_int_equal(count_entries(f), 1);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
}

// Replaces the cached file by all but `cut` bytes of it, with one bit changed at `at`.
static void damage(subject* f, const char* path, size_t cut, size_t at) {
  char* data = NULL;
  size_t n = 0;
  assert_ok(f->ctx, jfile_read(f->ctx, f->a, path, 1 << 24, &data, &n));
  assert_true(n > cut && n > at);
  data[at] = (char)(data[at] ^ 1);
  assert_ok(f->ctx, jfile_write(f->ctx, path, data, n - cut));
  assert_int_equal(chmod(path, 0600), 0);
}

static void test_damaged_files_are_not_loaded(void** state) {
  subject* f = *state;
  const char *library = make_library(f, 7), *path = path_of(f, NAME);
  store(f, library, NAME);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  size_t n = (size_t)st.st_size;
  const struct {
    size_t cut, at;
  } kind[] = {{0, 0}, {0, n / 2}, {0, n - 1},  {0, n - 40},
              {1, 0}, {n / 2, 0}, {n - 10, 0}, {n - 1, 0}};
  for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
    damage(f, path, kind[i].cut, kind[i].at);
    assert_int_equal(load(f, NAME), -1);
    store(f, library, NAME);
    assert_int_equal(load(f, NAME), 7);
  }
  // an empty file, as a crash of the system may leave it
  assert_ok(f->ctx, jfile_write(f->ctx, path, "", 0));
  assert_int_equal(load(f, NAME), -1);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
}

static int store_in_child(const subject* f, const char* library, int i) {
  jo_context* ctx = NULL;
  jarena a;
  if (jo_context_create(NULL, &ctx) < 0) return 1;
  jarena_init(&a, ctx);
  const char* work = jarena_printf(&a, "%s/%d", f->work, i);
  void* loaded = NULL;
  if (!work || mkdir(work, 0700) != 0) return 2;
  for (int k = 0; k < 20; k++) {
    if (jbatch_cache_store(ctx, &a, library, work, f->dir, NAME) < 0) return 3;
    if (jbatch_cache_load(ctx, f->dir, NAME, &loaded) < 0 || !loaded) return 4;
    jkernel_library_close(loaded);
  }
  jarena_free(&a);
  jo_context_destroy(ctx);
  return 0;
}

static void test_processes_at_once_see_whole_files(void** state) {
  subject* f = *state;
  enum { N = 8 };
  pid_t pid[N];
  const char* library = make_library(f, 7);
  fflush(NULL);
  for (int i = 0; i < N; i++) {
    pid[i] = fork();
    if (pid[i] == 0) _exit(store_in_child(f, library, i));
    assert_true(pid[i] > 0);
  }
  for (int i = 0; i < N; i++) {
    int status = -1;
    assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  assert_int_equal(count_entries(f), 1);
  assert_int_equal(load(f, NAME), 7);
}

static jo_status choose_folder(subject* f, const char* wanted, const char** dir) {
  setenv("JOUNCE_CACHE_DIR", wanted, 1);
  jo_status status = jbatch_cache_dir(f->ctx, f->a, dir);
  unsetenv("JOUNCE_CACHE_DIR");
  return status;
}

static void test_folder_is_made_private(void** state) {
  subject* f = *state;
  const char *inner = path_of(f, "new"), *dir = NULL;
  assert_ok(f->ctx, choose_folder(f, inner, &dir));
  assert_string_equal(dir, inner);
  struct stat st;
  assert_int_equal(stat(inner, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  assert_int_equal(choose_folder(f, "/dev/null/cache", &dir), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(f->ctx), "/dev/null/cache: cannot make folder"));
}

static void test_folder_of_others_is_refused(void** state) {
  subject* f = *state;
  void* library = NULL;
  store(f, make_library(f, 7), NAME);
  assert_int_equal(chmod(f->dir, 0770), 0);
  assert_refused(f->ctx, jbatch_cache_load(f->ctx, f->dir, NAME, &library), JO_ERR_FILE, f->dir,
                 "others may write to it");
  assert_null(library);
}

static mode_t mode_of(const char* path) {
  struct stat st;
  assert_int_equal(lstat(path, &st), 0);
  return st.st_mode & (S_IFMT | 0777);
}

static void test_files_are_private_whatever_the_umask(void** state) {
  subject* f = *state;
  const char* library = make_library(f, 7);
  mode_t before = umask(0);
  store(f, library, NAME);
  umask(before);
  assert_int_equal(mode_of(path_of(f, NAME)), S_IFREG | 0600);
}

static void test_files_others_may_write_to_are_not_loaded(void** state) {
  subject* f = *state;
  const char* library = make_library(f, 7);
  const mode_t mode[] = {0666, 0620, 0602};
  for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
    store(f, library, NAME);
    assert_int_equal(load(f, NAME), 7);
    assert_int_equal(chmod(path_of(f, NAME), mode[i]), 0);
    assert_int_equal(load(f, NAME), -1);
  }
  store(f, library, NAME);
  assert_int_equal(mode_of(path_of(f, NAME)), S_IFREG | 0600);
}

static void test_links_and_folders_are_not_loaded(void** state) {
  subject* f = *state;
  const char *library = make_library(f, 7), *path = path_of(f, NAME), *dir = NULL;
  store(f, library, NAME);
  assert_int_equal(rename(path, path_of(f, ".elsewhere")), 0);
  assert_int_equal(symlink(".elsewhere", path), 0);
  assert_int_equal(load(f, NAME), -1);
  store(f, library, NAME);
  assert_int_equal(mode_of(path), S_IFREG | 0600);
  assert_int_equal(load(f, NAME), 7);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(load(f, NAME), -1);

  // a folder that is a link, with a slash at its end too
  assert_int_equal(symlink(".", path_of(f, "link")), 0);
  assert_ok(f->ctx, choose_folder(f, path_of(f, "link/"), &dir));
  void* loaded = NULL;
  assert_refused(f->ctx, jbatch_cache_load(f->ctx, dir, NAME, &loaded), JO_ERR_FILE, dir,
                 "is a link");
  assert_null(loaded);
}

// A library under the name of another one is not that one.
static void test_swapped_libraries_are_not_loaded(void** state) {
  subject* f = *state;
  store(f, make_library(f, 7), NAME);
  store(f, make_library(f, 8), OTHER);
  assert_int_equal(load(f, NAME), 7);
  assert_int_equal(load(f, OTHER), 8);
  assert_int_equal(rename(path_of(f, OTHER), path_of(f, NAME)), 0);
  assert_int_equal(load(f, NAME), -1);
}

// Libraries are loaded by way of descriptors, whose numbers come again.
static void test_libraries_loaded_together_are_different_ones(void** state) {
  subject* f = *state;
  void* first = NULL;
  store(f, make_library(f, 7), NAME);
  store(f, make_library(f, 8), OTHER);
  assert_ok(f->ctx, jbatch_cache_load(f->ctx, f->dir, NAME, &first));
  assert_non_null(first);
  assert_int_equal(load(f, OTHER), 8);
  assert_int_equal(load(f, NAME), 7);
  jkernel_library_close(first);
}

// A folder of ours where nothing can be made, for root neither.
static void test_read_only_folder_is_an_error(void** state) {
  subject* f = *state;
  const char* library = make_library(f, 7);
  assert_int_equal(
      jbatch_cache_store(f->ctx, f->a, library, "/proc/self/task", "/proc/self/task", NAME),
      JO_ERR_FILE);
}

// ---- memory

static jo_status keep_and_load(const jo_allocator* allocator, const subject* f,
                               const char* library) {
  jo_context* ctx = NULL;
  jarena a;
  void* loaded = NULL;
  JO_TRY(jo_context_create(allocator, &ctx));
  jarena_init(&a, ctx);
  unlink(jarena_printf(f->a, "%s/%s", f->work, NAME));
  jo_status status = jbatch_cache_store(ctx, &a, library, f->work, f->dir, NAME);
  if (status >= 0) status = jbatch_cache_load(ctx, f->dir, NAME, &loaded);
  jkernel_library_close(loaded);
  jarena_free(&a);
  jo_context_destroy(ctx);
  return status;
}

static void test_lack_of_memory_is_reported(void** state) {
  subject* f = *state;
  const char* library = make_library(f, 7);
  for (long n = 0;; n++) {
    assert_true(n < 1000);
    failing_alloc alloc;
    failing_alloc_init(&alloc, n);
    jo_status status = keep_and_load(&alloc.allocator, f, library);
    assert_int_equal(alloc.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  assert_int_equal(load(f, NAME), 7);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_what_is_kept_is_loaded),
      T(test_damaged_files_are_not_loaded),
      T(test_processes_at_once_see_whole_files),
      T(test_folder_is_made_private),
      T(test_folder_of_others_is_refused),
      T(test_files_are_private_whatever_the_umask),
      T(test_files_others_may_write_to_are_not_loaded),
      T(test_links_and_folders_are_not_loaded),
      T(test_swapped_libraries_are_not_loaded),
      T(test_libraries_loaded_together_are_different_ones),
      T(test_read_only_folder_is_an_error),
      T(test_lack_of_memory_is_reported),
  };
  return cmocka_run_group_tests_name("batch.cache", tests, NULL, NULL);
}
