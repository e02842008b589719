// SPDX-License-Identifier: Apache-2.0
// Colours from the leaves upwards, then families from seeds.
//
// A seed is a colour with few members, taken in the order of creation: what repeats was written down instance by
// instance. From there the order spreads: operands of the members at one place are a family too when they have one
// colour, and so are their users of one colour. Colours of the sizes that cover most of the graph are seeds first: the
// ten arms come before the two sides.
#include "expr/pack/twin.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define SEED_MAX 16  // members of a seed
#define NEAR     3   // levels that near twins are compared

enum { LEAF_CONST = 1, LEAF_INPUT };  // colours of constants and, from here on, of inputs by group

// ---- colours -----------------------------------------------------------------------------------

typedef struct key {
  uint32_t op;
  uint32_t of[JEXPR_TERMS];
} key;

typedef struct palette {
  key* key;         // by colour
  uint32_t* table;  // colours, open addressing
  uint32_t size;    // of the table, a power of two
  int n;
} palette;

static int colour_of_key(palette* p, const key* k) {
  uint64_t h = jhash_mix(jhash_mix(jhash_mix(k->op, k->of[0]), k->of[1]), k->of[2]);
  uint32_t at = (uint32_t)h & (p->size - 1);
  while (p->table[at] != 0) {
    if (memcmp(&p->key[p->table[at]], k, sizeof *k) == 0) return (int)p->table[at];
    at = (at + 1) & (p->size - 1);
  }
  p->key[p->n] = *k;
  p->table[at] = (uint32_t)p->n;
  return p->n++;
}

static bool create_palette(jarena* a, int colours, palette* p) {
  p->size = 64;
  while (p->size < 2 * (uint32_t)colours)
    p->size *= 2;
  p->key = JARENA_ARRAY(a, colours, key);
  p->table = JARENA_ARRAY(a, p->size, uint32_t);
  return p->key && p->table;
}

static bool is_fixed(uint32_t op) {
  return jexpr_ops[op].arity > 0;
}

// A chain of negations ends at what they negate.
static jexpr_term see_through(const jexpr_graph* g, jexpr_ref r) {
  jexpr_term t = {r, false};
  while (g->node[t.ref].op == JEXPR_NEG) {
    t.ref = g->node[t.ref].a;
    t.flip = !t.flip;
  }
  return t;
}

typedef struct search {
  const jexpr_graph* g;
  jexpr_twins twins;
  int* shade;   // as colour, for every node that can be an operand                (by node)
  int* height;  // (by colour)
  palette palette;
  const bool* near;  // (by node)
  // members by colour, users by node: by colour, place and creation
  int* class_first;         // (ncolour + 1)
  jexpr_ref* class_member;  //
  int* user_first;          // (nnode + 1)
  jexpr_ref* user;
  int* family_of;  // -1: none                                               (by node)
  int nmember;
  int* guesses;          // scratch
  jexpr_ref* free_node;  //
} search;

// Operands in an order that does not depend on who stands where: sums and products may be turned round.
static void find_terms(search* s, jexpr_ref r) {
  const jexpr_node* node = &s->g->node[r];
  jexpr_term* term = s->twins.term[r];
  for (int k = 0; k < jexpr_ops[node->op].arity; k++) {
    term[k] = see_through(s->g, jexpr_arg(s->g, r, k));
  }
  bool is_sum = node->op == JEXPR_ADD || node->op == JEXPR_SUB;
  if (node->op == JEXPR_SUB) term[1].flip = !term[1].flip;
  if (!is_sum && node->op != JEXPR_MUL) return;
  if (s->shade[term[0].ref] > s->shade[term[1].ref]) {
    jexpr_term first = term[0];
    term[0] = term[1];
    term[1] = first;
  }
}

