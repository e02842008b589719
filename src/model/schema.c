// SPDX-License-Identifier: Apache-2.0
// The JSON schema of a file, draft 2020-12, from the tables of its keys.
#include "model/schema.h"

#include <string.h>

#include "base/assert.h"
#include "model/element.h"
#include "model/joint.h"
#include "model/read/reader.h"

#define MAX_DEFINITIONS 64
#define NAME_PATTERN    "^[A-Za-z_][A-Za-z0-9_]{0,59}$"
#define LITERAL_PATTERN "^[-+]?[.0-9]"  // a number, perhaps with a unit

typedef struct writer {
  jtext* out;
  const jmodel_key* number;
  int depth;
  bool is_first;                      // of what it is inside of
  const jmodel_element_class* class;  // whose keys are written; NULL: none
  const char* inside_of;              // the key of it that they are inside of; NULL: its own keys
  const jmodel_key* definition[MAX_DEFINITIONS];
  int ndefinition;
} writer;

// ---- JSON ----------------------------------------------------------------------------------------

static void put_string(writer* w, const char* s) {
  jtext_put(w->out, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') jtext_put(w->out, "\\");
    jtext_write(w->out, s, 1);
  }
  jtext_put(w->out, "\"");
}

static void new_line(writer* w) {
  jtext_printf(w->out, "\n%*s", 2 * w->depth, "");
}

// The next member of an object, or of an array (key NULL).
static void begin(writer* w, const char* key) {
  if (!w->is_first) jtext_put(w->out, ",");
  w->is_first = false;
  if (w->depth > 0) new_line(w);
  if (!key) return;
  put_string(w, key);
  jtext_put(w->out, ": ");
}

static void open(writer* w, const char* key, const char* bracket) {
  begin(w, key);
  jtext_put(w->out, bracket);
  w->depth++;
  w->is_first = true;
}

static void close(writer* w, const char* bracket) {
  w->depth--;
  if (!w->is_first) new_line(w);
  jtext_put(w->out, bracket);
  w->is_first = false;
}

static void put_text(writer* w, const char* key, const char* text) {
  begin(w, key);
  put_string(w, text);
}

static void put_plain(writer* w, const char* key, const char* text) {
  begin(w, key);
  jtext_put(w->out, text);
}

static void put_count(writer* w, const char* key, int n) {
  begin(w, key);
  jtext_printf(w->out, "%d", n);
}

static void put_limits(writer* w, const char* least, const char* most, const jmodel_key* k) {
  if (k->least > 0) put_count(w, least, k->least);
  if (k->most > 0) put_count(w, most, k->most);
}

static void put_types(writer* w, const char* one, const char* other) {
  open(w, "type", "[");
  put_text(w, NULL, one);
  put_text(w, NULL, other);
  close(w, "]");
}

static void put_type(writer* w, const char* type, bool or_null) {
  if (or_null) put_types(w, type, "null");
  if (!or_null) put_text(w, "type", type);
}

// ---- values --------------------------------------------------------------------------------------

static void write_members(writer* w, const jmodel_key* k, bool or_null);
static void write_sections(writer* w, bool is_file);

static void put_reference(writer* w, const jmodel_key* k) {
  int i = 0;
  if (k == &jmodel_form_number) k = w->number;
  while (i < w->ndefinition && w->definition[i] != k) {
    i++;
  }
  if (i == w->ndefinition) {
    JASSERT(i < MAX_DEFINITIONS && k->name);
    w->definition[w->ndefinition++] = k;
  }
  begin(w, "$ref");
  jtext_printf(w->out, "\"#/$defs/%s\"", k->name);
}

// What items, and values under names, are: forms with a name are definitions.
static void write_item(writer* w, const char* key, const jmodel_key* k, bool or_null) {
  const jmodel_key reference = {.as = k};
  open(w, key, "{");
  write_members(w, k->name ? &reference : k, or_null);
  close(w, "}");
}

static void put_word(writer* w, const char* word) {
  bool is_count = word[strspn(word, "0123456789")] == '\0';
  if (is_count) {
    put_plain(w, NULL, word);
  } else {
    put_text(w, NULL, word);
  }
}

