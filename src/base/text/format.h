// SPDX-License-Identifier: Apache-2.0
// Formatted text, the same whatever locale the host has chosen. The only way from a number to text in
// the library; tools/check_calls.py sees to it.
#ifndef JBASE_FORMAT_H
#define JBASE_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

// As snprintf and vsnprintf, with the point of the C locale.
int jformat(char* buffer, size_t size, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
int jformat_v(char* buffer, size_t size, const char* format, va_list args)
    __attribute__((format(printf, 3, 0)));

#endif
