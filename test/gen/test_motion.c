// SPDX-License-Identifier: Apache-2.0
// Motion of links: velocities and accelerations are time derivatives of positions and rotations, seen from the
// ground, from a hub, and in the links' own frames.
#include "support/sketch.h"

#define ROUNDING 1e-12  // sums of products of numbers of order one to ten

static const char* const models[] = {"test/models/joint_free.yaml",
                                     "test/models/joint_universal.yaml",
                                     "test/models/joint_planar.yaml", "test/models/joint_hub.yaml"};
enum { NMODEL = sizeof models / sizeof *models };

static void assert_same(sketch* k, const jexpr_ref* a, const jexpr_ref* b, int n) {
  double x[16], y[16];
  sketch_eval(k, a, n, x);
  sketch_eval(k, b, n, y);
  for (int i = 0; i < n; i++) {
    assert_near(x[i], y[i], ROUNDING * (1.0 + fabs(y[i])));
  }
}

// A point fixed to a link that lies on none of its axes.
static jexpr_v3 some_point(sketch* k) {
  return jexpr_v3_const(k->g, 0.3, -0.7, 0.45);
}

static void test_motion_velocity_is_the_rate_of_the_position(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 3);
  for (int i = 0; i < NMODEL; i++) {
    for (int hub = 0; hub < 2; hub++) {
      sketch k;
      sketch_open(&k, fixture_load(models[i], NULL, 0), hub);
      sketch_randomise(&k, &source, 1.1);
      for (int l = 0; l < k.s.nlink; l++) {
        jexpr_v3 x = jgen_ground_position(&k.s, l, some_point(&k)), rate;
        jexpr_v3 v = jgen_ground_velocity(&k.s, l, some_point(&k));
        sketch_rate(&k, x.e, 3, rate.e);
        assert_same(&k, v.e, rate.e, 3);
      }
      sketch_close(&k);
    }
  }
}

static void test_motion_acceleration_is_the_rate_of_the_velocity(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 4);
  for (int i = 0; i < NMODEL; i++) {
    for (int hub = 0; hub < 2; hub++) {
      sketch k;
      sketch_open(&k, fixture_load(models[i], NULL, 0), hub);
      sketch_accelerate(&k);
      sketch_randomise(&k, &source, 1.1);
      for (int l = 0; l < k.s.nlink; l++) {
        jexpr_v3 v = jgen_ground_velocity(&k.s, l, some_point(&k)), rate;
        jexpr_v3 a = jgen_ground_acceleration(&k.s, l, some_point(&k));
        sketch_rate(&k, v.e, 3, rate.e);
        assert_same(&k, a.e, rate.e, 3);
      }
      sketch_close(&k);
    }
  }
}

// R^T R' = [w]x, and w' in the link's frame is al.
static void test_motion_turns_with_its_angular_velocity(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 5);
  for (int i = 0; i < NMODEL; i++) {
    sketch k;
    sketch_open(&k, fixture_load(models[i], NULL, 0), false);
    sketch_accelerate(&k);
    sketch_randomise(&k, &source, 1.1);
    for (int l = 1; l < k.s.nlink; l++) {
      jexpr_m3 R = jgen_ground_rotation(&k.s, l), Rd, W, T = jexpr_m3_transpose(&R);
      sketch_rate(&k, &R.e[0][0], 9, &Rd.e[0][0]);
      W = jexpr_m3_mul(k.g, &T, &Rd);
      jgen_absolute_motion(&k.s, k.s.abs, false, l);
      const jgen_absolute* m = &k.s.abs[l];
      jexpr_v3 wd;
      for (int e = 0; e < 3; e++) {
        assert_same(&k, &W.e[(e + 2) % 3][(e + 1) % 3], &m->w.e[e], 1);
      }
      sketch_rate(&k, m->w.e, 3, wd.e);
      assert_same(&k, m->al.e, wd.e, 3);
    }
    sketch_close(&k);
  }
}

// Seen from the hub: composed with the hub's own motion they are those seen from the ground.
static void test_motion_relative_to_a_hub_composes(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 6);
  sketch k;
  sketch_open(&k, fixture_load("test/models/joint_hub.yaml", NULL, 0), true);
  sketch_randomise(&k, &source, 0.9);
  jgen* s = &k.s;
  assert_int_equal(s->nhub, 1);
  int hub = s->hub[0].link;
  for (int l = hub; l < s->nlink; l++) {
    if (!jgen_is_below(s, l, hub)) continue;
    const jgen_relative h = *jgen_relative_of(s, 0, hub, true);
    const jgen_relative r = *jgen_relative_of(s, hub, l, true);
    const jgen_relative g = *jgen_relative_of(s, 0, l, true);
    jexpr_m3 R = jexpr_m3_mul(k.g, &h.R, &r.R);
    jexpr_v3 w = jexpr_v3_add(k.g, h.w, jexpr_m3_apply(k.g, &h.R, r.w));
    jexpr_v3 arm = jexpr_m3_apply(k.g, &h.R, r.o);
    jexpr_v3 od = jexpr_v3_add(k.g, jexpr_m3_apply(k.g, &h.R, r.od), jexpr_v3_cross(k.g, h.w, arm));
    od = jexpr_v3_add(k.g, od, h.od);
    assert_same(&k, &R.e[0][0], &g.R.e[0][0], 9);
    assert_same(&k, w.e, g.w.e, 3);
    assert_same(&k, od.e, g.od.e, 3);
  }
  sketch_close(&k);
}

static void test_motion_knows_who_hangs_on_whom(void** state) {
  (void)state;
  sketch k;
  sketch_open(&k, fixture_load("test/models/joint_hub.yaml", NULL, 0), true);
  jgen* s = &k.s;
  for (int l = 0; l < s->nlink; l++) {
    assert_true(jgen_is_below(s, l, 0));
    assert_true(jgen_is_below(s, l, l));
    if (l > 0) assert_false(jgen_is_below(s, s->link[l].parent, l));
    assert_int_equal(jgen_common_base(s, l, 0), 0);
    for (int m = 0; m < s->nlink; m++) {
      int base = jgen_common_base(s, l, m);
      assert_true(jgen_is_below(s, l, base) && jgen_is_below(s, m, base));
      for (int n = base + 1; n < s->nlink; n++) {
        assert_false(jgen_is_below(s, n, base) && jgen_is_below(s, l, n) && jgen_is_below(s, m, n));
      }
    }
  }
  sketch_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_motion_velocity_is_the_rate_of_the_position),
      cmocka_unit_test(test_motion_acceleration_is_the_rate_of_the_velocity),
      cmocka_unit_test(test_motion_turns_with_its_angular_velocity),
      cmocka_unit_test(test_motion_relative_to_a_hub_composes),
      cmocka_unit_test(test_motion_knows_who_hangs_on_whom),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
