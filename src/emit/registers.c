// SPDX-License-Identifier: Apache-2.0
#include "emit/registers.h"

#include <assert.h>
#include <limits.h>

#include "base/err.h"

#define NEVER        INT_MAX
#define SOON         16  // operations: a value in memory that is read again before is brought to a register
#define VECTORS_MAX  32
#define POINTERS_MAX 16

typedef struct machine {
  const jemit_operations* o;
  const jemit_functions* functions;
  jx_code* c;
  int pool_base;
  int nregister;
  int* next;               // operation that reads a value next                      (value)
  int* after;              // the same behind each use                               (operation x 3)
  int* reg;                // of a value; -1: none                                   (value)
  int* slot;               // in the frame [bytes]; -1: none                         (value)
  int held[VECTORS_MAX];   // value in a register; -1: none
  bool busy[VECTORS_MAX];  // needed by the operation at hand
  int* free_slot[4];       // by size 1, 2, 4, 8
  int nfree[4];
  int frame;  // [bytes]
  int pointer
      [POINTERS_MAX];  // array that a general register points to: inputs from 0, outputs from -2 down; -1: none
  int64_t used[POINTERS_MAX];
  int64_t clock;
  int at;  // operation at hand
} machine;

// rbp, r14 and r15 outlive calls; rax and rcx are scratch.
static const int pointer_register[] = {5, 14, 15, 2, 6, 7, 8, 9, 10, 11};
enum { POINTERS = sizeof pointer_register / sizeof *pointer_register, KEPT = 3 };

// ---- uses ----------------------------------------------------------------------------------------

static void find_uses(machine* m) {
  for (int i = 0; i < m->o->nvalue; i++) {
    m->next[i] = NEVER;
  }
  for (int i = m->o->noperation - 1; i >= 0; i--) {
    const jemit_operation* op = &m->o->operation[i];
    int before[3];
    for (int k = 0; k < 3; k++) {
      before[k] = op->arg[k] >= 0 ? m->next[op->arg[k]] : NEVER;
    }
    for (int k = 0; k < 3; k++) {
      m->after[3 * i + k] = before[k];
      if (op->arg[k] >= 0) m->next[op->arg[k]] = i;
    }
  }
}

static bool is_dead(const machine* m, int k) {
  return m->after[3 * m->at + k] == NEVER;
}

// ---- memory --------------------------------------------------------------------------------------

static int log2_of(int n) {
  return n == 8 ? 3 : n / 2;
}

static int take_slot(machine* m, int n) {
  int k = log2_of(n);
  if (m->nfree[k] > 0) return m->free_slot[k][--m->nfree[k]];
  int at = (m->frame + 8 * n - 1) / (8 * n) * (8 * n);
  m->frame = at + 8 * n;
  return at;
}

static int pointer_to(machine* m, int array) {
  int oldest = 0;
  for (int i = 0; i < POINTERS; i++) {
    if (m->pointer[i] == array) {
      m->used[i] = ++m->clock;
      return pointer_register[i];
    }
    if (m->used[i] < m->used[oldest]) oldest = i;
  }
  bool is_output = array < -1;
  int index = is_output ? -2 - array : array;
  jx_load_pointer(m->c, pointer_register[oldest], is_output ? JX_R12 : JX_RBX, 8 * index);
  m->pointer[oldest] = array;
  m->used[oldest] = ++m->clock;
  return pointer_register[oldest];
}

static bool is_in_memory(const machine* m, int value) {
  uint8_t home = m->o->value[value].home;
  return m->slot[value] >= 0 || home == JEMIT_INPUT || home == JEMIT_CONSTANT;
}

// Memory of a value, from a place on.
static jx_operand memory_of(machine* m, int value, int place) {
  const jemit_value* v = &m->o->value[value];
  if (v->home == JEMIT_INPUT) return jx_memory(pointer_to(m, v->group), v->at + 8 * place);
  if (v->home == JEMIT_CONSTANT) {
    return (jx_operand){.place = JX_POOL, .at = m->pool_base + v->at + 8 * place};
  }
  assert(m->slot[value] >= 0);
  return jx_memory(JX_R13, m->slot[value] + 8 * place);
}

// ---- registers -----------------------------------------------------------------------------------

static void spill(machine* m, int value) {
  int n = m->o->value[value].n;
  m->slot[value] = take_slot(m, n);
  jx_put(m->c, JX_STORE, n, m->reg[value], -1, jx_memory(JX_R13, m->slot[value]), -1, 8 * n);
}

