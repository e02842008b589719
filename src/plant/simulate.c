// SPDX-License-Identifier: Apache-2.0
// A run of a plant: the driver integrates, an observer samples its dense output on the grid of the
// results, closes the loops of every sample, and notes events.
#include "plant/simulate.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/system/clock.h"
#include "base/text/format.h"
#include "plant/chart.h"
#include "plant/check/finite.h"
#include "plant/check/guard.h"
#include "plant/check/halved.h"
#include "plant/check/judge.h"
#include "plant/check/limits.h"
#include "plant/check/reference.h"
#include "plant/options.h"
#include "plant/run.h"

#define EDGE_BISECTIONS 20
#define EDGE_NODES      4  // rows that one close to a singular position is made from

typedef struct recorder {
  jplant_result* out;
  const jplant* plant;
  jplant_run run;
  jplant_judge judge;
  const jplant_simulate_options* opt;
  double* y;         // a sample
  double* beside;    // a row (ncolumn)
  double* y_first;   // the same as the plant has it that was given
  int64_t next;      // index of the next grid time
  bool has_jumped;   // an event since the last step
  int64_t sampling;  // projections made for samples
  jo_status finite;  // of the outputs so far: the first that is not is reported
  int max_rows;
} recorder;

// ---- rows ----------------------------------------------------------------------------------------

static void fill_row(recorder* k, double t, const double* y, double* row) {
  row[0] = t;
  jplant_outputs(k->run.work, t, y, row + 1);
  int bad = k->finite < 0 ? -1 : jplant_finite_first(row + 1, k->out->noutput);
  if (bad >= 0) k->finite = jplant_finite_output(k->run.work, t, y, bad, row[1 + bad]);
  jmachine_objectives(&k->run.work->machine, t, y, row + 1 + k->out->noutput);
}

static jo_status begin_row(recorder* k, double t, double** row) {
  jplant_result* r = k->out;
  size_t size = (size_t)r->ncolumn * sizeof *r->row;
  if (r->nrow >= k->max_rows) {
    return jplant_fail_memory(r->ctx, k->plant->model, "rows of results", t);
  }
  if (!jmem_grow(r->ctx, &r->row, &r->row_cap, r->nrow + 1, size)) return jerr_memory(r->ctx);
  *row = r->row + (size_t)r->nrow * (size_t)r->ncolumn;
  JASSERT(r->nrow == 0 || t >= (*row)[-r->ncolumn]);  // rows are in the order of time
  return JO_OK;
}

static jo_status end_row(recorder* k, double t, const double* y) {
  k->out->nrow++;
  if (!k->opt->sample) return JO_OK;
  jplant_chart_first(k->run.work, t, y, k->y_first);
  return k->opt->sample(k->opt->user, t, k->y_first);
}

static jo_status add_row(recorder* k, double t, const double* y) {
  double* row;
  JO_TRY(begin_row(k, t, &row));
  fill_row(k, t, y, row);
  return end_row(k, t, y);
}

double jplant_row_time(double t_start, double t_end, double step, int64_t i) {
  double t = t_start + (double)i * step;
  // the last interval is not left a rounding error long
  return t > t_end - 1e-9 * step ? t_end : t;
}

static double grid_time(const jplant_simulate_used* u, int64_t i) {
  return jplant_row_time(u->t_start, u->t_end, u->output_step, i);
}

// k->y: the state at t inside of a step, on its closures.
static jo_status interpolate(recorder* k, const jsolve_step* s, double t) {
  jsolve_interpolate(s, t, k->y);
  if (!k->run.work->system.project) return JO_OK;
  int64_t before = k->run.work->machine.projections;
  jo_status status = jmachine_close(&k->run.work->machine, t, k->y);
  k->sampling += k->run.work->machine.projections - before;
  return status;
}

static jo_status is_near_at(recorder* k, const jsolve_step* s, double t, bool* out) {
  JO_TRY(interpolate(k, s, t));
  return jplant_chart_is_near(k->run.work, t, k->y, k->out->used.rel_tol, out);
}

