// SPDX-License-Identifier: Apache-2.0
// The reduction of one model while it is written: what equations.c, functions.c and dynamics.c share.
#ifndef JGEN_REDUCTION_H
#define JGEN_REDUCTION_H

#include "gen/build.h"
#include "gen/loop/reduce.h"

// Equations that determine what is solved for, with stand-ins for it, (S32)-(S34)
typedef struct jgen_implied {
  bool is_there;
  jexpr_ref* rate;          // of the closures (nv)
  jexpr_ref* acceleration;  // of the closures (nv)
  jexpr_ref* force;         // that the tree is short of, u then v (nu + nv)
  jexpr_ref* qdd_v;         // (nv)
  jexpr_ref* lambda;        // multipliers, by stand-ins (nv)
  jexpr_ref* solve;         // M_r^-1 b (nu)
} jgen_implied;

typedef struct jgen_reduction {
  jgen s;
  jgen_dynamics* out;
  const jgen_partition* part;
  int nq, nu, nv, nd;
  jgen_way way;
  jgen_row* row;
  int nrow;
  jgen_lu lu;
  jexpr_ref* B;                          // (R2) d qd_v / d qd_u   (nv x nu, row-major)
  jexpr_ref* Bd;                         //      d qd_v / d qd_d   (nv x nd)
  jexpr_ref* gamma;                      // (R3) qdd_v at qdd_u = 0 (nv)
  jexpr_ref *sd, *sdd;                   // rates of driven coordinates (nd)
  jexpr_ref *M, *c;                      // tree (nq x nq, nq)
  jexpr_ref* Mr;                         // reduced mass matrix (nu x nu)
  jgen_ldl ldl;                          // its factors
  struct jgen_articulated* articulated;  // in place of the matrices, which are NULL then
  jexpr_ref* x;                          // unknowns: accelerations of u, hub ones in hub axes (nu)
  jexpr_ref *dv, *h;                     // Newton correction of q_v, closure residuals
  jexpr_ref* momentum;                   // conjugate to the independent velocities (nu)
  jexpr_ref* impulse;                    // jump of qd_u that restores a momentum (nu)
  jexpr_v3* bias;     // angular accelerations of hubs whose coordinates do not accelerate
  jexpr_ref* filter;  // states of the filters of objectives
  jexpr_ref* ydot;
  jexpr_ref* objective;                 // values at the end (nobjective)
  jexpr_ref *solve, *solve_transposed;  // J_v^-1 b, J_v^-T c (nv)
  jexpr_ref* redundant;                 // residuals of the equations left out (nredundant)
  jexpr_ref* guards;                    // 1 where they apply, and their pairs (3 nguard)
  jexpr_ref* is_short;                  // > 0 where a guard fails (nguard)
  jexpr_ref* hold;                      // forces of friction
  jexpr_ref *condition, *reset;         // of events (nevent), states they set (nreset)
  jgen_implied implied;
  jexpr_ref* windows;  // from and to, integral by integral (2 nintegral)
} jgen_reduction;

// equations.c
jexpr_ref* jgen_refs(jgen_reduction* r, int n);  // n zeros; NULL: out of memory, remembered
jexpr_ref jgen_state(jgen_reduction* r, int i);
jexpr_ref jgen_add_product(jexpr_graph* g, jexpr_ref sum, jexpr_ref a, jexpr_ref b);  // sum + a b
jo_status jgen_write_equations(jgen_reduction* r);
void jgen_solve_mass(jgen_reduction* r, jexpr_ref* b);  // M_r^-1 b, in place (nu)

// guard.c
jo_status jgen_write_guards(jgen_reduction* r);
// Expressions of the file that nothing uses are read too: their mistakes show, their nodes reach nothing.
jo_status jgen_read_unused(jgen_reduction* r);

// functions.c
typedef struct jgen_sensors {
  int n;
  jexpr_ref* ref;
  const char** name;
  const char** unit;
} jgen_sensors;

jo_status jgen_write_outputs(jgen_reduction* r, jgen_sensors* o);
jo_status jgen_write_functions(jgen_reduction* r, const jgen_sensors* o, bool modes);
jo_status jgen_write_loads(jgen_reduction* r);
jo_status jgen_write_jacobian(jgen_reduction* r);

// implied.c
jo_status jgen_write_implied(jgen_reduction* r);

// local.c
jo_status jgen_write_local(jgen_reduction* r, const jgen_options* opt);

#endif
