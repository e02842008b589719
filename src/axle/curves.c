// SPDX-License-Identifier: Apache-2.0
#include "axle/curves.h"

#include <math.h>

#include "plant/check/limits.h"

static jo_status check_memory(jaxle_kinematics* k, const jmodel* m) {
  double count = (double)k->n * (1.0 + (double)k->ncurve * (1.0 + k->nw));
  const char* what = jarena_printf(
      &k->arena, "%d positions of %d curves with derivatives with respect to %d parameters", k->n,
      k->ncurve, k->nw);
  if (!what) return jerr_memory(k->ctx);
  return jplant_check_memory(k->ctx, m, count * sizeof(double), what);
}

jo_status jaxle_curves_allocate(jaxle_kinematics* k, const jaxle_model* axle,
                                const jaxle_kinematics_options* opt, int more) {
  k->ncurve = axle->ncurve + more;
  k->nw = opt->nwrt;
  k->n = opt->n;
  k->axle = axle->axle->name;
  JO_TRY(check_memory(k, axle->m));
  k->travel = JARENA_ARRAY(&k->arena, k->n, double);
  k->curve = JARENA_ARRAY(&k->arena, k->ncurve, jaxle_curve);
  if (!k->travel || !k->curve) return jerr_memory(k->ctx);
  for (int i = 0; i < k->ncurve; i++) {
    jaxle_curve* c = &k->curve[i];
    c->name = jarena_strdup(&k->arena, axle->curve[i].name);
    c->unit = axle->curve[i].unit;
    c->description = axle->curve[i].description;
    c->value = JARENA_ARRAY(&k->arena, k->n, double);
    c->derivative = jarena_array(&k->arena, (size_t)k->n * (size_t)k->nw, sizeof(double));
    c->slope = NAN;
    c->dslope = JARENA_ARRAY(&k->arena, k->nw, double);
    if (!c->name || !c->value || !c->derivative || !c->dslope) return jerr_memory(k->ctx);
  }
  return JO_OK;
}

double jaxle_curves_at(const jaxle_kinematics_options* opt, int i) {
  double part = opt->n > 1 ? (double)i / (opt->n - 1) : 0.0;
  return opt->from + part * (opt->to - opt->from);
}
