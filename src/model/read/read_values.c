// SPDX-License-Identifier: Apache-2.0
// What is not mechanics: name, gravity, road, parameters, tables, states, signals, sensors,
// objectives, initial conditions, simulation.
#include <string.h>

#include "jounce/methods.h"
#include "model/element.h"
#include "model/read/reader.h"

// Of the file itself; sections come behind them.
static const char* const head_keys[] = {"jounce", "name", "description", "include"};

static void check_root_keys(const jmodel_at* at, const jmodel_node* root) {
  int n = sizeof head_keys / sizeof *head_keys, nsection = 0, nclass = 0;
  while (jmodel_section_at(nsection)) {
    nsection++;
  }
  while (jmodel_class_at(nclass)) {
    nclass++;
  }
  const char** keys = JMODEL_ARRAY(at->r, n + nsection + nclass + 1, const char*);
  if (!keys) return;
  memcpy(keys, head_keys, sizeof head_keys);
  for (int i = 0; i < nsection; i++) {
    keys[n++] = jmodel_section_at(i)->name;
  }
  for (int i = 0; i < nclass; i++) {
    keys[n++] = jmodel_class_at(i)->section;
  }
  jmodel_check_keys(at, root, keys);
}

static const double standard_gravity[3] = {0.0, 0.0, -9.81};

void jmodel_read_head(jmodel_reader* r, const jmodel_node* root) {
  jmodel* m = r->m;
  jmodel_at at = {r, "model", NULL, ""};
  check_root_keys(&at, root);
  m->name = jmodel_get_text(&at, root, "name", "");
  m->description = jmodel_get_text(&at, root, "description", "");

  const jmodel_node* gravity = jmodel_node_find(root, "gravity");
  if (gravity) {
    m->gravity = jmodel_v3_at(&at, gravity, "gravity", "gravity", JMODEL_SCOPE_ANY);
  } else {
    m->gravity = jmodel_default_v3(r, "gravity", 0.0, root->place);
    for (int i = 0; i < 3 && !r->oom; i++) {
      m->number[m->gravity.e[i].number].value = standard_gravity[i];
    }
  }
  jmodel_read_road(r, root);
}

// ---- parameters and tables: names first, for expressions may use any of them

static bool is_function(const char* name) {
  static const char* const functions[] = {
      "sqrt",  "pow",  "exp",  "log",  "sin",   "cos", "tan", "asin", "acos", "atan",
      "atan2", "sinh", "cosh", "tanh", "hypot", "deg", "abs", "sign", "step", "floor",
      "ceil",  "mod",  "min",  "max",  "clamp", "if",  "e",   "ln",   "fabs", "sgn"};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    if (strcmp(functions[i], name) == 0) return true;
  }
  return false;
}

void jmodel_read_names(jmodel_reader* r, const jmodel_node* root) {
  jmodel* m = r->m;
  const jmodel_node* parameters = jmodel_section(r, root, "parameters");
  const jmodel_node* inputs = jmodel_section(r, root, "inputs");
  const jmodel_node* tables = jmodel_section(r, root, "tables");
  int n = (parameters ? parameters->n : 0) + (inputs ? inputs->n : 0);
  m->parameter = JMODEL_ARRAY(r, n, jmodel_parameter);
  m->table = JMODEL_ARRAY(r, tables ? tables->n : 0, jmodel_table);
  if (r->oom) return;
  for (const jmodel_node* c = parameters ? parameters->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "parameter", jmodel_keep(r, c->key), ""};
    if (!jmodel_name_ok(&at, c)) continue;
    m->parameter[m->nparameter++].name = at.name;
  }
  for (const jmodel_node* c = inputs ? inputs->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "input", jmodel_keep(r, c->key), ""};
    if (!jmodel_name_ok(&at, c)) continue;
    m->parameter[m->nparameter++] = (jmodel_parameter){.name = at.name, .is_input = true};
  }
  if (!r->oom && !jmodel_index_parameters(m, &m->arena)) jmodel_out_of_memory(r);
  for (const jmodel_node* c = tables ? tables->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "table", jmodel_keep(r, c->key), ""};
    if (!jmodel_name_ok(&at, c)) continue;
    if (is_function(c->local ? c->local : c->key)) {
      jmodel_mistake(&at, c->key_place, "the name is that of a function; choose another");
      continue;
    }
    m->table[m->ntable].name = at.name;
    m->table[m->ntable].ny = jmodel_node_find(c, "z") ? 1 : 0;  // how it is called, for now
    m->table[m->ntable++].place = c->key_place;
  }
}

