// SPDX-License-Identifier: Apache-2.0
// The tables of an exported model as C.
#ifndef JEXPORT_TABLES_H
#define JEXPORT_TABLES_H

#include "base/text/text.h"
#include "runtime/model.h"

// Functions of the generated code by where the model has them.
typedef struct jexport_entry {
  const char* field;   // "fn[0]", "jacobian"
  const char* symbol;  // NULL: there is none
  size_t work;
} jexport_entry;

// The source that defines jvehicle_exported. `header`: of the functions.
void jexport_tables_write(jtext* t, const jvehicle_model* m, const jexport_entry* entry, int n,
                          const char* header);

#endif
