// SPDX-License-Identifier: Apache-2.0
// Invariants: what must hold whatever users do. Builds for tests and debugging (JOUNCE_ASSERTIONS) check them, others and
// exports never end their host: there a condition is not evaluated. Whoever builds the sources may define JOUNCE_ASSERT(condition)
// to have failures handled.
#ifndef JBASE_ASSERT_H
#define JBASE_ASSERT_H

#include <stddef.h>

#if defined(JOUNCE_ASSERT)
#define JASSERT(condition) JOUNCE_ASSERT(condition)
#elif defined(JOUNCE_ASSERTIONS)
#include <assert.h>
#define JASSERT(condition) assert(condition)
#else
#define JASSERT(condition) ((void)sizeof(!(condition)))
#endif

#endif
