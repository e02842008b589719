// SPDX-License-Identifier: Apache-2.0
// The callbacks of a run. docs/theory/dynamics.md, docs/theory/tyre.md
#include "machine/machine.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/text/format.h"
#include "solve/constants.h"
#include "solve/event/zeno.h"

#define INSTANT \
  1e-12  // times max(1, |t|): switches that are no farther apart flip at one instant [s]
#define SENT_LEAST 1e-2  // floors by which a switch is sent back

static void call(jmachine* m, jmachine_fn f, double t, const double* y, double* const* out) {
  m->call(m->host, f, t, y, out);
}

static void rhs(void* user, double t, const double* y, double* ydot) {
  call(user, JMACHINE_RHS, t, y, (double* const[]){ydot});
}

static void switches(void* user, double t, const double* y, double* g) {
  ((jmachine*)user)->t_looked = t;
  call(user, JMACHINE_SWITCHES, t, y, (double* const[]){g});
}

// ---- loops -----------------------------------------------------------------------------------------

// The redundant equation that is farthest off for its limit, -1: there is none; the largest residual of all.
static int worst_redundant(jmachine* m, double t, const double* y, double* residual) {
  int n = m->about->nredundant, worst = -1;
  double excess = 0.0;
  *residual = 0.0;
  if (n == 0) return worst;
  call(m, JMACHINE_REDUNDANT, t, y, (double* const[]){m->redundant});
  for (int i = 0; i < n; i++) {
    double off = fabs(m->redundant[i]);
    *residual = fmax(*residual, off);
    if (worst >= 0 && off / m->about->closure_limit[i] <= excess) continue;
    excess = off / m->about->closure_limit[i];
    worst = i;
  }
  return worst;
}

// Equations that were left out are still met.
static jo_status check_redundant(jmachine* m, double t, const double* y) {
  const jmachine_about* about = m->about;
  double largest;
  int worst = worst_redundant(m, t, y, &largest);
  if (worst < 0 || fabs(m->redundant[worst]) <= about->closure_limit[worst]) return JO_OK;
  jformat(m->hint, sizeof m->hint,
          "%.200s: closure equation '%.60s' followed from the others when the model was assembled, "
          "but is off by %.3g m now (limit %.2g m): the mechanism is overconstrained and locks; "
          "change the geometry, or remove the closure",
          about->path, about->redundant_name[worst], fabs(m->redundant[worst]),
          about->closure_limit[worst]);
  return JO_ERR_CONVERGENCE;
}

double jmachine_spread(const jmachine* m) {
  double spread = 1.0;
  for (int i = 0; i < m->about->nv; i++) {
    spread *= fabs(m->inverse[i]);
  }
  return spread;
}

// What helps at a singular position. Where every coordinate is driven or follows there are no independent ones to choose.
static const char* remedy(const jmachine* m) {
  return m->about->nu > 0
             ? "choose other independent coordinates (independent: true), or change the geometry"
             : "nothing but drives moves them: drive another coordinate, one that leads through "
               "this position, keep the drives away from it, or change the geometry";
}

// Newton on the closures; the warm start is so close that one correction is the rule.
static jo_status project(void* user, double t, double* y) {
  jmachine* m = user;
  int nv = m->about->nv;
  double* v = y + m->about->first_v;
  for (int k = 0; k < JSOLVE_MAX_CORRECTIONS; k++) {
    if (nv == 0) return check_redundant(m, t, y);
    m->projections++;
    call(m, JMACHINE_PROJECT, t, y, (double* const[]){m->dv, m->h, m->inverse});
    double largest = 0.0;
    for (int i = 0; i < nv; i++) {
      double size = fabs(m->dv[i]);
      v[i] += m->dv[i];
      largest = size > largest ? size : largest;
    }
    if (largest < JSOLVE_CLOSED) return check_redundant(m, t, y);
    if (!(largest < 1e3)) break;
  }
  jformat(m->hint, sizeof m->hint,
          "%.200s: the loops cannot be closed: the mechanism is at or near a singular position; %s",
          m->about->path, remedy(m));
  return JO_ERR_CONVERGENCE;
}

