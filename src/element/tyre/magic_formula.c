// SPDX-License-Identifier: Apache-2.0
// Forces and moments by the Magic Formula. docs/theory/magic_formula.md eqs. (M1)-(M35).
#include "element/tyre/magic_formula.h"

#include "element/tyre/magic_math.h"

// Under a root that is zero where slip is: below rounding anywhere else, and derivatives stay finite.
#define TINY 1e-60

// where signs are smooth (M46)
#define SLIP_WIDTH  1e-3
#define SPEED_WIDTH 1e-3
#define CORE_WIDTH  1e-4   // of slips of the friction ellipse, (M47)
#define CURVE_WIDTH 0.005  // of curvatures, (M48)
#define ROLL_WIDTH  0.01   // of the load of the rolling moment, per nominal load, (M50)

// ---- arithmetic ----------------------------------------------------------------------------------

static jexpr_ref at_most_one(tyre* m, jexpr_ref x) {
  jexpr_ref one = num(m, 1.0);
  return m->has_soft_limits ? jelement_magic_soft_min(m, x, one, num(m, CURVE_WIDTH))
                            : jexpr_min(m->g, x, one);
}
// cos(atan(x)) = 1 / sqrt(1 + x^2)
static jexpr_ref cos_atan(tyre* m, jexpr_ref x) {
  return quo(m, num(m, 1.0), jexpr_sqrt(m->g, sum(m, num(m, 1.0), square(m, x))));
}
// C atan(B x - E (B x - atan(B x))), the argument of every sine and cosine of the formula (M1)
static jexpr_ref curve(tyre* m, jexpr_ref B, jexpr_ref C_, jexpr_ref E, jexpr_ref x) {
  jexpr_ref bx = mul(m, B, x);
  jexpr_ref bent = mul(m, E, dif(m, bx, jexpr_atan(m->g, bx)));
  return mul(m, C_, jexpr_atan(m->g, dif(m, bx, bent)));
}
static jexpr_ref sine_curve(tyre* m, jexpr_ref B, jexpr_ref C_, jexpr_ref E, jexpr_ref x) {
  return jexpr_sin(m->g, curve(m, B, C_, E, x));
}
static jexpr_ref cosine_curve(tyre* m, jexpr_ref B, jexpr_ref C_, jexpr_ref E, jexpr_ref x) {
  return jexpr_cos(m->g, curve(m, B, C_, E, x));
}

// (M46)
jexpr_ref jelement_magic_sign(const jelement_magic* m, jexpr_ref x, double width) {
  if (!m->is_smooth) return jexpr_sign(m->g, x);
  return jexpr_tanh(m->g, quo(m, x, num(m, width)));
}

jexpr_ref jelement_magic_abs(const jelement_magic* m, jexpr_ref x, double width) {
  return m->is_smooth ? mul(m, x, jelement_magic_sign(m, x, width)) : jexpr_abs(m->g, x);
}

// (M48)
jexpr_ref jelement_magic_soft_min(const jelement_magic* m, jexpr_ref x, jexpr_ref most,
                                  jexpr_ref width) {
  jexpr_ref over = dif(m, x, most);
  jexpr_ref below = dif(m, num(m, 1.0), jexpr_tanh(m->g, quo(m, over, width)));
  return sum(m, most, mul3(m, num(m, 0.5), over, below));
}

jelement_magic jelement_magic_of(jexpr_graph* g, const jmodel_tir* tir) {
  jelement_magic m = {.g = g, .version = tir->version, .ellipse = tir->ellipse};
  for (int i = 0; i < JTIR_COUNT; i++) {
    m.c[i] = jexpr_const(g, tir->value[i]);
  }
  return m;
}

// ---- pure slip -----------------------------------------------------------------------------------

// What is known before any force, and the parts of the pure forces that others need.
typedef struct state {
  jelement_magic_input in;
  jexpr_ref f0, dfz, dp;                // (M2)
  jexpr_ref gamma_x, gamma_y, gamma_z;  // camber as the parts of 5.2 scale it
} state;

