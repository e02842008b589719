// SPDX-License-Identifier: Apache-2.0
// A walk along equilibria of a copy of the model on a rig (axle_rig.h). Wheels are held at their heights by forces that are
// sought beside the states, or under the forces of the design position; both with exact derivatives. What is a slope of
// these along the walk has derivatives by differences of exact ones, as the wheel rate of rigid links.
#include "axle/compliance.h"

#include <math.h>
#include <string.h>

#include "axle/model.h"
#include "model/element.h"
#include "plant/start/start.h"
#include "plant/static/balance.h"

#define STRIDE       0.01    // of travel on the way to a position [m], ...
#define LOAD_STRIDE  1000.0  // ... of a load [N], [N m], ...
#define MOST_STRIDES 200     // ... or longer ones
#define TRAVEL_STEP  3e-4    // of differences [m]
#define FORCE_STEP   20.0    // [N]
#define TORQUE_STEP  2.0     // [N m]
#define RIGID        2       // states of an axle on rigid links: the heights of its wheels

// Of a position: outputs, the force on the wheel looked at, and the derivatives of both by the numbers asked for and, last,
// along the walk.
typedef struct position {
  double *out, *dout;  // (noutput), noutput x (nw + 1)
  double force, *dforce;
} position;

typedef struct rig {
  jo_context* ctx;
  jarena a;
  const jaxle_kinematics_options* opt;
  jaxle_model axle;
  int* wrt;  // those asked for, then those of the copy
  int nwrt, nw, no;
  jplant* plant;
  jplant_balance balance;
  int nside, side[2];       // wheels given
  double *y, *try, *S0;     // where it is, where differences are taken, derivatives as assembled
  double *S, *raw, *found;  // by all numbers
  double at;                // of y
  double lift[2], *dlift;   // forces of the design position and their derivatives (2 x nw)
  position design, here, beside;
  double*
      bend;  // derivatives along the walk of those by numbers: outputs, then the force ((no + 1) x nw)
} rig;

// ---- building ------------------------------------------------------------------------------------

static jo_status build_plant(rig* b) {
  jplant_options opt = jplant_options_default();
  b->nw = b->opt->nwrt;
  b->nwrt = b->nw + JAXLE_MOVED_COUNT;
  b->wrt = JARENA_ARRAY(&b->a, b->nwrt, int);
  if (!b->wrt) return jerr_memory(b->ctx);
  for (int i = 0; i < b->nw; i++) {
    b->wrt[i] = b->opt->wrt[i];
    b->axle.copy.number[b->wrt[i]].is_parameter = true;
  }
  memcpy(b->wrt + b->nw, b->axle.moved, sizeof b->axle.moved);
  opt.is_on_rig = true;
  opt.kernel.backend = JKERNEL_INTERP;
  opt.gen.wrt = b->wrt;
  opt.gen.nwrt = b->nwrt;
  return jplant_create(b->ctx, &b->axle.copy, &opt, &b->plant);
}

static bool make_position(rig* b, position* p) {
  p->out = JARENA_ARRAY(&b->a, b->no, double);
  p->dout = jarena_array(&b->a, (size_t)b->no * (size_t)(b->nw + 1), sizeof(double));
  p->dforce = JARENA_ARRAY(&b->a, b->nw + 1, double);
  return p->out && p->dout && p->dforce;
}

static jo_status allocate(rig* b) {
  const jgen_dynamics* d = b->plant->dynamics;
  size_t ny = (size_t)d->ny, nwrt = (size_t)b->nwrt;
  b->no = d->noutput;
  b->y = jarena_array(&b->a, 2 * ny, sizeof(double));
  b->S = jarena_array(&b->a, ny * nwrt, sizeof(double));
  b->raw = jarena_array(&b->a, (size_t)b->no * nwrt, sizeof(double));
  b->found = jarena_array(&b->a, 2 * nwrt, sizeof(double));
  b->dlift = jarena_array(&b->a, 2 * (size_t)b->nw, sizeof(double));
  b->bend = jarena_array(&b->a, (size_t)(b->no + 1) * (size_t)b->nw, sizeof(double));
  if (!b->y || !b->S || !b->raw || !b->found || !b->dlift || !b->bend) return jerr_memory(b->ctx);
  b->try = b->y + ny;
  if (!make_position(b, &b->design) || !make_position(b, &b->here) ||
      !make_position(b, &b->beside)) {
    return jerr_memory(b->ctx);
  }
  return JO_OK;
}

// ---- positions -----------------------------------------------------------------------------------

