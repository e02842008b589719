// SPDX-License-Identifier: Apache-2.0
// From operations over values to machine code over registers.
//
// Code is straight, so that it is known when a value is read next: where a register is needed, the value that is read last of
// all gives its own up (Belady's rule). It is stored in the frame once, unless memory has it already, and read from
// there by whoever needs it, as an operand in memory where it is not read again soon.
#ifndef JEMIT_REGISTERS_H
#define JEMIT_REGISTERS_H

#include "emit/encode/target.h"
#include "emit/machine/frame.h"
#include "emit/machine/operations.h"
#include "emit/machine/window.h"

#define JEMIT_VECTORS_MAX  32
#define JEMIT_POINTERS_MAX 16

typedef struct jemit_registers {
  const jemit_operations* o;
  const jemit_target* target;
  const jemit_functions* functions;
  jemit_code* c;
  int* next;   // operation that reads a value next                      (value)
  int* after;  // the same behind each use                               (operation x 3)
  int* reg;    // of a value; -1: none                                   (value)
  int* slot;   // its place in the frame; -1: none                       (value)
  // Of a value that is read in the place of another one (value): that one, -1: none; which double of it is the first; whether
  // that is the double of all places.
  int *of, *first;
  bool* is_splat;
  int* readers;                  // values that are read in the place of this one        (value)
  int held[JEMIT_VECTORS_MAX];   // value in a register; -1: none
  bool busy[JEMIT_VECTORS_MAX];  // needed by the operation at hand
  jemit_frame frame;
  jemit_windows windows;
  // array that a general register points to: inputs from 0, outputs from -2 down; -1: none
  int pointer[JEMIT_POINTERS_MAX];
  int64_t used[JEMIT_POINTERS_MAX];
  int64_t clock;
  int at;  // operation at hand
} jemit_registers;

// Appends one function to the code. Its constants stand in the pool from `pool_base` bytes on. *work: doubles it needs.
jo_status jemit_assign(jo_context* ctx, jarena* scratch, const jemit_operations* o,
                       const jemit_target* target, const jemit_functions* functions, int pool_base,
                       jemit_code* code, size_t* work);

// For instruction sets (emit/encode/target.h), about the operation at hand: its operands come first, then the register of its
// result, then its instructions, and jemit_finish() at the end.

// The register of a value, which is loaded where it is in none.
int jemit_to_register(jemit_registers* m, int value);
// Whether an instruction reads the k-th operand, of so many bytes, from memory; and where it reads it.
bool jemit_is_folded(const jemit_registers* m, int k, int bytes);
jemit_location jemit_operand_of(jemit_registers* m, int k, int bytes);
// Memory of a value, from a place on.
jemit_location jemit_memory_of(jemit_registers* m, int value, int place);
// Whether the k-th operand is not read again.
bool jemit_is_dead(const jemit_registers* m, int k);
// A register for the result: that of the k-th operand where its value is not read again, else (and with k = -1) another one.
int jemit_result_in(jemit_registers* m, int k);
void jemit_finish(jemit_registers* m, int reg);

#endif
