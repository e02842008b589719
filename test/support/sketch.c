// SPDX-License-Identifier: Apache-2.0
#include "support/sketch.h"
#include "gen/tree/articulated.h"

#include "expr/diff.h"
#include "expr/tape/tape.h"

static void make_groups(sketch* k) {
  jexpr_graph* g = k->g;
  jexpr_group(g, "p", k->np, JEXPR_UNIFORM);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  jexpr_group(g, "q", k->nq, JEXPR_PER_LANE);
  jexpr_group(g, "qd", k->nq, JEXPR_PER_LANE);
  jexpr_group(g, "qdd", k->nq, JEXPR_PER_LANE);
  jexpr_group(g, "z", k->nz, JEXPR_PER_LANE);
  jexpr_group(g, "road", 2, JEXPR_PER_LANE);
  jexpr_group(g, "mode", SKETCH_MAX, JEXPR_PER_LANE);
  jexpr_group(g, "more", SKETCH_MAX, JEXPR_PER_LANE);
}

void sketch_open(sketch* k, fixture* f, bool hub) {
  const jmodel* m = f->m;
  int live[SKETCH_NUMBERS];
  *k = (sketch){.f = f, .g = fixture_graph(f), .nq = m->ncoordinate, .nz = jgen_state_count(m)};
  assert_true(k->nq < SKETCH_MAX && k->nz < SKETCH_MAX && m->nnumber < SKETCH_NUMBERS);
  for (int i = 0; i < m->nnumber; i++) {
    k->np += m->number[i].is_parameter;
  }
  jgen* s = &k->s;
  assert_ok(f->ctx, jgen_begin(s, f->ctx, m, k->g, &f->a));
  make_groups(k);
  for (int b = 0; b < m->nbody; b++) {
    s->follow[b] = true;
  }
  assert_ok(f->ctx, jgen_inputs(s, NULL, SKETCH_P, live, k->p));
  s->t = jexpr_input(k->g, SKETCH_T, 0);
  s->z = JARENA_ARRAY(&f->a, k->nz + 1, jexpr_ref);
  assert_non_null(s->z);
  for (int i = 0; i < k->nz; i++) {
    s->z[i] = jexpr_input(k->g, SKETCH_Z, i);
  }
  for (int i = 0; i < k->nq; i++) {
    s->q[i] = jexpr_input(k->g, SKETCH_Q, i);
    s->qd[i] = jexpr_input(k->g, SKETCH_QD, i);
    s->qdd[i] = s->zero;
  }
  assert_ok(f->ctx, jgen_frames(s));
  if (!hub) jgen_hub_keep(s, &(jgen_partition){0});  // none of its coordinates is independent
  s->stage = JGEN_AT_VELOCITY;
}

void sketch_close(sketch* k) {
  fixture_close(k->f);
}

void sketch_accelerate(sketch* k) {
  for (int i = 0; i < k->nq; i++) {
    k->s.qdd[i] = jexpr_input(k->g, SKETCH_QDD, i);
  }
  k->s.stage = JGEN_AT_ACCELERATION;
}

void sketch_randomise(sketch* k, random_source* source, double size) {
  for (int i = 0; i < k->nq; i++) {
    k->q[i] = random_uniform(source, -size, size);
    k->qd[i] = random_uniform(source, -size, size);
    k->qdd[i] = random_uniform(source, -size, size);
  }
}

void sketch_call(jo_context* ctx, const jexpr_fn* fn, const double* const* in, double* const* out) {
  jarena scratch;
  jexpr_tape tape;
  double* work;
  jarena_init(&scratch, ctx);
  assert_ok(ctx, jexpr_tape_prepare(ctx, &scratch, fn, &tape, &work));
  jexpr_tape_eval(&tape, 1, in, out, work);
  jarena_free(&scratch);
}

void sketch_eval(sketch* k, const jexpr_ref* ref, int n, double* out) {
  assert_ok(k->f->ctx, jexpr_graph_status(k->g));
  jexpr_outputs o = {"y", n, ref};
  jexpr_fn fn = {"sketch", k->g, 1, &o};
  const double* const in[SKETCH_GROUPS] = {k->p, &k->t,   k->q,    k->qd,  k->qdd,
                                           k->z, k->road, k->mode, k->more};
  sketch_call(k->f->ctx, &fn, in, &out);
}

double sketch_value(sketch* k, jexpr_ref ref) {
  double value;
  sketch_eval(k, &ref, 1, &value);
  return value;
}

void sketch_v3(sketch* k, jexpr_v3 v, double out[3]) {
  sketch_eval(k, v.e, 3, out);
}

void sketch_m3(sketch* k, const jexpr_m3* A, double out[9]) {
  sketch_eval(k, &A->e[0][0], 9, out);
}

void sketch_rate(sketch* k, const jexpr_ref* ref, int n, jexpr_ref* rate) {
  jexpr_ref x[2 * SKETCH_MAX + 1], dx[2 * SKETCH_MAX + 1];
  for (int i = 0; i < k->nq; i++) {
    x[i] = jexpr_input(k->g, SKETCH_Q, i);
    x[k->nq + i] = dx[i] = jexpr_input(k->g, SKETCH_QD, i);
    dx[k->nq + i] = k->s.qdd[i];
  }
  x[2 * k->nq] = k->s.t;
  dx[2 * k->nq] = k->s.one;
  assert_ok(k->f->ctx, jexpr_tangent(k->g, ref, n, x, dx, 2 * k->nq + 1, rate));
}

void sketch_articulate(sketch* k, int merged, jexpr_ref* x) {
  jgen* s = &k->s;
  int u[SKETCH_MAX];
  jgen_partition part = {.nu = k->nq, .u = u};
  for (int i = 0; i < k->nq; i++) {
    u[i] = i;
  }
  jgen_articulated* t = jgen_articulated_create(s, &part, NULL, merged);
  assert_non_null(t);
  jgen_articulated_factor(t);
  jgen_articulated_solve(t, jgen_link_wrenches(s), s->applied, x);
}
