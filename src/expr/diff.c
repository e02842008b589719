// SPDX-License-Identifier: Apache-2.0
// Recursive differentiation. Every node gets one derivative node, in terms of the derivative nodes
// of its operands, exactly as an equation AUXJ = AUXI + 2*P gets AUXJ.P = AUXI.P + 2; what turns
// out zero or useless vanishes by simplification and elimination. docs/theory/expressions.md.
#include "expr/diff.h"

#include "base/data.h"
#include "expr/body.h"

// u(x, y), the foot on the line (X(u), Y(u)):  (x - X) X' + (y - Y) Y' = 0
//   du/dx = X' / (X'^2 + Y'^2 - (x - X) X'' - (y - Y) Y''),   du/dy with Y' on top
static jexpr_ref foot_partial(jexpr_graph* g, jexpr_ref R, const jexpr_data_args* d, bool by_x) {
  jexpr_ref on[2][3], zero = jexpr_const(g, 0.0);
  for (int axis = 0; axis < 2; axis++) {
    for (int k = 0; k < 3; k++) {
      on[axis][k] = jexpr_data(g, d->group, d->which + axis, k, 0, R, zero);
    }
  }
  jexpr_ref below = zero, at[2] = {d->u, d->v};
  for (int axis = 0; axis < 2; axis++) {
    jexpr_ref off = jexpr_sub(g, at[axis], on[axis][0]);
    below = jexpr_add(g, below, jexpr_mul(g, on[axis][1], on[axis][1]));
    below = jexpr_sub(g, below, jexpr_mul(g, off, on[axis][2]));
  }
  return jexpr_div(g, on[by_x ? 0 : 1][1], below);
}

// A table has its derivatives with it; operands 4 and 5 are where it is read.
static jexpr_ref data_partial(jexpr_graph* g, jexpr_ref R, int k) {
  jexpr_data_args d = jexpr_data_of(g, R);
  if (k < 4) return jexpr_const(g, 0.0);
  if (d.du == JDATA_LIMIT) return jexpr_const(g, 0.0);
  if (d.du == JDATA_FOOT) return foot_partial(g, R, &d, k == 4);
  return jexpr_data(g, d.group, d.which, d.du + (k == 4), d.dv + (k == 5), d.u, d.v);
}

// d(node)/d(a), d(node)/d(b) for operators with a rule in ops.def.
static jexpr_ref partial(jexpr_graph* g, jexpr_ref R, int k) {
  const jexpr_node n = g->node[R];
  const jexpr_ref A = n.a, B = n.b;
  (void)A, (void)B;
  if (n.op == JEXPR_SOLVE) return jexpr_solve_partial(g, R, k);
  if (n.op == JEXPR_DATA) return data_partial(g, R, k);
  // clang-format off
  switch (n.op) {
#define OP(id, name, arity, class, text, value, da, db) case JEXPR_##id: return k == 0 ? (da) : (db);
#include "expr/ops.def"
    default: return JEXPR_POISON;
  }
  // clang-format on
}

// Nodes that some of `y` depends on, not by way of x, whose derivatives are given.
static bool* reach(const jexpr_graph* g, jarena* a, const jexpr_ref* y, int ny, const jexpr_ref* x,
                   int nx) {
  bool* need = JARENA_ARRAY(a, g->nnode, bool);
  bool* given = JARENA_ARRAY(a, g->nnode, bool);
  if (!need || !given) return NULL;
  for (int k = 0; k < nx; k++) {
    given[x[k]] = true;
  }
  jexpr_ref top = 0;
  for (int i = 0; i < ny; i++) {
    need[y[i]] = true;
    if (y[i] > top) top = y[i];
  }
  for (jexpr_ref r = top; r > 0; r--) {
    need[r] = need[r] && !given[r];
    for (int k = 0; need[r] && k < jexpr_nargs(g, r); k++) {
      need[jexpr_arg(g, r, k)] = true;
    }
  }
  return need;
}

// Text of the mark of each node, NULL where it has none.
static const char** marks_by_node(const jexpr_graph* g, jarena* a) {
  const char** text = JARENA_ARRAY(a, g->nnode, const char*);
  for (int i = g->nmark - 1; text && i >= 0; i--) {
    text[g->mark[i].ref] = g->mark[i].text;
  }
  return text;
}

