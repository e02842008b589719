// SPDX-License-Identifier: Apache-2.0
// Starts on the brink of a switch: a tyre that just touches the ground, a table read at one of its
// corners. The least change of a number decides on which side the run begins, and derivatives by that
// number are those of one side.
#ifndef JSENS_BRINK_H
#define JSENS_BRINK_H

#include "plant/plant.h"

// out[k]: a switch that number k of the derivatives moves across its threshold at the start (t, y), whose
// own derivatives are S (ny x nw, number by number); -1: none. unit: sizes of the numbers. Sets the modes
// of the run.
jo_status jsens_brink(jplant_work* run, double t, const double* y, const double* S,
                      const double* unit, int nw, int* out);

#endif
