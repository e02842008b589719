// SPDX-License-Identifier: Apache-2.0
// Peak loads of recorded events from a surface over configuration and speed of the coordinate an
// element acts on: a few events are integrated, the rest interpolated.
#ifndef JLOADS_SURFACE_H
#define JLOADS_SURFACE_H

#include "loads/loads.h"

#define JLOADS_SURFACE_SIDE 7  // nodes per direction

typedef struct jloads_surface {
  int element, coordinate;                                   // coordinate: independent
  double q[2], qd[2];                                        // ranges
  double peak[JLOADS_SURFACE_SIDE * JLOADS_SURFACE_SIDE];    // by q, then qd
  double t_peak[JLOADS_SURFACE_SIDE * JLOADS_SURFACE_SIDE];  // after the beginning [s]
} jloads_surface;

// Integrate the nodes: everything but position and speed of the coordinate as in (t0, y0). Ranges and
// indices are given in `s`. p NULL: the model's numbers.
jo_status jloads_surface_build(jo_context* ctx, const jloads* l, const double* p, double t0,
                               const double* y0, double duration, jloads_surface* s);

// Peak at (q, qd), cubic between nodes; t_peak after the beginning.
double jloads_surface_peak(const jloads_surface* s, double q, double qd, double* t_peak);

#endif