static bool any_poison(const jexpr_ref* r, int n) {
  for (int i = 0; i < n; i++) {
    if (!r[i]) return true;
  }
  return false;
}

// A graph that already failed stays failed; poison from elsewhere is an argument error.
static jo_status check(const jexpr_graph* g, bool poisoned) {
  if (g->status < 0) return g->status;
  return poisoned ? JO_ERR_ARGUMENT : JO_OK;
}

// ---- tangent -----------------------------------------------------------------------------------

typedef struct tangent_pass {
  jexpr_graph* g;
  const jexpr_ref* d;  // derivative of each node so far
  jexpr_ref zero;
} tangent_pass;

// pick(k, A_0 ...)' = pick(k, A_0' ...)
static jexpr_ref tangent_pick(const tangent_pass* s, jexpr_ref r) {
  jexpr_graph* g = s->g;
  int n = jexpr_nargs(g, r) - 1;
  jexpr_ref* d = jmem_resize(g->ctx, NULL, (size_t)n * sizeof *d);
  if (!d) {
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  for (int k = 0; k < n; k++) {
    d[k] = s->d[jexpr_arg(g, r, k + 1)];
  }
  jexpr_ref result = jexpr_pick(g, jexpr_arg(g, r, 0), d, n);
  jmem_free(g->ctx, d);
  return result;
}

// sum_k  d(node)/d(arg k)  d(arg k); partials only where the derivative of the operand is not zero
static jexpr_ref tangent_rule(const tangent_pass* s, jexpr_ref r) {
  jexpr_graph* g = s->g;
  jexpr_ref sum = s->zero;
  for (int k = 0; k < jexpr_nargs(g, r); k++) {
    jexpr_ref dk = s->d[jexpr_arg(g, r, k)];
    if (dk != s->zero) sum = jexpr_add(g, sum, jexpr_mul(g, partial(g, r, k), dk));
  }
  return sum;
}

static jexpr_ref tangent_node(const tangent_pass* s, jexpr_ref r) {
  jexpr_graph* g = s->g;
  const jexpr_node n = g->node[r];
  switch (n.op) {
    case JEXPR_ADD: return jexpr_add(g, s->d[n.a], s->d[n.b]);
    case JEXPR_SUB: return jexpr_sub(g, s->d[n.a], s->d[n.b]);
    case JEXPR_NEG: return jexpr_neg(g, s->d[n.a]);
    case JEXPR_DIV:  // (da - r db) / b
      return jexpr_div(g, jexpr_sub(g, s->d[n.a], jexpr_mul(g, r, s->d[n.b])), n.b);
    case JEXPR_MIN: return jexpr_select(g, jexpr_lt(g, n.a, n.b), s->d[n.a], s->d[n.b]);
    case JEXPR_MAX: return jexpr_select(g, jexpr_lt(g, n.b, n.a), s->d[n.a], s->d[n.b]);
    case JEXPR_SELECT: return jexpr_select(g, n.a, s->d[n.b], s->d[n.c]);
    case JEXPR_PICK: return tangent_pick(s, r);
    default: break;
  }
  return jexpr_ops[n.op].class_ == JEXPR_CLASS_STEP ? s->zero : tangent_rule(s, r);
}

static bool has_varying_operand(const tangent_pass* s, jexpr_ref r) {
  for (int k = 0; k < jexpr_nargs(s->g, r); k++) {
    if (s->d[jexpr_arg(s->g, r, k)] != s->zero) return true;
  }
  return false;
}

// One sweep over the needed nodes below `end`; d holds the seeds and receives the derivatives.
static void tangent_sweep(jexpr_graph* g, jexpr_ref end, const bool* need, const char* const* mark,
                          jexpr_ref zero, jexpr_ref* d) {
  tangent_pass pass = {g, d, zero};
  for (jexpr_ref r = 1; r < end && g->status == JO_OK; r++) {
    if (!need[r] || jexpr_nargs(g, r) == 0 || !has_varying_operand(&pass, r)) continue;
    d[r] = tangent_node(&pass, r);
    if (mark[r] && d[r] != zero) jexpr_mark(g, d[r], "d %s", mark[r]);
  }
}

static void fill(jexpr_ref* d, int n, jexpr_ref value) {
  for (int i = 0; i < n; i++) {
    d[i] = value;
  }
}

jo_status jexpr_tangent(jexpr_graph* g, const jexpr_ref* y, int ny, const jexpr_ref* x,
                        const jexpr_ref* dx, int nx, jexpr_ref* dy) {
  JO_TRY(check(g, any_poison(y, ny) || any_poison(x, nx) || any_poison(dx, nx)));
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  jexpr_ref zero = jexpr_const(g, 0.0);
  int n = g->nnode;
  bool* need = reach(g, &scratch, y, ny, x, nx);
  const char** mark = marks_by_node(g, &scratch);
  jexpr_ref* d = JARENA_ARRAY(&scratch, n, jexpr_ref);
  if (!need || !mark || !d || !zero) {
    jarena_free(&scratch);
    return g->status = jerr_memory(g->ctx);
  }
  fill(d, n, zero);
  for (int k = 0; k < nx; k++) {
    d[x[k]] = dx[k];
  }
  tangent_sweep(g, (jexpr_ref)n, need, mark, zero, d);
  for (int i = 0; i < ny; i++) {
    dy[i] = g->status == JO_OK ? d[y[i]] : JEXPR_POISON;
  }
  jarena_free(&scratch);
  return g->status;
}

// ---- adjoint -----------------------------------------------------------------------------------

typedef struct adjoint_pass {
  jexpr_graph* g;
  jexpr_ref end;       // nodes before anything was written
  const bool* varies;  // depends on some x
  const bool* risky;   // need not be finite where choices leave it out
  bool* is_solved;     // of a block: what it is made of is not looked at
  jexpr_ref* bar;      // adjoint of each node so far
  jexpr_ref* active;   // not zero where choices let the node contribute; constant one: everywhere
  jexpr_ref zero;
} adjoint_pass;

// Whether an operation, or its derivative, can fail to be finite.
static bool has_poles(uint32_t op) {
  switch (op) {
    case JEXPR_DIV:
    case JEXPR_SQRT:
    case JEXPR_POW:
    case JEXPR_LOG:
    case JEXPR_TAN:
    case JEXPR_ASIN:
    case JEXPR_ACOS:
    case JEXPR_ATAN2:
    case JEXPR_SOLVE: return true;
    default: return false;
  }
}

static bool* find_risky(const jexpr_graph* g, jarena* a) {
  bool* risky = JARENA_ARRAY(a, g->nnode, bool);
  for (jexpr_ref r = 1; risky && r < (jexpr_ref)g->nnode; r++) {
    risky[r] = has_poles(g->node[r].op);
    for (int k = 0; !risky[r] && k < jexpr_nargs(g, r); k++) {
      risky[r] = risky[jexpr_arg(g, r, k)];
    }
  }
  return risky;
}

static bool partial_is_risky(const adjoint_pass* s, jexpr_ref r, int k) {
  const jexpr_node* n = &s->g->node[r];
  if (n->op == JEXPR_MUL) return s->risky[k == 0 ? n->b : n->a];
  return jexpr_ops[n->op].class_ == JEXPR_CLASS_FUNC && s->risky[r];
}

// Where one or the other is active; both are sums of choices between numbers >= 0.
static jexpr_ref either(const adjoint_pass* s, jexpr_ref a, jexpr_ref b) {
  if (a == b || b == s->zero || jexpr_is_value(s->g, a, 1.0)) return a;
  if (a == s->zero || jexpr_is_value(s->g, b, 1.0)) return b;
  jexpr_ref sum = jexpr_add(s->g, a, b);
  return jexpr_is_const(s->g, sum) ? jexpr_const(s->g, 1.0) : sum;
}

// v where active, else zero: an adjoint of zero stays zero where a factor of v is not finite.
static jexpr_ref guarded(const adjoint_pass* s, jexpr_ref active, jexpr_ref v) {
  jexpr_graph* g = s->g;
  if (jexpr_is_const(g, active)) return active == s->zero ? s->zero : v;
  const jexpr_node n = g->node[active];
  // the same condition as in the adjoint itself, so that the two choices become one
  bool plain = n.op == JEXPR_SELECT && (jexpr_is_const(g, n.b) || jexpr_is_const(g, n.c));
  if (!plain) return jexpr_select(g, active, v, s->zero);
  return jexpr_select(g, n.a, guarded(s, n.b, v), guarded(s, n.c, v));
}

static void accumulate(const adjoint_pass* s, jexpr_ref r, jexpr_ref contribution,
                       jexpr_ref active) {
  if (!s->varies[r]) return;
  s->bar[r] = jexpr_add(s->g, s->bar[r], contribution);
  s->active[r] = either(s, s->active[r], active);
}

static void adjoint_choice(const adjoint_pass* s, jexpr_ref r, jexpr_ref cond, jexpr_ref a,
                           jexpr_ref b) {
  jexpr_graph* g = s->g;
  jexpr_ref zero = s->zero, bar = s->bar[r], active = s->active[r];
  accumulate(s, a, jexpr_select(g, cond, bar, zero), jexpr_select(g, cond, active, zero));
  accumulate(s, b, jexpr_select(g, cond, zero, bar), jexpr_select(g, cond, zero, active));
}

// A_k gets the adjoint where pick chose it
static void adjoint_pick(const adjoint_pass* s, jexpr_ref r) {
  jexpr_graph* g = s->g;
  jexpr_ref index = jexpr_arg(g, r, 0);
  if (jexpr_nargs(g, r) == 3 && jexpr_is_flag(g, index)) {
    adjoint_choice(s, r, index, jexpr_arg(g, r, 2), jexpr_arg(g, r, 1));
    return;
  }
  for (int k = 0; k < jexpr_nargs(g, r) - 1; k++) {
    jexpr_ref A = jexpr_arg(g, r, k + 1);
    if (!s->varies[A]) continue;
    jexpr_ref chosen = jexpr_eq(g, jexpr_arg(g, r, 0), jexpr_const(g, k));
    accumulate(s, A, jexpr_select(g, chosen, s->bar[r], s->zero), s->active[r]);
  }
}

static void adjoint_rule(const adjoint_pass* s, jexpr_ref r) {
  jexpr_ref active = s->active[r];
  for (int k = 0; k < jexpr_nargs(s->g, r); k++) {
    jexpr_ref a = jexpr_arg(s->g, r, k);
    if (!s->varies[a]) continue;
    jexpr_ref product = jexpr_mul(s->g, s->bar[r], partial(s->g, r, k));
    accumulate(s, a, partial_is_risky(s, r, k) ? guarded(s, active, product) : product, active);
  }
}

// r = a / b:  abar += bar / b,  bbar -= (bar / b) r
static void adjoint_quotient(const adjoint_pass* s, jexpr_ref r) {
  jexpr_graph* g = s->g;
  const jexpr_node n = g->node[r];
  jexpr_ref active = s->active[r], t = guarded(s, active, jexpr_div(g, s->bar[r], n.b));
  accumulate(s, n.a, t, active);
  if (!s->varies[n.b]) return;
  accumulate(s, n.b, jexpr_neg(g, guarded(s, active, jexpr_mul(g, t, r))), active);
}

static void adjoint_node(const adjoint_pass* s, jexpr_ref r) {
  jexpr_graph* g = s->g;
  const jexpr_node n = g->node[r];
  switch (n.op) {
    case JEXPR_DIV: adjoint_quotient(s, r); return;
    case JEXPR_MIN: adjoint_choice(s, r, jexpr_lt(g, n.a, n.b), n.a, n.b); return;
    case JEXPR_MAX: adjoint_choice(s, r, jexpr_lt(g, n.b, n.a), n.a, n.b); return;
    case JEXPR_SELECT: adjoint_choice(s, r, n.a, n.b, n.c); return;
    case JEXPR_PICK: adjoint_pick(s, r); return;
    default: break;
  }
  if (jexpr_ops[n.op].class_ != JEXPR_CLASS_STEP) adjoint_rule(s, r);
}

static bool* varying(const jexpr_graph* g, jarena* a, const jexpr_ref* x, int nx,
                     const jexpr_implied* block, int nblock) {
  bool* v = JARENA_ARRAY(a, g->nnode, bool);
  if (!v) return NULL;
  for (int k = 0; k < nx; k++) {
    v[x[k]] = true;
  }
  for (int b = 0; b < nblock; b++) {
    for (int k = 0; k < block[b].nx; k++) {
      v[block[b].x[k]] = true;
    }
  }
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    for (int k = 0; !v[r] && k < jexpr_nargs(g, r); k++) {
      v[r] = v[jexpr_arg(g, r, k)];
    }
  }
  return v;
}

