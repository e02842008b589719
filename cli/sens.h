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
  jo_sens_vcurve_point* point;
  double exact;          // derivative of the V-curve, of the first objective
  double cpu_equations;  // CPU time of generation and machine code [s]
  double cpu_checks;     // of --check and --vcurve [s]
} cli_sens_job;

typedef enum cli_verdict { CLI_AGREES, CLI_UNDECIDED, CLI_DISAGREES } cli_verdict;

// How well a derivative agrees between methods, relative.
typedef struct cli_agreement {
  double methods, differences;  // relative
  cli_verdict verdict;
} cli_agreement;

cli_agreement cli_sens_agree(const cli_sens_job* j, int objective, int parameter);

// Name of the i-th parameter.
const char* cli_sens_name(const cli_sens_job* j, int i);

// Say what is wrong with derivatives that were checked, of which the worst verdict is given.
void cli_sens_complain(const cli_sens_job* j, cli_verdict worst);

// Print all that came out. CLI_FAIL: derivatives that were checked disagree, or errors are too large to tell.
cli_exit cli_sens_text(cli_sens_job* j);
cli_exit cli_sens_json(cli_sens_job* j);

#endif
