// SPDX-License-Identifier: Apache-2.0
// Data that equations read while they are evaluated: a road. A graph names tables by number (expr/graph.h,
// jexpr_data); what is in them comes with the arrays of inputs, so that functions are the same whatever the data are
// and however many. Emitted code knows the head of this structure and nothing else (emit/c/prelude.c).
#ifndef JDATA_H
#define JDATA_H

// Where the foot of a place on a line is asked for, in the stead of a number of derivatives.
#define JDATA_FOOT (-1)
// Where a limit of a table is asked for: dv is 0 for its first u, 1 for its last, 2 and 3 for its v.
#define JDATA_LIMIT (-2)

typedef struct jdata {
  // Table `which` at (u, v), differentiated du times by u and dv times by v. With du = JDATA_FOOT: the u of the point
  // nearest to (x, y) = (u, v) on the line whose coordinates are the tables `which` and `which` + 1. With du = JDATA_LIMIT: a limit, whatever u and v.
  double (*at)(const struct jdata* d, int which, int du, int dv, double u, double v);
} jdata;

// Data among the arrays of inputs of a function.
static inline const double* jdata_as_input(const jdata* d) {
  return (const double*)(const void*)d;
}
static inline double jdata_of_input(const double* in, int which, int du, int dv, double u,
                                    double v) {
  const jdata* d = (const jdata*)(const void*)in;
  return d->at(d, which, du, dv, u, v);
}

#endif