// The sign of det J_v: of the reciprocal pivots at the last projection; 0: they are not finite. Spread: its
// reciprocal, without the sign. Signs: those of all pivots, mixed.
static int side_of_loops(const jmachine* m, double* spread, uint64_t* signs) {
  int side = 1;
  *spread = jmachine_spread(m);
  *signs = 0;
  for (int i = 0; i < m->about->nv; i++) {
    if (!isfinite(m->inverse[i])) return 0;
    if (m->inverse[i] < 0.0) side = -side;
    *signs = *signs * 3 + (m->inverse[i] < 0.0 ? 1 : 2);
  }
  return side;
}

jo_status jmachine_fail_side(jmachine* m) {
  jformat(m->hint, sizeof m->hint,
          "%.200s: the loops pass a singular position of the coordinates that were chosen as "
          "dependent: the others do not tell how they go on; %s",
          m->about->path, remedy(m));
  return JO_ERR_MODEL;
}

// Past a singular position of the dependent coordinates the independent ones do not determine which way
// the loops go on: that a run comes out on a way that closes does not make it the right one. Stages and
// searches may look across; what is accepted may not, unless the host knows that all coordinates together do (`pass`).
static jo_status admit(void* user, const jsolve_stretch* step) {
  jmachine* m = user;
  double spread;
  uint64_t signs;
  int side = side_of_loops(m, &spread, &signs);
  bool turns = m->side != 0 && m->side * side <= 0;
  if (m->pass && step->y0 && m->side != 0 && side != 0) {
    if (signs != m->signs || spread > m->near) JO_TRY(m->pass(m, step));
  } else if (turns) {
    return jmachine_fail_side(m);
  }
  m->side = side;
  m->signs = signs;
  m->spread = spread;
  return JO_OK;
}

int jmachine_side(jmachine* m, double t, const double* y) {
  double spread;
  uint64_t signs;
  call(m, JMACHINE_PROJECT, t, y, (double* const[]){m->dv, m->h, m->inverse});
  return side_of_loops(m, &spread, &signs);
}

void jmachine_measure(jmachine* m, double t, const double* y) {
  call(m, JMACHINE_PROJECT, t, y, (double* const[]){m->dv, m->h, m->inverse});
  m->side = side_of_loops(m, &m->spread, &m->signs);
}

static bool has_loops(const jmachine* m) {
  return m->about->nv + m->about->nredundant > 0;
}

jo_status jmachine_close(jmachine* m, double t, double* y) {
  if (!has_loops(m)) return JO_OK;
  jo_status status = project(m, t, y);
  return status < 0 ? jerr_set(m->ctx, status, "t = %.9g s: %s", t, m->hint) : status;
}

jo_status jmachine_admit(jmachine* m, double t, const double* y) {
  jo_status status = m->about->nv > 0 ? admit(m, &(jsolve_stretch){.t = t, .y = y}) : JO_OK;
  return status < 0 ? jerr_set(m->ctx, status, "t = %.9g s: %s", t, m->hint) : status;
}

double jmachine_closure(jmachine* m, double t, const double* y) {
  double largest;
  int nv = m->about->nv;
  worst_redundant(m, t, y, &largest);
  if (nv > 0) call(m, JMACHINE_PROJECT, t, y, (double* const[]){m->dv, m->h, m->inverse});
  for (int i = 0; i < nv; i++) {
    double off = fabs(m->h[i]);
    largest = off > largest ? off : largest;
  }
  return largest;
}

// ---- events ----------------------------------------------------------------------------------------

static void flip(jmachine* m, const int* flipped, int n) {
  for (int i = 0; i < n; i++) {
    m->mode[flipped[i]] = 1.0 - m->mode[flipped[i]];
  }
}

