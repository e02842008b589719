// SPDX-License-Identifier: Apache-2.0
// A quantity over two others as colours, with a bar that tells them.
#ifndef JREPORT_SVG_MAP_H
#define JREPORT_SVG_MAP_H

#include "report/plot/svg_axes.h"

// Values z at all x (nx) and y (ny), both rising: x by x, then y by y. Between two y they are interpolated linearly, and
// ticks at the right edge show where they are known. What is not finite is left white.
typedef struct jreport_map {
  const double *x, *y, *z;
  int nx, ny;
} jreport_map;

void jreport_svg_map(jtext* out, const jreport_captions* captions, const jreport_map* m);

#endif
