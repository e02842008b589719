// SPDX-License-Identifier: Apache-2.0
// Typed access to nodes: numbers, vectors, words, names. Every literal number met on the way becomes
// a number of the model, with the path that names it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "model/read/reader.h"

static const char* const xyz[] = {"x", "y", "z"};

static const char* kind_text(jmodel_node_kind kind) {
  switch (kind) {
    case JMODEL_NODE_NULL: return "nothing";
    case JMODEL_NODE_TEXT: return "a single value";
    case JMODEL_NODE_LIST: return "a list";
    case JMODEL_NODE_MAP: return "a map";
  }
  return "";
}

bool jmodel_is(const jmodel_at* at, const jmodel_node* node, jmodel_node_kind kind,
               const char* label) {
  if (node->kind == kind) return true;
  jmodel_mistake(at, node->place, "%s needs %s, got %s", label, kind_text(kind),
                 kind_text(node->kind));
  return false;
}

// The i-th name of either list; NULL: behind the last.
static const char* name_of(const jmodel_key* keys, const char* const* names, int i) {
  return keys ? keys[i].name : names[i];
}

static void check_names(const jmodel_at* at, const jmodel_node* map, const jmodel_key* keys,
                        const char* const* names) {
  if (map->kind != JMODEL_NODE_MAP) return;
  for (const jmodel_node* c = map->first; c; c = c->next) {
    jmodel_guess guess = jmodel_guess_begin(c->key);
    bool is_known = false;
    for (int i = 0; name_of(keys, names, i) && !is_known; i++) {
      is_known = strcmp(name_of(keys, names, i), c->key) == 0;
      jmodel_guess_add(&guess, name_of(keys, names, i));
    }
    if (is_known) continue;
    jmodel_mistake(at, c->key_place, "unknown key '%.60s'%s", c->key,
                   jmodel_guess_hint(at->r, &guess));
  }
}

void jmodel_check_keys(const jmodel_at* at, const jmodel_node* map, const jmodel_key* keys) {
  check_names(at, map, keys, NULL);
}

void jmodel_check_names(const jmodel_at* at, const jmodel_node* map, const char* const* names) {
  check_names(at, map, NULL, names);
}

const jmodel_node* jmodel_need(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node) jmodel_mistake(at, map->key ? map->key_place : map->place, "'%s' is missing", key);
  return node;
}

// ---- numbers

static int add_number(jmodel_reader* r, const char* path, double value, jmodel_place place) {
  jmodel* m = r->m;
  if (m->nnumber == r->number_cap) {
    int cap = r->number_cap ? 2 * r->number_cap : 256;
    jmodel_number* grown = JMODEL_ARRAY(r, cap, jmodel_number);
    if (!grown) return 0;
    if (m->nnumber) memcpy(grown, m->number, (size_t)m->nnumber * sizeof *grown);
    m->number = grown;
    r->number_cap = cap;
  }
  m->number[m->nnumber] =
      (jmodel_number){path, value, place, r->current_parameter >= 0, false, NULL, NULL};
  return m->nnumber++;
}

jmodel_scalar jmodel_constant(const char* text, jmodel_place place) {
  return (jmodel_scalar){text, -1, "", place};
}

jmodel_v3 jmodel_unit(int axis, jmodel_place place) {
  jmodel_v3 v;
  for (int i = 0; i < 3; i++) {
    v.e[i] = jmodel_constant(i == axis ? "1" : "0", place);
  }
  return v;
}

jmodel_scalar jmodel_default(jmodel_reader* r, const char* path, double value, jmodel_place place) {
  return (jmodel_scalar){NULL, add_number(r, path, value, place), path, place};
}

jmodel_v3 jmodel_default_v3(jmodel_reader* r, const char* path, double value, jmodel_place place) {
  jmodel_v3 v;
  for (int i = 0; i < 3; i++) {
    v.e[i] = jmodel_default(r, jmodel_format(r, "%s.%s", path, xyz[i]), value, place);
  }
  return v;
}

