// SPDX-License-Identifier: Apache-2.0
// Sobol sequences: points that fill a box evenly, any of them from its index alone.
#ifndef JSWEEP_SOBOL_H
#define JSWEEP_SOBOL_H

#include <stdint.h>

#define JSWEEP_SOBOL_AXES 128
#define JSWEEP_SOBOL_BITS 32

// One axis: direction numbers, scrambled, and the shift of all its points.
typedef struct jsweep_sobol {
  uint32_t direction[JSWEEP_SOBOL_BITS];
  uint32_t shift;
} jsweep_sobol;

// Axis 0 ... JSWEEP_SOBOL_AXES - 1, scrambled by random bits taken from `random`: binary digits are multiplied by
// a random lower triangular matrix and shifted (J. Matousek 1998), so that what makes the points even stays.
void jsweep_sobol_begin(jsweep_sobol* s, int axis, uint64_t (*random)(uint64_t* state),
                        uint64_t* state);

// Coordinate of point i, inside (0, 1).
double jsweep_sobol_at(const jsweep_sobol* s, uint32_t i);

#endif
