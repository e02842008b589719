// SPDX-License-Identifier: Apache-2.0
// A text that grows. Running out of memory is remembered (`failed`) and asked for once, at the end.
#ifndef JBASE_TEXT_H
#define JBASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

typedef struct jtext {
  jo_context* ctx;
  char* data;  // always terminated once something was written; NULL before
  size_t length;
  size_t cap;
  bool failed;
} jtext;

void jtext_init(jtext* t, jo_context* ctx);
void jtext_free(jtext* t);
void jtext_clear(jtext* t);

void jtext_put(jtext* t, const char* s);
void jtext_write(jtext* t, const char* s, size_t n);
void jtext_printf(jtext* t, const char* format, ...) __attribute__((format(printf, 2, 3)));

// A number that reads back exactly and is a floating literal in C, whatever the locale: 2.0, 1e-10.
// Infinities and not-a-number are written as C expressions.
void jtext_number(jtext* t, double value);

// The same into a buffer; JTEXT_NUMBER_SIZE bytes are always enough.
#define JTEXT_NUMBER_SIZE 40
void jtext_format_number(char* buffer, double value);

// Read a decimal number at `s` whatever the locale: digits, a point anywhere among them, [e[+-]digits], no sign:
// 2, 2.5, .5 and 2. are numbers. Everything that users write is read by this function.
// Returns the characters used, 0 when there is no number.
size_t jtext_scan_number(const char* s, size_t n, double* value);
// The same, and ten to that power times the number, rounded once.
size_t jtext_scan_scaled(const char* s, size_t n, int power, double* value);

// Bytes of the UTF-8 character at `s`, of which there are n; 0 when it is none. *shows is false for
// control characters: those of a terminal, and those that end a line or turn the direction of writing.
size_t jtext_character(const char* s, size_t n, bool* shows);

// Why n bytes are no text, and where; NULL when they are. Text is UTF-8 without control characters other
// than tabs and line ends: names and units of files are shown, and shall not move the cursor.
const char* jtext_flaw(const char* s, size_t n, size_t* at);

// Jaro-like closeness for "did you mean": small is close. Case-insensitive edit distance.
int jtext_distance(const char* a, size_t na, const char* b, size_t nb);

// Whether a text, not `end` alone, ends in `end`.
bool jtext_ends_in(const char* text, const char* end);

#endif
