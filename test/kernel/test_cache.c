// SPDX-License-Identifier: Apache-2.0
// The cache: hit, damage, concurrency, refusal of foreign folders, and nothing left behind.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/file.h"
#include "kernel/cache.h"
#include "kernel/kernel.h"
#include "support/fixture.h"

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jexpr_graph* g;
  jexpr_ref y;
  jexpr_outputs out;
  jexpr_fn fn;
  const char* dir;
} subject;

// y = sin(x) + 3 x
static void build_function(subject* f) {
  int group = jexpr_group(f->g, "x", 1, JEXPR_PER_LANE);
  jexpr_ref x = jexpr_input(f->g, group, 0);
  f->y = jexpr_add(f->g, jexpr_sin(f->g, x), jexpr_mul(f->g, jexpr_const(f->g, 3.0), x));
  f->out = (jexpr_outputs){"y", 1, &f->y};
  f->fn = (jexpr_fn){"f", f->g, 1, &f->out};
}

static int setup(void** state) {
  subject* f = calloc(1, sizeof *f);
  f->base = fixture_open();
  f->ctx = f->base->ctx;
  f->g = fixture_graph(f->base);
  f->dir = fixture_dir(f->base);
  build_function(f);
  *state = f;
  return 0;
}

static int teardown(void** state) {
  subject* f = *state;
  fixture_close(f->base);
  free(f);
  return 0;
}

static jkernel_options options(const subject* f) {
  jkernel_options opt = jkernel_options_default();
  opt.backend = JKERNEL_CC;
  opt.cache_dir = f->dir;
  opt.optimize = 0;
  return opt;
}

static double value_at(const jkernel_set* set, double x) {
  double y = 0.0, work[8];
  const double* const in[] = {&x};
  double* const out[] = {&y};
  assert_true(set->kernel[0].work <= 8);
  jkernel_eval(&set->kernel[0], in, out, work);
  return y;
}

// Build, check a value, destroy; true when it came from the cache.
static bool build_once(subject* f, const jkernel_options* opt) {
  jkernel_set* set = NULL;
  assert_ok(f->ctx, jkernel_build(f->ctx, &f->fn, 1, opt, &set));
  assert_true(value_at(set, 0.5) == sin(0.5) + 3.0 * 0.5);
  bool from_cache = set->from_cache;
  assert_true(from_cache == (set->compile_seconds == 0.0));
  jkernel_destroy(set);
  return from_cache;
}

// Entries in the cache folder; the path of the last one.
static int list_cache(subject* f, const char** path) {
  int n = 0;
  DIR* dir = opendir(f->dir);
  assert_non_null(dir);
  for (struct dirent* e = readdir(dir); e; e = readdir(dir)) {
    if (e->d_name[0] == '.') continue;
    *path = jarena_printf(&f->base->a, "%s/%s", f->dir, e->d_name);
    n++;
  }
  closedir(dir);
  return n;
}

static void test_second_build_is_cached(void** state) {
  subject* f = *state;
  const char* path = NULL;
  jkernel_options opt = options(f);
  assert_false(build_once(f, &opt));
  assert_true(build_once(f, &opt));
  assert_int_equal(list_cache(f, &path), 1);  // no temporary folder stays

  // other flags, another unit: other keys
  opt.optimize = 1;
  assert_false(build_once(f, &opt));
  opt.lanes = 1;
  opt.emit.title = "other";
  assert_false(build_once(f, &opt));
  assert_int_equal(list_cache(f, &path), 3);
}

static void test_without_cache_nothing_is_kept(void** state) {
  subject* f = *state;
  const char* path = NULL;
  jkernel_options opt = options(f);
  opt.use_cache = false;
  assert_false(build_once(f, &opt));
  assert_false(build_once(f, &opt));
  assert_int_equal(list_cache(f, &path), 0);
}

// Replace the cached file by `size` bytes of it with one byte changed at `at`.
static void damage(subject* f, const char* path, size_t cut, size_t at) {
  char* data = NULL;
  size_t n = 0;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->base->a, path, 1 << 24, &data, &n));
  assert_true(n > cut && n > at);
  data[at] = (char)(data[at] ^ 1);
  assert_ok(f->ctx, jfile_write(f->ctx, path, data, n - cut));
}

static void test_damaged_files_are_replaced(void** state) {
  subject* f = *state;
  const char* path = NULL;
  jkernel_options opt = options(f);
  assert_false(build_once(f, &opt));
  assert_int_equal(list_cache(f, &path), 1);
  struct stat st;
  assert_int_equal(stat(path, &st), 0);
  size_t n = (size_t)st.st_size;
  const struct {
    size_t cut, at;
  } kind[] = {{0, 0}, {0, n / 2}, {0, n - 1},  {0, n - 40},
              {1, 0}, {n / 2, 0}, {n - 10, 0}, {n - 1, 0}};
  for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
    damage(f, path, kind[i].cut, kind[i].at);
    assert_false(build_once(f, &opt));
    assert_true(build_once(f, &opt));
  }
  // an empty file, as a crash of the system may leave it
  assert_ok(f->ctx, jfile_write(f->ctx, path, "", 0));
  assert_false(build_once(f, &opt));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
}

