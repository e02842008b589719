// SPDX-License-Identifier: Apache-2.0
// JSON on standard output, one call per value. `key` is NULL inside of lists. Numbers read back
// exactly; what is not finite is null.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "jounce/table.h"

#define CLI_JSON_DEPTH 16

typedef struct cli_json {
  int depth;
  bool is_list[CLI_JSON_DEPTH], is_flat[CLI_JSON_DEPTH], has_items[CLI_JSON_DEPTH];
} cli_json;

// The whole is an object: begin with key NULL, end with a line feed. Flat ones stay on one line. What went
// wrong before its end becomes its last member, "error".
void cli_json_object(cli_json* j, const char* key);
void cli_json_list(cli_json* j, const char* key);
void cli_json_flat_object(cli_json* j, const char* key);
void cli_json_flat_list(cli_json* j, const char* key);
void cli_json_end(cli_json* j);

void cli_json_text(cli_json* j, const char* key, const char* value);
void cli_json_number(cli_json* j, const char* key, double value);
void cli_json_count(cli_json* j, const char* key, int64_t value);
void cli_json_bool(cli_json* j, const char* key, bool value);
void cli_json_tables(cli_json* j, const jo_tables* tables);

#endif