static int shade_fixed(search* s, jexpr_ref r) {
  const jexpr_node* node = &s->g->node[r];
  find_terms(s, r);
  key k = {.op = node->op == JEXPR_SUB ? JEXPR_ADD : node->op};
  int height = 0;
  for (int i = 0; i < jexpr_ops[node->op].arity; i++) {
    int below = s->shade[s->twins.term[r][i].ref];
    k.of[i] = (uint32_t)below;
    if (s->height[below] > height) height = s->height[below];
  }
  int colour = colour_of_key(&s->palette, &k);
  s->height[colour] = height + 1;
  return colour;
}

// Lists are as different as their operands are, one after another.
static int shade_list(search* s, jexpr_ref r) {
  key k = {.op = s->g->node[r].op};
  int height = 0;
  for (int i = 0; i < jexpr_nargs(s->g, r); i++) {
    int below = s->shade[jexpr_arg(s->g, r, i)];
    k.of[0] = (uint32_t)below;
    if (s->height[below] > height) height = s->height[below];
    k.of[1] = (uint32_t)colour_of_key(&s->palette, &k);
  }
  s->height[k.of[1]] = height + 1;
  return (int)k.of[1];
}

static int shade_of(search* s, jexpr_ref r) {
  const jexpr_node* node = &s->g->node[r];
  switch (node->op) {
    case JEXPR_NIL:
    case JEXPR_HOLE:
    case JEXPR_CONST: return LEAF_CONST;
    case JEXPR_INPUT: return LEAF_INPUT + (int)node->a;
    case JEXPR_NEG: return s->shade[see_through(s->g, r).ref];
    default: return is_fixed(node->op) ? shade_fixed(s, r) : shade_list(s, r);
  }
}

static int count_colours(const jexpr_graph* g, const jexpr_schedule* s) {
  int n = LEAF_INPUT + g->ngroup;
  for (int i = 0; i < s->n; i++) {
    n += is_fixed(g->node[s->order[i]].op) ? 1 : jexpr_nargs(g, s->order[i]);
  }
  return n;
}

static bool has_colour(const search* s, jexpr_ref r) {
  uint32_t op = s->g->node[r].op;
  return is_fixed(op) && op != JEXPR_NEG;
}

static jo_status paint(jarena* a, const jexpr_schedule* schedule, search* s) {
  int nnode = s->g->nnode, colours = count_colours(s->g, schedule) * (s->near ? NEAR + 2 : 1);
  bool* is_needed = JARENA_ARRAY(a, nnode, bool);
  s->shade = JARENA_ARRAY(a, nnode, int);
  s->height = JARENA_ARRAY(a, colours, int);
  s->twins.colour = JARENA_ARRAY(a, nnode, int);
  s->twins.term = jarena_array(a, (size_t)nnode, sizeof *s->twins.term);
  bool ok = is_needed && s->shade && s->height && s->twins.colour && s->twins.term;
  if (!ok || !create_palette(a, colours, &s->palette)) return jerr_memory(a->ctx);
  s->palette.n = LEAF_INPUT + s->g->ngroup;
  for (int i = 0; i < schedule->n; i++)
    is_needed[schedule->order[i]] = true;
  // operands precede users
  for (jexpr_ref r = 1; r < (jexpr_ref)nnode; r++) {
    bool is_leaf = jexpr_ops[s->g->node[r].op].class_ == JEXPR_CLASS_LEAF;
    if (is_leaf || is_needed[r]) s->shade[r] = shade_of(s, r);
    if (is_needed[r] && has_colour(s, r)) s->twins.colour[r] = s->shade[r];
  }
  s->twins.ncolour = s->palette.n;
  return JO_OK;
}

// ---- members and users -------------------------------------------------------------------------

static int arity(const search* s, jexpr_ref r) {
  return jexpr_ops[s->g->node[r].op].arity;
}

