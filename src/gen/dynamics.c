// SPDX-License-Identifier: Apache-2.0
// The dynamics stage: begin, write the equations, make functions and their derivatives.

#include "base/assert.h"
#include "gen/begin.h"
#include "gen/derive/sens.h"
#include "gen/loop/reduction.h"
#include "gen/switch/events.h"
#include "gen/tree/attitude.h"

static jo_status count_equations(jgen_reduction* r) {
  jarena scratch;
  jarena_init(&scratch, r->s.ctx);
  jexpr_schedule schedule;
  jo_status status = jexpr_schedule_build(&scratch, &r->out->fn[JGEN_FN_RHS], &schedule);
  if (status == JO_OK) {
    r->out->equations = jexpr_count_equations(r->s.g, &schedule, &scratch);
  }
  jarena_free(&scratch);
  return status;
}

// ---- the stage -----------------------------------------------------------------------------------

static int count_live(const jmodel* m, const jgen_options* opt) {
  int n = 0;
  for (int i = 0; i < m->nnumber; i++) {
    n += opt && opt->live ? opt->live[i] : m->number[i].is_parameter;
  }
  return n;
}

static jo_status begin(jgen_reduction* r, const jmodel* m, const jgen_options* opt) {
  jgen_dynamics* d = r->out;
  jexpr_graph* g = d->g;
  JO_TRY(jgen_begin(&r->s, g->ctx, m, g, &d->arena));
  d->np = count_live(m, opt);
  // values are shared by all lanes, unless these are vehicles; directions are one per lane
  jexpr_vary values = opt && opt->per_lane ? JEXPR_PER_LANE : JEXPR_UNIFORM;
  jexpr_group(g, "p", d->np, values);
  jexpr_group(g, "t", 1, values);
  jexpr_group(g, "y", 1, values);     // sized when the states are known
  jexpr_group(g, "mode", 0, values);  // sized when the switches are
  jexpr_group(g, "momentum", r->nu, values);
  jexpr_group(g, "road", 2, JEXPR_UNIFORM);
  jexpr_group(g, "dy", 1, JEXPR_PER_LANE);
  jexpr_group(g, "dt", 1, JEXPR_PER_LANE);
  jexpr_group(g, "dp", opt ? opt->nwrt : 0, JEXPR_PER_LANE);
  jexpr_group(g, "dmomentum", r->nu, JEXPR_PER_LANE);
  jexpr_group(g, "lambda", 0, JEXPR_PER_LANE);
  jexpr_group(g, "b", r->nv, JEXPR_PER_LANE);
  jexpr_group(g, "c", r->nv, JEXPR_PER_LANE);
  jexpr_group(g, "element", m->ncomponent, values);
  jexpr_group(g, "x", r->nu, values);
  jexpr_group(g, "feed", 0, values);   // sized when they are found
  jexpr_group(g, "fired", 0, values);  // sized when the events are known
  jexpr_group(g, "hold", 0, values);   // sized when they are written
  jexpr_group(g, "common", 0, values);
  r->s.placeholders = opt && opt->loads;
  d->live = JARENA_ARRAY(&d->arena, d->np, int);
  d->p = JARENA_ARRAY(&d->arena, d->np, double);
  if (!d->live || !d->p) return jerr_memory(g->ctx);
  r->s.t = jexpr_input(g, JGEN_T, 0);
  return jgen_inputs(&r->s, opt ? opt->live : NULL, JGEN_P, d->live, d->p);
}

// The numbers asked for, as indices of live numbers; then tangents and adjoints.
static jo_status write_derivatives(jgen_reduction* r, const jgen_options* opt) {
  jgen_dynamics* d = r->out;
  d->sens.nw = opt->nwrt;
  d->sens.weighs_outputs = opt->weighs_outputs;
  d->sens.times_tangents = opt->times_tangents;
  d->sens.is_spread = opt->per_lane;
  d->sens.weighs_only = opt->per_lane && opt->weighs;
  d->sens.is_one = opt->one_direction;
  d->sens.wrt = JARENA_ARRAY(&d->arena, opt->nwrt, int);
  if (!d->sens.wrt) return jerr_memory(r->s.ctx);
  for (int i = 0; i < opt->nwrt; i++) {
    int at = 0;
    while (at < d->np && d->live[at] != opt->wrt[i]) {
      at++;
    }
    if (at == d->np)
      return jerr_set(r->s.ctx, JO_ERR_ARGUMENT, "number %d is not live", opt->wrt[i]);
    d->sens.wrt[i] = at;
  }
  return jgen_sens_write(d);
}

