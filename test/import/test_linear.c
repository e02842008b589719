// SPDX-License-Identifier: Apache-2.0
// The work of taking over a file grows with its size and not with the square of it. Counted are comparisons of texts,
// which is what searching among names is made of: the linker puts the functions below in the place of libc's.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jounce/import.h"
#include "jounce/model.h"
#include "support/check.h"
#include "support/fixture.h"

int __real_strcmp(const char* a, const char* b);
int __real_memcmp(const void* a, const void* b, size_t n);
int __wrap_strcmp(const char* a, const char* b);
int __wrap_memcmp(const void* a, const void* b, size_t n);

static long compared;

int __wrap_strcmp(const char* a, const char* b) {
  compared++;
  return __real_strcmp(a, b);
}

int __wrap_memcmp(const void* a, const void* b, size_t n) {
  compared++;
  return __real_memcmp(a, b, n);
}

typedef enum shape { CHAIN, STAR, FOREST } shape;

// Links in a row, all on one, or all on the ground; each with a joint.
static void write_robot(const char* path, shape how, int n) {
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "<robot name=\"r\"><link name=\"l0\"/>\n");
  for (int i = 1; i <= n; i++) {
    fprintf(f,
            "<link name=\"l%d\"><inertial><origin xyz=\"0 0 0.1\"/><mass value=\"1\"/><inertia "
            "ixx=\"0.01\" iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
            "</link>\n<joint name=\"j%d\" type=\"%s\"><parent link=\"l%d\"/><child link=\"l%d\"/>"
            "<origin xyz=\"0 0 0.2\"/><axis xyz=\"0 1 0\"/><dynamics damping=\"0.1\"/></joint>\n",
            i, i, "continuous", how == CHAIN ? i - 1 : 0, i);
  }
  fprintf(f, "</robot>\n");
  assert_int_equal(fclose(f), 0);
}

static void write_forest(const char* path, int n) {
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fprintf(f, "<mujoco model=\"m\"><worldbody>\n");
  for (int i = 0; i < n; i++) {
    fprintf(f,
            "<body name=\"b%d\" pos=\"%d 0 1\"><inertial mass=\"1\" pos=\"0 0 0\" "
            "diaginertia=\".01 .01 .01\"/><joint name=\"j%d\" axis=\"0 1 0\" damping=\"0.1\"/>"
            "</body>\n",
            i, i, i);
  }
  fprintf(f, "</worldbody></mujoco>\n");
  assert_int_equal(fclose(f), 0);
}

static long work(shape how, int n) {
  char path[64];
  snprintf(path, sizeof path, "/tmp/jounce_linear_%ld.xml", (long)getpid());
  if (how == FOREST) {
    write_forest(path, n);
  } else {
    write_robot(path, how, n);
  }
  fixture* f = fixture_open();
  jo_imported* taken = NULL;
  jo_model* model = NULL;
  compared = 0;
  assert_ok(f->ctx, jo_import(f->ctx, path, &taken));
  const char* text = jo_imported_text(taken);
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "taken.yaml", NULL, 0, &model));
  long count = compared;
  jo_model_destroy(model);
  jo_imported_destroy(taken);
  fixture_close(f);
  remove(path);
  return count;
}

// Four times the links, at most five times the work; the square of it would be sixteen times.
static void test_work_grows_with_the_number_of_links(void** state) {
  (void)state;
  for (int how = CHAIN; how <= FOREST; how++) {
    long few = work((shape)how, 500), many = work((shape)how, 2000);
    assert_true(few > 500);
    if (many >= 5 * few) fail_msg("shape %d: %ld, then %ld comparisons", how, few, many);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_grows_with_the_number_of_links)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
