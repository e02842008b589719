// SPDX-License-Identifier: Apache-2.0
// What programs around the library need for output of their own.
#include <string.h>

#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"

jo_status jo_output_check(jo_context* ctx, const char* path) {
  JO_REQUIRE(ctx, path);
  return jfile_check_output(ctx, path);
}

jo_status jo_output_write(jo_context* ctx, const char* path, const void* data, size_t size) {
  JO_REQUIRE(ctx, path, data);
  return jfile_write(ctx, path, data, size);
}

int jo_text_character(const char* s) {
  JO_REQUIRE_OR(0, s);
  bool shows;
  int length = (int)jtext_character(s, strnlen(s, 4), &shows);
  return shows ? length : -length;
}
