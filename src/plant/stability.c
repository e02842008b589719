// SPDX-License-Identifier: Apache-2.0
// An equilibrium is unstable where the real part of an eigenvalue is larger than its error. docs/theory/equilibrium.md eq. (N5)
#include <math.h>
#include <string.h>

#include "plant/linearise.h"
#include "plant/plant.h"

#define SLOWEST \
  1e-2  // growth that counts [1/s]: slower ones leave rounding errors small for half an hour

// The state that moves most in a mode: a coordinate, where one does.
static int most_moved(const jgen_dynamics* d, const jplant_linear* l, const jplant_mode* m) {
  int most = 0;
  for (int i = 1; i < l->nu; i++) {
    if (jplant_mode_part(m->right, l->n, i) > 1.000001 * jplant_mode_part(m->right, l->n, most))
      most = i;
  }
  if (l->nu > 0 && jplant_mode_part(m->right, l->n, most) > 0.0) return jgen_own(&d->layout, most);
  for (int i = 2 * l->nu; i < l->n; i++) {
    if (jplant_mode_part(m->right, l->n, i) > jplant_mode_part(m->right, l->n, most)) most = i;
  }
  return jgen_own(&d->layout, most);
}

static void judge(const jgen_dynamics* d, const jplant_linear* l, const jplant_mode* mode, int n,
                  jmachine_equilibrium* out) {
  out->growth = 0.0;
  for (int i = 0; i < n; i++) {
    const jplant_mode* m = &mode[i];
    if (m->re <= fmax(SLOWEST, out->growth) || m->re <= m->error) continue;
    out->growth = m->re;
    out->turning = m->im;
    out->growing = most_moved(d, l, m);
  }
}

static jo_status analyse(jo_context* ctx, jarena* a, const jgen_dynamics* d, const jsolve_system* s,
                         double t, const double* y, jmachine_equilibrium* out) {
  jplant_linear linear;
  jplant_mode* mode;
  int n;
  JO_TRY(jplant_linearise(ctx, a, d, s, t, y, &linear));
  JO_TRY(jplant_modes(ctx, a, d, &linear, &mode, &n));
  judge(d, &linear, mode, n, out);
  return JO_OK;
}

jo_status jplant_judge_rest(jo_context* ctx, const jplant* p, const double* values, double t,
                            const double* y, jmachine_equilibrium* out) {
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  if (values) memcpy(run->p, values, (size_t)p->dynamics->np * sizeof *values);
  jo_status status = JO_OK;
  int said = jo_context_diagnostic_count(ctx);
  if (run->system.jacobian) {
    jarena a;
    jarena_init(&a, ctx);
    jsolve_set_modes(&run->system, t, y, run->g);
    status = analyse(ctx, &a, p->dynamics, &run->system, t, y, out);
    jarena_free(&a);
  }
  jplant_work_destroy(run);
  if (status >= 0 || status == JO_ERR_MEMORY) return status;
  jerr_forget(ctx, said);  // whoever needs the slopes says why there are none
  return JO_OK;
}
