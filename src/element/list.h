// SPDX-License-Identifier: Apache-2.0
// The classes of elements, and what several of them need.
#ifndef JELEMENT_LIST_H
#define JELEMENT_LIST_H

#include "gen/force/element.h"
#include "model/read/reader.h"

#define JELEMENT_COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

// Parts of a class: the values of its elements, and what they exert: one force, by the name of its signal.
#define JELEMENT_FIELDS(list)     .field = (list), .nfield = JELEMENT_COUNT(list)
#define JELEMENT_ONE_FORCE(names) .ncomponent = 1, .component = (names), .unit = jelement_newton

// A new class: its file, and its line here. The order is that of the equations, the results and the loads;
// classes of one section stand together. What others refer to by its name stands before them: oils before
// volumes, volumes before what flows between them.
#define JELEMENT_LIST(X) \
  X(line)                \
  X(coordinate)          \
  X(bar)                 \
  X(point)               \
  X(magic_tyre)          \
  X(tyre)                \
  X(soil)                \
  X(bush)                \
  X(oil)                 \
  X(volume)              \
  X(accumulator)         \
  X(pressure)            \
  X(junction)            \
  X(orifice)             \
  X(valve)               \
  X(table_valve)         \
  X(electro_valve)       \
  X(pipe)                \
  X(leakage)             \
  X(cylinder)            \
  X(friction_on)         \
  X(friction_line)

#define X(name) extern const jgen_element_class jelement_##name;
JELEMENT_LIST(X)
#undef X

// A scalar of the file, or its value else.
void jelement_scalar_or(const jmodel_at* at, const jmodel_node* map, const char* key,
                        double otherwise, jmodel_place place, jmodel_scalar* out);
const char* jelement_newton(const jmodel* m, const jmodel_element* e, int component);

#endif