// Where the zone about a singular position ends, between t inside of it and an end of the step, which is outside.
static jo_status find_edge(recorder* k, const jsolve_step* s, double t, double end, double* out) {
  double inside = t;
  *out = end;
  for (int i = 0; i < EDGE_BISECTIONS; i++) {
    bool is_near;
    double middle = 0.5 * (inside + *out);
    JO_TRY(is_near_at(k, s, middle, &is_near));
    *(is_near ? &inside : out) = middle;
  }
  return JO_OK;
}

// Times in the step outside of the zone, two on either side of t where the step is long enough.
static jo_status find_nodes(recorder* k, const jsolve_step* s, double t, double* node, int* n) {
  double from, to;
  JO_TRY(find_edge(k, s, t, s->t0, &from));
  JO_TRY(find_edge(k, s, t, s->t1, &to));
  const double all[] = {fmax(s->t0, from - (to - from)), from, to, fmin(s->t1, to + (to - from))};
  *n = 0;
  for (int i = 0; i < EDGE_NODES; i++) {
    if (*n == 0 || all[i] > node[*n - 1]) node[(*n)++] = all[i];
  }
  return JO_OK;
}

// (R19)  a row in the zone about a singular position: the polynomial through rows on both sides of it,
// row(t) = sum_i row(t_i) prod_{j != i} (t - t_j)/(t_i - t_j)
static jo_status add_row_across(recorder* k, const jsolve_step* s, double t) {
  double node[EDGE_NODES], *row;
  int n, ncolumn = k->out->ncolumn;
  JO_TRY(find_nodes(k, s, t, node, &n));
  JO_TRY(begin_row(k, t, &row));
  memset(row, 0, (size_t)ncolumn * sizeof *row);
  for (int i = 0; i < n; i++) {
    double weight = 1.0;
    for (int j = 0; j < n; j++) {
      if (j != i) weight *= (t - node[j]) / (node[i] - node[j]);
    }
    JO_TRY(interpolate(k, s, node[i]));
    fill_row(k, node[i], k->y, k->beside);
    for (int c = 0; c < ncolumn; c++) {
      row[c] += weight * k->beside[c];
    }
  }
  row[0] = t;
  JO_TRY(interpolate(k, s, t));
  return end_row(k, t, k->y);
}

static jo_status add_sample(recorder* k, const jsolve_step* s, double t) {
  bool is_near;
  if (t >= s->t1) return add_row(k, t, s->y1);
  JO_TRY(is_near_at(k, s, t, &is_near));
  return is_near ? add_row_across(k, s, t) : add_row(k, t, k->y);
}

// Rows in (t0, t1]; the first step also gives the row of the start. Where a row per step is wanted, an
// event is two rows of the same time: what was before and what is after.
static jo_status add_rows(recorder* k, const jsolve_step* s) {
  const jplant_simulate_used* u = &k->out->used;
  bool every_step = u->output_step == 0.0;
  if (k->next == 0) {
    JO_TRY(add_row(k, s->t0, s->y0));
    k->next = 1;
  } else if (every_step && k->has_jumped) {
    JO_TRY(add_row(k, s->t0, s->y0));
  }
  if (every_step) return add_row(k, s->t1, s->y1);
  for (; grid_time(u, k->next) <= s->t1; k->next++) {
    double t = grid_time(u, k->next);
    JO_TRY(add_sample(k, s, t));
    if (t == u->t_end) {
      k->next = INT64_MAX / 2;
      break;
    }
  }
  return JO_OK;
}

// ---- observers -----------------------------------------------------------------------------------

static jo_status on_step(void* user, const jsolve_step* s) {
  recorder* k = user;
  jplant_result* r = k->out;
  JO_TRY(add_rows(k, s));
  jplant_judge_step(&k->judge, s);
  k->has_jumped = false;
  r->closure = fmax(r->closure, jmachine_closure(&k->run.work->machine, s->t1, s->y1));
  double span = r->used.t_end - r->used.t_start;
  double done = (s->t1 - r->used.t_start) / span;
  if (jplant_halved_applies(k->plant, k->opt, &r->used)) done = jplant_halved_progress(done);
  if (k->opt->progress && !k->opt->progress(k->opt->user, done)) {
    return jerr_set(r->ctx, JO_ERR_LIMIT, "%s: stopped at t = %.9g s", r->path, s->t1);
  }
  return JO_OK;
}

