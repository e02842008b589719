// SPDX-License-Identifier: Apache-2.0
// `functions:`, what expressions may call beside tables. Their texts are written out where they are called.
#include <string.h>

#include "expr/function.h"
#include "expr/parse/lex.h"
#include "expr/parse/parse.h"
#include "model/read/reader.h"

#define MAX_ARGUMENTS 16
#define MAX_DEPTH     64  // functions that call each other, as far as expr/tape/order.h goes

int jmodel_find_function(const jmodel* m, const char* name, size_t n) {
  for (int i = 0; i < m->nfunction; i++) {
    const char* known = m->function[i].name;
    if (strlen(known) == n && memcmp(known, name, n) == 0) return i;
  }
  return -1;
}

jexpr_ref jmodel_call(const jmodel* m, int function, jexpr_graph* g, const jexpr_scope* scope,
                      const char* where, const jexpr_ref* args, int nargs, int* expected) {
  const jmodel_function* f = &m->function[function];
  jexpr_ref r = JEXPR_POISON;
  if (nargs != f->nargs) {
    *expected = f->nargs;
    return r;
  }
  jexpr_call call = {f->value.text ? f->value.text : f->value.path, nargs, f->arg, args};
  if (jexpr_parse_call(g, &call, scope, where, &r) < 0) *expected = JEXPR_TOLD;
  return r;
}

// ---- reading

void jmodel_read_function_names(jmodel_reader* r, const jmodel_node* root) {
  jmodel* m = r->m;
  const jmodel_node* section = jmodel_section(r, root, "functions");
  m->function = JMODEL_ARRAY(r, section ? section->n : 0, jmodel_function);
  if (!m->function) return;
  for (const jmodel_node* c = section ? section->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "function", jmodel_keep(r, c->key), ""};
    const char* own = c->local ? c->local : c->key;
    if (!jmodel_name_ok(&at, c)) continue;
    if (jexpr_is_function(own, strlen(own))) {
      jmodel_mistake(&at, c->key_place,
                     "every expression has a function of this name; choose another");
      continue;
    }
    for (int i = 0; i < m->ntable; i++) {
      if (strcmp(m->table[i].name, at.name) != 0) continue;
      jmodel_mistake(&at, c->key_place, "there is a table of this name already (line %d)",
                     m->table[i].place.line);
    }
    m->function[m->nfunction++] = (jmodel_function){
        .name = at.name, .place = c->key_place, .value = jmodel_constant("0", c->key_place)};
  }
}

static void add_argument(const jmodel_at* at, const jmodel_node* node, jmodel_function* f) {
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, "an argument")) return;
  if (!jmodel_is_good_name(at, node->text, node->place)) return;
  for (int i = 0; i < f->nargs; i++) {
    if (strcmp(f->arg[i], node->text) != 0) continue;
    jmodel_mistake(at, node->place, "argument '%s' is given twice", node->text);
    return;
  }
  f->arg[f->nargs++] = jmodel_keep(at->r, node->text);
}

// of: v, or of: [v, k]
static bool read_arguments(const jmodel_at* at, const jmodel_node* map, jmodel_function* f) {
  const jmodel_node* of = jmodel_need(at, map, "of");
  int n = of && of->kind == JMODEL_NODE_LIST ? of->n : 1, before = at->r->nmistake;
  if (!of) return false;
  if (n < 1 || n > MAX_ARGUMENTS) {
    jmodel_mistake(at, of->place, "of needs the names of 1 ... %d arguments, got %d", MAX_ARGUMENTS,
                   n);
    return false;
  }
  f->arg = JMODEL_ARRAY(at->r, n + 1, const char*);  // ends with NULL
  if (!f->arg) return false;
  if (of->kind != JMODEL_NODE_LIST) {
    add_argument(at, of, f);
  } else {
    for (const jmodel_node* c = of->first; c; c = c->next) {
      add_argument(at, c, f);
    }
  }
  return at->r->nmistake == before;
}

