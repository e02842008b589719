// SPDX-License-Identifier: Apache-2.0
// Which partition a run goes on with.
//
// The pivots of the loops, which every projection has, tell how much smaller |det J_v| became; where slopes dv/du may
// have become steep by that, they are looked at. A partition is left where the steepest is beyond LEAVE, for one that
// is clearly better: the first the run had, one it had later, or one made by exchanges. What is left would have to become
// as steep again to be returned from, so that there is no flutter. Nothing but the run itself decides: not what other
// runs of the plant needed before.
#include "plant/chart.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"

#define LOOK  4.0   // steepest slope that determinants let expect: then it is looked at
#define LEAVE 20.0  // steepest slope that a run stays with, or ...
#define WORSE \
  3.0  // ... so many times that where the partition was taken up: steep links of a suspension stay
#define RETURN 3.0   // ... that a partition the run had before is taken up again with
#define ENOUGH 2.0   // ... that exchanges aim at
#define GAIN   3.0   // a new partition is at least so much less steep
#define TELL   0.5   // part of what the best equations told where a partition was taken up
#define STUCK  2.0   // the same where no step could be taken
#define LATER  1.1   // times the spread at the last look, at least, until the next
#define RANK   1e-7  // pivots below it, relative to the largest, are zero
#define WATCH \
  5e-2  // least pivot of J over that of the start: looked at closer to a singular position ...
#define USUAL 0.1   // least pivot of J at ordinary positions, at least
#define ZONE  1e-4  // ... where no step may end, ...
#define ZONE_OF_SLOPES \
  3e-3  // ... in a run that is differentiated: nor may one be where a slope is taken
#define ROUGH      1e-13  // rounding errors of slopes where the least pivot is as at the start
#define MANY       100.0  // times the tolerance: what they may come to
#define LEAST_PART 0.05   // of a step that took slopes too near: what is tried next
#define MOST_PART  0.9
#define CROSSED    0.2  // the same over that at the ends of a step: J has lost rank between
#define CLEARANCE \
  1e-10  // times the lever: lengths that miss a singular mechanism by less are its lengths [m]
#define BENT \
  10.0  // times the tolerance: slopes that such a miss may add at the ends of a step across
#define EXACT 1e-14  // times the lever: nothing but rounding
#define CAUTION \
  0.1  // tolerances: error estimate of a step across where it is more, as stages may be where slopes are bent
#define LOCATIONS 5    // of the position in such a step
#define SMOOTH    0.1  // of the motion of a coordinate: what its rates at the ends leave unexplained
#define MISMATCH  0.01  // of two values of a switching function that must be one
#define ROUNDING  1e-9

void jplant_charts_init(jplant_charts* c, jo_context* ctx) {
  *c = (jplant_charts){.ctx = ctx};
}

void jplant_charts_free(jplant_charts* c) {
  for (int i = 0; i < c->n; i++) {
    jplant_destroy(c->at[i].own);
  }
  jmem_free(c->ctx, c->at);
  *c = (jplant_charts){.ctx = c->ctx};
}

static const jplant* first_of(const jplant_work* r) {
  return r->plant->first ? r->plant->first : r->plant;
}

// How near the mechanism is to a singular position: 1 where it is far from it, as a rule at the start, 0 there.
static double nearness(const jplant_work* r, jgen_footing f) {
  return f.least / fmax(USUAL, first_of(r)->footing.least);
}

// ---- looking -----------------------------------------------------------------------------------------

// Slopes grow as |det J_v| falls, in proportion to its inverse and to what |det J_v| would be after an exchange. The latter may be
// zero by chance, where a slope vanishes, and is then no bound: it is taken to be at least |det J_v| itself.
static double growing(double steepest) {
  return fmax(1.0, steepest);
}

static double next_look(jgen_footing f, double steepest) {
  return steepest / (growing(f.steepest) * f.volume);
}

// J loses rank no faster than |det J_v| falls.
static void look_near(jplant_work* r, jgen_footing f, double spread) {
  r->machine.near = spread * nearness(r, f) / WATCH;
  r->watch.closer = fmax(r->machine.near, LATER * spread);
}

void jplant_chart_begin(jplant_work* r) {
  r->watch.look = next_look(r->plant->footing, LOOK);
  r->watch.t_stuck = NAN;
  r->watch.lever = r->plant->lever;
  look_near(r, r->plant->footing, 1.0 / r->plant->footing.volume);
}

