// SPDX-License-Identifier: Apache-2.0
// Listings of machine code have all of its bytes, in order, at every level and for several lanes. Nothing is executed, so that
// every machine can list the code of all others.
#include <stdio.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "emit/encode/listing.h"
#include "emit/machine/machine.h"
#include "support/check.h"
#include "support/fixture.h"
#include "support/repeated.h"

static const jcpu_level level_of[] = {JCPU_V2, JCPU_V3, JCPU_V4, JCPU_AARCH64};
static const int lane_count[] = {1, 2, 8};
enum { LEVELS = 4, LANE_COUNTS = 3 };

// Functions that are never called, anywhere in memory.
static void list_at_0(const jemit_list* about, double* list, const double* data) {
  (void)about, (void)list, (void)data;
}
static void list_at_1(const jemit_list* about, double* list, const double* data) {
  (void)about, (void)data;
  list[0] = 0.0;
}

static jemit_functions functions_at(uintptr_t base, int which) {
  jemit_functions f = {.list = which ? list_at_1 : list_at_0};
  for (int k = 0; k < 4; k++) {
    f.waves[k] = (jemit_function)(base + 8 * (uintptr_t)k);
    for (int op = 0; op < JEXPR_OP_COUNT; op++) {
      f.of[op][k] = (jemit_function)(base + 8 * (uintptr_t)(4 * op + k + 4));
    }
  }
  return f;
}

// Equations with calls, packs, choices and lists.
typedef struct equations {
  repeated r;
  jexpr_ref ref[REPEATED_OUTPUTS + 2];
  jexpr_outputs out[2];
  jexpr_fn fn;
} equations;

static void build(equations* e, jexpr_graph* g) {
  repeated_derive(&e->r, g, 8, 30, 7);
  jexpr_ref x = jexpr_input(g, 0, 0), list[12];
  for (int i = 0; i < 12; i++) {
    list[i] = jexpr_const(g, 0.1 * i);
  }
  jexpr_ref k = jexpr_locate(g, x, list, 12);
  e->ref[0] = jexpr_mul(g, k, jexpr_pick(g, k, list, 12));
  e->ref[1] = jexpr_floor(g, jexpr_pick(g, k, e->r.tangent, 3));
  e->out[0] = e->r.derivative[0];
  e->out[1] = (jexpr_outputs){"z", 2, e->ref};
  e->fn = (jexpr_fn){"f", g, 2, e->out};
}

static jo_status assemble(jo_context* ctx, jarena* a, const jexpr_fn* fn, jcpu_level level,
                          int lanes, const jemit_functions* functions, jemit_listing* l,
                          jemit_machine_unit* unit) {
  jemit_machine_options opt = {.lanes = lanes,
                               .pack = jcpu_lanes(level),
                               .level = level,
                               .functions = functions,
                               .listing = l};
  return jemit_machine(ctx, a, a, fn, 1, &opt, unit);
}

// ---- bytes ---------------------------------------------------------------------------------------

// The next line that is an instruction; NULL: none.
static const char* next_instruction(const char* text) {
  while (text && strncmp(text, "  ", 2) != 0) {
    text = strchr(text, '\n');
    if (text) text++;
  }
  return text && *text ? text : NULL;
}

// Checks bytes of a line against the code from `at` on; how many there are.
static uint32_t check_line(const char* line, const jemit_line* about, const uint8_t* code,
                           uint32_t at) {
  unsigned offset = 0, byte;
  uint32_t n = 0;
  int skip;
  assert_int_equal(sscanf(line, "%x%n", &offset, &skip), 1);
  assert_int_equal(offset, at);
  for (const char* s = line + skip + 2; sscanf(s, "%2x", &byte) == 1 && s[2] == ' '; s += 3) {
    if (!about->is_masked) assert_int_equal(byte, code[at + n]);
    n++;
    if (s[3] == ' ') break;
  }
  assert_int_equal(n, about->bytes);
  return n;
}

static void check_bytes(const jemit_listing* l, const jemit_machine_unit* unit, const char* text) {
  const jemit_listed* f = &l->function[0];
  uint32_t at = f->start;
  int instructions = 0;
  const char* line = next_instruction(text);
  for (int i = f->first; i < f->end; i++) {
    if (l->line[i].bytes == 0) continue;
    assert_non_null(line);
    at += check_line(line, &l->line[i], unit->code, at);
    line = next_instruction(strchr(line, '\n'));
    instructions++;
  }
  assert_null(line);
  assert_int_equal(instructions, f->instructions);
  assert_int_equal(at, f->start + f->bytes);
}