// An input has a value of its own from the start: one that others computed would change with them.
static void check_input(const jmodel_at* at, jmodel_parameter* p) {
  jmodel* m = at->r->m;
  if (p->value.number >= 0) {
    m->number[p->value.number].is_input = true;
  } else {
    jmodel_mistake(at, p->value.place, "the value of an input is a number, not an expression");
  }
}

static void read_parameter(const jmodel_at* at, const jmodel_node* node, jmodel_parameter* p) {
  static const char* const keys[] = {"value", "unit", "description", NULL};
  p->unit = p->shown = p->description = "";
  if (node->kind != JMODEL_NODE_MAP) {
    p->value = jmodel_scalar_at(at, node, "value", p->name, JMODEL_SCOPE_PARAMETERS);
    jmodel_parameter_unit(at, p, node->place);
    return;
  }
  jmodel_check_keys(at, node, keys);
  p->unit = jmodel_get_text(at, node, "unit", "");
  p->description = jmodel_get_text(at, node, "description", "");
  const jmodel_node* value = jmodel_need(at, node, "value");
  p->value = jmodel_constant("0", node->place);
  if (value) p->value = jmodel_scalar_at(at, value, "value", p->name, JMODEL_SCOPE_PARAMETERS);
  jmodel_parameter_unit(at, p, node->place);
}

void jmodel_read_parameters(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* parameters = jmodel_node_find(root, "parameters");
  const jmodel_node* inputs = jmodel_node_find(root, "inputs");
  for (int i = 0; i < r->m->nparameter && !r->oom; i++) {
    jmodel_parameter* p = &r->m->parameter[i];
    jmodel_at at = {r, p->is_input ? "input" : "parameter", p->name, p->name};
    r->current_parameter = i;
    read_parameter(&at, jmodel_node_find(p->is_input ? inputs : parameters, p->name), p);
    if (p->is_input) check_input(&at, p);
  }
  r->current_parameter = -1;
}

// A list of numbers; label: "x", "z[2]".
static void read_list(const jmodel_at* at, const jmodel_node* node, const char* label,
                      jmodel_scalar* list) {
  int i = 0;
  for (const jmodel_node* c = node->first; c; c = c->next, i++) {
    list[i] = jmodel_scalar_at(at, c, jmodel_format(at->r, "%s[%d]", label, i),
                               jmodel_format(at->r, "%s.%s[%d]", at->path, label, i),
                               JMODEL_SCOPE_PARAMETERS);
  }
}

static jmodel_scalar* read_points(const jmodel_at* at, const jmodel_node* map, const char* key,
                                  int* n) {
  const jmodel_node* node = jmodel_need(at, map, key);
  *n = -1;
  if (!node || !jmodel_is(at, node, JMODEL_NODE_LIST, key)) return NULL;
  jmodel_scalar* list = JMODEL_ARRAY(at->r, node->n, jmodel_scalar);
  *n = node->n;
  if (list) read_list(at, node, key, list);
  return list;
}

// z: a row for every x, with a number for every y
static bool read_rows(const jmodel_at* at, const jmodel_node* z, jmodel_table* t) {
  if (!jmodel_is(at, z, JMODEL_NODE_LIST, "z")) return false;
  if (z->n != t->n) {
    jmodel_mistake(at, z->place, "z has %d rows and x %d numbers; z has a row for every x", z->n,
                   t->n);
    return false;
  }
  t->z = JMODEL_ARRAY(at->r, t->n * t->ny, jmodel_scalar);
  int i = 0;
  for (const jmodel_node* row = z->first; row && t->z; row = row->next, i++) {
    const char* label = jmodel_format(at->r, "z[%d]", i);
    if (!jmodel_is(at, row, JMODEL_NODE_LIST, label)) return false;
    if (row->n != t->ny) {
      jmodel_mistake(at, row->place,
                     "%s has %d numbers and y %d; rows of z have a number for every y", label,
                     row->n, t->ny);
      return false;
    }
    read_list(at, row, label, t->z + (size_t)i * (size_t)t->ny);
  }
  return t->z != NULL;
}

