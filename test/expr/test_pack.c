// SPDX-License-Identifier: Apache-2.0
// Packs: everything is computed once and after its operands, each lane gives what its node gives, bit for bit, and
// what repeats is found, whatever the signs.
#include "expr/pack/pack.h"

#include "base/elementary.h"
#include "expr/tape/tape.h"
#include "support/fixture.h"
#include "support/repeated.h"

static jexpr_packing pack_lanes(fixture* f, const jexpr_fn* fn, int width, int lanes,
                                const bool* varies) {
  jexpr_schedule s;
  jexpr_packing p;
  jexpr_pack_options opt = {width, true, lanes, varies};
  assert_ok(f->ctx, jexpr_schedule_build(&f->a, fn, &s));
  assert_ok(f->ctx, jexpr_pack_build(&f->a, fn, &s, &opt, &p));
  return p;
}

static jexpr_packing pack(fixture* f, const jexpr_fn* fn, int lanes) {
  return pack_lanes(f, fn, lanes, 1, NULL);
}

// ---- packs evaluated as they stand

#define OP(id, name, arity, class, text, value, da, db) \
  if (op == JEXPR_##id) return value;
static double apply(jexpr_op op, double a, double b, double c) {
#include "expr/ops.def"
  return 0.0 * a * b * c;
}

typedef struct values {
  const jexpr_graph* g;
  const jexpr_packing* p;
  const double* const* in;
  double (*item)[JEXPR_PACK_LANES];
} values;

static double value_of(const values* v, jexpr_ref r) {
  const jexpr_node* node = jexpr_at(v->g, r);
  if (node->op == JEXPR_CONST) return jexpr_const_value(v->g, r);
  if (node->op == JEXPR_INPUT) return v->in[node->a][node->b];
  return v->item[v->p->at[r]][jexpr_pack_lane(v->p, r)];
}

// A pack reads another one as it is kept, with signs changed or not; all else by value.
static double operand(const values* v, jexpr_pack_arg arg, int lane) {
  const jexpr_vector* vector = &v->p->vector[arg.vector];
  double x = vector->item >= 0 ? v->item[vector->item][lane] : value_of(v, vector->lane[lane]);
  return arg.flip >> lane & 1u ? -x : x;
}

static void evaluate_item(const values* v, int i) {
  const jexpr_item* item = &v->p->item[i];
  for (int lane = 0; lane < item->width; lane++) {
    double x[3] = {0.0, 0.0, 0.0};
    int n = item->width > 1 ? item->narg : jexpr_nargs(v->g, item->node[0]);
    for (int k = 0; k < n; k++) {
      x[k] = item->width > 1 ? operand(v, item->arg[k], lane)
                             : value_of(v, jexpr_arg(v->g, item->node[0], k));
    }
    v->item[i][lane] = apply(item->op, x[0], x[1], x[2]);
  }
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void check_values(fixture* f, const jexpr_fn* fn, const jexpr_packing* p, uint64_t seed) {
  double x[REPEATED_INPUTS], q[REPEATED_SHARED], d[REPEATED_INPUTS], l[REPEATED_OUTPUTS], *work;
  double y[2][REPEATED_OUTPUTS];
  const double* const in[] = {x, q, d, l};
  double* const out[] = {y[0], y[1]};
  jexpr_tape t;
  values v = {fn->graph, p, in, jarena_array(&f->a, (size_t)p->n, sizeof *v.item)};
  assert_non_null(v.item);
  assert_ok(f->ctx, jexpr_tape_prepare(f->ctx, &f->a, fn, &t, &work));
  repeated_inputs(seed, x, q);
  repeated_lanes(seed, REPEATED_INPUTS, d);
  repeated_lanes(seed + 1, REPEATED_OUTPUTS, l);
  jexpr_tape_eval(&t, 1, in, out, work);
  for (int i = 0; i < p->n; i++)
    evaluate_item(&v, i);
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      double value = value_of(&v, fn->out[o].ref[i]);
      if (is_same(value, y[o][i])) continue;
      fail_msg("seed %d: output %d is %.17g, not %.17g", (int)seed, i, value, y[o][i]);
    }
  }
}

// ---- structure

