// SPDX-License-Identifier: Apache-2.0
// A coordinate that turns bodies of which none has an inertia, with their centres of mass on its axis: nothing tells its
// acceleration, though there is mass.
#include <math.h>
#include <string.h>

#include "model/range/ranges.h"
#include "plant/plant.h"

#define KINETIC_FROM_END 2      // outputs end with the kinetic and the potential energy
#define NO_INERTIA       1e-24  // of the mass [m^2]: its centre is on the axis

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

// Values of the slots of the model's ranges, with those of the live numbers.
static jo_status find_values(jo_context* ctx, jarena* a, const jgen_dynamics* d, const double* p,
                             const double** out) {
  const jmodel* m = d->model;
  double* number = JARENA_ARRAY(a, m->nnumber, double);
  double* value = JARENA_ARRAY(a, m->ranges->nslot, double);
  if (!number || !value) return jerr_memory(ctx);
  for (int i = 0; i < m->nnumber; i++) {
    number[i] = m->number[i].value;
  }
  for (int i = 0; i < d->np; i++) {
    number[d->live[i]] = p[i];
  }
  *out = value;
  return jmodel_ranges_values(ctx, m, number, value);
}

static jo_status find(jplant_work* r, jarena* a, double t, const double* y) {
  const jgen_dynamics* d = r->plant->dynamics;
  const jmodel* m = r->plant->model;
  const double* value;
  double* ydot = JARENA_ARRAY(a, d->ny, double);
  if (!ydot) return jerr_memory(r->ctx);
  JO_TRY(find_values(r->ctx, a, d, r->p, &value));
  jplant_call(r, JGEN_FN_RHS, t, y, (double* const[]){ydot});
  for (int i = 0; i < d->part.nu; i++) {
    problem b = {.m = m, .value = value, .heavy = -1};
    int u = d->part.u[i], child = m->joint[m->coordinate[u].joint].child;
    if (!m->coordinate[u].is_angle || isfinite(ydot[d->layout.qd[u]])) continue;
    if (!has_tensor(&b, child) && b.heavy >= 0) return report(r->ctx, &b, u);
  }
  return JO_OK;
}

// The inertia that an independent coordinate moves at y, by the kinetic energy of its rate: T(1) + T(-1) - 2 T(0) = M_ii.
// work: a state and all outputs (ny + noutput)
static double inertia_of(jplant_work* r, double t, const double* y, int u, double* work) {
  const jgen_dynamics* d = r->plant->dynamics;
  double *at = work, *out = work + d->ny, sum = 0.0;
  for (int rate = -1; rate <= 1; rate++) {
    memcpy(at, y, (size_t)d->ny * sizeof *at);
    for (int i = 0; i < d->part.nu; i++)
      at[d->layout.qd[d->part.u[i]]] = 0.0;
    at[d->layout.qd[u]] = rate;
    jplant_outputs(r, t, at, out);
    sum += (rate == 0 ? -2.0 : 1.0) * out[d->noutput - KINETIC_FROM_END];
  }
  return sum;
}

// A run at a state of the start, for values of the live numbers.
static jo_status check_inertia(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                               const double* y, int u, const problem* b) {
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start, *work = JARENA_ARRAY(a, d->ny + d->noutput, double);
  jplant_work* r;
  if (!work) return jerr_memory(ctx);
  JO_TRY(jplant_work_create_at(ctx, p, values, t, y, &r));
  double inertia = inertia_of(r, t, y, u, work);
  jplant_work_destroy(r);
  double mass = b->value[b->m->ranges->first_mass[b->heavy]];
  return inertia <= NO_INERTIA * mass ? report(ctx, b, u) : JO_OK;
}

// Without a torque such a coordinate has an acceleration of 0/0, of which nothing is left where the torque is a constant.
static jo_status check(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                       const double* y) {
  const jgen_dynamics* d = p->dynamics;
  const jmodel* m = p->model;
  const double* value;
  JO_TRY(find_values(ctx, a, d, values, &value));
  for (int i = 0; i < d->part.nu; i++) {
    problem b = {.m = m, .value = value, .heavy = -1};
    int u = d->part.u[i], child = m->joint[m->coordinate[u].joint].child;
    if (!m->coordinate[u].is_angle || has_tensor(&b, child) || b.heavy < 0) continue;
    JO_TRY(check_inertia(ctx, a, p, values, y, u, &b));
  }
  return JO_OK;
}

jo_status jplant_check_spin(jo_context* ctx, const jplant* p, const double* values,
                            const double* y) {
  if (!p->model->ranges) return JO_OK;
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = check(ctx, &a, p, values ? values : p->dynamics->p, y);
  jarena_free(&a);
  return status;
}

jo_status jplant_explain_spin(jplant_work* r, double t, const double* y) {
  if (!r->plant->model->ranges) return JO_OK;
  jarena a;
  jarena_init(&a, r->ctx);
  jo_status status = find(r, &a, t, y);
  jarena_free(&a);
  return status;
}
