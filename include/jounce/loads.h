// SPDX-License-Identifier: Apache-2.0
// Load prediction: force histories of all elements of a model over a manoeuvre, by drivers that keep a
// fixed step through stiff events; peaks, cycles, pseudo-damage, and events that can be computed again.
// An element is a force, a tyre or a soil of the model. Its load is the force or moment on it as the
// model file says, of a tyre or soil the normal force.
#ifndef JOUNCE_LOADS_H
#define JOUNCE_LOADS_H

#include <stdint.h>

#include "jounce/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What came out of a run.
typedef struct jo_loads_result jo_loads_result;

/// How a run goes through stiff events. Converged: the adaptive driver with a tolerance of 1e-8.
typedef enum jo_loads_driver {
  JO_LOADS_FIXED,
  JO_LOADS_ADAPTIVE,
  JO_LOADS_IMPULSIVE,
  JO_LOADS_SUBCYCLE,
  JO_LOADS_CONVERGED
} jo_loads_driver;

/// Names of drivers; NULL where there is no i-th.
JO_API const char* jo_loads_driver_name(int i);
/// -1: there is none of this name.
JO_API int jo_loads_driver_find(const char* name);

/// Numbers that are NaN, as in the defaults: what is said here.
typedef struct jo_loads_options {
  jo_loads_driver driver;
  double rate_hz;      // steps per second; 500, of adaptive drivers the least, 100
  double t_end_s;      // the model's
  double tolerance;    // adaptive, impulsive: error of any state in a step; 1e-3
  double restitution;  // impulsive: part of the velocity that comes back, 0 to 1; 1
  int realtime;        // pace the run against the clock
  double slope;        // of pseudo-damage: sum of count * (range / reference)^slope; 5
  double reference;    // [N, N m]; 1
} jo_loads_options;

JO_API jo_loads_options jo_loads_options_default(void);

/// Run the manoeuvre of a system prepared for loads. `opt` NULL: defaults.
/// On failure the context says why. A run that fails on its way keeps what was computed: `*out` is
/// NULL only when it could not begin.
/// Ownership: caller, release with jo_loads_result_destroy() before the system.
JO_API jo_status jo_loads_run(jo_context* ctx, const jo_system* system, const jo_loads_options* opt,
                              jo_loads_result** out);
/// NULL is fine.
JO_API void jo_loads_result_destroy(jo_loads_result* result);

typedef struct jo_loads_statistics {
  const char* driver;
  double rate, tolerance;
  int is_complete;
  double t_meaningful;                    // loads of a run that breaks down count until then [s]
  double t_start, t_end, t_reached;       // [s]
  int64_t steps, rejected, stiff_steps;   // stiff: with elements in substeps, or reversed
  double evaluations;                     // in evaluations of the full model
  double worst_step_evaluations;          // most in one step
  double guaranteed_step_evaluations;     // bound of that, known beforehand; 0: there is none
  double smallest_step, t_smallest_step;  // adaptive [s]
  double cpu_s, real_time_factor;
  int64_t missed_deadlines;  // real time: steps that came late, and by how much at most [s]
  double worst_delay;
  double element_cost, directions_cost;  // in evaluations: one force, and what it accelerates
} jo_loads_statistics;

JO_API jo_loads_statistics jo_loads_result_statistics(const jo_loads_result* result);

/// What an element went through. Texts are owned by the system.
typedef struct jo_loads_element {
  const char *name, *unit;
  /// Largest |load| with its sign. Plain drivers (fixed, adaptive): as sampled at their steps;
  /// the others: between samples too, and of impulsive events as reconstructed.
  double peak, t_peak;
  double smooth_peak;        // the same outside of stiff events
  double smallest, largest;  // of the history
  double cycles;             // rainflow, ASTM E1049-85: counted, half cycles included ...
  double largest_range;
  double damage;  // ... and their pseudo-damage
} jo_loads_element;

// Fill `*out` and return JO_OK, or JO_ERR_ARGUMENT where there is no i-th, reporting nothing.

JO_API int jo_loads_element_count(const jo_loads_result* result);
JO_API jo_status jo_loads_element_at(const jo_loads_result* result, int i, jo_loads_element* out);

typedef enum jo_counting { JO_RAINFLOW, JO_RANGE_PAIR } jo_counting;

/// Cycles of an element by range, in `nbin` bins of equal width from 0 to the largest range.
JO_API jo_status jo_loads_cycles(jo_context* ctx, const jo_loads_result* result, int element,
                                 jo_counting counting, int nbin, double* width, double* count);

/// Returns the tables of a run, owned by the result:
///   loads, statistics   driver, rate, tolerance, complete, t_reached; steps and costs
///   elements            what jo_loads_element has of each
///   peaks, damage       of each element: value, time, unit; cycles, largest_range, damage, smooth_peak
///   hull                the body on the first free joint at the end: x, y, z [m], yaw, pitch, roll [deg]; only where there is one
///   sensors, outputs    at the end of the run, sensors of the file first: output, value, unit
///   events              what jo_loads_event has of each
///   history             the time, then the loads of all elements. Rows lie one after the other: `ncolumn` numbers each, from
///                       `column[0].value` on
JO_API const jo_tables* jo_loads_tables(const jo_loads_result* result);

/// Reasons not to trust an impulsive event, one bit each.
#define JO_DOUBT_LATER       1u  // an earlier reversal of the coordinate has changed the motion
#define JO_DOUBT_CONSECUTIVE 2u  // the coordinate was flagged in the step before too: it may lock
#define JO_DOUBT_COUPLING    4u  // no force on the coordinate itself is stiff

