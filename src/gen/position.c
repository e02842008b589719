// SPDX-License-Identifier: Apache-2.0
// The position stage: closures, drives and initial conditions as functions of all coordinates, for
// assembly and for the choice of the partition.
#include "expr/rewrite.h"
#include "gen/begin.h"
#include "gen/tree/attitude.h"

enum { GROUP_P, GROUP_T, GROUP_Q, GROUP_ROAD, GROUP_QD, GROUP_DQ, GROUP_DQD, GROUP_DP, GROUP_Z };

static jo_status put_closures(jgen* s, jgen_position* out, jexpr_fn* fn) {
  jgen_row* row;
  JO_TRY(jgen_closures(s, false, &row, &out->nh));
  int nh = out->nh, nq = out->nq;
  out->ncoupling = jgen_coupling_count(s->m);
  jexpr_ref* h = JARENA_ARRAY(s->a, nh, jexpr_ref);
  jexpr_ref* J = JARENA_ARRAY(s->a, nh * nq, jexpr_ref);
  out->row_name = JARENA_ARRAY(s->a, nh, const char*);
  if (!h || !J || !out->row_name) return jerr_memory(s->ctx);
  for (int i = 0; i < nh; i++) {
    h[i] = row[i].h;
    out->row_name[i] = row[i].name;
    for (int k = 0; k < nq; k++) {
      J[i + k * nh] = row[i].J[k];
    }
  }
  jexpr_outputs o[2] = {jgen_outputs(s->a, "h", h, nh), jgen_outputs(s->a, "J", J, nh * nq)};
  return jgen_function(s->g, s->a, "closure", o, 2, fn);
}

static jexpr_ref initial_state(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jexpr_ref* z = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && n->a == GROUP_Z ? z[n->b] : rebuilt;
}

// A coordinate that is driven by states starts where their initial values put it. States are placeholders while it is
// differentiated; accelerations are no part of the assembly.
static jo_status start_driven(jgen* s, int coordinate, jexpr_ref rate[3]) {
  static const char rule[] =
      "a coordinate is driven by it: its initial value is an expression of parameters";
  const jmodel_coordinate* c = &s->m->coordinate[coordinate];
  JO_TRY(jgen_drive_velocity(s, coordinate, rate[0], &rate[1]));
  rate[2] = s->zero;
  jexpr_ref *z = s->z, *start = JARENA_ARRAY(s->a, s->m->nstate, jexpr_ref);
  if (!start) return jerr_memory(s->ctx);
  s->z = NULL;
  for (int i = 0; i < s->m->nstate && s->g->status >= 0; i++) {
    start[i] = jgen_scalar(s, &s->m->state[i].initial, s->m->state[i].name);
  }
  s->z = z;
  JO_TRY(s->g->status);
  JO_TRY(jexpr_rewrite(s->g, initial_state, start, rate, 2));
  jgen_depends_on_more(s, rate[0], 1u << GROUP_P | 1u << GROUP_T, rule, c->name, c->driven.place);
  return s->g->status;
}

// What was read while states were placeholders is read again.
static void forget_signals(jgen* s) {
  for (int i = 0; i < s->m->nsignal; i++) {
    s->signal[i] = (jgen_memo){0};
  }
}

static jo_status rates_of(jgen* s, int coordinate, jexpr_ref* z, jexpr_ref rate[3]) {
  s->z = z;
  jo_status status = jgen_drive_position(s, coordinate, &rate[0]);
  bool has_states = status >= 0 && jgen_drive_has_states(s, rate[0]);
  if (has_states) status = start_driven(s, coordinate, rate);
  s->z = NULL;
  if (has_states) forget_signals(s);
  return status < 0 || has_states ? status : jgen_drive_rates(s, rate);
}

static jo_status put_drives(jgen* s, jgen_position* out) {
  jexpr_ref* z = JARENA_ARRAY(s->a, out->nz, jexpr_ref);
  if (!z) return jerr_memory(s->ctx);
  for (int i = 0; i < out->nz; i++) {
    z[i] = jexpr_input(s->g, GROUP_Z, i);
  }
  jexpr_ref* rate[3];
  for (int k = 0; k < 3; k++) {
    rate[k] = JARENA_ARRAY(s->a, out->nq, jexpr_ref);
    if (!rate[k]) return jerr_memory(s->ctx);
  }
  for (int i = 0; i < out->nq; i++) {
    if (!s->m->coordinate[i].is_driven) continue;
    jexpr_ref r[3];
    JO_TRY(rates_of(s, i, z, r));
    for (int k = 0; k < 3; k++) {
      rate[k][out->nd] = r[k];
    }
    out->nd++;
  }
  jexpr_outputs o[3] = {jgen_outputs(s->a, "s", rate[0], out->nd),
                        jgen_outputs(s->a, "sd", rate[1], out->nd),
                        jgen_outputs(s->a, "sdd", rate[2], out->nd)};
  return jgen_function(s->g, s->a, "drive", o, 3, &out->drive);
}

