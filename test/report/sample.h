// SPDX-License-Identifier: Apache-2.0
// A small result made by hand, with names that try to break file formats.
#ifndef JTEST_REPORT_SAMPLE_H
#define JTEST_REPORT_SAMPLE_H

#include "plant/simulate.h"
#include "support/fixture.h"

enum { SAMPLE_COLUMNS = 4, SAMPLE_ROWS = 3, SAMPLE_EVENTS = 2 };

typedef struct sample {
  jplant_quantity column[SAMPLE_COLUMNS];
  double row[SAMPLE_ROWS * SAMPLE_COLUMNS];
  jplant_event event[SAMPLE_EVENTS];
  jplant_result result;
} sample;

static inline void sample_init(sample* s) {
  *s = (sample){.column = {{"t", "s", "time", 0.2},
                           {"a,b", "m/s^2", "", 1.0 / 3.0},
                           {"say \"x\"/y", "", "", -4.9406564584124654e-324},
                           {"psi", "m^2/s^3", "an objective", 0.1}},
                .row = {0.0, 1e-300, NAN, 0.0, 0.1, -1.7976931348623157e308, 3.0, 0.05, 0.2,
                        1.0 / 3.0, -4.9406564584124654e-324, 0.1},
                .event = {{0.1, "first\nline", true}, {0.15000000000000002, "", false}}};
  s->result = (jplant_result){.model = "sample",
                              .description = "two\nlines, and a comma",
                              .path = "sample.yaml",
                              .sha256 = "0123",
                              .settings = "k=3, name=\"v\"",
                              .used = {.method = "dopri5",
                                       .t_end = 0.2,
                                       .rel_tol = 1e-9,
                                       .abs_tol = 1e-9,
                                       .output_step = 0.1},
                              .ncolumn = SAMPLE_COLUMNS,
                              .nsensor = 1,
                              .noutput = 2,
                              .nobjective = 1,
                              .column = s->column,
                              .nrow = SAMPLE_ROWS,
                              .row = s->row,
                              .nevent = SAMPLE_EVENTS,
                              .event = s->event,
                              .is_complete = true,
                              .t_reached = 0.2,
                              .statistics = {.steps = 12, .rejected = 1, .evaluations = 80},
                              .cpu = 0.5};
}

// Same bits, or both not a number.
static inline bool same_number(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// A file's content, terminated; the caller frees it.
static inline char* sample_read(const char* path, size_t* size) {
  FILE* f = fopen(path, "rb");
  assert_non_null(f);
  char* text = calloc(1, 1 << 20);
  assert_non_null(text);
  *size = fread(text, 1, (1 << 20) - 1, f);
  fclose(f);
  return text;
}

#endif
