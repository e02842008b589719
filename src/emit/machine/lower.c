// SPDX-License-Identifier: Apache-2.0
// From items of a plan to operations over values that fit into registers. What has more numbers than a register is split into
// parts; operands of packs that come from different places are brought together by shuffles.
#include "emit/machine/values.h"

#include <string.h>

#include "base/err.h"
#include "expr/body.h"

#define SIGN_BIT 0x8000000000000000u
#define ONE      0x3ff0000000000000u
#define FEW      8  // break points that are counted, not searched

typedef struct lower {
  jarena* a;  // of lists
  const jemit_plan* plan;
  const jexpr_graph* g;
  int room;   // doubles of a register
  int parts;  // at most, of anything
  const jemit_functions* functions;
  const int* body;
  const size_t* body_work;
  jemit_writer w;
  int* item;       // values of items                                (item x parts)
  int* node;       // values of nodes by themselves, in all lanes    (node x parts)
  int* single;     // values of nodes that do not vary               (node)
  int* splat;      // the same in all places of a register           (node)
  int* vector[2];  // values of gathered vectors, as they are and spread to lanes (vector x parts)
  int* mask;       // of values compared with zero, -1: none         (value)
  int mask_cap;
} lower;

static int least(int a, int b) {
  return a < b ? a : b;
}

static int* no_values(jarena* a, size_t n) {
  int* x = JARENA_ARRAY(a, n, int);
  if (x) memset(x, 0xff, n * sizeof *x);
  return x;
}

// ---- operands ------------------------------------------------------------------------------------

static int lanes_of(const lower* l, jexpr_ref r) {
  return jemit_plan_lanes(l->plan, r);
}

// A number of a node: in that lane, of those that vary.
static jemit_source source_of(const lower* l, jexpr_ref r, int lane) {
  const jexpr_node* node = jexpr_at(l->g, r);
  int own = lanes_of(l, r), at = own > 1 ? lane : 0;
  if (node->op == JEXPR_CONST) {
    return (jemit_source){JEMIT_FROM_CONSTANT, .bits = jemit_bits_of(jexpr_const_value(l->g, r))};
  }
  if (node->op == JEXPR_INPUT) {
    return (jemit_source){JEMIT_FROM_INPUT, .group = (int)node->a,
                          .at = ((int)node->b * own + at) * 8};
  }
  int item = l->plan->packing.at[r];
  at += jexpr_pack_lane(&l->plan->packing, r) * own;
  return (jemit_source){JEMIT_FROM_VALUE, .value = l->item[item * l->parts + at / l->room],
                        .place = at % l->room};
}

static int single(lower* l, jexpr_ref r) {
  if (l->single[r] < 0) {
    jemit_source s = source_of(l, r, 0);
    l->single[r] = jemit_value_number(&l->w, &s);
  }
  return l->single[r];
}

// The part of a node in a register of n: of those that vary, or the same in all places.
static int part_of(lower* l, jexpr_ref r, int part, int n) {
  if (n == 1 && lanes_of(l, r) == 1) return single(l, r);
  bool varies = lanes_of(l, r) > 1;
  int* known = varies ? &l->node[(int)r * l->parts + part] : &l->splat[r];
  if (*known < 0) {
    jemit_source s[8];
    for (int i = 0; i < n; i++) {
      s[i] = source_of(l, r, part * l->room + i);
    }
    *known = jemit_value_gather(&l->w, s, n);
  }
  return *known;
}

// The part of a vector that a pack of so many lanes reads.
static int vector_part(lower* l, int index, int lanes, int part, int n) {
  const jexpr_vector* v = &l->plan->packing.vector[index];
  int is_spread = lanes_of(l, v->lane[0]) != lanes;
  int* known = &l->vector[is_spread][index * l->parts + part];
  if (*known < 0) {
    jemit_source s[8];
    for (int i = 0; i < n; i++) {
      int at = part * l->room + i;
      s[i] = source_of(l, v->lane[at / lanes], at % lanes);
    }
    *known = jemit_value_gather(&l->w, s, n);
  }
  return *known;
}

