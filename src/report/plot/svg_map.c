// SPDX-License-Identifier: Apache-2.0
// Cells of one colour are one path each: neighbours in a row are joined.
#include "report/plot/svg_map.h"

#include <math.h>

#define LEVELS 20  // of colour on either side of zero, or above it
#define ROWS   72  // of cells over the height of the map, about
#define BAR    84  // of the width: bar and its numbers
#define END    (JREPORT_WIDTH - JREPORT_RIGHT - BAR)

typedef struct map {
  const jreport_map* m;
  jreport_axis x, y, z;
  bool has_signs;    // white is zero; else the least
  double low, high;  // of z
  int rows;          // of cells between two y
} map;

// ---- colours -------------------------------------------------------------------------------------

// -LEVELS ... LEVELS; beyond: none.
static int level_of(const map* p, double z) {
  if (!isfinite(z)) return LEVELS + 1;
  double zero = p->has_signs ? 0.0 : p->low;
  double most = p->has_signs ? fmax(-p->low, p->high) : p->high - p->low;
  return (int)lround(LEVELS * (z - zero) / most);
}

// White, blue above and orange below it, darker at the ends.
static void put_colour(jtext* t, int level) {
  static const double above[3][3] = {{247, 249, 251}, {96, 148, 228}, {23, 55, 140}};
  static const double below[3][3] = {{247, 249, 251}, {240, 150, 90}, {154, 46, 8}};
  const double(*c)[3] = level < 0 ? below : above;
  double s = 2.0 * fabs((double)level) / LEVELS;
  int first = s < 1.0 ? 0 : 1;
  jtext_put(t, "#");
  for (int i = 0; i < 3; i++) {
    double v = c[first][i] + (s - first) * (c[first + 1][i] - c[first][i]);
    jtext_printf(t, "%02x", (unsigned)lround(v));
  }
}

// ---- cells ---------------------------------------------------------------------------------------

// Where the cell of column i begins and that of the one before it ends.
static double edge(const map* p, int i) {
  const jreport_map* m = p->m;
  double x = i <= 0 ? m->x[0] : i >= m->nx ? m->x[m->nx - 1] : 0.5 * (m->x[i - 1] + m->x[i]);
  return jreport_axis_place(&p->x, x);
}

static double value_at(const map* p, int column, int row, double part) {
  const jreport_map* m = p->m;
  const double* z = m->z + (size_t)row * (size_t)m->nx + (size_t)column;
  return part > 0.0 ? (1.0 - part) * z[0] + part * z[m->nx] : z[0];
}

// All cells of one level in one row of cells, from y0 to y1.
static void put_row(jtext* t, const map* p, int level, int row, double part, double y0, double y1) {
  for (int i = 0; i < p->m->nx; i++) {
    if (level_of(p, value_at(p, i, row, part)) != level) continue;
    int first = i;
    while (i + 1 < p->m->nx && level_of(p, value_at(p, i + 1, row, part)) == level) {
      i++;
    }
    double left = edge(p, first), right = edge(p, i + 1);
    jtext_printf(t, "M%.1f %.1fH%.1fV%.1fH%.1fz", left, y0, right, y1, left);
  }
}

static void put_level(jtext* t, const map* p, int level) {
  const jreport_map* m = p->m;
  jtext_put(t, "<path fill=\"");
  put_colour(t, level);
  jtext_put(t, "\" d=\"");
  for (int row = 0; row + 1 < m->ny; row++) {
    for (int k = 0; k < p->rows; k++) {
      double step = (m->y[row + 1] - m->y[row]) / p->rows;
      double y0 = jreport_axis_place(&p->y, m->y[row] + k * step);
      double y1 = jreport_axis_place(&p->y, m->y[row] + (k + 1) * step);
      put_row(t, p, level, row, (k + 0.5) / p->rows, y0, y1);
    }
  }
  jtext_put(t, "\"/>\n");
}

// ---- the bar -------------------------------------------------------------------------------------

