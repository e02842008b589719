// SPDX-License-Identifier: Apache-2.0
// The vertical part of the Magic Formula: radii, deflection, load. docs/theory/magic_formula.md eqs. (M31)-(M37).
#include "element/tyre/magic_formula.h"
#include "element/tyre/magic_math.h"

#define NEWTON_STEPS 8    // from the load curve without camber, which is near, they reach rounding
#define SPIN_WIDTH   0.1  // where the sign is smooth (M46) [rad/s]

// What the load of a model sees of a wheel in the air and of one that only touches (M48), (M49), of R_0
#define MOST_LIFT   0.01  // of the tread over the road
#define MOST_RADIUS 0.1   // of the loaded radius over the free one
#define LIFT_WIDTH  1e-4

// 1 + PFZ1 dp
static jexpr_ref pressure_factor(tyre* m, jexpr_ref p) {
  if (m->version == JTIR_52) return num(m, 1.0);
  jexpr_ref dp = quo(m, dif(m, p, C(NOMPRES)), C(NOMPRES));
  return sum(m, num(m, 1.0), mul(m, C(PFZ1), dp));
}

// (M31)
jexpr_ref jelement_magic_free_radius(const jelement_magic* m, jexpr_ref omega) {
  jexpr_ref v = quo(m, mul(m, omega, C(UNLOADED_RADIUS)), C(LONGVL));
  return mul(m, C(UNLOADED_RADIUS), sum(m, C(Q_RE0), mul(m, C(Q_V1), square(m, v))));
}

// (M32)
jexpr_ref jelement_magic_rolling_radius(const jelement_magic* m, jexpr_ref R_omega, jexpr_ref fz,
                                        jexpr_ref p) {
  jexpr_ref nz = quo(m, fz, C(FNOMIN));
  jexpr_ref cz = mul(m, C(VERTICAL_STIFFNESS), pressure_factor(m, p));
  jexpr_ref low = mul(m, C(DREFF), jexpr_atan(m->g, mul(m, C(BREFF), nz)));
  jexpr_ref squeezed = sum(m, low, mul(m, C(FREFF), nz));
  return dif(m, R_omega, mul(m, quo(m, C(FNOMIN), cz), squeezed));
}

// What multiplies the load curve beside side forces.
typedef struct curve {
  jexpr_ref a, b;      // F / F0 = a x + b x^2 of x = rho / R0
  jexpr_ref growth;    // 1 + speed - Fx
  jexpr_ref pressure;  // of inflation
} curve;

// (M33)
static curve load_curve(tyre* m, const jelement_magic_load* in) {
  jexpr_graph* g = m->g;
  jexpr_ref R0 = C(UNLOADED_RADIUS), slope = quo(m, mul(m, C(VERTICAL_STIFFNESS), R0), C(FNOMIN));
  curve k = {.b = C(Q_FZ2), .pressure = pressure_factor(m, in->p)};
  k.a = jexpr_sqrt(g, dif(m, square(m, slope), mul(m, num(m, 4.0), C(Q_FZ2))));
  jexpr_ref speed =
      mul(m, mul(m, C(Q_V2), quo(m, R0, C(LONGVL))), jelement_magic_abs(m, in->omega, SPIN_WIDTH));
  k.growth =
      dif(m, sum(m, num(m, 1.0), speed), square(m, quo(m, mul(m, C(Q_FCX), in->fx), C(FNOMIN))));
  return k;
}

// ---- 6.2 -----------------------------------------------------------------------------------------

// The deflection of 6.2 and the asymmetry of side force and camber, with their derivatives by R_l.
typedef struct deflection {
  jexpr_ref x, dx;  // rho / R0
  jexpr_ref s, ds;  // [N]
} deflection;

// Polynomials of the loaded radius mean nothing far over the road, where they grow without bound.
static jexpr_ref near_road(tyre* m, jexpr_ref R_omega, jexpr_ref R_l) {
  if (!m->is_smooth) return R_l;
  jexpr_ref R0 = C(UNLOADED_RADIUS), most = sum(m, R_omega, mul(m, num(m, MOST_RADIUS), R0));
  return jelement_magic_soft_min(m, R_l, most, mul(m, num(m, LIFT_WIDTH), R0));
}

