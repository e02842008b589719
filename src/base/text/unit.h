// SPDX-License-Identifier: Apache-2.0
// Units of measurement: texts as "N/mm", "kN*s/m", "km/h" as factors and dimensions.
//
// A factor is decimal * num/den * irrational/over, the first three exact, so that "25.4 mm" is the very number 0.0254.
// Angles count as a dimension: "10 Hz" is no angular velocity, "1 N m" no torsional stiffness.
#ifndef JBASE_UNIT_H
#define JBASE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

enum { JUNIT_LENGTH, JUNIT_MASS, JUNIT_TIME, JUNIT_CURRENT, JUNIT_ANGLE, JUNIT_DIMENSIONS };

typedef struct junit {
  int decimal;              // power of ten
  double num, den;          // whole numbers
  double irrational, over;  // as pi/180
  int dimension[JUNIT_DIMENSIONS];
} junit;

#define JUNIT_MAX_TEXT 64

// False: it is none; *bad is then the name that is not known, inside of the text, NULL: the text is no product
// of units.
bool junit_parse(const char* text, size_t n, junit* out, const char** bad, size_t* nbad);

// "25 N/mm" apart: a number, and the unit as the file writes it, of at least one letter. False: it is not such a text.
bool junit_split(const char* text, size_t* nnumber, size_t* unit, size_t* nunit);

// The number in front of a unit, in SI units: one rounding where the factor is a power of ten. A sign may come first.
double junit_scale(const char* number, size_t n, const junit* unit);
// What a value in SI units is in this one.
double junit_shown(double value, const junit* unit);

bool junit_same_dimension(const junit* a, const junit* b);
bool junit_is_coherent(const junit* unit);  // a factor of one
// The same in SI units: "N/mm" as "N/m". Cut where it is too long.
void junit_si_text(const char* text, size_t n, char* buffer, size_t size);

// The i-th of the names that units have, for guesses; NULL behind the last.
const char* junit_name(int i);

#endif
