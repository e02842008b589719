// SPDX-License-Identifier: Apache-2.0
// From operations over values to machine code over registers.
//
// Code is straight, so that it is known when a value is read next: where a register is needed, the value that is read last of
// all gives its own up (Belady's rule). It is stored in the frame once, unless memory has it already, and read from
// there by whoever needs it, as an operand in memory where it is not read again soon.
#ifndef JEMIT_REGISTERS_H
#define JEMIT_REGISTERS_H

#include "emit/operations.h"
#include "emit/x86.h"

// Appends one function to the code. Its constants stand in the pool from `pool_base` bytes on. *work: doubles it needs.
jo_status jemit_assign(jo_context* ctx, jarena* scratch, const jemit_operations* o,
                       const jemit_functions* functions, int pool_base, jx_code* code,
                       size_t* work);

#endif
