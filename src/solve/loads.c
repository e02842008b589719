// SPDX-License-Identifier: Apache-2.0
// Step drivers for load prediction. The rule is Kutta's third order with its embedded midpoint rule
// (docs/theory/loads.md eq. (H5)):
//   y1 = y + h (k1 + 4 k2 + k3) / 6      error h (k1 - 2 k2 + k3) / 6
#include "solve/loads.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/ode.h"

#define SAFETY       0.9
#define GROWTH       2.0   // a step is at most doubled or halved
#define KEEP         0.25  // an element stays in substeps down to this part of the tolerance
#define MAX_ROUNDS   2     // of elements joining in one step
#define MAX_HALVINGS 40

const char* jsolve_load_driver_name(jsolve_load_driver d) {
  static const char* const name[] = {
#define X(id, text, what) text,
      JSOLVE_LOAD_DRIVER_LIST(X)
#undef X
  };
  return d < JSOLVE_LOAD_DRIVER_COUNT ? name[d] : "";
}

int jsolve_load_driver_find(const char* name) {
  for (int d = 0; d < JSOLVE_LOAD_DRIVER_COUNT; d++) {
    if (strcmp(name, jsolve_load_driver_name((jsolve_load_driver)d)) == 0) return d;
  }
  return -1;
}

jsolve_load_options jsolve_load_options_default(void) {
  return (jsolve_load_options){.driver = JSOLVE_LOAD_SUBCYCLE,
                               .step = 0.002,
                               .tolerance = 1e-3,
                               .impulse_tolerance = 2e-3,
                               .substep = 5e-4,
                               .max_substeps = 16,
                               .restitution = 1.0};
}

// ---- a run ---------------------------------------------------------------------------------------

typedef struct run {
  jo_context* ctx;
  jarena arena;
  const jsolve_load_system* s;
  const jsolve_load_options* opt;
  const jsolve_load_observer* obs;
  jsolve_load_statistics stats;
  double cost;  // of the step so far
  double t, *y;
  double *k[3], *F[3];  // nodes of the step: ydot and element forces
  double *arg, *y_new, *error;
  // subcycle
  double *W, *reach;  // directions; largest of each (ne)
  bool* stiff;        // elements in substeps
  double* r[3];       // accelerations without the stiff elements at the nodes (nu)
  double *ys, *ks[3], *ya, *Fs, *y_mid, *y_end;
  jsolve_load_event* open;  // events under way (ne or nu)
  double** open_y;
  // impulsive
  bool* reversed;
  double *M, *c, *x, *qdd, *prescribed, *push[3];
  int* others;            // coordinates that are not reversed
  double *system, *rest;  // their equations
} run;

static double* vector(run* u, int n) {
  return JARENA_ARRAY(&u->arena, n + 1, double);
}

static bool allocate(run* u) {
  const jsolve_load_system* s = u->s;
  int n = s->n, nu = s->nu, ne = s->ne, most = ne > nu ? ne : nu;
  double** array[] = {&u->y,     &u->arg,  &u->y_new, &u->error, &u->ys,    &u->ya,    &u->y_mid,
                      &u->y_end, &u->k[0], &u->k[1],  &u->k[2],  &u->ks[0], &u->ks[1], &u->ks[2]};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = vector(u, n);
    ok = ok && *array[i];
  }
  double** small[] = {&u->F[0], &u->F[1],       &u->F[2],    &u->reach,   &u->Fs,
                      &u->r[0], &u->r[1],       &u->r[2],    &u->c,       &u->x,
                      &u->qdd,  &u->prescribed, &u->push[0], &u->push[1], &u->push[2]};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    *small[i] = vector(u, most);
    ok = ok && *small[i];
  }
  u->W = vector(u, nu * ne);
  u->M = vector(u, nu * nu);
  u->system = vector(u, nu * nu);
  u->rest = vector(u, nu);
  u->others = JARENA_ARRAY(&u->arena, nu + 1, int);
  u->stiff = JARENA_ARRAY(&u->arena, most + 1, bool);
  u->reversed = JARENA_ARRAY(&u->arena, most + 1, bool);
  u->open = JARENA_ARRAY(&u->arena, most + 1, jsolve_load_event);
  u->open_y = JARENA_ARRAY(&u->arena, most + 1, double*);
  ok = ok && u->W && u->M && u->system && u->rest && u->others && u->stiff && u->reversed &&
       u->open && u->open_y;
  for (int i = 0; ok && i < most; i++) {
    u->open[i].which = -1;
    u->open_y[i] = vector(u, n);
    ok = u->open_y[i] != NULL;
  }
  return ok;
}

