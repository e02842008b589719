// SPDX-License-Identifier: Apache-2.0
// What goes to a device and comes back: plain data, also for its compiler. Arrays have the points innermost,
// x[i * n + v].
#ifndef JBATCH_JOB_H
#define JBATCH_JOB_H

#include "batch/march/lanes.h"

// How a point ended.
enum { JBATCH_END_PHASE, JBATCH_END_WHY, JBATCH_END_STEPS, JBATCH_END_EVENTS, JBATCH_ENDS };

typedef struct jbatch_job {
  long n;
  // starts: numbers, states with their derivatives, modes
  const double *p, *y, *mode;
  // results: objectives with derivatives, outputs, ends. Of these phases are also read: those that do not RUN are left out
  double *psi, *out, *end;
  double* history;  // rows x outputs of the rule
  double* store;    // of the device: lanes that run
  double seconds;   // on the devices, without copies; of the slowest
} jbatch_job;

// What a compiled library exports. False: `message` says why not.
typedef int (*jbatch_device_run)(const jbatch_rule* rule, jbatch_job* job, char* message, int size);

#endif