static bool is_const(const lower* l, jexpr_pack_arg arg) {
  return jexpr_vector_is_const(l->g, &l->plan->packing.vector[arg.vector]);
}

// The same with signs changed: those of constants right away.
static int flipped_part(lower* l, jexpr_pack_arg arg, int lanes, int part, int n) {
  uint64_t bits[8] = {0};
  const jexpr_vector* v = &l->plan->packing.vector[arg.vector];
  bool folds = is_const(l, arg);
  if (arg.flip == 0) return vector_part(l, arg.vector, lanes, part, n);
  for (int i = 0; i < n; i++) {
    int value = (part * l->room + i) / lanes;
    if (folds) bits[i] = jemit_bits_of(jexpr_const_value(l->g, v->lane[value]));
    if (arg.flip >> value & 1u) bits[i] ^= SIGN_BIT;
  }
  int signs = jemit_value_constant(&l->w, bits, n < 2 ? 2 : n);
  if (folds) return signs;
  return jemit_operate(&l->w, JEMIT_XOR, n, 0, vector_part(l, arg.vector, lanes, part, n), signs,
                       -1);
}

// ---- operators -----------------------------------------------------------------------------------

static int compare(lower* l, int n, int how, int a, int b) {
  return jemit_operate(&l->w, JEMIT_COMPARE, n, how, a, b, -1);
}

static int flag(lower* l, int n, int how, int a, int b) {
  return jemit_operate(&l->w, JEMIT_AND, n, 0, compare(l, n, how, a, b),
                       jemit_value_bits(&l->w, ONE, n), -1);
}

static int choose(lower* l, int n, int mask, int a, int b) {
  if (l->w.target->has_choose) return jemit_operate(&l->w, JEMIT_CHOOSE, n, 0, mask, a, b);
  int yes = jemit_operate(&l->w, JEMIT_AND, n, 0, mask, a, -1);
  int no = jemit_operate(&l->w, JEMIT_ANDN, n, 0, mask, b, -1);
  return jemit_operate(&l->w, JEMIT_OR, n, 0, yes, no, -1);
}

// Whether a value is not zero, once for all that ask.
static int asked(lower* l, int n, int value) {
  int before = l->mask_cap;
  if (l->w.o->failed) return 0;
  if (!jmem_grow(l->w.o->ctx, &l->mask, &l->mask_cap, value + 1, sizeof *l->mask)) {
    l->w.o->failed = true;
    return 0;
  }
  for (int i = before; i < l->mask_cap; i++) {
    l->mask[i] = -1;
  }
  if (l->mask[value] < 0) l->mask[value] = compare(l, n, 4, value, jemit_value_bits(&l->w, 0, n));
  return l->mask[value];
}

static int call(lower* l, jexpr_op op, int n, int a, int b) {
  int k = n == 8 ? 3 : n / 2;
  int dst = jemit_operate(&l->w, JEMIT_CALL, n, 0, a, b, -1);
  if (!l->w.o->failed) l->w.o->operation[l->w.o->noperation - 1].call = l->functions->of[op][k];
  return dst;
}

static int sign(lower* l, int n, int a) {
  int zero = jemit_value_bits(&l->w, 0, n);
  return jemit_operate(&l->w, JEMIT_SUB, n, 0, flag(l, n, 1, zero, a), flag(l, n, 1, a, zero), -1);
}

