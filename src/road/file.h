// SPDX-License-Identifier: Apache-2.0
// Files of roads as sources of tables: profiles as CSV, and OpenCRG. Their text is the caller's; mistakes are told with
// the path and, where there are lines, the line.
#ifndef JROAD_FILE_H
#define JROAD_FILE_H

#include "road/surface.h"

typedef struct jroad_text {
  const char* path;  // for messages
  const char* text;
  size_t size;
} jroad_text;

// Letters and spaces whatever the locale.
static inline bool jroad_is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
static inline char jroad_lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// A number with spaces around it and nothing else.
bool jroad_read_number(const char* field, size_t n, double* x);

enum { JROAD_CRG_X, JROAD_CRG_Y, JROAD_CRG_GRID, JROAD_CRG_TABLES };

// Columns: places along the road, equally spaced, and heights: one; two, called left and right, `track` apart; or any
// number headed by their y, ascending.
jo_status jroad_read_profile(jo_context* ctx, jarena* a, const jroad_text* f, double track,
                             jroad_source* out);

// A curved regular grid, as the tables of its reference line and of its heights with elevation and banking in them.
jo_status jroad_read_crg(jo_context* ctx, jarena* a, const jroad_text* f,
                         jroad_source out[JROAD_CRG_TABLES]);

// Rows of stones from u = 0 on, around v = 0 (R23).
typedef struct jroad_blocks {
  double length, width;              // of the field [m]
  double stone_length, stone_width;  // [m]
  double height;                     // of stones over joints, mean [m]
  double scatter;                    // of heights, as a part of the mean: 0 ... 2
  uint64_t seed;
} jroad_blocks;
jo_status jroad_make_blocks(jo_context* ctx, jarena* a, const jroad_blocks* b, jroad_source* out);

#endif
