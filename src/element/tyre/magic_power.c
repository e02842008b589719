// SPDX-License-Identifier: Apache-2.0
//   (M51)  P = -F_x kappa cos(alpha) + F_y sin(alpha) <= 0
// is the power of the contact per speed of the wheel, which slides with (-kappa cos(alpha), sin(alpha)) times that. Shifts, of camber too,
// are left out: they move the zero of a force, and do so by intent.
#include "element/tyre/magic_power.h"

#include <math.h>

#include "element/tyre/magic_formula.h"
#include "expr/tape/tape.h"

#define LOADS      3
#define SLIPS      16     // of one sign, and of one direction
#define LEAST_SLIP 0.02   // forces are straight lines below, whose signs are judged elsewhere
#define MOST_SLIP  100.0  // of a wheel that spins, or whose vehicle nearly stands
#define RIGHT      1.5707963267948966
#define ROUNDING   1e-6  // of the power, per load and sliding speed
#define LANES      16

enum { FZ, KAPPA, ALPHA, GAMMA, NINPUT };
enum { FX, FY, MU_X, MU_Y, K_X, K_Y, NOUTPUT };
enum { IN, C };

typedef struct point {
  double kappa, alpha;
} point;

enum { MIXED = 5, NPURE = 4 * (SLIPS + 1), NPOINT = NPURE + 2 * MIXED * 2 * MIXED };

typedef struct judge {
  const jelement_magic_values* v;
  jexpr_tape tape;
  double* work;
  double c[JTIR_COUNT * LANES];
  bool is_found;  // it drives, here:
  double fz, gamma, force;
  point at;
} judge;

// ---- forces at one point after another -------------------------------------------------------------

static jo_status build(jo_context* ctx, jarena* a, jexpr_graph* g, judge* j) {
  jexpr_ref in[NINPUT], one = jexpr_const(g, 1.0), zero = jexpr_const(g, 0.0);
  int group = jexpr_group(g, "in", NINPUT, JEXPR_PER_LANE);
  int by = jexpr_group(g, "c", JTIR_COUNT, JEXPR_PER_LANE);
  for (int i = 0; i < NINPUT; i++) {
    in[i] = jexpr_input(g, group, i);
  }
  jelement_magic m = {.g = g, .version = j->v->version, .ellipse = j->v->ellipse};
  for (int i = 0; i < JTIR_COUNT; i++) {
    m.c[i] = jexpr_input(g, by, i);
  }
  jelement_magic_force f = jelement_magic_forces(
      &m, (jelement_magic_input){in[FZ], in[KAPPA], in[ALPHA], in[GAMMA], m.c[JTIR_LONGVL],
                                 jexpr_const(g, j->v->p), zero, one, one});
  jexpr_ref y[NOUTPUT] = {f.Fx, f.Fy, f.mu_x, f.mu_y, f.Kxk, f.Kya};
  JO_TRY(jexpr_graph_status(g));
  jexpr_outputs outputs = {"out", NOUTPUT, y};
  jexpr_fn fn = {"power", g, 1, &outputs};
  JO_TRY(jexpr_tape_build(ctx, a, &fn, &j->tape));
  j->work = JARENA_ARRAY(a, jexpr_tape_work(&j->tape, LANES), double);
  if (!j->work) return jerr_memory(ctx);
  jexpr_tape_init(&j->tape, LANES, j->work);
  return JO_OK;
}

static void spread(judge* j) {
  for (int i = 0; i < JTIR_COUNT * LANES; i++) {
    j->c[i] = j->v->c[i / LANES];
  }
  for (int l = 0; l < LANES; l++) {
    j->c[JTIR_LMUX * LANES + l] *= j->v->friction;
    j->c[JTIR_LMUY * LANES + l] *= j->v->friction;
  }
}

// Of n <= LANES points.
static void evaluate(judge* j, double fz, double gamma, const point* at, int n,
                     double out[NOUTPUT * LANES]) {
  double in[NINPUT * LANES];
  for (int l = 0; l < LANES; l++) {
    const point* p = &at[l < n ? l : n - 1];
    in[FZ * LANES + l] = fz;
    in[KAPPA * LANES + l] = p->kappa;
    in[ALPHA * LANES + l] = p->alpha;
    in[GAMMA * LANES + l] = gamma;
  }
  const double* input[] = {[IN] = in, [C] = j->c};
  jexpr_tape_eval(&j->tape, LANES, input, (double* const[]){out}, j->work);
}

