// SPDX-License-Identifier: Apache-2.0
// Compiling: processes at once, compilers that hang, nowhere to compile, lack of memory, and nothing left behind.
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/cpu.h"
#include "base/system/file.h"
#include "kernel/kernel.h"
#include "support/fixture.h"

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jexpr_graph* g;
  jexpr_ref y;
  jexpr_outputs out;
  jexpr_fn fn;
  const char* dir;     // temporary files go there
  const char* before;  // $TMPDIR; NULL: none
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
  const char* tmp = getenv("TMPDIR");
  f->before = tmp ? jarena_strdup(&f->base->a, tmp) : NULL;
  setenv("TMPDIR", f->dir, 1);
  *state = f;
  return 0;
}

static int teardown(void** state) {
  subject* f = *state;
  if (f->before) {
    setenv("TMPDIR", f->before, 1);
  } else {
    unsetenv("TMPDIR");
  }
  fixture_close(f->base);
  free(f);
  return 0;
}

static jkernel_options options(void) {
  jkernel_options opt = jkernel_options_default();
  opt.backend = JKERNEL_CC;
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

// Entries in the folder of temporary files, but for hidden ones.
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

static void test_nothing_is_kept(void** state) {
  subject* f = *state;
  jkernel_options opt = options();
  jkernel_set* set = NULL;
  assert_ok(f->ctx, jkernel_build(f->ctx, &f->fn, 1, &opt, &set));
  assert_int_equal(count_entries(f), 0);  // the library is loaded, its file gone
  assert_int_equal(set->backend, JKERNEL_CC);
  assert_true(set->compile_seconds > 0.0);
  assert_true(value_at(set, 0.5) == sin(0.5) + 3.0 * 0.5);
  jkernel_destroy(set);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
}

// The loader knows libraries by name.
static void test_libraries_loaded_together_are_different_ones(void** state) {
  subject* f = *state;
  jkernel_options opt = options();
  jexpr_ref twice = jexpr_mul(f->g, jexpr_const(f->g, 2.0), f->y);
  jexpr_outputs out = {"y", 1, &twice};
  jexpr_fn other = {"f", f->g, 1, &out};
  double y = sin(0.5) + 3.0 * 0.5;
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

static int build_in_child(void) {
  subject f = {0};
  if (jo_context_create(NULL, &f.ctx) < 0) return 1;
  f.g = jexpr_graph_create(f.ctx);
  if (!f.g) return 2;
  build_function(&f);
  jkernel_options opt = options();
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
    if (pid[i] == 0) _exit(build_in_child());
    assert_true(pid[i] > 0);
  }
  for (int i = 0; i < N; i++) {
    int status = -1;
    assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
  assert_int_equal(count_entries(f), 0);
}

static void test_unknown_levels_of_the_processor_are_refused(void** state) {
  subject* f = *state;
  jkernel_options opt = options();
  if (!jcpu_flag()) skip();
  setenv("JOUNCE_CPU", "none", 1);
  jkernel_set* set = NULL;
  jo_status status = jkernel_build(f->ctx, &f->fn, 1, &opt, &set);
  unsetenv("JOUNCE_CPU");
  assert_int_equal(status, JO_ERR_ARGUMENT);
  assert_null(set);
}

// By a compiler, an error; where it is only there for the lack of machine code, the interpreter with one notice.
static void assert_interpreted_instead(subject* f, jkernel_options opt, jo_status forced,
                                       const char* cause) {
  jkernel_set* set = NULL;
  assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), forced);
  assert_null(set);
  assert_non_null(strstr(jo_context_message(f->ctx), cause));
  jo_context_clear(f->ctx);
  if (!jcpu_flag()) skip();  // all levels have machine code
  opt.backend = JKERNEL_AUTO;
  setenv("JOUNCE_CPU", "x86-64", 1);  // without machine code
  jo_status status = jkernel_build(f->ctx, &f->fn, 1, &opt, &set);
  unsetenv("JOUNCE_CPU");
  assert_ok(f->ctx, status);
  assert_int_equal(set->backend, JKERNEL_INTERP);
  jkernel_destroy(set);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  jo_severity severity;
  const char* text = jo_context_diagnostic(f->ctx, 0, &severity);
  assert_int_equal(severity, JO_NOTICE);
  assert_non_null(strstr(text, cause));
  assert_non_null(strstr(text, "are interpreted"));
}

