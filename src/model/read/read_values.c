// SPDX-License-Identifier: Apache-2.0
// What is not mechanics: name, gravity, road, parameters, tables, states, signals, sensors,
// objectives, initial conditions.
#include <string.h>

#include "model/element.h"
#include "model/read/reader.h"

// Of the file itself; sections come behind them.
static const char* const versions[] = {"1", NULL};
static const jmodel_key head_keys[] = {
    {JMODEL_KEY_WORD("jounce", versions), .is_needed = true, .about = "Format version"},
    {JMODEL_KEY_TEXT("name")},
    {JMODEL_KEY_DESCRIPTION},
    {.name = "include",
     .is = JMODEL_A_TEXT | JMODEL_A_LIST,
     .item = &jmodel_form_text,
     .about = "Files this one builds on, relative to it; this file overrides them"},
    {0}};
const jmodel_key jmodel_file = {.name = "Jounce model",
                                .is = JMODEL_A_MAP | JMODEL_ALL_SECTIONS,
                                .keys = head_keys,
                                .about =
                                    "docs/format.md is the reference. Names, references and what "
                                    "only the whole model shows are checked by `jounce check`."};
const jmodel_key jmodel_section_gravity = {JMODEL_KEY_AS("gravity", jmodel_form_vector),
                                           .unit = "m/s^2"};

