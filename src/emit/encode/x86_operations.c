// SPDX-License-Identifier: Apache-2.0
// Operations as instructions of x86-64, at three levels: SSE (v2), AVX (v3) and AVX-512 (v4).
#include <string.h>

#include "base/assert.h"
#include "emit/encode/x86.h"
#include "emit/machine/registers.h"

// ---- instructions of two sources -----------------------------------------------------------------

// The destination of an instruction whose first source is in a register: with SSE it is a copy of that.
static int begin_binary(jemit_registers* m, int n, int first, int k) {
  int dst = jemit_result_in(m, k);
  m->busy[dst] = true;
  if (m->c->level < JCPU_V3 && dst != first) {
    jx_put(m->c, JX_COPY, n, dst, -1, jemit_in_register(first), -1, 16);
  }
  return dst;
}

static bool commutes(int op) {
  return op == JEMIT_ADD || op == JEMIT_MUL || op == JEMIT_AND || op == JEMIT_OR || op == JEMIT_XOR;
}

static void binary(jemit_registers* m, jx_instruction i, int a, int b, int imm, int bytes) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = jemit_to_register(m, op->arg[a]);
  jemit_location second = jemit_operand_of(m, b, bytes);
  // VEX has one byte less where the second source is one of the lower registers
  if (m->c->level >= JCPU_V3 && commutes(op->op) && second.kind == JEMIT_REGISTER &&
      second.reg > 7 && first <= 7) {
    int other = first;
    first = second.reg;
    second.reg = other;
    a = !a;
    b = !b;
  }
  if (m->c->level < JCPU_V3 && second.kind == JEMIT_REGISTER && op->arg[a] == op->arg[b]) {
    second.reg = -1;
  }
  bool takes_second = m->c->level >= JCPU_V3 && !jemit_is_dead(m, a) &&
                      second.kind == JEMIT_REGISTER && jemit_is_dead(m, b);
  int dst = begin_binary(m, op->n, first, takes_second ? b : a);
  if (second.kind == JEMIT_REGISTER && second.reg < 0) second.reg = dst;
  jx_put(m->c, i, op->n, dst, m->c->level < JCPU_V3 ? dst : first, second, imm, bytes);
  jemit_finish(m, dst);
}

static void arithmetic(jemit_registers* m, jx_instruction i) {
  const jemit_operation* op = &m->o->operation[m->at];
  bool is_bits = i == JX_AND || i == JX_ANDN || i == JX_OR || i == JX_XOR;
  int bytes = is_bits && op->n == 1 ? 16 : 8 * op->n;
  // the one that is in a register, or will be read again, first
  bool turn =
      commutes(op->op) && m->reg[op->arg[0]] < 0 &&
      (m->reg[op->arg[1]] >= 0 || (jemit_is_folded(m, 0, bytes) && !jemit_is_folded(m, 1, bytes)));
  // SSE overwrites its first source
  if (m->c->level < JCPU_V3 && commutes(op->op) && m->reg[op->arg[1]] >= 0 && jemit_is_dead(m, 1) &&
      !jemit_is_dead(m, 0)) {
    turn = true;
  }
  binary(m, i, turn, !turn, -1, bytes);
}

static void unary(jemit_registers* m, jx_instruction i, int imm) {
  const jemit_operation* op = &m->o->operation[m->at];
  jemit_location source = jemit_operand_of(m, 0, 8 * op->n);
  int dst = jemit_result_in(m, 0);
  bool is_scalar = op->n == 1 && m->c->level >= JCPU_V3;
  int first = !is_scalar ? -1 : source.kind == JEMIT_REGISTER ? source.reg : dst;
  jx_put(m->c, i, op->n, dst, first, source, imm, 8 * op->n);
  jemit_finish(m, dst);
}

// ---- choices -------------------------------------------------------------------------------------

static void compare(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  if (m->c->level < JCPU_V4) {
    binary(m, JX_CMP, 0, 1, op->imm, 8 * op->n);
    return;
  }
  int first = jemit_to_register(m, op->arg[0]);
  jemit_location second = jemit_operand_of(m, 1, 8 * op->n);
  jx_compare_to_mask(m->c, op->n, first, second, op->imm);
  int dst = jemit_result_in(m, 0);
  jx_put(m->c, JX_MASK_TO_VECTOR, op->n < 2 ? 2 : op->n, dst, -1, jemit_in_register(1), -1, 0);
  jemit_finish(m, dst);
}

static void choose(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int n = op->n < 2 ? 2 : op->n;
  int mask = jemit_to_register(m, op->arg[0]), yes = jemit_to_register(m, op->arg[1]);
  int no = jemit_to_register(m, op->arg[2]);
  bool copies = m->c->level >= JCPU_V4 && !jemit_is_dead(m, 0);
  int dst = m->c->level >= JCPU_V4 && !copies ? jemit_result_in(m, 0) : jemit_result_in(m, -1);
  if (m->c->level >= JCPU_V4) {
    if (copies) jx_put(m->c, JX_COPY, n, dst, -1, jemit_in_register(mask), -1, 8 * n);
    jx_put(m->c, JX_TERNARY, n, dst, yes, jemit_in_register(no), 0xca, 8 * n);
  } else {
    jx_put(m->c, JX_BLENDV, n, dst, no, jemit_in_register(yes), mask << 4, 8 * n);
  }
  jemit_finish(m, dst);
}

