// SPDX-License-Identifier: Apache-2.0
// Line plots: axes with round or decade ticks, a grid, lines and a legend, in that order from the back.
#include "report/svg_plot.h"

#include <math.h>

#include "base/format.h"

#define WIDTH     760
#define HEIGHT    460
#define LEFT      86
#define RIGHT     24
#define TOP       64
#define BOTTOM    62
#define INK       "#1f2933"
#define FAINT     "#616e7c"
#define MAX_TICKS 12     // labelled, per axis
#define FLAT      1e-12  // ranges below this part of their numbers are rounding, no motion
#define SMALLEST  1e-290
#define LARGEST   1e300  // of what has a place on paper: sums and differences of ticks stay finite

static const char* const colour[] = {"#c2410c", "#1d4ed8", "#15803d", "#7e22ce", "#0891b2",
                                     "#a16207", "#be185d", "#475569", "#65a30d", "#0369a1"};
enum { NCOLOUR = sizeof colour / sizeof *colour };

// Drawing range of an axis: logarithms of the data where is_log.
typedef struct axis {
  bool is_log;
  double low, high;     // range
  double step;          // between labelled ticks ...
  double first;         // ... of which the first stands at first * step
  int nstep;            // and nstep more follow
  double from, length;  // on the paper; length is negative upwards
} axis;

static bool value_on(const axis* a, double x, double* v) {
  *v = a->is_log ? (x > 0.0 ? log10(x) : NAN) : x;
  return fabs(*v) <= LARGEST;  // not a number is not
}

static double place(const axis* a, double v) {
  return a->from + (v - a->low) / (a->high - a->low) * a->length;
}

// ---- axes ----------------------------------------------------------------------------------------

static double round_step(double span) {
  double power = pow(10.0, floor(log10(span))), f = span / power;
  return (f <= 1.0 ? 1.0 : f <= 2.0 ? 2.0 : f <= 5.0 ? 5.0 : 10.0) * power;
}

// What spans nothing gets a range that its numbers can tell apart.
static void widen(double* low, double* high) {
  double size = fmax(fabs(*low), fabs(*high)), middle = 0.5 * (*low + *high);
  if (*high - *low > fmax(FLAT * size, SMALLEST)) return;
  double pad = fmax(0.5, 1e-9 * size);
  *low = middle - pad;
  *high = middle + pad;
}

// Ends and ticks are whole multiples of a unit: counted, never summed up.
static void choose_range(axis* a, double low, double high) {
  if (!(low <= high)) low = 0.0, high = 1.0;  // nothing to draw
  widen(&low, &high);
  a->step = a->is_log ? fmax(1.0, ceil((high - low) / MAX_TICKS)) : round_step((high - low) / 6.0);
  double unit = a->is_log ? 1.0 : a->step;
  double from = floor(low / unit + 1e-9), to = fmax(ceil(high / unit - 1e-9), from + 1.0);
  a->low = unit * from;
  a->high = unit * to;
  a->first = a->is_log ? ceil(from / a->step) : from;
  a->nstep = (int)(floor(to * unit / a->step + 1e-9) - a->first);
}

static double tick(const axis* a, int i) {
  return (a->first + i) * a->step;
}

static axis fit_axis(const jreport_plot* p, bool is_x) {
  axis a = {.is_log = is_x ? p->log_x : p->log_y};
  double low = INFINITY, high = -INFINITY, v;
  for (int s = 0; s < p->nseries; s++) {
    const double* data = is_x ? p->series[s].x : p->series[s].y;
    for (int i = 0; i < p->series[s].n; i++) {
      if (!value_on(&a, data[i], &v)) continue;
      low = fmin(low, v);
      high = fmax(high, v);
    }
  }
  choose_range(&a, low, high);
  a.from = is_x ? LEFT : HEIGHT - BOTTOM;
  a.length = is_x ? WIDTH - LEFT - RIGHT : -(HEIGHT - TOP - BOTTOM);
  return a;
}

// ---- pieces --------------------------------------------------------------------------------------

