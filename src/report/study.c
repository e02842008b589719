// SPDX-License-Identifier: Apache-2.0
// The page of a study: a heading, then per part its figures and, behind them, their tables.
#include "report/study.h"

#include <math.h>

#include "report/html/html.h"

#define MAX_ROWS 400  // of a table on the page: more is for other programs

// ---- tables --------------------------------------------------------------------------------------

static void put_column_name(jtext* t, const jreport_column* c) {
  jtext_put(t, c->text ? "<th>" : "<th class=\"n\">");
  jreport_put_html(t, c->name);
  if (*c->unit) {
    jtext_put(t, " [");
    jreport_put_html(t, c->unit);
    jtext_put(t, "]");
  }
  jtext_put(t, c->has_bar ? "</th><th></th>" : "</th>");
}

static double largest(const jreport_column* c, int n) {
  double x = 0.0;
  for (int i = 0; i < n; i++) {
    if (isfinite(c->value[i])) x = fmax(x, fabs(c->value[i]));
  }
  return x;
}

static void put_row(jtext* t, const jreport_sheet* s, int row) {
  jtext_put(t, "<tr>");
  for (int i = 0; i < s->ncolumn; i++) {
    const jreport_column* c = &s->column[i];
    if (c->text) {
      bool is_last = i == s->ncolumn - 1;
      jreport_put_element(t, "td", is_last ? " class=\"text\"" : "", c->text[row]);
    } else {
      jreport_put_number_cell(t, c->value[row], c->digits > 0 ? c->digits : 8);
    }
    if (c->has_bar) jreport_put_bar(t, c->value[row], largest(c, s->nrow));
  }
  jtext_put(t, "</tr>\n");
}

// Of long tables every so many-th row, and the last.
static void put_sheet(jtext* t, const jreport_sheet* s) {
  int stride = (s->nrow + MAX_ROWS - 1) / MAX_ROWS;
  if (stride < 1) stride = 1;
  jtext_put(t, "<div class=\"card\"><table>\n<thead><tr>");
  for (int i = 0; i < s->ncolumn; i++) {
    put_column_name(t, &s->column[i]);
  }
  jtext_put(t, "</tr></thead>\n<tbody>\n");
  for (int i = 0; i < s->nrow; i += stride) {
    put_row(t, s, i);
  }
  if (s->nrow > 0 && (s->nrow - 1) % stride != 0) put_row(t, s, s->nrow - 1);
  jtext_put(t, "</tbody></table>");
  if (stride > 1) {
    jtext_printf(t, "<p class=\"faint\">One row in %d of %d.</p>", stride, s->nrow);
  }
  jtext_put(t, "</div>\n");
}

static void put_sheets(jtext* t, const jreport_part* p) {
  for (int i = 0; i < p->nsheet; i++) {
    const jreport_sheet* s = &p->sheet[i];
    if (s->is_open) {
      if (*s->title) jreport_put_element(t, "h3", "", s->title);
      put_sheet(t, s);
    } else {
      jtext_put(t, "<details>");
      jreport_put_element(t, "summary", "", *s->title ? s->title : "numbers");
      put_sheet(t, s);
      jtext_put(t, "</details>\n");
    }
  }
}

// ---- parts ---------------------------------------------------------------------------------------

// Empty lines part paragraphs.
static void put_paragraphs(jtext* t, const char* text) {
  while (*text) {
    const char* end = text;
    while (*end && !(end[0] == '\n' && end[1] == '\n')) {
      end++;
    }
    jtext_put(t, "<p>");
    for (char one[2] = {0}; text < end; text++) {
      one[0] = *text;
      jreport_put_html(t, one);
    }
    jtext_put(t, "</p>\n");
    while (*text == '\n') {
      text++;
    }
  }
}

static void put_part(jtext* t, const jreport_part* p, int i) {
  jtext_printf(t, "<section id=\"part%d\">\n", i + 1);
  jreport_put_element(t, "h2", "", p->title);
  jtext_put(t, "\n");
  put_paragraphs(t, p->text);
  if (p->about && *p->about) jreport_put_element(t, "p", " class=\"faint\"", p->about);
  if (p->nfigure > 0) {
    jtext_printf(t, "<div class=\"plots%s\">\n", p->nfigure == 1 ? " one" : "");
    for (int k = 0; k < p->nfigure; k++) {
      jtext_put(t, "<figure>");
      jreport_svg_plot(t, &p->figure[k]);
      jtext_put(t, "</figure>\n");
    }
    jtext_put(t, "</div>\n");
  }
  put_sheets(t, p);
  jtext_put(t, "</section>\n");
}

static void put_heading(jtext* t, const jreport_study* s) {
  jtext_put(t, "<header>\n");
  jreport_put_element(t, "h1", "", s->name);
  jreport_put_element(t, "p", " class=\"lead\"", s->description);
  jtext_put(t, "\n<dl>\n");
  if (*s->path) jreport_put_term(t, "study", s->path);
  for (int i = 0; i < s->nmodel; i++) {
    const jreport_study_model* m = &s->model[i];
    jreport_put_term(t, "model", m->name);
    jreport_put_term(t, "file", m->path);
    jreport_put_term(t, "SHA-256", m->sha256);
  }
  if (*s->settings) jreport_put_term(t, "settings", s->settings);
  if (isfinite(s->tolerance)) {
    jtext_printf(t, "<dt>tolerance</dt><dd>%.3g</dd>\n", s->tolerance);
  }
  jreport_put_term(t, "jounce", jo_version());
  jtext_put(t, "</dl>\n</header>\n");
}

void jreport_study_html(jtext* out, const jreport_study* s) {
  jreport_put_head(out, s->name);
  put_heading(out, s);
  for (int i = 0; i < s->npart; i++) {
    put_part(out, &s->part[i], i);
  }
  jtext_put(out, "</body>\n</html>\n");
}
