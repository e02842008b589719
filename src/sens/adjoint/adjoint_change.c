// SPDX-License-Identifier: Apache-2.0
// Weights back through a change of the partition, the transpose of tangent_change.c. docs/theory/sensitivity.md eq. (S31).
#include "sens/adjoint/adjoint.h"

// From weights of the new state: of the old one where it is copied, and of its rates where those are velocities.
static void split(const jsens_adjoint* d, const jgen_layout* from, const jgen_layout* to,
                  const double* weight, double* state, double* rate) {
  size_t bytes = (size_t)d->lanes * sizeof *state;
  int L = d->lanes, n = jgen_first(from, JGEN_Z);
  memset(state, 0, (size_t)n * bytes);
  memset(rate, 0, (size_t)from->ny * bytes);
  memcpy(state + n * L, weight + n * L, (size_t)(from->ny - n) * bytes);
  for (int c = 0; c < from->nq; c++) {
    if (to->q[c] >= 0) memcpy(state + from->q[c] * L, weight + to->q[c] * L, bytes);
    if (to->qd[c] >= 0) memcpy(rate + from->q[c] * L, weight + to->qd[c] * L, bytes);
  }
}

void jsens_adjoint_change(jsens_adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  const jgen_layout* from = &w->record->plant[e->epoch]->dynamics->layout;
  const jgen_layout* to = &w->record->plant[e->epoch + 1]->dynamics->layout;
  split(d, from, to, d->lambda, d->column, d->kbar);
  jsens_walk_set_epoch(w, e->epoch);
  jsens_point at = {.t = e->t, .y = e->y, .lambda = d->kbar};
  jsens_adjoint_weigh(d, JGEN_FN_RHS, &at);
  memcpy(d->lambda, d->column, (size_t)(w->ny * d->lanes) * sizeof *d->lambda);
  jsens_adjoint_add(d, d->lambda, 1.0, d->ybar, w->ny);
  jsens_adjoint_end_stretch(d);
}
