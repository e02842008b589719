// SPDX-License-Identifier: Apache-2.0
// The page of a run: heading, tables, and the places of plots and replay.
#include "report/html/html.h"

#include <math.h>

#define MAX_EVENTS  400  // in the table
#define MAX_COLUMNS 6    // parameters with contributions of events

// ---- text ----------------------------------------------------------------------------------------

// Control characters have no place in HTML, whatever the model says.
void jreport_put_html(jtext* t, const char* s) {
  for (; *s; s++) {
    switch (*s) {
      case '&': jtext_put(t, "&amp;"); break;
      case '<': jtext_put(t, "&lt;"); break;
      case '>': jtext_put(t, "&gt;"); break;
      case '"': jtext_put(t, "&quot;"); break;
      case '\'': jtext_put(t, "&#39;"); break;
      default: jtext_write(t, (unsigned char)*s < 0x20 || *s == 0x7f ? " " : s, 1);
    }
  }
}

void jreport_put_element(jtext* t, const char* tag, const char* attributes, const char* text) {
  jtext_printf(t, "<%s%s>", tag, attributes);
  jreport_put_html(t, text);
  jtext_printf(t, "</%s>", tag);
}

void jreport_put_number_cell(jtext* t, double x, int digits) {
  if (!isfinite(x)) {
    jtext_put(t, "<td class=\"n\">\xe2\x80\x93</td>");
  } else {
    jtext_printf(t, "<td class=\"n\">%.*g</td>", digits, x + 0.0);
  }
}

void jreport_put_power_cell(jtext* t, double x) {
  if (!isfinite(x)) {
    jtext_put(t, "<td class=\"n\">\xe2\x80\x93</td>");
  } else if (x == 0.0) {
    jtext_put(t, "<td class=\"n\">0</td>");
  } else {
    jtext_printf(t, "<td class=\"n\">%.5e</td>", x);
  }
}

static void put_heads(jtext* t, const char* const* head, int n) {
  jtext_put(t, "<table>\n<thead><tr>");
  for (int i = 0; i < n; i++) {  // a leading '#': numbers
    bool is_number = head[i][0] == '#';
    jreport_put_element(t, "th", is_number ? " class=\"n\"" : "", head[i] + is_number);
  }
}

// ---- heading -------------------------------------------------------------------------------------

void jreport_put_term(jtext* t, const char* name, const char* text) {
  jreport_put_element(t, "dt", "", name);
  jreport_put_element(t, "dd", "", text);
  jtext_put(t, "\n");
}

static void put_options(jtext* t, const jplant_result* r) {
  const jplant_simulate_used* u = &r->used;
  jtext_put(t, "<dt>integration</dt><dd>");
  jreport_put_html(t, u->method);
  if (u->is_fixed_step) {
    jtext_printf(t, ", step %.6g s", u->step);
  } else {
    jtext_printf(t, ", tolerance %.3g", u->rel_tol);
  }
  jtext_printf(t, "; from %.6g s to %.6g s</dd>\n", u->t_start, r->t_reached);
  jtext_printf(t,
               "<dt>cost</dt><dd>%lld steps, %lld rejected, %lld evaluations, %lld "
               "projections</dd>\n",
               (long long)r->statistics.steps, (long long)r->statistics.rejected,
               (long long)r->statistics.evaluations, (long long)r->projections);
}

static void put_heading(jtext* t, const jreport_page* page) {
  const jplant_result* r = page->result;
  jtext_put(t, "<header>\n");
  jreport_put_element(t, "h1", "", r->model);
  jreport_put_element(t, "p", " class=\"lead\"", r->description);
  jtext_put(t, "\n<dl>\n");
  jreport_put_term(t, "file", r->path);
  jreport_put_term(t, "SHA-256", r->sha256);
  if (*r->settings) jreport_put_term(t, "settings", r->settings);
  put_options(t, r);
  if (page->gradient) jreport_put_term(t, "derivatives", page->method);
  jreport_put_term(t, "jounce", jo_version());
  jtext_put(t, "</dl>\n</header>\n");
}

