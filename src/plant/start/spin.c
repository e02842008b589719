// SPDX-License-Identifier: Apache-2.0
// A coordinate that turns bodies of which none has an inertia, with their centres of mass on its axis: nothing tells its
// acceleration, though there is mass.
#include <math.h>

#include "model/range/ranges.h"
#include "plant/plant.h"

typedef struct problem {
  const jmodel* m;
  const double* value;  // of the slots of the model's ranges
  int heavy;            // the first body with mass that turns; -1: none
} problem;

// Whether the body, or what it carries, has a tensor of inertia.
static bool has_tensor(problem* b, int body) {
  const struct jmodel_ranges* k = b->m->ranges;
  int first = k->first_mass[body];
  bool is_known = first >= 0;
  for (int i = first; is_known && i < first + 7; i++) {
    if (k->slot[i].output == JMODEL_SLOT_UNKNOWN || (i > first && b->value[i] != 0.0)) return true;
  }
  if (is_known && b->heavy < 0 && b->value[first] > 0.0) b->heavy = body;
  for (int i = 0; i < b->m->njoint; i++) {
    const jmodel_joint* j = &b->m->joint[i];
    if (j->parent == body && has_tensor(b, j->child)) return true;
  }
  return false;
}

static jo_status report(jo_context* ctx, const problem* b, int coordinate) {
  const jmodel* m = b->m;
  const jmodel_body* body = &m->body[b->heavy];
  return jerr_set(
      ctx, JO_ERR_SINGULAR,
      "%s:%d: body '%s' has mass but no inertia, and its centre of mass lies on the axis that '%s' "
      "turns it about, so that nothing tells the acceleration of '%s'; give it 'inertia', or a "
      "'com' off the axis",
      body->place.file, body->place.line, body->name, m->coordinate[coordinate].name,
      m->coordinate[coordinate].name);
}

static jo_status find(jplant_work* r, jarena* a, double t, const double* y) {
  const jgen_dynamics* d = r->plant->dynamics;
  const jmodel* m = r->plant->model;
  double* ydot = JARENA_ARRAY(a, d->ny, double);
  double* number = JARENA_ARRAY(a, m->nnumber, double);
  double* value = JARENA_ARRAY(a, m->ranges->nslot, double);
  if (!ydot || !number || !value) return jerr_memory(r->ctx);
  jplant_call(r, JGEN_FN_RHS, t, y, (double* const[]){ydot});
  for (int i = 0; i < m->nnumber; i++) {
    number[i] = m->number[i].value;
  }
  for (int i = 0; i < d->np; i++) {
    number[d->live[i]] = r->p[i];
  }
  JO_TRY(jmodel_ranges_values(r->ctx, m, number, value));
  for (int i = 0; i < d->part.nu; i++) {
    problem b = {.m = m, .value = value, .heavy = -1};
    int u = d->part.u[i], child = m->joint[m->coordinate[u].joint].child;
    if (!m->coordinate[u].is_angle || isfinite(ydot[d->layout.qd[u]])) continue;
    if (!has_tensor(&b, child) && b.heavy >= 0) return report(r->ctx, &b, u);
  }
  return JO_OK;
}

jo_status jplant_explain_spin(jplant_work* r, double t, const double* y) {
  if (!r->plant->model->ranges) return JO_OK;
  jarena a;
  jarena_init(&a, r->ctx);
  jo_status status = find(r, &a, t, y);
  jarena_free(&a);
  return status;
}
