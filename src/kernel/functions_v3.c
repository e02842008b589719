// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v3.
#define JFUNCTIONS_TABLE jkernel_functions_v3
#define JFUNCTIONS_LANES 4
#include "kernel/functions.inc"
