// SPDX-License-Identifier: Apache-2.0
// Bodies without mass inside of loops: whether the reduced mass matrix is regular, which the masses of the tree do not
// tell, and what moves no mass where it is not. M_r is scaled by its diagonal at the start, whatever the units of the coordinates; Cholesky with the largest pivot first
// then shows by how much it is regular. docs/theory/dynamics.md eq. (R4).
#include <math.h>
#include <string.h>

#include "expr/tape/tape.h"
#include "plant/plant.h"
#include "plant/start/wheels.h"

#define SINGULAR        1e-10  // pivot of the scaled matrix, at the start
#define NEARLY_SINGULAR 1e-4   // where a run has failed
#define NOTHING         1e-13  // an entry of the diagonal by the largest
#define MOVES           1e-6   // part of the fastest coordinate
#define MOST_NAMES      3

typedef struct problem {
  jo_context* ctx;
  const jgen_dynamics* d;
  const jplant_work* run;  // its numbers and modes
  double t;
  const double* y;  // closed
  int n;
  double *M, *size, *x, *L, *motion;
  int* order;
} problem;

static jo_status allocate(problem* b, jarena* a) {
  int n = b->n;
  b->M = JARENA_ARRAY(a, n * n, double);
  b->L = JARENA_ARRAY(a, n * n, double);
  b->size = JARENA_ARRAY(a, n, double);
  b->x = JARENA_ARRAY(a, n, double);
  b->order = JARENA_ARRAY(a, n, int);
  b->motion = JARENA_ARRAY(a, b->d->model->ncoordinate, double);
  bool ok = b->M && b->L && b->size && b->x && b->order && b->motion;
  return ok ? JO_OK : jerr_memory(b->ctx);
}

static jo_status evaluate(problem* b, jarena* a, jgen_fn f, const double* y, double* out) {
  jexpr_tape tape;
  double* work;
  JO_TRY(jexpr_tape_prepare(b->ctx, a, &b->d->fn[f], &tape, &work));
  const double* in[JGEN_GROUP_COUNT] = {JPLANT_INPUTS(b->run, &b->t, y)};
  jexpr_tape_eval(&tape, 1, in, (double* const[]){out}, work);
  return JO_OK;
}

// Independent coordinate without any mass; -1: none. Sizes of the others.
static int find_weightless(problem* b) {
  double largest = 0.0;
  for (int i = 0; i < b->n; i++) {
    largest = fmax(largest, b->M[i + i * b->n]);
  }
  for (int i = 0; i < b->n; i++) {
    double m = b->M[i + i * b->n];
    if (!(m > NOTHING * largest)) return i;
    b->size[i] = sqrt(m);
  }
  return -1;
}

static double scaled(const problem* b, int i, int j) {
  return b->M[i + j * b->n] / (b->size[i] * b->size[j]);
}

// Rows of L in the order of pivots; how many pivots are larger than `least`.
static int factor(problem* b, double least) {
  int n = b->n;
  for (int i = 0; i < n; i++) {
    b->order[i] = i;
    b->x[i] = scaled(b, i, i);  // what is left of the diagonal
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (b->x[b->order[i]] > b->x[b->order[best]]) best = i;
    }
    int p = b->order[best];
    b->order[best] = b->order[k];
    b->order[k] = p;
    if (!(b->x[p] > least)) return k;
    double root = b->L[p + k * n] = sqrt(b->x[p]);
    for (int i = k + 1; i < n; i++) {
      int q = b->order[i];
      double sum = scaled(b, q, p);
      for (int j = 0; j < k; j++) {
        sum -= b->L[q + j * n] * b->L[p + j * n];
      }
      b->L[q + k * n] = sum / root;
      b->x[q] -= sum / root * (sum / root);
    }
  }
  return n;
}

