// SPDX-License-Identifier: Apache-2.0
#include "emit/encode/target.h"

static const jemit_target* const target[] = {
    [JCPU_AARCH64] = &jemit_arm64,
    [JCPU_V2] = &jemit_x86_v2,
    [JCPU_V3] = &jemit_x86_v3,
    [JCPU_V4] = &jemit_x86_v4,
};
enum { TARGETS = sizeof target / sizeof *target };

// Prefixes of AVX-512 have two bytes more than those of AVX: where nothing is as wide as its vectors, they cost more time than
// its instructions save.
jcpu_level jemit_level_for(jcpu_level level, int widest) {
  return level == JCPU_V4 && widest <= jemit_x86_v3.lanes ? JCPU_V3 : level;
}

const jemit_target* jemit_target_of(jcpu_level level) {
  return (int)level < TARGETS ? target[level] : NULL;
}
