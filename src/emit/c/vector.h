// SPDX-License-Identifier: Apache-2.0
// Packs in the text of a function, and the types they need.
#ifndef JEMIT_VECTOR_H
#define JEMIT_VECTOR_H

#include "emit/c/printer.h"

// `const jk_v4 v12 = v7 * g3;`, after what it needs
void jemit_put_pack(jemit_printer* p, int item);

// Its value, kept for later chunks: `JK_AT4(w + 8) = v12;`
void jemit_put_pack_slot(jemit_printer* p, int item);

// Before plain code is called or returned to: `JK_REST();`
void jemit_put_rest(jemit_printer* p);

// Types and helpers for packs of at most `lanes`; functions: whether elementary functions of so many lanes are needed.
void jemit_put_pack_prelude(jtext* t, int lanes, const bool* functions);

// Likewise for pairs in single precision, after those; functions: elementary functions that are needed, by operator.
void jemit_put_single_pack_prelude(jtext* t, const bool* functions);

#endif
