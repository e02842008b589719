// SPDX-License-Identifier: Apache-2.0
// Wheels at the start that no vehicle has: below the ground, off or askew to the axis they spin about, or leaning on a tyre whose
// slip is that of an upright wheel. Nothing is wrong with the equations of these, so they are warned about.
//
// What decides is a tape, made once for a plant: a start of a sweep's point is looked at in microseconds.
#ifndef JPLANT_WHEELS_H
#define JPLANT_WHEELS_H

#include "plant/plant.h"

typedef enum jplant_wheel_fault {
  JPLANT_WHEEL_TILTED,
  JPLANT_WHEEL_OFF_AXIS,
  JPLANT_WHEEL_SUNK,
  JPLANT_WHEEL_LEANING,
  JPLANT_WHEEL_FAULTS
} jplant_wheel_fault;

// A set of faults: bit JPLANT_WHEEL_HAS(f) where a wheel has it, bit JPLANT_WHEEL_NEW(f) where the start of the plant itself has no
// such wheel, or with other figures: that one has been warned about.
#define JPLANT_WHEEL_HAS(f) (1U << (f))
#define JPLANT_WHEEL_NEW(f) (1U << ((f) + JPLANT_WHEEL_FAULTS))

// Faults at the start (t_start, y) of a run whose numbers and modes are set. JO_ERR_MEMORY.
jo_status jplant_wheels_look(jplant_work* r, const double* y, unsigned* faults);

// Warns about the wheels that have fault f at such a start; `where` ends the messages.
jo_status jplant_wheels_warn(jplant_work* r, const double* y, jplant_wheel_fault f,
                             const char* where);

// Warns about the start y with values of the live numbers, but for what the plant's own start was warned about with the same
// figures.
jo_status jplant_wheels_warn_of(jo_context* ctx, const jplant* p, const double* values,
                                const double* y);

// A wheel that lies flat at (t, y), where a run failed, or would within the step that failed: a tyre has no contact point there, in the air either. JO_ERR_SINGULAR, reported; JO_OK: there is none; JO_ERR_MEMORY.
jo_status jplant_wheels_explain(jplant_work* r, double t, const double* y);

#endif