#define MAX_GRID 250000  // numbers of a table of two variables

static void read_grid(const jmodel_at* at, const jmodel_node* z, int nx, int ny, jmodel_table* t) {
  t->n = nx < 0 ? 0 : nx;
  t->ny = ny < 0 ? 0 : ny;
  bool fits = t->ny == 0 || t->n <= MAX_GRID / t->ny;
  if (nx == 0 || ny == 0) jmodel_mistake(at, t->place, "the table is empty");
  if (!fits) jmodel_mistake(at, t->place, "the table has more than %d numbers", MAX_GRID);
  if (nx > 0 && ny > 0 && fits && read_rows(at, z, t)) return;
  t->n = t->ny = 0;
}

static void read_numbers(const jmodel_at* at, const jmodel_node* node, jmodel_table* t) {
  int nx, ny;
  t->x = read_points(at, node, "x", &nx);
  t->y = read_points(at, node, "y", &ny);
  const jmodel_node* z = jmodel_node_find(node, "z");
  t->n = nx < ny ? nx : ny;
  if (t->n < 0) t->n = 0;
  if (z) {
    read_grid(at, z, nx, ny, t);
  } else if (nx >= 0 && ny >= 0 && nx != ny) {
    jmodel_mistake(at, t->place, "x has %d numbers and y %d; they must be as many", nx, ny);
  } else if (nx == 0) {
    jmodel_mistake(at, t->place, "the table is empty");
  }
}

static void read_table(const jmodel_at* at, const jmodel_node* node, jmodel_table* t) {
  static const char* const keys[] = {
      "x", "y", "z", "interpolation", "extrapolation", "file", "unit", "description", NULL};
  static const char* const kinds[] = {"linear", "cubic", NULL};
  static const char* const rules[] = {"linear", "hold", NULL};
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return;
  jmodel_check_keys(at, node, keys);
  const jmodel_node* data = jmodel_node_find(node, "file") ? jmodel_table_file(at, node) : node;
  if (data) {
    read_numbers(at, data, t);
  } else {
    t->n = t->ny = 0;
  }
  const jmodel_node* kind = jmodel_node_find(node, "interpolation");
  const jmodel_node* rule = jmodel_node_find(node, "extrapolation");
  bool is_cubic = kind && jmodel_word_at(at, kind, "interpolation", kinds) == 1;
  bool is_held = rule && jmodel_word_at(at, rule, "extrapolation", rules) == 1;
  t->kind = is_cubic ? JEXPR_TABLE_CUBIC : JEXPR_TABLE_LINEAR;
  t->rule = is_held ? JEXPR_EXTRAPOLATE_HOLD : JEXPR_EXTRAPOLATE_LINEAR;
}

void jmodel_read_tables(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_node_find(root, "tables");
  for (int i = 0; i < r->m->ntable && !r->oom; i++) {
    jmodel_table* t = &r->m->table[i];
    jmodel_at at = {r, "table", t->name, jmodel_format(r, "tables.%s", t->name)};
    read_table(&at, jmodel_node_find(section, t->name), t);
  }
}

// ---- states, signals, objectives

static void refuse_rate(const jmodel_at* at, const jmodel_node* c) {
  static const char* const keys[] = {"derivative", "hold"};
  for (int i = 0; i < 2; i++) {
    const jmodel_node* node = jmodel_node_find(c, keys[i]);
    if (!node) continue;
    jmodel_mistake(at, node->key_place, "a discrete state changes at events only, and has no '%s'",
                   keys[i]);
  }
}

