// SPDX-License-Identifier: Apache-2.0
#include "sens/drift.h"

#include <string.h>

jo_status jsens_drift_begin(jo_context* ctx, jarena* a, const jgen_layout* layout,
                            jsolve_method method, jsens_drift* d) {
  int ny = layout->ny;
  const jsolve_tableau *tab = jsolve_tableau_find(method), *im = jsolve_tableau_implicit(method);
  *d = (jsens_drift){.lanes = jsens_lanes_choose(),
                     .scales = {ny, layout->is_followed, layout->nominal}};
  if (tab) d->scheme[0] = jsolve_scheme_of(tab);
  if (im) d->scheme[1] = jsolve_scheme_of(im);
  double** array[] = {&d->off, &d->held, &d->local, &d->zero};
  bool ok = jsens_nodes_begin(a, ny, &d->nodes);
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = JARENA_ARRAY(a, ny, double);
    ok = ok && *array[i];
  }
  return ok ? JO_OK : jerr_memory(ctx);
}

static void add_node(jsens_drift* d, double t, const double* y, const double* f) {
  size_t bytes = (size_t)d->nodes.n * sizeof *y;
  double *x, *slope;
  jsens_nodes_next(&d->nodes, t, &x, &slope);
  memcpy(x, y, bytes);
  memcpy(slope, f, bytes);
}

static void add_local(jsens_drift* d, int steps) {
  if (steps == 0 || !jsens_nodes_error(&d->nodes, d->lanes, d->local)) return;
  d->lanes->add(d->nodes.n, d->off, steps, d->local);
}

void jsens_drift_step(jsens_drift* d, const jsolve_step* step) {
  const jsolve_scheme* s = &d->scheme[step->is_implicit];
  if (!step->k || !s->tab) return;
  d->lanes->combine(d->nodes.n, d->zero, step->t1 - step->t0, &s->e, step->k, d->local);
  if (step->is_implicit) {
    jsens_drift_settle(d);
    d->lanes->add(d->nodes.n, d->off, 1.0, d->local);
    return;
  }
  if (d->nodes.count < JSENS_NODES) d->lanes->add(d->nodes.n, d->held, 1.0, d->local);
  if (d->nodes.count == 0) add_node(d, step->t0, step->y0, step->k[0]);
  add_node(d, step->t1, step->y1, step->k[s->tab->stages]);
  double embedded, sharp;
  d->lanes->sizes(&d->scales, 1, d->local, &embedded);
  add_local(d, jsens_nodes_steps(&d->nodes));
  d->lanes->sizes(&d->scales, 1, d->local, &sharp);
  d->is_stiff = sharp > embedded;
}

void jsens_drift_settle(jsens_drift* d) {
  int steps = jsens_nodes_steps_left(&d->nodes);
  add_local(d, steps);
  if (steps == 0) d->lanes->add(d->nodes.n, d->off, 1.0, d->held);
  memset(d->held, 0, (size_t)d->nodes.n * sizeof *d->held);
  jsens_nodes_restart(&d->nodes);
}

void jsens_drift_change(jsens_drift* d, const jgen_layout* from, const jgen_layout* to) {
  jsens_drift_settle(d);
  memcpy(d->local, d->off, (size_t)d->nodes.n * sizeof *d->off);
  for (int c = 0; c < from->nq; c++) {
    if (to->q[c] >= 0 && from->q[c] >= 0) d->off[to->q[c]] = d->local[from->q[c]];
    if (to->qd[c] < 0) continue;
    d->off[to->qd[c]] = from->qd[c] >= 0 ? d->local[from->qd[c]] : 0.0;
  }
}
