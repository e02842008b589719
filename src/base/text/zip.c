// SPDX-License-Identifier: Apache-2.0
// The format of PKWARE's APPNOTE.TXT, version 2.0 of it: deflated files without extras. Times are those of the
// beginning of the format, so that nothing depends on when an archive is made.
#include "base/text/zip.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/system/file.h"

#define VERSION   20        // needed to extract: deflate
#define MADE_BY   0x0314    // Unix, version 2.0
#define DOS_DATE  0x0021    // 1980-01-01
#define MODE      0100644u  // a plain file
#define MAX_BYTES 0xfffffffeu
#define MAX_FILES 65534

void jzip_init(jzip* z, jo_context* ctx) {
  *z = (jzip){.ctx = ctx};
  jtext_init(&z->data, ctx);
  jtext_init(&z->directory, ctx);
}

void jzip_free(jzip* z) {
  jtext_free(&z->data);
  jtext_free(&z->directory);
}

// Little-endian, whatever the machine is.
static void put(jtext* t, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) {
    char c = (char)(value >> (8 * i) & 0xffu);
    jtext_write(t, &c, 1);
  }
}

// What both headers of a file have in common.
static void put_entry(jtext* t, const char* name, uint32_t crc, size_t packed, size_t size) {
  put(t, VERSION, 2);
  put(t, 0, 2);           // flags
  put(t, Z_DEFLATED, 2);  // method
  put(t, 0, 2);           // time
  put(t, DOS_DATE, 2);
  put(t, crc, 4);
  put(t, (uint32_t)packed, 4);
  put(t, (uint32_t)size, 4);
  put(t, (uint32_t)strlen(name), 2);
  put(t, 0, 2);  // extra field
}

static void* allocate(void* user, unsigned n, unsigned size) {
  return jmem_resize((jo_context*)user, NULL, (size_t)n * size);
}

static void release(void* user, void* p) {
  jmem_free((jo_context*)user, p);
}

// A deflated copy in the arena.
static jo_status pack(jo_context* ctx, jarena* a, const void* data, size_t size, char** packed,
                      size_t* npacked) {
  z_stream s = {.zalloc = allocate, .zfree = release, .opaque = ctx};
  if (deflateInit2(&s, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return jerr_memory(ctx);
  size_t room = deflateBound(&s, size);
  *packed = room <= UINT_MAX ? JARENA_ARRAY(a, room, char) : NULL;
  int done = Z_MEM_ERROR;
  if (*packed) {
    s.next_in = (Bytef*)data;
    s.avail_in = (uInt)size;
    s.next_out = (Bytef*)*packed;
    s.avail_out = (uInt)room;
    done = deflate(&s, Z_FINISH);
  }
  *npacked = s.total_out;
  deflateEnd(&s);
  return done == Z_STREAM_END ? JO_OK : jerr_memory(ctx);
}

static jo_status check(const jzip* z, const char* name, size_t size) {
  if (size >= MAX_BYTES || z->data.length >= MAX_BYTES - size) {
    return jerr_set(z->ctx, JO_ERR_LIMIT, "archive: %s: files of 4 GiB and more do not fit", name);
  }
  if (z->nfile >= MAX_FILES) {
    return jerr_set(z->ctx, JO_ERR_LIMIT, "archive: %s: more than %d files do not fit", name,
                    MAX_FILES);
  }
  return JO_OK;
}

static jo_status add_packed(jzip* z, const char* name, uint32_t crc, size_t size,
                            const char* packed, size_t npacked) {
  uint32_t offset = (uint32_t)z->data.length;
  put(&z->data, 0x04034b50u, 4);
  put_entry(&z->data, name, crc, npacked, size);
  jtext_put(&z->data, name);
  jtext_write(&z->data, packed, npacked);
  put(&z->directory, 0x02014b50u, 4);
  put(&z->directory, MADE_BY, 2);
  put_entry(&z->directory, name, crc, npacked, size);
  put(&z->directory, 0, 2);  // comment
  put(&z->directory, 0, 2);  // disk
  put(&z->directory, 0, 2);  // internal attributes
  put(&z->directory, MODE << 16, 4);
  put(&z->directory, offset, 4);
  jtext_put(&z->directory, name);
  z->nfile++;
  return z->data.failed || z->directory.failed ? jerr_memory(z->ctx) : JO_OK;
}

jo_status jzip_add(jzip* z, const char* name, const void* data, size_t size) {
  JO_TRY(check(z, name, size));
  jarena scratch;
  jarena_init(&scratch, z->ctx);
  char* packed = NULL;
  size_t npacked = 0;
  jo_status status = pack(z->ctx, &scratch, data, size, &packed, &npacked);
  if (status >= 0) {
    uint32_t crc = (uint32_t)crc32(0, (const Bytef*)data, (uInt)size);
    status = add_packed(z, name, size > 0 ? crc : 0, size, packed, npacked);
  }
  jarena_free(&scratch);
  return status;
}

jo_status jzip_write(jzip* z, const char* path, size_t* bytes) {
  size_t start = z->data.length, length = z->directory.length;
  if (start + length >= MAX_BYTES) {
    return jerr_set(z->ctx, JO_ERR_LIMIT, "%s: archives of 4 GiB and more are not written", path);
  }
  if (length > 0) jtext_write(&z->data, z->directory.data, length);
  put(&z->data, 0x06054b50u, 4);
  put(&z->data, 0, 4);  // disks
  put(&z->data, (uint32_t)z->nfile, 2);
  put(&z->data, (uint32_t)z->nfile, 2);
  put(&z->data, (uint32_t)length, 4);
  put(&z->data, (uint32_t)start, 4);
  put(&z->data, 0, 2);  // comment
  if (z->data.failed) return jerr_memory(z->ctx);
  if (bytes) *bytes = z->data.length;
  return jfile_write(z->ctx, path, z->data.data, z->data.length);
}
