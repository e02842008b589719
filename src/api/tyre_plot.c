// SPDX-License-Identifier: Apache-2.0
// The usual curves of a tyre.
#include <math.h>
#include <string.h>

#include "api/tyre_handle.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "report/plot/panels.h"

enum { NPOINT = 201, NLOAD = 4, NANGLE = 5, NPLOT = 4 };
enum { FZ, KAPPA, ALPHA };    // inputs
enum { FX, FY, MX, MY, MZ };  // outputs
enum { PLOT_FX, PLOT_FY, PLOT_MZ, PLOT_COMBINED };

#define MAX_OUTPUTS 32

typedef struct drawing {
  jo_context* ctx;
  jarena arena;
  jo_tyre_function* f;
  const jmodel_tir* tir;
  jreport_plot plot[NPLOT];
} drawing;

// A range of the file, but no more than what plots are made for.
static double range(const jmodel_tir* t, int high, double most) {
  return t->line[high] > 0 && t->value[high] < most && t->value[high] > 0.0 ? t->value[high] : most;
}

static jo_status put_series(drawing* d, jreport_series* s, const char* name) {
  double* x = JARENA_ARRAY(&d->arena, NPOINT, double);
  double* y = JARENA_ARRAY(&d->arena, NPOINT, double);
  if (!x || !y || !name) return jerr_memory(d->ctx);
  *s = (jreport_series){name, x, y, NPOINT, false};
  return JO_OK;
}

// Output `of` over input `over`, from -most to most, at several loads.
static jo_status draw_curves(drawing* d, int which, int over, double most, int of, double unit) {
  static const double part[NLOAD] = {0.5, 1.0, 1.5, 2.0};
  jreport_series* series = JARENA_ARRAY(&d->arena, NLOAD, jreport_series);
  if (!series) return jerr_memory(d->ctx);
  double in[JO_TYRE_INPUTS], out[MAX_OUTPUTS];
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    in[i] = jo_tyre_input_default(d->f, i);
  }
  double nominal = in[FZ];
  for (int k = 0; k < NLOAD; k++) {
    in[FZ] = part[k] * nominal;
    JO_TRY(put_series(d, &series[k], jarena_printf(&d->arena, "%.0f N", in[FZ])));
    double *x = (double*)series[k].x, *y = (double*)series[k].y;
    for (int i = 0; i < NPOINT; i++) {
      in[over] = most * (2.0 * i / (NPOINT - 1) - 1.0);
      JO_TRY(jo_tyre_evaluate(d->f, in, out));
      x[i] = in[over] * unit;
      y[i] = out[of];
    }
  }
  d->plot[which].series = series;
  d->plot[which].nseries = NLOAD;
  return JO_OK;
}

// Fy over Fx while the slip goes from braking to driving, at several slip angles.
static jo_status draw_combined(drawing* d) {
  static const double degrees[NANGLE] = {0.0, 2.0, 4.0, 8.0, 12.0};
  jreport_series* series = JARENA_ARRAY(&d->arena, NANGLE, jreport_series);
  if (!series) return jerr_memory(d->ctx);
  double in[JO_TYRE_INPUTS], out[MAX_OUTPUTS], most = range(d->tir, JTIR_KPUMAX, 1.0);
  for (int i = 0; i < JO_TYRE_INPUTS; i++) {
    in[i] = jo_tyre_input_default(d->f, i);
  }
  for (int k = 0; k < NANGLE; k++) {
    in[ALPHA] = -degrees[k] * 3.14159265358979323846 / 180.0;
    JO_TRY(put_series(d, &series[k], jarena_printf(&d->arena, "%.0f\xc2\xb0", 0.0 - degrees[k])));
    double *x = (double*)series[k].x, *y = (double*)series[k].y;
    for (int i = 0; i < NPOINT; i++) {
      // dense where forces change
      double u = 2.0 * i / (NPOINT - 1) - 1.0;
      in[KAPPA] = most * u * fabs(u);
      JO_TRY(jo_tyre_evaluate(d->f, in, out));
      x[i] = out[FX];
      y[i] = out[FY];
    }
  }
  d->plot[PLOT_COMBINED].series = series;
  d->plot[PLOT_COMBINED].nseries = NANGLE;
  return JO_OK;
}

static jo_status draw(drawing* d, const char* path) {
  static const jreport_plot plots[NPLOT] = {
      {.title = "Longitudinal force", .x_label = "slip kappa [-]", .y_label = "Fx [N]"},
      {.title = "Side force", .x_label = "slip angle alpha [deg]", .y_label = "Fy [N]"},
      {.title = "Aligning moment", .x_label = "slip angle alpha [deg]", .y_label = "Mz [N m]"},
      {.title = "Combined slip", .x_label = "Fx [N]", .y_label = "Fy [N]"}};
  const double degrees = 180.0 / 3.14159265358979323846;
  memcpy(d->plot, plots, sizeof plots);
  for (int i = 0; i < NPLOT; i++) {
    d->plot[i].subtitle = i == PLOT_COMBINED ? "nominal load, by slip angle" : "by load, no camber";
  }
  double angle = range(d->tir, JTIR_ALPMAX, 0.35), slip = range(d->tir, JTIR_KPUMAX, 0.5);
  JO_TRY(draw_curves(d, PLOT_FX, KAPPA, slip, FX, 1.0));
  JO_TRY(draw_curves(d, PLOT_FY, ALPHA, angle, FY, degrees));
  JO_TRY(draw_curves(d, PLOT_MZ, ALPHA, angle, MZ, degrees));
  JO_TRY(draw_combined(d));
  jtext text;
  jtext_init(&text, d->ctx);
  if (jtext_ends_in(path, ".html")) {
    const char* slash = strrchr(d->tir->path, '/');
    jreport_panels_html(&text, slash ? slash + 1 : d->tir->path,
                        jmodel_tir_version_name(d->tir->version), d->plot, NPLOT);
  } else {
    jreport_panels_svg(&text, d->plot, NPLOT);
  }
  jo_status status =
      text.failed ? jerr_memory(d->ctx) : jfile_write(d->ctx, path, text.data, text.length);
  jtext_free(&text);
  return status;
}

jo_status jo_tyre_plot(jo_context* ctx, const jo_tyre* tyre, const jo_tyre_options* opt,
                       const char* path) {
  JO_REQUIRE(ctx, tyre, path);
  if (opt) JO_TRY(jrequire_texts(ctx, __func__, "wrt", opt->wrt, opt->nwrt));
  drawing d = {.ctx = ctx, .tir = &tyre->tir};
  jo_tyre_options use = jo_tyre_options_default();
  if (opt) use.combined = opt->combined;
  jarena_init(&d.arena, ctx);
  jo_status status = jo_tyre_function_create(ctx, tyre, &use, &d.f);
  if (status >= 0) status = draw(&d, path);
  jo_tyre_function_destroy(d.f);
  jarena_free(&d.arena);
  return status;
}
