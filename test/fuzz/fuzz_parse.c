// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an expression. What parses is differentiated with respect to all
// inputs, scheduled, flattened to a tape and evaluated; nothing may crash, leak or report less than
// one error for a failure.
//
//   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_parse -max_len=512 test/fuzz/corpus_parse
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/diff.h"
#include "expr/parse/parse.h"
#include "expr/tape/tape.h"
#include "support/error_count.h"

static const char* const names[] = {"t", "x", "y", "k_f", "chassis.z", "front.spring.k"};
#define NNAME 6

typedef struct inputs {
  jexpr_ref value[NNAME];
  jexpr_ref direction[NNAME];
} inputs;

static void require(bool condition) {
  if (!condition) abort();
}

static bool is_word(const char* s, size_t n, const char* word) {
  return n == strlen(word) && memcmp(s, word, n) == 0;
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t length) {
  (void)g;
  inputs* in = user;
  for (int i = 0; i < NNAME; i++) {
    if (is_word(name, length, names[i])) return in->value[i];
  }
  return JEXPR_POISON;
}

static const char* suggest(void* user, int i) {
  (void)user;
  return i < NNAME ? names[i] : NULL;
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t length,
                      const jexpr_ref* args, int nargs, int* expected) {
  (void)user;
  if (is_word(name, length, "pick")) {
    if (nargs >= 2) return jexpr_pick(g, args[0], args + 1, nargs - 1);
    *expected = 2;
  } else if (is_word(name, length, "twice")) {
    if (nargs == 1) return jexpr_add(g, args[0], args[0]);
    *expected = 1;
  }
  return JEXPR_POISON;
}

static void evaluate(jexpr_graph* g, const jexpr_ref* y, int ny) {
  jarena arena;
  jarena_init(&arena, g->ctx);
  jexpr_outputs out = {"y", ny, y};
  jexpr_fn fn = {"f", g, 1, &out};
  jexpr_tape tape;
  require(jexpr_tape_build(g->ctx, &arena, &fn, &tape) == JO_OK);
  double* work = JARENA_ARRAY(&arena, jexpr_tape_work(&tape, 1), double);
  double u[NNAME] = {0.5, -1.25, 2.0, 1000.0, 0.0, 2e4};
  double du[NNAME] = {1, 0, 0, -1, 0, 1};
  double result[2];
  const double* in[] = {u, du};
  double* results[] = {result};
  jexpr_tape_init(&tape, 1, work);
  jexpr_tape_eval(&tape, 1, in, results, work);
  jarena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jo_context* ctx = NULL;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  jexpr_graph* g = jexpr_graph_create(ctx);
  require(g != NULL);
  inputs in;
  int u = jexpr_group(g, "u", NNAME, JEXPR_PER_LANE);
  int du = jexpr_group(g, "du", NNAME, JEXPR_PER_LANE);
  for (int i = 0; i < NNAME; i++) {
    in.value[i] = jexpr_input(g, u, i);
    in.direction[i] = jexpr_input(g, du, i);
  }
  jexpr_scope scope = {.find = find, .suggest = suggest, .user = &in, .call = call};
  jexpr_ref y[2] = {JEXPR_POISON, JEXPR_POISON};
  jo_status status = jexpr_parse(g, (const char*)data, size, &scope, "fuzz", &y[0]);
  require((status < 0) == (y[0] == JEXPR_POISON));
  require((status < 0) == (error_count(ctx) == 1));
  require(jexpr_graph_status(g) == JO_OK);
  if (status == JO_OK) {
    require(jexpr_tangent(g, y, 1, in.value, in.direction, NNAME, &y[1]) == JO_OK);
    evaluate(g, y, 2);
    if (g->nnode < 2000) require(jexpr_graph_is_valid(g));
  }
  jexpr_graph_destroy(g);
  jo_context_destroy(ctx);
  return 0;
}
