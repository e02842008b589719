// SPDX-License-Identifier: Apache-2.0
// Suspension kinematics as assemblies of a copy of the model (axle_model.h), so that derivatives are those of the
// assembly. Wheels rise at 1 m/s: slopes over travel are velocities, and as exact; what springs exert is what changes
// its sign when they sink instead, and dampers do not.
#include "axle/kinematics.h"

#include <math.h>
#include <string.h>

#include "axle/compliance.h"
#include "axle/model.h"
#include "plant/start/start.h"

#define RATE_STEP    3e-4  // of travel, for the derivatives of the wheel rate [m]
#define STRIDE       0.01  // of travel on the way to a position [m], ...
#define MOST_STRIDES 200   // ... or longer ones

typedef struct positions {
  jo_context* ctx;
  jarena a;
  const jaxle_kinematics_options* opt;
  jaxle_model axle;
  int* wrt;  // numbers differentiated for: those asked for, then the travel of both wheels
  int nw;
  int rate;  // curve: slope of the wheel force; -1: none
  jplant* plant;
  double* p;      // live numbers: where the next position is
  double* q;      // coordinates from where it is searched for: those of the position before (nq)
  double travel;  // of that position
} positions;

static jo_status check_options(const positions* b) {
  const jaxle_kinematics_options* o = b->opt;
  if (o->n < 1 || o->n > 100000) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "%d positions: must be between 1 and 100000", o->n);
  }
  if (!isfinite(o->from) || !isfinite(o->to)) {
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "travel from %g to %g m: must be finite", o->from,
                    o->to);
  }
  return JO_OK;
}

// Equations are interpreted: a few hundred evaluations are not worth a compiler.
static jo_status build_plant(positions* b) {
  jplant_options opt = jplant_options_default();
  jmodel* c = &b->axle.copy;
  b->wrt = JARENA_ARRAY(&b->a, b->opt->nwrt + 2, int);
  if (!b->wrt) return jerr_memory(b->ctx);
  for (b->nw = 0; b->nw < b->opt->nwrt; b->nw++) {
    b->wrt[b->nw] = b->opt->wrt[b->nw];
    c->number[b->wrt[b->nw]].is_parameter = true;
  }
  for (int side = 0; side < 2 && b->axle.force >= 0; side++) {
    b->wrt[b->nw++] = b->axle.moved[side];
  }
  opt.is_on_rig = true;
  opt.kernel.backend = JKERNEL_INTERP;
  opt.gen.wrt = b->wrt;
  opt.gen.nwrt = b->nw;
  return jplant_create(b->ctx, c, &opt, &b->plant);
}

// ---- positions -----------------------------------------------------------------------------------

static void set_number(const positions* b, int number, double value) {
  const jgen_dynamics* d = b->plant->dynamics;
  for (int i = 0; i < d->np; i++) {
    if (d->live[i] == number) b->p[i] = value;
  }
}

static void set_travel(const positions* b, double travel, double rate) {
  const int* moved = b->axle.moved;
  if (b->opt->motion == JAXLE_MOTION_STEER) {
    set_number(b, moved[JAXLE_MOVED_RACK], travel);
  } else {
    double other = b->opt->motion == JAXLE_MOTION_ROLL ? -travel : travel;
    set_number(b, moved[JAXLE_MOVED_LEFT], travel);
    set_number(b, moved[JAXLE_MOVED_RIGHT], other);
  }
  set_number(b, moved[JAXLE_MOVED_RATE], rate);
}

static jo_status find(positions* b, jarena* a, double travel, double rate, int nw,
                      jplant_start* at) {
  set_travel(b, travel, rate);
  return jplant_start_near(b->ctx, a, b->plant, nw, b->p, b->q, at);
}

// By strides from where the last position was.
static jo_status reach(positions* b, double travel) {
  jarena a;
  jarena_init(&a, b->ctx);
  double way = travel - b->travel;
  int n = (int)fmin(ceil(fabs(way) / STRIDE), MOST_STRIDES);
  double t = b->axle.copy.simulation.t_start;
  jo_status status = JO_OK;
  for (int i = 1; i <= n && status >= 0; i++) {
    jplant_start at;
    status = find(b, &a, travel - way * (double)(n - i) / n, 1.0, 0, &at);
    if (status >= 0) status = jplant_coordinates(b->ctx, b->plant, t, at.y, b->q, NULL);
  }
  b->travel = travel;
  jarena_free(&a);
  return status;
}

