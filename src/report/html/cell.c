// SPDX-License-Identifier: Apache-2.0
// Cells of CSV files.
#include "report/html/cell.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"

void jreport_put_number(jtext* t, double x) {
  char buffer[JTEXT_NUMBER_SIZE];
  if (isfinite(x)) {
    jformat(buffer, sizeof buffer, "%.17g", x);
    jtext_put(t, buffer);
  } else {
    jtext_put(t, isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf");
  }
}

// Whether a spreadsheet would take the text for a formula. A sign alone, as of a number without a unit,
// is none.
static bool is_formula(const char* s) {
  return *s && strchr("=+-@", *s) && s[1];
}

void jreport_put_cell(jtext* t, const char* s) {
  bool is_quoted = strpbrk(s, ",\"\r\n#") != NULL;
  if (is_quoted) jtext_put(t, "\"");
  if (is_formula(s)) jtext_put(t, "'");
  for (; *s; s++) {
    if (*s == '"') jtext_put(t, "\"");
    jtext_write(t, s, 1);
  }
  if (is_quoted) jtext_put(t, "\"");
}

void jreport_put_foreign(jtext* t, const char* s, size_t n) {
  bool begins = true;
  for (size_t i = 0; i < n; i++) {
    char c = (unsigned char)s[i] < ' ' || s[i] == 0x7f ? ' ' : s[i];
    bool is_alone = i + 1 == n || s[i + 1] == '"';
    if (begins && strchr("=+-@", c) && !is_alone) jtext_put(t, "'");
    // blanks and quotes before it do not keep a formula from being one
    begins = strchr(",;\"", c) || s[i] == '\t' || (begins && c == ' ');
    jtext_write(t, &c, 1);
  }
}

static void put_in_line(jtext* t, char c) {
  jtext_write(t, (unsigned char)c < ' ' ? " " : &c, 1);
}

void jreport_put_line(jtext* t, const char* s) {
  for (; *s; s++) {
    put_in_line(t, *s);
  }
}

// A spreadsheet knows no comments and cuts them at separators too.
void jreport_put_comment(jtext* t, const char* s) {
  for (const char* begin = s; *s; s++) {
    bool is_cut = s > begin && strchr(",;\"\t", s[-1]);
    if (is_cut && is_formula(s)) jtext_put(t, "'");
    put_in_line(t, *s);
  }
}
