// SPDX-License-Identifier: Apache-2.0
// Fuzz target: journals. An even first byte: the rest is the file. An odd one: the rest is records,
// each behind a byte with its length, and what follows the last of them is a record cut off. Whole
// records come back, no others; a file that is no journal stays as it is.
//
//   ./fuzz_journal -max_len=2048 -dict=test/fuzz/journal.dict test/fuzz/corpus_journal
#include "base/err.h"
#include "base/system/journal.h"
#include "fuzz.h"
#include "support/error_count.h"

static const uint8_t key[JJOURNAL_KEY] = "fuzz fuzz fuzz fuzz fuzz fuzz fu";

typedef struct records {
  int n;
  size_t bytes;
} records;

static jo_status count(void* user, const void* data, size_t size, int64_t at) {
  (void)at;
  records* r = user;
  require(data != NULL || size == 0);
  r->n++;
  r->bytes += size;
  return JO_OK;
}

static jo_status open_journal(jo_context* ctx, const char* path, records* r, jjournal** out) {
  *r = (records){0};
  jjournal_options opt = {.path = path, .key = key, .user = r, .record = count};
  jo_status status = jjournal_open(ctx, &opt, out);
  require((status < 0) == (*out == NULL));
  return status;
}

static void open_any(jo_context* ctx, const char* path, const uint8_t* data, size_t size) {
  fuzz_save(path, data, size);
  jjournal* j;
  records first, again;
  if (open_journal(ctx, path, &first, &j) < 0) {
    require(error_count(ctx) == 1);
    return;
  }
  require(jjournal_append(ctx, j, "more", 4, &(int64_t){0}) >= 0);
  jjournal_close(j);
  require(open_journal(ctx, path, &again, &j) >= 0);
  require(again.n == first.n + 1 && again.bytes == first.bytes + 4);
  jjournal_close(j);
}

static void append_all(jo_context* ctx, const char* path, const uint8_t* data, size_t size) {
  jjournal* j;
  records written, read = {0};
  require(open_journal(ctx, path, &written, &j) >= 0 && written.n == 0);
  size_t at = 0;
  while (at < size && data[at] <= size - at - 1) {
    require(jjournal_append(ctx, j, data + at + 1, data[at], &(int64_t){0}) >= 0);
    written.n++;
    written.bytes += data[at];
    at += 1 + (size_t)data[at];
  }
  jjournal_close(j);
  // a kill in the middle of a write
  FILE* f = fopen(path, "ab");
  require(f != NULL);
  fwrite(data + at, 1, size - at < 15 ? size - at : 15, f);
  fclose(f);
  require(open_journal(ctx, path, &read, &j) >= 0);
  require(read.n == written.n && read.bytes == written.bytes);
  jjournal_close(j);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  jo_context* ctx = NULL;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  const char* path = fuzz_path(".journal");
  remove(path);
  if (data[0] % 2 == 0) {
    open_any(ctx, path, data + 1, size - 1);
  } else {
    append_all(ctx, path, data + 1, size - 1);
  }
  remove(path);
  jo_context_destroy(ctx);
  return 0;
}
