// SPDX-License-Identifier: Apache-2.0
// Keys of model and study files, declared once: readers reject what is not among them and take words from them, and the JSON
// schema for editors is written from them (model/schema.c).
//
// A table is a list of keys that ends with {0}:
//   static const jmodel_key keys[] = {{JMODEL_KEY_NUMBER("area"), .is_needed = true}, {JMODEL_KEY_DESCRIPTION}, {0}};
#ifndef JMODEL_KEYS_H
#define JMODEL_KEYS_H

#include <stdbool.h>

// What a value may be. One that may be several things has several of them.
enum {
  JMODEL_A_NUMBER = 1 << 0,   // perhaps with a unit, or an expression
  JMODEL_A_LITERAL = 1 << 1,  // perhaps with a unit
  JMODEL_A_COUNT = 1 << 2,    // a whole number, `least` ... `most`
  JMODEL_A_TEXT = 1 << 3,
  JMODEL_A_NAME = 1 << 4,  // a text that things may be called by
  JMODEL_A_BOOL = 1 << 5,
  JMODEL_A_WORD = 1 << 6,      // one of `words`
  JMODEL_A_LIST = 1 << 7,      // of `item`, `least` ... `most` of them (0: any number)
  JMODEL_A_MAP = 1 << 8,       // with `keys`
  JMODEL_BY_NAME = 1 << 9,     // a map from names to `item`; with `words`: from these
  JMODEL_BY_TEXT = 1 << 10,    // a map from anything to `item`
  JMODEL_BY_SUFFIX = 1 << 11,  // a map from coordinates of a joint to `item`
  JMODEL_A_NULL = 1 << 12,
  JMODEL_WITH_SECTIONS = 1 << 13,  // a map has sections beside `keys`, those of templates
  JMODEL_ALL_SECTIONS = 1 << 14    // the file itself
};

typedef struct jmodel_key jmodel_key;
struct jmodel_key {
  const char* name;
  unsigned is;     // nothing, and no `as`: a key that is only known to say what is wrong with it
  bool is_needed;  // also where a file overrides others
  int least, most;
  const char* const* words;  // end with NULL
  const jmodel_key* keys;
  const jmodel_key* (*keys_of)(int i);  // of maps of several kinds, instead; NULL behind the last
  const jmodel_key* (*one_of)(int i);   // of which a map has one beside its keys; the same
  const jmodel_key* item;
  const jmodel_key* as;  // what this may be as well, a definition of its own in the schema
  const char* unit;      // what its numbers are expected in; NULL: see units.c
  const char* about;     // one line for editors; NULL: the name says it
};

#define JMODEL_KEY_NUMBER(key)     .name = key, .is = JMODEL_A_NUMBER
#define JMODEL_KEY_TEXT(key)       .name = key, .is = JMODEL_A_TEXT
#define JMODEL_KEY_BOOL(key)       .name = key, .is = JMODEL_A_BOOL
#define JMODEL_KEY_WORD(key, list) .name = key, .is = JMODEL_A_WORD, .words = list
#define JMODEL_KEY_MAP(key, list)  .name = key, .is = JMODEL_A_MAP, .keys = list
#define JMODEL_KEY_AS(key, form)   .name = key, .as = &(form)
#define JMODEL_KEY_LIST(key, of, from, to) \
  .name = key, .is = JMODEL_A_LIST, .item = &(of), .least = from, .most = to
#define JMODEL_KEY_BY_NAME(key, of) .name = key, .is = JMODEL_BY_NAME, .item = &(of)
#define JMODEL_KEY_BY_TEXT(key, of) .name = key, .is = JMODEL_BY_TEXT, .item = &(of)
#define JMODEL_KEY_UNIT             .name = "unit", .is = JMODEL_A_TEXT | JMODEL_A_COUNT
#define JMODEL_KEY_DESCRIPTION      JMODEL_KEY_TEXT("description")
// Maps by name that a file which includes another one takes away, or entries of them, by leaving them empty.
#define JMODEL_KEY_SECTION(key, of) .name = key, .is = JMODEL_BY_NAME | JMODEL_A_NULL, .item = &(of)

// What values of many keys are (keys.c): by themselves ...
extern const jmodel_key jmodel_form_number, jmodel_form_text, jmodel_form_name, jmodel_form_vector,
    jmodel_form_value;
// ... and what they refer to (resolve.c). A point of a body names the body, a point may be a hardpoint.
extern const jmodel_key jmodel_form_body, jmodel_form_coordinate, jmodel_form_table,
    jmodel_form_point, jmodel_form_body_point, jmodel_form_direction;

// Of maps that several readers read: a value with its unit, {from, to} of a direction, two axes of a frame.
extern const jmodel_key jmodel_value_keys[], jmodel_between_keys[], jmodel_axes_keys[];
extern const jmodel_key jmodel_form_axis;
#define JMODEL_AXES_KEYS                                                            \
  {JMODEL_KEY_AS("x", jmodel_form_axis)}, {JMODEL_KEY_AS("y", jmodel_form_axis)}, { \
    JMODEL_KEY_AS("z", jmodel_form_axis)                                            \
  }

#endif
