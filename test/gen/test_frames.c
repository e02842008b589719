// SPDX-License-Identifier: Apache-2.0
// Links: frames are rotations, stand at the design position where the file says, and turn and slide as their
// joints do: products of elementary rotations, and the poses of the oracle.
#include "support/oracle_parts.h"
#include "support/sketch.h"

#define ROUNDING 1e-13  // some ten products of numbers of order one

static const char* const trees[] = {
    "test/models/joint_revolute.yaml",    "test/models/joint_prismatic.yaml",
    "test/models/joint_cylindrical.yaml", "test/models/joint_universal.yaml",
    "test/models/joint_spherical.yaml",   "test/models/joint_planar.yaml",
    "test/models/joint_free.yaml",        "test/models/joint_fixed.yaml",
    "test/models/joint_hub.yaml"};
enum { NTREE = sizeof trees / sizeof *trees };

static void assert_rotation(const double R[9]) {
  for (int i = 0; i < 9; i++) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
      sum += R[3 * (i / 3) + k] * R[3 * (i % 3) + k];
    }
    assert_near(sum, i / 3 == i % 3 ? 1.0 : 0.0, ROUNDING);
  }
  double det = 0.0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    det += R[i] * (R[3 + j] * R[6 + k] - R[3 + k] * R[6 + j]);
  }
  assert_near(det, 1.0, ROUNDING);
}

// Axes of a body's own frame in the ground, and its origin.
static void pose_of(sketch* k, int index, double R[9], double o[3]) {
  jgen* s = &k->s;
  const jgen_body_frame* b = &s->body[index];
  jexpr_m3 link = jgen_ground_rotation(s, b->link), ET = jexpr_m3_transpose(&b->E);
  jexpr_m3 axes = jexpr_m3_mul(k->g, &link, &ET);
  jexpr_v3 origin = jexpr_m3_apply(k->g, &ET, jexpr_v3_neg(k->g, b->o));
  sketch_m3(k, &axes, R);
  sketch_v3(k, jgen_ground_position(s, b->link, origin), o);
}

static void test_frames_of_links_are_rotations(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 1);
  for (int i = 0; i < NTREE; i++) {
    sketch k;
    sketch_open(&k, fixture_load(trees[i], NULL, 0), false);
    sketch_randomise(&k, &source, 3.0);
    for (int l = 1; l < k.s.nlink; l++) {
      double R[9];
      sketch_m3(&k, &k.s.link[l].Rc, R);
      assert_rotation(R);
      sketch_m3(&k, &k.s.link[l].R, R);
      assert_rotation(R);
    }
    sketch_close(&k);
  }
}

// The oracle turns bodies by Rodrigues' formula about axes as the file gives them, one joint after another.
static void test_frames_stand_where_the_oracle_puts_them(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 2);
  for (int i = 0; i < NTREE; i++) {
    for (int hub = 0; hub < 2; hub++) {
      sketch k;
      sketch_open(&k, fixture_load(trees[i], NULL, 0), hub);
      sketch_randomise(&k, &source, 1.2);
      oracle* o = oracle_create(k.f->ctx, k.f->m);
      pose P[8];
      assert_true(k.f->m->nbody <= 8);
      oracle_place(o, k.q, NULL, NULL, P);
      for (int b = 1; b < k.f->m->nbody; b++) {
        double R[9], at[3];
        pose_of(&k, b, R, at);
        for (int e = 0; e < 9; e++) {
          assert_near(R[e], P[b].R.e[e / 3][e % 3].v, 10.0 * ROUNDING);
        }
        for (int e = 0; e < 3; e++) {
          assert_near(at[e], P[b].o.e[e].v, 10.0 * ROUNDING);
        }
      }
      oracle_destroy(o);
      sketch_close(&k);
    }
  }
}

