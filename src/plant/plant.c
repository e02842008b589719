// SPDX-License-Identifier: Apache-2.0
// From a model to something that runs: generate, assemble, partition, generate the dynamics,
// compile, and hand the driver its callbacks.
#include "plant/plant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "plant/assemble.h"
#include "plant/mass.h"
#include "plant/singular.h"

#define REDUNDANCY_TOLERANCE 1e-7  // pivots below it, relative to the largest, are zero
// Equations that follow from the others are met with them, to rounding. One that is off by more than a
// coordinate moved by this much would make it [rad or m] does not follow any more.
#define REDUNDANT_MOTION 1e-6
#define LEVER_ROUNDING   1e-13  // of an equation, relative to the longest lever of all

jplant_options jplant_options_default(void) {
  return (jplant_options){.kernel = jkernel_options_default(), .gen = {.modes = true}};
}

// ---- plant ---------------------------------------------------------------------------------------

// Of n numbers, each `apart` from the one before.
static double largest_of(const double* x, int n, int apart) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(x[(int64_t)i * apart]));
  }
  return largest;
}

// Every equation by its own levers, entries of its row of dh/dq: 1 for slides, a length for
// turns. A mechanism of a metre is not closed by less because a point of it is a thousand kilometres off.
static jo_status set_row_limits(jplant* p, const double* J) {
  int nq = p->position->nq, nh = p->position->nh;
  double most = largest_of(J, nh * nq, 1);
  p->row_limit = JARENA_ARRAY(&p->arena, nh, double);
  if (!p->row_limit) return jerr_memory(p->ctx);
  for (int i = 0; i < nh; i++) {
    double lever = largest_of(J + i, nq, nh);  // J is column-major
    if (lever == 0.0) lever = most > 0.0 ? most : 1.0;
    p->row_limit[i] = REDUNDANT_MOTION * lever + LEVER_ROUNDING * most;
  }
  return JO_OK;
}

static jo_status set_closure_limits(jplant* p) {
  const jgen_partition* part = &p->dynamics->part;
  double* limit = JARENA_ARRAY(&p->arena, part->nredundant, double);
  if (!limit) return jerr_memory(p->ctx);
  p->about.closure_limit = limit;
  for (int i = 0; i < part->nredundant; i++) {
    limit[i] = p->row_limit[part->redundant[i]];
  }
  return JO_OK;
}

static jo_status fill_initial_state(jplant* p, const jmachine_assembly* s) {
  const jgen_dynamics* d = p->dynamics;
  p->y0 = JARENA_ARRAY(&p->arena, d->ny, double);
  if (!p->y0) return jerr_memory(p->ctx);
  jgen_scatter(&d->layout, s->q, s->qd, s->z, p->y0);  // filters start at rest
  p->q0 = s->q;
  p->qd0 = s->qd;
  p->closure_residual = s->residual;
  JO_TRY(set_row_limits(p, s->J));
  p->lever = jgen_partition_lever(p->model, s->J, p->position->nh);
  JO_TRY(jgen_partition_judge(p->ctx, &p->arena, p->model, s->J, p->position->nh, p->lever,
                              &d->part, &p->footing));
  return set_closure_limits(p);
}

// What every plant has, and what was asked for.
static jo_status compile(jplant* p, const jplant_options* opt) {
  jexpr_fn fn[JGEN_FN_COUNT] = {0};
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    jgen_fn_part part = jgen_fn_about(f)->part;
    if (part == JGEN_PART_PLANT || part == JGEN_PART_EXTRA) fn[f] = p->dynamics->fn[f];
  }
  jplant_kernels_use use = {.outputs = !opt->seldom_outputs, .wheels = opt->gen.loads};
  return jplant_kernels_create(p->ctx, fn, NULL, 0, use, &opt->kernel, &p->kernels);
}