bool jmodel_literal(const jmodel* m, const jmodel_scalar* s, double* value) {
  if (s->text || s->number < 0 || s->number >= m->nnumber) return false;
  *value = m->number[s->number].value;
  return true;
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool jmodel_number_text(const char* text, double* value) {
  while (is_space(*text))
    text++;
  double sign = *text == '-' ? -1.0 : 1.0;
  if (*text == '-' || *text == '+') text++;
  double magnitude;
  size_t used = jtext_scan_number(text, strlen(text), &magnitude);
  if (used == 0) return false;
  for (text += used; *text; text++) {
    if (!is_space(*text)) return false;
  }
  *value = sign * magnitude;
  return true;
}

// .inf and .nan are numbers of YAML, but no numbers of ours.
static bool is_not_finite_word(const char* s) {
  if (*s == '-' || *s == '+') s++;
  if (*s == '.') s++;
  return strcmp(s, "inf") == 0 || strcmp(s, "Inf") == 0 || strcmp(s, "INF") == 0 ||
         strcmp(s, "nan") == 0 || strcmp(s, "NaN") == 0 || strcmp(s, "NAN") == 0;
}

static jmodel_scalar bad_scalar(const char* path, jmodel_place place) {
  return (jmodel_scalar){"0", -1, path, place};
}

jmodel_scalar jmodel_scalar_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                               const char* path, jmodel_scope scope) {
  jmodel_reader* r = at->r;
  if (node->kind == JMODEL_NODE_NULL) {
    jmodel_mistake(at, node->place, "%s is empty", label);
    return bad_scalar(path, node->place);
  }
  if (node->kind != JMODEL_NODE_TEXT) {
    jmodel_mistake(at, node->place, "%s needs a number or an expression, got %s", label,
                   kind_text(node->kind));
    return bad_scalar(path, node->place);
  }
  double value = 0.0;
  bool is_literal = jmodel_number_text(node->text, &value);
  if (is_not_finite_word(node->text) || (is_literal && !isfinite(value))) {
    jmodel_mistake(at, node->place, "%s is not a finite number", label);
    return bad_scalar(path, node->place);
  }
  if (is_literal) return jmodel_default(r, path, value, node->place);
  const char* unit;
  size_t nunit;
  if (jmodel_quantity_text(node->text, &value, &unit, &nunit) && isfinite(value)) {
    jmodel_scalar s = jmodel_default(r, path, value, node->place);
    r->has_units = true;
    if (!r->oom) r->m->number[s.number].unit = jmodel_format(r, "%.*s", (int)nunit, unit);
    jmodel_check_unit_at(at, label, &s);
    return s;
  }
  if (jmodel_unknown_unit(at, node, label)) return bad_scalar(path, node->place);
  jmodel_try_expression(at, node->place, label, node->text, scope, node->in);
  jmodel_scalar s = {jmodel_full_expression(at, node->in, node->text), -1, path, node->place};
  jmodel_check_unit_at(at, label, &s);
  return s;
}

bool jmodel_get_scalar(const jmodel_at* at, const jmodel_node* map, const char* key,
                       jmodel_scope scope, jmodel_scalar* out) {
  const jmodel_node* node = jmodel_node_find(map, key);
  const char* path = jmodel_format(at->r, "%s.%s", at->path, key);
  if (!node) {
    *out = bad_scalar(path, map->place);
    return false;
  }
  *out = jmodel_scalar_at(at, node, key, path, scope);
  return true;
}

void jmodel_need_scalar(const jmodel_at* at, const jmodel_node* map, const char* key,
                        jmodel_scope scope, jmodel_scalar* out) {
  if (!jmodel_get_scalar(at, map, key, scope, out)) jmodel_need(at, map, key);
}

jmodel_v3 jmodel_v3_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                       const char* path, jmodel_scope scope) {
  jmodel_v3 v = jmodel_unit(-1, node->place);
  if (node->kind != JMODEL_NODE_LIST) {
    jmodel_mistake(at, node->place, "%s needs 3 numbers, got %s", label, kind_text(node->kind));
    return v;
  }
  if (node->n != 3) {
    jmodel_mistake(at, node->place, "%s needs 3 numbers, got %d", label, node->n);
    return v;
  }
  int i = 0;
  for (const jmodel_node* c = node->first; c; c = c->next, i++) {
    v.e[i] = jmodel_scalar_at(at, c, jmodel_format(at->r, "%s.%s", label, xyz[i]),
                              jmodel_format(at->r, "%s.%s", path, xyz[i]), scope);
  }
  return v;
}

bool jmodel_get_v3(const jmodel_at* at, const jmodel_node* map, const char* key, jmodel_scope scope,
                   jmodel_v3* out) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node) return false;
  *out = jmodel_v3_at(at, node, key, jmodel_format(at->r, "%s.%s", at->path, key), scope);
  return true;
}

