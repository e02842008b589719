// SPDX-License-Identifier: Apache-2.0
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2: instruction format.
#include "emit/encode/x86.h"

#include <string.h>

#include "base/assert.h"
#include "base/text/format.h"
#include "emit/encode/listing.h"

static const struct {
  uint8_t prefix[2], map, opcode, w;  // prefix: of scalars, of vectors
  const char *name[2], *evex;
} about[JX_COUNT] = {
#define JX_ROW(id, scalar, packed, map, opcode, w, name, packed_name, evex) \
  [id] = {{scalar, packed}, map, opcode, w, {name, packed_name}, evex},
    JX_INSTRUCTIONS(JX_ROW)
#undef JX_ROW
};

// [bytes] r14 points so far behind the first constant: doubles are reached on both sides.
#define POOL_BASE 1024

static void put(jemit_code* c, int byte) {
  jemit_code_put(c, (uint64_t)byte, 1);
}

static void note_pool(jemit_code* c, int32_t at, int trailing) {
  uint32_t here = (uint32_t)c->n;
  jemit_code_fix(c, (jemit_fix){here, here + 4 + (uint32_t)trailing, (uint32_t)at});
  jemit_code_put(c, 0, 4);
}

// Bytes of the displacement.
static int distance_bytes(jemit_location o, int scale) {
  if (o.kind == JEMIT_REGISTER) return 0;
  if (o.kind == JEMIT_POOL) return 4;
  return o.at % scale == 0 && o.at / scale >= -128 && o.at / scale <= 127 ? 1 : 4;
}

// ModRM, SIB and displacement. `scale`: EVEX counts short displacements in so many bytes; 1: it does not.
static void put_operand(jemit_code* c, int reg, jemit_location o, int scale, int trailing) {
  int field = (reg & 7) << 3;
  if (o.kind == JEMIT_REGISTER) {
    put(c, 0xc0 | field | (o.reg & 7));
    return;
  }
  if (o.kind == JEMIT_POOL) {
    put(c, field | 5);
    note_pool(c, o.at, trailing);
    return;
  }
  bool is_short = distance_bytes(o, scale) == 1;
  put(c, (is_short ? 0x40 : 0x80) | field | (o.reg & 7));
  if ((o.reg & 7) == JX_RSP) put(c, 0x24);
  jemit_code_put(c, (uint64_t)(int64_t)(is_short ? o.at / scale : o.at), is_short ? 1 : 4);
}

static void put_sse(jemit_code* c, jx_instruction i, int prefix, int reg, jemit_location o,
                    int trailing) {
  static const uint8_t byte[] = {0, 0x66, 0xf3, 0xf2};
  bool far = o.kind != JEMIT_POOL && o.reg > 7;
  if (prefix > 0) put(c, byte[prefix]);
  if (reg > 7 || far) put(c, 0x40 | (reg > 7) << 2 | far);
  put(c, 0x0f);
  if (about[i].map > 1) put(c, about[i].map == 2 ? 0x38 : 0x3a);
  put(c, about[i].opcode);
  put_operand(c, reg, o, 1, trailing);
}

static bool has_short_vex(jx_instruction i, jemit_location o) {
  return about[i].map == 1 && about[i].w == 0 && (o.kind == JEMIT_POOL || o.reg < 8);
}

static void put_vex(jemit_code* c, jx_instruction i, int prefix, int n, int reg, int first,
                    jemit_location o, int trailing) {
  bool far = o.kind != JEMIT_POOL && o.reg > 7;
  int v = (~first & 15) << 3 | (n > 2) << 2 | prefix;
  if (has_short_vex(i, o)) {
    put(c, 0xc5);
    put(c, (reg > 7 ? 0 : 0x80) | v);
  } else {
    put(c, 0xc4);
    put(c, (reg > 7 ? 0 : 0x80) | 0x40 | (far ? 0 : 0x20) | about[i].map);
    put(c, about[i].w << 7 | v);
  }
  put(c, about[i].opcode);
  put_operand(c, reg, o, 1, trailing);
}

static void put_evex(jemit_code* c, jx_instruction i, int prefix, int n, int reg, int first,
                     jemit_location o, int bytes, int trailing) {
  int rm = o.kind == JEMIT_POOL ? 0 : o.reg;
  int x = o.kind == JEMIT_REGISTER ? rm >> 4 & 1 : 0;
  put(c, 0x62);
  put(c, (~reg >> 3 & 1) << 7 | (x ^ 1) << 6 | (~rm >> 3 & 1) << 5 | (~reg >> 4 & 1) << 4 |
             about[i].map);
  put(c, 0x80 | (~first & 15) << 3 | 4 | prefix);
  put(c, (n == 8 ? 2 : n == 4 ? 1 : 0) << 5 | o.is_splat << 4 | (~first >> 4 & 1) << 3);
  put(c, about[i].opcode);
  put_operand(c, reg, o, o.kind == JEMIT_MEMORY ? o.is_splat ? 8 : bytes : 1, trailing);
}

