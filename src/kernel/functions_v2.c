// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64-v2.
#define JFUNCTIONS_TABLE jkernel_functions_v2
#define JFUNCTIONS_LANES 2
#include "kernel/functions.inc"
