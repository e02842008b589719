// SPDX-License-Identifier: Apache-2.0
// Whether derivatives that were checked agree: by both methods, and with differences of whole runs.
#ifndef JSENS_AGREEMENT_H
#define JSENS_AGREEMENT_H

#include <jounce/sens.h>

#include "sens/sens.h"

typedef struct jsens_checked {
  const jsens_result* result;    // what was checked
  const double* value;           // of the parameters (nw)
  const jo_sens_check_row* row;  // objectives x parameters
  bool is_frozen;                // events stay where they are: there are no differences
  double tolerance;              // of the run, relative and absolute
} jsens_checked;

jo_sens_agreement jsens_agree(const jsens_checked* c, int objective, int parameter);

#endif
