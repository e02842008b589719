// SPDX-License-Identifier: Apache-2.0
// What the equations need of a class of elements, beside what the model knows of it.
#ifndef JGEN_ELEMENT_H
#define JGEN_ELEMENT_H

#include "gen/build.h"
#include "model/element.h"

typedef struct jgen_element_class {
  jmodel_element_class model;  // first: classes of the model are these
  const char* const* signal;   // names; ends with NULL
  int nposition;               // the first of them are known with the positions
  const char* what;            // the others are, for messages: "a force"
  // Adds its forces to the system; called once with the velocities known, and before with the positions
  // alone where it has signals of those.
  void (*write)(jgen* s, const jmodel_element* e, jgen_element* out);
  // What it makes of that which others fed it: called once, after all elements are written; what it feeds
  // itself goes nowhere. NULL: nothing. The last `nlast` signals are known from then on only.
  void (*finish)(jgen* s, const jmodel_element* e, jgen_element* out);
  int nlast;
} jgen_element_class;

const jgen_element_class* jgen_class_of(const jmodel_element* e);

// ---- for classes

// Value of the k-th state of its own; poison with the positions alone.
jexpr_ref jgen_own_state(jgen* s, const jmodel_element* e, int k);

// Adds to the k-th sum of another element, whose class says in `finish` what it is.
void jgen_feed(jgen* s, int element, int k, jexpr_ref value);

// Value of component k of what an element exerts, as the equations use it: itself, or a placeholder.
jexpr_ref jgen_component(jgen* s, const jmodel_element* e, int k, jexpr_ref value);
void jgen_apply(jgen* s, int link, jexpr_v3 r, jexpr_v3 f);  // force f at r, link frame
void jgen_turn(jgen* s, int link, jexpr_v3 n);               // moment, link frame

#endif
