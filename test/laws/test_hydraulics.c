// SPDX-License-Identifier: Apache-2.0
// Dampers linearised: the response of the force to small motions about rest and about steady motion, from the exact
// matrices, against models/damper_rig/reference.
#include "plant/linearise.h"
#include "support/check.h"
#include "support/dense.h"
#include "support/rig.h"

#define FOLDER "models/damper_rig/"
#define MAX_N  10  // states of a damper, and x and v
#define DIGITS 11  // printed

// The rig with a mass of 1 kg that is free to move instead of a drive: F is minus its acceleration.
#define FREE                                                                 \
  "gravity: [0, 0, 0]\nhardpoints: {lower: [0, 0, 0], upper: [0, 0, 0.5]}\n" \
  "bodies: {ram: {mass: 1, com: [0, 0, 0.5]}}\n"                             \
  "joints: {x: {type: prismatic, child: ram, at: upper, axis: [0, 0, 1]}}\n" \
  "cylinders: {damper: {between: [ground.lower, ram.upper]}}\n"

static void open_damper(rig* r, const char* text) {
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  opt.gen.jacobian = true;
  rig_open_text(r, FOLDER "free.yaml", text, &opt);
}

static void linearise(rig* r, jplant_linear* out) {
  assert_ok(r->ctx, jplant_linearise(r->ctx, &r->f->a, r->d, &r->run->system, r->t, r->y, out));
  assert_int_equal(out->nu, 1);
  assert_true(out->n <= MAX_N);
}

static double entry(const jplant_linear* l, int i, int j) {
  return l->A[i + l->n * j];
}

// F / x at jw: states z follow x and v = jw x, F = -v' m with m = 1.
//   (jw - A_zz) z = A_zx + jw A_zv      F = -(A_vz z + A_vx + jw A_vv)
static void respond(const jplant_linear* l, double w, double* re, double* im) {
  double A[4 * MAX_N * MAX_N] = {0}, b[2 * MAX_N] = {0};
  int n = l->n - 2;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      A[i * 2 * n + j] = A[(n + i) * 2 * n + n + j] = -entry(l, 2 + i, 2 + j);
    }
    A[i * 2 * n + n + i] = -w;
    A[(n + i) * 2 * n + i] = w;
    b[i] = entry(l, 2 + i, 0);
    b[n + i] = w * entry(l, 2 + i, 1);
  }
  assert_true(dense_solve(2 * n, A, b));
  *re = -entry(l, 1, 0);
  *im = -w * entry(l, 1, 1);
  for (int i = 0; i < n; i++) {
    *re -= entry(l, 1, 2 + i) * b[i];
    *im -= entry(l, 1, 2 + i) * b[n + i];
  }
}

// One unit of the last digit printed; what is printed as zero is zero but for rounding.
static double unit_of(double x, double size) {
  return x == 0.0 ? 1e-12 * size : 1.01 * pow(10.0, floor(log10(fabs(x))) - DIGITS + 1);
}

static FILE* open_reference(const char* name) {
  char path[96], line[64];
  snprintf(path, sizeof path, FOLDER "reference/%s", name);
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file));
  return file;
}

static void test_response_about_rest(void** state) {
  (void)state;
  FILE* file = open_reference("about_rest.csv");
  char damper;
  double i, hz, re, im, pi = acos(-1.0);
  int count = 0;
  while (fscanf(file, " %c,%lf,%lf,%lf,%lf", &damper, &i, &hz, &re, &im) == 5) {
    bool is_twin = damper == 'b';
    char text[800];
    snprintf(text, sizeof text, "jounce: 1\nname: free\ninclude: %s_tube_damper.yaml\n" FREE,
             is_twin ? "twin" : "mono");
    if (is_twin) {
      size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "parameters: {icmd: %g}\n", i);
    }
    rig r;
    jplant_linear l;
    open_damper(&r, text);
    linearise(&r, &l);
    double w = 2.0 * pi * hz, seal = (is_twin ? 50.0 : 40.0) / 0.01 + 20.0, got_re, got_im;
    respond(&l, w, &got_re, &got_im);
    assert_near(got_re, re, unit_of(re, im));
    assert_near(got_im - w * seal, im, unit_of(im, im));
    rig_close(&r);
    count++;
  }
  fclose(file);
  assert_int_equal(count, 12);
}

// States that do not change at constant speed: implicit steps, longer and longer.
static void settle(rig* r) {
  jplant_linear l;
  for (int k = 0; k < 60; k++) {
    linearise(r, &l);
    r->run->system.rhs(r->run->system.user, r->t, r->y, r->ydot);
    int n = l.n - 2;
    double A[MAX_N * MAX_N], b[MAX_N], h = 1e-5 * pow(2.0, k);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        A[i * n + j] = (i == j ? 1.0 / h : 0.0) - entry(&l, 2 + i, 2 + j);
      }
      b[i] = r->ydot[2 + i];
    }
    assert_true(dense_solve(n, A, b));
    for (int i = 0; i < n; i++) {
      r->y[2 + i] += b[i];
    }
  }
}

static void test_response_about_steady_motion(void** state) {
  (void)state;
  FILE* file = open_reference("about_motion.csv");
  double i, v0, hz, re, im, pi = acos(-1.0);
  int count = 0;
  while (fscanf(file, "%lf,%lf,%lf,%lf,%lf", &i, &v0, &hz, &re, &im) == 5) {
    char text[800];
    snprintf(text, sizeof text,
             "jounce: 1\nname: free\ninclude: twin_tube_damper.yaml\n" FREE
             "parameters: {icmd: %g}\naccumulators: {r: }\npressures: {r: {pressure: pg0}}\n",
             i);
    rig r;
    jplant_linear l;
    open_damper(&r, text);
    r.y[1] = v0;
    settle(&r);
    linearise(&r, &l);
    // F / v: x itself does nothing, the volumes are steady at any x
    double w = 2.0 * pi * hz, slope = cosh(v0 / 0.01), got_re, got_im, size = hypot(re, im);
    double seal = 20.0 + 50.0 / 0.01 / (slope * slope);
    if (hz == 0.0) {
      respond(&l, 1e-6, &got_im, &got_re);
      got_re /= 1e-6;
      got_im = 0.0;
    } else {
      respond(&l, w, &got_im, &got_re);
      got_re /= w;
      got_im /= -w;
    }
    assert_near(got_re - seal, re, unit_of(re, size));
    assert_near(got_im, im, unit_of(im, size));
    rig_close(&r);
    count++;
  }
  fclose(file);
  assert_int_equal(count, 18);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_response_about_rest),
      cmocka_unit_test(test_response_about_steady_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
