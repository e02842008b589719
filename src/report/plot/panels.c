// SPDX-License-Identifier: Apache-2.0
// Pictures of plots: two columns of panels.
#include "report/plot/panels.h"

#include "report/html/html.h"

#define PANEL_WIDTH  860
#define PANEL_HEIGHT 470
#define COLUMNS      2

void jreport_panels_svg(jtext* out, const jreport_plot* plot, int n) {
  int rows = (n + COLUMNS - 1) / COLUMNS, width = COLUMNS * PANEL_WIDTH;
  jtext_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\">\n<rect width=\"100%%\" height=\"100%%\" "
               "fill=\"#ffffff\"/>\n",
               width, rows * PANEL_HEIGHT, width, rows * PANEL_HEIGHT);
  for (int i = 0; i < n; i++) {
    jtext_printf(out, "<g transform=\"translate(%d %d)\">\n", i % COLUMNS * PANEL_WIDTH,
                 i / COLUMNS * PANEL_HEIGHT);
    jreport_svg_plot(out, &plot[i]);
    jtext_put(out, "</g>\n");
  }
  jtext_put(out, "</svg>\n");
}

void jreport_panels_html(jtext* out, const char* title, const char* lead, const jreport_plot* plot,
                         int n) {
  jtext_put(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  jreport_put_html(out, title);
  jtext_put(out, "</title>\n<style>\n");
  jtext_put(out, jreport_report_css);
  jtext_put(out, "</style>\n</head>\n<body>\n<header><h1>");
  jreport_put_html(out, title);
  jtext_put(out, "</h1>\n<p class=\"lead\">");
  jreport_put_html(out, lead);
  jtext_put(out, "</p></header>\n<div class=\"plots\">\n");
  for (int i = 0; i < n; i++) {
    jtext_put(out, "<figure>\n");
    jreport_svg_plot(out, &plot[i]);
    jtext_put(out, "</figure>\n");
  }
  jtext_put(out, "</div>\n</body>\n</html>\n");
}