static void check_structure(const jexpr_graph* g, const jexpr_packing* p, int lanes) {
  for (int i = 0; i < p->n; i++) {
    const jexpr_item* item = &p->item[i];
    assert_in_range(item->width, 1, lanes);
    assert_int_equal(item->width & (item->width - 1), 0);
    for (int k = 0; k < item->width; k++)
      assert_int_equal(p->at[item->node[k]], i);
    for (int k = 0; k < jexpr_pack_nargs(g, item); k++) {
      jexpr_ref below = jexpr_pack_arg_of(g, p->vector, item, k);
      bool is_leaf = jexpr_ops[jexpr_at(g, below)->op].class_ == JEXPR_CLASS_LEAF;
      assert_true(is_leaf || (p->at[below] >= 0 && p->at[below] < i));
    }
  }
}

static void test_packs_compute_what_their_nodes_do(void** state) {
  (void)state;
  for (int seed = 1; seed <= 60; seed++) {
    fixture* f = fixture_open();
    repeated r;
    repeated_build(&r, fixture_graph(f), 2 + seed % 9, 20 + 4 * (seed % 50), (uint64_t)seed);
    assert_ok(f->ctx, jexpr_graph_status(f->g));
    for (int lanes = 1; lanes <= JEXPR_PACK_LANES; lanes *= 2) {
      jexpr_packing p = pack(f, &r.fn, lanes);
      check_structure(f->g, &p, lanes);
      for (int k = 0; k < 10; k++)
        check_values(f, &r.fn, &p, (uint64_t)(1000 * seed + k));
    }
    fixture_close(f);
  }
}

// ---- kernels of several lanes

static bool* find_varying(fixture* f) {
  bool* varies = JARENA_ARRAY(&f->a, f->g->nnode, bool);
  assert_non_null(varies);
  for (jexpr_ref r = 1; r < (jexpr_ref)f->g->nnode; r++) {
    const jexpr_node* node = jexpr_at(f->g, r);
    bool is_leaf = jexpr_ops[node->op].class_ == JEXPR_CLASS_LEAF;
    if (node->op == JEXPR_INPUT) varies[r] = f->g->group[node->a].vary == JEXPR_PER_LANE;
    for (int k = 0; !is_leaf && k < jexpr_nargs(f->g, r); k++)
      varies[r] = varies[r] || varies[jexpr_arg(f->g, r, k)];
  }
  return varies;
}

// A pack fits into a vector with all lanes, is of one kind, and what varies comes last.
static int check_lanes(const jexpr_packing* p, const bool* varies, int width, int lanes) {
  bool is_behind = false;
  int packed = 0;
  for (int i = 0; i < p->n; i++) {
    const jexpr_item* item = &p->item[i];
    bool kind = varies[item->node[0]];
    for (int k = 1; k < item->width; k++)
      assert_int_equal(varies[item->node[k]], kind);
    assert_true(item->width == 1 || item->width * (kind ? lanes : 1) <= width);
    assert_true(kind || !is_behind);
    is_behind = kind;
    if (kind && item->width > 1) packed += item->width;
  }
  return packed;
}

static void test_packs_of_derivatives_in_lanes(void** state) {
  int packed[JEXPR_PACK_LANES + 1] = {0};
  (void)state;
  for (int seed = 1; seed <= 30; seed++) {
    fixture* f = fixture_open();
    repeated r;
    repeated_derive(&r, fixture_graph(f), 2 + seed % 9, 20 + 4 * (seed % 10), (uint64_t)seed);
    assert_ok(f->ctx, jexpr_graph_status(f->g));
    const bool* varies = find_varying(f);
    for (int lanes = 1; lanes <= JEXPR_PACK_LANES; lanes *= 2) {
      jexpr_packing p = pack_lanes(f, &r.derivatives, JEXPR_PACK_LANES, lanes, varies);
      check_structure(f->g, &p, JEXPR_PACK_LANES);
      packed[lanes] += check_lanes(&p, varies, JEXPR_PACK_LANES, lanes);
      for (int k = 0; k < 10; k++)
        check_values(f, &r.derivatives, &p, (uint64_t)(1000 * seed + k));
    }
    fixture_close(f);
  }
  assert_true(packed[2] > 0 && packed[4] > 0);
  assert_int_equal(packed[JEXPR_PACK_LANES], 0);
}

