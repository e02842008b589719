// SPDX-License-Identifier: Apache-2.0
#include "plant/enclosure.h"

#include <string.h>

#define MOST_MIXED \
  300  // instructions of a function of time and states: bounds of longer ones say little

#define MOST_MOVING 80  // the same where states, not time, change it fast

// What a node depends on.
enum {
  TIME = 1,     // of all values that change between events ...
  STATE = 2,    // ... these
  QUICK = 4,    // time stands in a function that may repeat or rise at once
  UNKNOWN = 8,  // there are no bounds of it
  BENT = 16,    // no linear function of states: it may be a spike that lasts less than a step
};

typedef struct builder {
  const jgen_dynamics* d;
  const jexpr_graph* g;
  unsigned char* flags;  // by node
  int* at;               // instruction of a node, plus one; 0: it is not in the program
  int n, nlist, nconstant;
  int *code, *list;
  double* constant;
} builder;

static int op_of(uint32_t op) {
  switch (op) {
#define OP(id) \
  case JEXPR_##id: return JSOLVE_ENCLOSE_##id;
    OP(ADD)
    OP(SUB)
    OP(MUL)
    OP(DIV)
    OP(NEG)
    OP(SQRT)
    OP(POW)
    OP(EXP)
    OP(LOG)
    OP(SIN)
    OP(COS)
    OP(TAN)
    OP(ASIN)
    OP(ACOS)
    OP(ATAN)
    OP(ATAN2)
    OP(SINH)
    OP(COSH)
    OP(TANH)
    OP(ABS)
    OP(SIGN)
    OP(FLOOR)
    OP(LT)
    OP(LE)
    OP(EQ)
    OP(MIN)
    OP(MAX)
    OP(SELECT)
    OP(LOCATE)
    OP(PICK)
#undef OP
    default: return -1;
  }
}

static int flags_of_input(const builder* b, const jexpr_node* n) {
  switch (n->a) {
    case JGEN_T: return TIME;
    case JGEN_Y: return b->d->layout.is_discrete[n->b] ? 0 : STATE;
    case JGEN_P:
    case JGEN_MODE: return 0;
    default: return UNKNOWN;
  }
}

static bool may_be_quick(uint32_t op) {
  return op == JEXPR_SIN || op == JEXPR_COS || op == JEXPR_TAN || op == JEXPR_FLOOR ||
         op == JEXPR_EXP || op == JEXPR_POW || op == JEXPR_TANH || op == JEXPR_LOCATE;
}

// Whether the node is no linear function of states, nor a choice among such.
static bool is_bent(const builder* b, const jexpr_node* n) {
  switch (n->op) {
    case JEXPR_ADD:
    case JEXPR_SUB:
    case JEXPR_NEG:
    case JEXPR_ABS:
    case JEXPR_MIN:
    case JEXPR_MAX:
    case JEXPR_SELECT: return false;
    case JEXPR_MUL: return b->flags[n->a] & b->flags[n->b] & STATE;
    case JEXPR_DIV: return b->flags[n->b] & STATE;
    default: return true;
  }
}

static int flags_of(const builder* b, jexpr_ref r) {
  const jexpr_node* n = &b->g->node[r];
  if (n->op == JEXPR_CONST) return 0;
  if (n->op == JEXPR_INPUT) return flags_of_input(b, n);
  int flags = op_of(n->op) < 0 ? UNKNOWN : 0;
  for (int k = 0; k < jexpr_nargs(b->g, r); k++)
    flags |= b->flags[jexpr_arg(b->g, r, k)];
  if (flags & TIME && may_be_quick(n->op)) flags |= QUICK;
  return flags & STATE && is_bent(b, n) ? flags | BENT : flags;
}

