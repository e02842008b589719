// SPDX-License-Identifier: Apache-2.0
// What the parts of jounce sens share: the job, from the command line to what came out.
#ifndef CLI_SENS_H
#define CLI_SENS_H

#include "cli.h"

#define CLI_VCURVE_POINTS 23  // two per decade

typedef struct cli_sens_job {
  jo_context* ctx;
  const char *wrt, *method, *events, *vcurve, *objective, *history, *per, *path, *integrator;
  double threshold;
  bool check, quick;
  jo_sens_options opt;
  cli_list name, sensor, wanted;
  jo_model* model;
  jo_system* system;
  jo_sens_result* result;
  double* increment;  // per parameter, NaN: none
  jo_sens_row* row;
  jo_sens_check_row* checked;
  jo_sens_agreement* agreement;  // of what was checked
  jo_verdict worst;              // of it
  jo_sens_vcurve_point* point;
  double exact;          // derivative of the V-curve, of the first objective
  double cpu_equations;  // CPU time of generation and machine code [s]
  double cpu_checks;     // of --check and --vcurve [s]
} cli_sens_job;

// Name of the i-th parameter.
const char* cli_sens_name(const cli_sens_job* j, int i);

// Print all that came out.
void cli_sens_text(cli_sens_job* j);
void cli_sens_json(cli_sens_job* j);

#endif
