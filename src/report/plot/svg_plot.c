// SPDX-License-Identifier: Apache-2.0
// Line plots: axes, a grid, lines and a legend, in that order from the back.
#include "report/plot/svg_plot.h"

#include <math.h>

#include "report/plot/svg_axes.h"

static const char* const colour[] = {"#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#0891b2",
                                     "#a16207", "#be185d", "#475569", "#65a30d", "#0369a1"};
enum { NCOLOUR = sizeof colour / sizeof *colour };

static jreport_axis fit_axis(const jreport_plot* p, bool is_x) {
  jreport_axis a = {.is_log = is_x ? p->log_x : p->log_y};
  double low = INFINITY, high = -INFINITY, v;
  for (int s = 0; s < p->nseries; s++) {
    const double* data = is_x ? p->series[s].x : p->series[s].y;
    for (int i = 0; i < p->series[s].n; i++) {
      if (!jreport_axis_value(&a, data[i], &v)) continue;
      low = fmin(low, v);
      high = fmax(high, v);
    }
  }
  jreport_axis_choose(&a, low, high);
  a.from = is_x ? JREPORT_LEFT : JREPORT_HEIGHT - JREPORT_BOTTOM;
  a.length = is_x ? JREPORT_WIDTH - JREPORT_LEFT - JREPORT_RIGHT
                  : -(JREPORT_HEIGHT - JREPORT_TOP - JREPORT_BOTTOM);
  return a;
}

// ---- lines ---------------------------------------------------------------------------------------

static void put_series(jtext* t, const jreport_axis* x, const jreport_axis* y,
                       const jreport_series* s, const char* ink) {
  bool is_open = false;
  double u, v;
  for (int i = 0; i < s->n; i++) {
    bool fine = jreport_axis_value(x, s->x[i], &u) && jreport_axis_value(y, s->y[i], &v);
    if (fine && !is_open) {
      jtext_printf(t,
                   "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                   "stroke-linejoin=\"round\" points=\"",
                   ink);
    }
    if (!fine && is_open) jtext_put(t, "\"/>\n");
    if (fine) jtext_printf(t, "%.2f,%.2f ", jreport_axis_place(x, u), jreport_axis_place(y, v));
    is_open = fine;
  }
  if (is_open) jtext_put(t, "\"/>\n");
  for (int i = 0; s->has_marks && i < s->n; i++) {
    if (!jreport_axis_value(x, s->x[i], &u) || !jreport_axis_value(y, s->y[i], &v)) continue;
    jtext_printf(t, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n",
                 jreport_axis_place(x, u), jreport_axis_place(y, v), ink);
  }
}

// About 8 units per character, as large as pages show them.
static double text_width(const char* s) {
  int length = 0;
  for (; *s; s++) {
    length += ((unsigned char)*s & 0xc0) != 0x80;
  }
  return 8.0 * length;
}

// Where a row above the plot is too short for the legend it stands in a column beside it: returns how
// much wider the paper becomes.
static int legend_column(const jreport_plot* p) {
  double row = text_width(p->subtitle), widest = 0.0;
  for (int s = 0; s < p->nseries; s++) {
    if (!*p->series[s].name) continue;
    row += text_width(p->series[s].name) + 46.0;
    widest = fmax(widest, text_width(p->series[s].name));
  }
  return row <= JREPORT_WIDTH - JREPORT_LEFT - JREPORT_RIGHT ? 0 : (int)widest + 46;
}

static void put_key(jtext* t, double x, double y, const char* name, const char* ink) {
  jreport_svg_label(t, x, y, "", name);
  jtext_printf(t,
               "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\" stroke=\"%s\" "
               "stroke-width=\"2.5\"/>\n",
               x - 26.0, y - 4.0, x - 7.0, y - 4.0, ink);
}

static void put_legend(jtext* t, const jreport_plot* p) {
  double x = JREPORT_WIDTH - JREPORT_RIGHT - 10.0;
  bool is_column = legend_column(p) > 0;
  for (int s = p->nseries - 1; s >= 0; s--) {
    const char *name = p->series[s].name, *ink = colour[s % NCOLOUR];
    if (!*name) continue;
    if (is_column) {
      put_key(t, JREPORT_WIDTH - JREPORT_RIGHT + 44.0, JREPORT_TOP + 12.0 + 22.0 * s, name, ink);
      continue;
    }
    // right of the subtitle, from the right
    x -= text_width(name);
    put_key(t, x, 47.0, name, ink);
    x -= 46.0;
  }
}

static void put_marks(jtext* t, const jreport_axis* x, const jreport_plot* p) {
  double v;
  for (int i = 0; i < p->nmark; i++) {
    if (!jreport_axis_value(x, p->mark_x[i], &v) || v < x->low || v > x->high) continue;
    jreport_svg_line(t, jreport_axis_place(x, v), JREPORT_TOP, jreport_axis_place(x, v),
                     JREPORT_HEIGHT - JREPORT_BOTTOM,
                     "stroke=\"#9aa5b1\" stroke-width=\"1\" stroke-dasharray=\"4 4\"");
  }
}

static void put_plot(jtext* out, const jreport_plot* plot) {
  jreport_axis x = fit_axis(plot, true), y = fit_axis(plot, false);
  int margin = jreport_axis_margin(&y), width = JREPORT_WIDTH + margin + legend_column(plot);
  jreport_svg_begin(out, plot->title, margin, width);
  jreport_svg_grid(out, &x, &y, true);
  jreport_svg_grid(out, &x, &y, false);
  jreport_captions captions = {plot->title, plot->subtitle, plot->x_label, plot->y_label};
  jreport_svg_frame(out, &captions, margin, JREPORT_WIDTH - JREPORT_RIGHT);
  put_marks(out, &x, plot);
  for (int s = 0; s < plot->nseries; s++) {
    put_series(out, &x, &y, &plot->series[s], colour[s % NCOLOUR]);
  }
  put_legend(out, plot);
  jtext_put(out, "</svg>\n");
}

void jreport_svg_plot(jtext* out, const jreport_plot* plot) {
  jreport_captions captions = {plot->title, plot->subtitle, plot->x_label, plot->y_label};
  if (plot->map) {
    jreport_svg_map(out, &captions, plot->map);
  } else {
    put_plot(out, plot);
  }
}
