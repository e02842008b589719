// SPDX-License-Identifier: Apache-2.0
// Cells of CSV files.
#include "report/cell.h"

#include <math.h>
#include <string.h>

#include "base/format.h"

void jreport_put_number(jtext* t, double x) {
  char buffer[JTEXT_NUMBER_SIZE];
  if (isfinite(x)) {
    jformat(buffer, sizeof buffer, "%.17g", x);
    jtext_put(t, buffer);
  } else {
    jtext_put(t, isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf");
  }
}

void jreport_put_cell(jtext* t, const char* s) {
  if (!strpbrk(s, ",\"\r\n#")) {
    jtext_put(t, s);
    return;
  }
  jtext_put(t, "\"");
  for (; *s; s++) {
    if (*s == '"') jtext_put(t, "\"");
    jtext_write(t, s, 1);
  }
  jtext_put(t, "\"");
}

void jreport_put_comment(jtext* t, const char* s) {
  for (; *s; s++) {
    jtext_write(t, (unsigned char)*s < ' ' ? " " : s, 1);
  }
}
