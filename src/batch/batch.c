// SPDX-License-Identifier: Apache-2.0
// Preparing batches: equations and kernels over lanes, and the rule that lanes march by.
#include "batch/batch.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/system/cpu.h"
#include "batch/inside.h"
#include "model/road_alike.h"
#include "plant/chart.h"
#include "sens/error/plan.h"
#include "sens/walk.h"
#include "solve/constants.h"
#include "solve/event/scan.h"
#include "solve/stability.h"
#include "solve/tableau.h"

jbatch_options jbatch_options_default(const jmodel* m) {
  return (jbatch_options){.run = jsens_options_default(m)};
}

// ---- what lanes can do -----------------------------------------------------------------------------

// Whether any of some refs depends on a group of inputs.
static jo_status depends_on(jarena* a, const jexpr_fn* fn, jgen_group group, bool* out) {
  const jexpr_graph* g = fn->graph;
  jexpr_schedule schedule;
  JO_TRY(jexpr_schedule_build(a, fn, &schedule));
  *out = false;
  for (int i = 0; i < schedule.n; i++) {
    for (int k = 0; k < jexpr_nargs(g, schedule.order[i]); k++) {
      const jexpr_node* arg = &g->node[jexpr_arg(g, schedule.order[i], k)];
      *out = *out || (arg->op == JEXPR_INPUT && arg->a == (uint32_t)group);
    }
  }
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      const jexpr_node* n = &g->node[fn->out[o].ref[i]];
      *out = *out || (n->op == JEXPR_INPUT && n->a == (uint32_t)group);
    }
  }
  return JO_OK;
}

static double spacing_of(const jbatch* b) {
  const jsens_options* o = &b->opt.run;
  return jsolve_scan_spacing(&o->solve, o->t_start, o->t_end);
}

// Lanes look at conditions in stages of their steps, which meet all that lasts half of the longest step. Whether conditions of
// time are proved not to change back sooner, for all values of the numbers that vary.
static jo_status prove_slow(jbatch* b, bool* is_slow) {
  const jplant* p = b->sens->plant;
  const jsolve_enclosure* e = p->about.enclosure;
  const jsens_options* o = &b->opt.run;
  *is_slow = true;
  if (!e) return JO_OK;
  jsolve_range* range = JARENA_ARRAY(&b->arena, e->n, jsolve_range);
  bool* varies = JARENA_ARRAY(&b->arena, p->about.np, bool);
  if (!range || !varies) return jerr_memory(b->ctx);
  for (int i = 0; i < b->opt.nnumber; i++)
    varies[b->slot[i]] = true;
  jsolve_enclose_inputs in = {
      .p = o->p ? o->p : p->dynamics->p, .y = p->y0, .varies = varies, .any_state = true};
  double apart =
      0.5 * (o->solve.max_step > 0 ? fmin(o->solve.max_step, spacing_of(b)) : spacing_of(b));
  *is_slow = jsolve_enclose_is_slow(e, &in, o->t_start, o->t_end, apart, range);
  return JO_OK;
}

// Sets why_alone where points have to be run by themselves.
static jo_status judge(jbatch* b) {
  const jplant* p = b->sens->plant;
  const jsolve_options* o = &b->opt.run.solve;
  const jsolve_tableau* tab = jsolve_tableau_find(o->method);
  const jsolve_method_info* about = jsolve_method_about(o->method);
  bool is_slow;
  JO_TRY(prove_slow(b, &is_slow));
  if (!tab || o->method == JSOLVE_AUTO || tab->gamma > 0 || tab->local_gamma > 0) {
    b->why_alone = "lanes have explicit methods only";
  } else if (p->about.nevent > 0 || p->about.nconstant > 0) {
    b->why_alone = "events of the model set states";
  } else if (about->is_fixed && o->step > 3.0 * spacing_of(b)) {
    b->why_alone = "steps are longer than the shortest pulse";
  } else if (b->opt.run.frozen || b->opt.run.outputs_only) {
    b->why_alone = "switches stay at their times";
  } else if (!is_slow) {
    b->why_alone = "conditions of time may change back within a step";
  }
  return JO_OK;
}

// ---- the rule --------------------------------------------------------------------------------------

