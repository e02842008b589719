// SPDX-License-Identifier: Apache-2.0
// Oil: what fluids are made of, and the laws of the oil that elements share. docs/theory/hydraulics.md.
#ifndef JELEMENT_OIL_H
#define JELEMENT_OIL_H

#include "gen/force/element.h"

// Numbers of an oil in the equations.
typedef struct jelement_oil_values {
  jexpr_ref rho0, mu, El;   // at pa: density [kg/m^3], viscosity [Pa s], modulus of the liquid [Pa]
  jexpr_ref alpha, na, pa;  // gas per liquid at pa [-], its exponent [-], ambient pressure [Pa]
  jexpr_ref Cd, dpl, delta;  // of orifices [-] [Pa], of stops [-]
} jelement_oil_values;

// Of the element that is an oil.
jelement_oil_values jelement_oil_of(jgen* s, int element);

// (P1), (P2), (P3)
jexpr_ref jelement_oil_modulus(jgen* s, const jelement_oil_values* o, jexpr_ref p);   // K [Pa]
jexpr_ref jelement_oil_specific(jgen* s, const jelement_oil_values* o, jexpr_ref p);  // s [-]
jexpr_ref jelement_oil_enthalpy(jgen* s, const jelement_oil_values* o, jexpr_ref p);  // eta [Pa]
// (P4)  oil of volume V at p: mass [kg], energy [J]
jexpr_ref jelement_oil_mass(jgen* s, const jelement_oil_values* o, jexpr_ref p, jexpr_ref V);
jexpr_ref jelement_oil_energy(jgen* s, const jelement_oil_values* o, jexpr_ref p, jexpr_ref V);

// (P7)  flow through an orifice of area A [m^2] and discharge coefficient Cd
jexpr_ref jelement_orifice_flow(jgen* s, const jelement_oil_values* o, jexpr_ref Cd, jexpr_ref A,
                                jexpr_ref dp);
// (P8)  opening between two stops, 0 ... 1
jexpr_ref jelement_opening(jgen* s, jexpr_ref delta, jexpr_ref z);

#endif
