// SPDX-License-Identifier: Apache-2.0
// How the modes of the linearised equations move with the numbers of the model.
#ifndef JSENS_MODES_H
#define JSENS_MODES_H

#include "plant/linearise.h"
#include "plant/start/start.h"

typedef struct jsens_mode_slope {
  double re, im, frequency, damping;  // derivatives; NaN: there are none
} jsens_mode_slope;

// The operating point moves along: start->S. All numbers must be parameters of the plant's model, so that
// they are inputs of its functions. modes: those at start->y, with the modes (conditions) of the run.
// repeated: by mode, eigenvalues that are not simple and have no derivative (nmode).
// slope: nmode x nw, row by row.
jo_status jsens_mode_sensitivity(jo_context* ctx, jarena* a, const jplant_work* run, double t,
                                 const jplant_start* start, int nw, const jplant_mode* mode,
                                 int nmode, bool* repeated, jsens_mode_slope* slope);

#endif