static jo_status prepare(jplant_work* r) {
  const jplant* p = r->plant;
  jplant_chart_watch* w = &r->watch;
  int nq = p->position->nq, nh = p->position->nh, ny = p->about.ny;
  if (w->work) return JO_OK;
  JO_TRY(jexpr_tape_prepare(r->ctx, &r->arena, &p->position->present, &w->tape, &w->work));
  w->q = JARENA_ARRAY(&r->arena, nq, double);
  w->h = JARENA_ARRAY(&r->arena, nh, double);
  w->J = JARENA_ARRAY(&r->arena, (size_t)nh * (size_t)nq, double);
  w->y = JARENA_ARRAY(&r->arena, ny, double);
  w->ydot = JARENA_ARRAY(&r->arena, ny, double);
  w->slope = JARENA_ARRAY(&r->arena, ny, double);
  w->g = JARENA_ARRAY(&r->arena, p->about.nswitch, double);
  w->drive = JARENA_ARRAY(&r->arena, 3 * p->about.nd, double);
  w->pivot = JARENA_ARRAY(&r->arena, p->about.nv, double);
  bool ok = w->q && w->h && w->J && w->y && w->ydot && w->slope && w->g && w->drive && w->pivot;
  if (!ok) w->work = NULL;
  return ok ? JO_OK : jerr_memory(r->ctx);
}

// The Jacobian of all closures at (t, y), by all coordinates.
static void take_jacobian(jplant_work* r, double t, const double* y) {
  const jgen_dynamics* d = r->plant->dynamics;
  jplant_chart_watch* w = &r->watch;
  int nd = d->part.nd;
  jgen_gather(&d->layout, y, w->q, NULL);
  if (nd > 0) {
    double* rate[3] = {w->drive, w->drive + nd, w->drive + 2 * nd};
    jplant_call(r, JGEN_FN_DRIVE, t, y, rate);
  }
  for (int i = 0; i < nd; i++) {
    w->q[d->part.d[i]] = w->drive[i];
  }
  // groups of the position stage: p, t, q, road, qd, dq, dqd, dp, z
  const double* in[9] = {r->p, &t, w->q};
  in[8] = y + jgen_first(&d->layout, JGEN_Z);
  jexpr_tape_eval(&w->tape, 1, in, (double* const[]){w->h, w->J}, w->work);
  double lever = jgen_partition_lever(r->plant->model, w->J, r->plant->position->nh);
  w->lever = fmax(w->lever, lever);
}

static jo_status judge(jplant_work* r, jarena* a, const jgen_partition* part, jgen_footing* out) {
  const jplant* p = r->plant;
  return jgen_partition_judge(r->ctx, a, p->model, r->watch.J, p->position->nh, r->watch.lever,
                              part, out);
}

// How bad a partition is: by its slopes, or by how much worse its equations were chosen than where it was taken up. Not
// where all equations tell less: J itself loses rank then, and others would not help.
static double badness(jgen_footing f, jgen_footing at_first) {
  bool all_tell_less = f.volume * f.rows < TELL * at_first.volume * at_first.rows;
  return all_tell_less ? f.steepest : fmax(f.steepest, f.rows / at_first.rows);
}

double jplant_chart_steepest(const jgen_footing* at_first) {
  return fmax(LEAVE, WORSE * at_first->steepest);
}

static jgen_footing footing_at_first(const jplant_work* r, const jplant* p) {
  for (int i = 0; i < r->charts->n; i++) {
    if (r->charts->at[i].plant == p) return r->charts->at[i].footing;
  }
  return first_of(r)->footing;
}

// ---- choosing ----------------------------------------------------------------------------------------

// Of the plants the run had, the first that stands well here; NULL: none.
static jo_status choose_known(jplant_work* r, jarena* a, double limit, const jplant** out) {
  *out = NULL;
  for (int i = -1; i < r->charts->n && !*out; i++) {
    const jplant* p = i < 0 ? first_of(r) : r->charts->at[i].plant;
    jgen_footing f;
    if (p == r->plant) continue;
    JO_TRY(judge(r, a, &p->dynamics->part, &f));
    if (badness(f, footing_at_first(r, p)) <= limit) *out = p;
  }
  return JO_OK;
}

static jo_status add_chart(jplant_work* r, const jplant* p, jplant* own, jgen_footing f) {
  jplant_charts* c = r->charts;
  if (!jmem_grow(c->ctx, &c->at, &c->cap, c->n + 1, sizeof *c->at)) {
    jplant_destroy(own);
    return jerr_memory(r->ctx);
  }
  c->at[c->n++] = (struct jplant_chart){p, own, f};
  return JO_OK;
}

