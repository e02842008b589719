// SPDX-License-Identifier: Apache-2.0
// Load prediction: the plant's kernels as the load drivers want them, and what is kept of a run.
#include "loads/loads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/system/clock.h"
#include "base/text/format.h"
#include "model/element.h"
#include "plant/check/finite.h"
#include "plant/check/guard.h"
#include "plant/check/limits.h"
#include "plant/run.h"

#define RECONSTRUCTION_STEP 1e-4  // [s]

// ---- preparation ---------------------------------------------------------------------------------

static jo_status build_kernels(jloads* l, const jkernel_options* opt) {
  const jgen_dynamics* d = l->plant->dynamics;
  jexpr_fn fn[JGEN_FN_COUNT] = {0};
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (jgen_fn_about(f)->part == JGEN_PART_LOADS) fn[f] = d->fn[f];
  }
  const jexpr_fn* element = d->loads.element;
  return jplant_kernels_create(l->ctx, fn, element, d->loads.ne, (jplant_kernels_use){0}, opt,
                               &l->kernels);
}

static double operations(const jloads* l, jgen_fn f) {
  return l->kernels->of[f]->counts.total;
}

// What other kernels cost, in right-hand sides, by their operations.
static jo_status count_costs(jloads* l) {
  double full = operations(l, JGEN_FN_RHS_LOADS);
  l->element_cost = JARENA_ARRAY(&l->arena, l->ne, double);
  if (!l->element_cost) return jerr_memory(l->ctx);
  for (int e = 0; e < l->ne; e++) {
    l->element_cost[e] = l->kernels->more[e].counts.total / full;
  }
  l->directions_cost = operations(l, JGEN_FN_DIRECTIONS) / full;
  l->reduced_cost = (operations(l, JGEN_FN_REDUCED) + operations(l, JGEN_FN_FINISH)) / full;
  return JO_OK;
}

// The independent coordinate an element of a joint acts on; -1: none.
static int coordinate_of(const jgen_partition* part, const jmodel_element* element) {
  for (int i = 0; i < part->nu; i++) {
    if (part->u[i] == element->coordinate) return i;
  }
  return -1;
}

static jo_status describe_elements(jloads* l, const jmodel* m) {
  l->unit = JARENA_ARRAY(&l->arena, l->ne, const char*);
  l->coordinate = JARENA_ARRAY(&l->arena, l->ne, int);
  if (!l->unit || !l->coordinate) return jerr_memory(l->ctx);
  for (int e = 0; e < l->ne; e++) {
    const jmodel_element* element = jmodel_element_of(m, e);
    l->unit[e] = element->class->unit(m, element, e - element->first_component);
    l->coordinate[e] = coordinate_of(&l->plant->dynamics->part, element);
  }
  return JO_OK;
}

static jo_status find_irreversible(jloads* l, const jmodel* m) {
  const jgen_partition* part = &l->plant->dynamics->part;
  l->irreversible = JARENA_ARRAY(&l->arena, part->nu, bool);
  if (!l->irreversible) return jerr_memory(l->ctx);
  for (int i = 0; i < part->nu; i++) {
    const jmodel_joint* j = &m->joint[m->coordinate[part->u[i]].joint];
    l->irreversible[i] = jmodel_joint_class_of(j->type)->is_place;
  }
  return JO_OK;
}

static jo_status prepare(jloads* l, const jmodel* m, const jkernel_options* kernel) {
  jplant_options opt = jplant_options_default();
  if (kernel) opt.kernel = *kernel;
  opt.gen.modes = false;
  opt.gen.loads = true;
  opt.seldom_outputs = true;  // those of the end
  JO_TRY(jplant_create(l->ctx, m, &opt, &l->plant));
  l->ne = l->plant->dynamics->loads.ne;
  l->name = l->plant->dynamics->loads.name;
  JO_TRY(build_kernels(l, &opt.kernel));
  JO_TRY(count_costs(l));
  JO_TRY(describe_elements(l, m));
  return find_irreversible(l, m);
}

