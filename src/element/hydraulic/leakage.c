// SPDX-License-Identifier: Apache-2.0
// Leakage: a flow in proportion to the pressure drop. docs/theory/hydraulics.md eq. (P14).
#include "element/hydraulic/port.h"

typedef struct leakage {
  jelement_flow flow;
  jmodel_scalar conductance;  // [m^3/(s Pa)]
} leakage;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_text, 2, 2)},
                                  {JMODEL_KEY_NUMBER("conductance")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};
static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(leakage, "conductance", conductance, JMODEL_NOT_NEGATIVE, "m^3/(s Pa)")};

// (P14)  Q = G dp
static jexpr_ref law(jgen* s, const jmodel_element* m, jexpr_ref dp, jexpr_ref* area) {
  (void)area;
  const leakage* l = m->data;
  return jexpr_mul(s->g, jgen_scalar(s, &l->conductance, m->name), dp);
}

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  leakage* l = e->data;
  jmodel_need_scalar(at, map, "conductance", JMODEL_SCOPE_ANY, &l->conductance);
  return jelement_flow_read(at, map, e, law, &l->flow);
}

const jgen_element_class jelement_leakage = {
    .model = {.kind = "leakage",
              .section = "leakages",
              .keys = keys,
              .about = "Flows in proportion to the pressure drop",
              .size = sizeof(leakage),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields)},
    .signal = jelement_flow_signals,
    .what = JELEMENT_FLOW_WHAT,
    .write = jelement_flow_write};
