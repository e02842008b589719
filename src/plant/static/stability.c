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

// A Jacobian takes much longer to make than differences, and nearly all equilibria are stable: it is made where differences,
// or the search, see something grow.
static jo_status look(jo_context* ctx, jarena* a, jplant_work* run, double t, const double* y,
                      jmachine_equilibrium* out) {
  const jgen_dynamics* d = run->plant->dynamics;
  jsolve_system* s = &run->system;
  bool is_exact = s->jacobian, grows = out->growth > 0.0;
  jsolve_set_modes(s, t, y, run->g);
  jmachine_equilibrium found = *out;
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = analyse(ctx, a, d, s, t, y, &found);
  if (!is_exact && status != JO_ERR_MEMORY && (status < 0 || grows || found.growth > 0.0)) {
    jerr_forget(ctx, said);
    JO_TRY(s->prepare_jacobian(s->user));
    status = analyse(ctx, a, d, s, t, y, &found);
  }
  if (status >= 0) *out = found;
  return status;
}

jo_status jplant_judge_rest(jo_context* ctx, const jplant* p, const double* values, double t,
                            const double* y, jmachine_equilibrium* out) {
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  if (values) memcpy(run->p, values, (size_t)p->dynamics->np * sizeof *values);
  int said = jo_context_diagnostic_count(ctx);
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = look(ctx, &a, run, t, y, out);
  jarena_free(&a);
  jplant_work_destroy(run);
  if (status >= 0 || status == JO_ERR_MEMORY) return status;
  jerr_forget(ctx, said);  // whoever needs the slopes says why there are none
  return JO_OK;
}
