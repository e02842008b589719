// SPDX-License-Identifier: Apache-2.0
// Property files of tyres: what is read, what is told, and that nothing breaks whatever the bytes.
#include "model/tyre/tir.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "support/fixture.h"

#define SAMPLE "test/data/tyres/MagicFormula62_Parameters.tir"

static void test_tir_reads_versions_sides_and_lines(void** state) {
  fixture* f = *state;
  jmodel_tir t;
  assert_ok(f->ctx, jmodel_tir_read(f->ctx, &f->a, SAMPLE, &t));
  assert_ok(f->ctx, jmodel_tir_finish(f->ctx, &t, JTIR_WHEELS, NULL));
  assert_int_equal(t.version, JTIR_62);
  assert_int_equal(t.side, JTIR_RIGHT);
  assert_true(t.has_combined && !t.ellipse);
  assert_true(t.value[JTIR_PKY1] == 27.42326);
  assert_int_equal(t.line[JTIR_UNLOADED_RADIUS], 28);
  // not given: zero, one of scale factors
  assert_int_equal(t.line[JTIR_PTX1], 0);
  assert_true(t.value[JTIR_PTX1] == 0.0 && t.value[JTIR_LGAX] == 1.0);
}

static void test_tir_table_has_every_name_once(void** state) {
  (void)state;
  for (int i = 0; i < JTIR_COUNT; i++) {
    assert_int_equal(jmodel_tir_find(jmodel_tir_table[i].name), i);
  }
  assert_int_equal(jmodel_tir_find("pky1"), JTIR_PKY1);
  assert_int_equal(jmodel_tir_find("PKY"), -1);
  assert_string_equal(jmodel_tir_guess("LFZ0"), "LFZO");
}

// Every byte in turn is taken away, doubled or replaced: read or refused, never worse.
static void test_tir_survives_any_bytes(void** state) {
  fixture* f = *state;
  char* text;
  size_t n;
  jmodel_tir t;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, SAMPLE, (size_t)1 << 20, &text, &n));
  char* bytes = malloc(n + 1);
  unsigned seed = 1;
  for (int round = 0; round < 400; round++) {
    memcpy(bytes, text, n);
    size_t length = n;
    for (int k = 0; k < 1 + round % 8; k++) {
      seed = seed * 1664525u + 1013904223u;
      size_t at = (seed >> 4) % length;
      switch (seed >> 30) {
        case 0: bytes[at] = (char)(seed >> 8); break;
        case 1: bytes[at] = "=[]{}'\"$!\n\r\t "[(seed >> 8) % 13]; break;
        case 2: memmove(bytes + at, bytes + at + 1, --length - at); break;
        default: length = at + 1;
      }
    }
    jarena_mark mark = jarena_save(&f->a);
    jo_status status = jmodel_tir_parse(f->ctx, &f->a, bytes, length, "x.tir", &t);
    if (status >= 0) status = jmodel_tir_finish(f->ctx, &t, JTIR_WHEELS, NULL);
    assert_true(status == JO_OK || status == JO_ERR_MODEL || status == JO_ERR_SYNTAX);
    jarena_restore(&f->a, mark);
    jo_context_clear(f->ctx);
  }
  free(bytes);
}

// Each point may need a digit behind it, so a number can grow to twice its length.
static void test_tir_rejects_a_number_of_points(void** state) {
  fixture* f = *state;
  jmodel_tir t;
  char text[128] = "[SCALING_COEFFICIENTS]\nLFZO=";
  size_t n = strlen(text);
  memset(text + n, '.', 71);
  assert_int_equal(jmodel_tir_parse(f->ctx, &f->a, text, n + 71, "x.tir", &t), JO_ERR_MODEL);
  jo_context_clear(f->ctx);
}

static void test_tir_memory_ends_anywhere(void** state) {
  fixture* f = *state;
  jmodel_tir t;
  bool is_done = false;
  for (int k = 0; k < 1000 && !is_done; k++) {
    f->memory.fail_at = atomic_load(&f->memory.calls) + k;
    jarena a;
    jarena_init(&a, f->ctx);
    jo_status status = jmodel_tir_read(f->ctx, &a, SAMPLE, &t);
    f->memory.fail_at = -1;
    assert_true(status == JO_OK || status == JO_ERR_MEMORY);
    is_done = status == JO_OK;
    jarena_free(&a);
    jo_context_clear(f->ctx);
  }
  assert_true(is_done);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_tir_reads_versions_sides_and_lines),
      cmocka_unit_test(test_tir_table_has_every_name_once),
      fixture_test(test_tir_survives_any_bytes),
      fixture_test(test_tir_rejects_a_number_of_points),
      fixture_test(test_tir_memory_ends_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
