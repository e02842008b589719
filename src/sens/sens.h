// SPDX-License-Identifier: Apache-2.0
// Derivatives of the objectives of a whole run, along the steps it took and through its events.
// docs/theory/sensitivity.md.
//
// A run is simulated once and recorded. The direct method carries the derivatives of the state by each
// number forward along the record, several numbers at a time in lanes; the adjoint method carries the
// derivative of an objective by the state backward. One is the exact transpose of the other.
#ifndef JSENS_SENS_H
#define JSENS_SENS_H

#include "base/system/cpu.h"
#include "plant/check/judge.h"
#include "plant/plant.h"
#include "sens/record.h"
#include "sens/sibling.h"

typedef struct jsens_setup {
  const int* wrt;        // numbers of the model to differentiate for
  int nwrt;              // 0: values only
  bool direct, adjoint;  // kernels to prepare
  jkernel_options kernel;
  bool outputs;    // outputs are asked for along runs: worth compiling
  bool histories;  // and so are their derivatives
} jsens_setup;

// Parameters that the direct method carries at a time, at most; as many as a vector of the processor holds where kernels are
// compiled (base/system/cpu.h). What may show in results goes by the most on every processor: which method is chosen, and how many
// probes estimate errors.
#define JSENS_MAX_LANES JCPU_MAX_LANES

// A plant with derivatives. Read-only once made; any number of runs may share it.
typedef struct jsens {
  jo_context* ctx;
  jarena arena;
  jplant* plant;
  int nw;
  const int* wrt;                  // as given
  jsens_kernels* own;              // of its plant: tangents with lanes > 1, ...
  const jplant_kernels* tangents;  // ... NULL: not prepared
  const jplant_kernels* adjoints;  // NULL: not prepared
  jsens_kernel_shelf* siblings;    // of plants that its runs came to
  double* S0;                      // d y0 / d number (ny x nw)
  const bool* drives;              // switches that make driven coordinates jump, or do where
                                   // numbers and states are a little different (nswitch)
  const double*
      size_at_zero;  // of numbers that are zero in the model, see metric.h; 0 of others (nw)
  const char** why;  // there is no derivative by a number (nw); NULL: there is
  const int* tips;   // see plant/start/start.h (nw)
} jsens;

jo_status jsens_create(jo_context* ctx, const jmodel* m, const jsens_setup* setup, jsens** out);
void jsens_destroy(jsens* s);

typedef struct jsens_options {
  jsolve_options solve;
  double t_start, t_end;
  bool frozen;       // switches stay at their times
  bool estimate;     // also the errors of derivatives; runs that miss the tolerance are repeated
  double closer_by;  // see jplant_chart_watch; 0: 1
  bool compare;  // errors of adaptive runs from runs taken otherwise, not from their steps alone
  double derivative_tol;  // relative error wanted of derivatives; 0: chosen by the integration's
  int max_states;         // of the run that are kept; what is more is taken again
  const double* p;        // values of the live numbers instead of the model's, NULL: the model's.
                          // The start is assembled again; only parameters may differ
  bool is_near;           // p are beside values that were checked: see jplant_run_options
  bool outputs_only;      // objectives are not asked for and need not be finite
  // Whether values are in doubt is looked for (sens/error/verdict.h): runs with fixed steps and no derivatives are repeated with half
  // of them.
  bool check;
  bool some;         // objectives without derivatives are noted in the result; else the run fails
  bool events_only;  // of direct walks: times of events alone, no gradient
  bool keep;         // the recorded run stays with the result, for jsens_walk_again()
  bool keep_other;   // and so does the one that errors come from
  // told of outputs and their derivatives, of a direct run only; NULL: nobody wants them
  const struct jsens_observer* observer;
  // told of the place in the run, 0 ... 1, at every step of it and of walks; false, from then on: stop. May be NULL
  bool (*progress)(void* user, double fraction);
  void* user;
} jsens_options;

