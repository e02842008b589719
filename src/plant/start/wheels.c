// SPDX-License-Identifier: Apache-2.0
#include "plant/start/wheels.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/elementary.h"
#include "expr/tape/tape.h"
#include "model/element.h"

#define OFF_AXIS 0.01  // of its radius, by which a wheel's centre may be off its axis
#define TILTED \
  0.002  // by which a tyre's axis may be, sine: its rim wobbles by as much of the radius
#define DEGREES 57.295779513082323
#define SUNK \
  0.3  // of its radius, by which a tyre may be deflected at the start: its sidewall is not much higher
#define FLAT   80.0  // degrees by which a wheel leans that lies flat
#define LEANS  0.5   // camber by a coordinate, rad per rad or m: suspensions have less
#define BESIDE 1e-6  // change of a coordinate [m, rad], and of time [s]

// A wheel at the start.
typedef struct wheel {
  const jmodel_element* element;
  const jmodel_joint* joint;  // NULL: it spins in none
  double off, tilt;           // of the centre from the axis; sine of the angle of both axes
  double c[3], u[3];          // centre and axis in ground axes
  double delta, radius;       // NaN: not known
  bool leans;                 // some degree of freedom turns its plane towards the road
  unsigned faults;
} wheel;

// Outputs of the tapes: of the position off^2, tilt^2, c and u of each wheel; of the dynamics delta and radius of each that has them.
enum { OFF, TILT, CENTRE, AXIS = CENTRE + 3, PLACES = AXIS + 3, DELTA = 0, RADIUS, STANCES };

struct jplant_wheels {
  jexpr_tape place, stance;
  int nstance;
  int* stance_of;  // by wheel; -1: its deflection is not known
  wheel* first;    // at the start of the plant
};

// Of a run.
typedef struct jplant_wheels_work {
  double *place_work, *stance_work;  // of the tapes
  double *place, *stance, *q;
  double *beside, *turned, *modes;  // a state beside the start, places there, modes at the start
  wheel* wheel;
} jplant_wheels_work;

// ---- tapes ---------------------------------------------------------------------------------------

// What a wheel without a joint has none of is some output that nobody reads.
static jo_status make_place(jplant* p, jarena* scratch, jplant_wheels* out) {
  const jgen_position* s = p->position;
  jexpr_ref* ref = JARENA_ARRAY(scratch, PLACES * s->nwheel, jexpr_ref);
  if (!ref) return jerr_memory(p->ctx);
  for (int i = 0; i < s->nwheel; i++) {
    const jgen_wheel* w = &s->wheel[i];
    jexpr_ref* to = ref + PLACES * i;
    to[OFF] = w->off ? w->off : w->c.e[0];
    to[TILT] = w->tilt ? w->tilt : w->c.e[0];
    for (int k = 0; k < 3; k++) {
      to[CENTRE + k] = w->c.e[k];
      to[AXIS + k] = w->u.e[k];
    }
  }
  const jexpr_outputs all = {"place", PLACES * s->nwheel, ref};
  const jexpr_fn fn = {"wheels_place", s->g, 1, &all};
  return jexpr_tape_build(p->ctx, &p->arena, &fn, &out->place);
}

static jo_status make_stance(jplant* p, jarena* scratch, jplant_wheels* out) {
  const jgen_position* s = p->position;
  jexpr_ref* ref = JARENA_ARRAY(scratch, STANCES * s->nwheel, jexpr_ref);
  if (!ref) return jerr_memory(p->ctx);
  for (int i = 0; i < s->nwheel; i++) {
    const jgen_stance* w = &p->dynamics->stance[s->wheel[i].element - p->model->element];
    bool is_known = w->delta && w->radius;
    out->stance_of[i] = is_known ? out->nstance : -1;
    if (!is_known) continue;
    ref[STANCES * out->nstance + DELTA] = w->delta;
    ref[STANCES * out->nstance + RADIUS] = w->radius;
    out->nstance++;
  }
  if (out->nstance == 0) return JO_OK;
  const jexpr_outputs all = {"stance", STANCES * out->nstance, ref};
  const jexpr_fn fn = {"wheels_stance", p->dynamics->g, 1, &all};
  return jexpr_tape_build(p->ctx, &p->arena, &fn, &out->stance);
}

