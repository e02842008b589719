// SPDX-License-Identifier: Apache-2.0
// Journals. File: 24 bytes of name, 32 bytes of key, then records of
//   size (8 bytes), checksum of size and content (8 bytes), content
// in the byte order of the machine.
#include "base/system/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/system/file.h"

#define NAME       24
#define HEADER     (NAME + JJOURNAL_KEY)
#define PREFIX     16
#define MAX_BYTES  ((off_t)1 << 42)
#define MAX_RECORD ((uint64_t)1 << 28)
#define BLOCK      ((size_t)1 << 20)  // read at once

static const char name_text[NAME] = "jounce journal, v1    \n";

static jo_status fail(jo_context* ctx, const char* path, const char* what) {
  char reason[128] = "";
  strerror_r(errno, reason, sizeof reason);
  return jerr_set(ctx, JO_ERR_FILE, "%s: cannot %s: %s", path, what, reason);
}

static uint64_t checksum(uint64_t size, const void* data) {
  return jhash_mix(jhash_bytes(data, (size_t)size), size);
}

// n bytes from a place; false: an error, or the file is shorter.
static bool read_at(int fd, int64_t at, char* data, size_t n) {
  size_t have = 0;
  while (have < n) {
    ssize_t got = pread(fd, data + have, n - have, (off_t)at + (off_t)have);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;  // shorter than a moment ago
    if (got <= 0) return false;
    have += (size_t)got;
  }
  return true;
}

// A lock of this kind is gone with the process, however that ends.
static bool lock(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_SETLK, &whole) == 0;
}

static jo_status begin_anew(jjournal* j, const jjournal_options* opt) {
  char header[HEADER];
  memcpy(header, name_text, NAME);
  memcpy(header + NAME, opt->key, JJOURNAL_KEY);
  if (ftruncate(j->fd, 0) != 0 || !jfile_write_all(j->fd, header, HEADER)) {
    return fail(j->ctx, j->path, "write");
  }
  j->end = HEADER;
  return JO_OK;
}

// A window on the file: `have` bytes from `at` on.
typedef struct window {
  char* data;
  size_t size, have;
  int64_t at;
} window;

// n bytes from a place that the file has; the window moves and grows as needed.
static jo_status look(jjournal* j, window* w, int64_t at, size_t n, int64_t size,
                      const char** out) {
  if (at < w->at || at + (int64_t)n > w->at + (int64_t)w->have) {
    size_t want = n > BLOCK ? n : BLOCK;
    if (want > w->size) {
      char* more = jmem_resize(j->ctx, w->data, want);
      if (!more) return jerr_memory(j->ctx);
      w->data = more;
      w->size = want;
    }
    w->at = at;
    w->have = (int64_t)want < size - at ? want : (size_t)(size - at);
    if (!read_at(j->fd, at, w->data, w->have)) return fail(j->ctx, j->path, "read");
  }
  *out = w->data + (at - w->at);
  return JO_OK;
}

// Hand on every whole record up to j->end, which moves along.
static jo_status read_records(jjournal* j, const jjournal_options* opt, window* w, int64_t size) {
  while (size - j->end >= PREFIX) {
    const char* data;
    uint64_t n, sum;
    JO_TRY(look(j, w, j->end, PREFIX, size, &data));
    memcpy(&n, data, sizeof n);
    memcpy(&sum, data + sizeof n, sizeof sum);
    int64_t at = j->end + PREFIX;
    if (n > MAX_RECORD || n > (uint64_t)(size - at)) break;
    JO_TRY(look(j, w, at, (size_t)n, size, &data));
    if (sum != checksum(n, data)) break;
    JO_TRY(opt->record(opt->user, data, (size_t)n, at));
    j->end = at + (int64_t)n;
  }
  return JO_OK;
}

