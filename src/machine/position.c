// SPDX-License-Identifier: Apache-2.0
// Assembly by Gauss-Newton on closures and initial conditions together; velocities follow from one
// linear least-squares problem. Where the equations leave coordinates undetermined, a first search finds
// a position that meets them; then as many coordinates as are free go back to their guesses, and the
// others are found again. So the result does not depend on the way there.
//
// A search may end where equations are not met and no small step brings them nearer: a chain that is stretched is not bent by
// pulling its end along its line. Then it begins again beside the guesses, at starts that spread further and further. The
// first spread that leads to positions decides, and of these the one nearest to the guesses.
#include "machine/position.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "solve/algebra/linear.h"
#include "solve/algebra/newton.h"

#define CLOSURE_TOLERANCE 1e-12  // [m] and [-]
#define RATE_TOLERANCE    1e-8   // of prescribed rates, relative to the largest
#define POSITION_ROUNDING 2e-15  // of a closure, relative to the largest coordinate
#define MAX_ITERATIONS    200
#define TURN              6.283185307179586
#define ROUNDING          1e-12  // an entry of the Jacobian that is none [m/rad, -]
#define UNMET             1e-9   // a condition that the guess does not meet
#define STARTS            8      // beside the guesses, of each spread

// Starts beside the guesses: largest change of an angle [rad], or of a length by what is open at the guesses [-].
static const double spread[] = {0.1, 0.3, 1.0, 3.0};
#define SPREADS ((int)(sizeof spread / sizeof *spread))

typedef struct problem {
  const jmachine_position* p;
  const double* values;                              // of the live numbers
  int nfree, *free;                                  // coordinates to find
  bool *stays, *rests, *arbitrary, *idle, is_moved;  // see jmachine_assembly
  double t, *q;                                      // all coordinates
  int beside;                                        // starts beside the guesses
  double *h, *J, *s, *sd, *sdd, *quantity, *value, *rate, *Jq, *guess;
} problem;

static void evaluate(problem* b, jmachine_position_fn f, double* const* out) {
  b->p->eval(b->p->host, f, b->values, b->t, b->q, out);
}

static void evaluate_all(problem* b) {
  evaluate(b, JMACHINE_CLOSURE, (double* const[]){b->h, b->J});
  evaluate(b, JMACHINE_INITIAL, (double* const[]){b->quantity, b->value, b->rate, b->Jq, b->guess});
}

static jo_status allocate(jo_context* ctx, jarena* a, problem* b) {
  const jmachine_position* p = b->p;
  int nq = p->nq, nh = p->nh, ni = p->ninitial;
  b->free = JARENA_ARRAY(a, nq, int);
  b->stays = JARENA_ARRAY(a, 4 * nq, bool);
  b->q = JARENA_ARRAY(a, nq, double);
  b->guess = JARENA_ARRAY(a, nq, double);
  b->h = JARENA_ARRAY(a, nh, double);
  b->J = JARENA_ARRAY(a, nh * nq, double);
  b->s = JARENA_ARRAY(a, 3 * p->nd, double);
  b->quantity = JARENA_ARRAY(a, 3 * ni, double);
  b->Jq = JARENA_ARRAY(a, ni * nq, double);
  if (!b->free || !b->stays || !b->q || !b->guess || !b->h || !b->J || !b->s || !b->quantity ||
      !b->Jq) {
    return jerr_memory(ctx);
  }
  b->rests = b->stays + nq;
  b->arbitrary = b->rests + nq;
  b->idle = b->arbitrary + nq;
  b->sd = b->s + p->nd;
  b->sdd = b->sd + p->nd;
  b->value = b->quantity + ni;
  b->rate = b->value + ni;
  return JO_OK;
}

