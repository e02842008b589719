// SPDX-License-Identifier: Apache-2.0
// Units as models write them, "N s/m", "m^3/(s Pa)", as powers of base units.
#ifndef JEXPORT_UNIT_H
#define JEXPORT_UNIT_H

#include <stdbool.h>

typedef enum jexport_base_unit {
  JEXPORT_KG,
  JEXPORT_M,
  JEXPORT_S,
  JEXPORT_A,
  JEXPORT_K,
  JEXPORT_MOL,
  JEXPORT_CD,
  JEXPORT_RAD,
  JEXPORT_BASE_UNITS
} jexport_base_unit;

typedef struct jexport_unit {
  int power[JEXPORT_BASE_UNITS];
  double factor;  // a value in base units is this times a value in the unit
} jexport_unit;

// Factors stand side by side or with *, . or / between them, powers are whole numbers: m^2, m2, s^-1, s^(-1). What
// divides by more than one factor has parentheses. "1" and "-" have no dimension. False: it is something else, or
// could be read in two ways.
bool jexport_unit_parse(const char* text, jexport_unit* out);

// kg, m, s ...
const char* jexport_base_unit_name(jexport_base_unit base);

#endif
