// SPDX-License-Identifier: Apache-2.0
// Line plots and maps as self-contained SVG files: no script, no style sheet, no font of their own.
#ifndef JREPORT_SVG_PLOT_H
#define JREPORT_SVG_PLOT_H

#include <stdbool.h>

#include "base/text/text.h"
#include "report/plot/svg_map.h"

typedef struct jreport_series {
  const char* name;  // in the legend; "": not there
  const double *x, *y;
  int n;
  bool has_marks;  // a dot at every point
} jreport_series;

// Points that are not finite, beyond 1e300, or not positive on a logarithmic axis, interrupt a line.
typedef struct jreport_plot {
  const char *title, *subtitle;  // may be ""
  const char *x_label, *y_label;
  bool log_x, log_y;
  const jreport_series* series;
  int nseries;
  const double* mark_x;  // dashed lines across the plot, where they are in its range
  int nmark;
  const jreport_map* map;  // colours instead of lines; NULL: lines
} jreport_plot;

// The picture as text. What fails is memory, and that the text remembers.
void jreport_svg_plot(jtext* out, const jreport_plot* plot);

#endif