static void evaluate(run* u, double t, const double* y, double* ydot, double* F) {
  u->cost += 1.0;
  u->s->rhs(u->s->user, t, y, ydot, F);
}

static void combine(const run* u, double a, const double* p, double b, const double* q,
                    double* out) {
  for (int i = 0; i < u->s->n; i++) {
    out[i] = u->y[i] + a * p[i] + (q ? b * q[i] : 0.0);
  }
}

// Second and third node, and the end of the step; the first node is there already.
static void third_order(run* u, double h) {
  combine(u, 0.5 * h, u->k[0], 0.0, NULL, u->arg);
  evaluate(u, u->t + 0.5 * h, u->arg, u->k[1], u->F[1]);
  combine(u, -h, u->k[0], 2.0 * h, u->k[1], u->arg);
  evaluate(u, u->t + h, u->arg, u->k[2], u->F[2]);
  for (int i = 0; i < u->s->n; i++) {
    u->y_new[i] = u->y[i] + h / 6.0 * (u->k[0][i] + 4.0 * u->k[1][i] + u->k[2][i]);
    u->error[i] = h / 6.0 * (u->k[0][i] - 2.0 * u->k[1][i] + u->k[2][i]);
  }
}

static bool finite(const double* x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * 0.0;
  }
  return sum == 0.0;
}

static jo_status fail_not_finite(run* u, double t) {
  int i = 0;
  while (i + 1 < u->s->n && isfinite(u->y_new[i])) {
    i++;
  }
  char label[JSOLVE_LABEL];
  return jerr_set(u->ctx, JO_ERR_NUMERIC,
                  "load prediction: %s is not finite at t = %.9g; the step is too long for a "
                  "stiff event (hint: driver subcycle, or a higher rate)",
                  jsolve_label(u->s->state_name, "state", i, label), t);
}

static jo_status sample(run* u, double t, const double* y, const double* F) {
  return u->obs->sample ? u->obs->sample(u->obs->user, t, y, F) : JO_OK;
}

static jo_status accept(run* u, double h) {
  if (!finite(u->y_new, u->s->n)) return fail_not_finite(u, u->t + h);
  u->t += h;
  memcpy(u->y, u->y_new, (size_t)u->s->n * sizeof *u->y);
  u->stats.steps++;
  u->stats.evaluations += u->cost;
  if (u->cost > u->stats.worst_step) u->stats.worst_step = u->cost;
  u->cost = 0.0;
  return u->s->project ? u->s->project(u->s->user, u->t, u->y) : JO_OK;
}

// ---- fixed and adaptive --------------------------------------------------------------------------

static jo_status fixed_step(run* u, double h) {
  evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(sample(u, u->t, u->y, u->F[0]));
  third_order(u, h);
  return accept(u, h);
}

static double largest_error(const run* u) {
  double e = 0.0;
  for (int i = 0; i < u->s->n; i++) {
    if (!isfinite(u->error[i]) || !isfinite(u->y_new[i])) return INFINITY;
    e = fmax(e, fabs(u->error[i]));
  }
  return e;
}

static jo_status adaptive_step(run* u, double* h, double t1) {
  evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(sample(u, u->t, u->y, u->F[0]));
  for (int halvings = 0; halvings < MAX_HALVINGS; halvings++) {
    double left = t1 - u->t, step = fmin(*h, u->opt->step);
    if (step > left) step = left;
    third_order(u, step);
    double e = largest_error(u);
    double factor = isfinite(e) ? SAFETY * cbrt(u->opt->tolerance / fmax(e, DBL_MIN)) : 0.0;
    factor = fmin(fmax(factor, 1.0 / GROWTH), GROWTH);
    *h = step * factor;
    if (e <= u->opt->tolerance) {
      bool last = step == left;
      if (!last && (u->stats.smallest_step == 0.0 || step < u->stats.smallest_step)) {
        u->stats.smallest_step = step;
        u->stats.t_smallest = u->t;
      }
      return accept(u, step);
    }
    u->stats.rejected++;
  }
  return jerr_set(u->ctx, JO_ERR_CONVERGENCE,
                  "load prediction: the step becomes too small at t = %.9g", u->t);
}