// Where a driven coordinate jumps, in velocity or position, the momenta conjugate to the independent
// velocities stay. docs/theory/dynamics.md eq. (R8)
jo_status jmachine_impulse(jmachine* m, double t, double* y, const int* flipped, int n,
                           bool* jumps) {
  int nd = m->about->nd;
  *jumps = false;
  if (nd == 0) return JO_OK;
  double* drive[2] = {m->drive_old, m->drive_new};
  for (int now = 0; now < 2; now++) {
    flip(m, flipped, n);
    double* rate[3] = {drive[now], drive[now] + nd, drive[now] + 2 * nd};
    call(m, JMACHINE_DRIVE, t, y, rate);
  }
  for (int i = 0; i < 2 * nd; i++) {
    *jumps = *jumps || m->drive_new[i] != m->drive_old[i];
  }
  if (!*jumps) return JO_OK;
  flip(m, flipped, n);  // what it was before
  call(m, JMACHINE_MOMENTUM, t, y, (double* const[]){m->momentum});
  flip(m, flipped, n);
  JO_TRY(jmachine_close(m, t, y));
  call(m, JMACHINE_IMPULSE, t, y, (double* const[]){m->dqd});
  double* rate = y + m->about->first_rate;
  for (int i = 0; i < m->about->nu; i++) {
    rate[i] += m->dqd[i];
  }
  return JO_OK;
}

// ---- guards ----------------------------------------------------------------------------------------

void jmachine_look_at_guards(jmachine* m, double t, const double* y, double* guards) {
  int n = m->about->nguard;
  double* out[3] = {guards, guards + n, guards + 2 * n};
  call(m, JMACHINE_GUARDS, t, y, out);
}

static jo_status fail_guard(const jmachine* m, int k, double t, const char* what, const char* why) {
  const jmachine_guard* g = &m->about->guard[k];
  return jerr_set(m->ctx, JO_ERR_MODEL, "%s:%d: %s '%s': %s at t = %.9g s%s", g->place.file,
                  g->place.line, g->kind, g->name, what, t, why);
}

jo_status jmachine_fail_short(const jmachine* m, int k, double t) {
  const jmachine_guard* g = &m->about->guard[k];
  return fail_guard(m, k, t, g->is_short, g->why_short);
}

// At a first value of exactly zero equations may hold still, and nothing would bring the motion away from there.
jo_status jmachine_check_guards(const jmachine* m, double t, const double* was, const double* is) {
  int n = m->about->nguard;
  for (int k = 0; k < n; k++) {
    const jmachine_guard* g = &m->about->guard[k];
    bool begins = is[k] > 0.5 && !(was && was[k] > 0.5);
    if (!begins || !(fabs(is[n + k]) < g->least)) continue;
    bool is_short = !(fabs(is[2 * n + k]) >= g->least);
    return is_short ? jmachine_fail_short(m, k, t) : fail_guard(m, k, t, g->begins, g->why_begins);
  }
  return JO_OK;
}

// Whether the first value of a guard that applies is too small.
static bool is_any_small(const jmachine* m, const double* guards) {
  int n = m->about->nguard;
  for (int k = 0; k < n; k++) {
    if (guards[k] > 0.5 && fabs(guards[n + k]) < m->about->guard[k].least) return true;
  }
  return false;
}

// None of the flipped switches says that a pair is too short, and guards that begin to apply may.
static jo_status check_guards(jmachine* m, double t, const double* y, const int* flipped, int n) {
  int nguard = m->about->nguard, first = m->about->first_guard;
  if (nguard == 0) return JO_OK;
  for (int i = 0; i < n; i++) {
    if (flipped[i] < first || m->mode[flipped[i]] < 0.5) continue;
    return jmachine_fail_short(m, flipped[i] - first, t);
  }
  jmachine_look_at_guards(m, t, y, m->guards);
  if (!is_any_small(m, m->guards)) return JO_OK;
  double* was = m->guards + 3 * nguard;
  flip(m, flipped, n);
  jmachine_look_at_guards(m, t, y, was);
  flip(m, flipped, n);
  return jmachine_check_guards(m, t, was, m->guards);
}