static jo_status on_event(void* user, const jsolve_event* e, const double* before,
                          const double* after) {
  (void)before, (void)after;
  recorder* k = user;
  jplant_result* r = k->out;
  JASSERT(e->which >= 0 && e->which < k->plant->dynamics->nswitch);
  if (k->plant->dynamics->sw[e->which].is_quiet) return JO_OK;
  k->has_jumped = true;
  if (!jmem_grow(r->ctx, &r->event, &r->event_cap, r->nevent + 1, sizeof *r->event)) {
    return jerr_memory(r->ctx);
  }
  const char* name = jarena_strdup(&r->arena, k->plant->dynamics->sw[e->which].text);
  if (!name) return jerr_memory(r->ctx);
  r->event[r->nevent++] = (jplant_event){e->t, name, e->rising};
  return JO_OK;
}

static const char* name_independent(jarena* a, const jplant* p) {
  const jgen_partition* part = &p->dynamics->part;
  const char* text = "";
  for (int i = 0; text && i < part->nu; i++) {
    const char* name = p->model->coordinate[part->u[i]].name;
    text = jarena_printf(a, "%s%s%s", text, i > 0 ? ", " : "", name);
  }
  return text;
}

static jo_status on_change(void* user, double t, const double* before, const double* after,
                           const jplant* was, const jplant* is) {
  (void)before, (void)after, (void)was;
  recorder* k = user;
  jplant_result* r = k->out;
  jplant_judge_change(&k->judge);
  if (!jmem_grow(r->ctx, &r->change, &r->change_cap, r->nchange + 1, sizeof *r->change)) {
    return jerr_memory(r->ctx);
  }
  const char* names = name_independent(&r->arena, is);
  if (!names) return jerr_memory(r->ctx);
  r->change[r->nchange++] = (jplant_change){t, names};
  return JO_OK;
}

// ---- size ----------------------------------------------------------------------------------------

// Rows are known before the run where they have a grid, or steps have; there are never more than the
// memory for them allows.
static jo_status limit_rows(recorder* k) {
  const jplant_result* r = k->out;
  const jplant_simulate_used* u = &r->used;
  double size = (double)r->ncolumn * sizeof *r->row;
  double spacing = u->output_step == 0.0 && u->is_fixed_step ? u->step : u->output_step;
  double rows = spacing > 0.0 ? (u->t_end - u->t_start) / spacing + 1.0 : 1.0;
  char what[80];
  jformat(what, sizeof what, "%.4g rows of %d columns", rows, r->ncolumn);
  JO_TRY(jplant_check_memory(r->ctx, k->plant->model, rows * size, what));
  // ends of steps at events are rows that nobody counted
  k->max_rows = (int)fmin(INT_MAX / 2, jplant_memory_limit(k->plant->model) / size);
  return JO_OK;
}

// ---- the result ----------------------------------------------------------------------------------

static const char* keep(jplant_result* r, const char* text) {
  return jarena_strdup(&r->arena, text ? text : "");
}

static bool set_quantity(jplant_result* r, int i, const char* name, const char* unit,
                         const char* description) {
  r->column[i] = (jplant_quantity){keep(r, name), keep(r, unit), keep(r, description), NAN};
  return r->column[i].name && r->column[i].unit && r->column[i].description;
}

static const char* describe_output(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nsignal; i++) {
    if (m->signal[i].is_output && strcmp(m->signal[i].name, name) == 0) {
      return m->signal[i].description;
    }
  }
  return "";
}

static bool set_columns(jplant_result* r, const jplant* plant) {
  const jgen_dynamics* d = plant->dynamics;
  const jmodel* m = plant->model;
  r->noutput = d->noutput;
  r->nobjective = d->nobjective;
  r->ncolumn = 1 + d->noutput + d->nobjective;
  for (int i = 0; i < m->nsignal; i++) {
    r->nsensor += m->signal[i].is_output;
  }
  r->column = JARENA_ARRAY(&r->arena, r->ncolumn, jplant_quantity);
  r->is_doubted = JARENA_ARRAY(&r->arena, d->nobjective, bool);
  if (!r->column || !r->is_doubted || !set_quantity(r, 0, "t", "s", "time")) return false;
  for (int i = 0; i < d->noutput; i++) {
    const char* text = i < r->nsensor ? describe_output(m, d->output_name[i]) : "";
    if (!set_quantity(r, 1 + i, d->output_name[i], d->output_unit[i], text)) return false;
  }
  for (int i = 0; i < d->nobjective; i++) {
    const jmodel_objective* o = &m->objective[i];
    if (!set_quantity(r, 1 + d->noutput + i, o->name, o->unit, o->description)) return false;
  }
  return true;
}

