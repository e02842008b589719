// SPDX-License-Identifier: Apache-2.0
// A listing of the machine code that runs of a model execute.
#ifndef JEXPORT_LISTING_H
#define JEXPORT_LISTING_H

#include "base/text/text.h"
#include "model/model.h"

typedef struct jexport_listing {
  int functions, instructions, spills;
  size_t bytes;  // of code
} jexport_listing;

// Appends the listing to `text`. An error where there is no machine code for the processor.
jo_status jexport_listing_write(jo_context* ctx, const jmodel* m, jtext* text,
                                jexport_listing* out);

#endif
