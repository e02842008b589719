// SPDX-License-Identifier: Apache-2.0
// Compiled several times (CMakeLists.txt): for each number of lanes, and once more for wider registers where the machine
// may have them. All do the same operations in the same order, without fused ones, and have the same bits.
#include "batch/march/back.h"

#include <math.h>

#include "base/elementary.h"
#include "batch/march/marches.h"

#define JBATCH_DO                       static inline
#define JBATCH_EVAL(g, f, in, out)      jbatch_eval((g)->host, f, in, out)
#define JBATCH_POW                      jm_pow
#define JBATCH_RESTRICT                 restrict
#define JBATCH_HISTORIES                1
#define JBATCH_KEEP_STEP(g, l)          jbatch_keep_step((g)->host, l)
#define JBATCH_KEEP_FLIP(g, l, k, kind) jbatch_keep_flip((g)->host, l, k, kind)
#include "batch/march/march.inc"
// and the way back
#include "batch/march/back.inc"

const jbatch_march JBATCH_NAME = {JBATCH_LANES, jb_carve, jb_march, jb_carve_back, jb_walk_back};