// Outputs along a run. A sample stands every `step` seconds and at the end; with step 0 at the end of
// every step, and after every event.
typedef struct jsens_observer {
  double step;  // [s]
  void* user;
  // outputs of the plant (noutput), their derivatives by the numbers at that time (noutput x nw), and
  // estimated errors of those, likewise; NULL: not estimated
  jo_status (*sample)(void* user, double t, const double* out, const double* dout,
                      const double* error);
} jsens_observer;

jsens_options jsens_options_default(const jmodel* m);

// Report that there is no derivative by number k, and why; the same for the first that has none.
jo_status jsens_fail(jo_context* ctx, const jsens* s, int k, const char* why);
jo_status jsens_check_numbers(jo_context* ctx, const jsens* s);
// The same of a start with other values: of numbers that had a derivative. Whoever made the jsens knows of the others.
jo_status jsens_check_start(jo_context* ctx, const jsens* s, int nw, const char* const* why);

// Events as the derivatives see them.
typedef struct jsens_event {
  double t;
  int which;  // switch
  bool on;
  bool follows;  // caused by the one before, at the same instant
  double rate;   // dg/dt just before; 0: follows, or frozen
  // d objective / d (time of the event) (nobjective); adjoint only, else NULL. Frozen: later switches stay
  // where they are, so that weight times d t / d number adds up to the difference between exact and frozen
  // derivatives
  double* weight;
  double* dt;  // d t / d number (nw); direct only, else NULL
  bool jumps;  // state or slope change there, so that its time matters; direct only
  int entry;   // of the record; direct only
} jsens_event;

// By how much derivatives grew over a step, where that was by more than nature and accuracy let them.
#define JSENS_GROWTH 4.0
typedef struct jsens_growth {
  int entry;
  double factor, size;  // size: behind it
} jsens_growth;

// VALUE: the objectives alone, and which events there were.
typedef enum jsens_method { JSENS_DIRECT, JSENS_ADJOINT, JSENS_VALUE } jsens_method;

// What errors are estimated from: the run alone, fixed steps of another length, a run with every step halved, or a far more accurate
// one (plant/check/reference.h).
typedef enum jsens_comparison {
  JSENS_ALONE,
  JSENS_LONGER,
  JSENS_SHORTER,
  JSENS_HALVED,
  JSENS_REFERENCE
} jsens_comparison;

typedef struct jsens_result {
  jo_context* ctx;
  jarena arena;
  int nobjective, nw, nevent;
  double* value;              // (nobjective)
  double* value_error;        // estimates, of the integration alone; NaN: none
  double* gradient;           // nobjective x nw, row by row
  double* gradient_error;     // estimates, absolute; NaN: none
  bool *is_unheld, *is_lost;  // plant/check/finite.h (nobjective)
  bool*
      has_grown;  // by fixed steps that are unstable for its derivatives and not for the motion (nobjective)
  bool* is_sharp;       // it has no slope at the end of the run, or along it, though the motion has
  bool* has_overflown;  // its weights did, going back: steps are unstable for states at rest
  const char** why;     // it has no derivatives, or not all of them; NULL: it has (nobjective)
  bool* is_own;         // that is its own fault, not that of another one whose slope is infinite
  jplant_doubt* doubt;  // (nobjective)
  // With `check` (nobjective): the largest value along a run with fixed steps, as if it ended there; the value with half the
  // steps, about, NaN: not known, infinite: such a run fails; how far errors of the states at the end may move it (plant/check/judge.h).
  double *largest, *halved, *end_error;
  double* cut;  // of its window, where a condition ended the run inside of it [s] (nobjective)
  double* reference;       // values in a more accurate run; NaN: there is none (nobjective)
  const char* unreferred;  // why such a run failed, where it should have been taken
  double* end_reach;       // (S44); without errors wanted, zero (nobjective)
  double derivative_tol;   // as it was wanted, relative
  bool is_within;          // every derivative is
  int passes;              // runs it took
  double* unit;            // size of each number: what a change of it is measured by (nw)
  int* brink;        // by number: a switch the start stands on, its derivatives being those of one
                     // side and their error unknown (infinite); -1: none (nw)
  double* brink_at;  // where that switch is in the run [s]; NaN: at its start (nw)
  int* brink_with;   // the switch that it coincides with there; -1: none, the run ends (nw)
  int* tips;  // the same of a coordinate that it makes hang or tip over, as a state; -1: none (nw)
  // the run as it was taken, and its walk step by step
  jsens_method method;
  jsens_options used;
  jsens_record* record;  // NULL: not kept, and so its entries
  int nentry;
  const jsens_record* steps;
  const double *y0, *S0;        // its start, with derivatives (ny x nw)
  const int* start_tips;        // of the start (nw)
  jmachine_equilibrium rested;  // likewise, see plant/start/start.h
  unsigned wheels;              // their faults there, see plant/start/wheels.h; with values alone
  jsens_comparison comparison;
  struct jsens_result* other;  // the run compared with; NULL: there is none
  double* rough;               // local error of the derivatives, relative to them
  double
      felt;  // (S46) what errors of weights on the way did to derivatives; direct: infinite, not asked
  int ngrown, grown_cap;
  jsens_growth* grown;  // steps over which derivatives grew, in their order
  jsens_event* event;
  jsolve_statistics statistics;
  double nearest;  // the run came to a singular position; 1: far from all
  int stride;      // of the recorded steps every so-many-th has its state stored; 1: all of them
  double record_bytes;             // memory of the recorded run and of walks along it
  int64_t derivative_evaluations;  // tangents and adjoints, packs counted once
  // CPU time of jsens_run [s]: the simulation (0: integrated together with the derivatives), second runs for error
  // estimates, and all the rest
  double cpu_dynamics, cpu_errors, cpu_sensitivity;
} jsens_result;

