// SPDX-License-Identifier: Apache-2.0
// Operands in the text of a function: numbers, inputs, values of statements.
#ifndef JEMIT_OPERAND_H
#define JEMIT_OPERAND_H

#include "emit/c/printer.h"

void jemit_put_int(jtext* t, int value);
void jemit_put_constant(jtext* t, const jemit_real* real, double value);

// `t12`, `q[4]`, `0.5`, `t12_3`: the value of lane 3 of a pack
void jemit_put_operand(jemit_printer* p, jexpr_ref r);

// `  const double `, `  const float `
void jemit_put_declaration(jemit_printer* p, const jemit_real* real);

// `jk_s12`: the sine computed by statement 12 together with the cosine `jk_c12`
void jemit_put_wave_name(jtext* t, bool is_sine, int first);

// A single value that the next statement needs: declared here where it comes from an earlier chunk or from a pack.
void jemit_load(jemit_printer* p, jexpr_ref r);

// A pack computed by an earlier chunk, where it is first needed; what names for it end in: 4, 2f
void jemit_load_pack(jemit_printer* p, int at);
void jemit_put_numbers(jemit_printer* p, int at, int numbers);
void jemit_put_place(jemit_printer* p, int slot);

#endif
