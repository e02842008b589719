// SPDX-License-Identifier: Apache-2.0
// What the forces of Magic Formula tyres must have the sign of: slip stiffness and friction. Formulas are texts over the
// names of coefficients, so that files by themselves, models, and exported code have the same ones.
// docs/theory/magic_formula.md
#ifndef JMODEL_TIR_SIGNS_H
#define JMODEL_TIR_SIGNS_H

#include "model/tyre/tir.h"

enum {
#define SIGN(what, from, c1, c2, nominal, zero) JTIR_SIGN_##c1,
#include "model/tyre/tir_signs.def"
  JTIR_SIGNS
};

typedef struct jmodel_tir_sign {
  const char* what;     // "cornering stiffness"
  const char* from;     // the coefficients of `nominal`, for messages
  int c1, c2;           // those whose signs and ratio count most
  const char* nominal;  // more than 0 at the nominal load, of any scale
  const char* zero;     // where it changes its sign [N]
} jmodel_tir_sign;

extern const jmodel_tir_sign jmodel_tir_sign_table[JTIR_SIGNS];

// The lowest load of a tyre, and the highest that a file says or, where it says none, that tyres see: formulas.
extern const char jmodel_tir_least_load[];
const char* jmodel_tir_most_load(bool has_most);

// What stands for a coefficient in a formula; JTIR_COUNT: for dp (M2). NULL: there is no memory.
typedef const char* jmodel_tir_text(void* user, jarena* a, int i);

// A formula with all names replaced, in the arena; NULL: there is no memory.
const char* jmodel_tir_write(jarena* a, const char* formula, jmodel_tir_text* text, void* user);

// The value of a formula for the coefficients of a file; NaN: it has none. Fails without memory only.
jo_status jmodel_tir_value(jo_context* ctx, const jmodel_tir* t, const char* formula, double* out);

#endif
