// SPDX-License-Identifier: Apache-2.0
// The road: its height is the expression of the file, its normal stands on both slopes.
#include "gen/force/road.h"

#include "support/sketch.h"

static fixture* with_road(const char* road) {
  char text[512];
  snprintf(text, sizeof text,
           "jounce: 1\nname: r\nparameters: {h: 0.3}\ntables: {bump: {x: [0, 1, 2, 4], y: [0, 1, "
           "0.5, 2]}}\n"
           "%s%s\nbodies: {b: {mass: 1}}\njoints: {z: {type: prismatic, child: b, axis: z}}\n",
           *road ? "road: " : "", road);
  return fixture_parse("road.yaml", text);
}

static double height_at(sketch* k, const jgen_road* r, double x, double y) {
  k->more[0] = x;
  k->more[1] = y;
  return sketch_value(k, r->z);
}

static void check_normal(sketch* k, const jgen_road* r, double x, double y) {
  const double d = 1e-5;
  double along = (height_at(k, r, x + d, y) - height_at(k, r, x - d, y)) / (2.0 * d);
  double across = (height_at(k, r, x, y + d) - height_at(k, r, x, y - d)) / (2.0 * d);
  double n[3], length = sqrt(1.0 + along * along + across * across);
  height_at(k, r, x, y);
  sketch_v3(k, r->n, n);
  // differences of second order: 1e-10 times the third derivative, and rounding of 1e-11
  assert_near(n[0], -along / length, 1e-8);
  assert_near(n[1], -across / length, 1e-8);
  assert_near(n[2], 1.0 / length, 1e-8);
  assert_near(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
}

static void test_road_normal_stands_on_its_slopes(void** state) {
  (void)state;
  static const char* const road[] = {"h*sin(2*x)*cos(y)", "h*x^2 - 0.2*x*y + t", "bump(x) + h*y",
                                     "if(x > 0.5, h*(x - 0.5)^2, 0)"};
  for (size_t i = 0; i < sizeof road / sizeof *road; i++) {
    sketch k;
    sketch_open(&k, with_road(road[i]), false);
    k.t = 0.7;
    jexpr_ref x = jexpr_input(k.g, SKETCH_MORE, 0), y = jexpr_input(k.g, SKETCH_MORE, 1);
    jgen_road r = jgen_road_under(&k.s, x, y);
    check_normal(&k, &r, 0.73, -0.4);
    check_normal(&k, &r, 1.7, 2.1);
    check_normal(&k, &r, 0.21, 0.0);
    sketch_close(&k);
  }
}

static void test_road_height_is_the_expression(void** state) {
  (void)state;
  sketch k;
  sketch_open(&k, with_road("h*x - 2*y + t^2"), false);
  k.t = 1.5;
  jexpr_ref x = jexpr_input(k.g, SKETCH_MORE, 0), y = jexpr_input(k.g, SKETCH_MORE, 1);
  // places are expressions themselves
  jgen_road r = jgen_road_under(&k.s, jexpr_mul(k.g, x, y), jexpr_sub(k.g, y, k.s.one));
  assert_near(height_at(&k, &r, 2.0, 3.0), 0.3 * 6.0 - 2.0 * 2.0 + 2.25, 1e-14);
  assert_true(k.s.has_read_road);
  sketch_close(&k);
}

static void test_road_that_is_not_given_is_flat(void** state) {
  (void)state;
  for (int given = 0; given < 2; given++) {
    sketch k;
    double n[3];
    sketch_open(&k, with_road(given ? "h" : ""), false);
    jexpr_ref x = jexpr_input(k.g, SKETCH_MORE, 0);
    jgen_road r = jgen_road_under(&k.s, x, x);
    assert_near(height_at(&k, &r, 5.0, 5.0), given ? 0.3 : 0.0, 0.0);
    sketch_v3(&k, r.n, n);
    assert_true(n[0] == 0.0 && n[1] == 0.0 && n[2] == 1.0);
    sketch_close(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_road_normal_stands_on_its_slopes),
      cmocka_unit_test(test_road_height_is_the_expression),
      cmocka_unit_test(test_road_that_is_not_given_is_flat),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
