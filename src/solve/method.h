// SPDX-License-Identifier: Apache-2.0
// What jounce/methods.h says of the integration methods.
#ifndef JSOLVE_METHOD_H
#define JSOLVE_METHOD_H

#include <stdbool.h>
#include <stddef.h>

#include "jounce/methods.h"

typedef enum jsolve_method {
#define X(id, number, name, order, steps, kind, by, about) JSOLVE_##id = number,
  JO_METHOD_LIST(X)
#undef X
} jsolve_method;

#define X(id, number, name, order, steps, kind, by, about) +1
enum { JSOLVE_METHOD_COUNT = 0 JO_METHOD_LIST(X) };
#undef X

// Whether steps need a Jacobian.
typedef enum jsolve_method_kind {
  JSOLVE_EXPLICIT,
  JSOLVE_IMPLICIT,
  JSOLVE_BOTH,
  JSOLVE_MIXED
} jsolve_method_kind;

typedef struct jsolve_method_info {
  jsolve_method method;
  const char *name, *about;
  int order;      // 0: it varies
  bool is_fixed;  // steps of a given size; else as tolerances allow
  bool is_own;    // Runge-Kutta with a tableau, whose runs can be differentiated; else CVODE
  jsolve_method_kind kind;
} jsolve_method_info;

const jsolve_method_info* jsolve_method_about(jsolve_method m);

// The i-th in the order of lists, own ones only where asked for; NULL: no more.
const jsolve_method_info* jsolve_method_at(int i, bool own);

const char* jsolve_method_name(jsolve_method m);
int jsolve_method_find(const char* name);  // -1: none

// Names for messages: "a, b" and `last` before the last one.
#define JSOLVE_METHOD_NAMES 160
const char* jsolve_method_names(bool own, const char* last, char buffer[JSOLVE_METHOD_NAMES]);

#endif
