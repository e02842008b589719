// SPDX-License-Identifier: Apache-2.0
// The public face of suspension kinematics.
#include "axle/kinematics.h"

#include "api/handles.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "jounce/kinematics.h"
#include "model/select.h"
#include "report/html/cell.h"

struct jo_kinematics {
  jo_context* ctx;
  jarena arena;
  const jo_model* model;
  jmodel_selection by;
  jaxle_motion motion;
  jaxle_kinematics* found;
};

jo_kinematics_options jo_kinematics_options_default(void) {
  return (jo_kinematics_options){.from_m = -0.08, .to_m = 0.08, .n = 17};
}

static jo_status build(jo_kinematics* k, const jo_kinematics_options* opt) {
  const jmodel* m = k->model->model;
  if (opt->nwrt > 0) JO_TRY(jmodel_select(k->ctx, &k->arena, m, opt->wrt, opt->nwrt, &k->by));
  jaxle_kinematics_options o = {.axle = opt->axle,
                                .motion = (jaxle_motion)opt->motion,
                                .side = opt->side == JO_RIGHT ? 1 : 0,
                                .from = opt->from_m,
                                .to = opt->to_m,
                                .n = opt->n,
                                .is_opposed = opt->opposed,
                                .holds_wheel = opt->hold_height,
                                .wrt = k->by.wrt,
                                .nwrt = k->by.n};
  if ((int)o.motion < 0 || o.motion >= JAXLE_MOTION_COUNT) {
    return jerr_set(k->ctx, JO_ERR_ARGUMENT, "there is no motion %d", (int)opt->motion);
  }
  if ((o.is_opposed || o.holds_wheel) && !jaxle_is_load(o.motion)) {
    return jerr_set(k->ctx, JO_ERR_ARGUMENT, "'%s' is a matter of loads, not of travel",
                    o.is_opposed ? "opposed" : "hold_height");
  }
  k->motion = o.motion;
  return jaxle_kinematics_create(k->ctx, m, &o, &k->found);
}

jo_status jo_kinematics_create(jo_context* ctx, const jo_model* model,
                               const jo_kinematics_options* opt, jo_kinematics** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jo_kinematics_options defaults = jo_kinematics_options_default();
  if (!opt) opt = &defaults;
  JO_REQUIRE_TEXTS(ctx, opt->wrt, opt->nwrt);
  jo_kinematics* k = jmem_resize(ctx, NULL, sizeof *k);
  if (!k) return jerr_memory(ctx);
  *k = (jo_kinematics){.ctx = ctx, .model = model};
  jarena_init(&k->arena, ctx);
  jo_status status = build(k, opt);
  if (status < 0) {
    jo_kinematics_destroy(k);
    return status;
  }
  *out = k;
  return JO_OK;
}

void jo_kinematics_destroy(jo_kinematics* k) {
  if (!k) return;
  jaxle_kinematics_destroy(k->found);
  jarena_free(&k->arena);
  jmem_free(k->ctx, k);
}

const char* jo_kinematics_axle(const jo_kinematics* k) {
  JO_REQUIRE_OR("", k);
  return k->found->axle;
}

bool jo_kinematics_is_elastic(const jo_kinematics* k) {
  JO_REQUIRE_OR(false, k);
  return k->found->is_elastic;
}

int jo_kinematics_position_count(const jo_kinematics* k) {
  JO_REQUIRE_OR(0, k);
  return k->found->n;
}

const double* jo_kinematics_travel(const jo_kinematics* k) {
  JO_REQUIRE_OR(NULL, k);
  return k->found->travel;
}

int jo_kinematics_curve_count(const jo_kinematics* k) {
  JO_REQUIRE_OR(0, k);
  return k->found->ncurve;
}

jo_status jo_kinematics_curve_at(const jo_kinematics* k, int i, jo_kinematics_curve* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, k, out);
  if (i < 0 || i >= k->found->ncurve) return JO_ERR_ARGUMENT;
  const jaxle_curve* c = &k->found->curve[i];
  bool has_slopes = k->by.n > 0, is_load = jaxle_is_load(k->motion);
  *out = (jo_kinematics_curve){c->name,
                               c->unit,
                               c->description,
                               c->value,
                               has_slopes ? c->derivative : NULL,
                               c->slope,
                               has_slopes && is_load ? c->dslope : NULL};
  return JO_OK;
}

int jo_kinematics_parameter_count(const jo_kinematics* k) {
  JO_REQUIRE_OR(0, k);
  return k->by.n;
}

const char* jo_kinematics_parameter_name(const jo_kinematics* k, int i) {
  JO_REQUIRE_OR(NULL, k);
  return i >= 0 && i < k->by.n ? k->model->model->number[k->by.wrt[i]].path : NULL;
}

// ---- files ---------------------------------------------------------------------------------------

static void put_table(jtext* t, const jo_kinematics* k) {
  const jaxle_kinematics* f = k->found;
  jtext_printf(t, "# model: ");
  jreport_put_comment(t, jo_model_name(k->model));
  jtext_printf(t, "\n# sha256: %s\n# axle: %s\n%s", jo_model_sha256(k->model), f->axle,
               !jaxle_is_load(k->motion)            ? "travel [m]"
               : k->motion == JAXLE_MOTION_ALIGNING ? "load [N m]"
                                                    : "load [N]");
  for (int c = 0; c < f->ncurve; c++) {
    jtext_printf(t, ",%s [%s]", f->curve[c].name, f->curve[c].unit);
    for (int w = 0; w < f->nw; w++) {
      jtext_printf(t, ",d %s / d %s", f->curve[c].name, jo_kinematics_parameter_name(k, w));
    }
  }
  jtext_put(t, "\n");
  for (int i = 0; i < f->n; i++) {
    jreport_put_number(t, f->travel[i]);
    for (int c = 0; c < f->ncurve; c++) {
      jtext_put(t, ",");
      jreport_put_number(t, f->curve[c].value[i]);
      for (int w = 0; w < f->nw; w++) {
        jtext_put(t, ",");
        jreport_put_number(t, f->curve[c].derivative[(size_t)i * (size_t)f->nw + (size_t)w]);
      }
    }
    jtext_put(t, "\n");
  }
}

jo_status jo_kinematics_save(jo_context* ctx, const jo_kinematics* k, const char* path) {
  JO_REQUIRE(ctx, k, path);
  if (!jtext_ends_in(path, ".csv")) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: the name must end in .csv", path);
  }
  jtext t;
  jtext_init(&t, ctx);
  put_table(&t, k);
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}
