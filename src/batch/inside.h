// SPDX-License-Identifier: Apache-2.0
// What the files of batches share.
#ifndef JBATCH_INSIDE_H
#define JBATCH_INSIDE_H

#include "batch/batch.h"
#include "plant/plant.h"

// Texts of the files, embedded.
extern const char jbatch_lanes_h[], jbatch_job_h[], jbatch_march_inc[], jbatch_march_events_inc[],
    jbatch_march_checks_inc[], jbatch_march_samples_inc[], jbatch_device_inc[], jgen_group_h[],
    jsolve_constants_h[];

// How a point is run by itself.
static inline jsens_method jbatch_method(const jbatch* b) {
  if (!b->opt.gradient) return JSENS_VALUE;
  return b->opt.adjoint ? JSENS_ADJOINT : JSENS_DIRECT;
}

// Where the start of a point goes: elements of its arrays are `stride` apart.
typedef struct jbatch_start {
  double *y, *mode, *p;
  int64_t stride;
  const double**
      S;  // its derivatives, where they do not go along (ny x nw), in the arena; NULL: not wanted
  jmachine_equilibrium* rested;  // of the point
  unsigned* wheels;              // likewise
} jbatch_start;

// The start of a point with the values of the live numbers, as a run finds it. `run` is scratch.
jo_status jbatch_find_start(jo_context* ctx, jarena* a, const jbatch* b, jplant_work* run,
                            const double* values, jbatch_start to);

// Histories: times and outputs of one that is being prepared, its function, and whether so many points fit into memory.
jo_status jbatch_history_prepare(jbatch* b);
jo_status jbatch_history_functions(jbatch* b);
jo_status jbatch_history_check(const jbatch* b, int n);
void jbatch_history_forget(jbatch* b, int i);  // that of a point

// Outputs at the end and histories of point i, where they are asked for, by a run.
jo_status jbatch_run_outputs(jo_context* ctx, jbatch* b, const double* values, int i);

// Point i by itself.
jo_status jbatch_alone(jo_context* ctx, jbatch* b, const double* values, int i);

// Why a point fails, or with JO_OK lacks derivatives of some objectives, out of a context that is then as it was.
jo_status jbatch_note(jo_context* ctx, int said, jbatch_point* p, jo_status status);

// The source for a device of what the batch is asked for (device.inc), compiled, kept in the user's cache folder and loaded.
// An error, in one line, where there is no compiler or no device for it.
jo_status jbatch_device_create(jbatch* b);
void jbatch_device_destroy(jbatch* b);

// Its files, to look at: `dir` must be there.
jo_status jbatch_device_write(const jbatch* b, const char* dir);

// Single precision beside double: `twin`, which computes a sample of the points once more, and what came out of it.
jo_status jbatch_single_create(jbatch* b);
jo_status jbatch_single_sample(jbatch* b, const double* x);
jo_status jbatch_single_check(jbatch* b, const double* x, const int* sample, int n);
void jbatch_single_clear(jbatch* b);

// All points, on the device; those that it leaves, by themselves. jbatch_run() has made room.
jo_status jbatch_device_points(jbatch* b, const double* x);

#endif
