// SPDX-License-Identifier: Apache-2.0
// Formatted text in the C locale, of this thread and for the moment of the call only: the host's own
// threads and its choice are left alone.
#include "base/text/format.h"

#include <locale.h>
#include <stdio.h>

int jformat_v(char* buffer, size_t size, const char* format, va_list args) {
  // the C locale is static in the C libraries there are: this neither allocates nor fails
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = plain ? uselocale(plain) : (locale_t)0;
  int length = vsnprintf(buffer, size, format, args);
  if (plain) {
    uselocale(before);
    freelocale(plain);
  }
  return length;
}

int jformat(char* buffer, size_t size, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int length = jformat_v(buffer, size, format, args);
  va_end(args);
  return length;
}