static jo_status build(jgen_dynamics* d, const jmodel* m, const jgen_options* opt, bool* follow,
                       bool* retry) {
  const jgen_partition* part = &d->part;
  jgen_reduction r = {.out = d, .part = part, .nq = m->ncoordinate};
  r.nu = part->nu;
  r.nv = part->nv;
  r.nd = part->nd;
  r.way = opt ? opt->way : JGEN_CHEAPEST;
  r.s.follow = follow;
  jgen_sensors o = {0};
  JO_TRY(begin(&r, m, opt));
  JO_TRY(jgen_write_equations(&r));
  d->nwritten = d->g->nnode;
  d->nsection = r.s.nsection;
  d->section = r.s.section;
  JO_TRY(jgen_attitude_events(&r));
  JO_TRY(jgen_write_events(&r));
  JO_TRY(jgen_write_outputs(&r, &o));
  if (r.s.retry_follow) {
    for (int b = 0; b < m->nbody; b++) {
      follow[b] = r.s.follow[b];
    }
    *retry = true;
    return JO_OK;
  }
  JO_TRY(jgen_write_guards(&r));
  if (opt && opt->nwrt > 0) JO_TRY(jgen_write_implied(&r));
  JO_TRY(jgen_write_functions(&r, &o, !opt || opt->modes));
  d->noutput = o.n;
  d->output_name = o.name;
  d->output_unit = o.unit;
  JO_TRY(count_equations(&r));
  if (opt && opt->jacobian) JO_TRY(jgen_write_jacobian(&r));
  if (opt && (opt->local || opt->gains)) JO_TRY(jgen_write_local(&r, opt));
  if (opt && opt->loads) JO_TRY(jgen_write_loads(&r));
  if (opt && (opt->nwrt > 0 || opt->weighs_outputs)) JO_TRY(write_derivatives(&r, opt));
  return jgen_read_unused(&r);
}

static bool copy_ints(jarena* a, int** dst, const int* src, int n) {
  *dst = JARENA_ARRAY(a, n, int);
  for (int i = 0; *dst && i < n; i++) {
    (*dst)[i] = src[i];
  }
  return *dst != NULL;
}

static bool copy_partition(jarena* a, const jgen_partition* from, jgen_partition* to) {
  *to = *from;
  return copy_ints(a, &to->u, from->u, from->nu) && copy_ints(a, &to->v, from->v, from->nv) &&
         copy_ints(a, &to->d, from->d, from->nd) && copy_ints(a, &to->row, from->row, from->nrow) &&
         copy_ints(a, &to->pivot, from->pivot, from->nrow) &&
         copy_ints(a, &to->redundant, from->redundant, from->nredundant);
}

jo_status jgen_dynamics_build(jo_context* ctx, const jmodel* m, const jgen_options* opt,
                              const jgen_partition* part, jgen_dynamics** out) {
  *out = NULL;
  bool* follow = jmem_resize(ctx, NULL, (size_t)m->nbody);
  jgen_dynamics* d = jmem_resize(ctx, NULL, sizeof *d);
  if (!d || !follow) {
    jmem_free(ctx, d);
    jmem_free(ctx, follow);
    return jerr_memory(ctx);
  }
  memset(follow, 0, (size_t)m->nbody);
  bool retry = true;
  jo_status status = JO_OK;
  // once, and again as long as an expression looks at a body whose spin was not followed: it is, the next time
  for (int attempt = 0; retry && status >= 0; attempt++) {
    JASSERT(attempt <= m->nbody);
    retry = false;
    *d = (jgen_dynamics){.g = jexpr_graph_create(ctx), .model = m};
    jarena_init(&d->arena, ctx);
    status = d->g && copy_partition(&d->arena, part, &d->part) ? build(d, m, opt, follow, &retry)
                                                               : jerr_memory(ctx);
    if (retry || status < 0) {
      jexpr_graph_destroy(d->g);
      jarena_free(&d->arena);
    }
  }
  jmem_free(ctx, follow);
  if (status < 0) {
    jmem_free(ctx, d);
    return status;
  }
  *out = d;
  return JO_OK;
}

void jgen_dynamics_destroy(jgen_dynamics* d) {
  if (!d) return;
  jo_context* ctx = d->arena.ctx;
  jexpr_graph_destroy(d->g);
  jarena_free(&d->arena);
  jmem_free(ctx, d);
}
