// SPDX-License-Identifier: Apache-2.0
// Error estimates of a run with derivatives from a second run: with every step halved or, where steps are fixed, with
// longer or shorter ones. docs/theory/sensitivity.md, "Comparison".
#ifndef JSENS_COMPARE_H
#define JSENS_COMPARE_H

#include "sens/error/narrow.h"
#include "sens/sens.h"

// Times at which the steps of the second run end, and what is known of errors of the first.
typedef struct jsens_compare {
  jo_context* ctx;
  int n, cap;
  double* node;
  jsens_narrow narrow;
} jsens_compare;

void jsens_compare_begin(jsens_compare* c, jo_context* ctx);
void jsens_compare_end(jsens_compare* c);

// Options of a run with the steps of r, each of them halved.
jo_status jsens_compare_halved(jsens_compare* c, const jsens_options* opt, const jsens_result* r,
                               jsens_options* out);

// Fixed steps of another length, twice or half as long; where events cut most of them, half the mean length. `is_longer` on
// input: wanted; on output: it is.
void jsens_compare_step(const jsens_options* opt, const jsens_result* r, bool* is_longer,
                        jsens_options* out);

// Sets the error estimates of r from the second run, r->other, and whether they are within the tolerance asked for.
void jsens_compare_judge(const jsens* s, const jsens_options* opt, jsens_comparison how,
                         jsens_result* r);

#endif
