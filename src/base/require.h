// SPDX-License-Identifier: Apache-2.0
// First lines of public functions: what must be there. A NULL where an object, a text or room for a
// result is needed is told (in the context, where there is one) and refused, never followed.
#ifndef JBASE_REQUIRE_H
#define JBASE_REQUIRE_H

#include <stddef.h>

#include "base/err.h"

// Index of the first NULL, -1: none.
int jrequire_missing(const void* const* given, size_t n);

// JO_ERR_ARGUMENT, with a message that names the function and the argument. `names` are those of all
// arguments, with commas between. ctx NULL: nobody to tell.
jo_status jrequire_report(jo_context* ctx, const char* function, const char* names, int which);

// A list of n items; of none it may be NULL.
jo_status jrequire_list(jo_context* ctx, const char* function, const char* name, const void* list,
                        int n);

// A list of n texts, none of them NULL; of no texts it may be NULL itself.
jo_status jrequire_texts(jo_context* ctx, const char* function, const char* name,
                         const char* const* list, int n);

// Return `value` where one of the arguments is NULL: functions that report nothing.
#define JO_REQUIRE_OR(value, ...)                                                    \
  do {                                                                               \
    const void* const given_[] = {__VA_ARGS__};                                      \
    if (jrequire_missing(given_, sizeof given_ / sizeof *given_) >= 0) return value; \
  } while (0)

// Return JO_ERR_ARGUMENT where the context or one of the arguments is NULL.
#define JO_REQUIRE(context, ...)                                                         \
  do {                                                                                   \
    const void* const given_[] = {(context), __VA_ARGS__};                               \
    int missing_ = jrequire_missing(given_, sizeof given_ / sizeof *given_);             \
    if (missing_ >= 0)                                                                   \
      return jrequire_report((context), __func__, #context ", " #__VA_ARGS__, missing_); \
  } while (0)

// The same of a function that makes something: `*out` is NULL unless it succeeds.
#define JO_REQUIRE_OUT(out, context, ...)  \
  do {                                     \
    if (out) *(out) = NULL;                \
    JO_REQUIRE(context, __VA_ARGS__, out); \
  } while (0)

#define JO_REQUIRE_LIST(context, list, n) \
  JO_TRY(jrequire_list((context), __func__, #list, (list), (n)))

#define JO_REQUIRE_TEXTS(context, list, n) \
  JO_TRY(jrequire_texts((context), __func__, #list, (list), (n)))

#endif
