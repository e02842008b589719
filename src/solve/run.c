// SPDX-License-Identifier: Apache-2.0
// Projection on the invariants, as all steppers do it.
#include "solve/run.h"

#include <stdio.h>

jo_status jsolve_project(jsolve_run* run, double t, double* y, double* moved) {
  *moved = 0;
  if (!run->sys->project) return JO_OK;
  int n = run->sys->n;
  double* change = run->scratch;
  for (int i = 0; i < n; i++)
    change[i] = y[i];
  JO_TRY(run->sys->project(run->sys->user, t, y));
  for (int i = 0; i < n; i++)
    change[i] -= y[i];
  *moved = jsolve_norm(&run->weights, change, y, y);
  return JO_OK;
}

const char* jsolve_label(const char* const* name, const char* kind, int i,
                         char buffer[JSOLVE_LABEL]) {
  if (name && i >= 0) {
    snprintf(buffer, JSOLVE_LABEL, "'%s'", name[i]);
  } else {
    snprintf(buffer, JSOLVE_LABEL, "%s %d", kind, i);
  }
  return buffer;
}

jo_status jsolve_fail_projection(jsolve_run* run, jo_status status, double t) {
  return jerr_set(run->ctx, status,
                  "integration: the state cannot be projected on its invariants at t = %.17g", t);
}

jo_status jsolve_project_strict(jsolve_run* run, double t, double* y) {
  double moved;
  int nerror = jerr_count(run->ctx);
  jo_status status = jsolve_project(run, t, y, &moved);
  if (status < 0 && jerr_count(run->ctx) == nerror) return jsolve_fail_projection(run, status, t);
  return status;
}
