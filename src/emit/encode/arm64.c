// SPDX-License-Identifier: Apache-2.0
// Machine code of aarch64 with NEON: an encoder, and operations as its instructions.
// Arm Architecture Reference Manual for A-profile, chapters C4 (encoding), C6 and C7; Procedure Call Standard for AArch64.
//
// Vectors have two doubles. Instructions have a destination of their own and read registers only; constants are read at a
// general register that points to those of the function.

#include "base/assert.h"
#include "emit/encode/listing.h"
#include "emit/machine/registers.h"

// General registers: x16 and x17 are scratch of the encoder, x18 is the system's. Of the vector registers v31 is scratch.
enum { SCRATCH = 16, ADDRESS = 17, INPUT = 19, OUTPUT = 20, FRAME = 21, CONSTANTS = 22, SP = 31 };
enum { ZERO = 31, VECTOR_SCRATCH = 31 };
static const int pointer[] = {23, 24, 25, 26, 27, 28, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// Instructions of one or two sources: of one double, of two. Those on bits are of 16 bytes throughout. Texts are formats of
// the registers: destination, first and second source.
typedef struct instruction {
  uint32_t of[2];
  const char* text[2];
} instruction;
#define ONE_FLOAT(name) \
  { name " d%d, d%d", name " v%d.2d, v%d.2d" }
#define TWO_FLOATS(name) \
  { name " d%d, d%d, d%d", name " v%d.2d, v%d.2d, v%d.2d" }
#define BOTH(text) \
  { text, text }
#define ONE_BITS(name)    BOTH(name " v%d.16b, v%d.16b")
#define TWO_BITS(name)    BOTH(name " v%d.16b, v%d.16b, v%d.16b")
#define TWO_DOUBLES(name) BOTH(name " v%d.2d, v%d.2d, v%d.2d")
static const instruction fadd = {{0x1e602800, 0x4e60d400}, TWO_FLOATS("fadd")},
                         fsub = {{0x1e603800, 0x4ee0d400}, TWO_FLOATS("fsub")},
                         fmul = {{0x1e600800, 0x6e60dc00}, TWO_FLOATS("fmul")},
                         fdiv = {{0x1e601800, 0x6e60fc00}, TWO_FLOATS("fdiv")},
                         fsqrt = {{0x1e61c000, 0x6ee1f800}, ONE_FLOAT("fsqrt")},
                         frintm = {{0x1e654000, 0x4e619800}, ONE_FLOAT("frintm")},
                         fcmeq = {{0x5e60e400, 0x4e60e400}, TWO_FLOATS("fcmeq")},
                         fcmge = {{0x7e60e400, 0x6e60e400}, TWO_FLOATS("fcmge")},
                         fcmgt = {{0x7ee0e400, 0x6ee0e400}, TWO_FLOATS("fcmgt")};
static const instruction and = {{0x4e201c00, 0x4e201c00}, TWO_BITS("and")},
                         bic = {{0x4e601c00, 0x4e601c00}, TWO_BITS("bic")},
                         orr = {{0x4ea01c00, 0x4ea01c00}, TWO_BITS("orr")},
                         eor = {{0x6e201c00, 0x6e201c00}, TWO_BITS("eor")},
                         bsl = {{0x6e601c00, 0x6e601c00}, TWO_BITS("bsl")},
                         bit = {{0x6ea01c00, 0x6ea01c00}, TWO_BITS("bit")},
                         bif = {{0x6ee01c00, 0x6ee01c00}, TWO_BITS("bif")},
                         not = {{0x6e205800, 0x6e205800}, ONE_BITS("not")};
static const instruction zip1 = {{0x4ec03800, 0x4ec03800}, TWO_DOUBLES("zip1")},
                         zip2 = {{0x4ec07800, 0x4ec07800}, TWO_DOUBLES("zip2")},
                         // second of a, first of b
    ext8 = {{0x6e004000, 0x6e004000}, BOTH("ext v%d.16b, v%d.16b, v%d.16b, #8")};
static const instruction dup_scalar = {{0x5e180400, 0x5e180400}, BOTH("dup d%d, v%d.d[1]")},
                         dup_both = {{0x4e080400, 0x4e080400}, BOTH("dup v%d.2d, v%d.d[0]")},
                         ins_first = {{0x6e080400, 0x6e080400}, BOTH("ins v%d.d[0], v%d.d[0]")},
                         ins_second = {{0x6e184400, 0x6e184400}, BOTH("ins v%d.d[1], v%d.d[0]")};

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
  JEMIT_SAY(c, i.text[lanes > 1], d, n, m);
}

static void add_immediate(jemit_code* c, int d, int n, uint32_t number, bool is_high) {
  put3(c, 0x91000000u | (uint32_t)is_high << 22 | number << 10, d, n, 0);
  JEMIT_SAY(c, is_high ? "add x%d, x%d, #%u, lsl #12" : "add x%d, x%d, #%u", d, n, number);
}

