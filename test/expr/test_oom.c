// SPDX-License-Identifier: Apache-2.0
// Memory ends at every possible point between an empty context and emitted code: the status says
// so, nothing leaks, nothing crashes. Both ways to end are tried: for good, and for one call only,
// after which a pass must not carry on as if nothing had happened.
#include "emit/c/emit.h"
#include "expr/diff.h"
#include "expr/linear/cut.h"
#include "expr/linear/preaccumulate.h"
#include "expr/parse/parse.h"
#include "expr/solve.h"
#include "expr/table.h"
#include "expr/tape/tape.h"
#include "support/check.h"
#include "support/failing_alloc.h"

enum { NX = 4, NY = 3, POINTS = 4 };

typedef struct work {
  jo_context* ctx;
  jexpr_graph* g;
  jarena a;
  jexpr_ref x[NX];
  jexpr_ref y[NY];
  jexpr_ref tangent[NY];
  int directions;  // group of inputs
  jexpr_ref spread[2 * NY];
  jexpr_ref gradient[NX];
  jexpr_jacobian J;
} work;

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t length) {
  work* w = user;
  (void)g;
  bool known = length == 2 && name[0] == 'x' && name[1] >= '0' && name[1] < '0' + NX;
  return known ? w->x[name[1] - '0'] : JEXPR_POISON;
}

static jo_status make_inputs(work* w) {
  int group = jexpr_group(w->g, "x", NX, JEXPR_PER_LANE);
  for (int k = 0; k < NX; k++) {
    w->x[k] = jexpr_input(w->g, group, k);
  }
  return jexpr_graph_status(w->g);
}

static jo_status make_outputs(work* w) {
  static const char text[] = "if(x0 > 0, sqrt(x0) * sin(x1), x2^3 / (1 + x3^2)) + max(x1, x2)";
  jexpr_scope scope = {.find = find, .user = w};
  JO_TRY(jexpr_parse(w->g, text, sizeof text - 1, &scope, "test", &w->y[0]));
  jexpr_ref X[POINTS];
  for (int k = 0; k < POINTS; k++) {
    X[k] = jexpr_const(w->g, k);
  }
  w->y[1] =
      jexpr_table(w->g, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, w->y[0], X, w->x, POINTS);
  w->y[2] = jexpr_table(w->g, JEXPR_TABLE_LINEAR, JEXPR_EXTRAPOLATE_HOLD, w->y[1], X, w->x, POINTS);
  jexpr_ref hole = jexpr_hole(w->g), cube = jexpr_mul(w->g, hole, jexpr_mul(w->g, hole, hole));
  jexpr_ref residual =
      jexpr_sub(w->g, w->y[2], jexpr_add(w->g, cube, jexpr_mul(w->g, hole, w->x[1])));
  w->y[2] = jexpr_solve(w->g, residual, w->x[0], jexpr_const(w->g, 1.0));
  for (int i = 0; i < NY; i++) {
    w->y[i] = jexpr_mark(w->g, w->y[i], "equation %d", i);
  }
  return jexpr_graph_status(w->g);
}

static int along(void* user, const jexpr_graph* g, jexpr_ref input) {
  const work* w = user;
  return (int)g->node[input].a == w->directions ? JEXPR_ALONG_ALL : JEXPR_ALONG_FIXED;
}

static jexpr_ref seed(void* user, jexpr_graph* g, jexpr_ref input, int d) {
  const work* w = user;
  return jexpr_input(g, w->directions, d * NX + (int)g->node[input].b);
}

static int late;

static bool is_late(const jexpr_node* input) {
  return (int)input->a == late;
}

