// SPDX-License-Identifier: Apache-2.0
// A more accurate run, where the errors of single steps may have made or taken much of the motion. Runs with other steps may be
// wrong in the same way: of a motion that all of them damp nothing is left, whatever the steps. docs/theory/integration.md eq. (I17)
#ifndef JPLANT_REFERENCE_H
#define JPLANT_REFERENCE_H

#include "plant/result.h"

// Whether the errors of single steps add up to so much of the motion (solve/drift.h).
bool jplant_reference_is_due(const jsolve_options* solve, const jsolve_statistics* of);

// The relative tolerance of the more accurate run.
double jplant_reference_tolerance(const jsolve_options* solve);

// Options of the more accurate run.
void jplant_reference_options(const jsolve_options* solve, const jsolve_statistics* of,
                              jsolve_options* out);

// Fails where the motion of a run is far larger than that of the more accurate one: its steps made it, and what was reported since
// diagnostic `said` is void.
jo_status jplant_reference_judge(jo_context* ctx, const jplant* plant, const jsolve_options* solve,
                                 const jsolve_statistics* of, const jsolve_statistics* reference,
                                 int said);

// Warns of an objective whose value is `other` in the more accurate run.
void jplant_reference_warn(jo_context* ctx, const jmodel_objective* o, double value, double other,
                           const jsolve_options* solve);

// Warns of a run that could not be compared with a more accurate one.
void jplant_reference_warn_missing(jo_context* ctx, const jplant* plant,
                                   const jsolve_options* solve, const jsolve_statistics* of,
                                   const char* why);

// Takes the run r, complete, once more from y0 where that is due, and warns of objectives that come out otherwise. `said`: the
// first diagnostic of the run.
jo_status jplant_reference_check(const jplant* plant, const jplant_simulate_options* opt,
                                 const jsolve_options* solve, const double* y0, int said,
                                 jplant_result* r);

#endif
