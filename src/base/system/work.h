// SPDX-License-Identifier: Apache-2.0
// Folders for work that may be killed.
#ifndef JBASE_WORK_H
#define JBASE_WORK_H

#include "base/mem.h"
#include "base/system/process.h"

// A new empty private folder. A process of its own removes it when this one ends. Where there is no such process, or it is
// killed as well: the folder is locked as long as its process lives, and opening one removes those of processes that are gone.
typedef struct jwork {
  const char* path;
  int fd;
  jproc_keeper keeper;
} jwork;

jo_status jwork_open(jo_context* ctx, jarena* a, const char* parent, jwork* out);
void jwork_close(jwork* w);

#endif
