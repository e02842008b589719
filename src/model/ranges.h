// SPDX-License-Identifier: Apache-2.0
// The values of a model and where they must lie, whatever they come from: a literal, an expression of
// parameters, a setting, a point of a sweep. Built once when the model is read; evaluated for the numbers
// of the file then, and for others as often as wanted.
//
//   slot   a scalar of the model with its value: a number, an output of the tape, or unknown because it
//          depends on time, state or a table
//   rule   what one or several slots, one after another, must fulfil
#ifndef JMODEL_RANGES_H
#define JMODEL_RANGES_H

#include "expr/tape.h"
#include "model/model.h"

typedef enum jmodel_limit {
  JMODEL_FINITE,
  JMODEL_NOT_NEGATIVE,
  JMODEL_POSITIVE,
  JMODEL_ABOVE_ONE
} jmodel_limit;

typedef enum jmodel_rule_kind {
  JMODEL_RULE_LIMIT,      // one slot within its limit
  JMODEL_RULE_INCREASES,  // every slot above the one before
  JMODEL_RULE_TENSOR,     // six slots, xx yy zz xy xz yz, are an inertia
  JMODEL_RULE_DIRECTION,  // three slots are not all zero
  JMODEL_RULE_PLANE,      // twice three slots are not parallel
  JMODEL_RULE_LESS        // the first of two slots is less than the second
} jmodel_rule_kind;

typedef struct jmodel_rule {
  jmodel_rule_kind kind;
  jmodel_limit limit;
  const char *subject, *name, *label;  // "tyre", "fl", "radius"
  int first, n;                        // slots
} jmodel_rule;

enum { JMODEL_SLOT_NUMBER = -1, JMODEL_SLOT_UNKNOWN = -2 };

typedef struct jmodel_slot {
  const jmodel_scalar* scalar;
  int output;  // of the tape, or one of the above
} jmodel_slot;

struct jmodel_ranges {
  int nslot, slot_cap, nrule, rule_cap, noutput;
  jmodel_slot* slot;  // the parameters first (nparameter), then the others
  jmodel_rule* rule;
  int* first_mass;  // by body: mass and six inertias; -1: massless (nbody)
  jexpr_tape tape;  // numbers -> outputs
};

// List slots and rules of a model (range_list.c).
jo_status jmodel_ranges_list(jo_context* ctx, jmodel* m, struct jmodel_ranges* k);

// Find out what slots with expressions are made of (range_values.c). `order`: parameters, each after those
// it depends on; NULL: they cannot be evaluated, nor can expressions.
jo_status jmodel_ranges_build(jo_context* ctx, jmodel* m, struct jmodel_ranges* k,
                              const int* order);
// Values of all slots, NaN where they are unknown, for values of the numbers (nnumber).
jo_status jmodel_ranges_values(jo_context* ctx, const jmodel* m, const double* number,
                               double* value);

#endif
