// SPDX-License-Identifier: Apache-2.0
// Paper of plots: its size, axes with round or decade ticks, a grid, a frame with captions.
#ifndef JREPORT_SVG_AXES_H
#define JREPORT_SVG_AXES_H

#include <stdbool.h>

#include "base/text/text.h"

#define JREPORT_WIDTH  760
#define JREPORT_HEIGHT 460
#define JREPORT_LEFT   86
#define JREPORT_RIGHT  24
#define JREPORT_TOP    64
#define JREPORT_BOTTOM 62
#define JREPORT_INK    "#1f2933"
#define JREPORT_FAINT  "#616e7c"

// Drawing range of an axis: logarithms of the data where is_log.
typedef struct jreport_axis {
  bool is_log;
  double low, high;     // range
  double step;          // between labelled ticks ...
  double first;         // ... of which the first stands at first * step
  int nstep;            // and nstep more follow
  double from, length;  // on the paper; length is negative upwards
} jreport_axis;

typedef struct jreport_captions {
  const char *title, *subtitle, *x_label, *y_label;
} jreport_captions;

// A value as the axis has it; false: it has no place there.
bool jreport_axis_value(const jreport_axis* a, double x, double* v);
double jreport_axis_place(const jreport_axis* a, double v);
// Range and ticks around what is between low and high.
void jreport_axis_choose(jreport_axis* a, double low, double high);
double jreport_axis_tick(const jreport_axis* a, int i);
void jreport_axis_text(jtext* t, const jreport_axis* a, double v);
// How much wider than LEFT the numbers of the y axis need the paper to be.
int jreport_axis_margin(const jreport_axis* y);

void jreport_svg_escaped(jtext* t, const char* s);
void jreport_svg_label(jtext* t, double x, double y, const char* attributes, const char* text);
void jreport_svg_line(jtext* t, double x0, double y0, double x1, double y1, const char* attributes);
// Head of the file up to the white paper.
void jreport_svg_begin(jtext* t, const char* title, int margin, int width);
void jreport_svg_grid(jtext* t, const jreport_axis* x, const jreport_axis* y, bool is_x);
// right: where the x axis ends
void jreport_svg_frame(jtext* t, const jreport_captions* p, int margin, double right);

#endif