// ---- resets ------------------------------------------------------------------------------------------

int jmachine_most_fired(const jmachine_about* about) {
  return about->nevent > 0 ? 8 * about->nevent + 16 : 0;
}

// Values that an event sets, of all states that some event sets.
static void evaluate_reset(jmachine* m, double t, const double* y, int event) {
  memset(m->fired, 0, (size_t)m->about->nevent * sizeof *m->fired);
  m->fired[event] = 1.0;
  call(m, JMACHINE_RESET, t, y, (double* const[]){m->reset});
}

jo_status jmachine_reset(jmachine* m, double t, double* y, int event) {
  const jmachine_about* about = m->about;
  evaluate_reset(m, t, y, event);
  for (int i = 0; i < about->nreset; i++) {
    int at = about->reset_state[i];
    if (at < about->first_rate && y[at] != m->reset[i]) m->side = 0;  // coordinates count anew
    y[at] = m->reset[i];
  }
  return jmachine_close(m, t, y);
}

static void evaluate_conditions(jmachine* m, double t, const double* y, double* holds) {
  call(m, JMACHINE_CONDITIONS, t, y, (double* const[]){holds});
}

static jo_status fail_endless(const jmachine* m, double t, int event) {
  return jerr_set(m->ctx, JO_ERR_LIMIT,
                  "%s: events follow each other without end at t = %.9g s: '%s' happens again; "
                  "what an event sets must not make its own condition true again at once",
                  m->about->path, t, m->about->event_name[event]);
}

// Switches that a jump has taken to their limits, as mod(x, 1) takes ceil(mod(x, 1)): the mode is the one that they move into.
static void decide_by_slope(jmachine* m, double t, const double* y) {
  int n = m->about->nswitch, nundecided = 0;
  for (int k = 0; k < n; k++)
    nundecided += m->stays[k] < INFINITY && fabs(m->g[k]) <= m->floor[k];
  if (nundecided == 0) return;
  double dt = jsolve_zeno_span(t);
  rhs(m, t, y, m->slope);
  for (int i = 0; i < m->about->ny; i++)
    m->slope[i] = y[i] + dt * m->slope[i];
  switches(m, t + dt, m->slope, m->ahead);
  for (int k = 0; k < n; k++) {
    bool is_undecided = m->stays[k] < INFINITY && fabs(m->g[k]) <= m->floor[k];
    if (!is_undecided || fabs(m->ahead[k]) <= m->floor[k]) continue;
    m->mode[k] = m->ahead[k] > 0.0 ? 1.0 : 0.0;
    m->stays[k] = INFINITY;
  }
}

// Conditions where modes are those of the state as it is. Others may contradict it until they follow, behind a jump of what
// they compare or behind a reset: they must not make events happen. A switch that was located at this instant is at zero, on
// either side by rounding: its mode is the one it has, unless a reset moved it away from there.
static void evaluate_fresh(jmachine* m, double t, const double* y, double* holds) {
  int n = m->about->nswitch;
  size_t bytes = (size_t)n * sizeof *m->mode;
  jsolve_system system = jmachine_system(m);
  memcpy(m->stale, m->mode, bytes);
  memcpy(m->stays, m->floor, bytes);
  for (int k = 0; k < n && m->t_reset != t; k++) {
    if (m->t_located[k] == t) m->stays[k] = INFINITY;
  }
  jsolve_update_modes(&system, t, y, m->stays, m->g);
  if (m->t_reset != t) {
    decide_by_slope(m, t, y);
    jsolve_update_modes(&system, t, y, m->stays, m->g);
  }
  evaluate_conditions(m, t, y, holds);
  memcpy(m->mode, m->stale, bytes);
}

