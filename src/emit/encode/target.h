// SPDX-License-Identifier: Apache-2.0
// Instruction sets that machine code is written for: what each can do, and functions that write its instructions.
#ifndef JEMIT_TARGET_H
#define JEMIT_TARGET_H

#include "emit/encode/code.h"

#define JEMIT_WINDOWS_MAX 8

struct jemit_registers;

// What instructions read from memory, beyond loads; each includes those before.
typedef enum jemit_folding {
  JEMIT_FOLDS_NOTHING,
  JEMIT_FOLDS_ALIGNED,
  JEMIT_FOLDS_VECTORS,
  JEMIT_FOLDS_SPLATS,  // also one double, for all places
} jemit_folding;

// A general register that points into a part of the frame, so many bytes behind its beginning.
typedef struct jemit_base {
  int reg;
  int32_t at;
} jemit_base;

typedef struct jemit_target {
  // operators (emit/machine/operations.h) that not all have
  bool has_choose, has_addsub, has_permute_two;
  jemit_folding folds;

  int lanes;  // doubles of a vector register
  int nshort;  // vector registers for all but the widest values: instructions reach them in fewer bytes
  int nvector;  // vector registers, from 0 on; a function has its arguments in 0 and 1 and returns 0
  int npointer, nkept;  // general registers that point to arrays; the first nkept outlive calls
  const int* pointer;   // (npointer)
  int input,
      output;  // general registers with the arguments of a function; they outlive calls, as those of the frame do
  int nwide;
  jemit_base wide[2];  // of the part of the frame for values as wide as a vector, ...
  int32_t reach;       // of them: bytes on both sides that short displacements reach
  jemit_base narrow;   // ... and of the part for others,
  bool has_narrow;     // where there is one
  // General registers that move, as windows into the second part and, where pool_pointer is given, into the constants
  // (emit/machine/window.h); the first nwindow_kept outlive calls. Values of at most `windowed` doubles have their places there.
  int nwindow, nwindow_kept;
  const int* window;
  int windowed;
  int argument[3];     // general registers with those of functions that it calls
  uint8_t padding[4];  // between functions

  // The beginning and the end of a function; `start` is where it began, the first part of its frame has `wide` bytes.
  void (*enter)(jemit_code* c);
  void (*leave)(jemit_code* c, int start, int32_t wide);
  // Completes a place of the code; the pool is `pool` bytes behind its beginning.
  void (*link)(uint8_t* code, const jemit_fix* fix, size_t pool);

  // n doubles (1, 2, 4, 8) between a vector register and memory; the second double of two.
  void (*load)(jemit_code* c, int n, int reg, jemit_location from);
  void (*store)(jemit_code* c, int n, int reg, jemit_location to);
  void (*store_second)(jemit_code* c, int reg, jemit_location to);
  void (*copy)(jemit_code* c, int n, int reg, int from);

  // General registers: *(base + at); a number; base + at.
  void (*load_pointer)(jemit_code* c, int reg, int base, int32_t at);
  void (*set_pointer)(jemit_code* c, int reg, uintptr_t value);
  void (*add_pointer)(jemit_code* c, int reg, int base, int32_t at);
  void (*pool_pointer)(jemit_code* c, int reg, int32_t at);  // to a place of the pool; NULL: none
  // is_plain: a function that does not take vectors.
  void (*call)(jemit_code* c, jemit_function function, bool is_plain);
  // The element of a list of `count` doubles that a vector register has the index of; the first where there is none. It is to
  // be read at once, but for stores before.
  jemit_location (*element)(jemit_code* c, int index, int count, jemit_location list);

  // The operation at hand, any but calls, stores, lists and what is read from memory: with registers by emit/machine/registers.h.
  void (*operate)(struct jemit_registers* m);
} jemit_target;

// NULL: there is no machine code for that level.
const jemit_target* jemit_target_of(jcpu_level level);
// The level whose code a processor of that level is to run, for a function whose widest values have so many doubles.
jcpu_level jemit_level_for(jcpu_level level, int widest);

extern const jemit_target jemit_x86_v2, jemit_x86_v3, jemit_x86_v4, jemit_arm64;

#endif
