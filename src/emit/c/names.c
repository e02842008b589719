// SPDX-License-Identifier: Apache-2.0
// Sanitising. Works on bytes and on fixed character sets: no locale, no trigraphs, no line ends.
#include "emit/c/names.h"

#include <string.h>

#include "expr/graph.h"

#define PLAIN_LIMIT 24

static bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return is_lower(c) || is_digit(c) || c == '_' || (c >= 'A' && c <= 'Z');
}

static void put_filtered(jtext* t, const char* s, const char* also) {
  char buffer[JEMIT_NAME_LIMIT];
  size_t n = 0;
  for (; s && s[n] != '\0' && n < sizeof buffer; n++) {
    buffer[n] = is_word(s[n]) || strchr(also, s[n]) ? s[n] : '_';
  }
  jtext_write(t, buffer, n);
}

void jemit_put_comment(jtext* t, const char* s) {
  put_filtered(t, s, ".,:+()[] -");
}

void jemit_put_symbol(jtext* t, const char* s) {
  put_filtered(t, s, "");
}

static bool is_keyword(const char* s) {
  static const char* const keyword[] = {
      "alignas", "alignof", "asm",       "auto",         "bool",     "break",    "case",
      "char",    "const",   "continue",  "default",      "do",       "double",   "else",
      "enum",    "extern",  "false",     "float",        "for",      "goto",     "if",
      "inline",  "int",     "long",      "nullptr",      "register", "restrict", "return",
      "short",   "signed",  "sizeof",    "static",       "struct",   "switch",   "true",
      "typedef", "typeof",  "union",     "unix",         "unsigned", "void",     "volatile",
      "while",   "linux",   "constexpr", "thread_local", "main"};
  for (size_t i = 0; i < sizeof keyword / sizeof keyword[0]; i++) {
    if (strcmp(s, keyword[i]) == 0) return true;
  }
  return false;
}

// Names the operators' C texts call (fabs, floor, ...) must keep their meaning, and those of the C library ours stand
// for.
static bool is_used_by_operator(const char* s) {
  size_t n = strlen(s);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    const char* text = jexpr_ops[op].c_text;
    const char* own = strncmp(text, "jm_", 3) == 0 ? text + 3 : text;
    for (const char* at = strstr(text, s); at; at = strstr(at + 1, s)) {
      bool starts = at == text || !is_word(at[-1]) || at == own;
      if (starts && !is_word(at[n]) && (at == text || at[-1] != '$')) return true;
    }
  }
  return false;
}

// Our own names: a stem alone or followed by digits and lanes only.
static bool is_reserved(const char* s) {
  static const char* const stem[] = {"t", "l", "v", "g", "in", "out", "w"};
  for (size_t i = 0; i < sizeof stem / sizeof stem[0]; i++) {
    size_t n = strlen(stem[i]);
    if (strncmp(s, stem[i], n) != 0) continue;
    size_t digits = strspn(s + n, "0123456789_");
    bool numbered = s[n + digits] == '\0';
    // a bare `t` or `l` cannot be confused with t12 or l12
    if (numbered && (digits > 0 || i >= 4)) return true;
  }
  return strncmp(s, "jk", 2) == 0 || strncmp(s, "jm", 2) == 0 || strncmp(s, "JM", 2) == 0;
}

bool jemit_is_plain_name(const char* s) {
  if (!s || !is_lower(s[0])) return false;
  size_t n = 0;
  for (; s[n] != '\0'; n++) {
    if (n >= PLAIN_LIMIT) return false;
    if (!is_lower(s[n]) && !is_digit(s[n]) && s[n] != '_') return false;
  }
  return !is_keyword(s) && !is_used_by_operator(s) && !is_reserved(s);
}