// No instant has been so far.
static void forget_instants(jmachine* m) {
  m->t_reset = m->t_event = m->t_begun = -INFINITY;
  m->ndone = 0;
  for (int k = 0; k < m->about->nswitch; k++)
    m->t_located[k] = -INFINITY;
}

static void note_done(jmachine* m, double t, int event) {
  if (m->t_reset != t) m->ndone = 0;
  m->t_reset = t;
  for (int i = 0; i < m->ndone; i++) {
    if (m->done[i] == event) return;
  }
  m->done[m->ndone++] = event;
}

// Whether one of the events of this instant holds by the mode of switch k.
static bool depends_on(jmachine* m, double t, const double* y, int k) {
  evaluate_conditions(m, t, y, m->holds);
  flip(m, &k, 1);
  evaluate_conditions(m, t, y, m->fresh);
  flip(m, &k, 1);
  for (int i = 0; i < m->ndone; i++) {
    int e = m->done[i];
    if (m->holds[e] > 0.5 && !(m->fresh[e] > 0.5)) return true;
  }
  return false;
}

// What is set acts on the probe alone: loops are as close to it as the probe is to them.
static bool repeat(void* user, double t, const double* y, int k, double* probe) {
  jmachine* m = user;
  if (m->t_reset != t || !depends_on(m, t, y, k)) return false;
  for (int i = 0; i < m->ndone; i++) {
    evaluate_reset(m, t, probe, m->done[i]);
    for (int j = 0; j < m->about->nreset; j++)
      probe[m->about->reset_state[j]] = m->reset[j];
  }
  return true;
}

// Whether a condition that holds did so before: before this instant; or, behind a reset of this instant, by the modes that were
// held then, which may contradict the state until they follow.
static bool was_true(const jmachine* m, double t, int e) {
  return m->known[e] > 0.5 || (m->t_reset == t && m->held[e] > 0.5);
}

// Events whose conditions became true happen, in their order; what they set may make others true. One that jumps take through
// its limits, and that holds on their other side, too, has not become true.
static jo_status reset_all(jmachine* m, double t, double* y, int* n) {
  int nevent = m->about->nevent, most = jmachine_most_fired(m->about);
  *n = 0;
  for (;;) {
    int first = *n;
    evaluate_conditions(m, t, y, m->holds);
    evaluate_fresh(m, t, y, m->fresh);
    for (int e = 0; e < nevent; e++) {
      if (!(m->fresh[e] > 0.5) && m->t_reset >= m->t_begun) m->known[e] = 0.0;
      if (!(m->holds[e] > 0.5) || !(m->fresh[e] > 0.5) || was_true(m, t, e)) continue;
      if (*n == most) return fail_endless(m, t, e);
      m->firing[(*n)++] = e;
      m->known[e] = 1.0;
    }
    if (*n == first) return JO_OK;
    memcpy(m->held, m->holds, (size_t)nevent * sizeof *m->held);
    for (int i = first; i < *n; i++)
      note_done(m, t, m->firing[i]);
    for (int i = first; i < *n; i++) {
      JO_TRY(jmachine_reset(m, t, y, m->firing[i]));
      if (m->about->has_end && m->firing[i] == nevent - 1) m->has_ended = true;
    }
  }
}

static int first_at_start(const jmachine* m) {
  for (int e = 0; e < m->about->nevent; e++) {
    if (m->about->event_at_start[e] && m->holds[e] > 0.5) return e;
  }
  return -1;
}

jo_status jmachine_start(jmachine* m, double t, double* y) {
  forget_instants(m);
  jsolve_system system = jmachine_system(m);
  bool has_any = false;
  for (int e = 0; e < m->about->nevent; e++) {
    has_any = has_any || m->about->event_at_start[e];
  }
  if (!has_any) return JO_OK;
  for (int i = 0; i <= jmachine_most_fired(m->about); i++) {
    jsolve_set_modes(&system, t, y, m->g);
    evaluate_conditions(m, t, y, m->holds);
    int e = first_at_start(m);
    if (e < 0) return JO_OK;
    JO_TRY(jmachine_reset(m, t, y, e));
  }
  return fail_endless(m, t, first_at_start(m));
}

