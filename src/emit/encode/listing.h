// SPDX-License-Identifier: Apache-2.0
// A readable listing of machine code. Encoders report every instruction when they have put it (JEMIT_SAY), with its mnemonic
// and operands; it has the bytes since the one before. Code without a listing (jemit_code.listing NULL) reports nothing.
//
// Every byte belongs to one instruction. Bytes that depend on addresses of the process are zero: in their place stands the
// name of what the address is of.
#ifndef JEMIT_LISTING_H
#define JEMIT_LISTING_H

#include "base/text/text.h"
#include "emit/machine/operations.h"

#define JEMIT_GENERALS 32  // general registers
#define JEMIT_SYMBOL   40  // characters of the name of an address, with the end

// An instruction, or a comment (0 bytes). Texts are offsets in jemit_listing.text.
typedef struct jemit_line {
  uint32_t at;  // in the code
  int bytes;
  bool is_masked;     // has an address, or a part of one
  size_t text, note;  // note 0: none
} jemit_line;

typedef struct jemit_listed {
  size_t name;
  int first, end;            // lines
  uint32_t start, bytes;     // of code
  int instructions, spills;  // spills: stores of values to the frame
  size_t frame, constants;   // [bytes]
} jemit_listed;

typedef struct jemit_listing {
  jo_context* ctx;
  jcpu_level level;
  int lanes, pack;
  jtext text;  // of lines, each with a zero at its end
  jemit_line* line;
  int nline, line_cap;
  jemit_listed* function;
  int nfunction, function_cap;
  uint8_t* code;  // (ncode) linked, without constants
  size_t ncode;
  int nlist;    // lists that functions are called with so far
  bool failed;  // no memory

  // of the function at hand
  const jemit_plan* plan;
  const jemit_operations* o;
  const jemit_functions* functions;
  uint32_t from;  // where the next instruction begins
  // what a general register points to, as jemit_registers.pointer; -1: none
  int array[JEMIT_GENERALS];
} jemit_listing;

void jemit_listing_init(jemit_listing* l, jo_context* ctx);
void jemit_listing_free(jemit_listing* l);

// The text of all functions. False: no memory, now or before.
bool jemit_listing_write(const jemit_listing* l, jtext* out);

// ---- for machine code ----------------------------------------------------------------------------

// One function; `start` is where it begins.
void jemit_listing_begin(jemit_listing* l, const jemit_plan* plan, const jemit_operations* o,
                         const jemit_functions* functions, uint32_t start);
void jemit_listing_end(jemit_listing* l, size_t frame);
// The code of all functions, linked.
void jemit_listing_link(jemit_listing* l, const uint8_t* code, size_t size);

// The operation that the next instructions are of.
void jemit_listing_operation(jemit_listing* l, const jemit_operation* op);
void jemit_listing_pointer(jemit_listing* l, int reg, int array);
// The value was stored to the frame.
void jemit_listing_spill(jemit_listing* l, int value);

// ---- for encoders --------------------------------------------------------------------------------

// The instruction that ends where the code ends: a format as of printf.
#define JEMIT_SAY(code, ...)                             \
  do {                                                   \
    if ((code)->listing) jemit_say((code), __VA_ARGS__); \
  } while (0)
void jemit_say(jemit_code* c, const char* format, ...) __attribute__((format(printf, 2, 3)));

// About the last instruction: what it reads or writes in memory, `bytes` of it; that it has an address.
void jemit_note(jemit_code* c, jemit_location at, int bytes);
void jemit_mask(jemit_code* c);

// What an address is of: a function, a list.
void jemit_symbol(jemit_code* c, uintptr_t address, char out[JEMIT_SYMBOL]);

#endif
