// SPDX-License-Identifier: Apache-2.0
// Whether values of a batch are in doubt. Lanes do not look: a sample of the points is run alone, with everything that a run
// checks.
#ifndef JBATCH_DOUBT_H
#define JBATCH_DOUBT_H

#include "batch/batch.h"
#include "sens/error/verdict.h"

enum { JBATCH_CHECK_MOST = 64 };  // points

// Whether point i belongs to the sample of n points: the first and the last, about every 256th, at least 8 and at most
// JBATCH_CHECK_MOST, evenly spread.
bool jbatch_is_checked(int n, int i);

// Runs points of the sample alone, on the threads of the batch. x: values of all points of the last run; what is not checked,
// as the point fails, stays as it is.
jo_status jbatch_check(jbatch* b, const double* x, const int* sample, int n, jsens_verdict* out);

#endif