static void read_state(const jmodel_at* at, const jmodel_node* c, jmodel_state* s) {
  static const char* const keys[] = {"initial", "derivative", "nominal",     "hold",
                                     "unit",    "discrete",   "description", NULL};
  jmodel_check_keys(at, c, keys);
  const jmodel_node* discrete = jmodel_node_find(c, "discrete");
  s->is_discrete = discrete && jmodel_bool_at(at, discrete, "discrete");
  if (!jmodel_get_scalar(at, c, "initial", JMODEL_SCOPE_ANY, &s->initial)) {
    s->initial = jmodel_default(at->r, s->initial.path, 0.0, c->key_place);
  }
  if (s->is_discrete) {
    refuse_rate(at, c);
    s->derivative = jmodel_constant("0", c->place);
  } else {
    jmodel_need_scalar(at, c, "derivative", JMODEL_SCOPE_ANY, &s->derivative);
  }
  s->nominal = jmodel_get_double(at, c, "nominal", 1.0);
  if (!(s->nominal > 0.0)) {
    jmodel_mistake(at, jmodel_node_find(c, "nominal")->place,
                   "nominal is %g; it must be more than 0", s->nominal);
  }
  const jmodel_node* hold = jmodel_node_find(c, "hold");
  s->is_held = s->is_discrete || (hold && jmodel_bool_at(at, hold, "hold"));
  s->unit = jmodel_get_text(at, c, "unit", "");
}

// Those of elements that could not be read are left out with them.
static void take_own_states(jmodel_reader* r) {
  jmodel* m = r->m;
  jmodel_place_attitudes(r);
  for (int i = r->nown - 1; i >= 0; i--) {
    int owner = r->own[i].element;
    if (owner >= 0 && owner < m->nelement) m->element[owner].first_state = m->nstate + i;
  }
  for (int i = 0; i < r->nown; i++) {
    m->state[m->nstate++] = r->own[i];
  }
}

void jmodel_read_states(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "states");
  r->m->state = JMODEL_ARRAY(r, (section ? section->n : 0) + r->nown, jmodel_state);
  if (!r->m->state) return;
  for (const jmodel_node* c = section ? section->first : NULL; c; c = c->next) {
    jmodel_at at = {r, "state", jmodel_keep(r, c->key), jmodel_format(r, "states.%s", c->key)};
    jmodel_state* s = &r->m->state[r->m->nstate];
    if (!jmodel_name_ok(&at, c) || !jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) continue;
    *s = (jmodel_state){.name = at.name, .place = c->key_place, .element = -1};
    read_state(&at, c, s);
    r->m->nstate++;
  }
  take_own_states(r);
}

static void read_signal(const jmodel_at* at, const jmodel_node* node, jmodel_signal* s) {
  static const char* const keys[] = {"value", "unit", "description", NULL};
  s->unit = s->description = "";
  if (node->kind != JMODEL_NODE_MAP) {
    s->value = jmodel_scalar_at(at, node, "value", at->path, JMODEL_SCOPE_ANY);
    return;
  }
  jmodel_check_keys(at, node, keys);
  s->unit = jmodel_get_text(at, node, "unit", "");
  s->description = jmodel_get_text(at, node, "description", "");
  const jmodel_node* value = jmodel_need(at, node, "value");
  s->value = jmodel_constant("0", node->place);
  if (value) s->value = jmodel_scalar_at(at, value, "value", at->path, JMODEL_SCOPE_ANY);
}

void jmodel_read_signals(jmodel_reader* r, const jmodel_node* root) {
  static const char* const sections[] = {"signals", "sensors"};
  static const char* const kinds[] = {"signal", "sensor"};
  const jmodel_node* section[2];
  int n = 0;
  for (int k = 0; k < 2; k++) {
    section[k] = jmodel_section(r, root, sections[k]);
    if (section[k]) n += section[k]->n;
  }
  r->m->signal = JMODEL_ARRAY(r, n, jmodel_signal);
  for (int k = 0; k < 2; k++) {
    const jmodel_node* c = section[k] ? section[k]->first : NULL;
    for (; c && r->m->signal; c = c->next) {
      jmodel_at at = {r, kinds[k], jmodel_keep(r, c->key),
                      jmodel_format(r, "%s.%s", sections[k], c->key)};
      jmodel_signal* s = &r->m->signal[r->m->nsignal];
      if (!jmodel_name_ok(&at, c)) continue;
      *s = (jmodel_signal){.name = at.name, .is_output = k == 1};
      read_signal(&at, c, s);
      r->m->nsignal++;
    }
  }
  if (!r->oom && !jmodel_index_signals(r->m, &r->m->arena)) jmodel_out_of_memory(r);
}