// Outputs of a position (noutput), and their derivatives (noutput x nw), with the wheels at a rate.
static jo_status stand_at(positions* b, double travel, double rate, double* out, double* dout) {
  jarena a;
  jarena_init(&a, b->ctx);
  jplant_start at;
  jo_status status = find(b, &a, travel, rate, b->nw, &at);
  if (status >= 0) status = jplant_start_outputs(b->ctx, &a, b->plant, b->nw, b->p, &at, out, dout);
  jarena_free(&a);
  return status;
}

// The same, with the odd part of what is odd.
static jo_status stand(positions* b, double travel, double* out, double* dout) {
  JO_TRY(stand_at(b, travel, 1.0, out, dout));
  if (b->axle.force < 0) return JO_OK;
  jarena_mark mark = jarena_save(&b->a);
  size_t no = (size_t)b->plant->dynamics->noutput, nw = (size_t)b->nw;
  double *down = JARENA_ARRAY(&b->a, no, double), *ddown = JARENA_ARRAY(&b->a, no * nw, double);
  if (!down || !ddown) return jerr_memory(b->ctx);
  JO_TRY(stand_at(b, travel, -1.0, down, ddown));
  for (size_t c = 0; c < (size_t)b->axle.ncurve; c++) {
    if (!b->axle.curve[c].is_odd) continue;
    out[c] = 0.5 * (out[c] - down[c]);
    for (size_t w = 0; w < nw; w++) {
      dout[c * nw + w] = 0.5 * (dout[c * nw + w] - ddown[c * nw + w]);
    }
  }
  jarena_restore(&b->a, mark);
  return JO_OK;
}

static jo_status allocate(jaxle_kinematics* k, positions* b) {
  b->rate = b->axle.force >= 0 ? b->axle.ncurve : -1;
  if (b->rate >= 0) {
    b->axle.curve[b->rate].name = "wheel_rate";
    b->axle.curve[b->rate].unit = "N/m";
    b->axle.curve[b->rate].description = "slope of the wheel force over travel";
  }
  return jaxle_curves_allocate(k, &b->axle, b->opt, b->rate >= 0 ? 1 : 0);
}

static void take(jaxle_kinematics* k, const positions* b, int i, const double* out,
                 const double* dout, const double* design, const double* ddesign) {
  for (int c = 0; c < b->axle.ncurve; c++) {
    bool is_change = b->axle.curve[c].is_change;
    k->curve[c].value[i] = out[c] - (is_change ? design[c] : 0.0);
    for (int w = 0; w < k->nw; w++) {
      double slope = dout[(size_t)c * (size_t)b->nw + (size_t)w];
      if (is_change) slope -= ddesign[(size_t)c * (size_t)b->nw + (size_t)w];
      k->curve[c].derivative[(size_t)i * (size_t)k->nw + (size_t)w] = slope;
    }
  }
}

// The wheel rate is the exact derivative of the wheel force by travel. Its own derivatives change the order,
//   (K7)  d rate / d number = d/dz (dN / d number)
// the inner one exact, the outer one by differences of fourth order.
static jo_status take_rate(jaxle_kinematics* k, positions* b, int i, const double* force_slopes) {
  static const double weight[4] = {1.0, -8.0, 8.0, -1.0}, at[4] = {-2.0, -1.0, 1.0, 2.0};
  size_t no = (size_t)b->plant->dynamics->noutput, nw = (size_t)b->nw, n = (size_t)k->nw;
  double sign = b->opt->motion == JAXLE_MOTION_ROLL ? -1.0 : 1.0;
  double* rate = k->curve[b->rate].derivative + (size_t)i * n;
  // travel is that of the wheel looked at
  double own = b->opt->side == JAXLE_RIGHT ? sign : 1.0;
  k->curve[b->rate].value[i] = own * (force_slopes[n] + sign * force_slopes[n + 1]);
  if (n == 0) return JO_OK;
  jarena_mark mark = jarena_save(&b->a);
  double *out = JARENA_ARRAY(&b->a, no, double), *dout = JARENA_ARRAY(&b->a, no * nw, double);
  if (!out || !dout) return jerr_memory(b->ctx);
  for (int p = 0; p < 4; p++) {
    JO_TRY(stand(b, k->travel[i] + at[p] * RATE_STEP, out, dout));
    for (size_t w = 0; w < n; w++) {
      rate[w] += own * weight[p] * dout[(size_t)b->axle.force * nw + w] / (12.0 * RATE_STEP);
    }
  }
  jarena_restore(&b->a, mark);
  return JO_OK;
}

