// SPDX-License-Identifier: Apache-2.0
// JSON writer.
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "failure.h"
#include "jounce/jounce.h"

static bool is_begun = false;  // the one object on standard output

bool cli_json_is_begun(void) {
  return is_begun;
}

// Names of files may be any bytes; what is no UTF-8 becomes the character for that.
static void put(void* user, const char* text, size_t n) {
  (void)user;
  fwrite(text, 1, n, stdout);
}

static void put_string(const char* s) {
  jo_text_quote(s, put, NULL);
}

static void indent(int depth) {
  printf("\n%*s", 2 * depth, "");
}

// Comma, line and key in front of a value.
static void begin_value(cli_json* j, const char* key) {
  if (j->depth > 0) {
    int d = j->depth - 1;
    if (j->has_items[d]) putchar(',');
    if (!j->is_flat[d]) indent(j->depth);
    if (j->is_flat[d] && j->has_items[d]) putchar(' ');
    j->has_items[d] = true;
  }
  if (key) {
    put_string(key);
    fputs(": ", stdout);
  }
}

static void open(cli_json* j, const char* key, bool is_list, bool is_flat) {
  is_begun = true;
  begin_value(j, key);
  assert(j->depth < CLI_JSON_DEPTH);
  putchar(is_list ? '[' : '{');
  j->is_list[j->depth] = is_list;
  j->is_flat[j->depth] = is_flat;
  j->has_items[j->depth++] = false;
}

void cli_json_object(cli_json* j, const char* key) {
  open(j, key, false, false);
}

void cli_json_list(cli_json* j, const char* key) {
  open(j, key, true, false);
}

void cli_json_flat_object(cli_json* j, const char* key) {
  open(j, key, false, true);
}

void cli_json_flat_list(cli_json* j, const char* key) {
  open(j, key, true, true);
}

void cli_json_end(cli_json* j) {
  assert(j->depth > 0);
  if (j->depth == 1) cli_json_failure(j);
  int d = --j->depth;
  if (j->has_items[d] && !j->is_flat[d]) indent(d);
  putchar(j->is_list[d] ? ']' : '}');
  if (d == 0) putchar('\n');
}

void cli_json_text(cli_json* j, const char* key, const char* value) {
  begin_value(j, key);
  put_string(value);
}

void cli_json_number(cli_json* j, const char* key, double value) {
  begin_value(j, key);
  if (isfinite(value)) {
    printf("%.17g", value);
  } else {
    fputs("null", stdout);
  }
}

void cli_json_count(cli_json* j, const char* key, int64_t value) {
  begin_value(j, key);
  printf("%" PRId64, value);
}

void cli_json_bool(cli_json* j, const char* key, bool value) {
  begin_value(j, key);
  fputs(value ? "true" : "false", stdout);
}

void cli_json_tables(cli_json* j, const jo_tables* tables) {
  int d = j->depth - 1;
  if (j->has_items[d]) putchar(',');
  j->has_items[d] = true;
  jo_tables_json(tables, j->depth, put, NULL);
}