static void read_window(const jmodel_at* at, const jmodel_node* map, jmodel_objective* o) {
  const jmodel_node* node = jmodel_node_find(map, "window");
  if (!node || !jmodel_is(at, node, JMODEL_NODE_LIST, "window")) return;
  if (node->n != 2) {
    jmodel_mistake(at, node->place, "window needs 2 numbers, got %d", node->n);
    return;
  }
  static const char* const path[] = {"window[0]", "window[1]"};
  o->has_window = true;
  const jmodel_node* c = node->first;
  for (int i = 0; i < 2; i++, c = c->next) {
    o->window[i] = jmodel_scalar_at(
        at, c, path[i], jmodel_format(at->r, "%s.%s", at->path, path[i]), JMODEL_SCOPE_PARAMETERS);
  }
}

static void read_filter(const jmodel_at* at, const jmodel_node* map, jmodel_objective* o) {
  static const char* const filters[] = {"none", "lowpass", "Wk", "Wd", NULL};
  const jmodel_node* node = jmodel_node_find(map, "filter");
  if (!node) return;
  int i = jmodel_word_at(at, node, "filter", filters);
  o->filter = i < 0 ? JMODEL_FILTER_NONE : (jmodel_filter)i;
  if (o->filter != JMODEL_FILTER_LOWPASS) return;
  jmodel_need_scalar(at, map, "frequency", JMODEL_SCOPE_PARAMETERS, &o->frequency);
}

static void read_nominal(const jmodel_at* at, const jmodel_node* map, jmodel_objective* o) {
  const jmodel_node* node = jmodel_node_find(map, "nominal");
  o->nominal = jmodel_get_double(at, map, "nominal", 1.0);
  if (!node) return;
  o->has_nominal = true;
  if (!(o->nominal > 0.0)) {
    jmodel_mistake(at, node->place, "nominal is %g; it must be more than 0", o->nominal);
  }
  if (o->kind == JMODEL_OBJECTIVE_FINAL) {
    jmodel_mistake(at, node->place, "nominal is the size of a signal, and 'final' alone has none");
  }
}

#define X(id, name, ...) name ", "
static const char kind_names[] =
#include "model/objective.def"
    "final";
#undef X

// The kind that is given, and its signal.
static void read_kind(const jmodel_at* at, const jmodel_node* c, jmodel_objective* o) {
  for (int k = JMODEL_OBJECTIVE_FINAL + 1; k < JMODEL_OBJECTIVE_COUNT; k++) {
    const char* name = jmodel_objective_class_of((jmodel_objective_kind)k)->name;
    if (!jmodel_node_find(c, name)) continue;
    if (o->kind != JMODEL_OBJECTIVE_FINAL) {
      jmodel_mistake(at, c->place, "both '%s' and '%s' are given; one is enough",
                     jmodel_objective_class_of(o->kind)->name, name);
    }
    o->kind = (jmodel_objective_kind)k;
    jmodel_need_scalar(at, c, name, JMODEL_SCOPE_ANY, &o->integrand);
  }
}

static void read_power(const jmodel_at* at, const jmodel_node* c, jmodel_objective* o) {
  double given = jmodel_get_double(at, c, "power", 16.0);
  if (!(given >= 2.0 && given <= 200.0)) {
    jmodel_mistake(at, c->place, "power is %g; it must be between 2 and 200", given);
  }
  o->power = jmodel_objective_class_of(o->kind)->power;
  if (o->power == 0.0) o->power = given;
}