static uint32_t put_part(jemit_code* c, int reg, uint64_t value, uint32_t k) {
  uint32_t part = (uint32_t)(value >> 16 * k & 0xffff);
  put3(c, (k == 0 ? 0xd2800000u : 0xf2800000u) | k << 21 | part << 5, reg, 0, 0);
  return part;
}

static void set_number(jemit_code* c, int reg, uint32_t number) {
  uint32_t low = put_part(c, reg, number, 0);
  JEMIT_SAY(c, "movz x%d, #%u", reg, low);
  if (number >> 16 == 0) return;
  uint32_t high = put_part(c, reg, number, 1);
  JEMIT_SAY(c, "movk x%d, #%u, lsl #16", reg, high);
}

// An address. With a listing its length does not depend on where things are in memory.
static void set_pointer(jemit_code* c, int reg, uintptr_t value) {
  char symbol[JEMIT_SYMBOL];
  if (c->listing) jemit_symbol(c, value, symbol);
  for (uint32_t k = 0; k < 4; k++) {
    bool is_zero = ((uint64_t)value >> 16 * k & 0xffff) == 0;
    if (k > 0 && is_zero && !(c->listing && k < 3)) continue;
    put_part(c, reg, value, k);
    if (!c->listing) continue;
    jemit_say(c, "%s x%d, #:abs_g%u%s:%s", k ? "movk" : "movz", reg, k, k < 3 ? "_nc" : "", symbol);
    jemit_mask(c);
  }
}

static void add_pointer(jemit_code* c, int reg, int base, int32_t at) {
  JASSERT(at >= 0);
  uint32_t low = (uint32_t)at & 0xfff, high = (uint32_t)at >> 12;
  if (high > 0xfff) {
    set_number(c, SCRATCH, (uint32_t)at);
    put3(c, 0x8b000000u, reg, base, SCRATCH);
    JEMIT_SAY(c, "add x%d, x%d, x%d", reg, base, SCRATCH);
    return;
  }
  if (high) add_immediate(c, reg, base, high, true);
  if (low || !high) add_immediate(c, reg, high ? reg : base, low, false);
}

// ---- memory --------------------------------------------------------------------------------------

typedef struct access {
  uint32_t scaled, plain;  // distances in units of `size`, up to 4095; or in bytes, up to 255
  int32_t size;
  const char *name, *plain_name;
  char reg;  // d, q, x
} access;
static const access load1 = {0xfd400000, 0xfc400000, 8, "ldr", "ldur", 'd'},
                    load2 = {0x3dc00000, 0x3cc00000, 16, "ldr", "ldur", 'q'},
                    store1 = {0xfd000000, 0xfc000000, 8, "str", "stur", 'd'},
                    store2 = {0x3d800000, 0x3c800000, 16, "str", "stur", 'q'},
                    load_general = {0xf9400000, 0xf8400000, 8, "ldr", "ldur", 'x'};

static void put_access(jemit_code* c, const access* a, int reg, int base, int32_t at) {
  JASSERT(at >= 0 && at % 8 == 0);
  if (at % a->size == 0 && at / a->size <= 4095) {
    put3(c, a->scaled | (uint32_t)(at / a->size) << 10, reg, base, 0);
    JEMIT_SAY(c, "%s %c%d, [x%d, #%d]", a->name, a->reg, reg, base, at);
  } else if (at <= 255) {
    put3(c, a->plain | (uint32_t)at << 12, reg, base, 0);
    JEMIT_SAY(c, "%s %c%d, [x%d, #%d]", a->plain_name, a->reg, reg, base, at);
  } else {
    add_pointer(c, SCRATCH, base, at);
    put3(c, a->scaled, reg, SCRATCH, 0);
    JEMIT_SAY(c, "%s %c%d, [x%d]", a->name, a->reg, reg, SCRATCH);
  }
}

// Constants are those of the function at hand.
static void put_vector_access(jemit_code* c, const access* a, int reg, jemit_location at) {
  bool is_pool = at.kind == JEMIT_POOL;
  put_access(c, a, reg, is_pool ? CONSTANTS : at.reg, is_pool ? at.at - c->pool : at.at);
  if (c->listing) jemit_note(c, at, a->size);
}

static void load(jemit_code* c, int n, int reg, jemit_location from) {
  JASSERT(!from.is_splat);
  put_vector_access(c, n == 1 ? &load1 : &load2, reg, from);
}

static void store(jemit_code* c, int n, int reg, jemit_location to) {
  put_vector_access(c, n == 1 ? &store1 : &store2, reg, to);
}

static void store_second(jemit_code* c, int reg, jemit_location to) {
  put_vector(c, dup_scalar, 2, VECTOR_SCRATCH, reg, 0);
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
  put3(c, 0xd63f0000u, 0, SCRATCH, 0);
  JEMIT_SAY(c, "blr x%d", SCRATCH);
}