static jo_status describe_names(jplant* p) {
  const jgen_dynamics* d = p->dynamics;
  p->switch_name = JARENA_ARRAY(&p->arena, d->nswitch, const char*);
  bool* is_quiet = JARENA_ARRAY(&p->arena, d->nswitch, bool);
  const char** redundant = JARENA_ARRAY(&p->arena, d->part.nredundant, const char*);
  jmachine_wheel* wheel = JARENA_ARRAY(&p->arena, d->nwheel, jmachine_wheel);
  if (!p->switch_name || !redundant || !wheel || !is_quiet) return jerr_memory(p->ctx);
  for (int i = 0; i < d->nswitch; i++) {
    p->switch_name[i] = d->sw[i].text;
    is_quiet[i] = d->sw[i].is_quiet;
  }
  for (int i = 0; i < d->part.nredundant; i++) {
    redundant[i] = p->position->row_name[d->part.redundant[i]];
  }
  for (int i = 0; i < d->nwheel; i++) {
    const jmodel_element* e = d->wheel[i];
    wheel[i] = (jmachine_wheel){e->name, {e->place.file, e->place.line}};
  }
  p->about.switch_name = p->switch_name;
  p->about.is_quiet = is_quiet;
  p->about.redundant_name = redundant;
  p->about.wheel = wheel;
  return JO_OK;
}

static jo_status describe_kinds(jplant* p) {
  const jgen_dynamics* d = p->dynamics;
  bool* is_angle = JARENA_ARRAY(&p->arena, d->part.nu, bool);
  bool* has_root = JARENA_ARRAY(&p->arena, d->nobjective, bool);
  double* nominal = JARENA_ARRAY(&p->arena, d->ny, double);
  int* constant = JARENA_ARRAY(&p->arena, d->ny, int);
  if (!is_angle || !has_root || !nominal || !constant) return jerr_memory(p->ctx);
  for (int i = 0; i < d->ny; i++) {
    nominal[i] = d->layout.is_discrete[i] ? 0.0 : d->layout.nominal[i];
    if (d->layout.is_discrete[i]) constant[p->about.nconstant++] = i;
  }
  p->about.constant = constant;
  p->about.nominal = nominal;
  for (int i = 0; i < d->part.nu; i++) {
    is_angle[i] = p->model->coordinate[d->part.u[i]].is_angle;
  }
  for (int i = 0; i < d->nobjective; i++) {
    jmodel_objective_kind kind = p->model->objective[i].kind;
    has_root[i] = kind == JMODEL_OBJECTIVE_RMS || kind == JMODEL_OBJECTIVE_PEAK;
  }
  p->about.is_angle = is_angle;
  p->about.has_root = has_root;
  return JO_OK;
}

// What runs need to know of the equations, and nothing else.
static jo_status describe(jplant* p) {
  const jgen_dynamics* d = p->dynamics;
  const jgen_layout* l = &d->layout;
  p->about = (jmachine_about){.path = p->model->path,
                              .ny = d->ny,
                              .np = d->np,
                              .nu = d->part.nu,
                              .nv = d->part.nv,
                              .nd = d->part.nd,
                              .nz = l->block[JGEN_Z].n,
                              .nswitch = d->nswitch,
                              .nobjective = d->nobjective,
                              .noutput = d->noutput,
                              .nredundant = d->part.nredundant,
                              .nwheel = d->nwheel,
                              .nevent = d->nevent,
                              .nreset = d->nreset,
                              .first_v = jgen_first(l, JGEN_QV),
                              .first_rate = jgen_first(l, JGEN_QDU),
                              .first_z = jgen_first(l, JGEN_Z),
                              .first_integral = jgen_first(l, JGEN_INTEGRAL),
                              .event_name = d->event_name,
                              .has_end = d->end_event >= 0,
                              .event_at_start = d->event_at_start,
                              .reset_state = d->reset_state,
                              .is_held = l->is_held,
                              .state_name = l->name,
                              .first_standing = d->first_standing,
                              .standstill = JGEN_STANDSTILL};
  JO_TRY(describe_names(p));
  return describe_kinds(p);
}

