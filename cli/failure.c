// SPDX-License-Identifier: Apache-2.0
// The first failure of this process. A process is one command, and messages come from everywhere in it:
// the one place that is not handed around.
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

#define LONGEST 4096

static char first[LONGEST];  // "" until something goes wrong

void cli_note_failure(const char* message) {
  if (!first[0]) snprintf(first, sizeof first, "%s", message);
}

bool cli_has_complained(void) {
  return first[0] != 0;
}

void cli_complain(const char* format, ...) {
  char line[LONGEST];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  cli_print(stderr, "%s\n", line);
  cli_note_failure(line);
}

// ---- parts of a message --------------------------------------------------------------------------

// "FILE:LINE: ..." or "FILE: ...": the length of the file's name, 0 where there is none, and the line.
static size_t find_place(const char* message, int64_t* line) {
  *line = 0;
  for (const char* colon = strchr(message, ':'); colon; colon = strchr(colon + 1, ':')) {
    char* end;
    long n = strtol(colon + 1, &end, 10);
    if (n > 0 && end > colon + 1 && strncmp(end, ": ", 2) == 0) {
      *line = n;
      return (size_t)(colon - message);
    }
    if (colon[1] == ' ') {
      size_t length = (size_t)(colon - message);
      // a name of a file has no blank before its colon, those of commands and subjects do or have no dot
      bool is_file = memchr(message, '.', length) && !memchr(message, ' ', length);
      return is_file || memchr(message, '/', length) ? length : 0;
    }
  }
  return 0;
}

// What to do about it: behind "hint: ", a name that was meant, or where help is.
static const char* find_hint(const char* message) {
  static const char* const begin[] = {"hint: ", "did you mean ", "see 'jounce "};
  for (size_t i = 0; i < sizeof begin / sizeof *begin; i++) {
    const char* at = strstr(message, begin[i]);
    if (at) return i == 0 ? at + strlen(begin[i]) : at;
  }
  return NULL;
}

void cli_json_failure(cli_json* j) {
  if (!first[0]) return;
  int64_t line;
  size_t length = find_place(first, &line);
  const char* hint = find_hint(first);
  cli_json_object(j, "error");
  cli_json_text(j, "message", first);
  if (length > 0) {
    char file[LONGEST];
    snprintf(file, sizeof file, "%.*s", (int)length, first);
    cli_json_text(j, "file", file);
  }
  if (line > 0) cli_json_count(j, "line", line);
  if (hint) {
    char text[LONGEST];
    snprintf(text, sizeof text, "%s", hint);
    size_t n = strlen(text);
    // the parenthesis it stands in
    if (n > 0 && text[n - 1] == ')' && !strchr(text, '(')) text[n - 1] = 0;
    cli_json_text(j, "hint", text);
  }
  cli_json_end(j);
}