static void check_root_keys(const jmodel_at* at, const jmodel_node* root) {
  int n = 0, nsection = 0, nclass = 0;
  while (head_keys[n].name) {
    n++;
  }
  while (jmodel_section_at(nsection)) {
    nsection++;
  }
  while (jmodel_class_at(nclass)) {
    nclass++;
  }
  const char** keys = JMODEL_ARRAY(at->r, n + nsection + nclass + 1, const char*);
  if (!keys) return;
  for (int i = 0; i < n; i++) {
    keys[i] = head_keys[i].name;
  }
  for (int i = 0; i < nsection; i++) {
    keys[n++] = jmodel_section_at(i)->key->name;
  }
  for (int i = 0; i < nclass; i++) {
    keys[n++] = jmodel_class_at(i)->section;
  }
  jmodel_check_names(at, root, keys);
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

const jmodel_key jmodel_section_parameters = {JMODEL_KEY_SECTION("parameters", jmodel_form_value),
                                              .about = "Named numbers, usable in any expression"};

static const jmodel_key input_keys[] = {
    {.name = "value", .is = JMODEL_A_LITERAL, .is_needed = true},
    {JMODEL_KEY_UNIT},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key input_form = {.is = JMODEL_A_LITERAL | JMODEL_A_MAP, .keys = input_keys};
const jmodel_key jmodel_section_inputs = {JMODEL_KEY_SECTION("inputs", input_form),
                                          .about = "Numbers that programs change during a run"};

static void read_parameter(const jmodel_at* at, const jmodel_node* node, jmodel_parameter* p) {
  p->unit = p->shown = p->description = "";
  if (node->kind != JMODEL_NODE_MAP) {
    p->value = jmodel_scalar_at(at, node, "value", p->name, JMODEL_SCOPE_PARAMETERS);
    jmodel_parameter_unit(at, p, node->place);
    return;
  }
  jmodel_check_keys(at, node, p->is_input ? input_keys : jmodel_value_keys);
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

#define COLUMN "; of a file the name of its column"

static const char* const interpolations[] = {"linear", "cubic", NULL};
static const char* const extrapolations[] = {"linear", "hold", NULL};
static const jmodel_key row_form = {JMODEL_KEY_LIST("row", jmodel_form_number, 1, 0)};
static const jmodel_key table_keys[] = {
    {.name = "x",
     .is = JMODEL_A_LIST | JMODEL_A_TEXT,
     .item = &jmodel_form_number,
     .least = 1,
     .about = "Rising numbers" COLUMN},
    {.name = "y",
     .is = JMODEL_A_LIST | JMODEL_A_TEXT,
     .item = &jmodel_form_number,
     .least = 1,
     .about = "Values at x; of two variables the second" COLUMN},
    {.name = "z",
     .is = JMODEL_A_LIST | JMODEL_A_TEXT,
     .item = &row_form,
     .least = 1,
     .about = "Of two variables: a row for every x, with a number for every y" COLUMN},
    {JMODEL_KEY_WORD("interpolation", interpolations)},
    {JMODEL_KEY_WORD("extrapolation", extrapolations)},
    {JMODEL_KEY_TEXT("file"), .about = "Comma-separated values, whose columns x, y and z name"},
    {JMODEL_KEY_UNIT},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key table_form = {.is = JMODEL_A_MAP, .keys = table_keys};
const jmodel_key jmodel_section_tables = {
    JMODEL_KEY_SECTION("tables", table_form),
    .about = "Interpolation tables, called as functions in expressions"};

static void read_table(const jmodel_at* at, const jmodel_node* node, jmodel_table* t) {
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return;
  jmodel_check_keys(at, node, table_keys);
  const jmodel_node* data = jmodel_node_find(node, "file") ? jmodel_table_file(at, node) : node;
  if (data) {
    read_numbers(at, data, t);
  } else {
    t->n = t->ny = 0;
  }
  const jmodel_node* kind = jmodel_node_find(node, "interpolation");
  const jmodel_node* rule = jmodel_node_find(node, "extrapolation");
  bool is_cubic = kind && jmodel_word_at(at, kind, "interpolation", interpolations) == 1;
  bool is_held = rule && jmodel_word_at(at, rule, "extrapolation", extrapolations) == 1;
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

static const jmodel_key state_keys[] = {
    {JMODEL_KEY_NUMBER("initial")},
    {JMODEL_KEY_NUMBER("derivative")},
    {JMODEL_KEY_NUMBER("nominal")},
    {JMODEL_KEY_BOOL("hold")},
    {JMODEL_KEY_UNIT},
    {JMODEL_KEY_BOOL("discrete"), .about = "Changes at events and samples only"},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key state_form = {.is = JMODEL_A_MAP, .keys = state_keys};
const jmodel_key jmodel_section_states = {JMODEL_KEY_SECTION("states", state_form),
                                          .about = "Additional states with derivatives"};

static void read_state(const jmodel_at* at, const jmodel_node* c, jmodel_state* s) {
  jmodel_check_keys(at, c, state_keys);
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

const jmodel_key jmodel_section_signals = {JMODEL_KEY_SECTION("signals", jmodel_form_value),
                                           .about = "Named expressions"};
const jmodel_key jmodel_section_sensors = {JMODEL_KEY_SECTION("sensors", jmodel_form_value),
                                           .about = "Named expressions, written to the results"};

static void read_signal(const jmodel_at* at, const jmodel_node* node, jmodel_signal* s) {
  s->unit = s->description = "";
  if (node->kind != JMODEL_NODE_MAP) {
    s->value = jmodel_scalar_at(at, node, "value", at->path, JMODEL_SCOPE_ANY);
    return;
  }
  jmodel_check_keys(at, node, jmodel_value_keys);
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

static const char* const filters[] = {"none", "lowpass", "Wk", "Wd", NULL};
static const jmodel_key objective_keys[] = {
#define X(id, name, ...) {JMODEL_KEY_NUMBER(name)},
#include "model/objective.def"
#undef X
    {JMODEL_KEY_NUMBER("final")},
    {JMODEL_KEY_LIST("window", jmodel_form_number, 2, 2), .unit = "s"},
    {JMODEL_KEY_WORD("filter", filters)},
    {JMODEL_KEY_NUMBER("frequency"), .unit = "Hz"},
    {JMODEL_KEY_NUMBER("power")},
    {JMODEL_KEY_UNIT},
    {JMODEL_KEY_DESCRIPTION},
    {JMODEL_KEY_NUMBER("nominal")},
    {0}};
static const jmodel_key objective_form = {.is = JMODEL_A_MAP, .keys = objective_keys};
const jmodel_key jmodel_section_objectives = {JMODEL_KEY_SECTION("objectives", objective_form),
                                              .about = "Numbers of the whole manoeuvre"};

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
    jmodel_check_keys(&at, c, objective_keys);
    read_objective(&at, c, o);
    o->unit = jmodel_get_text(&at, c, "unit", "");
    o->description = jmodel_get_text(&at, c, "description", "");
    r->m->nobjective++;
  }
  r->m->integrated = r->m->objective;
  r->m->nintegrated = r->m->nobjective;
}

// ---- initial conditions

static const jmodel_key initial_keys[] = {
    {JMODEL_KEY_NUMBER("value")}, {JMODEL_KEY_NUMBER("rate")}, {0}};
static const jmodel_key initial_form = {.is = JMODEL_A_NUMBER | JMODEL_A_MAP, .keys = initial_keys};
const jmodel_key jmodel_section_initial = {.name = "initial",
                                           .is = JMODEL_BY_TEXT | JMODEL_A_NULL,
                                           .item = &initial_form,
                                           .about = "Initial conditions on any quantity"};

static void read_initial(const jmodel_at* at, const jmodel_node* c, jmodel_initial* q) {
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
  jmodel_check_keys(at, c, initial_keys);
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