// Operations of all equations of motion as written, needed or not.
static jo_status count_written(jplant* p) {
  const jgen_dynamics* d = p->dynamics;
  jarena scratch;
  jarena_init(&scratch, p->ctx);
  jexpr_schedule all = {.order = JARENA_ARRAY(&scratch, d->nwritten, jexpr_ref)};
  for (int i = 1; all.order && i < d->nwritten; i++) {
    if (jexpr_nargs(d->g, (jexpr_ref)i) > 0) all.order[all.n++] = (jexpr_ref)i;
  }
  jo_status status = all.order ? JO_OK : jerr_memory(p->ctx);
  if (status == JO_OK) p->before = jexpr_count(d->g, &all);
  jarena_free(&scratch);
  return status;
}

// Velocities in y as the initial conditions say, at the position in y.
static jo_status set_velocities(jplant* p, double t, double* y) {
  int nq = p->model->ncoordinate;
  jarena a;
  jarena_init(&a, p->ctx);
  double *q = JARENA_ARRAY(&a, nq, double), *qd = JARENA_ARRAY(&a, nq, double);
  bool* rests = JARENA_ARRAY(&a, nq, bool);
  jo_status status = q && qd && rests ? JO_OK : jerr_memory(p->ctx);
  if (status >= 0) status = jplant_coordinates(p->ctx, p, t, y, q, NULL);
  if (status >= 0) {
    status = jplant_assemble_velocity(p->ctx, &a, p->model, p->position, NULL, t, q, qd, rests);
  }
  if (status >= 0) jgen_scatter(&p->dynamics->layout, NULL, qd, NULL, y);
  jarena_free(&a);
  return status;
}

// The initial state moves to static equilibrium; velocities there are those of the initial conditions.
static jo_status start_static(jplant* p) {
  double t = p->model->simulation.t_start;
  jmachine_equilibrium found;
  JO_TRY(jplant_find_equilibrium(p->ctx, p, t, p->y0, &found));
  JO_TRY(set_velocities(p, t, p->y0));
  return jplant_coordinates(p->ctx, p, t, p->y0, p->q0, p->qd0);
}

// What a Jacobian needs that is made later, and a sibling.
static jo_status keep_source(jplant* p, const jplant_options* opt) {
  jgen_options* gen = &p->made_with.gen;
  p->made_with = *opt;
  if (gen->live) {
    bool* live = JARENA_ARRAY(&p->arena, p->model->nnumber, bool);
    if (!live) return jerr_memory(p->ctx);
    gen->live = memcpy(live, gen->live, (size_t)p->model->nnumber * sizeof *live);
  }
  if (gen->wrt) {
    int* wrt = JARENA_ARRAY(&p->arena, gen->nwrt, int);
    if (!wrt) return jerr_memory(p->ctx);
    gen->wrt = memcpy(wrt, gen->wrt, (size_t)gen->nwrt * sizeof *wrt);
  }
  jplant_extra_source source = {p->model, gen->live, p->dynamics, opt->kernel};
  p->shelf = jplant_extra_shelf_create(p->ctx, &source);
  return p->shelf ? JO_OK : jerr_memory(p->ctx);
}

// Names of the coordinates in `list`, for a message: "a, b, c"; NULL: none, or no memory.
static const char* name_coordinates(jplant* p, const bool* list) {
  const char* text = NULL;
  for (int i = 0; i < p->model->ncoordinate; i++) {
    if (!list[i]) continue;
    const char* name = p->model->coordinate[i].name;
    text = jarena_printf(&p->arena, "%s%s%s", text ? text : "", text ? ", " : "", name);
    if (!text) return NULL;
  }
  return text;
}

// Say what the assembly had to choose.
static void warn_of_choices(jplant* p, const jmachine_assembly* s) {
  const char* path = p->model->path;
  const char* names = name_coordinates(p, s->is_moved ? s->stays : s->arbitrary);
  const char* resting = name_coordinates(p, s->idle);
  if (names && s->is_moved) {
    jerr_warn(
        p->ctx,
        "%s: nothing determines %s, and the loops cannot be closed with the guesses: the search "
        "chose, and numbers that move the assembly have no derivative. Give initial conditions or "
        "other guesses",
        path, names);
  } else if (names) {
    jerr_warn(p->ctx,
              "%s: the initial conditions leave %s open: left at the guess, others moved to meet "
              "them",
              path, names);
  }
  if (resting) {
    jerr_warn(p->ctx,
              "%s: the initial conditions leave the rate of %s open: left at rest, others move to "
              "meet them",
              path, resting);
  }
}

