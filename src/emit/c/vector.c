// SPDX-License-Identifier: Apache-2.0
// Packs as vector code.
//
//   const jk_v4 v12 = v7 * g3;                      a pack; 12 is its place among the statements
//   const jk_v4 g3 = (jk_v4){t1, t2, y[4], t9_1};   operands brought together
//   v7 + JK_FLIP4(v8, 0, 1, 0, 1)                   the second and the last lane are differences
//
// In a kernel of several lanes a pack of values that vary has all lanes of the first, then those of the second:
//
//   const jk_v4 v12 = v7 * s3;                      two values in two lanes
//   const jk_v4 s3 = JK_SHUFFLE4(2, v5, v5, 0, 0, 1, 1);   two values that do not vary, spread to them
//
// Vector extensions of gcc and clang, no intrinsics: the same text is for any machine. Changing signs is exact: a - b
// is a + (-b), and the sign of a product is that of its factors.
#include "emit/c/vector.h"

#include "emit/c/operand.h"
#include "emit/c/prelude.h"

// What the name of a type or helper ends in: 4, 2f
static void put_width(jemit_printer* p, int width) {
  jemit_put_int(p->body, width);
  jtext_put(p->body, p->real->suffix);
}

static void put_type(jemit_printer* p, int width) {
  jtext_put(p->body, "jk_v");
  put_width(p, width);
}

// ---- operands

static bool is_const_vector(const jemit_printer* p, const jexpr_vector* v) {
  return jexpr_vector_is_const(p->plan->fn->graph, v);
}

// Inputs that stand side by side.
static bool is_run(const jemit_printer* p, const jexpr_vector* v) {
  const jexpr_graph* g = p->plan->fn->graph;
  const jexpr_node* first = jexpr_at(g, v->lane[0]);
  for (int i = 0; i < v->width; i++) {
    const jexpr_node* node = jexpr_at(g, v->lane[i]);
    bool is_next =
        node->op == JEXPR_INPUT && node->a == first->a && node->b == first->b + (uint32_t)i;
    if (!is_next) return false;
  }
  return true;
}

// The one or two packs of one width that all lanes come from, if so.
static int find_sources(const jemit_printer* p, const jexpr_vector* v, int source[2]) {
  const jexpr_packing* packing = &p->plan->packing;
  int n = 0;
  for (int i = 0; i < v->width; i++) {
    int at = packing->at[v->lane[i]];
    if (at < 0 || packing->item[at].width == 1) return 0;
    bool is_known = (n > 0 && source[0] == at) || (n > 1 && source[1] == at);
    if (is_known) continue;
    if (n == 2 || (n == 1 && packing->item[at].width != packing->item[source[0]].width)) return 0;
    source[n++] = at;
  }
  return n;
}

static bool is_narrowed(const jemit_printer* p, int at) {
  return p->real == &jemit_single && jemit_real_of(p, at) == &jemit_double;
}

// `v12`, or rounded for a statement in single precision: `jk_n12`
static void put_pack_name(jemit_printer* p, int at) {
  jtext_put(p->body, is_narrowed(p, at) ? "jk_n" : "v");
  jemit_put_int(p->body, at);
}

// A pack as the statement reads it: `const jk_v2f jk_n12 = JK_NARROW2(v12);`
static void load_pack(jemit_printer* p, int at) {
  jemit_load_pack(p, at);
  if (!is_narrowed(p, at) || p->narrowed[at] == p->chunk) return;
  p->narrowed[at] = p->chunk;
  jtext_printf(p->body, "  const jk_v2f jk_n%d = JK_NARROW2(v%d);\n", at, at);
}

// `JK_SHUFFLE4(2, `: four numbers out of two vectors of two
static void begin_shuffle(jemit_printer* p, int numbers, int of) {
  jtext_put(p->body, "JK_SHUFFLE");
  put_width(p, numbers);
  jtext_put(p->body, "(");
  jemit_put_int(p->body, of);
}