static void drop(machine* m, int r) {
  int value = m->held[r];
  if (value >= 0) m->reg[value] = -1;
  m->held[r] = -1;
}

static void hold(machine* m, int value, int r) {
  m->held[r] = value;
  m->reg[value] = r;
  m->busy[r] = true;
}

static int free_register(machine* m) {
  int best = -1;
  for (int r = 0; r < m->nregister; r++) {
    if (m->busy[r]) continue;
    if (m->held[r] < 0) return r;
    if (best < 0 || m->next[m->held[r]] > m->next[m->held[best]]) best = r;
  }
  assert(best >= 0);
  int value = m->held[best];
  if (m->next[value] != NEVER && !is_in_memory(m, value)) spill(m, value);
  drop(m, best);
  return best;
}

static void load(machine* m, int value, int r) {
  const jemit_value* v = &m->o->value[value];
  bool is_splat = v->is_splat;
  jx_put(m->c, is_splat ? JX_BROADCAST : JX_LOAD, v->n, r, -1, memory_of(m, value, 0), -1,
         is_splat ? 8 : 8 * v->n);
}

static int to_register(machine* m, int value) {
  if (m->reg[value] < 0) {
    int r = free_register(m);
    load(m, value, r);
    hold(m, value, r);
  }
  m->busy[m->reg[value]] = true;
  return m->reg[value];
}

static bool takes_splat(const machine* m) {
  int op = m->o->operation[m->at].op;
  return op <= JEMIT_XOR || op == JEMIT_COMPARE;
}

// Whether an instruction reads the k-th operand from memory: it is not in a register, nor read again soon.
static bool is_folded(const machine* m, int k, int bytes) {
  int value = m->o->operation[m->at].arg[k];
  const jemit_value* v = &m->o->value[value];
  if (m->reg[value] >= 0 || !is_in_memory(m, value)) return false;
  if (8 * v->n < bytes) return false;
  if (v->is_splat && !(m->c->level >= JCPU_V4 && bytes == 8 * v->n && takes_splat(m))) return false;
  bool is_aligned = v->home != JEMIT_INPUT || bytes == 8;
  if (m->c->level < JCPU_V3 && !is_aligned) return false;
  int again = m->after[3 * m->at + k];
  return again == NEVER || again - m->at > SOON;
}

static jx_operand operand(machine* m, int k, int bytes) {
  int value = m->o->operation[m->at].arg[k];
  if (is_folded(m, k, bytes)) {
    jx_operand o = memory_of(m, value, 0);
    o.is_splat = m->o->value[value].is_splat;
    return o;
  }
  return jx_register(to_register(m, value));
}

// Uses of the operation are over: values that nobody reads again leave their places.
static void release(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  for (int k = 0; k < 3; k++) {
    int value = op->arg[k];
    if (value < 0) continue;
    m->next[value] = m->after[3 * m->at + k];
    if (m->next[value] != NEVER) continue;
    if (m->reg[value] >= 0) drop(m, m->reg[value]);
    if (m->slot[value] >= 0) {
      int size = log2_of(m->o->value[value].n);
      m->free_slot[size][m->nfree[size]++] = m->slot[value];
      m->slot[value] = -1;
    }
  }
}

// A register for the result: that of the k-th operand where its value is not read again. Values read later keep their own.
static int result_in(machine* m, int k) {
  int value = k >= 0 ? m->o->operation[m->at].arg[k] : -1;
  if (value >= 0 && m->reg[value] >= 0 && is_dead(m, k)) {
    int r = m->reg[value];
    drop(m, r);
    return r;
  }
  return free_register(m);
}

static void finish(machine* m, int r) {
  release(m);
  int value = m->o->operation[m->at].dst;
  if (m->next[value] == NEVER) return;
  hold(m, value, r);
}

// ---- instructions of two sources -----------------------------------------------------------------

// The destination of an instruction whose first source is in a register: with SSE it is a copy of that.
static int begin_binary(machine* m, int n, int first, int k) {
  int dst = result_in(m, k);
  m->busy[dst] = true;
  if (m->c->level < JCPU_V3 && dst != first) {
    jx_put(m->c, JX_COPY, n, dst, -1, jx_register(first), -1, 16);
  }
  return dst;
}

static void binary(machine* m, jx_instruction i, int a, int b, int imm, int bytes) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = to_register(m, op->arg[a]);
  jx_operand second = operand(m, b, bytes);
  if (m->c->level < JCPU_V3 && second.place == JX_REGISTER && op->arg[a] == op->arg[b]) {
    second.reg = -1;
  }
  bool takes_second =
      m->c->level >= JCPU_V3 && !is_dead(m, a) && second.place == JX_REGISTER && is_dead(m, b);
  int dst = begin_binary(m, op->n, first, takes_second ? b : a);
  if (second.place == JX_REGISTER && second.reg < 0) second.reg = dst;
  jx_put(m->c, i, op->n, dst, m->c->level < JCPU_V3 ? dst : first, second, imm, bytes);
  finish(m, dst);
}