// An operator of fixed arity over n numbers.
static int apply(lower* l, jexpr_op op, int n, int a, int b, int c) {
  switch (op) {
    case JEXPR_ADD: return jemit_operate(&l->w, JEMIT_ADD, n, 0, a, b, -1);
    case JEXPR_SUB: return jemit_operate(&l->w, JEMIT_SUB, n, 0, a, b, -1);
    case JEXPR_MUL: return jemit_operate(&l->w, JEMIT_MUL, n, 0, a, b, -1);
    case JEXPR_DIV: return jemit_operate(&l->w, JEMIT_DIV, n, 0, a, b, -1);
    case JEXPR_MIN: return jemit_operate(&l->w, JEMIT_MIN, n, 0, a, b, -1);
    case JEXPR_MAX: return jemit_operate(&l->w, JEMIT_MAX, n, 0, a, b, -1);
    case JEXPR_NEG:
      return jemit_operate(&l->w, JEMIT_XOR, n, 0, a, jemit_value_bits(&l->w, SIGN_BIT, n), -1);
    case JEXPR_ABS:
      return jemit_operate(&l->w, JEMIT_AND, n, 0, a, jemit_value_bits(&l->w, ~SIGN_BIT, n), -1);
    case JEXPR_SQRT: return jemit_operate(&l->w, JEMIT_SQRT, n, 0, a, -1, -1);
    case JEXPR_FLOOR: return jemit_operate(&l->w, JEMIT_FLOOR, n, 0, a, -1, -1);
    case JEXPR_LT: return flag(l, n, 1, a, b);
    case JEXPR_LE: return flag(l, n, 2, a, b);
    case JEXPR_EQ: return flag(l, n, 0, a, b);
    case JEXPR_SIGN: return sign(l, n, a);
    case JEXPR_SELECT: return choose(l, n, asked(l, n, a), b, c);
    default: return call(l, op, n, a, b);
  }
}

// ---- lists ---------------------------------------------------------------------------------------

static bool has_constants(const jexpr_graph* g, jexpr_ref r) {
  int n = jexpr_nargs(g, r);
  for (int k = 1; k < n; k++) {
    if (!jexpr_is_const(g, jexpr_arg(g, r, k))) return false;
  }
  return true;
}

static double constant_at(const lower* l, jexpr_ref r, int k) {
  return jexpr_const_value(l->g, jexpr_arg(l->g, r, k));
}

static bool is_counted(const lower* l, jexpr_ref r) {
  int n = jexpr_nargs(l->g, r) - 1;
  if (jexpr_at(l->g, r)->op != JEXPR_LOCATE || n < 3 || n > FEW || !has_constants(l->g, r)) {
    return false;
  }
  for (int k = 2; k <= n; k++) {
    if (!(constant_at(l, r, k - 1) <= constant_at(l, r, k))) return false;
  }
  return true;
}

// Break points that are passed; the first and the last one do not matter.
static int count_passed(lower* l, jexpr_ref r, int part, int n) {
  int x = part_of(l, jexpr_arg(l->g, r, 0), part, n), sum = -1;
  for (int k = 2; k < jexpr_nargs(l->g, r) - 1; k++) {
    int point = part_of(l, jexpr_arg(l->g, r, k), part, n);
    int passed = flag(l, n, 2, point, x);
    sum = sum < 0 ? passed : jemit_operate(&l->w, JEMIT_ADD, n, 0, sum, passed, -1);
  }
  return sum;
}

// The second of two values where the index is in [1, 2).
static int pick_one(lower* l, jexpr_ref r, int part, int n) {
  jexpr_ref index = jexpr_arg(l->g, r, 0);
  int k = part_of(l, index, part, n), mask;
  if (jexpr_is_flag(l->g, index)) {
    mask = asked(l, n, k);
  } else {
    int above = compare(l, n, 2, jemit_value_bits(&l->w, ONE, n), k);
    int below = compare(l, n, 1, k, jemit_value_bits(&l->w, jemit_bits_of(2.0), n));
    mask = jemit_operate(&l->w, JEMIT_AND, n, 0, above, below, -1);
  }
  int second = part_of(l, jexpr_arg(l->g, r, 2), part, n);
  return choose(l, n, mask, second, part_of(l, jexpr_arg(l->g, r, 1), part, n));
}

