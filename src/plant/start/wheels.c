// SPDX-License-Identifier: Apache-2.0
// Wheels at the start that no vehicle has: below the ground, off or askew to the axis they spin about, or leaning on a tyre whose slip is
// that of an upright wheel. Nothing is wrong with the equations of these, so they are warned about.
#include <math.h>

#include "base/elementary.h"
#include "expr/tape/blame.h"
#include "model/element.h"
#include "plant/plant.h"

#define OFF_AXIS 0.01  // of its radius, by which a wheel's centre may be off its axis
#define TILTED \
  0.002  // by which a tyre's axis may be, sine: its rim wobbles by as much of the radius
#define DEGREES 57.295779513082323
#define SUNK \
  0.3  // of its radius, by which a tyre may be deflected at the start: its sidewall is not much higher

// A wheel at the start.
typedef struct wheel {
  const jmodel_element* element;
  const jmodel_joint* joint;  // NULL: it spins in none
  double off, tilt;           // of the centre from the axis; sine of the angle of both axes
  double c[3], u[3];          // centre and axis in ground axes
  double delta, radius;       // NaN: not known
} wheel;

static jo_status evaluate(jplant_work* r, const jgen_wheel* from, wheel* out) {
  const jplant* p = r->plant;
  const jgen_position* s = p->position;
  const jgen_stance* stance = &p->dynamics->stance[from->element - p->model->element];
  double t = p->model->simulation.t_start, square = 0.0;
  const double* at[] = {s->p, &t, p->q0, r->road, NULL, NULL, NULL, NULL, NULL};
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, p->y0)};
  *out = (wheel){.element = from->element, .joint = from->joint, .delta = NAN, .radius = NAN};
  if (from->off) JO_TRY(jexpr_blame_value(r->ctx, s->g, from->off, at, &square));
  out->off = sqrt(square);
  square = 0.0;
  if (from->tilt) JO_TRY(jexpr_blame_value(r->ctx, s->g, from->tilt, at, &square));
  out->tilt = fmin(1.0, sqrt(square));
  for (int k = 0; k < 3; k++) {
    JO_TRY(jexpr_blame_value(r->ctx, s->g, from->c.e[k], at, &out->c[k]));
    JO_TRY(jexpr_blame_value(r->ctx, s->g, from->u.e[k], at, &out->u[k]));
  }
  if (!stance->delta || !stance->radius) return JO_OK;
  JO_TRY(jexpr_blame_value(r->ctx, p->dynamics->g, stance->delta, in, &out->delta));
  return jexpr_blame_value(r->ctx, p->dynamics->g, stance->radius, in, &out->radius);
}

// A wheel whose centre is off its axis would roll as an eccentric does; most often its centre is the origin of a body that has
// no frame of its own.
static bool is_on_axis(jo_context* ctx, const wheel* w) {
  if (!w->joint || !(w->off > OFF_AXIS * w->radius)) return true;
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': its centre is %.4g m off the axis of joint '%s', about which it "
            "spins; give 'centre' as a point of that axis (without, it is the origin of the body)",
            e->place.file, e->place.line, e->class->kind, e->name, w->off, w->joint->name);
  return false;
}

// A tyre that turns about another axis than its own wobbles like a bent rim.
static void check_tilt(jo_context* ctx, const wheel* w) {
  if (!w->joint || !(w->tilt > TILTED)) return;
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': its axis is %.3g degrees off that of joint '%s', about which it "
            "spins, so that it wobbles; give 'axis' as that of the joint",
            e->place.file, e->place.line, e->class->kind, e->name, DEGREES * jm_asin(w->tilt),
            w->joint->name);
}

static void check_depth(jo_context* ctx, const wheel* w) {
  if (!(w->delta > SUNK * w->radius)) return;
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': at the start it is deflected by %.4g m of its radius of %.4g m, its "
            "centre being %.4g m %s the road; move the vehicle up (initial), or check 'centre', "
            "'radius' and the road there",
            e->place.file, e->place.line, e->class->kind, e->name, w->delta, w->radius,
            fabs(w->radius - w->delta), w->delta > w->radius ? "below" : "above");
}

// Whether a body can turn as it likes: in a free joint below the ground.
static bool is_free(const jmodel* m, int body) {
  for (int i = m->njoint - 1; i >= 0 && body > 0; i--) {  // parents before children
    if (m->joint[i].child != body) continue;
    if (jmodel_joint_class_of(m->joint[i].type)->is_place) return true;
    body = m->joint[i].parent;
  }
  return false;
}

// Two wheels or more in one track, of which all are free to lean: nothing holds them upright.
static bool is_single_track(const jmodel* m, const wheel* w, int n) {
  for (int i = 0; i < n; i++) {
    double side = 0.0;
    for (int k = 0; k < 3; k++) {
      side += (w[i].c[k] - w[0].c[k]) * w[0].u[k];
    }
    bool is_in_line = fabs(side) < OFF_AXIS * w[i].radius;
    if (!is_in_line || !w[i].joint || !is_free(m, w[i].joint->child)) return false;
  }
  return n > 1;
}

static void check_leaning(jo_context* ctx, const wheel* w) {
  const jmodel_element* e = w->element;
  if (!e->class->is_upright || !e->class->is_upright(e)) return;
  jerr_warn(ctx,
            "%s:%d: %s '%s': all wheels are in one track, so that it leans, but its slip is that "
            "of the wheel's centre and not of the contact point; give it a 'relaxation'",
            e->place.file, e->place.line, e->class->kind, e->name);
}

static jo_status check(jplant_work* r, jarena* a) {
  const jgen_position* s = r->plant->position;
  wheel* w = JARENA_ARRAY(a, s->nwheel, wheel);
  if (!w) return jerr_memory(r->ctx);
  jsolve_set_modes(&r->system, r->plant->model->simulation.t_start, r->plant->y0, r->g);
  for (int i = 0; i < s->nwheel; i++) {
    JO_TRY(evaluate(r, &s->wheel[i], &w[i]));
    check_tilt(r->ctx, &w[i]);
    if (is_on_axis(r->ctx, &w[i])) check_depth(r->ctx, &w[i]);
  }
  bool leans = is_single_track(r->plant->model, w, s->nwheel);
  for (int i = 0; leans && i < s->nwheel; i++) {
    check_leaning(r->ctx, &w[i]);
  }
  return JO_OK;
}

jo_status jplant_check_wheels(jo_context* ctx, const jplant* p) {
  if (p->position->nwheel == 0) return JO_OK;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = check(run, &a);
  jarena_free(&a);
  jplant_work_destroy(run);
  return status;
}
