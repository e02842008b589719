// SPDX-License-Identifier: Apache-2.0
// Names inside of instances. The first part of a name decides: a port stands for what is given to it, a name of the
// template is one of the instance, anything else is a name of the model.
#include <string.h>

#include "expr/parse/lex.h"
#include "model/template/instance.h"

typedef struct word {
  const char* s;
  size_t n;
} word;

static bool is(word w, const char* text) {
  return strlen(text) == w.n && memcmp(w.s, text, w.n) == 0;
}

static word first_part(word w) {
  const char* dot = memchr(w.s, '.', w.n);
  return dot ? (word){w.s, (size_t)(dot - w.s)} : w;
}

// What follows the first part and its dot; empty: nothing.
static word rest_of(word w, word first) {
  size_t skip = first.n < w.n ? first.n + 1 : w.n;
  return (word){w.s + skip, w.n - skip};
}

static bool has_entry(const jmodel_node* section, word name) {
  bool is_map = section && section->kind == JMODEL_NODE_MAP;
  for (const jmodel_node* c = is_map ? section->first : NULL; c; c = c->next) {
    if (is(name, c->key)) return true;
  }
  return false;
}

static bool is_inside(const jmodel_instance* in, const char* section, word name) {
  return has_entry(jmodel_node_find(in->inside, section), name);
}

// Has the template anything of this name?
static bool is_local(const jmodel_instance* in, word name) {
  for (const jmodel_node* s = in->inside ? in->inside->first : NULL; s; s = s->next) {
    bool names_things = strcmp(s->key, "initial") != 0 && strcmp(s->key, "ports") != 0;
    if (names_things && has_entry(s, name)) return true;
  }
  return false;
}

static jmodel_port* find_port(const jmodel_instance* in, word name) {
  for (int i = 0; i < in->nport; i++) {
    if (is(name, in->port[i].name)) return &in->port[i];
  }
  return NULL;
}

static const char* with_port(jmodel_reader* r, const jmodel_instance* in, jmodel_port* port,
                             word rest) {
  port->is_used = true;
  const char* bound = port->bound ? port->bound : port->name;
  if (rest.n == 0) return bound;
  // a point of the template on a body from outside
  bool is_point = is_inside(in, "hardpoints", first_part(rest));
  return jmodel_format(r, "%s.%s%s%.*s", bound, is_point ? in->name : "", is_point ? "." : "",
                       (int)rest.n, rest.s);
}

static const char* full_name(jmodel_reader* r, const jmodel_instance* in, word name) {
  if (in) {
    word first = first_part(name), rest = rest_of(name, first);
    jmodel_port* port = find_port(in, first);
    if (port) return with_port(r, in, port, rest);
    if (is_local(in, first)) return jmodel_format(r, "%s.%.*s", in->name, (int)name.n, name.s);
    // a path: hardpoints.P.x
    const char* section = jmodel_format(r, "%.*s", (int)first.n, first.s);
    if (rest.n > 0 && is_inside(in, section, first_part(rest))) {
      return jmodel_format(r, "%s.%s.%.*s", section, in->name, (int)rest.n, rest.s);
    }
  }
  return jmodel_format(r, "%.*s", (int)name.n, name.s);
}

const char* jmodel_full_name(jmodel_reader* r, const jmodel_instance* in, const char* name) {
  return in ? full_name(r, in, (word){name, strlen(name)}) : name;
}

// ---- quantities ----------------------------------------------------------------------------------

static int count_parts(word w) {
  int n = 1;
  for (size_t i = 0; i < w.n; i++) {
    n += w.s[i] == '.';
  }
  return n;
}

size_t jmodel_quantity_keyword(const char* name, size_t n, const char* keyword) {
  size_t length = strlen(keyword);
  for (size_t i = 1; i + length < n; i++) {
    if (memcmp(name + i, keyword, length) != 0) continue;
    if (memchr(name + i + length, '.', n - i - length)) return i;
  }
  return n;
}

static size_t find_keyword(word w, const char* keyword) {
  return jmodel_quantity_keyword(w.s, w.n, keyword);
}

static word last_part(word w) {
  size_t dot = w.n;
  while (dot > 0 && w.s[dot - 1] != '.') {
    dot--;
  }
  return (word){w.s + dot, w.n - dot};
}

// What is said of: before the words that say how it is seen, and before the component.
static word subject_of(word name) {
  size_t in = find_keyword(name, ".in."), from = find_keyword(name, ".from.");
  size_t end = from < in ? from : in;
  if (end == name.n) end = name.n - last_part(name).n;
  if (end > 0 && end < name.n && name.s[end - 1] == '.') end--;
  return (word){name.s, end};
}

// The axis of a direction that is one of a body's frame: -1 where it is not.
static int own_axis(word subject) {
  word axis = last_part(subject);
  bool is_axis = axis.n == 1 && axis.n < subject.n && axis.s[0] >= 'x' && axis.s[0] <= 'z';
  return is_axis ? axis.s[0] - 'x' : -1;
}

static bool is_free(const jmodel_node* joints, const char* name) {
  const jmodel_node* type = jmodel_node_find(jmodel_node_find(joints, name), "type");
  return type && type->kind == JMODEL_NODE_TEXT && strcmp(type->text, "free") == 0;
}

// Is body.yaw the coordinate of a free joint, which means the same in mirror images?
static bool is_coordinate(jmodel_reader* r, const jmodel_instance* in, word subject) {
  const char* own = jmodel_format(r, "%.*s", (int)subject.n, subject.s);
  const char* full = full_name(r, in, subject);
  return (!find_port(in, subject) && is_free(jmodel_node_find(in->inside, "joints"), own)) ||
         is_free(jmodel_node_find(r->root, "joints"), full);
}