static void need_list(lower* l, size_t doubles) {
  if (l->w.o->list_size < doubles) l->w.o->list_size = doubles;
}

// Operands from the `first` on in the frame, lane-innermost.
static void put_arguments(lower* l, jexpr_ref r, int first, int lanes) {
  int n = jexpr_nargs(l->g, r), parts = (lanes + l->room - 1) / l->room;
  int width = least(lanes, l->room);
  for (int k = first; k < n; k++) {
    for (int p = 0; p < parts; p++) {
      int at = ((k - first) * lanes + p * l->room) * 8;
      int value = part_of(l, jexpr_arg(l->g, r, k), p, width);
      jemit_new_operation(&l->w, (jemit_operation){.op = JEMIT_ARGUMENT,
                                                   .n = (uint8_t)width,
                                                   .dst = -1,
                                                   .second = -1,
                                                   .arg = {value, -1, -1},
                                                   .at = at});
    }
  }
  need_list(l, (size_t)(n - first) * (size_t)lanes);
}

static int pick_single(lower* l, jexpr_ref r) {
  int n = jexpr_nargs(l->g, r) - 1, at = 0;
  bool is_constant = has_constants(l->g, r);
  int index = single(l, jexpr_arg(l->g, r, 0));
  for (int k = 1; is_constant && k <= n; k++) {
    uint64_t bits = jemit_bits_of(constant_at(l, r, k));
    int here = jemit_value_pool(&l->w, &bits, 1);
    if (k == 1) at = here;
  }
  if (!is_constant) put_arguments(l, r, 1, 1);
  int dst = jemit_operate(&l->w, JEMIT_PICK, 1, n, index, -1, -1);
  if (!l->w.o->failed) {
    l->w.o->operation[l->w.o->noperation - 1].at = at;
    l->w.o->operation[l->w.o->noperation - 1].group = !is_constant;
  }
  return dst;
}

static const double* list_constants(lower* l, jexpr_ref r) {
  int n = jexpr_nargs(l->g, r);
  double* x = JARENA_ARRAY(l->a, n, double);
  if (!x) l->w.o->failed = true;
  for (int k = 1; x && k < n; k++) {
    x[k - 1] = constant_at(l, r, k);
  }
  return x;
}

// First operand in the list, and what about says.
static int describe_list(lower* l, jexpr_ref r, jemit_list* about) {
  int n = jexpr_nargs(l->g, r), first = 0;
  about->op = (jexpr_op)jexpr_at(l->g, r)->op;
  about->body = -1;
  if (about->op == JEXPR_DATA) {
    jexpr_data_args d = jexpr_data_of(l->g, r);
    about->data[0] = d.which, about->data[1] = d.du, about->data[2] = d.dv;
    first = 4;
  } else if (about->op == JEXPR_SOLVE) {
    int body = (int)(jexpr_body_of(l->g, r) - l->g->body);
    about->body = l->body[body];
    about->work = (n - 1) * about->lanes;
    first = 1;
    need_list(l, (size_t)about->work + (size_t)n + l->body_work[body]);
  } else if (has_constants(l->g, r)) {
    about->constant = list_constants(l, r);
  }
  about->n = n - first;
  return first;
}

