// SPDX-License-Identifier: Apache-2.0
// An orifice, laminar at small and turbulent at large pressure drops. docs/theory/hydraulics.md eq. (P7).
#include "element/hydraulic/port.h"

typedef struct orifice {
  jelement_flow flow;
  jmodel_scalar area;  // may be an expression of dp
} orifice;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_text, 2, 2)},
                                  {JMODEL_KEY_NUMBER("area")},
                                  {JMODEL_KEY_NUMBER("discharge")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};
static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(orifice, "area", area, JMODEL_NOT_NEGATIVE, "m^2"),
    JELEMENT_DISCHARGE_FIELD(orifice)};

static jexpr_ref law(jgen* s, const jmodel_element* m, jexpr_ref dp, jexpr_ref* area) {
  const orifice* o = m->data;
  *area = jelement_of_drop(s, &o->area, m->name, dp, JEXPR_POISON);
  return jelement_area_flow(s, m, *area, dp);
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  orifice* o = e->data;
  jmodel_need_scalar(at, map, "area", JMODEL_SCOPE_ANY, &o->area);
  return jelement_flow_read(at, map, e, law, &o->flow);
}

const jgen_element_class jelement_orifice = {.model = {.kind = "orifice",
                                                       .section = "orifices",
                                                       .keys = keys,
                                                       .about = "Orifices between two volumes",
                                                       .size = sizeof(orifice),
                                                       .read = read,
                                                       .mirrors = true,
                                                       JELEMENT_FIELDS(fields)},
                                             .signal = jelement_area_signals,
                                             .what = JELEMENT_FLOW_WHAT,
                                             .write = jelement_flow_write};