jo_status jplant_begin(jo_context* ctx, const jplant* p, const double* values, double t,
                       double* y) {
  if (p->dynamics->nevent == 0) return JO_OK;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  if (values) memcpy(run->p, values, (size_t)p->dynamics->np * sizeof *values);
  jo_status status = jmachine_start(&run->machine, t, y);
  jplant_work_destroy(run);
  return status;
}

static jo_status build(jplant* p, const jplant_options* opt) {
  const jmodel* m = p->model;
  jmachine_assembly s = {0};
  jgen_partition part;
  JO_TRY(jgen_position_build(p->ctx, m, &opt->gen, &p->position));
  JO_TRY(jplant_assemble(p->ctx, &p->arena, m, p->position, NULL, NULL, m->simulation.t_start, &s));
  warn_of_choices(p, &s);
  JO_TRY(jgen_partition_choose(p->ctx, &p->arena, m, s.J, p->position->nh, REDUNDANCY_TOLERANCE,
                               &part));
  JO_TRY(jplant_check_singular(p->ctx, m, p->position, NULL, m->simulation.t_start, s.q,
                               REDUNDANCY_TOLERANCE, &part));
  JO_TRY(jgen_dynamics_build(p->ctx, m, &opt->gen, &part, &p->dynamics));
  JO_TRY(keep_source(p, opt));
  JO_TRY(describe(p));
  JO_TRY(fill_initial_state(p, &s));
  JO_TRY(count_written(p));
  JO_TRY(compile(p, opt));
  p->family = jplant_family_create(p->ctx);
  if (!p->family) return jerr_memory(p->ctx);
  JO_TRY(jplant_check_start_mass(p->ctx, p, NULL, p->y0));
  if (m->simulation.start_static) JO_TRY(start_static(p));
  return jplant_begin(p->ctx, p, NULL, m->simulation.t_start, p->y0);
}

static jo_status build_sibling(jplant* p, const jgen_partition* part) {
  const jplant* first = p->first;
  const jgen_dynamics* d = first->dynamics;
  JO_TRY(jgen_dynamics_build(p->ctx, p->model, &first->made_with.gen, part, &p->dynamics));
  if (p->dynamics->ny != d->ny || p->dynamics->nswitch != d->nswitch ||
      p->dynamics->nevent != d->nevent || p->dynamics->nreset != d->nreset) {
    return jerr_set(p->ctx, JO_ERR_MODEL, "%s: equations of another partition do not fit the first",
                    p->model->path);
  }
  JO_TRY(keep_source(p, &first->made_with));
  JO_TRY(describe(p));
  JO_TRY(set_closure_limits(p));
  return compile(p, &first->made_with);
}

static jplant* begin(jo_context* ctx, const jmodel* m) {
  jplant* p = jmem_resize(ctx, NULL, sizeof *p);
  if (!p) return NULL;
  memset(p, 0, sizeof *p);
  p->ctx = ctx;
  p->model = m;
  jarena_init(&p->arena, ctx);
  return p;
}

jo_status jplant_create(jo_context* ctx, const jmodel* m, const jplant_options* opt, jplant** out) {
  *out = NULL;
  jplant_options defaults = jplant_options_default();
  jplant* p = begin(ctx, m);
  if (!p) return jerr_memory(ctx);
  jo_status status = build(p, opt ? opt : &defaults);
  if (status < 0) {
    jplant_destroy(p);
    return status;
  }
  *out = p;
  return JO_OK;
}

jo_status jplant_create_sibling(jo_context* ctx, const jplant* first, const jgen_partition* part,
                                jplant** out) {
  *out = NULL;
  jplant* p = begin(ctx, first->model);
  if (!p) return jerr_memory(ctx);
  p->first = first;
  p->position = first->position;
  p->row_limit = first->row_limit;
  p->y0 = first->y0;
  p->q0 = first->q0;
  p->qd0 = first->qd0;
  jo_status status = build_sibling(p, part);
  if (status < 0) {
    jplant_destroy(p);
    return status;
  }
  *out = p;
  return JO_OK;
}

