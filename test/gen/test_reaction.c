// SPDX-License-Identifier: Apache-2.0
// Reactions obey Newton's law, body by body and all together, and do no work in the freedom of their joint but
// that of the force which drives it.
#include "support/sketch.h"

#define ROUNDING 1e-11

static const char* const trees[] = {
    "test/models/joint_revolute.yaml",  "test/models/joint_prismatic.yaml",
    "test/models/joint_universal.yaml", "test/models/joint_spherical.yaml",
    "test/models/joint_planar.yaml",    "test/models/joint_pin_slot.yaml"};
enum { NTREE = sizeof trees / sizeof *trees, MAX = 24 };

// Inverse dynamics M qdd + c of the tree, elements included.
static void needed_forces(sketch* k, double* Q) {
  jexpr_ref M[MAX * MAX], c[MAX];
  double m[MAX * MAX];
  int n = k->nq;
  assert_true(n <= MAX);
  jgen_bias_forces(&k->s, c);
  jgen_mass_matrix(&k->s, M);
  sketch_eval(k, M, n * n, m);
  sketch_eval(k, c, n, Q);
  for (int i = 0; i < n * n; i++) {
    Q[i / n] += m[i] * k->qdd[i % n];
  }
}

static void open_moving(sketch* k, const char* path, unsigned seed) {
  random_source source;
  random_seed(&source, seed);
  sketch_open(k, fixture_load(path, NULL, 0), false);
  sketch_randomise(k, &source, 0.9);
  assert_ok(k->f->ctx, jgen_write_elements(&k->s));
}

// Whatever the accelerations: along its freedom a joint carries what drives it, applied forces apart.
static void test_reaction_along_a_freedom_is_what_drives_it(void** state) {
  (void)state;
  for (int i = 0; i < NTREE; i++) {
    sketch k;
    double Q[MAX];
    open_moving(&k, trees[i], 111 + (unsigned)i);
    needed_forces(&k, Q);
    sketch_accelerate(&k);
    const jgen_wrench* w = jgen_reactions(&k.s);
    assert_non_null(w);
    for (int l = 1; l < k.s.nlink; l++) {
      const jgen_link* link = &k.s.link[l];
      if (link->motion == JGEN_FIXED) continue;
      const jexpr_v3* along = link->motion == JGEN_TURN ? &w[l].n : &w[l].f;
      double applied = sketch_value(&k, k.s.applied[link->coordinate]);
      double got = sketch_value(&k, along->e[link->axis]);
      assert_near(got, Q[link->coordinate] + applied, ROUNDING * (1.0 + fabs(got)));
    }
    sketch_close(&k);
  }
}

// The ground carries the rate of momentum less gravity and what else acts: sum of m (a_com - g) - f.
static void test_reaction_of_the_ground_carries_everything(void** state) {
  (void)state;
  for (int i = 0; i < NTREE; i++) {
    sketch k;
    open_moving(&k, trees[i], 121 + (unsigned)i);
    sketch_accelerate(&k);
    jgen* s = &k.s;
    double ground[3], sum[3] = {0}, gravity[3];
    sketch_v3(&k, jgen_vector(s, &k.f->m->gravity, "gravity"), gravity);
    for (int l = 1; l < s->nlink; l++) {
      double f[3], momentum_rate[3] = {0}, m = 0.0;
      jexpr_v3 first, rate, second;
      sketch_v3(&k, jgen_to_ground(s, l, s->wrench[l].f), f);
      if (s->link[l].has_mass) {
        // m times the acceleration of the centre of mass, by differentiation of its position
        jexpr_v3 o = jgen_ground_position(s, l, jexpr_v3_zero(k.g));
        first = jexpr_v3_add(k.g, jexpr_v3_scale(k.g, s->link[l].m, o),
                             jgen_to_ground(s, l, s->link[l].s));
        sketch_rate(&k, first.e, 3, rate.e);
        sketch_rate(&k, rate.e, 3, second.e);
        sketch_v3(&k, second, momentum_rate);
        m = sketch_value(&k, s->link[l].m);
      }
      for (int e = 0; e < 3; e++) {
        sum[e] += momentum_rate[e] - m * gravity[e] - f[e];
      }
    }
    const jgen_wrench* w = jgen_reactions(s);
    double from_links[3] = {0};
    for (int l = 1; l < s->nlink; l++) {
      if (s->link[l].parent != 0) continue;
      sketch_v3(&k, jgen_to_ground(s, l, w[l].f), ground);
      for (int e = 0; e < 3; e++) {
        from_links[e] += ground[e];
      }
    }
    for (int e = 0; e < 3; e++) {
      assert_near(from_links[e], sum[e], ROUNDING * 100.0);
    }
    sketch_close(&k);
  }
}

// Equal and opposite: a link needs what its parent exerts less what it passes on to its children.
static void test_reaction_is_passed_on(void** state) {
  (void)state;
  sketch k;
  open_moving(&k, "test/models/joint_revolute.yaml", 131);
  sketch_accelerate(&k);
  jgen* s = &k.s;
  const jgen_wrench* w = jgen_reactions(s);
  assert_ptr_equal(w, jgen_reactions(s));
  int tip = s->nlink - 1, body = s->link[tip].parent;
  jexpr_v3 f = jexpr_m3_apply(k.g, &s->link[tip].R, w[tip].f);
  jexpr_v3 own = jexpr_v3_sub(k.g, w[body].f, f);
  jgen_absolute_motion(s, s->abs, false, body);
  jexpr_v3 gravity = jgen_from_ground(s, body, jgen_vector(s, &k.f->m->gravity, "gravity"));
  jexpr_v3 a = jexpr_v3_sub(k.g, s->abs[body].a, gravity);
  jexpr_v3 need = jexpr_v3_add(k.g, jexpr_v3_scale(k.g, s->link[body].m, a),
                               jexpr_m3_apply(k.g, &s->abs[body].beta, s->link[body].s));
  need = jexpr_v3_sub(k.g, need, s->wrench[body].f);
  double x[3], y[3];
  sketch_v3(&k, own, x);
  sketch_v3(&k, need, y);
  for (int e = 0; e < 3; e++) {
    assert_near(x[e], y[e], ROUNDING * 10.0);
  }
  sketch_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reaction_along_a_freedom_is_what_drives_it),
      cmocka_unit_test(test_reaction_of_the_ground_carries_everything),
      cmocka_unit_test(test_reaction_is_passed_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
