// SPDX-License-Identifier: Apache-2.0
// Tables of a road: heights over (u, v), read in constant time, with their derivatives. docs/theory/road.md
//
// Along u a table has equal spacing and is a cubic spline (twice continuously differentiable) or a polygon; across, v,
// it has columns at any distance. Part of exports: sources of tables become the same tables there.
#ifndef JROAD_SURFACE_H
#define JROAD_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/data.h"
#include "base/mem.h"

// Beyond the ends of a table.
typedef enum jroad_ends {
  JROAD_KEEP,     // the last value
  JROAD_LINE,     // straight on
  JROAD_ZERO,     // zero
  JROAD_REPEAT,   // the table again
  JROAD_REFLECT,  // the table backwards, and so on
  JROAD_NONE,     // not a number
  JROAD_ENDS_COUNT
} jroad_ends;

// Between columns.
typedef enum jroad_across {
  JROAD_STRAIGHT,  // polygons
  JROAD_BLEND,     // level at the columns, smooth between them (twice continuously differentiable)
  JROAD_SMOOTH     // cubic, once continuously differentiable
} jroad_across;

// A random road. docs/theory/road.md (R1)-(R4)
typedef struct jroad_random {
  double roughness;  // displacement spectral density at 0.1 cycles/m [m^3]
  double coherence;  // wave number at which half of the amplitude is common to both tracks [1/m]
  double length;     // with ramps [m]
  double ramp;       // length over which it grows and dies away [m]
  uint64_t seed;
} jroad_random;

// A table as it is given.
typedef struct jroad_source {
  bool is_random;
  bool is_line;   // x(u), and y(u) with the next table: places have feet on it
  bool is_level;  // splines end without slope; else without third derivative
  int degree;     // along: 1, 3
  jroad_ends ends, sides;
  jroad_across across;
  int nu, nv;           // nu: of a random road it follows from its length
  double u0, du;        // [m]
  const double* v;      // ascending (nv)
  const double* value;  // by u, then by v (nu x nv); of a random road none
  jroad_random random;
} jroad_source;

typedef struct jroad_table {
  int degree, nu, nv;
  jroad_ends ends, sides;
  jroad_across across;
  double u0, inverse;  // 1 / du
  const double* v;
  const double*
      c;  // of the spline, (nu + 2) x nv from that before the first on; or heights, nu x nv
} jroad_table;

// Which point of a line is near: an index for every cell of the plane around it.
typedef struct jroad_near {
  double x0, y0, inverse;
  int nx, ny;
  const int* point;  // NULL: no line begins with this table
} jroad_near;

typedef struct jroad_surface {
  jdata data;
  int n;
  const jroad_table* table;
  const jroad_near* near;
} jroad_surface;

// Tables from their sources, in the arena. Sources need not live on; they must make sense (jroad_source_fault).
jo_status jroad_build(jo_context* ctx, jarena* a, const jroad_source* source, int n,
                      jroad_surface** out);
// Doubles of the table of a source.
double jroad_size(const jroad_source* s);
// Points of a random road along u.
int jroad_random_points(const jroad_random* r);

// A number from 0 to 1 that follows from a seed and a place.
double jroad_chance(uint64_t seed, int i, int j);

// Coefficients of a random road (nu + 2) x nv; `scratch` (jroad_random_scratch) is the caller's.
void jroad_random_fill(const jroad_random* r, int nu, int nv, double* c, double* scratch);
int jroad_random_scratch(int nu);
#define JROAD_RANDOM_SPACING 0.1  // [m]

// Foot on the line of tables k and k + 1.
double jroad_foot(const jroad_surface* s, int k, double x, double y);
jo_status jroad_near_build(jo_context* ctx, jarena* a, const jroad_source* x, const jroad_source* y,
                           jroad_near* out);
double jroad_table_at(const jroad_table* t, int du, int dv, double u, double v);

#endif
