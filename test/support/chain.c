// SPDX-License-Identifier: Apache-2.0
// Recursive Newton-Euler inverse dynamics of a chain, and its energies. h = i - 1 is the body before
// i; vectors of body i are in frame i; z points up.
#include "support/chain.h"

#include <math.h>

#define GRAVITY 9.81  // [m/s^2]

enum { GROUP_Q, GROUP_QD, GROUP_QDD, GROUP_M, GROUP_I, NGROUP };

// ---- model -------------------------------------------------------------------------------------

// A number between lo and hi that differs from body to body and repeats every 13.
static double vary(int i, int salt, double lo, double hi) {
  return lo + (hi - lo) * ((i * 5 + salt * 7) % 13) / 12.0;
}

static jexpr_ref inertia_entry(chain* c, int i, int k, bool is_input, double value) {
  return is_input ? jexpr_input(c->g, GROUP_I, 6 * (i - 1) + k) : jexpr_const(c->g, value);
}

// Diagonal 0.10-0.16, products of inertia below 0.02: positive definite.
static jexpr_m3 inertia(chain* c, int i, bool is_input) {
  static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  jexpr_m3 J;
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      int k = place[r][s];
      double value = r == s ? vary(i, k, 0.10, 0.16) : vary(i, k, 0.005, 0.02);
      J.e[r][s] = inertia_entry(c, i, k, is_input, value);
    }
  }
  return J;
}

static bool allocate(chain* c) {
  int n = c->n + 1;
  c->axis = JARENA_ARRAY(&c->arena, n, int);
  c->R = JARENA_ARRAY(&c->arena, n, jexpr_m3);
  c->q = JARENA_ARRAY(&c->arena, n, jexpr_ref);
  c->qd = JARENA_ARRAY(&c->arena, n, jexpr_ref);
  c->qdd = JARENA_ARRAY(&c->arena, n, jexpr_ref);
  c->m = JARENA_ARRAY(&c->arena, n, jexpr_ref);
  c->d = JARENA_ARRAY(&c->arena, n, jexpr_v3);
  c->l = JARENA_ARRAY(&c->arena, n, jexpr_v3);
  c->J = JARENA_ARRAY(&c->arena, n, jexpr_m3);
  return c->axis && c->R && c->q && c->qd && c->qdd && c->m && c->d && c->l && c->J;
}

jo_status chain_init(chain* c, jo_context* ctx, chain_options opt) {
  *c = (chain){.n = opt.n, .g = jexpr_graph_create(ctx)};
  jarena_init(&c->arena, ctx);
  if (!c->g) return JO_ERR_MEMORY;
  if (!allocate(c)) return jerr_memory(ctx);
  jexpr_graph* g = c->g;
  jexpr_group(g, "q", opt.n, JEXPR_PER_LANE);
  jexpr_group(g, "qd", opt.n, JEXPR_PER_LANE);
  jexpr_group(g, "qdd", opt.n, JEXPR_PER_LANE);
  jexpr_group(g, "m", opt.mass_inputs, JEXPR_UNIFORM);
  jexpr_group(g, "I", opt.inertia_is_input ? 6 * opt.n : 0, JEXPR_UNIFORM);
  c->d[0] = jexpr_v3_zero(g);
  for (int i = 1; i <= opt.n; i++) {
    c->axis[i] = (i - 1) % 3;
    c->q[i] = jexpr_input(g, GROUP_Q, i - 1);
    c->qd[i] = jexpr_input(g, GROUP_QD, i - 1);
    c->qdd[i] = jexpr_input(g, GROUP_QDD, i - 1);
    c->R[i] = jexpr_m3_rotation(g, c->axis[i], c->q[i]);
    bool is_input = i <= opt.mass_inputs;
    c->m[i] = is_input ? jexpr_input(g, GROUP_M, i - 1) : jexpr_const(g, vary(i, 1, 1.0, 2.0));
    c->d[i] =
        jexpr_v3_const(g, vary(i, 2, 0.2, 0.4), vary(i, 3, -0.1, 0.05), vary(i, 4, 0.05, 0.1));
    c->l[i] =
        jexpr_v3_const(g, vary(i, 5, 0.1, 0.2), vary(i, 6, 0.01, 0.05), vary(i, 7, -0.1, 0.02));
    c->J[i] = inertia(c, i, opt.inertia_is_input);
  }
  return jexpr_graph_status(g);
}

void chain_free(chain* c) {
  jarena_free(&c->arena);
  jexpr_graph_destroy(c->g);
  c->g = NULL;
}