static void put_bar(jtext* t, const map* p) {
  const double left = END + 20.0, width = 14.0;
  int low = level_of(p, p->low), n = level_of(p, p->high) - low + 1;
  double top = JREPORT_TOP, height = JREPORT_HEIGHT - JREPORT_TOP - JREPORT_BOTTOM;
  for (int i = 0; i < n; i++) {
    jtext_printf(t, "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" height=\"%.2f\" fill=\"", left,
                 top + height * (n - 1 - i) / n, width, height / n + 0.3);
    put_colour(t, low + i);
    jtext_put(t, "\"/>\n");
  }
  for (int i = 0; i <= p->z.nstep; i++) {
    double v = jreport_axis_tick(&p->z, i);
    if (v < p->low || v > p->high) continue;
    double y = top + height * (p->high - v) / (p->high - p->low);
    jtext_printf(t, "<text x=\"%.1f\" y=\"%.1f\" fill=\"" JREPORT_FAINT "\">", left + width + 6.0,
                 y + 4.0);
    jreport_axis_text(t, &p->z, v);
    jtext_put(t, "</text>\n");
  }
}

// ---- all of it -----------------------------------------------------------------------------------

static jreport_axis whole_axis(const double* v, int n, bool is_x) {
  jreport_axis a = {0};
  jreport_axis_choose(&a, n > 0 ? v[0] : 0.0, n > 0 ? v[n - 1] : 1.0);
  // no margins: ticks stand where they are inside
  if (n > 1) a.low = v[0], a.high = v[n - 1];
  a.from = is_x ? JREPORT_LEFT : JREPORT_HEIGHT - JREPORT_BOTTOM;
  a.length = is_x ? END - JREPORT_LEFT : -(JREPORT_HEIGHT - JREPORT_TOP - JREPORT_BOTTOM);
  while (a.nstep > 0 && a.first * a.step < a.low - 1e-9 * fabs(a.step)) {
    a.first += 1.0;
    a.nstep--;
  }
  while (a.nstep > 0 && (a.first + a.nstep) * a.step > a.high + 1e-9 * fabs(a.step)) {
    a.nstep--;
  }
  return a;
}

static void measure(map* p) {
  const jreport_map* m = p->m;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < (size_t)m->nx * (size_t)m->ny; i++) {
    if (!isfinite(m->z[i])) continue;
    low = fmin(low, m->z[i]);
    high = fmax(high, m->z[i]);
  }
  p->has_signs = low < 0.0 && high > 0.0;
  p->low = low < high ? low : low == high ? low - 0.5 : 0.0;
  p->high = low < high ? high : p->low + 1.0;
  jreport_axis_choose(&p->z, p->low, p->high);
  p->rows = m->ny > 1 ? (ROWS + m->ny - 2) / (m->ny - 1) : 1;
}

void jreport_svg_map(jtext* out, const jreport_captions* captions, const jreport_map* m) {
  map p = {.m = m, .x = whole_axis(m->x, m->nx, true), .y = whole_axis(m->y, m->ny, false)};
  measure(&p);
  int margin = jreport_axis_margin(&p.y);
  jreport_svg_begin(out, captions->title, margin, JREPORT_WIDTH + margin);
  jreport_svg_grid(out, &p.x, &p.y, true);
  jreport_svg_grid(out, &p.x, &p.y, false);
  jtext_put(out, "<g shape-rendering=\"crispEdges\">\n");
  for (int level = level_of(&p, p.low); level <= level_of(&p, p.high); level++) {
    put_level(out, &p, level);
  }
  jtext_put(out, "</g>\n");
  for (int i = 0; i < m->ny; i++) {
    double y = jreport_axis_place(&p.y, m->y[i]);
    jreport_svg_line(out, END, y, END + 6.0, y, "stroke=\"" JREPORT_INK "\" stroke-width=\"1\"");
  }
  jreport_svg_frame(out, captions, margin, END);
  put_bar(out, &p);
  jtext_put(out, "</svg>\n");
}
