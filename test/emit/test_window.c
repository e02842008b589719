// SPDX-License-Identifier: Apache-2.0
// Windows into the frame and the constants of machine code.
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emit/machine/window.h"
#include "support/check.h"
#include "support/fixture.h"

enum { VALUES = 3000, CONSTANTS = 200, ROUNDS = 4000, WINDOW = 256, FRAME = 1 << 17 };

static const jcpu_level level_of[] = {JCPU_V2, JCPU_V3, JCPU_V4};
enum { LEVELS = 3 };

// Registers in the middle of a function: values that are read at some time, a few of them in the frame.
typedef struct subject {
  jemit_operations o;
  jemit_code code;
  jemit_windows w;
  int *next, *reg, *slot, at;
  int held[VALUES], count;  // values in the frame
} subject;

static void open_subject(subject* s, fixture* f, jcpu_level level) {
  *s = (subject){.code = {.ctx = f->ctx, .level = level}};
  s->o.nvalue = VALUES + CONSTANTS;
  s->o.npool = CONSTANTS;
  s->o.value = JARENA_ARRAY(&f->a, s->o.nvalue, jemit_value);
  s->next = JARENA_ARRAY(&f->a, s->o.nvalue, int);
  s->reg = JARENA_ARRAY(&f->a, s->o.nvalue, int);
  s->slot = JARENA_ARRAY(&f->a, s->o.nvalue, int);
  s->w = (jemit_windows){.o = &s->o,
                         .target = jemit_target_of(level),
                         .c = &s->code,
                         .next = s->next,
                         .reg = s->reg,
                         .now = &s->at};
  for (int i = 0; i < s->o.nvalue; i++) {
    bool is_constant = i >= VALUES;
    s->o.value[i].n = (uint8_t)(is_constant ? 1 : 1 << rand() % (s->w.target->windowed / 2 + 1));
    s->o.value[i].home = is_constant ? JEMIT_CONSTANT : JEMIT_NOWHERE;
    s->o.value[i].at = is_constant ? 8 * (i - VALUES) : 0;
    s->reg[i] = -1;
    s->next[i] = rand() % ROUNDS;
  }
  assert_true(jemit_windows_init(&s->w, &f->a));
}

// Where a location is in its area. That of a moving register is within reach of a short displacement.
static int address(const subject* s, jemit_area area, jemit_location l) {
  const jemit_target* t = s->w.target;
  if (l.kind == JEMIT_POOL) return l.at;
  if (l.reg == t->narrow.reg) return l.at + t->narrow.at;
  for (int k = 0; k < t->nwindow; k++) {
    if (t->window[k] != l.reg) continue;
    assert_int_equal(s->w.of[k].area, area);
    assert_in_range(l.at + 128, 0, 255);
    return s->w.of[k].index * WINDOW + 128 + l.at;
  }
  fail_msg("no window is at register %d", l.reg);
  return -1;
}

static void take_or_give(subject* s, int next) {
  if (s->count > 0 && rand() % 3 == 0) {
    int i = rand() % s->count, value = s->held[i];
    jemit_window_give(&s->w, value, s->slot[value]);
    s->held[i] = s->held[--s->count];
  } else {
    s->slot[next] = jemit_window_take(&s->w, next);
    s->held[s->count++] = next;
  }
}

static void assert_apart(const subject* s) {
  static uint8_t used[FRAME];
  memset(used, 0, sizeof used);
  for (int i = 0; i < s->count; i++) {
    int n = s->o.value[s->held[i]].n, at = s->slot[s->held[i]];
    assert_int_equal(at % (8 * n), 0);
    assert_in_range(at + 8 * n, 0, jemit_windows_size(&s->w));
    assert_int_equal(at / WINDOW, (at + 8 * n - 1) / WINDOW);
    for (int b = at; b < at + 8 * n; b++) {
      assert_false(used[b]);
      used[b] = 1;
    }
  }
}

static void test_window_keeps_values_apart_and_finds_them(void** state) {
  fixture* f = *state;
  srand(1);
  for (int level = 0; level < LEVELS; level++) {
    subject s;
    open_subject(&s, f, level_of[level]);
    for (int round = 0; round < VALUES; round++) {
      s.at = round;
      take_or_give(&s, round);
      if (s.count == 0) continue;
      int value = s.held[rand() % s.count];
      jemit_location l = jemit_window_location(&s.w, JEMIT_FRAME, s.slot[value]);
      assert_int_equal(address(&s, JEMIT_FRAME, l), s.slot[value]);
      if (rand() % 50 == 0) jemit_windows_forget(&s.w);
      if (round % 100 == 0) assert_apart(&s);
    }
    jemit_code_free(&s.code);
  }
}

// An operation reads what it was told of, whatever else it looks for.
static void test_window_stays_for_the_operation_that_uses_it(void** state) {
  fixture* f = *state;
  srand(2);
  for (int level = 0; level < LEVELS; level++) {
    subject s;
    open_subject(&s, f, level_of[level]);
    for (int i = 0; i < VALUES / 2; i++) {
      s.slot[i] = jemit_window_take(&s.w, i);
      s.next[i] = 0;
    }
    for (s.at = 1; s.at < 500; s.at++) {
      int value = rand() % (VALUES / 2);
      jemit_location l = jemit_window_location(&s.w, JEMIT_FRAME, s.slot[value]);
      for (int k = 0; k < 20; k++) {
        jemit_window_location(&s.w, JEMIT_FRAME, s.slot[rand() % (VALUES / 2)]);
      }
      assert_int_equal(address(&s, JEMIT_FRAME, l), s.slot[value]);
    }
    jemit_code_free(&s.code);
  }
}

static void test_window_moves_to_constants_that_are_read_soon(void** state) {
  fixture* f = *state;
  subject s;
  open_subject(&s, f, JCPU_V3);
  for (int i = VALUES; i < s.o.nvalue; i++) {
    s.next[i] = i < VALUES + 64 ? 10 : INT_MAX;
  }
  jemit_location near = jemit_window_location(&s.w, JEMIT_CONSTANTS, 8 * 40);
  assert_int_equal(near.kind, JEMIT_MEMORY);
  assert_int_equal(address(&s, JEMIT_CONSTANTS, near), 8 * 40);
  jemit_location far = jemit_window_location(&s.w, JEMIT_CONSTANTS, 8 * 100);
  assert_int_equal(far.kind, JEMIT_POOL);
  assert_int_equal(far.at, 8 * 100);
  jemit_code_free(&s.code);
}

static void test_window_narrow_functions_take_short_instructions(void** state) {
  (void)state;
  assert_int_equal(jemit_level_for(JCPU_V4, 8), JCPU_V4);
  assert_int_equal(jemit_level_for(JCPU_V4, 4), JCPU_V3);
  assert_int_equal(jemit_level_for(JCPU_V3, 1), JCPU_V3);
  assert_int_equal(jemit_level_for(JCPU_V2, 1), JCPU_V2);
  assert_int_equal(jemit_level_for(JCPU_AARCH64, 1), JCPU_AARCH64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_window_keeps_values_apart_and_finds_them),
      fixture_test(test_window_stays_for_the_operation_that_uses_it),
      fixture_test(test_window_moves_to_constants_that_are_read_soon),
      cmocka_unit_test(test_window_narrow_functions_take_short_instructions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
