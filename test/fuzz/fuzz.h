// SPDX-License-Identifier: Apache-2.0
// What fuzz targets share: promises that end the run when broken, and input as a file.
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void require(bool condition) {
  if (!condition) abort();
}

// A file of this process, the same one for every input; in memory where that is possible.
static inline const char* fuzz_path(const char* suffix) {
  static char path[256];
  const char* folder = getenv("TMPDIR");
  if (!folder && access("/dev/shm", W_OK) == 0) folder = "/dev/shm";
  snprintf(path, sizeof path, "%s/jounce_fuzz_%ld%s", folder ? folder : "/tmp", (long)getpid(),
           suffix);
  return path;
}

static inline void fuzz_save(const char* path, const void* data, size_t size) {
  FILE* f = fopen(path, "wb");
  require(f != NULL);
  require(fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

#endif