jo_status jloads_create(jo_context* ctx, const jmodel* m, const jkernel_options* kernel,
                        jloads** out) {
  *out = NULL;
  jloads* l = jmem_resize(ctx, NULL, sizeof *l);
  if (!l) return jerr_memory(ctx);
  *l = (jloads){.ctx = ctx};
  jarena_init(&l->arena, ctx);
  jo_status status = prepare(l, m, kernel);
  if (status < 0) {
    jloads_destroy(l);
    return status;
  }
  *out = l;
  return JO_OK;
}

void jloads_destroy(jloads* l) {
  if (!l) return;
  jplant_kernels_destroy(l->ctx, l->kernels);
  jplant_destroy(l->plant);
  jarena_free(&l->arena);
  jmem_free(l->ctx, l);
}

int jloads_find_element(const jloads* l, const char* name) {
  for (int e = 0; e < l->ne; e++) {
    if (strcmp(l->name[e], name) == 0) return e;
  }
  return -1;
}

int jloads_find_coordinate(const jloads* l, const char* name) {
  for (int i = 0; i < l->plant->dynamics->part.nu; i++) {
    if (strcmp(jloads_coordinate_name(l, i), name) == 0) return i;
  }
  return -1;
}

const char* jloads_coordinate_name(const jloads* l, int coordinate) {
  const jgen_partition* part = &l->plant->dynamics->part;
  bool exists = coordinate >= 0 && coordinate < part->nu;
  return exists ? l->plant->model->coordinate[part->u[coordinate]].name : "";
}

static double value_in(const jloads* l, const double* y, jgen_block block, int coordinate) {
  const jgen_dynamics* d = l->plant->dynamics;
  bool exists = coordinate >= 0 && coordinate < d->part.nu;
  return exists ? y[jgen_first(&d->layout, block) + coordinate] : NAN;
}

double jloads_position(const jloads* l, const double* y, int coordinate) {
  return value_in(l, y, JGEN_QU, coordinate);
}

double jloads_speed(const jloads* l, const double* y, int coordinate) {
  return value_in(l, y, JGEN_QDU, coordinate);
}

double jloads_largest_element_cost(const jloads* l) {
  double cost = 0.0;
  for (int e = 0; e < l->ne; e++) {
    cost = fmax(cost, l->element_cost[e]);
  }
  return cost;
}

// ---- callbacks -----------------------------------------------------------------------------------

typedef struct runner {
  const jloads* l;
  jplant_run run;
  double** work;  // of each kernel
  const double* x;
  jloads_result* out;
  const jloads_options* opt;
  double clock_start;
  double* guards;  // of elements, at the last step
  jloads_driver_system system;
} runner;

static void call(runner* u, const jkernel* k, double t, const double* y, const double* x,
                 double* const* out) {
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(u->run.work, &t, y), [JGEN_X] = x};
  jplant_kernels_eval(u->l->kernels, k, in, out, u->work);
}

static const jkernel* kernel(const runner* u, jgen_fn f) {
  return u->l->kernels->of[f];
}

static void rhs(void* user, double t, const double* y, double* ydot, double* F) {
  call(user, kernel(user, JGEN_FN_RHS_LOADS), t, y, NULL, (double* const[]){ydot, F});
}

static double element(void* user, int e, double t, const double* y) {
  double F;
  const runner* u = user;
  call(user, &u->l->kernels->more[e], t, y, NULL, (double* const[]){&F});
  return F;
}

static void directions(void* user, double t, const double* y, double* W) {
  call(user, kernel(user, JGEN_FN_DIRECTIONS), t, y, NULL, (double* const[]){W});
}

static void reduced(void* user, double t, const double* y, double* M, double* c) {
  call(user, kernel(user, JGEN_FN_REDUCED), t, y, NULL, (double* const[]){M, c});
}

static void finish(void* user, double t, const double* y, const double* x, double* qdd) {
  call(user, kernel(user, JGEN_FN_FINISH), t, y, x, (double* const[]){qdd});
}

static jo_status project(void* user, double t, double* y) {
  runner* u = user;
  JO_TRY(jmachine_close(&u->run.work->machine, t, y));
  return jmachine_admit(&u->run.work->machine, t, y);
}