static bool commutes(int op) {
  return op == JEMIT_ADD || op == JEMIT_MUL || op == JEMIT_AND || op == JEMIT_OR || op == JEMIT_XOR;
}

static void arithmetic(machine* m, jx_instruction i) {
  const jemit_operation* op = &m->o->operation[m->at];
  bool is_bits = i == JX_AND || i == JX_ANDN || i == JX_OR || i == JX_XOR;
  int bytes = is_bits && op->n == 1 ? 16 : 8 * op->n;
  // the one that is in a register, or will be read again, first
  bool turn = commutes(op->op) && m->reg[op->arg[0]] < 0 &&
              (m->reg[op->arg[1]] >= 0 || (is_folded(m, 0, bytes) && !is_folded(m, 1, bytes)));
  // SSE overwrites its first source
  if (m->c->level < JCPU_V3 && commutes(op->op) && m->reg[op->arg[1]] >= 0 && is_dead(m, 1) &&
      !is_dead(m, 0)) {
    turn = true;
  }
  binary(m, i, turn, !turn, -1, bytes);
}

static void unary(machine* m, jx_instruction i, int imm) {
  const jemit_operation* op = &m->o->operation[m->at];
  jx_operand source = operand(m, 0, 8 * op->n);
  int dst = result_in(m, 0);
  bool is_scalar = op->n == 1 && m->c->level >= JCPU_V3;
  int first = !is_scalar ? -1 : source.place == JX_REGISTER ? source.reg : dst;
  jx_put(m->c, i, op->n, dst, first, source, imm, 8 * op->n);
  finish(m, dst);
}

// ---- choices -------------------------------------------------------------------------------------

static void compare(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  if (m->c->level < JCPU_V4) {
    binary(m, JX_CMP, 0, 1, op->imm, 8 * op->n);
    return;
  }
  int first = to_register(m, op->arg[0]);
  jx_operand second = operand(m, 1, 8 * op->n);
  jx_compare_to_mask(m->c, op->n, first, second, op->imm);
  int dst = result_in(m, 0);
  jx_put(m->c, JX_MASK_TO_VECTOR, op->n < 2 ? 2 : op->n, dst, -1, jx_register(1), -1, 0);
  finish(m, dst);
}

static void choose(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int n = op->n < 2 ? 2 : op->n;
  int mask = to_register(m, op->arg[0]), yes = to_register(m, op->arg[1]);
  int no = to_register(m, op->arg[2]);
  bool copies = m->c->level >= JCPU_V4 && !is_dead(m, 0);
  int dst = m->c->level >= JCPU_V4 && !copies ? result_in(m, 0) : free_register(m);
  if (m->c->level >= JCPU_V4) {
    if (copies) jx_put(m->c, JX_COPY, n, dst, -1, jx_register(mask), -1, 8 * n);
    jx_put(m->c, JX_TERNARY, n, dst, yes, jx_register(no), 0xca, 8 * n);
  } else {
    jx_put(m->c, JX_BLENDV, n, dst, no, jx_register(yes), mask << 4, 8 * n);
  }
  finish(m, dst);
}

// ---- places --------------------------------------------------------------------------------------

static void splat(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  jx_operand source = operand(m, 0, 8);
  int dst = result_in(m, 0);
  jx_put(m->c, op->n == 2 ? JX_DUPLICATE : JX_BROADCAST, op->n, dst, -1, source, -1, 8);
  finish(m, dst);
}

static void pair(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = to_register(m, op->arg[0]);
  bool is_memory = is_folded(m, 1, 8);
  jx_operand second = operand(m, 1, 8);
  bool is_same = !is_memory && second.reg == first;
  int dst = begin_binary(m, 2, first, 0);
  if (is_same && m->c->level < JCPU_V3) second.reg = dst;
  jx_put(m->c, is_memory ? JX_LOAD_HIGH : JX_UNPACK_LOW, 2, dst,
         m->c->level < JCPU_V3 ? dst : first, second, -1, 8);
  finish(m, dst);
}

static void join(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = to_register(m, op->arg[0]), bytes = 4 * op->n;
  jx_operand second = operand(m, 1, bytes);
  int dst = result_in(m, 0);
  jx_put(m->c, op->n == 4 ? JX_INSERT2 : JX_INSERT4, op->n, dst, first, second, 1, bytes);
  finish(m, dst);
}