// One made by exchanges; NULL: none is better by so much.
static jo_status choose_new(jplant_work* r, jarena* a, double limit, const jplant** out) {
  const jplant* p = r->plant;
  jgen_partition part;
  jgen_footing f = {.steepest = INFINITY};
  bool found;
  *out = NULL;
  JO_TRY(jgen_partition_exchange(r->ctx, a, p->model, r->watch.J, p->position->nh, r->watch.lever,
                                 RANK, ENOUGH, &p->dynamics->part, &part, &found));
  if (found) JO_TRY(judge(r, a, &part, &f));
  if (!found || !(f.steepest <= limit)) return JO_OK;
  jplant* own;
  JO_TRY(jplant_family_get(r->ctx, first_of(r), &part, out, &own));
  return add_chart(r, *out, own, f);
}

// Where J itself loses rank no partition helps.
static void tell_singular(jplant_work* r, jgen_footing now) {
  const jplant* p = first_of(r);
  jformat(r->machine.hint, sizeof r->machine.hint,
          "%.200s: the mechanism comes within %.1e of a singular position (1: far from it; "
          "closure equation '%.60s'): it locks there, or several motions go on from it; %s",
          p->model->path, nearness(r, now), p->position->row_name[now.weakest],
          r->watch.needs_slopes
              ? "derivatives have no correct digits there; take a larger tolerance, end the run "
                "before it, or change the geometry"
              : "rounding errors decide which; end the run before it, write lengths that are meant "
                "to be equal with one parameter, take a larger tolerance, or change the geometry");
}

static jo_status choose(jplant_work* r, double t, const double* y, bool is_stuck, bool may_leave,
                        const jplant** out) {
  jarena a;
  jgen_footing now;
  *out = NULL;
  JO_TRY(prepare(r));
  take_jacobian(r, t, y);
  jarena_init(&a, r->ctx);
  jo_status status = judge(r, &a, &r->plant->dynamics->part, &now);
  jgen_footing at_first = footing_at_first(r, r->plant);
  double bad = badness(now, at_first), leave = jplant_chart_steepest(&at_first);
  bool leaves = status >= 0 && may_leave && (is_stuck || bad > leave);
  double limit = bad / (is_stuck ? STUCK : GAIN);
  if (leaves) status = choose_known(r, &a, fmin(limit, RETURN), out);
  if (leaves && status >= 0 && !*out) status = choose_new(r, &a, limit, out);
  if (is_stuck && status >= 0 && !*out && nearness(r, now) < WATCH) tell_singular(r, now);
  double spread = r->machine.spread, later = (bad < LOOK ? LOOK : leave) / growing(bad);
  if (spread > 0.0) r->watch.look = spread * fmax(LATER, later);
  jarena_free(&a);
  return status;
}

// ---- changing ----------------------------------------------------------------------------------------

void jplant_chart_map(const jgen_layout* from, const jgen_layout* to, const double* y,
                      const double* ydot, double* out) {
  memcpy(out, y, (size_t)from->ny * sizeof *out);
  for (int c = 0; c < from->nq; c++) {
    if (to->q[c] >= 0) out[to->q[c]] = y[from->q[c]];
    if (to->qd[c] >= 0) out[to->qd[c]] = ydot[from->q[c]];
  }
}

void jplant_chart_first(jplant_work* r, double t, const double* y, double* out) {
  const jplant* first = first_of(r);
  if (r->plant == first) {
    memcpy(out, y, (size_t)first->about.ny * sizeof *out);
    return;
  }
  jplant_call(r, JGEN_FN_RHS, t, y, (double* const[]){r->watch.ydot});
  jplant_chart_map(&r->plant->dynamics->layout, &first->dynamics->layout, y, r->watch.ydot, out);
}

// Switches are found while equations are written, and numbered then: those of both plants must be one and the same.
static bool are_same_switches(const jplant* a, const jplant* b, const double* ga,
                              const double* gb) {
  for (int k = 0; k < a->about.nswitch; k++) {
    double size = fabs(ga[k]) + fabs(gb[k]), apart = fabs(ga[k] - gb[k]);
    if (strcmp(a->switch_name[k], b->switch_name[k]) != 0) return false;
    if (apart > MISMATCH * size + ROUNDING) return false;
  }
  return true;
}

