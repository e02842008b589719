// SPDX-License-Identifier: Apache-2.0
// Example of a program around an exported model: its manoeuvre, as `jounce run` does it.
//   model [METHOD [NUMBER [END]]]     METHOD of the model: "-"; NUMBER: tolerance, or step [s] of fixed-step methods
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/vehicle.h"

static int complain(const jvehicle* v) {
  fprintf(stderr, "error: %s\n", v ? jvehicle_message(v) : "no memory for a vehicle");
  return 1;
}

static jo_status choose(jvehicle* v, int argc, char** argv) {
  if (argc < 2) return JO_OK;
  int method = strcmp(argv[1], "-") == 0 ? (int)jvehicle_exported.options.method
                                         : jsolve_method_find(argv[1]);
  double number = argc > 2 ? strtod(argv[2], NULL) : NAN;
  const jsolve_method_info* about = method < 0 ? NULL : jsolve_method_about((jsolve_method)method);
  if (!about) {
    fprintf(stderr, "usage: model [METHOD [TOLERANCE or STEP [END]]]\n");
    exit(2);
  }
  return jvehicle_set_options(v, method, about->is_fixed ? NAN : number,
                              about->is_fixed ? number : NAN);
}

static jo_status print_values(jvehicle* v) {
  const jvehicle_model* m = &jvehicle_exported;
  int n = m->noutput > m->nobjective ? m->noutput : m->nobjective;
  double* value = malloc((size_t)(n + 1) * sizeof *value);
  if (!value) return JO_ERR_MEMORY;
  jo_status status = jvehicle_objectives(v, value);
  for (int i = 0; i < m->nobjective && status >= 0; i++) {
    printf("%s = %.17g %s\n", m->objective[i].name, value[i], m->objective[i].unit);
  }
  if (status >= 0) status = jvehicle_outputs(v, value);
  for (int i = 0; i < m->nsensor && status >= 0; i++) {
    printf("%s = %.17g %s\n", m->output[i].name, value[i], m->output[i].unit);
  }
  free(value);
  return status;
}

int main(int argc, char** argv) {
  double end = argc > 3 ? strtod(argv[3], NULL) : jvehicle_exported.t_end;
  jvehicle* v = jvehicle_create(&jvehicle_exported);
  if (!v) return complain(v);
  jvehicle_advance_result reached = {0};
  jo_status status = choose(v, argc, argv);
  if (status >= 0) status = jvehicle_begin(v, jvehicle_exported.t_start);
  if (status >= 0) status = jvehicle_advance(v, end, false, &reached);
  if (status >= 0) {
    printf("%s: t = %.9g s, %d events\n", jvehicle_exported.name, reached.t, reached.events);
    status = print_values(v);
  }
  int code = status < 0 ? complain(v) : 0;
  jvehicle_destroy(v);
  return code;
}