// Nodes that reach what block b solves for, not by way of what later ones do; all of them behind the last block.
static void find_users(const adjoint_pass* s, const jexpr_implied* block, int nblock, int b,
                       bool* uses) {
  const jexpr_graph* g = s->g;
  for (jexpr_ref r = 1; r < s->end; r++) {
    uses[r] = b == nblock;
  }
  for (int k = 0; b < nblock && k < block[b].nx; k++) {
    uses[block[b].x[k]] = true;
  }
  for (jexpr_ref r = 1; r < s->end; r++) {
    for (int k = 0; !uses[r] && !s->is_solved[r] && k < jexpr_nargs(g, r); k++) {
      uses[r] = uses[jexpr_arg(g, r, k)];
    }
  }
}

static void mark_solved(const adjoint_pass* s, const jexpr_implied* block, bool is_solved) {
  for (int k = 0; k < block->nx; k++) {
    s->is_solved[block->x[k]] = is_solved;
  }
}

// What falls on a block goes to what determines it.
static jo_status weigh_block(const adjoint_pass* s, jarena* a, const jexpr_implied* block) {
  jexpr_graph* g = s->g;
  jexpr_ref *from = JARENA_ARRAY(a, block->nx, jexpr_ref),
            *to = JARENA_ARRAY(a, block->nby, jexpr_ref);
  jexpr_ref one = jexpr_const(g, 1.0);
  if (!from || !to) return g->status = jerr_memory(g->ctx);
  for (int k = 0; k < block->nx; k++) {
    from[k] = s->bar[block->x[k]];
    s->bar[block->x[k]] = s->zero;  // once, where two of them are one node
  }
  JO_TRY(block->weigh(block->user, from, to));
  for (int k = 0; k < block->nby; k++) {
    if (to[k] != s->zero) accumulate(s, block->by[k], to[k], one);
  }
  return g->status;
}

