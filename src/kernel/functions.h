// SPDX-License-Identifier: Apache-2.0
// What machine code calls: elementary functions of vectors, compiled for each level of processors, and lists.
#ifndef JKERNEL_FUNCTIONS_H
#define JKERNEL_FUNCTIONS_H

#include "emit/machine/operations.h"

// NULL: there are none for that level.
const jemit_functions* jkernel_functions(jcpu_level level);

extern const jemit_functions jkernel_functions_v2, jkernel_functions_v3, jkernel_functions_v4,
    jkernel_functions_aarch64;

// A list operator over all its lanes. The list holds the operands, lane-innermost, and the results when it returns.
void jkernel_list(const jemit_list* about, double* list, const double* data);

#endif
