// SPDX-License-Identifier: Apache-2.0
// Rebuilding expressions with some nodes replaced: conditions by modes, inputs by expressions.
#include "expr/rewrite.h"
#include "base/assert.h"

jexpr_ref jexpr_rebuild(jexpr_graph* g, jexpr_op op, const jexpr_ref* arg, int n) {
  switch (op) {
    case JEXPR_LOCATE: return jexpr_locate(g, arg[0], arg + 1, n - 1);
    case JEXPR_PICK: return jexpr_pick(g, arg[0], arg + 1, n - 1);
    case JEXPR_DATA:
      return jexpr_data(g, (int)jexpr_const_value(g, arg[0]), (int)jexpr_const_value(g, arg[1]),
                        (int)jexpr_const_value(g, arg[2]), (int)jexpr_const_value(g, arg[3]),
                        arg[4], arg[5]);
    case JEXPR_SOLVE: return jexpr_solve_again(g, arg, n);
    default: return jexpr_apply(g, op, arg[0], n > 1 ? arg[1] : 0, n > 2 ? arg[2] : 0);
  }
}

// The node over replaced operands; list operators go through a scratch list.
static jexpr_ref rebuild(jexpr_graph* g, jexpr_ref r, const jexpr_ref* now, jexpr_ref* list) {
  const jexpr_op op = (jexpr_op)g->node[r].op;
  int nargs = jexpr_nargs(g, r);
  if (nargs == 0) return r;
  for (int k = 0; k < nargs; k++) {
    list[k] = now[jexpr_arg(g, r, k)];
  }
  return jexpr_rebuild(g, op, list, nargs);
}

static void move_marks(jexpr_graph* g, const jexpr_ref* now, int n) {
  for (int i = 0; i < g->nmark; i++) {
    jexpr_ref r = g->mark[i].ref;
    if (r < (jexpr_ref)n && now[r]) g->mark[i].ref = now[r];
  }
}

jo_status jexpr_rewrite(jexpr_graph* g, jexpr_replace replace, void* user, jexpr_ref* refs, int n) {
  JO_TRY(g->status);
  int nnode = g->nnode, longest = 3;
  for (jexpr_ref r = 1; r < (jexpr_ref)nnode; r++) {
    int nargs = jexpr_nargs(g, r);
    if (nargs > longest) longest = nargs;
  }
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  bool* need = jexpr_needed_by(g, &scratch, refs, n);
  jexpr_ref* now = JARENA_ARRAY(&scratch, nnode, jexpr_ref);
  jexpr_ref* list = JARENA_ARRAY(&scratch, longest, jexpr_ref);
  if (!need || !now || !list) {
    jarena_free(&scratch);
    return g->status = jerr_memory(g->ctx);
  }
  for (jexpr_ref r = 1; r < (jexpr_ref)nnode && g->status == JO_OK; r++) {
    if (need[r]) now[r] = replace(user, g, r, rebuild(g, r, now, list));
  }
  for (int i = 0; i < n && g->status == JO_OK; i++) {
    refs[i] = now[refs[i]];
  }
  if (g->status == JO_OK) move_marks(g, now, nnode);
  jarena_free(&scratch);
  return g->status;
}

// ---- into another graph --------------------------------------------------------------------------

bool jexpr_copy_init(jexpr_copy* c, jarena* a, const jexpr_graph* from, jexpr_graph* to) {
  int longest = 3;
  for (jexpr_ref r = 1; r < (jexpr_ref)from->nnode; r++) {
    int n = jexpr_nargs(from, r);
    if (n > longest) longest = n;
  }
  *c = (jexpr_copy){.from = from, .to = to};
  c->now = JARENA_ARRAY(a, from->nnode, jexpr_ref);
  c->list = JARENA_ARRAY(a, longest, jexpr_ref);
  return c->now && c->list;
}

void jexpr_copy_node(jexpr_copy* c, jexpr_ref r) {
  int n = jexpr_nargs(c->from, r);
  for (int k = 0; k < n; k++) {
    c->list[k] = c->now[jexpr_arg(c->from, r, k)];
  }
  c->now[r] = jexpr_rebuild(c->to, (jexpr_op)c->from->node[r].op, c->list, n);
}

bool* jexpr_needed_by(const jexpr_graph* g, jarena* a, const jexpr_ref* root, int n) {
  bool* need = JARENA_ARRAY(a, g->nnode, bool);
  for (int i = 0; need && i < n; i++) {
    JASSERT(root[i] < (jexpr_ref)g->nnode);
    need[root[i]] = true;
  }
  for (jexpr_ref r = (jexpr_ref)g->nnode - 1; need && r > 0; r--) {
    for (int k = 0; need[r] && k < jexpr_nargs(g, r); k++) {
      need[jexpr_arg(g, r, k)] = true;
    }
  }
  return need;
}

bool* jexpr_needed(const jexpr_graph* g, jarena* a, jexpr_ref root) {
  return jexpr_needed_by(g, a, &root, 1);
}
