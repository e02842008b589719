// SPDX-License-Identifier: Apache-2.0
// Expressions tried out before gen/ builds them, and what only the whole model shows: cycles of
// parameters, names with two meanings.
#include <math.h>
#include <string.h>

#include "expr/parse/parse.h"
#include "model/element.h"
#include "model/template/instance.h"

// ---- expressions

#define MAX_INPUTS (1 << 24)

typedef struct attempt {
  jmodel_reader* r;
  jmodel_scope scope;
  const jmodel_instance* in;  // whose names they are
  const char* where;          // outside of functions
  int depth;
} attempt;

static bool is_word(const char* s, size_t n, const char* word) {
  return strlen(word) == n && memcmp(s, word, n) == 0;
}

static jexpr_ref new_input(jmodel_reader* r) {
  return jexpr_input(r->graph, 0, r->ninput++);
}

// Every name is an unknown of its own: were they the same, x - y would be zero.
static jexpr_ref intern(jmodel_reader* r, const char* name, size_t n) {
  int input = jindex_find(&r->inputs, 0, name, n);
  if (input >= 0) return jexpr_input(r->graph, 0, input);
  if (!jindex_put(&r->inputs, 0, name, n, r->ninput)) {
    jmodel_out_of_memory(r);
    return JEXPR_POISON;
  }
  return new_input(r);
}

static bool note_use(jmodel_reader* r, int on) {
  if (r->current_parameter < 0) return true;
  if (!jmem_grow(r->ctx, &r->depend, &r->depend_cap, r->ndepend + 1, sizeof *r->depend)) {
    jmodel_out_of_memory(r);
    return false;
  }
  r->depend[r->ndepend++] = (struct jmodel_depend){r->current_parameter, on};
  return true;
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t n) {
  (void)g;
  attempt* a = user;
  if (is_word(name, n, "pi") || is_word(name, n, "tau")) return JEXPR_POISON;
  int sign;
  if (a->in) name = jmodel_full_quantity(a->r, a->in, name, n, &sign), n = strlen(name);
  if (a->scope == JMODEL_SCOPE_PARAMETERS) {
    int i = jindex_find(&a->r->m->parameters, 0, name, n);
    if (i < 0 || a->r->m->parameter[i].is_input || !note_use(a->r, i)) return JEXPR_POISON;
  }
  return intern(a->r, name, n);
}

// As it is called where the expression stands.
static const char* short_name(const attempt* a, const char* name) {
  size_t n = a->in ? strlen(a->in->name) : 0;
  bool is_inside = a->in && strncmp(name, a->in->name, n) == 0 && name[n] == '.';
  return is_inside ? name + n + 1 : name;
}

static const char* suggest(void* user, int i) {
  const attempt* a = user;
  const jmodel* m = a->r->m;
  if (i < m->nparameter) return short_name(a, m->parameter[i].name);
  i -= m->nparameter;
  if (i < m->ntable) return short_name(a, m->table[i].name);
  i -= m->ntable;
  return i < m->nfunction ? short_name(a, m->function[i].name) : NULL;
}

// Things of the model that are no parameters, though one might take their names for them.
static const struct {
  const char *section, *kind, *hint;
} others[] = {{"tables", "a table", "write it with its argument"},
              {"functions", "a function", "write it with its arguments"},
              {"joints", "a coordinate", NULL},
              {"states", "a state", NULL},
              {"delays", "a delay", NULL},
              {"inputs", "an input", NULL},
              {"signals", "a signal", NULL},
              {"sensors", "a sensor", NULL},
              {"bodies", "a body", NULL},
              {"hardpoints", "a hardpoint", NULL},
              {"closures", "a closure", NULL},
              {"couplings", "a coupling", NULL},
              {"objectives", "an objective", NULL}};

static bool has_entry(const jmodel_node* section, const char* name, size_t n) {
  bool is_map = section && section->kind == JMODEL_NODE_MAP;
  for (const jmodel_node* c = is_map ? section->first : NULL; c; c = c->next) {
    if (is_word(name, n, c->key)) return true;
  }
  return false;
}

