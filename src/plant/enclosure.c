// SPDX-License-Identifier: Apache-2.0
#include "plant/enclosure.h"

#include <string.h>

#define MOST_MIXED \
  300  // instructions of a function of time and states: bounds of longer ones say little

// What a node depends on.
enum {
  TIME = 1,     // of all values that change between events ...
  STATE = 2,    // ... these
  QUICK = 4,    // time stands in a function that may repeat or rise at once
  UNKNOWN = 8,  // there are no bounds of it
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

static int flags_of(const builder* b, jexpr_ref r) {
  const jexpr_node* n = &b->g->node[r];
  if (n->op == JEXPR_CONST) return 0;
  if (n->op == JEXPR_INPUT) return flags_of_input(b, n);
  int flags = op_of(n->op) < 0 ? UNKNOWN : 0;
  for (int k = 0; k < jexpr_nargs(b->g, r); k++)
    flags |= b->flags[jexpr_arg(b->g, r, k)];
  return flags & TIME && may_be_quick(n->op) ? flags | QUICK : flags;
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

// Whether bounds of a switching function are wanted; its nodes, or those of what it takes the whole part of, are marked then.
static bool takes(builder* b, const jgen_switch* sw, int* scratch) {
  jexpr_ref r = sw->whole ? sw->whole : sw->g;
  int flags = b->flags[r] | (sw->whole ? QUICK : 0);
  bool is_mixed = flags & STATE;
  if (!(flags & TIME) || flags & UNKNOWN || (is_mixed && !(flags & QUICK))) return false;
  if (is_mixed) {
    memset(scratch, 0, ((size_t)r + 1) * sizeof *scratch);
    if (reach(b, r, scratch) > MOST_MIXED) return false;
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
  if (!b->flags || !b->at || !marks || !which || !value || !has_states || !is_whole)
    return jerr_memory(ctx);
  for (int r = 1; r < nnode; r++)
    b->flags[r] = (unsigned char)flags_of(b, (jexpr_ref)r);
  for (int k = 0; k < n; k++) {
    if (!takes(b, &sw[k], marks)) continue;
    which[e->nwatch] = k;
    is_whole[e->nwatch] = sw[k].whole;
    has_states[e->nwatch++] = b->flags[sw[k].g] & STATE;
  }
  if (e->nwatch == 0) return JO_OK;
  if (!write_code(b, a, nnode)) return jerr_memory(ctx);
  for (int i = 0; i < e->nwatch; i++)
    value[i] = b->at[is_whole[i] ? sw[which[i]].whole : sw[which[i]].g] - 1;
  *e = (jsolve_enclosure){b->n,      b->code, b->nconstant, b->nlist,   b->constant, b->list,
                          e->nwatch, which,   value,        has_states, is_whole};
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
