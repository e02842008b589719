// SPDX-License-Identifier: Apache-2.0
// Programs run with exact arguments, bounded in number, and tell how they ended.
#include "base/system/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/file.h"
#include "support/fixture.h"

static char* output_of(fixture* x, const char* const* argv, int* exit_code) {
  const char* path = jarena_printf(&x->a, "%s/output", fixture_dir(x));
  jproc_command c = {.argv = argv, .output_path = path};
  assert_ok(x->ctx, jproc_run(x->ctx, &c, 1, &(jproc_options){.jobs = 1}));
  *exit_code = c.exit_code;
  char* text = NULL;
  size_t size = 0;
  assert_ok(x->ctx, jfile_read(x->ctx, &x->a, path, 1 << 20, &text, &size));
  return text;
}

static void test_process_arguments_pass_no_shell(void** state) {
  fixture* x = *state;
  const char* argv[] = {"printf", "%s|", "$HOME; `date`", "a b", "", "*", NULL};
  int code = -1;
  assert_string_equal(output_of(x, argv, &code), "$HOME; `date`|a b||*|");
  assert_int_equal(code, 0);
}

static void test_process_collects_output_and_errors_and_gives_no_input(void** state) {
  fixture* x = *state;
  const char* argv[] = {"sh", "-c", "echo out; echo err >&2; cat; exit 3", NULL};
  int code = -1;
  assert_string_equal(output_of(x, argv, &code), "out\nerr\n");
  assert_int_equal(code, 3);
}

static void test_process_passes_the_environment_on(void** state) {
  fixture* x = *state;
  setenv("JOUNCE_TEST_VARIABLE", "passed on", 1);
  const char* argv[] = {"sh", "-c", "printf %s \"$JOUNCE_TEST_VARIABLE\"", NULL};
  int code = -1;
  assert_string_equal(output_of(x, argv, &code), "passed on");
}

static void test_process_tells_signals(void** state) {
  fixture* x = *state;
  const char* argv[] = {"sh", "-c", "kill -9 $$", NULL};
  int code = -1;
  output_of(x, argv, &code);
  assert_int_equal(code, 128 + 9);
}

static void test_process_many_commands_keep_their_own_results(void** state) {
  fixture* x = *state;
  enum { N = 20 };
  char script[N][32];
  const char* argv[N][4];
  jproc_command c[N];
  for (int i = 0; i < N; i++) {
    snprintf(script[i], sizeof script[i], "exit %d", i);
    argv[i][0] = "sh";
    argv[i][1] = "-c";
    argv[i][2] = script[i];
    argv[i][3] = NULL;
    c[i] = (jproc_command){.argv = argv[i]};
  }
  assert_ok(x->ctx, jproc_run(x->ctx, c, N, &(jproc_options){.jobs = 4}));
  for (int i = 0; i < N; i++) {
    assert_int_equal(c[i].exit_code, i);
  }
  assert_ok(x->ctx, jproc_run(x->ctx, NULL, 0, &(jproc_options){.jobs = 4}));
}

static void test_process_jobs_bound_what_runs_at_once(void** state) {
  fixture* x = *state;
  // each counts who has started and not ended, itself included, and waits until three have started: as many as may run
  static const char count[] =
      "cd \"$0\"; : > s$$; n=$(($(ls | grep -c s) - $(ls | grep -c e)));"
      "while [ $(ls | grep -c s) -lt 3 ]; do sleep 0.01; done; : > e$$; [ $n -le 3 ]";
  const char* argv[] = {"sh", "-c", count, fixture_dir(x), NULL};
  jproc_command c[6];
  for (int i = 0; i < 6; i++) {
    c[i] = (jproc_command){.argv = argv};
  }
  assert_ok(x->ctx, jproc_run(x->ctx, c, 6, &(jproc_options){.jobs = 3}));
  for (int i = 0; i < 6; i++) {
    assert_int_equal(c[i].exit_code, 0);
  }
}

