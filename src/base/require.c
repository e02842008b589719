// SPDX-License-Identifier: Apache-2.0
#include "base/require.h"

#include <string.h>

int jrequire_missing(const void* const* given, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (!given[i]) return (int)i;
  }
  return -1;
}

jo_status jrequire_report(jo_context* ctx, const char* function, const char* names, int which) {
  if (!ctx) return JO_ERR_ARGUMENT;
  for (; which > 0; which--) {
    names += strcspn(names, ",") + 2;
  }
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: argument '%.*s' is NULL", function,
                  (int)strcspn(names, ","), names);
}

jo_status jrequire_list(jo_context* ctx, const char* function, const char* name, const void* list,
                        int n) {
  if (n < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: a list '%s' of %d items", function, name, n);
  }
  return n > 0 && !list ? jrequire_report(ctx, function, name, 0) : JO_OK;
}

jo_status jrequire_texts(jo_context* ctx, const char* function, const char* name,
                         const char* const* list, int n) {
  JO_TRY(jrequire_list(ctx, function, name, list, n));
  for (int i = 0; i < n; i++) {
    if (list[i]) continue;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: text %d of '%s' is NULL", function, i + 1, name);
  }
  return JO_OK;
}