// r = [ h ; quantity - value ],  x = free coordinates
static void residual(void* user, const double* x, double* r, double* Jx) {
  problem* b = user;
  int nh = b->p->nh, ni = b->p->ninitial, nr = nh + ni;
  for (int i = 0; i < b->nfree; i++) {
    b->q[b->free[i]] = x[i];
  }
  evaluate_all(b);
  for (int i = 0; i < nh; i++) {
    r[i] = b->h[i];
  }
  for (int i = 0; i < ni; i++) {
    r[nh + i] = b->p->initial[i].has_value ? b->quantity[i] - b->value[i] : 0.0;
  }
  for (int k = 0; Jx && k < b->nfree; k++) {
    int c = b->free[k];
    for (int i = 0; i < nh; i++) {
      Jx[i + k * nr] = b->J[i + c * nh];
    }
    for (int i = 0; i < ni; i++) {
      Jx[nh + i + k * nr] = b->p->initial[i].has_value ? b->Jq[i + c * ni] : 0.0;
    }
  }
}

// Coordinates to find: all that are not driven, and do not stay. x: where they are.
static void free_coordinates(problem* b, const bool* stays, double* x) {
  b->nfree = 0;
  for (int i = 0; i < b->p->nq; i++) {
    if (b->p->coordinate[i].is_driven || (stays && stays[i])) continue;
    if (x) x[b->nfree] = b->q[i];
    b->free[b->nfree++] = i;
  }
}

// Far from the origin, at the guesses or where conditions want it, positions have fewer digits.
static double closure_tolerance(const problem* b) {
  double most = 0.0;
  for (int i = 0; i < b->p->nq; i++) {
    most = fmax(most, fabs(b->q[i]));
  }
  for (int i = 0; i < b->p->ninitial; i++) {
    if (b->p->initial[i].has_value) most = fmax(most, fabs(b->value[i]));
  }
  return fmax(CLOSURE_TOLERANCE, POSITION_ROUNDING * (isfinite(most) ? most : 0.0));
}

// Newton from q on the free coordinates. Reports nothing.
static jo_status search(jo_context* ctx, problem* b, double* x, double* r,
                        jsolve_newton_result* result) {
  jsolve_residual f = {b->nfree, b->p->nh + b->p->ninitial, b, residual, NULL};
  double tolerance = closure_tolerance(b);
  jsolve_newton_options opt = {tolerance, MAX_ITERATIONS};
  *result = (jsolve_newton_result){0};
  jo_status status = jsolve_newton(ctx, &f, &opt, x, result);
  residual(b, x, r, NULL);
  // rounding may keep the last digit of a residual alive
  bool met = status == JO_ERR_CONVERGENCE && result->residual <= 100.0 * tolerance;
  return met ? JO_OK : status;
}

static const char* name_of_row(const problem* b, int row) {
  return row < b->p->nh ? b->p->row_name[row] : b->p->initial[row - b->p->nh].text;
}

static jo_status fail_position(jo_context* ctx, const problem* b, jo_status status,
                               const jsolve_newton_result* result) {
  if (status == JO_ERR_NUMERIC) {
    return jerr_set(ctx, status,
                    "%s: the loops and initial conditions have no finite value at the guesses of "
                    "the coordinates; check the points, or give other guesses",
                    b->p->path);
  }
  if (status == JO_ERR_MEMORY) return jerr_memory(ctx);
  int nh = b->p->nh, row = result->worst;
  char tried[96] = "";
  if (b->beside > 0) {
    jformat(tried, sizeof tried, ", the nearest of the guesses and %d starts up to %g rad beside",
            b->beside, spread[SPREADS - 1]);
  }
  const char* what = name_of_row(b, row) ? name_of_row(b, row) : "";
  if (row < nh && row >= nh - b->p->ncoupling) {
    return jerr_set(ctx, status,
                    "%s: coupling '%s' cannot be met: residual %.3g after %d iterations%s; other "
                    "couplings, closures or initial conditions contradict it: check ratios and "
                    "offsets",
                    b->p->path, what, result->residual, result->iterations, tried);
  }
  return jerr_set(ctx, status,
                  "%s: %s '%s' cannot be met: residual %.3g after %d iterations%s; check the "
                  "points, or give guesses nearer to the assembled position",
                  b->p->path, row < nh ? "closure" : "initial condition on", what, result->residual,
                  result->iterations, tried);
}

