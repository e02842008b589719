// SPDX-License-Identifier: Apache-2.0
// Rebuilding expressions with some nodes replaced: conditions by modes, inputs by expressions.
#include "expr/rewrite.h"

#include <assert.h>

// The node over replaced operands; list operators go through a scratch list.
static jexpr_ref rebuild(jexpr_graph* g, jexpr_ref r, const jexpr_ref* now, jexpr_ref* list) {
  const jexpr_node n = g->node[r];
  int nargs = jexpr_nargs(g, r);
  if (nargs == 0) return r;
  for (int k = 0; k < nargs; k++) {
    list[k] = now[jexpr_arg(g, r, k)];
  }
  if (n.op == JEXPR_LOCATE) return jexpr_locate(g, list[0], list + 1, nargs - 1);
  if (n.op == JEXPR_PICK) return jexpr_pick(g, list[0], list + 1, nargs - 1);
  return jexpr_apply(g, (jexpr_op)n.op, list[0], nargs > 1 ? list[1] : 0, nargs > 2 ? list[2] : 0);
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
  bool* need = JARENA_ARRAY(&scratch, nnode, bool);
  jexpr_ref* now = JARENA_ARRAY(&scratch, nnode, jexpr_ref);
  jexpr_ref* list = JARENA_ARRAY(&scratch, longest, jexpr_ref);
  if (!need || !now || !list) {
    jarena_free(&scratch);
    return g->status = jerr_memory(g->ctx);
  }
  for (int i = 0; i < n; i++) {
    assert(refs[i] < (jexpr_ref)nnode);
    need[refs[i]] = true;
  }
  for (jexpr_ref r = (jexpr_ref)nnode - 1; r > 0; r--) {
    for (int k = 0; need[r] && k < jexpr_nargs(g, r); k++) {
      need[jexpr_arg(g, r, k)] = true;
    }
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
