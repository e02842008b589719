// SPDX-License-Identifier: Apache-2.0
#include "base/text/text_file.h"

#include <string.h>

#include "base/err.h"

size_t jtext_mark(const char* text, size_t n) {
  return n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static int line_of(const char* text, const char* at) {
  int line = 1;
  for (; text < at; text++) {
    line += *text == '\n';
  }
  return line;
}

jo_status jtext_open(jo_context* ctx, const char* path, const char** text, size_t* n) {
  const char* s = *text + jtext_mark(*text, *n);
  size_t size = *n - (size_t)(s - *text);
  if (size >= 2 && (memcmp(s, "\xff\xfe", 2) == 0 || memcmp(s, "\xfe\xff", 2) == 0)) {
    return jerr_set(ctx, JO_ERR_SYNTAX, "%s:1: the text is UTF-16; save it as UTF-8", path);
  }
  const char* zero = size > 0 ? memchr(s, 0, size) : NULL;
  if (zero) {
    return jerr_set(ctx, JO_ERR_SYNTAX,
                    "%s:%d: a byte of zero, which no text has; the file is damaged or of another "
                    "kind",
                    path, line_of(s, zero));
  }
  if (size > 0 && s[size - 1] != '\n' && s[size - 1] != '\r') {
    jerr_warn(ctx,
              "%s:%d: the last line has no end: the file may be cut off there; if it is whole, add "
              "a line end",
              path, line_of(s, s + size));
  }
  *text = s;
  *n = size;
  return JO_OK;
}
