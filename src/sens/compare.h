// SPDX-License-Identifier: Apache-2.0
// Errors of a run with derivatives from the same run taken otherwise: with larger tolerances, with steps of half the
// length, or, where steps are fixed, with longer or shorter ones. docs/theory/sensitivity.md, "Comparison".
#ifndef JSENS_COMPARE_H
#define JSENS_COMPARE_H

#include "sens/sens.h"

// What limits the steps of the other run.
typedef struct jsens_compare {
  jo_context* ctx;
  double factor;  // of what limits the run itself, ...
  double (*limit)(void* user, double t);
  void* user;
  int n, cap;
  double* node;  // ... or times that steps end at; NULL: none
} jsens_compare;

void jsens_compare_begin(jsens_compare* c, jo_context* ctx);
void jsens_compare_end(jsens_compare* c);

// Options of the i-th run with larger tolerances than those that r was taken with; false: they would be too large to tell anything.
bool jsens_compare_coarser(jsens_compare* c, const jsens_options* opt, int i, jsens_options* out);

// Whether the steps of such a run follow its tolerances; where events cut them, or stability limits them, they do not.
bool jsens_compare_tells(const jsens_result* r, const jsens_result* other);

// Options of a run along the steps of r, each of them halved.
jo_status jsens_compare_halved(jsens_compare* c, const jsens_options* opt, const jsens_result* r,
                               jsens_options* out);

// Fixed steps of another length, twice or half as long; where events cut most of them, half the mean length. `is_longer` on
// input: wanted; on output: it is.
void jsens_compare_step(const jsens_options* opt, const jsens_result* r, bool* is_longer,
                        jsens_options* out);

// The errors of r from runs taken otherwise, and whether they are within what was wanted.
void jsens_compare_judge(const jsens* s, const jsens_options* opt, jsens_comparison how,
                         jsens_result* const* other, jsens_result* r);

#endif