static void test_listed_bytes_are_the_code(void** state) {
  (void)state;
  jemit_functions functions = functions_at(0x555512340000, 0);
  for (int i = 0; i < LEVELS * LANE_COUNTS; i++) {
    fixture* f = fixture_open();
    equations e;
    jemit_listing l;
    jtext text;
    jemit_machine_unit unit, plain;
    jcpu_level level = level_of[i / LANE_COUNTS];
    int lanes = lane_count[i % LANE_COUNTS];
    build(&e, fixture_graph(f));
    jemit_listing_init(&l, f->ctx);
    jtext_init(&text, f->ctx);
    assert_ok(f->ctx, assemble(f->ctx, &f->a, &e.fn, level, lanes, &functions, &l, &unit));
    assert_ok(f->ctx, assemble(f->ctx, &f->a, &e.fn, level, lanes, &functions, NULL, &plain));
    assert_int_equal(unit.size, plain.size);
    assert_true(jemit_listing_write(&l, &text));
    assert_true(l.function[0].instructions > 100);
    check_bytes(&l, &unit, text.data);
    // every value is known by name where it comes from
    assert_non_null(strstr(text.data, "; x[0]"));
    assert_non_null(strstr(text.data, "= call"));
    assert_non_null(strstr(text.data, "list_1"));
    assert_non_null(strstr(text.data, " z[0"));
    jtext_free(&text);
    jemit_listing_free(&l);
    fixture_close(f);
  }
}

// ---- addresses -----------------------------------------------------------------------------------

static void test_addresses_do_not_show(void** state) {
  (void)state;
  // a part that is zero makes code of aarch64 shorter, but not its listing
  const uintptr_t base[] = {0x555512340000, 0x7f0000000000};
  for (int i = 0; i < LEVELS; i++) {
    fixture* f = fixture_open();
    equations e;
    jtext text[2];
    build(&e, fixture_graph(f));
    for (int k = 0; k < 2; k++) {
      jemit_functions functions = functions_at(base[k], k);
      jemit_listing l;
      jemit_machine_unit unit;
      jemit_listing_init(&l, f->ctx);
      jtext_init(&text[k], f->ctx);
      assert_ok(f->ctx, assemble(f->ctx, &f->a, &e.fn, level_of[i], 1, &functions, &l, &unit));
      assert_true(jemit_listing_write(&l, &text[k]));
      jemit_listing_free(&l);
    }
    assert_string_equal(text[0].data, text[1].data);
    jtext_free(&text[0]);
    jtext_free(&text[1]);
    fixture_close(f);
  }
}

// ---- memory --------------------------------------------------------------------------------------

static jo_status list_with(jo_allocator* allocator) {
  jo_context* ctx = NULL;
  jo_status status = jo_context_create(allocator, &ctx);
  if (status < 0) return status;
  jemit_functions functions = functions_at(0x555512340000, 0);
  jarena a;
  jemit_listing l;
  jtext text;
  jemit_machine_unit unit;
  jarena_init(&a, ctx);
  jemit_listing_init(&l, ctx);
  jtext_init(&text, ctx);
  jexpr_graph* g = jexpr_graph_create(ctx);
  status = JO_ERR_MEMORY;
  if (g) {
    jexpr_ref x = jexpr_input(g, jexpr_group(g, "x", 2, JEXPR_UNIFORM), 0);
    jexpr_ref y = jexpr_sin(g, jexpr_mul(g, x, jexpr_const(g, 3.0)));
    jexpr_outputs out = {"y", 1, &y};
    jexpr_fn fn = {"f", g, 1, &out};
    status = jexpr_graph_status(g);
    if (status >= 0) status = assemble(ctx, &a, &fn, JCPU_V3, 1, &functions, &l, &unit);
  }
  if (status >= 0 && !jemit_listing_write(&l, &text)) status = JO_ERR_MEMORY;
  jexpr_graph_destroy(g);
  jtext_free(&text);
  jemit_listing_free(&l);
  jarena_free(&a);
  jo_context_destroy(ctx);
  return status;
}

static void test_listing_survives_lack_of_memory(void** state) {
  (void)state;
  for (long n = 0; n < 100000; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_status status = list_with(&f.allocator);
    assert_int_equal(f.live_bytes, 0);
    if (status >= 0) return;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  fail();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_listed_bytes_are_the_code),
      cmocka_unit_test(test_addresses_do_not_show),
      cmocka_unit_test(test_listing_survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