// (M34)
static deflection deflection_62(tyre* m, jexpr_ref gamma, jexpr_ref R_omega, jexpr_ref R_l) {
  jexpr_graph* g = m->g;
  jexpr_ref R0 = C(UNLOADED_RADIUS), lean = jelement_magic_abs(m, gamma, ANGLE_WIDTH),
            two = num(m, 2.0);
  deflection d;
  jexpr_ref rho = dif(m, R_omega, R_l);
  R_l = near_road(m, R_omega, R_l);
  jexpr_ref ratio = quo(m, R_l, R_omega);
  d.s =
      mul(m, sum(m, C(Q_FYS1), mul(m, sum(m, C(Q_FYS2), mul(m, C(Q_FYS3), ratio)), ratio)), gamma);
  jexpr_ref rise = sum(m, C(Q_FYS2), mul(m, two, mul(m, C(Q_FYS3), ratio)));
  d.ds = quo(m, mul(m, rise, gamma), R_omega);
  jexpr_ref keeps = dif(m, num(m, 1.0), mul(m, C(Q_CAM3), lean));
  jexpr_ref drho = jexpr_neg(g, keeps);
  rho = mul(m, rho, keeps);
  if (!jexpr_is_value(g, C(Q_CAM1), 0.0) || !jexpr_is_value(g, C(Q_CAM2), 0.0)) {
    jexpr_ref tread = dif(m, num(m, 1.075), mul(m, num(m, 0.5), C(ASPECT_RATIO)));
    jexpr_ref lift = mul(m, mul(m, tread, C(WIDTH)), num(m, 0.125));
    lift = mul(m, lift, jelement_magic_abs(m, jexpr_tan(g, gamma), ANGLE_WIDTH));
    jexpr_ref whole = mul(m, sum(m, C(Q_CAM1), mul(m, C(Q_CAM2), R_omega)), R_omega);
    jexpr_ref w = quo(m, mul(m, sum(m, C(Q_CAM1), mul(m, C(Q_CAM2), R_l)), R_l), whole);
    jexpr_ref dw = quo(m, sum(m, C(Q_CAM1), mul(m, two, mul(m, C(Q_CAM2), R_l))), whole);
    rho = sum(m, rho, mul(m, lift, square(m, w)));
    drho = sum(m, drho, mul(m, mul(m, lift, two), mul(m, w, dw)));
  }
  d.x = quo(m, rho, R0);
  d.dx = quo(m, drho, R0);
  return d;
}

// x^Q_FCY2, of x^2 and never of zero: a tyre in the air has no load, but what is not used has a value all the same. In
// a model it stays finite where the tyre only touches (M49).
static jexpr_ref power_62(tyre* m, jexpr_ref x) {
  jexpr_ref core = num(m, 1e-30);
  if (m->is_smooth) {
    jexpr_ref beyond = square(m, jexpr_tanh(m->g, quo(m, x, num(m, LIFT_WIDTH))));
    core = mul(m, num(m, LIFT_WIDTH * LIFT_WIDTH), dif(m, num(m, 1.0), beyond));
    core = sum(m, core, num(m, 1e-30));
  }
  return jexpr_pow(m->g, sum(m, square(m, x), core), mul(m, num(m, 0.5), C(Q_FCY2)));
}

// (M35): load at a deflection; *slope its derivative by R_l
static jexpr_ref load_62(tyre* m, const jelement_magic_load* in, const curve* k,
                         const deflection* d, jexpr_ref* slope) {
  jexpr_graph* g = m->g;
  jexpr_ref path = mul(m, sum(m, k->a, mul(m, k->b, d->x)), d->x);
  jexpr_ref side = mul(m, C(Q_FCY), quo(m, dif(m, in->fy, d->s), C(FNOMIN)));
  jexpr_ref power = power_62(m, d->x), lost = mul(m, power, side);
  jexpr_ref left = dif(m, k->growth, square(m, lost)), scale = mul(m, k->pressure, C(FNOMIN));
  jexpr_ref dpath = mul(m, sum(m, k->a, mul(m, num(m, 2.0), mul(m, k->b, d->x))), d->dx);
  jexpr_ref dpower = mul(m, mul(m, C(Q_FCY2), quo(m, power, d->x)), d->dx);
  jexpr_ref dside = jexpr_neg(g, mul(m, C(Q_FCY), quo(m, d->ds, C(FNOMIN))));
  jexpr_ref dlost = sum(m, mul(m, dpower, side), mul(m, power, dside));
  jexpr_ref dleft = jexpr_neg(g, mul(m, num(m, 2.0), mul(m, lost, dlost)));
  *slope = mul(m, scale, sum(m, mul(m, dleft, path), mul(m, left, dpath)));
  return mul(m, scale, mul(m, left, path));
}

// ---- load from radius, radius from load ----------------------------------------------------------

static jexpr_ref growth_61(tyre* m, const jelement_magic_load* in, const curve* k) {
  jexpr_ref side = square(m, quo(m, mul(m, C(Q_FCY), in->fy), C(FNOMIN)));
  return dif(m, k->growth, side);
}

// (M37)  F = P (g - kx^2 F^2 - (ky F - s)^2)  solved for F, P the load without forces
static jexpr_ref shared_load(tyre* m, jexpr_ref P, jexpr_ref g, jexpr_ref kx, jexpr_ref ky,
                             jexpr_ref s) {
  jexpr_ref a = mul(m, P, sum(m, square(m, kx), square(m, ky)));
  jexpr_ref b = dif(m, num(m, 1.0), mul(m, num(m, 2.0), mul(m, P, mul(m, ky, s))));
  jexpr_ref c = mul(m, P, dif(m, g, square(m, s)));
  jexpr_ref inner = sum(m, square(m, b), mul(m, num(m, 4.0), mul(m, a, c)));
  return quo(m, mul(m, num(m, 2.0), c), sum(m, b, jexpr_sqrt(m->g, inner)));
}

