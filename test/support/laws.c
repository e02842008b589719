// SPDX-License-Identifier: Apache-2.0
// Laws of mechanics, checked on plants.
#include "support/laws.h"

#include <lapacke.h>

enum { STATES = 5, MAX_DOF = 96 };

static void check_drives(rig* r, const oracle* o) {
  double *qdd = calloc((size_t)r->m->ncoordinate + 1, sizeof *qdd), force[MAX_DOF];
  assert_non_null(qdd);
  oracle_report report;
  oracle_accelerations(o, r->t, r->q, r->qd, qdd, force, &report);
  for (int i = 0; i < r->d->part.nd; i++) {
    int k = r->d->part.d[i];
    assert_near(r->qdd[k], qdd[k], 1e-12 * (1.0 + fabs(qdd[k])));
    for (int s = 0; s < r->d->noutput; s++) {
      if (strcmp(r->d->output_name[s], "drive_force") != 0) continue;
      assert_near(r->out[s], force[k], 1e-10 * (1.0 + fabs(force[k])));
    }
  }
  free(qdd);
}

void law_oracle(const char* path, double dq, double dqd, double tolerance) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, NULL, 0, &opt);
  oracle* o = oracle_create(r.ctx, r.m);
  random_source source;
  random_seed(&source, 2718);
  for (int k = 0; k < STATES; k++) {
    oracle_report report;
    rig_perturb(&r, &source, dq, dqd);
    assert_near(rig_against_oracle(&r, o, &report), 0.0, tolerance);
    assert_near(report.gap, 0.0, 1e-12);
    assert_near(report.slip, 0.0, 1e-12 * (1.0 + dqd + 100.0));
    assert_int_equal(report.nconstraint - report.rank, r.d->part.nredundant);
    double T = oracle_kinetic_energy(o, r.q, r.qd);
    assert_near(rig_output(&r, "energy.kinetic"), T, 1e-13 * T);
    check_drives(&r, o);
  }
  oracle_destroy(o);
  rig_close(&r);
}

// ---- mass matrix ---------------------------------------------------------------------------------

static double kinetic_energy(rig* r, const double* qdu) {
  memcpy(r->y + jgen_first(&r->d->layout, JGEN_QDU), qdu, (size_t)r->d->part.nu * sizeof *qdu);
  rig_evaluate(r);
  return rig_output(r, "energy.kinetic");
}

// 2 T = qd^T M qd  by polarisation
static void polarise(rig* r, double* M) {
  int n = r->d->part.nu;
  double x[MAX_DOF] = {0}, T[MAX_DOF];
  for (int i = 0; i < n; i++) {
    x[i] = 1.0;
    T[i] = kinetic_energy(r, x);
    M[i + i * n] = 2.0 * T[i];
    for (int j = 0; j < i; j++) {
      x[j] = 1.0;
      M[i + j * n] = M[j + i * n] = kinetic_energy(r, x) - T[i] - T[j];
      x[j] = 0.0;
    }
    x[i] = 0.0;
  }
}

static double largest(const double* x, int n) {
  double m = 0.0;
  for (int i = 0; i < n; i++) {
    m = fmax(m, fabs(x[i]));
  }
  return m;
}

// The motor of a coordinate: tau_ and the joint's name, or the number of the coordinate of `test`.
static double* motor(const rig* r, int coordinate) {
  const jmodel_coordinate* c = &r->m->coordinate[coordinate];
  const char* joint = r->m->joint[c->joint].name;
  char name[64];
  if (strcmp(joint, "test") == 0) {
    snprintf(name, sizeof name, "tau_%d", c->k + 1);
  } else {
    snprintf(name, sizeof name, "tau_%s", joint);
  }
  return rig_parameter(r, name);
}

static void check_mass_matrix(rig* r, const double* M, bool motors) {
  int n = r->d->part.nu;
  double qdd[MAX_DOF], L[MAX_DOF * MAX_DOF];
  for (int j = 0; motors && j < n; j++) {
    // a unit of force on coordinate j changes the accelerations by column j of the inverse of M
    rig_evaluate(r);
    memcpy(qdd, r->ydot + jgen_first(&r->d->layout, JGEN_QDU), (size_t)n * sizeof *qdd);
    *motor(r, r->d->part.u[j]) += 1.0;
    rig_evaluate(r);
    *motor(r, r->d->part.u[j]) -= 1.0;
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int k = 0; k < n; k++) {
        sum += M[i + k * n] * (r->ydot[jgen_first(&r->d->layout, JGEN_QDU) + k] - qdd[k]);
      }
      assert_near(sum, i == j ? 1.0 : 0.0, 1e-10);
    }
  }
  memcpy(L, M, (size_t)(n * n) * sizeof *L);
  assert_int_equal(LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, L, n), 0);
}

