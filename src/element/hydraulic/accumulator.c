// SPDX-License-Identifier: Apache-2.0
// An accumulator or reservoir: oil and gas at one pressure share a space, which a cylinder may move.
// docs/theory/hydraulics.md eqs. (P4), (P6).
#include "element/hydraulic/port.h"

typedef struct accumulator {
  jelement_port port;
  bool has_rate;
  jmodel_scalar gas_volume, volume;  // adjacent: the gas must be less than all
  jmodel_scalar rate, gas_pressure, exponent, pressure;
} accumulator;

static const jmodel_key keys[] = {
    {JMODEL_KEY_NUMBER("volume")},     {JMODEL_KEY_NUMBER("rate")},
    {JMODEL_KEY_NUMBER("gas_volume")}, {JMODEL_KEY_NUMBER("gas_pressure")},
    {JMODEL_KEY_NUMBER("exponent")},   {JMODEL_KEY_NUMBER("pressure")},
    {JMODEL_KEY_BOOL("hold")},         {JMODEL_KEY_TEXT("fluid")},
    {JMODEL_KEY_DESCRIPTION},          {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(accumulator, "gas_volume", gas_volume, JMODEL_POSITIVE, "m^3"),
    JMODEL_LESS(accumulator, "gas_volume and volume", gas_volume),
    JMODEL_FIELD_IN(accumulator, "gas_pressure", gas_pressure, JMODEL_POSITIVE, "Pa"),
    JMODEL_FIELD_IN(accumulator, "exponent", exponent, JMODEL_ABOVE_ONE, "1"),
    JMODEL_FIELD_IN(accumulator, "pressure", pressure, JMODEL_POSITIVE, "Pa"),
    JMODEL_GIVEN_IN(accumulator, "rate", rate, JMODEL_FINITE, has_rate, "m^3/s"),
};

enum { GAS = JELEMENT_PRESSURE + 1, GAS_ENERGY, OIL, VOLUME, RATE, INFLOW, MASS, ENERGY };
static const char* const signals[] = {"pressure", "gas_volume", "gas_energy", "oil_volume",
                                      "volume",   "rate",       "inflow",     "mass",
                                      "energy",   NULL};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  accumulator* a = e->data;
  jmodel_scope any = JMODEL_SCOPE_ANY;
  jmodel_need_scalar(at, map, "volume", any, &a->volume);
  jmodel_need_scalar(at, map, "gas_volume", any, &a->gas_volume);
  jmodel_need_scalar(at, map, "gas_pressure", any, &a->gas_pressure);
  jelement_scalar_or(at, map, "exponent", 1.3, e->place, &a->exponent);
  if (!jmodel_get_scalar(at, map, "pressure", any, &a->pressure)) a->pressure = a->gas_pressure;
  a->has_rate = jmodel_get_scalar(at, map, "rate", any, &a->rate);
  if (!jelement_fluid_read(at, map, e->place, &a->port.fluid)) return false;
  jelement_pressure_state(at, map, e, &a->pressure);
  return true;
}

// (P6)  Vg = Vg0 (pg0/p)^(1/kap)      U = p Vg / (kap - 1)
static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const accumulator* a = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref p = e->signal[JELEMENT_PRESSURE] = jgen_own_state(s, m, 0);
  jexpr_ref ratio = jexpr_div(g, jgen_scalar(s, &a->gas_pressure, m->name), p);
  jexpr_ref kap = jgen_scalar(s, &a->exponent, m->name);
  jexpr_ref power = jexpr_pow(g, ratio, jexpr_div(g, s->one, kap));
  jexpr_ref Vg = jexpr_mul(g, jgen_scalar(s, &a->gas_volume, m->name), power);
  e->signal[GAS] = Vg;
  e->signal[GAS_ENERGY] = jexpr_div(g, jexpr_mul(g, p, Vg), jexpr_sub(g, kap, s->one));
}

// (P6)  dp/dt = (s sum Q - dVtot/dt) / (Vo/K + Vg/(kap p))      Vo = Vtot - Vg
static void finish(jgen* s, const jmodel_element* m, jgen_element* e) {
  const accumulator* a = m->data;
  jexpr_graph* g = s->g;
  jelement_oil_values oil = jelement_oil_of(s, a->port.fluid);
  jexpr_ref p = e->signal[JELEMENT_PRESSURE], Q = jelement_fed(s, e, JELEMENT_INFLOW);
  jexpr_ref V =
      jexpr_add(g, jgen_scalar(s, &a->volume, m->name), jelement_fed(s, e, JELEMENT_VOLUME));
  jexpr_ref Vd = jelement_fed(s, e, JELEMENT_VOLUME_RATE);
  if (a->has_rate) Vd = jexpr_add(g, Vd, jgen_scalar(s, &a->rate, m->name));
  jexpr_ref Vo = jexpr_mark(g, jexpr_sub(g, V, e->signal[GAS]), "%s: oil volume", m->name);
  jexpr_ref kap_p = jexpr_mul(g, jgen_scalar(s, &a->exponent, m->name), p);
  jexpr_ref yields =
      jexpr_add(g, jexpr_div(g, jelement_room(s, Vo), jelement_oil_modulus(s, &oil, p)),
                jexpr_div(g, e->signal[GAS], kap_p));
  jexpr_ref grows = jexpr_sub(g, jexpr_mul(g, jelement_oil_specific(s, &oil, p), Q), Vd);
  e->rate[0] = e->signal[RATE] = jexpr_div(g, grows, yields);
  e->signal[OIL] = Vo;
  e->signal[VOLUME] = V;
  e->signal[INFLOW] = Q;
  e->signal[MASS] = jelement_oil_mass(s, &oil, p, Vo);
  e->signal[ENERGY] = jelement_oil_energy(s, &oil, p, Vo);
}

const jgen_element_class jelement_accumulator = {.model = {.kind = "accumulator",
                                                           .section = "accumulators",
                                                           .keys = keys,
                                                           .about = "Oil and gas at one pressure",
                                                           .size = sizeof(accumulator),
                                                           .read = read,
                                                           .mirrors = true,
                                                           JELEMENT_FIELDS(fields)},
                                                 .signal = signals,
                                                 .what = JELEMENT_FLOW_WHAT,
                                                 .write = write,
                                                 .finish = finish,
                                                 .nlast = 6};