typedef struct longitudinal {
  jexpr_ref mu, K, SH, SV, force;
} longitudinal;

typedef struct lateral {
  jexpr_ref mu, K, B, Cy, SH, SV, force;
} lateral;

static jexpr_ref nominal_load(tyre* m) {
  return mul(m, C(LFZO), C(FNOMIN));
}

// (M2)
static jexpr_ref load_change(tyre* m, jexpr_ref fz) {
  jexpr_ref f0 = nominal_load(m);
  return quo(m, dif(m, fz, f0), f0);
}

static jexpr_ref pressure_change(tyre* m, jexpr_ref p) {
  if (m->version == JTIR_52) return num(m, 0.0);
  return quo(m, dif(m, p, C(NOMPRES)), C(NOMPRES));
}

static state begin(tyre* m, jelement_magic_input in) {
  state s = {.in = in, .f0 = nominal_load(m)};
  bool is_52 = m->version == JTIR_52;
  s.dfz = load_change(m, in.fz);
  s.dp = pressure_change(m, in.p);
  s.gamma_x = is_52 ? mul(m, in.gamma, C(LGAX)) : in.gamma;
  s.gamma_y = is_52 ? mul(m, in.gamma, C(LGAY)) : in.gamma;
  s.gamma_z = is_52 ? mul(m, in.gamma, C(LGAZ)) : in.gamma;
  return s;
}

// (M3)-(M6)
static longitudinal pure_longitudinal(tyre* m, const state* s) {
  jexpr_ref fz = s->in.fz, dfz = s->dfz, dp = s->dp;
  longitudinal x;
  jexpr_ref Cx = mul(m, C(PCX1), C(LCX));
  jexpr_ref leaning = one_minus(m, C(PDX3), square(m, s->gamma_x));
  x.mu =
      mul4(m, line(m, C(PDX1), C(PDX2), dfz), one_plus2(m, C(PPX3), C(PPX4), dp), leaning, C(LMUX));
  // per load, so that B is defined at every load
  jexpr_ref k = mul(m, line(m, C(PKX1), C(PKX2), dfz), jexpr_exp(m->g, mul(m, C(PKX3), dfz)));
  k = mul3(m, k, one_plus2(m, C(PPX1), C(PPX2), dp), C(LKX));
  x.K = mul(m, fz, k);
  jexpr_ref B = quo(m, k, mul(m, Cx, x.mu));
  x.SH = mul3(m, line(m, C(PHX1), C(PHX2), dfz), C(LHX), s->in.shifts);
  x.SV = mul4(m, fz, line(m, C(PVX1), C(PVX2), dfz), C(LVX), C(LMUX));
  x.SV = mul(m, x.SV, s->in.shifts);
  jexpr_ref slip = sum(m, s->in.kappa, x.SH);
  jexpr_ref E = parabola(m, C(PEX1), C(PEX2), C(PEX3), dfz);
  E = mul3(m, E, one_minus(m, C(PEX4), jelement_magic_sign(m, slip, SLIP_WIDTH)), C(LEX));
  jexpr_ref wave = sine_curve(m, B, Cx, at_most_one(m, E), slip);
  x.force = sum(m, mul3(m, x.mu, fz, wave), x.SV);
  return x;
}

// (M8)
static jexpr_ref cornering_stiffness(tyre* m, const state* s, jexpr_ref gamma) {
  jexpr_ref peak = mul3(m, C(PKY1), s->f0, one_plus(m, C(PPY1), s->dp));
  jexpr_ref load = line(m, C(PKY2), C(PKY5), square(m, gamma));
  load = mul(m, load, one_plus(m, C(PPY2), s->dp));
  jexpr_ref bend = jexpr_atan(m->g, quo(m, quo(m, s->in.fz, s->f0), load));
  jexpr_ref K = mul(m, peak, jexpr_sin(m->g, mul(m, C(PKY4), bend)));
  return mul3(m, K, one_minus(m, C(PKY3), jelement_magic_abs(m, gamma, ANGLE_WIDTH)), C(LKY));
}