void chain_sample(const chain* c, int group, double* value) {
  for (int k = 0; k < c->g->group[group].size; k++) {
    bool is_angle = group <= GROUP_QDD;
    value[k] = is_angle ? vary(k, 3 + group, -1.2, 1.3) : vary(k, group, 1.0, 2.0);
    if (group == GROUP_I) value[k] = k % 6 == 0 || k % 6 == 3 || k % 6 == 5 ? 0.12 : 0.01;
  }
}

// ---- pieces ------------------------------------------------------------------------------------

static jexpr_v3 mark_v3(chain* c, jexpr_v3 v, int i, const char* symbol) {
  for (int k = 0; k < 3; k++) {
    jexpr_mark(c->g, v.e[k], "body %d: %s.%d", i, symbol, k + 1);
  }
  return v;
}

static jexpr_v3 axis_times(chain* c, int i, jexpr_ref s) {
  jexpr_v3 v = jexpr_v3_zero(c->g);
  v.e[c->axis[i]] = s;
  return v;
}

// B = [wd]x + [w]x [w]x: the acceleration of a point of the body, relative to its origin, per
// distance [1/s^2]
static jexpr_m3 acceleration_matrix(chain* c, jexpr_v3 w, jexpr_v3 wd, int i) {
  jexpr_graph* g = c->g;
  jexpr_ref ww[3][3];
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      ww[r][s] = jexpr_mul(g, w.e[r], w.e[s]);
    }
  }
  jexpr_m3 B;
  for (int r = 0; r < 3; r++) {
    int s = (r + 1) % 3, t = (r + 2) % 3;
    B.e[r][r] = jexpr_neg(g, jexpr_add(g, ww[s][s], ww[t][t]));
    B.e[r][s] = jexpr_sub(g, ww[r][s], wd.e[t]);
    B.e[s][r] = jexpr_add(g, ww[r][s], wd.e[t]);
  }
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) {
      jexpr_mark(g, B.e[r][s], "body %d: B.%d%d", i, r + 1, s + 1);
    }
  }
  return B;
}

// ---- inverse dynamics --------------------------------------------------------------------------

typedef struct recursion {
  jexpr_v3* w;   // angular velocity             [rad/s]
  jexpr_v3* wd;  // angular acceleration         [rad/s^2]
  jexpr_v3* a;   // acceleration of joint i less gravity  [m/s^2]
  jexpr_m3* B;   // see acceleration_matrix
} recursion;

// Forward, i = 1 ... n:
//   w_i  = R_i^T w_h + phi_i qd_i
//   wd_i = R_i^T wd_h + (R_i^T w_h) x phi_i qd_i + phi_i qdd_i
//   a_i  = R_i^T (a_h + B_h d_h)                                a_0 = -gravity
static void forward(chain* c, recursion* s) {
  jexpr_graph* g = c->g;
  s->w[0] = s->wd[0] = jexpr_v3_zero(g);
  s->a[0] = jexpr_v3_const(g, 0.0, 0.0, GRAVITY);
  s->B[0] = jexpr_m3_zero(g);
  for (int i = 1, h = 0; i <= c->n; i++, h++) {
    jexpr_v3 w_h = jexpr_m3_tapply(g, &c->R[i], s->w[h]);
    jexpr_v3 joint = axis_times(c, i, c->qd[i]);
    jexpr_v3 wd_h = jexpr_m3_tapply(g, &c->R[i], s->wd[h]);
    jexpr_v3 wd_joint = jexpr_v3_add(g, jexpr_v3_cross(g, w_h, joint), axis_times(c, i, c->qdd[i]));
    jexpr_v3 a_joint = jexpr_v3_add(g, s->a[h], jexpr_m3_apply(g, &s->B[h], c->d[h]));
    s->w[i] = mark_v3(c, jexpr_v3_add(g, w_h, joint), i, "w");
    s->wd[i] = mark_v3(c, jexpr_v3_add(g, wd_h, wd_joint), i, "wd");
    s->a[i] = mark_v3(c, jexpr_m3_tapply(g, &c->R[i], a_joint), i, "a");
    s->B[i] = acceleration_matrix(c, s->w[i], s->wd[i], i);
  }
}