// ---- what is kept --------------------------------------------------------------------------------

// Extremum of the parabola through three samples, when the middle one is the largest in size.
static void parabola_peak(const double* a, const double* b, const double* c, int e,
                          jloads_peak* p) {
  double t0 = a[0], t1 = b[0], t2 = c[0], f0 = a[1 + e], f1 = b[1 + e], f2 = c[1 + e];
  if (fabs(f1) < fabs(f0) || fabs(f1) < fabs(f2) || !(t1 > t0) || !(t2 > t1)) return;
  double d01 = (f1 - f0) / (t1 - t0), d12 = (f2 - f1) / (t2 - t1);
  double curve = (d12 - d01) / (t2 - t0);
  if (curve == 0.0) return;
  double t = 0.5 * (t0 + t1) - 0.5 * d01 / curve;
  if (!(t > t0 && t < t2)) return;
  double value = f0 + d01 * (t - t0) + curve * (t - t0) * (t - t1);
  if (fabs(value) > fabs(p->value)) *p = (jloads_peak){value, t};
}

static void update_peaks(jloads_result* r) {
  int w = 1 + r->ne, n = r->nsample;
  const double* last = r->sample + (int64_t)(n - 1) * w;
  for (int e = 0; e < r->ne; e++) {
    if (fabs(last[1 + e]) > fabs(r->peak[e].value)) {
      r->peak[e] = (jloads_peak){last[1 + e], last[0]};
    }
    if (n >= 3) parabola_peak(last - 2 * w, last - w, last, e, &r->peak[e]);
  }
}

// Real time: wait until the clock shows the simulated time; count where it is past already.
static void pace(runner* u, double t) {
  double due = u->clock_start + (t - u->opt->t_start), now = jclock_wall();
  if (now > due) {
    u->out->deadlines_missed++;
    u->out->missed = fmax(u->out->missed, now - due);
    return;
  }
  double wait = due - now;
  struct timespec s = {(time_t)wait, (long)((wait - floor(wait)) * 1e9)};
  nanosleep(&s, NULL);
}

static jo_status on_sample(void* user, double t, const double* y, const double* F) {
  runner* u = user;
  jloads_result* r = u->out;
  if (y) JO_TRY(jplant_guard_step(u->run.work, t, y, u->guards));
  size_t width = (size_t)(1 + r->ne) * sizeof(double);
  if ((double)r->nsample * (double)width > jplant_memory_limit(u->l->plant->model)) {
    return jplant_fail_memory(r->ctx, u->l->plant->model, "histories of the elements", t);
  }
  if (!jmem_grow(r->ctx, &r->sample, &r->sample_cap, r->nsample + 1, width)) {
    return jerr_memory(r->ctx);
  }
  double* s = r->sample + (int64_t)r->nsample++ * (1 + r->ne);
  s[0] = t;
  memcpy(s + 1, F, (size_t)r->ne * sizeof *F);
  update_peaks(r);
  if (u->opt->realtime && y && t > u->opt->t_start) pace(u, t);
  return JO_OK;
}

// The element that acts on an independent coordinate; -1: none.
static int element_on(const runner* u, int coordinate) {
  const jmodel* m = u->l->plant->model;
  int c = u->l->plant->dynamics->part.u[coordinate];
  for (int i = 0; i < m->nelement; i++) {
    if (m->element[i].coordinate == c) return m->element[i].first_component;
  }
  return -1;
}

// The same coordinate was reversed in the step before.
static bool continues(const jloads_result* r, const jloads_driver_event* v) {
  for (int i = r->nevent - 1; i >= 0 && r->event[i].event.t1 > v->t0 - 1e-9; i--) {
    if (r->event[i].event.which == v->which) return true;
  }
  return false;
}

