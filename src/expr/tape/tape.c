// SPDX-License-Identifier: Apache-2.0
// The tape: a schedule with work slots, and its evaluation over a batch of lanes. Every instruction
// runs over all lanes before the next, so that decoding it is paid once per batch.
#include "expr/tape/tape.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/data.h"
#include "base/elementary.h"
#include "expr/body.h"

#define STORE JEXPR_OP_COUNT

// ---- building ----------------------------------------------------------------------------------

typedef struct builder {
  const jexpr_graph* g;
  jexpr_tape* t;
  int* slot;       // of each node; -1: none yet          (nnode)
  int* last_use;   // schedule position of its last user  (nnode)
  int* free_slot;  // stack of slots free for reuse
  int nfree;
  int* out_first;  // first output entry of each node, -1: none (nnode)
  int* out_next;   // next entry of the same node
  int* out_group;
  int* out_index;
  int nlist, nins;  // so far; room of the tape
  int* body;        // of the tape, by body of the graph; -1: not used
} builder;

static int take_slot(builder* b) {
  return b->nfree > 0 ? b->free_slot[--b->nfree] : b->t->nslot++;
}

static void put(builder* b, int op, int dst, int a, int x, int c) {
  JASSERT(b->t->n < b->nins);
  b->t->ins[b->t->n++] = (jexpr_ins){op, dst, a, x, c};
}

static void store_outputs(builder* b, jexpr_ref r) {
  for (int e = b->out_first[r]; e >= 0; e = b->out_next[e]) {
    put(b, STORE, 0, b->slot[r], b->out_group[e], b->out_index[e]);
  }
}

// Inputs are loaded right before their first use.
static void load_leaf(builder* b, jexpr_ref r) {
  const jexpr_node* n = &b->g->node[r];
  if (n->op != JEXPR_INPUT || b->slot[r] >= 0) return;
  b->slot[r] = take_slot(b);
  put(b, JEXPR_INPUT, b->slot[r], (int)n->a, (int)n->b, 0);
}

static void release_dead(builder* b, jexpr_ref r, int position) {
  for (int k = 0; k < jexpr_nargs(b->g, r); k++) {
    jexpr_ref a = jexpr_arg(b->g, r, k);
    if (b->g->node[a].op == JEXPR_CONST || b->last_use[a] != position) continue;
    b->last_use[a] = -1;  // released once, also when used twice here
    b->free_slot[b->nfree++] = b->slot[a];
  }
}

static void put_node(builder* b, jexpr_ref r, int position) {
  const jexpr_graph* g = b->g;
  int n = jexpr_nargs(g, r);
  for (int k = 0; k < n; k++) {
    load_leaf(b, jexpr_arg(g, r, k));
  }
  int operand[3] = {0, 0, 0};
  bool list = jexpr_ops[g->node[r].op].arity < 0;
  if (list) {
    operand[0] = b->nlist;
    operand[1] = n;
  }
  for (int k = 0; k < n; k++) {
    int s = b->slot[jexpr_arg(g, r, k)];
    JASSERT(s >= 0);  // operands come first
    if (list) {
      b->t->list[b->nlist++] = s;
    } else {
      operand[k] = s;
    }
  }
  if (g->node[r].op == JEXPR_SOLVE) operand[2] = b->body[jexpr_body_of(g, r) - g->body];
  if (g->node[r].op == JEXPR_DATA) operand[2] = jexpr_data_of(g, r).group;
  release_dead(b, r, position);
  b->slot[r] = take_slot(b);
  put(b, (int)g->node[r].op, b->slot[r], operand[0], operand[1], operand[2]);
  store_outputs(b, r);
  if (b->last_use[r] < 0) b->free_slot[b->nfree++] = b->slot[r];  // an output nobody else uses
}

static void note_uses(builder* b, const jexpr_schedule* s) {
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < jexpr_nargs(b->g, s->order[i]); k++) {
      b->last_use[jexpr_arg(b->g, s->order[i], k)] = i;
    }
  }
}

