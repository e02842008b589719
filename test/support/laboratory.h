// SPDX-License-Identifier: Apache-2.0
// A model, its plant and a run at a state off the beaten track, for tests of whole systems.
#ifndef JTEST_LABORATORY_H
#define JTEST_LABORATORY_H

#include "plant/plant.h"

typedef struct laboratory {
  jo_context* ctx;
  jmodel* model;
  jplant* plant;
  jplant_work* run;
  double t, *y, *g;  // a state; scratch of the switches
} laboratory;

// From a file, or from text when `text` is not NULL. Fails the test on any error.
void laboratory_open(laboratory* l, const char* path, const char* text, const jplant_options* opt);
void laboratory_close(laboratory* l);

// The initial state, moved by reproducible disturbances of relative size `size`, loops closed, modes
// set.
void laboratory_disturb(laboratory* l, unsigned seed, double size);

#endif