static void read_objective(const jmodel_at* at, const jmodel_node* c, jmodel_objective* o) {
  read_kind(at, c, o);
  o->has_final = jmodel_get_scalar(at, c, "final", JMODEL_SCOPE_ANY, &o->final);
  if (o->kind == JMODEL_OBJECTIVE_FINAL && !o->has_final) {
    jmodel_mistake(at, c->place, "needs one of %s", kind_names);
  }
  read_power(at, c, o);
  read_nominal(at, c, o);
  read_window(at, c, o);
  read_filter(at, c, o);
}

void jmodel_read_objectives(jmodel_reader* r, const jmodel_node* root) {
  static const char* const keys[] = {
#define X(id, name, ...) name,
#include "model/objective.def"
#undef X
      "final", "window", "filter", "frequency", "power", "unit", "description", "nominal", NULL};
  const jmodel_node* section = jmodel_section(r, root, "objectives");
  if (!section) return;
  r->m->objective = JMODEL_ARRAY(r, section->n, jmodel_objective);
  for (const jmodel_node* c = section->first; c && r->m->objective; c = c->next) {
    jmodel_at at = {r, "objective", jmodel_keep(r, c->key),
                    jmodel_format(r, "objectives.%s", c->key)};
    jmodel_objective* o = &r->m->objective[r->m->nobjective];
    if (!jmodel_name_ok(&at, c) || !jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) continue;
    *o = (jmodel_objective){.name = at.name, .place = c->key_place, .integral = r->m->nobjective};
    o->integrand = o->final = o->frequency = o->window[0] = o->window[1] =
        jmodel_constant("0", c->place);
    jmodel_check_keys(&at, c, keys);
    read_objective(&at, c, o);
    o->unit = jmodel_get_text(&at, c, "unit", "");
    o->description = jmodel_get_text(&at, c, "description", "");
    r->m->nobjective++;
  }
  r->m->integrated = r->m->objective;
  r->m->nintegrated = r->m->nobjective;
}

// ---- initial conditions

static void read_initial(const jmodel_at* at, const jmodel_node* c, jmodel_initial* q) {
  static const char* const keys[] = {"value", "rate", NULL};
  double number;
  q->quantity = (jmodel_scalar){at->name, -1, at->path, c->key_place};
  q->value = q->rate = jmodel_constant("0", c->place);
  if (jmodel_number_text(c->key, &number)) {
    jmodel_mistake(at, c->key_place, "needs a quantity, as 'chassis.x', not a number");
    return;
  }
  jmodel_try_expression(at, c->key_place, "", at->name, JMODEL_SCOPE_ANY, NULL);
  if (c->kind != JMODEL_NODE_MAP) {
    q->has_value = true;
    q->value = jmodel_scalar_at(at, c, "value", at->path, JMODEL_SCOPE_PARAMETERS);
    return;
  }
  jmodel_check_keys(at, c, keys);
  const jmodel_node* value = jmodel_node_find(c, "value");
  q->has_value = value != NULL;
  if (value) q->value = jmodel_scalar_at(at, value, "value", at->path, JMODEL_SCOPE_PARAMETERS);
  q->has_rate = jmodel_get_scalar(at, c, "rate", JMODEL_SCOPE_PARAMETERS, &q->rate);
  if (!q->has_value && !q->has_rate) {
    jmodel_mistake(at, c->place, "neither 'value' nor 'rate' is given");
  }
}

void jmodel_read_initial(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "initial");
  if (!section) return;
  r->m->initial = JMODEL_ARRAY(r, section->n, jmodel_initial);
  for (const jmodel_node* c = section->first; c && r->m->initial; c = c->next) {
    jmodel_at at = {r, "initial", jmodel_keep(r, c->key), jmodel_format(r, "initial.%s", c->key)};
    jmodel_initial* q = &r->m->initial[r->m->ninitial++];
    read_initial(&at, c, q);
    if (c->is_opposite) {
      q->value = jmodel_negative(r, &q->value);
      q->rate = jmodel_negative(r, &q->rate);
    }
  }
}

// ---- simulation

#define MAX_STEPS  1e7   // minutes of work for a model of a vehicle
#define MAX_MEMORY 1000  // [MB]