double jmodel_get_double(const jmodel_at* at, const jmodel_node* map, const char* key,
                         double otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  double value = otherwise;
  if (!node || !jmodel_is(at, node, JMODEL_NODE_TEXT, key)) return otherwise;
  if (is_not_finite_word(node->text)) {
    jmodel_mistake(at, node->place, "%s is not a finite number", key);
    return otherwise;
  }
  const char* unit;
  size_t nunit;
  if (jmodel_quantity_text(node->text, &value, &unit, &nunit) && isfinite(value)) {
    jmodel_number plain = {.value = value, .unit = jmodel_format(at->r, "%.*s", (int)nunit, unit)};
    jmodel_check_plain(at, key, &plain, node->place);
    return value;
  }
  if (jmodel_unknown_unit(at, node, key)) return otherwise;
  if (!jmodel_constant_value(at, node->place, key, node->text, &value)) return otherwise;
  return value;
}

// ---- words

const char* jmodel_get_text(const jmodel_at* at, const jmodel_node* map, const char* key,
                            const char* otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node || node->kind == JMODEL_NODE_NULL) return otherwise;
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, key)) return otherwise;
  // what stands in tables and headings is one line
  if (strcmp(key, "description") != 0 && strpbrk(node->text, "\t\n\r")) {
    jmodel_mistake(at, node->place, "%s is more than one line", key);
    return otherwise;
  }
  return jmodel_keep(at->r, node->text);
}

int jmodel_bool_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  static const char* const words[] = {"false", "true", NULL};
  return jmodel_word_at(at, node, label, words) == 1;
}

// "a", "a or b", "a, b or c"
static const char* choices(jmodel_reader* r, const char* const* words) {
  const char* text = words[0];
  for (int i = 1; words[i]; i++) {
    text = jmodel_format(r, "%s%s%s", text, words[i + 1] ? ", " : " or ", words[i]);
  }
  return text;
}

int jmodel_word_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                   const char* const* words) {
  if (node->kind == JMODEL_NODE_TEXT) {
    for (int i = 0; words[i]; i++) {
      if (strcmp(node->text, words[i]) == 0) return i;
    }
    jmodel_mistake(at, node->place, "%s is '%.60s'; it must be %s", label, node->text,
                   choices(at->r, words));
  } else {
    jmodel_mistake(at, node->place, "%s must be %s, got %s", label, choices(at->r, words),
                   kind_text(node->kind));
  }
  return -1;
}

// ---- sections and names

const jmodel_node* jmodel_section(jmodel_reader* r, const jmodel_node* root, const char* key) {
  const jmodel_node* node = jmodel_node_find(root, key);
  if (r->oom || !node || node->kind == JMODEL_NODE_NULL) return NULL;
  jmodel_at at = {r, key, NULL, key};
  if (node->kind != JMODEL_NODE_MAP) {
    jmodel_mistake(&at, node->place, "needs a map from names to entries, got %s",
                   kind_text(node->kind));
    return NULL;
  }
  return node;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(const char* s) {
  if (!is_letter(*s)) return false;
  for (; *s; s++) {
    if (!is_letter(*s) && !(*s >= '0' && *s <= '9')) return false;
  }
  return true;
}

#define X(name, in_template, is_reserved) {&jmodel_section_##name, in_template, is_reserved},
static const jmodel_section_about section[] = {JMODEL_SECTION_LIST(X)};
#undef X

const jmodel_section_about* jmodel_section_at(int i) {
  return (size_t)i < sizeof section / sizeof *section ? &section[i] : NULL;
}

// Names with a meaning of their own: constants and words of expressions, the fixed body, and sections.
static const char* const reserved[] = {"ground", "t",   "pi",   "tau",   "and",
                                       "or",     "not", "true", "false", "null"};

bool jmodel_is_reserved(const char* name) {
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
    if (strcmp(reserved[i], name) == 0) return true;
  }
  for (const jmodel_section_about* s = section; s < section + sizeof section / sizeof *section;
       s++) {
    if (s->is_reserved && strcmp(s->key->name, name) == 0) return true;
  }
  return jmodel_section_kind(name) != NULL;
}

bool jmodel_is_good_name(const jmodel_at* at, const char* name, jmodel_place place) {
  if (!is_name(name)) {
    jmodel_mistake(at, place, "not a name; use letters, digits and '_', a letter first");
    return false;
  }
  if (strlen(name) > 60) {
    jmodel_mistake(at, place, "the name is longer than 60 letters");
    return false;
  }
  bool is_reserved = jmodel_is_reserved(name);
  if (is_reserved) jmodel_mistake(at, place, "the name is reserved; choose another");
  return !is_reserved;
}

bool jmodel_name_ok(const jmodel_at* at, const jmodel_node* entry) {
  const char* name = entry->local ? entry->local : entry->key;
  if (!jmodel_is_good_name(at, name, entry->key_place)) return false;
  if (strlen(entry->key) <= 120) return true;
  jmodel_mistake(at, entry->key_place, "the name is longer than 120 letters with its instances");
  return false;
}