static jo_status read_back(jjournal* j, const jjournal_options* opt, window* w, int64_t size) {
  size_t known = size < HEADER ? (size_t)size : HEADER;
  const char* data;
  JO_TRY(look(j, w, 0, known, size, &data));
  if (memcmp(data, name_text, known < NAME ? known : NAME) != 0) {
    return jerr_set(j->ctx, JO_ERR_FILE,
                    "%s: is there already and is no journal; move it away, or choose another name "
                    "for the output",
                    j->path);
  }
  // killed while the header was written: nothing was done yet
  if (opt->restart || size < HEADER) return begin_anew(j, opt);
  if (memcmp(data + NAME, opt->key, JJOURNAL_KEY) != 0) {
    return jerr_set(j->ctx, JO_ERR_FILE,
                    "%s: belongs to other work: another model, other settings, options or version; "
                    "restart to throw it away, or choose another name for the output",
                    j->path);
  }
  j->end = HEADER;
  JO_TRY(read_records(j, opt, w, size));
  return ftruncate(j->fd, (off_t)j->end) == 0 ? JO_OK : fail(j->ctx, j->path, "write");
}

static jo_status use(jjournal* j, const jjournal_options* opt) {
  struct stat st;
  if (fstat(j->fd, &st) != 0) return fail(j->ctx, j->path, "read");
  if (!S_ISREG(st.st_mode)) {
    return jerr_set(j->ctx, JO_ERR_FILE, "%s: cannot write: not a plain file", j->path);
  }
  if (!lock(j->fd)) {
    return jerr_set(j->ctx, JO_ERR_FILE, "%s: another process is at this work", j->path);
  }
  // the size counts only now that nobody else writes
  if (fstat(j->fd, &st) != 0) return fail(j->ctx, j->path, "read");
  if (st.st_size > MAX_BYTES) return jerr_set(j->ctx, JO_ERR_LIMIT, "%s: too large", j->path);
  if (st.st_size == 0) return begin_anew(j, opt);
  window w = {0};
  jo_status status = read_back(j, opt, &w, (int64_t)st.st_size);
  jmem_free(j->ctx, w.data);
  return status;
}

static char* copy(jo_context* ctx, const char* text) {
  size_t n = strlen(text) + 1;
  char* to = jmem_resize(ctx, NULL, n);
  return to ? memcpy(to, text, n) : NULL;
}

jo_status jjournal_open(jo_context* ctx, const jjournal_options* opt, jjournal** out) {
  *out = NULL;
  jjournal* j = jmem_resize(ctx, NULL, sizeof *j);
  if (!j) return jerr_memory(ctx);
  *j = (jjournal){.ctx = ctx, .path = copy(ctx, opt->path), .fd = -1};
  jo_status status = j->path ? JO_OK : jerr_memory(ctx);
  if (status >= 0) {
    // not through a link: it would grow a file that is no journal's
    int flags = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
    j->fd = jfile_open(opt->path, flags, 0666);
    status = j->fd < 0 ? fail(ctx, opt->path, "open") : use(j, opt);
  }
  if (status < 0) {
    jjournal_close(j);
    return status;
  }
  *out = j;
  return JO_OK;
}

jo_status jjournal_append(jo_context* ctx, jjournal* j, const void* data, size_t size,
                          int64_t* at) {
  char* record = jmem_resize(ctx, NULL, PREFIX + size);
  if (!record) return jerr_memory(ctx);
  uint64_t n = size, sum = checksum(n, data);
  memcpy(record, &n, sizeof n);
  memcpy(record + sizeof n, &sum, sizeof sum);
  if (size > 0) memcpy(record + PREFIX, data, size);
  jo_status status =
      jfile_write_all(j->fd, record, PREFIX + size) ? JO_OK : fail(ctx, j->path, "write");
  jmem_free(ctx, record);
  if (status >= 0) {
    *at = j->end + PREFIX;
    j->end += (int64_t)(PREFIX + size);
  }
  return status;
}

jo_status jjournal_read(jo_context* ctx, const jjournal* j, int64_t at, void* data, size_t size) {
  return read_at(j->fd, at, data, size) ? JO_OK : fail(ctx, j->path, "read");
}

void jjournal_close(jjournal* j) {
  if (!j) return;
  if (j->fd >= 0) close(j->fd);
  jmem_free(j->ctx, j->path);
  jmem_free(j->ctx, j);
}

void jjournal_forget(jjournal* j) {
  unlink(j->path);
}
