// SPDX-License-Identifier: Apache-2.0
// Where a plant comes to rest, and what to say where it does not.
#include <math.h>
#include <string.h>

#include "plant/check/guard.h"
#include "plant/plant.h"

// What nothing can hold: the drive that accelerates most, if one does.
static const char* moving_drive(jplant_work* r, jarena* a, double t, const double* y) {
  const jplant* p = r->plant;
  int nd = p->about.nd, which = -1;
  double *rate = JARENA_ARRAY(a, 3 * nd, double), most = 0.0;
  if (!rate || nd == 0) return "";
  jplant_call(r, JGEN_FN_DRIVE, t, y, (double* const[]){rate, rate + nd, rate + 2 * nd});
  for (int i = 0; i < nd; i++) {
    if (!(fabs(rate[2 * nd + i]) > most)) continue;
    most = fabs(rate[2 * nd + i]);
    which = p->dynamics->part.d[i];
  }
  if (which < 0) return "";
  const char* said = jarena_printf(
      a,
      "; '%s' is driven with an acceleration of %.3g at t = %.9g s, where nothing can be at rest",
      p->model->coordinate[which].name, most, t);
  return said ? said : "";
}

// What the search has done, where it did more than descend.
static const char* tried(jarena* a, const jmachine_equilibrium* found) {
  if (found->beside == 0) return "";
  const char* said = jarena_printf(a,
                                   " (tried: descent, damped motion, continuation as far as %.0f%% "
                                   "of the load, %d other starts; "
                                   "%d steps)",
                                   100.0 * found->released, found->beside, found->iterations);
  return said ? said : "";
}

static jo_status fail_equilibrium(jo_context* ctx, const jplant* p, jo_status status,
                                  const jmachine_equilibrium* found, const char* drive,
                                  const char* tried) {
  if (status == JO_ERR_MEMORY) return jerr_memory(ctx);
  const jgen_layout* l = &p->dynamics->layout;
  int k = found->worst;
  bool is_state = jgen_is_in(l, JGEN_Z, k);
  const char* name = k < 0 ? "nothing" : l->name[k];
  if (status == JO_ERR_NUMERIC) {
    return jerr_set(ctx, status,
                    "%s: no static equilibrium found: at rest where the search begins, the "
                    "equations of '%s' have no finite value",
                    p->model->path, name);
  }
  const char* cause =
      found->is_loose ? "nothing holds it near where the search begins: add what does, or begin "
                        "where something does (initial, guess)"
      : found->is_edge
          ? "it sinks to where loops cannot be closed: check springs, stops and loads there"
          : "something must hold it, or the search must begin nearer to the equilibrium";
  return jerr_set(
      ctx, status, "%s: no static equilibrium found: '%s' is left with %s of %.3g; %s%s%s%s",
      p->model->path, name, is_state ? "a rate, by its nominal size," : "an acceleration",
      found->residual, cause, is_state ? "; 'hold: true' keeps a state where it begins" : "", drive,
      tried);
}

jo_status jplant_settle(jo_context* ctx, const jplant* p, const double* values, double t, double* y,
                        bool* stays, jmachine_equilibrium* out) {
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, values, &run));
  jo_status status = jmachine_equilibrium_find(ctx, &p->about, &run->system, t, y, stays, out);
  jo_status told = status == JO_ERR_NUMERIC ? jplant_explain_spin(run, t, y) : JO_OK;
  if (status == JO_ERR_NUMERIC && told >= 0) told = jplant_guard_lengths(run, t, y);
  if (told < 0) {
    status = told;
  } else if (status < 0) {
    jarena a;
    jarena_init(&a, ctx);
    status = fail_equilibrium(ctx, p, status, out, moving_drive(run, &a, t, y), tried(&a, out));
    jarena_free(&a);
  }
  jplant_work_destroy(run);
  return status;
}