// `JK_SHUFFLE2(4, v7, v8, 1, 5)`: lanes of v7, then those of v8. What does not vary comes into all `lanes`.
static void put_shuffle(jemit_printer* p, const jexpr_vector* v, const int source[2], int nsource,
                        int lanes) {
  const jexpr_packing* packing = &p->plan->packing;
  int own = jemit_plan_lanes(p->plan, v->lane[0]);
  int of = jemit_plan_numbers(p->plan, &packing->item[source[0]]);
  begin_shuffle(p, v->width * lanes, of);
  for (int k = 0; k < 2; k++) {
    jtext_put(p->body, ", ");
    put_pack_name(p, source[k < nsource ? k : 0]);
  }
  for (int i = 0; i < v->width * lanes; i++) {
    jexpr_ref r = v->lane[i / lanes];
    bool is_second = packing->at[r] != source[0];
    int at = jexpr_pack_lane(packing, r) * own + (own > 1 ? i % lanes : 0);
    jtext_put(p->body, ", ");
    jemit_put_int(p->body, at + (is_second ? of : 0));
  }
  jtext_put(p->body, ")");
}

// Values that vary, one after another: `JK_SHUFFLE4(2, t1, jk_at(x, 3), 0, 1, 2, 3)`
static void put_join(jemit_printer* p, const jexpr_ref* value, int n) {
  int half = n / 2 * p->plan->lanes;
  if (n == 1) {
    jemit_put_operand(p, value[0]);
    return;
  }
  begin_shuffle(p, 2 * half, half);
  for (int k = 0; k < 2; k++) {
    jtext_put(p->body, ", ");
    put_join(p, value + k * n / 2, n / 2);
  }
  for (int i = 0; i < 2 * half; i++) {
    jtext_put(p->body, ", ");
    jemit_put_int(p->body, i);
  }
  jtext_put(p->body, ")");
}

static void put_run(jemit_printer* p, const jexpr_vector* v) {
  const jexpr_node* first = jexpr_at(p->plan->fn->graph, v->lane[0]);
  int own = jemit_plan_lanes(p->plan, v->lane[0]);
  p->in_used[first->a] = true;
  jtext_put(p->body, p->is_strided ? "JK_RUN" : "JK_AT");
  put_width(p, v->width * own);
  jtext_put(p->body, "(");
  jtext_put(p->body, p->in_name[first->a]);
  jtext_put(p->body, p->is_strided ? ", " : " + ");
  jemit_put_int(p->body, (int)first->b * own);
  jtext_put(p->body, ")");
}

// Two inputs of a group: each thread reads its own.
static bool is_pick(const jemit_printer* p, const jexpr_vector* v) {
  const jexpr_graph* g = p->plan->fn->graph;
  const jexpr_node *a = jexpr_at(g, v->lane[0]), *b = jexpr_at(g, v->lane[1]);
  return p->is_strided && v->width == 2 && a->op == JEXPR_INPUT && b->op == JEXPR_INPUT &&
         a->a == b->a && a->b != b->b;
}

static void put_pick(jemit_printer* p, const jexpr_vector* v) {
  const jexpr_graph* g = p->plan->fn->graph;
  int group = (int)jexpr_at(g, v->lane[0])->a;
  p->in_used[group] = true;
  jtext_put(p->body, "JK_PICK");
  put_width(p, v->width);
  jtext_put(p->body, "(");
  jtext_put(p->body, p->in_name[group]);
  for (int k = 0; k < 2; k++) {
    jtext_put(p->body, ", ");
    jemit_put_int(p->body, (int)jexpr_at(g, v->lane[k])->b);
  }
  jtext_put(p->body, ")");
}

// Values that do not vary, each `lanes` times.
static void put_lanes(jemit_printer* p, const jexpr_vector* v, unsigned flip, int lanes) {
  const jexpr_graph* g = p->plan->fn->graph;
  jtext_put(p->body, p->is_device ? "JK_V" : "(jk_v");
  put_width(p, v->width * lanes);
  jtext_put(p->body, p->is_device ? "(" : "){");
  for (int i = 0; i < v->width * lanes; i++) {
    jexpr_ref r = v->lane[i / lanes];
    if (i > 0) jtext_put(p->body, ", ");
    if (flip >> i / lanes & 1u) {
      jemit_put_constant(p->body, p->real, -jexpr_const_value(g, r));
    } else {
      jemit_put_operand(p, r);
    }
  }
  jtext_put(p->body, p->is_device ? ")" : "}");
}

