// SPDX-License-Identifier: Apache-2.0
// Plots of the sensors over time. Sensors share a plot where they have the same unit, belong together
// by name (load_fl, load_fr) or by nothing else, and can be told apart on one axis.
#include <math.h>
#include <string.h>

#include "report/html/html.h"
#include "report/plot/svg_plot.h"

#define MAX_CURVES 6
#define MAX_MARKS  60    // of events; more would be a wall
#define ALIKE      25.0  // ranges of curves in one plot, larger over smaller
#define CRUSHED    4.0   // range of the plot over the largest of its curves

typedef struct curve {
  int column;
  double low, high;
  bool is_done;
} curve;

typedef struct plots {
  const jplant_result* r;
  jarena a;
  int n;
  curve* curve;
  double *t, *y;  // columns: y curve by curve
  double mark[MAX_MARKS];
  int nmark;
} plots;

static const jplant_quantity* quantity(const plots* p, const curve* c) {
  return &p->r->column[c->column];
}

// What is before the last '_', or before digits at the end.
static size_t stem(const char* name) {
  const char* bar = strrchr(name, '_');
  if (bar && bar != name) return (size_t)(bar - name);
  size_t n = strlen(name);
  while (n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9') {
    n--;
  }
  return n;
}

static bool same_stem(const char* a, const char* b) {
  return stem(a) == stem(b) && strncmp(a, b, stem(a)) == 0;
}

static bool has_family(const plots* p, const curve* c) {
  for (int i = 0; i < p->n; i++) {
    const curve* k = &p->curve[i];
    bool same_unit = strcmp(quantity(p, k)->unit, quantity(p, c)->unit) == 0;
    if (k != c && same_unit && same_stem(quantity(p, k)->name, quantity(p, c)->name)) return true;
  }
  return false;
}

static bool belong_together(const plots* p, const curve* a, const curve* b) {
  const jplant_quantity *x = quantity(p, a), *y = quantity(p, b);
  if (strcmp(x->unit, y->unit) != 0) return false;
  if (same_stem(x->name, y->name)) return true;
  return !has_family(p, a) && !has_family(p, b);
}

// Ranges compare, and the axis for both does not crush either. What is flat goes anywhere near.
static bool fit(const curve* a, const curve* b) {
  double ra = a->high - a->low, rb = b->high - b->low, larger = fmax(ra, rb);
  double all = fmax(a->high, b->high) - fmin(a->low, b->low);
  bool alike = fmin(ra, rb) * ALIKE >= larger;
  return all == 0.0 || (alike && all <= CRUSHED * larger);
}

static void measure(plots* p, int i) {
  curve* c = &p->curve[i];
  const jplant_result* r = p->r;
  c->column = 1 + i;
  c->low = INFINITY;
  c->high = -INFINITY;
  for (int k = 0; k < r->nrow; k++) {
    double y = r->row[(size_t)k * (size_t)r->ncolumn + (size_t)c->column];
    p->y[(size_t)i * (size_t)r->nrow + (size_t)k] = y;
    if (isfinite(y)) c->low = fmin(c->low, y);
    if (isfinite(y)) c->high = fmax(c->high, y);
  }
  // rounding is no motion: nothing is worth a plot of noise
  double noise = 1e-9 * fmax(fabs(c->low), fabs(c->high)) + 1e-13;
  if (c->high - c->low <= noise) c->low = c->high = 0.5 * (c->low + c->high);
}

// "z1", "load: wheel load" where names have a stem in common, else all names.
static const char* title_of(plots* p, const int* member, int n) {
  const jplant_quantity* first = quantity(p, &p->curve[member[0]]);
  bool is_family = n == 1 || same_stem(first->name, quantity(p, &p->curve[member[1]])->name);
  int length = (int)(n == 1 ? strlen(first->name) : stem(first->name));
  const char* about = first->description;
  if (is_family) {
    return jarena_printf(&p->a, "%.*s%s%s", length, first->name, *about ? ": " : "", about);
  }
  const char* title = first->name;
  for (int i = 1; i < n && title; i++) {
    title = jarena_printf(&p->a, "%s, %s", title, quantity(p, &p->curve[member[i]])->name);
  }
  return title;
}

static void draw(jtext* t, plots* p, const int* member, int n) {
  jreport_series series[MAX_CURVES];
  const jplant_quantity* first = quantity(p, &p->curve[member[0]]);
  for (int i = 0; i < n; i++) {
    const jplant_quantity* q = quantity(p, &p->curve[member[i]]);
    const double* y = p->y + (size_t)member[i] * (size_t)p->r->nrow;
    series[i] = (jreport_series){.name = q->name, .x = p->t, .y = y, .n = p->r->nrow};
  }
  const char* title = title_of(p, member, n);
  if (!title) t->failed = true;
  bool has_unit = *first->unit && strcmp(first->unit, "1") != 0;
  jreport_plot plot = {.title = title ? title : "",
                       .subtitle = "",
                       .x_label = "t [s]",
                       .y_label = has_unit ? first->unit : "",
                       .series = series,
                       .nseries = n,
                       .mark_x = p->mark,
                       .nmark = p->nmark};
  jtext_put(t, "<figure>");
  jreport_svg_plot(t, &plot);
  jtext_put(t, "</figure>\n");
}

static void draw_with_friends(jtext* t, plots* p, int first) {
  int member[MAX_CURVES] = {first}, n = 1;
  for (int i = first + 1; i < p->n && n < MAX_CURVES; i++) {
    curve* c = &p->curve[i];
    bool fits = !c->is_done && belong_together(p, &p->curve[first], c);
    for (int k = 0; k < n && fits; k++) {
      fits = fit(&p->curve[member[k]], c);
    }
    if (!fits) continue;
    c->is_done = true;
    member[n++] = i;
  }
  draw(t, p, member, n);
}

static bool prepare(plots* p) {
  const jplant_result* r = p->r;
  p->n = r->nsensor > 0 ? r->nsensor : r->noutput;
  p->curve = JARENA_ARRAY(&p->a, p->n, curve);
  p->t = JARENA_ARRAY(&p->a, r->nrow, double);
  p->y = JARENA_ARRAY(&p->a, (size_t)p->n * (size_t)r->nrow, double);
  if (!p->curve || !p->t || !p->y) return false;
  for (int k = 0; k < r->nrow; k++) {
    p->t[k] = r->row[(size_t)k * (size_t)r->ncolumn];
  }
  for (int i = 0; i < p->n; i++) {
    measure(p, i);
  }
  for (int i = 0; i < r->nevent && r->nevent <= MAX_MARKS; i++) {
    p->mark[p->nmark++] = r->event[i].t;
  }
  return true;
}

void jreport_html_plots(jtext* t, const jplant_result* r) {
  plots p = {.r = r};
  jarena_init(&p.a, r->ctx);
  if (!prepare(&p)) t->failed = true;
  if (!t->failed && p.n > 0 && r->nrow > 0) {
    jtext_put(t, "<section>\n<h2>Over time</h2>\n");
    if (p.nmark > 0) jtext_put(t, "<p class=\"faint\">Dashed lines are events.</p>\n");
    jtext_put(t, "<div class=\"plots\">\n");
    for (int i = 0; i < p.n; i++) {
      if (!p.curve[i].is_done) draw_with_friends(t, &p, i);
    }
    jtext_put(t, "</div>\n</section>\n");
  }
  jarena_free(&p.a);
}
