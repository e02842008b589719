// SPDX-License-Identifier: Apache-2.0
// Names of columns as names that formats allow: every one different, none too long, the same for the same
// columns.
#ifndef JREPORT_LINK_H
#define JREPORT_LINK_H

#include "base/mem.h"

// What a format allows: longest name in bytes, and one name made of another (`size` bytes with the
// terminating zero).
typedef struct jreport_link_rule {
  size_t longest;
  void (*make)(const char* name, char* out, size_t size);
} jreport_link_rule;

// HDF5: anything but '/', and not "." alone.
extern const jreport_link_rule jreport_link_hdf5;
// MATLAB: letters, digits and underscores, a letter first, at most 63 of them.
extern const jreport_link_rule jreport_link_matlab;

typedef struct jreport_link {
  jarena* a;
  jreport_link_rule rule;
  size_t size;  // of the table of names given so far
  void* given;  // NULL: no memory
  char* room;   // for the next names
  size_t left;
} jreport_link;

// Names for up to `most` columns, kept in the arena.
void jreport_link_begin(jreport_link* l, jarena* a, int most, jreport_link_rule rule);
// The next one: what is taken already gets a number behind it. NULL: no memory.
const char* jreport_link_name(jreport_link* l, const char* name);

// Bytes of a text that fit into `most` and end behind a whole UTF-8 character.
size_t jreport_link_cut(const char* text, size_t most);

#endif