// A folder of ours where nothing can be made, for root neither.
static void test_nowhere_to_compile(void** state) {
  subject* f = *state;
  setenv("TMPDIR", "/proc/self/task", 1);
  assert_interpreted_instead(f, options(), JO_ERR_FILE, "/proc/self/task");
}

static const char* write_compiler(subject* f, const char* script) {
  const char* cc = jarena_printf(&f->base->a, "%s/.cc", f->dir);
  assert_ok(f->ctx, jfile_write_new(f->ctx, cc, script, strlen(script)));
  assert_int_equal(chmod(cc, 0700), 0);
  return cc;
}

// As where files of the folder may not be executed.
static void test_library_that_is_not_loaded(void** state) {
  subject* f = *state;
  jkernel_options opt = options();
  opt.compiler =
      write_compiler(f, "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n: > \"$2\"\n");
  assert_interpreted_instead(f, opt, JO_ERR_COMPILER, "cannot be loaded");
  assert_int_equal(count_entries(f), 0);
}

static void test_compilers_that_hang_are_stopped(void** state) {
  subject* f = *state;
  jkernel_options opt = options();
  opt.compiler = write_compiler(f, "#!/bin/sh\nsleep 1000\n");
  jkernel_set* set = NULL;
  setenv("JOUNCE_CC_TIMEOUT", "0.3", 1);
  assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_COMPILER);
  assert_non_null(strstr(jo_context_message(f->ctx), "not done after 0.3 s"));
  assert_non_null(strstr(jo_context_message(f->ctx), "JOUNCE_CC_TIMEOUT"));
  assert_int_equal(count_entries(f), 0);
  const char* const wrong[] = {"soon", "1 h", "-1", "1e999"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    setenv("JOUNCE_CC_TIMEOUT", wrong[i], 1);
    assert_int_equal(jkernel_build(f->ctx, &f->fn, 1, &opt, &set), JO_ERR_ARGUMENT);
  }
  unsetenv("JOUNCE_CC_TIMEOUT");
}

// ---- memory

static jo_status build_with(const jo_allocator* allocator) {
  subject f = {0};
  jo_status status = jo_context_create(allocator, &f.ctx);
  if (status < 0) return status;
  f.g = jexpr_graph_create(f.ctx);
  status = JO_ERR_MEMORY;
  if (f.g) {
    build_function(&f);
    status = jexpr_graph_status(f.g);
    jkernel_options opt = options();
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
  for (long n = 0;; n++) {
    assert_true(n < 10000);
    failing_alloc alloc;
    failing_alloc_init(&alloc, n);
    jo_status status = build_with(&alloc.allocator);
    assert_int_equal(alloc.live_bytes, 0);
    assert_int_equal(count_entries(f), 0);  // no temporary folder stays
    if (status >= 0) break;
    // without memory for its path the compiler is not found
    assert_true(status == JO_ERR_MEMORY || status == JO_ERR_COMPILER);
  }
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_nothing_is_kept),
      T(test_libraries_loaded_together_are_different_ones),
      T(test_processes_at_once),
      T(test_unknown_levels_of_the_processor_are_refused),
      T(test_nowhere_to_compile),
      T(test_library_that_is_not_loaded),
      T(test_compilers_that_hang_are_stopped),
      T(test_build_survives_lack_of_memory),
  };
  return cmocka_run_group_tests_name("kernel.toolchain", tests, NULL, NULL);
}