static jo_status on_event(void* user, const jloads_driver_event* v, const double* y0) {
  runner* u = user;
  jloads_result* r = u->out;
  if ((double)r->nevent * r->ny * sizeof(double) > jplant_memory_limit(u->l->plant->model)) {
    return jplant_fail_memory(r->ctx, u->l->plant->model, "states of events", v->t0);
  }
  if (!jmem_grow(r->ctx, &r->event, &r->event_cap, r->nevent + 1, sizeof *r->event)) {
    return jerr_memory(r->ctx);
  }
  double* y = JARENA_ARRAY(&r->arena, r->ny, double);
  if (!y) return jerr_memory(r->ctx);
  memcpy(y, y0, (size_t)r->ny * sizeof *y);
  bool impulsive = u->opt->solve.driver == JLOADS_DRIVER_IMPULSIVE;
  bool is_continued = impulsive && continues(r, v);
  jloads_event* e = &r->event[r->nevent++];
  *e = (jloads_event){*v, y, v->peak, impulsive ? element_on(u, v->which) : v->which, is_continued};
  return JO_OK;
}

// ---- runs ----------------------------------------------------------------------------------------

static jo_status begin(runner* u, jo_context* ctx, jarena* a) {
  const jloads* l = u->l;
  const jgen_dynamics* d = l->plant->dynamics;
  u->guards = JARENA_ARRAY(a, 3 * d->nguard, double);
  if (!u->guards) return jerr_memory(ctx);
  u->work = jplant_kernels_work(a, l->kernels);
  if (!u->work) return jerr_memory(ctx);
  u->system = (jloads_driver_system){.n = d->ny,
                                     .nu = d->part.nu,
                                     .at_q = jgen_first(&d->layout, JGEN_QU),
                                     .at_qd = jgen_first(&d->layout, JGEN_QDU),
                                     .ne = l->ne,
                                     .user = u,
                                     .rhs = rhs,
                                     .element = element,
                                     .directions = directions,
                                     .reduced = reduced,
                                     .finish = finish,
                                     .irreversible = l->irreversible,
                                     .project = u->run.work->system.project ? project : NULL,
                                     .element_cost = l->element_cost,
                                     .directions_cost = l->directions_cost,
                                     .reduced_cost = l->reduced_cost,
                                     .state_name = d->layout.name};
  return JO_OK;
}

// Loads of impulsive events, off line from the states they began with.
static jo_status reconstruct_events(runner* u) {
  jloads_result* r = u->out;
  double* peak = JARENA_ARRAY(&r->arena, 2 * r->ne, double);
  if (!peak) return jerr_memory(r->ctx);
  for (int i = 0; i < r->nevent; i++) {
    jloads_event* v = &r->event[i];
    if (v->element < 0 || v->continues) continue;
    JO_TRY(jloads_driver_reconstruct(r->ctx, &u->system, v->event.t0, v->y0, u->opt->t_window,
                                     RECONSTRUCTION_STEP, peak, peak + r->ne));
    v->reconstructed = peak[v->element];
    v->event.t_peak = peak[r->ne + v->element];
    if (fabs(v->reconstructed) > fabs(r->peak[v->element].value)) {
      r->peak[v->element] = (jloads_peak){v->reconstructed, v->event.t_peak};
    }
  }
  return JO_OK;
}

// A run may end with loads or outputs that are not finite though its states are.
static jo_status check_finite(runner* u) {
  const jloads_result* r = u->out;
  const jgen_dynamics* d = u->l->plant->dynamics;
  int width = 1 + r->ne;
  for (int i = 0; i < r->nsample; i++) {
    const double* row = r->sample + (int64_t)i * width;
    int bad = jplant_finite_first(row + 1, r->ne);
    if (bad < 0) continue;
    return jerr_set(r->ctx, JO_ERR_NUMERIC, "%s: the load of '%s' is %s at t = %.9g s",
                    d->model->path, u->l->name[bad], jplant_finite_text(row[1 + bad]), row[0]);
  }
  int bad = jplant_finite_first(r->out_end, d->noutput);
  return bad < 0 ? JO_OK
                 : jplant_finite_output(u->run.work, r->t_end, r->y_end, bad, r->out_end[bad]);
}

