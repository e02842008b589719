// SPDX-License-Identifier: Apache-2.0
// Compiled for aarch64, with NEON.
#define JFUNCTIONS_TABLE jkernel_functions_aarch64
#define JFUNCTIONS_LANES 2
#include "kernel/functions.inc"