// ---- subcycle ------------------------------------------------------------------------------------

// Quadratic through the nodes at 0, 1/2 and 1.
static void node_weights(double s, double w[3]) {
  w[0] = 1.0 - 3.0 * s + 2.0 * s * s;
  w[1] = 4.0 * s - 4.0 * s * s;
  w[2] = 2.0 * s * s - s;
}

// (H6)  velocity error that the polynomial through an element's force leaves in a step
static double element_error(const run* u, int e, double h) {
  double d = h / 6.0 * (u->F[0][e] - 2.0 * u->F[1][e] + u->F[2][e]);
  return isfinite(d) ? fabs(d) * u->reach[e] : INFINITY;
}

static bool find_stiff(run* u, double h) {
  bool found = false;
  for (int e = 0; e < u->s->ne; e++) {
    if (u->stiff[e] || element_error(u, e, h) <= u->opt->impulse_tolerance) continue;
    u->stiff[e] = found = true;
  }
  return found;
}

// (H7)  r = qdd - sum over stiff elements of W F, at node i
static void remainder_at(run* u, int i) {
  const jsolve_load_system* s = u->s;
  for (int j = 0; j < s->nu; j++) {
    u->r[i][j] = u->k[i][s->at_qd + j];
  }
  for (int e = 0; e < s->ne; e++) {
    for (int j = 0; u->stiff[e] && j < s->nu; j++) {
      u->r[i][j] -= u->W[j + e * s->nu] * u->F[i][e];
    }
  }
}

// (H8)  qd' = r(t) + sum W F(y),  q' = qd,  the other states as the nodes have them
static void slow_fast_rhs(run* u, double h, double s_part, const double* y, double* ydot) {
  const jsolve_load_system* s = u->s;
  double w[3];
  node_weights(s_part, w);
  for (int i = 0; i < s->n; i++) {
    ydot[i] = w[0] * u->k[0][i] + w[1] * u->k[1][i] + w[2] * u->k[2][i];
  }
  for (int j = 0; j < s->nu; j++) {
    ydot[s->at_q + j] = y[s->at_qd + j];
    ydot[s->at_qd + j] = w[0] * u->r[0][j] + w[1] * u->r[1][j] + w[2] * u->r[2][j];
  }
  for (int e = 0; e < s->ne; e++) {
    if (!u->stiff[e]) {
      u->Fs[e] = w[0] * u->F[0][e] + w[1] * u->F[1][e] + w[2] * u->F[2][e];
      continue;
    }
    u->cost += s->element_cost[e];
    u->Fs[e] = s->element(s->user, e, u->t + s_part * h, y);
    for (int j = 0; j < s->nu; j++) {
      ydot[s->at_qd + j] += u->W[j + e * s->nu] * u->Fs[e];
    }
  }
}

static void note_force(run* u, double t, double dt) {
  for (int e = 0; e < u->s->ne; e++) {
    if (!u->stiff[e]) continue;
    jsolve_load_event* v = &u->open[e];
    v->impulse += u->Fs[e] * dt;
    if (fabs(u->Fs[e]) > fabs(v->peak)) {
      v->peak = u->Fs[e];
      v->t_peak = t;
    }
  }
}