// Block by block: all that uses it goes before it. What determines it may share nodes with it (a rate k y, and k y in its
// equation), so that behind it they are like others.
static jo_status sweep_back(const adjoint_pass* s, jarena* a, const jexpr_implied* block,
                            int nblock) {
  jexpr_graph* g = s->g;
  bool* uses = JARENA_ARRAY(a, s->end, bool);
  if (!uses) return g->status = jerr_memory(g->ctx);
  for (int b = 0; b < nblock; b++) {
    mark_solved(s, &block[b], true);
  }
  for (int b = 0; b <= nblock; b++) {
    find_users(s, block, nblock, b, uses);
    for (jexpr_ref r = s->end - 1; r > 0 && g->status == JO_OK; r--) {
      bool is_next = uses[r] && !s->is_solved[r] && jexpr_nargs(g, r) > 0;
      if (!is_next || s->bar[r] == s->zero) continue;
      adjoint_node(s, r);
      s->bar[r] = s->zero;
    }
    if (b == nblock || g->status < 0) break;
    JO_TRY(weigh_block(s, a, &block[b]));
    mark_solved(s, &block[b], false);
  }
  return g->status;
}

jo_status jexpr_adjoint_implied(jexpr_graph* g, const jexpr_ref* y, const jexpr_ref* ybar, int ny,
                                const jexpr_ref* x, int nx, const jexpr_implied* block, int nblock,
                                jexpr_ref* xbar) {
  JO_TRY(check(g, any_poison(y, ny) || any_poison(ybar, ny) || any_poison(x, nx)));
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  jexpr_ref zero = jexpr_const(g, 0.0), one = jexpr_const(g, 1.0);
  int n = g->nnode;
  bool* varies = varying(g, &scratch, x, nx, block, nblock);
  bool* risky = find_risky(g, &scratch);
  bool* is_solved = JARENA_ARRAY(&scratch, n, bool);
  jexpr_ref* bar = JARENA_ARRAY(&scratch, n, jexpr_ref);
  jexpr_ref* active = JARENA_ARRAY(&scratch, n, jexpr_ref);
  if (!varies || !risky || !is_solved || !bar || !active || !zero || !one) {
    jarena_free(&scratch);
    return g->status = jerr_memory(g->ctx);
  }
  fill(bar, n, zero);
  fill(active, n, zero);
  adjoint_pass pass = {g, (jexpr_ref)n, varies, risky, is_solved, bar, active, zero};
  for (int i = 0; i < ny; i++) {
    accumulate(&pass, y[i], ybar[i], one);
  }
  jo_status status = sweep_back(&pass, &scratch, block, nblock);
  for (int k = 0; k < nx; k++) {
    xbar[k] = status == JO_OK ? bar[x[k]] : JEXPR_POISON;
  }
  jarena_free(&scratch);
  return status;
}