// `  const jk_v4 g3 = `
static void begin_vector(jemit_printer* p, int numbers, const char* letter, int index) {
  jtext_put(p->body, "  const ");
  put_type(p, numbers);
  jtext_put(p->body, letter);
  jemit_put_int(p->body, index);
  jtext_put(p->body, " = ");
}

// Loads what a vector is made of: packs, of which there are as many as it returns, or single values.
static int load_sources(jemit_printer* p, const jexpr_vector* v, int source[2]) {
  int n = find_sources(p, v, source);
  for (int k = 0; k < n; k++)
    load_pack(p, source[k]);
  for (int i = 0; i < v->width && n == 0; i++)
    jemit_load(p, v->lane[i]);
  return n;
}

// Values as they are, one after another.
static void gather(jemit_printer* p, int index) {
  const jexpr_vector* v = &p->plan->packing.vector[index];
  int source[2], own = jemit_plan_lanes(p->plan, v->lane[0]);
  if (v->item >= 0) load_pack(p, v->item);
  int* assembled = p->assembled[p->real == &jemit_single];
  if (v->item >= 0 || assembled[index] == p->chunk) return;
  assembled[index] = p->chunk;
  int nsource = load_sources(p, v, source);
  begin_vector(p, v->width * own, p->real == &jemit_single ? " jk_g" : " g", index);
  if (nsource > 0) {
    put_shuffle(p, v, source, nsource, own);
  } else if (is_run(p, v)) {
    put_run(p, v);
  } else if (is_pick(p, v)) {
    put_pick(p, v);
  } else if (own > 1) {
    put_join(p, v->lane, v->width);
  } else {
    put_lanes(p, v, 0, 1);
  }
  jtext_put(p->body, ";\n");
}

// Values that do not vary, for a pack that does.
static void spread(jemit_printer* p, int index) {
  const jexpr_vector* v = &p->plan->packing.vector[index];
  int source[2], lanes = p->plan->lanes;
  if (p->spread[index] == p->chunk) return;
  p->spread[index] = p->chunk;
  bool is_one = jexpr_vector_is_one(v);
  if (is_one) jemit_load(p, v->lane[0]);
  int nsource = is_one ? 0 : load_sources(p, v, source);
  begin_vector(p, v->width * lanes, " s", index);
  if (nsource > 0) {
    put_shuffle(p, v, source, nsource, lanes);
  } else {
    put_lanes(p, v, 0, lanes);
  }
  jtext_put(p->body, ";\n");
}

static bool is_spread(const jemit_printer* p, const jexpr_vector* v, int lanes) {
  return jemit_plan_lanes(p->plan, v->lane[0]) != lanes;
}

// Whatever a vector is made of, declared before the statement of so many lanes that reads it.
static void assemble(jemit_printer* p, int index, int lanes) {
  const jexpr_vector* v = &p->plan->packing.vector[index];
  if (is_const_vector(p, v)) return;
  if (is_spread(p, v, lanes)) {
    spread(p, index);
  } else {
    gather(p, index);
  }
}

// A vector for a statement of so many lanes, the sign of some values changed.
static void put_vector(jemit_printer* p, int index, unsigned flip, int lanes) {
  const jexpr_vector* v = &p->plan->packing.vector[index];
  if (is_const_vector(p, v)) {
    put_lanes(p, v, flip, lanes);
    return;
  }
  if (flip) {
    jtext_put(p->body, "JK_FLIP");
    put_width(p, v->width * lanes);
    jtext_put(p->body, "(");
  }
  bool is_own = !is_spread(p, v, lanes);
  if (is_own && v->item >= 0) {
    put_pack_name(p, v->item);
  } else {
    jtext_put(p->body, !is_own ? "s" : p->real == &jemit_single ? "jk_g" : "g");
    jemit_put_int(p->body, index);
  }
  for (int i = 0; i < v->width * lanes && flip; i++) {
    jtext_put(p->body, flip >> i / lanes & 1u ? ", 1" : ", 0");
  }
  if (flip) jtext_put(p->body, ")");
}