// m substeps over the whole step; the state at its middle is kept on the way
static jo_status substeps(run* u, double h, int m, bool final) {
  int n = u->s->n;
  double d = 1.0 / m, hs = h / m;
  memcpy(u->ys, u->y, (size_t)n * sizeof *u->ys);
  for (int j = 0; j < m; j++) {
    double at = j * d;
    if (2 * j == m) memcpy(u->y_mid, u->ys, (size_t)n * sizeof *u->ys);
    slow_fast_rhs(u, h, at, u->ys, u->ks[0]);
    if (final && j > 0) {
      note_force(u, u->t + at * h, hs);
      JO_TRY(sample(u, u->t + at * h, NULL, u->Fs));
    }
    for (int i = 0; i < n; i++) {
      u->ya[i] = u->ys[i] + 0.5 * hs * u->ks[0][i];
    }
    slow_fast_rhs(u, h, at + 0.5 * d, u->ya, u->ks[1]);
    for (int i = 0; i < n; i++) {
      u->ya[i] = u->ys[i] + hs * (2.0 * u->ks[1][i] - u->ks[0][i]);
    }
    slow_fast_rhs(u, h, at + d, u->ya, u->ks[2]);
    for (int i = 0; i < n; i++) {
      u->ys[i] += hs / 6.0 * (u->ks[0][i] + 4.0 * u->ks[1][i] + u->ks[2][i]);
    }
  }
  memcpy(u->y_end, u->ys, (size_t)n * sizeof *u->ys);
  return JO_OK;
}

static int substep_count(const run* u, double h) {
  int m = 2 * (int)ceil(0.5 * h / u->opt->substep - 1e-9);
  int most = u->opt->max_substeps - u->opt->max_substeps % 2;
  return m < 2 ? 2 : m > most ? most : m;
}

// The step with some elements in substeps: first with the slow part held, which gives good states for
// the middle and the end; then with the slow part of those states.
static jo_status stiff_step(run* u, double h) {
  const jsolve_load_system* s = u->s;
  size_t bytes = (size_t)s->n * sizeof(double);
  int m = substep_count(u, h);
  u->stats.stiff_steps++;
  u->cost += s->directions_cost;
  s->directions(s->user, u->t, u->y, u->W);
  for (int round = 0; round < MAX_ROUNDS; round++) {
    for (int i = 1; i < 3; i++) {
      memcpy(u->k[i], u->k[0], bytes);
      memcpy(u->F[i], u->F[0], (size_t)s->ne * sizeof(double));
    }
    for (int i = 0; i < 3; i++) {
      remainder_at(u, i);
    }
    JO_TRY(substeps(u, h, m, false));
    evaluate(u, u->t + 0.5 * h, u->y_mid, u->k[1], u->F[1]);
    evaluate(u, u->t + h, u->y_end, u->k[2], u->F[2]);
    if (!find_stiff(u, h)) break;
  }
  for (int i = 0; i < 3; i++) {
    remainder_at(u, i);
  }
  return JO_OK;
}

static jo_status close_event(run* u, int i) {
  jsolve_load_event* v = &u->open[i];
  if (v->which < 0) return JO_OK;
  v->t1 = u->t;
  jo_status status = u->obs->event ? u->obs->event(u->obs->user, v, u->open_y[i]) : JO_OK;
  *v = (jsolve_load_event){.which = -1};
  return status;
}

// Elements that join begin an event; those whose polynomial serves again end theirs.
static void open_events(run* u) {
  for (int e = 0; e < u->s->ne; e++) {
    if (!u->stiff[e] || u->open[e].which >= 0) continue;
    u->open[e] = (jsolve_load_event){.which = e, .t0 = u->t, .peak = u->F[0][e], .t_peak = u->t};
    memcpy(u->open_y[e], u->y, (size_t)u->s->n * sizeof *u->y);
  }
}

static jo_status release(run* u, double h) {
  for (int e = 0; e < u->s->ne; e++) {
    if (!u->stiff[e] || element_error(u, e, h) > KEEP * u->opt->impulse_tolerance) continue;
    u->stiff[e] = false;
    JO_TRY(close_event(u, e));
  }
  return JO_OK;
}

static bool any_stiff(const run* u) {
  for (int e = 0; e < u->s->ne; e++) {
    if (u->stiff[e]) return true;
  }
  return false;
}

static jo_status subcycle_step(run* u, double h) {
  evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(sample(u, u->t, u->y, u->F[0]));
  if (!any_stiff(u)) {
    third_order(u, h);
    if (!find_stiff(u, h)) return accept(u, h);
  }
  JO_TRY(stiff_step(u, h));
  open_events(u);
  memcpy(u->Fs, u->F[0], (size_t)u->s->ne * sizeof *u->Fs);
  note_force(u, u->t, h / substep_count(u, h));
  JO_TRY(substeps(u, h, substep_count(u, h), true));
  memcpy(u->y_new, u->y_end, (size_t)u->s->n * sizeof *u->y_new);
  JO_TRY(accept(u, h));
  return release(u, h);
}

