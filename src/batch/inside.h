// SPDX-License-Identifier: Apache-2.0
// What the files of batches share.
#ifndef JBATCH_INSIDE_H
#define JBATCH_INSIDE_H

#include "batch/batch.h"

// Results of the last run are gone.
void jbatch_clear(jbatch* b);

#endif
