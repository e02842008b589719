// SPDX-License-Identifier: Apache-2.0
// What programs around the library need for output of their own.
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

jo_status jo_output_check(jo_context* ctx, const char* path) {
  if (!ctx) return JO_ERR_ARGUMENT;
  if (!path) return jerr_set(ctx, JO_ERR_ARGUMENT, "output: no name of a file");
  return jfile_check_output(ctx, path);
}

jo_status jo_output_write(jo_context* ctx, const char* path, const void* data, size_t size) {
  if (!ctx) return JO_ERR_ARGUMENT;
  if (!path || (!data && size > 0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "output: no name of a file, or nothing to write");
  }
  return jfile_write(ctx, path, data, size);
}

int jo_text_character(const char* s) {
  bool shows;
  if (!s) return 0;
  int length = (int)jtext_character(s, strnlen(s, 4), &shows);
  return shows ? length : -length;
}