// What the model calls by the name, and what to do about it (NULL: nothing); NULL: there is no such thing.
static const char* kind_of(jmodel_reader* r, const char* name, size_t n, const char** hint) {
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    *hint = others[i].hint;
    if (has_entry(jmodel_node_find(r->root, others[i].section), name, n)) return others[i].kind;
  }
  *hint = NULL;
  for (int i = 0; jmodel_class_at(i); i++) {
    const jmodel_element_class* c = jmodel_class_at(i);
    if (has_entry(jmodel_node_find(r->root, c->section), name, n)) {
      return jmodel_format(r, "a %s", c->kind);
    }
  }
  return NULL;
}

// Only names that parameters do not have come here. Of `a.rate`, `a` counts.
static const char* why(void* user, const char* name, size_t n) {
  static const char rule[] = "only parameters may stand here, whose values do not change with time";
  const attempt* a = user;
  jmodel_reader* r = a->r;
  int sign;
  if (is_word(name, n, "t")) return jmodel_format(r, "the time; %s", rule);
  if (a->in) name = jmodel_full_quantity(r, a->in, name, n, &sign), n = strlen(name);
  const char *hint = NULL, *kind = kind_of(r, name, n, &hint);
  size_t base = n;
  for (size_t i = n; !kind && i-- > 0;) {
    if (name[i] == '.') kind = kind_of(r, name, base = i, &hint);
  }
  if (!kind) return NULL;
  return jmodel_format(r, "%s%s; %s", base < n ? "a value of " : "", kind, hint ? hint : rule);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* x,
                      int nargs, int* expected);

// What a function needs counts where only parameters may stand; elsewhere gen/ sees to it.
static jexpr_ref call_function(attempt* a, jexpr_graph* g, int i, const jexpr_ref* x, int nargs,
                               int* expected) {
  const jmodel_function* f = &a->r->m->function[i];
  if (nargs == f->nargs && (a->scope == JMODEL_SCOPE_ANY || !f->value.text)) {
    return new_input(a->r);
  }
  attempt inside = {a->r, a->scope, NULL, a->where, a->depth};
  const char* where =
      jmodel_format(a->r, "%s: function '%s' (line %d)", a->where, f->name, f->place.line);
  jexpr_scope scope = {find, suggest, &inside, call, why, &inside.depth};
  return jmodel_call(a->r->m, i, g, &scope, where, x, nargs, expected);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* x,
                      int nargs, int* expected) {
  attempt* a = user;
  const jmodel* m = a->r->m;
  int sign;
  if (a->in) name = jmodel_full_quantity(a->r, a->in, name, n, &sign), n = strlen(name);
  for (int i = 0; i < m->ntable; i++) {
    if (!is_word(name, n, m->table[i].name)) continue;
    int needs = m->table[i].ny > 0 ? 2 : 1;
    if (nargs == needs) return new_input(a->r);
    *expected = needs;
  }
  int f = jmodel_find_function(m, name, n);
  return f >= 0 ? call_function(a, g, f, x, nargs, expected) : JEXPR_POISON;
}

// The same where not even parameters may stand.
static const char* why_no_number(void* user, const char* name, size_t n) {
  jmodel_reader* r = ((attempt*)user)->r;
  bool is_known = jindex_find(&r->m->parameters, 0, name, n) >= 0 || why(user, name, n);
  return is_known ? "a name of the model; a plain number must stand here" : NULL;
}

static bool begin(jmodel_reader* r) {
  if (!r->graph && !r->oom) {
    r->inputs = jindex_of(&r->scratch);
    r->graph = jexpr_graph_create(r->ctx);
    if (!r->graph || jexpr_group(r->graph, "names", MAX_INPUTS, JEXPR_PER_LANE) != 0) {
      r->oom = true;  // reported by the graph
      r->status = JO_ERR_MEMORY;
    }
  }
  return jmodel_goes_on(r);
}