static void set_method(jbatch* b) {
  jbatch_rule* r = &b->rule;
  const jsolve_options* o = &b->opt.run.solve;
  const jsolve_tableau* tab = jsolve_tableau_find(o->method);
  const jsolve_method_info* about = jsolve_method_about(o->method);
  r->stages = tab->stages;
  r->order = about->order;
  r->is_fixed = about->is_fixed;
  const jsolve_stability stable = jsolve_stability_of(tab);
  for (int i = 0; i < JSOLVE_MAX_STAGES; i++) {
    r->c[i] = tab->c[i];
    r->b[i] = tab->b[i];
    for (int j = 0; j < JSOLVE_MAX_STAGES - 1; j++)
      r->a[i][j] = tab->a[i][j];
  }
  for (int i = 0; i <= JSOLVE_MAX_STAGES; i++) {
    r->e[i] = tab->e[i];
    r->d[i] = tab->d[i];
    r->factor[i] = stable.factor[i];
    r->has_quartic = r->has_quartic || tab->d[i] != 0.0;
  }
  for (int i = 1; i < tab->stages && r->nsample < JBATCH_SAMPLES; i++) {
    bool is_inside = tab->c[i] > 0.25 && tab->c[i] < 0.85;
    bool is_better = i + 1 < tab->stages && tab->c[i + 1] == tab->c[i];
    if (is_inside && !is_better) r->sample[r->nsample++] = i;
  }
  double span = b->opt.run.t_end - b->opt.run.t_start, spacing = spacing_of(b);
  r->t_begin = b->opt.run.t_start;
  r->t_end = b->opt.run.t_end;
  r->step = o->step;
  r->max_step = o->max_step > 0.0 ? fmin(o->max_step, spacing) : spacing;
  r->rel_tol = o->rel_tol;
  r->abs_tol = o->abs_tol;
  r->max_steps = (double)o->max_steps;
  r->max_flips = o->max_events > 0 ? o->max_events : JSOLVE_BASE_EVENTS + JSOLVE_EVENT_RATE * span;
}

// Derivatives may jump where driven coordinates do not: lanes have no impulses (sensitivity.md, (S4)).
static jo_status set_drives(jbatch* b) {
  const jgen_dynamics* d = b->sens->plant->dynamics;
  int* drives = JARENA_ARRAY(&b->arena, d->nswitch, int);
  if (!drives) return jerr_memory(b->ctx);
  for (int i = 0; b->nw > 0 && i < d->nswitch; i++) {
    drives[i] = b->sens->drives[i];
  }
  b->rule.drives = drives;
  return JO_OK;
}

// Derivatives take part in the control of steps, with the tolerance that repeated runs are planned with: sens/error/plan.c.
static jo_status set_along(jbatch* b) {
  jbatch_rule* r = &b->rule;
  double* least = JARENA_ARRAY(&b->arena, r->nw, double);
  if (!least) return jerr_memory(b->ctx);
  for (int k = 0; k < r->nw; k++) {
    double unit = jsens_unit(b->sens, b->opt.run.p, k);
    least[k] = unit > 0.0 ? JSENS_NOTHING / unit : INFINITY;
  }
  r->along_least = least;
  r->along_tol = jsens_plan_step_tolerance(&b->opt.run);
  return JO_OK;
}

