// SPDX-License-Identifier: Apache-2.0
// Which systems a study needs: parts whose derivatives are by the same numbers share one, parts without derivatives
// take any. What comes out of a part is therefore what it is alone, bit by bit: tolerances of derivatives are met
// for its own numbers, whatever else is in the file, and what is a constant of the code elsewhere is one here.
#ifndef JPARTS_PLAN_H
#define JPARTS_PLAN_H

#include "parts/file.h"

typedef struct jparts_setup {
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
} jparts_setup;

typedef struct jparts_plan {
  jparts_setup* setup;
  int nsetup;
  int* of;  // by part
} jparts_plan;

// Of a file that was checked against the model. In the arena.
jo_status jparts_plan_make(jo_context* ctx, jarena* a, const jparts_file* f,
                           const jmodel* const* model, jparts_plan* out);

#endif
