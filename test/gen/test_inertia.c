// SPDX-License-Identifier: Apache-2.0
// Inertia in other frames is that of the same mass points, and what is moved between links leaves the equations
// as they are.
#include "support/sketch.h"

#define ROUNDING 1e-13

// ---- mass points ---------------------------------------------------------------------------------

enum { POINTS = 5, VALUES = 13 };

typedef struct cloud {
  double m[POINTS], r[POINTS][3];
} cloud;

static cloud random_cloud(random_source* source) {
  cloud c;
  for (int i = 0; i < POINTS; i++) {
    c.m[i] = random_uniform(source, 0.2, 1.0);
    for (int k = 0; k < 3; k++) {
      c.r[i][k] = random_uniform(source, -1.0, 1.0);
    }
  }
  return c;
}

// mass, first moments, inertia about the origin row by row
static void moments(const cloud* c, double out[VALUES]) {
  memset(out, 0, VALUES * sizeof *out);
  for (int i = 0; i < POINTS; i++) {
    const double* r = c->r[i];
    double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    out[0] += c->m[i];
    for (int k = 0; k < 3; k++) {
      out[1 + k] += c->m[i] * r[k];
      for (int l = 0; l < 3; l++) {
        out[4 + 3 * k + l] += c->m[i] * ((k == l ? rr : 0.0) - r[k] * r[l]);
      }
    }
  }
}

static jgen_inertia as_nodes(jexpr_graph* g, const double x[VALUES]) {
  jgen_inertia b = {.m = jexpr_const(g, x[0]), .s = jexpr_v3_const(g, x[1], x[2], x[3])};
  for (int i = 0; i < 9; i++) {
    b.I.e[i / 3][i % 3] = jexpr_const(g, x[4 + i]);
  }
  return b;
}

static void as_numbers(sketch* k, const jgen_inertia* b, double x[VALUES]) {
  x[0] = sketch_value(k, b->m);
  sketch_v3(k, b->s, x + 1);
  sketch_m3(k, &b->I, x + 4);
}

static cloud moved(const cloud* c, const double R[9], const double shift[3]) {
  cloud d = *c;
  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 3; k++) {
      d.r[i][k] = shift[k];
      for (int l = 0; l < 3; l++) {
        d.r[i][k] += R[3 * k + l] * c->r[i][l];
      }
    }
  }
  return d;
}

static const char pendulum[] =
    "jounce: 1\nname: p\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
    "joints: {q: {type: revolute, child: b, axis: x}}\n";

// Added to what is there, by the general way and by the short one for turns about an axis.
static void test_inertia_in_another_frame_is_that_of_the_same_points(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 7);
  sketch k;
  sketch_open(&k, fixture_parse("p.yaml", pendulum), false);
  for (int axis = 0; axis < 3; axis++) {
    for (int general = 0; general < 2; general++) {
      cloud a = random_cloud(&source), b = random_cloud(&source);
      double R[9], x[VALUES], y[VALUES], z[VALUES], got[VALUES], shift[3] = {0.4, -0.2, 0.9};
      sketch_randomise(&k, &source, 2.0);
      jexpr_m3 turn = jexpr_m3_rotation(k.g, axis, k.s.q[0]);
      sketch_m3(&k, &turn, R);
      cloud there = moved(&b, R, shift);
      moments(&a, x);
      moments(&b, y);
      moments(&there, z);
      jgen_inertia to = as_nodes(k.g, x), what = as_nodes(k.g, y);
      jgen_inertia_add(&k.s, &to, &what, &turn, general ? -1 : axis,
                       jexpr_v3_const(k.g, shift[0], shift[1], shift[2]));
      as_numbers(&k, &to, got);
      for (int i = 0; i < VALUES; i++) {
        assert_near(got[i], x[i] + z[i], ROUNDING * 10.0);
      }
    }
  }
  sketch_close(&k);
}

// ---- base parameters -----------------------------------------------------------------------------

enum { MAX = 16 };

static void equations(const char* path, bool regrouped, unsigned seed, double* M, double* c,
                      int* n) {
  sketch k;
  random_source source;
  random_seed(&source, seed);
  sketch_open(&k, fixture_load(path, NULL, 0), false);
  sketch_randomise(&k, &source, 1.0);
  jgen* s = &k.s;
  *n = k.nq;
  assert_true(k.nq <= MAX);
  if (!regrouped) {
    s->base = JARENA_ARRAY(s->a, s->nlink, jgen_inertia);
    for (int l = 0; l < s->nlink; l++) {
      const jgen_link* b = &s->link[l];
      s->base[l] = (jgen_inertia){s->zero, jexpr_v3_zero(k.g), jexpr_m3_zero(k.g)};
      if (b->has_mass) s->base[l] = (jgen_inertia){b->m, b->s, b->I};
    }
  }
  jexpr_ref matrix[MAX * MAX], bias[MAX];
  jgen_bias_forces(s, bias);
  jgen_mass_matrix(s, matrix);
  sketch_eval(&k, matrix, k.nq * k.nq, M);
  sketch_eval(&k, bias, k.nq, c);
  sketch_close(&k);
}

static void test_inertia_moved_to_parents_changes_no_equation(void** state) {
  (void)state;
  static const char* const path[] = {
      "test/models/joint_revolute.yaml",  "test/models/joint_prismatic.yaml",
      "test/models/joint_spherical.yaml", "test/models/joint_fixed.yaml",
      "test/models/joint_universal.yaml", "test/models/joint_cylindrical.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    double M[2][MAX * MAX], c[2][MAX];
    int n = 0;
    for (int way = 0; way < 2; way++) {
      equations(path[i], way, 11, M[way], c[way], &n);
    }
    for (int e = 0; e < n * n; e++) {
      assert_near(M[0][e], M[1][e], ROUNDING * 10.0);
    }
    for (int e = 0; e < n; e++) {
      assert_near(c[0][e], c[1][e], ROUNDING * (100.0 + fabs(c[0][e])));
    }
  }
}

// Numbers move, and mass is not lost on the way to a link that can hold it.
static void test_inertia_of_a_turning_link_keeps_no_mass(void** state) {
  (void)state;
  sketch k;
  sketch_open(&k, fixture_load("test/models/joint_revolute.yaml", NULL, 0), false);
  const jgen_inertia* base = jgen_base_inertia(&k.s);
  double total = 0.0, own = 0.0;
  assert_non_null(base);
  assert_ptr_equal(base, jgen_base_inertia(&k.s));
  int tip = k.s.body[jmodel_find_body(k.f->m, "tip")].link, body = k.s.link[tip].parent;
  assert_near(sketch_value(&k, base[tip].m), 0.0, 0.0);
  for (int l = tip; l > 0; l = k.s.link[l].parent) {
    total += sketch_value(&k, base[l].m);
    own += sketch_value(&k, k.s.link[l].m);
  }
  // what turns about a point of the ground keeps nothing of its mass
  assert_near(total, 0.0, 0.0);
  assert_true(own > 4.0 && body > 0);
  sketch_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inertia_in_another_frame_is_that_of_the_same_points),
      cmocka_unit_test(test_inertia_moved_to_parents_changes_no_equation),
      cmocka_unit_test(test_inertia_of_a_turning_link_keeps_no_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
