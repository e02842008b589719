// SPDX-License-Identifier: Apache-2.0
// What a run has of its own: numbers, modes and work space, the callbacks that the integrators see, and the partitions it
// comes to.
#include <string.h>

#include "base/assert.h"
#include "plant/plant.h"

// ---- callbacks of a run --------------------------------------------------------------------------

void jplant_call(jplant_work* r, jgen_fn f, double t, const double* y, double* const* out) {
  const jplant_kernels* k = r->plant->kernels;
  JASSERT(k->of[f]);  // functions that were not asked for are not there
  const double* in[JGEN_GROUP_COUNT] = {
      JPLANT_INPUTS(r, &t, y), [JGEN_MOMENTUM] = r->machine.momentum,
      [JGEN_FIRED] = r->machine.fired};
  jplant_kernels_eval(k, k->of[f], in, out, r->face->work);
}

// Functions of a machine among the generated ones.
static const jgen_fn function_of[JMACHINE_FN_COUNT] = {
#define X(id) [JMACHINE_##id] = JGEN_FN_##id,
    JMACHINE_FN_LIST(X)
#undef X
};

static void call(void* host, jmachine_fn f, double t, const double* y, double* const* out) {
  jplant_call(host, function_of[f], t, y, out);
}

static void jacobian(void* user, double t, const double* y, double* J) {
  jplant_work* r = ((jmachine*)user)->host;
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, y)};
  jkernel_eval(r->face->jacobian, in, (double* const[]){J}, r->face->jacobian_work);
}

static jo_status prepare_jacobian(void* user) {
  jplant_work* r = ((jmachine*)user)->host;
  if (r->face->jacobian) return JO_OK;
  const jplant_extra* x;
  JO_TRY(jplant_extra_get(r->ctx, r->plant->shelf, JPLANT_JACOBIAN, &x,
                          &r->face->own[JPLANT_JACOBIAN]));
  const jkernel* k = &x->kernels->kernel[0];
  r->face->jacobian_work = JARENA_ARRAY(&r->arena, k->work, double);
  if (!r->face->jacobian_work) return jerr_memory(r->ctx);
  jkernel_init_work(k, r->face->jacobian_work);
  r->face->jacobian = k;
  r->system.jacobian = jacobian;
  return JO_OK;
}

static void local_feed(void* user, double t, const double* y) {
  jplant_work* r = ((jmachine*)user)->host;
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, y)};
  jkernel_eval(&r->face->local->kernels->kernel[0], in, (double* const[]){r->face->feed},
               r->face->feed_work);
}

static void local_rates(void* user, double t, const double* y, double* f, double* entry) {
  jplant_work* r = ((jmachine*)user)->host;
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, y), [JGEN_FEED] = r->face->feed};
  jkernel_eval(&r->face->local->kernels->kernel[1], in, (double* const[]){f, entry},
               r->face->local_work);
}

static jo_status prepare_local(void* user) {
  jplant_work* r = ((jmachine*)user)->host;
  if (r->face->local) return JO_OK;
  jplant_face* face = r->face;
  const jplant_extra* x;
  JO_TRY(jplant_extra_get(r->ctx, r->plant->shelf, JPLANT_LOCAL, &x, &r->face->own[JPLANT_LOCAL]));
  const jgen_local* l = &x->dynamics->local;
  r->face->local = x;
  if (l->n == 0) return JO_OK;
  const jkernel* k = x->kernels->kernel;
  r->face->feed = JARENA_ARRAY(&r->arena, l->nfeed, double);
  r->face->feed_work = jplant_kernels_vector(&r->arena, k[0].work);
  r->face->local_work = jplant_kernels_vector(&r->arena, k[1].work);
  if (!r->face->feed || !r->face->feed_work || !r->face->local_work) return jerr_memory(r->ctx);
  jkernel_init_work(&k[0], r->face->feed_work);
  jkernel_init_work(&k[1], r->face->local_work);
  face->local_system = (jsolve_local_system){.n = l->n,
                                             .nentry = l->entry.n,
                                             .state = l->state,
                                             .row = l->entry.row,
                                             .col = l->entry.col,
                                             .feed = local_feed,
                                             .rates = local_rates};
  r->system.local = face->local_system;
  return JO_OK;
}

