// SPDX-License-Identifier: Apache-2.0
#include "batch/march/marches.h"

#include <stddef.h>

#include "base/system/cpu.h"

static const jbatch_march* widest_for(int lanes) {
#ifdef JBATCH_HAS_WIDE
  jcpu_level level = jcpu_chosen();
  if (lanes == 8 && level >= JCPU_V4) return &jbatch_march_8_wide;
  if (lanes == 4 && level >= JCPU_V3) return &jbatch_march_4_wide;
#endif
  (void)lanes;
  return NULL;
}

const jbatch_march* jbatch_march_for(int lanes) {
  const jbatch_march* wide = widest_for(lanes);
  if (wide) return wide;
  switch (lanes) {
    case 1: return &jbatch_march_1;
    case 2: return &jbatch_march_2;
    case 4: return &jbatch_march_4;
    case 8: return &jbatch_march_8;
    default: return NULL;
  }
}