// Words that are empty are none.
static void write_words(writer* w, const char* const* words) {
  open(w, "enum", "[");
  for (int i = 0; words[i]; i++) {
    if (*words[i]) put_word(w, words[i]);
  }
  close(w, "]");
}

// Suffixes of coordinates of all joints, each once.
static void write_suffixes(writer* w) {
  const char* known[JMODEL_JOINT_COUNT * JMODEL_JOINT_COORDINATES];
  int n = 0;
  open(w, "enum", "[");
  for (int t = 0; t < JMODEL_JOINT_COUNT; t++) {
    const jmodel_joint_coordinate* c = jmodel_joint_class_of((jmodel_joint_type)t)->coordinate;
    for (; c->suffix; c++) {
      int i = 0;
      while (i < n && strcmp(known[i], c->suffix) != 0) {
        i++;
      }
      if (i < n) continue;
      known[n++] = c->suffix;
      put_text(w, NULL, c->suffix);
    }
  }
  close(w, "]");
}

static void write_names(writer* w, const jmodel_key* k, unsigned form) {
  if (form == JMODEL_BY_TEXT) return;
  open(w, "propertyNames", "{");
  if (form == JMODEL_BY_SUFFIX) {
    write_suffixes(w);
  } else if (k->words) {
    write_words(w, k->words);
  } else {
    put_reference(w, &jmodel_form_name);
  }
  close(w, "}");
}

static void write_required(writer* w, const jmodel_key* keys) {
  bool is_open = false;
  for (int i = 0; keys[i].name; i++) {
    if (!keys[i].is_needed) continue;
    if (!is_open) open(w, "required", "[");
    is_open = true;
    put_text(w, NULL, keys[i].name);
  }
  if (is_open) close(w, "]");
}

// Fields are labelled as their keys, or "outer: inner".
static bool is_labelled(const char* label, const char* outer, const char* name) {
  size_t n = outer ? strlen(outer) : 0;
  if (!outer) return strcmp(label, name) == 0;
  return strncmp(label, outer, n) == 0 && strncmp(label + n, ": ", 2) == 0 &&
         strcmp(label + n + 2, name) == 0;
}

// NULL: none, or one that depends on what the element acts on.
static const char* unit_of(const writer* w, const jmodel_key* k) {
  const char* unit = k->unit;
  for (int i = 0; w->class && i < w->class->nfield; i++) {
    const jmodel_field* f = &w->class->field[i];
    if (is_labelled(f->label, w->inside_of, k->name)) unit = f->unit;
  }
  return unit && !strpbrk(unit, "FX") && strcmp(unit, "1") != 0 ? unit : NULL;
}

static void put_about(writer* w, const jmodel_key* k) {
  const char* unit = unit_of(w, k);
  if (!unit && !k->about) return;
  begin(w, "description");
  jtext_printf(w->out, "\"%s", k->about ? k->about : "");
  if (unit) jtext_printf(w->out, "%s[%s]", k->about ? " " : "", unit);
  jtext_put(w->out, "\"");
}

static void write_key(writer* w, const jmodel_key* k) {
  if (!k->is && !k->as) return;
  open(w, k->name, "{");
  put_about(w, k);
  const char* outer = w->inside_of;
  w->inside_of = k->name;
  write_members(w, k, false);
  w->inside_of = outer;
  close(w, "}");
}

// A map with the keys of the table, and perhaps one of others.
static void write_map(writer* w, const jmodel_key* k, const jmodel_key* keys, bool or_null) {
  put_type(w, "object", or_null);
  write_required(w, keys);
  if (k->one_of) {
    open(w, "oneOf", "[");
    for (int i = 0; k->one_of(i); i++) {
      open(w, NULL, "{");
      open(w, "required", "[");
      put_text(w, NULL, k->one_of(i)->name);
      close(w, "]");
      close(w, "}");
    }
    close(w, "]");
  }
  if (!(k->is & JMODEL_A_LIST)) put_limits(w, "minProperties", "maxProperties", k);
  open(w, "properties", "{");
  for (int i = 0; keys[i].name; i++) {
    write_key(w, &keys[i]);
  }
  for (int i = 0; k->one_of && k->one_of(i); i++) {
    write_key(w, k->one_of(i));
  }
  if (k->is & JMODEL_ALL_SECTIONS) write_sections(w, true);
  if (k->is & JMODEL_WITH_SECTIONS) write_sections(w, false);
  close(w, "}");
  put_plain(w, "additionalProperties", "false");
}