// The right wheel goes with the left one, or against it.
static double other(const rig* b) {
  bool is_load = jaxle_is_load(b->opt->motion);
  return b->opt->motion == JAXLE_MOTION_ROLL || (is_load && b->opt->is_opposed) ? -1.0 : 1.0;
}

static int first_moved(const rig* b) {
  return jaxle_is_load(b->opt->motion) ? JAXLE_MOVED_LOAD : JAXLE_MOVED_LEFT;
}

// From an equilibrium y, along its slopes and then by Newton's steps.
static jo_status find(rig* b, double at, double* y) {
  const jgen_dynamics* d = b->plant->dynamics;
  bool is_rack = b->opt->motion == JAXLE_MOTION_STEER;
  int first = b->nw + (is_rack ? JAXLE_MOVED_RACK : first_moved(b));
  int number[2] = {first, first + 1};
  double* value[2] = {&b->balance.run->p[d->sens.wrt[first]],
                      &b->balance.run->p[d->sens.wrt[first + 1]]};
  double target[2] = {at, other(b) * at};
  double change[2] = {target[0] - *value[0], target[1] - *value[1]};
  if (change[0] != 0.0) {
    JO_TRY(jplant_balance_move(&b->balance, is_rack ? 1 : 2, number, change, y));
  }
  for (int i = 0; i < (is_rack ? 1 : 2); i++) {
    *value[i] = target[i];
  }
  return jplant_balance_find(&b->balance, y);
}

// By strides from where the last position was.
static jo_status reach(rig* b, double at) {
  double stride = jaxle_is_load(b->opt->motion) ? LOAD_STRIDE : STRIDE, way = at - b->at;
  int n = (int)fmin(ceil(fabs(way) / stride), MOST_STRIDES);
  for (int i = 1; i <= n; i++) {
    JO_TRY(find(b, at - way * (double)(n - i) / n, b->y));
  }
  b->at = at;
  return JO_OK;
}

// Derivatives of a row of `raw` or `found` by what is asked for, with forces that are held as numbers make them (K11), and
// along the walk.
static void gather(const rig* b, const double* row, size_t stride, double* out) {
  size_t first = (size_t)b->nw;
  bool is_held = b->balance.m > 0;
  for (int w = 0; w < b->nw; w++) {
    out[w] = row[(size_t)w * stride];
    for (int s = 0; s < 2 && !is_held; s++) {
      double by_lift = row[(first + JAXLE_MOVED_LIFT + (size_t)s) * stride];
      out[w] += by_lift * b->dlift[s * b->nw + w];
    }
  }
  size_t m = first + (size_t)first_moved(b);
  out[b->nw] = b->opt->motion == JAXLE_MOTION_STEER
                   ? row[(first + JAXLE_MOVED_RACK) * stride]
                   : row[m * stride] + other(b) * row[(m + 1) * stride];
}

// All of a position at y, which is an equilibrium.
static jo_status look(rig* b, const double* y, position* p) {
  const jgen_dynamics* d = b->plant->dynamics;
  jplant_balance* e = &b->balance;
  size_t nwrt = (size_t)b->nwrt;
  memcpy(b->S, b->S0, (size_t)d->ny * nwrt * sizeof *b->S);
  JO_TRY(jplant_balance_slopes(e, y, b->nwrt, b->S, b->found, b->raw));
  jplant_outputs(e->run, e->t, y, p->out);
  for (int o = 0; o < b->axle.noutput; o++) {
    if (!isfinite(p->out[o])) {
      return jerr_set(b->ctx, JO_ERR_NUMERIC, "%s: axle '%s': curve '%s' has no value there",
                      b->axle.m->path, b->axle.axle->name, d->output_name[o]);
    }
    gather(b, b->raw + (size_t)o * nwrt, 1, p->dout + (size_t)o * (size_t)(b->nw + 1));
  }
  int own = b->nside == 2 ? b->opt->side : 0;
  p->force = e->run->p[d->sens.wrt[b->nw + JAXLE_MOVED_LIFT + b->side[own]]];
  if (e->m > 0) gather(b, b->found + own, (size_t)e->m, p->dforce);
  return JO_OK;
}