// Lanes of the direct method for nw parameters, with room for two probes: at most so many, a power of two.
int jsens_lanes_for(int nw, int most);

// Lanes that a direct run carries together cost about as much as an objective of an adjoint one. Objectives are all of the
// model, asked for or not: derivatives do not change with what else is asked for.
jsens_method jsens_cheaper(int nobjective, int nw);

// Growth over an entry of the run; 0: less than what is noted.
double jsens_growth_over(const jsens_result* r, int entry);

// Derivatives that, for a change of the parameter as large as itself, move the states by less than
// this part of their scales have no error to control.
#define JSENS_NOTHING 1e-12

// Size of the k-th number at values p of the live ones (NULL: the model's).
double jsens_unit(const jsens* s, const double* p, int k);

// What an error of a derivative is measured by: the derivative itself, or where it is negligible, the
// objective over the number's size.
double jsens_scale(double value, double gradient, double unit);

// (S45)  Errors of a value and of its derivatives that rounding leaves where parts of the objective cancel. Smaller tolerances
// do not reduce them.
double jsens_rounding_of_value(const jsens_result* r, int objective);
double jsens_rounding(const jsens_result* r, int objective, int number);

// Whether derivatives with respect to a parameter hold on one side only.
bool jsens_is_one_sided(const jsens_result* r, int number);

// Refuse a method whose kernels were not prepared.
jo_status jsens_check_method(jo_context* ctx, const jsens* s, jsens_method method);

jo_status jsens_run(jo_context* ctx, const jsens* s, jsens_method method, const jsens_options* opt,
                    jsens_result** out);
// Report why an objective of a result has no derivatives.
jo_status jsens_fail_objective(jo_context* ctx, const jsens* s, const jsens_result* r, int o);
// Of a run with `some`. An objective that was asked for by name must have derivatives, and one of all that there are, at
// least; others are warned of and have NaN instead.
jo_status jsens_check_objectives(jo_context* ctx, const jsens* s, const jsens_result* r);
void jsens_result_destroy(jsens_result* r);

// The recorded run of a result (options with `keep`) walked once more, by another method or with events
// frozen: nothing is simulated.
jo_status jsens_walk_again(jo_context* ctx, const jsens* s, const jsens_result* of,
                           jsens_method method, bool frozen, jsens_result** out);
// The same for the sake of its events, without errors: the direct method for their times, no further than the last of them, the
// adjoint one for their weights, with the gradient.
jo_status jsens_walk_events(jo_context* ctx, const jsens* s, const jsens_result* of,
                            jsens_method method, bool frozen, jsens_result** out);

#endif
