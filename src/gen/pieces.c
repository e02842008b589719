// SPDX-License-Identifier: Apache-2.0
// Pieces of the semi-explicit form: closure Jacobian, mass matrix and bias of the tree as functions of
// all coordinates and velocities. What dynamics.c eliminates with symbols is left to numbers here.
#include <assert.h>

#include "gen/begin.h"

enum { GROUP_P, GROUP_T, GROUP_Q, GROUP_QD, GROUP_Z, GROUP_X };

typedef struct writer {
  jgen s;
  jgen_pieces* out;
  const jgen_partition* part;
  jgen_row* row;
} writer;

static jexpr_ref* refs(writer* w, int n) {
  jexpr_ref* x = JARENA_ARRAY(w->s.a, n, jexpr_ref);
  if (!x) w->s.g->status = jerr_memory(w->s.ctx);
  return x;
}

static bool make_sparse(jarena* a, int cap, jgen_sparse* S) {
  S->row = JARENA_ARRAY(a, cap, int);
  S->col = JARENA_ARRAY(a, cap, int);
  return S->row && S->col;
}

static void put_entry(jexpr_graph* g, jgen_sparse* S, jexpr_ref* entry, int i, int j, jexpr_ref e) {
  if (jexpr_is_value(g, e, 0.0)) return;
  S->row[S->n] = i;
  S->col[S->n] = j;
  entry[S->n++] = e;
}

static jo_status make(writer* w, const char* name, jexpr_outputs* o, int n, jexpr_fn* fn) {
  JO_TRY(w->s.g->status);
  return jgen_function(w->s.g, w->s.a, name, o, n, fn);
}

static jo_status begin(writer* w, const jmodel* m, const jgen_options* opt) {
  jgen_pieces* out = w->out;
  jexpr_graph* g = out->g;
  jgen* s = &w->s;
  JO_TRY(jgen_begin(s, g->ctx, m, g, &out->arena));
  for (int i = 0; i < m->nnumber; i++) {
    out->np += opt && opt->live ? opt->live[i] : m->number[i].is_parameter;
  }
  out->nq = m->ncoordinate;
  out->nz = jgen_state_count(m);
  jexpr_group(g, "p", out->np, JEXPR_UNIFORM);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  jexpr_group(g, "q", out->nq, JEXPR_PER_LANE);
  jexpr_group(g, "qd", out->nq, JEXPR_PER_LANE);
  jexpr_group(g, "z", out->nz, JEXPR_PER_LANE);
  jexpr_group(g, "x", out->nq, JEXPR_PER_LANE);
  jexpr_group(g, "road", 2, JEXPR_PER_LANE);
  out->live = JARENA_ARRAY(&out->arena, out->np, int);
  out->p = JARENA_ARRAY(&out->arena, out->np, double);
  s->z = refs(w, out->nz);
  if (!out->live || !out->p || !s->z) return jerr_memory(g->ctx);
  s->t = jexpr_input(g, GROUP_T, 0);
  for (int i = 0; i < out->nz; i++) {
    s->z[i] = jexpr_input(g, GROUP_Z, i);
  }
  for (int i = 0; i < out->nq; i++) {
    s->q[i] = jexpr_input(g, GROUP_Q, i);
    s->qd[i] = jexpr_input(g, GROUP_QD, i);
    s->qdd[i] = s->zero;
  }
  return jgen_inputs(s, opt ? opt->live : NULL, GROUP_P, out->live, out->p);
}

static jo_status put_drive(writer* w) {
  int nd = w->part->nd;
  jexpr_ref* rate[3] = {refs(w, nd), refs(w, nd), refs(w, nd)};
  JO_TRY(w->s.g->status);
  for (int i = 0; i < nd; i++) {
    jexpr_ref r[3];
    JO_TRY(jgen_drive_position(&w->s, w->part->d[i], &r[0]));
    if (jgen_drive_has_states(&w->s, r[0])) {
      w->s.stage = JGEN_AT_POSITION;
      JO_TRY(jgen_drive_velocity(&w->s, w->part->d[i], r[0], &r[1]));
      w->s.stage = JGEN_AT_VELOCITY;
      JO_TRY(jgen_drive_acceleration(&w->s, r[1], &r[2]));
    } else {
      JO_TRY(jgen_drive_rates(&w->s, r));
    }
    for (int k = 0; k < 3; k++) {
      rate[k][i] = r[k];
    }
  }
  jexpr_outputs o[3] = {jgen_outputs(w->s.a, "s", rate[0], nd),
                        jgen_outputs(w->s.a, "sd", rate[1], nd),
                        jgen_outputs(w->s.a, "sdd", rate[2], nd)};
  return make(w, "drive", o, 3, &w->out->drive);
}