/// A stretch of time in which an element (subcycle) or a coordinate (impulsive) was stiff.
typedef struct jo_loads_event {
  double t0, t1;           // [s]
  const char* element;     // "" where no element acts on the coordinate
  const char* coordinate;  // the element acts on; "": none
  double position, speed;  // of the coordinate when it began; NaN: none
  double impulse;          // of the element's force, of the force that reverses [N s, N m s]
  double peak, t_peak;     // on line; of impulsive events reconstructed. NaN: it was not
  unsigned doubt;
} jo_loads_event;

/// Write the histories in the format `path` ends in (jounce/formats.h), the events with their states
/// (.events; flags that only continue an impulsive event are left out).
/// The file appears whole or not at all. On failure the context names the file.
JO_API jo_status jo_loads_save(jo_context* ctx, const jo_loads_result* result, const char* path);

/// Write rainflow counts of all elements (ASTM E1049-85) as CSV: matrices from-to and range-mean in `nclass`
/// (1 to 1000) classes, a row per cell that is not empty. docs/formats.md.
/// The file appears whole or not at all. On failure the context names the file.
JO_API jo_status jo_loads_rainflow_save(jo_context* ctx, const jo_loads_result* result, int nclass,
                                        const char* path);

/// Draw the history of one element in several runs between two times, as SVG.
typedef struct jo_loads_plot {
  const char *title, *element;
  double t0_s, t1_s;
  const jo_loads_result* const* result;
  const char* const* label;
  int nresult;
} jo_loads_plot;

JO_API jo_status jo_loads_plot_save(jo_context* ctx, const jo_loads_plot* plot, const char* path);

// ---- events again --------------------------------------------------------------------------------

/// Events of a file, with the model they come from at other parameter values.
typedef struct jo_load_events jo_load_events;

/// Read a file of jo_loads_save() and load its model with the settings of then and these on top.
/// `opt` NULL: defaults. On failure `*out` is NULL: no such model, or its states are others now.
/// Ownership: caller, release with jo_load_events_destroy().
JO_API jo_status jo_load_events_open(jo_context* ctx, const char* path, const jo_setting* set,
                                     int nset, const jo_system_options* opt, jo_load_events** out);
/// NULL is fine.
JO_API void jo_load_events_destroy(jo_load_events* events);

JO_API const jo_model* jo_load_events_model(const jo_load_events* events);

typedef struct jo_reconstruct_options {
  double window_s;  // longest time integrated; NaN: 0.1
  int surface;      // interpolate on surfaces of peak load over position and speed where there are
                    // many events of an element
} jo_reconstruct_options;

JO_API jo_reconstruct_options jo_reconstruct_options_default(void);

typedef struct jo_reconstruction {
  int events;       // reconstructed
  int integrated;   // of these by integration, nodes of surfaces and checks not counted
  int surfaces;     // used ...
  int refused;      // ... and refused, because checks were off by more than 5 %
  int nodes;        // integrated for surfaces
  int checked;      // interpolated and integrated too ...
  double mismatch;  // ... with this difference at most, relative to the largest load of the surface
} jo_reconstruction;

/// Peaks of all events without running the vehicle: each is integrated from its recorded state with
/// the mass matrix of that position. `opt` NULL: defaults. `out` may be NULL.
JO_API jo_status jo_load_events_reconstruct(jo_context* ctx, jo_load_events* events,
                                            const jo_reconstruct_options* opt,
                                            jo_reconstruction* out);

typedef struct jo_load_event_again {
  jo_loads_event then;  // as recorded
  double peak, t_peak;  // now; NaN: not reconstructed
  int interpolated;
} jo_load_event_again;

JO_API int jo_load_events_count(const jo_load_events* events);
JO_API jo_status jo_load_events_at(const jo_load_events* events, int i, jo_load_event_again* out);

// ---- sensitivities -------------------------------------------------------------------------------

/// Derivatives of peak loads and pseudo-damage along a converged run, by the numbers of a system that is
/// prepared for histories.
typedef struct jo_loads_sens jo_loads_sens;

typedef struct jo_loads_sens_options {
  double t_end_s;           // NaN: the model's
  double tolerance;         // of the run; NaN: 1e-11
  double slope, reference;  // as in jo_loads_options
} jo_loads_sens_options;

JO_API jo_loads_sens_options jo_loads_sens_options_default(void);

/// `opt` NULL: defaults. On failure `*out` is NULL and the context names what is wrong.
/// Ownership: caller, release with jo_loads_sens_destroy() before the system.
JO_API jo_status jo_loads_sens_run(jo_context* ctx, const jo_system* system,
                                   const jo_loads_sens_options* opt, jo_loads_sens** out);
/// NULL is fine.
JO_API void jo_loads_sens_destroy(jo_loads_sens* sens);

typedef struct jo_loads_gradient {
  const char *name, *unit;  // of the element
  double peak, t_peak, damage;
  const double *dpeak, *ddamage;              // by the numbers of the system
  const double *dpeak_error, *ddamage_error;  // of these, estimated, absolute
} jo_loads_gradient;

JO_API int jo_loads_sens_count(const jo_loads_sens* sens);
JO_API jo_status jo_loads_sens_at(const jo_loads_sens* sens, int i, jo_loads_gradient* out);

/// Write peaks, pseudo-damage and their derivatives in the format `path` ends in: .csv (a row per element and
/// number) or a format with matrices; jounce/formats.h.
/// The file appears whole or not at all. On failure the context names the file.
JO_API jo_status jo_loads_sens_save(jo_context* ctx, const jo_loads_sens* sens, const char* path);

#ifdef __cplusplus
}
#endif
#endif