// (M51) per load and sliding speed
static double power(double fz, const point* at, const double* out, int l) {
  double x = -at->kappa * cos(at->alpha), y = sin(at->alpha);
  return (out[FX * LANES + l] * x + out[FY * LANES + l] * y) / (fz * hypot(x, y));
}

// Whether stiffnesses and frictions of an upright tyre have their signs.
static bool is_right(judge* j, double fz) {
  double out[NOUTPUT * LANES];
  point none = {0.0, 0.0};
  evaluate(j, fz, 0.0, &none, 1, out);
  return out[MU_X * LANES] > 0.0 && out[MU_Y * LANES] > 0.0 && out[K_X * LANES] > 0.0 &&
         out[K_Y * LANES] < 0.0;
}

static void look(judge* j, double fz, double gamma, const point* at, int n) {
  double out[NOUTPUT * LANES];
  evaluate(j, fz, gamma, at, n, out);
  for (int l = 0; l < n; l++) {
    double P = power(fz, &at[l], out, l);
    // what is infinite or no number is reported where forces are evaluated
    if (!isfinite(P) || !(P > ROUNDING)) continue;
    j->is_found = true;
    j->fz = fz;
    j->gamma = gamma;
    j->at = at[l];
    j->force = P * fz;
    return;
  }
}

// ---- where to look ---------------------------------------------------------------------------------

static double between(double least, double most, int i, int n) {
  return least * pow(most / least, (double)i / (n - 1));
}

// What is easiest to imagine first: a locked wheel, and 90 degrees. Then pure slips of both signs, up to a locked wheel and
// beyond, pure slip angles, and combinations.
static int list_points(point* p) {
  static const double kappa[MIXED] = {0.03, 0.1, 0.3, 1.0, 3.0};
  static const double alpha[MIXED] = {0.03, 0.1, 0.4, 1.0, 1.5};
  int n = 4;
  p[0] = (point){-1.0, 0.0};
  p[1] = (point){1.0, 0.0};
  p[2] = (point){0.0, RIGHT};
  p[3] = (point){0.0, -RIGHT};
  for (int i = 0; i < SLIPS; i++) {
    double k = between(LEAST_SLIP, MOST_SLIP, i, SLIPS), a = between(LEAST_SLIP, RIGHT, i, SLIPS);
    p[n++] = (point){k, 0.0};
    p[n++] = (point){-k, 0.0};
    p[n++] = (point){0.0, a};
    p[n++] = (point){0.0, -a};
  }
  for (int i = 0; i < 4 * MIXED * MIXED; i++) {
    int k = i / 4 / MIXED, a = i / 4 % MIXED;
    p[n++] = (point){i & 1 ? -kappa[k] : kappa[k], i & 2 ? -alpha[a] : alpha[a]};
  }
  return n;
}

// The loads of the file, or up to twice the nominal one.
static void list_loads(const double* c, double* fz) {
  double nominal = c[JTIR_LFZO] * c[JTIR_FNOMIN];
  fz[0] = nominal;
  fz[1] = fmax(c[JTIR_FZMIN], 0.1 * nominal);
  fz[2] = c[JTIR_FZMAX] > 0.0 ? c[JTIR_FZMAX] : 2.0 * nominal;
}

static void look_at(judge* j, double fz, double gamma, const point* p, int n) {
  for (int k = 0; k < n && !j->is_found; k += LANES) {
    look(j, fz, gamma, p + k, n - k < LANES ? n - k : LANES);
  }
}

// Leaning tyres and combined slips only where upright ones are right at pure slips: their forces are made of those.
static void look_everywhere(judge* j) {
  point p[NPOINT];
  double fz[LOADS];
  int n = list_points(p), nload = 0;
  list_loads(j->v->c, fz);
  for (int i = 0; i < LOADS; i++) {
    if (is_right(j, fz[i])) fz[nload++] = fz[i];
  }
  for (int i = 0; i < nload; i++) {
    look_at(j, fz[i], 0.0, p, NPURE);
  }
  for (int i = 0; i < nload; i++) {
    look_at(j, fz[i], 0.0, p + NPURE, n - NPURE);
    look_at(j, fz[i], j->v->c[JTIR_CAMMIN], p, NPURE);
    look_at(j, fz[i], j->v->c[JTIR_CAMMAX], p, NPURE);
  }
}

// ---- why -------------------------------------------------------------------------------------------