static jo_status make_tapes(jplant* p, jplant_wheels* out) {
  jarena scratch;
  jarena_init(&scratch, p->ctx);
  jo_status status = make_place(p, &scratch, out);
  if (status >= 0) status = make_stance(p, &scratch, out);
  jarena_free(&scratch);
  return status;
}

static jo_status make_work(jplant_work* r) {
  const jplant* p = r->plant;
  const jplant_wheels* s = p->wheels;
  int n = p->position->nwheel;
  if (r->wheels) return JO_OK;
  jplant_wheels_work* w = JARENA_ARRAY(&r->arena, 1, jplant_wheels_work);
  if (!w) return jerr_memory(r->ctx);
  w->place = JARENA_ARRAY(&r->arena, PLACES * n, double);
  w->stance = JARENA_ARRAY(&r->arena, STANCES * s->nstance, double);
  w->q = JARENA_ARRAY(&r->arena, p->model->ncoordinate, double);
  w->wheel = JARENA_ARRAY(&r->arena, n, wheel);
  w->beside = JARENA_ARRAY(&r->arena, p->dynamics->ny, double);
  w->turned = JARENA_ARRAY(&r->arena, PLACES * n, double);
  w->modes = JARENA_ARRAY(&r->arena, p->dynamics->nswitch, double);
  if (!w->place || !w->stance || !w->q || !w->wheel) return jerr_memory(r->ctx);
  if (!w->beside || !w->turned || !w->modes) return jerr_memory(r->ctx);
  JO_TRY(jexpr_tape_make_work(r->ctx, &r->arena, &s->place, &w->place_work));
  if (s->nstance > 0) {
    JO_TRY(jexpr_tape_make_work(r->ctx, &r->arena, &s->stance, &w->stance_work));
  }
  r->wheels = w;
  return JO_OK;
}

// ---- faults --------------------------------------------------------------------------------------

// All coordinates at (t, y).
static void gather(jplant_work* r, double t, const double* y, double* q) {
  const jgen_dynamics* d = r->plant->dynamics;
  const jgen_partition* part = &d->part;
  double* drive = r->machine.drive_new;
  jgen_gather(&d->layout, y, q, NULL);
  if (part->nd == 0) return;
  double* rate[3] = {drive, drive + part->nd, drive + 2 * part->nd};
  jplant_call(r, JGEN_FN_DRIVE, t, y, rate);
  for (int i = 0; i < part->nd; i++) {
    q[part->d[i]] = drive[i];
  }
}

static wheel figures(const jplant_work* r, int i) {
  const jplant* p = r->plant;
  const jgen_wheel* from = &p->position->wheel[i];
  const double* at = r->wheels->place + PLACES * i;
  int stance = p->wheels->stance_of[i];
  wheel w = {.element = from->element, .joint = from->joint, .delta = NAN, .radius = NAN};
  w.off = from->off ? sqrt(at[OFF]) : 0.0;
  w.tilt = from->tilt ? fmin(1.0, sqrt(at[TILT])) : 0.0;
  for (int k = 0; k < 3; k++) {
    w.c[k] = at[CENTRE + k];
    w.u[k] = at[AXIS + k];
  }
  if (stance < 0) return w;
  w.delta = r->wheels->stance[STANCES * stance + DELTA];
  w.radius = r->wheels->stance[STANCES * stance + RADIUS];
  return w;
}

static void find_places(jplant_work* r, double t, const double* y, double* place) {
  jplant_wheels_work* w = r->wheels;
  gather(r, t, y, w->q);
  const double* at[] = {r->p, &t, w->q, r->road, NULL, NULL, NULL, NULL, NULL};
  jexpr_tape_eval(&r->plant->wheels->place, 1, at, (double* const[]){place}, w->place_work);
}

// Wheels lean whose axes some degree of freedom turns up or down, loops closed.
static void find_leaning(jplant_work* r, double t, const double* y, wheel* of, int n) {
  const jgen_dynamics* d = r->plant->dynamics;
  const jgen_layout* l = &d->layout;
  jplant_wheels_work* w = r->wheels;
  memcpy(w->modes, r->mode, (size_t)d->nswitch * sizeof *w->modes);
  for (int k = 0; k < l->block[JGEN_QU].n; k++) {
    memcpy(w->beside, y, (size_t)d->ny * sizeof *y);
    w->beside[jgen_first(l, JGEN_QU) + k] += BESIDE;
    if (jsolve_close(&r->system, t, w->beside, r->g) < 0) continue;
    find_places(r, t, w->beside, w->turned);
    for (int i = 0; i < n; i++) {
      double rise = w->turned[PLACES * i + AXIS + 2] - of[i].u[2];
      of[i].leans = of[i].leans || fabs(rise) > LEANS * BESIDE;
    }
  }
  memcpy(r->mode, w->modes, (size_t)d->nswitch * sizeof *w->modes);
}

