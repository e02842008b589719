// SPDX-License-Identifier: Apache-2.0
// The state of printing one planned function, shared by those that print parts of it.
#ifndef JEMIT_PRINTER_H
#define JEMIT_PRINTER_H

#include "base/text/text.h"
#include "emit/c/real.h"
#include "emit/plan.h"

typedef struct jemit_printer {
  jo_context* ctx;
  const jemit_plan* plan;
  int index;              // of the function in its unit
  const char* symbol;     // of the entry
  bool is_device;         // also for CUDA (device.h)
  bool is_strided;        // elements of inputs and outputs are JK_STRIDE apart
  const char** in_name;   // array names                             (ngroup)
  const char** out_name;  //                                         (nout)
  bool* in_read;          // by any chunk                            (ngroup)
  bool* in_used;          // by the chunk being printed              (ngroup)
  bool* out_used;         //                                         (nout)
  bool work_used;
  bool is_wide;            // registers hold more than two lanes, which plain code pays for
  bool* is_single;         // statements in single precision; NULL: none  (by item)
  const jemit_real* real;  // of the statement being printed
  int chunk;               // being printed
  int* loaded;             // chunk that last read this value from a slot    (by item)
  int* taken;              // chunk that last took this value from a pack    (by node)
  int* assembled
      [2];        // chunk that last made this vector, in double and in single precision (by vector)
  int* narrowed;  // chunk that last rounded this pack              (by item)
  int* spread;    // chunk that last brought it into all lanes      (by vector)
  int* mask[2];   // chunk that last compared it with zero, as it is and spread (by vector)
  int* single_mask;  // likewise in single precision, as it is         (by vector)
  jtext* body;       // statements of the chunk
} jemit_printer;

// The arithmetic of a statement.
const jemit_real* jemit_real_of(const jemit_printer* p, int item);

#endif
