// SPDX-License-Identifier: Apache-2.0
#include "report/road.h"

#include <math.h>

#include "base/err.h"
#include "report/plot/panels.h"
#include "road/spectrum.h"

enum { MOST_POINTS = 4000, NCLASS = 8, NSERIES = 2 + NCLASS };
enum { HEIGHTS, SPECTRUM, NPLOT };

static const char* const side_name[] = {"left", "right"};

// What is drawn of long roads: every k-th place.
static jo_status draw_heights(const jreport_road* p, jreport_plot* plot) {
  jreport_series* s = JARENA_ARRAY(p->arena, 2, jreport_series);
  int every = 1 + (p->n - 1) / MOST_POINTS, n = 1 + (p->n - 1) / every;
  double* x = JARENA_ARRAY(p->arena, n, double);
  if (!s || !x) return jerr_memory(p->ctx);
  for (int side = 0; side < 2; side++) {
    double* y = JARENA_ARRAY(p->arena, n, double);
    if (!y) return jerr_memory(p->ctx);
    for (int i = 0; i < n; i++) {
      x[i] = p->x[i * every];
      y[i] = 1000.0 * p->z[side][i * every];
    }
    s[side] = (jreport_series){side_name[side], x, y, n, false};
  }
  plot->series = s;
  plot->nseries = 2;
  return JO_OK;
}

// Bands of both lines, and limits of the classes.
static jo_status draw_spectrum(const jreport_road* p, jreport_plot* plot) {
  static const char* const limit[] = {"A|B", "B|C", "C|D", "D|E", "E|F", "F|G", "G|H"};
  jreport_series* s = JARENA_ARRAY(p->arena, NSERIES, jreport_series);
  jo_road_band band[JO_ROAD_BANDS];
  if (!s) return jerr_memory(p->ctx);
  int count = 0, worst = 0, best = 7;
  for (int side = 0; side < 2; side++) {
    count = jroad_spectrum(p->n, p->step, p->z[side], band);
    double* x = JARENA_ARRAY(p->arena, JO_ROAD_BANDS, double);
    double* y = JARENA_ARRAY(p->arena, JO_ROAD_BANDS, double);
    if (!x || !y) return jerr_memory(p->ctx);
    for (int i = 0; i < count; i++) {
      x[i] = sqrt(band[i].low * band[i].high);
      y[i] = 1e6 * band[i].density;
      if (band[i].high > 2.83 || band[i].low < 0.011) continue;
      if (band[i].class_ > worst) worst = band[i].class_;
      if (band[i].class_ < best) best = band[i].class_;
    }
    s[side] = (jreport_series){side_name[side], x, y, count, true};
  }
  plot->series = s;
  plot->nseries = 2;
  for (int k = best > 0 ? best - 1 : 0; count > 0 && k <= worst && k < NCLASS - 1; k++) {
    double* x = JARENA_ARRAY(p->arena, 2, double);
    double* y = JARENA_ARRAY(p->arena, 2, double);
    if (!x || !y) return jerr_memory(p->ctx);
    x[0] = 0.011, x[1] = 2.83;
    for (int i = 0; i < 2; i++) {
      y[i] = 1e6 * 2.0 * (double)(1 << (2 * k)) * jroad_smoothest(x[i]);
    }
    s[plot->nseries++] = (jreport_series){limit[k], x, y, 2, false};
  }
  return JO_OK;
}

jo_status jreport_road_draw(const jreport_road* p, bool is_page, jtext* t) {
  jreport_plot plot[NPLOT] = {
      {.title = "Heights", .subtitle = "", .x_label = "x [m]", .y_label = "z [mm]"},
      {.title = "Spectral density",
       .subtitle = "octave bands, and limits of the classes of ISO 8608",
       .x_label = "wave number [1/m]",
       .y_label = "G [1e-6 m^3]",
       .log_x = true,
       .log_y = true}};
  JO_TRY(draw_heights(p, &plot[HEIGHTS]));
  JO_TRY(draw_spectrum(p, &plot[SPECTRUM]));
  if (is_page) {
    jreport_panels_html(t, p->name[0] ? p->name : "road", "the road of the model", plot, NPLOT);
  } else {
    jreport_panels_svg(t, plot, NPLOT);
  }
  return JO_OK;
}
