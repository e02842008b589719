// SPDX-License-Identifier: Apache-2.0
// Explicit Runge-Kutta stepper for any tableau, on a fixed grid or with step control.
#ifndef JSOLVE_RK_H
#define JSOLVE_RK_H

#include "solve/run.h"
#include "solve/tableau.h"

// NULL: out of memory. Lives in the arena of the run.
jsolve_stepper* jsolve_rk_create(jsolve_run* run, const jsolve_tableau* tableau);

#endif
