// SPDX-License-Identifier: Apache-2.0
// C text of one planned function.
#ifndef JEMIT_PRINT_H
#define JEMIT_PRINT_H

#include "emit/c/printer.h"

// The function of the equation of an unknown, `body` of the graph of function `index`.
void jemit_put_body_symbol(jtext* t, int index, int body);

// `body` is scratch of the caller's.
jo_status jemit_printer_init(jo_context* ctx, jarena* a, const jemit_plan* plan, int index,
                             const char* symbol, bool is_device, jtext* body, jemit_printer* out);

// Prototypes of the entry and of its chunks.
void jemit_put_prototypes(jemit_printer* p, jtext* t);

// Chunk `k` as a function. With a single chunk it is the entry itself; otherwise the entry, which
// calls the chunks in their order, follows the last one.
void jemit_put_chunk(jemit_printer* p, jtext* t, int k);

#endif
