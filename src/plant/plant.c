// SPDX-License-Identifier: Apache-2.0
// From a model to something that runs: generate, assemble, partition, generate the dynamics,
// compile, and hand the driver its callbacks.
#include "plant/plant.h"
#include "model/element.h"

#include <math.h>
#include <string.h>

#include "gen/objective.h"
#include "plant/enclosure.h"
#include "plant/start/assemble.h"
#include "plant/start/singular.h"

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
  jplant_kernels_use use = {.outputs = !opt->seldom_outputs, .guards = opt->gen.loads};
  return jplant_kernels_create(p->ctx, fn, NULL, 0, use, &opt->kernel, &p->kernels);
}

static jmachine_guard describe_guard(const jgen_guarded* g) {
  const jmodel_element* e = g->element;
  return (jmachine_guard){.kind = e->class->kind,
                          .name = e->name,
                          .place = {e->place.file, e->place.line},
                          .least = g->least,
                          .is_short = g->text.is_short,
                          .why_short = g->text.why_short,
                          .begins = g->text.begins,
                          .why_begins = g->text.why_begins};
}

static jo_status describe_names(jplant* p) {
  const jgen_dynamics* d = p->dynamics;
  p->switch_name = JARENA_ARRAY(&p->arena, d->nswitch, const char*);
  bool* is_quiet = JARENA_ARRAY(&p->arena, d->nswitch, bool);
  const char** redundant = JARENA_ARRAY(&p->arena, d->part.nredundant, const char*);
  jmachine_guard* guard = JARENA_ARRAY(&p->arena, d->nguard, jmachine_guard);
  if (!p->switch_name || !redundant || !guard || !is_quiet) return jerr_memory(p->ctx);
  for (int i = 0; i < d->nswitch; i++) {
    p->switch_name[i] = d->sw[i].text;
    is_quiet[i] = d->sw[i].is_quiet;
  }
  for (int i = 0; i < d->part.nredundant; i++) {
    redundant[i] = p->position->row_name[d->part.redundant[i]];
  }
  for (int i = 0; i < d->nguard; i++) {
    guard[i] = describe_guard(&d->guard[i]);
  }
  p->about.switch_name = p->switch_name;
  p->about.is_quiet = is_quiet;
  p->about.redundant_name = redundant;
  p->about.guard = guard;
  return JO_OK;
}

static jo_status describe_kinds(jplant* p) {
  const jgen_dynamics* d = p->dynamics;
  bool* is_angle = JARENA_ARRAY(&p->arena, d->part.nu, bool);
  bool* has_root = JARENA_ARRAY(&p->arena, d->nintegral, bool);
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
    const jmodel_objective* o = &p->model->objective[i];
    has_root[o->integral] = jgen_objective_has_root(o);
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
                              .nintegral = d->nintegral,
                              .noutput = d->noutput,
                              .nredundant = d->part.nredundant,
                              .nguard = d->nguard,
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
                              .first_guard = d->first_guard};
  JO_TRY(jplant_enclosure_build(p->ctx, &p->arena, d, &p->about.enclosure));
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
  int ny = p->dynamics->ny;
  double* rest = JARENA_ARRAY(&p->arena, ny, double);
  if (!rest) return jerr_memory(p->ctx);
  JO_TRY(jplant_find_equilibrium(p->ctx, p, t, p->y0, &p->rested));
  p->rest = memcpy(rest, p->y0, (size_t)ny * sizeof *rest);
  JO_TRY(set_velocities(p, t, p->y0));
  JO_TRY(jplant_coordinates(p->ctx, p, t, p->y0, p->q0, p->qd0));
  // what moves leaves it by its velocities, not by rounding
  bool moves = false;
  for (int i = 0; i < p->model->ncoordinate; i++) {
    moves = moves || p->qd0[i] != 0.0;
  }
  if (moves) return JO_OK;
  JO_TRY(jplant_judge_rest(p->ctx, p, NULL, t, p->rest, &p->rested));
  p->is_judged = true;
  jplant_warn_unstable(p->ctx, p, &p->rested);
  return JO_OK;
}

// What a Jacobian needs that is made later, and a sibling.
static jo_status keep_source(jplant* p, const jplant_options* opt) {
  jgen_options* gen = &p->made_with.gen;
  p->made_with = *opt;
  p->made_with.kernel.listing = NULL;  // of this plant, not of what is made later
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
  jplant_extra_source source = {p->model, gen->live, p->dynamics, p->made_with.kernel};
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
  if (s->beside > 0) {
    jerr_warn(
        p->ctx,
        "%s: the loops could not be closed from the guesses; of %d starts beside them the position "
        "nearest to the guesses was taken; give 'guess' to choose another, or to begin there",
        path, s->beside);
  }
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

// Derivatives are those of one choice, and differences may be those of the other.
static void warn_of_tie(jplant* p, const jplant_tie* tie, const double* q) {
  if (tie->moves < 0 || tie->stays < 0) return;
  const char* name = p->model->coordinate[tie->moves].name;
  jerr_warn(p->ctx,
            "%s: the start keeps '%s' at its initial value, but a change of the geometry by about "
            "0.01 %% makes it keep '%s' instead, and the start jumps; derivatives hold for smaller "
            "changes only; 'initial: {%s: %.9g}' keeps '%s' in any case",
            p->model->path, name, p->model->coordinate[tie->stays].name, name, q[tie->moves], name);
}

static jo_status build(jplant* p, const jplant_options* opt) {
  const jmodel* m = p->model;
  jmachine_assembly s = {0};
  jgen_partition part;
  JO_TRY(jgen_position_build(p->ctx, m, &opt->gen, &p->position));
  jplant_tie tie;
  JO_TRY(jplant_assemble(p->ctx, &p->arena, m, p->position, NULL, NULL, m->simulation.t_start, &s,
                         &tie));
  warn_of_choices(p, &s);
  if (opt->gen.nwrt > 0 && !s.is_moved) warn_of_tie(p, &tie, s.q);
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
  if (m->simulation.start_static) {
    JO_TRY(start_static(p));
    JO_TRY(jplant_check_held(p->ctx, p, NULL, p->y0));
  }
  JO_TRY(jplant_begin(p->ctx, p, NULL, m->simulation.t_start, p->y0));
  return jplant_wheels_prepare(p);
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
