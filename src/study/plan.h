// SPDX-License-Identifier: Apache-2.0
// Which systems a study needs: parts whose derivatives are by the same numbers share one, parts without derivatives
// take any. What comes out of a part is therefore what it is alone, bit by bit: tolerances of derivatives are met
// for its own numbers, whatever else is in the file, and what is a constant of the code elsewhere is one here.
#ifndef JSTUDY_PLAN_H
#define JSTUDY_PLAN_H

#include "study/file.h"

typedef struct jstudy_setup {
  int model;  // of the study
  bool runs, derivatives, histories, checks;
  const char**
      wrt;  // names, as the part has them that needs them first (nwrt); none: all parameters
  int nwrt;
  const char** variable;  // numbers that are no parameters and get other values (nvariable)
  int nvariable;
  bool* taken;  // by number of the model: differentiated for
  bool
      direct_alone;  // histories of numbers that objectives alone would take the adjoint method for
} jstudy_setup;

typedef struct jstudy_plan {
  jstudy_setup* setup;
  int nsetup;
  int* of;  // by part
} jstudy_plan;

// Of a file that was checked against the model. In the arena.
jo_status jstudy_plan_make(jo_context* ctx, jarena* a, const jstudy_file* f,
                           const jmodel* const* model, jstudy_plan* out);

#endif
