// SPDX-License-Identifier: Apache-2.0
// What a run of a plant is asked for, and all that is kept of it. Nothing in a result but the CPU time depends on clocks:
// same plant, same options, same bits.
#ifndef JPLANT_RESULT_H
#define JPLANT_RESULT_H

#include <jounce/methods.h>

#include "plant/plant.h"

// What is left as the default makes it is taken from the model's simulation block.
typedef struct jplant_simulate_options {
  jo_method method;
  double t_end;  // [s]; NaN: the model's, and so below
  double rel_tol, abs_tol;
  double step;         // fixed step, or first step of adaptive methods [s]
  double output_step;  // spacing of the rows [s]; 0: a row per step
  double max_step;     // [s]
  int max_events;      // 0: the model's
  bool
      check_steps;  // repeat runs with fixed steps with half of them; warn of objectives that change
  const double* p;  // values of the live numbers (np); NULL: the model's
  // told how far the run is, 0 ... 1, after every step; false stops the run. May be NULL
  bool (*progress)(void* user, double fraction);
  // told of the state at every row, as the plant has it that was given. May be NULL
  jo_status (*sample)(void* user, double t, const double* y);
  void* user;
} jplant_simulate_options;

// A quantity: a column, an objective, a final value.
typedef struct jplant_quantity {
  const char *name, *unit, *description;
  double value;  // at the end of the run
} jplant_quantity;

typedef struct jplant_event {
  double t;  // [s]
  const char* name;
  bool on;
} jplant_event;

// From here on other coordinates were independent.
typedef struct jplant_change {
  double t;                 // [s]
  const char* independent;  // "a, b, c"
} jplant_change;

// Options as they were used.
typedef struct jplant_simulate_used {
  const char* method;
  bool is_fixed_step;
  double t_start, t_end, rel_tol, abs_tol, step, output_step;
  bool is_compiled;  // kernels compiled, not interpreted
} jplant_simulate_used;

typedef struct jplant_result {
  jo_context* ctx;
  jarena arena;
  const char *model, *description, *path, *sha256;
  const char* settings;  // what was set on top of the files, "" when nothing; the caller's business
  jplant_simulate_used used;

  // columns: t, outputs of the plant (sensors of the file first), objectives as if the run ended there
  int ncolumn, nsensor, noutput, nobjective;
  jplant_quantity* column;
  int nrow, row_cap;
  double* row;  // nrow x ncolumn, row by row

  int nevent, event_cap;
  jplant_event* event;

  int nchange, change_cap;
  jplant_change* change;

  bool*
      is_doubted;  // a warning says that the value is lost, or changes with shorter steps (nobjective)
  bool is_complete;  // reached t_end
  double t_reached;  // [s]
  bool has_ended;    // there, by the condition of the model
  jsolve_statistics statistics;
  int64_t projections;
  double closure;  // largest closure residual after any step [m]
  double cpu;      // [s]
} jplant_result;

static inline const jplant_quantity* jplant_result_outputs(const jplant_result* r) {
  return r->column + 1;
}
static inline const jplant_quantity* jplant_result_objectives(const jplant_result* r) {
  return r->column + 1 + r->noutput;
}

#endif