static jo_status set_rule(jbatch* b) {
  const jplant* p = b->sens->plant;
  const jmachine_about* about = &p->about;
  int* has_root = JARENA_ARRAY(&b->arena, about->nintegral, int);
  int* is_quiet = JARENA_ARRAY(&b->arena, about->nswitch, int);
  double* least = JARENA_ARRAY(&b->arena, about->nguard, double);
  if (!has_root || !is_quiet || !least) return jerr_memory(b->ctx);
  b->rule = (jbatch_rule){.np = about->np,
                          .ny = about->ny,
                          .nw = b->opt.adjoint ? 0 : b->nw,
                          .weighs = b->opt.adjoint && b->nw > 0,
                          .nv = about->nv,
                          .nswitch = about->nswitch,
                          .nobjective = about->nobjective,
                          .nintegral = about->nintegral,
                          .noutput = b->noutput > 0 ? b->noutput : b->opt.nhistory,
                          .nhistory = b->opt.nhistory,
                          .nrow = b->nrow,
                          .row_time = b->row_time,
                          .nredundant = about->nredundant,
                          .nguard = about->nguard,
                          .first_v = about->first_v,
                          .first_integral = about->first_integral,
                          .first_guard = about->first_guard,
                          .nominal = about->nominal,
                          .closure_limit = about->closure_limit,
                          .has_root = has_root,
                          .is_quiet = is_quiet,
                          .least = least};
  for (int i = 0; i < about->nguard; i++) {
    least[i] = about->guard[i].least;
  }
  for (int i = 0; i < about->ny; i++) {
    b->rule.ncontrolled += about->nominal[i] > 0.0;
  }
  for (int i = 0; i < about->nintegral; i++) {
    has_root[i] = about->has_root[i];
  }
  for (int i = 0; i < about->nswitch; i++) {
    is_quiet[i] = about->is_quiet[i];
  }
  JO_TRY(set_drives(b));
  JO_TRY(set_along(b));
  // slopes grow as |det J_v| falls: so far lanes go, and a run by itself looks for other coordinates then
  bool depends = false;
  if (about->nd > 0)
    JO_TRY(depends_on(&b->arena, &p->dynamics->fn[JGEN_FN_DRIVE], JGEN_MODE, &depends));
  b->rule.ndrive = depends ? about->nd : 0;
  double steepest = jplant_chart_steepest(&p->footing);
  b->rule.widest = about->nv > 0 ? steepest / (p->footing.steepest * p->footing.volume) : 0.0;
  set_method(b);
  return JO_OK;
}

// ---- kernels ---------------------------------------------------------------------------------------

static const jgen_fn value_of[JBATCH_RHS_ALONG] = {
    [JBATCH_RHS] = JGEN_FN_RHS,           [JBATCH_PROJECT] = JGEN_FN_PROJECT,
    [JBATCH_SWITCHES] = JGEN_FN_SWITCHES, [JBATCH_OBJECTIVE] = JGEN_FN_OBJECTIVE,
    [JBATCH_OUTPUTS] = JGEN_FN_OUTPUTS,   [JBATCH_REDUNDANT] = JGEN_FN_REDUNDANT,
    [JBATCH_GUARDS] = JGEN_FN_GUARDS,     [JBATCH_DRIVE] = JGEN_FN_DRIVE};

// Derivatives along numbers, and weighted ones.
static const jgen_fn along_of[JBATCH_RHS_BACK - JBATCH_RHS_ALONG] = {
    JGEN_FN_RHS, JGEN_FN_PROJECT, JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE};

// A right-hand side that tells switches along: they are all but computed there.
static jo_status add_switches(jbatch* b, jexpr_fn* fn) {
  jexpr_outputs* o = JARENA_ARRAY(&b->arena, fn->nout + 1, jexpr_outputs);
  if (!o) return jerr_memory(b->ctx);
  memcpy(o, fn->out, (size_t)fn->nout * sizeof *o);
  o[fn->nout] = b->dynamics->fn[JGEN_FN_SWITCHES].out[0];
  fn->out = o;
  fn->nout++;
  return JO_OK;
}

static jo_status set_functions(jbatch* b) {
  const jgen_dynamics* d = b->dynamics;
  for (int f = 0; f < JBATCH_RHS_ALONG; f++) {
    bool is_unused = (f == JBATCH_OUTPUTS && b->rule.noutput == 0) ||
                     (f == JBATCH_GUARDS && b->rule.nguard == 0) ||
                     (f == JBATCH_DRIVE && b->rule.ndrive == 0);
    if (!is_unused) b->function[f] = d->fn[value_of[f]];
  }
  JO_TRY(add_switches(b, &b->function[JBATCH_RHS]));
  JO_TRY(jbatch_history_functions(b));
  for (int f = JBATCH_RHS_BACK; f < JBATCH_RHS_COMMON && b->rule.weighs; f++)
    b->function[f] = d->sens.adjoint[along_of[f - JBATCH_RHS_BACK]];
  if (b->rule.nw == 0) return JO_OK;
  b->rule.ncommon = d->sens.is_one ? 1 : 0;
  for (int i = 0; i < JBATCH_RHS_BACK - JBATCH_RHS_ALONG; i++) {
    const jexpr_fn* common = &d->sens.common[along_of[i]];
    b->function[JBATCH_RHS_ALONG + i] = d->sens.tangent[along_of[i]];
    b->function[JBATCH_RHS_COMMON + i] = *common;
    int n = common->name ? common->out[common->nout - 1].n : 0;
    if (n > b->rule.ncommon) b->rule.ncommon = n;
  }
  return add_switches(b, &b->function[d->sens.is_one ? JBATCH_RHS_COMMON : JBATCH_RHS_ALONG]);
}

