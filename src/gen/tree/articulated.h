// SPDX-License-Identifier: Apache-2.0
// M_r x = b without the matrix of all unknowns: links that loops tie to each other are solved for together, as one
// aggregate, and aggregates one after another. docs/theory/dynamics.md eqs. (D18)-(D22), (D27)-(D29).
#ifndef JGEN_ARTICULATED_H
#define JGEN_ARTICULATED_H

#include "gen/build.h"

typedef struct jgen_articulated jgen_articulated;

// Aggregates and their factors. B: rates of the dependent coordinates by the independent ones (nv x nu, row-major). Branches
// of no more than `merged` unknowns are one aggregate. NULL: out of memory, remembered.
jgen_articulated* jgen_articulated_create(jgen* s, const jgen_partition* part, const jexpr_ref* B,
                                          int merged);
void jgen_articulated_factor(jgen_articulated* t);

// Products that the factors of a full matrix would take, before anything is written.
double jgen_articulated_matrix_products(const jgen_articulated* t);
// Whether no aggregate hangs on another but the hub: the matrix has nothing but zeros between them.
bool jgen_articulated_is_flat(const jgen_articulated* t);

// Accelerations beyond the bias, by coordinate, of forces that are applied to coordinates but those of hubs, less wrenches p
// (nlink, overwritten).
void jgen_articulated_solve(const jgen_articulated* t, jgen_wrench* p, const jexpr_ref* applied,
                            jexpr_ref* x);

#endif
