// SPDX-License-Identifier: Apache-2.0
// Machine code of aarch64 with NEON: an encoder, and operations as its instructions.
// Arm Architecture Reference Manual for A-profile, chapters C4 (encoding), C6 and C7; Procedure Call Standard for AArch64.
//
// Vectors have two doubles. Instructions have a destination of their own and read registers only; constants are read at a
// general register that points to those of the function.
#include <assert.h>

#include "emit/registers.h"

// General registers: x16 and x17 are scratch of the encoder, x18 is the system's. Of the vector registers v31 is scratch.
enum { SCRATCH = 16, ADDRESS = 17, INPUT = 19, OUTPUT = 20, FRAME = 21, CONSTANTS = 22, SP = 31 };
enum { ZERO = 31, VECTOR_SCRATCH = 31 };
static const int pointer[] = {23, 24, 25, 26, 27, 28, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Instructions of one or two sources: of one double, of two. Those on bits are of 16 bytes throughout.
typedef struct instruction {
  uint32_t of[2];
} instruction;
static const instruction fadd = {{0x1e602800, 0x4e60d400}}, fsub = {{0x1e603800, 0x4ee0d400}},
                         fmul = {{0x1e600800, 0x6e60dc00}}, fdiv = {{0x1e601800, 0x6e60fc00}},
                         fsqrt = {{0x1e61c000, 0x6ee1f800}}, frintm = {{0x1e654000, 0x4e619800}},
                         fcmeq = {{0x5e60e400, 0x4e60e400}}, fcmge = {{0x7e60e400, 0x6e60e400}},
                         fcmgt = {{0x7ee0e400, 0x6ee0e400}};
static const instruction and = {{0x4e201c00, 0x4e201c00}}, bic = {{0x4e601c00, 0x4e601c00}},
                         orr = {{0x4ea01c00, 0x4ea01c00}}, eor = {{0x6e201c00, 0x6e201c00}},
                         bsl = {{0x6e601c00, 0x6e601c00}}, bit = {{0x6ea01c00, 0x6ea01c00}},
                         bif = {{0x6ee01c00, 0x6ee01c00}}, not = {{0x6e205800, 0x6e205800}};
static const instruction zip1 = {{0x4ec03800, 0x4ec03800}}, zip2 = {{0x4ec07800, 0x4ec07800}},
                         ext8 = {{0x6e004000, 0x6e004000}};  // second of a, first of b
enum {
  DUP_SCALAR = 0x5e180400,  // d = v.d[1]
  DUP_BOTH = 0x4e080400,    // v.2d = v.d[0]
  INS_FIRST = 0x6e080400,   // v.d[0] = v.d[0]
  INS_SECOND = 0x6e184400,  // v.d[1] = v.d[1]
};

// ---- words ---------------------------------------------------------------------------------------

static void put(jemit_code* c, uint32_t word) {
  jemit_code_put(c, word, 4);
}

// Destination, first and second source in their fields.
static void put3(jemit_code* c, uint32_t word, int d, int n, int m) {
  put(c, word | (uint32_t)m << 16 | (uint32_t)n << 5 | (uint32_t)d);
}

static void put_vector(jemit_code* c, instruction i, int lanes, int d, int n, int m) {
  put3(c, i.of[lanes > 1], d, n, m);
}

static void add_immediate(jemit_code* c, int d, int n, uint32_t number, bool is_high) {
  put3(c, 0x91000000u | (uint32_t)is_high << 22 | number << 10, d, n, 0);
}

static void set_pointer(jemit_code* c, int reg, uintptr_t value) {
  uint64_t rest = value;
  put3(c, 0xd2800000u | (uint32_t)(rest & 0xffff) << 5, reg, 0, 0);  // movz
  for (uint32_t k = 1; k < 4; k++) {
    uint32_t part = (uint32_t)(rest >> 16 * k & 0xffff);
    if (part) put3(c, 0xf2800000u | k << 21 | part << 5, reg, 0, 0);  // movk
  }
}

static void add_pointer(jemit_code* c, int reg, int base, int32_t at) {
  assert(at >= 0);
  uint32_t low = (uint32_t)at & 0xfff, high = (uint32_t)at >> 12;
  if (high > 0xfff) {
    set_pointer(c, SCRATCH, (uintptr_t)at);
    put3(c, 0x8b000000u, reg, base, SCRATCH);
    return;
  }
  if (high) add_immediate(c, reg, base, high, true);
  if (low || !high) add_immediate(c, reg, high ? reg : base, low, false);
}

// ---- memory --------------------------------------------------------------------------------------

typedef struct access {
  uint32_t scaled, plain;  // distances in units of `size`, up to 4095; or in bytes, up to 255
  int32_t size;
} access;
static const access load1 = {0xfd400000, 0xfc400000, 8}, load2 = {0x3dc00000, 0x3cc00000, 16},
                    store1 = {0xfd000000, 0xfc000000, 8}, store2 = {0x3d800000, 0x3c800000, 16},
                    load_general = {0xf9400000, 0xf8400000, 8};

static void put_access(jemit_code* c, const access* a, int reg, int base, int32_t at) {
  assert(at >= 0 && at % 8 == 0);
  if (at % a->size == 0 && at / a->size <= 4095) {
    put3(c, a->scaled | (uint32_t)(at / a->size) << 10, reg, base, 0);
  } else if (at <= 255) {
    put3(c, a->plain | (uint32_t)at << 12, reg, base, 0);
  } else {
    add_pointer(c, SCRATCH, base, at);
    put3(c, a->scaled, reg, SCRATCH, 0);
  }
}

// Constants are those of the function at hand.
static void put_vector_access(jemit_code* c, const access* a, int reg, jemit_location at) {
  bool is_pool = at.kind == JEMIT_POOL;
  put_access(c, a, reg, is_pool ? CONSTANTS : at.reg, is_pool ? at.at - c->pool : at.at);
}

static void load(jemit_code* c, int n, int reg, jemit_location from) {
  assert(!from.is_splat);
  put_vector_access(c, n == 1 ? &load1 : &load2, reg, from);
}

static void store(jemit_code* c, int n, int reg, jemit_location to) {
  put_vector_access(c, n == 1 ? &store1 : &store2, reg, to);
}

static void store_second(jemit_code* c, int reg, jemit_location to) {
  put3(c, DUP_SCALAR, VECTOR_SCRATCH, reg, 0);
  store(c, 1, VECTOR_SCRATCH, to);
}

static void copy(jemit_code* c, int n, int reg, int from) {
  put_vector(c, orr, n, reg, from, from);
}

static void load_pointer(jemit_code* c, int reg, int base, int32_t at) {
  put_access(c, &load_general, reg, base, at);
}

// ---- functions -----------------------------------------------------------------------------------

static void call(jemit_code* c, jemit_function function, bool is_plain) {
  (void)is_plain;
  set_pointer(c, SCRATCH, (uintptr_t)function);
  put3(c, 0xd63f0000u, 0, SCRATCH, 0);  // blr
}

// Registers that a function has to leave as they were: x29 and x30, x19 ... x28 and the first halves of v8 ... v15.
static void put_saved(jemit_code* c, uint32_t general, uint32_t vector) {
  for (uint32_t k = 0; k < 5; k++) {
    put3(c, general | (2 + 2 * k) << 15 | (20 + 2 * k) << 10, (int)(19 + 2 * k), SP, 0);
  }
  for (uint32_t k = 0; k < 4; k++) {
    put3(c, vector | (12 + 2 * k) << 15 | (9 + 2 * k) << 10, (int)(8 + 2 * k), SP, 0);
  }
}

static void enter(jemit_code* c) {
  put(c, 0xa9b67bfd);                    // stp x29, x30, [sp, -160]!
  put(c, 0x910003fd);                    // mov x29, sp
  put_saved(c, 0xa9000000, 0x6d000000);  // stp
  add_immediate(c, INPUT, 0, 0, false);
  add_immediate(c, OUTPUT, 1, 0, false);
  add_immediate(c, FRAME, 2, 63, false);
  put3(c, 0x927ae400u, FRAME, FRAME, 0);  // and: aligned to 64 bytes
  // CONSTANTS = here + distance, which link() completes
  uint32_t here = (uint32_t)c->n;
  jemit_code_fix(c, (jemit_fix){here + 4, here, (uint32_t)c->pool});
  put3(c, 0x10000000u, CONSTANTS, 0, 0);          // adr
  put3(c, 0xd2800000u, SCRATCH, 0, 0);            // movz
  put3(c, 0xf2800000u | 1 << 21, SCRATCH, 0, 0);  // movk
  put3(c, 0x8b000000u, CONSTANTS, CONSTANTS, SCRATCH);
}

static void leave(jemit_code* c, int start, int32_t wide) {
  (void)start, (void)wide;
  put_saved(c, 0xa9400000, 0x6d400000);  // ldp
  put(c, 0xa8ca7bfd);                    // ldp x29, x30, [sp], 160
  put(c, 0xd65f03c0);                    // ret
}

static void link_distance(uint8_t* code, const jemit_fix* fix, size_t pool) {
  uint32_t distance = (uint32_t)(pool + fix->pool) - fix->end;
  for (int k = 0; k < 2; k++) {
    uint32_t word = 0;
    uint8_t* at = code + fix->code + 4 * k;
    for (int i = 0; i < 4; i++) {
      word |= (uint32_t)at[i] << 8 * i;
    }
    word |= (distance >> 16 * k & 0xffff) << 5;
    for (int i = 0; i < 4; i++) {
      at[i] = (uint8_t)(word >> 8 * i);
    }
  }
}

//   x17 = list + 8 k,   k = (integer)index where that is in [0, count), else 0
// What is not a number becomes 0, what is too large the nearest integer, which is no index.
static jemit_location element(jemit_code* c, int index, int count, jemit_location list) {
  put3(c, 0x9e780000u, ADDRESS, index, 0);  // fcvtzs
  set_pointer(c, SCRATCH, (uintptr_t)count);
  put3(c, 0xeb00001fu, 0, ADDRESS, SCRATCH);               // cmp
  put3(c, 0x9a800000u | 3 << 12, SCRATCH, ADDRESS, ZERO);  // csel lo
  put3(c, 0x8b000c00u, ADDRESS, list.kind == JEMIT_POOL ? CONSTANTS : list.reg, SCRATCH);
  return jemit_in_memory(ADDRESS, list.kind == JEMIT_POOL ? list.at - c->pool : list.at);
}

// ---- operations ----------------------------------------------------------------------------------

static void unary(jemit_registers* m, uint32_t word) {
  int from = jemit_to_register(m, m->o->operation[m->at].arg[0]);
  int dst = jemit_result_in(m, 0);
  put3(m->c, word, dst, from, 0);
  jemit_finish(m, dst);
}

// Registers of two operands, and that of the result: one of theirs where its value is not read again.
typedef struct registers {
  int a, b, dst;
} registers;
static registers two_sources(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  registers r = {jemit_to_register(m, op->arg[0]), jemit_to_register(m, op->arg[1]), 0};
  r.dst = jemit_result_in(m, jemit_is_dead(m, 0) ? 0 : 1);
  return r;
}

static void binary(jemit_registers* m, instruction i) {
  registers r = two_sources(m);
  put_vector(m->c, i, m->o->operation[m->at].n, r.dst, r.a, r.b);
  jemit_finish(m, r.dst);
}

static void reversed(jemit_registers* m, instruction i) {
  registers r = two_sources(m);
  put_vector(m->c, i, m->o->operation[m->at].n, r.dst, r.b, r.a);
  jemit_finish(m, r.dst);
}

static void put_choice(jemit_code* c, int dst, int mask, int yes, int no) {
  if (dst == no && dst != mask) {
    put_vector(c, bit, 2, dst, yes, mask);
  } else if (dst == yes && dst != mask) {
    put_vector(c, bif, 2, dst, no, mask);
  } else {
    if (dst != mask) copy(c, 2, dst, mask);
    put_vector(c, bsl, 2, dst, yes, no);
  }
}

// a < b ? a : b, or a > b ? a : b: instructions of that name treat signs of zero and what is not a number in another way.
static void extreme(jemit_registers* m, bool is_least) {
  registers r = two_sources(m);
  int mask = r.dst == r.a || r.dst == r.b ? VECTOR_SCRATCH : r.dst;
  put_vector(m->c, fcmgt, m->o->operation[m->at].n, mask, is_least ? r.b : r.a,
             is_least ? r.a : r.b);
  put_choice(m->c, r.dst, mask, r.a, r.b);
  jemit_finish(m, r.dst);
}

static void choose(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int reg[3], dead = 0;
  for (int k = 2; k >= 0; k--) {
    reg[k] = jemit_to_register(m, op->arg[k]);
    if (jemit_is_dead(m, k)) dead = k;
  }
  int dst = jemit_result_in(m, dead);
  put_choice(m->c, dst, reg[0], reg[1], reg[2]);
  jemit_finish(m, dst);
}

static void differ(jemit_registers* m) {
  registers r = two_sources(m);
  int n = m->o->operation[m->at].n;
  put_vector(m->c, fcmeq, n, r.dst, r.a, r.b);
  put_vector(m->c, not, n, r.dst, r.dst, 0);
  jemit_finish(m, r.dst);
}

static void compare(jemit_registers* m) {
  switch (m->o->operation[m->at].imm) {
    case 0: binary(m, fcmeq); break;
    case 1: reversed(m, fcmgt); break;
    case 2: reversed(m, fcmge); break;
    default: differ(m); break;
  }
}

// The first of a, the second of b.
static void outer(jemit_registers* m) {
  registers r = two_sources(m);
  if (r.dst == r.b) {
    put3(m->c, INS_FIRST, r.dst, r.a, 0);
  } else {
    if (r.dst != r.a) copy(m->c, 2, r.dst, r.a);
    put3(m->c, INS_SECOND, r.dst, r.b, 0);
  }
  jemit_finish(m, r.dst);
}

static void shuffle(jemit_registers* m) {
  switch (m->o->operation[m->at].imm) {
    case 0: binary(m, zip1); break;
    case 1: binary(m, ext8); break;
    case 2: outer(m); break;
    default: binary(m, zip2); break;
  }
}

static void place(jemit_registers* m) {
  if (m->o->operation[m->at].imm == 1) {
    unary(m, DUP_SCALAR);
    return;
  }
  int from = jemit_to_register(m, m->o->operation[m->at].arg[0]);
  int dst = jemit_result_in(m, 0);
  if (dst != from) copy(m->c, 2, dst, from);
  jemit_finish(m, dst);
}

static void operate(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  switch (op->op) {
    case JEMIT_ADD: binary(m, fadd); break;
    case JEMIT_SUB: binary(m, fsub); break;
    case JEMIT_MUL: binary(m, fmul); break;
    case JEMIT_DIV: binary(m, fdiv); break;
    case JEMIT_MIN: extreme(m, true); break;
    case JEMIT_MAX: extreme(m, false); break;
    case JEMIT_AND: binary(m, and); break;
    case JEMIT_ANDN: reversed(m, bic); break;
    case JEMIT_OR: binary(m, orr); break;
    case JEMIT_XOR: binary(m, eor); break;
    case JEMIT_SQRT: unary(m, fsqrt.of[op->n > 1]); break;
    case JEMIT_FLOOR: unary(m, frintm.of[op->n > 1]); break;
    case JEMIT_COMPARE: compare(m); break;
    case JEMIT_CHOOSE: choose(m); break;
    case JEMIT_SPLAT: unary(m, DUP_BOTH); break;
    case JEMIT_PAIR: binary(m, zip1); break;
    case JEMIT_PLACE: place(m); break;
    case JEMIT_SHUFFLE: shuffle(m); break;
    default: assert(false); break;  // of more than two doubles
  }
}

const jemit_target jemit_arm64 = {.lanes = 2,
                                  .nvector = VECTOR_SCRATCH,
                                  .has_choose = true,
                                  .folds = JEMIT_FOLDS_NOTHING,
                                  .npointer = sizeof pointer / sizeof *pointer,
                                  .nkept = 6,
                                  .pointer = pointer,
                                  .input = INPUT,
                                  .output = OUTPUT,
                                  .nwide = 1,
                                  .wide = {{.reg = FRAME}},
                                  .argument = {0, 1, 2},
                                  .padding = {0x00, 0x00, 0x20, 0xd4},  // brk 0
                                  .enter = enter,
                                  .leave = leave,
                                  .link = link_distance,
                                  .load = load,
                                  .store = store,
                                  .store_second = store_second,
                                  .copy = copy,
                                  .load_pointer = load_pointer,
                                  .set_pointer = set_pointer,
                                  .add_pointer = add_pointer,
                                  .call = call,
                                  .element = element,
                                  .operate = operate};