static void write_by_name(writer* w, const jmodel_key* k, unsigned form, bool or_null) {
  put_type(w, "object", or_null);
  write_names(w, k, form);
  put_limits(w, "minProperties", "maxProperties", k);
  write_item(w, "additionalProperties", k->item, or_null);
}

static void write_list(writer* w, const jmodel_key* k, bool or_null) {
  put_type(w, "array", or_null);
  write_item(w, "items", k->item, false);
  put_limits(w, "minItems", "maxItems", k);
}

static void write_number(writer* w, const jmodel_key* k) {
  if (k != w->number) {
    put_reference(w, w->number);
    return;
  }
  put_types(w, "number", "string");
}

static void write_literal(writer* w) {
  put_types(w, "number", "string");
  put_text(w, "pattern", LITERAL_PATTERN);
}

static void write_name(writer* w, const jmodel_key* k) {
  if (k == &jmodel_form_name) {
    put_text(w, "pattern", NAME_PATTERN);
  } else {
    put_text(w, "type", "string");
    put_reference(w, &jmodel_form_name);
  }
}

// ---- alternatives

// What a value may be, one thing after the other, null apart.
typedef struct alternative {
  unsigned form;           // 0: what `as` is
  const jmodel_key* keys;  // of a map
} alternative;

#define MAX_ALTERNATIVES 16

static int list_alternatives(const jmodel_key* k, alternative list[MAX_ALTERNATIVES]) {
  int n = 0;
  if (k->is == (JMODEL_A_COUNT | JMODEL_A_TEXT)) {
    list[0] = (alternative){k->is, NULL};
    return 1;
  }
  if (k->as) list[n++] = (alternative){0, NULL};
  for (unsigned form = 1; form < JMODEL_A_NULL; form <<= 1) {
    if (!(k->is & form)) continue;
    if (form != JMODEL_A_MAP || !k->keys_of) list[n++] = (alternative){form, k->keys};
    for (int i = 0; form == JMODEL_A_MAP && k->keys_of && k->keys_of(i); i++) {
      JASSERT(n < MAX_ALTERNATIVES);
      list[n++] = (alternative){form, k->keys_of(i)};
    }
  }
  return n;
}

// Is null another alternative, or may it be said with this one?
static bool takes_null(unsigned form) {
  return form >= JMODEL_A_LIST;
}

static void write_alternative(writer* w, const jmodel_key* k, const alternative* a, bool or_null) {
  switch (a->form) {
    case 0: put_reference(w, k->as); break;
    case JMODEL_A_NUMBER: write_number(w, k); break;
    case JMODEL_A_LITERAL: write_literal(w); break;
    case JMODEL_A_COUNT | JMODEL_A_TEXT: put_types(w, "integer", "string"); break;
    case JMODEL_A_COUNT:
      put_text(w, "type", "integer");
      put_limits(w, "minimum", "maximum", k);
      break;
    case JMODEL_A_TEXT: put_text(w, "type", "string"); break;
    case JMODEL_A_NAME: write_name(w, k); break;
    case JMODEL_A_BOOL: put_text(w, "type", "boolean"); break;
    case JMODEL_A_WORD: write_words(w, k->words); break;
    case JMODEL_A_LIST: write_list(w, k, or_null); break;
    case JMODEL_A_MAP: write_map(w, k, a->keys, or_null); break;
    default: write_by_name(w, k, a->form, or_null); break;
  }
}

static void write_any(writer* w, const jmodel_key* k, const alternative* list, int n,
                      bool or_null) {
  open(w, "anyOf", "[");
  for (int i = 0; i < n; i++) {
    open(w, NULL, "{");
    write_alternative(w, k, &list[i], false);
    close(w, "}");
  }
  if (or_null) {
    open(w, NULL, "{");
    put_text(w, "type", "null");
    close(w, "}");
  }
  close(w, "]");
}