static jexpr_ref try_text(const jmodel_at* at, jmodel_place place, const char* label,
                          const char* text, const jexpr_scope* scope) {
  jmodel_reader* r = at->r;
  jexpr_ref out = JEXPR_POISON;
  if (!begin(r)) return out;
  const char* where = jmodel_where(at, place, label);
  if (r->oom) return out;
  // texts belong to the tree, which outlives the reader's graph, so names need not be copied
  jo_status status = jexpr_parse(r->graph, text, strlen(text), scope, where, &out);
  if (status == JO_ERR_MEMORY) {
    r->oom = true;
    r->status = JO_ERR_MEMORY;
  } else if (status < 0) {
    r->nmistake++;
    if (r->status >= 0) r->status = JO_ERR_MODEL;
  }
  return out;
}

void jmodel_try_expression(const jmodel_at* at, jmodel_place place, const char* label,
                           const char* text, jmodel_scope scope, const jmodel_instance* in) {
  attempt a = {at->r, scope, in, jmodel_where(at, place, label), 0};
  jexpr_scope names = {
      .find = find, .suggest = suggest, .user = &a, .call = call, .why = why, .depth = &a.depth};
  try_text(at, place, label, text, &names);
}

bool jmodel_constant_value(const jmodel_at* at, jmodel_place place, const char* label,
                           const char* text, double* value) {
  attempt a = {at->r, JMODEL_SCOPE_PARAMETERS, NULL, "", 0};
  jexpr_scope nothing = {.user = &a, .why = why_no_number};
  jexpr_ref ref = try_text(at, place, label, text, &nothing);
  if (ref == JEXPR_POISON || !jexpr_is_const(at->r->graph, ref)) return false;
  *value = jexpr_const_value(at->r->graph, ref);
  return true;
}

void jmodel_free_expressions(jmodel_reader* r) {
  jexpr_graph_destroy(r->graph);
  r->graph = NULL;
  jmem_free(r->ctx, r->depend);
  r->depend = NULL;
}

// ---- parameters of parameters

// First use by each parameter; uses are in the order of their parameters.
static int* first_uses(jmodel_reader* r) {
  int n = r->m->nparameter;
  int* first = JMODEL_ARRAY(r, n + 1, int);
  if (!first) return NULL;
  for (int i = 0, k = 0; i <= n; i++) {
    while (k < r->ndepend && r->depend[k].parameter < i)
      k++;
    first[i] = k;
  }
  return first;
}

static void report_cycle(jmodel_reader* r, const int* path, int depth, int closing) {
  const jmodel* m = r->m;
  int begins = depth;
  while (begins > 0 && path[begins] != closing)
    begins--;
  const char* chain = m->parameter[closing].name;
  for (int i = begins + 1; i <= depth && i < begins + 8; i++) {
    chain = jmodel_format(r, "%s -> %s", chain, m->parameter[path[i]].name);
  }
  const jmodel_parameter* p = &m->parameter[closing];
  jmodel_at at = {r, "parameter", p->name, ""};
  jmodel_mistake(&at, p->value.place, "depends on itself: %s -> %s", chain, p->name);
}

// Parameters, each after those it depends on; cycles are reported. Depth first with a path of its own: a
// long chain of parameters must not use up the stack.
static const int* order_parameters(jmodel_reader* r) {
  int n = r->m->nparameter, done = 0;
  int* first = first_uses(r);
  int* next = JMODEL_ARRAY(r, n, int);
  int* path = JMODEL_ARRAY(r, n, int);
  int* order = JMODEL_ARRAY(r, n, int);
  char* seen = JMODEL_ARRAY(r, n, char);  // 1: on the path, 2: done
  if (r->oom) return NULL;
  for (int start = 0; start < n; start++) {
    if (seen[start]) continue;
    int depth = 0;
    path[0] = start;
    seen[start] = 1;
    next[start] = first[start];
    while (depth >= 0) {
      int p = path[depth];
      if (next[p] == first[p + 1]) {
        seen[p] = 2;
        order[done++] = p;
        depth--;
        continue;
      }
      int on = r->depend[next[p]++].on;
      if (seen[on] == 1) report_cycle(r, path, depth, on);
      if (seen[on]) continue;
      seen[on] = 1;
      next[on] = first[on];
      path[++depth] = on;
    }
  }
  return order;
}

