// SPDX-License-Identifier: Apache-2.0
// Machine code of random graphs, with their derivatives, has the bits of the interpreter: at every level of the processor, in
// every number of lanes and every width of packs.
//
//   test_kernel_machine [OPERATIONS]     at least so many of each kind of code; 30,000 by default
#include <stdlib.h>

#include "base/system/cpu.h"
#include "kernel/kernel.h"
#include "support/check.h"
#include "support/fixture.h"
#include "support/repeated.h"

#define POINTS 20  // at which a function is evaluated

static long least_operations = 30000;

static const jcpu_level level_of[] = {JCPU_V4, JCPU_V3, JCPU_V2, JCPU_AARCH64};
static const int lane_count[] = {1, 2, 4, 8, 16}, pack_width[] = {1, 2, 4, 8};
enum { LEVELS = 4, LANE_COUNTS = 5, WIDTHS = 4 };

static bool is_same(double a, double b) {
  return a == b ? signbit(a) == signbit(b) : isnan(a) && isnan(b);
}

static void compare_outputs(const jkernel* k, const repeated* r, const jkernel* interpreted,
                            const char* level, int pack, uint64_t seed) {
  static double dy[2][REPEATED_OUTPUTS * REPEATED_LANES], xbar[2][REPEATED_INPUTS * REPEATED_LANES];
  repeated_evaluate(interpreted, seed, dy[0], xbar[0]);
  repeated_evaluate(k, seed, dy[1], xbar[1]);
  for (int i = 0; i < r->noutput * k->lanes; i++) {
    if (is_same(dy[0][i], dy[1][i])) continue;
    fail_msg("%s, %d lanes, packs of %d: tangent %d is %.17g, not %.17g", level, k->lanes, pack, i,
             dy[1][i], dy[0][i]);
  }
  for (int i = 0; i < REPEATED_INPUTS * k->lanes; i++) {
    if (is_same(xbar[0][i], xbar[1][i])) continue;
    fail_msg("%s, %d lanes, packs of %d: adjoint %d is %.17g, not %.17g", level, k->lanes, pack, i,
             xbar[1][i], xbar[0][i]);
  }
}

// One graph in all kinds of code; how many operations it has.
static int compare_graph(fixture* f, uint64_t seed, const char* level, int lanes) {
  repeated r;
  repeated_derive(&r, fixture_graph(f), 2 + (int)(seed % 9), 20 + (int)(seed % 30), seed);
  jkernel_options opt = jkernel_options_default();
  opt.lanes = lanes;
  opt.backend = JKERNEL_INTERP;
  jkernel_set* interpreted = NULL;
  assert_ok(f->ctx, jkernel_build(f->ctx, &r.derivatives, 1, &opt, &interpreted));
  opt.backend = JKERNEL_MACHINE;
  for (int w = 0; w < WIDTHS; w++) {
    jkernel_set* set = NULL;
    opt.emit.pack = pack_width[w];
    assert_ok(f->ctx, jkernel_build(f->ctx, &r.derivatives, 1, &opt, &set));
    assert_int_equal(set->backend, JKERNEL_MACHINE);
    for (uint64_t at = 1; at <= POINTS; at++) {
      compare_outputs(&set->kernel[0], &r, &interpreted->kernel[0], level, pack_width[w], at);
    }
    jkernel_destroy(set);
  }
  int n = interpreted->kernel[0].counts.total;
  jkernel_destroy(interpreted);
  return n;
}

static void compare_level(const char* level) {
  for (int i = 0; i < LANE_COUNTS; i++) {
    uint64_t seed = 1;
    for (long n = 0; n < (CHECK_SANITIZED ? 3000 : least_operations); seed++) {
      fixture* f = fixture_open();
      n += compare_graph(f, seed, level, lane_count[i]);
      fixture_close(f);
    }
  }
}

static void test_machine_code_of_random_graphs(void** state) {
  (void)state;
  int compared = 0;
  fixture* f = fixture_open();
  for (int i = 0; i < LEVELS; i++) {
    jcpu_level level;
    setenv("JOUNCE_CPU", jcpu_name(level_of[i]), 1);
    if (jcpu_choose(f->ctx, &level) < 0) continue;
    compare_level(jcpu_name(level));
    compared++;
  }
  fixture_close(f);
  unsetenv("JOUNCE_CPU");
  assert_true(compared > 0);
}

int main(int argc, char** argv) {
  if (argc > 1) least_operations = atol(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_machine_code_of_random_graphs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