static bool needs_evex(const jemit_code* c, jx_instruction i, int n, int reg, int first,
                       jemit_location o) {
  if (c->level < JCPU_V4) return false;
  bool is_only = i == JX_TERNARY || i == JX_MASK_TO_VECTOR || i == JX_PERMUTE_TWO ||
                 i == JX_INSERT4 || i == JX_EXTRACT4;
  return n == 8 || is_only || o.is_splat || reg > 15 || first > 15 ||
         (o.kind == JEMIT_REGISTER && o.reg > 15);
}

// Instructions that look alike with both prefixes.
static bool has_evex(jx_instruction i) {
  return i != JX_CMP && i != JX_ADDSUB && i != JX_BLENDV && i != JX_BLEND && i != JX_TO_INTEGER;
}

// EVEX reaches constants from r14, where a short displacement will do.
static jemit_location near(const jemit_code* c, jemit_location o, int bytes) {
  if (o.kind != JEMIT_POOL) return o;
  jemit_location r14 = jemit_in_memory(JX_R14, o.at - c->pool - POOL_BASE);
  r14.is_splat = o.is_splat;
  return distance_bytes(r14, o.is_splat ? 8 : bytes) == 1 ? r14 : o;
}

// VEX has prefixes of two or three bytes and displacements in bytes; EVEX of four, and displacements in units of the operand.
static bool is_shorter_as_evex(jx_instruction i, jemit_location vex, jemit_location evex,
                               int bytes) {
  return has_evex(i) && evex.kind == JEMIT_MEMORY &&
         4 + distance_bytes(evex, bytes) < (has_short_vex(i, vex) ? 2 : 3) + distance_bytes(vex, 1);
}

// ---- text ----------------------------------------------------------------------------------------

enum { OPERAND = 48, MASK = 1 };  // MASK: the mask register of comparisons