// ---- statements

static void put_mask_name(jemit_printer* p, int index, int lanes) {
  jtext_put(p->body, p->real == &jemit_single                               ? "jk_m"
                     : is_spread(p, &p->plan->packing.vector[index], lanes) ? "n"
                                                                            : "m");
  jemit_put_int(p->body, index);
}

// What choices ask for, once for all of them: `const jk_i4 m3 = jk_asked4(v7);`
static void declare_mask(jemit_printer* p, int index, int lanes) {
  const jexpr_vector* v = &p->plan->packing.vector[index];
  int* mask = p->real == &jemit_single ? p->single_mask : p->mask[is_spread(p, v, lanes)];
  if (mask[index] == p->chunk) return;
  mask[index] = p->chunk;
  jtext_put(p->body, "  const jk_i");
  put_width(p, v->width * lanes);
  jtext_put(p->body, " ");
  put_mask_name(p, index, lanes);
  jtext_put(p->body, " = jk_asked");
  put_width(p, v->width * lanes);
  jtext_put(p->body, "(");
  put_vector(p, index, 0, lanes);
  jtext_put(p->body, ");\n");
}

// `jk_blend4(m3, v7, v8)`
static void put_choice(jemit_printer* p, const jexpr_item* item, int lanes) {
  jtext_put(p->body, "jk_blend");
  put_width(p, item->width * lanes);
  jtext_put(p->body, "(");
  put_mask_name(p, item->arg[0].vector, lanes);
  for (int k = 1; k < item->narg; k++) {
    jtext_put(p->body, ", ");
    put_vector(p, item->arg[k].vector, item->arg[k].flip, lanes);
  }
  jtext_put(p->body, ")");
}

// Differences in even lanes, sums in odd ones: machines have that.
static bool is_alternating(int width, unsigned flip) {
  return (width == 2 && flip == 1u) || (width == 4 && flip == 5u);
}

static void put_sum(jemit_printer* p, const jexpr_item* item, int lanes) {
  const jexpr_vector* vector = p->plan->packing.vector;
  unsigned all = (1u << item->width) - 1u;
  jexpr_pack_arg a = item->arg[0], b = item->arg[1];
  // b - a for (-a) + b; a constant takes its signs along
  bool turn = a.flip == all || (b.flip != all && (a.flip & 1u));
  if (is_const_vector(p, &vector[a.vector])) turn = false;
  if (turn) {
    jexpr_pack_arg first = a;
    a = b;
    b = first;
  }
  bool minus = (b.flip & 1u) && !is_const_vector(p, &vector[b.vector]);
  if (a.flip == 0 && lanes == 1 && is_alternating(item->width, b.flip) &&
      !is_const_vector(p, &vector[b.vector])) {
    jtext_put(p->body, "jk_addsub");
    put_width(p, item->width);
    jtext_put(p->body, "(");
    put_vector(p, a.vector, 0, lanes);
    jtext_put(p->body, ", ");
    put_vector(p, b.vector, 0, lanes);
    jtext_put(p->body, ")");
    return;
  }
  put_vector(p, a.vector, a.flip, lanes);
  jtext_put(p->body, minus ? " - " : " + ");
  put_vector(p, b.vector, minus ? b.flip ^ all : b.flip, lanes);
}

// Products and quotients: a constant takes the signs, else the first operand.
static void put_product(jemit_printer* p, const jexpr_item* item, int lanes) {
  const jexpr_vector* vector = p->plan->packing.vector;
  unsigned flip = item->arg[0].flip ^ item->arg[1].flip;
  bool second = !is_const_vector(p, &vector[item->arg[0].vector]) &&
                is_const_vector(p, &vector[item->arg[1].vector]);
  put_vector(p, item->arg[0].vector, second ? 0 : flip, lanes);
  jtext_put(p->body, item->op == JEXPR_MUL ? " * " : " / ");
  put_vector(p, item->arg[1].vector, second ? flip : 0, lanes);
}

