// SPDX-License-Identifier: Apache-2.0
#include "solve/method.h"

#include <string.h>

#include "base/text/format.h"

static const jsolve_method_info* table(void) {
  enum { FIXED = true, ADAPTIVE = false, OWN = true, CVODE = false };
  static const jsolve_method_info method[JSOLVE_METHOD_COUNT] = {
#define X(id, number, name, order, steps, kind, by, about) \
  {JSOLVE_##id, name, about, order, steps, by, JSOLVE_##kind},
      JO_METHOD_LIST(X)
#undef X
  };
  return method;
}

const jsolve_method_info* jsolve_method_about(jsolve_method m) {
  const jsolve_method_info* method = table();
  for (int i = 0; i < JSOLVE_METHOD_COUNT; i++) {
    if (method[i].method == m) return &method[i];
  }
  return NULL;
}

const jsolve_method_info* jsolve_method_at(int i, bool own) {
  const jsolve_method_info* method = table();
  for (int k = 0; i >= 0 && k < JSOLVE_METHOD_COUNT; k++) {
    if (own && !method[k].is_own) continue;
    if (i-- == 0) return &method[k];
  }
  return NULL;
}

const char* jsolve_method_name(jsolve_method m) {
  const jsolve_method_info* method = jsolve_method_about(m);
  return method ? method->name : "unknown";
}

int jsolve_method_find(const char* name) {
  const jsolve_method_info* method = table();
  for (int i = 0; i < JSOLVE_METHOD_COUNT; i++) {
    if (strcmp(method[i].name, name) == 0) return (int)method[i].method;
  }
  return -1;
}

const char* jsolve_method_names(bool own, const char* last, char buffer[JSOLVE_METHOD_NAMES]) {
  size_t n = 0;
  buffer[0] = '\0';
  for (int i = 0; jsolve_method_at(i, own) && n < JSOLVE_METHOD_NAMES; i++) {
    const char* between = i == 0 ? "" : jsolve_method_at(i + 1, own) ? ", " : last;
    n += (size_t)jformat(buffer + n, JSOLVE_METHOD_NAMES - n, "%s%s", between,
                         jsolve_method_at(i, own)->name);
  }
  return buffer;
}
