// SPDX-License-Identifier: Apache-2.0
// A valve whose area or flow over the pressure drop is a table: measured shim stacks.
#include "element/hydraulic/port.h"
#include "element/law.h"

typedef struct table_valve {
  jelement_flow flow;
  int area_table, flow_table;  // -1: none
} table_valve;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_text, 2, 2)},
                                  {JMODEL_KEY_AS("area", jmodel_form_table)},
                                  {JMODEL_KEY_AS("flow", jmodel_form_table)},
                                  {JMODEL_KEY_NUMBER("discharge")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};
static const jmodel_field fields[] = {JELEMENT_DISCHARGE_FIELD(table_valve)};

static jexpr_ref law(jgen* s, const jmodel_element* m, jexpr_ref dp, jexpr_ref* area) {
  const table_valve* v = m->data;
  if (v->area_table < 0) return jgen_table_at(s, v->flow_table, dp);
  *area = jgen_table_at(s, v->area_table, dp);
  return jelement_area_flow(s, m, *area, dp);
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  table_valve* v = e->data;
  bool has_area = jmodel_node_find(map, "area"), has_flow = jmodel_node_find(map, "flow");
  v->area_table = jelement_table_read(at, map, "area");
  v->flow_table = jelement_table_read(at, map, "flow");
  if (has_area == has_flow) {
    jmodel_mistake(at, e->place, "it needs 'area' or 'flow', a table over the pressure drop%s",
                   has_area ? ", not both" : "");
  }
  return jelement_flow_read(at, map, e, law, &v->flow) &&
         (v->area_table >= 0) != (v->flow_table >= 0);
}

const jgen_element_class jelement_table_valve = {
    .model = {.kind = "valve",
              .section = "table_valves",
              .keys = keys,
              .about = "Valves whose area or flow is a table over the pressure drop",
              .size = sizeof(table_valve),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields)},
    .signal = jelement_area_signals,
    .what = JELEMENT_FLOW_WHAT,
    .write = jelement_flow_write};
