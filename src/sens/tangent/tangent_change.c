// SPDX-License-Identifier: Apache-2.0
// Derivatives through a change of the partition: those of the map from one state to the other. docs/theory/sensitivity.md
// eq. (S30).
#include <string.h>

#include "sens/tangent/tangent.h"

// Positions in another order, velocities out of the rates; all else stays.
static void map_pack(const jsens_direct* d, const jgen_layout* from, const jgen_layout* to,
                     const double* S, const double* dydot, double* out) {
  size_t bytes = (size_t)d->lanes * sizeof *out;
  int L = d->lanes;
  memcpy(out, S, (size_t)from->ny * bytes);
  for (int c = 0; c < from->nq; c++) {
    if (to->q[c] >= 0) memcpy(out + to->q[c] * L, S + from->q[c] * L, bytes);
    if (to->qd[c] >= 0) memcpy(out + to->qd[c] * L, dydot + from->q[c] * L, bytes);
  }
}

void jsens_direct_change(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  const double* y = e->y;
  const jgen_layout* from = &w->record->plant[e->epoch]->dynamics->layout;
  const jgen_layout* to = &w->record->plant[e->epoch + 1]->dynamics->layout;
  jsens_direct_settle(d);
  jsens_direct_end_stretch(d);
  jsens_walk_set_epoch(w, e->epoch);
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    jsens_point at = {.t = e->t, .y = y, .dy = p->S, .dp = p->dp};
    jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->dk[0]});
    map_pack(d, from, to, p->S, p->dk[0], d->dY);
    memcpy(p->S, d->dY, (size_t)(w->ny * d->lanes) * sizeof *p->S);
  }
  jsens_walk_set_epoch(w, e->epoch + 1);
  memcpy(d->y, e->after, (size_t)w->ny * sizeof *d->y);
}
