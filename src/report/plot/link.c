// SPDX-License-Identifier: Apache-2.0
// Names that formats allow. Names given are found by their hash, so that thousands of equal ones take no
// longer than thousands of different ones.
#include "report/plot/link.h"

#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/text/format.h"

#define NUMBER 12    // most bytes of a number behind a name, with its underscore
#define PIECE  4096  // memory of names

// ---- rules ---------------------------------------------------------------------------------------

size_t jreport_link_cut(const char* text, size_t most) {
  size_t n = strlen(text);
  if (n <= most) return n;
  // back to the beginning of the character that does not fit
  n = most;
  while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
    n--;
  }
  return n;
}

static void make_hdf5(const char* name, char* out, size_t size) {
  size_t n = jreport_link_cut(name, size - 1);
  memcpy(out, name, n);
  out[n] = 0;
  for (char* s = out; *s; s++) {
    if (*s == '/') *s = '|';
  }
  if (n == 0 || strcmp(out, ".") == 0) strcpy(out, "_");
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_in_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool is_keyword(const char* s) {
  static const char* const word[] = {"break",  "case",   "catch",     "classdef", "continue",
                                     "else",   "elseif", "end",       "for",      "function",
                                     "global", "if",     "otherwise", "parfor",   "persistent",
                                     "return", "spmd",   "switch",    "try",      "while"};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
    if (strcmp(s, word[i]) == 0) return true;
  }
  return false;
}

static void make_matlab(const char* name, char* out, size_t size) {
  size_t n = 0;
  if (!is_letter(*name)) out[n++] = 'x';
  for (const char* s = name; *s && n + 1 < size; s++) {
    bool continues = ((unsigned char)*s & 0xc0) == 0x80;
    if (!continues) out[n++] = is_in_name(*s) ? *s : '_';
  }
  out[n] = 0;
  if (is_keyword(out)) strcat(out, "_");
}

const jreport_link_rule jreport_link_hdf5 = {1000, make_hdf5};
const jreport_link_rule jreport_link_matlab = {63, make_matlab};

// ---- names given ---------------------------------------------------------------------------------

typedef struct given {
  char* name;  // NULL: free
  int number;  // last one behind it
} given;

void jreport_link_begin(jreport_link* l, jarena* a, int most, jreport_link_rule rule) {
  *l = (jreport_link){.a = a, .rule = rule, .size = 16};
  while (l->size < 2 * (size_t)most) {
    l->size *= 2;
  }
  l->given = jarena_array(a, l->size, sizeof(given));
}

static given* find(const jreport_link* l, const char* name) {
  given* list = l->given;
  size_t at = (size_t)jhash_bytes(name, strlen(name));
  while (list[at & (l->size - 1)].name && strcmp(list[at & (l->size - 1)].name, name) != 0) {
    at++;
  }
  return &list[at & (l->size - 1)];
}

// Room for a name and what may come before or behind it; many names share a piece of memory.
static char* take_room(jreport_link* l, size_t size) {
  if (l->left < size) {
    l->left = size > PIECE ? size : PIECE;
    l->room = jarena_alloc(l->a, l->left);
    if (!l->room) l->left = 0;
  }
  return l->room;
}

const char* jreport_link_name(jreport_link* l, const char* name) {
  size_t size = l->rule.longest + 1, need = strlen(name) + NUMBER + 3;
  if (need < size) size = need;
  char* out = l->given ? take_room(l, size) : NULL;
  if (!out) return NULL;
  l->rule.make(name, out, size);
  given *first = find(l, out), *slot = first;
  if (first->name) {
    size_t n = jreport_link_cut(out, size - 1 - NUMBER);
    while (slot->name) {
      jformat(out + n, size - n, "_%d", 2 + first->number++);
      slot = find(l, out);
    }
  }
  slot->name = out;
  l->room += strlen(out) + 1;
  l->left -= strlen(out) + 1;
  return out;
}
