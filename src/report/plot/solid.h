// SPDX-License-Identifier: Apache-2.0
// Triangles of simple solids, for scenes: sticks, balls, drums, coils.
#ifndef JREPORT_SOLID_H
#define JREPORT_SOLID_H

#include <stdint.h>

#include "base/mem.h"

// Vertices with normals, and triangles over them. Running out of memory is remembered.
typedef struct jreport_solid {
  jo_context* ctx;
  int nvertex, vertex_cap, normal_cap;
  float (*vertex)[3], (*normal)[3];
  int nindex, index_cap;
  uint32_t* index;
  bool failed;
} jreport_solid;

void jreport_solid_init(jreport_solid* s, jo_context* ctx);
void jreport_solid_free(jreport_solid* s);
void jreport_solid_clear(jreport_solid* s);

int jreport_solid_vertex(jreport_solid* s, const double* at, const double* normal);
void jreport_solid_triangle(jreport_solid* s, int a, int b, int c);

// A round stick between two points, open at its ends; none where they are one.
void jreport_solid_stick(jreport_solid* s, const double* a, const double* b, double radius);
// A ball of few faces: eight.
void jreport_solid_ball(jreport_solid* s, const double* at, double radius);
// The tread and the flanks of a tyre around the y axis, from `inner` to `outer` radius.
void jreport_solid_tyre(jreport_solid* s, double inner, double outer, double half_width);
// A helix along z from 0 to 1.
void jreport_solid_coil(jreport_solid* s, double radius, double wire, int turns);

#endif