// `jk_min4(v7, g3)`, `jm_exp_v4(v7)`
static void put_call(jemit_printer* p, const jexpr_item* item, int lanes) {
  bool is_function = jemit_is_function(&jexpr_ops[item->op]);
  jtext_put(p->body, is_function ? "jm_" : "jk_");
  jtext_put(p->body, jexpr_ops[item->op].name);
  if (is_function) jtext_put(p->body, "_v");
  put_width(p, item->width * lanes);
  for (int k = 0; k < item->narg; k++) {
    jtext_put(p->body, k == 0 ? "(" : ", ");
    put_vector(p, item->arg[k].vector, item->arg[k].flip, lanes);
  }
  jtext_put(p->body, ")");
}

// Before the first of two: `jk_v4 jk_s12, jk_c12; jm_sincos_v4(x, &jk_s12, &jk_c12);`
static void put_waves(jemit_printer* p, int first) {
  const jexpr_item* item = &p->plan->packing.item[first];
  int lanes = jemit_plan_lanes(p->plan, item->node[0]);
  jtext_put(p->body, "  ");
  put_type(p, item->width * lanes);
  jtext_put(p->body, " ");
  jemit_put_wave_name(p->body, true, first);
  jtext_put(p->body, ", ");
  jemit_put_wave_name(p->body, false, first);
  jtext_put(p->body, ";\n  jm_sincos_v");
  put_width(p, item->width * lanes);
  jtext_put(p->body, "(");
  put_vector(p, item->arg[0].vector, 0, lanes);
  jtext_put(p->body, ", &");
  jemit_put_wave_name(p->body, true, first);
  jtext_put(p->body, ", &");
  jemit_put_wave_name(p->body, false, first);
  jtext_put(p->body, ");\n");
}

static void put_value(jemit_printer* p, const jexpr_item* item, int lanes) {
  switch (item->op) {
    case JEXPR_ADD: put_sum(p, item, lanes); break;
    case JEXPR_MUL:
    case JEXPR_DIV: put_product(p, item, lanes); break;
    case JEXPR_SELECT: put_choice(p, item, lanes); break;
    default: put_call(p, item, lanes); break;
  }
}

void jemit_put_pack_slot(jemit_printer* p, int item) {
  jtext_put(p->body, "  JK_AT");
  jemit_put_numbers(p, item, jemit_plan_numbers(p->plan, &p->plan->packing.item[item]));
  jemit_put_place(p, p->plan->slot[item]);
  jtext_put(p->body, " = v");
  jemit_put_int(p->body, item);
  jtext_put(p->body, ";\n");
}

void jemit_put_pack(jemit_printer* p, int index) {
  const jexpr_item* item = &p->plan->packing.item[index];
  int lanes = jemit_plan_lanes(p->plan, item->node[0]);
  for (int k = 0; k < item->narg; k++)
    assemble(p, item->arg[k].vector, lanes);
  if (item->op == JEXPR_SELECT) declare_mask(p, item->arg[0].vector, lanes);
  p->is_wide = p->is_wide || item->width * lanes > 2;
  bool is_first = jemit_plan_is_pair(p->plan, index);
  bool is_second = jemit_plan_is_pair(p->plan, index - 1);
  if (is_first) put_waves(p, index);
  begin_vector(p, item->width * lanes, " v", index);
  if (is_first || is_second) {
    jemit_put_wave_name(p->body, item->op == JEXPR_SIN, index - is_second);
  } else {
    put_value(p, item, lanes);
  }
  jtext_put(p->body, ";");
}

void jemit_put_rest(jemit_printer* p) {
  if (p->is_wide) jtext_put(p->body, "  JK_REST();\n");
  p->is_wide = false;
}

// ---- types and helpers

