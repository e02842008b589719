// SPDX-License-Identifier: Apache-2.0
// Archives: files compressed and put together, the same bytes for the same files.
#ifndef JBASE_ZIP_H
#define JBASE_ZIP_H

#include "base/text/text.h"

typedef struct jzip {
  jo_context* ctx;
  jtext data;       // files, each behind its header
  jtext directory;  // of all of them, the end of the archive
  int nfile;
} jzip;

void jzip_init(jzip* z, jo_context* ctx);
void jzip_free(jzip* z);

// A file of the archive; its name has folders with / and is plain ASCII. On failure the context says why, and the
// archive is of no use.
jo_status jzip_add(jzip* z, const char* name, const void* data, size_t size);

// Write the archive: whole or not at all. *bytes (may be NULL) is its size.
jo_status jzip_write(jzip* z, const char* path, size_t* bytes);

#endif
