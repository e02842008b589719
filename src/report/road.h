// SPDX-License-Identifier: Apache-2.0
// Two lines of a road as plots: heights and spectral densities.
#ifndef JREPORT_ROAD_H
#define JREPORT_ROAD_H

#include "base/mem.h"
#include "base/text/text.h"

typedef struct jreport_road {
  jo_context* ctx;
  jarena* arena;
  const char* name;  // of the model, "" where it has none
  int n;
  double step;             // between places [m]
  const double *x, *z[2];  // left and right [m]
} jreport_road;

// A page, or else a picture.
jo_status jreport_road_draw(const jreport_road* p, bool is_page, jtext* t);

#endif
