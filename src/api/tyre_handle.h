// SPDX-License-Identifier: Apache-2.0
// Inside of tyres.
#ifndef JAPI_TYRE_HANDLE_H
#define JAPI_TYRE_HANDLE_H

#include "jounce/tyre.h"
#include "model/tyre/tir.h"

struct jo_tyre {
  jo_context* ctx;
  jarena arena;
  jmodel_tir tir;
};

// jo_tyre_evaluate() with what messages begin with: "file:3: ", or "".
jo_status jtyre_evaluate(jo_tyre_function* f, const char* place, const double* input,
                         double* output);

#endif