// The rate of a quantity is J qd, its Jacobian by the coordinates times their rates.
static bool rate_needs_time(jgen* s, const jmodel_initial* i, jexpr_ref quantity) {
  static const char rule[] =
      "a quantity whose rate is given is a function of positions and parameters alone";
  const char* name = i->quantity.text ? i->quantity.text : "initial";
  return i->has_rate && jgen_depends_on_more(s, quantity, 1u << GROUP_P | 1u << GROUP_Q, rule, name,
                                             i->quantity.place);
}

static jo_status put_initial(jgen* s, jgen_position* out) {
  const jmodel* m = s->m;
  int n = m->ninitial, nq = out->nq;
  jexpr_ref* quantity = JARENA_ARRAY(s->a, n, jexpr_ref);
  jexpr_ref* value = JARENA_ARRAY(s->a, n, jexpr_ref);
  jexpr_ref* rate = JARENA_ARRAY(s->a, n, jexpr_ref);
  jexpr_ref* dense = JARENA_ARRAY(s->a, n * nq, jexpr_ref);
  jexpr_ref* guess = JARENA_ARRAY(s->a, nq, jexpr_ref);
  if (!quantity || !value || !rate || !dense || !guess) return jerr_memory(s->ctx);
  for (int i = 0; i < n; i++) {
    quantity[i] = jgen_scalar(s, &m->initial[i].quantity, "initial");
    if (rate_needs_time(s, &m->initial[i], quantity[i])) return s->g->status;
    value[i] =
        m->initial[i].has_value ? jgen_scalar(s, &m->initial[i].value, "initial") : quantity[i];
    rate[i] = m->initial[i].has_rate ? jgen_scalar(s, &m->initial[i].rate, "initial") : s->zero;
  }
  for (int k = 0; k < nq; k++) {
    const jmodel_coordinate* c = &m->coordinate[k];
    const jmodel_joint* j = &m->joint[c->joint];
    bool position = jmodel_joint_class_of(j->type)->is_place && c->k < 3;
    guess[k] = position ? jgen_design_position(s, j).e[c->k] : s->zero;
    if (c->has_guess) guess[k] = jgen_scalar(s, &c->guess, c->name);
  }
  JO_TRY(s->g->status);
  jexpr_jacobian J;
  JO_TRY(jexpr_jacobian_build(s->g, s->a, JEXPR_FORWARD, quantity, n, s->q, nq, &J));
  for (int i = 0; i < n * nq; i++) {
    dense[i] = s->zero;
  }
  for (int k = 0; k < nq; k++) {
    for (int e = J.col[k]; e < J.col[k + 1]; e++) {
      dense[J.row[e] + k * n] = J.value[e];
    }
  }
  jexpr_outputs o[5] = {jgen_outputs(s->a, "quantity", quantity, n),
                        jgen_outputs(s->a, "value", value, n), jgen_outputs(s->a, "rate", rate, n),
                        jgen_outputs(s->a, "J", dense, n * nq),
                        jgen_outputs(s->a, "guess", guess, nq)};
  return jgen_function(s->g, s->a, "initial", o, 5, &out->initial);
}

static jo_status put_states(jgen* s, jgen_position* out) {
  jexpr_ref* z = JARENA_ARRAY(s->a, out->nz, jexpr_ref);
  if (!z) return jerr_memory(s->ctx);
  for (int i = 0; i < s->m->nstate; i++) {
    const jmodel_state* own = &s->m->state[i];
    z[i] = own->is_attitude ? jgen_attitude_start(s, i) : jgen_scalar(s, &own->initial, own->name);
  }
  JO_TRY(s->g->status);
  jexpr_outputs o = jgen_outputs(s->a, "z", z, out->nz);
  return jgen_function(s->g, s->a, "states", &o, 1, &out->states);
}

// sum_k J_ik qd_k - rate_i, the equations of the initial velocities
static jexpr_ref rate_residual(jgen* s, const jexpr_ref* J, int i, int n, jexpr_ref rate) {
  jexpr_ref sum = jexpr_neg(s->g, rate);
  for (int k = 0; k < s->m->ncoordinate; k++) {
    sum = jexpr_add(s->g, sum, jexpr_mul(s->g, J[i + k * n], jexpr_input(s->g, GROUP_QD, k)));
  }
  return sum;
}