// The value at a place; what lies in memory is read from there.
static void place(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int value = op->arg[0], r = m->reg[value], n = m->o->value[value].n;
  if (r < 0) {
    jx_operand from = memory_of(m, value, op->imm);
    int dst = free_register(m);
    jx_put(m->c, JX_LOAD, 1, dst, -1, from, -1, 8);
    finish(m, dst);
    return;
  }
  m->busy[r] = true;
  int dst = result_in(m, 0), from = r;
  if (op->imm >= 2) {
    jx_put(m->c, JX_EXTRACT2, n, r, -1, jx_register(dst), op->imm / 2, 16);
    from = dst;
  }
  bool copies = dst != from && (op->imm % 2 == 0 || m->c->level < JCPU_V3);
  if (copies) jx_put(m->c, JX_COPY, 2, dst, -1, jx_register(from), -1, 16);
  if (op->imm % 2 == 1) {
    int source = m->c->level < JCPU_V3 ? dst : from;
    jx_put(m->c, JX_UNPACK_HIGH, 2, dst, source, jx_register(source), -1, 16);
  }
  finish(m, dst);
}

static void chunk(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int value = op->arg[0], r = m->reg[value], n = m->o->value[value].n;
  if (r < 0) {
    jx_operand from = memory_of(m, value, op->imm * op->n);
    int dst = free_register(m);
    jx_put(m->c, JX_LOAD, op->n, dst, -1, from, -1, 8 * op->n);
    finish(m, dst);
    return;
  }
  m->busy[r] = true;
  int dst = result_in(m, 0);
  if (op->imm > 0) {
    jx_instruction i = op->n == 2 ? JX_EXTRACT2 : JX_EXTRACT4;
    jx_put(m->c, i, n, r, -1, jx_register(dst), op->imm, 8 * op->n);
  } else if (dst != r) {
    jx_put(m->c, JX_COPY, op->n, dst, -1, jx_register(r), -1, 8 * op->n);
  }
  finish(m, dst);
}

static void permute_two(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int first = to_register(m, op->arg[1]);
  jx_operand second = operand(m, 2, 8 * op->n);
  int dst = free_register(m);
  jx_put(m->c, JX_LOAD, op->n, dst, -1, memory_of(m, op->arg[0], 0), -1, 8 * op->n);
  jx_put(m->c, JX_PERMUTE_TWO, op->n, dst, first, second, -1, 8 * op->n);
  finish(m, dst);
}

// ---- calls ---------------------------------------------------------------------------------------

// Nothing in registers outlives a call.
static void save_all(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  for (int r = 0; r < m->nregister; r++) {
    int value = m->held[r];
    if (value < 0) continue;
    int next = m->next[value];
    for (int k = 0; k < 3; k++) {
      if (op->arg[k] == value) next = m->after[3 * m->at + k];
    }
    if (next != NEVER && !is_in_memory(m, value)) spill(m, value);
  }
}

static void forget_all(machine* m) {
  for (int r = 0; r < m->nregister; r++) {
    drop(m, r);
  }
  for (int i = KEPT; i < POINTERS; i++) {
    m->pointer[i] = -1;
    m->used[i] = 0;
  }
}

static void bring(machine* m, int value, int r) {
  int n = m->o->value[value].n;
  if (m->reg[value] == r) return;
  if (m->reg[value] >= 0) {
    jx_put(m->c, JX_COPY, n < 2 ? 2 : n, r, -1, jx_register(m->reg[value]), -1, 8 * n);
  } else {
    load(m, value, r);
  }
}

// Arguments in registers 0 and 1. The second goes first: it may be in 0.
static void bring_arguments(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int a = op->arg[0], b = op->arg[1];
  if (b >= 0 && m->reg[a] == 1) {
    int other = m->reg[b] == 2 ? 3 : 2;
    bring(m, a, other);
    drop(m, 1);
    drop(m, other);
    hold(m, a, other);
  }
  if (b >= 0) bring(m, b, 1);
  bring(m, a, 0);
}

static void finish_second(machine* m, int r) {
  int value = m->o->operation[m->at].second;
  if (m->next[value] != NEVER) hold(m, value, r);
}

static void call(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  bool is_waves = op->op == JEMIT_WAVES;
  save_all(m);
  bring_arguments(m);
  forget_all(m);
  if (is_waves) jx_add_pointer(m->c, JX_RDI, JX_R13, 0);
  jx_call(m->c, op->call);
  finish(m, 0);
  if (!is_waves) return;
  jx_put(m->c, JX_LOAD, op->n, 1, -1, jx_memory(JX_R13, 0), -1, 8 * op->n);
  finish_second(m, 1);
}

