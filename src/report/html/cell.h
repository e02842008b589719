// SPDX-License-Identifier: Apache-2.0
// Cells of CSV files.
#ifndef JREPORT_CELL_H
#define JREPORT_CELL_H

#include "base/text/text.h"

// A number: 17 digits, a point whatever the locale, "nan" and "inf" as most readers take them.
void jreport_put_number(jtext* t, double x);

// A text, in quotes where it needs them; with an apostrophe where it would be taken for a formula.
void jreport_put_cell(jtext* t, const char* s);
// n bytes of a cell of another file, quotes and blanks included, as they stand: but no formula for any separator that
// spreadsheets know, and no control characters. Numbers are not to go through it: their signs would.
void jreport_put_foreign(jtext* t, const char* s, size_t n);

// A text in a comment, which is one line: line ends become blanks; with apostrophes likewise.
void jreport_put_comment(jtext* t, const char* s);

// A text in one line that will be read back.
void jreport_put_line(jtext* t, const char* s);

#endif
