// SPDX-License-Identifier: Apache-2.0
// Peak loads of recorded events from a surface over configuration and speed of the coordinate an
// element acts on: a few events are integrated, the rest interpolated.
#ifndef JSTUDY_LOAD_SURFACE_H
#define JSTUDY_LOAD_SURFACE_H

#include "study/loads.h"

#define JSTUDY_SURFACE_SIDE 7  // nodes per direction

typedef struct jstudy_load_surface {
  int element, coordinate;                                   // coordinate: independent
  double q[2], qd[2];                                        // ranges
  double peak[JSTUDY_SURFACE_SIDE * JSTUDY_SURFACE_SIDE];    // by q, then qd
  double t_peak[JSTUDY_SURFACE_SIDE * JSTUDY_SURFACE_SIDE];  // after the beginning [s]
} jstudy_load_surface;

// The independent coordinate a joint element acts on; -1: none.
int jstudy_load_coordinate(const jstudy_loads* l, int element);

// Integrate the nodes: everything but position and speed of the coordinate as in (t0, y0). Ranges and
// indices are given in `s`. p NULL: the model's numbers.
jo_status jstudy_load_surface_build(jo_context* ctx, const jstudy_loads* l, const double* p,
                                    double t0, const double* y0, double duration,
                                    jstudy_load_surface* s);

// Peak at (q, qd), cubic between nodes; t_peak after the beginning.
double jstudy_load_surface_peak(const jstudy_load_surface* s, double q, double qd, double* t_peak);

#endif
