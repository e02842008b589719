// SPDX-License-Identifier: Apache-2.0
// What a model knows of its elements: springs, tyres, bushes, whatever acts on bodies and coordinates. An
// element is described by its class; src/element/ holds the classes, one file each. What the equations need
// of a class stands in gen/force/element.h.
#ifndef JMODEL_ELEMENT_H
#define JMODEL_ELEMENT_H

#include <stddef.h>

#include "model/model.h"
#include "model/range/ranges.h"
#include "model/read/keys.h"
#include "model/read/yaml.h"

struct jmodel_at;

// A value of an element and where it must lie.
typedef enum jmodel_field_kind {
  JMODEL_FIELD_SCALAR,     // jmodel_scalar
  JMODEL_FIELD_V3,         // jmodel_v3, every component within the limit
  JMODEL_FIELD_DIRECTION,  // jmodel_v3 that must not vanish
  JMODEL_FIELD_PLANE,      // two jmodel_v3 that must not be parallel
  JMODEL_FIELD_LESS,       // two jmodel_scalar, the first less than the second
  JMODEL_FIELD_OUTSIDE,    // three jmodel_scalar, JMODEL_RULE_OUTSIDE
  JMODEL_FIELD_TOGETHER    // several jmodel_scalar, JMODEL_RULE_TOGETHER
} jmodel_field_kind;

#define JMODEL_ALWAYS ((size_t)-1)

typedef struct jmodel_field {
  const char* label;
  size_t at;  // in the data of the element
  jmodel_field_kind kind;
  jmodel_limit limit;
  size_t given;  // where the data say (bool) that there is one; JMODEL_ALWAYS
  const char*
      unit;  // expected, as "N/m"; F, X: force and displacement of what it acts on. NULL: any
  int n;     // JMODEL_FIELD_TOGETHER: how many, one behind the other
} jmodel_field;

#define JMODEL_FIELD_IN(type, label, member, limit, unit) \
  { label, offsetof(type, member), JMODEL_FIELD_SCALAR, limit, JMODEL_ALWAYS, unit, 1 }
#define JMODEL_GIVEN_IN(type, label, member, limit, has, unit) \
  { label, offsetof(type, member), JMODEL_FIELD_SCALAR, limit, offsetof(type, has), unit, 1 }
#define JMODEL_FIELD(type, label, member, limit) JMODEL_FIELD_IN(type, label, member, limit, NULL)
#define JMODEL_GIVEN(type, label, member, limit, has) \
  JMODEL_GIVEN_IN(type, label, member, limit, has, NULL)
#define JMODEL_DIRECTION(type, label, member) \
  { label, offsetof(type, member), JMODEL_FIELD_DIRECTION, JMODEL_FINITE, JMODEL_ALWAYS, NULL, 1 }

// `member` and the scalar behind it; label: "rod and bore".
#define JMODEL_LESS_IN(type, label, member, unit) \
  { label, offsetof(type, member), JMODEL_FIELD_LESS, JMODEL_FINITE, JMODEL_ALWAYS, unit, 2 }
#define JMODEL_LESS(type, label, member) JMODEL_LESS_IN(type, label, member, NULL)

// `member`: a load at which something changes its sign, the least and the most load of the element.
#define JMODEL_OUTSIDE(type, label, member) \
  { label, offsetof(type, member), JMODEL_FIELD_OUTSIDE, JMODEL_FINITE, JMODEL_ALWAYS, NULL, 3 }

// `member` and the n - 1 scalars behind it: what the class judges together.
#define JMODEL_TOGETHER(type, label, member, n) \
  { label, offsetof(type, member), JMODEL_FIELD_TOGETHER, JMODEL_FINITE, JMODEL_ALWAYS, NULL, n }

// How an element is drawn.
typedef enum jmodel_shape_kind {
  JMODEL_SHAPE_POINT,
  JMODEL_SHAPE_LINE,
  JMODEL_SHAPE_WHEEL
} jmodel_shape_kind;

typedef struct jmodel_shape {
  jmodel_shape_kind kind;
  const jmodel_point *a, *b;  // the point, or the centre; the other end of a line
  int body;                   // wheels: what turns with it
  const jmodel_vector* axis;
  const jmodel_scalar* radius;
} jmodel_shape;

#define JMODEL_MAX_SHAPES 4  // of one element

struct jmodel_element_class {
  const char* kind;     // "tyre", as messages call it
  const char* section;  // "tyres", where the file lists it
  const char* key;  // tells it from others of its section; NULL: what has no other's key, the last
  const jmodel_key* keys;  // all it may have
  const char* about;       // what they are, for editors
  size_t size;             // of the data
  // What it exerts: signals that are outputs of every run and components of its load.
  int ncomponent;
  const char* const* component;
  const char* (*unit)(const jmodel* m, const jmodel_element* e, int component);
  // From the file to the data, which are zero; false after a mistake that leaves nothing to keep.
  bool (*read)(const struct jmodel_at* at, const jmodel_node* map, jmodel_element* e);
  const jmodel_field* field;
  int nfield;
  // What values together cannot be, where no single one tells: a text for a warning, in the arena, and the scalar at fault;
  // NULL: nothing. Values are those of its JMODEL_FIELD_TOGETHER, NaN where they are not known. NULL: nobody judges.
  jo_status (*judge)(jo_context* ctx, jarena* a, const jmodel_element* e, const double* value,
                     const char** text, int* blamed);
  int (*draw)(const jmodel_element* e, jmodel_shape* out);  // how many; NULL: it is not drawn
  // May it stand in a mirror image? Points and directions that `read` asks for are mirrored; a class that has other
  // things with a left and a right (vectors of numbers, laws of one side) mirrors them itself, by jmodel_signs and
  // its kin in model/read/reader.h, and axes of rotation are asked for by jmodel_axis_at.
  bool mirrors;
  bool spins;  // the wheel that it draws spins in the joint of its body, about its own axis
  // Is its slip that of the wheel's centre, so that the wheel must not lean much? NULL: it is not.
  bool (*is_upright)(const jmodel_element* e);
  // Does it look at how the body is turned? NULL: it does not, as a wheel about its axis.
  bool (*follows)(const jmodel_element* e, int body);
};

// For `read`: a state of the element's own, called <element>.<name>. The element writes its rate. `initial` is an
// expression, of positions too.
// NULL: there is no memory.
jmodel_state* jmodel_own_state(const struct jmodel_at* at, jmodel_element* e, const char* name,
                               const char* unit, double nominal, const char* initial);

// The element a component belongs to.
const jmodel_element* jmodel_element_of(const jmodel* m, int component);

// All classes, in the order of the equations; NULL behind the last (src/element/list.c).
const jmodel_element_class* jmodel_class_at(int i);

#endif
