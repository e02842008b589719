// SPDX-License-Identifier: Apache-2.0
// Values of operations (emit/machine/operations.h): new ones, constants, and vectors that are gathered from numbers of different places.
#ifndef JEMIT_VALUES_H
#define JEMIT_VALUES_H

#include <string.h>

#include "emit/machine/operations.h"

typedef struct jemit_writer {
  jemit_operations* o;
  const jemit_target* target;
} jemit_writer;

// One number that a vector is made of.
typedef struct jemit_source {
  enum { JEMIT_FROM_CONSTANT, JEMIT_FROM_INPUT, JEMIT_FROM_VALUE } from;
  uint64_t bits;
  int group, at;     // of an input; at in bytes
  int value, place;  // of a value
} jemit_source;

// Failures are noted in the operations, and everything after them does nothing.
int jemit_value_new(jemit_writer* w, jemit_value v);
void jemit_new_operation(jemit_writer* w, jemit_operation op);
// An operation with a value of n doubles; operands -1: none.
int jemit_operate(jemit_writer* w, jemit_operator op, int n, int imm, int a, int b, int c);
int jemit_value_width(const jemit_writer* w, int value);

// Doubles in the pool, aligned to their size; where they stand [bytes]. Equal constants are one value.
int jemit_value_pool(jemit_writer* w, const uint64_t* bits, int n);
int jemit_value_constant(jemit_writer* w, const uint64_t* bits, int n);
// The same bits in all places; operations on bits read at least two doubles.
int jemit_value_bits(jemit_writer* w, uint64_t bits, int n);
static inline uint64_t jemit_bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// A single number; a vector of n; a value of at most two doubles that has the number, and its place there.
int jemit_value_number(jemit_writer* w, const jemit_source* s);
int jemit_value_gather(jemit_writer* w, const jemit_source* s, int n);
int jemit_value_half(jemit_writer* w, const jemit_source* s, int* place);

#endif