// Rows of closures and of the conditions that give a value, or a rate, by all coordinates (nr x nq).
static void fill_rows(const problem* b, bool rates, double* A) {
  int nh = b->p->nh, ni = b->p->ninitial, nr = nh + ni;
  for (int c = 0; c < b->p->nq; c++) {
    for (int i = 0; i < nh; i++) {
      A[i + c * nr] = b->J[i + c * nh];
    }
    for (int i = 0; i < ni; i++) {
      bool given = rates ? b->p->initial[i].has_rate : b->p->initial[i].has_value;
      A[nh + i + c * nr] = given ? b->Jq[i + c * ni] : 0.0;
    }
  }
}

// Coordinates that stay although they are in one net of equations with a condition that the guess does
// not meet: begin with the rows of such conditions, and go on to rows that share a coordinate.
static void find_arbitrary(const problem* b, const double* A, bool* unmet, const bool* stays,
                           bool* touched) {
  int nq = b->p->nq, nr = b->p->nh + b->p->ninitial;
  bool grows = true;
  while (grows) {
    grows = false;
    for (int i = 0; i < nr; i++) {
      bool reached = unmet[i];
      for (int c = 0; c < nq; c++) {
        bool is_in = fabs(A[i + c * nr]) > ROUNDING && !b->p->coordinate[c].is_driven;
        reached = reached || (is_in && touched[c]);
        grows = grows || (unmet[i] && is_in && !touched[c]);
        touched[c] = touched[c] || (unmet[i] && is_in);
      }
      grows = grows || (reached && !unmet[i]);
      unmet[i] = reached;
    }
  }
  for (int c = 0; c < nq; c++) {
    touched[c] = touched[c] && stays[c];
  }
}

static bool any(const bool* list, int n) {
  for (int i = 0; i < n; i++) {
    if (list[i]) return true;
  }
  return false;
}

// ---- starts beside the guesses -------------------------------------------------------------------

// A number in (-1, 1) for the k-th start and the i-th coordinate, of sequences that fill the cube evenly.
static double scattered(int k, int i) {
  double x = (k + 1) * sqrt(2.0 + 3.0 * i);
  return 2.0 * (x - floor(x)) - 1.0;
}

typedef struct hunt {
  double *from, *x, *best,
      *size;  // of the free coordinates: first start, trial, nearest position; how far to move
  double* r;
  jsolve_newton_result least;  // of what could not be met
} hunt;

static void scatter(const problem* b, hunt* h, double wide) {
  for (int i = 0; i < b->nfree; i++) {
    h->x[i] = h->from[i] + wide * h->size[i] * scattered(b->beside, i);
  }
}

// Coordinates that take part in what is not met move, others begin at their guesses as before. Which take part is seen beside
// the guesses: there, entries of the Jacobian are not zero by chance. open: the largest residual at the guesses.
static jo_status choose_moves(jarena* a, problem* b, double open, hunt* h) {
  int nq = b->p->nq, nh = b->p->nh, nr = nh + b->p->ninitial;
  double* A = JARENA_ARRAY(a, nr * nq, double);
  bool* unmet = JARENA_ARRAY(a, nr, bool);
  bool* all = JARENA_ARRAY(a, 2 * nq, bool);
  if (!A || !unmet || !all) return JO_ERR_MEMORY;
  for (int i = 0; i < nr; i++) {
    unmet[i] = fabs(h->r[i]) > UNMET;
  }
  for (int k = 0; k < b->nfree; k++) {
    h->size[k] = b->p->coordinate[b->free[k]].is_angle ? 1.0 : open;
  }
  memset(all, true, (size_t)nq * sizeof *all);
  scatter(b, h, spread[0]);
  residual(b, h->x, h->r, NULL);
  fill_rows(b, false, A);
  bool* touched = all + nq;
  find_arbitrary(b, A, unmet, all, touched);
  for (int k = 0; k < b->nfree; k++) {
    if (!touched[b->free[k]]) h->size[k] = 0.0;
  }
  return JO_OK;
}