static jo_status happen(jmachine* m, double t, double* y, const int* flipped, int n, bool is_next) {
  jmachine_happening what = {.t = t, .before = m->before, .after = y, .mode = m->mode};
  memcpy(m->before, y, (size_t)m->about->ny * sizeof *y);
  JO_TRY(jmachine_impulse(m, t, y, flipped, n, &what.is_impulse));
  if (m->about->nevent > 0) JO_TRY(reset_all(m, t, y, &what.nfired));
  JO_TRY(check_guards(m, t, y, flipped, n));
  what.flipped = flipped;
  what.n = n;
  what.is_next = is_next;
  what.fired = m->firing;
  what.ends = m->has_ended;
  if (m->on_event) m->on_event(m->on_event_user, &what);
  return JO_OK;
}

// Whether switch k, which has just flipped, goes back to where it came from.
static bool is_sent_back(jmachine* m, double t, const double* y, int k) {
  double dt = jsolve_zeno_span(t), side = m->mode[k] > 0.5 ? 1.0 : -1.0;
  switches(m, t, y, m->g);
  double now = m->g[k];
  rhs(m, t, y, m->slope);
  for (int i = 0; i < m->about->ny; i++) {
    m->slope[i] = y[i] + dt * m->slope[i];
  }
  switches(m, t + dt, m->slope, m->g);
  return side * (m->g[k] - now) < -SENT_LEAST * m->floor[k];
}

// Whether t is one with the instant before: nothing was set there, and times of switches are not known any better.
static bool is_same_instant(const jmachine* m, double t) {
  double apart = INSTANT * fmax(1.0, fabs(t));
  return t - m->t_event <= apart && t - m->t_reset > apart;
}

// The first switches at t are those that were located there; others follow from them.
static void begin_instant(jmachine* m, double t, const double* y, const int* located, int n) {
  if (!is_same_instant(m, t)) {
    m->t_begun = t;
    evaluate_conditions(m, t, y, m->known);
  }
  m->t_event = t;
  for (int i = 0; i < n; i++)
    m->t_located[located[i]] = t;
}

// Switches that flip together do so one after another where there are resets: each has a time of its own, on which
// what it resets depends.
static jo_status event(void* user, double t, double* y, const int* flipped, int n) {
  jmachine* m = user;
  if (m->about->nevent == 0) return happen(m, t, y, flipped, n, false);
  memcpy(m->alone, flipped, (size_t)n * sizeof *flipped);
  flip(m, m->alone, n);
  if (m->t_event != t) begin_instant(m, t, y, m->alone, n);
  for (int i = 0; i < n && !m->has_ended; i++) {
    evaluate_conditions(m, t, y, m->held);
    flip(m, &m->alone[i], 1);
    JO_TRY(happen(m, t, y, &m->alone[i], 1, i > 0));
    if (n > 1) m->sent[m->alone[i]] = is_sent_back(m, t, y, m->alone[i]);
  }
  return JO_OK;
}

// ---- objectives ------------------------------------------------------------------------------------

void jmachine_clamp(const jmachine_about* about, double* y) {
  for (int i = 0; i < about->nintegral; i++) {
    double* w = &y[about->first_integral + i];
    if (about->has_root[i] && *w < 0.0) *w = 0.0;
  }
}

void jmachine_objectives(jmachine* m, double t, const double* y, double* psi) {
  memcpy(m->before, y, (size_t)m->about->ny * sizeof *y);
  jmachine_clamp(m->about, m->before);
  call(m, JMACHINE_OBJECTIVE, t, m->before, (double* const[]){psi});
}

// ---- the machine -----------------------------------------------------------------------------------