// x: velocities without momentum, one of the coordinates beyond the rank at 1: L_11^T x_1 = -L_21^T
static void find_null(problem* b, int rank) {
  int n = b->n, last = b->order[rank];
  memset(b->x, 0, (size_t)n * sizeof *b->x);
  b->x[last] = 1.0;
  for (int k = rank - 1; k >= 0; k--) {
    double sum = -b->L[last + k * n];
    for (int j = k + 1; j < rank; j++) {
      sum -= b->L[b->order[j] + k * n] * b->x[b->order[j]];
    }
    b->x[b->order[k]] = sum / b->L[b->order[k] + k * n];
  }
  for (int i = 0; i < n; i++) {
    b->x[i] /= b->size[i];
  }
}

// What all coordinates do when the independent ones move by x, drives at rest.
static jo_status find_motion(problem* b, jarena* a) {
  const jgen_dynamics* d = b->d;
  double* y = JARENA_ARRAY(a, d->ny, double);
  double* dependent = JARENA_ARRAY(a, d->part.nv, double);
  if (!y || !dependent) return jerr_memory(b->ctx);
  memcpy(y, b->y, (size_t)d->ny * sizeof *y);
  for (int with = 0; with < 2; with++) {
    for (int i = 0; i < d->part.nu; i++) {
      int u = d->part.u[i];
      y[d->layout.qd[u]] = b->motion[u] = with ? b->x[i] : 0.0;
    }
    JO_TRY(evaluate(b, a, JGEN_FN_VELOCITY, y, dependent));
    for (int i = 0; i < d->part.nv; i++) {
      b->motion[d->part.v[i]] = dependent[i] - b->motion[d->part.v[i]];
    }
  }
  return JO_OK;
}

// The bodies without mass whose own joints move, "'rod', 'link'"; the coordinate that moves most.
static const char* list_bodies(problem* b, jarena* a, int* coordinate) {
  const jmodel* m = b->d->model;
  const char* text = "";
  double most = 0.0;
  for (int i = 0; i < m->ncoordinate; i++) {
    bool is_faster = fabs(b->motion[i]) > 1.001 * most;
    if (is_faster) *coordinate = i;
    if (is_faster) most = fabs(b->motion[i]);
  }
  for (int k = 0, n = 0; k < m->njoint && text; k++) {
    const jmodel_joint* j = &m->joint[k];
    bool moves = false;
    for (int i = 0; i < j->ncoordinate; i++) {
      moves = moves || fabs(b->motion[j->first_coordinate + i]) > MOVES * most;
    }
    if (!moves || m->body[j->child].has_mass || n++ >= MOST_NAMES) continue;
    text = jarena_printf(a, "%s%s'%s'", text, *text ? ", " : "", m->body[j->child].name);
  }
  return text;
}

static jo_status fail(problem* b, jarena* a) {
  const jmodel* m = b->d->model;
  int coordinate = 0;
  JO_TRY(find_motion(b, a));
  const char* bodies = list_bodies(b, a, &coordinate);
  if (!bodies) return jerr_memory(b->ctx);
  const jmodel_joint* j = &m->joint[m->coordinate[coordinate].joint];
  return jerr_set(
      b->ctx, JO_ERR_SINGULAR,
      "%s:%d: coordinate '%s' can move at t = %.9g s without moving any mass, so that nothing "
      "tells its acceleration (the reduced mass matrix is singular)%s%s; hint: give what moves a "
      "mass, or take the freedom away: a rod between two ball joints turns about itself, one "
      "between a ball joint and a universal one does not",
      j->place.file, j->place.line, m->coordinate[coordinate].name, b->t,
      *bodies ? "; bodies without mass that move: " : "", bodies);
}

static jo_status check(problem* b, jarena* a, const double* start) {
  JO_TRY(allocate(b, a));
  JO_TRY(evaluate(b, a, JGEN_FN_MASS, start ? start : b->y, b->M));
  int weightless = find_weightless(b);
  if (weightless >= 0) {
    memset(b->x, 0, (size_t)b->n * sizeof *b->x);
    b->x[weightless] = 1.0;
    return fail(b, a);
  }
  if (start) JO_TRY(evaluate(b, a, JGEN_FN_MASS, b->y, b->M));
  int rank = factor(b, start ? NEARLY_SINGULAR : SINGULAR);
  if (rank == b->n) return JO_OK;
  find_null(b, rank);
  return fail(b, a);
}

