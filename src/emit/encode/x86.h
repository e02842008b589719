// SPDX-License-Identifier: Apache-2.0
// Encoder of x86-64 instructions over doubles: SSE, AVX (VEX) or AVX-512 (EVEX), one text for all three.
//
// An instruction has a destination, a first source in a register and a second one in a register or in memory. SSE instructions
// overwrite their first source: the caller makes both the same register.
#ifndef JEMIT_X86_H
#define JEMIT_X86_H

#include "emit/encode/code.h"

// General registers, as encoded.
enum {
  JX_RAX,
  JX_RCX,
  JX_RDX,
  JX_RBX,
  JX_RSP,
  JX_RBP,
  JX_RSI,
  JX_RDI,
  JX_R12 = 12,
  JX_R13,
  JX_R14,
  JX_R15
};

//   X(id, scalar prefix, packed prefix, opcode map, opcode, VEX.W, scalar, packed and EVEX mnemonic)
// Prefixes: 0 none, 1 66, 2 F3, 3 F2. Maps: 1 0F, 2 0F38, 3 0F3A. EVEX.W is 1 throughout. Mnemonics of VEX and EVEX begin with
// a v before that; EVEX NULL: as the others. Those of comparisons begin with cmp and the relation.
#define JX_INSTRUCTIONS(X)                                                       \
  X(JX_ADD, 3, 1, 1, 0x58, 0, "addsd", "addpd", NULL)                            \
  X(JX_MUL, 3, 1, 1, 0x59, 0, "mulsd", "mulpd", NULL)                            \
  X(JX_SUB, 3, 1, 1, 0x5c, 0, "subsd", "subpd", NULL)                            \
  X(JX_MIN, 3, 1, 1, 0x5d, 0, "minsd", "minpd", NULL)                            \
  X(JX_DIV, 3, 1, 1, 0x5e, 0, "divsd", "divpd", NULL)                            \
  X(JX_MAX, 3, 1, 1, 0x5f, 0, "maxsd", "maxpd", NULL)                            \
  X(JX_SQRT, 3, 1, 1, 0x51, 0, "sqrtsd", "sqrtpd", NULL)                         \
  X(JX_AND, 1, 1, 1, 0x54, 0, "andpd", "andpd", NULL)                            \
  X(JX_ANDN, 1, 1, 1, 0x55, 0, "andnpd", "andnpd", NULL)                         \
  X(JX_OR, 1, 1, 1, 0x56, 0, "orpd", "orpd", NULL)                               \
  X(JX_XOR, 1, 1, 1, 0x57, 0, "xorpd", "xorpd", NULL)                            \
  X(JX_CMP, 3, 1, 1, 0xc2, 0, "sd", "pd", NULL)                                  \
  X(JX_ADDSUB, 1, 1, 1, 0xd0, 0, "addsubpd", "addsubpd", NULL)                   \
  X(JX_ROUND_SCALAR, 1, 1, 3, 0x0b, 0, "roundsd", "roundsd", "rndscalesd")       \
  X(JX_ROUND, 1, 1, 3, 0x09, 0, "roundpd", "roundpd", "rndscalepd")              \
  X(JX_BLENDV, 1, 1, 3, 0x4b, 0, "blendvpd", "blendvpd", NULL)                   \
  X(JX_TERNARY, 1, 1, 3, 0x25, 1, "pternlogq", "pternlogq", NULL)                \
  X(JX_MASK_TO_VECTOR, 2, 2, 2, 0x38, 1, "pmovm2q", "pmovm2q", NULL)             \
  X(JX_LOAD, 3, 1, 1, 0x10, 0, "movsd", "movupd", NULL)                          \
  X(JX_STORE, 3, 1, 1, 0x11, 0, "movsd", "movupd", NULL)                         \
  X(JX_COPY, 1, 1, 1, 0x28, 0, "movapd", "movapd", NULL)                         \
  X(JX_DUPLICATE, 3, 3, 1, 0x12, 0, "movddup", "movddup", NULL)                  \
  X(JX_BROADCAST, 1, 1, 2, 0x19, 0, "broadcastsd", "broadcastsd", NULL)          \
  X(JX_UNPACK_LOW, 1, 1, 1, 0x14, 0, "unpcklpd", "unpcklpd", NULL)               \
  X(JX_UNPACK_HIGH, 1, 1, 1, 0x15, 0, "unpckhpd", "unpckhpd", NULL)              \
  X(JX_LOAD_HIGH, 1, 1, 1, 0x16, 0, "movhpd", "movhpd", NULL)                    \
  X(JX_STORE_HIGH, 1, 1, 1, 0x17, 0, "movhpd", "movhpd", NULL)                   \
  X(JX_SHUFFLE, 1, 1, 1, 0xc6, 0, "shufpd", "shufpd", NULL)                      \
  X(JX_INSERT2, 1, 1, 3, 0x18, 0, "insertf128", "insertf128", "insertf64x2")     \
  X(JX_EXTRACT2, 1, 1, 3, 0x19, 0, "extractf128", "extractf128", "extractf64x2") \
  X(JX_INSERT4, 1, 1, 3, 0x1a, 1, "insertf64x4", "insertf64x4", NULL)            \
  X(JX_EXTRACT4, 1, 1, 3, 0x1b, 1, "extractf64x4", "extractf64x4", NULL)         \
  X(JX_PERMUTE, 1, 1, 3, 0x01, 1, "permpd", "permpd", NULL)                      \
  X(JX_BLEND, 1, 1, 3, 0x0d, 0, "blendpd", "blendpd", NULL)                      \
  X(JX_PERMUTE_TWO, 1, 1, 2, 0x77, 1, "permi2pd", "permi2pd", NULL)              \
  X(JX_TO_INTEGER, 3, 3, 1, 0x2c, 1, "cvttsd2si", "cvttsd2si", NULL)

#define JX_MEMBER(id, ...) id,
typedef enum jx_instruction { JX_INSTRUCTIONS(JX_MEMBER) JX_COUNT } jx_instruction;
#undef JX_MEMBER

// One instruction over n doubles (1, 2, 4, 8). first < 0: it has no first source. imm < 0: no immediate byte. `bytes`: what it
// reads or writes in memory.
void jx_put(jemit_code* c, jx_instruction i, int n, int dst, int first, jemit_location second,
            int imm, int bytes);
// Comparison into mask register 1 (AVX-512).
void jx_compare_to_mask(jemit_code* c, int n, int first, jemit_location second, int imm);

void jx_load_pointer(jemit_code* c, int reg, int base, int32_t at);  // reg = *(base + at)
void jx_set_pointer(jemit_code* c, int reg, uintptr_t value);
void jx_add_pointer(jemit_code* c, int reg, int base, int32_t at);  // reg = base + at
void jx_pool_pointer(jemit_code* c, int reg, int32_t at);           // reg = pool + at
void jx_call(jemit_code* c, jemit_function function, bool is_plain);

// In: r13, out: r12. Into the parts of the frame, which is aligned to 64 bytes, point rbx and r15, and rbp; with AVX-512 r14
// points into the constants of the function. jx_leave() completes what jx_enter() left open: where the second part begins.
typedef struct jx_bases {
  int32_t rbx, r15, rbp;  // [bytes] from the beginnings of the parts on
} jx_bases;
void jx_enter(jemit_code* c, jx_bases bases);
void jx_leave(jemit_code* c, jx_bases bases, int start, int32_t wide);

// Element of a list of `count` doubles that a vector register has the index of, at rcx; the first where there is none.
jemit_location jx_element(jemit_code* c, int index, int count, jemit_location list);

#endif
