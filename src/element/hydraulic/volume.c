// SPDX-License-Identifier: Apache-2.0
// A volume of oil that is compressed. docs/theory/hydraulics.md eqs. (P4), (P5). Its walls stand still, move as a
// cylinder says, or as the file says.
#include "element/hydraulic/port.h"

typedef struct volume {
  jelement_port port;
  bool has_rate;
  jmodel_scalar volume, rate, pressure;
} volume;

static const jmodel_key keys[] = {{JMODEL_KEY_NUMBER("volume")},
                                  {JMODEL_KEY_NUMBER("rate")},
                                  {JMODEL_KEY_NUMBER("pressure")},
                                  {JMODEL_KEY_BOOL("hold")},
                                  {JMODEL_KEY_TEXT("fluid")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(volume, "volume", volume, JMODEL_POSITIVE, "m^3"),
    JMODEL_FIELD_IN(volume, "pressure", pressure, JMODEL_POSITIVE, "Pa"),
    JMODEL_GIVEN_IN(volume, "rate", rate, JMODEL_FINITE, has_rate, "m^3/s"),
};

enum { MODULUS = JELEMENT_PRESSURE + 1, VOLUME, RATE, INFLOW, MASS, ENERGY };
static const char* const signals[] = {"pressure", "modulus", "volume", "rate",
                                      "inflow",   "mass",    "energy", NULL};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  volume* v = e->data;
  jmodel_need_scalar(at, map, "volume", JMODEL_SCOPE_ANY, &v->volume);
  jmodel_need_scalar(at, map, "pressure", JMODEL_SCOPE_ANY, &v->pressure);
  v->has_rate = jmodel_get_scalar(at, map, "rate", JMODEL_SCOPE_ANY, &v->rate);
  if (!jelement_fluid_read(at, map, e->place, &v->port.fluid)) return false;
  jelement_pressure_state(at, map, e, &v->pressure);
  return true;
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const volume* v = m->data;
  jelement_oil_values oil = jelement_oil_of(s, v->port.fluid);
  e->signal[JELEMENT_PRESSURE] = jgen_own_state(s, m, 0);
  e->signal[MODULUS] = jelement_oil_modulus(s, &oil, e->signal[JELEMENT_PRESSURE]);
}

// (P5)  dp/dt = K/V (s sum Q - dV/dt)
static void finish(jgen* s, const jmodel_element* m, jgen_element* e) {
  const volume* v = m->data;
  jexpr_graph* g = s->g;
  jelement_oil_values oil = jelement_oil_of(s, v->port.fluid);
  jexpr_ref p = e->signal[JELEMENT_PRESSURE], Q = jelement_fed(s, e, JELEMENT_INFLOW);
  jexpr_ref V =
      jexpr_add(g, jgen_scalar(s, &v->volume, m->name), jelement_fed(s, e, JELEMENT_VOLUME));
  jexpr_ref Vd = jelement_fed(s, e, JELEMENT_VOLUME_RATE);
  if (v->has_rate) Vd = jexpr_add(g, Vd, jgen_scalar(s, &v->rate, m->name));
  V = jexpr_mark(g, V, "%s: volume", m->name);
  jexpr_ref grows = jexpr_sub(g, jexpr_mul(g, jelement_oil_specific(s, &oil, p), Q), Vd);
  e->rate[0] = e->signal[RATE] =
      jexpr_mul(g, jexpr_div(g, e->signal[MODULUS], jelement_room(s, V)), grows);
  e->signal[VOLUME] = V;
  e->signal[INFLOW] = Q;
  e->signal[MASS] = jelement_oil_mass(s, &oil, p, V);
  e->signal[ENERGY] = jelement_oil_energy(s, &oil, p, V);
}

const jgen_element_class jelement_volume = {.model = {.kind = "volume",
                                                      .section = "volumes",
                                                      .keys = keys,
                                                      .about = "Volumes of oil that are compressed",
                                                      .size = sizeof(volume),
                                                      .read = read,
                                                      .mirrors = true,
                                                      JELEMENT_FIELDS(fields)},
                                            .signal = signals,
                                            .what = JELEMENT_FLOW_WHAT,
                                            .write = write,
                                            .finish = finish,
                                            .nlast = 5};