// By a function, through memory.
static void call_list(lower* l, jexpr_ref r, int lanes, int* dst) {
  int width = least(lanes, l->room), parts = lanes / width;
  jemit_list* about = JARENA_ARRAY(l->a, 1, jemit_list);
  if (!about) {
    l->w.o->failed = true;
    return;
  }
  about->lanes = lanes;
  int first = describe_list(l, r, about);
  if (about->constant) {
    for (int p = 0; p < parts; p++) {
      int x = part_of(l, jexpr_arg(l->g, r, 0), p, width);
      jemit_new_operation(&l->w, (jemit_operation){.op = JEMIT_ARGUMENT,
                                                   .n = (uint8_t)width,
                                                   .dst = -1,
                                                   .second = -1,
                                                   .arg = {x, -1, -1},
                                                   .at = p * l->room * 8});
    }
    need_list(l, (size_t)lanes);
  } else {
    put_arguments(l, r, first, lanes);
  }
  for (int p = 0; p < parts; p++) {
    dst[p] = jemit_value_new(&l->w, (jemit_value){.n = (uint8_t)width});
    jemit_operation op = {.op = JEMIT_LIST,
                          .n = (uint8_t)width,
                          .dst = dst[p],
                          .second = -1,
                          .arg = {-1, -1, -1},
                          .group = about->op == JEXPR_DATA ? jexpr_data_of(l->g, r).group : -1,
                          .at = p * l->room * 8,
                          .about = p == 0 ? about : NULL};
    jemit_new_operation(&l->w, op);
  }
}

static void list_operator(lower* l, jexpr_ref r, int lanes, int* dst) {
  bool is_pick = jexpr_at(l->g, r)->op == JEXPR_PICK, is_pair = jexpr_nargs(l->g, r) == 3;
  int width = least(lanes, l->room), parts = lanes / width;
  if (is_pick && !is_pair && lanes == 1) {
    dst[0] = pick_single(l, r);
    return;
  }
  if (!(is_pick && is_pair) && !is_counted(l, r)) {
    call_list(l, r, lanes, dst);
    return;
  }
  for (int p = 0; p < parts; p++) {
    dst[p] = is_pick ? pick_one(l, r, p, width) : count_passed(l, r, p, width);
  }
}

// ---- items ---------------------------------------------------------------------------------------

// A sum of packs: b - a for (-a) + b, and signs that change by turns where machines have that.
static int sum(lower* l, const jexpr_item* item, int lanes, int part, int n) {
  unsigned all = (1u << item->width) - 1u;
  jexpr_pack_arg a = item->arg[0], b = item->arg[1];
  bool turn = !is_const(l, a) && (a.flip == all || (b.flip != all && (a.flip & 1u)));
  if (turn) {
    jexpr_pack_arg first = a;
    a = b;
    b = first;
  }
  bool alternates = lanes == 1 && a.flip == 0 && !is_const(l, b) && l->w.target->has_addsub &&
                    ((item->width == 2 && b.flip == 1u) || (item->width == 4 && b.flip == 5u)) &&
                    n == item->width;
  if (alternates) {
    int first = vector_part(l, a.vector, lanes, part, n);
    return jemit_operate(&l->w, JEMIT_ADDSUB, n, 0, first, vector_part(l, b.vector, lanes, part, n),
                         -1);
  }
  bool minus = (b.flip & 1u) && !is_const(l, b);
  if (minus) b.flip ^= all;
  int first = flipped_part(l, a, lanes, part, n), second = flipped_part(l, b, lanes, part, n);
  return jemit_operate(&l->w, minus ? JEMIT_SUB : JEMIT_ADD, n, 0, first, second, -1);
}

// Products and quotients: a constant takes the signs, else the first operand.
static int product(lower* l, const jexpr_item* item, int lanes, int part, int n) {
  jexpr_pack_arg a = item->arg[0], b = item->arg[1];
  unsigned flip = a.flip ^ b.flip;
  bool second = !is_const(l, a) && is_const(l, b);
  a.flip = second ? 0 : flip;
  b.flip = second ? flip : 0;
  int x = flipped_part(l, a, lanes, part, n), y = flipped_part(l, b, lanes, part, n);
  return jemit_operate(&l->w, item->op == JEXPR_MUL ? JEMIT_MUL : JEMIT_DIV, n, 0, x, y, -1);
}

