// SPDX-License-Identifier: Apache-2.0
// Several plots in one file: side by side in a picture, or on a page.
#ifndef JREPORT_PANELS_H
#define JREPORT_PANELS_H

#include "report/plot/svg_plot.h"

// What fails is memory, and that the text remembers.
void jreport_panels_svg(jtext* out, const jreport_plot* plot, int n);
void jreport_panels_html(jtext* out, const char* title, const char* lead, const jreport_plot* plot,
                         int n);

#endif
