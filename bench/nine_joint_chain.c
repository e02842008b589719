// SPDX-License-Identifier: Apache-2.0
// The nine-joint chain of Poncelet, Collard and Fisette (2010), eqs. (16) and (17): one element of
// the Jacobian of a tip position, written in extenso and by recursive differentiation.
//
// Joints 1-7 turn about x y z x y z y, joint 8 slides along z, joint 9 turns (and does not move the
// tip); D_j is the offset of joint j along the x axis of the body before it.
#include <stdio.h>
#include <stdlib.h>

#include "emit/c/emit.h"
#include "expr/diff.h"
#include "expr/vec.h"

enum { NJOINT = 9, SLIDER = 8, PAPER_NAIVE = 220, PAPER_RECURSIVE = 62 };

static const int axis_of_joint[NJOINT + 1] = {-1, 0, 1, 2, 0, 1, 2, 1, 2, 0};

typedef struct chain {
  jexpr_graph* g;
  jexpr_ref q[NJOINT + 1];  // joint coordinates  [rad], [m] for the slider
  jexpr_ref D[NJOINT + 1];  // offsets            [m]
  jexpr_v3 tip;             // position of joint 9, inertial frame
} chain;

// R_j = R_h R(q_j), x_j = x_h + R_h (D_j, 0, 0)^T (+ R_h z q_j for the slider)     h = j - 1
static void build_chain(chain* c) {
  jexpr_graph* g = c->g;
  int group_q = jexpr_group(g, "q", NJOINT + 1, JEXPR_PER_LANE);
  int group_D = jexpr_group(g, "D", NJOINT + 1, JEXPR_PER_LANE);
  jexpr_m3 R = jexpr_m3_identity(g);
  jexpr_v3 x = jexpr_v3_zero(g);
  jexpr_ref zero = jexpr_const(g, 0.0);
  for (int j = 1; j <= NJOINT; j++) {
    c->q[j] = jexpr_input(g, group_q, j);
    c->D[j] = j >= 3 ? jexpr_input(g, group_D, j) : zero;
    jexpr_v3 offset = {{c->D[j], zero, j == SLIDER ? c->q[j] : zero}};
    x = jexpr_v3_add(g, x, jexpr_m3_apply(g, &R, offset));
    if (j != SLIDER) {
      jexpr_m3 turn = jexpr_m3_rotation(g, axis_of_joint[j], c->q[j]);
      R = jexpr_m3_mul(g, &R, &turn);
    }
    for (int i = 0; i < 3; i++) {
      jexpr_mark(g, x.e[i], "joint %d: x.%d", j, i + 1);
      for (int k = 0; k < 3; k++) {
        jexpr_mark(g, R.e[i][k], "joint %d: R.%d%d", j, i + 1, k + 1);
      }
    }
  }
  c->tip = x;
}

static int fail(jo_context* ctx) {
  fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_context_destroy(ctx);
  return EXIT_FAILURE;
}

static void print_function(const jemit_unit* unit) {
  for (int i = 1; i < unit->nfile; i++) {
    printf("%s\n", unit->file[i].text);
  }
}

int main(void) {
  jo_context* ctx = NULL;
  if (jo_context_create(NULL, &ctx) < 0) return EXIT_FAILURE;
  chain c = {.g = jexpr_graph_create(ctx)};
  if (!c.g) return fail(ctx);
  build_chain(&c);

  // J(3,1) = d x_3 / d q_1
  jexpr_ref J31, one = jexpr_const(c.g, 1.0);
  jarena arena;
  jarena_init(&arena, ctx);
  jo_status st = jexpr_tangent(c.g, &c.tip.e[2], 1, &c.q[1], &one, 1, &J31);
  jexpr_outputs out = {"J31", 1, &J31};
  jexpr_fn fn = {"nine_joint_chain", c.g, 1, &out};
  jexpr_schedule schedule;
  double naive = 0.0;
  jemit_unit unit;
  jemit_options options = jemit_options_default();
  options.title = "J(3,1) of the nine-joint chain";
  if (st >= 0) st = jexpr_schedule_build(&arena, &fn, &schedule);
  if (st >= 0) st = jexpr_count_expanded(&arena, &fn, &naive);
  if (st >= 0) st = jemit_c(ctx, &arena, &fn, 1, &options, &unit);
  if (st < 0) return fail(ctx);

  print_function(&unit);
  jexpr_counts n = jexpr_count(c.g, &schedule);
  jexpr_equations e = jexpr_count_equations(c.g, &schedule, &arena);
  int recursive = n.mul + n.add + n.sub;
  printf("equations generated %d, kept %d\n", e.generated, e.kept);
  printf("operations: %d mul, %d add, %d sub, %d sin and cos\n", n.mul, n.add, n.sub, n.trig);
  printf("paper: naive %d recursive %d {*, +, -}\n", PAPER_NAIVE, PAPER_RECURSIVE);
  printf("naive %.0f recursive %d\n", naive, recursive);
  jarena_free(&arena);
  jexpr_graph_destroy(c.g);
  jo_context_destroy(ctx);
  return recursive <= PAPER_RECURSIVE ? EXIT_SUCCESS : EXIT_FAILURE;
}