// Two wheels or more in one track: where they lean, nothing holds them upright.
static bool is_single_track(const wheel* w, int n) {
  for (int i = 0; i < n; i++) {
    double side = 0.0;
    for (int k = 0; k < 3; k++) {
      side += (w[i].c[k] - w[0].c[k]) * w[0].u[k];
    }
    bool is_in_line = fabs(side) < OFF_AXIS * w[i].radius;
    if (!is_in_line || !w[i].joint) return false;
  }
  return n > 1;
}

static bool is_upright(const wheel* w) {
  const jmodel_element* e = w->element;
  return e->class->is_upright && e->class->is_upright(e);
}

// All lean, in one track, and some have tyres of upright wheels.
static bool leans_as_a_bicycle(jplant_work* r, double t, const double* y, wheel* w, int n) {
  bool has_upright = false, leans = true;
  for (int i = 0; i < n; i++) {
    has_upright = has_upright || is_upright(&w[i]);
  }
  if (!has_upright || !is_single_track(w, n)) return false;
  find_leaning(r, t, y, w, n);
  for (int i = 0; i < n; i++) {
    leans = leans && w[i].leans;
  }
  return leans;
}

// Faults of vehicles that stand on their wheels: those on a rig hang.
#define OF_STANDING (JPLANT_WHEEL_HAS(JPLANT_WHEEL_SUNK) | JPLANT_WHEEL_HAS(JPLANT_WHEEL_LEANING))

// A wheel whose centre is off its axis would roll as an eccentric does; most often its centre is the origin of a body that has
// no frame of its own. Where that is depends on how it has turned: its depth says nothing.
static unsigned faults_of(const wheel* w, bool leans) {
  bool is_off = w->joint && w->off > OFF_AXIS * w->radius;
  unsigned found = 0;
  if (w->joint && w->tilt > TILTED) found |= JPLANT_WHEEL_HAS(JPLANT_WHEEL_TILTED);
  if (is_off) found |= JPLANT_WHEEL_HAS(JPLANT_WHEEL_OFF_AXIS);
  if (!is_off && w->delta > SUNK * w->radius) found |= JPLANT_WHEEL_HAS(JPLANT_WHEEL_SUNK);
  if (leans && is_upright(w)) found |= JPLANT_WHEEL_HAS(JPLANT_WHEEL_LEANING);
  return found;
}

static bool is_same(const wheel* a, const wheel* b, jplant_wheel_fault f) {
  switch (f) {
    case JPLANT_WHEEL_TILTED: return a->tilt == b->tilt;
    case JPLANT_WHEEL_OFF_AXIS: return a->off == b->off;
    case JPLANT_WHEEL_SUNK: return a->delta == b->delta && a->radius == b->radius;
    default: return true;
  }
}

static unsigned compare(const wheel* w, const wheel* first) {
  unsigned found = 0;
  for (int f = 0; f < JPLANT_WHEEL_FAULTS; f++) {
    unsigned has = JPLANT_WHEEL_HAS(f);
    bool is_known = first->faults & has && is_same(w, first, (jplant_wheel_fault)f);
    if (w->faults & has && !is_known) found |= JPLANT_WHEEL_NEW(f);
  }
  return found;
}

// Into the work space of the run.
static jo_status look(jplant_work* r, const double* y) {
  const jplant* p = r->plant;
  const jplant_wheels* s = p->wheels;
  int n = p->position->nwheel;
  double t = p->model->simulation.t_start;
  JO_TRY(make_work(r));
  jplant_wheels_work* w = r->wheels;
  find_places(r, t, y, w->place);
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(r, &t, y)};
  if (s->nstance > 0) {
    jexpr_tape_eval(&s->stance, 1, in, (double* const[]){w->stance}, w->stance_work);
  }
  for (int i = 0; i < n; i++) {
    w->wheel[i] = figures(r, i);
  }
  bool leans = leans_as_a_bicycle(r, t, y, w->wheel, n);
  for (int i = 0; i < n; i++) {
    w->wheel[i].faults = faults_of(&w->wheel[i], leans);
    if (r->plant->made_with.is_on_rig) w->wheel[i].faults &= ~OF_STANDING;
    w->wheel[i].faults |= compare(&w->wheel[i], &s->first[i]);
  }
  return JO_OK;
}