// (M7)-(M11), at a camber of its own: the aligning moment of 6.x needs it without
static lateral pure_lateral(tyre* m, const state* s, jexpr_ref gamma) {
  jexpr_ref fz = s->in.fz, dfz = s->dfz, dp = s->dp, gg = square(m, gamma);
  lateral y;
  y.Cy = mul(m, C(PCY1), C(LCY));
  y.mu = mul4(m, line(m, C(PDY1), C(PDY2), dfz), one_plus2(m, C(PPY3), C(PPY4), dp),
              one_minus(m, C(PDY3), gg), C(LMUY));
  jexpr_ref D = mul(m, y.mu, fz);
  y.K = cornering_stiffness(m, s, gamma);
  y.B = quo(m, y.K, mul(m, y.Cy, D));
  jexpr_ref SV_camber = mul4(m, fz, line(m, C(PVY3), C(PVY4), dfz), gamma, C(LKYC));
  SV_camber = mul(m, SV_camber, C(LMUY));
  y.SH = mul(m, line(m, C(PHY1), C(PHY2), dfz), C(LHY));
  if (m->version == JTIR_52) {
    y.SH = sum(m, y.SH, mul3(m, C(PHY3), gamma, C(LKYC)));
  } else {
    jexpr_ref K_camber =
        mul4(m, fz, line(m, C(PKY6), C(PKY7), dfz), one_plus(m, C(PPY5), dp), C(LKYC));
    y.SH = sum(m, y.SH, quo(m, dif(m, mul(m, K_camber, gamma), SV_camber), y.K));
  }
  y.SV = mul4(m, fz, line(m, C(PVY1), C(PVY2), dfz), C(LVY), C(LMUY));
  y.SV = mul(m, sum(m, y.SV, SV_camber), s->in.shifts);
  y.SH = mul(m, y.SH, s->in.shifts);
  jexpr_ref slip = sum(m, s->in.alpha, y.SH);
  jexpr_ref skew =
      mul(m, line(m, C(PEY3), C(PEY4), gamma), jelement_magic_sign(m, slip, SLIP_WIDTH));
  jexpr_ref E = dif(m, one_plus(m, C(PEY5), gg), skew);
  E = mul3(m, line(m, C(PEY1), C(PEY2), dfz), E, C(LEY));
  y.force = mul(m, D, sine_curve(m, y.B, y.Cy, at_most_one(m, E), slip));
  y.force = sum(m, y.force, y.SV);
  return y;
}

// ---- combined slip -------------------------------------------------------------------------------

typedef struct combined {
  jexpr_ref fx, fy, Gy, SVyk;  // Gy reduces the pure force, SVyk is added
} combined;

// (M12), (M13): a cosine of the other slip, 1 where that is zero
static jexpr_ref reduction(tyre* m, jexpr_ref B, jexpr_ref C_, jexpr_ref E, jexpr_ref SH,
                           jexpr_ref slip) {
  jexpr_ref E1 = at_most_one(m, E);
  return quo(m, cosine_curve(m, B, C_, E1, sum(m, slip, SH)), cosine_curve(m, B, C_, E1, SH));
}

