// SPDX-License-Identifier: Apache-2.0
// SUNDIALS CVODE as a stepper.
#ifndef JSOLVE_CVODE_H
#define JSOLVE_CVODE_H

#include "solve/run.h"

// Adams or BDF, as the options say. On failure `*out` is NULL.
jo_status jsolve_cvode_create(jsolve_run* run, jsolve_stepper** out);

#endif