jo_status jplant_prepare_gains(jplant_work* r, const jgen_sparse** pattern) {
  if (!r->face->gains) {
    const jplant_extra* x;
    JO_TRY(
        jplant_extra_get(r->ctx, r->plant->shelf, JPLANT_GAINS, &x, &r->face->own[JPLANT_GAINS]));
    const jkernel* k = x->kernels->kernel;
    r->face->gains_work = jplant_kernels_vector(&r->arena, k->work);
    if (!r->face->gains_work) return jerr_memory(r->ctx);
    jkernel_init_work(k, r->face->gains_work);
    r->face->gains = x;
  }
  *pattern = &r->face->gains->dynamics->local.gain;
  return JO_OK;
}

void jplant_gains(jplant_work* r, double t, const double* y, double* entry) {
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, y)};
  jkernel_eval(r->face->gains->kernels->kernel, in, (double* const[]){entry}, r->face->gains_work);
}

// ---- partitions in force ---------------------------------------------------------------------------

static jplant_face* add_face(jplant_work* r, const jplant* p) {
  jplant_face* f = JARENA_NEW(&r->arena, jplant_face);
  if (!f) return NULL;
  f->plant = p;
  f->work = jplant_kernels_work(&r->arena, p->kernels);
  if (!f->work) return NULL;
  const jkernel* own_jacobian = p->kernels->of[JGEN_FN_JACOBIAN];
  if (own_jacobian) {
    f->jacobian = own_jacobian;
    f->jacobian_work = f->work[own_jacobian - p->kernels->set->kernel];
  }
  f->next = r->faces;
  r->faces = f;
  return f;
}

static jplant_face* find_face(jplant_work* r, const jplant* p) {
  jplant_face* f = r->faces;
  while (f && f->plant != p) {
    f = f->next;
  }
  return f ? f : add_face(r, p);
}

static void put_in_force(jplant_work* r, jplant_face* f) {
  r->face = f;
  r->plant = f->plant;
  r->machine.about = &f->plant->about;
  r->system.state_name = f->plant->about.state_name;
  r->system.constant = f->plant->about.constant;
  r->system.is_quiet = f->plant->about.is_quiet;
  r->system.enclosure = f->plant->about.enclosure;
  r->system.local = f->local_system;
  r->machine.side = 0;
  r->machine.spread = 0.0;
}