// All begins at the design position.
static jo_status begin(positions* b) {
  const jgen_dynamics* d = b->plant->dynamics;
  int nq = b->axle.copy.ncoordinate;
  b->p = JARENA_ARRAY(&b->a, d->np, double);
  b->q = JARENA_ARRAY(&b->a, nq, double);
  if (!b->p || !b->q) return jerr_memory(b->ctx);
  memcpy(b->p, d->p, (size_t)d->np * sizeof *b->p);
  memcpy(b->q, b->plant->q0, (size_t)nq * sizeof *b->q);
  return JO_OK;
}

static jo_status walk(jaxle_kinematics* k, positions* b) {
  size_t no = (size_t)b->plant->dynamics->noutput, nw = (size_t)b->nw;
  double* out = JARENA_ARRAY(&b->a, 2 * no, double);
  double* dout = JARENA_ARRAY(&b->a, 2 * no * nw, double);
  if (!out || !dout) return jerr_memory(b->ctx);
  JO_TRY(begin(b));
  JO_TRY(stand(b, 0.0, out + no, dout + no * nw));
  for (int i = 0; i < k->n; i++) {
    k->travel[i] = jaxle_curves_at(b->opt, i);
    jo_status status = reach(b, k->travel[i]);
    if (status >= 0) status = stand(b, k->travel[i], out, dout);
    if (status < 0 && status != JO_ERR_MEMORY) {
      jerr_set(b->ctx, status, "axle '%s': a travel of %.6g m cannot be reached", k->axle,
               k->travel[i]);
    }
    JO_TRY(status);
    take(k, b, i, out, dout, out + no, dout + no * nw);
    if (b->rate >= 0) JO_TRY(take_rate(k, b, i, dout + (size_t)b->axle.force * nw));
  }
  return JO_OK;
}

// ---- the whole -----------------------------------------------------------------------------------

static jo_status build(positions* b, const jmodel* m, jaxle_kinematics* k) {
  JO_TRY(check_options(b));
  const jaxle_kinematics_options* o = b->opt;
  JO_TRY(jaxle_compliance_walk(b->ctx, m, o, k));
  if (k->curve) return JO_OK;
  JO_TRY(jaxle_model_make(b->ctx, &b->a, m, o->axle, o->motion, o->side, false, &b->axle));
  JO_TRY(build_plant(b));
  JO_TRY(allocate(k, b));
  return walk(k, b);
}

jo_status jaxle_kinematics_create(jo_context* ctx, const jmodel* m,
                                  const jaxle_kinematics_options* opt, jaxle_kinematics** out) {
  *out = NULL;
  jaxle_kinematics* k = jmem_resize(ctx, NULL, sizeof *k);
  if (!k) return jerr_memory(ctx);
  *k = (jaxle_kinematics){.ctx = ctx};
  jarena_init(&k->arena, ctx);
  positions b = {.ctx = ctx, .opt = opt, .rate = -1};
  jarena_init(&b.a, ctx);
  jo_status status = build(&b, m, k);
  jplant_destroy(b.plant);
  jarena_free(&b.a);
  if (status < 0) {
    jaxle_kinematics_destroy(k);
    return status;
  }
  *out = k;
  return JO_OK;
}

void jaxle_kinematics_destroy(jaxle_kinematics* k) {
  if (!k) return;
  jarena_free(&k->arena);
  jmem_free(k->ctx, k);
}
