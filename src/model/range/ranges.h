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

#include "base/rule.h"
#include "expr/tape/tape.h"
#include "model/model.h"

typedef enum jmodel_limit {
  JMODEL_FINITE = JRULE_FINITE,
  JMODEL_NOT_NEGATIVE = JRULE_NOT_NEGATIVE,
  JMODEL_POSITIVE = JRULE_POSITIVE,
  JMODEL_RESOLVED = JRULE_RESOLVED,
  JMODEL_ABOVE_ONE = JRULE_ABOVE_ONE,
  JMODEL_NOT_ZERO = JRULE_NOT_ZERO,
  JMODEL_RIGHT_WAY = JRULE_RIGHT_WAY
} jmodel_limit;

typedef enum jmodel_rule_kind {
  JMODEL_RULE_LIMIT = JRULE_LIMIT,
  JMODEL_RULE_INCREASES = JRULE_INCREASES,
  JMODEL_RULE_TENSOR = JRULE_TENSOR,
  JMODEL_RULE_DIRECTION = JRULE_DIRECTION,
  JMODEL_RULE_PLANE = JRULE_PLANE,
  JMODEL_RULE_LESS = JRULE_LESS,
  JMODEL_RULE_OUTSIDE,  // a load, and the least and the most of a tyre, between which it had better not be: a warning
  JMODEL_RULE_TOGETHER  // values that the class of an element judges together: a warning
} jmodel_rule_kind;

typedef struct jmodel_rule {
  jmodel_rule_kind kind;
  jmodel_limit limit;
  const char *subject, *name, *label;  // "tyre", "fl", "radius"
  int first, n;                        // slots
  const jmodel_element* element;       // JMODEL_RULE_TOGETHER
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
  int* first_mass;   // by body: mass and six inertias; -1: massless (nbody)
  jexpr_tape tape;   // numbers -> outputs
  const int* order;  // of the parameters, see jmodel_ranges_build; NULL: none
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

// Rules that depend on live numbers, as a function of these in a graph of its own: what it gives are the values of the
// rules, one after another. Other numbers have their values.
typedef struct jmodel_range_function {
  jexpr_graph* g;
  jexpr_fn fn;
  int nrule;
  jmodel_rule* rule;    // `first` counts outputs
  jmodel_place* place;  // (nrule)
} jmodel_range_function;

// Everything but the graph is in the arena. Release with jmodel_range_function_destroy().
jo_status jmodel_range_function_build(jo_context* ctx, jarena* a, const jmodel* m, const int* live,
                                      int nlive, jmodel_range_function* out);
void jmodel_range_function_destroy(jmodel_range_function* f);

#endif