// The first part calls; the others read what it left in the frame.
static void list(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  if (op->about) {
    save_all(m);
    if (op->group >= 0) jx_load_pointer(m->c, JX_RDX, JX_RBX, 8 * op->group);
    forget_all(m);
    jx_set_pointer(m->c, JX_RDI, (uintptr_t)op->about);
    jx_add_pointer(m->c, JX_RSI, JX_R13, 0);
    if (m->c->level >= JCPU_V3) jx_rest(m->c);
    jx_call(m->c, (jx_function)m->functions->list);
  }
  int dst = free_register(m);
  jx_put(m->c, JX_LOAD, op->n, dst, -1, jx_memory(JX_R13, op->at), -1, 8 * op->n);
  finish(m, dst);
}

static void pick(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int index = to_register(m, op->arg[0]);
  jx_operand constants = {.place = JX_POOL, .at = m->pool_base + op->at};
  jx_index(m->c, index, op->imm, op->group ? jx_memory(JX_R13, 0) : constants);
  int dst = result_in(m, 0);
  jx_put(m->c, JX_LOAD, 1, dst, -1, jx_memory(JX_RCX, 0), -1, 8);
  finish(m, dst);
}

// ---- stores --------------------------------------------------------------------------------------

static void store(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  bool is_high = op->op == JEMIT_STORE_PLACE && op->imm == 1;
  int n = op->op == JEMIT_STORE_PLACE ? is_high ? 2 : 1 : op->n;
  int r = to_register(m, op->arg[0]);
  jx_operand to = op->op == JEMIT_ARGUMENT ? jx_memory(JX_R13, op->at)
                                           : jx_memory(pointer_to(m, -2 - op->group), op->at);
  jx_put(m->c, is_high ? JX_STORE_HIGH : JX_STORE, n, r, -1, to, -1, is_high ? 8 : 8 * n);
  release(m);
}

// ---- all of it -----------------------------------------------------------------------------------

static void put_operation(machine* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  for (int r = 0; r < m->nregister; r++) {
    m->busy[r] = false;
  }
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
    case JEMIT_CALL:
    case JEMIT_WAVES: call(m); break;
    case JEMIT_STORE:
    case JEMIT_STORE_PLACE:
    case JEMIT_ARGUMENT: store(m); break;
    case JEMIT_LIST: list(m); break;
    case JEMIT_PICK: pick(m); break;
    default: assert(false); break;
  }
}

static bool allocate(machine* m, jarena* a) {
  size_t n = (size_t)m->o->nvalue;
  m->next = JARENA_ARRAY(a, n, int);
  m->reg = JARENA_ARRAY(a, n, int);
  m->slot = JARENA_ARRAY(a, n, int);
  m->after = JARENA_ARRAY(a, 3 * (size_t)m->o->noperation, int);
  bool ok = m->next && m->reg && m->slot && m->after;
  for (int k = 0; k < 4; k++) {
    m->free_slot[k] = JARENA_ARRAY(a, n, int);
    ok = ok && m->free_slot[k];
  }
  for (size_t i = 0; ok && i < n; i++) {
    m->reg[i] = m->slot[i] = -1;
  }
  return ok;
}

jo_status jemit_assign(jo_context* ctx, jarena* scratch, const jemit_operations* o,
                       const jemit_functions* functions, int pool_base, jx_code* code,
                       size_t* work) {
  machine m = {.o = o,
               .functions = functions,
               .c = code,
               .pool_base = pool_base,
               .nregister = code->level >= JCPU_V4 ? 32 : 16,
               .frame = (int)((o->list_size + 7) / 8 * 64)};
  jarena_mark mark = jarena_save(scratch);
  if (!allocate(&m, scratch)) return jerr_memory(ctx);
  for (int r = 0; r < VECTORS_MAX; r++) {
    m.held[r] = -1;
  }
  for (int i = 0; i < POINTERS_MAX; i++) {
    m.pointer[i] = -1;
  }
  find_uses(&m);
  jx_enter(code);
  for (m.at = 0; m.at < o->noperation; m.at++) {
    put_operation(&m);
  }
  jx_leave(code);
  *work = (size_t)m.frame / 8 + 16;  // aligned to 64 bytes, and what reads beyond a number
  jarena_restore(scratch, mark);
  return code->failed ? jerr_memory(ctx) : JO_OK;
}
