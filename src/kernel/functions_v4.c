// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v4.
#define JFUNCTIONS_TABLE jkernel_functions_v4
#define JFUNCTIONS_LANES 8
#include "kernel/functions.inc"
