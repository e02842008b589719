// SPDX-License-Identifier: Apache-2.0
// Compiled several times (CMakeLists.txt): for each number of lanes, and once more for wider registers where the machine
// may have them. All do the same operations in the same order, without fused ones, and have the same bits.
#include "batch/lanes.h"

#include <math.h>

#include "base/elementary.h"
#include "batch/marches.h"

#define JBATCH_DO                  static inline
#define JBATCH_EVAL(g, f, in, out) jbatch_eval((g)->host, f, in, out)
#define JBATCH_POW                 jm_pow
#define JBATCH_RESTRICT            restrict
#define JBATCH_HISTORIES           1
#include "batch/march.inc"

const jbatch_march JBATCH_NAME = {JBATCH_LANES, jb_carve, jb_march};
