// SPDX-License-Identifier: Apache-2.0
// Chains of revolute joints: what recursive inverse dynamics and reverse mode cost, in operations
// (the same on every machine) and in generation time (best of some runs). Needs no model file.
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "expr/diff.h"
#include "expr/tape/schedule.h"
#include "support/chain.h"

enum { REPEATS = 5 };

typedef struct figures {
  int generated, kept;  // operations
  jexpr_equations equations;
  double generate, select;  // [s] building the graph; elimination and ordering
} figures;

static int generated_operations(const jexpr_graph* g) {
  int n = 0;
  for (int r = 1; r < g->nnode; r++) {
    n += jexpr_nargs(g, (jexpr_ref)r) > 0;
  }
  return n;
}

static jo_status schedule(chain* c, const jexpr_outputs* out, int nout, jexpr_schedule* s) {
  jexpr_fn fn = {"chain", c->g, nout, out};
  return jexpr_schedule_build(&c->arena, &fn, s);
}

static jo_status inverse_dynamics(jo_context* ctx, chain* c, int n, figures* f) {
  double start = jclock_wall();
  JO_TRY(chain_init(c, ctx, (chain_options){.n = n}));
  jexpr_ref* tau = JARENA_ARRAY(&c->arena, n + 1, jexpr_ref);
  if (!tau) return JO_ERR_MEMORY;
  JO_TRY(chain_inverse_dynamics(c, tau));
  f->generate = jclock_wall() - start;
  start = jclock_wall();
  jexpr_schedule s;
  jexpr_outputs out = {"tau", n, tau + 1};
  JO_TRY(schedule(c, &out, 1, &s));
  f->select = jclock_wall() - start;
  f->generated = generated_operations(c->g);
  f->kept = jexpr_count(c->g, &s).total;
  f->equations = jexpr_count_equations(c->g, &s, &c->arena);
  return JO_OK;
}

static jo_status print_inverse_dynamics(jo_context* ctx) {
  static const int joints[] = {50, 100, 200, 400};
  printf("inverse dynamics\n");
  printf("%7s %11s %11s %10s %10s %11s %11s %11s\n", "joints", "operations", "operations",
         "operations", "equations", "equations", "generation", "elimination");
  printf("%7s %11s %11s %10s %10s %11s %11s %11s\n", "", "generated", "kept", "per joint",
         "generated", "kept", "[ms]", "[ms]");
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    figures f, best = {.generate = 1e9, .select = 1e9};
    for (int k = 0; k < REPEATS; k++) {
      chain c;
      jo_status status = inverse_dynamics(ctx, &c, joints[i], &f);
      chain_free(&c);
      JO_TRY(status);
      if (f.generate < best.generate) best.generate = f.generate;
      if (f.select < best.select) best.select = f.select;
    }
    printf("%7d %11d %11d %10.2f %10d %11d %11.2f %11.2f\n", joints[i], f.generated, f.kept,
           (double)f.kept / joints[i], f.equations.generated, f.equations.kept, 1e3 * best.generate,
           1e3 * best.select);
  }
  return JO_OK;
}

static jo_status print_gradient(chain* c, jo_context* ctx, int n, int masses) {
  JO_TRY(chain_init(c, ctx, (chain_options){.n = n, .mass_inputs = masses}));
  int nx = 2 * n + masses;
  jexpr_ref* x = JARENA_ARRAY(&c->arena, nx, jexpr_ref);
  jexpr_ref* gradient = JARENA_ARRAY(&c->arena, nx, jexpr_ref);
  if (!x || !gradient) return JO_ERR_MEMORY;
  memcpy(x, c->q + 1, (size_t)n * sizeof *x);
  memcpy(x + n, c->qd + 1, (size_t)n * sizeof *x);
  memcpy(x + 2 * n, c->m + 1, (size_t)masses * sizeof *x);
  jexpr_ref T = chain_kinetic_energy(c), one = jexpr_const(c->g, 1.0);
  double start = jclock_wall();
  JO_TRY(jexpr_adjoint(c->g, &T, &one, 1, x, nx, gradient));
  double seconds = jclock_wall() - start;
  const jexpr_outputs out[] = {{"T", 1, &T}, {"gradient", nx, gradient}};
  jexpr_schedule value, both;
  JO_TRY(schedule(c, out, 1, &value));
  JO_TRY(schedule(c, out, 2, &both));
  int a = jexpr_count(c->g, &value).total, b = jexpr_count(c->g, &both).total;
  printf("\nkinetic energy of %d joints and its gradient with respect to %d inputs\n", n, nx);
  printf("operations: T %d, T and gradient %d, ratio %.2f; differentiation %.2f ms\n", a, b,
         (double)b / a, 1e3 * seconds);
  return JO_OK;
}

int main(void) {
  jo_context* ctx;
  if (jo_context_create(NULL, &ctx) < 0) return EXIT_FAILURE;
  jo_status status = print_inverse_dynamics(ctx);
  if (status >= 0) {
    chain c;
    status = print_gradient(&c, ctx, 200, 100);
    chain_free(&c);
  }
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_context_destroy(ctx);
  return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