static const char* const general[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

typedef struct instruction {
  jx_instruction i;
  int n, dst, first;  // first < 0: none
  jemit_location second;
  int imm;  // < 0: none
  bool is_evex;
} instruction;

static void name_operand(int n, jemit_location o, char out[OPERAND]) {
  char splat[OPERAND] = "";
  if (o.kind == JEMIT_REGISTER) {
    jformat(out, OPERAND, "%cmm%d", n == 8 ? 'z' : n == 4 ? 'y' : 'x', o.reg);
    return;
  }
  if (o.is_splat) jformat(splat, OPERAND, "{1to%d}", n);
  if (o.kind == JEMIT_POOL) {
    jformat(out, OPERAND, "[rip+pool+0x%x]%s", (unsigned)o.at, splat);
  } else {
    bool is_below = o.at < 0;
    jformat(out, OPERAND, "[%s%c0x%x]%s", general[o.reg], is_below ? '-' : '+',
            (unsigned)(is_below ? -o.at : o.at), splat);
  }
}

// Doubles of the operand that may be in memory.
static int doubles_of_second(jx_instruction i, int n) {
  switch (i) {
    case JX_BROADCAST: return 1;
    case JX_INSERT2:
    case JX_EXTRACT2: return 2;
    case JX_INSERT4:
    case JX_EXTRACT4: return 4;
    default: return n;
  }
}

static void name_instruction(const jemit_code* c, const instruction* x, char out[OPERAND]) {
  static const char* const relation[] = {"eq", "lt", "le", "unord", "neq"};
  const char* name = x->is_evex && about[x->i].evex ? about[x->i].evex : about[x->i].name[x->n > 1];
  const char* v = c->level >= JCPU_V3 ? "v" : "";
  if (x->i == JX_CMP) {
    jformat(out, OPERAND, "%scmp%s%s", v, relation[x->imm], name);
  } else {
    jformat(out, OPERAND, "%s%s", v, name);
  }
}

static void name_destination(const jemit_code* c, const instruction* x, char out[OPERAND]) {
  if (x->i == JX_CMP && x->is_evex) {
    jformat(out, OPERAND, "k%d", x->dst);
  } else if (x->i == JX_TO_INTEGER) {
    jformat(out, OPERAND, "%s", c->level >= JCPU_V3 ? general[x->dst] : "eax");
  } else {
    name_operand(x->n, jemit_in_register(x->dst), out);
  }
}

static void say(jemit_code* c, const instruction* x) {
  char name[OPERAND], dst[OPERAND], first[OPERAND] = "", second[OPERAND], imm[OPERAND] = "";
  bool is_stored =
      x->i == JX_STORE || x->i == JX_STORE_HIGH || x->i == JX_EXTRACT2 || x->i == JX_EXTRACT4;
  bool has_first = x->first >= 0 && c->level >= JCPU_V3;
  name_instruction(c, x, name);
  name_destination(c, x, dst);
  name_operand(doubles_of_second(x->i, x->n), x->second, second);
  if (x->i == JX_MASK_TO_VECTOR) jformat(second, OPERAND, "k%d", x->second.reg);
  if (has_first) name_operand(x->n, jemit_in_register(x->first), first);
  if (x->i == JX_BLENDV) {
    jformat(imm, OPERAND, ", %cmm%d", x->n == 4 ? 'y' : 'x', x->imm >> 4);
  } else if (x->imm >= 0 && x->i != JX_CMP) {
    jformat(imm, OPERAND, ", 0x%x", (unsigned)x->imm);
  }
  if (is_stored) {
    jemit_say(c, "%s %s, %s%s", name, second, dst, imm);
  } else {
    jemit_say(c, "%s %s, %s%s%s%s", name, dst, first, has_first ? ", " : "", second, imm);
  }
}

static void say_general(jemit_code* c, const char* name, int reg, int base, int32_t at) {
  char memory[OPERAND];
  if (!c->listing) return;
  name_operand(1, jemit_in_memory(base, at), memory);
  jemit_say(c, "%s %s, %s", name, general[reg], memory);
}

// ---- vectors -------------------------------------------------------------------------------------

void jx_put(jemit_code* c, jx_instruction i, int n, int dst, int first, jemit_location second,
            int imm, int bytes) {
  int prefix = about[i].prefix[n > 1], trailing = imm >= 0;
  JASSERT(n <= jcpu_lanes(c->level));
  bool has_first = first >= 0;
  if (!has_first) first = 0;
  jemit_location close = c->level < JCPU_V4 ? second : near(c, second, bytes);
  bool is_evex = needs_evex(c, i, n, dst, first, second) ||
                 (c->level >= JCPU_V4 && is_shorter_as_evex(i, second, close, bytes));
  if (c->level < JCPU_V3) {
    put_sse(c, i, prefix, dst, second, trailing);
  } else if (is_evex) {
    put_evex(c, i, prefix, n, dst, first, close, bytes, trailing);
  } else {
    put_vex(c, i, prefix, n, dst, first, second, trailing);
  }
  if (imm >= 0) put(c, imm);
  if (!c->listing) return;
  say(c, &(instruction){i, n, dst, has_first ? first : -1, is_evex ? close : second, imm, is_evex});
  jemit_note(c, second, bytes);
}

void jx_compare_to_mask(jemit_code* c, int n, int first, jemit_location second, int imm) {
  put_evex(c, JX_CMP, about[JX_CMP].prefix[n > 1], n, 1, first, near(c, second, 8 * n), 8 * n, 1);
  put(c, imm);
  if (!c->listing) return;
  say(c, &(instruction){JX_CMP, n, MASK, first, near(c, second, 8 * n), imm, true});
  jemit_note(c, second, 8 * n);
}

// ---- general registers ---------------------------------------------------------------------------

static void put_rex(jemit_code* c, int reg, int rm) {
  put(c, 0x48 | (reg > 7) << 2 | (rm > 7));
}

void jx_load_pointer(jemit_code* c, int reg, int base, int32_t at) {
  put_rex(c, reg, base);
  put(c, 0x8b);
  put_operand(c, reg, jemit_in_memory(base, at), 1, 0);
  say_general(c, "mov", reg, base, at);
}

void jx_set_pointer(jemit_code* c, int reg, uintptr_t value) {
  put_rex(c, 0, reg);
  put(c, 0xb8 | (reg & 7));
  jemit_code_put(c, value, 8);
  if (!c->listing) return;
  char symbol[JEMIT_SYMBOL];
  jemit_symbol(c, value, symbol);
  JEMIT_SAY(c, "movabs %s, %s", general[reg], symbol);
  jemit_mask(c);
}

void jx_add_pointer(jemit_code* c, int reg, int base, int32_t at) {
  put_rex(c, reg, base);
  put(c, 0x8d);
  put_operand(c, reg, jemit_in_memory(base, at), 1, 0);
  say_general(c, "lea", reg, base, at);
}

void jx_pool_pointer(jemit_code* c, int reg, int32_t at) {
  put_rex(c, reg, 0);
  put(c, 0x8d);
  put(c, (reg & 7) << 3 | 5);
  note_pool(c, at, 0);
  JEMIT_SAY(c, "lea %s, [rip+pool+0x%x]", general[reg], (unsigned)at);
}

// code for older machines is slow after wide registers
static void rest(jemit_code* c) {
  if (c->level < JCPU_V3) return;
  jemit_code_put(c, 0x77f8c5, 3);
  JEMIT_SAY(c, "vzeroupper");
}

void jx_call(jemit_code* c, jemit_function function, bool is_plain) {
  if (is_plain) rest(c);
  jx_set_pointer(c, JX_RAX, (uintptr_t)function);
  put(c, 0xff);
  put(c, 0xd0);
  JEMIT_SAY(c, "call rax");
}

typedef struct fixed {
  uint8_t n, byte[7];
  const char* text;
} fixed;
static const fixed enter[] = {
    {1, {0x53}, "push rbx"},
    {1, {0x55}, "push rbp"},
    {2, {0x41, 0x54}, "push r12"},
    {2, {0x41, 0x55}, "push r13"},
    {2, {0x41, 0x56}, "push r14"},
    {2, {0x41, 0x57}, "push r15"},
    {4, {0x48, 0x83, 0xec, 0x08}, "sub rsp, 0x8"},  // aligned for calls
    {3, {0x49, 0x89, 0xfd}, "mov r13, rdi"},
    {3, {0x49, 0x89, 0xf4}, "mov r12, rsi"},
    {4, {0x48, 0x8d, 0x5a, 0x3f}, "lea rbx, [rdx+0x3f]"},
    {4, {0x48, 0x83, 0xe3, 0xc0}, "and rbx, 0xffffffffffffffc0"},
    {7, {0x48, 0x8d, 0xab}, "lea rbp, [rbx+narrow]"},  // the second part of the frame
};
static const fixed leave[] = {
    {4, {0x48, 0x83, 0xc4, 0x08}, "add rsp, 0x8"},
    {2, {0x41, 0x5f}, "pop r15"},
    {2, {0x41, 0x5e}, "pop r14"},
    {2, {0x41, 0x5d}, "pop r13"},
    {2, {0x41, 0x5c}, "pop r12"},
    {1, {0x5d}, "pop rbp"},
    {1, {0x5b}, "pop rbx"},
    {1, {0xc3}, "ret"},
};
enum { ENTER = sizeof enter / sizeof *enter, LEAVE = sizeof leave / sizeof *leave };

static void put_fixed(jemit_code* c, const fixed* x, int n) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < x[i].n; k++) {
      put(c, x[i].byte[k]);
    }
    JEMIT_SAY(c, "%s", x[i].text);
  }
}