static jo_status put_closure(writer* w) {
  jgen* s = &w->s;
  jgen_pieces* out = w->out;
  int nv = w->part->nv, nq = out->nq;
  jexpr_ref *J = refs(w, nv * nq), *h = refs(w, nv);
  if (!J || !h || !make_sparse(s->a, nv * nq, &out->J)) return jerr_memory(s->ctx);
  for (int k = 0; k < nv; k++) {
    const jgen_row* row = &w->row[w->part->row[k]];
    h[k] = row->h;
    for (int i = 0; i < nq; i++) {
      put_entry(s->g, &out->J, J, k, i, row->J[i]);
    }
  }
  jexpr_outputs o[2] = {jgen_outputs(s->a, "J", J, out->J.n), jgen_outputs(s->a, "h", h, nv)};
  return make(w, "closure", o, 2, &out->closure);
}

static jo_status put_tree(writer* w) {
  jgen* s = &w->s;
  jgen_pieces* out = w->out;
  int nv = w->part->nv, nq = out->nq;
  jexpr_ref *all = refs(w, nq * nq), *M = refs(w, nq * nq), *c = refs(w, nq), *bias = refs(w, nv);
  if (!all || !M || !c || !bias || !make_sparse(s->a, nq * nq, &out->M)) {
    return jerr_memory(s->ctx);
  }
  for (int i = 0; i < nq; i++) {
    c[i] = s->zero;
  }
  jgen_bias_forces(s, c);
  jgen_mass_matrix(s, all);
  for (int i = 0; i < nq; i++) {
    for (int j = 0; j <= i; j++) {
      put_entry(s->g, &out->M, M, i, j, all[i * nq + j]);
    }
  }
  for (int k = 0; k < nv; k++) {
    bias[k] = w->row[w->part->row[k]].bias;
  }
  jexpr_outputs o[3] = {jgen_outputs(s->a, "M", M, out->M.n), jgen_outputs(s->a, "c", c, nq),
                        jgen_outputs(s->a, "bias", bias, nv)};
  return make(w, "tree", o, 3, &out->tree);
}

static jo_status put_finish(writer* w) {
  jgen* s = &w->s;
  int nq = w->out->nq;
  jexpr_ref* qdd = refs(w, nq);
  if (!qdd) return s->g->status;
  for (int i = 0; i < nq; i++) {
    qdd[i] = jexpr_input(s->g, GROUP_X, i);
  }
  const jexpr_v3* bias = jgen_hub_bias(s);
  if (!bias) return s->g->status;
  jgen_hub_rates(s, bias, qdd);
  jexpr_outputs o = jgen_outputs(s->a, "qdd", qdd, nq);
  return make(w, "finish", &o, 1, &w->out->finish);
}

static jo_status build(jgen_pieces* out, const jmodel* m, const jgen_options* opt,
                       const jgen_partition* part, bool* follow, bool* retry) {
  writer w = {.out = out, .part = part};
  jgen* s = &w.s;
  int n;
  s->follow = follow;
  JO_TRY(begin(&w, m, opt));
  JO_TRY(jgen_frames(s));
  jgen_hub_keep(s, part);
  s->stage = JGEN_AT_VELOCITY;
  JO_TRY(put_drive(&w));
  JO_TRY(jgen_closures(s, true, &w.row, &n));
  JO_TRY(jgen_write_elements(s));
  jgen_hub_forces(s);
  *retry = s->retry_follow;
  for (int b = 0; *retry && b < m->nbody; b++) {
    follow[b] = s->follow[b];
  }
  if (*retry) return JO_OK;
  JO_TRY(put_closure(&w));
  JO_TRY(put_tree(&w));
  return put_finish(&w);
}

jo_status jgen_pieces_build(jo_context* ctx, const jmodel* m, const jgen_options* opt,
                            const jgen_partition* part, jgen_pieces** out) {
  *out = NULL;
  jarena scratch;
  jarena_init(&scratch, ctx);
  bool* follow = JARENA_ARRAY(&scratch, m->nbody, bool);
  jo_status status = follow ? JO_OK : jerr_memory(ctx);
  bool retry = true;
  // once, and again as long as a force looks at a body whose spin was not followed: it is, the next time
  for (int attempt = 0; retry && status >= 0; attempt++) {
    assert(attempt <= m->nbody);
    retry = false;
    jgen_pieces* p = jmem_resize(ctx, NULL, sizeof *p);
    if (!p) {
      status = jerr_memory(ctx);
      break;
    }
    *p = (jgen_pieces){.g = jexpr_graph_create(ctx)};
    jarena_init(&p->arena, ctx);
    status = p->g ? build(p, m, opt, part, follow, &retry) : JO_ERR_MEMORY;
    if (retry || status < 0) {
      jgen_pieces_destroy(p);
    } else {
      *out = p;
    }
  }
  jarena_free(&scratch);
  return status;
}

void jgen_pieces_destroy(jgen_pieces* p) {
  if (!p) return;
  jo_context* ctx = p->arena.ctx;
  jexpr_graph_destroy(p->g);
  jarena_free(&p->arena);
  jmem_free(ctx, p);
}