// One spread; *found: x is a position.
static jo_status try_spread(jo_context* ctx, problem* b, hunt* h, double wide, bool* found) {
  double nearest = INFINITY;
  for (int k = 0; k < STARTS; k++, b->beside++) {
    double apart = 0.0;
    scatter(b, h, wide);
    jsolve_newton_result result;
    jo_status status = search(ctx, b, h->x, h->r, &result);
    if (status == JO_ERR_MEMORY) return status;
    if (status == JO_ERR_CONVERGENCE && result.residual < h->least.residual) h->least = result;
    for (int i = 0; i < b->nfree; i++) {
      apart = fmax(apart, fabs(h->x[i] - h->from[i]) / fmax(h->size[i], UNMET));
    }
    if (status < 0 || !(apart < nearest)) continue;
    nearest = apart;
    memcpy(h->best, h->x, (size_t)b->nfree * sizeof *h->x);
  }
  *found = nearest < INFINITY;
  return JO_OK;
}

// After a search from `from` that could not meet the equations, which were off by `open` there. x, r: as of a search;
// result: of the one that came nearest.
static jo_status search_beside(jo_context* ctx, jarena* a, problem* b, const double* from,
                               double open, double* x, double* r, jsolve_newton_result* result) {
  int n = b->nfree;
  double* work = JARENA_ARRAY(a, 3 * n, double);
  if (!work) return JO_ERR_MEMORY;
  hunt h = {.x = x, .r = r, .from = work, .best = work + n, .size = work + 2 * n, .least = *result};
  memcpy(h.from, from, (size_t)n * sizeof *from);
  JO_TRY(choose_moves(a, b, open, &h));
  bool found = false;
  for (int k = 0; k < SPREADS && !found && n > 0; k++) {
    JO_TRY(try_spread(ctx, b, &h, spread[k], &found));
  }
  *result = h.least;
  if (!found) return JO_ERR_CONVERGENCE;
  memcpy(x, h.best, (size_t)n * sizeof *x);
  residual(b, x, r, NULL);
  return JO_OK;
}

// ---- what nothing determines ---------------------------------------------------------------------

// From where a first search came to: coordinates that stay go back to their guesses, the others are found
// again. JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: they cannot be. Reports nothing.
static jo_status go_back(jo_context* ctx, problem* b, const double* found, double* x, double* r) {
  jsolve_newton_result result;
  for (int i = 0; i < b->p->nq; i++) {
    b->q[i] = b->stays[i] ? b->guess[i] : found[i];
  }
  free_coordinates(b, b->stays, x);
  return search(ctx, b, x, r, &result);
}

// What nothing determines goes back to its guess. Loops that cannot be closed so may be with the inner
// coordinates moved in place of the outer ones; else all remains as the first search left it.
static jo_status settle(jo_context* ctx, jarena* a, problem* b, double* x, double* r, bool* unmet) {
  const jmachine_position* p = b->p;
  int nq = p->nq, nr = p->nh + p->ninitial;
  double* A = JARENA_ARRAY(a, nr * nq, double);
  double* found = JARENA_ARRAY(a, nq, double);
  if (!A || !found) return jerr_memory(ctx);
  memcpy(found, b->q, (size_t)nq * sizeof *found);
  fill_rows(b, false, A);
  for (int inner = 0; inner < 2; inner++) {
    JO_TRY(p->undetermined(p->host, ctx, a, A, false, inner > 0, b->stays));
    if (!any(b->stays, nq)) return JO_OK;
    jo_status status = go_back(ctx, b, found, x, r);
    b->is_moved = status == JO_ERR_CONVERGENCE || status == JO_ERR_NUMERIC;
    if (b->is_moved) continue;
    find_arbitrary(b, A, unmet, b->stays, b->arbitrary);
    return status < 0 ? jerr_memory(ctx) : JO_OK;
  }
  memcpy(b->q, found, (size_t)nq * sizeof *found);
  evaluate_all(b);
  return JO_OK;
}

// The coordinate that condition i gives the value of, with nothing else in it; -1: none.
static int coordinate_of(const problem* b, int i) {
  int which = -1;
  for (int c = 0; c < b->p->nq; c++) {
    double slope = b->Jq[i + c * b->p->ninitial];
    if (slope == 0.0) continue;
    if (slope != 1.0 || which >= 0) return -1;
    which = c;
  }
  return which;
}

