// SPDX-License-Identifier: Apache-2.0
// Settings: --set name=value. A parameter by its name, any other value by its path. What the file
// gives is changed in the tree before it is read, what it leaves to a default afterwards.
#include <math.h>
#include <string.h>

#include "model/read/reader.h"

static const jmodel_place set_place = {"--set", 0};

static int component(const jmodel_node* list, const char* path, size_t n) {
  static const char* const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  static const char* const vector[] = {"x", "y", "z"};
  for (int i = 0; i < 6 && i < list->n; i++) {
    bool is_tensor = list->key && strcmp(list->key, "inertia") == 0;
    if (is_tensor && n == 2 && strncmp(path, tensor[i], 2) == 0) return i;
    if (!is_tensor && list->n == 3 && n == 1 && path[0] == vector[i][0]) return i;
    if (i == 2 && !is_tensor) break;
  }
  return -1;
}

static jmodel_node* item(const jmodel_node* list, int i) {
  jmodel_node* c = list->first;
  while (c && i-- > 0)
    c = c->next;
  return c;
}

// "[12]...": the index, and the characters used; -1 when it is none.
static int bracket_index(const char* path, size_t* used) {
  int i = 0;
  const char* s = path + 1;
  if (*path != '[' || !(*s >= '0' && *s <= '9')) return -1;
  for (; *s >= '0' && *s <= '9'; s++) {
    if (i > 100000000) return -1;
    i = 10 * i + (*s - '0');
  }
  if (*s != ']') return -1;
  *used = (size_t)(s + 1 - path);
  return i;
}

// The node of a path below `node`. Keys may hold dots themselves, so every key that fits is tried.
static jmodel_node* find_path(jmodel_node* node, const char* path) {
  if (!*path) return node;
  if (*path == '.') path++;
  if (node->kind == JMODEL_NODE_LIST) {
    size_t used = strcspn(path, ".[");
    int i = *path == '[' ? bracket_index(path, &used) : component(node, path, used);
    jmodel_node* c = i < 0 ? NULL : item(node, i);
    return c ? find_path(c, path + used) : NULL;
  }
  for (jmodel_node* c = node->first; c && node->kind == JMODEL_NODE_MAP; c = c->next) {
    size_t n = strlen(c->key);
    if (n == 0 || strncmp(path, c->key, n) != 0 || !strchr(".[", path[n])) continue;
    jmodel_node* found = find_path(c, path + n);
    if (found) return found;
  }
  return NULL;
}

static jmodel_node* add_entry(jmodel_reader* r, jmodel_node* map, const char* key,
                              jmodel_node_kind kind) {
  jmodel_node* node = JARENA_NEW(&r->scratch, jmodel_node);
  if (!node) {
    jmodel_out_of_memory(r);
    return NULL;
  }
  *node = (jmodel_node){.kind = kind, .text = "", .place = set_place, .key = key};
  node->key_hash = jhash_bytes(key, strlen(key));
  node->key_place = set_place;
  jmodel_node_append(map, node);
  return node;
}

// Limits can be set whether the file gives them or not.
static jmodel_node* add_limit(jmodel_reader* r, jmodel_node* root, const char* name) {
  static const char block[] = "simulation.";
  const char* key = name + strlen(block);
  if (strncmp(name, block, strlen(block)) != 0 || !jmodel_is_limit(key)) return NULL;
  jmodel_node* map = jmodel_node_find(root, "simulation");
  if (!map && root->kind == JMODEL_NODE_MAP) {
    map = add_entry(r, root, "simulation", JMODEL_NODE_MAP);
  }
  return map && map->kind == JMODEL_NODE_MAP ? add_entry(r, map, key, JMODEL_NODE_NULL) : NULL;
}

static jmodel_node* find_target(jmodel_node* root, const char* name) {
  static const char* const untouched[] = {"jounce", "include", "name", "description"};
  jmodel_node* parameter = jmodel_node_find(jmodel_node_find(root, "parameters"), name);
  if (!parameter) parameter = jmodel_node_find(jmodel_node_find(root, "inputs"), name);
  jmodel_node* node = parameter ? parameter : find_path(root, name);
  for (size_t i = 0; !parameter && i < sizeof untouched / sizeof untouched[0]; i++) {
    if (strcmp(untouched[i], name) == 0) return NULL;
  }
  jmodel_node* value = jmodel_node_find(node, "value");
  return value ? value : node;
}

