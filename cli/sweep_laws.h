// SPDX-License-Identifier: Apache-2.0
// What varies in a sweep, and how: --param, --correlate and --wrt. Texts are read first, and where one carries a unit the
// model says later what it is.
#ifndef CLI_SWEEP_LAWS_H
#define CLI_SWEEP_LAWS_H

#include "cli.h"

typedef struct cli_laws {
  cli_texts params, correlations;  // as given
  jo_range* range;                 // one of each parameter
  const char** text;               // of the values of each range, as given; NULL: not given
  jo_correlation* correlation;
  const char** wrt;  // what is differentiated for
  int nwrt;
  char* names;  // what the others point into
} cli_laws;

// From texts to names and laws, without their values. `wrt` is a list of names, "none", or NULL: the parameters that vary.
// Mistakes are printed.
cli_exit cli_laws_read(cli_laws* l, const char* wrt, bool is_sample);

// The values. Those with units are read as the file of argument 0 reads its own, which `model` is of; whether the model can
// have them its points will tell.
cli_exit cli_laws_values(const cli* c, const jo_model* model, cli_laws* l);

void cli_laws_free(cli_laws* l);

#endif