// Loops are closed whole turns later as they are now: an angle that is given is begun within half a turn
// of its value.
static void turn_guesses(problem* b) {
  for (int i = 0; i < b->p->ninitial; i++) {
    int c = b->p->initial[i].has_value ? coordinate_of(b, i) : -1;
    if (c < 0 || !b->p->coordinate[c].is_angle) continue;
    double turns = round((b->value[i] - b->guess[c]) / TURN);
    if (fabs(turns) >= 1.0 && isfinite(turns)) b->guess[c] += TURN * turns;
  }
}

// Driven positions follow from time and parameters alone, driven rates from positions too: before there are any (`rates`
// false) only the positions mean something.
static jo_status find_drives(jo_context* ctx, problem* b, bool rates) {
  evaluate(b, JMACHINE_DRIVES, (double* const[]){b->s, b->sd, b->sdd});
  for (int i = 0, d = 0; i < b->p->nq; i++) {
    const jmachine_coordinate* c = &b->p->coordinate[i];
    if (!c->is_driven) continue;
    if (!isfinite(b->s[d]) || (rates && (!isfinite(b->sd[d]) || !isfinite(b->sdd[d])))) {
      return jerr_set(ctx, JO_ERR_NUMERIC,
                      "%s:%d: drive of '%s' is not finite at t = %g s (value %g, rate %g, "
                      "acceleration %g): %s",
                      c->drive_place.file, c->drive_place.line, c->name, b->t, b->s[d], b->sd[d],
                      b->sdd[d], c->drive_text ? c->drive_text : "");
    }
    d++;
  }
  return JO_OK;
}

static jo_status find_position(jo_context* ctx, jarena* a, problem* b, const double* from) {
  const jmachine_position* p = b->p;
  int nr = p->nh + p->ninitial;
  jsolve_newton_result result;
  double* x = JARENA_ARRAY(a, p->nq, double);
  double* r = JARENA_ARRAY(a, nr, double);
  double* first = JARENA_ARRAY(a, p->nq, double);
  bool* unmet = JARENA_ARRAY(a, nr, bool);
  if (!x || !r || !first || !unmet) return jerr_memory(ctx);
  JO_TRY(find_drives(ctx, b, false));
  evaluate_all(b);
  turn_guesses(b);
  for (int i = 0, d = 0; i < p->nq; i++) {
    b->q[i] = b->p->coordinate[i].is_driven ? b->s[d++] : from ? from[i] : b->guess[i];
  }
  free_coordinates(b, NULL, x);
  memcpy(first, x, (size_t)b->nfree * sizeof *x);
  residual(b, x, r, NULL);
  double open = 0.0;
  for (int i = 0; i < nr; i++) {
    unmet[i] = i >= p->nh && fabs(r[i]) > UNMET;
    open = fmax(open, fabs(r[i]));
  }
  jo_status status = search(ctx, b, x, r, &result);
  if (status == JO_ERR_CONVERGENCE) {
    status = search_beside(ctx, a, b, first, open, x, r, &result);
  }
  if (status < 0) return fail_position(ctx, b, status, &result);
  return settle(ctx, a, b, x, r, unmet);
}

// J_f qd_f = -J_d sd,  (d quantity/dq)_f qd_f = rate - (..)_d sd, f: all that do not rest
static jo_status find_velocity(jo_context* ctx, jarena* a, problem* b, double* qd) {
  const jmachine_position* p = b->p;
  int nq = p->nq, nr = p->nh + p->ninitial;
  double* A = JARENA_ARRAY(a, nr * nq, double);
  double* rhs = JARENA_ARRAY(a, nr > nq ? nr : nq, double);
  double* x = JARENA_ARRAY(a, nq, double);
  bool* unmet = JARENA_ARRAY(a, nr, bool);
  if (!A || !rhs || !x || !unmet) return jerr_memory(ctx);
  for (int i = 0, d = 0; i < nq; i++) {
    qd[i] = b->p->coordinate[i].is_driven ? b->sd[d++] : 0.0;
  }
  fill_rows(b, true, A);
  JO_TRY(p->undetermined(p->host, ctx, a, A, true, false, b->rests));
  for (int i = 0; i < nr; i++) {
    bool given = i >= p->nh && b->p->initial[i - p->nh].has_rate;
    rhs[i] = given ? b->rate[i - p->nh] : 0.0;
    unmet[i] = fabs(rhs[i]) > UNMET;
    for (int k = 0; k < nq; k++) {
      rhs[i] -= A[i + k * nr] * qd[k];
    }
  }
  find_arbitrary(b, A, unmet, b->rests, b->idle);
  free_coordinates(b, b->rests, NULL);
  for (int k = 0; k < b->nfree; k++) {  // columns move to the front: free[k] >= k
    memmove(A + k * nr, A + b->free[k] * nr, (size_t)nr * sizeof *A);
  }
  int rank = jsolve_least_squares(ctx, nr, b->nfree, A, rhs, 1e-12, x);
  if (rank == JO_ERR_MEMORY) return jerr_memory(ctx);
  if (rank < 0) {
    return jerr_set(ctx, JO_ERR_NUMERIC, "%s: the initial rates have no finite values", b->p->path);
  }
  for (int k = 0; k < b->nfree; k++) {
    qd[b->free[k]] = x[k];
  }
  return JO_OK;
}

