// SPDX-License-Identifier: Apache-2.0
// Files and folders by POSIX calls. Every error names the path and the system's reason.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

// "PATH: cannot WHAT: reason", from errno.
static jo_status fail(jo_context* ctx, const char* path, const char* what) {
  char reason[128] = "";
  strerror_r(errno, reason, sizeof reason);
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot %s: %s", path, what, reason);
}

// Read up to n bytes until the end of the file; -1 on an error.
static ssize_t read_all(int fd, char* data, size_t n) {
  size_t have = 0;
  while (have < n) {
    ssize_t got = read(fd, data + have, n - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += (size_t)got;
  }
  return (ssize_t)have;
}

static bool write_all(int fd, const char* data, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, data, n);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    data += done;
    n -= (size_t)done;
  }
  return true;
}

static jo_status read_open(jo_context* ctx, jarena* a, const char* path, int fd, size_t limit,
                           char** data, size_t* size) {
  struct stat st;
  if (fstat(fd, &st) != 0) return fail(ctx, path, "read");
  if (!S_ISREG(st.st_mode)) {
    return jerr_set(ctx, JO_ERR_FILE, "%s: cannot read: not a plain file", path);
  }
  if (st.st_size < 0 || (uintmax_t)st.st_size > limit) {
    return jerr_set(ctx, JO_ERR_LIMIT, "%s: file of %jd bytes is too large (limit %zu)", path,
                    (intmax_t)st.st_size, limit);
  }
  jarena_mark mark = jarena_save(a);
  char* text = jarena_array(a, (size_t)st.st_size + 1, 1);
  if (!text) return jerr_memory(ctx);
  ssize_t n = read_all(fd, text, (size_t)st.st_size);
  if (n < 0) {
    jo_status status = fail(ctx, path, "read");
    jarena_restore(a, mark);
    return status;
  }
  *data = text;
  *size = (size_t)n;
  return JO_OK;
}

jo_status jfile_read(jo_context* ctx, jarena* a, const char* path, size_t limit, char** data,
                     size_t* size) {
  // a named pipe must not make us wait before we can see what it is
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fail(ctx, path, "open");
  jo_status status = read_open(ctx, a, path, fd, limit, data, size);
  close(fd);
  return status;
}