// (M12)-(M15)
static combined combine(tyre* m, const state* s, const longitudinal* x, const lateral* y) {
  jexpr_ref kappa = s->in.kappa, alpha = s->in.alpha, gamma = s->in.gamma, dfz = s->dfz;
  jexpr_ref gg = square(m, gamma);
  combined c;
  jexpr_ref B = line(m, C(RBX1), C(RBX3), gg);
  B = mul3(m, B, cos_atan(m, mul(m, C(RBX2), kappa)), C(LXAL));
  c.fx = mul(m, x->force, reduction(m, B, C(RCX1), line(m, C(REX1), C(REX2), dfz), C(RHX1), alpha));

  B = line(m, C(RBY1), C(RBY4), gg);
  B = mul3(m, B, cos_atan(m, mul(m, C(RBY2), dif(m, alpha, C(RBY3)))), C(LYKA));
  c.Gy = reduction(m, B, C(RCY1), line(m, C(REY1), C(REY2), dfz), line(m, C(RHY1), C(RHY2), dfz),
                   kappa);
  jexpr_ref D = sum(m, line(m, C(RVY1), C(RVY2), dfz), mul(m, C(RVY3), gamma));
  D = mul4(m, y->mu, s->in.fz, D, cos_atan(m, mul(m, C(RVY4), alpha)));
  jexpr_ref wave = jexpr_sin(m->g, mul(m, C(RVY5), jexpr_atan(m->g, mul(m, C(RVY6), kappa))));
  c.SVyk = mul3(m, D, wave, C(LVYKA));
  c.fy = sum(m, mul(m, c.Gy, y->force), c.SVyk);
  return c;
}

// (M47): what keeps |slip| from having a corner
static jexpr_ref core(tyre* m, jexpr_ref slip) {
  if (!m->is_smooth) return num(m, TINY);
  jexpr_ref beyond = square(m, jelement_magic_sign(m, slip, CORE_WIDTH));
  return mul(m, num(m, CORE_WIDTH * CORE_WIDTH), dif(m, num(m, 1.0), beyond));
}

// part of the ellipse: |slip| / sqrt(slip^2 + other^2)
static jexpr_ref share(tyre* m, jexpr_ref slip, jexpr_ref other) {
  jexpr_ref own = sum(m, square(m, slip), core(m, slip));
  jexpr_ref both = sum(m, sum(m, square(m, slip), square(m, other)), core(m, slip));
  return quo(m, jexpr_sqrt(m->g, own), jexpr_sqrt(m->g, both));
}

// (M16), (M17): friction ellipse
static combined combine_by_ellipse(tyre* m, const state* s, const longitudinal* x,
                                   const lateral* y) {
  jexpr_ref fz = s->in.fz, zero = num(m, 0.0);
  jexpr_ref kc = sum(m, s->in.kappa, sum(m, x->SH, quo(m, x->SV, x->K)));
  jexpr_ref ac = sum(m, s->in.alpha, sum(m, y->SH, quo(m, y->SV, y->K)));
  jexpr_ref sa = jexpr_sin(m->g, ac);
  jexpr_ref mu_x = quo(m, dif(m, x->force, x->SV), fz), mu_y = quo(m, dif(m, y->force, y->SV), fz);
  combined c = {.SVyk = zero};
  jexpr_ref across = mul(m, sa, quo(m, mu_x, y->mu)), along = mul(m, kc, quo(m, mu_y, x->mu));
  c.fx = mul(m, x->force, share(m, kc, across));
  c.Gy = share(m, sa, along);
  c.fy = mul(m, y->force, c.Gy);
  return c;
}

// ---- moments -------------------------------------------------------------------------------------

// (M18): equivalent slip angle, without its sign, of which nothing depends
static jexpr_ref equivalent(tyre* m, jexpr_ref angle, jexpr_ref kappa_part) {
  jexpr_ref root =
      jexpr_sqrt(m->g, sum(m, sum(m, square(m, jexpr_tan(m->g, angle)), kappa_part), num(m, TINY)));
  return jexpr_atan(m->g, root);
}

