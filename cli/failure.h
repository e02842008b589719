// SPDX-License-Identifier: Apache-2.0
// What went wrong: a line on standard error and, with --json, the member "error" of the one object on
// standard output.
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include "json.h"

// Print one line on standard error, and remember it where it is the first.
void cli_complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Only remember it: it is printed elsewhere.
void cli_note_failure(const char* message);

bool cli_has_complained(void);

// "error": {"message", "file", "line", "hint"}, the last three where the message has them; nothing where
// nothing went wrong.
void cli_json_failure(cli_json* j);

// Whether an object was begun on standard output.
bool cli_json_is_begun(void);

#endif