static void note_outputs(builder* b, const jexpr_fn* fn) {
  int e = 0;
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++, e++) {
      jexpr_ref r = fn->out[o].ref[i];
      JASSERT(r && r < (jexpr_ref)b->g->nnode);
      b->out_group[e] = o;
      b->out_index[e] = i;
      b->out_next[e] = b->out_first[r];
      b->out_first[r] = e;
    }
  }
}

// Constants that the schedule or the outputs use get the first slots.
static void place_constants(builder* b) {
  const jexpr_graph* g = b->g;
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    if (g->node[r].op != JEXPR_CONST || (b->last_use[r] < 0 && b->out_first[r] < 0)) continue;
    b->slot[r] = b->t->nslot++;
    b->t->constant[b->t->nconst++] = jexpr_const_value(g, r);
  }
}

static int count_outputs(const jexpr_fn* fn) {
  int n = 0;
  for (int o = 0; o < fn->nout; o++) {
    n += fn->out[o].n;
  }
  return n;
}

static bool allocate(builder* b, jarena* a, jarena* scratch, const jexpr_schedule* s, int nout) {
  int nnode = b->g->nnode, ninput = 0, nlist = 0;
  for (int g = 0; g < b->g->ngroup; g++) {
    ninput += b->g->group[g].size;
  }
  for (int i = 0; i < s->n; i++) {
    nlist += jexpr_nargs(b->g, s->order[i]);
  }
  b->nins = s->n + ninput + nout;
  b->t->ins = JARENA_ARRAY(a, b->nins, jexpr_ins);
  b->t->list = JARENA_ARRAY(a, nlist, int);
  b->t->constant = JARENA_ARRAY(a, nnode, double);
  b->t->uniform = JARENA_ARRAY(a, b->g->ngroup, bool);
  b->slot = JARENA_ARRAY(scratch, nnode, int);
  b->last_use = JARENA_ARRAY(scratch, nnode, int);
  b->out_first = JARENA_ARRAY(scratch, nnode, int);
  b->free_slot = JARENA_ARRAY(scratch, nnode, int);
  b->out_next = JARENA_ARRAY(scratch, nout, int);
  b->out_group = JARENA_ARRAY(scratch, nout, int);
  b->out_index = JARENA_ARRAY(scratch, nout, int);
  bool ok = b->t->ins && b->t->list && b->t->constant && b->t->uniform && b->slot && b->last_use &&
            b->out_first && b->free_slot && b->out_next && b->out_group && b->out_index;
  for (int r = 0; ok && r < nnode; r++) {
    b->slot[r] = b->last_use[r] = b->out_first[r] = -1;
  }
  return ok;
}

static void build(builder* b, const jexpr_fn* fn, const jexpr_schedule* s) {
  note_uses(b, s);
  note_outputs(b, fn);
  place_constants(b);
  for (int g = 0; g < b->g->ngroup; g++) {
    b->t->uniform[g] = b->g->group[g].vary == JEXPR_UNIFORM;
  }
  // leaves that are outputs themselves; their slots are not reused before they are stored
  for (jexpr_ref r = 1; r < (jexpr_ref)b->g->nnode; r++) {
    if (b->out_first[r] < 0 || jexpr_nargs(b->g, r) > 0) continue;
    load_leaf(b, r);
    store_outputs(b, r);
  }
  for (int i = 0; i < s->n; i++) {
    put_node(b, s->order[i], i);
  }
}

// Equations of the unknowns in the schedule.
static jo_status build_bodies(builder* b, jarena* a, jarena* scratch, const jexpr_schedule* s) {
  const jexpr_graph* g = b->g;
  b->body = JARENA_ARRAY(scratch, g->nbody, int);
  b->t->body = JARENA_ARRAY(a, g->nbody, jexpr_tape_body);
  if (!b->body || !b->t->body) return jerr_memory(g->ctx);
  for (int i = 0; i < g->nbody; i++) {
    b->body[i] = -1;
  }
  for (int i = 0; i < s->n; i++) {
    if (g->node[s->order[i]].op != JEXPR_SOLVE) continue;
    const jexpr_body* of = jexpr_body_of(g, s->order[i]);
    if (b->body[of - g->body] >= 0) continue;
    jexpr_outputs out;
    jexpr_fn fn = jexpr_body_fn(of, &out);
    JO_TRY(jexpr_tape_build(g->ctx, a, &fn, &b->t->body[b->t->nbody].tape));
    b->body[of - g->body] = b->t->nbody++;
  }
  return JO_OK;
}