static void look_later(jplant_work* r) {
  r->watch.look = LOOK * fmax(r->machine.spread, r->watch.look);
}

static jo_status change(jplant_work* r, const jplant* to, double t, double* y, bool* changed) {
  jplant_chart_watch* w = &r->watch;
  const jplant* from = r->plant;
  double spread = r->machine.spread;
  double near = r->machine.near;
  int side = r->machine.side;
  r->system.switches(r->system.user, t, y, r->g);
  r->system.rhs(r->system.user, t, y, w->ydot);
  jplant_chart_map(&from->dynamics->layout, &to->dynamics->layout, y, w->ydot, w->y);
  JO_TRY(jplant_work_show(r, to));
  r->system.switches(r->system.user, t, w->y, w->g);
  if (!are_same_switches(from, to, r->g, w->g)) {
    JO_TRY(jplant_work_show(r, from));
    r->machine.side = side;
    r->machine.spread = spread;
    r->machine.near = near;
    look_later(r);
    return JO_OK;
  }
  jmachine_measure(&r->machine, t, w->y);
  if (w->on_change) JO_TRY(w->on_change(w->user, t, y, w->y, from, to));
  memcpy(y, w->y, (size_t)to->about.ny * sizeof *y);
  jgen_footing f;
  JO_TRY(judge(r, &r->arena, &to->dynamics->part, &f));
  w->look = next_look(f, LOOK);
  look_near(r, f, r->machine.spread);
  *changed = true;
  return JO_OK;
}

jo_status jplant_change_chart(void* user, double t, double* y, bool is_stuck, bool* changed) {
  jmachine* m = user;
  jplant_work* r = m->host;
  const jplant* to;
  *changed = false;
  if (!is_stuck && !(m->spread > r->watch.look)) return JO_OK;
  bool again = is_stuck && r->watch.t_stuck == t;
  if (is_stuck) m->hint[0] = 0;
  int said = jo_context_diagnostic_count(r->ctx);
  jo_status status = choose(r, t, y, is_stuck, !again, &to);
  if (status < 0 && !is_stuck && status != JO_ERR_MEMORY) {
    jerr_forget(r->ctx, said);  // the partition there is serves so far
    look_later(r);
    return JO_OK;
  }
  JO_TRY(status);
  if (!to) return JO_OK;
  if (is_stuck) r->watch.t_stuck = t;
  return change(r, to, t, y, changed);
}

// ---- passing -----------------------------------------------------------------------------------------

// The first pivot of the loops that has another sign at the end of a step, -1: none has. Reciprocals at the first state are in
// w->pivot.
static int first_crossing(const jplant_work* r) {
  const double *before = r->watch.pivot, *after = r->machine.inverse;
  for (int i = 0; i < r->plant->about.nv; i++) {
    if ((before[i] < 0.0) != (after[i] < 0.0)) return i;
  }
  return -1;
}

static jo_status judge_at(jplant_work* r, jarena* a, double t, const double* y, jgen_footing* out) {
  take_jacobian(r, t, y);
  return judge(r, a, &r->plant->dynamics->part, out);
}

// The cubic polynomial through both ends of a step, with their slopes in w->ydot and w->slope, at the part s of it.
static void interpolate(jplant_chart_watch* w, int n, double s, const jsolve_stretch* step) {
  double u = 1.0 - s, a0 = u * u * (1.0 + 2.0 * s), a1 = s * s * (3.0 - 2.0 * s);
  double b = (step->t - step->t0) * s * u;
  for (int i = 0; i < n; i++) {
    w->y[i] = a0 * step->y0[i] + a1 * step->y[i] + b * (u * w->ydot[i] - s * w->slope[i]);
  }
}

// The part of a step where pivot i is zero, by false position: its ends have other signs.
static double locate(jplant_work* r, int i, const jsolve_stretch* step) {
  double from = 0.0, to = 1.0, s = 0.5;
  double p_from = 1.0 / r->watch.pivot[i], p_to = 1.0 / r->machine.inverse[i];
  for (int k = 0; k < LOCATIONS; k++) {
    s = from + (to - from) * p_from / (p_from - p_to);
    interpolate(&r->watch, r->plant->about.ny, s, step);
    jmachine_side(&r->machine, step->t0 + s * (step->t - step->t0), r->watch.y);
    double p = 1.0 / r->machine.inverse[i];
    if (!isfinite(p) || p == 0.0) break;
    bool is_before = (p < 0.0) == (p_from < 0.0);
    *(is_before ? &from : &to) = s;
    *(is_before ? &p_from : &p_to) = p;
  }
  return s;
}