static void put_escaped(jtext* t, const char* s) {
  for (; *s; s++) {
    switch (*s) {
      case '&': jtext_put(t, "&amp;"); break;
      case '<': jtext_put(t, "&lt;"); break;
      case '>': jtext_put(t, "&gt;"); break;
      default: jtext_write(t, s, 1);
    }
  }
}

static void put_label(jtext* t, double x, double y, const char* attributes, const char* text) {
  jtext_printf(t, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
  put_escaped(t, text);
  jtext_put(t, "</text>\n");
}

static void put_line(jtext* t, double x0, double y0, double x1, double y1, const char* attributes) {
  jtext_printf(t, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1,
               attributes);
}

// Digits that tell neighbours apart: six, and more where a step is small beside its numbers.
static int tick_digits(const axis* a) {
  double size = fmax(fabs(a->low), fabs(a->high));
  return (int)fmin(17.0, fmax(6.0, ceil(log10(size / a->step)) + 1.0));
}

static void put_tick_text(jtext* t, const axis* a, double v) {
  if (!a->is_log) {
    jtext_printf(t, "%.*g", tick_digits(a), v);
  } else if (v == 0.0 || v == 1.0) {
    jtext_put(t, v == 0.0 ? "1" : "10");
  } else {
    jtext_printf(t, "10<tspan dy=\"-6\" font-size=\"10\">%s%d</tspan>",
                 v < 0.0 ? "\xe2\x88\x92" : "", (int)fabs(v));
  }
}

static void put_grid(jtext* t, const axis* x, const axis* y, bool is_x) {
  const axis *a = is_x ? x : y, *b = is_x ? y : x;
  double b0 = b->from, b1 = b->from + b->length;
  bool has_minor = a->is_log && a->step == 1.0 && a->high - a->low <= 6.0;
  for (int i = 0; has_minor && i < a->nstep; i++) {
    for (int k = 2; k < 10; k++) {
      double m = place(a, tick(a, i) + log10(k));
      put_line(t, is_x ? m : b0, is_x ? b0 : m, is_x ? m : b1, is_x ? b1 : m,
               "stroke=\"#eef1f4\" stroke-width=\"0.7\"");
    }
  }
  for (int i = 0; i <= a->nstep; i++) {
    double m = place(a, tick(a, i));
    put_line(t, is_x ? m : b0, is_x ? b0 : m, is_x ? m : b1, is_x ? b1 : m,
             "stroke=\"#d5dbe1\" stroke-width=\"1\"");
    jtext_printf(t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"" FAINT "\">",
                 is_x ? m : LEFT - 9.0, is_x ? HEIGHT - BOTTOM + 19.0 : m + 4.0,
                 is_x ? "middle" : "end");
    put_tick_text(t, a, tick(a, i));
    jtext_put(t, "</text>\n");
  }
}

// How much wider than LEFT the numbers of the y axis need the paper to be.
static int tick_margin(const axis* y) {
  int longest = 0;
  for (int i = 0; !y->is_log && i <= y->nstep; i++) {
    char text[40];
    int n = jformat(text, sizeof text, "%.*g", tick_digits(y), tick(y, i));
    if (n > longest) longest = n;
  }
  return longest > 5 ? 9 * (longest - 5) : 0;
}

static void put_frame(jtext* t, const jreport_plot* p, int margin) {
  double right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
  put_line(t, LEFT, bottom, right, bottom, "stroke=\"" INK "\" stroke-width=\"1.2\"");
  put_line(t, LEFT, TOP, LEFT, bottom, "stroke=\"" INK "\" stroke-width=\"1.2\"");
  put_label(t, LEFT, 27.0, "font-size=\"16\" font-weight=\"600\"", p->title);
  put_label(t, LEFT, 47.0, "fill=\"" FAINT "\"", p->subtitle);
  put_label(t, 0.5 * (LEFT + right), HEIGHT - 16.0, "text-anchor=\"middle\"", p->x_label);
  jtext_printf(t, "<g transform=\"translate(%d %.1f) rotate(-90)\">", 22 - margin,
               0.5 * (TOP + bottom));
  put_label(t, 0.0, 0.0, "text-anchor=\"middle\"", p->y_label);
  jtext_put(t, "</g>\n");
}

// ---- lines ---------------------------------------------------------------------------------------

static void put_series(jtext* t, const axis* x, const axis* y, const jreport_series* s,
                       const char* ink) {
  bool is_open = false;
  double u, v;
  for (int i = 0; i < s->n; i++) {
    bool fine = value_on(x, s->x[i], &u) && value_on(y, s->y[i], &v);
    if (fine && !is_open) {
      jtext_printf(t,
                   "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
                   "stroke-linejoin=\"round\" points=\"",
                   ink);
    }
    if (!fine && is_open) jtext_put(t, "\"/>\n");
    if (fine) jtext_printf(t, "%.2f,%.2f ", place(x, u), place(y, v));
    is_open = fine;
  }
  if (is_open) jtext_put(t, "\"/>\n");
  for (int i = 0; s->has_marks && i < s->n; i++) {
    if (!value_on(x, s->x[i], &u) || !value_on(y, s->y[i], &v)) continue;
    jtext_printf(t, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"%s\"/>\n", place(x, u),
                 place(y, v), ink);
  }
}

// About 7 units per character.
static double text_width(const char* s) {
  int length = 0;
  for (; *s; s++) {
    length += ((unsigned char)*s & 0xc0) != 0x80;
  }
  return 7.0 * length;
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
  return row <= WIDTH - LEFT - RIGHT ? 0 : (int)widest + 46;
}

static void put_key(jtext* t, double x, double y, const char* name, const char* ink) {
  put_label(t, x, y, "", name);
  jtext_printf(t,
               "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\" stroke=\"%s\" "
               "stroke-width=\"2.5\"/>\n",
               x - 26.0, y - 4.0, x - 7.0, y - 4.0, ink);
}

static void put_legend(jtext* t, const jreport_plot* p) {
  double x = WIDTH - RIGHT - 10.0;
  bool is_column = legend_column(p) > 0;
  for (int s = p->nseries - 1; s >= 0; s--) {
    const char *name = p->series[s].name, *ink = colour[s % NCOLOUR];
    if (!*name) continue;
    if (is_column) {
      put_key(t, WIDTH - RIGHT + 44.0, TOP + 12.0 + 22.0 * s, name, ink);
      continue;
    }
    // right of the subtitle, from the right
    x -= text_width(name);
    put_key(t, x, 47.0, name, ink);
    x -= 46.0;
  }
}

static void put_marks(jtext* t, const axis* x, const jreport_plot* p) {
  double v;
  for (int i = 0; i < p->nmark; i++) {
    if (!value_on(x, p->mark_x[i], &v) || v < x->low || v > x->high) continue;
    put_line(t, place(x, v), TOP, place(x, v), HEIGHT - BOTTOM,
             "stroke=\"#9aa5b1\" stroke-width=\"1\" stroke-dasharray=\"4 4\"");
  }
}

void jreport_svg_plot(jtext* out, const jreport_plot* plot) {
  axis x = fit_axis(plot, true), y = fit_axis(plot, false);
  int margin = tick_margin(&y), width = WIDTH + margin + legend_column(plot);
  jtext_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"%d 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
               "font-size=\"13\" fill=\"" INK "\">\n<title>",
               width, HEIGHT, -margin, width, HEIGHT);
  put_escaped(out, plot->title);
  jtext_put(out, "</title>\n<rect ");
  if (margin > 0) jtext_printf(out, "x=\"%d\" ", -margin);
  jtext_printf(out, "width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, HEIGHT);
  put_grid(out, &x, &y, true);
  put_grid(out, &x, &y, false);
  put_frame(out, plot, margin);
  put_marks(out, &x, plot);
  for (int s = 0; s < plot->nseries; s++) {
    put_series(out, &x, &y, &plot->series[s], colour[s % NCOLOUR]);
  }
  put_legend(out, plot);
  jtext_put(out, "</svg>\n");
}