void jmodel_set_in_tree(jmodel_reader* r, jmodel_node* root) {
  if (!r->set_done) r->set_done = JMODEL_ARRAY(r, r->nset, bool);
  for (int i = 0; r->set_done && i < r->nset; i++) {
    if (r->set_done[i]) continue;
    const char* name = r->set[i].name ? r->set[i].name : "";
    const char* text = r->set[i].value ? r->set[i].value : "";
    jmodel_at at = {r, "number", jmodel_keep(r, name), ""};
    jmodel_node* node = *name ? find_target(root, name) : NULL;
    if (!node) node = add_limit(r, root, at.name);
    if (strspn(text, " \t") == strlen(text)) {
      jmodel_mistake(&at, set_place, "the value is empty; write --set name=value");
      r->set_done[i] = true;
    } else if (node && (node->kind == JMODEL_NODE_LIST || node->kind == JMODEL_NODE_MAP)) {
      jmodel_mistake(&at, set_place, "not a single number; add what is meant, as in 'com.x'");
      r->set_done[i] = true;
    } else if (node) {
      node->kind = JMODEL_NODE_TEXT;
      node->text = jmodel_keep(r, text);
      node->place = set_place;
      r->set_done[i] = true;
    }
  }
}

static bool is_massless(const jmodel* m, const char* path) {
  for (int i = 1; i < m->nbody; i++) {
    const jmodel_body* b = &m->body[i];
    if (b->has_mass) continue;
    if (b->mass.path == path) return true;
    for (int k = 0; k < 6; k++) {
      if (b->inertia[k].path == path) return true;
    }
    for (int k = 0; k < 3; k++) {
      if (b->com.e[k].path == path) return true;
    }
  }
  return false;
}

static void set_unknown(const jmodel_at* at) {
  const jmodel* m = at->r->m;
  const char* rest;
  const jmodel_image* image = jmodel_find_image(m, at->name, &rest);
  if (image) {
    jmodel_mistake(at, set_place,
                   "'%s' is the mirror image of '%s' and has its place; set 'instances.%s%s', "
                   "which moves both",
                   image->name, image->of, image->of, rest);
    return;
  }
  jmodel_guess guess = jmodel_guess_begin(at->name);
  for (int i = 0; i < m->nparameter; i++) {
    jmodel_guess_add(&guess, m->parameter[i].name);
  }
  for (int i = 0; i < m->nnumber; i++) {
    jmodel_guess_add(&guess, m->number[i].path);
  }
  jmodel_mistake(at, set_place, "no parameter or number has this name%s",
                 jmodel_guess_hint(at->r, &guess));
}

static void set_unit(const jmodel_at* at, jmodel_number* k, const char* unit, size_t n) {
  k->unit = jmodel_format(at->r, "%.*s", (int)n, unit);
  jmodel_scalar s = {NULL, (int)(k - at->r->m->number), k->path, set_place};
  jmodel_check_unit_at(at, "it", &s);
}

void jmodel_set_numbers(jmodel_reader* r) {
  jmodel* m = r->m;
  for (int i = 0; i < r->nset && r->set_done; i++) {
    if (r->set_done[i]) continue;
    const char* name = r->set[i].name ? r->set[i].name : "";
    jmodel_at at = {r, "number", jmodel_keep(r, name), ""};
    int number = *name ? jmodel_find_number(m, name) : -1;
    const char *text = r->set[i].value ? r->set[i].value : "", *unit = NULL;
    size_t nunit = 0;
    double value;
    bool is_number =
        jmodel_number_text(text, &value) || jmodel_quantity_text(text, &value, &unit, &nunit);
    if (number < 0) {
      set_unknown(&at);
    } else if (is_massless(m, m->number[number].path)) {
      jmodel_mistake(&at, set_place, "the body has no mass; give it one in the file");
    } else if (!is_number || !isfinite(value)) {
      jmodel_mistake(&at, set_place, "needs a finite number, got '%.60s'", r->set[i].value);
    } else {
      m->number[number].value = value;
      if (unit) set_unit(&at, &m->number[number], unit, nunit);
    }
  }
}