static void test_process_that_cannot_start_is_an_error(void** state) {
  fixture* x = *state;
  const char* good[] = {"true", NULL};
  const char* bad[] = {"no-such-program-anywhere", NULL};
  jproc_command c[] = {{.argv = good}, {.argv = bad}, {.argv = good}};
  assert_int_equal(jproc_run(x->ctx, c, 3, &(jproc_options){.jobs = 1}), JO_ERR_FILE);
  assert_non_null(strstr(jo_context_message(x->ctx), "no-such-program-anywhere"));
  assert_int_equal(c[0].exit_code, 0);
  assert_int_equal(c[1].exit_code, -1);
  assert_int_equal(c[2].exit_code, -1);
}

static void test_process_leaves_foreign_children_alone(void** state) {
  fixture* x = *state;
  pid_t foreign = fork();
  if (foreign == 0) _exit(7);
  assert_true(foreign > 0);
  const char* argv[] = {"true", NULL};
  jproc_command c[] = {{.argv = argv}, {.argv = argv}};
  assert_ok(x->ctx, jproc_run(x->ctx, c, 2, &(jproc_options){.jobs = 2}));
  int status = 0;
  assert_int_equal(waitpid(foreign, &status, 0), foreign);
  assert_int_equal(WEXITSTATUS(status), 7);
  errno = 0;
  assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
  assert_int_equal(errno, ECHILD);
}

// The number in a file, 0 until there is one.
static pid_t pid_in(fixture* x, const char* path) {
  char* text = NULL;
  size_t size = 0;
  if (!jfile_exists(path)) return 0;
  assert_ok(x->ctx, jfile_read(x->ctx, &x->a, path, 100, &text, &size));
  return (pid_t)strtol(text, NULL, 10);
}

// A killed process is gone once nobody has to be told: what an orphan's new parent does in its time.
static bool is_gone(pid_t pid) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
  FILE* f = fopen(path, "r");
  bool is_there = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
  if (f) fclose(f);
  return !is_there || state == 'Z';
}

