// SPDX-License-Identifier: Apache-2.0
// How a result describes its tables: columns, and how text and JSON show them. Writers read nothing else.
#ifndef JREPORT_STYLE_H
#define JREPORT_STYLE_H

#include <stdbool.h>

#include "jounce/table.h"

typedef enum jreport_kind {
  JREPORT_NUMBER,
  JREPORT_WHOLE,  // a number without a fraction
  JREPORT_TRUTH,  // 0 or 1
  JREPORT_WORDS
} jreport_kind;

// Rows that text leaves out.
typedef enum jreport_skip { JREPORT_SKIP_NONE, JREPORT_SKIP_ZERO, JREPORT_SKIP_SET } jreport_skip;

// As wide as the widest cell, at least this wide.
#define JREPORT_WIDEST 4000
// As wide as it is.
#define JREPORT_PLAIN (-1)

typedef struct jreport_field {
  const char *name, *unit, *description;  // NULL: ""
  jreport_kind kind;
  bool no_json;
  // Its name in JSON, NULL: that of the column; and the object that a list of its numbers stands in.
  const char *group, *key;
  jreport_skip skip;
  // text
  const char* label;  // above the column; no label in a table: no line of them
  int width;          // negative: to the left; 0: not printed
  int digits;
  char as;              // 'g' unless given, 'f', 'e'
  double scale;         // of the numbers that are printed; 0: 1
  const char* missing;  // in place of what is not a number; NULL: a dash
  // Beside the cell, of which nothing is printed where its text is empty and something stands before it.
  const char *before, *behind;
} jreport_field;

// What JSON makes of a table.
typedef enum jreport_form {
  JREPORT_NO_FORM,  // nothing
  JREPORT_ROWS,     // a list of objects
  JREPORT_ONE,      // an object, of the first row
  JREPORT_MAP,      // objects by the texts of the first `nkey` columns
  JREPORT_COLUMNS   // lists by the names of the columns
} jreport_form;

struct jo_table_style {
  const char *name, *title;
  const jreport_field* field;
  int nfield;
  jreport_form form;
  int nkey;
  bool is_inline;  // no object around it: its members are those of the object it stands in
  bool is_flat;    // objects of rows stay on one line
  bool is_list;    // of a map: what belongs to a key is a list, without names
  // Rows of another table, to each of which as many of these belong, in order; NULL: none.
  const char* parent;
  bool is_unique;  // of a map: of rows with one key the first counts
  // text
  bool flows;  // rows side by side
  int most;    // rows that are printed; 0: all. Then how many more there are, and this behind it
  const char* more;
  int by;     // rows in the order of the size of this column, largest first; 0: as they are
  int thin;   // of more rows than this every so many-th one is printed, and the last; 0: all
  int panel;  // so many columns at once, each time with the first one beside them; 0: all
};

// Of a style: its fields are all of an array.
#define JREPORT_FIELDS(f) .field = (f), .nfield = sizeof(f) / sizeof *(f)

#endif
