// SPDX-License-Identifier: Apache-2.0
// What every test includes: cmocka with the headers it needs, and nearness of numbers.
#ifndef JTEST_CHECK_H
#define JTEST_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jounce/base.h"

// Sanitizers watch memory and threads, and what compilers make of emitted code is not built with
// them: how often a test repeats what it does can be less than in the plain build, which does all.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHECK_SANITIZED 1
#else
#define CHECK_SANITIZED 0
#endif

// |value - expected| <= tol, with tol scaled by $JOUNCE_TOL_SCALE: a small scale makes tests fail
// and so shows the true residuals. Not-a-number is near nothing.
#define assert_near(value, expected, tol) \
  check_near((value), (expected), (tol), #value, __FILE__, __LINE__)

static inline double check_tol_scale(void) {
  const char* text = getenv("JOUNCE_TOL_SCALE");
  return text ? strtod(text, NULL) : 1.0;
}

static inline void check_near(double value, double expected, double tol, const char* what,
                              const char* file, int line) {
  double limit = tol * check_tol_scale();
  if (value == expected || fabs(value - expected) <= limit) return;
  print_error("%s is %.17g, expected %.17g: off by %.3g, allowed %.3g\n", what, value, expected,
              fabs(value - expected), limit);
  _fail(file, line);
}

// A status is ok, or the test fails with the context's message.
#define assert_ok(ctx, call) check_ok((ctx), (call), #call, __FILE__, __LINE__)

static inline void check_ok(const jo_context* ctx, jo_status status, const char* what,
                            const char* file, int line) {
  if (status >= 0) return;
  print_error("%s: %s: %s\n", what, jo_status_text(status), jo_context_message(ctx));
  _fail(file, line);
}

#endif