bool jmachine_init(jmachine* m, jo_context* ctx, jarena* a, const jmachine_about* about,
                   jmachine_call function, void* host) {
  *m = (jmachine){.about = about, .ctx = ctx, .host = host, .call = function};
  m->p = JARENA_ARRAY(a, about->np, double);
  m->mode = JARENA_ARRAY(a, about->nswitch, double);
  m->floor = JARENA_ARRAY(a, about->nswitch, double);
  m->momentum = JARENA_ARRAY(a, about->nu, double);
  m->g = JARENA_ARRAY(a, about->nswitch, double);
  m->slope = JARENA_ARRAY(a, about->ny, double);
  m->sent = JARENA_ARRAY(a, about->nswitch, bool);
  m->fired = JARENA_ARRAY(a, about->nevent, double);
  m->known = JARENA_ARRAY(a, about->nevent, double);
  m->held = JARENA_ARRAY(a, about->nevent, double);
  m->holds = JARENA_ARRAY(a, about->nevent, double);
  m->fresh = JARENA_ARRAY(a, about->nevent, double);
  m->stale = JARENA_ARRAY(a, about->nswitch, double);
  m->stays = JARENA_ARRAY(a, about->nswitch, double);
  m->ahead = JARENA_ARRAY(a, about->nswitch, double);
  m->t_located = JARENA_ARRAY(a, about->nswitch, double);
  m->near = INFINITY;
  m->reset = JARENA_ARRAY(a, about->nreset, double);
  m->firing = JARENA_ARRAY(a, jmachine_most_fired(about), int);
  m->done = JARENA_ARRAY(a, about->nevent, int);
  m->alone = JARENA_ARRAY(a, about->nswitch, int);
  m->dv = JARENA_ARRAY(a, about->nv, double);
  m->h = JARENA_ARRAY(a, about->nv, double);
  m->inverse = JARENA_ARRAY(a, about->nv, double);
  m->drive_old = JARENA_ARRAY(a, 3 * about->nd, double);
  m->drive_new = JARENA_ARRAY(a, 3 * about->nd, double);
  m->dqd = JARENA_ARRAY(a, about->nu, double);
  m->before = JARENA_ARRAY(a, about->ny, double);
  m->redundant = JARENA_ARRAY(a, about->nredundant, double);
  m->guards = JARENA_ARRAY(a, 6 * about->nguard, double);
  bool is_ok = m->p && m->mode && m->floor && m->momentum && m->g && m->slope && m->sent &&
               m->fired && m->known && m->held && m->holds && m->fresh && m->stale && m->stays &&
               m->ahead && m->t_located && m->reset && m->firing && m->done && m->alone && m->dv &&
               m->h && m->inverse && m->drive_old && m->drive_new && m->dqd && m->before &&
               m->redundant && m->guards;
  if (is_ok) forget_instants(m);
  return is_ok;
}

// Errors of all states are controlled, of dependent coordinates too: near a singular position they are the
// first to tell.
jsolve_system jmachine_system(jmachine* m) {
  const jmachine_about* about = m->about;
  return (jsolve_system){.n = about->ny,
                         .user = m,
                         .rhs = rhs,
                         .project = has_loops(m) ? project : NULL,
                         .admit = about->nv > 0 ? admit : NULL,
                         .projection_hint = m->hint,
                         .error_scale = about->nominal,
                         .nswitch = about->nswitch,
                         .switches = switches,
                         .mode = m->mode,
                         .floor = m->floor,
                         .enclosure = about->enclosure,
                         .p = m->p,
                         .event = event,
                         .sent = m->sent,
                         .repeat = about->nevent > 0 ? repeat : NULL,
                         .has_ended = &m->has_ended,
                         .nconstant = about->nconstant,
                         .constant = about->constant,
                         .has_parts = true,
                         .nq = about->nu,
                         .nv = about->nv,
                         .nw = about->first_integral - about->first_rate,
                         .is_quiet = about->is_quiet,
                         .state_name = about->state_name,
                         .switch_name = about->switch_name};
}