// ---- places --------------------------------------------------------------------------------------

static void splat(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  jemit_location source = jemit_operand_of(m, 0, 8);
  int dst = jemit_result_in(m, 0);
  jx_put(m->c, op->n == 2 ? JX_DUPLICATE : JX_BROADCAST, op->n, dst, -1, source, -1, 8);
  jemit_finish(m, dst);
}

static void pair(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = jemit_to_register(m, op->arg[0]);
  bool is_memory = jemit_is_folded(m, 1, 8);
  jemit_location second = jemit_operand_of(m, 1, 8);
  bool is_same = !is_memory && second.reg == first;
  int dst = begin_binary(m, 2, first, 0);
  if (is_same && m->c->level < JCPU_V3) second.reg = dst;
  jx_put(m->c, is_memory ? JX_LOAD_HIGH : JX_UNPACK_LOW, 2, dst,
         m->c->level < JCPU_V3 ? dst : first, second, -1, 8);
  jemit_finish(m, dst);
}

static void join(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = jemit_to_register(m, op->arg[0]), bytes = 4 * op->n;
  jemit_location second = jemit_operand_of(m, 1, bytes);
  int dst = jemit_result_in(m, 0);
  jx_put(m->c, op->n == 4 ? JX_INSERT2 : JX_INSERT4, op->n, dst, first, second, 1, bytes);
  jemit_finish(m, dst);
}

static void place(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int value = op->arg[0], r = m->reg[value], n = m->o->value[value].n;
  m->busy[r] = true;
  int dst = jemit_result_in(m, 0), from = r;
  if (op->imm >= 2) {
    jx_put(m->c, JX_EXTRACT2, n, r, -1, jemit_in_register(dst), op->imm / 2, 16);
    from = dst;
  }
  bool copies = dst != from && (op->imm % 2 == 0 || m->c->level < JCPU_V3);
  if (copies) jx_put(m->c, JX_COPY, 2, dst, -1, jemit_in_register(from), -1, 16);
  if (op->imm % 2 == 1) {
    int source = m->c->level < JCPU_V3 ? dst : from;
    jx_put(m->c, JX_UNPACK_HIGH, 2, dst, source, jemit_in_register(source), -1, 16);
  }
  jemit_finish(m, dst);
}

static void chunk(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int value = op->arg[0], r = m->reg[value], n = m->o->value[value].n;
  m->busy[r] = true;
  int dst = jemit_result_in(m, 0);
  if (op->imm > 0) {
    jx_instruction i = op->n == 2 ? JX_EXTRACT2 : JX_EXTRACT4;
    jx_put(m->c, i, n, r, -1, jemit_in_register(dst), op->imm, 8 * op->n);
  } else if (dst != r) {
    jx_put(m->c, JX_COPY, op->n, dst, -1, jemit_in_register(r), -1, 8 * op->n);
  }
  jemit_finish(m, dst);
}

static void permute_two(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = jemit_to_register(m, op->arg[1]);
  jemit_location second = jemit_operand_of(m, 2, 8 * op->n);
  int dst = jemit_result_in(m, -1);
  jx_put(m->c, JX_LOAD, op->n, dst, -1, jemit_memory_of(m, op->arg[0], 0), -1, 8 * op->n);
  jx_put(m->c, JX_PERMUTE_TWO, op->n, dst, first, second, -1, 8 * op->n);
  jemit_finish(m, dst);
}

// ---- all of it -----------------------------------------------------------------------------------

static void operate(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  switch (op->op) {
    case JEMIT_ADD: arithmetic(m, JX_ADD); break;
    case JEMIT_SUB: arithmetic(m, JX_SUB); break;
    case JEMIT_MUL: arithmetic(m, JX_MUL); break;
    case JEMIT_DIV: arithmetic(m, JX_DIV); break;
    case JEMIT_MIN: arithmetic(m, JX_MIN); break;
    case JEMIT_MAX: arithmetic(m, JX_MAX); break;
    case JEMIT_ADDSUB: arithmetic(m, JX_ADDSUB); break;
    case JEMIT_AND: arithmetic(m, JX_AND); break;
    case JEMIT_ANDN: arithmetic(m, JX_ANDN); break;
    case JEMIT_OR: arithmetic(m, JX_OR); break;
    case JEMIT_XOR: arithmetic(m, JX_XOR); break;
    case JEMIT_SQRT: unary(m, JX_SQRT, -1); break;
    case JEMIT_FLOOR: unary(m, op->n == 1 ? JX_ROUND_SCALAR : JX_ROUND, 9); break;
    case JEMIT_COMPARE: compare(m); break;
    case JEMIT_CHOOSE: choose(m); break;
    case JEMIT_SPLAT: splat(m); break;
    case JEMIT_PAIR: pair(m); break;
    case JEMIT_JOIN: join(m); break;
    case JEMIT_PLACE: place(m); break;
    case JEMIT_CHUNK: chunk(m); break;
    case JEMIT_SHUFFLE: binary(m, JX_SHUFFLE, 0, 1, op->imm, 8 * op->n); break;
    case JEMIT_PERMUTE: unary(m, JX_PERMUTE, op->imm); break;
    case JEMIT_BLEND: binary(m, JX_BLEND, 0, 1, op->imm, 8 * op->n); break;
    case JEMIT_PERMUTE_TWO: permute_two(m); break;
    default: JASSERT(false); break;
  }
}