// (M19)-(M21)
static jexpr_ref trail(tyre* m, const state* s, jexpr_ref kappa_part) {
  jexpr_ref dfz = s->dfz, gz = s->gamma_z, pi_half = num(m, 1.5707963267948966);
  jexpr_ref SH = sum(m, line(m, C(QHZ1), C(QHZ2), dfz), mul(m, line(m, C(QHZ3), C(QHZ4), dfz), gz));
  jexpr_ref slip = sum(m, s->in.alpha, SH);
  jexpr_ref D = mul4(m, line(m, C(QDZ1), C(QDZ2), dfz), one_minus(m, C(PPZ1), s->dp),
                     one_plus2(m, C(QDZ3), C(QDZ4), gz), C(LTR));
  D = mul3(m, D, s->in.fz, quo(m, C(UNLOADED_RADIUS), C(FNOMIN)));
  jexpr_ref leaning =
      sum(m, one_plus(m, C(QBZ4), gz), mul(m, C(QBZ5), jelement_magic_abs(m, gz, ANGLE_WIDTH)));
  jexpr_ref B = mul(m, parabola(m, C(QBZ1), C(QBZ2), C(QBZ3), dfz), leaning);
  B = mul(m, B, quo(m, C(LKY), C(LMUY)));
  jexpr_ref bend = quo(m, jexpr_atan(m->g, mul3(m, B, C(QCZ1), slip)), pi_half);
  jexpr_ref E = mul(m, parabola(m, C(QEZ1), C(QEZ2), C(QEZ3), dfz),
                    one_plus(m, line(m, C(QEZ4), C(QEZ5), gz), bend));
  jexpr_ref wave = cosine_curve(m, B, C(QCZ1), at_most_one(m, E), equivalent(m, slip, kappa_part));
  return mul4(m, D, wave, jexpr_cos(m->g, s->in.alpha), s->in.sense);
}

// (M22), (M23)
static jexpr_ref residual(tyre* m, const state* s, const lateral* y, jexpr_ref kappa_part) {
  jexpr_ref dfz = s->dfz, gz = s->gamma_z;
  jexpr_ref slip = sum(m, s->in.alpha, sum(m, y->SH, quo(m, y->SV, y->K)));
  jexpr_ref leaning = mul(m, line(m, C(QDZ8), C(QDZ9), dfz), one_plus(m, C(PPZ2), s->dp));
  leaning = sum(m, leaning,
                mul(m, line(m, C(QDZ10), C(QDZ11), dfz), jelement_magic_abs(m, gz, ANGLE_WIDTH)));
  jexpr_ref D =
      sum(m, mul(m, line(m, C(QDZ6), C(QDZ7), dfz), C(LRES)), mul3(m, leaning, gz, C(LKZC)));
  D = mul4(m, s->in.fz, C(UNLOADED_RADIUS), D, C(LMUY));
  jexpr_ref B = sum(m, mul(m, C(QBZ9), quo(m, C(LKY), C(LMUY))), mul3(m, C(QBZ10), y->B, y->Cy));
  jexpr_ref angle = equivalent(m, slip, kappa_part);
  jexpr_ref forward = mul(m, jexpr_cos(m->g, s->in.alpha), s->in.sense);
  return mul3(m, D, cos_atan(m, mul(m, B, angle)), forward);
}

// (M24)
static jexpr_ref overturning(tyre* m, const state* s, jexpr_ref fy) {
  jexpr_graph* g = m->g;
  jexpr_ref gamma = s->in.gamma, fz = s->in.fz, R0 = C(UNLOADED_RADIUS);
  jexpr_ref ny = quo(m, fy, C(FNOMIN)), nz = quo(m, fz, C(FNOMIN)),
            absolute = jelement_magic_abs(m, gamma, ANGLE_WIDTH);
  jexpr_ref a = mul(m, C(QSX1), C(LVMX));
  a = dif(m, a, mul3(m, C(QSX2), gamma, one_plus(m, C(PPMX1), s->dp)));
  a = dif(m, a, mul3(m, C(QSX12), gamma, absolute));
  a = sum(m, a, mul(m, C(QSX3), ny));
  jexpr_ref far = mul(m, C(QSX5), jexpr_atan(g, square(m, mul(m, C(QSX6), nz))));
  jexpr_ref turn = mul(m, C(QSX8), jexpr_atan(g, mul(m, C(QSX9), ny)));
  turn = line(m, turn, C(QSX7), gamma);
  a = sum(m, a, mul3(m, C(QSX4), jexpr_cos(g, far), jexpr_sin(g, turn)));
  a = sum(m, a, mul3(m, C(QSX10), jexpr_atan(g, mul(m, C(QSX11), nz)), gamma));
  jexpr_ref of_load = mul(m, fz, a), of_side = mul(m, fy, line(m, C(QSX13), C(QSX14), absolute));
  return mul3(m, R0, C(LMX), sum(m, of_load, of_side));
}