static void write_members(writer* w, const jmodel_key* k, bool or_null) {
  alternative list[MAX_ALTERNATIVES];
  int n = list_alternatives(k, list);
  or_null = or_null || (k->is & JMODEL_A_NULL);
  if (n == 1 && (!or_null || takes_null(list[0].form))) {
    write_alternative(w, k, &list[0], or_null);
  } else {
    write_any(w, k, list, n, or_null);
  }
}

// ---- sections ------------------------------------------------------------------------------------

// How many classes are before it in its section.
static int count_before(int class) {
  int n = 0;
  for (int i = 0; i < class; i++) {
    n += strcmp(jmodel_class_at(i)->section, jmodel_class_at(class)->section) == 0;
  }
  return n;
}

// The k-th class of a section; NULL: there is none.
static const jmodel_element_class* class_of(const char* section, int k) {
  for (int i = 0; jmodel_class_at(i); i++) {
    if (strcmp(jmodel_class_at(i)->section, section) == 0 && k-- == 0) return jmodel_class_at(i);
  }
  return NULL;
}

static void write_class(writer* w, const jmodel_element_class* c, bool or_null) {
  const jmodel_key entry = {.is = JMODEL_A_MAP, .keys = c->keys};
  w->class = c;
  write_members(w, &entry, or_null);
  w->class = NULL;
}

static void write_classes(writer* w, const char* section) {
  open(w, "anyOf", "[");
  for (int k = 0; class_of(section, k); k++) {
    open(w, NULL, "{");
    put_text(w, "description", class_of(section, k)->about);
    write_class(w, class_of(section, k), false);
    close(w, "}");
  }
  open(w, NULL, "{");
  put_text(w, "type", "null");
  close(w, "}");
  close(w, "]");
}

static void put_classes(writer* w, const char* section) {
  begin(w, "description");
  for (int k = 0; class_of(section, k); k++) {
    jtext_printf(w->out, "%s%s", k > 0 ? ". " : "\"", class_of(section, k)->about);
  }
  jtext_put(w->out, "\"");
}

// Elements of a section have the keys of one of its classes.
static void write_elements(writer* w, const char* section) {
  open(w, section, "{");
  put_classes(w, section);
  put_type(w, "object", true);
  write_names(w, &jmodel_form_name, JMODEL_BY_NAME);
  open(w, "additionalProperties", "{");
  if (class_of(section, 1)) {
    write_classes(w, section);
  } else {
    write_class(w, class_of(section, 0), true);
  }
  close(w, "}");
  close(w, "}");
}

static void refer_to_section(writer* w, const char* name) {
  open(w, name, "{");
  begin(w, "$ref");
  jtext_printf(w->out, "\"#/properties/%s\"", name);
  close(w, "}");
}

// Those of the file, or of a template, which are the same.
static void write_sections(writer* w, bool is_file) {
  for (int i = 0; jmodel_section_at(i); i++) {
    const jmodel_section_about* s = jmodel_section_at(i);
    if (is_file) write_key(w, s->key);
    if (!is_file && s->in_template) refer_to_section(w, s->key->name);
  }
  for (int i = 0; jmodel_class_at(i); i++) {
    const char* section = jmodel_class_at(i)->section;
    if (count_before(i) > 0) continue;
    if (is_file) write_elements(w, section);
    if (!is_file) refer_to_section(w, section);
  }
}

// ---- the file ------------------------------------------------------------------------------------

void jmodel_write_schema(jtext* out, const jmodel_key* file, const jmodel_key* number) {
  writer w = {.out = out, .number = number, .is_first = true};
  open(&w, NULL, "{");
  put_text(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
  put_text(&w, "title", file->name);
  put_about(&w, file);
  write_members(&w, file, false);
  open(&w, "$defs", "{");
  for (int i = 0; i < w.ndefinition; i++) {
    const jmodel_key* k = w.definition[i];
    open(&w, k->name, "{");
    put_about(&w, k);
    write_members(&w, k, false);
    close(&w, "}");
  }
  close(&w, "}");
  close(&w, "}");
  jtext_put(out, "\n");
}