jo_status jplant_wheels_look(jplant_work* r, const double* y, unsigned* faults) {
  *faults = 0;
  if (!r->plant->wheels) return JO_OK;
  JO_TRY(look(r, y));
  for (int i = 0; i < r->plant->position->nwheel; i++) {
    *faults |= r->wheels->wheel[i].faults;
  }
  return JO_OK;
}

// ---- messages ------------------------------------------------------------------------------------

static void warn_of_axis(jo_context* ctx, const wheel* w, const char* where) {
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': its centre is %.4g m off the axis of joint '%s', about which it "
            "spins; give 'centre' as a point of that axis (without, it is the origin of the "
            "body)%s",
            e->place.file, e->place.line, e->class->kind, e->name, w->off, w->joint->name, where);
}

// A tyre that turns about another axis than its own wobbles like a bent rim.
static void warn_of_tilt(jo_context* ctx, const wheel* w, const char* where) {
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': its axis is %.3g degrees off that of joint '%s', about which it "
            "spins, so that it wobbles; give 'axis' as that of the joint%s",
            e->place.file, e->place.line, e->class->kind, e->name, DEGREES * jm_asin(w->tilt),
            w->joint->name, where);
}

static void warn_of_depth(jo_context* ctx, const wheel* w, const char* where) {
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': at the start it is deflected by %.4g m of its radius of %.4g m, its "
            "centre being %.4g m %s the road; move the vehicle up (initial), or check 'centre', "
            "'radius' and the road there%s",
            e->place.file, e->place.line, e->class->kind, e->name, w->delta, w->radius,
            fabs(w->radius - w->delta), w->delta > w->radius ? "below" : "above", where);
}

static void warn_of_leaning(jo_context* ctx, const wheel* w, const char* where) {
  const jmodel_element* e = w->element;
  jerr_warn(ctx,
            "%s:%d: %s '%s': all wheels are in one track, so that it leans, but its slip is that "
            "of the wheel's centre and not of the contact point; give it a 'relaxation'%s",
            e->place.file, e->place.line, e->class->kind, e->name, where);
}

static void warn(jo_context* ctx, const wheel* w, jplant_wheel_fault f, const char* where) {
  static void (*const warns[JPLANT_WHEEL_FAULTS])(jo_context*, const wheel*, const char*) = {
      [JPLANT_WHEEL_TILTED] = warn_of_tilt,
      [JPLANT_WHEEL_OFF_AXIS] = warn_of_axis,
      [JPLANT_WHEEL_SUNK] = warn_of_depth,
      [JPLANT_WHEEL_LEANING] = warn_of_leaning};
  warns[f](ctx, w, where);
}

// Wheel by wheel; that it leans is of all of them, and comes last.
static void warn_of_new(jplant_work* r) {
  const wheel* w = r->wheels->wheel;
  int n = r->plant->position->nwheel;
  for (int i = 0; i < n; i++) {
    for (int f = 0; f < JPLANT_WHEEL_LEANING; f++) {
      if (w[i].faults & JPLANT_WHEEL_NEW(f)) warn(r->ctx, &w[i], (jplant_wheel_fault)f, "");
    }
  }
  for (int i = 0; i < n; i++) {
    bool leans = w[i].faults & JPLANT_WHEEL_NEW(JPLANT_WHEEL_LEANING);
    if (leans) warn(r->ctx, &w[i], JPLANT_WHEEL_LEANING, "");
  }
}

jo_status jplant_wheels_warn(jplant_work* r, const double* y, jplant_wheel_fault f,
                             const char* where) {
  if (!r->plant->wheels) return JO_OK;
  JO_TRY(look(r, y));
  for (int i = 0; i < r->plant->position->nwheel; i++) {
    const wheel* w = &r->wheels->wheel[i];
    if (w->faults & JPLANT_WHEEL_HAS(f)) warn(r->ctx, w, f, where);
  }
  return JO_OK;
}