// Is there anything to look at? Not in models where every body that moves has or carries mass.
static bool has_massless(const jgen_dynamics* d) {
  return d->part.nu > 0 && d->fn[JGEN_FN_MASS].out[0].n > 0;
}

// JO_ERR_SINGULAR, reported: something moves without mass. start: a state whose masses tell how much is little, where a
// run has failed; NULL: y itself.
static jo_status check_mass(jo_context* ctx, const jplant_work* run, double t, const double* y,
                            const double* start) {
  const jgen_dynamics* d = run->plant->dynamics;
  problem b = {.ctx = ctx, .d = d, .run = run, .t = t, .y = y, .n = d->part.nu};
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = check(&b, &a, start);
  jarena_free(&a);
  return status;
}

jo_status jplant_check_start_mass(jo_context* ctx, const jplant* p, const double* values,
                                  const double* y) {
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start;
  jplant_work* run;
  JO_TRY(jplant_check_spin(ctx, p, values, y));
  if (!has_massless(d)) return JO_OK;
  JO_TRY(jplant_work_create_at(ctx, p, values, t, y, &run));
  jo_status status = check_mass(ctx, run, t, y, NULL);
  jplant_work_destroy(run);
  return status;
}

// Without the sign of what is not a number.
static double plain(double x) {
  return isnan(x) ? (double)NAN : x;
}

// JO_ERR_NUMERIC, reported: a driven coordinate has no finite position, rate or acceleration at (t, y), where a run failed.
static jo_status check_drives(jplant_work* r, double t, const double* y) {
  const jgen_partition* part = &r->plant->dynamics->part;
  const jmodel* m = r->plant->model;
  double* drive = r->machine.drive_new;
  if (part->nd == 0) return JO_OK;
  double* rate[3] = {drive, drive + part->nd, drive + 2 * part->nd};
  jplant_call(r, JGEN_FN_DRIVE, t, y, rate);
  for (int i = 0; i < part->nd; i++) {
    const jmodel_coordinate* c = &m->coordinate[part->d[i]];
    if (isfinite(rate[0][i]) && isfinite(rate[1][i]) && isfinite(rate[2][i])) continue;
    return jerr_set(r->ctx, JO_ERR_NUMERIC,
                    "%s:%d: drive of '%s' is not finite at t = %.9g s (value %g, rate %g, "
                    "acceleration %g): %s",
                    c->driven.place.file, c->driven.place.line, c->name, t, plain(rate[0][i]),
                    plain(rate[1][i]), plain(rate[2][i]), c->driven.text ? c->driven.text : "");
  }
  return JO_OK;
}

jo_status jplant_explain_failure(jplant_work* r, jo_status status, int said, double t,
                                 const double* y) {
  if (status == JO_ERR_MEMORY) return status;
  int begin = jo_context_diagnostic_count(r->ctx);
  if (jplant_explain_spin(r, t, y) < 0) {
    jerr_forget(r->ctx, begin);
    jerr_forget(r->ctx, said);
    return jplant_explain_spin(r, t, y);
  }
  bool may_lie = status == JO_ERR_LIMIT || status == JO_ERR_NUMERIC || status == JO_ERR_CONVERGENCE;
  if (may_lie && jplant_wheels_explain(r, t, y) < 0) {
    jerr_forget(r->ctx, begin);
    jerr_forget(r->ctx, said);
    return jplant_wheels_explain(r, t, y);
  }
  if (check_drives(r, t, y) < 0) {
    jerr_forget(r->ctx, begin);
    jerr_forget(r->ctx, said);
    return check_drives(r, t, y);
  }
  if (!has_massless(r->plant->dynamics)) return status;
  // the state of the start is one of the first partition
  const double* start = r->plant->first ? NULL : r->plant->y0;
  int before = jo_context_diagnostic_count(r->ctx);
  if (check_mass(r->ctx, r, t, y, start) >= 0) return status;
  jerr_forget(r->ctx, before);
  jerr_forget(r->ctx, said);
  return check_mass(r->ctx, r, t, y, start);
}