static bool set_names(jplant_result* r, const jplant* plant) {
  const jmodel* m = plant->model;
  r->model = keep(r, m->name);
  r->description = keep(r, m->description);
  r->path = keep(r, m->path);
  r->sha256 = keep(r, m->sha256);
  r->settings = "";
  return r->model && r->description && r->path && r->sha256 && set_columns(r, plant);
}

static jplant_result* create(jo_context* ctx, const jplant* plant) {
  jplant_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return NULL;
  *r = (jplant_result){.ctx = ctx};
  jarena_init(&r->arena, ctx);
  if (set_names(r, plant)) return r;
  jplant_result_destroy(r);
  return NULL;
}

void jplant_result_destroy(jplant_result* r) {
  if (!r) return;
  jmem_free(r->ctx, r->row);
  jmem_free(r->ctx, r->event);
  jmem_free(r->ctx, r->change);
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}

double jplant_real_time_factor(const jplant_result* r) {
  return r->cpu > 0.0 ? (r->t_reached - r->used.t_start) / r->cpu : 0.0;
}

// ---- the run -------------------------------------------------------------------------------------

static void set_final(recorder* k, const double* y, double* row) {
  jplant_result* r = k->out;
  fill_row(k, r->t_reached, y, row);
  for (int i = 0; i < r->ncolumn; i++) {
    r->column[i].value = row[i];
  }
}

// Where a condition ended the run there is no grid, and its end is a row all the same.
static jo_status add_last_row(recorder* k, const double* y) {
  const jplant_result* r = k->out;
  double last = r->nrow > 0 ? r->row[(size_t)(r->nrow - 1) * (size_t)r->ncolumn] : -INFINITY;
  return last < r->t_reached ? add_row(k, r->t_reached, y) : JO_OK;
}

// work: what jplant_judge_end() needs, and nobjective more.
static void warn_of_lost(const recorder* k, const double* y, const double* psi, double* work) {
  const jplant* p = k->run.work->plant;
  double* off = work + p->dynamics->ny + p->dynamics->nobjective;
  jplant_judge_end(&k->judge, &k->run.work->machine, k->out->t_reached, y, psi, work, off);
  const jplant_simulate_used* u = &k->out->used;
  double abs_tol = u->is_fixed_step ? 0.0 : u->abs_tol;
  for (int i = 0; i < p->dynamics->nobjective; i++) {
    const jmodel_objective* o = &p->model->objective[i];
    jplant_doubt d = jplant_judge_value(&k->judge, i);
    if (jplant_is_lost(p, i, y, abs_tol)) {
      k->out->is_doubted[i] = true;
      jplant_warn_lost(k->out->ctx, o, psi[i], u->is_fixed_step);
    } else if (d.error > 0.0) {
      jplant_warn_doubt(k->out->ctx, o, psi[i], &d);
    } else if (off[i] > 0.0) {
      jplant_warn_end(k->out->ctx, o, psi[i], off[i]);
    }
  }
}

// Fixed steps have no error control: where they are too long for the motion the run only looks like one.
static void warn_of_unresolved(const recorder* k, const jsolve_options* solve) {
  const jsolve_statistics* s = &k->out->statistics;
  if (s->unresolved == 0) return;
  jerr_warn(
      k->out->ctx,
      "%s: %s with steps of %g s does not follow the motion: '%s' changes by as much as its "
      "own size where steps are halved, so that results may be far off; hint: %s below %.1e s, "
      "or an adaptive method",
      k->plant->model->path, jsolve_method_name(solve->method), solve->step,
      k->run.work->system.state_name[s->unresolved - 1], jerr_option_name(k->out->ctx, JERR_STEP),
      s->resolving);
}

