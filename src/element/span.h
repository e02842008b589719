// SPDX-License-Identifier: Apache-2.0
// Two points and the line between them: what springs, dampers and cylinders act along.
#ifndef JELEMENT_SPAN_H
#define JELEMENT_SPAN_H

#include "gen/force/element.h"
#include "model/read/reader.h"

// Two points of different bodies: first in the data of a class that acts between them.
typedef struct jelement_ends {
  jmodel_point a, b;
} jelement_ends;

bool jelement_read_ends(const jmodel_at* at, const jmodel_node* ends, const char* label,
                        jelement_ends* out);
// `draw` and `follows` of such classes.
int jelement_draw_line(const jmodel_element* e, jmodel_shape* out);
bool jelement_ends_follow(const jmodel_element* e, int body);

// docs/theory/dynamics.md eq. (F1):
//   x = |b - a|    u = (b - a) / x    xd = u . (bd - ad)    a is pulled by T u, b by -T u
typedef struct jelement_span {
  jexpr_ref length, rate;  // x [m], xd [m/s]; the latter is poison with the positions alone
  jexpr_v3 u;              // in the frame of what carries both links
  int link[2], base;
  const jmodel_point* end[2];
} jelement_span;

// The element is watched for a length that vanishes.
jelement_span jelement_span_of(jgen* s, const jmodel_element* m, const jelement_ends* ends,
                               jgen_element* e);
// T pulls both ends together.
void jelement_span_pull(jgen* s, const jelement_span* p, jexpr_ref T);

#endif