void jx_enter(jemit_code* c, jx_bases bases) {
  put_fixed(c, enter, ENTER);
  jx_add_pointer(c, JX_R15, JX_RBX, bases.r15);
  if (c->level < JCPU_V4) return;
  jx_add_pointer(c, JX_RBX, JX_RBX, bases.rbx);
  jx_pool_pointer(c, JX_R14, c->pool + POOL_BASE);
}

void jx_leave(jemit_code* c, jx_bases bases, int start, int32_t wide) {
  int32_t second = (wide + 63) / 64 * 64 + bases.rbp;
  rest(c);
  put_fixed(c, leave, LEAVE);
  int end = 0;
  for (int i = 0; i < ENTER; i++) {
    end += enter[i].n;
  }
  if (!c->failed) memcpy(c->byte + start + end - (int)sizeof second, &second, sizeof second);
}

//   rax = (integer)index;  if (rax >= count, unsigned) rax = 0;  rcx = list + 8 rax
// What is not a number, or too large, becomes the least integer; values between -1 and 0 become 0.
jemit_location jx_element(jemit_code* c, int index, int count, jemit_location list) {
  jx_put(c, JX_TO_INTEGER, 1, JX_RAX, -1, jemit_in_register(index), -1, 8);
  jemit_code_put(c, 0xc931, 2);
  JEMIT_SAY(c, "xor ecx, ecx");
  jemit_code_put(c, 0x3d48, 2);
  jemit_code_put(c, (uint64_t)count, 4);
  JEMIT_SAY(c, "cmp rax, 0x%x", (unsigned)count);
  jemit_code_put(c, 0xc1430f48, 4);
  JEMIT_SAY(c, "cmovae rax, rcx");
  if (list.kind == JEMIT_POOL) {
    jemit_code_put(c, 0x0d8d48, 3);
    note_pool(c, list.at, 0);
    JEMIT_SAY(c, "lea rcx, [rip+pool+0x%x]", (unsigned)list.at);
  } else {
    jx_add_pointer(c, JX_RCX, list.reg, list.at);
  }
  jemit_code_put(c, 0xc10c8d48, 4);
  JEMIT_SAY(c, "lea rcx, [rcx+rax*8]");
  return jemit_in_memory(JX_RCX, 0);
}