static jo_status integrate(recorder* k, const jsolve_options* solve, double* scratch,
                           double* work) {
  jplant_result* r = k->out;
  jsolve_observer observer = {.user = k, .step = on_step, .event = on_event};
  jplant_work* w = k->run.work;
  w->watch.on_change = on_change;
  w->watch.user = k;
  double start = jclock_cpu();
  jo_status status = jplant_run_advance(&k->run, solve, &observer, r->used.t_end, &r->statistics);
  const double* y = k->run.y;
  r->t_reached = k->run.t;
  r->is_complete = status >= 0;
  r->has_ended = w->machine.has_ended;
  r->projections = w->machine.projections - k->sampling;
  r->cpu = jclock_cpu() - start;
  if (status >= 0 && r->has_ended) status = add_last_row(k, y);
  set_final(k, y, scratch);
  if (status >= 0) {
    const double* psi = scratch + 1 + r->noutput;
    status = jplant_finite_objectives(w, r->t_reached, y, psi);
    if (status >= 0) status = jplant_resolved_objectives(w, y, solve->abs_tol);
    double* cut = work + k->plant->dynamics->ny + k->plant->dynamics->nobjective;
    if (status >= 0) status = jplant_guard_reached(w, r->t_reached, cut);
    for (int i = 0; status >= 0 && i < k->plant->dynamics->nobjective; i++) {
      if (cut[i] > 0.0) jplant_warn_cut(r->ctx, &k->plant->model->objective[i], psi[i], cut[i]);
    }
    if (status >= 0) warn_of_lost(k, y, psi, work);
    if (status >= 0) warn_of_unresolved(k, solve);
  }
  return status < 0 ? status : k->finite;
}

static jo_status run(recorder* k, const jsolve_options* solve) {
  const jgen_dynamics* d = k->plant->dynamics;
  jarena scratch;
  jarena_init(&scratch, k->out->ctx);
  double* last = JARENA_ARRAY(&scratch, k->out->ncolumn, double);
  k->y = JARENA_ARRAY(&scratch, d->ny, double);
  k->y_first = JARENA_ARRAY(&scratch, d->ny, double);
  k->beside = JARENA_ARRAY(&scratch, k->out->ncolumn, double);
  double* work = JARENA_ARRAY(&scratch, d->ny + 2 * d->nobjective, double);
  jo_status status = JO_ERR_MEMORY;
  if (last && k->y && k->y_first && k->beside && work) {
    status = jplant_judge_begin(&scratch, k->plant, solve, &k->judge);
    if (status >= 0) status = integrate(k, solve, last, work);
  } else {
    jerr_memory(k->out->ctx);
  }
  jarena_free(&scratch);
  return status;
}

jo_status jplant_simulate(jo_context* ctx, const jplant* plant, const jplant_simulate_options* opt,
                          jplant_result** out) {
  *out = NULL;
  jplant_simulate_options defaults = jplant_simulate_options_default();
  if (!opt) opt = &defaults;
  jplant_result* r = create(ctx, plant);
  if (!r) return jerr_memory(ctx);
  recorder k = {.out = r, .plant = plant, .opt = opt};
  jsolve_options solve;
  jo_status status = jplant_options_choose(ctx, plant->model, opt, false, &r->used, &solve);
  r->used.is_compiled = plant->kernels->set->backend != JKERNEL_INTERP;
  if (status >= 0) status = limit_rows(&k);
  jplant_run_options open = {.p = opt->p, .t_end = r->used.t_end};
  if (status >= 0) status = jplant_run_open(ctx, &r->arena, plant, &open, &k.run);
  if (status < 0) {
    jplant_result_destroy(r);
    return status;
  }
  solve.is_whole = true;
  int said = jo_context_diagnostic_count(ctx);
  status = run(&k, &solve);
  jplant_run_close(&k.run);
  const double* y0 = k.run.start.y;
  if (status >= 0 && jplant_halved_applies(plant, opt, &r->used))
    status = jplant_halved_check(plant, opt, &solve, y0, r);
  if (status >= 0) {
    status = jplant_reference_check(plant, opt, &solve, y0, said, r);
    if (status < 0) {
      jplant_result_destroy(r);
      return status;
    }
  }
  *out = r;
  return status;
}
