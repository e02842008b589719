// SPDX-License-Identifier: Apache-2.0
// Inside of tyres.
#ifndef JAPI_TYRE_HANDLE_H
#define JAPI_TYRE_HANDLE_H

#include "jounce/tyre.h"
#include "model/tir.h"

struct jo_tyre {
  jo_context* ctx;
  jarena arena;
  jmodel_tir tir;
};

#endif