// ---- names

typedef struct meaning {
  const char* name;
  const char* kind;
  jmodel_place place;
  int body;  // carried by a joint of this name; -1: none
} meaning;

static void check_unique(jmodel_reader* r, const meaning* list, int n) {
  jindex seen = jindex_of(&r->scratch);
  for (int i = 0; i < n; i++) {
    size_t length = strlen(list[i].name);
    int k = jindex_find(&seen, 0, list[i].name, length);
    if (k < 0) {
      if (!jindex_put(&seen, 0, list[i].name, length, i)) jmodel_out_of_memory(r);
      continue;
    }
    // the joint that carries a body may have its name
    if (list[i].body >= 0 && list[i].body == list[k].body) continue;
    jmodel_at at = {r, list[i].kind, list[i].name, ""};
    jmodel_mistake(&at, list[i].place, "there is a %s of this name already (line %d)", list[k].kind,
                   list[k].place.line);
  }
}

// Names that stand alone in expressions.
static void check_values(jmodel_reader* r) {
  const jmodel* m = r->m;
  meaning* list =
      JMODEL_ARRAY(r, m->nparameter + m->nsignal + m->ndelay + m->nstate + m->njoint, meaning);
  int n = 0;
  if (!list) return;
  for (int i = 0; i < m->nparameter; i++) {
    const jmodel_parameter* p = &m->parameter[i];
    list[n++] = (meaning){p->name, p->is_input ? "input" : "parameter", p->value.place, -1};
  }
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    if (j->ncoordinate == 1) list[n++] = (meaning){j->name, "joint", j->place, -1};
  }
  for (int i = 0; i < m->nstate; i++) {
    list[n++] = (meaning){m->state[i].name, "state", m->state[i].place, -1};
  }
  for (int i = 0; i < m->ndelay; i++) {
    list[n++] = (meaning){m->delay[i].name, "delay", m->delay[i].place, -1};
  }
  for (int i = 0; i < m->nsignal; i++) {
    const jmodel_signal* s = &m->signal[i];
    list[n++] = (meaning){s->name, s->is_output ? "sensor" : "signal", s->value.place, -1};
  }
  check_unique(r, list, n);
}

// Names that stand before a dot.
static void check_elements(jmodel_reader* r) {
  const jmodel* m = r->m;
  int most = m->nbody + m->njoint + m->nclosure + m->ncoupling + m->nelement;
  meaning* list = JMODEL_ARRAY(r, most, meaning);
  int n = 0;
  if (!list) return;
  for (int i = 1; i < m->nbody; i++) {
    list[n++] = (meaning){m->body[i].name, "body", m->body[i].place, i};
  }
  for (int i = 0; i < m->njoint; i++) {
    list[n++] = (meaning){m->joint[i].name, "joint", m->joint[i].place, m->joint[i].child};
  }
  for (int i = 0; i < m->nclosure; i++) {
    list[n++] = (meaning){m->closure[i].name, "closure", m->closure[i].place, -1};
  }
  for (int i = 0; i < m->ncoupling; i++) {
    list[n++] = (meaning){m->coupling[i].name, "coupling", m->coupling[i].place, -1};
  }
  for (int i = 0; i < m->nelement; i++) {
    const jmodel_element* e = &m->element[i];
    list[n++] = (meaning){e->name, e->class->kind, e->place, -1};
  }
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].name, "energy") != 0) continue;  // energy.kinetic
    jmodel_at at = {r, list[i].kind, list[i].name, ""};
    jmodel_mistake(&at, list[i].place, "the name is reserved; choose another");
  }
  check_unique(r, list, n);
}

void jmodel_check(jmodel_reader* r) {
  if (r->oom) return;
  const int* order = order_parameters(r);
  check_values(r);
  check_elements(r);
  jmodel_check_attitudes(r);
  jmodel_check_ports(r);
  jmodel_check_units(r);
  // expressions that could not be read have no values
  if (!r->oom) jmodel_check_ranges(r, r->nmistake == 0 ? order : NULL);
}
