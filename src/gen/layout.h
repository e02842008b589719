// SPDX-License-Identifier: Apache-2.0
// The state y of a model as data: its blocks, and of every state its name, unit and scale. This is the
// only place that knows where a state stands in y and what it is called.
#ifndef JGEN_LAYOUT_H
#define JGEN_LAYOUT_H

#include "base/mem.h"
#include "model/model.h"

typedef struct jgen_partition {
  int nu, nv, nd;  // independent, dependent, driven coordinates
  int *u, *v, *d;  // model coordinates
  int nrow;        // closure equations kept = nv
  int* row;        // which, in pivot order
  int* pivot;      // position in v of the pivot of each kept equation, in pivot order
  int nredundant;
  int* redundant;  // equations that follow from the others
} jgen_partition;

// y = [ q_u | q_v | qd_u | z | filters | integrals ], block after block without gaps
typedef enum jgen_block {
  JGEN_QU,        // independent positions, in the order of the partition
  JGEN_QV,        // dependent positions, likewise: closed after every step
  JGEN_QDU,       // velocities of the independent positions
  JGEN_Z,         // states of the model; those of elements follow them
  JGEN_FILTER,    // of objectives, two for each section
  JGEN_INTEGRAL,  // one for each objective
  JGEN_BLOCK_COUNT
} jgen_block;

typedef struct jgen_span {
  int first, n;
} jgen_span;

//   name        q_u, q_v: of the coordinate        qd_u: <coordinate>.rate      z: of the state
//               filters: <objective>.filter.<k>    integrals: of the objective; <objective>.integral
//               where a coordinate or state is called so
//   nominal     typical size, the scale of its error: 1 but for states that say otherwise
//   is_held     keeps its initial value while equilibrium is sought
//   is_discrete changes at events only: its rate is zero, its error too
//   is_followed its error counts with those of the others: not of q_v, which follow from q_u, nor of
//               integrals, which are added up apart
typedef struct jgen_layout {
  int ny, nq;
  jgen_span block[JGEN_BLOCK_COUNT];
  const char **name, **unit;  // (ny)
  double* nominal;
  bool *is_held, *is_followed, *is_discrete;
  int nown, *own;  // what moves by itself, in its order in y
  int *q, *qd;     // where position and velocity of a coordinate stand in y; -1: nowhere (nq)
} jgen_layout;

// Everything in the arena. Memory that ends is reported.
jo_status jgen_layout_build(jarena* a, const jmodel* m, const jgen_partition* part,
                            jgen_layout* out);

// States of block z, before there is a layout.
int jgen_state_count(const jmodel* m);

const char* jgen_coordinate_unit(const jmodel_coordinate* c);  // "m" or "rad"

static inline int jgen_first(const jgen_layout* l, jgen_block b) {
  return l->block[b].first;
}

static inline bool jgen_is_in(const jgen_layout* l, jgen_block b, int i) {
  return i >= l->block[b].first && i < l->block[b].first + l->block[b].n;
}

// What moves by itself, [ q_u | qd_u | z ] but for discrete states: how many there are, and where the i-th stands in y.
int jgen_own_count(const jgen_layout* l);
int jgen_own(const jgen_layout* l, int i);

// The entry of ydot that vanishes where a state of q_u or z is in equilibrium: acceleration, or rate.
static inline int jgen_balance(const jgen_layout* l, int i) {
  return jgen_is_in(l, JGEN_QU, i) ? jgen_first(l, JGEN_QDU) + i - jgen_first(l, JGEN_QU) : i;
}

// Coordinates at a state: of q what is not driven, of qd what is independent; the rest is left alone, and
// so is what is NULL.
void jgen_gather(const jgen_layout* l, const double* y, double* q, double* qd);

// The other way: q_u, q_v, qd_u and z of y. What is NULL is left alone.
void jgen_scatter(const jgen_layout* l, const double* q, const double* qd, const double* z,
                  double* y);

#endif
