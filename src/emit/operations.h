// SPDX-License-Identifier: Apache-2.0
// A function as a straight list of vector operations over values: what a plan (emit/plan.h) becomes before registers are
// assigned. Every value is written once and fits into a register.
#ifndef JEMIT_OPERATIONS_H
#define JEMIT_OPERATIONS_H

#include "base/cpu.h"
#include "emit/plan.h"
#include "emit/x86.h"

//   X(id, operands)       over n doubles unless stated otherwise
#define JEMIT_OPERATIONS(X)                                                                       \
  X(ADD, 2)                                                                                       \
  X(SUB, 2)                                                                                       \
  X(MUL, 2)                                                                                       \
  X(DIV, 2)                                                                                       \
  X(MIN, 2) X(MAX, 2) X(ADDSUB, 2) X(AND, 2) X(ANDN, 2) X(OR, 2) X(XOR, 2) X(SQRT, 1) X(FLOOR, 1) \
      X(COMPARE, 2)     /* all bits set where it holds; imm: 0 ==, 1 <, 2 <=, 4 != */             \
      X(CHOOSE, 3)      /* where a mask is set the second, else the third operand */              \
      X(SPLAT, 1)       /* one double in all places */                                            \
      X(PAIR, 2)        /* two doubles */                                                         \
      X(JOIN, 2)        /* two halves */                                                          \
      X(PLACE, 1)       /* the double at place imm */                                             \
      X(CHUNK, 1)       /* n doubles from place imm * n on */                                     \
      X(SHUFFLE, 2)     /* of each two, the first from a, the second from b: bits of imm */       \
      X(PERMUTE, 1)     /* four, by two bits of imm each */                                       \
      X(BLEND, 2)       /* from b where the bit of imm is set */                                  \
      X(PERMUTE_TWO, 3) /* a: places as integers, of b and c side by side */                      \
      X(CALL, 2)        /* function of one or two vectors */                                      \
      X(WAVES, 1)       /* sine, and the cosine as `second` */                                    \
      X(STORE, 1)       /* to output `group` at `at` */                                           \
      X(STORE_PLACE, 1) /* place imm, 0 or 1, of two */                                           \
      X(ARGUMENT, 1)    /* to the list in the frame at `at` */                                    \
      X(LIST, 0) /* function of the list in the frame; `group`: input handed on, -1: none */      \
      X(PICK, 1) /* from a list of imm doubles, constant at `at` or (group 1) in the frame */

typedef enum jemit_operator {
#define JEMIT_MEMBER(id, operands) JEMIT_##id,
  JEMIT_OPERATIONS(JEMIT_MEMBER)
#undef JEMIT_MEMBER
} jemit_operator;

typedef struct jemit_operation {
  uint8_t op, n;
  int imm;
  int dst, second;  // values; -1: none
  int arg[3];       // values; -1: none
  int group, at;    // of memory; at in bytes
  jx_function call;
  struct jemit_list* about;  // of a list
} jemit_operation;

// Where a value can be read from memory before it was ever computed.
typedef enum jemit_home { JEMIT_NOWHERE, JEMIT_INPUT, JEMIT_CONSTANT, JEMIT_SLOT } jemit_home;

typedef struct jemit_value {
  uint8_t n;
  uint8_t home;
  bool is_splat;  // memory has one double, for all places
  int group, at;  // of an input; at in bytes
} jemit_value;

// What a list operator does, for the function that does it.
typedef struct jemit_list {
  jexpr_op op;
  int n, lanes;  // operands, x first; lanes of each
  const double*
      constant;  // the operands behind x, where they are constants; NULL: they are in the frame
  int data[3];   // of data: table, du, dv
  int body;      // of solve: which function of the unit has the equation; -1: none
  void (*function)(const double* const* in, double* const* out,
                   double* work);  // it, when it is known
  int work;                        // in the frame, doubles from the beginning of the list
} jemit_list;

// Addresses that code calls: by operator and by the binary logarithm of the width.
typedef struct jemit_functions {
  jx_function of[JEXPR_OP_COUNT][4];
  jx_function waves[4];  // sine, cosine by pointer
  void (*list)(const jemit_list* about, double* list, const double* data);
} jemit_functions;

typedef struct jemit_operations {
  jo_context* ctx;
  int noperation, operation_cap;
  jemit_operation* operation;
  int nvalue, value_cap;
  jemit_value* value;
  int npool, pool_cap;
  uint64_t* pool;  // constants, bits of doubles
  int* known;      // values that are constants, by hash; -1: free (nknown, a power of two)
  int nknown, nconstant;
  size_t list_size;  // doubles of the list in the frame
  bool failed;       // no memory
} jemit_operations;

// Bodies of unknowns are functions of their own: body[k] is where that of the graph's k-th stands in the unit.
jo_status jemit_lower(jo_context* ctx, jarena* a, const jemit_plan* plan, jcpu_level level,
                      const jemit_functions* functions, const int* body, const size_t* body_work,
                      jemit_operations* out);
void jemit_operations_free(jemit_operations* o);

#endif