static void place_bodies(jexpr_tape* t) {
  for (int i = 0; i < t->nbody; i++) {
    t->body[i].first_slot = t->nslot;
    t->nslot += t->body[i].tape.nslot;
  }
}

jo_status jexpr_tape_build(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_tape* out) {
  jarena scratch;
  jarena_init(&scratch, ctx);
  jexpr_schedule s;
  jexpr_tape tape = {0};
  jo_status status = jexpr_schedule_build(&scratch, fn, &s);
  if (status == JO_OK) {
    builder b = {.g = fn->graph, .t = &tape};
    bool has_room = allocate(&b, a, &scratch, &s, count_outputs(fn));
    status = has_room ? build_bodies(&b, a, &scratch, &s) : jerr_memory(ctx);
    if (status == JO_OK) {
      build(&b, fn, &s);
      place_bodies(&tape);
      tape.counts = jexpr_count(fn->graph, &s);
      *out = tape;
    }
  }
  jarena_free(&scratch);
  return status;
}

// ---- evaluation --------------------------------------------------------------------------------

size_t jexpr_tape_work(const jexpr_tape* t, int lanes) {
  return (size_t)t->nslot * (size_t)lanes;
}

void jexpr_tape_init(const jexpr_tape* t, int lanes, double* work) {
  for (int k = 0; k < t->nconst; k++) {
    for (int l = 0; l < lanes; l++) {
      work[k * lanes + l] = t->constant[k];
    }
  }
  for (int i = 0; i < t->nbody; i++) {
    const jexpr_tape_body* b = &t->body[i];
    jexpr_tape_init(&b->tape, 1, work + (ptrdiff_t)b->first_slot * lanes);
  }
}

jo_status jexpr_tape_make_work(jo_context* ctx, jarena* a, const jexpr_tape* t, double** work) {
  *work = JARENA_ARRAY(a, jexpr_tape_work(t, 1), double);
  if (!*work) return jerr_memory(ctx);
  jexpr_tape_init(t, 1, *work);
  return JO_OK;
}

jo_status jexpr_tape_prepare(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_tape* out,
                             double** work) {
  JO_TRY(jexpr_tape_build(ctx, a, fn, out));
  return jexpr_tape_make_work(ctx, a, out, work);
}

static void load_input(const jexpr_tape* t, const jexpr_ins* i, int lanes, const double* const* in,
                       double* dst) {
  if (t->uniform[i->a]) {
    for (int l = 0; l < lanes; l++) {
      dst[l] = in[i->a][i->b];
    }
  } else {
    memcpy(dst, in[i->a] + (ptrdiff_t)i->b * lanes, (size_t)lanes * sizeof *dst);
  }
}

// largest k in 0 ... n-2 with X_k <= x, else 0; slots: x, X_0 ... X_{n-1}
static double locate(const double* work, const int* slot, int n, int lanes, int lane) {
  double x = work[slot[0] * lanes + lane];
  int lo = 0, hi = n - 1;  // X_lo <= x (or lo = 0), the answer is below hi
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (work[slot[1 + mid] * lanes + lane] <= x) {
      lo = mid;
    } else {
      hi = mid;
    }
  }
  return lo;
}

static double pick(const double* work, const int* slot, int m, int lanes, int lane) {
  double k = work[slot[0] * lanes + lane];
  int i = k >= 0.0 && k < m ? (int)k : 0;
  return work[slot[1 + i] * lanes + lane];
}

// An unknown: its equation, one lane at a time.
typedef struct equation {
  const jexpr_tape* tape;
  const double* c;
  double* work;
} equation;