jo_status jexpr_adjoint(jexpr_graph* g, const jexpr_ref* y, const jexpr_ref* ybar, int ny,
                        const jexpr_ref* x, int nx, jexpr_ref* xbar) {
  return jexpr_adjoint_implied(g, y, ybar, ny, x, nx, NULL, 0, xbar);
}

// ---- Jacobian ----------------------------------------------------------------------------------

// All columns (forward) or rows (reverse) into a dense array of refs, column after column.
static jo_status dense_forward(jexpr_graph* g, jarena* scratch, const jexpr_ref* y, int ny,
                               const jexpr_ref* x, int nx, jexpr_ref zero, jexpr_ref* dense) {
  int n = g->nnode;
  bool* need = reach(g, scratch, y, ny, x, nx);
  const char** mark = marks_by_node(g, scratch);
  jexpr_ref* d = JARENA_ARRAY(scratch, n, jexpr_ref);
  if (!need || !mark || !d) return g->status = jerr_memory(g->ctx);
  jexpr_ref one = jexpr_const(g, 1.0);
  for (int k = 0; k < nx && g->status == JO_OK; k++) {
    fill(d, n, zero);
    d[x[k]] = one;
    tangent_sweep(g, (jexpr_ref)n, need, mark, zero, d);
    for (int i = 0; i < ny; i++) {
      dense[k * ny + i] = d[y[i]];
    }
  }
  return g->status;
}