static int pack_part(lower* l, const jexpr_item* item, int lanes, int part, int n) {
  if (item->op == JEXPR_ADD) return sum(l, item, lanes, part, n);
  if (item->op == JEXPR_MUL || item->op == JEXPR_DIV) return product(l, item, lanes, part, n);
  int arg[3] = {-1, -1, -1};
  for (int k = 0; k < item->narg; k++) {
    arg[k] = flipped_part(l, item->arg[k], lanes, part, n);
  }
  return apply(l, item->op, n, arg[0], arg[1], arg[2]);
}

static int single_part(lower* l, const jexpr_item* item, int part, int n) {
  jexpr_ref r = item->node[0];
  int arg[3] = {-1, -1, -1};
  for (int k = 0; k < jexpr_ops[item->op].arity; k++) {
    arg[k] = part_of(l, jexpr_arg(l->g, r, k), part, n);
  }
  return apply(l, item->op, n, arg[0], arg[1], arg[2]);
}

// Sine and cosine together, the one of `index` and the one behind it.
static void waves(lower* l, int index, int lanes, int parts, int n) {
  const jexpr_item* item = &l->plan->packing.item[index];
  bool is_sine = item->op == JEXPR_SIN;
  for (int p = 0; p < parts; p++) {
    int x = item->width == 1 ? part_of(l, jexpr_arg(l->g, item->node[0], 0), p, n)
                             : flipped_part(l, item->arg[0], lanes, p, n);
    int sine = jemit_value_new(&l->w, (jemit_value){.n = (uint8_t)n});
    int cosine = jemit_value_new(&l->w, (jemit_value){.n = (uint8_t)n});
    jemit_new_operation(&l->w, (jemit_operation){.op = JEMIT_WAVES,
                                                 .n = (uint8_t)n,
                                                 .dst = sine,
                                                 .second = cosine,
                                                 .arg = {x, -1, -1},
                                                 .call = l->functions->waves[n == 8 ? 3 : n / 2]});
    l->item[index * l->parts + p] = is_sine ? sine : cosine;
    l->item[(index + 1) * l->parts + p] = is_sine ? cosine : sine;
  }
  need_list(l, 8);
}

static void compute(lower* l, int index) {
  const jexpr_item* item = &l->plan->packing.item[index];
  int lanes = lanes_of(l, item->node[0]), numbers = item->width * lanes;
  int n = least(numbers, l->room), parts = numbers / n;
  int* dst = &l->item[index * l->parts];
  if (jemit_plan_is_pair(l->plan, index - 1)) return;
  if (jemit_plan_is_pair(l->plan, index)) {
    waves(l, index, lanes, parts, n);
  } else if (jexpr_ops[item->op].arity < 0) {
    list_operator(l, item->node[0], lanes, dst);
  } else {
    for (int p = 0; p < parts; p++) {
      dst[p] = item->width == 1 ? single_part(l, item, p, n) : pack_part(l, item, lanes, p, n);
    }
  }
}

// ---- outputs -------------------------------------------------------------------------------------

static void store(lower* l, int op, int value, int n, int place, int group, int at) {
  jemit_new_operation(&l->w, (jemit_operation){.op = (uint8_t)op,
                                               .n = (uint8_t)n,
                                               .imm = place,
                                               .dst = -1,
                                               .second = -1,
                                               .arg = {value, -1, -1},
                                               .group = group,
                                               .at = at});
}

static void store_lanes(lower* l, const jemit_store* s) {
  int lanes = l->plan->lanes, n = least(lanes, l->room);
  for (int p = 0; p < lanes / n; p++) {
    int at = (s->index * lanes + p * l->room) * 8;
    store(l, JEMIT_STORE, part_of(l, s->ref, p, n), n, 0, s->group, at);
  }
}

// A number of a vector without taking it out, where machines can.
static void store_one(lower* l, const jemit_store* s) {
  jemit_source from = source_of(l, s->ref, 0);
  bool is_inside = from.from == JEMIT_FROM_VALUE && jemit_value_width(&l->w, from.value) > 1 &&
                   l->single[s->ref] < 0;
  if (!is_inside) {
    store(l, JEMIT_STORE, single(l, s->ref), 1, 0, s->group, s->index * 8);
    return;
  }
  int place, value = jemit_value_half(&l->w, &from, &place);
  store(l, JEMIT_STORE_PLACE, value, 2, place, s->group, s->index * 8);
}

