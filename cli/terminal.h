// SPDX-License-Identifier: Apache-2.0
// Text for people: headings, columns, a progress bar.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "jounce/table.h"

// Columns of the terminal standard output goes to; 100 where it is none.
int cli_width(void);

// Text from anywhere: what would move the cursor, ring or colour is shown as its bytes instead. Line
// feeds and tabs stay.
void cli_put(FILE* f, const char* text);
void cli_print(FILE* f, const char* format, ...) __attribute__((format(printf, 2, 3)));
void cli_vprint(FILE* f, const char* format, va_list args) __attribute__((format(printf, 2, 0)));

// A heading: bold on a terminal, unless $NO_COLOR is set. Line feeds may lead it.
void cli_heading(const char* format, ...) __attribute__((format(printf, 1, 2)));

// The rows of a table.
void cli_table(const jo_table* table);

// The same below an empty line and its title as a heading.
void cli_titled_table(const jo_table* table);

// Tables that have a title and rows: an empty line, the title as a heading, and their rows.
void cli_tables(const jo_tables* tables);

// Cells of equal width side by side, column by column, two blanks in front. Printing empties the list.
typedef struct cli_cells {
  char** text;
  int n, cap;
} cli_cells;

void cli_cells_add(cli_cells* c, const char* format, ...) __attribute__((format(printf, 2, 3)));
void cli_cells_print(cli_cells* c);

// A bar on standard error, where that is a terminal and it is wanted. Nothing shows in the first
// moments, so that short runs leave the screen alone.
typedef struct cli_progress {
  bool is_on;
  double start, shown;  // wall time [s]
  bool is_drawn;
} cli_progress;

cli_progress cli_progress_begin(bool wanted);
void cli_progress_show(cli_progress* p, double fraction);
void cli_progress_end(cli_progress* p);

#endif
