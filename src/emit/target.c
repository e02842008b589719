// SPDX-License-Identifier: Apache-2.0
#include "emit/target.h"

static const jemit_target* const target[] = {
    [JCPU_AARCH64] = &jemit_arm64,
    [JCPU_V2] = &jemit_x86_v2,
    [JCPU_V3] = &jemit_x86_v3,
    [JCPU_V4] = &jemit_x86_v4,
};
enum { TARGETS = sizeof target / sizeof *target };

const jemit_target* jemit_target_of(jcpu_level level) {
  return (int)level < TARGETS ? target[level] : NULL;
}