typedef struct passage {
  jgen_footing from, to, between;  // of the ends of a step, and where its pivots change their signs
  bool loses;                      // J has lost rank there
  double at;                       // the part of the step
  double miss;                     // by which lengths miss those of a singular mechanism [m]
} passage;

// (R14), (R16) whether J itself, not J_v alone, loses rank in a step, and by how much loops are open where it does
static jo_status look_across(jplant_work* r, jarena* a, double s, const jsolve_stretch* step,
                             passage* p) {
  jplant_chart_watch* w = &r->watch;
  JO_TRY(judge_at(r, a, step->t0, step->y0, &p->from));
  JO_TRY(judge_at(r, a, step->t, step->y, &p->to));
  interpolate(w, r->plant->about.ny, s, step);
  JO_TRY(judge_at(r, a, step->t0 + s * (step->t - step->t0), w->y, &p->between));
  double floor = CROSSED * fmax(p->from.least, p->to.least);
  p->at = s;
  p->loses = p->between.least < floor;
  return jgen_partition_miss(r->ctx, a, r->plant->model, w->J, w->h, r->plant->position->nh,
                             w->lever, r->plant->about.nv, floor, &p->miss);
}

static double scale_of(const jplant_work* r) {
  return r->watch.lever > 0.0 ? r->watch.lever : 1.0;
}

// (R16) lengths are those of a singular mechanism, and the ends of the step so far from the position that what they miss by does
// not bend the motion
static bool is_clear(const jplant_work* r, const passage* p, double rel_tol) {
  double miss = p->miss / scale_of(r);
  double d = fmin(nearness(r, p->from), nearness(r, p->to));
  return miss <= CLEARANCE && miss <= BENT * rel_tol * d * d;
}

// (R15) whether coordinates go on as they came: |q - q0 - (t - t0)(q̇0 + q̇)/2| is small, for each of them
static bool goes_on(const jplant_work* r, const jsolve_stretch* step) {
  const jplant_chart_watch* w = &r->watch;
  const jgen_layout* l = &r->plant->dynamics->layout;
  double most = 0.0, off = 0.0;
  for (int c = 0; c < l->nq; c++) {
    int i = l->q[c];
    if (i < 0) continue;
    double moved = 0.5 * (step->t - step->t0) * (w->ydot[i] + w->slope[i]);
    if (!isfinite(moved)) return false;
    most = fmax(most, fabs(moved));
    off = fmax(off, fabs(step->y[i] - step->y0[i] - moved));
  }
  return off <= SMOOTH * most;
}

static jo_status fail_slopes(jplant_work* r) {
  jformat(r->machine.hint, sizeof r->machine.hint,
          "%.200s: the mechanism passes a singular position, where its motion has no derivatives "
          "with respect to its geometry; end the run before it, or leave such parameters out",
          r->plant->model->path);
  return JO_ERR_MODEL;
}

// Of runs that show the errors of others, which may come a little closer.
static double allowed(const jplant_work* r, double d) {
  return r->watch.closer_by > 0.0 ? r->watch.closer_by * d : d;
}

// (R17) how near to a singular position rounding errors of slopes, ROUGH/d^2, are still small for the tolerance
static double zone(const jplant_work* r, double rel_tol) {
  double d = r->watch.needs_slopes ? ZONE_OF_SLOPES : ZONE;
  return allowed(r, fmax(d, fmin(WATCH, sqrt(ROUGH / (MANY * rel_tol)))));
}

// (R18) how near slopes of a step across were taken; s: the part of the step at which J loses rank
static double nearest_stage(const jplant_work* r, const passage* p, const jsolve_stretch* step) {
  double d0 = nearness(r, p->from) / p->at, d1 = nearness(r, p->to) / (1.0 - p->at);
  double nearest = fmin(nearness(r, p->from), nearness(r, p->to));
  for (int i = 0; i < step->nstage; i++) {
    double before = p->at - step->stage[i];
    nearest = fmin(nearest, before > 0.0 ? before * d0 : -before * d1);
  }
  return nearest;
}

