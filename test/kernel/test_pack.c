// SPDX-License-Identifier: Apache-2.0
// Packs in compiled kernels: the bits of the interpreter, whatever their width, the chunks and the compiler, for graphs
// that repeat themselves and for vehicles.
#include "base/system/process.h"
#include "emit/c/emit.h"
#include "kernel/kernel.h"
#include "plant/plant.h"
#include "support/fixture.h"
#include "support/random_graph.h"
#include "support/repeated.h"

enum { LANES = 8 };

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void evaluate(const jkernel* k, uint64_t seed, double* y) {
  double x[REPEATED_INPUTS], p[REPEATED_SHARED];
  double* work = calloc(k->work + 1, sizeof *work);
  assert_non_null(work);
  repeated_inputs(seed, x, p);
  jkernel_init_work(k, work);
  jkernel_eval(k, (const double* const[]){x, p}, (double* const[]){y}, work);
  free(work);
}

static jkernel_set* build(fixture* f, const repeated* r, const jkernel_options* opt) {
  jkernel_set* set = NULL;
  assert_ok(f->ctx, jkernel_build(f->ctx, &r->fn, 1, opt, &set));
  return set;
}

static void compare(fixture* f, const repeated* r, const jkernel_options* opt,
                    const jkernel_set* interpreted) {
  jkernel_set* compiled = build(f, r, opt);
  for (uint64_t seed = 1; seed <= 200; seed++) {
    double y[2][REPEATED_OUTPUTS];
    evaluate(&interpreted->kernel[0], seed, y[0]);
    evaluate(&compiled->kernel[0], seed, y[1]);
    for (int i = 0; i < r->noutput; i++) {
      if (is_same(y[0][i], y[1][i])) continue;
      fail_msg("%s, packs of %d: output %d is %.17g, not %.17g", opt->compiler, opt->emit.pack, i,
               y[1][i], y[0][i]);
    }
  }
  jkernel_destroy(compiled);
}

static void test_packed_kernels_equal_the_interpreter(void** state) {
  static const struct {
    int pack, chunk, optimize;
  } variant[] = {{1, 400, 1}, {2, 400, 1}, {4, 13, 1}, {8, 400, 1}, {8, 37, 2}};
  static const char* const compiler[] = {"gcc", "clang"};
  fixture* f = *state;
  repeated r;
  repeated_build(&r, fixture_graph(f), REPEATED_COPIES, 80, 11);
  jkernel_options opt = jkernel_options_default();
  opt.backend = JKERNEL_INTERP;
  jkernel_set* interpreted = build(f, &r, &opt);
  opt.backend = JKERNEL_CC;
  for (int i = 0; i < 10; i++) {
    if (!jproc_find(&f->a, compiler[i % 2])) continue;
    opt.compiler = compiler[i % 2];
    opt.emit.pack = variant[i / 2].pack;
    opt.emit.chunk_statements = variant[i / 2].chunk;
    opt.optimize = variant[i / 2].optimize;
    compare(f, &r, &opt, interpreted);
  }
  jkernel_destroy(interpreted);
}

// Derivatives in several lanes: inputs that do not vary are the same for all of them.
static void compare_lanes(fixture* f, const repeated* r, const jkernel_options* opt) {
  static double dy[2][REPEATED_OUTPUTS * LANES], xbar[2][REPEATED_INPUTS * LANES];
  jkernel_options plain = *opt;
  jkernel_set* set[2] = {NULL, NULL};
  plain.backend = JKERNEL_INTERP;
  assert_ok(f->ctx, jkernel_build(f->ctx, &r->derivatives, 1, &plain, &set[0]));
  assert_ok(f->ctx, jkernel_build(f->ctx, &r->derivatives, 1, opt, &set[1]));
  for (uint64_t seed = 1; seed <= 100; seed++) {
    for (int i = 0; i < 2; i++)
      repeated_evaluate(&set[i]->kernel[0], seed, dy[i], xbar[i]);
    for (int i = 0; i < r->noutput * opt->lanes; i++) {
      if (is_same(dy[0][i], dy[1][i])) continue;
      fail_msg("%s, %d lanes, packs of %d: tangent %d is %.17g, not %.17g", opt->compiler,
               opt->lanes, opt->emit.pack, i, dy[1][i], dy[0][i]);
    }
    for (int i = 0; i < REPEATED_INPUTS * opt->lanes; i++) {
      if (is_same(xbar[0][i], xbar[1][i])) continue;
      fail_msg("%s, %d lanes, packs of %d: adjoint %d is %.17g, not %.17g", opt->compiler,
               opt->lanes, opt->emit.pack, i, xbar[1][i], xbar[0][i]);
    }
  }
  jkernel_destroy(set[0]);
  jkernel_destroy(set[1]);
}

