// SPDX-License-Identifier: Apache-2.0
#include "sens/error/narrow.h"

#include <math.h>

#include "base/elementary.h"

#define LEAST 1e-3  // error of a step that counts, in tolerances
#define JUMP \
  64.0  // from one step to the next, of errors over the power of the length that they go with

jsens_narrow jsens_narrow_of(const jsens_record* record, jsolve_method method) {
  return (jsens_narrow){record, jsolve_method_about(method)->order};
}

// Whether entry i is an explicit step of an epoch.
static bool is_step_of(const jsens_record* r, int i, int epoch) {
  return i >= 0 && i < r->nentry && jsens_record_epoch(r, i) == epoch &&
         jsens_record_is_step(r, i) && !jsens_record_is_implicit(r, i);
}

// (S49)  c = e / h^q of a step
static double factor_of(const jsens_narrow* n, int i) {
  return (double)n->record->error[i] / jm_pow(jsens_record_length(n->record, i), n->order);
}

// The largest that it may be, where the error is too small to count.
static double most_factor(const jsens_narrow* n, int i) {
  double error = fmax((double)n->record->error[i], LEAST);
  return error / jm_pow(jsens_record_length(n->record, i), n->order);
}

// (S50)
static bool is_above(const jsens_narrow* n, int i, int j) {
  return (double)n->record->error[i] > LEAST && factor_of(n, i) > JUMP * most_factor(n, j);
}

bool jsens_narrow_shows(const jsens_narrow* n, int i) {
  int epoch = jsens_record_epoch(n->record, i);
  if (!is_step_of(n->record, i, epoch)) return false;
  for (int j = i - 1; j <= i + 1; j += 2) {
    if (!is_step_of(n->record, j, epoch)) continue;
    if (is_above(n, i, j) || is_above(n, j, i)) return true;
  }
  return false;
}

// The first step that ends behind t, by more than a sliver: events move a little from run to run. -1: there is none.
static int step_at(const jsens_record* r, double t) {
  int low = 0, high = r->nentry;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (r->time[middle] <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  for (int i = low; i < r->nentry; i++) {
    if (!jsens_record_is_step(r, i)) continue;
    if (r->time[i] - t >= JSENS_SLIVER * jsens_record_length(r, i)) return i;
  }
  return -1;
}

// Errors of steps across singular positions go with another power.
static bool is_across(const jsens_record* r, int i) {
  for (int k = 0; k < r->nacross; k++) {
    if (r->across[k].entry == i) return true;
  }
  return false;
}

// (S49)  Of three steps the middle one counts: one of them may hold a corner, or have an error that passes zero.
double jsens_narrow_expected(const jsens_narrow* n, double t, double h) {
  const jsens_record* r = n->record;
  int i = step_at(r, t), epoch = i < 0 ? 0 : jsens_record_epoch(r, i);
  if (i < 0 || !is_step_of(r, i, epoch) || is_across(r, i)) return INFINITY;
  double own = factor_of(n, i);
  double before = is_step_of(r, i - 1, epoch) ? factor_of(n, i - 1) : INFINITY;
  double behind = is_step_of(r, i + 1, epoch) ? factor_of(n, i + 1) : INFINITY;
  double least = fmin(before, behind), most = fmax(before, behind);
  double middle =
      isinf(most) ? fmax(own, isinf(least) ? own : least) : fmax(least, fmin(own, most));
  return fmax(LEAST, middle * jm_pow(h, n->order));
}