static void equation_at(void* user, double x, double F[2]) {
  const equation* e = user;
  const double* in[2] = {&x, e->c};
  jexpr_tape_eval(e->tape, 1, in, (double* const[]){F}, e->work);
}

static double solve(const jexpr_tape* t, const jexpr_ins* i, double* work, int lanes, int lane) {
  const jexpr_tape_body* b = &t->body[i->c];
  const int* slot = t->list + i->a;
  double c[JEXPR_SOLVE_VALUES + JEXPR_MAX_VALUES];
  for (int k = 0; k < i->b; k++) {
    c[k] = work[slot[k] * lanes + lane];
  }
  equation e = {&b->tape, c + JEXPR_SOLVE_VALUES, work + (ptrdiff_t)b->first_slot * lanes};
  return jexpr_solve_value(equation_at, &e, c[JEXPR_SOLVE_START], c[JEXPR_SOLVE_STEP]);
}

// Operands of data: group, table, du, dv, u, v; the group stands in the instruction, too.
static void read_data(const jexpr_tape* t, const jexpr_ins* i, int lanes, const double* in,
                      double* work) {
  const int* slot = t->list + i->a;
  for (int l = 0; l < lanes; l++) {
    const double *which = work + slot[1] * lanes, *du = work + slot[2] * lanes;
    const double *dv = work + slot[3] * lanes, *u = work + slot[4] * lanes;
    const double* v = work + slot[5] * lanes;
    work[i->dst * lanes + l] =
        jdata_of_input(in, (int)which[l], (int)du[l], (int)dv[l], u[l], v[l]);
  }
}

static void eval_list(const jexpr_tape* t, const jexpr_ins* i, int lanes, double* work) {
  const int* slot = t->list + i->a;
  for (int l = 0; l < lanes; l++) {
    double v = i->op == JEXPR_LOCATE ? locate(work, slot, i->b - 1, lanes, l)
               : i->op == JEXPR_PICK ? pick(work, slot, i->b - 1, lanes, l)
                                     : solve(t, i, work, lanes, l);
    work[i->dst * lanes + l] = v;
  }
}

static inline void eval(const jexpr_tape* t, const int lanes, const double* const* in,
                        double* const* out, double* work) {
  for (const jexpr_ins *i = t->ins, *end = t->ins + t->n; i < end; i++) {
    double* dst = work + (ptrdiff_t)i->dst * lanes;
    const double* pa = work + (ptrdiff_t)i->a * lanes;
    const double* pb = work + (ptrdiff_t)i->b * lanes;
    const double* pc = work + (ptrdiff_t)i->c * lanes;
    switch (i->op) {
      case STORE:
        memcpy(out[i->b] + (ptrdiff_t)i->c * lanes, pa, (size_t)lanes * sizeof *pa);
        break;
#define OP(id, name, arity, class, text, value, da, db) \
  case JEXPR_##id:                                      \
    if (JEXPR_##id == JEXPR_INPUT) {                    \
      load_input(t, i, lanes, in, dst);                 \
      break;                                            \
    }                                                   \
    if (JEXPR_##id == JEXPR_DATA) {                     \
      read_data(t, i, lanes, in[i->c], work);           \
      break;                                            \
    }                                                   \
    if ((arity) < 0) {                                  \
      eval_list(t, i, lanes, work);                     \
      break;                                            \
    }                                                   \
    for (int l = 0; l < lanes; l++) {                   \
      const double a = pa[l];                           \
      const double b = (arity) > 1 ? pb[l] : 0.0;       \
      const double c = (arity) > 2 ? pc[l] : 0.0;       \
      (void)a, (void)b, (void)c;                        \
      dst[l] = (value);                                 \
    }                                                   \
    break;
#include "expr/ops.def"
      default: break;
    }
  }
}

void jexpr_tape_eval(const jexpr_tape* t, int lanes, const double* const* in, double* const* out,
                     double* work) {
  // constant lane counts let the compiler unroll
  switch (lanes) {
    case 1: eval(t, 1, in, out, work); break;
    case 8: eval(t, 8, in, out, work); break;
    default: eval(t, lanes, in, out, work); break;
  }
}
