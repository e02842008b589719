// SPDX-License-Identifier: Apache-2.0
// Oil: a liquid with entrained gas, and the laws that orifices and valves share. It is listed as an element
// without equations of its own, so that elements refer to it by its name.
#include "element/hydraulic/oil.h"

#include "element/list.h"

typedef struct oil {
  jmodel_scalar density, viscosity, modulus, gas_content, gas_exponent, ambient, discharge,
      transition, stop_width;
} oil;

static const jmodel_key keys[] = {{JMODEL_KEY_NUMBER("density")},
                                  {JMODEL_KEY_NUMBER("viscosity")},
                                  {JMODEL_KEY_NUMBER("modulus")},
                                  {JMODEL_KEY_NUMBER("gas_content")},
                                  {JMODEL_KEY_NUMBER("gas_exponent")},
                                  {JMODEL_KEY_NUMBER("ambient_pressure")},
                                  {JMODEL_KEY_NUMBER("discharge")},
                                  {JMODEL_KEY_NUMBER("transition_pressure")},
                                  {JMODEL_KEY_NUMBER("stop_width")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(oil, "density", density, JMODEL_POSITIVE, "kg/m^3"),
    JMODEL_FIELD_IN(oil, "viscosity", viscosity, JMODEL_NOT_NEGATIVE, "Pa s"),
    JMODEL_FIELD_IN(oil, "modulus", modulus, JMODEL_POSITIVE, "Pa"),
    JMODEL_FIELD_IN(oil, "gas_content", gas_content, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(oil, "gas_exponent", gas_exponent, JMODEL_ABOVE_ONE, "1"),
    JMODEL_FIELD_IN(oil, "ambient_pressure", ambient, JMODEL_POSITIVE, "Pa"),
    JMODEL_FIELD_IN(oil, "discharge", discharge, JMODEL_POSITIVE, "1"),
    JMODEL_FIELD_IN(oil, "transition_pressure", transition, JMODEL_POSITIVE, "Pa"),
    JMODEL_FIELD_IN(oil, "stop_width", stop_width, JMODEL_POSITIVE, "1"),
};

static const char* const signals[] = {NULL};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  oil* o = e->data;
  const struct {
    const char* key;
    jmodel_scalar* to;
    double otherwise;
  } list[] = {{"density", &o->density, 860.0},         {"viscosity", &o->viscosity, 0.012},
              {"modulus", &o->modulus, 1.6e9},         {"gas_content", &o->gas_content, 0.004},
              {"gas_exponent", &o->gas_exponent, 1.2}, {"ambient_pressure", &o->ambient, 101325.0},
              {"discharge", &o->discharge, 0.7},       {"transition_pressure", &o->transition, 2e4},
              {"stop_width", &o->stop_width, 0.05}};
  for (int i = 0; i < JELEMENT_COUNT(list); i++) {
    if (jmodel_get_scalar(at, map, list[i].key, JMODEL_SCOPE_PARAMETERS, list[i].to)) continue;
    *list[i].to = jmodel_default(at->r, list[i].to->path, list[i].otherwise, e->place);
  }
  return true;
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  (void)s;
  (void)m;
  (void)e;
}

const jgen_element_class jelement_oil = {.model = {.kind = "fluid",
                                                   .section = "fluids",
                                                   .keys = keys,
                                                   .about = "Oils: liquids with entrained gas",
                                                   .size = sizeof(oil),
                                                   .read = read,
                                                   .mirrors = true,
                                                   JELEMENT_FIELDS(fields)},
                                         .signal = signals,
                                         .what = "a property",
                                         .write = write};

// ---- laws ----------------------------------------------------------------------------------------

jelement_oil_values jelement_oil_of(jgen* s, int element) {
  const jmodel_element* e = &s->m->element[element];
  const oil* o = e->data;
  return (jelement_oil_values){.rho0 = jgen_scalar(s, &o->density, e->name),
                               .mu = jgen_scalar(s, &o->viscosity, e->name),
                               .El = jgen_scalar(s, &o->modulus, e->name),
                               .alpha = jgen_scalar(s, &o->gas_content, e->name),
                               .na = jgen_scalar(s, &o->gas_exponent, e->name),
                               .pa = jgen_scalar(s, &o->ambient, e->name),
                               .Cd = jgen_scalar(s, &o->discharge, e->name),
                               .dpl = jgen_scalar(s, &o->transition, e->name),
                               .delta = jgen_scalar(s, &o->stop_width, e->name)};
}

// Volumes of liquid and gas, in parts of that of the liquid at pa:
//   e = exp(-(p - pa)/El)      g = alpha (pa/p)^(1/na)
typedef struct shares {
  jexpr_ref liquid, gas;
} shares;

static shares shares_at(jgen* s, const jelement_oil_values* o, jexpr_ref p) {
  jexpr_graph* g = s->g;
  jexpr_ref way = jexpr_div(g, jexpr_sub(g, o->pa, p), o->El);
  jexpr_ref ratio = jexpr_pow(g, jexpr_div(g, o->pa, p), jexpr_div(g, s->one, o->na));
  return (shares){jexpr_exp(g, way), jexpr_mul(g, o->alpha, ratio)};
}

// (P1)  K = (e + g) / (e/El + g/(na p))
jexpr_ref jelement_oil_modulus(jgen* s, const jelement_oil_values* o, jexpr_ref p) {
  jexpr_graph* g = s->g;
  shares k = shares_at(s, o, p);
  jexpr_ref yields =
      jexpr_add(g, jexpr_div(g, k.liquid, o->El), jexpr_div(g, k.gas, jexpr_mul(g, o->na, p)));
  return jexpr_div(g, jexpr_add(g, k.liquid, k.gas), yields);
}

// (P2)  s = (e + g) / (1 + alpha)
jexpr_ref jelement_oil_specific(jgen* s, const jelement_oil_values* o, jexpr_ref p) {
  jexpr_graph* g = s->g;
  shares k = shares_at(s, o, p);
  return jexpr_div(g, jexpr_add(g, k.liquid, k.gas), jexpr_add(g, s->one, o->alpha));
}

// (P3)  eta = [El (1 - e) + alpha pa ((p/pa)^q - 1)/q] / (1 + alpha)      q = 1 - 1/na
jexpr_ref jelement_oil_enthalpy(jgen* s, const jelement_oil_values* o, jexpr_ref p) {
  jexpr_graph* g = s->g;
  shares k = shares_at(s, o, p);
  jexpr_ref q = jexpr_sub(g, s->one, jexpr_div(g, s->one, o->na));
  // 1 - e = tanh((p - pa)/(2 El)) (1 + e): nothing cancels
  jexpr_ref half = jexpr_div(g, jexpr_sub(g, p, o->pa), jexpr_mul(g, jexpr_const(g, 2.0), o->El));
  jexpr_ref liquid = jexpr_mul(g, jexpr_tanh(g, half), jexpr_add(g, s->one, k.liquid));
  liquid = jexpr_mul(g, o->El, liquid);
  jexpr_ref power = jexpr_pow(g, jexpr_div(g, p, o->pa), q);
  jexpr_ref gas =
      jexpr_div(g, jexpr_mul(g, jexpr_mul(g, o->alpha, o->pa), jexpr_sub(g, power, s->one)), q);
  return jexpr_div(g, jexpr_add(g, liquid, gas), jexpr_add(g, s->one, o->alpha));
}

// (P4)  m = rho0 V / s      U = V (eta/s - p)
jexpr_ref jelement_oil_mass(jgen* s, const jelement_oil_values* o, jexpr_ref p, jexpr_ref V) {
  return jexpr_div(s->g, jexpr_mul(s->g, o->rho0, V), jelement_oil_specific(s, o, p));
}

jexpr_ref jelement_oil_energy(jgen* s, const jelement_oil_values* o, jexpr_ref p, jexpr_ref V) {
  jexpr_graph* g = s->g;
  jexpr_ref eta = jelement_oil_enthalpy(s, o, p), specific = jelement_oil_specific(s, o, p);
  return jexpr_mul(g, V, jexpr_sub(g, jexpr_div(g, eta, specific), p));
}

// (P7)  Q = Cd A sqrt(2/rho0) dp / (dp^2 + dpl^2)^(1/4)
jexpr_ref jelement_orifice_flow(jgen* s, const jelement_oil_values* o, jexpr_ref Cd, jexpr_ref A,
                                jexpr_ref dp) {
  jexpr_graph* g = s->g;
  jexpr_ref speed = jexpr_sqrt(g, jexpr_div(g, jexpr_const(g, 2.0), o->rho0));
  jexpr_ref square = jexpr_add(g, jexpr_mul(g, dp, dp), jexpr_mul(g, o->dpl, o->dpl));
  jexpr_ref root = jexpr_sqrt(g, jexpr_sqrt(g, square));
  return jexpr_mul(g, jexpr_mul(g, jexpr_mul(g, Cd, speed), A), jexpr_div(g, dp, root));
}

// sp(u) = ln(1 + exp(u)) = u/2 + w/2 + ln(1 + exp(-w)) with w = |u|: nothing overflows. The right side is an
// even function of w that is flat at zero, so that w = sqrt(u^2 + e^2) is as good, without a switch: the
// error is e^2/8, less than a rounding.
static jexpr_ref soft_plus(jgen* s, jexpr_ref u) {
  jexpr_graph* g = s->g;
  jexpr_ref w = jexpr_sqrt(g, jexpr_add(g, jexpr_mul(g, u, u), jexpr_const(g, 1e-20)));
  jexpr_ref tail = jexpr_log(g, jexpr_add(g, s->one, jexpr_exp(g, jexpr_neg(g, w))));
  return jexpr_add(g, jexpr_mul(g, jexpr_const(g, 0.5), jexpr_add(g, u, w)), tail);
}

// (P8)  S = delta [sp(z/delta) - sp((z - 1)/delta)]
jexpr_ref jelement_opening(jgen* s, jexpr_ref delta, jexpr_ref z) {
  jexpr_graph* g = s->g;
  jexpr_ref from = soft_plus(s, jexpr_div(g, z, delta));
  jexpr_ref to = soft_plus(s, jexpr_div(g, jexpr_sub(g, z, s->one), delta));
  return jexpr_mul(g, delta, jexpr_sub(g, from, to));
}
