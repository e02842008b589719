// SPDX-License-Identifier: Apache-2.0
#include "study/read.h"

#include <math.h>
#include <string.h>

#define MAX_POINTS 100000

const jmodel_key jstudy_form_names = {
    .name = "names", .is = JMODEL_A_TEXT | JMODEL_A_LIST, .item = &jmodel_form_text, .least = 1};
const jmodel_key jstudy_form_values = {JMODEL_KEY_BY_TEXT("values", jmodel_form_number)};
static const jmodel_key run_values_form = {
    .is = JMODEL_A_LIST, .item = &jmodel_form_number, .least = 1};
const jmodel_key jstudy_form_runs = {JMODEL_KEY_BY_TEXT("runs", run_values_form), .least = 1,
                                     .most = 1};

// ---- values --------------------------------------------------------------------------------------

static jstudy_name name_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  jstudy_name out = {NULL, node->place};
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return out;
  if (!*node->text) {
    jmodel_mistake(at, node->place, "%s is empty", label);
    return out;
  }
  out.text = jmodel_keep(at->r, node->text);
  return out;
}

jstudy_name jstudy_get_name(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  return node ? name_at(at, node, key) : (jstudy_name){NULL, map->place};
}

jstudy_name jstudy_need_name(const jmodel_at* at, const jmodel_node* map, const char* key) {
  jmodel_need(at, map, key);
  return jstudy_get_name(at, map, key);
}

jstudy_names jstudy_get_names(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  jstudy_names out = {NULL, 0};
  if (!node) return out;
  bool is_list = node->kind == JMODEL_NODE_LIST;
  out.name = JMODEL_ARRAY(at->r, is_list ? node->n : 1, jstudy_name);
  if (!out.name) return out;
  if (!is_list) {
    out.name[0] = name_at(at, node, key);
    out.n = out.name[0].text != NULL;
    return out;
  }
  if (node->n == 0) jmodel_mistake(at, node->place, "%s is an empty list; leave it out", key);
  for (const jmodel_node* c = node->first; c; c = c->next) {
    out.name[out.n] = name_at(at, c, key);
    out.n += out.name[out.n].text != NULL;
  }
  return out;
}

bool jstudy_number_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                      double* out) {
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return false;
  const char* unit;
  size_t n;
  if (jmodel_quantity_text(node->text, out, &unit, &n)) {
    jmodel_mistake(at, node->place, "%s is '%s'; numbers here are in SI units, without one: %.9g",
                   label, node->text, *out);
    return false;
  }
  if (!jmodel_constant_value(at, node->place, label, node->text, out)) return false;
  if (isfinite(*out)) return true;
  jmodel_mistake(at, node->place, "%s is not a finite number", label);
  return false;
}

double jstudy_get_number(const jmodel_at* at, const jmodel_node* map, const char* key,
                         double otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  double value;
  return node && jstudy_number_at(at, node, key, &value) ? value : otherwise;
}

int jstudy_get_count(const jmodel_at* at, const jmodel_node* map, const char* key, int least,
                     int otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  double value;
  if (!node || !jstudy_number_at(at, node, key, &value)) return otherwise;
  if (value >= least && value <= MAX_POINTS && value == floor(value)) return (int)value;
  jmodel_mistake(at, node->place, "%s is %.9g; it must be a whole number from %d to %d", key, value,
                 least, MAX_POINTS);
  return otherwise;
}

double jstudy_get_positive(const jmodel_at* at, const jmodel_node* map, const char* key,
                           double otherwise) {
  double value = jstudy_get_number(at, map, key, otherwise);
  if (value < 0.0) {
    jmodel_mistake(at, jmodel_node_find(map, key)->place, "%s is %.9g; it must not be less than 0",
                   key, value);
  }
  return value;
}

bool jstudy_get_bool(const jmodel_at* at, const jmodel_node* map, const char* key, bool otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  return node ? jmodel_bool_at(at, node, key) : otherwise;
}

void jstudy_read_runs(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  const jmodel_node* node = jmodel_node_find(map, "for");
  jstudy_runs* r = &p->runs;
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, "for")) return;
  if (node->n != 1) {
    jmodel_mistake(at, node->place, "for needs one parameter with a list of values, got %d",
                   node->n);
    return;
  }
  const jmodel_node* list = node->first;
  r->name = (jstudy_name){jmodel_keep(at->r, list->key), list->key_place};
  if (!jmodel_is(at, list, JMODEL_NODE_LIST, "for")) return;
  if (list->n == 0) jmodel_mistake(at, list->place, "for needs one value or more");
  r->value = JMODEL_ARRAY(at->r, list->n, double);
  for (const jmodel_node* c = list->first; c && r->value; c = c->next) {
    if (jstudy_number_at(at, c, "for", &r->value[r->n])) r->n++;
  }
}

int jstudy_read_values(const jmodel_at* at, const jmodel_node* map, const char* key,
                       jstudy_value** out) {
  const jmodel_node* node = jmodel_node_find(map, key);
  int n = 0;
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, key)) return 0;
  *out = JMODEL_ARRAY(at->r, node->n, jstudy_value);
  for (const jmodel_node* c = node->first; c && *out; c = c->next) {
    (*out)[n].name = (jstudy_name){jmodel_keep(at->r, c->key), c->key_place};
    if (jstudy_number_at(at, c, key, &(*out)[n].value)) n++;
  }
  return n;
}

void jstudy_read_objectives(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->objectives = jstudy_get_names(at, map, "objectives");
  const char* only = p->objectives.n == 1 ? p->objectives.name[0].text : "";
  if (strcmp(only, "all") == 0) p->objectives.n = 0;
}

void jstudy_read_objective(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->objectives = jstudy_get_names(at, map, "objective");
  if (p->objectives.n > 1) {
    jmodel_mistake(at, p->objectives.name[1].place,
                   "objective needs one name; another part can have the other");
  }
}

void jstudy_read_wrt(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->wrt = jstudy_get_names(at, map, "wrt");
  if (p->wrt.n > 0) return;
  if (!p->runs.name.text || jmodel_node_find(map, "wrt")) {
    jmodel_need(at, map, "wrt");
    return;
  }
  p->wrt.name = JMODEL_ARRAY(at->r, 1, jstudy_name);
  if (p->wrt.name) p->wrt.name[p->wrt.n++] = p->runs.name;
}

// ---- titles --------------------------------------------------------------------------------------

const char* jstudy_list_names(jarena* a, const jstudy_names* names) {
  const char* text = "";
  for (int i = 0; i < names->n && text; i++) {
    text = jarena_printf(a, "%s%s%s", text, i > 0 ? ", " : "", names->name[i].text);
  }
  return text ? text : "";
}

const char* jstudy_name_objectives(jarena* a, const jmodel* m, const jstudy_part* p) {
  if (p->objectives.n > 0) return jstudy_list_names(a, &p->objectives);
  return m->nobjective == 1 ? m->objective[0].name : "objectives";
}
