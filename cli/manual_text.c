// SPDX-License-Identifier: Apache-2.0
// jounce manual: text that grows. A stream to memory would lose its end without a word where memory ends.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "manual.h"

static bool make_room(manual_text* t, size_t more) {
  if (t->is_lost) return false;
  if (t->size + more < t->room) return true;
  size_t room = 2 * t->room + more + 1024;
  char* text = realloc(t->text, room);
  t->is_lost = !text;
  if (!text) return false;
  t->text = text;
  t->room = room;
  return true;
}

void manual_put(manual_text* t, const char* text) {
  size_t n = strlen(text);
  if (!make_room(t, n + 1)) return;
  memcpy(t->text + t->size, text, n + 1);
  t->size += n;
}

void manual_put_char(manual_text* t, char c) {
  manual_put(t, (const char[]){c, 0});
}

void manual_print(manual_text* t, const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, args);
  if (n < 0) t->is_lost = true;
  if (n >= 0 && make_room(t, (size_t)n + 1)) {
    vsnprintf(t->text + t->size, (size_t)n + 1, format, again);
    t->size += (size_t)n;
  }
  va_end(again);
  va_end(args);
}

void manual_put_list(manual_text* t, const char* list, const char* before, const char* between,
                     const char* after) {
  for (const char* at = list; *at;) {
    int n = (int)strcspn(at, " ");
    manual_print(t, "%s%s%.*s%s", at == list ? "" : between, before, n, at, after);
    at += n;
    at += strspn(at, " ");
  }
}

void manual_put_escaped(manual_text* t, const char* text, const char* special, const char* before) {
  for (; *text; text++) {
    if (strchr(special, *text)) manual_put(t, before);
    manual_put_char(t, *text);
  }
}