// Prescribed rates that contradict each other or the closures.
static jo_status check_velocity(jo_context* ctx, const problem* b, const double* qd) {
  const jmachine_position* p = b->p;
  for (int i = 0; i < p->ninitial; i++) {
    if (!b->p->initial[i].has_rate) continue;
    double rate = 0.0, size = 1.0;
    for (int k = 0; k < p->nq; k++) {
      rate += b->Jq[i + k * p->ninitial] * qd[k];
      size = fmax(size, fabs(qd[k]));
    }
    if (fabs(rate - b->rate[i]) > RATE_TOLERANCE * size) {
      const jmachine_initial* q = &b->p->initial[i];
      return jerr_set(ctx, JO_ERR_MODEL,
                      "%s:%d: initial '%s': rate %.6g contradicts the other rates and the closures "
                      "(they give %.6g)",
                      q->place.file, q->place.line, q->text ? q->text : "", b->rate[i], rate);
    }
  }
  return JO_OK;
}

jo_status jmachine_assemble(jo_context* ctx, jarena* a, const jmachine_position* p,
                            const double* values, const double* from, double t,
                            jmachine_assembly* out) {
  problem b = {.p = p, .t = t, .values = values};
  JO_TRY(allocate(ctx, a, &b));
  JO_TRY(find_position(ctx, a, &b, from));
  JO_TRY(find_drives(ctx, &b, true));
  out->qd = JARENA_ARRAY(a, p->nq, double);
  out->z = JARENA_ARRAY(a, p->nz, double);
  if (!out->qd || !out->z) return jerr_memory(ctx);
  JO_TRY(find_velocity(ctx, a, &b, out->qd));
  JO_TRY(check_velocity(ctx, &b, out->qd));
  evaluate(&b, JMACHINE_STATES, (double* const[]){out->z});
  out->q = b.q;
  out->J = b.J;
  out->stays = b.stays;
  out->rests = b.rests;
  out->arbitrary = b.arbitrary;
  out->idle = b.idle;
  out->beside = b.beside;
  out->is_moved = b.is_moved;
  out->residual = 0.0;
  for (int i = 0; i < p->nh; i++) {
    out->residual = fmax(out->residual, fabs(b.h[i]));
  }
  return JO_OK;
}

jo_status jmachine_assemble_velocity(jo_context* ctx, jarena* a, const jmachine_position* p,
                                     const double* values, double t, double* q, double* qd,
                                     bool* rests) {
  problem b = {.p = p, .t = t, .values = values};
  JO_TRY(allocate(ctx, a, &b));
  memcpy(b.q, q, (size_t)p->nq * sizeof *q);
  evaluate(&b, JMACHINE_DRIVES, (double* const[]){b.s, b.sd, b.sdd});
  for (int i = 0, k = 0; i < p->nq; i++) {
    if (p->coordinate[i].is_driven) q[i] = b.q[i] = b.s[k++];
  }
  evaluate_all(&b);
  JO_TRY(find_velocity(ctx, a, &b, qd));
  memcpy(rests, b.rests, (size_t)p->nq * sizeof *rests);
  return check_velocity(ctx, &b, qd);
}
