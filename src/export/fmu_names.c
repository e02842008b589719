// SPDX-License-Identifier: Apache-2.0
#include "export/fmu_names.h"

#include <string.h>

#include "base/text/text.h"

#define MAX_IDENTIFIER 60

static bool is_nondigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool jexport_fmu_can_structure(const char* name) {
  for (const char* s = name; *s; s++) {
    if (*s < ' ' || *s > '~') return false;
  }
  return true;
}

// Characters of an identifier, and of an index [1,2] behind it.
static size_t identifier_length(const char* s, size_t n) {
  size_t i = 0;
  if (n == 0 || !is_nondigit(s[0])) return 0;
  while (i < n && (is_nondigit(s[i]) || is_digit(s[i])))
    i++;
  if (i == n || s[i] != '[') return i;
  size_t k = i + 1;
  bool after_digit = false;
  while (k < n && (is_digit(s[k]) || (s[k] == ',' && after_digit)))
    after_digit = is_digit(s[k++]);
  return k < n && s[k] == ']' && after_digit ? k + 1 : i;
}

// One level between dots: as it is, or in apostrophes. Characters that may not stand between those are _.
static void put_level(jtext* t, const char* s, size_t n) {
  if (n > 0 && identifier_length(s, n) == n) {
    jtext_write(t, s, n);
    return;
  }
  jtext_put(t, "'");
  if (n == 0) jtext_put(t, "_");
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '\'' || s[i] == '"' || s[i] == '\\') jtext_put(t, "\\");
    jtext_write(t, s[i] == '`' ? "_" : &s[i], 1);
  }
  jtext_put(t, "'");
}

static void put_structured(jtext* t, const char* name) {
  for (const char* s = name;; s++) {
    size_t n = strcspn(s, ".");
    put_level(t, s, n);
    s += n;
    if (*s == '\0') break;
    jtext_put(t, ".");
  }
}

static bool is_given(const jexport_fmu_names* names, const char* name) {
  for (int i = 0; i < names->n; i++) {
    if (strcmp(names->name[i], name) == 0) return true;
  }
  return false;
}

static bool keep(jexport_fmu_names* names, const char* name) {
  if (names->n == names->cap) {
    int cap = names->cap > 0 ? 2 * names->cap : 64;
    const char** grown = JARENA_ARRAY(names->a, cap, const char*);
    if (!grown) return false;
    if (names->n > 0) memcpy(grown, names->name, (size_t)names->n * sizeof *grown);
    names->name = grown;
    names->cap = cap;
  }
  names->name[names->n++] = name;
  return true;
}

const char* jexport_fmu_name(jexport_fmu_names* names, const char* prefix, const char* name,
                             bool derivative) {
  jtext t;
  jtext_init(&t, names->a->ctx);
  const char* given = NULL;
  for (int i = 1; !given || is_given(names, given); i++) {
    jtext_clear(&t);
    if (derivative) jtext_put(&t, "der(");
    if (prefix) jtext_printf(&t, "%s.", prefix);
    const char* tried = i > 1 ? jarena_printf(names->a, "%s_%d", name, i) : name;
    if (!tried) break;
    if (names->is_flat) jtext_put(&t, tried);
    if (!names->is_flat) put_structured(&t, tried);
    if (derivative) jtext_put(&t, ")");
    given = t.failed ? NULL : jarena_strdup(names->a, t.data);
    if (!given) break;
  }
  jtext_free(&t);
  return given && keep(names, given) ? given : NULL;
}

const char* jexport_fmu_identifier(jarena* a, const char* text) {
  char id[MAX_IDENTIFIER + 2];
  size_t n = 0;
  if (!is_nondigit(text[0])) id[n++] = '_';
  for (const char* s = text; *s && n < MAX_IDENTIFIER; s++) {
    bool is_plain = is_nondigit(*s) || is_digit(*s);
    bool repeats = n > 0 && id[n - 1] == '_';
    if (is_plain) id[n++] = *s;
    if (!is_plain && !repeats) id[n++] = '_';
  }
  return jarena_strndup(a, id, n);
}