static void test_packs_in_lanes_equal_the_interpreter(void** state) {
  static const struct {
    int lanes, pack, chunk;
  } variant[] = {{2, 4, 400}, {2, 8, 23}, {4, 8, 400}, {8, 8, 31}, {8, 2, 400}};
  static const char* const compiler[] = {"gcc", "clang"};
  fixture* f = *state;
  repeated r;
  repeated_derive(&r, fixture_graph(f), REPEATED_COPIES, 40, 12);
  jkernel_options opt = jkernel_options_default();
  opt.backend = JKERNEL_CC;
  for (int i = 0; i < 10; i++) {
    if (!jproc_find(&f->a, compiler[i % 2])) continue;
    opt.compiler = compiler[i % 2];
    opt.lanes = variant[i / 2].lanes;
    opt.emit.pack = variant[i / 2].pack;
    opt.emit.chunk_statements = variant[i / 2].chunk;
    compare_lanes(f, &r, &opt);
  }
}

static void test_packs_are_emitted_the_same_every_time(void** state) {
  fixture* f = *state;
  jemit_options opt = jemit_options_default();
  jemit_unit unit[3];
  for (int i = 0; i < 3; i++) {
    fixture* own = fixture_open();
    repeated r;
    repeated_build(&r, fixture_graph(own), 6, 120, 5);
    opt.pack = i < 2 ? 8 : 1;
    assert_ok(own->ctx, jemit_c(own->ctx, &f->a, &r.fn, 1, &opt, &unit[i]));
    fixture_close(own);
  }
  assert_string_equal(unit[0].sha256, unit[1].sha256);
  assert_non_null(strstr(unit[0].file[1].text, "jk_v4 "));
  assert_null(strstr(unit[2].file[1].text, "jk_v"));
}

// States around the start of a manoeuvre, at which all switches and rates are compared.
static void compare_vehicle(const char* path) {
  fixture* f[2];
  for (int i = 0; i < 2; i++) {
    jplant_options opt = jplant_options_default();
    opt.kernel.backend = i == 0 ? JKERNEL_CC : JKERNEL_INTERP;
    f[i] = fixture_load(path, NULL, 0);
    fixture_build(f[i], &opt);
  }
  const jgen_dynamics* d = f[0]->plant->dynamics;
  size_t n = (size_t)(d->ny + d->nswitch) + 1;
  double *y = calloc(n, sizeof *y), *value[2] = {calloc(n, sizeof *y), calloc(n, sizeof *y)};
  random_source s;
  random_seed(&s, 3);
  for (int round = 0; round < 50; round++) {
    for (int k = 0; k < d->ny; k++)
      y[k] = f[0]->plant->y0[k] + (round == 0 ? 0.0 : random_uniform(&s, -0.02, 0.02));
    for (int i = 0; i < 2; i++) {
      jsolve_system* system = &f[i]->run->system;
      jsolve_set_modes(system, 0.1, y, value[i]);
      system->rhs(system->user, 0.1, y, value[i]);
      if (d->nswitch > 0) system->switches(system->user, 0.1, y, value[i] + d->ny);
    }
    for (size_t k = 0; k + 1 < n; k++) {
      if (!is_same(value[0][k], value[1][k])) {
        fail_msg("%s: value %d is %.17g, not %.17g", path, (int)k, value[0][k], value[1][k]);
      }
    }
  }
  free(y);
  free(value[0]);
  free(value[1]);
  fixture_close(f[0]);
  fixture_close(f[1]);
}

static void test_vehicles_have_the_bits_of_the_interpreter(void** state) {
  (void)state;
  compare_vehicle("models/buggy/step_descent.yaml");
  compare_vehicle("models/tracked/bump.yaml");
  compare_vehicle("models/car/step_steer.yaml");
}

// A limit from outside, which is checked.
static void test_environment_limits_packs(void** state) {
  fixture* f = *state;
  repeated r;
  repeated_build(&r, fixture_graph(f), 4, 20, 2);
  jkernel_options opt = jkernel_options_default();
  jkernel_set* set = NULL;
  opt.backend = JKERNEL_CC;
  setenv("JOUNCE_PACK_LANES", "3", 1);
  jo_status status = jkernel_build(f->ctx, &r.fn, 1, &opt, &set);
  setenv("JOUNCE_PACK_LANES", "1", 1);
  assert_int_equal(status, JO_ERR_ARGUMENT);
  assert_null(set);
  assert_non_null(strstr(jo_context_message(f->ctx), "JOUNCE_PACK_LANES is '3'"));
  set = build(f, &r, &opt);
  unsetenv("JOUNCE_PACK_LANES");
  jkernel_destroy(set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_packed_kernels_equal_the_interpreter, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(test_packs_in_lanes_equal_the_interpreter, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(test_packs_are_emitted_the_same_every_time, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test(test_vehicles_have_the_bits_of_the_interpreter),
      cmocka_unit_test_setup_teardown(test_environment_limits_packs, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