// Of n_z^(QSY7 - 1): with QSY7 < 1 it grows without bound where the wheel leaves the ground (M50).
static jexpr_ref rolling_load(tyre* m, jexpr_ref nz) {
  if (!m->is_smooth) return nz;
  jexpr_ref fade = jexpr_exp(m->g, jexpr_neg(m->g, square(m, quo(m, nz, num(m, ROLL_WIDTH)))));
  jexpr_ref core = mul(m, num(m, ROLL_WIDTH * ROLL_WIDTH), fade);
  return jexpr_sqrt(m->g, sum(m, square(m, nz), core));
}

// (M25)
static jexpr_ref rolling(tyre* m, const state* s, jexpr_ref fx) {
  jexpr_graph* g = m->g;
  jexpr_ref nz = quo(m, s->in.fz, C(FNOMIN)), v = quo(m, s->in.vx, C(LONGVL));
  jexpr_ref a = line(m, C(QSY1), C(QSY2), quo(m, fx, C(FNOMIN)));
  a = sum(m, a, mul(m, C(QSY3), jelement_magic_abs(m, v, SPEED_WIDTH)));
  a = sum(m, a, mul(m, C(QSY4), jexpr_powi(g, v, 4)));
  jexpr_ref scale = mul4(m, jexpr_neg(g, C(UNLOADED_RADIUS)), C(FNOMIN), C(LMY), s->in.roll);
  if (m->version == JTIR_52) return mul3(m, scale, nz, a);
  a = sum(m, a, mul(m, line(m, C(QSY5), C(QSY6), nz), square(m, s->in.gamma)));
  jexpr_ref load = mul(m, nz, jexpr_pow(g, rolling_load(m, nz), dif(m, C(QSY7), num(m, 1.0))));
  jexpr_ref pressure = jexpr_pow(g, quo(m, s->in.p, C(NOMPRES)), C(QSY8));
  return mul4(m, scale, a, load, pressure);
}

// (M26)-(M28)
static jexpr_ref aligning(tyre* m, const state* s, const lateral* y, const combined* c, jexpr_ref t,
                          jexpr_ref Mzr) {
  if (m->ellipse) return dif(m, Mzr, mul(m, t, c->fy));
  jexpr_ref lever = line(m, C(SSZ1), C(SSZ2), quo(m, c->fy, C(FNOMIN)));
  lever = sum(m, lever, mul(m, line(m, C(SSZ3), C(SSZ4), s->dfz), s->in.gamma));
  lever = mul3(m, C(UNLOADED_RADIUS), lever, C(LS));
  jexpr_ref side = mul(m, c->Gy, y->force);
  if (m->version != JTIR_52) {
    lateral upright = pure_lateral(m, s, num(m, 0.0));
    side = mul(m, c->Gy, upright.force);
  }
  return sum(m, dif(m, Mzr, mul(m, t, side)), mul(m, lever, c->fx));
}

// ---- relaxation ----------------------------------------------------------------------------------

// (M29)
static jexpr_ref stiffness(tyre* m, jexpr_ref c0, jexpr_ref c1, jexpr_ref c2, jexpr_ref c3,
                           jexpr_ref fz, jexpr_ref p) {
  return mul3(m, c0, one_plus2(m, c1, c2, load_change(m, fz)),
              one_plus(m, c3, pressure_change(m, p)));
}