void jplant_destroy(jplant* p) {
  if (!p) return;
  jplant_family_destroy(p->family);
  jplant_extra_shelf_destroy(p->shelf);
  jplant_kernels_destroy(p->ctx, p->kernels);
  jgen_dynamics_destroy(p->dynamics);
  if (!p->first) jgen_position_destroy(p->position);
  jarena_free(&p->arena);
  jmem_free(p->ctx, p);
}

// ---- callbacks of a run --------------------------------------------------------------------------

void jplant_call(jplant_work* r, jgen_fn f, double t, const double* y, double* const* out) {
  const jplant_kernels* k = r->plant->kernels;
  assert(k->of[f]);  // functions that were not asked for are not there
  const double* in[JGEN_GROUP_COUNT] = {[JGEN_P] = r->p,
                                        [JGEN_T] = &t,
                                        [JGEN_Y] = y,
                                        [JGEN_MODE] = r->mode,
                                        [JGEN_ROAD] = r->road,
                                        [JGEN_MOMENTUM] = r->machine.momentum,
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
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = r->p, [JGEN_T] = &t, [JGEN_Y] = y, [JGEN_MODE] = r->mode, [JGEN_ROAD] = r->road};
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
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = r->p, [JGEN_T] = &t, [JGEN_Y] = y, [JGEN_MODE] = r->mode, [JGEN_ROAD] = r->road};
  jkernel_eval(&r->face->local->kernels->kernel[0], in, (double* const[]){r->face->feed},
               r->face->feed_work);
}

static void local_rates(void* user, double t, const double* y, double* f, double* entry) {
  jplant_work* r = ((jmachine*)user)->host;
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = r->p,       [JGEN_T] = &t,         [JGEN_Y] = y,
      [JGEN_MODE] = r->mode, [JGEN_ROAD] = r->road, [JGEN_FEED] = r->face->feed};
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
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = r->p, [JGEN_T] = &t, [JGEN_Y] = y, [JGEN_MODE] = r->mode, [JGEN_ROAD] = r->road};
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
  r->windows = JARENA_ARRAY(&r->arena, 2 * p->dynamics->nobjective, double);
  r->face = add_face(r, p);
  return r->face && r->windows;
}