// Weights reach copies through one after another: they have no equal trees, but neighbours that are equal. Neither the values of
// a chain, which wait for each other, nor two pairs that would are packs.
static void test_near_twins_are_packed_where_they_need_not_wait(void** state) {
  fixture* f = *state;
  jexpr_graph* g = f->g;
  int l = jexpr_group(g, "l", 2, JEXPR_PER_LANE), u = jexpr_group(g, "u", 16, JEXPR_UNIFORM);
  jexpr_ref chain = jexpr_input(g, l, 0), y[8], value[8];
  for (int i = 0; i < 8; i++) {
    chain = jexpr_add(g, jexpr_mul(g, chain, jexpr_input(g, u, 8)), jexpr_input(g, l, 1));
    value[i] = jexpr_mul(g, chain, jexpr_sin(g, jexpr_input(g, u, i)));
    y[i] = jexpr_mul(g, jexpr_add(g, value[i], jexpr_input(g, l, 0)), value[i]);
  }
  jexpr_outputs out = {"y", 8, y};
  jexpr_fn fn = {"chain", g, 1, &out};
  const bool* varies = find_varying(f);
  jexpr_packing p = pack_lanes(f, &fn, 8, 2, varies);
  check_structure(g, &p, 8);
  check_lanes(&p, varies, 8, 2);
  for (int i = 0; i < 8; i++)
    assert_int_equal(p.item[p.at[y[i]]].width, 4);
  assert_int_equal(p.item[p.at[chain]].width, 1);
}

// Four corners with lever arms of either sign: what is a sum here is a difference there.
static void test_signs_do_not_hide_what_repeats(void** state) {
  fixture* f = *state;
  jexpr_graph* g = f->g;
  int q = jexpr_group(g, "q", 8, JEXPR_PER_LANE), p = jexpr_group(g, "p", 2, JEXPR_UNIFORM);
  jexpr_ref y[4];
  for (int i = 0; i < 4; i++) {
    jexpr_ref a = jexpr_input(g, q, 2 * i), b = jexpr_input(g, q, 2 * i + 1);
    jexpr_ref lever = jexpr_const(g, i % 2 == 0 ? 0.7 : -0.7);
    jexpr_ref x = jexpr_add(g, jexpr_mul(g, lever, jexpr_sin(g, a)), jexpr_input(g, p, 0));
    jexpr_ref z = jexpr_mul(g, jexpr_const(g, i < 2 ? 1.1 : -1.3), jexpr_mul(g, b, b));
    x = jexpr_add(g, jexpr_mul(g, x, jexpr_cos(g, a)), z);
    y[i] = jexpr_div(g, jexpr_add(g, x, jexpr_mul(g, x, b)), jexpr_input(g, p, 1));
  }
  jexpr_outputs out = {"y", 4, y};
  jexpr_fn fn = {"corners", g, 1, &out};
  jexpr_packing packing = pack(f, &fn, 4);
  for (int i = 0; i < packing.n; i++)
    assert_int_equal(packing.item[i].width, 4);
  jexpr_schedule s;
  assert_ok(f->ctx, jexpr_schedule_build(&f->a, &fn, &s));
  assert_int_equal(4 * packing.n, s.n);
  assert_int_equal(packing.packed[4], s.n);
}

// What does not repeat is left alone, and so is what would have to be brought together at a loss.
static void test_single_things_stay_single(void** state) {
  fixture* f = *state;
  jexpr_graph* g = f->g;
  int q = jexpr_group(g, "q", 4, JEXPR_PER_LANE);
  jexpr_ref x = jexpr_input(g, q, 0);
  for (int i = 0; i < 12; i++)
    x = i % 2 == 0 ? jexpr_add(g, x, jexpr_input(g, q, 1)) : jexpr_mul(g, x, jexpr_input(g, q, 2));
  jexpr_outputs out = {"y", 1, &x};
  jexpr_fn fn = {"chain", g, 1, &out};
  jexpr_packing p = pack(f, &fn, 8);
  for (int i = 0; i < p.n; i++)
    assert_int_equal(p.item[i].width, 1);
}

static int setup(void** state) {
  fixture_setup(state);
  fixture_graph(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_packs_compute_what_their_nodes_do),
      cmocka_unit_test(test_packs_of_derivatives_in_lanes),
      cmocka_unit_test_setup_teardown(test_near_twins_are_packed_where_they_need_not_wait, setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(test_signs_do_not_hide_what_repeats, setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_single_things_stay_single, setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
