// SPDX-License-Identifier: Apache-2.0
// Who is calling: a number for each way through the program, the same throughout a process. Tests that let
// allocations fail tell by it which of them come from the same place.
#ifndef JTEST_CALL_STACK_H
#define JTEST_CALL_STACK_H

#include <stdint.h>

// Callers there are, the function that asks included.
int call_stack_depth(void);

// A number of the return addresses of all callers but the `outer` outermost ones.
uint64_t call_stack_hash(int outer);

#endif