// Yaw, pitch and roll: R = Rz Ry Rx, written out.
static void test_frames_of_a_free_body_are_yaw_pitch_roll(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: f\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {b: {type: free, child: b}}\n";
  sketch k;
  sketch_open(&k, fixture_parse("free.yaml", text), false);
  const double q[6] = {0.3, -0.4, 0.5, 0.7, -0.6, 1.1};
  memcpy(k.q, q, sizeof q);
  double c[3], s[3], R[9], o[3];
  for (int i = 0; i < 3; i++) {
    c[i] = cos(q[3 + i]);
    s[i] = sin(q[3 + i]);
  }
  const double expected[9] = {c[0] * c[1],
                              c[0] * s[1] * s[2] - s[0] * c[2],
                              c[0] * s[1] * c[2] + s[0] * s[2],
                              s[0] * c[1],
                              s[0] * s[1] * s[2] + c[0] * c[2],
                              s[0] * s[1] * c[2] - c[0] * s[2],
                              -s[1],
                              c[1] * s[2],
                              c[1] * c[2]};
  pose_of(&k, 1, R, o);
  for (int i = 0; i < 9; i++) {
    assert_near(R[i], expected[i], ROUNDING);
  }
  for (int i = 0; i < 3; i++) {
    assert_near(o[i], q[i], ROUNDING);
  }
  sketch_close(&k);
}

// At the design position hardpoints and directions are what the file says, whatever frames links have.
static void test_frames_leave_points_where_the_design_has_them(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\nhardpoints: {A: [0.4, -0.3, 0.2], B: [1, 2, 3]}\n"
      "bodies: {arm: {mass: 1, com: [0.1, 0.2, 0.3], inertia: [1, 1, 1]}, tip: {mass: 1, com: "
      "[0.5, 0.1, -0.2], inertia: [1, 1, "
      "1]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: arm, at: A, axis: [-0.3, 0.1, -0.9]}\n"
      "  b: {type: universal, parent: arm, child: tip, at: B, axis: [1, 1, 0], axis2: [-1, 1, "
      "0.5]}\n";
  sketch k;
  sketch_open(&k, fixture_parse("points.yaml", text), false);
  for (int b = 1; b < 3; b++) {
    for (int h = 0; h < 2; h++) {
      jmodel_point p = {"P", b, true, k.f->m->hardpoint[h].value};
      jmodel_vector v = {"v", b, true, k.f->m->hardpoint[h].value};
      double at[3], given[3], along[3];
      int link = k.s.body[b].link;
      sketch_v3(&k, jgen_vector(&k.s, &p.r, "P"), given);
      sketch_v3(&k, jgen_ground_position(&k.s, link, jgen_point_in_link(&k.s, &p)), at);
      sketch_v3(&k, jgen_to_ground(&k.s, link, jgen_direction_in_link(&k.s, &v)), along);
      double length = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2]);
      for (int i = 0; i < 3; i++) {
        assert_near(at[i], given[i], ROUNDING);
        assert_near(along[i], given[i] / length, ROUNDING);
      }
    }
  }
  sketch_close(&k);
}

// A wheel that looks the same at every angle, by its numbers or since one parameter stands for both, is not turned,
// unless somebody asks for it.
static void test_frames_follow_a_symmetric_spin_only_when_asked(void** state) {
  (void)state;
  static const char wheel[] =
      "jounce: 1\nname: w\nparameters: {I: 1, J: 1}\n"
      "bodies: {wheel: {mass: 1, inertia: [%s]}}\n"
      "joints: {spin: {type: revolute, child: wheel, axis: y}}\n";
  static const char* const inertia[] = {"1, 2, 1", "I, 2, I", "I, 2, J"};
  for (int i = 0; i < 6; i++) {
    bool follow = i % 2 > 0, symmetric = i < 4;
    char text[256];
    snprintf(text, sizeof text, wheel, inertia[i / 2]);
    fixture* f = fixture_parse("wheel.yaml", text);
    jgen s = {0};
    int live[8];
    double p[8];
    assert_ok(f->ctx, jgen_begin(&s, f->ctx, f->m, fixture_graph(f), &f->a));
    jexpr_group(f->g, "p", 2, JEXPR_UNIFORM);
    jexpr_group(f->g, "q", 1, JEXPR_PER_LANE);
    assert_ok(f->ctx, jgen_inputs(&s, NULL, 0, live, p));
    s.q[0] = jexpr_input(f->g, 1, 0);
    s.follow[1] = follow;
    assert_ok(f->ctx, jgen_frames(&s));
    assert_int_equal(s.link[s.body[1].link].spins_free, symmetric && !follow);
    fixture_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_frames_of_links_are_rotations),
      cmocka_unit_test(test_frames_stand_where_the_oracle_puts_them),
      cmocka_unit_test(test_frames_of_a_free_body_are_yaw_pitch_roll),
      cmocka_unit_test(test_frames_leave_points_where_the_design_has_them),
      cmocka_unit_test(test_frames_follow_a_symmetric_spin_only_when_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
