// SPDX-License-Identifier: Apache-2.0
// Tables with a column of figures for each level of the processor (base/system/cpu.h), as Markdown.
#ifndef BENCH_LEVELS_H
#define BENCH_LEVELS_H

typedef struct bench_table bench_table;

// Measures at the level that $JOUNCE_CPU selects, and adds its cells in the same order at every level.
typedef void (*bench_measure)(bench_table* t, void* user);

// Adds a cell to the column being measured. `row` names its row; text that is the same at all levels may
// follow, separated by " | " as the titles are.
__attribute__((format(printf, 3, 4))) void bench_cell(bench_table* t, const char* row,
                                                      const char* format, ...);

// Measures at one level after another and prints the table, levels from the highest one. `titles` heads the
// columns that all levels share. The levels are x86-64-v4, v3 and v2, as far as this processor has them; the one that
// $JOUNCE_CPU selects, where it is set; the processor's own, where it has none of them. $JOUNCE_CPU is as before
// afterwards.
void bench_levels(const char* titles, bench_measure measure, void* user);

#endif