// (M49): a wheel that is farther up has no other load
static jexpr_ref near_contact(tyre* m, jexpr_ref x) {
  if (!m->is_smooth) return x;
  jexpr_ref up = jexpr_neg(m->g, x);
  up = jelement_magic_soft_min(m, up, num(m, MOST_LIFT), num(m, LIFT_WIDTH));
  return jexpr_neg(m->g, up);
}

jexpr_ref jelement_magic_load_of(const jelement_magic* m, const jelement_magic_load* in,
                                 jexpr_ref R_omega, jexpr_ref R_l, jexpr_ref* rho) {
  *rho = dif(m, R_omega, R_l);
  if (m->version == JTIR_52) return mul(m, C(VERTICAL_STIFFNESS), *rho);
  jelement_magic_load upright = *in;
  upright.fx = upright.fy = num(m, 0.0);
  curve k = load_curve(m, &upright);
  jexpr_ref x = near_contact(m, quo(m, *rho, C(UNLOADED_RADIUS)));
  jexpr_ref q = C(Q_FCY), s = num(m, 0.0);
  if (m->version == JTIR_62) {
    deflection d = deflection_62(m, in->gamma, R_omega, R_l);
    *rho = mul(m, d.x, C(UNLOADED_RADIUS));
    x = near_contact(m, d.x);
    q = mul(m, q, power_62(m, x));
    s = quo(m, mul(m, q, d.s), C(FNOMIN));
  }
  jexpr_ref P = mul(m, mul(m, k.pressure, C(FNOMIN)), mul(m, sum(m, k.a, mul(m, k.b, x)), x));
  jexpr_ref kx = quo(m, mul(m, C(Q_FCX), in->fx), C(FNOMIN));
  return shared_load(m, P, k.growth, kx, quo(m, mul(m, q, in->fy), C(FNOMIN)), s);
}

// The positive root of a x + b x^2 = f, in the form that holds for b = 0.
static jexpr_ref root(tyre* m, const curve* k, jexpr_ref f) {
  jexpr_ref inner = sum(m, square(m, k->a), mul(m, num(m, 4.0), mul(m, k->b, f)));
  return quo(m, mul(m, num(m, 2.0), f), sum(m, k->a, jexpr_sqrt(m->g, inner)));
}

// Newton's method in the graph: its last step, from a point that is the root to rounding, has the derivatives
// of the root, whatever those of the point are.
static void put_62(tyre* m, const jelement_magic_load* in, const curve* k,
                   jelement_magic_radii* out) {
  jexpr_ref f = quo(m, in->fz, mul(m, mul(m, k->growth, k->pressure), C(FNOMIN)));
  jexpr_ref x = root(m, k, f);
  jexpr_ref R_l = dif(m, out->R_omega, mul(m, x, C(UNLOADED_RADIUS))), slope;
  for (int i = 0; i < NEWTON_STEPS; i++) {
    deflection d = deflection_62(m, in->gamma, out->R_omega, R_l);
    jexpr_ref load = load_62(m, in, k, &d, &slope);
    R_l = dif(m, R_l, quo(m, dif(m, load, in->fz), slope));
  }
  out->R_l = R_l;
  out->rho = mul(m, deflection_62(m, in->gamma, out->R_omega, R_l).x, C(UNLOADED_RADIUS));
}

// half length and width of the patch (M35)
static void put_patch(tyre* m, const jelement_magic_load* in, jelement_magic_radii* out) {
  jexpr_ref R0 = C(UNLOADED_RADIUS);
  jexpr_ref cz = mul(m, C(VERTICAL_STIFFNESS), pressure_factor(m, in->p));
  jexpr_ref x = quo(m, in->fz, mul(m, cz, R0));
  jexpr_ref third = jexpr_pow(m->g, x, num(m, 1.0 / 3.0));
  out->a_half_length =
      mul(m, R0, sum(m, mul(m, C(Q_RA2), x), mul(m, C(Q_RA1), jexpr_sqrt(m->g, x))));
  out->b_half_width = mul(m, C(WIDTH), sum(m, mul(m, C(Q_RB2), x), mul(m, C(Q_RB1), third)));
}

jelement_magic_radii jelement_magic_vertical(const jelement_magic* m, jelement_magic_load in) {
  jelement_magic_radii out = {0};
  out.R_omega = jelement_magic_free_radius(m, in.omega);
  out.R_e = jelement_magic_rolling_radius(m, out.R_omega, in.fz, in.p);
  curve k = load_curve(m, &in);
  if (m->version == JTIR_62) {
    put_62(m, &in, &k, &out);
  } else if (m->version == JTIR_61) {
    jexpr_ref scale = mul(m, mul(m, growth_61(m, &in, &k), k.pressure), C(FNOMIN));
    out.rho = mul(m, root(m, &k, quo(m, in.fz, scale)), C(UNLOADED_RADIUS));
    out.R_l = dif(m, out.R_omega, out.rho);
  } else {
    out.rho = quo(m, in.fz, C(VERTICAL_STIFFNESS));
    out.R_l = dif(m, out.R_omega, out.rho);
  }
  out.Fz_over_rho = quo(m, in.fz, out.rho);
  if (m->version != JTIR_52) put_patch(m, &in, &out);
  return out;
}
