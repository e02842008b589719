// SPDX-License-Identifier: Apache-2.0
// Replays: bodies are rigid in every frame, joints stay together, wheels are round and turn, the road
// is where the wheels are; outlines are those of known solids.
#include "scene/replay.h"

#include "support/fixture.h"

typedef struct subject {
  fixture* base;
  jscene_replay* replay;
} subject;

static int setup(void** state) {
  subject* f = calloc(1, sizeof *f);
  f->base = fixture_open();
  *state = f;
  return 0;
}

static int teardown(void** state) {
  subject* f = *state;
  jscene_replay_destroy(f->replay);
  fixture_close(f->base);
  free(f);
  return 0;
}

static void replay_of(subject* f, const char* path, double t_end) {
  jplant_options plant = fixture_interpreted();
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.t_end = t_end;
  opt.rel_tol = opt.abs_tol = 1e-6;
  jo_context* ctx = f->base->ctx;
  assert_ok(ctx, jmodel_load(ctx, path, NULL, 0, &f->base->m));
  fixture_build(f->base, &plant);
  assert_ok(ctx, jscene_replay_create(ctx, f->base->plant, &opt, &f->replay));
}

static const double* at(const jscene_replay* r, int frame, int point) {
  return r->xyz + 3 * ((size_t)frame * (size_t)r->npoint + (size_t)point);
}

