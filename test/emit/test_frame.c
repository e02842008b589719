// SPDX-License-Identifier: Apache-2.0
// Places in the frame of machine code.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/cpu.h"
#include "emit/machine/frame.h"
#include "support/check.h"
#include "support/fixture.h"

enum { LIST = 20, VALUES = 400, MOST = 1 << 16 };

static const jcpu_level level_of[] = {JCPU_V2, JCPU_V3, JCPU_V4, JCPU_AARCH64};
enum { LEVELS = 4 };

// A base register as if it pointed into one array: parts one behind the other, as code sees them.
static int address(const jemit_frame* f, jemit_location l) {
  const jemit_target* t = f->target;
  for (int i = 0; i < t->nwide; i++) {
    if (l.reg == t->wide[i].reg) return l.at + t->wide[i].at;
  }
  assert_true(t->has_narrow);
  assert_int_equal(l.reg, t->narrow.reg);
  return (f->size[0] + 63) / 64 * 64 + l.at + t->narrow.at;
}

typedef struct held {
  int n, at;
} held;

static void assert_apart(const jemit_frame* f, const held* x, int count) {
  static uint8_t used[MOST];
  memset(used, 0, sizeof used);
  memset(used, 1, LIST * 8);
  for (int i = 0; i < count; i++) {
    int at = address(f, jemit_frame_location(f, x[i].n, x[i].at));
    assert_int_equal(at % (8 * x[i].n), 0);
    assert_in_range(at + 8 * x[i].n, 0, jemit_frame_size(f));
    for (int b = at; b < at + 8 * x[i].n; b++) {
      assert_false(used[b]);
      used[b] = 1;
    }
  }
}

// Values come and go; at any time all of them, and the list, have places of their own.
static void test_frame_keeps_values_apart(void** state) {
  fixture* f = *state;
  for (int level = 0; level < LEVELS; level++) {
    const jemit_target* t = jemit_target_of(level_of[level]);
    jemit_frame frame;
    held x[VALUES];
    int count = 0, width = 0;
    assert_true(jemit_frame_init(&frame, &f->a, t, LIST, 10 * VALUES));
    while ((1 << width) < t->lanes) {
      width++;
    }
    srand(1);
    for (int round = 0; round < 10 * VALUES; round++) {
      if (count > 0 && (count == VALUES || rand() % 3 == 0)) {
        int i = rand() % count;
        jemit_frame_give(&frame, x[i].n, x[i].at);
        x[i] = x[--count];
      } else {
        int n = 1 << rand() % (width + 1);
        x[count++] = (held){n, jemit_frame_take(&frame, n)};
      }
      if (round % 100 == 0) assert_apart(&frame, x, count);
    }
    assert_apart(&frame, x, count);
  }
}

static void test_frame_takes_the_lowest_place(void** state) {
  fixture* f = *state;
  jemit_frame frame;
  int at[50];
  assert_true(jemit_frame_init(&frame, &f->a, jemit_target_of(JCPU_V3), 0, 100));
  for (int i = 0; i < 50; i++) {
    at[i] = jemit_frame_take(&frame, 4);
  }
  for (int i = 49; i >= 10; i -= 3) {
    jemit_frame_give(&frame, 4, at[i]);
  }
  for (int i = 10; i < 50; i += 3) {
    assert_int_equal(jemit_frame_take(&frame, 4), at[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_frame_keeps_values_apart),
      fixture_test(test_frame_takes_the_lowest_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
