// SPDX-License-Identifier: Apache-2.0
// What both stages begin with: storage and constants.
#include "gen/begin.h"

#include "gen/force/element.h"

#define BYTES_PER_TERM 100.0  // of a graph, its schedules and what evaluates it

// The equations have a share of the memory as large as that of the results.
static void limit_terms(jexpr_graph* g, const jmodel* m) {
  double terms = m->simulation.max_memory * 1e6 / BYTES_PER_TERM;
  if (terms < g->max_nodes) g->max_nodes = (int)terms;
  const char* hint =
      jarena_printf(&g->names,
                    "; %s has %d bodies and %d closures, and loops and matrices cost the cube of "
                    "their number: make "
                    "the model smaller, or raise simulation.max_memory (--max-memory)",
                    m->path, m->nbody - 1, m->nclosure);
  if (hint) g->limit_hint = hint;
}

jo_status jgen_begin(jgen* s, jo_context* ctx, const jmodel* m, jexpr_graph* g, jarena* a) {
  int nl = m->ncoordinate + m->njoint + 1, nq = m->ncoordinate;
  const bool* follow = s->follow;
  limit_terms(g, m);
  *s = (jgen){.ctx = ctx, .m = m, .g = g, .a = a, .stage = JGEN_AT_POSITION};
  s->zero = jexpr_const(g, 0.0);
  s->one = jexpr_const(g, 1.0);
  s->q = JARENA_ARRAY(a, nq, jexpr_ref);
  s->qd = JARENA_ARRAY(a, nq, jexpr_ref);
  s->qdd = JARENA_ARRAY(a, nq, jexpr_ref);
  s->applied = JARENA_ARRAY(a, nq, jexpr_ref);
  s->drive_force = JARENA_ARRAY(a, nq, jexpr_ref);
  s->from = JARENA_ARRAY(a, nl, jgen_relative*);
  s->carrier = JARENA_ARRAY(a, nl, int);
  s->stand = JARENA_ARRAY(a, nl, jgen_stand);
  s->has_turning = JARENA_ARRAY(a, nl, bool);
  s->turning = JARENA_ARRAY(a, nl, jexpr_v3);
  s->hub_of = JARENA_ARRAY(a, nl, int);
  s->path = JARENA_ARRAY(a, nl, int);
  s->dyn = JARENA_ARRAY(a, nl, jgen_absolute);
  s->abs = JARENA_ARRAY(a, nl, jgen_absolute);
  s->wrench = JARENA_ARRAY(a, nl, jgen_wrench);
  s->element = JARENA_ARRAY(a, m->nelement, jgen_element);
  s->component = JARENA_ARRAY(a, m->ncomponent, jexpr_ref);
  s->follow = JARENA_ARRAY(a, m->nbody, bool);
  bool ok = s->q && s->qd && s->qdd && s->applied && s->from && s->carrier && s->stand && s->path &&
            s->has_turning && s->turning && s->hub_of && s->dyn && s->abs && s->wrench &&
            s->element && s->component && s->follow && s->drive_force && s->zero && s->one;
  if (!ok) return jerr_memory(ctx);
  for (int b = 0; follow && b < m->nbody; b++) {
    s->follow[b] = follow[b];
  }
  for (int l = 0; l < nl; l++) {
    s->wrench[l] = (jgen_wrench){jexpr_v3_zero(g), jexpr_v3_zero(g)};
  }
  for (int i = 0; i < m->ncoordinate; i++) {
    s->applied[i] = s->zero;
  }
  return g->status;
}

const char* jgen_write_for(jgen* s, const char* part) {
  const char* before = s->nsection > 0 ? s->section[s->nsection - 1].name : JGEN_REST;
  if (before == part) return before;
  if (s->nsection == s->section_cap) {
    int cap = 2 * s->section_cap + 64;
    jgen_section* more = JARENA_ARRAY(s->a, cap, jgen_section);
    if (!more) {
      s->g->status = jerr_memory(s->ctx);
      return before;
    }
    for (int i = 0; i < s->nsection; i++) {
      more[i] = s->section[i];
    }
    s->section = more;
    s->section_cap = cap;
  }
  s->section[s->nsection++] = (jgen_section){part, s->g->nnode};
  return before;
}

jexpr_outputs jgen_outputs(jarena* a, const char* name, const jexpr_ref* ref, int n) {
  jexpr_ref* copy = JARENA_ARRAY(a, n, jexpr_ref);
  for (int i = 0; copy && i < n; i++) {
    copy[i] = ref[i];
  }
  return (jexpr_outputs){name, copy ? n : -1, copy};
}

jo_status jgen_function(jexpr_graph* g, jarena* a, const char* name, const jexpr_outputs* out,
                        int nout, jexpr_fn* fn) {
  jexpr_outputs* copy = JARENA_ARRAY(a, nout, jexpr_outputs);
  if (!copy) return jerr_memory(g->ctx);
  for (int i = 0; i < nout; i++) {
    if (out[i].n < 0) return jerr_memory(g->ctx);
    copy[i] = out[i];
  }
  *fn = (jexpr_fn){name, g, nout, copy};
  return JO_OK;
}
