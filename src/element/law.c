// SPDX-License-Identifier: Apache-2.0
// Springs, dampers, stops and expressions: what elements on lines and coordinates share.
#include "element/law.h"

const char* const jelement_law_signals[] = {"length", "angle", "rate", "force", "power", NULL};
const char* const jelement_law_component[] = {"force"};

// ---- reading -------------------------------------------------------------------------------------

#define STOP_KEYS(place)                                                             \
  {                                                                                  \
    {JMODEL_KEY_NUMBER(place)}, {JMODEL_KEY_NUMBER("stiffness"), .is_needed = true}, \
        {JMODEL_KEY_NUMBER("exponent")}, {                                           \
      0                                                                              \
    }                                                                                \
  }
const jmodel_key jelement_stop_keys[] = STOP_KEYS("length");
const jmodel_key jelement_stop_at_keys[] = STOP_KEYS("at");

// {length: 0.6, stiffness: 1e5}, or {at: ...} on a coordinate
static void read_stop(const jmodel_at* at, const jmodel_node* map, const char* key, bool is_line,
                      jelement_stop* stop) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, key)) return;
  jmodel_scope any = JMODEL_SCOPE_ANY;
  jmodel_at inner = *at;
  inner.path = jmodel_format(at->r, "%s.%s", at->path, key);
  jmodel_check_keys(at, node, is_line ? jelement_stop_keys : jelement_stop_at_keys);
  jmodel_need_scalar(&inner, node, is_line ? "length" : "at", any, &stop->place);
  jmodel_need_scalar(&inner, node, "stiffness", any, &stop->stiffness);
  stop->has_exponent = jmodel_get_scalar(&inner, node, "exponent", any, &stop->exponent);
  stop->is_given = true;
}

int jelement_table_read(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  return node ? jmodel_table_at(at, node, key) : -1;
}

static bool says_nothing(const jelement_law* law, const jmodel_node* map) {
  bool has_table = jmodel_node_find(map, "spring") || jmodel_node_find(map, "damper");
  return !law->has_stiffness && !law->has_damping && !law->has_preload && !law->has_force &&
         !law->has_torque && !has_table && !law->bump.is_given && !law->rebound.is_given;
}

void jelement_law_read(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                       bool is_line, jelement_law* law) {
  static const char* const own[] = {"length", "angle", "rate", NULL};
  const char* free_key = is_line ? "free_length" : "free";
  jmodel_scope any = JMODEL_SCOPE_ANY;
  law->has_stiffness = jmodel_get_scalar(at, map, "stiffness", any, &law->stiffness);
  law->has_damping = jmodel_get_scalar(at, map, "damping", any, &law->damping);
  law->has_free = jmodel_get_scalar(at, map, free_key, any, &law->free);
  law->has_preload = jmodel_get_scalar(at, map, "preload", any, &law->preload);
  at->r->own_names = own;
  law->has_force = jmodel_get_scalar(at, map, "force", any, &law->force);
  law->has_torque = jmodel_get_scalar(at, map, "torque", any, &law->torque);
  at->r->own_names = NULL;
  law->spring_table = jelement_table_read(at, map, "spring");
  law->damper_table = jelement_table_read(at, map, "damper");
  read_stop(at, map, "bump_stop", is_line, &law->bump);
  read_stop(at, map, "rebound_stop", is_line, &law->rebound);
  if (is_line && law->has_stiffness && !law->has_free) {
    jmodel_mistake(at, place, "'free_length' is missing; a stiffness needs it");
  }
  if (law->has_free && !law->has_stiffness) {
    jmodel_mistake(at, law->free.place, "'%s' has no effect without 'stiffness'", free_key);
  }
  if (says_nothing(law, map)) {
    jmodel_mistake(at, place, "it says no law; give 'stiffness', 'damping' or 'force'");
  }
}

// ---- equations -----------------------------------------------------------------------------------

// zero while there is no contact
static jexpr_ref stop_force(jgen* s, const jelement_stop* stop, const char* name, jexpr_ref depth) {
  jexpr_graph* g = s->g;
  depth = jexpr_max(g, depth, s->zero);
  if (stop->has_exponent) {
    jexpr_ref power = jexpr_exp(g, jexpr_mul(g, jgen_scalar(s, &stop->exponent, name), depth));
    depth = jexpr_sub(g, power, s->one);
  }
  return jexpr_mul(g, jgen_scalar(s, &stop->stiffness, name), depth);
}

jexpr_ref jelement_law_expression(jgen* s, const jmodel_scalar* text, const char* name, jexpr_ref x,
                                  jexpr_ref xd) {
  jgen_push_local(s, "length", x);
  jgen_push_local(s, "angle", x);
  jgen_push_local(s, "rate", xd);
  jexpr_ref value = jgen_scalar(s, text, name);
  jgen_pop_local(s, 3);
  return value;
}

jexpr_ref jelement_law_value(jgen* s, const jelement_law* law, const char* name, jexpr_ref x,
                             jexpr_ref xd) {
  jexpr_graph* g = s->g;
  jexpr_ref T = s->zero;
  if (law->has_stiffness) {
    jexpr_ref stretch = law->has_free ? jexpr_sub(g, x, jgen_scalar(s, &law->free, name)) : x;
    T = jexpr_mul(g, jgen_scalar(s, &law->stiffness, name), stretch);
  }
  if (law->has_damping) {
    T = jexpr_add(g, T, jexpr_mul(g, jgen_scalar(s, &law->damping, name), xd));
  }
  if (law->has_preload) T = jexpr_add(g, T, jgen_scalar(s, &law->preload, name));
  if (law->spring_table >= 0) T = jexpr_add(g, T, jgen_table_at(s, law->spring_table, x));
  if (law->damper_table >= 0) T = jexpr_add(g, T, jgen_table_at(s, law->damper_table, xd));
  if (law->bump.is_given) {
    jexpr_ref in = jexpr_sub(g, jgen_scalar(s, &law->bump.place, name), x);
    T = jexpr_sub(g, T, stop_force(s, &law->bump, name, in));
  }
  if (law->rebound.is_given) {
    jexpr_ref out = jexpr_sub(g, x, jgen_scalar(s, &law->rebound.place, name));
    T = jexpr_add(g, T, stop_force(s, &law->rebound, name, out));
  }
  if (law->has_force) {
    T = jexpr_add(g, T, jelement_law_expression(s, &law->force, name, x, xd));
  }
  return T;
}

const char* jelement_unit_on(const jmodel* m, int coordinate) {
  return m->coordinate[coordinate].is_angle ? "N m" : "N";
}