static jo_status list_members(jarena* a, search* s) {
  const int* colour = s->twins.colour;
  int nnode = s->g->nnode, ncolour = s->twins.ncolour, n = 0;
  s->class_first = JARENA_ARRAY(a, ncolour + 2, int);
  if (!s->class_first) return jerr_memory(a->ctx);
  for (int r = 1; r < nnode; r++) {
    if (colour[r]) s->class_first[colour[r] + 1]++;
    n += colour[r] != 0;
  }
  for (int c = 0; c <= ncolour; c++)
    s->class_first[c + 1] += s->class_first[c];
  s->class_member = JARENA_ARRAY(a, n, jexpr_ref);
  int* fill = JARENA_ARRAY(a, ncolour + 1, int);
  if (!s->class_member || !fill) return jerr_memory(a->ctx);
  for (jexpr_ref r = 1; r < (jexpr_ref)nnode; r++) {
    int c = colour[r];
    if (c) s->class_member[s->class_first[c] + fill[c]++] = r;
  }
  return JO_OK;
}

static jo_status list_users(jarena* a, search* s) {
  int nnode = s->g->nnode, nuser = 0;
  s->user_first = JARENA_ARRAY(a, nnode + 1, int);
  int* fill = JARENA_ARRAY(a, nnode, int);
  if (!s->user_first || !fill) return jerr_memory(a->ctx);
  for (int r = 1; r < nnode; r++) {
    for (int k = 0; s->twins.colour[r] && k < arity(s, (jexpr_ref)r); k++) {
      s->user_first[s->twins.term[r][k].ref + 1]++;
      nuser++;
    }
  }
  for (int r = 0; r < nnode; r++)
    s->user_first[r + 1] += s->user_first[r];
  s->user = JARENA_ARRAY(a, nuser, jexpr_ref);
  if (!s->user) return jerr_memory(a->ctx);
  for (int c = 1; c < s->twins.ncolour; c++) {
    for (int k = 0; k < JEXPR_TERMS; k++) {
      for (int i = s->class_first[c]; i < s->class_first[c + 1]; i++) {
        jexpr_ref u = s->class_member[i];
        if (k >= arity(s, u)) break;
        jexpr_ref below = s->twins.term[u][k].ref;
        s->user[s->user_first[below] + fill[below]++] = u;
      }
    }
  }
  return JO_OK;
}

// ---- families ----------------------------------------------------------------------------------

// A family of nodes of one colour that are in none yet; nothing happens where they are not that.
static bool make_family(search* s, const jexpr_ref* node, int n) {
  int colour = s->twins.colour[node[0]], id = s->twins.nfamily, taken = 0;
  while (taken < n && colour != 0 && s->twins.colour[node[taken]] == colour &&
         s->family_of[node[taken]] < 0) {
    s->family_of[node[taken++]] = id;  // which also finds a node that stands twice
  }
  if (taken < n || n < 2) {
    while (taken > 0)
      s->family_of[node[--taken]] = -1;
    return false;
  }
  memcpy(s->twins.member + s->nmember, node, (size_t)n * sizeof *node);
  s->nmember += n;
  s->twins.first[++s->twins.nfamily] = s->nmember;
  return true;
}

static void follow_operands(search* s, const jexpr_ref* node, int n) {
  jexpr_ref below[SEED_MAX];
  for (int k = 0; k < arity(s, node[0]); k++) {
    for (int i = 0; i < n; i++)
      below[i] = s->twins.term[node[i]][k].ref;
    make_family(s, below, n);
  }
}

// A place in the users of a node.
typedef struct cursor {
  int at, end;
} cursor;

static int place_of(const search* s, jexpr_ref user, jexpr_ref below) {
  int k = 0;
  while (s->twins.term[user][k].ref != below)
    k++;
  return k;
}

// Users of `below` with a colour, who are in no family; the cursor stands behind them then.
static int free_users(const search* s, jexpr_ref below, int colour, int place, cursor* c,
                      jexpr_ref* found, int room) {
  int n = 0;
  for (; c->at < c->end; c->at++) {
    jexpr_ref u = s->user[c->at];
    int own = s->twins.colour[u];
    if (own > colour || (own == colour && place_of(s, u, below) > place)) break;
    bool fits = own == colour && place_of(s, u, below) == place && s->family_of[u] < 0;
    if (fits && n < room) found[n] = u;
    n += fits;
  }
  return n;
}