// Components along the axes of ground and bodies are what they are, also in mirror images.
static int sign_of(jmodel_reader* r, const jmodel_instance* in, word name) {
  static const char* const angle[3] = {"roll", "pitch", "yaw"};
  word first = first_part(name), field = last_part(name), subject = subject_of(name);
  int nparts = count_parts(subject);
  bool is_nested = is_inside(in, "instances", first);
  if (!is_nested && !is_inside(in, "bodies", first) && !find_port(in, first)) return 1;
  if (is_nested) nparts--;
  for (int k = 0; k < 3 && nparts == 1; k++) {
    if (!is(field, angle[k])) continue;
    bool is_plain = subject.n + 1 + field.n == name.n;
    return is_plain && is_coordinate(r, in, subject) ? 1 : in->handed * in->flip[k];
  }
  if (field.n < 1 || field.n > 3) return 1;
  char axis = field.s[field.n - 1];
  word what = {field.s, field.n - 1};
  if (axis < 'x' || axis > 'z') return 1;
  if (nparts == 1 && (is(what, "w") || is(what, "dw"))) return in->handed * in->flip[axis - 'x'];
  bool is_arrow = nparts == 2 && (what.n == 0 || is(what, "v") || is(what, "a"));
  int own = is_inside(in, "hardpoints", last_part(subject)) ? -1 : own_axis(subject);
  int sign = is_arrow && own >= 0 && what.n == 0 ? in->flip[own] : 1;
  return is_arrow ? sign * in->flip[axis - 'x'] : 1;
}

// Every name in a quantity on its own: "hub.P.from.body.in.body.vx"
static const char* full_quantity(jmodel_reader* r, const jmodel_instance* in, word name) {
  static const char* const keywords[] = {".from.", ".in."};
  word rest = name;
  const char* full = NULL;
  for (int k = 0; k < 2; k++) {
    size_t n = strlen(keywords[k]), at = find_keyword(rest, keywords[k]);
    if (at == rest.n) continue;
    const char* before = full_name(r, in, (word){rest.s, at});
    full = jmodel_format(r, "%s%s%s", full ? full : "", before, keywords[k]);
    rest = (word){rest.s + at + n, rest.n - at - n};
  }
  if (!full) return full_name(r, in, name);
  word component = last_part(rest);
  const char* last = full_name(r, in, (word){rest.s, rest.n - component.n - 1});
  return jmodel_format(r, "%s%s.%.*s", full, last, (int)component.n, component.s);
}

bool jmodel_is_quantity(const char* source) {
  jexpr_lexer lexer = {source, strlen(source), 0};
  return jexpr_lex_next(&lexer).kind == JEXPR_TOKEN_NAME && lexer.at == lexer.n;
}

const char* jmodel_full_quantity(jmodel_reader* r, const jmodel_instance* in, const char* name,
                                 size_t n, int* sign) {
  word w = {name, n};
  *sign = in ? sign_of(r, in, w) : 1;
  return in ? full_quantity(r, in, w) : full_name(r, in, w);
}

// ---- expressions ---------------------------------------------------------------------------------

typedef struct text {
  jmodel_reader* r;
  char* s;
  int n, cap;
} text;

static void put(text* out, const char* s, size_t n) {
  if (!jmem_grow(out->r->ctx, &out->s, &out->cap, out->n + (int)n + 1, 1)) {
    jmodel_out_of_memory(out->r);
    return;
  }
  memcpy(out->s + out->n, s, n);
  out->n += (int)n;
  out->s[out->n] = '\0';
}

static bool is_own(const jmodel_at* at, word name) {
  for (int i = 0; at->r->own_names && at->r->own_names[i]; i++) {
    if (is(name, at->r->own_names[i])) return true;
  }
  return false;
}

static void put_name(const jmodel_at* at, const jmodel_instance* in, word name, bool is_call,
                     text* out) {
  bool is_ours = is_call && (is_inside(in, "tables", name) || is_inside(in, "functions", name) ||
                             find_port(in, name));
  bool stays = is_call ? !is_ours : is_own(at, name);
  int sign = 1;
  const char* full = stays ? NULL : jmodel_full_quantity(at->r, in, name.s, name.n, &sign);
  if (sign < 0) put(out, "(-", 2);
  put(out, full ? full : name.s, full ? strlen(full) : name.n);
  if (sign < 0) put(out, ")", 1);
}

const char* jmodel_full_expression(const jmodel_at* at, const jmodel_instance* in,
                                   const char* source) {
  jmodel_reader* r = at->r;
  if (!in) return jmodel_keep(r, source);
  jexpr_lexer lexer = {source, strlen(source), 0};
  text out = {.r = r};
  size_t done = 0;
  jexpr_token t = jexpr_lex_next(&lexer);
  while (t.kind != JEXPR_TOKEN_END && t.kind != JEXPR_TOKEN_BAD && !r->oom) {
    jexpr_token next = jexpr_lex_next(&lexer);
    if (t.kind == JEXPR_TOKEN_NAME) {
      put(&out, source + done, t.start - done);
      put_name(at, in, (word){source + t.start, t.length}, next.kind == JEXPR_TOKEN_OPEN, &out);
      done = t.start + t.length;
    }
    t = next;
  }
  put(&out, source + done, strlen(source) - done);
  const char* kept = r->oom ? "" : jmodel_keep(r, out.s);
  jmem_free(r->ctx, out.s);
  return kept;
}