// A new file beside `path`, with the permissions an ordinary new file gets.
static int open_beside(const char* path, char* name, size_t name_size) {
  for (int attempt = 0; attempt < 10000; attempt++) {
    snprintf(name, name_size, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

jo_status jfile_write(jo_context* ctx, const char* path, const void* data, size_t size) {
  // rename would replace a device or a pipe by a file
  struct stat st;
  if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
    return jerr_set(ctx, JO_ERR_FILE, "%s: cannot write: not a plain file", path);
  }
  size_t name_size = strlen(path) + 48;
  char* name = jmem_resize(ctx, NULL, name_size);
  if (!name) return jerr_memory(ctx);

  jo_status status = JO_OK;
  int fd = open_beside(path, name, name_size);
  if (fd < 0) {
    status = fail(ctx, path, "write");
  } else {
    bool is_written = write_all(fd, data, size);
    int cause = errno;
    bool is_closed = close(fd) == 0;
    if (!is_written) errno = cause;
    if (!is_written || !is_closed || rename(name, path) != 0) {
      status = fail(ctx, path, "write");
      unlink(name);
    }
  }
  jmem_free(ctx, name);
  return status;
}

bool jfile_exists(const char* path) {
  struct stat st;
  return stat(path, &st) == 0;
}

const char* jfile_absolute(jarena* a, const char* path) {
  char buffer[PATH_MAX];
  return jarena_strdup(a, realpath(path, buffer) ? buffer : path);
}

static size_t folder_length(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

const char* jfile_relative(jarena* a, const char* path, const char* from_file) {
  size_t common = 0, folder = folder_length(from_file);
  for (size_t i = 0; i < folder && path[i] == from_file[i]; i++) {
    if (path[i] == '/') common = i + 1;
  }
  if (common <= 1) return jarena_strdup(a, path);
  size_t up = 0;
  for (size_t i = common; i < folder; i++) {
    up += from_file[i] == '/';
  }
  size_t rest = strlen(path + common);
  char* out = jarena_alloc(a, 3 * up + rest + 1);
  for (size_t i = 0; out && i < up; i++) {
    memcpy(out + 3 * i, "../", 3);
  }
  if (out) memcpy(out + 3 * up, path + common, rest);
  return out;
}

const char* jfile_beside(jarena* a, const char* file, const char* path) {
  size_t n = path[0] == '/' ? 0 : folder_length(file);
  return jarena_printf(a, "%.*s%s", (int)n, file, path);
}

static bool is_dir(const char* path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// Make a folder, or find it there; else errno tells why it cannot be made.
static bool make_one(const char* path, mode_t mode) {
  if (mkdir(path, mode) == 0) return true;
  int cause = errno;
  if (is_dir(path)) return true;
  errno = cause;
  return false;
}

// Make every folder above the last one, in place: slashes are cut out and put back.
static bool make_parents(char* path) {
  for (char* s = path + 1; *s; s++) {
    if (*s != '/') continue;
    *s = '\0';
    bool is_made = make_one(path, 0777);
    *s = '/';
    if (!is_made) return false;
  }
  return true;
}

static jo_status make_dir(jo_context* ctx, const char* path, mode_t mode) {
  if (path[0] == '\0') return jerr_set(ctx, JO_ERR_FILE, "folder name is empty");
  if (is_dir(path)) return JO_OK;
  size_t n = strlen(path);
  char* copy = jmem_resize(ctx, NULL, n + 1);
  if (!copy) return jerr_memory(ctx);
  memcpy(copy, path, n + 1);
  while (n > 1 && copy[n - 1] == '/') {
    copy[--n] = '\0';
  }
  jo_status status = JO_OK;
  if (!make_parents(copy) || !make_one(copy, mode)) status = fail(ctx, path, "make folder");
  jmem_free(ctx, copy);
  return status;
}

jo_status jfile_make_dirs(jo_context* ctx, const char* path) {
  return make_dir(ctx, path, 0777);
}

static const char* get_variable(const char* name) {
  const char* value = getenv(name);
  return value && value[0] ? value : NULL;
}

jo_status jfile_cache_dir(jo_context* ctx, jarena* a, const char** path) {
  const char* own = get_variable("JOUNCE_CACHE_DIR");
  const char* xdg = get_variable("XDG_CACHE_HOME");
  const char* home = get_variable("HOME");
  const char* dir = NULL;
  if (own) {
    dir = jarena_strdup(a, own);
  } else if (xdg && xdg[0] == '/') {  // the XDG rules ignore relative paths
    dir = jarena_printf(a, "%s/jounce", xdg);
  } else if (home) {
    dir = jarena_printf(a, "%s/.cache/jounce", home);
  } else {
    return jerr_set(ctx, JO_ERR_FILE, "no folder for cached files: set JOUNCE_CACHE_DIR or HOME");
  }
  if (!dir) return jerr_memory(ctx);
  JO_TRY(make_dir(ctx, dir, 0700));

  // what lies in there will be loaded and run
  struct stat st;
  if (stat(dir, &st) != 0) return fail(ctx, dir, "use as cache folder");
  if (st.st_uid != geteuid()) {
    return jerr_set(ctx, JO_ERR_FILE, "%s: cache folder belongs to another user", dir);
  }
  if (st.st_mode & (S_IWGRP | S_IWOTH)) {
    return jerr_set(ctx, JO_ERR_FILE,
                    "%s: others may write to the cache folder; chmod go-w it, or set "
                    "JOUNCE_CACHE_DIR to another",
                    dir);
  }
  *path = dir;
  return JO_OK;
}

jo_status jfile_temp_dir(jo_context* ctx, jarena* a, const char* parent, const char** path) {
  char* name = jarena_printf(a, "%s/jounce-XXXXXX", parent);
  if (!name) return jerr_memory(ctx);
  if (!mkdtemp(name)) return fail(ctx, parent, "make a temporary folder in it");
  *path = name;
  return JO_OK;
}

void jfile_remove_dir(const char* path) {
  DIR* dir = opendir(path);
  if (!dir) return;
  for (struct dirent* e = readdir(dir); e; e = readdir(dir)) {
    unlinkat(dirfd(dir), e->d_name, 0);  // fails for folders, "." and ".." among them
  }
  closedir(dir);
  rmdir(path);
}