// ---- impulsive -----------------------------------------------------------------------------------

// Gaussian elimination with partial pivoting of an m x m system, row-major, in place.
static bool solve_dense(double* A, double* b, int m) {
  for (int k = 0; k < m; k++) {
    int p = k;
    for (int i = k + 1; i < m; i++) {
      if (fabs(A[i * m + k]) > fabs(A[p * m + k])) p = i;
    }
    if (A[p * m + k] == 0.0) return false;
    for (int j = 0; j < m && p != k; j++) {
      double swap = A[k * m + j];
      A[k * m + j] = A[p * m + j];
      A[p * m + j] = swap;
    }
    double swap = b[k];
    b[k] = b[p];
    b[p] = swap;
    for (int i = k + 1; i < m; i++) {
      double f = A[i * m + k] / A[k * m + k];
      for (int j = k; j < m; j++) {
        A[i * m + j] -= f * A[k * m + j];
      }
      b[i] -= f * b[k];
    }
  }
  for (int k = m - 1; k >= 0; k--) {
    for (int j = k + 1; j < m; j++) {
      b[k] -= A[k * m + j] * b[j];
    }
    b[k] /= A[k * m + k];
  }
  return true;
}

// (H9)  accelerations of the reversed coordinates are prescribed; the others follow from their rows of
// M x + c = 0, and the rows of the reversed ones give the forces that do it
static void prescribed_rhs(run* u, double t, const double* y, double* ydot, double* F,
                           double* push) {
  const jsolve_load_system* s = u->s;
  int nu = s->nu, m = 0, *others = u->others;
  double *b = u->rest, *D = u->system;
  evaluate(u, t, y, ydot, F);
  u->cost += s->reduced_cost;
  s->reduced(s->user, t, y, u->M, u->c);
  for (int i = 0; i < nu; i++) {
    if (!u->reversed[i]) others[m++] = i;
    u->x[i] = u->prescribed[i];
  }
  for (int i = 0; i < m; i++) {
    b[i] = -u->c[others[i]];
    for (int j = 0; j < nu; j++) {
      if (u->reversed[j]) b[i] -= u->M[others[i] * nu + j] * u->prescribed[j];
    }
    for (int j = 0; j < m; j++) {
      D[i * m + j] = u->M[others[i] * nu + others[j]];
    }
  }
  solve_dense(D, b, m);
  for (int i = 0; i < m; i++) {
    u->x[others[i]] = b[i];
  }
  for (int i = 0; i < nu; i++) {
    push[i] = 0.0;
    if (!u->reversed[i]) continue;
    push[i] = u->c[i];
    for (int j = 0; j < nu; j++) {
      push[i] += u->M[i * nu + j] * u->x[j];
    }
  }
  s->finish(s->user, t, y, u->x, u->qdd);
  memcpy(ydot + s->at_qd, u->qdd, (size_t)nu * sizeof *ydot);
}

static bool find_reversed(run* u) {
  const jsolve_load_system* s = u->s;
  bool found = false;
  for (int i = 0; i < s->nu; i++) {
    if (u->reversed[i] || (s->rigid && s->rigid[i])) continue;
    double eq = fabs(u->error[s->at_q + i]), ev = fabs(u->error[s->at_qd + i]);
    if (eq <= u->opt->tolerance && ev <= u->opt->tolerance) continue;
    u->reversed[i] = found = true;
  }
  return found;
}

static void prescribed_step(run* u, double h) {
  for (int i = 0; i < u->s->nu; i++) {
    double v = u->y[u->s->at_qd + i];
    u->prescribed[i] = u->reversed[i] ? -(1.0 + u->opt->restitution) * v / h : 0.0;
  }
  prescribed_rhs(u, u->t, u->y, u->k[0], u->F[0], u->push[0]);
  combine(u, 0.5 * h, u->k[0], 0.0, NULL, u->arg);
  prescribed_rhs(u, u->t + 0.5 * h, u->arg, u->k[1], u->F[1], u->push[1]);
  combine(u, -h, u->k[0], 2.0 * h, u->k[1], u->arg);
  prescribed_rhs(u, u->t + h, u->arg, u->k[2], u->F[2], u->push[2]);
  for (int i = 0; i < u->s->n; i++) {
    u->y_new[i] = u->y[i] + h / 6.0 * (u->k[0][i] + 4.0 * u->k[1][i] + u->k[2][i]);
    u->error[i] = h / 6.0 * (u->k[0][i] - 2.0 * u->k[1][i] + u->k[2][i]);
  }
}

