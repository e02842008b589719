// SPDX-License-Identifier: Apache-2.0
// Cached libraries.
//
//   file = bytes of the shared library | magic (16) | SHA-256 of those bytes (32)
//
// The loader ignores what follows the library, so that library and checksum are one file and one
// rename replaces both. The folder is ours alone: the checksum guards against accidents, not
// against an attacker.
#include "kernel/cache.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"

#define LIBRARY_LIMIT ((size_t)1 << 30)
#define TRAILER_SIZE  (sizeof magic + 32)

static const char magic[16] = "jounce kernel 1";

// ---- folder

static jo_status make_private_dir(jo_context* ctx, jarena* a, const char* path) {
  if (jfile_exists(path)) return JO_OK;
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  while (n > 0 && path[n - 1] != '/')
    n--;
  if (n > 1) {
    const char* parent = jarena_strndup(a, path, n - 1);
    if (!parent) return jerr_memory(ctx);
    JO_TRY(jfile_make_dirs(ctx, parent));
  }
  // another process may be faster: then it is there
  if (mkdir(path, 0700) != 0 && !jfile_exists(path)) {
    return jerr_set(ctx, JO_ERR_FILE, "%s: cannot make the cache folder", path);
  }
  return JO_OK;
}

jo_status jkernel_cache_dir(jo_context* ctx, jarena* a, const char* wanted, const char** dir) {
  bool is_given = wanted != NULL;
  if (!is_given) JO_TRY(jfile_cache_dir(ctx, a, &wanted));
  // no path of ours may look like an option to a compiler
  const char* path = jarena_printf(a, "%s%s", wanted[0] == '/' ? "" : "./", wanted);
  if (!path) return jerr_memory(ctx);
  if (!is_given) {
    *dir = path;
    return JO_OK;
  }
  JO_TRY(make_private_dir(ctx, a, path));
  struct stat st;
  if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
    return jerr_set(ctx, JO_ERR_FILE, "%s: is no folder and cannot be the cache", path);
  }
  if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return jerr_set(ctx, JO_ERR_FILE,
                    "%s: belongs to another user or others may write to it; code is only loaded "
                    "from a folder of your own",
                    path);
  }
  *dir = path;
  return JO_OK;
}

// ---- files

static void digest_of(const void* data, size_t n, uint8_t digest[32]) {
  jsha256 s;
  jsha256_init(&s);
  jsha256_add(&s, data, n);
  jsha256_finish(&s, digest);
}

jo_status jkernel_cache_store(jo_context* ctx, jarena* scratch, const char* library,
                              const char* path) {
  char* data = NULL;
  size_t n = 0;
  JO_TRY(jfile_read(ctx, scratch, library, LIBRARY_LIMIT, &data, &n));
  char* all = jarena_alloc(scratch, n + TRAILER_SIZE);
  if (!all) return jerr_memory(ctx);
  uint8_t digest[32];
  digest_of(data, n, digest);
  memcpy(all, data, n);
  memcpy(all + n, magic, sizeof magic);
  memcpy(all + n + sizeof magic, digest, sizeof digest);
  return jfile_write(ctx, path, all, n + TRAILER_SIZE);
}

static bool is_intact(const char* data, size_t size) {
  if (size <= TRAILER_SIZE) return false;
  size_t n = size - TRAILER_SIZE;
  if (memcmp(data + n, magic, sizeof magic) != 0) return false;
  uint8_t digest[32];
  digest_of(data, n, digest);
  return memcmp(data + n + sizeof magic, digest, sizeof digest) == 0;
}

jo_status jkernel_cache_load(jo_context* ctx, const char* path, void** library) {
  *library = NULL;
  struct stat st;
  // what cannot be used is as good as missing: it will be made anew, or that fails with a reason
  bool usable = stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
                (uintmax_t)st.st_size <= LIBRARY_LIMIT && st.st_uid == geteuid();
  FILE* f = usable ? fopen(path, "rb") : NULL;
  if (!f) return JO_OK;
  size_t size = (size_t)st.st_size;
  char* data = jmem_resize(ctx, NULL, size);
  bool intact = data && fread(data, 1, size, f) == size && is_intact(data, size);
  fclose(f);
  jmem_free(ctx, data);
  if (!data) return jerr_memory(ctx);
  if (intact) *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return JO_OK;
}

// ---- libraries

jo_status jkernel_library_open(jo_context* ctx, const char* path, void** library) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    return jerr_set(ctx, JO_ERR_COMPILER, "compiled kernel cannot be loaded: %s",
                    why ? why : "no reason given");
  }
  *library = handle;
  return JO_OK;
}

void jkernel_library_close(void* library) {
  if (library) dlclose(library);
}

jkernel_symbol jkernel_library_find(void* library, const char* name) {
  // ISO C knows no cast from an object pointer to a function pointer
  void* address = dlsym(library, name);
  jkernel_symbol symbol = NULL;
  memcpy(&symbol, &address, sizeof symbol);
  return symbol;
}
