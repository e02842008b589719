// SPDX-License-Identifier: Apache-2.0
// C text of one planned function.
#ifndef JEMIT_PRINT_H
#define JEMIT_PRINT_H

#include "base/text.h"
#include "emit/plan.h"

typedef struct jemit_printer {
  jo_context* ctx;
  const jemit_plan* plan;
  int index;              // of the function in its unit
  const char* symbol;     // of the entry
  const char** in_name;   // array names                             (ngroup)
  const char** out_name;  //                                         (nout)
  bool* in_read;          // by any chunk                            (ngroup)
  bool* in_used;          // by the chunk being printed              (ngroup)
  bool* out_used;         //                                         (nout)
  bool work_used;
  int chunk;    // being printed
  int* loaded;  // chunk that last read this value from a slot   (by position)
  jtext* body;  // statements of the chunk
} jemit_printer;

// The function of the equation of an unknown, `body` of the graph of function `index`.
void jemit_put_body_symbol(jtext* t, int index, int body);

// `body` is scratch of the caller's.
jo_status jemit_printer_init(jo_context* ctx, jarena* a, const jemit_plan* plan, int index,
                             const char* symbol, jtext* body, jemit_printer* out);

// Prototypes of the entry and of its chunks.
void jemit_put_prototypes(jemit_printer* p, jtext* t);

// Chunk `k` as a function. With a single chunk it is the entry itself; otherwise the entry, which
// calls the chunks in their order, follows the last one.
void jemit_put_chunk(jemit_printer* p, jtext* t, int k);

#endif