static bool goes_within(pid_t pid, double seconds) {
  double end = jclock_wall() + seconds;
  while (!is_gone(pid) && jclock_wall() < end) {
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  return is_gone(pid);
}

// A compiler that hangs, in a program it has started.
static const char* hanging(fixture* x, const char* path) {
  return jarena_printf(&x->a, "sleep 1000 & echo $! > %s.new; mv %s.new %s; wait", path, path,
                       path);
}

static void test_process_that_hangs_is_stopped_with_what_it_started(void** state) {
  fixture* x = *state;
  const char* path = jarena_printf(&x->a, "%s/pid", fixture_dir(x));
  const char *hang[] = {"sh", "-c", hanging(x, path), NULL}, *quick[] = {"true", NULL};
  jproc_command c[] = {{.argv = quick}, {.argv = hang}, {.argv = quick}};
  double start = jclock_wall();
  assert_ok(x->ctx, jproc_run(x->ctx, c, 3, &(jproc_options){.jobs = 1, .limit_s = 0.5}));
  assert_true(jclock_wall() - start < 20.0);
  assert_int_equal(c[0].exit_code, 0);
  assert_true(c[1].is_late);
  assert_int_equal(c[1].exit_code, 128 + 9);
  assert_false(c[2].is_late);
  assert_int_equal(c[2].exit_code, -1);
  assert_true(pid_in(x, path) > 0);
  assert_true(goes_within(pid_in(x, path), 10.0));
}

static void test_process_children_die_with_their_parent(void** state) {
  fixture* x = *state;
  const char* path = jarena_printf(&x->a, "%s/pid", fixture_dir(x));
  const char* hang[] = {"sh", "-c", hanging(x, path), NULL};
  pid_t parent = fork();
  if (parent == 0) {
    jproc_command c = {.argv = hang};
    jproc_run(x->ctx, &c, 1, &(jproc_options){.jobs = 1});
    _exit(0);
  }
  double end = jclock_wall() + 10.0;
  while (pid_in(x, path) == 0 && jclock_wall() < end) {
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  pid_t child = pid_in(x, path);
  assert_true(child > 0 && !is_gone(child));
  kill(parent, SIGKILL);
  assert_int_equal(waitpid(parent, NULL, 0), parent);
  assert_true(goes_within(child, 10.0));
}

static void test_process_has_the_temporary_folder_it_is_given(void** state) {
  fixture* x = *state;
  const char* path = jarena_printf(&x->a, "%s/output", fixture_dir(x));
  const char* argv[] = {"sh", "-c", "printf '%s|%s' \"$TMPDIR\" \"$JOUNCE_TEST_VARIABLE\"", NULL};
  setenv("JOUNCE_TEST_VARIABLE", "too", 1);
  jproc_command c = {.argv = argv, .output_path = path};
  assert_ok(x->ctx,
            jproc_run(x->ctx, &c, 1, &(jproc_options){.jobs = 1, .temp_dir = fixture_dir(x)}));
  char* text = NULL;
  size_t size = 0;
  assert_ok(x->ctx, jfile_read(x->ctx, &x->a, path, 1000, &text, &size));
  assert_string_equal(text, jarena_printf(&x->a, "%s|too", fixture_dir(x)));
}

static void test_process_find_looks_like_a_shell_does(void** state) {
  fixture* x = *state;
  const char* sh = jproc_find(&x->a, "sh");
  assert_non_null(sh);
  assert_int_equal(sh[0], '/');
  assert_string_equal(jproc_find(&x->a, sh), sh);
  assert_null(jproc_find(&x->a, "no-such-program-anywhere"));
  assert_null(jproc_find(&x->a, ""));
  assert_null(jproc_find(&x->a, "/tmp"));

  const char* old = jarena_strdup(&x->a, getenv("PATH"));
  const char* tool = jarena_printf(&x->a, "%s/tool", fixture_dir(x));
  assert_ok(x->ctx, jfile_write(x->ctx, tool, "#!/bin/sh\n", 10));
  setenv("PATH", jarena_printf(&x->a, "/nowhere:%s", fixture_dir(x)), 1);
  assert_null(jproc_find(&x->a, "tool"));  // not executable
  assert_int_equal(chmod(tool, 0755), 0);
  assert_string_equal(jproc_find(&x->a, "tool"), tool);
  setenv("PATH", old, 1);
}

static void test_process_survives_running_out_of_memory(void** state) {
  (void)state;
  const char* argv[] = {"true", NULL};
  jo_status status = JO_ERR_MEMORY;
  for (long n = 1; status < 0; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
    jproc_command c = {.argv = argv};
    status = jproc_run(ctx, &c, 1, &(jproc_options){.jobs = 1});
    if (status < 0) assert_int_equal(status, JO_ERR_MEMORY);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
  }
}

static void test_process_cpu_count_is_positive(void** state) {
  (void)state;
  assert_in_range(jproc_cpu_count(), 1, sysconf(_SC_NPROCESSORS_ONLN));
}

#define T(f) fixture_test(f)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(test_process_arguments_pass_no_shell),
      T(test_process_collects_output_and_errors_and_gives_no_input),
      T(test_process_passes_the_environment_on),
      T(test_process_tells_signals),
      T(test_process_many_commands_keep_their_own_results),
      T(test_process_jobs_bound_what_runs_at_once),
      T(test_process_that_cannot_start_is_an_error),
      T(test_process_leaves_foreign_children_alone),
      T(test_process_that_hangs_is_stopped_with_what_it_started),
      T(test_process_children_die_with_their_parent),
      T(test_process_has_the_temporary_folder_it_is_given),
      T(test_process_find_looks_like_a_shell_does),
      cmocka_unit_test(test_process_survives_running_out_of_memory),
      cmocka_unit_test(test_process_cpu_count_is_positive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
