// SPDX-License-Identifier: Apache-2.0
// A given pressure: what is large enough that no flow changes it, or a test stand.
#include "element/hydraulic/port.h"

typedef struct source {
  jelement_port port;
  jmodel_scalar pressure;
} source;

static const jmodel_key keys[] = {
    {JMODEL_KEY_NUMBER("pressure")}, {JMODEL_KEY_TEXT("fluid")}, {JMODEL_KEY_DESCRIPTION}, {0}};
static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(source, "pressure", pressure, JMODEL_POSITIVE, "Pa")};

enum { INFLOW = JELEMENT_PRESSURE + 1 };
static const char* const signals[] = {"pressure", "inflow", NULL};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  source* p = e->data;
  jmodel_need_scalar(at, map, "pressure", JMODEL_SCOPE_ANY, &p->pressure);
  return jelement_fluid_read(at, map, e->place, &p->port.fluid);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const source* p = m->data;
  e->signal[JELEMENT_PRESSURE] = jgen_scalar(s, &p->pressure, m->name);
}

static void finish(jgen* s, const jmodel_element* m, jgen_element* e) {
  (void)m;
  e->signal[INFLOW] = jelement_fed(s, e, JELEMENT_INFLOW);
}

const jgen_element_class jelement_pressure = {.model = {.kind = "pressure",
                                                        .section = "pressures",
                                                        .keys = keys,
                                                        .about = "Given pressures",
                                                        .size = sizeof(source),
                                                        .read = read,
                                                        .mirrors = true,
                                                        JELEMENT_FIELDS(fields)},
                                              .signal = signals,
                                              .what = JELEMENT_FLOW_WHAT,
                                              .write = write,
                                              .finish = finish,
                                              .nlast = 1};
