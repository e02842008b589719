// SPDX-License-Identifier: Apache-2.0
// How the modes of the linearised equations move with the numbers of the model.
#ifndef JSTUDY_MODE_SENS_H
#define JSTUDY_MODE_SENS_H

#include "study/linearise.h"
#include "study/start.h"

typedef struct jstudy_mode_slope {
  double re, im, frequency, damping;  // derivatives; NaN: there are none
} jstudy_mode_slope;

// The operating point moves along: start->S. All numbers must be parameters of the plant's model, so that
// they are inputs of its functions. modes: those at start->y, with the modes (conditions) of the run.
// repeated: by mode, eigenvalues that are not simple and have no derivative (nmode).
// slope: nmode x nw, row by row.
jo_status jstudy_mode_sensitivity(jo_context* ctx, jarena* a, const jstudy_run* run, double t,
                                  const jstudy_start* start, int nw, const jstudy_mode* mode,
                                  int nmode, bool* repeated, jstudy_mode_slope* slope);

#endif
