// SPDX-License-Identifier: Apache-2.0
// Spectral densities of roads and their classes by ISO 8608.
#ifndef JROAD_SPECTRUM_H
#define JROAD_SPECTRUM_H

#include <jounce/road.h>

// Octave bands of n heights `spacing` [m] apart, as jo_road_spectrum() returns them.
int jroad_spectrum(int n, double spacing, const double* z, jo_road_band* band);

// Geometric mean of class A at a wave number [1/m], in m^3; that of the next class is four times as large.
double jroad_smoothest(double wave_number);

#endif