// (K7) for all outputs and the force: how their derivatives by numbers change along the walk.
static jo_status look_beside(rig* b) {
  static const double weight[4] = {1.0, -8.0, 8.0, -1.0}, at[4] = {-2.0, -1.0, 1.0, 2.0};
  const jgen_dynamics* d = b->plant->dynamics;
  bool is_load = jaxle_is_load(b->opt->motion);
  double h = !is_load                                  ? TRAVEL_STEP
             : b->opt->motion == JAXLE_MOTION_ALIGNING ? TORQUE_STEP
                                                       : FORCE_STEP;
  size_t nw = (size_t)b->nw, no = (size_t)b->axle.noutput;
  memset(b->bend, 0, (no + 1) * nw * sizeof *b->bend);
  if (nw == 0) return JO_OK;
  memcpy(b->try, b->y, (size_t)d->ny * sizeof *b->y);
  for (int p = 0; p < 4; p++) {
    JO_TRY(find(b, b->at + at[p] * h, b->try));
    JO_TRY(look(b, b->try, &b->beside));
    for (size_t o = 0; o <= no; o++) {
      const double* row = o < no ? b->beside.dout + o * (nw + 1) : b->beside.dforce;
      for (size_t w = 0; w < nw; w++) {
        b->bend[o * nw + w] += weight[p] * row[w] / (12.0 * h);
      }
    }
  }
  // back, so that the numbers are those of y again
  return find(b, b->at, b->try);
}

// ---- curves --------------------------------------------------------------------------------------

static double slope_of(const rig* b, int output) {
  return b->here.dout[(size_t)output * (size_t)(b->nw + 1) + (size_t)b->nw];
}

static double by(const rig* b, int output, int w) {
  return b->here.dout[(size_t)output * (size_t)(b->nw + 1) + (size_t)w];
}

// (K5) of the contact of each side, y and z of which are outputs, and the mean.
static void take_roll_centre(const rig* b, double* value, double* derivative) {
  *value = 0.0;
  for (int i = 0; i < b->nside; i++) {
    int y = b->axle.contact[b->side[i]], z = y + 1;
    double at = b->here.out[y], sy = slope_of(b, y), sz = slope_of(b, z), share = 1.0 / b->nside;
    *value += share * at * sy / sz;
    for (int w = 0; w < b->nw; w++) {
      double dsy = b->bend[y * b->nw + w], dsz = b->bend[z * b->nw + w];
      derivative[w] += share * (by(b, y, w) * sy / sz + at * (dsy - sy * dsz / sz) / sz);
    }
  }
}

static void take_curve(const rig* b, const jaxle_curve_plan* c, double* value, double* derivative) {
  // slopes are over the travel of the wheel looked at
  double own = b->opt->side == JAXLE_RIGHT ? other(b) : 1.0;
  int force = b->axle.noutput;
  for (int w = 0; w < b->nw; w++) {
    derivative[w] = 0.0;
  }
  switch (c->kind) {
    case JAXLE_CURVE_OUTPUT:
      *value = b->here.out[c->output] - (c->is_change ? b->design.out[c->output] : 0.0);
      break;
    case JAXLE_CURVE_SLOPE: *value = own * slope_of(b, c->output); break;
    case JAXLE_CURVE_ROLL_CENTRE: take_roll_centre(b, value, derivative); break;
    case JAXLE_CURVE_FORCE: *value = b->here.force; break;
    case JAXLE_CURVE_RATE: *value = own * b->here.dforce[b->nw]; break;
  }
  for (int w = 0; w < b->nw; w++) {
    size_t at = (size_t)c->output * (size_t)(b->nw + 1) + (size_t)w;
    switch (c->kind) {
      case JAXLE_CURVE_OUTPUT:
        derivative[w] = b->here.dout[at] - (c->is_change ? b->design.dout[at] : 0.0);
        break;
      case JAXLE_CURVE_SLOPE: derivative[w] = own * b->bend[c->output * b->nw + w]; break;
      case JAXLE_CURVE_ROLL_CENTRE: break;
      case JAXLE_CURVE_FORCE: derivative[w] = b->here.dforce[w]; break;
      case JAXLE_CURVE_RATE: derivative[w] = own * b->bend[force * b->nw + w]; break;
    }
  }
}

static jo_status take_position(jaxle_kinematics* k, rig* b, int i) {
  bool has_slopes = b->axle.force >= 0;
  JO_TRY(reach(b, k->travel[i]));
  JO_TRY(look(b, b->y, &b->here));
  if (has_slopes) JO_TRY(look_beside(b));
  for (int c = 0; c < k->ncurve; c++) {
    take_curve(b, &b->axle.curve[c], &k->curve[c].value[i],
               k->curve[c].derivative + (size_t)i * (size_t)k->nw);
  }
  return JO_OK;
}