static int build_in_child(const char* dir) {
  subject f = {.dir = dir};
  if (jo_context_create(NULL, &f.ctx) < 0) return 1;
  f.g = jexpr_graph_create(f.ctx);
  if (!f.g) return 2;
  build_function(&f);
  jkernel_options opt = options(&f);
  jkernel_set* set = NULL;
  if (jkernel_build(f.ctx, &f.fn, 1, &opt, &set) < 0) return 3;
  bool right = value_at(set, 0.25) == sin(0.25) + 3.0 * 0.25;
  jkernel_destroy(set);
  jexpr_graph_destroy(f.g);
  jo_context_destroy(f.ctx);
  return right ? 0 : 4;
}

static void test_processes_at_once(void** state) {
  subject* f = *state;
  enum { N = 8 };
  pid_t pid[N];
  fflush(NULL);
  for (int i = 0; i < N; i++) {
    pid[i] = fork();
    if (pid[i] == 0) _exit(build_in_child(f->dir));
    assert_true(pid[i] > 0);
  }
  for (int i = 0; i < N; i++) {
    int status = -1;
    assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  const char* path = NULL;
  assert_int_equal(list_cache(f, &path), 1);
  jkernel_options opt = options(f);
  assert_true(build_once(f, &opt));
}

static void test_folder_is_made_private(void** state) {
  subject* f = *state;
  const char* inner = jarena_printf(&f->base->a, "%s/new", f->dir);
  const char* dir = NULL;
  assert_ok(f->ctx, jkernel_cache_dir(f->ctx, &f->base->a, inner, &dir));
  struct stat st;
  assert_int_equal(stat(inner, &st), 0);
  assert_int_equal(st.st_mode & 0777, 0700);
  assert_int_equal(rmdir(inner), 0);
}

static void test_folder_of_others_is_refused(void** state) {
  subject* f = *state;
  jkernel_set* set = NULL;
  jkernel_options opt = options(f);
  assert_int_equal(chmod(f->dir, 0770), 0);
  assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_FILE);
  assert_null(set);
  assert_non_null(strstr(jo_context_message(f->ctx), f->dir));
}

static mode_t mode_of(const char* path) {
  struct stat st;
  assert_int_equal(lstat(path, &st), 0);
  return st.st_mode & (S_IFMT | 0777);
}

static void test_files_are_private_whatever_the_umask(void** state) {
  subject* f = *state;
  const char* path = NULL;
  jkernel_options opt = options(f);
  mode_t before = umask(0);
  build_once(f, &opt);
  umask(before);
  assert_int_equal(list_cache(f, &path), 1);
  assert_int_equal(mode_of(path), S_IFREG | 0600);
}

static void test_files_others_may_write_to_are_made_anew(void** state) {
  subject* f = *state;
  const char* path = NULL;
  jkernel_options opt = options(f);
  build_once(f, &opt);
  assert_int_equal(list_cache(f, &path), 1);
  const mode_t mode[] = {0666, 0620, 0602};
  for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
    assert_int_equal(chmod(path, mode[i]), 0);
    assert_false(build_once(f, &opt));
    assert_int_equal(mode_of(path), S_IFREG | 0600);
    assert_true(build_once(f, &opt));
  }
}

static void test_links_are_not_loaded(void** state) {
  subject* f = *state;
  const char* path = NULL;
  jkernel_options opt = options(f);
  build_once(f, &opt);
  assert_int_equal(list_cache(f, &path), 1);
  const char* elsewhere = jarena_printf(&f->base->a, "%s/.elsewhere", f->dir);
  assert_int_equal(rename(path, elsewhere), 0);
  assert_int_equal(symlink(".elsewhere", path), 0);
  assert_false(build_once(f, &opt));
  assert_int_equal(mode_of(path), S_IFREG | 0600);

  const char* link = jarena_printf(&f->base->a, "%s/link/", f->dir);
  assert_int_equal(symlink(".", jarena_printf(&f->base->a, "%s/link", f->dir)), 0);
  opt.cache_dir = link;
  jkernel_set* set = NULL;
  assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(f->ctx), "is a link"));
}

