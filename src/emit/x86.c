// SPDX-License-Identifier: Apache-2.0
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2: instruction format.
#include "emit/x86.h"

#include <assert.h>
#include <string.h>

static const struct {
  uint8_t prefix[2], map, opcode, w;  // prefix: of scalars, of vectors
} about[JX_COUNT] = {
#define JX_ROW(id, scalar, packed, map, opcode, w) [id] = {{scalar, packed}, map, opcode, w},
    JX_INSTRUCTIONS(JX_ROW)
#undef JX_ROW
};

static void put(jx_code* c, int byte) {
  if (c->n == c->cap && !c->failed &&
      !jmem_grow(c->ctx, &c->byte, &c->cap, c->n + 1, sizeof *c->byte)) {
    c->failed = true;
  }
  if (!c->failed) c->byte[c->n++] = (uint8_t)byte;
}

static void put_word(jx_code* c, uint64_t word, int bytes) {
  for (int i = 0; i < bytes; i++) {
    put(c, (int)(word >> 8 * i & 0xff));
  }
}

static void note_pool(jx_code* c, int32_t at, int trailing) {
  if (!c->failed && !jmem_grow(c->ctx, &c->fix, &c->fix_cap, c->nfix + 1, sizeof *c->fix)) {
    c->failed = true;
  }
  if (!c->failed) {
    uint32_t here = (uint32_t)c->n;
    c->fix[c->nfix++] = (jx_fix){here, here + 4 + (uint32_t)trailing, (uint32_t)at};
  }
  put_word(c, 0, 4);
}

// ModRM, SIB and displacement. `scale`: EVEX counts short displacements in so many bytes; 1: it does not.
static void put_operand(jx_code* c, int reg, jx_operand o, int scale, int trailing) {
  int field = (reg & 7) << 3;
  if (o.place == JX_REGISTER) {
    put(c, 0xc0 | field | (o.reg & 7));
    return;
  }
  if (o.place == JX_POOL) {
    put(c, field | 5);
    note_pool(c, o.at, trailing);
    return;
  }
  bool is_short = o.at % scale == 0 && o.at / scale >= -128 && o.at / scale <= 127;
  put(c, (is_short ? 0x40 : 0x80) | field | (o.reg & 7));
  if ((o.reg & 7) == JX_RSP) put(c, 0x24);
  put_word(c, (uint64_t)(int64_t)(is_short ? o.at / scale : o.at), is_short ? 1 : 4);
}

static void put_sse(jx_code* c, jx_instruction i, int prefix, int reg, jx_operand o, int trailing) {
  static const uint8_t byte[] = {0, 0x66, 0xf3, 0xf2};
  bool far = o.place != JX_POOL && o.reg > 7;
  if (prefix > 0) put(c, byte[prefix]);
  if (reg > 7 || far) put(c, 0x40 | (reg > 7) << 2 | far);
  put(c, 0x0f);
  if (about[i].map > 1) put(c, about[i].map == 2 ? 0x38 : 0x3a);
  put(c, about[i].opcode);
  put_operand(c, reg, o, 1, trailing);
}

