// SPDX-License-Identifier: Apache-2.0
// `simulation:`, the manoeuvre and how it is computed.
#include "jounce/methods.h"
#include "model/read/reader.h"

#define MAX_STEPS  1e7   // minutes of work for a model of a vehicle
#define MAX_MEMORY 1000  // [MB]

static const char* const methods[] = {
#define X(id, number, name, order, steps, kind, by, about) name,
    JO_METHOD_LIST(X) NULL
#undef X
};

static const char* const starts[] = {"initial", "static", NULL};
static const jmodel_key simulation_keys[] = {
    {JMODEL_KEY_NUMBER("end"), .unit = "s"},
    {JMODEL_KEY_NUMBER("start"), .unit = "s"},
    {JMODEL_KEY_WORD("method", methods)},
    {JMODEL_KEY_NUMBER("tolerance")},
    {JMODEL_KEY_NUMBER("rel_tol")},
    {JMODEL_KEY_NUMBER("abs_tol")},
    {JMODEL_KEY_NUMBER("step"), .unit = "s"},
    {JMODEL_KEY_NUMBER("output_step"), .unit = "s"},
    {JMODEL_KEY_NUMBER("max_step"), .unit = "s"},
    {JMODEL_KEY_NUMBER("shortest_pulse"), .unit = "s"},
    {JMODEL_KEY_NUMBER("max_events")},
    {JMODEL_KEY_NUMBER("derivative_tol")},
    {JMODEL_KEY_WORD("start_at", starts)},
    {JMODEL_KEY_DESCRIPTION},
    {JMODEL_KEY_NUMBER("max_steps")},
    {JMODEL_KEY_NUMBER("max_memory")},
    {JMODEL_KEY_NUMBER("end_when"), .about = "The run ends where this condition becomes true"},
    {0}};
const jmodel_key jmodel_section_simulation = {JMODEL_KEY_MAP("simulation", simulation_keys),
                                              .about = "The manoeuvre and how it is computed"};

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
  jmodel_check_keys(&at, map, simulation_keys);
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
