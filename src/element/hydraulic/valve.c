// SPDX-License-Identifier: Apache-2.0
// A valve without mass between two stops, preloaded by a spring: check valves, shim stacks, blow-offs. It opens
// when the pressure of the first volume exceeds that of the second. docs/theory/hydraulics.md eq. (P8).
#include "element/hydraulic/port.h"

typedef struct valve {
  jelement_flow flow;
  jmodel_scalar area;
  jmodel_scalar opens, full;  // adjacent: pressure drops at the two stops [Pa]
  bool has_width;
  jmodel_scalar width;
} valve;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_text, 2, 2)},
                                  {JMODEL_KEY_NUMBER("area")},
                                  {JMODEL_KEY_NUMBER("opens_at")},
                                  {JMODEL_KEY_NUMBER("full_at")},
                                  {JMODEL_KEY_NUMBER("stop_width")},
                                  {JMODEL_KEY_NUMBER("discharge")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(valve, "area", area, JMODEL_NOT_NEGATIVE, "m^2"),
    JMODEL_LESS_IN(valve, "opens_at and full_at", opens, "Pa"),
    JMODEL_GIVEN_IN(valve, "stop_width", width, JMODEL_POSITIVE, has_width, "1"),
    JELEMENT_DISCHARGE_FIELD(valve),
};

// (P8)  A S(z)      z = (dp - po) / (pf - po)
static jexpr_ref law(jgen* s, const jmodel_element* m, jexpr_ref dp, jexpr_ref* area) {
  const valve* v = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref po = jgen_scalar(s, &v->opens, m->name);
  jexpr_ref way = jexpr_sub(g, jgen_scalar(s, &v->full, m->name), po);
  jexpr_ref delta =
      v->has_width ? jgen_scalar(s, &v->width, m->name) : jelement_oil_at(s, v->flow.port[0]).delta;
  jexpr_ref S = jelement_opening(s, delta, jexpr_div(g, jexpr_sub(g, dp, po), way));
  *area = jexpr_mul(g, jgen_scalar(s, &v->area, m->name), S);
  return jelement_area_flow(s, m, *area, dp);
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  valve* v = e->data;
  jmodel_need_scalar(at, map, "area", JMODEL_SCOPE_ANY, &v->area);
  jmodel_need_scalar(at, map, "opens_at", JMODEL_SCOPE_ANY, &v->opens);
  jmodel_need_scalar(at, map, "full_at", JMODEL_SCOPE_ANY, &v->full);
  v->has_width = jmodel_get_scalar(at, map, "stop_width", JMODEL_SCOPE_ANY, &v->width);
  return jelement_flow_read(at, map, e, law, &v->flow);
}

const jgen_element_class jelement_valve = {
    .model = {.kind = "valve",
              .section = "valves",
              .keys = keys,
              .about =
                  "Check valves, shim stacks and blow-offs, which open towards their second volume",
              .size = sizeof(valve),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields)},
    .signal = jelement_area_signals,
    .what = JELEMENT_FLOW_WHAT,
    .write = jelement_flow_write};
