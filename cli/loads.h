// SPDX-License-Identifier: Apache-2.0
// jounce loads in parts: one run, several compared, recorded events again.
#ifndef CLI_LOADS_H
#define CLI_LOADS_H

#include "cli.h"
#include "json.h"

typedef struct cli_loads_job {
  jo_loads_options opt;
  const char *path, *compare, *elements, *plot, *wrt, *rainflow, *gradient;
  double classes;  // of the matrices of cycle counts
  bool realtime;
  cli_list run;     // of the comparison
  cli_list chosen;  // elements; none: by themselves
  cli_list number;  // to differentiate for
} cli_loads_job;

// Names of doubts with blanks between them, "" where there is none.
const char* cli_doubts(unsigned doubt, char* buffer, size_t size);

void cli_loads_print(const jo_model* m, const jo_loads_result* r, const jo_loads_options* opt);
void cli_loads_json(const jo_model* m, const jo_loads_result* r);
void cli_loads_json_run(cli_json* j, const jo_loads_result* r);  // inside of an object

cli_exit cli_loads_compare(cli* c, cli_loads_job* j, const jo_model* m, const jo_system* l);
cli_exit cli_loads_sensitivities(cli* c, const cli_loads_job* j, const jo_model* m);

#endif
