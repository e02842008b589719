// SPDX-License-Identifier: Apache-2.0
// The lock of a folder belongs to its descriptor, and goes with the process however that ends. Between
// making a folder and locking it another process may take it for one left over: then the next is tried.
#include "base/system/work.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/system/file.h"

#define WORK "jounce-work-"

// Remove a folder of work nobody has locked; others stay.
static void remove_left_over(int parent, const char* name) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  if (!jfile_is_ours(fd) || flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    return;
  }
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy >= 0) jfile_empty_dir(copy);
  unlinkat(parent, name, AT_REMOVEDIR);
  close(fd);
}

static void remove_all_left_over(const char* parent) {
  DIR* dir = opendir(parent);
  if (!dir) return;
  for (struct dirent* e = readdir(dir); e; e = readdir(dir)) {
    if (strncmp(e->d_name, WORK, sizeof WORK - 1) == 0) remove_left_over(dirfd(dir), e->d_name);
  }
  closedir(dir);
}

// Lock a folder just made; false: another process has removed it, or is about to.
static bool lock_folder(const char* path, int fd) {
  struct stat now, then;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return fstat(fd, &then) == 0 && lstat(path, &now) == 0 && now.st_dev == then.st_dev &&
         now.st_ino == then.st_ino;
}

jo_status jwork_open(jo_context* ctx, jarena* a, const char* parent, jwork* out) {
  remove_all_left_over(parent);
  for (int attempt = 0; attempt < 100; attempt++) {
    char* name = jarena_printf(a, "%s/" WORK "XXXXXX", parent);
    if (!name) return jerr_memory(ctx);
    if (!mkdtemp(name)) break;
    int fd = jfile_open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd >= 0 && lock_folder(name, fd)) {
      *out = (jwork){name, fd, jproc_keep(name)};
      return JO_OK;
    }
    if (fd >= 0) close(fd);
  }
  char reason[128] = "";
  strerror_r(errno, reason, sizeof reason);
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot make a temporary folder in it: %s", parent, reason);
}

void jwork_close(jwork* w) {
  jfile_remove_dir(w->path);
  jproc_keep_no_more(&w->keeper);
  close(w->fd);
  *w = (jwork){NULL, -1, {0}};
}