void law_mass_matrix(const char* path) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, NULL, 0, &opt);
  random_source source;
  random_seed(&source, 31);
  int n = r.d->part.nu;
  double M[MAX_DOF * MAX_DOF], x[MAX_DOF], T, form;
  assert_in_range(n, 1, MAX_DOF);
  for (int k = 0; k < STATES; k++) {
    rig_perturb(&r, &source, 0.1, 0.5);
    polarise(&r, M);
    form = 0.0;
    for (int i = 0; i < n; i++) {
      x[i] = random_uniform(&source, -2.0, 2.0);
    }
    for (int i = 0; i < n * n; i++) {
      form += 0.5 * x[i % n] * M[i] * x[i / n];
    }
    T = kinetic_energy(&r, x);
    assert_near(T, form, 1e-12 * largest(M, n * n));
    assert_true(T > 0.0);
    check_mass_matrix(&r, M, r.m->nclosure == 0 && r.m->ncoupling == 0);
  }
  rig_close(&r);
}

void law_forward_of_inverse(const char* path) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, NULL, 0, &opt);
  oracle* o = oracle_create(r.ctx, r.m);
  random_source source;
  random_seed(&source, 1618);
  int n = r.m->ncoordinate;
  double qdd[MAX_DOF], Q[MAX_DOF];
  assert_in_range(n, 1, MAX_DOF);
  for (int k = 0; k < STATES; k++) {
    rig_perturb(&r, &source, 0.1, 0.5);
    for (int i = 0; i < n; i++) {
      qdd[i] = random_uniform(&source, -5.0, 5.0);
    }
    oracle_inverse(o, r.t, r.q, r.qd, qdd, Q);
    for (int i = 0; i < n; i++) {
      *motor(&r, i) = Q[i];
    }
    rig_evaluate(&r);
    for (int i = 0; i < n; i++) {
      assert_near(r.qdd[i], qdd[i], 1e-11);
    }
  }
  oracle_destroy(o);
  rig_close(&r);
}

// ---- back ends -----------------------------------------------------------------------------------

void law_backends(const char* path) {
  rig a, b;
  jplant_options interp = fixture_interpreted(), cc = jplant_options_default();
  cc.kernel.backend = JKERNEL_CC;
  rig_open(&a, path, NULL, 0, &interp);
  rig_open(&b, path, NULL, 0, &cc);
  random_source source;
  random_seed(&source, 57);
  assert_int_equal(a.d->ny, b.d->ny);
  for (int k = 0; k < STATES; k++) {
    rig_perturb(&a, &source, 0.05, 0.5);
    memcpy(b.y, a.y, (size_t)a.d->ny * sizeof *a.y);
    rig_evaluate(&b);
    double scale = largest(a.ydot, a.d->ny);
    for (int i = 0; i < a.d->ny; i++) {
      assert_near(b.ydot[i], a.ydot[i], 1e-11 * scale);
    }
    for (int i = 0; i < a.d->noutput; i++) {
      assert_near(b.out[i], a.out[i], 1e-11 * (scale + fabs(a.out[i])));
    }
  }
  rig_close(&a);
  rig_close(&b);
}

// ---- runs ----------------------------------------------------------------------------------------

typedef struct watch {
  rig* r;
  const oracle* o;
  const char* sensor;
  double first;
  law_run result;
} watch;

static jo_status on_step(void* user, const jsolve_step* s) {
  watch* w = user;
  rig* r = w->r;
  double t = r->t;
  memcpy(r->y, s->y1, (size_t)r->d->ny * sizeof *r->y);
  r->t = s->t1;
  rig_look(r);
  r->t = t;
  w->result.steps++;
  w->result.gap = fmax(w->result.gap, oracle_gap(w->o, r->q));
  w->result.kinetic = fmax(w->result.kinetic, rig_output(r, "energy.kinetic"));
  w->result.drift = fmax(w->result.drift, fabs(rig_output(r, w->sensor) - w->first));
  return JO_OK;
}

law_run law_constant(const char* path, const jmodel_setting* set, int nset, const char* sensor,
                     double t_end, double tolerance) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, set, nset, &opt);
  oracle* o = oracle_create(r.ctx, r.m);
  watch w = {.r = &r, .o = o, .sensor = sensor, .first = rig_output(&r, sensor)};
  jsolve_observer obs = {.user = &w, .step = on_step};
  // the observer looks at the states it is shown through r->y, so the run gets its own
  double* y = malloc((size_t)r.d->ny * sizeof *y);
  assert_non_null(y);
  memcpy(y, r.y, (size_t)r.d->ny * sizeof *y);
  jsolve_options solve = jsolve_options_default();
  jsolve_statistics stats;
  double reached;
  solve.rel_tol = solve.abs_tol = tolerance;
  assert_ok(r.ctx,
            jsolve_integrate(r.ctx, &r.run->system, &solve, &obs, r.t, t_end, y, &reached, &stats));
  assert_near(reached, t_end, 0.0);
  w.result.drift /= w.result.kinetic;
  free(y);
  oracle_destroy(o);
  rig_close(&r);
  return w.result;
}
