// SPDX-License-Identifier: Apache-2.0
// Derivatives that are not as accurate as they were wanted are not passed over in silence: the one place
// that counts and tells them, for every command.
#ifndef JSENS_DOUBT_H
#define JSENS_DOUBT_H

#include "sens/sens.h"

typedef struct jsens_doubt {
  double wanted;      // relative error of derivatives
  bool is_asked_for;  // the caller could ask for an error, and has not: the remedy is to do so
  bool is_fixed;      // steps are: the remedy is shorter ones
  // The run passes a singular position with this tolerance: repeated runs with far smaller ones end there, so that asking for
  // an error changes nothing. 0: it passes none.
  double singular_tol;
  int all, beyond, one_sided;
  double most;                     // of those beyond, the largest, relative
  const char *objective, *number;  // whose it is
  const char* first_one_sided;     // number
  const char* brink;  // switch that the start, or an instant of the run, stands on; NULL: not known
  const char* with;   // what it coincides with at that instant; NULL: the end of the run
  double brink_at;    // that instant [s]; NaN: the start
  const char* tips;   // coordinate that a number makes hang or tip over; NULL: not known
} jsens_doubt;

// One derivative, of an objective with this value by a number of size `unit`.
void jsens_doubt_add(jsens_doubt* d, double value, double gradient, double error, double unit,
                     const char* objective, const char* number);

// How far the value of an objective may be off because its signal is small, relative to it; infinite: it is lost. What its
// error bar says, where it has one. 0: not by as much as is worth a word.
double jsens_doubt_value(const jsens_result* r, int objective);

// Why derivatives with respect to a number are those of one side, where they are. The first of them is kept.
void jsens_doubt_side(jsens_doubt* d, const jsens_result* r, const jplant* p, int number);

// A warning for each kind that there is.
void jsens_doubt_warn(jo_context* ctx, const jsens_doubt* d, const char* path);

#endif