static void load(jemit_code* c, int n, int reg, jemit_location from) {
  bool is_splat = from.is_splat;
  from.is_splat = false;
  jx_instruction spread = n == 2 ? JX_DUPLICATE : JX_BROADCAST;
  jx_put(c, is_splat ? spread : JX_LOAD, n, reg, -1, from, -1, is_splat ? 8 : 8 * n);
}

static void store(jemit_code* c, int n, int reg, jemit_location to) {
  jx_put(c, JX_STORE, n, reg, -1, to, -1, 8 * n);
}

static void store_second(jemit_code* c, int reg, jemit_location to) {
  jx_put(c, JX_STORE_HIGH, 2, reg, -1, to, -1, 8);
}

static void copy(jemit_code* c, int n, int reg, int from) {
  jx_put(c, JX_COPY, n < 2 ? 2 : n, reg, -1, jemit_in_register(from), -1, 8 * n);
}

static void link_distance(uint8_t* code, const jemit_fix* fix, size_t pool) {
  int32_t distance = (int32_t)(pool + fix->pool) - (int32_t)fix->end;
  memcpy(code + fix->code, &distance, sizeof distance);
}

// Of arrays; none outlives calls. rax and rcx are scratch.
static const int pointer[] = {8, 9, 10, 11};

// Windows, those that outlive calls first: rbx and r14 are free below AVX-512.
static const int window[] = {JX_RBX, JX_R14, JX_RAX, JX_RCX, JX_RDX, JX_RSI, JX_RDI};
enum { WINDOWS = sizeof window / sizeof *window, KEPT = 2 };

// Short displacements reach 128 bytes, and with AVX-512 so many vectors or doubles.
enum { REACH = 128, REACH_V4 = 128 * 64, REACH_V4_NARROW = 128 * 8 };

static jx_bases bases_of(const jemit_code* c) {
  const jemit_target* t = jemit_target_of(c->level);
  return (jx_bases){.rbx = t->wide[0].at, .r15 = t->wide[t->nwide - 1].at, .rbp = t->narrow.at};
}

static void enter(jemit_code* c) {
  jx_enter(c, bases_of(c));
}

static void leave(jemit_code* c, int start, int32_t wide) {
  jx_leave(c, bases_of(c), start, wide);
}

#define FOR_ALL_LEVELS(near, near_narrow)                                                        \
  .npointer = sizeof pointer / sizeof *pointer, .nkept = 0, .pointer = pointer, .input = JX_R13, \
  .output = JX_R12, .reach = (near), .narrow = {JX_RBP, near_narrow}, .has_narrow = true,        \
  .argument = {JX_RDI, JX_RSI, JX_RDX}, .padding = {0xcc, 0xcc, 0xcc, 0xcc}, .enter = enter,     \
  .leave = leave, .link = link_distance, .load = load, .store = store,                           \
  .store_second = store_second, .copy = copy, .load_pointer = jx_load_pointer,                   \
  .set_pointer = jx_set_pointer, .add_pointer = jx_add_pointer, .call = jx_call,                 \
  .element = jx_element, .operate = operate

// Without displacements that count in operands: all values are in windows.
#define FOR_SHORT_REACH(numbers)                                                                   \
  FOR_ALL_LEVELS(REACH, REACH), .nwide = 1, .wide = {{JX_R15, REACH}}, .nwindow = WINDOWS,         \
                                .nwindow_kept = KEPT, .window = window, .windowed = (numbers),     \
                                .pool_pointer = jx_pool_pointer, .lanes = (numbers), .nshort = 16, \
                                .nvector = 16

const jemit_target jemit_x86_v2 = {FOR_SHORT_REACH(2), .folds = JEMIT_FOLDS_ALIGNED,
                                   .has_addsub = true};
const jemit_target jemit_x86_v3 = {FOR_SHORT_REACH(4), .folds = JEMIT_FOLDS_VECTORS,
                                   .has_addsub = true, .has_choose = true};
const jemit_target jemit_x86_v4 = {FOR_ALL_LEVELS(REACH_V4, REACH_V4_NARROW),
                                   .nwide = 2,
                                   .wide = {{JX_RBX, REACH_V4}, {JX_R15, 3 * REACH_V4}},
                                   .nwindow = WINDOWS - KEPT,
                                   .window = window + KEPT,
                                   .windowed = 4,
                                   .lanes = 8,
                                   .nshort = 16,
                                   .nvector = 32,
                                   .folds = JEMIT_FOLDS_SPLATS,
                                   .has_choose = true,
                                   .has_permute_two = true};