// Compliances: slopes over load, where there is none.
static jo_status take_compliances(jaxle_kinematics* k, rig* b) {
  JO_TRY(find(b, 0.0, b->y));
  JO_TRY(look(b, b->y, &b->here));
  JO_TRY(look_beside(b));
  for (int c = 0; c < k->ncurve; c++) {
    int output = b->axle.curve[c].output;
    k->curve[c].slope = slope_of(b, output);
    for (int w = 0; w < k->nw; w++) {
      k->curve[c].dslope[w] = b->bend[output * b->nw + w];
    }
  }
  return JO_OK;
}

// ---- the walk ------------------------------------------------------------------------------------

// As assembled, and what of it moves.
static jo_status begin(jaxle_kinematics* k, rig* b) {
  const jgen_dynamics* d = b->plant->dynamics;
  int number[2], output[2];
  for (int s = 0; s < 2; s++) {
    if (!b->axle.axle->side[s].is_given) continue;
    number[b->nside] = b->nw + JAXLE_MOVED_LIFT + s;
    output[b->nside] = b->axle.height[s];
    b->side[b->nside++] = s;
  }
  JO_TRY(jplant_balance_open(b->ctx, &b->a, b->plant, b->nside, number, output, &b->balance));
  jplant_start start;
  JO_TRY(
      jplant_start_near(b->ctx, &b->a, b->plant, b->nwrt, b->balance.run->p, b->plant->q0, &start));
  memcpy(b->y, start.y, (size_t)d->ny * sizeof *b->y);
  memset(b->y + jgen_first(&d->layout, JGEN_QDU), 0, (size_t)d->part.nu * sizeof *b->y);
  b->S0 = start.S;
  JO_TRY(jplant_balance_choose(&b->balance, b->axle.noutput, b->y));
  k->is_elastic = b->balance.n > RIGID;
  return JO_OK;
}

// The design position: wheels at their height, and the forces that hold them there.
static jo_status stand(rig* b) {
  JO_TRY(find(b, 0.0, b->y));
  JO_TRY(look(b, b->y, &b->design));
  for (int i = 0; i < b->nside; i++) {
    for (int w = 0; w < b->nw; w++) {
      b->dlift[b->side[i] * b->nw + w] = b->found[(size_t)w * (size_t)b->nside + (size_t)i];
    }
  }
  if (jaxle_is_load(b->opt->motion) && !b->opt->holds_wheel) b->balance.m = 0;
  return JO_OK;
}

static jo_status walk(jaxle_kinematics* k, rig* b) {
  JO_TRY(begin(k, b));
  if (!jaxle_is_load(b->opt->motion) && !k->is_elastic) return JO_OK;
  JO_TRY(jaxle_curves_allocate(k, &b->axle, b->opt, 0));
  JO_TRY(stand(b));
  if (jaxle_is_load(b->opt->motion)) JO_TRY(take_compliances(k, b));
  for (int i = 0; i < k->n; i++) {
    k->travel[i] = jaxle_curves_at(b->opt, i);
    jo_status status = take_position(k, b, i);
    if (status < 0 && status != JO_ERR_MEMORY) {
      jerr_set(b->ctx, status, "axle '%s': a %s of %.6g %s cannot be reached", k->axle,
               jaxle_is_load(b->opt->motion) ? "load" : "travel", k->travel[i],
               b->opt->motion == JAXLE_MOTION_ALIGNING ? "N m"
               : jaxle_is_load(b->opt->motion)         ? "N"
                                                       : "m");
    }
    JO_TRY(status);
  }
  return JO_OK;
}

static jo_status build(rig* b, const jmodel* m, jaxle_kinematics* k) {
  const jaxle_kinematics_options* o = b->opt;
  JO_TRY(jaxle_model_make(b->ctx, &b->a, m, o->axle, o->motion, o->side, true, &b->axle));
  JO_TRY(build_plant(b));
  JO_TRY(allocate(b));
  return walk(k, b);
}

static bool has_bushes(const jmodel* m) {
  bool has = false;
  for (int i = 0; i < m->nelement; i++) {
    has = has || strcmp(m->element[i].class->section, "bushes") == 0;
  }
  return has;
}

jo_status jaxle_compliance_walk(jo_context* ctx, const jmodel* m,
                                const jaxle_kinematics_options* opt, jaxle_kinematics* k) {
  if (!jaxle_is_load(opt->motion) && !has_bushes(m)) return JO_OK;
  rig b = {.ctx = ctx, .opt = opt};
  jarena_init(&b.a, ctx);
  jo_status status = build(&b, m, k);
  jplant_balance_close(&b.balance);
  jplant_destroy(b.plant);
  jarena_free(&b.a);
  return status;
}
