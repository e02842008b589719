// SPDX-License-Identifier: Apache-2.0
// Signs of packs, from users to operands: products take those that all who read them want.
#include "expr/pack/sign.h"

typedef struct signs {
  jexpr_packing* p;
  const jexpr_graph* g;
  const bool* varies;  // between lanes; NULL: nothing does             (by node)
  unsigned* want;      // lanes that readers want changed                        (by item)
  int* reader;         // packs that read it as it is                            (by item)
  bool* is_fixed;      // read in other ways too                                 (by item)
  bool* takes;         // signs that its readers agree on                        (by item)
} signs;

static bool is_product(const jexpr_item* item) {
  return item->width > 1 && (item->op == JEXPR_MUL || item->op == JEXPR_DIV);
}

static void fix_item(signs* s, jexpr_ref r) {
  int at = s->p->at[r];
  if (at >= 0) s->is_fixed[at] = true;
}

static void fix_single_reads(signs* s, const jexpr_fn* fn) {
  for (int i = 0; i < s->p->n; i++) {
    const jexpr_item* item = &s->p->item[i];
    for (int k = 0; item->width == 1 && k < jexpr_nargs(s->g, item->node[0]); k++) {
      fix_item(s, jexpr_arg(s->g, item->node[0], k));
    }
  }
  for (int i = 0; i < s->p->nvector; i++) {
    const jexpr_vector* v = &s->p->vector[i];
    for (int k = 0; v->item < 0 && k < v->width; k++)
      fix_item(s, v->lane[k]);
  }
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++)
      fix_item(s, fn->out[o].ref[i]);
  }
}

// The factor that takes the sign of a product: a constant, or a product that does and that nobody else reads; -1: none.
static int willing_factor(const signs* s, const jexpr_item* item) {
  for (int k = 0; k < 2; k++) {
    if (jexpr_vector_is_const(s->g, &s->p->vector[item->arg[k].vector])) return k;
  }
  for (int k = 0; k < 2; k++) {
    int below = s->p->vector[item->arg[k].vector].item;
    if (below >= 0 && s->takes[below] && s->reader[below] == 1) return k;
  }
  return -1;
}

// Operands precede users.
static void find_takers(signs* s) {
  for (int i = 0; i < s->p->n; i++) {
    const jexpr_item* item = &s->p->item[i];
    s->takes[i] = is_product(item) && !s->is_fixed[i] && willing_factor(s, item) >= 0;
  }
}

// Signs that cost nothing where they are: a + b, a - b, b - a, and both in turns.
static bool is_free_sum(const signs* s, const jexpr_item* item) {
  unsigned all = (1u << item->width) - 1u, a = item->arg[0].flip, b = item->arg[1].flip;
  if (item->op != JEXPR_ADD || (a != 0 && b != 0)) return false;
  bool in_turns = (a | b) == (0x55u & all) && !(s->varies && s->varies[item->node[0]]);
  return (a | b) == 0 || (a | b) == all || in_turns;
}

static void want_signs(signs* s, const jexpr_item* item) {
  for (int k = 0; k < item->narg; k++) {
    int below = s->p->vector[item->arg[k].vector].item;
    if (below < 0) continue;
    unsigned want = is_free_sum(s, item) ? 0 : item->arg[k].flip;
    if (s->want[below] != ~0u && s->want[below] != want) s->takes[below] = false;
    s->want[below] = want;
  }
}

static void settle(signs* s) {
  for (int i = s->p->n - 1; i >= 0; i--) {
    jexpr_item* item = &s->p->item[i];
    if (!s->takes[i] || s->want[i] == ~0u) s->want[i] = 0;
    if (is_product(item)) {
      unsigned flip = item->arg[0].flip ^ item->arg[1].flip ^ s->want[i];
      int k = willing_factor(s, item);
      item->arg[k == 1].flip = flip;
      item->arg[k != 1].flip = 0;
    }
    want_signs(s, item);
  }
  for (int i = 0; i < s->p->n; i++) {
    jexpr_item* item = &s->p->item[i];
    for (int k = 0; k < item->narg; k++) {
      int below = s->p->vector[item->arg[k].vector].item;
      if (below >= 0) item->arg[k].flip ^= s->want[below];
    }
  }
}

jo_status jexpr_sign_settle(jarena* a, const jexpr_fn* fn, const bool* varies, jexpr_packing* p) {
  signs s = {.p = p, .g = fn->graph, .varies = varies};
  s.want = JARENA_ARRAY(a, p->n, unsigned);
  s.reader = JARENA_ARRAY(a, p->n, int);
  s.is_fixed = JARENA_ARRAY(a, p->n, bool);
  s.takes = JARENA_ARRAY(a, p->n, bool);
  if (!s.want || !s.reader || !s.is_fixed || !s.takes) return jerr_memory(a->ctx);
  for (int i = 0; i < p->n; i++) {
    s.want[i] = ~0u;
    for (int k = 0; k < p->item[i].narg; k++) {
      int below = p->vector[p->item[i].arg[k].vector].item;
      if (below >= 0) s.reader[below]++;
    }
  }
  fix_single_reads(&s, fn);
  find_takers(&s);
  settle(&s);
  return JO_OK;
}