static const char lanes_text[] =
    "\n"
    "typedef %r jk_v$ __attribute__((vector_size(%b * %n)));\n"
    "typedef %r jk_m$ __attribute__((vector_size(%b * %n), aligned(%b), may_alias));\n"
    "typedef %i jk_i$ __attribute__((vector_size(%b * %n)));\n"
    "#define JK_AT$(x) (*(jk_m$*)(x))\n"
    "#define JK_FLIP$(v@, s#;) ((jk_v$)((jk_i$)(v) ^ (jk_i$){^@s# * JK_SIGN%f;}))\n"
    "#if JK_HAS_SHUFFLE\n"
    "#define JK_SHUFFLE$(n, a, b@, i#;) \\\n"
    "  ((jk_v$)__builtin_shufflevector(JK_MOVED##n(a), JK_MOVED##n(b)@, i#;))\n"
    "#else\n"
    "#define JK_SHUFFLE$(n, a, b@, i#;) (jk_v$){^@JK_LANE(n, a, b, i#);}\n"
    "#endif\n"
    "JK_INLINE jk_i$ jk_asked$(jk_v$ a) {\n"
    "  return a != (jk_v$){0.0};\n"
    "}\n"
    "JK_INLINE jk_v$ jk_blend$(jk_i$ m, jk_v$ a, jk_v$ b) {\n"
    "  return (jk_v$)((m & (jk_i$)a) | (~m & (jk_i$)b));\n"
    "}\n"
    "JK_INLINE jk_v$ jk_one$(jk_i$ m) {\n"
    "  return (jk_v$)(m & (jk_i$)(jk_v$){^@1.0;});\n"
    "}\n"
    "JK_INLINE jk_v$ jk_lt$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_one$(a < b);\n"
    "}\n"
    "JK_INLINE jk_v$ jk_le$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_one$(a <= b);\n"
    "}\n"
    "JK_INLINE jk_v$ jk_eq$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_one$(a == b);\n"
    "}\n"
    "JK_INLINE jk_v$ jk_min$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_blend$(a < b, a, b);\n"
    "}\n"
    "JK_INLINE jk_v$ jk_max$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_blend$(a > b, a, b);\n"
    "}\n"
    "JK_INLINE jk_v$ jk_abs$(jk_v$ a) {\n"
    "  return (jk_v$)((jk_i$)a & (jk_i$){^@~JK_SIGN%f;});\n"
    "}\n";

static const char common_text[] =
    "\n"
    "#if defined(__GNUC__)\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
    "#endif\n"
    "#define JK_INLINE static inline __attribute__((always_inline))\n"
    "#define JK_SIGN (-0x7fffffffffffffffLL - 1)\n"
    "/* gcc -O1 does not do that by itself; without, code for older machines is slow afterwards "
    "*/\n"
    "#if defined(__AVX__)\n"
    "#define JK_REST() __builtin_ia32_vzeroupper()\n"
    "#else\n"
    "#define JK_REST() (void)0\n"
    "#endif\n"
    "#define JK_HAS_SHUFFLE 0\n"
    "#if defined(__has_builtin)\n"
    "#if __has_builtin(__builtin_shufflevector)\n"
    "#undef JK_HAS_SHUFFLE\n"
    "#define JK_HAS_SHUFFLE 1\n"
    "#endif\n"
    "#endif\n"
    "/* what lanes are taken from. gcc, 12 and 13 at least, compiles some permutations of\n"
    " * 8 doubles to vpermilpd, which has other ones: 1 0 7 6 becomes 1 0 3 2.\n"
    " * Those of 8 integers are right. */\n"
    "#define JK_MOVED1(x) x\n"
    "#define JK_MOVED2(x) x\n"
    "#define JK_MOVED4(x) x\n"
    "#define JK_MOVED16(x) x\n"
    "#define JK_MOVED32(x) x\n"
    "#define JK_MOVED64(x) x\n"
    "#if defined(__AVX512F__) && !defined(__clang__)\n"
    "typedef long long jk_moved __attribute__((vector_size(8 * 8)));\n"
    "#define JK_MOVED8(x) ((jk_moved)(x))\n"
    "#else\n"
    "#define JK_MOVED8(x) x\n"
    "#endif\n"
    "/* lane i of a, or of b, which have n */\n"
    "#define JK_LANE(n, a, b, i) ((i) < (n) ? (a)[(i) % (n)] : (b)[(i) % (n)])\n";

static const char single_waves_text[] =
    "JK_INLINE void jm_sincos_v2f(jk_v2f a, jk_v2f* sine, jk_v2f* cosine) {\n"
    "  *sine = jm_sin_v2f(a);\n"
    "  *cosine = jm_cos_v2f(a);\n"
    "}\n";

