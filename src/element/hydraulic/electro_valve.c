// SPDX-License-Identifier: Apache-2.0
// A valve that a coil moves: its current follows a command with a lag. docs/theory/hydraulics.md eqs. (P10), (P11).
// The area depends on the current by a smooth step or an expression, or an expression gives the flow.
#include "element/hydraulic/port.h"

typedef struct electro_valve {
  jelement_flow flow;
  bool has_law, has_area, has_flow;
  jmodel_scalar command, lag, current;  // [A] [s] [A]
  jmodel_scalar open_area, closed_area, mid_current, current_width;
  jmodel_scalar area, map;
} electro_valve;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_text, 2, 2)},
                                  {JMODEL_KEY_NUMBER("command")},
                                  {JMODEL_KEY_NUMBER("lag")},
                                  {JMODEL_KEY_NUMBER("current")},
                                  {JMODEL_KEY_NUMBER("open_area")},
                                  {JMODEL_KEY_NUMBER("closed_area")},
                                  {JMODEL_KEY_NUMBER("mid_current")},
                                  {JMODEL_KEY_NUMBER("current_width")},
                                  {JMODEL_KEY_NUMBER("area")},
                                  {JMODEL_KEY_NUMBER("flow")},
                                  {JMODEL_KEY_NUMBER("discharge")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(electro_valve, "command", command, JMODEL_FINITE, "A"),
    JMODEL_FIELD_IN(electro_valve, "lag", lag, JMODEL_POSITIVE, "s"),
    JMODEL_GIVEN_IN(electro_valve, "open_area", open_area, JMODEL_NOT_NEGATIVE, has_law, "m^2"),
    JMODEL_GIVEN_IN(electro_valve, "closed_area", closed_area, JMODEL_NOT_NEGATIVE, has_law, "m^2"),
    JMODEL_GIVEN_IN(electro_valve, "mid_current", mid_current, JMODEL_FINITE, has_law, "A"),
    JMODEL_GIVEN_IN(electro_valve, "current_width", current_width, JMODEL_POSITIVE, has_law, "A"),
    JMODEL_GIVEN_IN(electro_valve, "area", area, JMODEL_NOT_NEGATIVE, has_area, "m^2"),
    JELEMENT_DISCHARGE_FIELD(electro_valve),
};

enum { CURRENT = JELEMENT_AREA + 1, RATE };
static const char* const signals[] = {JELEMENT_FLOW_SIGNALS, "area", "current", "rate", NULL};

// ---- law -----------------------------------------------------------------------------------------

// (P10)  A = A0 + (A1 - A0) (1 + tanh((i - im)/iw)) / 2
static jexpr_ref step_area(jgen* s, const jmodel_element* m, jexpr_ref i) {
  const electro_valve* v = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref A0 = jgen_scalar(s, &v->open_area, m->name);
  jexpr_ref A1 = jgen_scalar(s, &v->closed_area, m->name);
  jexpr_ref way = jexpr_sub(g, i, jgen_scalar(s, &v->mid_current, m->name));
  jexpr_ref step = jexpr_tanh(g, jexpr_div(g, way, jgen_scalar(s, &v->current_width, m->name)));
  step = jexpr_mul(g, jexpr_const(g, 0.5), jexpr_add(g, s->one, step));
  return jexpr_add(g, A0, jexpr_mul(g, jexpr_sub(g, A1, A0), step));
}

static jexpr_ref law(jgen* s, const jmodel_element* m, jexpr_ref dp, jexpr_ref* area) {
  const electro_valve* v = m->data;
  jexpr_ref i = jgen_own_state(s, m, 0);
  if (v->has_flow) return jelement_of_drop(s, &v->map, m->name, dp, i);
  *area = v->has_law ? step_area(s, m, i) : jelement_of_drop(s, &v->area, m->name, dp, i);
  return jelement_area_flow(s, m, *area, dp);
}

// ---- reading -------------------------------------------------------------------------------------

// One of the three laws.
static bool read_law(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                     electro_valve* v) {
  static const char* const law[] = {"open_area", "closed_area", "mid_current", "current_width"};
  jmodel_scalar* const to[] = {&v->open_area, &v->closed_area, &v->mid_current, &v->current_width};
  v->has_area = jmodel_get_scalar(at, map, "area", JMODEL_SCOPE_ANY, &v->area);
  v->has_flow = jmodel_get_scalar(at, map, "flow", JMODEL_SCOPE_ANY, &v->map);
  for (int i = 0; i < JELEMENT_COUNT(law); i++) {
    v->has_law = v->has_law || jmodel_node_find(map, law[i]);
  }
  if (v->has_law + v->has_area + v->has_flow != 1) {
    jmodel_mistake(
        at, place,
        "give one law: 'open_area', 'closed_area', 'mid_current' and 'current_width', or "
        "'area', an expression of 'current', or 'flow', one of 'dp' and 'current'");
    return false;
  }
  for (int i = 0; v->has_law && i < JELEMENT_COUNT(law); i++) {
    jmodel_need_scalar(at, map, law[i], JMODEL_SCOPE_ANY, to[i]);
  }
  return true;
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  electro_valve* v = e->data;
  jmodel_need_scalar(at, map, "command", JMODEL_SCOPE_ANY, &v->command);
  jmodel_need_scalar(at, map, "lag", JMODEL_SCOPE_ANY, &v->lag);
  if (!jmodel_get_scalar(at, map, "current", JMODEL_SCOPE_ANY, &v->current))
    v->current = v->command;
  bool is_good = read_law(at, map, e->place, v);
  if (!jelement_flow_read(at, map, e, law, &v->flow) || !is_good) return false;
  jmodel_own_state(at, e, "current", "A", 1.0, jelement_initial(&v->current));
  return true;
}

// ---- equations -----------------------------------------------------------------------------------

// (P11)  di/dt = (icmd - i) / tau
static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const electro_valve* v = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref i = e->signal[CURRENT] = jgen_own_state(s, m, 0);
  jexpr_ref short_of = jexpr_sub(g, jgen_scalar(s, &v->command, m->name), i);
  e->rate[0] = e->signal[RATE] = jexpr_div(g, short_of, jgen_scalar(s, &v->lag, m->name));
  jelement_flow_write(s, m, e);
}

const jgen_element_class jelement_electro_valve = {
    .model = {.kind = "electro-valve",
              .section = "electro_valves",
              .keys = keys,
              .about = "Valves whose area or flow depends on a current",
              .size = sizeof(electro_valve),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields)},
    .signal = signals,
    .what = JELEMENT_FLOW_WHAT,
    .write = write};