// What is known before the run: a sample per step at least.
static jo_status check_size(const runner* u, const jloads_options* opt) {
  JO_TRY(jloads_driver_check_steps(u->out->ctx, &opt->solve, opt->t_start, opt->t_end));
  double rows = (opt->t_end - opt->t_start) / opt->solve.step;
  char what[80];
  jformat(what, sizeof what, "histories of %d elements at %.4g times", u->l->ne, rows);
  return jplant_check_memory(u->out->ctx, u->l->plant->model,
                             rows * (1.0 + u->l->ne) * sizeof(double), what);
}

static jo_status open(runner* u, const jloads* l, const jloads_options* opt) {
  jloads_result* r = u->out;
  jplant_run_options o = {.p = opt->p, .t_end = NAN};
  u->l = l;
  JO_TRY(check_size(u, opt));
  JO_TRY(jplant_run_open(r->ctx, &r->arena, l->plant, &o, &u->run));
  JO_TRY(begin(u, r->ctx, &r->arena));
  r->y_end = u->run.y;
  return jplant_explain_spin(u->run.work, opt->t_start, r->y_end);
}

static jo_status run_all(runner* u, const jloads_options* opt) {
  jloads_result* r = u->out;
  jloads_driver_observer obs = {u, on_sample, on_event};
  u->clock_start = jclock_wall();
  double t0 = jclock_cpu();
  jo_status status = jloads_driver_run(r->ctx, &u->system, &opt->solve, &obs, opt->t_start,
                                       opt->t_end, r->y_end, &r->t_end, &r->statistics);
  r->cpu = jclock_cpu() - t0;
  if (status >= 0) jplant_outputs(u->run.work, r->t_end, r->y_end, r->out_end);
  if (status >= 0 && opt->solve.driver == JLOADS_DRIVER_IMPULSIVE) status = reconstruct_events(u);
  r->is_complete = status >= 0;
  return r->is_complete ? check_finite(u) : status;
}

jloads_options jloads_options_default(const jmodel* m) {
  jloads_options o = {.solve = jloads_driver_options_default()};
  o.t_start = m->simulation.t_start;
  o.t_end = m->simulation.t_end;
  o.t_window = 0.1;
  o.solve.max_steps = (int64_t)m->simulation.max_steps;
  return o;
}

jo_status jloads_run(jo_context* ctx, const jloads* l, const jloads_options* opt,
                     jloads_result** out) {
  *out = NULL;
  const jgen_dynamics* d = l->plant->dynamics;
  jloads_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jloads_result){.ctx = ctx, .ne = l->ne, .ny = d->ny};
  jarena_init(&r->arena, ctx);
  r->peak = JARENA_ARRAY(&r->arena, r->ne, jloads_peak);
  r->out_end = JARENA_ARRAY(&r->arena, d->noutput, double);
  runner u = {.out = r, .opt = opt};
  jo_status status = r->peak && r->out_end ? JO_OK : jerr_memory(ctx);
  if (status >= 0) status = open(&u, l, opt);
  bool begun = status >= 0;
  if (begun) status = run_all(&u, opt);
  jplant_run_close(&u.run);
  if (begun) {
    *out = r;
  } else {
    jloads_result_destroy(r);
  }
  return status;
}

void jloads_result_destroy(jloads_result* r) {
  if (!r) return;
  jmem_free(r->ctx, r->sample);
  jmem_free(r->ctx, r->event);
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}

jo_status jloads_reconstruct(jo_context* ctx, const jloads* l, const double* p, double t0,
                             const double* y0, double duration, double* peak, double* t_peak) {
  jarena arena;
  jarena_init(&arena, ctx);
  runner u = {.l = l};
  jo_status status = jplant_run_open_at(ctx, &arena, l->plant, p, t0, y0, &u.run);
  if (status >= 0) status = begin(&u, ctx, &arena);
  if (status >= 0) {
    status = jloads_driver_reconstruct(ctx, &u.system, t0, y0, duration, RECONSTRUCTION_STEP, peak,
                                       t_peak);
  }
  jplant_run_close(&u.run);
  jarena_free(&arena);
  return status;
}
