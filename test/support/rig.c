// SPDX-License-Identifier: Apache-2.0
// Plants for tests.
#include "support/rig.h"

static double* numbers(int n) {
  double* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void start(rig* r, fixture* f, const jplant_options* opt) {
  fixture_build(f, opt);
  *r = (rig){.f = f, .ctx = f->ctx, .m = f->m, .plant = f->plant, .run = f->run};
  r->d = r->plant->dynamics;
  r->t = r->m->simulation.t_start;
  r->y = numbers(r->d->ny);
  r->ydot = numbers(r->d->ny);
  r->out = numbers(r->d->noutput);
  r->g = numbers(r->d->nswitch);
  r->q = numbers(r->m->ncoordinate);
  r->qd = numbers(r->m->ncoordinate);
  r->qdd = numbers(r->m->ncoordinate);
  memcpy(r->y, r->plant->y0, (size_t)r->d->ny * sizeof *r->y);
  rig_evaluate(r);
}

void rig_open(rig* r, const char* path, const jmodel_setting* set, int nset,
              const jplant_options* opt) {
  start(r, fixture_load(path, set, nset), opt);
}

void rig_open_text(rig* r, const char* path, const char* text, const jplant_options* opt) {
  start(r, fixture_parse(path, text), opt);
}

void rig_close(rig* r) {
  free(r->y);
  free(r->ydot);
  free(r->out);
  free(r->g);
  free(r->q);
  free(r->qd);
  free(r->qdd);
  fixture_close(r->f);
}

int rig_operations(const rig* r) {
  jarena a;
  jarena_init(&a, r->ctx);
  jexpr_schedule s;
  assert_ok(r->ctx, jexpr_schedule_build(&a, &r->d->fn[JGEN_FN_RHS], &s));
  int total = jexpr_count(r->d->g, &s).total;
  jarena_free(&a);
  return total;
}

void rig_evaluate(rig* r) {
  jsolve_set_modes(&r->run->system, r->t, r->y, r->g);
  rig_look(r);
}

void rig_look(rig* r) {
  const jgen_dynamics* d = r->run->plant->dynamics;  // of the partition in force
  const jgen_partition* part = &d->part;
  double *qdv = numbers(part->nv), *drive = numbers(3 * part->nd);
  r->run->system.rhs(r->run->system.user, r->t, r->y, r->ydot);
  jplant_outputs(r->run, r->t, r->y, r->out);
  jplant_call(r->run, JGEN_FN_VELOCITY, r->t, r->y, (double* const[]){qdv});
  double* const drives[] = {drive, drive + part->nd, drive + 2 * part->nd};
  jplant_call(r->run, JGEN_FN_DRIVE, r->t, r->y, drives);
  jgen_gather(&d->layout, r->y, r->q, r->qd);
  jgen_gather(&d->layout, r->ydot, NULL, r->qdd);
  for (int i = 0; i < part->nv; i++) {
    r->qd[part->v[i]] = qdv[i];
  }
  for (int i = 0; i < part->nd; i++) {
    r->q[part->d[i]] = drive[i];
    r->qd[part->d[i]] = drive[part->nd + i];
    r->qdd[part->d[i]] = drive[2 * part->nd + i];
  }
  free(qdv);
  free(drive);
}

void rig_perturb(rig* r, random_source* s, double dq, double dqd) {
  const jgen_dynamics* d = r->d;
  memcpy(r->y, r->plant->y0, (size_t)d->ny * sizeof *r->y);
  for (int i = 0; i < d->part.nu; i++) {
    r->y[jgen_first(&d->layout, JGEN_QU) + i] += random_uniform(s, -dq, dq);
    r->y[jgen_first(&d->layout, JGEN_QDU) + i] += random_uniform(s, -dqd, dqd);
  }
  if (r->run->system.project) {
    assert_ok(r->ctx, r->run->system.project(r->run->system.user, r->t, r->y));
    assert_ok(r->ctx, r->run->system.project(r->run->system.user, r->t, r->y));
  }
  rig_evaluate(r);
}

void rig_disturb(rig* r, unsigned seed, double size) {
  random_source source;
  random_seed(&source, seed);
  r->t = r->m->simulation.t_start;
  rig_perturb(r, &source, size, 10.0 * size);
  const jgen_layout* l = &r->d->layout;
  for (int i = jgen_first(l, JGEN_Z); i < jgen_first(l, JGEN_INTEGRAL); i++) {
    r->y[i] += random_uniform(&source, -size, size);
  }
  rig_evaluate(r);
}

void rig_integrate(rig* r, double t1, double tolerance, const jsolve_observer* obs,
                   jsolve_statistics* stats) {
  jsolve_options opt = jsolve_options_default();
  jsolve_statistics local;
  double reached;
  opt.rel_tol = opt.abs_tol = tolerance;
  jsolve_set_modes(&r->run->system, r->t, r->y, r->g);
  assert_ok(r->ctx, jsolve_integrate(r->ctx, &r->run->system, &opt, obs, r->t, t1, r->y, &reached,
                                     stats ? stats : &local));
  assert_near(reached, t1, 0.0);
  r->t = t1;
  rig_evaluate(r);
}

double rig_output(const rig* r, const char* name) {
  for (int i = 0; i < r->d->noutput; i++) {
    if (strcmp(r->d->output_name[i], name) == 0) return r->out[i];
  }
  fail_msg("no output '%s'", name);
  return NAN;
}

double* rig_parameter(const rig* r, const char* name) {
  int k = jmodel_find_number(r->m, name);
  for (int i = 0; i < r->d->np; i++) {
    if (r->d->live[i] == k) return &r->run->p[i];
  }
  fail_msg("no live number '%s'", name);
  return NULL;
}

double rig_against_oracle(rig* r, const oracle* o, oracle_report* report) {
  double *qdd = numbers(r->m->ncoordinate), scale = 0.0, worst = 0.0;
  oracle_report local;
  oracle_accelerations(o, r->t, r->q, r->qd, qdd, NULL, report ? report : &local);
  for (int i = 0; i < r->m->ncoordinate; i++) {
    scale = fmax(scale, fabs(qdd[i]));
  }
  for (int i = 0; i < r->d->part.nu; i++) {
    int k = r->d->part.u[i];
    double off = fabs(qdd[k] - r->qdd[k]);
    worst = off <= worst ? worst : off;  // keeps not-a-number
  }
  free(qdd);
  return worst / scale;
}