// Registers that a function has to leave as they were: x29 and x30, x19 ... x28 and the first halves of v8 ... v15.
static void put_saved(jemit_code* c, uint32_t general, uint32_t vector, const char* name) {
  for (uint32_t k = 0; k < 5; k++) {
    put3(c, general | (2 + 2 * k) << 15 | (20 + 2 * k) << 10, (int)(19 + 2 * k), SP, 0);
    JEMIT_SAY(c, "%s x%u, x%u, [sp, #%u]", name, 19 + 2 * k, 20 + 2 * k, 16 + 16 * k);
  }
  for (uint32_t k = 0; k < 4; k++) {
    put3(c, vector | (12 + 2 * k) << 15 | (9 + 2 * k) << 10, (int)(8 + 2 * k), SP, 0);
    JEMIT_SAY(c, "%s d%u, d%u, [sp, #%u]", name, 8 + 2 * k, 9 + 2 * k, 96 + 16 * k);
  }
}

static void put_fixed(jemit_code* c, uint32_t word, const char* text) {
  put(c, word);
  JEMIT_SAY(c, "%s", text);
}

static void enter(jemit_code* c) {
  put_fixed(c, 0xa9b67bfd, "stp x29, x30, [sp, #-160]!");
  put_fixed(c, 0x910003fd, "mov x29, sp");
  put_saved(c, 0xa9000000, 0x6d000000, "stp");
  add_immediate(c, INPUT, 0, 0, false);
  add_immediate(c, OUTPUT, 1, 0, false);
  add_immediate(c, FRAME, 2, 63, false);
  put3(c, 0x927ae400u, FRAME, FRAME, 0);  // aligned to 64 bytes
  JEMIT_SAY(c, "and x%d, x%d, #-64", FRAME, FRAME);
  // CONSTANTS = here + distance, which link() completes
  uint32_t here = (uint32_t)c->n;
  jemit_code_fix(c, (jemit_fix){here + 4, here, (uint32_t)c->pool});
  put3(c, 0x10000000u, CONSTANTS, 0, 0);
  JEMIT_SAY(c, "adr x%d, .", CONSTANTS);
  for (uint32_t k = 0; k < 2; k++) {
    put_part(c, SCRATCH, 0, k);
    JEMIT_SAY(c, "%s x%d, #:prel_g%u:pool+%d", k ? "movk" : "movz", SCRATCH, k, c->pool);
  }
  put3(c, 0x8b000000u, CONSTANTS, CONSTANTS, SCRATCH);
  JEMIT_SAY(c, "add x%d, x%d, x%d", CONSTANTS, CONSTANTS, SCRATCH);
}

static void leave(jemit_code* c, int start, int32_t wide) {
  (void)start, (void)wide;
  put_saved(c, 0xa9400000, 0x6d400000, "ldp");
  put_fixed(c, 0xa8ca7bfd, "ldp x29, x30, [sp], #160");
  put_fixed(c, 0xd65f03c0, "ret");
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
  int base = list.kind == JEMIT_POOL ? CONSTANTS : list.reg;
  put3(c, 0x9e780000u, ADDRESS, index, 0);
  JEMIT_SAY(c, "fcvtzs x%d, d%d", ADDRESS, index);
  set_number(c, SCRATCH, (uint32_t)count);
  put3(c, 0xeb00001fu, 0, ADDRESS, SCRATCH);
  JEMIT_SAY(c, "cmp x%d, x%d", ADDRESS, SCRATCH);
  put3(c, 0x9a800000u | 3 << 12, SCRATCH, ADDRESS, ZERO);
  JEMIT_SAY(c, "csel x%d, x%d, xzr, lo", SCRATCH, ADDRESS);
  put3(c, 0x8b000c00u, ADDRESS, base, SCRATCH);
  JEMIT_SAY(c, "add x%d, x%d, x%d, lsl #3", ADDRESS, base, SCRATCH);
  return jemit_in_memory(ADDRESS, list.kind == JEMIT_POOL ? list.at - c->pool : list.at);
}

// ---- operations ----------------------------------------------------------------------------------

static void unary(jemit_registers* m, instruction i) {
  int from = jemit_to_register(m, m->o->operation[m->at].arg[0]);
  int dst = jemit_result_in(m, 0);
  put_vector(m->c, i, m->o->operation[m->at].n, dst, from, 0);
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
    put_vector(m->c, ins_first, 2, r.dst, r.a, 0);
  } else {
    if (r.dst != r.a) copy(m->c, 2, r.dst, r.a);
    put_vector(m->c, ins_second, 2, r.dst, r.b, 0);
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
    unary(m, dup_scalar);
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
    case JEMIT_SQRT: unary(m, fsqrt); break;
    case JEMIT_FLOOR: unary(m, frintm); break;
    case JEMIT_COMPARE: compare(m); break;
    case JEMIT_CHOOSE: choose(m); break;
    case JEMIT_SPLAT: unary(m, dup_both); break;
    case JEMIT_PAIR: binary(m, zip1); break;
    case JEMIT_PLACE: place(m); break;
    case JEMIT_SHUFFLE: shuffle(m); break;
    default: JASSERT(false); break;  // of more than two doubles
  }
}

const jemit_target jemit_arm64 = {.lanes = 2,
                                  .nshort = VECTOR_SCRATCH,
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