// A library under the name of another one is not that one.
static void test_swapped_libraries_are_made_anew(void** state) {
  subject* f = *state;
  jkernel_options opt = options(f);
  const char *mine = NULL, *path = NULL;
  jkernel_set* set = NULL;
  jexpr_ref twice = jexpr_mul(f->g, jexpr_const(f->g, 2.0), f->y);
  jexpr_outputs out = {"y", 1, &twice};
  jexpr_fn other = {"f", f->g, 1, &out};
  assert_ok(f->ctx, jkernel_build(f->ctx, &other, 1, &opt, &set));
  jkernel_destroy(set);
  assert_int_equal(list_cache(f, &path), 1);
  const char* moved = jarena_printf(&f->base->a, "%s.moved", path);
  assert_int_equal(rename(path, moved), 0);
  assert_false(build_once(f, &opt));
  assert_true(build_once(f, &opt));
  assert_int_equal(unlink(moved), 0);
  assert_int_equal(list_cache(f, &mine), 1);
  assert_ok(f->ctx, jkernel_build(f->ctx, &other, 1, &opt, &set));
  jkernel_destroy(set);
  assert_int_equal(rename(path, mine), 0);
  assert_false(build_once(f, &opt));
  assert_true(build_once(f, &opt));
}

// Kernels of another level of the processor are others.
static void test_levels_of_the_processor_have_their_own_libraries(void** state) {
  subject* f = *state;
  jkernel_options opt = options(f);
  if (!jcpu_flag()) skip();
  assert_false(build_once(f, &opt));
  setenv("JOUNCE_CPU", "x86-64", 1);
  bool from_cache = build_once(f, &opt);
  bool again = build_once(f, &opt);
  setenv("JOUNCE_CPU", "none", 1);
  jkernel_set* set = NULL;
  jo_status status = jkernel_build(f->ctx, &f->fn, 1, &opt, &set);
  unsetenv("JOUNCE_CPU");
  assert_false(from_cache);
  assert_true(again);
  assert_int_equal(status, JO_ERR_ARGUMENT);
  assert_null(set);
}

// Libraries are loaded by way of descriptors, whose numbers come again.
static void test_libraries_loaded_together_are_different_ones(void** state) {
  subject* f = *state;
  jkernel_options opt = options(f);
  jexpr_ref twice = jexpr_mul(f->g, jexpr_const(f->g, 2.0), f->y);
  jexpr_outputs out = {"y", 1, &twice};
  jexpr_fn other = {"f", f->g, 1, &out};
  double y = sin(0.5) + 3.0 * 0.5;
  for (int pass = 0; pass < 2; pass++) {  // compiled, then from the cache
    jkernel_set *a = NULL, *again = NULL, *b = NULL;
    assert_ok(f->ctx, jkernel_build(f->ctx, &f->fn, 1, &opt, &a));
    assert_ok(f->ctx, jkernel_build(f->ctx, &f->fn, 1, &opt, &again));
    jkernel_destroy(again);
    assert_ok(f->ctx, jkernel_build(f->ctx, &other, 1, &opt, &b));
    assert_true(value_at(a, 0.5) == y);
    assert_true(value_at(b, 0.5) == 2.0 * y);
    jkernel_destroy(a);
    jkernel_destroy(b);
  }
}

static void test_impossible_cache_costs_one_notice(void** state) {
  subject* f = *state;
  jkernel_options opt = options(f);
  opt.cache_dir = "/dev/null/cache";
  assert_false(build_once(f, &opt));
  assert_false(build_once(f, &opt));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  jo_severity severity;
  const char* text = jo_context_diagnostic(f->ctx, 0, &severity);
  assert_int_equal(severity, JO_NOTICE);
  assert_non_null(strstr(text, "/dev/null/cache: cannot make folder"));
  assert_string_equal(jo_context_message(f->ctx), "");
}

// A folder of ours where nothing can be made, for root neither.
static void test_cold_read_only_cache_costs_one_notice(void** state) {
  subject* f = *state;
  jkernel_options opt = options(f);
  opt.cache_dir = "/proc/self/task";
  assert_false(build_once(f, &opt));
  assert_false(build_once(f, &opt));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  assert_non_null(strstr(jo_context_diagnostic(f->ctx, 0, NULL), "are not kept"));
}

static void test_nowhere_to_compile_is_interpreted_with_one_notice(void** state) {
  subject* f = *state;
  jkernel_options opt = options(f);
  const char* tmp = getenv("TMPDIR");
  const char* before = tmp ? jarena_strdup(&f->base->a, tmp) : NULL;
  setenv("TMPDIR", "/proc/self/task", 1);
  opt.cache_dir = "/dev/null/cache";
  jkernel_set* set = NULL;
  assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_FILE);
  jo_context_clear(f->ctx);
  opt.backend = JKERNEL_AUTO;
  setenv("JOUNCE_CPU", "x86-64", 1);  // without machine code
  for (int i = 0; i < 2; i++) {
    assert_ok(f->ctx, jkernel_build(f->ctx, &f->fn, 1, &opt, &set));
    assert_int_equal(set->backend, JKERNEL_INTERP);
    jkernel_destroy(set);
  }
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  assert_non_null(strstr(jo_context_diagnostic(f->ctx, 0, NULL), "are interpreted"));
  unsetenv("JOUNCE_CPU");
  unsetenv("TMPDIR");
  if (before) setenv("TMPDIR", before, 1);
}