// ---- objectives and derivatives ------------------------------------------------------------------

static void put_objectives(jtext* t, const jplant_result* r) {
  static const char* const head[] = {"name", "#value", "unit", "description"};
  const jplant_quantity* q = jplant_result_objectives(r);
  if (r->nobjective == 0) return;
  jtext_put(t, "<section>\n<h2>Objectives</h2>\n<div class=\"card\">");
  put_heads(t, head, 4);
  jtext_put(t, "</tr></thead>\n<tbody>\n");
  for (int i = 0; i < r->nobjective; i++) {
    jtext_put(t, "<tr>");
    jreport_put_element(t, "td", "", q[i].name);
    jreport_put_number_cell(t, q[i].value, 10);
    jreport_put_element(t, "td", "", q[i].unit);
    jreport_put_element(t, "td", " class=\"text\"", q[i].description);
    jtext_put(t, "</tr>\n");
  }
  jtext_put(t, "</tbody></table></div>\n</section>\n");
}

void jreport_put_bar(jtext* t, double percent, double largest) {
  double length = largest > 0.0 && isfinite(percent) ? 70.0 * percent / largest : 0.0;
  jtext_printf(t,
               "<td class=\"bar\"><svg width=\"150\" height=\"12\"><rect x=\"%.1f\" y=\"1\" "
               "width=\"%.1f\" height=\"10\" fill=\"%s\"/><line x1=\"75\" y1=\"0\" x2=\"75\" "
               "y2=\"12\" stroke=\"#616e7c\"/></svg></td>",
               length < 0.0 ? 75.0 + length : 75.0, fabs(length),
               length < 0.0 ? "#1d4ed8" : "#c2410c");
}

static void put_gradient_row(jtext* t, const jreport_gradient_row* k, double largest) {
  jtext_put(t, "<tr>");
  jreport_put_element(t, "td", "", k->name);
  jreport_put_number_cell(t, k->value, 7);
  jreport_put_element(t, "td", "", k->unit);
  jreport_put_power_cell(t, k->derivative);
  if (isfinite(k->error)) {
    jtext_printf(t, "<td class=\"n faint\">&plusmn; %.1e</td>", k->error);
  } else if (isinf(k->error)) {  // the start stands on a switch
    jreport_put_element(t, "td", " class=\"n faint\"", "one side");
  } else {
    jreport_put_power_cell(t, k->error);
  }
  jreport_put_power_cell(t, k->by_events);
  if (isfinite(k->percent)) {
    jtext_printf(t, "<td class=\"n\">%+.5f</td>", k->percent + 0.0);
  } else {
    jreport_put_number_cell(t, k->percent, 6);
  }
  jreport_put_bar(t, k->percent, largest);
  jreport_put_element(t, "td", " class=\"text\"", k->description);
  jtext_put(t, "</tr>\n");
}

static void put_gradient(jtext* t, const jplant_quantity* q, const jreport_gradient* g) {
  static const char* const head[] = {"parameter",  "#value",     "unit", "#derivative", "#error",
                                     "#by events", "#% per 1 %", "",     "description"};
  double largest = 0.0;
  for (int i = 0; i < g->nrow; i++) {
    if (isfinite(g->row[i].percent)) largest = fmax(largest, fabs(g->row[i].percent));
  }
  jtext_put(t, "<h3>d ");
  jreport_put_html(t, q->name);
  jtext_put(t, " / d parameter</h3>\n");
  if (g->why) jreport_put_element(t, "p", "", g->why);
  jtext_put(t, "<div class=\"card\">");
  put_heads(t, head, 9);
  jtext_put(t, "</tr></thead>\n<tbody>\n");
  for (int i = 0; i < g->nrow; i++) {
    put_gradient_row(t, &g->row[i], largest);
  }
  jtext_put(t, "</tbody></table></div>\n");
}

