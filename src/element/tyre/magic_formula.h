// SPDX-License-Identifier: Apache-2.0
// The Magic Formula as expressions: forces and moments of a tyre from load, slips, camber, speed and pressure.
// docs/theory/magic_formula.md. Every coefficient is a node, a constant or an input, so that derivatives by
// inputs and coefficients come from the graph.
#ifndef JELEMENT_MAGIC_FORMULA_H
#define JELEMENT_MAGIC_FORMULA_H

#include "expr/graph.h"
#include "model/tyre/tir.h"

typedef struct jelement_magic {
  jexpr_graph* g;
  jmodel_tir_version version;
  bool ellipse;             // combined slip by friction ellipse instead of the R.. coefficients
  bool is_smooth;           // signs and absolute values are smooth (M46)
  bool has_soft_limits;     // so are limits of load and curvature (M48)
  jexpr_ref c[JTIR_COUNT];  // coefficients, SI
} jelement_magic;

// All coefficients as constants of the file.
jelement_magic jelement_magic_of(jexpr_graph* g, const jmodel_tir* tir);

// ISO axes at the contact point: x forward, y left, z up; of the side of the file.
typedef struct jelement_magic_input {
  jexpr_ref fz;            // load, > 0 [N]
  jexpr_ref kappa, alpha;  // slips [-] [rad]
  jexpr_ref gamma;         // camber, > 0: the top leans to the right [rad]
  jexpr_ref vx;            // forward speed [m/s]
  jexpr_ref p;             // pressure [Pa]; not used by MF 5.2
  jexpr_ref shifts;        // 1; less: so much of the shifts of the curves
  jexpr_ref sense;  // 1: it goes forward, -1: backward; trail and residual moment turn with it
  jexpr_ref roll;   // 1: it rolls forward, -1: backward; the rolling moment turns with it
} jelement_magic_input;

// The names of what comes out, in this order.
#define JELEMENT_MAGIC_OUTPUTS(X) \
  X(Fx, "N")                      \
  X(Fy, "N")                      \
  X(Mx, "N m")                    \
  X(My, "N m")                    \
  X(Mz, "N m")                    \
  X(sigma_kappa, "m")             \
  X(sigma_alpha, "m")             \
  X(trail, "m")                   \
  X(mu_x, "-")                    \
  X(mu_y, "-")                    \
  X(Kxk, "N")                     \
  X(Kya, "N/rad")

typedef struct jelement_magic_force {
#define X(name, unit) jexpr_ref name;
  JELEMENT_MAGIC_OUTPUTS(X)
#undef X
} jelement_magic_force;

// Sign and absolute value: themselves, or smooth within `width` of zero.
jexpr_ref jelement_magic_sign(const jelement_magic* m, jexpr_ref x, double width);
jexpr_ref jelement_magic_abs(const jelement_magic* m, jexpr_ref x, double width);
// The smaller of x and `most`, smooth within `width` of there (M48).
jexpr_ref jelement_magic_soft_min(const jelement_magic* m, jexpr_ref x, jexpr_ref most,
                                  jexpr_ref width);

jelement_magic_force jelement_magic_forces(const jelement_magic* m, jelement_magic_input in);

// Stiffness of the tyre along and across, of which relaxation lengths are made [N/m] (6.x).
jexpr_ref jelement_magic_stiffness_x(const jelement_magic* m, jexpr_ref fz, jexpr_ref p);
jexpr_ref jelement_magic_stiffness_y(const jelement_magic* m, jexpr_ref fz, jexpr_ref p);

// The vertical part.
typedef struct jelement_magic_load {
  jexpr_ref fz, fx, fy;  // [N]
  jexpr_ref gamma;       // [rad]
  jexpr_ref omega;       // of the wheel [rad/s]
  jexpr_ref p;           // [Pa]
} jelement_magic_load;

#define JELEMENT_MAGIC_RADII(X) \
  X(R_omega, "m")               \
  X(R_e, "m")                   \
  X(rho, "m")                   \
  X(R_l, "m")                   \
  X(Fz_over_rho, "N/m")         \
  X(a_half_length, "m")         \
  X(b_half_width, "m")

// a, b of MF 5.2 are poison: the model has none.
typedef struct jelement_magic_radii {
#define X(name, unit) jexpr_ref name;
  JELEMENT_MAGIC_RADII(X)
#undef X
} jelement_magic_radii;

jelement_magic_radii jelement_magic_vertical(const jelement_magic* m, jelement_magic_load in);

jexpr_ref jelement_magic_free_radius(const jelement_magic* m, jexpr_ref omega);
// of the free radius
jexpr_ref jelement_magic_rolling_radius(const jelement_magic* m, jexpr_ref R_omega, jexpr_ref fz,
                                        jexpr_ref p);
// The elastic load of a tyre whose loaded radius is known (M37); *rho its deflection. Here fx, fy of `in` are forces
// per load, and its fz is not used. In the air, rho < 0, it is finite and has no meaning.
jexpr_ref jelement_magic_load_of(const jelement_magic* m, const jelement_magic_load* in,
                                 jexpr_ref R_omega, jexpr_ref R_l, jexpr_ref* rho);

#endif
