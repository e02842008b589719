// SPDX-License-Identifier: Apache-2.0
// Files and folders by POSIX calls. Every error names the path and the system's reason.
#include "base/system/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/text/format.h"

// "PATH: cannot WHAT: reason", from errno.
static jo_status fail(jo_context* ctx, const char* path, const char* what) {
  char reason[128] = "";
  strerror_r(errno, reason, sizeof reason);
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot %s: %s", path, what, reason);
}

int jfile_raise(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  int cause = errno;
  close(fd);
  errno = cause;
  return higher;
}

int jfile_open(const char* path, int flags, unsigned mode) {
  return jfile_raise(open(path, flags | O_CLOEXEC, (mode_t)mode));
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

static bool write_on(int fd, const char* data, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, data, n);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    data += done;
    n -= (size_t)done;
  }
  return true;
}

// A file that grows beyond the limit of the process (ulimit -f) is an error and a signal, which would end the host: it is held back
// while this thread writes, and taken when it has come.
bool jfile_write_all(int fd, const char* data, size_t n) {
  sigset_t limit, before;
  sigemptyset(&limit);
  sigaddset(&limit, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &limit, &before);
  bool is_written = write_on(fd, data, n);
  int cause = errno;
  const struct timespec now = {0};
  if (!is_written && cause == EFBIG && !sigismember(&before, SIGXFSZ)) {
    sigtimedwait(&limit, NULL, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = cause;
  return is_written;
}

bool jfile_has_room(const char* folder, size_t size) {
  static const char zeros[1 << 16];
  char name[PATH_MAX];
  int n = jformat(name, sizeof name, "%s/room-%ld", folder, (long)getpid());
  int fd = n > 0 && (size_t)n < sizeof name
               ? jfile_open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600)
               : -1;
  if (fd < 0) return false;
  bool has_room = true;
  for (size_t done = 0; has_room && done < size; done += sizeof zeros) {
    has_room = jfile_write_all(fd, zeros, sizeof zeros);
  }
  has_room = close(fd) == 0 && has_room;
  unlink(name);
  return has_room;
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
  int fd = jfile_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
  if (fd < 0) return fail(ctx, path, "open");
  jo_status status = read_open(ctx, a, path, fd, limit, data, size);
  close(fd);
  return status;
}

bool jfile_read_open(int fd, char* data, size_t size) {
  return lseek(fd, 0, SEEK_SET) == 0 && read_all(fd, data, size) == (ssize_t)size;
}

// ---- writing -------------------------------------------------------------------------------------

// Close, and keep the error of what went before.
static bool close_after(int fd, bool is_fine) {
  int cause = errno;
  bool is_closed = close(fd) == 0;
  if (!is_fine) errno = cause;
  return is_fine && is_closed;
}

// The folder of `path`, into `folder` of at least its length + 2.
static void parent_of(const char* path, char* folder) {
  const char* slash = strrchr(path, '/');
  size_t n = slash ? (size_t)(slash - path) : 0;
  memcpy(folder, path, n);
  strcpy(folder + n, n > 0 ? "" : slash ? "/" : ".");
}

// A name in a folder is on the disk when the folder is. Where folders cannot be synced, it comes later.
static void sync_parent(const char* path, char* room) {
  parent_of(path, room);
  int fd = jfile_open(room, O_RDONLY | O_DIRECTORY, 0);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

// Look at what `path` is now; *mode is what a file in its place gets. Root may write to everything, but
// read-only says that the file shall stay as it is.
static jo_status check_target(jo_context* ctx, const char* path, mode_t* mode) {
  struct stat st;
  *mode = 0666;
  if (!*path) return jerr_set(ctx, JO_ERR_FILE, "name of the file to write is empty");
  if (lstat(path, &st) != 0) return errno == ENOENT ? JO_OK : fail(ctx, path, "write");
  const char* cause = NULL;
  if (S_ISLNK(st.st_mode)) {
    cause = "it is a link; give the name of the file it leads to, or remove it";
  } else if (!S_ISREG(st.st_mode)) {
    cause = "not a plain file";
  } else if (!(st.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) ||
             faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) {
    cause = "it is read-only; choose another name, or make it writable";
  }
  if (cause) return jerr_set(ctx, JO_ERR_FILE, "%s: cannot write: %s", path, cause);
  *mode = st.st_mode & 0777;
  return JO_OK;
}

// A new file beside `path`.
static int open_beside(const char* path, char* name, size_t name_size, mode_t mode) {
  for (int attempt = 0; attempt < 10000; attempt++) {
    jformat(name, name_size, "%s.%ld-%d.tmp", path, (long)getpid(), attempt);
    int fd = jfile_open(name, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// What both of the following begin with: the target looked at, and a file beside it.
typedef struct target {
  char* name;  // of the file beside it
  int fd;
} target;

static jo_status open_target(jo_context* ctx, const char* path, target* t) {
  mode_t mode;
  JO_TRY(check_target(ctx, path, &mode));
  size_t name_size = strlen(path) + 48;
  t->name = jmem_resize(ctx, NULL, name_size);
  if (!t->name) return jerr_memory(ctx);
  t->fd = open_beside(path, t->name, name_size, mode);
  if (t->fd >= 0) return JO_OK;
  jo_status status = fail(ctx, path, "write");
  jmem_free(ctx, t->name);
  return status;
}

jo_status jfile_write(jo_context* ctx, const char* path, const void* data, size_t size) {
  target t;
  JO_TRY(open_target(ctx, path, &t));
  jo_status status = JO_OK;
  bool is_written = jfile_write_all(t.fd, data, size) && fsync(t.fd) == 0;
  if (close_after(t.fd, is_written) && rename(t.name, path) == 0) {
    sync_parent(path, t.name);
  } else {
    status = fail(ctx, path, "write");
    unlink(t.name);
  }
  jmem_free(ctx, t.name);
  return status;
}

jo_status jfile_check_output(jo_context* ctx, const char* path) {
  target t;
  JO_TRY(open_target(ctx, path, &t));
  close(t.fd);
  unlink(t.name);
  jmem_free(ctx, t.name);
  return JO_OK;
}

jo_status jfile_write_new(jo_context* ctx, const char* path, const void* data, size_t size) {
  int fd = jfile_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return fail(ctx, path, "write");
  return close_after(fd, jfile_write_all(fd, data, size)) ? JO_OK : fail(ctx, path, "write");
}

jo_status jfile_publish(jo_context* ctx, const char* from, const char* to) {
  char* room = jmem_resize(ctx, NULL, strlen(to) + 2);
  if (!room) return jerr_memory(ctx);
  int fd = jfile_open(from, O_RDONLY | O_NOFOLLOW, 0);
  bool is_fine = fd >= 0 && close_after(fd, fsync(fd) == 0) && rename(from, to) == 0;
  jo_status status = is_fine ? JO_OK : fail(ctx, to, "write");
  if (is_fine) sync_parent(to, room);
  jmem_free(ctx, room);
  return status;
}

// ---- folders -------------------------------------------------------------------------------------

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
static bool make_parents(char* path, mode_t mode) {
  for (char* s = path + 1; *s; s++) {
    if (*s != '/') continue;
    *s = '\0';
    bool is_made = make_one(path, mode);
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
  if (!make_parents(copy, mode) || !make_one(copy, mode)) status = fail(ctx, path, "make folder");
  jmem_free(ctx, copy);
  return status;
}

jo_status jfile_make_dirs(jo_context* ctx, const char* path) {
  return make_dir(ctx, path, 0777);
}

jo_status jfile_make_private(jo_context* ctx, const char* path) {
  return make_dir(ctx, path, 0700);
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
    return jerr_set(ctx, JO_ERR_FILE,
                    "no folder for cached files: neither JOUNCE_CACHE_DIR nor HOME is set");
  }
  if (!dir) return jerr_memory(ctx);
  *path = dir;
  return JO_OK;
}

bool jfile_is_ours(int fd) {
  struct stat st;
  return fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

jo_status jfile_open_private(jo_context* ctx, const char* path, int* fd) {
  struct stat st;
  if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode)) {
    return jerr_set(ctx, JO_ERR_FILE,
                    "%s: the cache folder is a link, and code is only loaded from a folder of your "
                    "own; set JOUNCE_CACHE_DIR to the folder itself",
                    path);
  }
  int dir = jfile_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
  if (dir < 0) return fail(ctx, path, "use as cache folder");
  if (!jfile_is_ours(dir)) {
    close(dir);
    return jerr_set(ctx, JO_ERR_FILE,
                    "%s: the cache folder belongs to another user or others may write to it, and "
                    "code is only loaded from a folder of your own; chmod go-w it, or set "
                    "JOUNCE_CACHE_DIR to another",
                    path);
  }
  *fd = dir;
  return JO_OK;
}

jo_status jfile_temp_dir(jo_context* ctx, jarena* a, const char* parent, const char** path) {
  char* name = jarena_printf(a, "%s/jounce-XXXXXX", parent);
  if (!name) return jerr_memory(ctx);
  if (!mkdtemp(name)) return fail(ctx, parent, "make a temporary folder in it");
  *path = name;
  return JO_OK;
}

#define MAX_DEPTH 4  // of folders in folders of ours

// Links are removed, never followed. Takes the descriptor.
static void empty(int fd, int depth) {
  DIR* dir = fdopendir(fd);
  if (!dir) {
    close(fd);
    return;
  }
  for (struct dirent* e = readdir(dir); e; e = readdir(dir)) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    if (unlinkat(dirfd(dir), e->d_name, 0) == 0 || depth == 0) continue;
    int inner = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) continue;
    empty(jfile_raise(inner), depth - 1);
    unlinkat(dirfd(dir), e->d_name, AT_REMOVEDIR);
  }
  closedir(dir);
}

void jfile_empty_dir(int fd) {
  empty(fd, MAX_DEPTH);
}

void jfile_remove_dir(const char* path) {
  int fd = jfile_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
  if (fd < 0) return;
  empty(fd, MAX_DEPTH);
  rmdir(path);
}