static jo_status report_reversals(run* u, double h) {
  for (int i = 0; i < u->s->nu; i++) {
    if (!u->reversed[i]) continue;
    double impulse = h / 6.0 * (u->push[0][i] + 4.0 * u->push[1][i] + u->push[2][i]);
    jsolve_load_event v = {.which = i, .t0 = u->t, .t1 = u->t + h, .impulse = impulse};
    if (u->obs->event) JO_TRY(u->obs->event(u->obs->user, &v, u->y));
  }
  return JO_OK;
}

static jo_status impulsive_step(run* u, double h) {
  evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(sample(u, u->t, u->y, u->F[0]));
  third_order(u, h);
  memset(u->reversed, 0, (size_t)u->s->nu * sizeof *u->reversed);
  bool stiff = false;
  for (int i = 0; i < u->s->nu && find_reversed(u); i++) {
    stiff = true;
    prescribed_step(u, h);
  }
  if (stiff) {
    u->stats.stiff_steps++;
    JO_TRY(report_reversals(u, h));
  }
  return accept(u, h);
}

// ---- driver --------------------------------------------------------------------------------------

static void find_reach(run* u) {
  u->s->directions(u->s->user, u->t, u->y, u->W);
  for (int e = 0; e < u->s->ne; e++) {
    u->reach[e] = 0.0;
    for (int j = 0; j < u->s->nu; j++) {
      u->reach[e] = fmax(u->reach[e], fabs(u->W[j + e * u->s->nu]));
    }
  }
}

// Bound of the cost of a step, before the first is taken.
static double guarantee(const run* u) {
  const jsolve_load_system* s = u->s;
  double all = 0.0;
  for (int e = 0; e < s->ne; e++) {
    all += s->element_cost[e];
  }
  int m = substep_count(u, u->opt->step);
  switch (u->opt->driver) {
    case JSOLVE_LOAD_FIXED: return 3.0;
    case JSOLVE_LOAD_IMPULSIVE: return 3.0 + 3.0 * s->nu * (1.0 + s->reduced_cost);
    case JSOLVE_LOAD_SUBCYCLE:
      return 3.0 + 2.0 * MAX_ROUNDS + s->directions_cost + (MAX_ROUNDS + 1.0) * 3.0 * m * all;
    default: return 0.0;
  }
}

static jo_status drive(run* u, double t0, double t1) {
  double h = u->opt->step;
  int64_t count = (int64_t)floor((t1 - t0) / h + 0.5);
  if (u->opt->driver == JSOLVE_LOAD_ADAPTIVE) {
    while (u->t < t1) {
      JO_TRY(adaptive_step(u, &h, t1));
    }
  }
  for (int64_t i = 0; u->opt->driver != JSOLVE_LOAD_ADAPTIVE && i < count; i++) {
    double step = t0 + (double)(i + 1) * u->opt->step - u->t;
    switch (u->opt->driver) {
      case JSOLVE_LOAD_FIXED: JO_TRY(fixed_step(u, step)); break;
      case JSOLVE_LOAD_IMPULSIVE: JO_TRY(impulsive_step(u, step)); break;
      default: JO_TRY(subcycle_step(u, step)); break;
    }
  }
  for (int e = 0; e < u->s->ne; e++) {
    JO_TRY(close_event(u, e));
  }
  u->s->rhs(u->s->user, u->t, u->y, u->k[0], u->F[0]);
  return sample(u, u->t, u->y, u->F[0]);
}