// Kernels of derivatives: the four functions from `first` on.
static jo_status compile_derivatives(jbatch* b, int first, jplant_kernels_use use,
                                     const jkernel_options* kernel, jplant_kernels** out) {
  jexpr_fn fn[JGEN_FN_COUNT] = {{0}};
  for (int i = 0; i < JBATCH_RHS_BACK - JBATCH_RHS_ALONG; i++)
    fn[along_of[i]] = b->function[first + i];
  return jplant_kernels_create(b->ctx, fn, NULL, 0, use, kernel, out);
}

static jo_status compile(jbatch* b, jkernel_options kernel) {
  jexpr_fn fn[JGEN_FN_COUNT] = {{0}};
  kernel.lanes = b->march->lanes;
  kernel.emit.pack = 1;  // all of it varies: packs would only change its order
  if (kernel.optimize < 2) kernel.optimize = 2;  // 4 % faster, compiled 1.7 times as long, once
  jplant_kernels_use use = {.outputs = true, .guards = true};
  for (int f = 0; f < JBATCH_RHS_ALONG; f++)
    fn[value_of[f]] = b->function[f];
  JO_TRY(jplant_kernels_create(b->ctx, fn, NULL, 0, use, &kernel, &b->values));
  if (b->rule.nw > 0) JO_TRY(compile_derivatives(b, JBATCH_RHS_ALONG, use, &kernel, &b->along));
  if (b->rule.weighs) JO_TRY(compile_derivatives(b, JBATCH_RHS_BACK, use, &kernel, &b->back));
  return JO_OK;
}

static jo_status generate(jbatch* b) {
  const jplant* p = b->sens->plant;
  if (b->rule.weighs && b->opt.device != JBATCH_DEVICE_CPU) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT,
                    "device cuda: adjoint derivatives of batches are for the processor; the direct "
                    "method is for both");
  }
  jgen_options gen = p->made_with.gen;
  gen.per_lane = true;
  gen.weighs = b->rule.weighs;
  gen.one_direction = b->opt.device != JBATCH_DEVICE_CPU;
  if (b->nw == 0) {
    gen.wrt = NULL;
    gen.nwrt = 0;
  }
  JO_TRY(jgen_dynamics_build(b->ctx, p->model, &gen, &p->dynamics->part, &b->dynamics));
  const jgen_dynamics* d = b->dynamics;
  if (d->ny != p->about.ny || d->nswitch != p->about.nswitch || d->np != p->about.np) {
    return jerr_set(b->ctx, JO_ERR_MODEL, "%s: equations of a batch are others than those of a run",
                    p->model->path);
  }
  JO_TRY(set_functions(b));
  if (b->opt.device == JBATCH_DEVICE_CPU) return compile(b, p->made_with.kernel);
  JO_TRY(jbatch_device_create(b));
  return b->opt.single ? jbatch_single_create(b) : JO_OK;
}

static jo_status find_numbers(jbatch* b) {
  const jgen_dynamics* d = b->sens->plant->dynamics;
  const jmodel* m = b->sens->plant->model;
  b->slot = JARENA_ARRAY(&b->arena, b->opt.nnumber, int);
  if (!b->slot) return jerr_memory(b->ctx);
  for (int i = 0; i < b->opt.nnumber; i++) {
    int at = 0;
    while (at < d->np && d->live[at] != b->opt.number[i]) {
      at++;
    }
    const jmodel_number* number = &m->number[b->opt.number[i]];
    if (at == d->np || !number->is_parameter) {
      return jerr_set(b->ctx, JO_ERR_ARGUMENT,
                      "%s:%d: '%s' cannot vary in a batch: it is a constant of the code; name it "
                      "among the numbers that vary when the system is made, or declare a parameter "
                      "under 'parameters:' and use it here",
                      number->place.file, number->place.line, number->path);
    }
    b->slot[i] = at;
  }
  return JO_OK;
}