// Marks the nodes a function needs, in `at`; their number.
static int reach(builder* b, jexpr_ref r, int* at) {
  int n = 0;
  at[r] = 1;
  for (jexpr_ref k = r; k > 0; k--) {
    if (!at[k]) continue;
    n++;
    for (int i = 0; i < jexpr_nargs(b->g, k); i++)
      at[jexpr_arg(b->g, k, i)] = 1;
  }
  return n;
}

// Switches that conditions of events read. False: out of memory.
static bool mark_of_events(const jgen_dynamics* d, jarena* scratch, bool* is_of_event) {
  const jexpr_fn* fn = &d->fn[JGEN_FN_CONDITIONS];
  if (!fn->name) return true;
  const jexpr_graph* g = fn->graph;
  bool* is_needed = JARENA_ARRAY(scratch, g->nnode, bool);
  if (!is_needed) return false;
  for (int i = 0; i < fn->nout; i++) {
    for (int j = 0; j < fn->out[i].n; j++)
      is_needed[fn->out[i].ref[j]] = true;
  }
  for (int r = g->nnode - 1; r > 0; r--) {
    const jexpr_node* n = &g->node[r];
    if (!is_needed[r]) continue;
    if (n->op == JEXPR_INPUT && n->a == JGEN_MODE) is_of_event[n->b] = true;
    for (int i = 0; i < jexpr_nargs(g, (jexpr_ref)r); i++)
      is_needed[jexpr_arg(g, (jexpr_ref)r, i)] = true;
  }
  return true;
}

// Whether bounds of a switching function are wanted; its nodes, or those of what it takes the whole part of, are marked then.
// *is_aid: they are an aid to looks, as states and not time change it fast. Forces have none: steps resolve what they do.
static bool takes(builder* b, const jgen_switch* sw, bool is_of_event, int* scratch, bool* is_aid) {
  jexpr_ref r = sw->whole ? sw->whole : sw->g;
  int flags = b->flags[r] | (sw->whole && b->flags[r] & TIME ? QUICK : 0);
  bool has_states = flags & STATE;
  *is_aid = has_states && !(flags & QUICK);
  if (flags & UNKNOWN || !(flags & (*is_aid ? BENT : TIME)) ||
      (*is_aid && (sw->whole || !is_of_event)))
    return false;
  if (has_states) {
    memset(scratch, 0, ((size_t)r + 1) * sizeof *scratch);
    if (reach(b, r, scratch) > (*is_aid ? MOST_MOVING : MOST_MIXED)) return false;
  }
  reach(b, r, b->at);
  return true;
}

static void put(builder* b, int op, int x, int y, int z) {
  int* c = b->code + 4 * (size_t)b->n++;
  c[0] = op;
  c[1] = x;
  c[2] = y;
  c[3] = z;
}

static void put_leaf(builder* b, jexpr_ref r) {
  const jexpr_node* n = &b->g->node[r];
  if (n->op == JEXPR_CONST) {
    b->constant[b->nconstant] = jexpr_const_value(b->g, r);
    put(b, JSOLVE_ENCLOSE_CONSTANT, b->nconstant++, 0, 0);
    return;
  }
  int op = n->a == JGEN_T   ? JSOLVE_ENCLOSE_TIME
           : n->a == JGEN_P ? JSOLVE_ENCLOSE_PARAMETER
           : n->a == JGEN_Y ? JSOLVE_ENCLOSE_STATE
                            : JSOLVE_ENCLOSE_MODE;
  put(b, op, (int)n->b, 0, 0);
}

static void put_node(builder* b, jexpr_ref r) {
  int n = jexpr_nargs(b->g, r), op = op_of(b->g->node[r].op), arg[3] = {0};
  if (n == 0) {
    put_leaf(b, r);
  } else if (jexpr_ops[b->g->node[r].op].arity < 0) {
    int first = b->nlist;
    for (int k = 0; k < n; k++)
      b->list[b->nlist++] = b->at[jexpr_arg(b->g, r, k)] - 1;
    put(b, op, first, n, 0);
  } else {
    for (int k = 0; k < n; k++)
      arg[k] = b->at[jexpr_arg(b->g, r, k)] - 1;
    put(b, op, arg[0], arg[1], arg[2]);
  }
  b->at[r] = b->n;
}