static jo_status spread(work* w) {
  jexpr_ref dx[NX], dy[NY];
  w->directions = jexpr_group(w->g, "dx", 2 * NX, JEXPR_PER_LANE);
  for (int k = 0; k < NX; k++) {
    dx[k] = jexpr_input(w->g, w->directions, k);
  }
  JO_TRY(jexpr_graph_status(w->g));
  JO_TRY(jexpr_tangent(w->g, w->y, NY, w->x, dx, NX, dy));
  jexpr_directions by = {2, 2, w, along, seed};
  JO_TRY(jexpr_preaccumulate(w->g, &by, dy, NY, w->spread));
  int group = jexpr_group(w->g, "kept", 0, JEXPR_PER_LANE), nkept;
  jexpr_ref* kept;
  if (group < 0) return jexpr_graph_status(w->g);
  late = w->directions;
  return jexpr_cut(w->g, &w->a, is_late, group, dy, NY, &kept, &nkept);
}

static jo_status differentiate(work* w) {
  jexpr_ref one = jexpr_const(w->g, 1.0), ones[NX] = {one, one, one, one};
  JO_TRY(jexpr_graph_status(w->g));
  JO_TRY(jexpr_tangent(w->g, w->y, NY, w->x, ones, NX, w->tangent));
  JO_TRY(spread(w));
  JO_TRY(jexpr_adjoint(w->g, w->y, ones, NY, w->x, NX, w->gradient));
  JO_TRY(jexpr_jacobian_build(w->g, &w->a, JEXPR_REVERSE, w->y, NY, w->x, NX, &w->J));
  return jexpr_jacobian_build(w->g, &w->a, JEXPR_FORWARD, w->y, NY, w->x, NX, &w->J);
}

static jo_status generate(work* w) {
  const jexpr_outputs out[] = {{"y", NY, w->y},
                               {"tangent", NY, w->tangent},
                               {"spread", 2 * NY, w->spread},
                               {"gradient", NX, w->gradient},
                               {"jacobian", w->J.nnz, w->J.value}};
  const jexpr_fn fn = {"all", w->g, 5, out};
  jexpr_schedule s;
  JO_TRY(jexpr_schedule_build(&w->a, &fn, &s));
  jexpr_tape t;
  JO_TRY(jexpr_tape_build(w->ctx, &w->a, &fn, &t));
  jemit_options opt = jemit_options_default();
  opt.chunk_statements = 100;
  jemit_unit unit;
  JO_TRY(jemit_c(w->ctx, &w->a, &fn, 1, &opt, &unit));
  opt.pack = 8;
  JO_TRY(jemit_c(w->ctx, &w->a, &fn, 1, &opt, &unit));
  opt.pack = 2;
  opt.device = true;
  opt.whole_statements = 1;
  return jemit_c(w->ctx, &w->a, &fn, 1, &opt, &unit);
}

static jo_status run(work* w) {
  w->g = jexpr_graph_create(w->ctx);
  if (!w->g) return JO_ERR_MEMORY;
  JO_TRY(make_inputs(w));
  JO_TRY(make_outputs(w));
  JO_TRY(differentiate(w));
  return generate(w);
}

static jo_status live_and_die(failing_alloc* f) {
  work w = {0};
  jo_status status = jo_context_create(&f->allocator, &w.ctx);
  if (status < 0) {
    assert_null(w.ctx);
    return status;
  }
  jarena_init(&w.a, w.ctx);
  status = run(&w);
  // whoever fails says why
  if (status < 0) assert_true(jo_context_message(w.ctx)[0] != '\0');
  jarena_free(&w.a);
  jexpr_graph_destroy(w.g);
  jo_context_destroy(w.ctx);
  return status;
}

static void exhaust_at_every_call(bool once) {
  long n = 0;
  for (;; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    f.once = once;
    jo_status status = live_and_die(&f);
    assert_int_equal(f.live_bytes, 0);
    assert_int_equal(f.live_blocks, 0);
    if (f.calls <= n) {  // memory never ended
      assert_int_equal(status, JO_OK);
      break;
    }
    if (status != JO_ERR_MEMORY) fail_msg("memory ends at call %ld: %s", n, jo_status_text(status));
  }
  assert_true(n > 50);  // the path does allocate
}

static void test_oom_for_good(void** state) {
  (void)state;
  exhaust_at_every_call(false);
}

static void test_oom_for_one_call(void** state) {
  (void)state;
  exhaust_at_every_call(true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_oom_for_good),
      cmocka_unit_test(test_oom_for_one_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