static const char* const methods[] = {
#define X(id, number, name, order, steps, kind, by, about) name,
    JO_METHOD_LIST(X) NULL
#undef X
};

static bool needs_step(int method) {
  enum { FIXED = true, ADAPTIVE = false };
  static const bool is_fixed[] = {
#define X(id, number, name, order, steps, kind, by, about) steps,
      JO_METHOD_LIST(X)
#undef X
  };
  return is_fixed[method];
}

static double read_number(const jmodel_at* at, const jmodel_node* map, const char* key,
                          double otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  double value = jmodel_get_double(at, map, key, otherwise);
  const char* rule = node ? jmodel_simulation_rule(key, value) : NULL;
  if (rule) jmodel_mistake(at, node->place, "%s is %g; it must be %s", key, value, rule);
  return rule ? otherwise : value;
}

static void read_method(const jmodel_at* at, const jmodel_node* map, jmodel_simulation* s) {
  const jmodel_node* node = jmodel_node_find(map, "method");
  int word = node ? jmodel_word_at(at, node, "method", methods) : 0, method = word < 0 ? 0 : word;
  s->method = methods[method];
  if (needs_step(method) && !jmodel_node_find(map, "step")) {
    jmodel_mistake(at, node->place, "method %s needs a 'step'", s->method);
  }
}

static void read_limits(const jmodel_at* at, const jmodel_node* map, jmodel_simulation* s) {
  s->max_step = read_number(at, map, "max_step", 0.0);
  s->shortest_pulse = read_number(at, map, "shortest_pulse", 0.0);
  s->derivative_tol = read_number(at, map, "derivative_tol", 0.0);
  s->max_events = (int)read_number(at, map, "max_events", 0.0);
  s->max_steps = read_number(at, map, "max_steps", s->max_steps);
  s->max_memory = read_number(at, map, "max_memory", s->max_memory);
}

void jmodel_read_simulation(jmodel_reader* r, const jmodel_node* root) {
  static const char* const keys[] = {
      "end",      "start",       "method",    "tolerance",      "rel_tol",    "abs_tol",
      "step",     "output_step", "max_step",  "shortest_pulse", "max_events", "derivative_tol",
      "start_at", "description", "max_steps", "max_memory",     "end_when",   NULL};
  static const char* const starts[] = {"initial", "static", NULL};
  const jmodel_node* map = jmodel_section(r, root, "simulation");
  jmodel_simulation* s = &r->m->simulation;
  jmodel_at at = {r, "simulation", NULL, "simulation"};
  *s = (jmodel_simulation){.t_end = 1.0,
                           .method = methods[0],
                           .rel_tol = 1e-8,
                           .abs_tol = 1e-8,
                           .output_step = 0.01,
                           .max_steps = MAX_STEPS,
                           .max_memory = MAX_MEMORY,
                           .place = root->place};
  if (!map) return;
  s->place = map->key_place;
  jmodel_check_keys(&at, map, keys);
  s->t_start = jmodel_get_double(&at, map, "start", 0.0);
  s->t_end = jmodel_get_double(&at, map, "end", s->t_start + 1.0);
  double tolerance = read_number(&at, map, "tolerance", 1e-8);
  s->rel_tol = read_number(&at, map, "rel_tol", tolerance);
  s->abs_tol = read_number(&at, map, "abs_tol", tolerance);
  s->step = read_number(&at, map, "step", 0.0);
  s->output_step = read_number(&at, map, "output_step", 0.01);
  read_limits(&at, map, s);
  if (!(s->t_end > s->t_start)) {
    jmodel_mistake(&at, s->place, "end is %g; it must be after start, %g", s->t_end, s->t_start);
  }
  read_method(&at, map, s);
  s->has_end_when = jmodel_get_scalar(&at, map, "end_when", JMODEL_SCOPE_ANY, &s->end_when);
  const jmodel_node* start_at = jmodel_node_find(map, "start_at");
  s->start_static = start_at && jmodel_word_at(&at, start_at, "start_at", starts) == 1;
}