// Instructions of all nodes that are marked, operands first.
static bool write_code(builder* b, jarena* a, int nnode) {
  int n = 0, nlist = 0;
  for (int r = 1; r < nnode; r++) {
    if (!b->at[r]) continue;
    n++;
    nlist += jexpr_nargs(b->g, (jexpr_ref)r);
  }
  b->code = JARENA_ARRAY(a, 4 * (size_t)n, int);
  b->list = JARENA_ARRAY(a, nlist, int);
  b->constant = JARENA_ARRAY(a, n, double);
  if (!b->code || !b->list || !b->constant) return false;
  for (int r = 1; r < nnode; r++) {
    if (b->at[r]) put_node(b, (jexpr_ref)r);
  }
  return true;
}

static jo_status build(builder* b, jo_context* ctx, jarena* a, jarena* scratch,
                       jsolve_enclosure* e) {
  const jgen_switch* sw = b->d->sw;
  int nnode = 1, n = b->d->nswitch;
  for (int k = 0; k < n; k++)
    nnode = (int)sw[k].g >= nnode ? (int)sw[k].g + 1 : nnode;
  b->flags = JARENA_ARRAY(scratch, nnode, unsigned char);
  b->at = JARENA_ARRAY(scratch, nnode, int);
  int* marks = JARENA_ARRAY(scratch, nnode, int);
  int* which = JARENA_ARRAY(a, n, int);
  int* value = JARENA_ARRAY(a, n, int);
  bool* has_states = JARENA_ARRAY(a, n, bool);
  bool* is_whole = JARENA_ARRAY(a, n, bool);
  bool* is_aid = JARENA_ARRAY(a, n, bool);
  bool* is_of_event = JARENA_ARRAY(scratch, n, bool);
  if (!b->flags || !b->at || !marks || !which || !value || !has_states || !is_whole || !is_aid ||
      !is_of_event || !mark_of_events(b->d, scratch, is_of_event))
    return jerr_memory(ctx);
  for (int r = 1; r < nnode; r++)
    b->flags[r] = (unsigned char)flags_of(b, (jexpr_ref)r);
  for (int k = 0; k < n; k++) {
    if (!takes(b, &sw[k], is_of_event[k], marks, &is_aid[e->nwatch])) continue;
    which[e->nwatch] = k;
    is_whole[e->nwatch] = sw[k].whole;
    has_states[e->nwatch++] = b->flags[sw[k].g] & STATE;
  }
  if (e->nwatch == 0) return JO_OK;
  if (!write_code(b, a, nnode)) return jerr_memory(ctx);
  for (int i = 0; i < e->nwatch; i++)
    value[i] = b->at[is_whole[i] ? sw[which[i]].whole : sw[which[i]].g] - 1;
  *e = (jsolve_enclosure){b->n,      b->code, b->nconstant, b->nlist,   b->constant, b->list,
                          e->nwatch, which,   value,        has_states, is_whole,    is_aid};
  return JO_OK;
}

jo_status jplant_enclosure_build(jo_context* ctx, jarena* a, const jgen_dynamics* d,
                                 const jsolve_enclosure** out) {
  *out = NULL;
  const jexpr_fn* fn = &d->fn[JGEN_FN_SWITCHES];
  if (d->nswitch == 0 || !fn->name) return JO_OK;
  jsolve_enclosure* e = JARENA_NEW(a, jsolve_enclosure);
  if (!e) return jerr_memory(ctx);
  builder b = {.d = d, .g = fn->graph};
  jarena scratch;
  jarena_init(&scratch, ctx);
  jo_status status = build(&b, ctx, a, &scratch, e);
  jarena_free(&scratch);
  if (status >= 0 && e->nwatch > 0) *out = e;
  return status;
}