jo_status jplant_work_create(jo_context* ctx, const jplant* plant, jplant_work** out) {
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
  memcpy(r->p, d->p, (size_t)d->np * sizeof *r->p);
  r->system = jmachine_system(&r->machine);
  r->system.prepare_jacobian = prepare_jacobian;
  r->system.prepare_local = prepare_local;
  if (r->face->jacobian) r->system.jacobian = jacobian;
  jplant_charts_init(&r->own_charts, ctx);
  r->charts = &r->own_charts;
  if (d->part.nv > 0 && d->part.nu > 0) {
    r->system.change_chart = jplant_change_chart;
    jplant_chart_begin(r);
  }
  *out = r;
  return JO_OK;
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

// ---- statics -------------------------------------------------------------------------------------

// What nothing can hold: the drive that accelerates most, if one does.
static const char* moving_drive(jplant_work* r, jarena* a, double t, const double* y) {
  const jplant* p = r->plant;
  int nd = p->about.nd, which = -1;
  double *rate = JARENA_ARRAY(a, 3 * nd, double), most = 0.0;
  if (!rate || nd == 0) return "";
  jplant_call(r, JGEN_FN_DRIVE, t, y, (double* const[]){rate, rate + nd, rate + 2 * nd});
  for (int i = 0; i < nd; i++) {
    if (!(fabs(rate[2 * nd + i]) > most)) continue;
    most = fabs(rate[2 * nd + i]);
    which = p->dynamics->part.d[i];
  }
  if (which < 0) return "";
  const char* said = jarena_printf(
      a,
      "; '%s' is driven with an acceleration of %.3g at t = %.9g s, where nothing can be at rest",
      p->model->coordinate[which].name, most, t);
  return said ? said : "";
}

static jo_status fail_equilibrium(jo_context* ctx, const jplant* p, jo_status status,
                                  const jmachine_equilibrium* found, const char* drive) {
  if (status == JO_ERR_MEMORY) return jerr_memory(ctx);
  const jgen_layout* l = &p->dynamics->layout;
  int k = found->worst;
  bool is_state = jgen_is_in(l, JGEN_Z, k);
  const char* name = k < 0 ? "nothing" : l->name[k];
  if (status == JO_ERR_NUMERIC) {
    return jerr_set(ctx, status,
                    "%s: no static equilibrium found: at rest where the search begins, the "
                    "equations of '%s' have no finite value",
                    p->model->path, name);
  }
  return jerr_set(ctx, status,
                  "%s: no static equilibrium found: '%s' is left with %s of %.3g; something must "
                  "hold it, or the search must begin nearer to the equilibrium%s%s",
                  p->model->path, name,
                  is_state ? "a rate, by its nominal size," : "an acceleration", found->residual,
                  is_state ? "; 'hold: true' keeps a state where it begins" : "", drive);
}

jo_status jplant_settle(jo_context* ctx, const jplant* p, const double* values, double t, double* y,
                        bool* stays, jmachine_equilibrium* out) {
  const jgen_dynamics* d = p->dynamics;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  if (values) memcpy(run->p, values, (size_t)d->np * sizeof *values);
  jo_status status = jmachine_equilibrium_find(ctx, &p->about, &run->system, t, y, stays, out);
  if (status < 0) {
    jarena a;
    jarena_init(&a, ctx);
    status = fail_equilibrium(ctx, p, status, out, moving_drive(run, &a, t, y));
    jarena_free(&a);
  }
  jplant_work_destroy(run);
  return status;
}

jo_status jplant_find_equilibrium(jo_context* ctx, const jplant* p, double t, double* y,
                                  jmachine_equilibrium* out) {
  JO_TRY(jplant_settle(ctx, p, NULL, t, y, NULL, out));
  if (out->is_moved) {
    jerr_warn(
        ctx,
        "%s: forces hold %d of %d coordinates at static equilibrium, and there is no rest with "
        "the others where they began: where they came to depends on the search, and there are no "
        "derivatives",
        p->model->path, out->determined, p->dynamics->part.nu);
  }
  return JO_OK;
}

jo_status jplant_check_start_mass(jo_context* ctx, const jplant* p, const double* values,
                                  const double* y) {
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start;
  jplant_work* run;
  if (!jplant_has_massless(d)) return JO_OK;
  JO_TRY(jplant_work_create(ctx, p, &run));
  if (values) memcpy(run->p, values, (size_t)d->np * sizeof *values);
  jsolve_set_modes(&run->system, t, y, run->g);
  jplant_mass_point at = {run->p, run->mode, t, y};
  jo_status status = jplant_check_mass(ctx, d, &at, NULL);
  jplant_work_destroy(run);
  return status;
}

jo_status jplant_explain_mass(jplant_work* r, jo_status status, int said, double t,
                              const double* y) {
  const jgen_dynamics* d = r->plant->dynamics;
  if (status == JO_ERR_MEMORY || !jplant_has_massless(d)) return status;
  jplant_mass_point at = {r->p, r->mode, t, y};
  int before = jo_context_diagnostic_count(r->ctx);
  if (jplant_check_mass(r->ctx, d, &at, r->plant->y0) >= 0) return status;
  jerr_forget(r->ctx, before);
  jerr_forget(r->ctx, said);
  return jplant_check_mass(r->ctx, d, &at, r->plant->y0);
}

jo_status jplant_coordinates(jo_context* ctx, const jplant* p, double t, const double* y, double* q,
                             double* qd) {
  const jgen_dynamics* d = p->dynamics;
  const jgen_partition* part = &d->part;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  double* rate[3] = {run->machine.drive_new, run->machine.drive_new + part->nd,
                     run->machine.drive_new + 2 * part->nd};
  jsolve_set_modes(&run->system, t, y, run->g);
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
