// SPDX-License-Identifier: Apache-2.0
// Mistakes as one line each, with resemblances for "did you mean"; and memory of the reader.
#include <stdarg.h>
#include <string.h>

#include "base/assert.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/template/instance.h"

#define MAX_MESSAGE 800
#define MAX_NAME    60  // bytes of a name worth comparing

bool jmodel_goes_on(const jmodel_reader* r) {
  return !r->oom && r->nmistake < JMODEL_MAX_MISTAKES;
}

// The instance that something is part of, by its name; NULL: none.
static const jmodel_instance* instance_of(const jmodel_reader* r, const char* name) {
  const jmodel_instance* found = NULL;
  for (const jmodel_instance* in = r->instance; in; in = in->next) {
    size_t n = strlen(in->name);
    bool is_part = strncmp(name, in->name, n) == 0 && name[n] == '.';
    if (is_part && (!found || n > strlen(found->name))) found = in;
  }
  return found;
}

const char* jmodel_where(const jmodel_at* at, jmodel_place place, const char* label) {
  char line[32] = "";
  if (place.line > 0) jformat(line, sizeof line, ":%d", place.line);
  const char* colon = label && *label ? ": " : "";
  const char* shown = label ? label : "";
  if (!at->name) {
    return jmodel_format(at->r, "%s%s: %s%s%s", place.file, line, at->kind, colon, shown);
  }
  const jmodel_instance* in = instance_of(at->r, at->name);
  return jmodel_format(at->r, "%s%s: %s%s%s '%.*s'%s%s", place.file, line, in ? in->told : "",
                       in ? ": " : "", at->kind, in ? 120 : 60, at->name, colon, shown);
}

// Users' texts may hold line ends and escape sequences: a message is one plain line.
static void make_plain(char* s) {
  for (; *s; s++) {
    if ((unsigned char)*s < 0x20 || *s == 0x7f) *s = '?';
  }
}

JERR_PRINTF(5, 0)
static void compose(const jmodel_at* at, jmodel_place place, char* buffer, size_t size,
                    const char* format, va_list args) {
  int n = jformat(buffer, size, "%s: ", jmodel_where(at, place, NULL));
  if (n < 0 || (size_t)n >= size) n = 0;
  jformat_v(buffer + n, size - (size_t)n, format, args);
  make_plain(buffer);
}

void jmodel_mistake(const jmodel_at* at, jmodel_place place, const char* format, ...) {
  jmodel_reader* r = at->r;
  if (!jmodel_goes_on(r)) return;
  char buffer[MAX_MESSAGE];
  va_list args;
  va_start(args, format);
  compose(at, place, buffer, sizeof buffer, format, args);
  va_end(args);
  if (r->oom) return;
  jerr_set(r->ctx, JO_ERR_MODEL, "%s", buffer);
  r->nmistake++;
  if (r->status >= 0) r->status = JO_ERR_MODEL;
}

void jmodel_warning(const jmodel_at* at, jmodel_place place, const char* format, ...) {
  char buffer[MAX_MESSAGE];
  va_list args;
  va_start(args, format);
  compose(at, place, buffer, sizeof buffer, format, args);
  va_end(args);
  if (!at->r->oom) jerr_warn(at->r->ctx, "%s", buffer);
}

// ---- resemblance

jmodel_guess jmodel_guess_begin(const char* name) {
  return (jmodel_guess){.name = name, .distance = MAX_NAME};
}

void jmodel_guess_add(jmodel_guess* g, const char* candidate) {
  size_t n = strlen(g->name);
  size_t nc = strlen(candidate);
  if (n > MAX_NAME || nc > MAX_NAME || nc == 0) return;
  if (strcmp(g->name, candidate) == 0) return;  // known, but not here
  int limit = n < 4 ? 1 : n < 6 ? 2 : (int)(n / 3);
  int distance = jtext_distance(g->name, n, candidate, nc);
  if (distance > limit || distance >= (int)n || distance >= g->distance) return;
  g->best = candidate;
  g->distance = distance;
}

const char* jmodel_guess_hint(jmodel_reader* r, const jmodel_guess* g) {
  return g->best ? jmodel_format(r, "; did you mean '%s'?", g->best) : "";
}

// ---- memory

void jmodel_out_of_memory(jmodel_reader* r) {
  if (!r->oom) jerr_memory(r->ctx);
  r->oom = true;
  r->status = JO_ERR_MEMORY;
}

void jmodel_put_name(jmodel_reader* r, int scope, const char* name, int value) {
  if (!jindex_put(&r->m->names, scope, name, strlen(name), value)) jmodel_out_of_memory(r);
}

const char* jmodel_format(jmodel_reader* r, const char* format, ...) {
  char small[256];
  va_list args;
  va_start(args, format);
  int n = jformat_v(small, sizeof small, format, args);
  va_end(args);
  if (n < 0) return "";
  if ((size_t)n < sizeof small) return jmodel_keep(r, small);
  char* text = jarena_alloc(&r->m->arena, (size_t)n + 1);
  if (!text) {
    jmodel_out_of_memory(r);
    return "";
  }
  va_start(args, format);
  jformat_v(text, (size_t)n + 1, format, args);
  va_end(args);
  return text;
}

const char* jmodel_keep(jmodel_reader* r, const char* text) {
  if (!*text) return "";
  char* copy = jarena_strdup(&r->m->arena, text);
  if (!copy) jmodel_out_of_memory(r);
  return copy ? copy : "";
}

void* jmodel_array(jmodel_reader* r, int n, size_t size) {
  JASSERT(n >= 0);
  void* p = jarena_array(&r->m->arena, (size_t)n, size);
  if (!p) jmodel_out_of_memory(r);
  return p;
}