jo_status jsolve_load_run(jo_context* ctx, const jsolve_load_system* s,
                          const jsolve_load_options* opt, const jsolve_load_observer* obs,
                          double t0, double t1, double* y, double* t_reached,
                          jsolve_load_statistics* stats) {
  static const jsolve_load_observer blind = {0};
  run u = {.ctx = ctx, .s = s, .opt = opt, .obs = obs ? obs : &blind, .t = t0};
  if (!(opt->step > 0.0) || !(t1 > t0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "load prediction: step %g s, from %g to %g s", opt->step,
                    t0, t1);
  }
  jarena_init(&u.arena, ctx);
  jo_status status = allocate(&u) ? JO_OK : jerr_memory(ctx);
  if (status >= 0) {
    memcpy(u.y, y, (size_t)s->n * sizeof *y);
    find_reach(&u);
    status = drive(&u, t0, t1);
    u.stats.guaranteed = guarantee(&u);
    memcpy(y, u.y, (size_t)s->n * sizeof *y);
  }
  if (t_reached) *t_reached = u.t;
  if (stats) *stats = u.stats;
  jarena_free(&u.arena);
  return status;
}

// (H10)  M_0 x + c(y) = 0: all forces as they are, the mass matrix of the beginning
static void frozen_mass_rhs(run* u, const double* M0, double t, const double* y, double* ydot) {
  const jsolve_load_system* s = u->s;
  int nu = s->nu;
  memcpy(ydot, u->k[0], (size_t)s->n * sizeof *ydot);
  memcpy(ydot + s->at_q, y + s->at_qd, (size_t)nu * sizeof *ydot);
  s->reduced(s->user, t, y, u->M, u->c);
  memcpy(u->system, M0, (size_t)(nu * nu) * sizeof *M0);
  for (int i = 0; i < nu; i++) {
    u->x[i] = -u->c[i];
  }
  solve_dense(u->system, u->x, nu);
  s->finish(s->user, t, y, u->x, ydot + s->at_qd);
}

static void watch_peaks(run* u, double t, double* peak, double* t_peak) {
  const jsolve_load_system* s = u->s;
  for (int e = 0; e < s->ne; e++) {
    double F = s->element(s->user, e, t, u->ys);
    if (fabs(F) <= fabs(peak[e])) continue;
    peak[e] = F;
    t_peak[e] = t;
  }
}

static void reconstruct(run* u, const double* M0, double t0, int m, double dt, double* peak,
                        double* t_peak) {
  int n = u->s->n;
  memcpy(u->ys, u->y, (size_t)n * sizeof *u->ys);
  for (int j = 0; j <= m; j++) {
    double t = t0 + j * dt;
    watch_peaks(u, t, peak, t_peak);
    frozen_mass_rhs(u, M0, t, u->ys, u->ks[0]);
    for (int i = 0; i < n; i++) {
      u->ya[i] = u->ys[i] + 0.5 * dt * u->ks[0][i];
    }
    frozen_mass_rhs(u, M0, t + 0.5 * dt, u->ya, u->ks[1]);
    for (int i = 0; i < n; i++) {
      u->ya[i] = u->ys[i] + dt * (2.0 * u->ks[1][i] - u->ks[0][i]);
    }
    frozen_mass_rhs(u, M0, t + dt, u->ya, u->ks[2]);
    for (int i = 0; i < n; i++) {
      u->ys[i] += dt / 6.0 * (u->ks[0][i] + 4.0 * u->ks[1][i] + u->ks[2][i]);
    }
  }
}

jo_status jsolve_load_reconstruct(jo_context* ctx, const jsolve_load_system* s, double t0,
                                  const double* y0, double duration, double dt, double* peak,
                                  double* t_peak) {
  run u = {.ctx = ctx, .s = s, .t = t0};
  jarena_init(&u.arena, ctx);
  double* M0 = vector(&u, s->nu * s->nu);
  if (!allocate(&u) || !M0) {
    jarena_free(&u.arena);
    return jerr_memory(ctx);
  }
  memcpy(u.y, y0, (size_t)s->n * sizeof *y0);
  s->rhs(s->user, t0, y0, u.k[0], u.F[0]);
  s->reduced(s->user, t0, y0, M0, u.c);
  memset(peak, 0, (size_t)s->ne * sizeof *peak);
  reconstruct(&u, M0, t0, (int)ceil(duration / dt), dt, peak, t_peak);
  jarena_free(&u.arena);
  return JO_OK;
}