// The part of a step across that puts the position in the middle of the widest gap between slopes; where that would be a
// longer step, the part after which a step of the same length does.
static double part_beside(const passage* p, const jsolve_stretch* step) {
  double middle = 0.5, width = 0.0;
  for (int i = 0; i < step->nstage; i++) {
    double from = step->stage[i], to = 1.0;
    for (int j = 0; j < step->nstage; j++) {
      if (step->stage[j] > from) to = fmin(to, step->stage[j]);
    }
    if (to - from <= width) continue;
    width = to - from;
    middle = 0.5 * (from + to);
  }
  double part = p->at < middle ? p->at / middle : p->at - middle;
  return fmin(fmax(part, LEAST_PART), MOST_PART);
}

static jo_status decide(jplant_work* r, const passage* p, const jsolve_stretch* step) {
  bool clear = is_clear(r, p, step->rel_tol);
  if (clear && r->watch.moves_loops) return fail_slopes(r);
  bool is_exact = p->miss <= EXACT * scale_of(r) || step->error <= CAUTION;
  bool passes = clear && is_exact && goes_on(r, step);
  double d = nearest_stage(r, p, step);
  if (passes && !(r->watch.needs_slopes && d < allowed(r, ZONE_OF_SLOPES))) {
    r->watch.nearest = fmin(r->watch.nearest, d);
    r->watch.miss = p->miss;
    r->watch.across[0] = step->t0;
    r->watch.across[1] = step->t;
    r->watch.across[2] = step->t0 + p->at * (step->t - step->t0);
    return JO_OK;
  }
  tell_singular(r, nearness(r, p->from) < nearness(r, p->to) ? p->from : p->to);
  if (!passes) return JO_ERR_CONVERGENCE;
  *step->again = part_beside(p, step);
  return JO_ERR_SINGULAR;
}

// A step whose pivots have other signs at its end.
static jo_status cross(jplant_work* r, jarena* a, const jsolve_stretch* step) {
  jmachine* m = &r->machine;
  passage p;
  int before = jmachine_side(m, step->t0, step->y0);
  memcpy(r->watch.pivot, m->inverse, (size_t)r->plant->about.nv * sizeof *m->inverse);
  bool turns = jmachine_side(m, step->t, step->y) != before;
  int i = first_crossing(r);
  if (i < 0) return JO_OK;  // it was another step that changed sides, one that was not taken
  r->system.rhs(r->system.user, step->t0, step->y0, r->watch.ydot);
  r->system.rhs(r->system.user, step->t, step->y, r->watch.slope);
  JO_TRY(look_across(r, a, locate(r, i, step), step, &p));
  // pivots may pass zero in pairs where J_v is regular
  if (!p.loses) return turns ? jmachine_fail_side(m) : JO_OK;
  return decide(r, &p, step);
}

// No step ends so near to a singular position that errors, not momenta, decide how the motion goes on.
static jo_status keep_away(jplant_work* r, jarena* a, const jsolve_stretch* step) {
  jgen_footing f;
  double spread = jmachine_spread(&r->machine);
  if (!(spread > r->watch.closer)) return JO_OK;
  JO_TRY(judge_at(r, a, step->t, step->y, &f));
  if (nearness(r, f) < zone(r, step->rel_tol)) {
    tell_singular(r, f);
    return JO_ERR_SINGULAR;
  }
  r->watch.closer = spread * fmax(LATER, nearness(r, f) / WATCH);
  return JO_OK;
}

jo_status jplant_chart_pass(jmachine* m, const jsolve_stretch* step) {
  jplant_work* r = m->host;
  jarena a;
  JO_TRY(prepare(r));
  jarena_init(&a, r->ctx);
  jo_status status = keep_away(r, &a, step);
  if (status >= 0) status = cross(r, &a, step);
  jarena_free(&a);
  return status;
}

jo_status jplant_chart_is_near(jplant_work* r, double t, const double* y, double rel_tol,
                               bool* out) {
  jplant_chart_watch* w = &r->watch;
  *out = false;
  if (!(jmachine_spread(&r->machine) > r->machine.near)) return JO_OK;
  jarena a;
  jgen_footing f;
  JO_TRY(prepare(r));
  jarena_init(&a, r->ctx);
  double lever = w->lever;  // of states of the run alone, not of those between
  jo_status status = judge_at(r, &a, t, y, &f);
  w->lever = lever;
  double bent = sqrt(w->miss / scale_of(r) / (BENT * rel_tol));
  if (status >= 0) *out = nearness(r, f) < fmax(zone(r, rel_tol), bent);
  jarena_free(&a);
  return status;
}
