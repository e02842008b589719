// SPDX-License-Identifier: Apache-2.0
// The functions of single values, for the interpreter and whoever else computes what equations compute.
#include "base/elementary.h"

#define JM_FUNCTION
#include "base/elementary_text.h"
