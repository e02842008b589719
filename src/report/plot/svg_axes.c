// SPDX-License-Identifier: Apache-2.0
#include "report/plot/svg_axes.h"

#include <math.h>

#include "base/text/format.h"

#define MAX_TICKS 12     // labelled, per axis
#define FLAT      1e-12  // ranges below this part of their numbers are rounding, no motion
#define SMALLEST  1e-290
#define LARGEST   1e300  // of what has a place on paper: sums and differences of ticks stay finite

bool jreport_axis_value(const jreport_axis* a, double x, double* v) {
  *v = a->is_log ? (x > 0.0 ? log10(x) : NAN) : x;
  return fabs(*v) <= LARGEST;  // not a number is not
}

double jreport_axis_place(const jreport_axis* a, double v) {
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
void jreport_axis_choose(jreport_axis* a, double low, double high) {
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

double jreport_axis_tick(const jreport_axis* a, int i) {
  return (a->first + i) * a->step;
}

// ---- pieces --------------------------------------------------------------------------------------

void jreport_svg_escaped(jtext* t, const char* s) {
  for (; *s; s++) {
    switch (*s) {
      case '&': jtext_put(t, "&amp;"); break;
      case '<': jtext_put(t, "&lt;"); break;
      case '>': jtext_put(t, "&gt;"); break;
      default: jtext_write(t, s, 1);
    }
  }
}

void jreport_svg_label(jtext* t, double x, double y, const char* attributes, const char* text) {
  jtext_printf(t, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
  jreport_svg_escaped(t, text);
  jtext_put(t, "</text>\n");
}

void jreport_svg_line(jtext* t, double x0, double y0, double x1, double y1,
                      const char* attributes) {
  jtext_printf(t, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1,
               attributes);
}

// Digits that tell neighbours apart: six, and more where a step is small beside its numbers.
static int tick_digits(const jreport_axis* a) {
  double size = fmax(fabs(a->low), fabs(a->high));
  return (int)fmin(17.0, fmax(6.0, ceil(log10(size / a->step)) + 1.0));
}

void jreport_axis_text(jtext* t, const jreport_axis* a, double v) {
  if (!a->is_log) {
    jtext_printf(t, "%.*g", tick_digits(a), v);
  } else if (v == 0.0 || v == 1.0) {
    jtext_put(t, v == 0.0 ? "1" : "10");
  } else {
    jtext_printf(t, "10<tspan dy=\"-6\" font-size=\"10\">%s%d</tspan>",
                 v < 0.0 ? "\xe2\x88\x92" : "", (int)fabs(v));
  }
}

void jreport_svg_grid(jtext* t, const jreport_axis* x, const jreport_axis* y, bool is_x) {
  const jreport_axis *a = is_x ? x : y, *b = is_x ? y : x;
  double b0 = b->from, b1 = b->from + b->length;
  bool has_minor = a->is_log && a->step == 1.0 && a->high - a->low <= 6.0;
  for (int i = 0; has_minor && i < a->nstep; i++) {
    for (int k = 2; k < 10; k++) {
      double m = jreport_axis_place(a, jreport_axis_tick(a, i) + log10(k));
      jreport_svg_line(t, is_x ? m : b0, is_x ? b0 : m, is_x ? m : b1, is_x ? b1 : m,
                       "stroke=\"#eef1f4\" stroke-width=\"0.7\"");
    }
  }
  for (int i = 0; i <= a->nstep; i++) {
    double m = jreport_axis_place(a, jreport_axis_tick(a, i));
    jreport_svg_line(t, is_x ? m : b0, is_x ? b0 : m, is_x ? m : b1, is_x ? b1 : m,
                     "stroke=\"#d5dbe1\" stroke-width=\"1\"");
    jtext_printf(t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"" JREPORT_FAINT "\">",
                 is_x ? m : JREPORT_LEFT - 9.0,
                 is_x ? JREPORT_HEIGHT - JREPORT_BOTTOM + 19.0 : m + 4.0, is_x ? "middle" : "end");
    jreport_axis_text(t, a, jreport_axis_tick(a, i));
    jtext_put(t, "</text>\n");
  }
}

int jreport_axis_margin(const jreport_axis* y) {
  int longest = 0;
  for (int i = 0; !y->is_log && i <= y->nstep; i++) {
    char text[40];
    int n = jformat(text, sizeof text, "%.*g", tick_digits(y), jreport_axis_tick(y, i));
    if (n > longest) longest = n;
  }
  return longest > 5 ? 9 * (longest - 5) : 0;
}

void jreport_svg_frame(jtext* t, const jreport_captions* p, int margin, double right) {
  double bottom = JREPORT_HEIGHT - JREPORT_BOTTOM;
  jreport_svg_line(t, JREPORT_LEFT, bottom, right, bottom,
                   "stroke=\"" JREPORT_INK "\" stroke-width=\"1.2\"");
  jreport_svg_line(t, JREPORT_LEFT, JREPORT_TOP, JREPORT_LEFT, bottom,
                   "stroke=\"" JREPORT_INK "\" stroke-width=\"1.2\"");
  jreport_svg_label(t, JREPORT_LEFT, 27.0, "font-size=\"16\" font-weight=\"600\"", p->title);
  jreport_svg_label(t, JREPORT_LEFT, 47.0, "fill=\"" JREPORT_FAINT "\"", p->subtitle);
  jreport_svg_label(t, 0.5 * (JREPORT_LEFT + right), JREPORT_HEIGHT - 16.0,
                    "text-anchor=\"middle\"", p->x_label);
  jtext_printf(t, "<g transform=\"translate(%d %.1f) rotate(-90)\">", 22 - margin,
               0.5 * (JREPORT_TOP + bottom));
  jreport_svg_label(t, 0.0, 0.0, "text-anchor=\"middle\"", p->y_label);
  jtext_put(t, "</g>\n");
}

void jreport_svg_begin(jtext* t, const char* title, int margin, int width) {
  jtext_printf(t,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"%d 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
               "font-size=\"13\" fill=\"" JREPORT_INK "\">\n<title>",
               width, JREPORT_HEIGHT, -margin, width, JREPORT_HEIGHT);
  jreport_svg_escaped(t, title);
  jtext_put(t, "</title>\n<rect ");
  if (margin > 0) jtext_printf(t, "x=\"%d\" ", -margin);
  jtext_printf(t, "width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, JREPORT_HEIGHT);
}
