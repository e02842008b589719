// SPDX-License-Identifier: Apache-2.0
// Projection on the invariants, as all steppers do it.
#include "solve/run.h"

#include <math.h>

#include "base/text/format.h"

#define WALL 1e-12  // times max(1, |t|) [s]

// The last failure lies so close ahead that shorter steps do not help. The state would hardly change
// over them, and the run would creep towards it for ever.
static bool is_at_wall(const jsolve_run* run) {
  double ahead = run->t_failed - run->t;
  return run->has_failed && ahead > 0 && ahead <= WALL * fmax(1, fabs(run->t));
}

jo_status jsolve_project(jsolve_run* run, double t, double* y, double* moved) {
  *moved = 0;
  if (!run->sys->project) return JO_OK;
  int n = run->sys->n;
  double* change = run->scratch;
  for (int i = 0; i < n; i++)
    change[i] = y[i];
  jo_status status = run->sys->project(run->sys->user, t, y);
  if (status < 0) {
    run->has_failed = true;
    run->t_failed = t;
    return status;
  }
  jsolve_stretch step = {run->t,     t,          run->y,      y,          run->opt->rel_tol,
                         run->error, run->stage, run->nstage, &run->again};
  if (run->sys->admit) status = run->sys->admit(run->sys->user, &step);
  bool is_known =
      status == JO_ERR_CONVERGENCE || status == JO_ERR_SINGULAR || status == JO_ERR_MEMORY;
  if (status < 0) return is_known ? status : JO_ERR_MODEL;
  if (is_at_wall(run)) return JO_ERR_CONVERGENCE;
  for (int i = 0; i < n; i++)
    change[i] -= y[i];
  *moved = jsolve_norm(&run->weights, change, y, y);
  return JO_OK;
}

const char* jsolve_label(const char* const* name, const char* kind, int i,
                         char buffer[JSOLVE_LABEL]) {
  if (name && i >= 0) {
    jformat(buffer, JSOLVE_LABEL, "'%s'", name[i]);
  } else {
    jformat(buffer, JSOLVE_LABEL, "%s %d", kind, i);
  }
  return buffer;
}

jo_status jsolve_fail_projection(jsolve_run* run, jo_status status, double t) {
  if (status == JO_ERR_MEMORY) return status;  // reported
  if (is_at_wall(run)) t = run->t_failed;
  const char* hint = run->sys->projection_hint ? run->sys->projection_hint : "";
  return jerr_set(run->ctx, status,
                  "integration: the state cannot be projected on its invariants at t = %.17g%s%s",
                  t, *hint ? ": " : "", hint);
}

jo_status jsolve_project_strict(jsolve_run* run, double t, double* y) {
  double moved;
  jo_status status = jsolve_project(run, t, y, &moved);
  return status < 0 ? jsolve_fail_projection(run, status, t) : status;
}