#define USERS_MAX 64  // of one colour and one node, looked at

// Users of one colour and place, the first of each member, the second of each ... Where there are several it is a
// guess who belongs to whom: `guess` says whether to make it. Returns whether there was one to make.
static bool follow_users(search* s, const jexpr_ref* node, int n, bool guess) {
  jexpr_ref found[SEED_MAX][USERS_MAX], tuple[SEED_MAX];
  cursor c[SEED_MAX];
  bool has_guess = false;
  for (int i = 0; i < n; i++)
    c[i] = (cursor){s->user_first[node[i]], s->user_first[node[i] + 1]};
  while (c[0].at < c[0].end) {
    jexpr_ref first = s->user[c[0].at];
    int colour = s->twins.colour[first], place = place_of(s, first, node[0]);
    int count = free_users(s, node[0], colour, place, &c[0], found[0], USERS_MAX);
    bool same = count > 0 && count <= USERS_MAX;
    for (int i = 1; i < n && same; i++) {
      same = free_users(s, node[i], colour, place, &c[i], found[i], USERS_MAX) == count;
    }
    has_guess = has_guess || (same && count > 1);
    for (int j = 0; same && j < count && (count == 1 || guess); j++) {
      for (int i = 0; i < n; i++)
        tuple[i] = found[i][j];
      make_family(s, tuple, n);
    }
  }
  return has_guess;
}

// Everything that follows from the families from `head` on; what is sure before what is guessed.
static void spread(search* s, int head, int* guesses) {
  int nguess = 0, guess = 0;
  for (;;) {
    bool is_sure = head < s->twins.nfamily;
    if (!is_sure && guess == nguess) return;
    int f = is_sure ? head++ : guesses[guess++];
    const jexpr_ref* node = s->twins.member + s->twins.first[f];
    int n = s->twins.first[f + 1] - s->twins.first[f];
    if (is_sure) follow_operands(s, node, n);
    if (follow_users(s, node, n, !is_sure) && is_sure) guesses[nguess++] = f;
  }
}

typedef struct seed {
  int colour, weight, height;
} seed;

static int compare_seeds(const void* x, const void* y) {
  const seed *a = x, *b = y;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  if (a->height != b->height) return a->height > b->height ? -1 : 1;
  return a->colour < b->colour ? -1 : a->colour > b->colour;
}

static int class_size(const search* s, int colour) {
  return s->class_first[colour + 1] - s->class_first[colour];
}

static int list_seeds(const search* s, seed* out) {
  int weight[SEED_MAX + 1] = {0}, n = 0;
  for (int c = 1; c < s->twins.ncolour; c++) {
    int size = class_size(s, c);
    if (size <= SEED_MAX) weight[size] += size;
  }
  for (int c = 1; c < s->twins.ncolour; c++) {
    int size = class_size(s, c);
    if (size >= 2 && size <= SEED_MAX) out[n++] = (seed){c, weight[size], s->height[c]};
  }
  qsort(out, (size_t)n, sizeof *out, compare_seeds);
  return n;
}

// Members of a colour that are in no family yet.
static int free_members(const search* s, int colour, jexpr_ref* out) {
  int n = 0;
  for (int i = s->class_first[colour]; i < s->class_first[colour + 1]; i++) {
    if (s->family_of[s->class_member[i]] < 0) out[n++] = s->class_member[i];
  }
  return n;
}

static jo_status create_families(jarena* a, search* s) {
  int nnode = s->g->nnode, n = s->class_first[s->twins.ncolour];
  s->family_of = JARENA_ARRAY(a, nnode, int);
  s->twins.first = JARENA_ARRAY(a, n / 2 + 2, int);
  s->twins.member = JARENA_ARRAY(a, n, jexpr_ref);
  s->guesses = JARENA_ARRAY(a, n / 2 + 1, int);
  s->free_node = JARENA_ARRAY(a, n, jexpr_ref);
  bool ok = s->family_of && s->twins.first && s->twins.member && s->guesses && s->free_node;
  if (!ok) return jerr_memory(a->ctx);
  for (int r = 0; r < nnode; r++)
    s->family_of[r] = -1;
  return JO_OK;
}

