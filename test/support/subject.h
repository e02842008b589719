// SPDX-License-Identifier: Apache-2.0
// A model whose numbers vary, and batches of it.
#ifndef JTEST_SUBJECT_H
#define JTEST_SUBJECT_H

#include "batch/batch.h"
#include "support/fixture.h"

enum { SUBJECT_NUMBERS = 5 };  // most

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jsens* sens;
  int number[SUBJECT_NUMBERS], n;
  jbatch_options opt;
} subject;

// Numbers `name` vary; derivatives are by these, or by all of the model, otherwise as the setup says. Options are those of
// rk4 with steps of 2 ms, derivatives, one thread.
subject subject_open(const char* path, const char* const* name, int n, bool by_all,
                     jsens_setup setup);
void subject_close(subject* s);

// Numbers within ten percent of the model's (n x s->n).
double* subject_points(const subject* s, int n);

jbatch* subject_make(subject* s);
jbatch* subject_run(subject* s, const double* x, int n);

// Values of the live numbers at point x.
double* subject_values(const subject* s, const jbatch* b, const double* x);

// Point x by itself, by a method.
jsens_result* subject_run_alone(const subject* s, const jbatch* b, const double* x,
                                jsens_method method);

// Point i of a has the bits of point k of b.
void assert_same_point(const jbatch* a, int i, const jbatch* b, int k);

// n points of two subjects are the same.
void assert_same_subjects(subject* s, subject* other, int n);

// All points ended well, this way.
void assert_all_went(const jbatch* b, jbatch_way way, int left);

// A point is itself, whatever the lanes, the threads, the neighbours and their number; n points, every `each`-th alone.
void assert_itself(subject* s, int n, int each);

#endif
