// SPDX-License-Identifier: Apache-2.0
// The law that elements on a line and on a coordinate share. With x the length, or the coordinate, and xd
// its rate, what is given is added up:
//   linear       stiffness (x - free) + damping xd + preload
//   tables       spring(x), damper(xd)
//   stops        bump: stiffness max(0, place - x) acts to lengthen; rebound: the like to shorten; with an
//                exponent e: stiffness (exp(e depth) - 1) instead of stiffness depth
//   force        an expression of x, xd ("length" or "angle", "rate") and any signal
#ifndef JELEMENT_LAW_H
#define JELEMENT_LAW_H

#include "gen/force/element.h"
#include "model/read/reader.h"

typedef struct jelement_stop {
  bool is_given, has_exponent;
  jmodel_scalar place, stiffness, exponent;
} jelement_stop;

typedef struct jelement_law {
  bool has_stiffness, has_damping, has_free, has_preload, has_force, has_torque;
  jmodel_scalar stiffness, damping, free, preload, force;
  jmodel_scalar torque;            // on coordinates: acts as given
  int spring_table, damper_table;  // -1: none
  jelement_stop bump, rebound;
} jelement_law;

// A negative stiffness may stand for a softening; a negative damper or stop feeds the motion.
#define JELEMENT_LAW_FIELDS(type)                                                                 \
  JMODEL_GIVEN_IN(type, "stiffness", law.stiffness, JMODEL_FINITE, law.has_stiffness, "F/X"),     \
      JMODEL_GIVEN_IN(type, "damping", law.damping, JMODEL_NOT_NEGATIVE, law.has_damping,         \
                      "F s/X"),                                                                   \
      JMODEL_GIVEN_IN(type, "free length", law.free, JMODEL_FINITE, law.has_free, "X"),           \
      JMODEL_GIVEN_IN(type, "preload", law.preload, JMODEL_FINITE, law.has_preload, "F"),         \
      JMODEL_GIVEN(type, "bump_stop: stiffness", law.bump.stiffness, JMODEL_NOT_NEGATIVE,         \
                   law.bump.is_given),                                                            \
      JMODEL_GIVEN_IN(type, "bump_stop: place", law.bump.place, JMODEL_FINITE, law.bump.is_given, \
                      "X"),                                                                       \
      JMODEL_GIVEN_IN(type, "bump_stop: exponent", law.bump.exponent, JMODEL_POSITIVE,            \
                      law.bump.has_exponent, "1/X"),                                              \
      JMODEL_GIVEN(type, "rebound_stop: stiffness", law.rebound.stiffness, JMODEL_NOT_NEGATIVE,   \
                   law.rebound.is_given),                                                         \
      JMODEL_GIVEN_IN(type, "rebound_stop: place", law.rebound.place, JMODEL_FINITE,              \
                      law.rebound.is_given, "X"),                                                 \
      JMODEL_GIVEN_IN(type, "rebound_stop: exponent", law.rebound.exponent, JMODEL_POSITIVE,      \
                      law.rebound.has_exponent, "1/X")

// Signals of elements with a law, in this order.
enum { JELEMENT_LENGTH, JELEMENT_ANGLE, JELEMENT_RATE, JELEMENT_FORCE, JELEMENT_POWER };
extern const char* const jelement_law_signals[];
#define JELEMENT_LAW_POSITIONS 2  // of them are known with the positions
extern const char* const jelement_law_component[];
#define JELEMENT_LAW_WHAT "a velocity or a force"

// Of stops on a line, and on a coordinate.
extern const jmodel_key jelement_stop_keys[], jelement_stop_at_keys[];

void jelement_law_read(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                       bool is_line, jelement_law* law);
int jelement_table_read(const jmodel_at* at, const jmodel_node* map, const char* key);

// The sum above but for the torque, and an expression of the law with its names known.
jexpr_ref jelement_law_value(jgen* s, const jelement_law* law, const char* name, jexpr_ref x,
                             jexpr_ref xd);
jexpr_ref jelement_law_expression(jgen* s, const jmodel_scalar* text, const char* name, jexpr_ref x,
                                  jexpr_ref xd);

// "N m" on an angle, else "N".
const char* jelement_unit_on(const jmodel* m, int coordinate);

#endif
