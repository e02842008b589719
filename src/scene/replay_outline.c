// SPDX-License-Identifier: Apache-2.0
// Edges of a body: those of the convex hull of its points. Bodies have a handful of points, so every
// pair is tried with every third point. Points in a line are joined one after the other.
#include <math.h>

#include "scene/replay.h"

#define SAME 1e-5  // [m]

typedef struct v3 {
  double x, y, z;
} v3;

static v3 sub(v3 a, v3 b) {
  return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static v3 cross(v3 a, v3 b) {
  return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(v3 a, v3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double size(v3 a) {
  return sqrt(dot(a, a));
}

static v3 unit(v3 a) {
  double s = 1.0 / size(a);
  return (v3){a.x * s, a.y * s, a.z * s};
}

typedef struct cloud {
  int n;
  v3* p;
  bool* is_joined;
  jscene_replay_body* body;
} cloud;

static void join(cloud* c, int i, int j) {
  int* e = c->body->edge + 2 * c->body->nedge++;
  e[0] = c->body->point[i];
  e[1] = c->body->point[j];
  c->is_joined[i] = c->is_joined[j] = true;
}

// Signs of values met: all on one side?
typedef struct sides {
  bool above, below;
} sides;

static void note(sides* s, double d) {
  s->above = s->above || d > SAME;
  s->below = s->below || d < -SAME;
}

// Whether the plane of i, j, k supports the cloud and the line i-j the points in that plane.
static bool supports(const cloud* c, int i, int j, int k) {
  v3 along = sub(c->p[j], c->p[i]), normal = cross(along, sub(c->p[k], c->p[i]));
  if (size(normal) < SAME * size(along)) return false;
  normal = unit(normal);
  v3 across = unit(cross(normal, along));
  sides plane = {0}, line = {0};
  for (int q = 0; q < c->n; q++) {
    v3 r = sub(c->p[q], c->p[i]);
    double height = dot(r, normal);
    note(&plane, height);
    if (fabs(height) <= SAME) note(&line, dot(r, across));
  }
  return !(plane.above && plane.below) && !(line.above && line.below);
}

// Nothing of the cloud between i and j on their line.
static bool are_neighbours(const cloud* c, int i, int j) {
  v3 along = sub(c->p[j], c->p[i]);
  double length = size(along);
  if (length < SAME) return false;
  for (int q = 0; q < c->n; q++) {
    v3 r = sub(c->p[q], c->p[i]);
    double at = dot(r, along) / length;
    bool on_line = size(cross(r, along)) < SAME * length;
    if (on_line && at > SAME && at < length - SAME) return false;
  }
  return true;
}

static bool is_straight(const cloud* c) {
  for (int i = 1; i < c->n; i++) {
    v3 a = sub(c->p[i], c->p[0]);
    for (int j = i + 1; j < c->n; j++) {
      v3 b = sub(c->p[j], c->p[0]);
      if (size(cross(a, b)) > SAME * fmax(size(a), size(b))) return false;
    }
  }
  return true;
}

static bool is_edge(const cloud* c, int i, int j, bool straight) {
  if (!are_neighbours(c, i, j)) return false;
  for (int k = 0; k < c->n && !straight; k++) {
    if (k != i && k != j && supports(c, i, j, k)) return true;
  }
  return straight;
}

static void tie_inner_points(cloud* c) {
  for (int i = 0; i < c->n; i++) {
    int nearest = -1;
    double least = INFINITY;
    for (int j = 0; j < c->n && !c->is_joined[i]; j++) {
      double d = size(sub(c->p[j], c->p[i]));
      if (j == i || d >= least) continue;
      least = d;
      nearest = j;
    }
    if (nearest >= 0 && least > SAME) join(c, i, nearest);
  }
}

jo_status jscene_replay_outline(jo_context* ctx, jarena* a, const double* xyz,
                                jscene_replay_body* b) {
  int n = b->npoint;
  cloud c = {n, JARENA_ARRAY(a, n, v3), JARENA_ARRAY(a, n, bool), b};
  b->edge = JARENA_ARRAY(a, n * (n + 1), int);
  b->nedge = 0;
  if (!c.p || !c.is_joined || !b->edge) return jerr_memory(ctx);
  for (int i = 0; i < n; i++) {
    const double* r = xyz + 3 * b->point[i];
    c.p[i] = (v3){r[0], r[1], r[2]};
  }
  bool straight = is_straight(&c);
  for (int i = 0; i < n; i++) {
    for (int j = i + 1; j < n; j++) {
      if (is_edge(&c, i, j, straight)) join(&c, i, j);
    }
  }
  tie_inner_points(&c);
  return JO_OK;
}
