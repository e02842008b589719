// SPDX-License-Identifier: Apache-2.0
// The foot of a place on a line: no memory of where it was last, so that a run is a function of its state. A grid of
// cells over the plane knows the nearest point of the line for each of them; from there it is a walk and a few steps of
// Newton's method. docs/theory/road.md (R9), (R10)
#include <math.h>

#include "base/err.h"
#include "road/surface.h"

#define MARGIN     20.0  // of the cells around the line [m]
#define CELLS      200000
#define ROUNDS     60
#define SMALL_STEP 1e-15

typedef struct line {
  const jroad_table *x, *y;
} line;

static double coordinate(const jroad_table* t, int du, double u) {
  return jroad_table_at(t, du, 0, u, 0.0);
}

static double distance(const line* l, int i, double x, double y) {
  double u = l->x->u0 + i / l->x->inverse;
  double dx = x - coordinate(l->x, 0, u), dy = y - coordinate(l->y, 0, u);
  return dx * dx + dy * dy;
}

// The point of the line that is nearer than both its neighbours.
static int walk(const line* l, int i, double x, double y) {
  double here = distance(l, i, x, y);
  for (int step = -1; step <= 1; step += 2) {
    while (i + step >= 0 && i + step < l->x->nu) {
      double there = distance(l, i + step, x, y);
      if (!(there < here)) break;
      here = there;
      i += step;
    }
  }
  return i;
}

// (R9) F(u) = (x - X) X' + (y - Y) Y', falls through zero at the foot; and its derivative
static double miss(const line* l, double u, double x, double y, double* slope) {
  double dx = x - coordinate(l->x, 0, u), dy = y - coordinate(l->y, 0, u);
  double x1 = coordinate(l->x, 1, u), y1 = coordinate(l->y, 1, u);
  *slope = dx * coordinate(l->x, 2, u) + dy * coordinate(l->y, 2, u) - x1 * x1 - y1 * y1;
  return dx * x1 + dy * y1;
}

// Newton's method inside of a bracket with F > 0 at `low` and F < 0 at `high`.
static double search(const line* l, double u, double low, double high, double x, double y) {
  for (int i = 0; i < ROUNDS; i++) {
    double slope, F = miss(l, u, x, y, &slope);
    if (F == 0.0) return u;
    if (F > 0.0) {
      low = u;
    } else {
      high = u;
    }
    double next = slope < 0.0 ? u - F / slope : NAN;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - u) <= SMALL_STEP * (fabs(u) + 1.0)) return next;
    u = next;
  }
  return u;
}

static int cell(double s, int n) {
  return s > 0.0 ? (s < n - 1 ? (int)s : n - 1) : 0;
}

double jroad_foot(const jroad_surface* s, int k, double x, double y) {
  const jroad_near* near = &s->near[k];
  line l = {&s->table[k], &s->table[k + 1]};
  if (!isfinite(x) || !isfinite(y)) return NAN;
  int cx = cell((x - near->x0) * near->inverse, near->nx);
  int cy = cell((y - near->y0) * near->inverse, near->ny);
  int n = l.x->nu, i = walk(&l, near->point[cy * near->nx + cx], x, y);
  double du = 1.0 / l.x->inverse, u = l.x->u0 + i * du, slope;
  double F = miss(&l, u, x, y, &slope);
  // beyond its ends the line goes straight on
  if ((i == 0 && F <= 0.0) || (i == n - 1 && F >= 0.0)) {
    double x1 = coordinate(l.x, 1, u), y1 = coordinate(l.y, 1, u);
    return u + F / (x1 * x1 + y1 * y1);
  }
  double low = F > 0.0 ? u : u - du, high = F > 0.0 ? u + du : u;
  return search(&l, u, low, high, x, y);
}

// ---- cells ---------------------------------------------------------------------------------------

typedef struct cells {
  jroad_near near;
  const double *x, *y;
  int* point;  // -1: none so far
} cells;

static double far(const cells* c, int i, int cx, int cy) {
  double x = c->near.x0 + (cx + 0.5) / c->near.inverse - c->x[i];
  double y = c->near.y0 + (cy + 0.5) / c->near.inverse - c->y[i];
  return x * x + y * y;
}

// The cell takes what its neighbour has, where that is nearer.
static void ask(cells* c, int cx, int cy, int ox, int oy) {
  int nx = c->near.nx, ny = c->near.ny, x = cx + ox, y = cy + oy;
  if (x < 0 || y < 0 || x >= nx || y >= ny) return;
  int theirs = c->point[y * nx + x], *own = &c->point[cy * nx + cx];
  if (theirs < 0) return;
  if (*own < 0 || far(c, theirs, cx, cy) < far(c, *own, cx, cy)) *own = theirs;
}

// Two passes forwards and two backwards carry the nearest points over all cells.
static void spread(cells* c) {
  int nx = c->near.nx, ny = c->near.ny;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < nx * ny; i++) {
      int cx = i % nx, cy = i / nx;
      ask(c, cx, cy, -1, 0), ask(c, cx, cy, -1, -1), ask(c, cx, cy, 0, -1), ask(c, cx, cy, 1, -1);
    }
    for (int i = nx * ny - 1; i >= 0; i--) {
      int cx = i % nx, cy = i / nx;
      ask(c, cx, cy, 1, 0), ask(c, cx, cy, 1, 1), ask(c, cx, cy, 0, 1), ask(c, cx, cy, -1, 1);
    }
  }
}

static void bounds(const double* x, int n, double* low, double* high) {
  *low = *high = x[0];
  for (int i = 1; i < n; i++) {
    *low = fmin(*low, x[i]);
    *high = fmax(*high, x[i]);
  }
  *low -= MARGIN;
  *high += MARGIN;
}

jo_status jroad_near_build(jo_context* ctx, jarena* a, const jroad_source* x, const jroad_source* y,
                           jroad_near* out) {
  double x1, y1;
  cells c = {.x = x->value, .y = y->value};
  bounds(x->value, x->nu, &c.near.x0, &x1);
  bounds(y->value, x->nu, &c.near.y0, &y1);
  double area = (x1 - c.near.x0) * (y1 - c.near.y0), size = fmax(sqrt(area / CELLS), 0.5);
  c.near.inverse = 1.0 / size;
  c.near.nx = (int)ceil((x1 - c.near.x0) / size);
  c.near.ny = (int)ceil((y1 - c.near.y0) / size);
  int n = c.near.nx * c.near.ny;
  c.point = JARENA_ARRAY(a, n, int);
  if (!c.point) return jerr_memory(ctx);
  for (int i = 0; i < n; i++) {
    c.point[i] = -1;
  }
  for (int i = 0; i < x->nu; i++) {
    int cx = cell((c.x[i] - c.near.x0) * c.near.inverse, c.near.nx);
    int cy = cell((c.y[i] - c.near.y0) * c.near.inverse, c.near.ny);
    int* own = &c.point[cy * c.near.nx + cx];
    if (*own < 0 || far(&c, i, cx, cy) < far(&c, *own, cx, cy)) *own = i;
  }
  spread(&c);
  c.near.point = c.point;
  *out = c.near;
  return JO_OK;
}