static void put_vex(jx_code* c, jx_instruction i, int prefix, int n, int reg, int first,
                    jx_operand o, int trailing) {
  bool far = o.place != JX_POOL && o.reg > 7;
  int v = (~first & 15) << 3 | (n > 2) << 2 | prefix;
  if (about[i].map == 1 && !far && about[i].w == 0) {
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

static void put_evex(jx_code* c, jx_instruction i, int prefix, int n, int reg, int first,
                     jx_operand o, int bytes, int trailing) {
  int rm = o.place == JX_POOL ? 0 : o.reg;
  int x = o.place == JX_REGISTER ? rm >> 4 & 1 : 0;
  put(c, 0x62);
  put(c, (~reg >> 3 & 1) << 7 | (x ^ 1) << 6 | (~rm >> 3 & 1) << 5 | (~reg >> 4 & 1) << 4 |
             about[i].map);
  put(c, 0x80 | (~first & 15) << 3 | 4 | prefix);
  put(c, (n == 8 ? 2 : n == 4 ? 1 : 0) << 5 | o.is_splat << 4 | (~first >> 4 & 1) << 3);
  put(c, about[i].opcode);
  put_operand(c, reg, o, o.place == JX_MEMORY ? o.is_splat ? 8 : bytes : 1, trailing);
}

static bool needs_evex(const jx_code* c, jx_instruction i, int n, int reg, int first,
                       jx_operand o) {
  if (c->level < JCPU_V4) return false;
  bool is_only = i == JX_TERNARY || i == JX_MASK_TO_VECTOR || i == JX_PERMUTE_TWO ||
                 i == JX_INSERT4 || i == JX_EXTRACT4;
  return n == 8 || is_only || o.is_splat || reg > 15 || first > 15 ||
         (o.place == JX_REGISTER && o.reg > 15);
}

void jx_put(jx_code* c, jx_instruction i, int n, int dst, int first, jx_operand second, int imm,
            int bytes) {
  int prefix = about[i].prefix[n > 1], trailing = imm >= 0;
  assert(n <= jcpu_lanes(c->level));
  if (first < 0) first = 0;
  if (c->level < JCPU_V3) {
    put_sse(c, i, prefix, dst, second, trailing);
  } else if (needs_evex(c, i, n, dst, first, second)) {
    put_evex(c, i, prefix, n, dst, first, second, bytes, trailing);
  } else {
    put_vex(c, i, prefix, n, dst, first, second, trailing);
  }
  if (imm >= 0) put(c, imm);
}

void jx_compare_to_mask(jx_code* c, int n, int first, jx_operand second, int imm) {
  put_evex(c, JX_CMP, about[JX_CMP].prefix[n > 1], n, 1, first, second, 8 * n, 1);
  put(c, imm);
}

// ---- general registers ---------------------------------------------------------------------------

static void put_rex(jx_code* c, int reg, int rm) {
  put(c, 0x48 | (reg > 7) << 2 | (rm > 7));
}

void jx_load_pointer(jx_code* c, int reg, int base, int32_t at) {
  put_rex(c, reg, base);
  put(c, 0x8b);
  put_operand(c, reg, jx_memory(base, at), 1, 0);
}

void jx_set_pointer(jx_code* c, int reg, uintptr_t value) {
  put_rex(c, 0, reg);
  put(c, 0xb8 | (reg & 7));
  put_word(c, value, 8);
}

void jx_add_pointer(jx_code* c, int reg, int base, int32_t at) {
  put_rex(c, reg, base);
  put(c, 0x8d);
  put_operand(c, reg, jx_memory(base, at), 1, 0);
}

void jx_call(jx_code* c, jx_function function) {
  jx_set_pointer(c, JX_RAX, (uintptr_t)function);
  put(c, 0xff);
  put(c, 0xd0);
}

static const uint8_t enter[] = {
    0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57,  // push rbx rbp r12 r13 r14 r15
    0x48, 0x83, 0xec, 0x08,                                      // sub rsp, 8: aligned for calls
    0x48, 0x89, 0xfb, 0x49, 0x89, 0xf4,                          // mov rbx, rdi; mov r12, rsi
    0x4c, 0x8d, 0x6a, 0x3f, 0x49, 0x83, 0xe5, 0xc0,              // r13 = (rdx + 63) & -64
};
static const uint8_t leave[] = {
    0x48, 0x83, 0xc4, 0x08, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3,
};

void jx_enter(jx_code* c) {
  for (size_t i = 0; i < sizeof enter; i++) {
    put(c, enter[i]);
  }
}

void jx_rest(jx_code* c) {
  put_word(c, 0x77f8c5, 3);  // vzeroupper
}

void jx_leave(jx_code* c) {
  if (c->level >= JCPU_V3) jx_rest(c);
  for (size_t i = 0; i < sizeof leave; i++) {
    put(c, leave[i]);
  }
}

//   rax = (integer)index;  if (rax >= count, unsigned) rax = 0;  rcx = list + 8 rax
// What is not a number, or too large, becomes the least integer; values between -1 and 0 become 0.
void jx_index(jx_code* c, int index, int count, jx_operand list) {
  jx_put(c, JX_TO_INTEGER, 1, JX_RAX, -1, jx_register(index), -1, 8);
  put_word(c, 0xc931, 2);  // xor ecx, ecx
  put_word(c, 0x3d48, 2);  // cmp rax, count
  put_word(c, (uint64_t)count, 4);
  put_word(c, 0xc1430f48, 4);  // cmovae rax, rcx
  if (list.place == JX_POOL) {
    put_word(c, 0x0d8d48, 3);  // lea rcx, [rip + pool]
    note_pool(c, list.at, 0);
  } else {
    jx_add_pointer(c, JX_RCX, list.reg, list.at);
  }
  put_word(c, 0xc10c8d48, 4);  // lea rcx, [rcx + 8 rax]
}
