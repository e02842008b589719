// SPDX-License-Identifier: Apache-2.0
// Signs: which pack changes them.
//
// A product may as well be kept with the sign of some lanes changed: a factor takes it, for nothing where that is a
// constant. Sums may not: a sum that is zero is +0, whatever the signs.
#ifndef JEXPR_SIGN_H
#define JEXPR_SIGN_H

#include "expr/pack/packing.h"

// Moves changes of sign to where they cost least. varies: between lanes of the kernel; NULL: nothing does.
jo_status jexpr_sign_settle(jarena* a, const jexpr_fn* fn, const bool* varies, jexpr_packing* p);

#endif
