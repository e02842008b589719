// SPDX-License-Identifier: Apache-2.0
// What is behind the public handles of sensitivities.
#ifndef JAPI_SENS_HANDLE_H
#define JAPI_SENS_HANDLE_H

#include "api/handles.h"
#include "jounce/sens.h"
#include "sens/sens.h"
#include "solve/tableau.h"

// Derivatives of outputs along a run: t, then per output its value and its derivatives.
typedef struct japi_history {
  int nout, nw;
  const int* out;  // of the plant's outputs (nout)
  int ncolumn, nrow, row_cap;
  jplant_quantity* column;
  double* row;  // nrow x ncolumn
} japi_history;

struct jo_sens_result {
  jo_context* ctx;
  jarena arena;
  const jo_system* system;
  japi_values kept;
  jsens_options asked;
  jo_sens_statistics statistics;
  jsens_result* main;     // value and gradient
  jsens_result* shifted;  // exact, direct: times of events; NULL: not computed. May be main
  jsens_result* frozen;   // frozen, adjoint: weights of events; NULL: not computed
  bool
      adds_nothing;  // no event changes a derivative: frozen ones equal main, weights are not needed
  double* value;     // of the parameters (nw)
  int ntold, *told;  // events of the run that users are told of
  japi_history history;
};

// NaN for derivatives by numbers that have none.
void japi_sens_clear(const jsens* s, jsens_result* r);

// Options of a run as the engine wants them. On failure the context says which is not valid.
jo_status japi_sens_options(jo_context* ctx, const jo_system* s, const jo_sens_options* opt,
                            jsens_options* out);

// Who is told how far work is, 0 ... 1, and may stop it with zero; progress NULL: nobody.
typedef struct japi_report {
  int (*progress)(void* user, double fraction);
  void* user;
} japi_report;

// jo_sens_vcurve() with somebody to tell.
jo_status japi_sens_vcurve(jo_context* ctx, const jo_system* system, const jo_sens_options* opt,
                           int objective, int parameter, int n, const japi_report* tell,
                           jo_sens_vcurve_point* point, double* exact);

#endif