static jo_status dense_reverse(jexpr_graph* g, jarena* scratch, const jexpr_ref* y, int ny,
                               const jexpr_ref* x, int nx, jexpr_ref* dense) {
  jexpr_ref one = jexpr_const(g, 1.0);
  jexpr_ref* row = JARENA_ARRAY(scratch, nx, jexpr_ref);
  if (!row) return g->status = jerr_memory(g->ctx);
  for (int i = 0; i < ny; i++) {
    JO_TRY(jexpr_adjoint(g, &y[i], &one, 1, x, nx, row));
    for (int k = 0; k < nx; k++) {
      dense[k * ny + i] = row[k];
    }
  }
  return g->status;
}

static jo_status compress(jexpr_graph* g, jarena* a, const jexpr_ref* dense, jexpr_ref zero,
                          jexpr_jacobian* J) {
  int nnz = 0;
  for (int i = 0; i < J->nrow * J->ncol; i++) {
    nnz += dense[i] != zero;
  }
  J->col = JARENA_ARRAY(a, J->ncol + 1, int);
  J->row = JARENA_ARRAY(a, nnz, int);
  J->value = JARENA_ARRAY(a, nnz, jexpr_ref);
  if (!J->col || !J->row || !J->value) return g->status = jerr_memory(g->ctx);
  J->nnz = 0;
  for (int k = 0; k < J->ncol; k++) {
    for (int i = 0; i < J->nrow; i++) {
      if (dense[k * J->nrow + i] == zero) continue;
      J->row[J->nnz] = i;
      J->value[J->nnz++] = dense[k * J->nrow + i];
    }
    J->col[k + 1] = J->nnz;
  }
  return JO_OK;
}

jo_status jexpr_jacobian_build(jexpr_graph* g, jarena* a, jexpr_mode mode, const jexpr_ref* y,
                               int ny, const jexpr_ref* x, int nx, jexpr_jacobian* out) {
  JO_TRY(check(g, any_poison(y, ny) || any_poison(x, nx)));
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  jexpr_ref zero = jexpr_const(g, 0.0);
  jexpr_ref* dense = JARENA_ARRAY(&scratch, (size_t)nx * (size_t)ny, jexpr_ref);
  bool forward = mode == JEXPR_FORWARD || (mode == JEXPR_CHEAPER && nx <= ny);
  jo_status status;
  if (!dense || !zero) {
    status = g->status = jerr_memory(g->ctx);
  } else if (forward) {
    status = dense_forward(g, &scratch, y, ny, x, nx, zero, dense);
  } else {
    status = dense_reverse(g, &scratch, y, ny, x, nx, dense);
  }
  if (status == JO_OK) {
    *out = (jexpr_jacobian){.nrow = ny, .ncol = nx};
    status = compress(g, a, dense, zero, out);
  }
  jarena_free(&scratch);
  return status;
}