// The output that takes the k-th number of a pack side by side with that of the first; NULL: there is none.
static const jemit_store* find_next(const lower* l, int item, const jemit_store* first, int k) {
  const jexpr_item* it = &l->plan->packing.item[item];
  for (int s = l->plan->first_store[item]; s >= 0; s = l->plan->store[s].next) {
    const jemit_store* x = &l->plan->store[s];
    if (x->ref == it->node[k] && x->group == first->group && x->index == first->index + k) return x;
  }
  return NULL;
}

static bool is_whole(const lower* l, int item, const jemit_store* first) {
  int width = l->plan->packing.item[item].width;
  for (int k = 0; k < width; k++) {
    if (!find_next(l, item, first, k)) return false;
  }
  return true;
}

static void store_outputs(lower* l, int item) {
  const jexpr_item* it = &l->plan->packing.item[item];
  for (int s = l->plan->first_store[item]; s >= 0; s = l->plan->store[s].next) {
    const jemit_store* x = &l->plan->store[s];
    if (l->plan->lanes > 1) {
      store_lanes(l, x);
      continue;
    }
    int k = jexpr_pack_lane(&l->plan->packing, x->ref);
    jemit_store first = {.group = x->group, .index = x->index - k};
    bool whole = it->width > 1 && it->width <= l->room && is_whole(l, item, &first);
    if (!whole) {
      store_one(l, x);
    } else if (k == 0) {
      store(l, JEMIT_STORE, l->item[item * l->parts], it->width, 0, x->group, x->index * 8);
    }
  }
}

// ---- all of it -----------------------------------------------------------------------------------

static bool allocate(lower* l, jarena* a) {
  const jemit_plan* p = l->plan;
  size_t parts = (size_t)l->parts, nodes = (size_t)l->g->nnode;
  l->item = no_values(a, (size_t)p->packing.n * parts);
  l->node = no_values(a, nodes * parts);
  l->single = no_values(a, nodes);
  l->splat = no_values(a, nodes);
  l->vector[0] = no_values(a, (size_t)p->packing.nvector * parts);
  l->vector[1] = no_values(a, (size_t)p->packing.nvector * parts);
  return l->item && l->node && l->single && l->splat && l->vector[0] && l->vector[1];
}

jo_status jemit_lower(jo_context* ctx, jarena* a, jarena* scratch, const jemit_plan* plan,
                      const jemit_target* target, const jemit_functions* functions, const int* body,
                      const size_t* body_work, jemit_operations* out) {
  *out = (jemit_operations){.ctx = ctx};
  lower l = {.a = a,
             .plan = plan,
             .g = plan->fn->graph,
             .room = target->lanes,
             .functions = functions,
             .body = body,
             .body_work = body_work,
             .w = {.o = out, .target = target}};
  l.parts = (jemit_plan_widest(plan) + l.room - 1) / l.room;
  if (!allocate(&l, scratch)) return jerr_memory(ctx);
  for (int i = 0; i < plan->packing.n; i++) {
    compute(&l, i);
    store_outputs(&l, i);
  }
  for (int i = 0; i < plan->nleaf; i++) {
    const jemit_store* s = &plan->store[plan->leaf[i]];
    if (plan->lanes > 1) {
      store_lanes(&l, s);
    } else {
      store_one(&l, s);
    }
  }
  jmem_free(ctx, l.mask);
  return out->failed ? jerr_memory(ctx) : JO_OK;
}

void jemit_operations_free(jemit_operations* o) {
  jmem_free(o->ctx, o->operation);
  jmem_free(o->ctx, o->value);
  jmem_free(o->ctx, o->pool);
  jmem_free(o->ctx, o->known);
}