// Equations of positions and of velocities (nr each), initial states, drives with their rates, guesses.
static void list_equations(jgen* s, const jgen_position* out, jexpr_ref* y) {
  const jmodel* m = s->m;
  int nh = out->nh, ni = out->ninitial, nr = nh + ni;
  const jexpr_outputs *c = out->closure.out, *q = out->initial.out;
  for (int i = 0; i < nh; i++) {
    y[i] = c[0].ref[i];
    y[nr + i] = rate_residual(s, c[1].ref, i, nh, s->zero);
  }
  for (int i = 0; i < ni; i++) {
    y[nh + i] = jexpr_sub(s->g, q[0].ref[i], q[1].ref[i]);
    y[nr + nh + i] =
        m->initial[i].has_rate ? rate_residual(s, q[3].ref, i, ni, q[2].ref[i]) : s->zero;
  }
  y += 2 * nr;
  for (int i = 0; i < out->nz; i++) {
    *y++ = out->states.out[0].ref[i];
  }
  for (int i = 0; i < 2 * out->nd; i++) {
    *y++ = out->drive.out[i / out->nd].ref[i % out->nd];
  }
  for (int k = 0; k < out->nq; k++) {
    *y++ = q[4].ref[k];
  }
}

// Derivatives of the assembly's equations along (dq, dqd, dp), from which those of the initial
// position and velocity follow. docs/theory/sensitivity.md eq. (S9)
static jo_status put_tangent(jgen* s, jgen_position* out, const jgen_options* opt) {
  jexpr_graph* g = s->g;
  int nz = out->nz, nq = out->nq, nd = out->nd, nr = out->nh + out->ninitial, nw = opt->nwrt;
  int total = 2 * nr + nz + 2 * nd + nq, nx = 2 * nq + nw;
  jexpr_ref* y = JARENA_ARRAY(s->a, total, jexpr_ref);
  jexpr_ref* dy = JARENA_ARRAY(s->a, total, jexpr_ref);
  jexpr_ref* x = JARENA_ARRAY(s->a, nx, jexpr_ref);
  jexpr_ref* dx = JARENA_ARRAY(s->a, nx, jexpr_ref);
  if (!y || !dy || !x || !dx) return jerr_memory(s->ctx);
  list_equations(s, out, y);
  for (int k = 0; k < nq; k++) {
    x[k] = jexpr_input(g, GROUP_Q, k);
    dx[k] = jexpr_input(g, GROUP_DQ, k);
    x[nq + k] = jexpr_input(g, GROUP_QD, k);
    dx[nq + k] = jexpr_input(g, GROUP_DQD, k);
  }
  for (int k = 0; k < nw; k++) {
    x[2 * nq + k] = s->number[opt->wrt[k]];
    dx[2 * nq + k] = jexpr_input(g, GROUP_DP, k);
  }
  JO_TRY(jexpr_tangent(g, y, total, x, dx, nx, dy));
  const jexpr_ref* rest = dy + 2 * nr;
  jexpr_outputs o[6] = {jgen_outputs(s->a, "d position", dy, nr),
                        jgen_outputs(s->a, "d velocity", dy + nr, nr),
                        jgen_outputs(s->a, "dz", rest, nz),
                        jgen_outputs(s->a, "ds", rest + nz, nd),
                        jgen_outputs(s->a, "dsd", rest + nz + nd, nd),
                        jgen_outputs(s->a, "dguess", rest + nz + 2 * nd, nq)};
  return jgen_function(g, s->a, "assembly_tangent", o, 6, &out->tangent);
}

static jo_status list_shaping(jgen* s, jgen_position* out, const jgen_options* opt) {
  out->shapes = JARENA_ARRAY(&out->arena, opt->nwrt, bool);
  bool* needed = jexpr_needed_by(s->g, s->a, out->closure.out[0].ref, out->nh);
  if (!out->shapes || !needed) return jerr_memory(s->ctx);
  for (int k = 0; k < opt->nwrt; k++) {
    out->shapes[k] = needed[s->number[opt->wrt[k]]];
  }
  return JO_OK;
}

static jo_status begin(jgen* s, jgen_position* out, const jmodel* m, const jgen_options* opt) {
  JO_TRY(jgen_begin(s, out->g->ctx, m, out->g, &out->arena));
  for (int b = 0; b < m->nbody; b++) {  // initial conditions may look at any point
    s->follow[b] = true;
  }
  JO_TRY(jgen_inputs(s, opt ? opt->live : NULL, GROUP_P, out->live, out->p));
  s->t = jexpr_input(out->g, GROUP_T, 0);
  for (int i = 0; i < m->ncoordinate; i++) {
    s->q[i] = jexpr_input(out->g, GROUP_Q, i);
  }
  return JO_OK;
}

