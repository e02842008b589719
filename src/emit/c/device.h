// SPDX-License-Identifier: Apache-2.0
// Emitted code as code of CUDA: C++, and pairs spread over two threads of a warp.
//
// The text of the functions is that for a host: a host compiles it as C with vectors of two, a device with a type of
// the same operators that holds one of the two.
#ifndef JEMIT_DEVICE_H
#define JEMIT_DEVICE_H

#include "base/text/text.h"
#include "emit/c/prelude.h"

// Before everything else: words that C++ does not have, and JK_FUNCTION, what stands before functions.
void jemit_put_device_prelude(jtext* t);

// Pairs of a device; what a host has for them follows, then `#endif`.
void jemit_put_threads_prelude(jtext* t, const jemit_needs* needs);

#endif