static void put_gradients(jtext* t, const jreport_page* page) {
  const jplant_quantity* q = jplant_result_objectives(page->result);
  if (!page->gradient || page->result->nobjective == 0) return;
  jtext_put(t,
            "<section>\n<h2>What matters</h2>\n<p class=\"faint\">Exact derivatives, most "
            "influential first. \xe2\x80\x9c% per 1 %\xe2\x80\x9d: how far the objective moves, in "
            "percent, when the parameter grows by one percent. \xe2\x80\x9c"
            "by events\xe2\x80\x9d: "
            "the part that comes from contacts and switches moving in time.</p>\n");
  for (int i = 0; i < page->result->nobjective; i++) {
    put_gradient(t, &q[i], &page->gradient[i]);
  }
  jtext_put(t, "</section>\n");
}

// ---- events --------------------------------------------------------------------------------------

static bool has_contributions(const jreport_page* page, int objective) {
  if (!page->gradient || objective >= page->result->nobjective || page->nevent == 0) return false;
  const double* c = page->event[0].contribution;
  return c && isfinite(c[objective * page->nparameter]);
}

static void put_event_row(jtext* t, const jreport_page* page, int i, int objective, int columns) {
  const jreport_event* e = &page->event[i];
  jtext_printf(t, "<tr><td class=\"n\">%.6f</td>", e->t);
  jreport_put_element(t, "td", e->follows ? " class=\"follows\"" : "", e->name);
  jreport_put_element(t, "td", "", e->on ? "on" : "off");
  for (int k = 0; k < columns; k++) {
    int parameter = page->gradient[objective].row[k].parameter;
    jreport_put_power_cell(t, e->contribution[objective * page->nparameter + parameter]);
  }
  jtext_put(t, "</tr>\n");
}

static void put_event_table(jtext* t, const jreport_page* page, int objective) {
  static const char* const head[] = {"#t [s]", "switch", "becomes"};
  int columns = has_contributions(page, objective) ? page->gradient[objective].nrow : 0;
  if (columns > MAX_COLUMNS) columns = MAX_COLUMNS;
  jtext_put(t, "<div class=\"card\">");
  put_heads(t, head, 3);
  for (int k = 0; k < columns; k++) {
    jreport_put_element(t, "th", " class=\"n\"", page->gradient[objective].row[k].name);
  }
  jtext_put(t, "</tr></thead>\n<tbody>\n");
  for (int i = 0; i < page->nevent && i < MAX_EVENTS; i++) {
    put_event_row(t, page, i, objective, columns);
  }
  jtext_put(t, "</tbody></table>");
  if (page->nevent > MAX_EVENTS) {
    jtext_printf(t, "<p class=\"faint\">and %d more</p>", page->nevent - MAX_EVENTS);
  }
  jtext_put(t, "</div>\n");
}

static void put_events(jtext* t, const jreport_page* page) {
  const jplant_quantity* q = jplant_result_objectives(page->result);
  if (page->nevent == 0) return;
  jtext_printf(t, "<section>\n<h2>Events: %d</h2>\n", page->nevent);
  bool is_done = false;
  for (int i = 0; i < page->result->nobjective; i++) {
    if (!has_contributions(page, i)) continue;
    jtext_put(t, "<h3>with what their motion adds to the derivatives of ");
    jreport_put_html(t, q[i].name);
    jtext_put(t, "</h3>\n");
    put_event_table(t, page, i);
    is_done = true;
  }
  if (!is_done) put_event_table(t, page, page->result->nobjective);
  jtext_put(t, "</section>\n");
}

// ---- the page ------------------------------------------------------------------------------------

void jreport_put_head(jtext* t, const char* title) {
  jtext_put(t,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  jreport_put_element(t, "title", "", title);
  jtext_put(t, "\n<style>\n");
  jtext_put(t, jreport_report_css);
  jtext_put(t, "</style>\n</head>\n<body>\n");
}

void jreport_html(jtext* out, const jreport_page* page) {
  jreport_put_head(out, page->result->model);
  put_heading(out, page);
  put_objectives(out, page->result);
  if (page->replay) jreport_html_replay(out, page->replay);
  put_gradients(out, page);
  jreport_html_plots(out, page->result);
  put_events(out, page);
  jtext_put(out, "</body>\n</html>\n");
}