static bool is_same_list(const int* a, const int* b, int n) {
  return n == 0 || memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// Steppers that solve for local states have laid out their matrices.
static jo_status check_local(const jplant_work* r, const jplant_face* f) {
  const jsolve_local_system *a = &r->face->local_system, *b = &f->local_system;
  if (a->n == b->n && a->nentry == b->nentry && is_same_list(a->state, b->state, a->n) &&
      is_same_list(a->row, b->row, a->nentry) && is_same_list(a->col, b->col, a->nentry)) {
    return JO_OK;
  }
  return jerr_set(r->ctx, JO_ERR_MODEL, "%s: local states of another partition are others",
                  r->plant->model->path);
}

// What the integrator was given of one partition, it gets of the other.
static jo_status prepare_like(jplant_work* r, const jplant_face* before) {
  const jgen_sparse* pattern;
  if (before->jacobian) JO_TRY(prepare_jacobian(&r->machine));
  if (before->local) JO_TRY(prepare_local(&r->machine));
  if (before->gains) JO_TRY(jplant_prepare_gains(r, &pattern));
  return before->local ? check_local(r, before) : JO_OK;
}

jo_status jplant_work_show(jplant_work* r, const jplant* p) {
  if (r->plant == p) return JO_OK;
  jplant_face *before = r->face, *f = find_face(r, p);
  if (!f) return jerr_memory(r->ctx);
  put_in_force(r, f);
  jo_status status = prepare_like(r, before);
  if (status < 0) put_in_force(r, before);
  return status;
}

static bool allocate(jplant_work* r) {
  const jplant* p = r->plant;
  if (!jmachine_init(&r->machine, r->ctx, &r->arena, &p->about, call, r)) return false;
  r->p = r->machine.p;
  r->road = jdata_as_input(jmodel_road_data(p->model));
  r->mode = r->machine.mode;
  r->g = r->machine.g;
  r->windows = JARENA_ARRAY(&r->arena, 2 * p->dynamics->nintegral, double);
  r->face = add_face(r, p);
  return r->face && r->windows;
}

jo_status jplant_work_create(jo_context* ctx, const jplant* plant, const double* values,
                             jplant_work** out) {
  *out = NULL;
  const jgen_dynamics* d = plant->dynamics;
  jplant_work* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  memset(r, 0, sizeof *r);
  r->plant = plant;
  r->ctx = ctx;
  jarena_init(&r->arena, ctx);
  if (!allocate(r)) {
    jplant_work_destroy(r);
    return jerr_memory(ctx);
  }
  memcpy(r->p, values ? values : d->p, (size_t)d->np * sizeof *r->p);
  r->system = jmachine_system(&r->machine);
  r->system.prepare_jacobian = prepare_jacobian;
  r->system.prepare_local = prepare_local;
  if (r->face->jacobian) r->system.jacobian = jacobian;
  jplant_charts_init(&r->own_charts, ctx);
  r->charts = &r->own_charts;
  if (d->part.nv > 0 && d->part.nu > 0) {
    r->system.change_chart = jplant_change_chart;
    r->machine.pass = jplant_chart_pass;
    jplant_chart_begin(r);
  }
  *out = r;
  return JO_OK;
}

jo_status jplant_work_create_at(jo_context* ctx, const jplant* plant, const double* values,
                                double t, const double* y, jplant_work** out) {
  JO_TRY(jplant_work_create(ctx, plant, values, out));
  jplant_work_set_modes(*out, t, y);
  return JO_OK;
}

void jplant_work_set_modes(jplant_work* r, double t, const double* y) {
  jsolve_set_modes(&r->system, t, y, r->g);
}

void jplant_work_use(jplant_work* r, jo_context* ctx) {
  r->ctx = r->machine.ctx = ctx;
}

void jplant_work_destroy(jplant_work* r) {
  if (!r) return;
  for (const jplant_face* f = r->faces; f; f = f->next) {
    for (int i = 0; i < JPLANT_EXTRA_COUNT; i++) {
      jplant_extra_destroy(f->own[i]);
    }
  }
  jplant_charts_free(&r->own_charts);
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}

jsolve_options jplant_solve_options(const jmodel* m) {
  const jmodel_simulation* s = &m->simulation;
  jsolve_options o = jsolve_options_default();
  int method = jsolve_method_find(s->method);
  if (method >= 0) o.method = (jsolve_method)method;
  o.rel_tol = s->rel_tol;
  o.abs_tol = s->abs_tol;
  o.step = s->step;
  o.max_step = s->max_step;
  o.shortest_pulse = s->shortest_pulse;
  o.max_events = s->max_events;
  o.max_steps = (int64_t)s->max_steps;
  return o;
}

void jplant_outputs(jplant_work* r, double t, const double* y, double* out) {
  jplant_call(r, JGEN_FN_OUTPUTS, t, y, (double* const[]){out});
}

jo_status jplant_begin(jo_context* ctx, const jplant* p, const double* values, double t,
                       double* y) {
  if (p->dynamics->nevent == 0) return JO_OK;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, values, &run));
  jo_status status = jmachine_start(&run->machine, t, y);
  jplant_work_destroy(run);
  return status;
}

jo_status jplant_coordinates(jo_context* ctx, const jplant* p, double t, const double* y, double* q,
                             double* qd) {
  const jgen_dynamics* d = p->dynamics;
  const jgen_partition* part = &d->part;
  jplant_work* run;
  JO_TRY(jplant_work_create_at(ctx, p, NULL, t, y, &run));
  double* rate[3] = {run->machine.drive_new, run->machine.drive_new + part->nd,
                     run->machine.drive_new + 2 * part->nd};
  jplant_call(run, JGEN_FN_DRIVE, t, y, rate);
  if (part->nv > 0) jplant_call(run, JGEN_FN_VELOCITY, t, y, (double* const[]){run->machine.dv});
  jgen_gather(&d->layout, y, q, qd);
  for (int i = 0; qd && i < part->nv; i++) {
    qd[part->v[i]] = run->machine.dv[i];
  }
  for (int i = 0; i < part->nd; i++) {
    q[part->d[i]] = rate[0][i];
    if (qd) qd[part->d[i]] = rate[1][i];
  }
  jplant_work_destroy(run);
  return JO_OK;
}