static void test_compilers_that_hang_are_stopped(void** state) {
  subject* f = *state;
  const char* cc = jarena_printf(&f->base->a, "%s/.cc", f->dir);
  static const char script[] = "#!/bin/sh\nsleep 1000\n";
  assert_ok(f->ctx, jfile_write_new(f->ctx, cc, script, sizeof script - 1));
  assert_int_equal(chmod(cc, 0700), 0);
  jkernel_options opt = options(f);
  opt.compiler = cc;
  const char* path = NULL;
  jkernel_set* set = NULL;
  setenv("JOUNCE_CC_TIMEOUT", "0.3", 1);
  assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_COMPILER);
  assert_non_null(strstr(jo_context_message(f->ctx), "not done after 0.3 s"));
  assert_non_null(strstr(jo_context_message(f->ctx), "JOUNCE_CC_TIMEOUT"));
  assert_int_equal(list_cache(f, &path), 0);
  const char* const wrong[] = {"soon", "1 h", "-1", "1e999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    setenv("JOUNCE_CC_TIMEOUT", wrong[i], 1);
    assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_ARGUMENT);
  }
  unsetenv("JOUNCE_CC_TIMEOUT");
}

// ---- memory

static jo_status build_with(const jo_allocator* allocator, const char* dir) {
  subject f = {.dir = dir};
  jo_status status = jo_context_create(allocator, &f.ctx);
  if (status < 0) return status;
  f.g = jexpr_graph_create(f.ctx);
  status = JO_ERR_MEMORY;
  if (f.g) {
    build_function(&f);
    status = jexpr_graph_status(f.g);
    jkernel_options opt = options(&f);
    jkernel_set* set = NULL;
    if (status >= 0) status = jkernel_build(f.ctx, &f.fn, 1, &opt, &set);
    jkernel_destroy(set);
  }
  jexpr_graph_destroy(f.g);
  jo_context_destroy(f.ctx);
  return status;
}

static void test_build_survives_lack_of_memory(void** state) {
  subject* f = *state;
  for (int pass = 0; pass < 2; pass++) {  // compiling, then from the cache
    const char* path = NULL;
    for (long n = 0;; n++) {
      assert_true(n < 10000);
      failing_alloc alloc;
      failing_alloc_init(&alloc, n);
      jo_status status = build_with(&alloc.allocator, f->dir);
      assert_int_equal(alloc.live_bytes, 0);
      assert_int_equal(list_cache(f, &path) <= 1, 1);  // no temporary folder stays
      if (status >= 0) break;
      // without memory for its path the compiler is not found
      assert_true(status == JO_ERR_MEMORY || status == JO_ERR_COMPILER);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_second_build_is_cached, setup, teardown),
      cmocka_unit_test_setup_teardown(test_without_cache_nothing_is_kept, setup, teardown),
      cmocka_unit_test_setup_teardown(test_damaged_files_are_replaced, setup, teardown),
      cmocka_unit_test_setup_teardown(test_processes_at_once, setup, teardown),
      cmocka_unit_test_setup_teardown(test_folder_is_made_private, setup, teardown),
      cmocka_unit_test_setup_teardown(test_folder_of_others_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(test_files_are_private_whatever_the_umask, setup, teardown),
      cmocka_unit_test_setup_teardown(test_files_others_may_write_to_are_made_anew, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_links_are_not_loaded, setup, teardown),
      cmocka_unit_test_setup_teardown(test_swapped_libraries_are_made_anew, setup, teardown),
      cmocka_unit_test_setup_teardown(test_levels_of_the_processor_have_their_own_libraries, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_libraries_loaded_together_are_different_ones, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_impossible_cache_costs_one_notice, setup, teardown),
      cmocka_unit_test_setup_teardown(test_cold_read_only_cache_costs_one_notice, setup, teardown),
      cmocka_unit_test_setup_teardown(test_nowhere_to_compile_is_interpreted_with_one_notice, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(test_compilers_that_hang_are_stopped, setup, teardown),
      cmocka_unit_test_setup_teardown(test_build_survives_lack_of_memory, setup, teardown),
  };
  return cmocka_run_group_tests_name("kernel.cache", tests, NULL, NULL);
}
