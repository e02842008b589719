// SPDX-License-Identifier: Apache-2.0
// Sobol sequences: points that fill a box evenly, any of them from its index alone.
#ifndef JSTUDY_SOBOL_H
#define JSTUDY_SOBOL_H

#include <stdint.h>

#define JSTUDY_SOBOL_AXES 128
#define JSTUDY_SOBOL_BITS 32

// One axis: direction numbers, scrambled, and the shift of all its points.
typedef struct jstudy_sobol {
  uint32_t direction[JSTUDY_SOBOL_BITS];
  uint32_t shift;
} jstudy_sobol;

// Axis 0 ... JSTUDY_SOBOL_AXES - 1, scrambled by random bits taken from `random`: binary digits are multiplied by
// a random lower triangular matrix and shifted (J. Matousek 1998), so that what makes the points even stays.
void jstudy_sobol_begin(jstudy_sobol* s, int axis, uint64_t (*random)(uint64_t* state),
                        uint64_t* state);

// Coordinate of point i, inside (0, 1).
double jstudy_sobol_at(const jstudy_sobol* s, uint32_t i);

#endif