// Where turns begin anew during a run, closures are those of what they count from then.
static jo_status put_present(jgen_position* out, const jmodel* m, const jgen_options* opt) {
  bool is_any = false;
  for (int i = 0; i < m->njoint; i++) {
    is_any = is_any || m->joint[i].is_any;
  }
  out->present = out->closure;
  if (!is_any || out->nh == 0) return JO_OK;
  jgen s = {0};
  JO_TRY(begin(&s, out, m, opt));
  s.z = JARENA_ARRAY(s.a, out->nz, jexpr_ref);
  if (!s.z) return jerr_memory(s.ctx);
  for (int i = 0; i < out->nz; i++) {
    s.z[i] = jexpr_input(out->g, GROUP_Z, i);
  }
  JO_TRY(jgen_frames(&s));
  return put_closures(&s, out, &out->present);
}

static jo_status put_tapes(jgen_position* out) {
  jgen_position_tapes* tapes = &out->tapes;
  const jexpr_fn* fn[] = {&out->closure, &out->drive, &out->initial, &out->states, &out->tangent};
  jexpr_tape* tape[] = {&tapes->closure, &tapes->drive, &tapes->initial, &tapes->states,
                        &tapes->tangent};
  for (size_t i = 0; i < sizeof fn / sizeof *fn; i++) {
    if (fn[i]->name) JO_TRY(jexpr_tape_build(out->g->ctx, &out->arena, fn[i], tape[i]));
  }
  return JO_OK;
}

static jo_status build(jgen_position* out, const jmodel* m, const jgen_options* opt) {
  jo_context* ctx = out->g->ctx;
  jgen s = {0};
  int nlive = 0;
  for (int i = 0; i < m->nnumber; i++) {
    nlive += opt && opt->live ? opt->live[i] : m->number[i].is_parameter;
  }
  jexpr_group(out->g, "p", nlive, JEXPR_UNIFORM);
  jexpr_group(out->g, "t", 1, JEXPR_PER_LANE);
  jexpr_group(out->g, "q", m->ncoordinate, JEXPR_PER_LANE);
  jexpr_group(out->g, "road", 2, JEXPR_PER_LANE);
  jexpr_group(out->g, "qd", m->ncoordinate, JEXPR_PER_LANE);
  jexpr_group(out->g, "dq", m->ncoordinate, JEXPR_PER_LANE);
  jexpr_group(out->g, "dqd", m->ncoordinate, JEXPR_PER_LANE);
  jexpr_group(out->g, "dp", opt ? opt->nwrt : 0, JEXPR_PER_LANE);
  jexpr_group(out->g, "z", m->nstate, JEXPR_PER_LANE);
  out->live = JARENA_ARRAY(&out->arena, nlive, int);
  out->p = JARENA_ARRAY(&out->arena, nlive, double);
  if (!out->live || !out->p) return jerr_memory(ctx);
  out->np = nlive;
  out->nq = m->ncoordinate;
  out->nz = jgen_state_count(m);
  out->ninitial = m->ninitial;
  JO_TRY(begin(&s, out, m, opt));
  JO_TRY(jgen_frames(&s));
  JO_TRY(put_closures(&s, out, &out->closure));
  JO_TRY(put_drives(&s, out));
  JO_TRY(put_initial(&s, out));
  JO_TRY(put_states(&s, out));
  if (opt && opt->nwrt > 0) {
    JO_TRY(put_tangent(&s, out, opt));
    JO_TRY(list_shaping(&s, out, opt));
  }
  JO_TRY(put_present(out, m, opt));
  JO_TRY(jgen_place_wheels(&s, out));
  return put_tapes(out);
}

jo_status jgen_position_build(jo_context* ctx, const jmodel* m, const jgen_options* opt,
                              jgen_position** out) {
  *out = NULL;
  jgen_position* p = jmem_resize(ctx, NULL, sizeof *p);
  if (!p) return jerr_memory(ctx);
  *p = (jgen_position){.g = jexpr_graph_create(ctx)};
  jarena_init(&p->arena, ctx);
  jo_status status = p->g ? build(p, m, opt) : JO_ERR_MEMORY;
  if (status < 0) {
    jgen_position_destroy(p);
  } else {
    *out = p;
  }
  return status;
}

void jgen_position_destroy(jgen_position* p) {
  if (!p) return;
  jo_context* ctx = p->arena.ctx;
  jexpr_graph_destroy(p->g);
  jarena_free(&p->arena);
  jmem_free(ctx, p);
}
