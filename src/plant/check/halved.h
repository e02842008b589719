// SPDX-License-Identifier: Apache-2.0
// Fixed steps have no error control. A run with shorter ones shows whether they resolve what the objectives depend on.
// docs/theory/integration.md eq. (I11)
#ifndef JPLANT_HALVED_H
#define JPLANT_HALVED_H

#include "plant/result.h"

// Whether jplant_halved_check() repeats runs with these options.
bool jplant_halved_applies(const jplant* plant, const jplant_simulate_options* opt,
                           const jplant_simulate_used* used);

// The part of all the work that is done when the run itself is at `fraction`.
double jplant_halved_progress(double fraction);

// Steps are compared with others of sqrt(5) times their length or 1/sqrt(5) of it: what repeats with every step, as a road
// or a torque whose period it is, then meets each of the others elsewhere.
#define JPLANT_STEP_RATIO 2.2360679774997896

// The shorter step; of the mean step where events cut most of them, as dividing the longest would change little.
double jplant_halved_step(double step, double span, int64_t steps);

// Whether a difference of two values is worth a warning. scale: the size that the objective has elsewhere.
bool jplant_halved_counts(double difference, double value, double scale, double nominal);

// The largest value that an objective has in any row, as if the run ended there.
double jplant_halved_scale(const jplant_result* r, int objective);

// Another run of the same plant.
typedef struct jplant_repeated {
  const jsolve_options* solve;
  const double* y0;               // where it begins
  double* psi;                    // its objectives (nobjective)
  jsolve_statistics* statistics;  // of it
  bool is_stopped;                // whoever was told of its progress stopped it
} jplant_repeated;

// Takes it between the times of the run r, with the values of its options. Reports why it failed, where it did.
jo_status jplant_repeat(const jplant* plant, const jplant_simulate_options* opt,
                        const jplant_result* r, jplant_repeated* again);

// Repeats the run r, complete, from y0 with shorter steps and warns of objectives that change.
jo_status jplant_halved_check(const jplant* plant, const jplant_simulate_options* opt,
                              const jsolve_options* solve, const double* y0, jplant_result* r);

#endif
