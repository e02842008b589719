// SPDX-License-Identifier: Apache-2.0
// A function as a straight list of vector operations over values: what a plan (emit/plan.h) becomes before registers are
// assigned. Every value is written once and fits into a register.
#ifndef JEMIT_OPERATIONS_H
#define JEMIT_OPERATIONS_H

#include "emit/encode/target.h"
#include "emit/plan.h"

// Operators over n doubles, with the number of their operands:
//
//   COMPARE      all bits set where it holds; imm: 0 ==, 1 <, 2 <=, 4 !=
//   CHOOSE       where the mask a is set b, else c
//   SPLAT        one double in all places
//   PAIR, JOIN   two doubles, two halves
//   PLACE        the double at place imm
//   CHUNK        n doubles from place imm * n on
//   SHUFFLE      of each two, the first from a, the second from b: bits of imm
//   PERMUTE      four, by two bits of imm each
//   BLEND        from b where the bit of imm is set
//   PERMUTE_TWO  a: places as integers, of b and c side by side
//   CALL, WAVES  a function of one or two vectors; sine, and the cosine as `second`
//   STORE        to output `group` at `at`; STORE_PLACE: place imm, 0 or 1, of two
//   ARGUMENT     to the list in the frame at `at`
//   LIST         function of the list in the frame; `group`: input handed on, -1: none
//   PICK         from a list of imm doubles, constant at `at` or (group 1) in the frame
#define JEMIT_OPERATIONS(X) \
  X(ADD, 2)                 \
  X(SUB, 2)                 \
  X(MUL, 2)                 \
  X(DIV, 2)                 \
  X(MIN, 2)                 \
  X(MAX, 2)                 \
  X(ADDSUB, 2)              \
  X(AND, 2)                 \
  X(ANDN, 2)                \
  X(OR, 2)                  \
  X(XOR, 2)                 \
  X(SQRT, 1)                \
  X(FLOOR, 1)               \
  X(COMPARE, 2)             \
  X(CHOOSE, 3)              \
  X(SPLAT, 1)               \
  X(PAIR, 2)                \
  X(JOIN, 2)                \
  X(PLACE, 1)               \
  X(CHUNK, 1)               \
  X(SHUFFLE, 2)             \
  X(PERMUTE, 1)             \
  X(BLEND, 2)               \
  X(PERMUTE_TWO, 3)         \
  X(CALL, 2)                \
  X(WAVES, 1)               \
  X(STORE, 1)               \
  X(STORE_PLACE, 1)         \
  X(ARGUMENT, 1)            \
  X(LIST, 0)                \
  X(PICK, 1)

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
  jemit_function call;
  struct jemit_list* about;  // of a list
} jemit_operation;

// Where a value can be read from memory before it was ever computed.
typedef enum jemit_home { JEMIT_NOWHERE, JEMIT_INPUT, JEMIT_CONSTANT } jemit_home;

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
  jemit_function of[JEXPR_OP_COUNT][4];
  jemit_function waves[4];  // sine, cosine by pointer
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

// Bodies of unknowns are functions of their own: body[k] is where that of the graph's k-th stands in the unit. What lists
// need at run time is in `a`, which lives as long as the code.
jo_status jemit_lower(jo_context* ctx, jarena* a, jarena* scratch, const jemit_plan* plan,
                      const jemit_target* target, const jemit_functions* functions, const int* body,
                      const size_t* body_work, jemit_operations* out);
void jemit_operations_free(jemit_operations* o);

#endif
