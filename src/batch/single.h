// SPDX-License-Identifier: Apache-2.0
// What single precision costs: a sample of the points is run in double precision too, in lanes of the processor, with the
// same method and steps.
#ifndef JBATCH_SINGLE_H
#define JBATCH_SINGLE_H

#include "base/mem.h"

enum { JBATCH_SAMPLE_MOST = 64 };  // points

// Whether a point belongs to the sample of n points: about every 64th does, at least 8 and at most JBATCH_SAMPLE_MOST, evenly
// spread.
bool jbatch_is_sampled(int n, int i);

// The largest difference of each of some numbers over the points of a sample, and its size there.
typedef struct jbatch_error {
  int n;
  double *off, *most;  // (n)
} jbatch_error;

// Its memory is the arena's. NULL arrays: there is none left.
jbatch_error jbatch_error_none(jarena* a, int n);

// The numbers of a point and their differences; infinite ones where only one of both runs came to its end.
void jbatch_error_add(jbatch_error* e, const double* number, const double* difference);

// The worst of the numbers, difference over size: at most 1, or infinite.
double jbatch_error_worst(const jbatch_error* e);

#endif