static const jmodel_key function_keys[] = {{.name = "of",
                                            .is = JMODEL_A_NAME | JMODEL_A_LIST,
                                            .item = &jmodel_form_name,
                                            .least = 1,
                                            .most = MAX_ARGUMENTS,
                                            .is_needed = true,
                                            .about = "Names of its arguments"},
                                           {JMODEL_KEY_NUMBER("value"), .is_needed = true},
                                           {JMODEL_KEY_DESCRIPTION},
                                           {0}};
static const jmodel_key function_form = {.is = JMODEL_A_MAP, .keys = function_keys};
const jmodel_key jmodel_section_functions = {JMODEL_KEY_SECTION("functions", function_form),
                                             .about = "Functions that expressions may call"};

static void read_function(const jmodel_at* at, const jmodel_node* node, jmodel_function* f) {
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return;
  jmodel_check_keys(at, node, function_keys);
  if (!read_arguments(at, node, f)) return;
  at->r->own_names = f->arg;
  jmodel_need_scalar(at, node, "value", JMODEL_SCOPE_ANY, &f->value);
  at->r->own_names = NULL;
}

// ---- who calls whom

typedef struct chain {
  jmodel_reader* r;
  int* height;  // functions below, itself counted; -1: on the path, 0: not seen
  int path[MAX_DEPTH + 1];
  int depth;
} chain;

static void tell_chain(const chain* c, int closing) {
  const jmodel* m = c->r->m;
  int begins = c->depth - 1;
  while (begins > 0 && c->path[begins] != closing) {
    begins--;
  }
  const char* text = m->function[closing].name;
  for (int i = begins + 1; i < c->depth && i < begins + 8; i++) {
    text = jmodel_format(c->r, "%s -> %s", text, m->function[c->path[i]].name);
  }
  const jmodel_function* f = &m->function[closing];
  jmodel_at at = {c->r, "function", f->name, ""};
  jmodel_mistake(&at, f->place, "calls itself: %s -> %s; functions cannot be recursive", text,
                 f->name);
}

static void follow(chain* c, int function);

// Something called by a function: how high it stands above those that call nothing.
static int height_of(chain* c, int called) {
  if (c->height[called] == 0) follow(c, called);
  if (c->height[called] < 0) tell_chain(c, called);
  return c->height[called];
}

static void follow(chain* c, int function) {
  const jmodel_function* f = &c->r->m->function[function];
  int height = 0;
  c->height[function] = -1;
  c->path[c->depth++] = function;
  const char* text = f->value.text && c->depth <= MAX_DEPTH ? f->value.text : "";
  jexpr_lexer lexer = {text, strlen(text), 0};
  jexpr_token t = jexpr_lex_next(&lexer);
  while (t.kind != JEXPR_TOKEN_END && t.kind != JEXPR_TOKEN_BAD && jmodel_goes_on(c->r)) {
    jexpr_token next = jexpr_lex_next(&lexer);
    bool is_call = t.kind == JEXPR_TOKEN_NAME && next.kind == JEXPR_TOKEN_OPEN;
    int called = is_call ? jmodel_find_function(c->r->m, text + t.start, t.length) : -1;
    int below = called >= 0 ? height_of(c, called) : 0;
    if (below > height) height = below;
    t = next;
  }
  c->height[function] = height + 1;
  if (height == MAX_DEPTH || c->depth > MAX_DEPTH) {
    jmodel_at at = {c->r, "function", f->name, ""};
    jmodel_mistake(&at, f->place, "functions call each other more than %d deep", MAX_DEPTH);
  }
  c->depth--;
}

void jmodel_read_functions(jmodel_reader* r, const jmodel_node* root) {
  jmodel* m = r->m;
  const jmodel_node* section = jmodel_node_find(root, "functions");
  for (int i = 0; i < m->nfunction && !r->oom; i++) {
    jmodel_function* f = &m->function[i];
    jmodel_at at = {r, "function", f->name, jmodel_format(r, "functions.%s", f->name)};
    read_function(&at, jmodel_node_find(section, f->name), f);
  }
  chain c = {.r = r, .height = JMODEL_ARRAY(r, m->nfunction, int)};
  for (int i = 0; c.height && i < m->nfunction && !r->oom; i++) {
    if (c.height[i] == 0) follow(&c, i);
  }
}