jo_status jplant_find_equilibrium(jo_context* ctx, const jplant* p, double t, double* y,
                                  jmachine_equilibrium* out) {
  JO_TRY(jplant_settle(ctx, p, NULL, t, y, NULL, out));
  if (out->is_moved) {
    jerr_warn(
        ctx,
        "%s: forces hold %d of %d coordinates at static equilibrium, and there is no rest with "
        "the others where they began: where they came to depends on the search, and there are no "
        "derivatives",
        p->model->path, out->determined, p->dynamics->part.nu);
  }
  return JO_OK;
}

jo_status jplant_find_rest(jo_context* ctx, const jplant* p, double* y, jmachine_equilibrium* out) {
  const double* from = p->rest ? p->rest : p->y0;
  memcpy(y, from, (size_t)p->dynamics->ny * sizeof *y);
  double t = p->model->simulation.t_start;
  if (!p->rest) JO_TRY(jplant_find_equilibrium(ctx, p, t, y, out));
  if (p->rest) *out = p->rested;
  return p->is_judged ? JO_OK : jplant_judge_rest(ctx, p, NULL, t, y, out);
}

void jplant_warn_unstable(jo_context* ctx, const jplant* p, const jmachine_equilibrium* found) {
  if (!(found->growth > 0.0)) return;
  const char* name = p->dynamics->layout.name[found->growing];
  jerr_warn(ctx,
            "%s: the static equilibrium is unstable: a small push grows with a rate of %.3g 1/s, "
            "most in '%s', so that "
            "a run that begins there shows how rounding errors grow; begin beside it (initial, "
            "guess) to find another "
            "one, or add what holds '%s'",
            p->model->path, found->growth, name, name);
}

void jplant_warn_creep(jo_context* ctx, const jplant* p, const jmachine_equilibrium* found) {
  if (!(found->creep > 0.0)) return;
  const char* name = p->dynamics->layout.name[found->creeping];
  if (isinf(found->creep)) {
    jerr_warn(ctx,
              "%s: the static equilibrium is unstable: forces about it vanish to first order, and "
              "beside it they lead away from it, as 0.01 m or rad of '%s' show; begin beside it "
              "(initial, guess) to find another one, or add what holds '%s'",
              p->model->path, name, name);
    return;
  }
  jerr_warn(ctx,
            "%s: the static equilibrium is unstable, slowly: a small push grows with a rate of "
            "%.3g 1/s, most in '%s' (runs that begin there are warned of from 0.01 1/s on)",
            p->model->path, found->creep, name);
}

// The first state that starting changes, of those that only events do; -1: none.
static int first_changed(const jgen_layout* l, const double* before, const double* after) {
  for (int i = 0; i < l->ny; i++) {
    if (l->is_discrete[i] && before[i] != after[i]) return i;
  }
  return -1;
}

jo_status jplant_check_held(jo_context* ctx, const jplant* p, const double* values,
                            const double* y) {
  const jgen_layout* l = &p->dynamics->layout;
  if (p->dynamics->nevent == 0) return JO_OK;
  double* rest = jmem_resize(ctx, NULL, (size_t)l->ny * sizeof *rest);
  if (!rest) return jerr_memory(ctx);
  memcpy(rest, y, (size_t)l->ny * sizeof *rest);
  memset(rest + jgen_first(l, JGEN_QDU), 0, (size_t)l->block[JGEN_QDU].n * sizeof *rest);
  jo_status status = jplant_begin(ctx, p, values, p->model->simulation.t_start, rest);
  int which = status >= 0 ? first_changed(l, y, rest) : -1;
  jmem_free(ctx, rest);
  if (which < 0) return status;
  return jerr_set(
      ctx, JO_ERR_CONVERGENCE,
      "%s: no static equilibrium found: a friction sticks at the start and cannot hold "
      "the model where it is ('%s' changes at once); begin where it can, with 'initial'",
      p->model->path, l->name[which]);
}