static const char single_text[] =
    "JK_INLINE jk_v$ jk_sqrt$(jk_v$ a) {\n"
    "  return (jk_v$){^@sqrt%f(a[#]);};\n"
    "}\n"
    "JK_INLINE jk_v$ jk_addsub$(jk_v$ a, jk_v$ b) {\n"
    "  return a + JK_FLIP$(b, 1, 0);\n"
    "}\n";

// One lane after another where the machine has no square roots of that many.
static const char root_text[] =
    "JK_INLINE jk_v2 jk_sqrt2(jk_v2 a) {\n"
    "#if defined(__SSE2__)\n"
    "  return __builtin_ia32_sqrtpd(a);\n"
    "#else\n"
    "  return (jk_v2){sqrt(a[0]), sqrt(a[1])};\n"
    "#endif\n"
    "}\n";
static const char addsub_text[] =
    "JK_INLINE jk_v2 jk_addsub2(jk_v2 a, jk_v2 b) {\n"
    "#if defined(__SSE3__)\n"
    "  return __builtin_ia32_addsubpd(a, b);\n"
    "#else\n"
    "  return a + JK_FLIP2(b, 1, 0);\n"
    "#endif\n"
    "}\n";
static const char addsub4_text[] =
    "JK_INLINE jk_v4 jk_addsub4(jk_v4 a, jk_v4 b) {\n"
    "#if defined(__AVX__)\n"
    "  return __builtin_ia32_addsubpd256(a, b);\n"
    "#else\n"
    "  return a + JK_FLIP4(b, 1, 0, 1, 0);\n"
    "#endif\n"
    "}\n";
static const char root4_text[] =
    "JK_INLINE jk_v4 jk_sqrt4(jk_v4 a) {\n"
    "#if defined(__AVX__)\n"
    "  return __builtin_ia32_sqrtpd256(a);\n"
    "#else\n"
    "  return (jk_v4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};\n"
    "#endif\n"
    "}\n";
static const char root8_text[] =
    "JK_INLINE jk_v8 jk_sqrt8(jk_v8 a) {\n"
    "  const jk_v4 l = jk_sqrt4((jk_v4){a[0], a[1], a[2], a[3]});\n"
    "  const jk_v4 h = jk_sqrt4((jk_v4){a[4], a[5], a[6], a[7]});\n"
    "  return (jk_v8){l[0], l[1], l[2], l[3], h[0], h[1], h[2], h[3]};\n"
    "}\n";

void jemit_put_pack_prelude(jtext* t, int lanes, const bool* functions) {
  static const char* const root[] = {root_text, root4_text, root8_text};
  static const char* const addsub[] = {addsub_text, addsub4_text, ""};
  if (lanes < 2) return;
  jtext_put(t, common_text);
  for (int k = 0, n = 2; n <= lanes; k++, n *= 2) {
    jemit_put_for(t, &jemit_double, n, lanes_text);
    jtext_put(t, root[k]);
    jtext_put(t, addsub[k]);
    if (functions[n]) jemit_put_functions(t, n);
  }
}

void jemit_put_single_pack_prelude(jtext* t, const bool* functions) {
  jtext_put(t, "#define JK_SIGNf (-0x7fffffff - 1)\n");
  jemit_put_for(t, &jemit_single, 2, lanes_text);
  jemit_put_for(t, &jemit_single, 2, single_text);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    if (!functions[op]) continue;
    const char* name = jexpr_ops[op].name;
    bool has_two = jexpr_ops[op].arity == 2;
    jtext_printf(t, "JK_INLINE jk_v2f jm_%s_v2f(jk_v2f a%s) {\n", name,
                 has_two ? ", jk_v2f b" : "");
    jtext_printf(t, "  return (jk_v2f){jm_%sf(a[0]%s), jm_%sf(a[1]%s)};\n}\n", name,
                 has_two ? ", b[0]" : "", name, has_two ? ", b[1]" : "");
  }
  if (functions[JEXPR_SIN]) jtext_put(t, single_waves_text);
}
