// SPDX-License-Identifier: Apache-2.0
// What is solved for, and the inputs that stand in for it in the equations it solves. docs/theory/sensitivity.md
#ifndef JGEN_IMPLIED_H
#define JGEN_IMPLIED_H

// Where they begin in group JGEN_X.
typedef struct jgen_stand_ins {
  int x;            // unknown accelerations (nu)
  int qdd;          // accelerations of dependent coordinates, in the equations of the tree (nv)
  int qdd_closure;  // the same, in those of the closures (nv)
  int lambda;       // multipliers of the closures (nv)
  int rate;         // of dependent coordinates (nv)
  int n;            // of all
} jgen_stand_ins;

static inline jgen_stand_ins jgen_stand_ins_of(int nu, int nv) {
  return (jgen_stand_ins){0, nu, nu + nv, nu + 2 * nv, nu + 3 * nv, nu + 4 * nv};
}

#endif
