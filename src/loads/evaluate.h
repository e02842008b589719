// SPDX-License-Identifier: Apache-2.0
// What came out of a run: what elements went through, as far as it means something, events as they are
// told, and where the vehicle is at the end.
#ifndef JLOADS_EVALUATE_H
#define JLOADS_EVALUATE_H

#include "loads/loads.h"
#include "loads/rainflow.h"

// What an element went through.
typedef struct jloads_summary {
  double peak, t_peak;       // largest |load|, with its sign
  double smooth_peak;        // of the samples outside of the element's events
  double smallest, largest;  // of the samples
  double cycles;             // rainflow, half cycles included
  double largest_range;
  double damage;
} jloads_summary;

typedef struct jloads_evaluation {
  const jloads_result* result;
  bool is_plain;            // loads are known at the steps only; of other drivers between them too
  int nmeaningful;          // samples: all of a run that did not break down
  double t_meaningful;      // time of the last of them [s]
  jloads_summary* element;  // (ne)
  double real_time_factor;  // simulated time by that of the processor; 0: not known
} jloads_evaluation;

// The arena holds it; the result must outlive it.
jo_status jloads_evaluate(jo_context* ctx, jarena* a, const jloads_options* opt,
                          const jloads_result* r, double slope, double reference,
                          jloads_evaluation* out);

// Turning points and cycles of an element, to be released with jloads_rainflow_free().
jo_status jloads_evaluation_count(jo_context* ctx, const jloads_evaluation* v, int element,
                                  jloads_counting counting, jloads_rainflow* out);

// Cycles of an element in `nbin` bins of equal width from 0 to the largest range.
jo_status jloads_evaluation_cycles(jo_context* ctx, const jloads_evaluation* v, int element,
                                   jloads_counting counting, int nbin, double* width,
                                   double* count);

// An event where it began, and its load.
typedef struct jloads_event_summary {
  int coordinate;          // independent; -1: none
  double position, speed;  // of the coordinate; NaN: none
  double peak, t_peak;     // of impulsive events as reconstructed; NaN: it was not
} jloads_event_summary;

jloads_event_summary jloads_event_summarise(const jloads* l, const jloads_options* opt,
                                            const jloads_event* v);

// The body on the first free joint of the model, at the end of a run.
typedef struct jloads_pose {
  const char* body;
  double x, y, z;           // [m]
  double yaw, pitch, roll;  // [rad]
} jloads_pose;

// false: the model has no free joint.
bool jloads_pose_at_end(const jloads* l, const jloads_result* r, jloads_pose* out);

#endif