// Which part of combined slip turns the force round: the weight of F_x or F_y, or the side force of braking.
static int blame_combined(judge* j) {
  double out[NOUTPUT * LANES], kept = j->c[JTIR_LVYKA * LANES];
  for (int l = 0; l < LANES; l++) {
    j->c[JTIR_LVYKA * LANES + l] = 0.0;
  }
  evaluate(j, j->fz, j->gamma, &j->at, 1, out);
  double P = power(j->fz, &j->at, out, 0);
  for (int l = 0; l < LANES; l++) {
    j->c[JTIR_LVYKA * LANES + l] = kept;
  }
  if (P <= ROUNDING) return JTIR_RVY1;
  double along = -out[FX * LANES] * j->at.kappa * cos(j->at.alpha);
  return along > out[FY * LANES] * sin(j->at.alpha) ? JTIR_RCX1 : JTIR_RCY1;
}

static const char* place_text(jarena* a, const judge* j) {
  const char* leaning = j->gamma == 0.0 ? "" : jarena_printf(a, ", camber %.3g rad", j->gamma);
  return jarena_printf(a,
                       "points along the sliding velocity, so that it drives what slides (with "
                       "%.3g N at a load of %.4g N, kappa = %.3g, alpha = %.3g rad%s)",
                       j->force, j->fz, j->at.kappa, j->at.alpha, leaning ? leaning : "");
}

static const char* explain_pure(jarena* a, const judge* j, const char* where, int* blamed) {
  const double* c = j->v->c;
  bool is_along = j->at.alpha == 0.0;
  const char* what = is_along ? "longitudinal" : "lateral";
  int shape = is_along ? JTIR_PCX1 : JTIR_PCY1, scale = is_along ? JTIR_LCX : JTIR_LCY;
  if (j->gamma != 0.0) {
    *blamed = is_along ? JTIR_PDX3 : JTIR_PKY3;
    return jarena_printf(a,
                         "with %s = %g the %s force %s; correct it, or narrow the range of camber "
                         "(CAMMIN, CAMMAX)",
                         jmodel_tir_table[*blamed].name, c[*blamed], what, where);
  }
  *blamed = c[scale] == 1.0 ? shape : scale;
  return jarena_printf(
      a, "with %s = %g and %s = %g the %s force %s; the shape factor, their product %g, %s",
      jmodel_tir_table[shape].name, c[shape], jmodel_tir_table[scale].name, c[scale], what, where,
      c[shape] * c[scale],
      c[shape] * c[scale] > 2.0 ? "must be at most 2"
                                : "is right, so that other coefficients of the force are wrong");
}

static const char* explain(jarena* a, judge* j, int* blamed) {
  const char* where = place_text(a, j);
  if (!where) return NULL;
  if (j->at.kappa == 0.0 || j->at.alpha == 0.0) return explain_pure(a, j, where, blamed);
  *blamed = blame_combined(j);
  return jarena_printf(a, "with %s = %g the force at combined slip %s; correct %s",
                       jmodel_tir_table[*blamed].name, j->v->c[*blamed], where,
                       *blamed == JTIR_RVY1   ? "the coefficients RVY1 to RVY6"
                       : *blamed == JTIR_RCX1 ? "the coefficients RBX1 to RBX3, RCX1, REX1, REX2"
                                              : "the coefficients RBY1 to RBY4, RCY1, REY1, REY2");
}

static bool is_known(const jelement_magic_values* v) {
  bool known = isfinite(v->friction) && isfinite(v->p);
  for (int i = 0; i < JTIR_COUNT; i++) {
    known = known && isfinite(v->c[i]);
  }
  return known;
}

static jo_status judge_all(jo_context* ctx, jarena* a, judge* j, const char** text, int* blamed) {
  int said = jo_context_diagnostic_count(ctx);
  jexpr_graph* g = jexpr_graph_create(ctx);
  jo_status status = g ? build(ctx, a, g, j) : jerr_memory(ctx);
  jexpr_graph_destroy(g);
  if (status == JO_ERR_MEMORY) return status;
  if (status < 0) {
    jerr_forget(ctx, said);  // formulas without a value are reported where forces are evaluated
    return JO_OK;
  }
  spread(j);
  look_everywhere(j);
  if (!j->is_found) return JO_OK;
  *text = explain(a, j, blamed);
  return *text ? JO_OK : jerr_memory(ctx);
}

jo_status jelement_magic_judge(jo_context* ctx, jarena* a, const jelement_magic_values* v,
                               const char** text, int* blamed) {
  *text = NULL;
  *blamed = -1;
  if (!is_known(v)) return JO_OK;
  judge* j = JARENA_NEW(a, judge);
  if (!j) return jerr_memory(ctx);
  j->v = v;
  return judge_all(ctx, a, j, text, blamed);
}