jexpr_ref jelement_magic_stiffness_x(const jelement_magic* m, jexpr_ref fz, jexpr_ref p) {
  return stiffness(m, C(LONGITUDINAL_STIFFNESS), C(PCFX1), C(PCFX2), C(PCFX3), fz, p);
}

jexpr_ref jelement_magic_stiffness_y(const jelement_magic* m, jexpr_ref fz, jexpr_ref p) {
  return stiffness(m, C(LATERAL_STIFFNESS), C(PCFY1), C(PCFY2), C(PCFY3), fz, p);
}

// |K / c|; a tyre without stiffness in the file does not relax. A model takes the square of it, so that the sign would
// be a switch for nothing.
static jexpr_ref relaxation(tyre* m, jexpr_ref K, jexpr_ref c) {
  if (jexpr_is_value(m->g, c, 0.0)) return num(m, 0.0);
  jexpr_ref sigma = quo(m, K, c);
  return m->is_smooth ? sigma : jexpr_abs(m->g, sigma);
}

// (M29), (M30)
static void put_relaxation(tyre* m, const state* s, jelement_magic_force* f) {
  jexpr_graph* g = m->g;
  jexpr_ref fz = s->in.fz, dfz = s->dfz, R0 = C(UNLOADED_RADIUS);
  if (m->version != JTIR_52) {
    f->sigma_kappa = relaxation(m, f->Kxk, jelement_magic_stiffness_x(m, fz, s->in.p));
    f->sigma_alpha = relaxation(m, f->Kya, jelement_magic_stiffness_y(m, fz, s->in.p));
    return;
  }
  jexpr_ref fall = jexpr_exp(g, jexpr_neg(g, mul(m, C(PTX3), dfz)));
  f->sigma_kappa = mul3(m, line(m, C(PTX1), C(PTX2), dfz), fall, C(LSGKP));
  f->sigma_kappa = mul3(m, f->sigma_kappa, R0, quo(m, fz, C(FNOMIN)));
  if (jexpr_is_value(g, C(PTY2), 0.0)) {
    f->sigma_alpha = num(m, 0.0);
    return;
  }
  jexpr_ref bend = jexpr_atan(g, quo(m, fz, mul(m, C(PTY2), s->f0)));
  f->sigma_alpha = mul(m, C(PTY1), jexpr_sin(g, mul(m, num(m, 2.0), bend)));
  f->sigma_alpha = mul(m, f->sigma_alpha,
                       one_minus(m, C(PKY3), jelement_magic_abs(m, s->in.gamma, ANGLE_WIDTH)));
  f->sigma_alpha = mul4(m, f->sigma_alpha, R0, C(LFZO), C(LSGAL));
}

// ---- the whole -----------------------------------------------------------------------------------

jelement_magic_force jelement_magic_forces(const jelement_magic* m, jelement_magic_input in) {
  state s = begin(m, in);
  longitudinal x = pure_longitudinal(m, &s);
  lateral y = pure_lateral(m, &s, s.gamma_y);
  combined c = m->ellipse ? combine_by_ellipse(m, &s, &x, &y) : combine(m, &s, &x, &y);
  jexpr_ref kappa_part = num(m, 0.0);
  if (!m->ellipse) kappa_part = square(m, mul(m, quo(m, x.K, y.K), in.kappa));
  jelement_magic_force f = {.Fx = c.fx, .Fy = c.fy};
  f.mu_x = x.mu;
  f.mu_y = y.mu;
  f.Kxk = x.K;
  f.Kya = y.K;
  f.trail = trail(m, &s, kappa_part);
  f.Mx = overturning(m, &s, c.fy);
  f.My = rolling(m, &s, c.fx);
  f.Mz = aligning(m, &s, &y, &c, f.trail, residual(m, &s, &y, kappa_part));
  put_relaxation(m, &s, &f);
  return f;
}
