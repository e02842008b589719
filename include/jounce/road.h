// SPDX-License-Identifier: Apache-2.0
// The road of a model by itself: heights, spectra and pictures of what is driven on.
//
//   jo_road_options opt = jo_road_options_default();
//   opt.to = 500;
//   status = jo_road_write(ctx, model, &opt, "road.svg");
#ifndef JOUNCE_ROAD_H
#define JOUNCE_ROAD_H

#include "jounce/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Heights [m] at n places, x and y one after another [m], with the numbers of the model and at the beginning of its run.
/// JO_ERR_MODEL where the road needs the state of the vehicle. Threads: any, one context per thread.
JO_API jo_status jo_road_heights(jo_context* ctx, const jo_model* model, int n, const double* xy,
                                 double* z);

/// Displacement spectral density of a band of wave numbers.
typedef struct jo_road_band {
  double low, high;  // [1/m]
  double density;    // mean over the band [m^3]
  double smooth;     // of class A at the middle of the band: its geometric mean [m^3]
  int class_;        // 0: A, ... 7: H, by ISO 8608
} jo_road_band;

#define JO_ROAD_BANDS 16
/// Octave bands, from half a cycle in the length of the road on, of n heights `spacing` [m] apart: means over halves that
/// overlap, with a window. `band` has room for JO_ROAD_BANDS; returns how many there are, 0 for less than 64 heights, a
/// negative number of them, a spacing that is not positive, and heights, squares of them or a spacing that are not finite.
JO_API int jo_road_spectrum(int n, double spacing, const double* z, jo_road_band* band);

typedef struct jo_road_options {
  double from, to;     // along x [m]
  double step;         // [m]
  double left, right;  // two lines y [m]
} jo_road_options;

/// 0 to 100 m, every 0.05 m, 0.75 m left and right.
JO_API jo_road_options jo_road_options_default(void);

/// Heights along two lines and their spectra: a table (.csv) or a picture (.svg, .html), by the ending of `path`. `opt`
/// may be NULL.
JO_API jo_status jo_road_write(jo_context* ctx, const jo_model* model, const jo_road_options* opt,
                               const char* path);

#ifdef __cplusplus
}
#endif
#endif