// Backward, i = n ... 1, with what body i + 1 passes on to joint i + 1:
//   W_i = m_i (a_i + B_i l_i)
//   f_i = W_i + R_{i+1} f_{i+1}
//   n_i = J_i wd_i + w_i x J_i w_i + l_i x W_i + R_{i+1} n_{i+1} + d_i x R_{i+1} f_{i+1}
//   tau_i = phi_i . n_i
static void backward(chain* c, const recursion* s, jexpr_ref* tau) {
  jexpr_graph* g = c->g;
  jexpr_v3 f_next = jexpr_v3_zero(g), n_next = f_next;  // in frame i
  for (int i = c->n; i >= 1; i--) {
    jexpr_v3 a_G = jexpr_v3_add(g, s->a[i], jexpr_m3_apply(g, &s->B[i], c->l[i]));
    jexpr_v3 W = mark_v3(c, jexpr_v3_scale(g, c->m[i], a_G), i, "W");
    jexpr_v3 spin = jexpr_v3_cross(g, s->w[i], jexpr_m3_apply(g, &c->J[i], s->w[i]));
    jexpr_v3 own = jexpr_v3_add(g, jexpr_m3_apply(g, &c->J[i], s->wd[i]), spin);
    own = jexpr_v3_add(g, own, jexpr_v3_cross(g, c->l[i], W));
    jexpr_v3 passed = jexpr_v3_add(g, n_next, jexpr_v3_cross(g, c->d[i], f_next));
    jexpr_v3 f = mark_v3(c, jexpr_v3_add(g, W, f_next), i, "f");
    jexpr_v3 n = mark_v3(c, jexpr_v3_add(g, own, passed), i, "n");
    tau[i] = n.e[c->axis[i]];
    f_next = jexpr_m3_apply(g, &c->R[i], f);
    n_next = jexpr_m3_apply(g, &c->R[i], n);
  }
}

jo_status chain_inverse_dynamics(chain* c, jexpr_ref* tau) {
  int n = c->n + 1;
  recursion s = {.w = JARENA_ARRAY(&c->arena, n, jexpr_v3),
                 .wd = JARENA_ARRAY(&c->arena, n, jexpr_v3),
                 .a = JARENA_ARRAY(&c->arena, n, jexpr_v3),
                 .B = JARENA_ARRAY(&c->arena, n, jexpr_m3)};
  if (!s.w || !s.wd || !s.a || !s.B) return jerr_memory(c->g->ctx);
  forward(c, &s);
  backward(c, &s, tau);
  return jexpr_graph_status(c->g);
}

// ---- energies ----------------------------------------------------------------------------------

// T = sum_i  1/2 m_i v_G . v_G + 1/2 w_i . J_i w_i
//   v_i = R_i^T (v_h + w_h x d_h),  v_G = v_i + w_i x l_i
jexpr_ref chain_kinetic_energy(chain* c) {
  jexpr_graph* g = c->g;
  jexpr_v3 w = jexpr_v3_zero(g), v = w;
  jexpr_ref twice = jexpr_const(g, 0.0);
  for (int i = 1, h = 0; i <= c->n; i++, h++) {
    jexpr_v3 v_joint = jexpr_v3_add(g, v, jexpr_v3_cross(g, w, c->d[h]));
    jexpr_v3 w_h = jexpr_m3_tapply(g, &c->R[i], w);
    v = mark_v3(c, jexpr_m3_tapply(g, &c->R[i], v_joint), i, "v");
    w = mark_v3(c, jexpr_v3_add(g, w_h, axis_times(c, i, c->qd[i])), i, "w");
    jexpr_v3 v_G = mark_v3(c, jexpr_v3_add(g, v, jexpr_v3_cross(g, w, c->l[i])), i, "v_G");
    jexpr_ref linear = jexpr_mul(g, c->m[i], jexpr_v3_dot(g, v_G, v_G));
    jexpr_ref angular = jexpr_v3_dot(g, w, jexpr_m3_apply(g, &c->J[i], w));
    twice = jexpr_mark(g, jexpr_add(g, twice, jexpr_add(g, linear, angular)), "body %d: 2 T", i);
  }
  return jexpr_mul(g, jexpr_const(g, 0.5), twice);
}

// V = sum_i  m_i gravity (z_i + up_i . l_i)
//   z_i = z_h + up_h . d_h,  up_i = R_i^T up_h   the vertical in frame i
jexpr_ref chain_potential_energy(chain* c) {
  jexpr_graph* g = c->g;
  jexpr_v3 up = jexpr_v3_const(g, 0.0, 0.0, 1.0);
  jexpr_ref z = jexpr_const(g, 0.0), moment = z;
  for (int i = 1, h = 0; i <= c->n; i++, h++) {
    z = jexpr_mark(g, jexpr_add(g, z, jexpr_v3_dot(g, up, c->d[h])), "body %d: z", i);
    up = mark_v3(c, jexpr_m3_tapply(g, &c->R[i], up), i, "up");
    jexpr_ref height = jexpr_add(g, z, jexpr_v3_dot(g, up, c->l[i]));
    moment = jexpr_add(g, moment, jexpr_mul(g, c->m[i], height));
  }
  return jexpr_mul(g, jexpr_const(g, GRAVITY), moment);
}