// Tables of other roads: equations are the same.
static jo_status prepare_roads(jbatch* b) {
  const jmodel* m = b->sens->plant->model;
  if (b->opt.nroad == 0) return JO_OK;
  b->road = JARENA_ARRAY(&b->arena, b->opt.nroad, jsens_on_road*);
  if (!b->road) return jerr_memory(b->ctx);
  for (int i = 0; i < b->opt.nroad; i++) {
    const jmodel* other = b->opt.road[i];
    JO_TRY(jmodel_road_alike(b->ctx, m, other));
    JO_TRY(jsens_on_road_create(b->ctx, b->sens, other->road_surface, &b->road[i]));
  }
  return JO_OK;
}

// Values of the numbers as they are now.
static jo_status keep_values(jbatch* b) {
  if (!b->opt.run.p) return JO_OK;
  int np = b->sens->plant->dynamics->np;
  double* p = JARENA_ARRAY(&b->arena, np, double);
  if (!p) return jerr_memory(b->ctx);
  memcpy(p, b->opt.run.p, (size_t)np * sizeof *p);
  b->opt.run.p = p;
  return JO_OK;
}

static jo_status prepare(jbatch* b) {
  const jmachine_about* about = &b->sens->plant->about;
  b->nobjective = about->nobjective;
  b->nw = b->opt.gradient ? b->sens->nw : 0;
  b->noutput = b->opt.outputs ? about->noutput : 0;
  if (b->opt.gradient) {
    if (!b->opt.adjoint) JO_TRY(jsens_check_numbers(b->ctx, b->sens));
    JO_TRY(jsens_check_method(b->ctx, b->sens, jbatch_method(b)));
  }
  if (b->opt.single && b->opt.device == JBATCH_DEVICE_CPU) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT,
                    "single precision is for GPUs, the processor has double; hint: device cuda");
  }
  JO_TRY(jsolve_check_steps(b->ctx, &b->opt.run.solve, b->opt.run.t_start, b->opt.run.t_end));
  JO_TRY(keep_values(b));
  JO_TRY(find_numbers(b));
  JO_TRY(jbatch_history_prepare(b));
  JO_TRY(prepare_roads(b));
  JO_TRY(judge(b));
  if (b->why_alone) return JO_OK;
  int lanes = b->opt.lanes > 0 ? b->opt.lanes : jcpu_lanes(jcpu_chosen());
  b->march = jbatch_march_for(lanes);
  if (!b->march) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "%d lanes: batches have 1, 2, 4 or 8", lanes);
  }
  JO_TRY(set_rule(b));
  return generate(b);
}

static jo_status create_on(jo_context* ctx, const jsens* sens, const jbatch_options* opt,
                           jbatch_device device, jbatch** out) {
  *out = NULL;
  jbatch* b = jmem_resize(ctx, NULL, sizeof *b);
  if (!b) return jerr_memory(ctx);
  *b = (jbatch){.ctx = ctx, .sens = sens, .opt = *opt};
  b->opt.device = device;
  jarena_init(&b->arena, ctx);
  jo_status status = prepare(b);
  if (status < 0) {
    jbatch_destroy(b);
    return status;
  }
  *out = b;
  return JO_OK;
}

jo_status jbatch_create(jo_context* ctx, const jsens* sens, const jbatch_options* opt,
                        jbatch** out) {
  if (opt->device != JBATCH_DEVICE_AUTO) return create_on(ctx, sens, opt, opt->device, out);
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = create_on(ctx, sens, opt, JBATCH_DEVICE_CUDA, out);
  if (status >= 0 || status == JO_ERR_MEMORY) return status;
  jerr_forget(ctx, said);
  return create_on(ctx, sens, opt, JBATCH_DEVICE_CPU, out);
}

void jbatch_destroy(jbatch* b) {
  if (!b) return;
  jbatch_clear(b);
  jbatch_destroy(b->twin);
  jbatch_device_destroy(b);
  for (int i = 0; b->road && i < b->opt.nroad; i++) {
    jsens_on_road_destroy(b->road[i]);
  }
  jplant_kernels_destroy(b->ctx, b->back);
  jplant_kernels_destroy(b->ctx, b->along);
  jplant_kernels_destroy(b->ctx, b->values);
  jgen_dynamics_destroy(b->dynamics);
  jarena_free(&b->arena);
  jmem_free(b->ctx, b);
}
