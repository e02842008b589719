// SPDX-License-Identifier: Apache-2.0
// How functions of an FMU are called where its sources are linked into a program: with the name of the model in
// front. An FMU has its own version of this file, which defines FMI3_FUNCTION_PREFIX or FMI2_FUNCTION_PREFIX.
#ifndef JRUNTIME_FMI_PREFIX_H
#define JRUNTIME_FMI_PREFIX_H

#include <stddef.h>  // something, for compilers that want a unit to have contents

#endif
