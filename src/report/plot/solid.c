// SPDX-License-Identifier: Apache-2.0
// Triangles of simple solids.
#include "report/plot/solid.h"

#include <math.h>
#include <string.h>

#define PI            3.14159265358979323846
#define SIDES         8   // of a stick
#define ROUND         48  // corners of a tyre
#define COIL_SIDES    6
#define COIL_PER_TURN 16

void jreport_solid_init(jreport_solid* s, jo_context* ctx) {
  *s = (jreport_solid){.ctx = ctx};
}

void jreport_solid_free(jreport_solid* s) {
  jmem_free(s->ctx, s->vertex);
  jmem_free(s->ctx, s->normal);
  jmem_free(s->ctx, s->index);
  *s = (jreport_solid){.ctx = s->ctx};
}

void jreport_solid_clear(jreport_solid* s) {
  s->nvertex = s->nindex = 0;
}

int jreport_solid_vertex(jreport_solid* s, const double* at, const double* normal) {
  int n = s->nvertex + 1;
  bool ok = jmem_grow(s->ctx, &s->vertex, &s->vertex_cap, n, sizeof *s->vertex) &&
            jmem_grow(s->ctx, &s->normal, &s->normal_cap, n, sizeof *s->normal);
  if (!ok) {
    s->failed = true;
    return 0;
  }
  for (int i = 0; i < 3; i++) {
    s->vertex[s->nvertex][i] = (float)at[i];
    s->normal[s->nvertex][i] = (float)normal[i];
  }
  return s->nvertex++;
}

void jreport_solid_triangle(jreport_solid* s, int a, int b, int c) {
  if (!jmem_grow(s->ctx, &s->index, &s->index_cap, s->nindex + 3, sizeof *s->index)) {
    s->failed = true;
    return;
  }
  s->index[s->nindex++] = (uint32_t)a;
  s->index[s->nindex++] = (uint32_t)b;
  s->index[s->nindex++] = (uint32_t)c;
}

static void quad(jreport_solid* s, int a, int b, int c, int d) {
  jreport_solid_triangle(s, a, b, c);
  jreport_solid_triangle(s, a, c, d);
}

// ---- vectors -------------------------------------------------------------------------------------

static void cross(const double* a, const double* b, double* out) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static double normalize(double* a) {
  double size = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  for (int i = 0; i < 3 && size > 0.0; i++) {
    a[i] /= size;
  }
  return size;
}

// Two directions across another, which make a right-handed frame with it.
static void frame_across(const double* along, double* x, double* y) {
  int least = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(along[i]) < fabs(along[least])) least = i;
  }
  double help[3] = {least == 0, least == 1, least == 2};
  cross(help, along, x);
  normalize(x);
  cross(along, x, y);
}

// ---- solids --------------------------------------------------------------------------------------

// A ring of vertices around `at`.
static int ring(jreport_solid* s, const double* at, const double* x, const double* y, double radius,
                int n) {
  int first = s->nvertex;
  for (int i = 0; i < n; i++) {
    double c = cos(2.0 * PI * i / n), d = sin(2.0 * PI * i / n), normal[3], p[3];
    for (int k = 0; k < 3; k++) {
      normal[k] = c * x[k] + d * y[k];
      p[k] = at[k] + radius * normal[k];
    }
    jreport_solid_vertex(s, p, normal);
  }
  return first;
}

// The surface between two rings, the second one further along.
static void join_rings(jreport_solid* s, int a, int b, int n) {
  for (int i = 0; i < n; i++) {
    int next = (i + 1) % n;
    quad(s, a + i, a + next, b + next, b + i);
  }
}

void jreport_solid_stick(jreport_solid* s, const double* a, const double* b, double radius) {
  double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, x[3], y[3];
  if (!(normalize(along) > 0.0)) return;
  frame_across(along, x, y);
  int from = ring(s, a, x, y, radius, SIDES), to = ring(s, b, x, y, radius, SIDES);
  join_rings(s, from, to, SIDES);
}

void jreport_solid_ball(jreport_solid* s, const double* at, double radius) {
  for (int face = 0; face < 8; face++) {
    double sign[3] = {face & 1 ? -1.0 : 1.0, face & 2 ? -1.0 : 1.0, face & 4 ? -1.0 : 1.0};
    double normal[3] = {sign[0], sign[1], sign[2]};
    normalize(normal);
    int corner[3];
    for (int i = 0; i < 3; i++) {
      double p[3] = {at[0], at[1], at[2]};
      p[i] += sign[i] * radius;
      corner[i] = jreport_solid_vertex(s, p, normal);
    }
    bool is_even = sign[0] * sign[1] * sign[2] > 0.0;
    jreport_solid_triangle(s, corner[0], corner[is_even ? 1 : 2], corner[is_even ? 2 : 1]);
  }
}

void jreport_solid_tyre(jreport_solid* s, double inner, double outer, double half_width) {
  static const double x[3] = {0.0, 0.0, 1.0}, y[3] = {1.0, 0.0, 0.0};
  double side[2][3] = {{0.0, -half_width, 0.0}, {0.0, half_width, 0.0}};
  int from = ring(s, side[0], x, y, outer, ROUND), to = ring(s, side[1], x, y, outer, ROUND);
  join_rings(s, from, to, ROUND);
  for (int k = 0; k < 2; k++) {
    int first = s->nvertex, a = ring(s, side[k], x, y, inner, ROUND);
    int b = ring(s, side[k], x, y, outer, ROUND);
    for (int i = first; i < s->nvertex && !s->failed; i++) {
      s->normal[i][0] = s->normal[i][2] = 0.0f;
      s->normal[i][1] = k ? 1.0f : -1.0f;
    }
    join_rings(s, k ? b : a, k ? a : b, ROUND);
  }
}

void jreport_solid_coil(jreport_solid* s, double radius, double wire, int turns) {
  int n = turns * COIL_PER_TURN, last = -1;
  for (int i = 0; i <= n; i++) {
    double a = 2.0 * PI * i / COIL_PER_TURN, z = 0.1 + 0.8 * i / n;
    double at[3] = {radius * cos(a), radius * sin(a), z}, along[3] = {-sin(a), cos(a), 0.0};
    double out[3] = {cos(a), sin(a), 0.0}, up[3];
    cross(along, out, up);
    int now = ring(s, at, out, up, wire, COIL_SIDES);
    // the wire runs along: out, up and along are right-handed the other way round
    if (last >= 0) join_rings(s, now, last, COIL_SIDES);
    last = now;
  }
}