static double distance(const double* a, const double* b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static double dot(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void check_rigid(const jscene_replay* r) {
  for (int i = 0; i < r->nbody; i++) {
    const jscene_replay_body* b = &r->body[i];
    for (int k = 1; k < b->npoint; k++) {
      double first = distance(at(r, 0, b->point[0]), at(r, 0, b->point[k]));
      for (int f = 1; f < r->nframe; f++) {
        assert_near(distance(at(r, f, b->point[0]), at(r, f, b->point[k])), first, 1e-12);
      }
    }
  }
}

// Frames of bodies carry their points: R (R0' (p0 - o0)) + o = p in every frame.
static void check_poses(const jscene_replay* r) {
  for (int i = 0; i < r->nbody; i++) {
    const jscene_replay_body* b = &r->body[i];
    for (int f = 0; f < r->nframe; f++) {
      const double* pose[2];
      double z[2][3];
      for (int k = 0; k < 2; k++) {
        const double* p = pose[k] = r->pose + 9 * ((size_t)(k * f) * (size_t)r->nbody + (size_t)i);
        assert_near(dot(p + 3, p + 6), 0.0, 1e-12);
        for (int c = 0; c < 3; c++) {
          int u = (c + 1) % 3, v = (c + 2) % 3;
          z[k][c] = p[3 + u] * p[6 + v] - p[3 + v] * p[6 + u];
        }
      }
      for (int k = 0; k < b->npoint; k++) {
        const double *p0 = at(r, 0, b->point[k]), *p = at(r, f, b->point[k]);
        double d[3] = {p0[0] - pose[0][0], p0[1] - pose[0][1], p0[2] - pose[0][2]};
        double x = dot(d, pose[0] + 3), y = dot(d, pose[0] + 6), along = dot(d, z[0]);
        for (int c = 0; c < 3; c++) {
          double here = pose[1][c] + x * pose[1][3 + c] + y * pose[1][6 + c] + along * z[1][c];
          assert_near(here, p[c], 1e-11);
        }
      }
    }
  }
}

static void test_replay_of_a_linkage(void** state) {
  subject* f = *state;
  replay_of(f, "models/mechanisms/four_bar.yaml", 0.5);
  const jscene_replay* r = f->replay;
  assert_int_equal(r->nframe, 26);
  assert_near(r->dt, 0.02, 1e-15);
  assert_int_equal(r->nwheel, 0);
  assert_int_equal(r->road.nx, 0);
  assert_int_equal(r->follow, -1);
  check_rigid(r);
  check_poses(r);
  // ground with two pivots, three rods of two points that meet: a point where another body has one
  assert_int_equal(r->body[0].npoint, 2);
  for (int i = 1; i < r->nbody; i++) {
    assert_int_equal(r->body[i].npoint, 2);
    assert_int_equal(r->body[i].nedge, 1);
  }
  for (int i = 0; i < r->npoint; i++) {
    double nearest = INFINITY;
    for (int k = 0; k < r->npoint; k++) {
      if (k != i) nearest = fmin(nearest, distance(at(r, 25, i), at(r, 25, k)));
    }
    assert_near(nearest, 0.0, 1e-9);
  }
  // the crank turns
  double moved = distance(at(r, 0, r->body[2].point[0]), at(r, 5, r->body[2].point[0]));
  assert_true(moved > 0.01);
}

static void test_replay_of_a_vehicle(void** state) {
  subject* f = *state;
  replay_of(f, "models/buggy/step_descent.yaml", 0.1);
  const jscene_replay* r = f->replay;
  assert_int_equal(r->nframe, 6);
  assert_int_equal(r->nwheel, 4);
  assert_int_equal(r->nline, 4);
  assert_int_equal(r->follow, jmodel_find_body(f->base->m, "chassis"));
  check_rigid(r);
  check_poses(r);
  for (int w = 0; w < 4; w++) {
    const double* first = r->spin + 9 * w;
    assert_near(r->wheel[w].radius, 0.30253, 1e-12);
    for (int k = 0; k < r->nframe; k++) {
      const double* s = r->spin + 9 * (4 * k + w);
      assert_near(dot(s + 3, s + 3), 1.0, 1e-12);
      assert_near(dot(s + 6, s + 6), 1.0, 1e-12);
      assert_near(dot(s + 3, s + 6), 0.0, 1e-12);
    }
    // forward at 3 m/s; in 0.1 s at some 10 rad/s the wheel has turned by about 1 rad
    const double* last = r->spin + 9 * (4 * 5 + w);
    assert_near(last[0] - first[0], 0.3, 0.02);
    assert_near(dot(first + 6, last + 6), cos(1.0), 0.15);
  }
  // flat here, deeper behind the step, which this run does not reach
  const jscene_replay_road* road = &r->road;
  assert_true(road->nx > 1 && road->ny > 1);
  for (int i = 0; i < road->nx * road->ny; i++) {
    assert_near(road->z[i], road->x0 + i / road->ny * road->dx < 5.5 ? 0.0 : -0.01, 1e-15);
  }
}

// ---- outlines ------------------------------------------------------------------------------------

static int edges_of(subject* f, const double* xyz, int n) {
  int* point = JARENA_ARRAY(&f->base->a, n, int);
  for (int i = 0; i < n; i++) {
    point[i] = i;
  }
  jscene_replay_body b = {.name = "solid", .npoint = n, .point = point};
  assert_ok(f->base->ctx, jscene_replay_outline(f->base->ctx, &f->base->a, xyz, &b));
  return b.nedge;
}

static void test_outline_of_solids(void** state) {
  subject* f = *state;
  const double cube[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
  const double with_centre[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.2, 0.2, 0.2};
  const double line[] = {0, 0, 0, 2, 2, 2, 1, 1, 1};
  const double square[] = {0, 0, 3, 1, 0, 3, 1, 1, 3, 0, 1, 3};
  const double twice[] = {1, 2, 3, 1, 2, 3};
  assert_int_equal(edges_of(f, cube, 8), 12);
  assert_int_equal(edges_of(f, with_centre, 4), 6);
  assert_int_equal(edges_of(f, with_centre, 5), 7);  // the inner point hangs on one
  assert_int_equal(edges_of(f, line, 3), 2);
  assert_int_equal(edges_of(f, square, 4), 4);
  assert_int_equal(edges_of(f, twice, 2), 0);
  assert_int_equal(edges_of(f, twice, 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_replay_of_a_linkage, setup, teardown),
      cmocka_unit_test_setup_teardown(test_replay_of_a_vehicle, setup, teardown),
      cmocka_unit_test_setup_teardown(test_outline_of_solids, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
