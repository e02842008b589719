// SPDX-License-Identifier: Apache-2.0
// A journal: records of work done, appended one by one, so that work that was killed can go on.
//
// A record is appended by one write and carries a checksum: what a kill cut off is not taken for a
// record. Records are read one by one: a journal may be larger than memory. A journal belongs to one piece of work, named by a key, and to one process at a time.
#ifndef JBASE_JOURNAL_H
#define JBASE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

#define JJOURNAL_KEY 32  // bytes

typedef struct jjournal {
  jo_context* ctx;
  char* path;
  int fd;
  int64_t end;  // where the next record begins
} jjournal;

typedef struct jjournal_options {
  const char* path;
  const uint8_t* key;  // JJOURNAL_KEY bytes: what the work is
  bool restart;        // forget a journal of this or of other work
  void* user;
  // A record of an earlier process, in the order of writing, and where its content lies in the file; a
  // negative status is returned.
  jo_status (*record)(void* user, const void* data, size_t size, int64_t at);
} jjournal_options;

// Open or make a journal and read what it holds. What follows the last whole record is cut off.
// JO_ERR_FILE when it is of other work, of another process at this moment, or no journal at all;
// the last is never touched.
jo_status jjournal_open(jo_context* ctx, const jjournal_options* opt, jjournal** out);

// Append a record; its content lies at `*at` then. Threads: one at a time; errors are reported in `ctx`.
jo_status jjournal_append(jo_context* ctx, jjournal* j, const void* data, size_t size, int64_t* at);

// Read `size` bytes from a place in the file. Threads: any.
jo_status jjournal_read(jo_context* ctx, const jjournal* j, int64_t at, void* data, size_t size);

// The file is gone; what was read and appended can be read until it is closed.
void jjournal_forget(jjournal* j);

void jjournal_close(jjournal* j);  // it stays; NULL is fine

#endif