static jo_status gather_families(jarena* a, search* s) {
  seed* seeds = JARENA_ARRAY(a, s->twins.ncolour, seed);
  if (!seeds) return jerr_memory(a->ctx);
  int nseed = list_seeds(s, seeds);
  for (int i = 0; i < nseed; i++) {
    int head = s->twins.nfamily, count = free_members(s, seeds[i].colour, s->free_node);
    if (count >= 2 && make_family(s, s->free_node, count)) spread(s, head, s->guesses);
  }
  return JO_OK;
}

// What is left of colours with many members.
static void gather_rest(search* s) {
  for (int c = 1; c < s->twins.ncolour; c++) {
    int count = free_members(s, c, s->free_node);
    if (count >= 2) make_family(s, s->free_node, count);
  }
}

// ---- near twins --------------------------------------------------------------------------------

static bool is_free(const search* s, jexpr_ref r) {
  return s->near[r] && s->twins.colour[r] != 0 && s->family_of[r] < 0;
}

// The colour of a node that may be a near twin from those of its operands in the last round.
static int near_colour(search* s, jexpr_ref r, int round) {
  uint32_t op = s->g->node[r].op;
  key k = {.op = (op == JEXPR_SUB ? JEXPR_ADD : op) + ((uint32_t)(round + 1) << 16)};
  if (!is_fixed(op)) return colour_of_key(&s->palette, &k);
  if (s->family_of[r] < 0) find_terms(s, r);
  for (int i = 0; i < jexpr_ops[op].arity && round > 0; i++)
    k.of[i] = (uint32_t)s->shade[s->twins.term[r][i].ref];
  return colour_of_key(&s->palette, &k);
}

// Colours anew, of operators up to NEAR levels below; what no near twin is below keeps its own.
static jo_status paint_near(jarena* a, const jexpr_schedule* schedule, search* s) {
  int* shade = JARENA_ARRAY(a, s->g->nnode, int);
  if (!shade) return jerr_memory(a->ctx);
  for (int round = 0; round <= NEAR; round++) {
    memcpy(shade, s->shade, (size_t)s->g->nnode * sizeof *shade);
    for (int i = 0; i < schedule->n; i++) {
      jexpr_ref r = schedule->order[i];
      if (!s->near[r]) continue;
      bool is_sign = s->g->node[r].op == JEXPR_NEG;
      shade[r] = is_sign ? shade[see_through(s->g, r).ref] : near_colour(s, r, round);
    }
    int* last = s->shade;
    s->shade = shade;
    shade = last;
  }
  for (int i = 0; i < schedule->n; i++) {
    jexpr_ref r = schedule->order[i];
    if (is_free(s, r)) s->twins.colour[r] = s->shade[r];
  }
  s->twins.ncolour = s->palette.n;
  return JO_OK;
}

static jo_status find_near(jarena* a, const jexpr_schedule* schedule, search* s) {
  JO_TRY(paint_near(a, schedule, s));
  JO_TRY(list_members(a, s));
  JO_TRY(list_users(a, s));
  spread(s, 0, s->guesses);
  return gather_families(a, s);
}

jo_status jexpr_twins_find(jarena* a, const jexpr_fn* fn, const jexpr_schedule* schedule,
                           const bool* near, jexpr_twins* out) {
  search s = {.g = fn->graph, .near = near};
  JO_TRY(paint(a, schedule, &s));
  JO_TRY(list_members(a, &s));
  JO_TRY(list_users(a, &s));
  JO_TRY(create_families(a, &s));
  JO_TRY(gather_families(a, &s));
  if (near) JO_TRY(find_near(a, schedule, &s));
  gather_rest(&s);
  *out = s.twins;
  return JO_OK;
}
