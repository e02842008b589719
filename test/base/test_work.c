// SPDX-License-Identifier: Apache-2.0
// Folders of work: those of processes that are gone are removed, by whoever is left.
#include "base/system/work.h"

#include <dirent.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system/file.h"
#include "support/fixture.h"

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

// A process that dies at work, and with it the one that would remove its folder, or not.
static void die_at_work(fixture* x, bool is_kept) {
  pid_t pid = fork();
  if (pid == 0) {
    jwork w;
    bool ok = jwork_open(x->ctx, &x->a, fixture_dir(x), &w) >= 0 &&
              jfile_write_new(x->ctx, jarena_printf(&x->a, "%s/f", w.path), "x", 1) >= 0;
    if (!is_kept) jproc_keep_no_more(&w.keeper);
    _exit(ok ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static void test_work_is_removed_when_its_process_dies(void** state) {
  fixture* x = *state;
  const struct timespec moment = {0, 10000000};
  die_at_work(x, true);
  for (int i = 0; i < 6000 && count_entries(fixture_dir(x)) > 0; i++) {
    nanosleep(&moment, NULL);
  }
  assert_int_equal(count_entries(fixture_dir(x)), 0);
}

static void test_work_of_the_dead_is_removed_and_of_the_living_is_not(void** state) {
  fixture* x = *state;
  jwork mine, next;
  assert_ok(x->ctx, jwork_open(x->ctx, &x->a, fixture_dir(x), &mine));
  die_at_work(x, false);
  assert_int_equal(count_entries(fixture_dir(x)), 2);
  assert_ok(x->ctx, jwork_open(x->ctx, &x->a, fixture_dir(x), &next));
  assert_int_equal(count_entries(fixture_dir(x)), 2);
  assert_true(jfile_exists(mine.path));
  jwork_close(&mine);
  jwork_close(&next);
  assert_int_equal(count_entries(fixture_dir(x)), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_work_is_removed_when_its_process_dies),
      fixture_test(test_work_of_the_dead_is_removed_and_of_the_living_is_not),
  };
  return cmocka_run_group_tests_name("base.work", tests, NULL, NULL);
}
