// SPDX-License-Identifier: Apache-2.0
// The processor: which level of its instructions compiled code uses. This is the one place that decides how wide vectors are;
// bits of results are the same at all levels.
#ifndef JCPU_H
#define JCPU_H

#include <stdbool.h>

#include "jounce/base.h"

// Levels as compilers call them, each with the doubles of a vector. Wider vectors than registers are taken to pieces through
// memory and are slower than single values. JCPU_OTHER: nothing is known of the processor but that its vectors are of 16 bytes.
#define JCPU_LEVELS(X)          \
  X(JCPU_OTHER, "other", 2)     \
  X(JCPU_AARCH64, "aarch64", 2) \
  X(JCPU_V1, "x86-64", 2)       \
  X(JCPU_V2, "x86-64-v2", 2)    \
  X(JCPU_V3, "x86-64-v3", 4)    \
  X(JCPU_V4, "x86-64-v4", 8)

#define JCPU_MEMBER(level, name, lanes) level,
typedef enum jcpu_level { JCPU_LEVELS(JCPU_MEMBER) } jcpu_level;
#undef JCPU_MEMBER

enum { JCPU_MAX_LANES = 8 };

// The highest level that this processor has, and whether it has JCPU_V3: cheap, for code that is called often.
jcpu_level jcpu_detect(void);
bool jcpu_has_v3(void);

// $JOUNCE_CPU, a level by name or "native"; the highest one where it is not set. An error: an unknown name, or a level that
// this processor does not have.
jo_status jcpu_choose(jo_context* ctx, jcpu_level* level);

// The same where jcpu_choose() has succeeded before; a name that it rejects counts as not set.
jcpu_level jcpu_chosen(void);

const char* jcpu_name(jcpu_level level);
int jcpu_lanes(jcpu_level level);  // doubles of a vector

// The flag by which gcc and clang compile for what was chosen: all that this processor can do where $JOUNCE_CPU is not set or
// "native". NULL: there is none.
const char* jcpu_flag(void);

#endif
