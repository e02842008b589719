// SPDX-License-Identifier: Apache-2.0
// Frequency responses: how outputs answer a small sine of one input about the state a run starts at, and the derivatives
// of that by numbers of the model. docs/theory/sensitivity.md eq. (S22), (S23).
#ifndef JSENS_RESPONSE_H
#define JSENS_RESPONSE_H

#include "model/select.h"
#include "plant/plant.h"

typedef struct jsens_response jsens_response;

typedef struct jsens_response_options {
  const char* input;          // a driven coordinate, a parameter, an input or another number
  const char* const* output;  // (nout)
  int nout;
  const char* const* wrt;  // derivatives by these (nwrt); none: no derivatives
  int nwrt;
  const char* const* variable;  // numbers that get other values, besides parameters (nvariable)
  int nvariable;
} jsens_response_options;

// An interpreted plant. A coordinate is moved with its velocity and acceleration, by s = i 2 pi f of each other; a number
// is moved alone, and must not be in a drive, whose rates would not follow.
// On failure *out is NULL. Ownership: caller, release with jsens_response_close() before the model.
jo_status jsens_response_open(jo_context* ctx, const jmodel* m, const jsens_response_options* opt,
                              jsens_response** out);
void jsens_response_close(jsens_response* r);

// What is differentiated for, in their order.
const jmodel_selection* jsens_response_by(const jsens_response* r);
const char* jsens_response_input_unit(const jsens_response* r);

// At frequencies f [Hz] (n). values: of all numbers of the model; NULL: the model's.
// H: real and imaginary part, output by output, frequency by frequency (2 nout n); dH: the same by number, innermost but
// for the parts (2 nout n nw). Derivatives are exact to rounding: complex steps of tangents, the state moving along.
// moved: the largest change of a state, relative to its size, by which the start is no equilibrium.
jo_status jsens_response_find(jsens_response* r, const double* values, const double* f, int n,
                              double* H, double* dH, double* moved);

#endif
