// SPDX-License-Identifier: Apache-2.0
// Cached libraries.
//
//   file = bytes of the shared library | magic (16) | SHA-256 of name and bytes (32)
//
// The name is the key: a library that got the name of another one is not what the checksum was made of.
// The loader ignores what follows the library, so that library and checksum are one file and one
// rename replaces both. Files have mode 0600. At load the folder is opened once, and everything goes
// through its descriptor: it is ours, no link, and nobody else may write to it, and so is the file; what
// is checked is therefore what is loaded. The checksum guards against accidents, not against an attacker.
#include "batch/device/cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/system/file.h"
#include "base/text/format.h"

#define LIBRARY_LIMIT ((size_t)1 << 30)
#define TRAILER_SIZE  (sizeof magic + 32)

static const char magic[16] = "jounce kernel 2";

// ---- folder

jo_status jbatch_cache_dir(jo_context* ctx, jarena* a, const char** dir) {
  const char* wanted = NULL;
  JO_TRY(jfile_cache_dir(ctx, a, &wanted));
  // no path of ours may look like an option to a compiler
  char* path = jarena_printf(a, "%s%s", wanted[0] == '/' ? "" : "./", wanted);
  if (!path) return jerr_memory(ctx);
  // a slash at the end would lead through a link
  for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) {
    path[n - 1] = '\0';
  }
  JO_TRY(jfile_make_private(ctx, path));
  *dir = path;
  return JO_OK;
}

// ---- files

static void digest_of(const char* name, const void* data, size_t n, uint8_t digest[32]) {
  jsha256 s;
  jsha256_init(&s);
  jsha256_add(&s, name, strlen(name) + 1);
  jsha256_add(&s, data, n);
  jsha256_finish(&s, digest);
}

jo_status jbatch_cache_store(jo_context* ctx, jarena* scratch, const char* library,
                             const char* work, const char* dir, const char* name) {
  char* data = NULL;
  size_t n = 0;
  JO_TRY(jfile_read(ctx, scratch, library, LIBRARY_LIMIT, &data, &n));
  const char* made = jarena_printf(scratch, "%s/%s", work, name);
  const char* kept = jarena_printf(scratch, "%s/%s", dir, name);
  char* all = jarena_alloc(scratch, n + TRAILER_SIZE);
  if (!made || !kept || !all) return jerr_memory(ctx);
  uint8_t digest[32];
  digest_of(name, data, n, digest);
  memcpy(all, data, n);
  memcpy(all + n, magic, sizeof magic);
  memcpy(all + n + sizeof magic, digest, sizeof digest);
  JO_TRY(jfile_write_new(ctx, made, all, n + TRAILER_SIZE));
  return jfile_publish(ctx, made, kept);
}

static bool is_intact(const char* name, const char* data, size_t size) {
  if (size <= TRAILER_SIZE) return false;
  size_t n = size - TRAILER_SIZE;
  if (memcmp(data + n, magic, sizeof magic) != 0) return false;
  uint8_t digest[32];
  digest_of(name, data, n, digest);
  return memcmp(data + n + sizeof magic, digest, sizeof digest) == 0;
}

// Whether the open file is the whole library of ours that its name says. What cannot be used is as good as missing: it will
// be made anew, or that fails with a reason.
static jo_status check_file(jo_context* ctx, int fd, const char* name, bool* is_good) {
  struct stat st;
  *is_good = false;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || !jfile_is_ours(fd)) return JO_OK;
  if (st.st_size <= 0 || (uintmax_t)st.st_size > LIBRARY_LIMIT) return JO_OK;
  size_t size = (size_t)st.st_size;
  char* data = jmem_resize(ctx, NULL, size);
  if (!data) return jerr_memory(ctx);
  *is_good = jfile_read_open(fd, data, size) && is_intact(name, data, size);
  jmem_free(ctx, data);
  return JO_OK;
}

// By way of the folder that was checked, whatever its name leads to now. Loaded libraries are known to
// the loader by name, so this must end in one that tells them apart. Without /proc: by its name.
static void* load_from(int folder, const char* dir, const char* name) {
  char path[sizeof "/proc/self/fd//" + 10 + JBATCH_CACHE_NAME];
  jformat(path, sizeof path, "/proc/self/fd/%d/%s", folder, name);
  if (jfile_exists(path)) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  char named[PATH_MAX];
  int n = jformat(named, sizeof named, "%s/%s", dir, name);
  return n > 0 && (size_t)n < sizeof named ? dlopen(named, RTLD_NOW | RTLD_LOCAL) : NULL;
}

jo_status jbatch_cache_load(jo_context* ctx, const char* dir, const char* name, void** library) {
  *library = NULL;
  int folder = -1;
  JO_TRY(jfile_open_private(ctx, dir, &folder));
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool is_good = false;
  jo_status status = JO_OK;
  if (fd >= 0) {
    status = check_file(ctx, fd, name, &is_good);
    if (is_good) *library = load_from(folder, dir, name);
    close(fd);
  }
  close(folder);
  return status;
}