static jo_status begin(jo_context* ctx, const jplant* p, const double* values, const double* y,
                       jplant_work** out) {
  return jplant_work_create_at(ctx, p, values, p->model->simulation.t_start, y, out);
}

// Degrees by which a wheel leans.
static double lean(const double* place, int i) {
  return DEGREES * jm_asin(fmin(1.0, fabs(place[PLACES * i + AXIS + 2])));
}

// Places a little later, as velocities go on.
static jo_status go_on(jplant_work* r, double t, const double* y) {
  const jgen_dynamics* d = r->plant->dynamics;
  const jgen_layout* l = &d->layout;
  jplant_wheels_work* w = r->wheels;
  memcpy(w->beside, y, (size_t)d->ny * sizeof *y);
  for (int k = 0; k < l->block[JGEN_QU].n; k++) {
    w->beside[jgen_first(l, JGEN_QU) + k] += BESIDE * y[jgen_first(l, JGEN_QDU) + k];
  }
  memcpy(w->modes, r->mode, (size_t)d->nswitch * sizeof *w->modes);
  double looked = r->machine.t_looked;
  jo_status status = jsolve_close(&r->system, t + BESIDE, w->beside, r->g);
  r->machine.t_looked = looked;
  if (status >= 0) find_places(r, t + BESIDE, w->beside, w->turned);
  memcpy(r->mode, w->modes, (size_t)d->nswitch * sizeof *w->modes);
  return status;
}

// Whether it lies flat, or will in this time.
static bool falls(const jplant_wheels_work* w, int i, bool goes_on, double ahead) {
  double now = lean(w->place, i), then = goes_on ? lean(w->turned, i) : now;
  return now > FLAT || now + (then - now) / BESIDE * ahead > FLAT;
}

jo_status jplant_wheels_explain(jplant_work* r, double t, const double* y) {
  if (!r->plant->wheels) return JO_OK;
  JO_TRY(make_work(r));
  jplant_wheels_work* w = r->wheels;
  double ahead = r->machine.t_looked - t;  // steps in the air are long
  find_places(r, t, y, w->place);
  bool goes_on = go_on(r, t, y) >= 0;
  for (int i = 0; i < r->plant->position->nwheel; i++) {
    const jmodel_element* e = r->plant->position->wheel[i].element;
    if (!falls(w, i, goes_on, ahead)) continue;
    return jerr_set(
        r->ctx, JO_ERR_SINGULAR,
        "%s:%d: %s '%s': its wheel falls flat in the step after t = %.9g s, where it leans by %.3g "
        "degrees: lying it has no contact point, in the air either; keep the wheel from falling "
        "over, "
        "or end the run before (end_when)",
        e->place.file, e->place.line, e->class->kind, e->name, t, lean(w->place, i));
  }
  return JO_OK;
}

jo_status jplant_wheels_warn_of(jo_context* ctx, const jplant* p, const double* values,
                                const double* y) {
  jplant_work* r;
  if (!p->wheels) return JO_OK;
  JO_TRY(begin(ctx, p, values, y, &r));
  jo_status status = look(r, y);
  if (status >= 0) warn_of_new(r);
  jplant_work_destroy(r);
  return status;
}

jo_status jplant_wheels_prepare(jplant* p) {
  int n = p->position->nwheel;
  if (n == 0) return JO_OK;
  JASSERT(p->position->np == p->dynamics->np);
  jplant_wheels* s = JARENA_ARRAY(&p->arena, 1, jplant_wheels);
  wheel* first = JARENA_ARRAY(&p->arena, n, wheel);  // without faults: all are new
  if (!s || !first) return jerr_memory(p->ctx);
  s->first = first;
  s->stance_of = JARENA_ARRAY(&p->arena, n, int);
  if (!s->stance_of) return jerr_memory(p->ctx);
  JO_TRY(make_tapes(p, s));
  p->wheels = s;
  jplant_work* r;
  JO_TRY(begin(p->ctx, p, NULL, p->y0, &r));
  jo_status status = look(r, p->y0);
  if (status >= 0) {
    warn_of_new(r);
    memcpy(first, r->wheels->wheel, (size_t)n * sizeof *first);
  }
  jplant_work_destroy(r);
  return status;
}
