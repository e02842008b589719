// SPDX-License-Identifier: Apache-2.0
// The integration methods: the only list of them, which model files, integrators, messages and options of
// the command line are made of.
#ifndef JOUNCE_METHODS_H
#define JOUNCE_METHODS_H

#include "jounce/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Every method, in the order lists show them; the first is what a model has that names none. The numbers
/// never change.
///   X(ID, number, name, order, steps, kind, by, what it is)
///   order  of its steps; 0: it varies
///   steps  FIXED: of a given size; ADAPTIVE: as tolerances allow
///   kind   IMPLICIT: steps need a Jacobian, for stiff models; EXPLICIT: none; BOTH: changes between them;
///          MIXED: implicit for what elements add to the motion (oil, tyres), explicit for the motion itself
///   by     OWN: Runge-Kutta steps, and derivatives of runs; CVODE: of SUNDIALS
#define JO_METHOD_LIST(X)                                                                      \
  X(AUTO, 7, "auto", 5, ADAPTIVE, BOTH, OWN, "dopri5, and esdirk5 where that is stiff")        \
  X(DOPRI5, 3, "dopri5", 5, ADAPTIVE, EXPLICIT, OWN, "Dormand-Prince 5(4), adaptive")          \
  X(ESDIRK5, 6, "esdirk5", 5, ADAPTIVE, IMPLICIT, OWN,                                         \
    "L-stable ESDIRK 5(4), adaptive, for stiff models")                                        \
  X(RK2, 0, "rk2", 2, FIXED, EXPLICIT, OWN, "midpoint, fixed step")                            \
  X(RK3, 1, "rk3", 3, FIXED, EXPLICIT, OWN, "Kutta's third order, fixed step")                 \
  X(RK4, 2, "rk4", 4, FIXED, EXPLICIT, OWN, "classical fourth order, fixed step")              \
  X(IMEX4, 8, "imex4", 4, ADAPTIVE, MIXED, OWN,                                                \
    "additive 4(3), adaptive: oil and tyres implicit, motion explicit")                        \
  X(IMEX3, 9, "imex3", 3, FIXED, MIXED, OWN,                                                   \
    "additive third order, fixed step: oil and tyres implicit, motion explicit")               \
  X(ADAMS, 4, "adams", 0, ADAPTIVE, EXPLICIT, CVODE, "SUNDIALS CVODE Adams-Moulton, adaptive") \
  X(BDF, 5, "bdf", 0, ADAPTIVE, IMPLICIT, CVODE, "SUNDIALS CVODE BDF, adaptive, for stiff models")

typedef enum jo_method {
  JO_METHOD_OF_MODEL = -1,  // what the model says
#define X(id, number, name, order, steps, kind, by, text) JO_METHOD_##id = number,
  JO_METHOD_LIST(X)
#undef X
} jo_method;

/// The method of a name; JO_METHOD_OF_MODEL where there is none.
JO_API jo_method jo_method_find(const char* name);

/// Name of the i-th method of the list; NULL where there is none.
JO_API const char* jo_method_name(int i);

#ifdef __cplusplus
}
#endif

#endif
