// SPDX-License-Identifier: Apache-2.0
// An equilibrium is unstable where the real part of an eigenvalue is larger than its error. docs/theory/equilibrium.md eq. (N5)
#include <math.h>
#include <string.h>

#include "plant/linearise.h"
#include "plant/plant.h"

#define SLOWEST \
  1e-2  // growth that counts [1/s]: slower ones leave rounding errors small for half an hour
#define NEARBY 1e-2   // where forces are looked at that do not show to first order [m, rad]
#define FELT   1e-11  // acceleration there that is more than rounding [m/s^2, rad/s^2]

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

// Whether coordinates move in a mode, not states alone that nothing comes back from, as integrals.
static bool moves(const jplant_linear* l, const jplant_mode* m) {
  double most = 0.0, all = 0.0;
  for (int i = 0; i < l->n; i++) {
    double part = jplant_mode_part(m->right, l->n, i);
    all = fmax(all, part);
    if (i < l->nu) most = fmax(most, part);
  }
  return most > 1e-9 * all;
}

static bool is_single(const jgen_dynamics* d) {
  return d->part.nu == 1 && jgen_own_count(&d->layout) == 2;
}

// Slow modes, beside those that nothing holds: free motions have two each, and states what is kept of them, as the oil of a
// closed circuit. Of more of them something is held that forces hold, or drive, slowly or not to first order: zero within the
// error, or growing. Others than zero may be defective, and have large errors.
static void judge_slow(const jgen_dynamics* d, const jplant_linear* l, const jplant_mode* mode,
                       int n, jmachine_equilibrium* out) {
  int nslow = 0, nfree = 2 * (l->nu - out->determined) + l->nz, still = -1, worst = -1;
  if (is_single(d)) nfree = 0;  // forces nearby tell
  for (int i = 0; i < n; i++) {
    const jplant_mode* m = &mode[i];
    bool is_slow = hypot(m->re, m->im) <= SLOWEST;
    if (!(is_slow || m->is_zero) || !moves(l, m)) continue;
    nslow += m->im != 0.0 ? 2 : 1;
    bool grows = m->re > m->error && !m->is_zero;
    if (grows && (worst < 0 || m->re > mode[worst].re)) worst = i;
    if (hypot(m->re, m->im) <= m->error || m->is_zero) still = i;
  }
  out->creep = 0.0;
  out->undecided = 0;
  if (nslow <= nfree) return;
  if (worst >= 0 && out->growth == 0.0) {
    out->creep = mode[worst].re;
    out->creeping = most_moved(d, l, &mode[worst]);
  } else if (still >= 0) {
    out->undecided = 1 + most_moved(d, l, &mode[still]);
  }
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
  judge_slow(d, l, mode, n, out);
}

// The acceleration of the only coordinate at a distance h from y, away from it; NaN: loops cannot be closed there.
static double push_away(jplant_work* run, double t, const double* y, double h, double* at,
                        double* f) {
  const jgen_dynamics* d = run->plant->dynamics;
  int q = jgen_own(&d->layout, 0), rate = jgen_first(&d->layout, JGEN_QDU);
  memcpy(at, y, (size_t)d->ny * sizeof *at);
  at[q] += h;
  int said = jo_context_diagnostic_count(run->ctx);
  if (jmachine_close(&run->machine, t, at) < 0) {
    jerr_forget(run->ctx, said);
    return (double)NAN;
  }
  jplant_work_set_modes(run, t, at);
  run->system.rhs(run->system.user, t, at, f);
  return h > 0.0 ? f[rate] : -f[rate];
}

// With one coordinate and no states, forces nearby decide: they lead back on both sides, or away on one. Else nothing is known:
// others would move along.
static jo_status look_nearby(jo_context* ctx, jarena* a, jplant_work* run, double t,
                             const double* y, jmachine_equilibrium* out) {
  const jgen_dynamics* d = run->plant->dynamics;
  double *at = JARENA_ARRAY(a, d->ny, double), *f = JARENA_ARRAY(a, d->ny, double);
  if (!at || !f) return jerr_memory(ctx);
  int back = 0, away = 0;
  for (int i = 0; i < 4; i++) {
    double push =
        push_away(run, t, y, (i & 1 ? -1.0 : 1.0) * (i & 2 ? NEARBY : 0.1 * NEARBY), at, f);
    back += push < -FELT;
    away += push > FELT;
  }
  bool is_free = out->determined == 0 && back == 0;
  if (back == 4 || (is_free && away == 0)) out->undecided = 0;
  if (away > 0 && out->growth == 0.0) {
    out->creep = INFINITY;
    out->creeping = out->undecided - 1;
    out->undecided = 0;
  }
  return JO_OK;
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
  jplant_work_set_modes(run, t, y);
  jmachine_equilibrium found = *out;
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = analyse(ctx, a, d, s, t, y, &found);
  if (!is_exact && status != JO_ERR_MEMORY && (status < 0 || grows || found.growth > 0.0)) {
    jerr_forget(ctx, said);
    JO_TRY(s->prepare_jacobian(s->user));
    status = analyse(ctx, a, d, s, t, y, &found);
  }
  if (status >= 0) *out = found;
  if (status >= 0 && out->undecided > 0 && is_single(d)) {
    status = look_nearby(ctx, a, run, t, y, out);
    jplant_work_set_modes(run, t, y);
  }
  return status;
}

jo_status jplant_judge_rest(jo_context* ctx, const jplant* p, const double* values, double t,
                            const double* y, jmachine_equilibrium* out) {
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, values, &run));
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
